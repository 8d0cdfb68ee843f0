"""Searching by reduction that leaves NaNs out, by NumPy's names. Of dtypes without NaN they are the plain functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr import searching
from lazyarr.array import Array
from lazyarr.creation import asarray
from lazyarr.elementwise import isnan, where

__all__ = ["nanargmax", "nanargmin"]


def nanargmin(a: Any, /, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """The index of the least number that is not NaN (of NaNs alone: 0, where NumPy raises)."""
    return searching.argmin(_filled("nanargmin", a, np.inf), axis, keepdims=keepdims)


def nanargmax(a: Any, /, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """The index of the greatest number that is not NaN (of NaNs alone: 0, where NumPy raises)."""
    return searching.argmax(_filled("nanargmax", a, -np.inf), axis, keepdims=keepdims)


def _filled(function: str, x: Any, value: float) -> Array:
    """The array with a number in the place of NaNs."""
    array = asarray(x, function=function)
    return where(isnan(array), array.dtype.type(value), array) if array.dtype.kind == "f" else array
