"""Arrays walked through element by element, on the host: `nditer` and `ndenumerate`."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, Final

import numpy as np

from lazyarr.aliasing.views import lies_backwards, view_layout
from lazyarr.array import Array
from lazyarr.dtypes import promote
from lazyarr.recording.creation import asarray
from lazyarr.recording.filled import zeros

__all__ = ["ndenumerate", "nditer"]


class _Current:
    """The values of an array as NumPy's, which are computed anew where it was assigned to."""

    __slots__ = ("_array", "_of", "_shape", "_values")

    def __init__(self, array: Array, shape: tuple[int, ...]) -> None:
        self._array, self._shape = array, shape
        self._of: Any = None
        self._values: Any = None

    def __call__(self) -> np.ndarray[Any, Any]:
        """The values, broadcast to the shape; not to be written to."""
        x = self._array
        host = x.value  # memory that assignments write to
        now = x.standing if host is None else host
        if self._of is None or now is not self._of:
            self._values = np.broadcast_to(np.asarray(x) if type(host) is not np.ndarray else host, self._shape)
            self._of = x.standing if host is None else host
        return self._values  # type: ignore[no-any-return]  # it was just made


class ndenumerate:  # noqa: N801  # NumPy's name
    """Pairs of the indices of an element and the element, in row-major order; each is read when its turn comes."""

    def __init__(self, arr: Any) -> None:
        self._array = asarray(arr, function="ndenumerate")

    def __iter__(self) -> Iterator[tuple[tuple[int, ...], Any]]:
        x = self._array
        current, memory = _Current(x, x.shape), x.value
        values = current()
        for at, value in np.ndenumerate(values):
            is_own = memory is not None and x.value is memory  # asked first as it is quick
            yield at, value if is_own or current() is values else current()[at]


class nditer:  # noqa: N801  # as above
    """The elements of arrays, broadcast together, in row-major order ("C"), in column-major order ("F") or in that of
    the memory ("K"): column-major if all are transposed.

    Operands whose flags say "readwrite" or "writeonly" are lazyarr's, and what comes of them are views to assign to:
    `x[...] = 2 * x`. None as an operand makes such an array. Of NumPy's flags `multi_index`, `c_index`, `f_index` and
    `external_loop` do something: with the last, pieces as long as they lie one after the other, or all in one if it is
    `buffered`. `op_axes` says for each operand which of its dimensions lies along each one that is walked through, -1
    for none; of dimensions that it leaves out the first index counts. `itershape` says how long these are where no
    operand does (-1 where one does). With the flag `reduce_ok` an operand that is assigned to may lie along fewer of
    them than others: `it[1][...] += it[0]` adds.

    Attributes:
        operands: the arrays; shape, ndim, itersize, nop: what they broadcast to, and how many there are
        multi_index, index, value, finished: where it stands; `it[i]` is the element of operand i

    Raises:
        ValueError: shapes that do not broadcast, operands to assign to that are no lazyarr arrays of that shape, or
            `op_axes` that are not those of the operands.
    """

    def __init__(
        self,
        op: Any,
        flags: Any = None,
        op_flags: Any = None,
        op_dtypes: Any = None,
        order: str = "K",
        casting: str = "safe",
        op_axes: Any = None,
        itershape: Any = None,
        buffersize: int = 0,
    ) -> None:
        given = list(op) if isinstance(op, (tuple, list)) else [op]
        self._flags = frozenset(flags or ())
        unknown = sorted(self._flags - _FLAGS)
        if unknown:
            raise ValueError(f"nditer: expected flags among {', '.join(sorted(_FLAGS))}, got {', '.join(unknown)}")
        self._written = _written(given, op_flags)
        axes = _own_axes(given, op_axes)
        if len(axes) != len(given):
            raise ValueError(f"nditer: expected op_axes for {len(given)} operands, got {len(axes)}")
        if len({len(own) for own in axes if own is not None}) > 1:
            raise ValueError(f"nditer: expected op_axes of one length, got {op_axes}")
        shapes = [_along(np.shape(x), own) for x, own in zip(given, axes, strict=True) if x is not None]
        if itershape is not None:
            shapes.append(tuple(1 if extent == -1 else extent for extent in itershape))
        self.shape = np.broadcast_shapes(*shapes)
        self.operands = tuple(_made(given, op_dtypes, self.shape, axes))
        self._aligned = tuple(_aligned(x, own) for x, own in zip(self.operands, axes, strict=True))
        for x, made, written in zip(given, self._aligned, self._written, strict=True):
            fits = made.shape == self.shape or ("reduce_ok" in self._flags and made.ndim == len(self.shape))
            if written and not ((x is None or isinstance(x, Array)) and fits):
                raise ValueError(f"nditer: expected a lazyarr array of shape {self.shape} to assign to")
        self.nop, self.ndim, self.itersize = len(given), len(self.shape), prod(self.shape)
        natural = "F" if all(map(lies_backwards, self._aligned)) else "C"
        self._order = natural if order in ("K", "A") else "F" if order == "F" else "C"
        self._step = 1
        if "external_loop" in self._flags:
            inner = self.shape[0 if self._order == "F" else -1] if self.ndim else 1
            assigned = [x for x, own in zip(self._aligned, self._written, strict=True) if own]
            if any(x.shape != self.shape for x in assigned):
                raise ValueError("nditer: expected no external_loop where an operand to assign to is reduced")
            lie = all(_lies(x, self._order) for x in assigned)
            self._step = self.itersize if lie and (self._order == natural or "buffered" in self._flags) else inner
        self._values = [
            None if written else _Current(x, self.shape)
            for x, written in zip(self._aligned, self._written, strict=True)
        ]
        self.iterindex, self._started = 0, False

    # --- where it stands ----------------------------------------------------------------------------------------------

    @property
    def finished(self) -> bool:
        """Has it gone through all elements?"""
        return self.iterindex >= self.itersize

    @property
    def multi_index(self) -> tuple[int, ...]:
        """The indices of the element; asks for the flag of that name."""
        if "multi_index" not in self._flags:
            raise ValueError("nditer: the flag 'multi_index' was not given")
        return self._indices()

    @property
    def index(self) -> int:
        """The flat position of the element, row-major or column-major by the flag `c_index` or `f_index`."""
        order = "C" if "c_index" in self._flags else "F" if "f_index" in self._flags else None
        if order is None:
            raise ValueError("nditer: the flag 'c_index' or 'f_index' was not given")
        return int(np.ravel_multi_index(self._indices(), self.shape, order=order)) if self.ndim else 0  # type: ignore[call-overload]  # one of its orders

    @property
    def value(self) -> Any:
        """The element, or a tuple of those of all operands."""
        found = tuple(self[i] for i in range(self.nop))
        return found[0] if self.nop == 1 else found

    def __getitem__(self, operand: int) -> Array:
        if self.finished:
            raise ValueError("nditer: there are no more elements")
        current, x = self._values[operand], self._aligned[operand]
        values = None if current is None else current()
        if "external_loop" in self._flags:
            if values is not None:
                row: Any = values.ravel(self._order)  # type: ignore[arg-type]  # one of its orders
                return asarray(row[self.iterindex : self.iterindex + self._step])
            if self._step == self.itersize:
                return x.reshape(-1) if self._order == "C" else x.T.reshape(-1)
            rest = self._indices()
            return x[(slice(None), *rest[1:]) if self._order == "F" else rest[:-1]]
        at = self._indices()
        if values is not None:
            return asarray(values[at])
        at = tuple(0 if extent == 1 else i for i, extent in zip(at, x.shape, strict=True))
        return x[tuple(slice(i, i + 1) for i in at)].reshape(())

    def _indices(self) -> tuple[int, ...]:
        if self.finished:
            raise ValueError("nditer: there are no more elements")
        return tuple(map(int, np.unravel_index(self.iterindex, self.shape, order=self._order)))  # type: ignore[call-overload]  # as above

    # --- going on -----------------------------------------------------------------------------------------------------

    def iternext(self) -> bool:
        """Go on to the next element; is there one?"""
        self.iterindex += self._step
        return not self.finished

    def reset(self) -> None:
        """Begin again."""
        self.iterindex, self._started = 0, False

    def close(self) -> None:
        """Nothing is left to be done: what is assigned is there at once."""

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._started:
            self.iterindex += self._step
        self._started = True
        if self.finished:
            raise StopIteration
        return self.value

    def __len__(self) -> int:
        return self.nop

    def __enter__(self) -> nditer:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


_FLAGS: Final = frozenset(
    {
        "buffered", "c_index", "common_dtype", "copy_if_overlap", "delay_bufalloc", "external_loop", "f_index",
        "grow_inner", "multi_index", "ranged", "reduce_ok", "refs_ok", "zerosize_ok",
    }
)  # fmt: skip


def _lies(x: Array, order: str) -> bool:
    """Do its elements lie one after the other in that order, so that all of them in a row are a view?"""
    layout = view_layout(x)
    if layout is None:
        return order == "C" or x.ndim < 2
    flags = layout.flags
    return bool(flags.c_contiguous if order == "C" else flags.f_contiguous)


def _written(given: list[Any], op_flags: Any) -> list[bool]:
    """Which operands are assigned to; flags for all of them, or a list for each."""
    flags = list(op_flags or ())
    if not flags or isinstance(flags[0], str):
        flags = [flags] * len(given)
    if len(flags) != len(given):
        raise ValueError(f"nditer: expected op_flags for {len(given)} operands, got {len(flags)}")
    return [x is None or bool({"readwrite", "writeonly"} & set(own)) for x, own in zip(given, flags, strict=True)]


def _own_axes(given: list[Any], op_axes: Any) -> list[Any]:
    """For each operand its `op_axes`, or None."""
    if op_axes is None:
        return [None] * len(given)
    if not isinstance(op_axes, (list, tuple)) or not all(x is None or isinstance(x, (list, tuple)) for x in op_axes):
        raise TypeError(f"nditer: expected op_axes to be a list of lists of axes, or of None, got {op_axes!r}")
    return list(op_axes)


def _along(shape: tuple[int, ...], axes: Any) -> tuple[int, ...]:
    """An operand's extents along the dimensions that are walked through, by its `op_axes`; None: as it broadcasts."""
    if axes is None:
        return shape
    own = [axis for axis in axes if axis != -1]
    if len(set(own)) != len(own) or not set(own) <= set(range(len(shape))):
        raise ValueError(f"nditer: expected op_axes that are those of an operand of shape {shape}, or -1, got {axes}")
    return tuple(1 if axis == -1 else shape[axis] for axis in axes)


def _aligned(x: Array, axes: Any) -> Array:
    """A view of an operand with the dimensions that are walked through; the operand itself where it has them."""
    if axes is None:
        return x
    own = [axis for axis in axes if axis != -1]
    first = x[tuple(slice(None) if axis in own else 0 for axis in range(x.ndim))] if len(own) < x.ndim else x
    turned = first.transpose([sorted(own).index(axis) for axis in own]) if own else first
    return turned[tuple(None if axis == -1 else slice(None) for axis in axes)]


def _made(given: list[Any], op_dtypes: Any, shape: tuple[int, ...], op_axes: list[Any]) -> Iterator[Any]:
    """The operands as arrays, those that are None made."""
    known = [None if x is None else x if isinstance(x, Array) else asarray(x, function="nditer") for x in given]
    dtypes = list(op_dtypes) if isinstance(op_dtypes, (tuple, list)) else [op_dtypes] * len(given)
    common = promote(*(x.dtype for x in known if x is not None))
    for x, dtype, axes in zip(known, dtypes, op_axes, strict=True):
        if x is None:
            own = range(len(shape)) if axes is None else axes
            places = sorted((axis, i) for i, axis in enumerate(own) if axis != -1)
            if len(own) != len(shape) or [axis for axis, _ in places] != list(range(len(places))):
                raise ValueError(f"nditer: expected op_axes of {len(shape)} dimensions, each once or -1, got {axes}")
            extents = [shape[i] for _, i in places]
            yield zeros(tuple(extents), dtype=common if dtype is None else dtype)
        else:
            yield x
