"""The steps from an array to a view of it: how its elements are chosen, put back, and where they would lie in memory.

Slices, integers, transposes and reversed dimensions are one kind of step, which is closed under composition; other
shapes are the second. What NumPy's strides can say beyond that (diagonals, windows, repetitions, the parts of complex
numbers) is a kind of step each. `lazyarr.aliasing.view_chains` puts them together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any, Protocol

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.lib.stride_tricks import sliding_window_view as windows_of

from ir.core.expr import fun
from ir.core.types import INT64
from lazyarr.array import Array, array_of
from lazyarr.array.lent import address_of
from lazyarr.array.scalar import Scalar
from lazyarr.dtypes import DType, int64
from lazyarr.graph.builders import generated, permute
from lazyarr.recording import movement
from lazyarr.recording.apply import apply
from lazyarr.recording.conversion import viewed_as
from lazyarr.recording.indexing import chosen, sliced
from lazyarr.recording.keys import Key, parse
from lazyarr.recording.placing import Cut
from lazyarr.recording.positional import along_diagonal, diagonal, windows
from lazyarr.recording.replacing import with_key

__all__ = ["Chosen", "Diagonal", "Layout", "Part", "Repeated", "Shaped", "Step", "Strided", "Viewed", "Windows",
           "chosen_from", "permuted", "reach", "reshaped", "reversed_along", "whole"]  # fmt: skip

Layout = np.ndarray[Any, Any]


class Step(Protocol):
    """How elements are chosen from an array.

    Attributes:
        overlaps: may it choose one more than once?
    """

    overlaps: bool

    def of(self, x: Array) -> Array:
        """The chosen elements of an array."""

    def into(self, x: Array, new: Array) -> Array:
        """The array with others in the place of the chosen ones; of `new` only the elements and their order count."""

    def on(self, layout: Layout) -> Layout:
        """`of` on a NumPy array, as a view of it."""


def reshaped(x: Array, shape: tuple[int, ...]) -> Array:
    """The elements of an array in another shape, in no view of it."""
    return array_of(x.standing, shape, x.dtype, x.placed, x.traced_in)


@dataclass(slots=True)  # not frozen: that makes each several times as dear
class Chosen:
    """By a key without arrays of indices, whose kept dimensions may stand in any order."""

    key: Key
    overlaps = False

    def of(self, x: Array) -> Array:
        """`x[key]`"""
        key = self.key
        axes = [axis for axis in key.kept if axis is not None]
        if axes == sorted(axes):
            return chosen("index", x, key)
        if 0 in key.shape:
            return movement.view(x, None, key.shape)
        dropped = [axis for axis in range(x.ndim) if axis not in axes]
        counts = tuple(count for _, _, count in key.cuts)
        node = permute(sliced(x.node, x.shape, key.cuts), counts, (*dropped, *axes))
        return movement.view(x, node, key.shape)

    def into(self, x: Array, new: Array) -> Array:
        """`x` after `x[key] = new`."""
        if not new.size:
            return x
        cuts = self.key.cuts
        axes = [axis for axis in self.key.kept if axis is not None]
        new = reshaped(new, tuple(cuts[axis][2] for axis in axes))
        if axes != sorted(axes):
            new = movement.permute_dims(new, tuple(int(i) for i in np.argsort(axes)))
        return with_key("setitem", x, Key(cuts, tuple(sorted(axes))), new)

    def on(self, layout: Layout) -> Layout:
        """By slices, then by the dimensions that are kept."""
        cuts = self.key.cuts
        ends = [start + count * step for start, step, count in cuts]
        taken = [slice(a, None if b < 0 else b, s) for (a, s, _), b in zip(cuts, ends, strict=True)]
        axes = [axis for axis in self.key.kept if axis is not None]
        kept = [slice(None) if axis in axes else 0 for axis in range(layout.ndim)]
        found = layout[(*taken, ...)][(*kept, ...)]  # dots: else what has no dimensions would be a copy
        order = sorted(axes)
        found = found.transpose([order.index(axis) for axis in axes])
        return found[(*[None if axis is None else slice(None) for axis in self.key.kept], ...)]


def whole(shape: tuple[int, ...]) -> tuple[Cut, ...]:
    """The cuts that leave an array of that shape as it is."""
    return tuple([(0, 1, extent) for extent in shape])


@lru_cache(maxsize=1024)
def permuted(shape: tuple[int, ...], axes: tuple[int, ...]) -> Chosen:
    """All elements of an array of that shape, with the dimensions in another order."""
    return Chosen(Key(whole(shape), axes))


@lru_cache(maxsize=1024)
def reversed_along(shape: tuple[int, ...], axes: tuple[int, ...]) -> Chosen:
    """All of them, in the opposite order along some dimensions."""
    cuts = [(n - 1, -1, n) if i in axes and n > 1 else (0, 1, n) for i, n in enumerate(shape)]
    return Chosen(Key(tuple(cuts), tuple(range(len(shape)))))


def chosen_from(whole: Layout, part: Layout) -> Chosen | None:
    """The step by which NumPy takes a part of an array that lies in row-major order, by slices, integers and
    transposes; None where it was another way.
    """
    if part.dtype != whole.dtype or not part.size:
        return None
    first = (address_of(part) - address_of(whole)) // whole.itemsize
    cuts: list[Cut] = []
    kept: list[int | None] = [None] * part.ndim
    left = {axis for axis, extent in enumerate(part.shape) if extent > 1}
    for axis, (stride, extent) in enumerate(zip(whole.strides, whole.shape, strict=True)):
        start = first // prod(whole.shape[axis + 1 :]) % extent
        fits = [i for i in left if part.strides[i] and part.strides[i] % stride == 0]
        if not fits:
            cuts.append((start, 1, 1))
            continue
        found = max(fits, key=lambda i: abs(part.strides[i]))
        left.remove(found)
        kept[found] = axis
        cuts.append((start, part.strides[found] // stride, part.shape[found]))
        if not 0 <= start + cuts[-1][1] * (part.shape[found] - 1) < extent:
            return None
    step = Chosen(Key(tuple(cuts), tuple(kept)))
    if left:
        return None
    again = step.on(whole)
    return step if address_of(again) == address_of(part) and _gaps(again) == _gaps(part) else None


def _gaps(x: Layout) -> list[tuple[int, int]]:
    return [(extent, stride) for extent, stride in zip(x.shape, x.strides, strict=True) if extent > 1]


@dataclass(slots=True)
class Shaped:
    """All of them in their order, in another shape."""

    shape: tuple[int, ...]
    overlaps = False

    def of(self, x: Array) -> Array:
        """`reshape(x, shape)`"""
        return reshaped(x, self.shape)

    def into(self, x: Array, new: Array) -> Array:
        """`reshape(new, x.shape)`"""
        return reshaped(new, x.shape)

    def on(self, layout: Layout) -> Layout:
        """`reshape`, of what lies so that it needs no copy."""
        return layout.reshape(self.shape, copy=False)


@dataclass(slots=True)
class Part:
    """The real or the imaginary parts of complex numbers."""

    name: str
    overlaps = False

    def of(self, x: Array) -> Array:
        """`x.real` or `x.imag`"""
        return apply(self.name, x)  # type: ignore[no-any-return]  # an Array of an Array

    def into(self, x: Array, new: Array) -> Array:
        """The new parts beside the old other ones."""
        new = reshaped(new, x.shape)
        pair = (new, apply("imag", x)) if self.name == "real" else (apply("real", x), new)
        return apply("complex", *pair)  # type: ignore[no-any-return]  # as above

    def on(self, layout: Layout) -> Layout:
        """`of` on a NumPy array, as a view of it."""
        return layout.real if self.name == "real" else layout.imag


@dataclass(slots=True)
class Viewed:
    """What another dtype makes of the bytes."""

    dtype: DType
    overlaps = False

    def of(self, x: Array) -> Array:
        """`x.view(dtype)`"""
        return viewed_as(x, self.dtype)

    def into(self, x: Array, new: Array) -> Array:
        """The bytes as elements of the old dtype."""
        shape = x.shape
        if new.itemsize != x.itemsize:
            shape = (*shape[:-1], shape[-1] * x.itemsize // new.itemsize)
        return reshaped(viewed_as(reshaped(new, shape), x.dtype), x.shape)

    def on(self, layout: Layout) -> Layout:
        """`of` on a NumPy array, as a view of it."""
        return layout.view(self.dtype)


@dataclass(slots=True)
class Diagonal:
    """The diagonals of the matrices that two dimensions hold, as the last dimension."""

    offset: int
    first: int
    second: int
    overlaps = False

    def of(self, x: Array) -> Array:
        """`diagonal(x, offset, first, second)`"""
        return diagonal(x, self.offset, self.first, self.second)

    def into(self, x: Array, new: Array) -> Array:
        """The matrices, flattened, with every element in the distance of a row and one more exchanged."""
        moved = movement.moveaxis(x, (self.first, self.second), (-2, -1))
        rows, columns = moved.shape[-2:]
        flat = reshaped(moved, (*moved.shape[:-2], rows * columns))
        key = parse("setitem", (..., along_diagonal(rows, columns, self.offset)), flat.shape)
        if not new.size:
            return x
        made = reshaped(with_key("setitem", flat, key, reshaped(new, key.shape)), moved.shape)
        return movement.moveaxis(made, (-2, -1), (self.first, self.second))

    def on(self, layout: Layout) -> Layout:
        """`of` on a NumPy array, as a view of it, to which may be assigned as to that."""
        found = layout.diagonal(self.offset, self.first, self.second)
        found.setflags(write=layout.flags.writeable)  # NumPy's are read-only
        return found


class _ByPosition:
    """Steps whose elements are put back one by one, each to its position; of several for one place the last wins."""

    __slots__ = ()
    overlaps = True

    def on(self, layout: Layout) -> Layout:
        """`of` on a NumPy array, as a view of it."""
        raise NotImplementedError

    def into(self, x: Array, new: Array) -> Array:
        """A scatter."""
        flat = reshaped(x, (x.size,))
        at = self.on(np.arange(x.size).reshape(x.shape)).reshape(-1)
        if at.size:
            flat = with_key("setitem", flat, parse("setitem", at, flat.shape), reshaped(new, at.shape))
        return reshaped(flat, x.shape)


@dataclass(slots=True)
class Windows(_ByPosition):
    """All windows of neighbours along some dimensions."""

    window: tuple[int, ...]
    axes: tuple[int, ...]

    def of(self, x: Array) -> Array:
        """`sliding_window_view(x, window, axes)`"""
        return windows(x, self.window, self.axes)

    def on(self, layout: Layout) -> Layout:
        """`of` on a NumPy array, as a view of it."""
        return windows_of(layout, self.window, self.axes, writeable=True)


@dataclass(slots=True)
class Repeated(_ByPosition):
    """All elements, repeated along new leading dimensions and those of extent one."""

    shape: tuple[int, ...]

    def of(self, x: Array) -> Array:
        """`broadcast_to(x, shape)`"""
        return movement.broadcast_to(x, self.shape)

    def on(self, layout: Layout) -> Layout:
        """`of` on a NumPy array, as a view of it."""
        return np.broadcast_to(layout, self.shape)


@dataclass(slots=True)
class Strided(_ByPosition):
    """The elements of an array that lies in row-major order, from one on in strides, which are counted in elements."""

    start: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def of(self, x: Array) -> Array:
        """A gather, repeated along strides of zero; a slice where there is one stride."""
        moving = tuple([n if stride else min(n, 1) for n, stride in zip(self.shape, self.strides, strict=True)])
        flat = reshaped(x, (x.size,))
        if prod(moving) > x.size:  # elements more than once: there may be more positions than fit into memory
            places = generated(fun(INT64, lambda i: self._position(Scalar(i), moving).expr), prod(moving))
            at = array_of(places, (prod(moving),), int64)
            found = chosen("index", flat, Key(whole(flat.extents), (), ((0, at),)))
        else:
            found = chosen("index", flat, parse("index", self._positions(moving), flat.extents))
        return movement.broadcast_to(reshaped(found, moving), self.shape)

    def on(self, layout: Layout) -> Layout:
        """`of` on a NumPy array, as a view of it; `ValueError` for what does not lie in row-major order."""
        if not layout.flags.c_contiguous:
            raise ValueError("strides count the elements of an array in row-major order")
        flat = layout.reshape(-1)[self.start :]
        return as_strided(flat, self.shape, [stride * layout.itemsize for stride in self.strides])

    def _positions(self, extents: tuple[int, ...]) -> Layout:
        found = np.full((1,) * len(extents), self.start, np.int64)
        for axis, (extent, stride) in enumerate(zip(extents, self.strides, strict=True)):
            found = found + (np.arange(extent) * stride).reshape((-1,) + (1,) * (len(extents) - axis - 1))
        return found.reshape(-1)

    def _position(self, i: Scalar, extents: tuple[int, ...]) -> Any:
        """The position of element i of an array of those extents, in row-major order."""
        found: Any = self.start
        behind = 1
        for extent, stride in zip(reversed(extents), reversed(self.strides), strict=True):
            found, behind = found + i // behind % extent * stride, behind * extent
        return found


def reach(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, int]:
    """How far before and behind the first element those lie that strides lead to; of a shape that has some."""
    ways = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    return sum([min(way, 0) for way in ways]), sum([max(way, 0) for way in ways])
