"""Calls of the host's library, NumPy's, in a kernel's place: products and sorts on devices that share its memory.

A batch takes such a call among its launches. It waits for all commands that came before, computes on the memory where
it lies, and comes back when that is done: what is enqueued later sees the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ir.cost.thresholds.sorts import LIBRARY_SORT_MEASURED_BY
from ir.reference.calls import sort_rows_together
from lazyarr.config import count_host_call, settings
from lazyarr.memory.quiet import quietly
from lazyarr.memory.snapshots import HostMemory
from lazyarr.runtime.errors import LaunchError
from lazyarr.runtime.queues import DONE, Event

if TYPE_CHECKING:
    from lazyarr.runtime.devices import Device

__all__ = ["MATMUL", "SORT", "LibraryKernel", "LibraryProgram", "allows_library", "seconds_to_sort"]

MATMUL = "numpy.matmul"
"""The function that computes products, and what `config.statistics` counts its calls under. It takes the memory of both
operands and of the result; how many products, the rows, terms and columns of each, the first element of each operand
and three strides, the first element of the result.
"""

SORT = "numpy.sort"
"""The function that brings rows of numbers into order. It takes the memory that they are in and that of the result; how
many rows, their length, whether the greatest comes first; the first element, the extents and strides of the dimensions
that rows and elements lie in; the first element of the result.
"""

_BUFFERS = {MATMUL: 3, SORT: 2}
_NUMBERS = {MATMUL: 13, SORT: 5}
"""What a call takes, of a sort two further numbers for each dimension."""
_DTYPES = {
    MATMUL: ("float32", "float64"),
    SORT: ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"),
}


def allows_library(device: Device) -> bool:
    """May the host's library compute, whose results differ from one machine to the next?"""
    wanted = settings()
    return wanted.library == "on" and not wanted.deterministic and device.zero_copy and not device.simulator


@cache
def seconds_to_sort() -> float:
    """What the library needs for each of `LIBRARY_SORT_MEASURED_BY` numbers. Measured, as processors differ: it sorts
    them in vectors on some, several times as fast on one of these as on another.
    """
    numbers = np.random.default_rng(0).random(LIBRARY_SORT_MEASURED_BY, np.float32)

    def seconds() -> float:
        mixed = numbers.copy()
        began = perf_counter()
        mixed.sort()
        return perf_counter() - began

    return min(seconds() for _ in range(5)) / len(numbers)


class _Placed(Protocol):
    """Memory: a buffer, or a block of the pool."""

    @property
    def address(self) -> int: ...


class LibraryProgram:
    """In a compiled program's place, what has nothing to compile: one function of the library.

    Attributes:
        device: on whose memory it computes.
        function: `MATMUL` or `SORT`.
        dtype: of the elements.
    """

    declarations = ""
    binary = None
    from_binary = False
    log = ""

    def __init__(self, device: Device, function: str, dtype: str) -> None:
        """A function on a device.

        Raises:
            ValueError: the host does not see the device's memory, or another function or dtype.
        """
        if not device.zero_copy or device.simulator:
            raise ValueError(f"the host does not see the memory of {device.name}")
        if dtype not in _DTYPES.get(function, ()):
            raise ValueError(f"the library has no function {function} of {dtype}")
        self.device = device
        self.function = function
        self.dtype = dtype
        self.in_thread = False  # it is no launch

    @property
    def source(self) -> str:
        """What is called, in words."""
        if self.function == MATMUL:
            return f"{MATMUL}(left, right, out=result), of {self.dtype}, by the host's library: {_library()}"
        return f"{SORT}(xs, axis=-1), of {self.dtype}, by the host's library: numpy {np.__version__}"

    @property
    def kernel_names(self) -> list[str]:
        """The one function."""
        return [self.function]

    def kernel(self, name: str, argument_types: Sequence[str]) -> LibraryKernel:
        """The function.

        Raises:
            ValueError: another one, or other arguments than the memory that it takes.
        """
        if name != self.function or tuple(argument_types) != ("buffer",) * _BUFFERS[name]:
            raise ValueError(f"the library has no function {name} of {', '.join(argument_types)}")
        return LibraryKernel(self)


class LibraryKernel:
    """A function on what lies in memory, as launches see it. May be called from several threads."""

    def __init__(self, program: LibraryProgram) -> None:
        self.program = program
        self.name = program.function
        self.argument_types = ("buffer",) * _BUFFERS[self.name]
        self.buffers = tuple((i, i) for i in range(_BUFFERS[self.name]))
        self._queue = program.device.queue
        self._dtype = np.dtype(program.dtype)
        self._call = self._multiply if self.name == MATMUL else self._sort

    def check_count(self, arguments: Sequence[Any]) -> None:
        """Raise `LaunchError` unless there are as many values as a call takes."""
        least = len(self.buffers) + _NUMBERS[self.name]
        more = len(arguments) - least
        if self.name == MATMUL and more:
            raise LaunchError(f"{self.name} takes {least} arguments, got {len(arguments)}")
        if self.name == SORT and (more < 0 or more % 2):
            raise LaunchError(f"{self.name} takes {least} arguments and two for each dimension, got {len(arguments)}")

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
        count_host_call(f"kernel: {self.name}")
        return _Called(perf_counter() - began)

    def _multiply(self, left: _Placed, right: _Placed, result: _Placed, *numbers: int) -> None:
        count, rows, terms, columns, first, *strides = numbers[:8]
        other, *others = numbers[8:12]
        quietly(
            np.matmul,
            self._array(left, (count, rows, terms), first, strides),
            self._array(right, (count, terms, columns), other, others),
            self._array(result, (count, rows, columns), numbers[12], (rows * columns, columns, 1)),
        )

    def _sort(self, given: _Placed, result: _Placed, *numbers: int) -> None:
        rows, length, descending, first, *dimensions, start = numbers
        rank = len(dimensions) // 2
        shown = self._array(given, dimensions[:rank], first, dimensions[rank:])
        xs = shown.reshape(rows, length)  # a copy where no strides reach all
        sort_rows_together(self._array(result, (rows, length), start, (length, 1)), xs, bool(descending))

    def _array(self, memory: _Placed, shape: Sequence[int], first: int, strides: Sequence[int]) -> np.ndarray[Any, Any]:
        size = self._dtype.itemsize
        apart = tuple([stride * size for stride in strides])
        return np.asarray(HostMemory(memory.address + first * size, False, tuple(shape), self._dtype.str, None, apart))


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
