"""What the factors of products are rounded to: the setting `matmul_precision`, of the time when a call was recorded.

An operation may be asked for its expression later, under another setting. So an operation is of a function that comes
to the same result whenever it is called.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any

from lazyarr.config import DEFAULT_PRECISION, settings

__all__ = ["as_recorded", "in_precision", "precision"]


class _Recorded(threading.local):
    """That of the call that is made again in this thread, if one is."""

    precision = ""


_recorded = _Recorded()


def precision() -> str:
    """The one in force."""
    return _recorded.precision or settings().matmul_precision


def in_precision(function: Callable[..., Any]) -> Callable[..., Any]:
    """What stands for a function in the precision in force: for the default the function itself.

    Where `precisions.vary` says no, neither this nor `as_recorded` need be asked.
    """
    wanted = precision()
    return function if wanted == DEFAULT_PRECISION else _held(function, wanted)


def as_recorded(function: Callable[..., Any]) -> Callable[..., Any]:
    """What `in_precision` gave, to be called again."""
    return function if getattr(function, "in_precision", False) else _held(function, DEFAULT_PRECISION)


@lru_cache(maxsize=1024)
def _held(function: Callable[..., Any], wanted: str) -> Callable[..., Any]:
    @wraps(function)
    def held(*arguments: Any, **keywords: Any) -> Any:
        before, _recorded.precision = _recorded.precision, wanted
        try:
            return function(*arguments, **keywords)
        finally:
            _recorded.precision = before

    held.in_precision = True  # type: ignore[attr-defined]  # a function of ours
    return held
