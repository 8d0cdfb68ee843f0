"""Keys as NumPy takes them, where all arrays among their parts have values."""

from __future__ import annotations

from types import EllipsisType, NoneType
from typing import Any, Final

import numpy as np

from lazyarr.array import Array
from lazyarr.array.eager import existing
from lazyarr.dtypes import uint64

__all__ = ["PLAIN_KEYS", "numpys_key"]

PLAIN_KEYS: Final = {int, slice, NoneType, EllipsisType}
"""Types of keys that choose without arrays; a tuple of them does too."""

_INDICES: Final = {int, bool}
_LEAST, _MOST = -(2**63), 2**63 - 1
"""Of int64, which indices are."""


def _fits(key: range) -> bool:
    """Are all numbers of a range int64, and some there?"""
    return len(key) > 0 and min(key.start, key.stop) >= _LEAST and max(key.start, key.stop) <= _MOST


def numpys_key(key: Any) -> Any:
    """A key with the values of its arrays as NumPy's; False where one has none yet, or NumPy may mean another thing."""
    if type(key) is tuple:
        found = tuple([numpys_key(part) for part in key])
        return False if any(part is False for part in found) else found
    if type(key) is list:
        return np.asarray(key) if key and _INDICES.issuperset(map(type, key)) else _of_elements(key)
    if type(key) is range:
        return np.arange(key.start, key.stop, key.step) if _fits(key) else False
    if isinstance(key, np.integer):
        return int(key)
    if isinstance(key, (bool, np.bool)):
        return np.asarray(key)  # a mask without dimensions
    if type(key) is Array and type(key.value) is int:
        return key.value
    value = existing(key) if type(key) is Array else key
    if type(value) is np.ndarray:  # of subclasses it is not known whether something would be lost: masks
        if value.dtype.kind in "iu" and not value.ndim and type(key) is Array:
            return value.item()
        return value if value.dtype.kind == "b" or (value.dtype.kind in "iu" and value.ndim) else False
    return key if type(key) in PLAIN_KEYS else False


def _of_elements(key: list[Any]) -> Any:
    """Indices in a list of which some are elements of arrays, that exist, as one array; False for all else."""
    found = []
    for part in key:
        if type(part) is Array:
            at = part.value
            if type(at) is not int and not part.extents and part.dtype.kind in "iu":
                value = existing(part)
                at = None if value is None else value.item()
            part = at if part.dtype != uint64 else None  # NumPy has no dtype of whole numbers for it and others
        if type(part) is not int or not _LEAST <= part <= _MOST:
            return False
        found.append(part)
    return np.array(found, np.int64) if found else False
