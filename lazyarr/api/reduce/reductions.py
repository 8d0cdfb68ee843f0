"""Reductions: `reduce` of the whole array, or a `map` of it over the rows that the reduced dimensions form."""

from __future__ import annotations

import builtins
from functools import lru_cache
from inspect import unwrap
from typing import Any

from ir.core.expr import Lambda, fun
from ir.core.patterns import Call, FromSize, Map
from lazyarr.aliasing.outputs import dtype_of, dtype_with, put_reduced
from lazyarr.api.elementwise.standard import (
    add,
    divide,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    sqrt,
    square,
    subtract,
)
from lazyarr.api.reduce.folding import extreme, reduce_axes
from lazyarr.api.reduce.lexicographic import extreme_of_complex
from lazyarr.api.reduce.reduced import reduced
from lazyarr.array import Array, array_of
from lazyarr.dtypes import DType, as_dtype, bool_, component_of, float64, floating, scalar_type, sum_dtype, to_ir
from lazyarr.eager.contractions import summed_product
from lazyarr.eager.reductions import all_of, any_of, greatest, least, mean_of, of_value, product_of, sum_of
from lazyarr.elements.scalars import imaginary, pair
from lazyarr.elements.scalars import real as real_part
from lazyarr.recording.apply import apply
from lazyarr.recording.conversion import astype, converted, imag, mask_given, real
from lazyarr.recording.conversion import where as _where
from lazyarr.recording.creation import asarray
from lazyarr.recording.empty_slices import warns_of_empty_slices
from lazyarr.recording.movement import axes_of_reduction, broadcast_to
from lazyarr.recording.replacing import as_initial
from lazyarr.recording.replay import replayable, warn

__all__ = [
    "all", "any", "correction_of", "in_complex", "max", "mean", "min", "prod", "ptp", "reduce_axes", "std", "sum",
    "var",
]  # fmt: skip


def _accumulate(
    function: str, op: str, init: int, x: Any, axis: Any, dtype: Any, keepdims: bool, initial: Any, where: Any
) -> Array:
    x = asarray(x, function=function)
    target = sum_dtype(x.dtype) if dtype is None else as_dtype(dtype, function)
    if where is not True:
        x = _where(mask_given(function, where), x, x.dtype.type(init))
    combine = op
    if target is bool_:
        op = {"add": "bitwise_or", "multiply": "bitwise_and"}[op]
    found = reduce_axes(function, op, init, x if target is x.dtype else converted(function, x, target), axis, keepdims)
    if initial is None:
        return found
    return apply(combine, found, as_initial(function, initial, target))  # type: ignore[no-any-return]  # an Array


def _put(function: str, made: Array, out: Any) -> Array:
    return put_reduced(function, out, made)


@of_value(sum_of, summed_product)
@replayable
def sum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Array:
    """The sum along axes (None: of all elements); zero where there are none.

    Args:
        dtype: in which it is computed; by default bool and integers in int64 (unsigned ones in uint64), floats and
            complex numbers in their own
        out: an array to put the result into, which is returned; any dtype will do. Without `dtype` the sum is then
            computed in what that of the array and that of `out` promote to
        initial: added to the sum
        where: a mask of the elements to add
    """
    if out is not None:
        return _put("sum", sum(a, axis, dtype_with(a, out, dtype), None, keepdims, initial, where), out)
    return _accumulate("sum", "add", 0, a, axis, dtype, keepdims, initial, where)


@of_value(product_of)
@replayable
def prod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Array:
    """The product along axes (None: of all elements); one where there are none. The parameters are those of `sum`.

    NumPy multiplies floating-point factors in order, kernels in no fixed order, as the terms of a sum are added. Where
    the product of some of them overflows there, it is infinite, and a zero among the others makes the result NaN:
    products are right where no part of them overflows. `cumulative_prod` multiplies in order.
    """
    if out is not None:
        return _put("prod", prod(a, axis, dtype_with(a, out, dtype), None, keepdims, initial, where), out)
    return _accumulate("prod", "multiply", 1, a, axis, dtype, keepdims, initial, where)


def _extreme(
    function: str, op: str, x: Any, axis: Any, keepdims: bool, initial: Any = None, where: Any = True
) -> Array:
    x = asarray(x, function=function)
    where = mask_given(function, where)
    if where is not True and initial is None:
        raise ValueError(f"{function}: with where, give initial: the result where the mask leaves no element")
    if initial is None and 0 in x.shape:
        found = reduced(x.shape, None if axis is None else axes_of_reduction(function, axis, x.ndim))
        if not found.each:
            raise ValueError(
                f"{function}: zero-size array (shape {x.shape}) to reduction operation {op} which has no identity"
            )
    if x.dtype.kind == "c":
        made = extreme_of_complex(function, op, x, axis, keepdims, where)
    else:
        combine, init = extreme(op, x.dtype)
        if where is not True:
            x = _where(where, x, x.dtype.type(init))
        made = reduce_axes(function, combine, init, x, axis, keepdims)
    return made if initial is None else apply(op, as_initial(function, initial, x.dtype), made)


@of_value(least)
@replayable
def min(
    a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True
) -> Array:
    """The least element along axes (None: of all); NaN if one is.

    Args:
        out: an array to put the result into, which is returned
        initial: a number that counts as an element
        where: a mask of the elements that count; asks for `initial`

    Raises:
        ValueError: there are no elements and no `initial`.
    """
    if out is not None:
        return _put("min", min(a, axis, None, keepdims, initial, where), out)
    return _extreme("min", "minimum", a, axis, keepdims, initial, where)


@of_value(greatest)
@replayable
def max(
    a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True
) -> Array:
    """The greatest element along axes (None: of all); NaN if one is. Parameters and errors are those of `min`."""
    if out is not None:
        return _put("max", max(a, axis, None, keepdims, initial, where), out)
    return _extreme("max", "maximum", a, axis, keepdims, initial, where)


@replayable
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Array:
    """The greatest element minus the least, along axes (None: of all); as `max` and `min`, and not for bools."""
    x = asarray(a, function="ptp")
    found = subtract(_extreme("ptp", "maximum", x, axis, keepdims), _extreme("ptp", "minimum", x, axis, keepdims))
    return put_reduced("ptp", out, found, "same_kind")


@of_value(any_of)
@replayable
def any(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True) -> Array:
    """Is an element along the axes true (not zero)? Of those where the mask `where` holds."""
    if out is not None:
        return _put("any", any(a, axis, None, keepdims, where=where), out)
    x = astype(asarray(a, function="any"), bool_)
    x = x if where is True else logical_and(x, mask_given("any", where))
    return reduce_axes("any", "bitwise_or", False, x, axis, keepdims)


@of_value(all_of)
@replayable
def all(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True) -> Array:
    """Are all elements along the axes true (not zero)? Of those where the mask `where` holds."""
    if out is not None:
        return _put("all", all(a, axis, None, keepdims, where=where), out)
    x = astype(asarray(a, function="all"), bool_)
    x = x if where is True else logical_or(x, logical_not(mask_given("all", where)))
    return reduce_axes("all", "bitwise_and", True, x, axis, keepdims)


def _reduced_count(function: str, x: Array, axis: Any) -> int:
    return reduced(x.shape, None if axis is None else axes_of_reduction(function, axis, x.ndim)).each


@of_value(mean_of)
@warns_of_empty_slices("Mean of empty slice", skips_nan=False)
@replayable
def mean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True
) -> Array:
    """The mean along axes (None: of all elements); NaN where there are none.

    Args:
        dtype: in which it is computed; by default float64 for bool and integers, floats and complex numbers in what
            their own and that of `out` promote to. Of integers the elements are converted to these, and the mean is cut
            to one, but for `out`
        out: an array to put the result into, which is returned
        where: a mask of the elements that count
    """
    x = asarray(a, function="mean")
    of_whole = dtype is not None and as_dtype(dtype, "mean").kind in "iu"
    if out is not None and not of_whole:
        inexact = builtins.all(d is not None and d.kind in "fc" for d in (x.dtype, dtype_of(out)))
        dtype = dtype_with(x, out, dtype) if inexact else dtype
        return put_reduced("mean", out, mean(x, axis, dtype, None, keepdims, where=where))
    where = mask_given("mean", where)
    count = _reduced_count("mean", x, axis)
    if not count:
        warn("Mean of empty slice", RuntimeWarning)
    if of_whole:  # NumPy's sums are of these, and quotients truncated, if they are not put into an array
        total = sum(converted("mean", x, as_dtype(dtype, "mean")), axis, dtype, keepdims=keepdims, where=where)
        mask: Array | bool = True if where is True else broadcast_to(astype(asarray(where), bool_), x.shape)
        counted = count if mask is True else sum(mask, axis, keepdims=keepdims)
        quotients = divide(total, counted)
        return astype(quotients, dtype) if out is None else put_reduced("mean", out, quotients)
    target = _mean_dtype("mean", x, dtype)
    if where is not True:
        mask = broadcast_to(astype(asarray(where), bool_), x.shape)
        total = sum(converted("mean", x, target), axis, keepdims=keepdims, where=mask)
        return divide(total, astype(sum(mask, axis, keepdims=keepdims), target))
    total = reduce_axes("mean", "add", 0, converted("mean", x, target), axis, keepdims)
    return _divided(total, count)


@lru_cache(maxsize=1024)
def _division(count: int, dtype: DType) -> Lambda:
    divisor = FromSize(count, scalar_type(component_of(dtype)))
    if dtype.kind == "f":
        return fun(to_ir(dtype), lambda x: Call("divide", x, divisor))
    return fun(
        to_ir(dtype), lambda z: pair(Call("divide", real_part(z), divisor), Call("divide", imaginary(z), divisor))
    )


def _divided(total: Array, count: float) -> Array:
    """`total / count`; a whole count is recorded as a size: it stays a symbol, and every length shares a kernel."""
    if count < 1 or count != int(count) or not total.size:
        return divide(total, float(count))
    return array_of(
        Map(_division(int(count), total.dtype), total.node), total.shape, total.dtype, total.placed, total.traced_in
    )


def _mean_dtype(function: str, x: Array, dtype: Any) -> DType:
    if dtype is None:
        return x.dtype if x.dtype.kind in "fc" else float64
    target = as_dtype(dtype, function)
    if target.kind not in "fc":
        raise TypeError(f"{function}: expected a floating-point dtype, got {target.name}")
    return floating(target)


_mean = unwrap(mean)


@warns_of_empty_slices("Degrees of freedom <= 0 for slice", skips_nan=False)
@replayable
def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: float | None = None,
) -> Array:
    """The variance along axes (None: of all elements), in two passes: the mean of the squared distances from the mean.

    ddof (NumPy's name) or correction (the array API's) is subtracted from the number of elements. Dtypes as in `mean`;
    the variance of complex numbers is real, unless `dtype` is complex.

    Args:
        where: a mask of the elements that count.
        mean: the mean, with its dimensions kept, if it is known

    Raises:
        ValueError: `ddof` and `correction` together.
    """
    x = asarray(a, function="var")
    target = _mean_dtype("var", x, dtype)
    is_real = x.dtype.kind == "c" and target.kind == "f"  # distances are complex, from the mean of the real parts
    x = x if is_real else astype(x, target)
    correction = correction_of("var", ddof, correction)
    where = mask_given("var", where)
    mask = True if where is True else broadcast_to(astype(asarray(where, function="var"), bool_), x.shape)
    count = _reduced_count("var", x, axis)
    if count <= correction:
        warn("Degrees of freedom <= 0 for slice", RuntimeWarning)
    if mean is None:  # of nothing there is none, and a warning
        mean = _mean(x, axis, target, keepdims=True, where=mask) if count else 0.0
    distance = subtract(x, mean)
    squares = square(distance) if x.dtype.kind == "f" else add(square(real(distance)), square(imag(distance)))
    squares = astype(squares, target) if is_real else squares
    if mask is not True:
        total = sum(squares, axis, keepdims=keepdims, where=mask)
        freedom = subtract(astype(sum(mask, axis, keepdims=keepdims), total.dtype), correction)
        return put_reduced("var", out, in_complex(divide(total, maximum(freedom, 0.0)), dtype))
    total = reduce_axes("var", "add", 0, squares, axis, keepdims)
    made = _divided(total, builtins.max(count - correction, 0))
    return put_reduced("var", out, in_complex(made, dtype))


def in_complex(found: Array, dtype: Any) -> Array:
    """A variance, which is real, as a complex number where such were asked for."""
    return found if dtype is None or as_dtype(dtype, "var").kind != "c" else astype(found, dtype)


def correction_of(function: str, ddof: Any, correction: Any) -> float:
    """What is subtracted from the number of elements, by either name."""
    if correction is not None and ddof:
        raise ValueError(f"{function}: expected ddof or correction, not both")
    name, given = ("ddof", ddof) if correction is None else ("correction", correction)
    if isinstance(given, (str, bytes)) or given is None:
        raise TypeError(f"{function}: expected {name} to be a number, got {given!r}")
    return float(given)  # NumPy's numbers of few bits do not hold counts


_var = unwrap(var)


@warns_of_empty_slices("Degrees of freedom <= 0 for slice", skips_nan=False)
@replayable
def std(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: float | None = None,
) -> Array:
    """The standard deviation: the square root of `var`, whose parameters it has."""
    found = _var(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction)
    return put_reduced("std", out, sqrt(found), "same_kind")
