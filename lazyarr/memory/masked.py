"""Arrays of `numpy.ma`: lazyarr's have no elements without a value, so masks are never dropped silently."""

from __future__ import annotations

import sys
from typing import Any, Final

__all__ = ["refuse_masked"]

_LEVELS_AT_MOST: Final = 64
"""Lists in lists that NumPy makes arrays of; of more it raises."""


def refuse_masked(obj: Any, function: str) -> None:
    """Raise `ValueError` where elements of an array, or of one in nested lists, are masked. Without such elements it is
    an array like any other, and nothing is lost.
    """
    ma: Any = sys.modules.get("numpy.ma")  # NumPy imports it when somebody asks for it: before there are such arrays
    if ma is None:
        return
    if isinstance(obj, ma.MaskedArray):
        if ma.is_masked(obj):
            raise ValueError(
                f"{function}: expected an array without masked elements; x.filled(value) puts a value there, "
                "and functions of numpy.ma take lazy arrays"
            )
    elif isinstance(obj, (list, tuple)):
        level = [obj]
        for _ in range(_LEVELS_AT_MOST):  # each object once: a list may hold itself
            inner = {id(x): x for items in level for x in items if not isinstance(x, (int, float))}.values()
            for x in inner:
                if not isinstance(x, (list, tuple)):
                    refuse_masked(x, function)
            level = [x for x in inner if isinstance(x, (list, tuple))]
