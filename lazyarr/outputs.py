"""`out=` of functions that are no ufuncs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

__all__ = ["with_out"]

R = TypeVar("R")


def with_out(function: Callable[..., R]) -> Callable[..., R]:
    """The function with a keyword `out`: an array that the result is put into, as ufuncs do, and which is returned.

    Raises `TypeError` where the result's dtype does not convert by NumPy's same-kind rule, `ValueError` where its shape
    is another.
    """
    name = function.__name__

    @wraps(function)
    def putting(*arguments: Any, out: Any = None, **keywords: Any) -> Any:
        made = function(*arguments, **keywords)
        if out is None:
            return made
        from lazyarr.universal import put_out  # imports what this decorates

        return put_out(name, out, made)  # type: ignore[arg-type]  # an Array

    given = inspect.signature(function)
    own = inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None)
    rest = [p for p in given.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    putting.__signature__ = given.replace(parameters=[*rest, own])  # type: ignore[attr-defined]  # shown by help
    return putting
