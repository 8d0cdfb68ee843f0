"""Compiled programs, and kernels bound to their argument types so that launching them costs little."""

from __future__ import annotations

import contextlib
import ctypes
import re
import struct
import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.runtime.declarations import GUARD
from lazyarr.runtime.errors import BuildError, LaunchError
from lazyarr.runtime.queues import DONE, Event

if TYPE_CHECKING:
    import pyopencl as cl

    from lazyarr.runtime.devices import Device

# struct codes of the scalar argument types; `l` and `q` are chosen by the size that this platform gives them.
_LONG = "l" if struct.calcsize("l") == 8 else "q"
_CODES = {
    "bool": "B",
    "int8": "b",
    "uint8": "B",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": _LONG,
    "uint64": _LONG.upper(),
    "float16": "e",
    "float32": "f",
    "float64": "d",
}
# What pyopencl packs itself, quickest. The rest goes through a NumPy scalar.
_PACKED = frozenset("bBhHiIlLfd")


# What the log says where a program needs more than the declarations of what it mentions.
_UNDECLARED = re.compile(r"implicit declaration|undeclared|no matching function|unknown type")


def _as_byte(value: Any) -> np.uint8:
    """The argument for a C `uchar` that stands for a truth value."""
    return np.uint8(bool(value))


class _InMemory(dict[Any, Any]):
    """The part of the persistent dictionary's interface that pyopencl uses."""

    def store_if_not_present(self, key: Any, value: Any) -> None:
        """Store unless the key is known."""
        self.setdefault(key, value)


def _keep_launchers_in_memory() -> None:
    """Make pyopencl keep generated launchers in memory in this process. Cheap when done already.

    Each time a kernel object is made, pyopencl generates a Python function that launches it, and keeps it in a database
    of pickles in the user's cache folder. lazyarr never calls these functions, and must not unpickle what it finds
    there, nor fail where the folder is damaged, locked or read-only.
    """
    known: Any = sys.modules.get("pyopencl.invoker")
    if known is None:
        import pyopencl

        package: Any = pyopencl
        no_cache = getattr(package, "_PYOPENCL_NO_CACHE", True)
        # Importing the module opens the database unless caches are off.
        package._PYOPENCL_NO_CACHE = True
        try:
            import pyopencl.invoker as known
        except ImportError:
            return  # another version, which does without
        finally:
            package._PYOPENCL_NO_CACHE = no_cache
    if not isinstance(getattr(known, "invoker_cache", None), _InMemory):
        known.invoker_cache = _InMemory()


class Program:
    """A compiled program. Made by `Device.build`.

    Attributes:
        device: what it is compiled for.
        source: its OpenCL C text.
        declarations: what it was compiled with before its source; empty where that was nothing, or not compiled.
        log: what the compiler said (warnings).
        from_binary: whether it was loaded instead of compiled.
        in_thread: whether its kernels run in the thread that launches them, before the launch returns.
    """

    def __init__(
        self,
        device: Device,
        source: str,
        binary: bytes | None,
        options: Sequence[str],
        declarations: str = "",
        in_thread: bool = False,
    ) -> None:
        self.device = device
        self.in_thread = in_thread
        self._target = device.handle
        if in_thread:
            assert device.companion is not None
            self._target = device.companion
        self.source = source
        self.declarations = declarations
        self.log = ""
        self.from_binary = False
        self._options = " ".join(["-cl-std=CL1.2", *_precise_division(device), *_quietly(device), *options]).encode()
        self._handle: Any = self._load(binary) if binary else None
        if self._handle is None:
            self._handle = self._compile()

    @property
    def binary(self) -> bytes | None:
        """The compiled program for `Device.build`, in the runtime's own format; None where there is none.

        To ask for it may cost as much as building: see `Device.has_binaries`.
        """
        from pyopencl import program_info

        try:
            # It is built for one device of the context: for another one there is none, or an empty one.
            return next((bytes(binary) for binary in self._handle.get_info(program_info.BINARIES) if binary), None)
        except Exception:
            # Not every runtime gives its binaries away; the program works nevertheless.
            return None

    @property
    def kernel_names(self) -> list[str]:
        """The names of the program's kernels."""
        from pyopencl import program_info

        text = str(self._handle.get_info(program_info.KERNEL_NAMES))
        return [name for name in text.split(";") if name]

    def kernel(self, name: str, argument_types: Sequence[str]) -> BoundKernel:
        """A kernel whose arguments have the given types, in order.

        Args:
            name: the kernel's name in the source.
            argument_types: `"buffer"`, a scalar (`"bool"`, `"int8"` ... `"uint64"`, `"float16"`, `"float32"`,
                `"float64"`), or what a launch passes nothing for: `"local:<nbytes>"`, local memory of that many bytes,
                and `"counter"`, the device's (see `Memory.counter`).

        Raises:
            LaunchError: there is no such kernel, or it takes another number of arguments.
            ValueError: an argument type is not known.
        """
        return BoundKernel(self, name, tuple(argument_types))

    def create(self, name: str) -> cl.Kernel:
        """A new kernel object. Part of the runtime, not for its users."""
        from pyopencl import _cl

        _keep_launchers_in_memory()
        try:
            return _cl.Kernel(self._handle, name)
        except Exception as error:
            if self.from_binary:
                # A stale binary: loaded, but not what the source says.
                self.from_binary = False
                self._handle = self._compile()
                return self.create(name)
            raise LaunchError(f"no kernel {name!r} in the program; it has {self.kernel_names}") from error

    def _compile(self) -> Any:
        if self.declarations:  # found earlier
            with contextlib.suppress(BuildError):
                return self._built(self.declarations + self.source, f"-D{GUARD}")
            self.declarations = ""
        known = self.device.declarations
        if known is not None:
            found = known.before(self.source)
            try:
                made = self._built(found + self.source, f"-D{GUARD}")
            except BuildError as error:
                if not _UNDECLARED.search(error.log):
                    raise
            else:
                self.declarations = found
                return made
        return self._built(self.source)

    def _built(self, text: str, *more: str) -> Any:
        # pyopencl's public class would write failing sources to temporary files and may use its own cache of binaries.
        from pyopencl import _cl

        device = self.device
        program = _cl._Program(device.context, text)
        options = " ".join([self._options.decode(), *more])
        try:
            program._build(options.encode(), [self._target])
        except Exception as error:
            log = self._build_log(program)
            first = str(error).splitlines()[0] if str(error) else type(error).__name__
            message = f"{device.name} did not compile the program ({first}; options {options!r})"
            raise BuildError(message, self.source, log) from error
        self.log = self._build_log(program)
        return program

    def _load(self, binary: bytes) -> Any:
        """The program made from a binary; None if the runtime refuses it."""
        from pyopencl import _cl

        device = self.device
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                program = _cl._Program(device.context, [self._target], [binary])
                program._build(self._options, [self._target])
        except Exception:
            return None
        self.from_binary = True
        return program

    def _build_log(self, program: Any) -> str:
        from pyopencl import program_build_info

        try:
            return str(program.get_build_info(self._target, program_build_info.LOG) or "").strip("\0 \n")
        except Exception:
            return ""


def _precise_division(device: Device) -> list[str]:
    """Division and square root of float32 rounded as NumPy's, where the device can; OpenCL's default allows 2.5 ulp."""
    from pyopencl import device_fp_config

    correctly_rounded = int(device.handle.single_fp_config) & device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT
    return ["-cl-fp32-correctly-rounded-divide-sqrt"] if correctly_rounded else []


def _quietly(device: Device) -> list[str]:
    """No warnings from PoCL, which writes to the standard error that its own functions of wide vectors caused some."""
    return ["-w"] if device.is_pocl else []


class Own:
    """The kernel object of one thread, and what is set on it.

    Attributes:
        kernel: the object.
        pointer: the object as functions of the OpenCL library take it.
        arguments: for each value passed, the memory's key or the number that is set.
        owner: the launch of a `Batch` that set the numbers last, if nobody changed them since.
    """

    __slots__ = ("arguments", "kernel", "owner", "pointer")

    def __init__(self, kernel: cl.Kernel, count: int) -> None:
        self.kernel = kernel
        self.pointer = ctypes.c_void_p(kernel.int_ptr)
        self.arguments: list[Any] = [DONE] * count  # what no argument equals: everything is set at the first launch
        self.owner: object = None


class _State(threading.local):
    """What belongs to the calling thread; None before its first launch."""

    own: Own | None = None


class BoundKernel:
    """A kernel with typed arguments. Made by `Program.kernel`. May be launched from several threads.

    Attributes:
        name: the kernel's name.
        program: what it belongs to.
        argument_types: as given to `Program.kernel`.
        state: what belongs to the calling thread. Part of the runtime, not for its users.
    """

    def __init__(self, program: Program, name: str, argument_types: tuple[str, ...]) -> None:
        from pyopencl import _cl

        self.name = name
        self.argument_types = argument_types
        self.program = program
        self._device = program.device
        self._queue = program.device.queue
        own = program.device.calling_thread if program.in_thread else None
        self._enqueuer = own or self._queue
        self._enqueue = _cl.enqueue_nd_range_kernel
        self.state = _State()
        # (position among the values passed, position in the kernel); local memory and the device's counter take a
        # kernel position but no value.
        self._buffers: list[tuple[int, int]] = []
        self._scalars: list[tuple[int, int, bytes, Callable[[Any], Any] | None]] = []
        self._locals: list[tuple[int, int]] = []
        self._counters: list[int] = []
        self._count = 0
        for position, kind in enumerate(argument_types):
            self._declare(position, kind)
        self.bind()

    def _declare(self, position: int, kind: str) -> None:
        if kind.startswith("local:") and kind[6:].isdecimal():
            self._locals.append((position, int(kind[6:])))
            return
        if kind == "counter":
            self._counters.append(position)
            return
        if kind == "buffer":
            self._buffers.append((self._count, position))
        elif kind in _CODES:
            code = _CODES[kind]
            # NumPy's booleans are no integers to pyopencl's packing.
            convert = _as_byte if kind == "bool" else None if code in _PACKED else np.dtype(kind).type
            self._scalars.append((self._count, position, code.encode(), convert))
        else:
            scalars = ", ".join(_CODES)
            raise ValueError(
                f"unknown argument type {kind!r}: expected 'buffer', 'counter', 'local:<nbytes>' or one of {scalars}"
            )
        self._count += 1

    def bind(self) -> Own:
        """Make this thread's kernel object. Part of the runtime, not for its users."""
        import pyopencl as cl

        kernel = self.program.create(self.name)
        if kernel.num_args != len(self.argument_types):
            declared = f"{len(self.argument_types)} were declared"
            raise LaunchError(f"kernel {self.name!r} takes {kernel.num_args} arguments, but {declared}")
        for position, nbytes in self._locals:
            memory: Any = cl.LocalMemory(max(1, nbytes))  # which pyopencl's types for `set_arg` forget
            kernel.set_arg(position, memory)
        for position in self._counters:
            kernel.set_arg(position, self._device.memory.counter.handle)
        own = self.state.own = Own(kernel, self._count)
        return own

    def enqueue(
        self,
        queue: cl.CommandQueue,
        kernel: cl.Kernel,
        global_size: tuple[int, ...],
        local_size: tuple[int, ...] | None,
    ) -> cl.Event:
        """Enqueue a kernel object whose arguments are set; errors name the kernel. The queue's lock is held, or it is
        this thread's turn.
        """
        try:
            event = self._enqueue(queue, kernel, global_size, local_size)
        except Exception as error:
            raise self.refused(error, global_size, local_size) from error
        self._queue.launches += 1
        return event

    def refused(
        self, error: Exception | str, global_size: tuple[int, ...], local_size: tuple[int, ...] | None
    ) -> LaunchError:
        """The error to raise when the device refuses a launch."""
        sizes = f"global size {global_size}, local size {local_size}"
        return self._queue.failure(error, f"kernel {self.name!r} with {sizes} was refused")

    @property
    def buffers(self) -> tuple[tuple[int, int], ...]:
        """Each buffer's index among the values that a launch passes, and its position in the kernel."""
        return tuple(self._buffers)

    def check_count(self, arguments: Sequence[Any]) -> None:
        """Raise `LaunchError` unless there are as many values as a launch passes."""
        if len(arguments) != self._count:
            raise LaunchError(f"kernel {self.name!r} takes {self._count} arguments, got {len(arguments)}")

    def set_scalars(self, own: Own, values: Sequence[Any], owner: object = None) -> None:
        """Set the numbers among the values of a launch, its owner, that are not set yet. Part of the runtime, not for
        its users.
        """
        kernel: Any = own.kernel
        last = own.arguments
        own.owner = None  # a number that does not fit leaves those before it
        value: Any = None
        position = 0
        try:
            for index, position, code, convert in self._scalars:
                value = values[index]
                # By identity: -0.0 == 0.0, and 1 == True == 1.0. Small integers are identical when equal.
                if last[index] is not value:
                    if convert is None:
                        kernel._set_arg_buf_pack_multi((position, code, value))
                    else:
                        kernel.set_arg(position, convert(value))
                    last[index] = value
        except Exception as error:
            raise self._mismatch(position, value, error) from error
        own.owner = owner

    def launch(
        self,
        global_size: tuple[int, ...],
        local_size: tuple[int, ...] | None,
        arguments: Sequence[Any],
    ) -> Event:
        """Enqueue the kernel and return at once.

        Only arguments that changed since this thread's last launch are set. The buffers are kept alive until the kernel
        is done. Nothing is enqueued if an extent is 0.

        Args:
            global_size: work-items in each dimension; a multiple of `local_size`.
            local_size: work-items of a work-group in each dimension; None leaves it to the runtime.
            arguments: a `Buffer` or number for each argument that is not local memory.

        Raises:
            LaunchError: the arguments do not fit the declared types, or the device refuses the sizes.
        """
        self.check_count(arguments)
        own = self.state.own or self.bind()
        kernel, last = own.kernel, own.arguments
        value: Any = None
        position = 0
        try:
            for index, position in self._buffers:
                value = arguments[index]
                key = value.key
                if last[index] != key:
                    if value.device is not self._device:
                        raise LaunchError(f"the buffer is on {value.device}")
                    kernel.set_arg(position, value.handle)
                    last[index] = key
        except Exception as error:
            raise self._mismatch(position, value, error) from error
        self.set_scalars(own, arguments)
        if 0 in global_size:
            return DONE
        keep = [arguments[index] for index, _ in self._buffers if arguments[index].pool is None]
        return self._enqueuer.enqueue(self.enqueue, keep, kernel, global_size, local_size)

    def _mismatch(self, position: int, value: Any, error: Exception) -> LaunchError:
        kind = self.argument_types[position]
        passed = f"{value!r} ({type(value).__name__}) was passed: {error}"
        return LaunchError(f"argument {position} of kernel {self.name!r} is declared {kind!r}, but {passed}")
