"""SciPy's distributions, made when a test asks for the first time: importing `scipy.stats` takes seconds, which each
process of a run of tests would spend before its first test.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

import scipy  # imports `scipy.stats` where that is used

__all__ = ["known"]


class _Distribution:
    """`scipy.stats.NAME(...)`, with the same methods."""

    def __init__(self, name: str, *parameters: object, **named: object) -> None:
        self._asked = name, parameters, named

    @cached_property
    def _made(self) -> Any:
        name, parameters, named = self._asked
        return getattr(scipy.stats, name)(*parameters, **named)

    def __getattr__(self, method: str) -> Any:
        if method.startswith("_"):  # what Python and pytest ask of all objects
            raise AttributeError(method)
        return getattr(self._made, method)


class _Known:
    def __getattr__(self, name: str) -> Any:
        return partial(_Distribution, name)


known = _Known()
"""`known.gamma(2.5)` stands for `scipy.stats.gamma(2.5)`."""
