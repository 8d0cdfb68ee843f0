"""`out=` of functions that are no ufuncs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from lazyarr.dtypes import SUPPORTED

__all__ = ["dtype_of", "dtype_with", "with_out", "with_out_at", "with_out_of_sums", "with_outs_at"]

R = TypeVar("R")


def with_out(function: Callable[..., R]) -> Callable[..., R]:
    """The function with a keyword `out`: an array that the result is put into, as ufuncs do, and which is returned.

    Raises `TypeError` where the result's dtype does not convert by NumPy's same-kind rule, `ValueError` where its shape
    is another.
    """
    return _putting(function, None, False)


def with_out_of_sums(function: Callable[..., R]) -> Callable[..., R]:
    """The same for sums and products, as NumPy's reductions do: without a `dtype` they are computed in what the dtypes
    of the array and of `out` promote to, and any result is converted to the latter.
    """
    return _putting(function, None, True)


def with_out_at(position: int, sums: bool = False) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """The same, where `out` may also be given by position: behind that many arguments.

    sums : is it one of sums or products, as for `with_out_of_sums`
    """

    def decorated(function: Callable[..., R]) -> Callable[..., R]:
        return _putting(function, position, sums)

    return decorated


def with_outs_at(position: int) -> Callable[[Callable[..., tuple[R, R]]], Callable[..., tuple[R, R]]]:
    """The same for a function of two results: behind that many arguments an array for each, or `out`, a tuple of both;
    None where there is none.
    """

    def decorated(function: Callable[..., tuple[R, R]]) -> Callable[..., tuple[R, R]]:
        @wraps(function)
        def putting(*arguments: Any, out: Any = (None, None)) -> Any:
            if len(arguments) > position:
                arguments, out = arguments[:position], (*arguments[position:], None)[:2]
            if not isinstance(out, tuple) or len(out) != 2:
                raise TypeError(f"{function.__name__}: expected out to be a tuple of two arrays")
            made = function(*arguments)
            if out[0] is None and out[1] is None:
                return made
            from lazyarr.recording.ufunc import finished  # imports what this decorates

            return tuple(finished(function.__name__, x, to) for x, to in zip(made, out, strict=True))  # type: ignore[arg-type]  # Arrays

        return putting

    return decorated


def dtype_with(x: Any, out: Any, dtype: Any) -> Any:
    """The dtype to compute sums and products in: the given one, else what the array's and that of `out` promote to;
    None where there is neither.
    """
    target = dtype_of(out)
    if dtype is not None or target is None:
        return dtype
    from lazyarr.recording.creation import asarray  # imports what this module decorates

    common = np.promote_types(asarray(x).dtype, target)
    return common if common in SUPPORTED else None  # NumPy's memory of float16 takes the result alone


def dtype_of(out: Any) -> Any:
    """That of an array to put a result into, which may be the only one of a tuple; None where there is none."""
    return getattr(out[0] if isinstance(out, tuple) and len(out) == 1 else out, "dtype", None)


def _putting(function: Callable[..., R], position: int | None, sums: bool) -> Callable[..., R]:
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
        from lazyarr.recording.ufunc import put_out, put_reduced  # imports what this decorates

        return (put_reduced if sums else put_out)(name, out, made)  # type: ignore[arg-type]  # an Array

    given = inspect.signature(function)
    rest = [p for p in given.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    kind = inspect.Parameter.KEYWORD_ONLY if position is None else inspect.Parameter.POSITIONAL_OR_KEYWORD
    own = inspect.Parameter("out", kind, default=None)
    at = len(rest) if position is None else position
    putting.__signature__ = given.replace(parameters=[*rest[:at], own, *rest[at:]])  # type: ignore[attr-defined]  # shown by help
    return putting
