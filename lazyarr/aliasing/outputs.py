"""`out=` and `where=`: results put into arrays that are there, by universal functions and others."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeVar

import numpy as np

from lazyarr.aliasing.assignment import put_result, set_item
from lazyarr.aliasing.views import check_writeable
from lazyarr.array import Array, arrayed
from lazyarr.dtypes import SUPPORTED
from lazyarr.memory.masked import refuse_masked
from lazyarr.recording.conversion import converted, mask_given
from lazyarr.recording.conversion import where as where_
from lazyarr.recording.creation import asarray
from lazyarr.recording.filled import zeros
from lazyarr.recording.movement import broadcast_to

__all__ = [
    "OUT_TO_RESULT", "dtype_of", "dtype_with", "finished", "put_out", "put_reduced", "with_out", "with_out_at",
    "with_out_of_sums", "with_outs_at",
]  # fmt: skip

R = TypeVar("R")

OUT_TO_RESULT: Final = "out to result"
"""As a rule of casting: the dtype of `out` converts safely to that of the result, whatever that is converted to."""


def put_out(function: str, out: Any, made: Array, where: Any = True) -> Any:
    """Put a result into an array, where a mask holds, and return that array.

    Args:
        out: a lazyarr array, whose object changes; a NumPy array, which is written to: then the result is computed now;
            a tuple of one; or `...`, which asks for an array, also of what has no dimensions

    Raises:
        TypeError: the result's dtype does not convert by NumPy's same-kind rule.
        ValueError: its shape does not broadcast to that of `out`, or that is read-only.
    """
    if out is ...:  # an array, whatever there was to be a number
        return arrayed(made)
    out, made = _checked(function, out, made)
    where = mask_given(function, where)
    if isinstance(out, np.ndarray):
        mask = where if where is True else np.asarray(where, bool)
        np.copyto(out, np.asarray(made), where=mask)
        return out
    if where is not True:
        if out.origin is not None and out.origin.overlaps:  # its other elements are not to be put back beside
            mask = np.broadcast_to(np.asarray(where, bool), out.shape)
            set_item(out, mask, made[mask])
            return out
        made = where_(where, made.astype(out.dtype), out)
    put_result(function, out, made)
    return out


def _checked(function: str, out: Any, made: Any) -> tuple[Any, Array]:
    """The array that a result can be put into, and the result in its shape; raises as `put_out` does."""
    if isinstance(out, tuple):
        if len(out) != 1:
            raise ValueError(f"{function}: expected one array as out, got {len(out)}")
        out = out[0]
    if not isinstance(out, (Array, np.ndarray)):
        raise TypeError(f"{function}: expected out to be an array, got {type(out).__name__}")
    refuse_masked(out, function)
    if not isinstance(made, Array):  # what another library made of NumPy's function
        made = asarray(made, function=function)
    try:
        if made.shape != out.shape:
            made = broadcast_to(made, out.shape)
    except ValueError:
        raise ValueError(f"{function}: a result of shape {made.shape} does not fit out, of shape {out.shape}") from None
    if not np.can_cast(made.dtype, out.dtype, "same_kind"):
        raise TypeError(f"{function}: cannot put a result of dtype {made.dtype.name} into out, of {out.dtype.name}")
    if type(out) is Array:
        check_writeable(out)
    elif not out.flags.writeable:
        raise ValueError(f"{function}: out is read-only")
    return out, made


def put_reduced(function: str, out: Any, made: Array, casting: str = "unsafe") -> Array:
    """Put what no universal function made into an array, None for none: its shape must be the result's.

    Args:
        casting: NumPy's rule by which the result may be converted, or `OUT_TO_RESULT`; what it forbids raises
            `TypeError`, of "no" `ValueError`
    """
    if isinstance(out, tuple) and len(out) == 1:
        out = out[0]
    if out is None:
        return made
    if out is ...:
        return arrayed(made)
    if made.shape != getattr(out, "shape", made.shape):
        raise ValueError(f"{function}: a result of shape {made.shape} does not fit out, of shape {out.shape}")
    target = dtype_of(out)
    if target is not None:
        if casting == OUT_TO_RESULT:
            converts = np.can_cast(target, made.dtype, "safe")
        else:
            converts = np.can_cast(made.dtype, target, casting)  # type: ignore[arg-type]  # NumPy checks the rule's name
        if not converts:
            error = ValueError if casting == "no" else TypeError
            raise error(f"{function}: cannot put a result of dtype {made.dtype.name} into out, of {target.name}")
    if target is not None and not np.can_cast(made.dtype, target, "same_kind"):
        made = converted(function, made, target)
    return put_out(function, out, made)  # type: ignore[no-any-return]  # an Array or a NumPy array


def finished(function: str, made: Array, out: Any = None, where: Any = True) -> Array:
    """A result as a call's keywords want it: put into `out`; without one, zero where the mask `where` does not hold."""
    if isinstance(out, tuple) and len(out) == 1 and out[0] is None:
        out = None
    if out is ...:
        return arrayed(finished(function, made, None, where))
    if out is not None:
        return put_out(function, out, made, where)  # type: ignore[no-any-return]  # an Array or a NumPy array
    if where is True:
        return made
    return where_(mask_given(function, where), made, zeros((), dtype=made.dtype))


def with_out(function: Callable[..., R]) -> Callable[..., R]:
    """The function with a keyword `out`: an array that the result is put into, as ufuncs do, and which is returned.

    Raises:
        TypeError: the result's dtype does not convert by NumPy's same-kind rule.
        ValueError: its shape is another.
    """
    return _putting(function, None, False)


def with_out_of_sums(function: Callable[..., R]) -> Callable[..., R]:
    """`with_out` for sums and products, as NumPy's reductions do. Without a `dtype` they are computed in what the
    dtypes of the array and of `out` promote to; any result is converted to the latter.
    """
    return _putting(function, None, True)


def with_out_at(
    position: int, sums: bool = False, casting: str = "same_kind", broadcasts: bool = False
) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """`with_out`, where `out` may also be given by position: behind that many arguments.

    Args:
        sums: is it one of sums or products, as for `with_out_of_sums`
        casting: the rule by which a result is converted, where the call names none
        broadcasts: may `out` have a shape that the result broadcasts to, as for ufuncs
    """

    def decorated(function: Callable[..., R]) -> Callable[..., R]:
        return _putting(function, position, sums, casting, broadcasts)

    return decorated


def with_outs_at(position: int) -> Callable[[Callable[..., tuple[R, R]]], Callable[..., tuple[R, R]]]:
    """`with_out_at` for a function of two results: behind that many arguments an array for each, or `out`, a tuple of
    both; None where there is none.
    """

    def decorated(function: Callable[..., tuple[R, R]]) -> Callable[..., tuple[R, R]]:
        @wraps(function)
        def putting(*arguments: Any, out: Any = (None, None)) -> Any:
            if len(arguments) > position:
                arguments, out = arguments[:position], (*arguments[position:], None)[:2]
            if out is ...:
                out = (..., ...)
            if not isinstance(out, tuple) or len(out) != 2:
                raise TypeError(f"{function.__name__}: expected out to be a tuple of two arrays")
            made = function(*arguments)
            if out[0] is None and out[1] is None:
                return made
            name = function.__name__
            for x, to in zip(made, out, strict=True):
                if to is not None and to is not ...:
                    _checked(name, to, x)  # before one of them changes
            return tuple(finished(name, x, to) for x, to in zip(made, out, strict=True))  # type: ignore[arg-type]  # Arrays

        return putting

    return decorated


def dtype_with(x: Any, out: Any, dtype: Any) -> Any:
    """The dtype to compute sums and products in: the given one, else what the array's and that of `out` promote to;
    None where there is neither.
    """
    target = dtype_of(out)
    if dtype is not None or target is None:
        return dtype
    common = np.promote_types(asarray(x).dtype, target)
    return common if common in SUPPORTED else None  # NumPy's memory of float16 takes the result alone


def dtype_of(out: Any) -> Any:
    """That of an array to put a result into, which may be the only one of a tuple; None where there is none."""
    return getattr(out[0] if isinstance(out, tuple) and len(out) == 1 else out, "dtype", None)


def _putting(
    function: Callable[..., R], position: int | None, sums: bool, casting: str = "same_kind", broadcasts: bool = False
) -> Callable[..., R]:
    casting = "unsafe" if sums else casting
    name = function.__name__

    @wraps(function)
    def putting(*arguments: Any, out: Any = None, **keywords: Any) -> Any:
        if position is not None and len(arguments) > position:
            if out is not None:
                raise TypeError(f"{name}: got out by position and by name")
            out, arguments = arguments[position], arguments[:position] + arguments[position + 1 :]
        if out is None:
            return function(*arguments, **keywords)
        if sums:
            bound = given.bind(*arguments, **keywords)
            bound.arguments["dtype"] = dtype_with(bound.args[0], out, bound.arguments.get("dtype"))
            arguments, keywords = bound.args, bound.kwargs
        made = function(*arguments, **keywords)
        if broadcasts:
            return put_out(name, out, made)  # type: ignore[arg-type]  # an Array
        return put_reduced(name, out, made, keywords.get("casting", casting))  # type: ignore[arg-type]  # an Array

    given = inspect.signature(function)
    rest = [p for p in given.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    kind = inspect.Parameter.KEYWORD_ONLY if position is None else inspect.Parameter.POSITIONAL_OR_KEYWORD
    own = inspect.Parameter("out", kind, default=None)
    at = len(rest) if position is None else position
    putting.__signature__ = given.replace(parameters=[*rest[:at], own, *rest[at:]])  # type: ignore[attr-defined]  # shown by help
    return putting
