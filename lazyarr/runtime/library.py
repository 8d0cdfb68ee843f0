"""Calls of the host's library of linear algebra, NumPy's, in a kernel's place: on devices that share the host's memory.

A batch takes such a call among its launches. It waits for all commands that came before, computes on the memory where
it lies, and comes back when that is done: what is enqueued later sees the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from lazyarr.config import count_host_call, settings
from lazyarr.memory.quiet import quietly
from lazyarr.memory.snapshots import HostMemory
from lazyarr.runtime.errors import LaunchError
from lazyarr.runtime.queues import DONE, Event

if TYPE_CHECKING:
    from lazyarr.runtime.devices import Device

__all__ = ["FUNCTION", "LibraryKernel", "LibraryProgram", "allows_library"]

FUNCTION = "numpy.matmul"
"""The function that computes products, and what `config.statistics` counts its calls under."""

_BUFFERS = 3
_NUMBERS = 13
"""What a call takes: the memory of both operands and of the result; how many products, the rows, terms and columns of
each, the first element of each operand and three strides, the first element of the result."""


def allows_library(device: Device) -> bool:
    """May the host's library compute, whose results differ from one machine to the next?"""
    wanted = settings()
    return wanted.library == "on" and not wanted.deterministic and device.zero_copy and not device.simulator


class _Placed(Protocol):
    """Memory: a buffer, or a block of the pool."""

    @property
    def address(self) -> int: ...


class LibraryProgram:
    """In a compiled program's place, what has nothing to compile: products of matrices of floats.

    Attributes:
        device: on whose memory it computes.
        dtype: `float32` or `float64`.
    """

    declarations = ""
    binary = None
    from_binary = False
    log = ""

    def __init__(self, device: Device, dtype: str) -> None:
        """Products on a device.

        Raises:
            ValueError: the host does not see the device's memory, or another dtype.
        """
        if not device.zero_copy or device.simulator:
            raise ValueError(f"the host does not see the memory of {device.name}")
        if dtype not in ("float32", "float64"):
            raise ValueError(f"the library multiplies matrices of float32 or float64, not of {dtype}")
        self.device = device
        self.dtype = dtype

    @property
    def source(self) -> str:
        """What is called, in words."""
        return f"{FUNCTION}(left, right, out=result), of {self.dtype}, by the host's library: {_library()}"

    @property
    def kernel_names(self) -> list[str]:
        """The one function."""
        return [FUNCTION]

    def kernel(self, name: str, argument_types: Sequence[str]) -> LibraryKernel:
        """The function.

        Raises:
            ValueError: another one, or other arguments than the memory that it takes.
        """
        if name != FUNCTION or tuple(argument_types) != ("buffer",) * _BUFFERS:
            raise ValueError(f"the library has no function {name} of {', '.join(argument_types)}")
        return LibraryKernel(self)


class LibraryKernel:
    """Products of matrices in memory, as launches see them. May be called from several threads."""

    name = FUNCTION
    argument_types = ("buffer",) * _BUFFERS
    buffers = tuple((i, i) for i in range(_BUFFERS))

    def __init__(self, program: LibraryProgram) -> None:
        self.program = program
        self._queue = program.device.queue
        self._dtype = np.dtype(program.dtype)

    def check_count(self, arguments: Sequence[Any]) -> None:
        """Raise `LaunchError` unless there are as many values as a call takes."""
        if len(arguments) != _BUFFERS + _NUMBERS:
            raise LaunchError(f"{self.name} takes {_BUFFERS + _NUMBERS} arguments, got {len(arguments)}")

    def launch(
        self, global_size: tuple[int, ...], local_size: tuple[int, ...] | None, arguments: Sequence[Any]
    ) -> Event:
        """Wait for what was enqueued before, and compute; done when it returns. Nothing happens if an extent is 0.

        Args:
            global_size, local_size: as of a kernel
            arguments: buffers or blocks, and numbers

        Raises:
            LaunchError: a command before failed.
        """
        self.check_count(arguments)
        if 0 in global_size:
            return DONE
        self._queue.finish()
        began = perf_counter()
        self._call(*arguments)
        return _Called(perf_counter() - began)

    def _call(self, left: _Placed, right: _Placed, result: _Placed, *numbers: int) -> None:
        count, rows, terms, columns, first, *strides = numbers[:8]
        other, *others = numbers[8:12]
        quietly(
            np.matmul,
            self._matrices(left, (count, rows, terms), first, strides),
            self._matrices(right, (count, terms, columns), other, others),
            self._matrices(result, (count, rows, columns), numbers[12], (rows * columns, columns, 1)),
        )
        count_host_call(f"kernel: {FUNCTION}")

    def _matrices(
        self, memory: _Placed, shape: tuple[int, ...], first: int, strides: Sequence[int]
    ) -> np.ndarray[Any, Any]:
        size = self._dtype.itemsize
        apart = tuple([stride * size for stride in strides])
        return np.asarray(HostMemory(memory.address + first * size, False, shape, self._dtype.str, None, apart))


class _Called(Event):
    """A call that is over, and the seconds that it took by the host's clock."""

    __slots__ = ("_seconds",)

    def __init__(self, seconds: float) -> None:
        super().__init__(None, None)
        self._seconds = seconds

    @property
    def seconds(self) -> float | None:
        """How long it took, in seconds."""
        return self._seconds


def _library() -> str:
    """NumPy's library of linear algebra, by its name and version, as far as NumPy says."""
    found: Any = np.show_config(mode="dicts")
    blas = found.get("Build Dependencies", {}).get("blas", {})
    return f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip()
