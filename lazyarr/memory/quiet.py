"""NumPy without floating-point warnings, for calls that are too short for `np.errstate`."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Any, Final, TypeVar

import numpy as np

__all__ = ["ERRORS", "quietly", "run_quietly"]

ERRORS: Final = (ArithmeticError, IndexError, RuntimeError, TypeError, ValueError)
"""What NumPy's functions raise, and `run_quietly`, where values are tried: recording raises lazyarr's own error then,
or none.
"""

T = TypeVar("T")


class _Quiet(threading.local):
    """A thread's context in which NumPy is silent, entered once and used again.

    Attributes:
        run: runs a function in it; `RuntimeError` inside of another one
        inside: does one run now?
    """

    def __init__(self) -> None:
        context = contextvars.Context()
        context.run(np.seterr, all="ignore")
        self.run = context.run
        self.inside = False


_quiet = _Quiet()

run_quietly: Callable[..., Any] = _Quiet().run
"""Runs a function in a context that all threads share; `RuntimeError` where something runs in it already."""


def quietly(function: Callable[..., T], *arguments: Any, **options: Any) -> T:
    """The function's result, with overflow, division by zero and invalid operations ignored."""
    own = _quiet
    if own.inside:  # a context cannot be entered twice
        return function(*arguments, **options)
    own.inside = True
    try:
        return own.run(function, *arguments, **options)
    finally:
        own.inside = False
