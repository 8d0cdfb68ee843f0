"""`out=` of functions that are no ufuncs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

__all__ = ["with_out", "with_out_at"]

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
