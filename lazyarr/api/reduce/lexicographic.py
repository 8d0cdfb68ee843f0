"""The extremes of complex numbers, which are ordered as NumPy orders them: by real parts, then by imaginary ones.

Each is found by its index: reductions of real numbers say where it lies. A number of which a part is NaN is beyond all
others; of several, and of equal ones, the first is chosen, whatever the order of a reduction.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.api.elementwise.standard import add, equal, isnan, logical_and, logical_not, multiply
from lazyarr.api.reduce.folding import reduce_axes
from lazyarr.api.reduce.reduced import Reduced, reduced
from lazyarr.array import Array
from lazyarr.dtypes import bool_
from lazyarr.recording.conversion import imag, real, where
from lazyarr.recording.creation import asarray
from lazyarr.recording.indexing import index
from lazyarr.recording.movement import axes_of_reduction, broadcast_to, is_axis_of_number, permute_dims, reshape

__all__ = ["extreme_of_complex", "position_of_complex"]


def extreme_of_complex(function: str, op: str, x: Array, axis: Any, keepdims: bool, mask: Any = True) -> Array:
    """The greatest ("maximum") or the least ("minimum") number along axes; "fmax" and "fmin" leave out those of which a
    part is NaN, as long as there are others.

    Args:
        axis: None for all, one axis or a tuple of them
        mask: of the elements that count; where there are none, the result is the number beyond which all others are
    """
    last = {"maximum": -np.inf, "minimum": np.inf}.get(op, np.nan)
    if mask is not True:
        x = where(broadcast_to(asarray(mask, bool_), x.shape), x, x.dtype.type(complex(last, last)))
    if not x.ndim and is_axis_of_number(axis):
        axis = None  # NumPy's reductions find these axes in a single number
    axes = None if axis is None else axes_of_reduction(function, axis, x.ndim)
    if axes == ():
        return x.copy()
    found = reduced(x.shape, axes, keepdims)
    if not found.each:  # nothing but `initial`
        return broadcast_to(asarray(complex(last, last), x.dtype), found.shape)
    rows = _rows(x, found)
    at = add(multiply(np.arange(found.results), found.each), _first(op, rows))
    return reshape(index(reshape(rows, -1), at), found.shape)


def position_of_complex(op: str, x: Array, axes: tuple[int, ...] | None, keepdims: bool) -> Array:
    """The index of the greatest or the least number along axes, counted in row-major order; there are numbers."""
    found = reduced(x.shape, axes, keepdims)
    return reshape(_first(op, _rows(x, found)), found.shape)


def _rows(x: Array, found: Reduced) -> Array:
    """The elements of each result in a row."""
    moved = x if found.order is None else permute_dims(x, found.order)
    return reshape(moved, (found.results, found.each))


def _first(op: str, rows: Array) -> Array:
    """The index of the first extreme of each row."""
    re, im, missing = real(rows), imag(rows), isnan(rows)
    numbers = logical_not(missing)
    known = {"fmax": "maximum", "fmin": "minimum"}.get(op, op)
    last = -np.inf if known == "maximum" else np.inf

    def ends(part: Array, among: Array) -> Array:
        """Where the parts are extreme among some numbers."""
        end = reduce_axes(op, known, last, where(among, part, last), 1, True)
        return logical_and(among, equal(part, end))

    places = np.arange(rows.shape[1])
    chosen = ends(im, ends(re, numbers))
    if op == known:
        chosen = where(_any(missing), missing, chosen)
    else:
        chosen = where(_any(numbers), chosen, missing)
    at = where(chosen, places, rows.shape[1])
    return reduce_axes(op, "minimum", np.iinfo(np.int64).max, at, 1, False)


def _any(rows: Array) -> Array:
    """Does each row hold a true element?"""
    return reduce_axes("any", "bitwise_or", False, rows, 1, True)
