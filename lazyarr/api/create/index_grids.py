"""Indices of parts of a matrix, and NumPy's objects whose brackets make arrays of numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.api.create.ranges import arange
from lazyarr.api.create.spacing import linspace
from lazyarr.api.select.taking import nonzero
from lazyarr.api.shape.joining import concat
from lazyarr.array import Array
from lazyarr.eager.numbers import EXACT
from lazyarr.recording.creation import asarray
from lazyarr.recording.filled import ones
from lazyarr.recording.joining import beside
from lazyarr.recording.movement import expand_dims, ravel

__all__ = [
    "c_", "diag_indices", "diag_indices_from", "mask_indices", "mgrid", "ogrid", "r_", "tril_indices",
    "tril_indices_from", "triu_indices", "triu_indices_from",
]  # fmt: skip


def diag_indices(n: int, ndim: int = 2) -> tuple[Array, ...]:
    """The indices of the main diagonal of an array of `ndim` dimensions of extent n, as a key."""
    return (asarray(np.arange(n)),) * ndim


def diag_indices_from(arr: Any) -> tuple[Array, ...]:
    """`diag_indices` for an array of two or more equal extents; `ValueError` for others."""
    x = asarray(arr, function="diag_indices_from")
    if x.ndim < 2:
        raise ValueError(f"diag_indices_from: expected two or more dimensions, got shape {x.shape}")
    if len(set(x.shape)) > 1:
        raise ValueError(f"diag_indices_from: expected equal extents, got shape {x.shape}")
    return diag_indices(x.shape[0], x.ndim)


def mask_indices(n: int, mask_func: Callable[..., Any], k: Any = 0) -> tuple[Array, ...]:
    """Where a function such as `triu` leaves elements of a matrix of n by n ones, as a key. Computed now."""
    return nonzero(asarray(mask_func(ones((n, n), dtype=int), k), function="mask_indices"))


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Array, Array]:
    """The indices of what lies on and below diagonal k of a matrix of n rows and m (None: n) columns, as a key."""
    rows, columns = np.tril_indices(n, k, m)
    return asarray(rows), asarray(columns)


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Array, Array]:
    """The indices of what lies on and above diagonal k of a matrix of n rows and m (None: n) columns, as a key."""
    rows, columns = np.triu_indices(n, k, m)
    return asarray(rows), asarray(columns)


def tril_indices_from(arr: Any, k: int = 0) -> tuple[Array, Array]:
    """`tril_indices` for a matrix of that shape; `ValueError` unless it has two dimensions."""
    rows, columns = _matrix("tril_indices_from", arr)
    return tril_indices(rows, k, columns)


def triu_indices_from(arr: Any, k: int = 0) -> tuple[Array, Array]:
    """`triu_indices` for a matrix of that shape; `ValueError` unless it has two dimensions."""
    rows, columns = _matrix("triu_indices_from", arr)
    return triu_indices(rows, k, columns)


def _matrix(function: str, arr: Any) -> tuple[int, int]:
    x = asarray(arr, function=function)
    if x.ndim != 2:
        raise ValueError(f"{function}: expected a matrix, got shape {x.shape}")
    return x.shape[0], x.shape[1]


class _Grid:
    """`mgrid[a:b, c:d:s]`: the coordinates of a grid, full arrays along a new first dimension; `ogrid`: open ones, a
    tuple. A step `nj` means n points from the start to the stop, both included.
    """

    def __init__(self, name: str, dense: bool) -> None:
        self._name, self._dense = name, dense

    def __getitem__(self, key: Any) -> Any:
        made = (np.mgrid if self._dense else np.ogrid)[key]
        return tuple(asarray(x) for x in made) if isinstance(made, tuple) else asarray(made)

    def __repr__(self) -> str:
        return self._name


mgrid, ogrid = _Grid("mgrid", True), _Grid("ogrid", False)


def _is_usual(bound: Any) -> bool:
    """Whether `arange` takes a bound as NumPy does: a real number, also as an element, that is exact as a float64."""
    if type(bound) is Array:
        return bound.dtype.kind in "iuf"
    return type(bound) is float or (type(bound) is int and abs(bound) <= EXACT)


class _Joined:
    """`r_[a, b, 1:5, 0]`: numbers, slices as ranges, and arrays one after the other; `c_`: vectors as columns.

    A text in front says how, as in NumPy: the axis, how many dimensions there are at least, and where those of an array
    that has fewer stand among these: `r_["1,2,0", a, b]`.
    """

    def __init__(self, name: str, axis: int = 0, ndmin: int = 1, place: int = -1) -> None:
        self._name, self._how = name, (axis, ndmin, place)

    def __getitem__(self, key: Any) -> Array:
        parts = list(key) if isinstance(key, tuple) else [key]
        axis, ndmin, place = self._how
        if parts and isinstance(parts[0], str):
            axis, ndmin, place = self._directive(parts.pop(0))
        arrays = beside(self._name, [self._part(part) for part in parts])
        return concat([self._widened(x, ndmin, place) for x in arrays], axis=axis)

    def _directive(self, text: str) -> tuple[int, int, int]:
        try:
            axis, ndmin, place = (*map(int, text.split(",")), *(1, -1)[text.count(",") :])
        except ValueError:
            raise ValueError(
                f"{self._name}: expected one to three whole numbers in a text, such as '0,2', got {text!r} (NumPy's "
                "matrices, 'r' and 'c', are not there)"
            ) from None
        return axis, ndmin, place

    def _part(self, part: Any) -> Any:
        if isinstance(part, str):
            raise ValueError(f"{self._name}: expected the text {part!r} in front of all others")
        if not isinstance(part, slice):
            return part
        if part.stop is None:
            raise ValueError(f"{self._name}: expected a slice with an end, got {part}")
        start, step = (0 if part.start is None else part.start), (1 if part.step is None else part.step)
        if isinstance(step, (complex, np.complexfloating)):
            made: Array = linspace(start, part.stop, int(abs(complex(step))))
            return made
        bounds = start, part.stop, step
        return arange(*bounds) if all(map(_is_usual, bounds)) else asarray(np.arange(*bounds))

    def _widened(self, x: Array, ndmin: int, place: int) -> Array:
        """With extents of one around its own dimensions, the first of which then stands at that place."""
        x = x if x.ndim else ravel(x)
        missing = ndmin - x.ndim
        if missing <= 0:
            return x
        before = min(place if place >= 0 else place + missing + 1, missing)
        for at in [*range(before), *range(before + x.ndim, ndmin)]:
            x = expand_dims(x, at)
        return x

    def __repr__(self) -> str:
        return self._name


r_, c_ = _Joined("r_"), _Joined("c_", -1, 2, 0)
