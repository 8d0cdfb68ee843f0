"""Weights of elements: spread over an array, and the quantiles of elements that count as much as their weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.api.elementwise.standard import divide, equal, isnan, less, maximum, minimum
from lazyarr.api.order.sorting import argsort
from lazyarr.api.reduce.reductions import sum as sum_
from lazyarr.api.reduce.scans import cumsum
from lazyarr.api.select.taking import take_along_axis
from lazyarr.api.shape.joining import stack
from lazyarr.array import Array
from lazyarr.dtypes import float64
from lazyarr.recording.conversion import astype, where
from lazyarr.recording.creation import asarray
from lazyarr.recording.indexing import index
from lazyarr.recording.keys import host_values
from lazyarr.recording.movement import broadcast_to, expand_dims, normalise_axes, permute_dims, reshape

__all__ = ["check_weights", "quantiles_by_weight", "weights_for"]


def weights_for(function: str, weights: Any, shape: tuple[int, ...], axis: Any) -> Array:
    """Weights, in that shape or in its extents along the axes, as an array of that shape.

    Raises:
        TypeError: another shape, without an axis.
        ValueError: a shape that does not fit.
    """
    w = asarray(weights, function=function)
    if w.shape == shape:
        return w
    if axis is None:
        raise TypeError(f"{function}: an axis is needed where weights of shape {w.shape} go with shape {shape}")
    axes = normalise_axes(function, axis, len(shape))
    if w.shape != tuple(shape[i] for i in axes):
        raise ValueError(f"{function}: weights of shape {w.shape} do not fit axis {axis} of shape {shape}")
    order = sorted(range(len(axes)), key=axes.__getitem__)
    own = tuple(extent if i in axes else 1 for i, extent in enumerate(shape))
    return broadcast_to(reshape(permute_dims(w, order), own), shape)


def check_weights(function: str, weights: Any, shape: tuple[int, ...], axis: Any) -> None:
    """Raise `ValueError` for weights that the host knows, if one is negative, or if the sum of those that belong
    together is zero or not finite.
    """
    known = host_values(asarray(weights, function=function))
    if known is None or not known.size:
        return
    if (known < 0).any():
        raise ValueError(f"{function}: expected weights not to be negative")
    axes = normalise_axes(function, axis, len(shape)) if axis is not None and known.shape == shape else None
    with np.errstate(over="ignore"):
        sums = np.sum(known, axis=axes, dtype=np.float64)
    if not (np.isfinite(sums).all() and sums.all()):
        raise ValueError(f"{function}: expected weights that are finite, and not all zero")


def quantiles_by_weight(x: Array, w: Array, at: np.ndarray[Any, Any], skip: bool) -> Array:
    """The quantiles of rows, by the method "inverted_cdf": the least element up to which a part of the weights lies.

    Args:
        at: any number of parts from 0 to 1, which come first in the result's shape.
        skip: leave NaNs out; otherwise a row with one gives NaN
    """
    w = astype(w, float64)
    real = x.dtype.kind == "f"
    if skip and real:
        w = where(isnan(x), 0.0, w)
    order = argsort(x)
    ordered = take_along_axis(x, order, axis=-1)
    sums = cumsum(take_along_axis(w, order, axis=-1), axis=-1)
    parts = astype(divide(sums, index(sums, (..., slice(-1, None)))), at.dtype)
    parts = where(equal(parts, 0.0), -1.0, parts)  # elements of no weight in front are never chosen
    last: Any = x.shape[-1] - 1
    if skip and real:
        last = maximum(last - sum_(isnan(x), axis=-1), 0)
    found = []
    for each in at.reshape(-1):
        place = minimum(sum_(less(parts, each), axis=-1), last)
        one = reshape(take_along_axis(ordered, expand_dims(place, -1), axis=-1), x.shape[:-1])
        if real and not skip:
            end = index(ordered, (..., -1))
            one = where(isnan(end), end, one)
        found.append(one)
    if not at.ndim:
        return found[0]
    return (
        reshape(stack(found), (*at.shape, *x.shape[:-1]))
        if found
        else broadcast_to(asarray(np.zeros((), x.dtype)), (*at.shape, *x.shape[:-1]))
    )
