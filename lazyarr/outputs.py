"""`out=` of functions that are no ufuncs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

__all__ = ["with_out", "with_out_at", "with_outs_at"]

R = TypeVar("R")


def with_out(function: Callable[..., R]) -> Callable[..., R]:
    """The function with a keyword `out`: an array that the result is put into, as ufuncs do, and which is returned.

    Raises `TypeError` where the result's dtype does not convert by NumPy's same-kind rule, `ValueError` where its shape
    is another.
    """
    return _putting(function, None)


def with_out_at(position: int) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """The same, where `out` may also be given by position: behind that many arguments."""

    def decorated(function: Callable[..., R]) -> Callable[..., R]:
        return _putting(function, position)

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
            from lazyarr.universal import finished  # imports what this decorates

            return tuple(finished(function.__name__, x, to) for x, to in zip(made, out, strict=True))  # type: ignore[arg-type]  # Arrays

        return putting

    return decorated


def _putting(function: Callable[..., R], position: int | None) -> Callable[..., R]:
    name = function.__name__

    @wraps(function)
    def putting(*arguments: Any, out: Any = None, **keywords: Any) -> Any:
        if position is not None and len(arguments) > position:
            if out is not None:
                raise TypeError(f"{name}: got out by position and by name")
            out, arguments = arguments[position], arguments[:position] + arguments[position + 1 :]
        made = function(*arguments, **keywords)
        if out is None:
            return made
        from lazyarr.universal import put_out  # imports what this decorates

        return put_out(name, out, made)  # type: ignore[arg-type]  # an Array

    given = inspect.signature(function)
    rest = [p for p in given.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    kind = inspect.Parameter.KEYWORD_ONLY if position is None else inspect.Parameter.POSITIONAL_OR_KEYWORD
    own = inspect.Parameter("out", kind, default=None)
    at = len(rest) if position is None else position
    putting.__signature__ = given.replace(parameters=[*rest[:at], own, *rest[at:]])  # type: ignore[attr-defined]  # shown by help
    return putting
