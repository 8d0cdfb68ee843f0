"""Functions given piece by piece: `interp` between samples, `piecewise` by conditions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ir.core.expr import fun
from ir.core.patterns import (
    Call,
    Map,
    Tuple,
)
from ir.reference.library import Interpolation, note
from lazyarr.api.elementwise.standard import (
    add,
    divide,
    equal,
    greater,
    isnan,
    less,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    multiply,
    remainder,
    subtract,
)
from lazyarr.api.order.bisection import halving
from lazyarr.api.order.sorting import argsort
from lazyarr.api.shape.joining import concat
from lazyarr.array import Array, array_of, combine
from lazyarr.dtypes import complex128, float64, from_ir, to_ir
from lazyarr.eager.functions import small_by
from lazyarr.graph.builders import index_type, join
from lazyarr.recording.conversion import astype, where
from lazyarr.recording.creation import asarray
from lazyarr.recording.indexing import gathered, index
from lazyarr.recording.movement import broadcast_to
from lazyarr.recording.replay import replayable

__all__ = ["interp", "piecewise"]

_OF_ARRAYS = (Array, np.ndarray, list, tuple)


def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """NumPy's function, at real places."""
    return None if np.iscomplexobj(x) or np.iscomplexobj(xp) else np.interp(x, xp, fp, left, right, period)


@small_by(_interp)
@replayable
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Array:
    """The values at `x` of the function that is linear between samples `fp` at increasing places `xp`.

    Args:
        left, right: the value before the first place and behind the last; None: that of the sample there
        period: of the function: places, in any order, and `x` are taken modulo it; there is no left and right then

    float64, complex128 where the samples are complex. Each place is found by halving. `ValueError` for samples that are
    no vectors of one length, or none.
    """
    places = astype(asarray(xp, function="interp"), float64)
    samples = asarray(fp, function="interp")
    samples = astype(samples, complex128 if samples.dtype.kind == "c" else float64)
    if places.ndim != 1 or places.shape != samples.shape or not places.size:
        raise ValueError(f"interp: expected samples in vectors of one length, got {places.shape} and {samples.shape}")
    at = astype(asarray(x, function="interp"), float64)
    if period is not None:
        if period == 0:
            raise ValueError("interp: expected period not to be zero")
        period = float(abs(period))
        at, places = remainder(at, period), remainder(places, period)
        order = argsort(places)
        places, samples = index(places, order), index(samples, order)
        places = concat(
            [subtract(index(places, slice(-1, None)), period), places, add(index(places, slice(0, 1)), period)]
        )
        samples = concat([index(samples, slice(-1, None)), samples, index(samples, slice(0, 1))])
        left = right = None
    last = places.size - 1
    if not at.size:
        return astype(at, samples.dtype)
    low = maximum(subtract(_below(at, places), 1), 0)
    high = minimum(add(low, 1), last)
    x0, x1, y0, y1 = (_taken(array, i) for array, i in ((places, low), (places, high), (samples, low), (samples, high)))
    slope = divide(subtract(y1, y0), subtract(x1, x0))
    found = add(multiply(slope, subtract(at, x0)), y0)
    found = where(isnan(found), add(multiply(slope, subtract(at, x1)), y1), found)
    found = where(logical_or(equal(at, x0), logical_and(isnan(found), equal(y0, y1))), y0, found)
    dtype = samples.dtype
    first, end = (
        asarray(index(samples, i) if value is None else value, dtype) for i, value in ((0, left), (last, right))
    )
    found = where(less(at, index(places, 0)), first, where(greater(at, index(places, last)), end, found))
    result: Array = where(isnan(at), astype(at, dtype), found) if last else found  # NumPy's one sample holds everywhere
    if dtype is float64:
        note(result.node, Interpolation(Tuple(at.node, places.node, samples.node, first.node, end.node)))
    return result


def _taken(samples: Array, at: Array) -> Array:
    """The samples at places that are there, so that nothing has to be known of these."""
    rows = array_of(samples.node, (samples.size, 1), samples.dtype, samples.placed, samples.traced_in)
    found = gathered("interp", rows, at, at.shape)
    return array_of(found.node, at.shape, found.dtype, found.placed, found.traced_in)


def _below(at: Array, places: Array) -> Array:
    """How many places are not above, by halving."""
    device, trace = combine("interp", (at, places))
    node = join(Map(fun(to_ir(float64), halving(places, partial(Call, "less_equal"))), at.node))
    return array_of(node, at.shape, from_ir(index_type(places.size)), device, trace)


def piecewise(x: Any, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> Array:
    """For each element what the function gives whose condition holds there; of several the last one.

    Args:
        condlist: arrays of bools in the shape of x
        funclist: numbers, or functions of arrays, which get all of x and `args` and `kw`; one more than there are
            conditions is for where none holds, which is zero otherwise

    The dtype is x's. `ValueError` for another number of functions.
    """
    x = asarray(x, function="piecewise")
    if isinstance(condlist, Array):
        given = [index(condlist, i) for i in range(condlist.shape[0])] if condlist.ndim > x.ndim else [condlist]
    elif np.isscalar(condlist) or (x.ndim and not (len(condlist) and isinstance(condlist[0], _OF_ARRAYS))):
        given = [condlist]
    else:
        given = list(condlist)
    conditions = [astype(asarray(c, function="piecewise"), bool) for c in given]
    functions = list(funclist)
    if len(functions) not in (len(conditions), len(conditions) + 1):
        raise ValueError(f"piecewise: expected {len(conditions)} functions, or one more, got {len(functions)}")
    found: Any = broadcast_to(asarray(0, x.dtype), x.shape)
    if len(functions) > len(conditions):
        none = conditions[0]
        for condition in conditions[1:]:
            none = logical_or(none, condition)
        conditions.append(logical_not(none))
    for condition, function in zip(conditions, functions, strict=True):
        value = asarray(function(x, *args, **kw) if callable(function) else function, function="piecewise")
        found = where(condition, astype(value, x.dtype), found)
    result: Array = found
    return result
