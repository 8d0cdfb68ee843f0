"""Weighted averages, covariances and correlation coefficients, by NumPy's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.api.elementwise.standard import clip, conj, divide, maximum, multiply, sqrt, subtract
from lazyarr.api.linear.products import matmul
from lazyarr.api.reduce.reductions import mean
from lazyarr.api.reduce.reductions import sum as sum_
from lazyarr.api.shape.joining import concat
from lazyarr.api.statistics.weights import weights_for
from lazyarr.array import Array, giving_arrays
from lazyarr.dtypes import as_dtype, float64, promote
from lazyarr.recording.apply import apply
from lazyarr.recording.conversion import astype, imag, real
from lazyarr.recording.creation import asarray
from lazyarr.recording.indexing import index
from lazyarr.recording.keys import host_values
from lazyarr.recording.movement import atleast_2d, broadcast_to, normalise_axes, reshape, squeeze, transpose
from lazyarr.recording.positional import diagonal
from lazyarr.recording.replay import replayable, warn

__all__ = ["average", "corrcoef", "cov"]


@replayable
def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False) -> Any:
    """The mean along axes (None: of all elements), each element counting as much as its weight.

    Args:
        weights: in the shape of `a`, or of its extents along the axes. Their sums are computed now, but for those that
            belong to a function being recorded: there the result is NaN or infinite where they are zero
        returned: give the sums of the weights too

    Raises:
        TypeError, ValueError: weights whose shape does not fit.
        ZeroDivisionError: a sum is zero.
    """
    x = asarray(a, function="average")
    axes = () if axis is None else normalise_axes("average", axis, x.ndim)
    axis = axis if axis is None else axes[0] if len(axes) == 1 else axes
    if weights is None:
        found = mean(x, axis, keepdims=keepdims)
        count = x.size // found.size if found.size else 0
        return (found, broadcast_to(asarray(count, found.dtype), found.shape)) if returned else found
    w = weights_for("average", weights, x.shape, axis)
    dtype = promote(x.dtype, w.dtype, *(() if x.dtype.kind in "fc" else (float64,)))
    x, w = astype(x, dtype), astype(w, dtype)
    total = sum_(w, axis, keepdims=keepdims)
    if not total.tracing and not np.asarray(total).all():
        raise ZeroDivisionError("average: the weights sum to zero, by which nothing can be divided")
    found = divide(sum_(multiply(x, w), axis, keepdims=keepdims), total)
    return (found, total) if returned else found


@giving_arrays
@replayable
def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Array:
    """The covariances of variables, each of which is a row of samples (a column, where `rowvar` is false).

    Args:
        y: more variables
        ddof: subtracted from the number of samples; None: 1, or 0 with `bias`
        fweights, aweights: how often each sample was seen, and how much it counts
    """
    x = asarray(m, function="cov")
    if x.ndim > 2:
        raise ValueError(f"cov: expected one or two dimensions, got shape {x.shape}")
    parts = [x] if y is None else [x, asarray(y, function="cov")]
    target = as_dtype(dtype, "cov") if dtype is not None else promote(*(part.dtype for part in parts), float64)
    if target.kind not in "fc":
        raise TypeError(f"cov: expected dtype to be one of floating-point or complex numbers, got {target.name}")
    if ddof is not None and ddof != int(ddof):
        raise ValueError(f"cov: expected ddof to be a whole number, got {ddof}")
    rows = []
    for part in parts:
        row = astype(part, target)
        rows.append(transpose(row) if not rowvar and row.ndim == 2 else atleast_2d(row))
    samples = concat(rows) if len(rows) > 1 else rows[0]
    count = samples.shape[1]
    ddof = (0 if bias else 1) if ddof is None else ddof
    if count <= ddof:
        warn("Degrees of freedom <= 0 for slice", RuntimeWarning)
    w = _weights(count, fweights, aweights)
    if w is None:
        centred = subtract(samples, mean(samples, 1, keepdims=True))
        product = matmul(centred, conj(transpose(centred)))
        return squeeze(multiply(product, 1 / max(count - ddof, 0) if count > ddof else float("inf")))
    centre, total = average(samples, 1, broadcast_to(w, samples.shape), returned=True)
    freedom = index(total, 0)
    if ddof:
        counted = w if aweights is None else multiply(w, asarray(aweights))
        freedom = subtract(freedom, divide(multiply(sum_(counted), float(ddof)), freedom))
    centred = subtract(samples, reshape(centre, (-1, 1)))
    product = matmul(centred, conj(transpose(multiply(centred, w))))
    return squeeze(divide(product, maximum(real(freedom), 0.0)))


def _weights(count: int, fweights: Any, aweights: Any) -> Array | None:
    found: Array | None = None
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is None:
            continue
        w = asarray(given, function="cov")
        if name == "fweights" and w.dtype.kind not in "iu":
            raise TypeError(f"cov: expected fweights to be integers, got {w.dtype.name}")
        if w.shape != (count,):
            raise ValueError(f"cov: expected {name} of shape ({count},), got shape {w.shape}")
        known = None if w.tracing else host_values(w)
        if known is not None and (known < 0).any():
            raise ValueError(f"cov: expected {name} that are not negative")
        found = w if found is None else multiply(found, w)
    return found if found is None else astype(found, float64)


@replayable
def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Array:
    """The correlation coefficients of variables: their covariances over their standard deviations; see `cov`."""
    found = cov(x, y, rowvar, dtype=dtype)
    if not found.ndim:
        return divide(found, found)
    deviation = sqrt(real(diagonal(found)))
    found = divide(divide(found, reshape(deviation, (-1, 1))), reshape(deviation, (1, -1)))
    if found.dtype.kind != "c":
        return clip(found, -1, 1)
    clipped: Array = apply("complex", clip(real(found), -1, 1), clip(imag(found), -1, 1))
    return clipped
