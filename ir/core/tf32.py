"""Numbers of TF32, which tensor cores multiply: float32 with 10 of its 23 bits behind the leading one.

A product of two of them has at most 22 bits, so that float32 holds it without rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["cut_to_tf32", "rounded_to_tf32"]

_KEPT = np.uint32(0xFFFFE000)
_HALF = np.uint32(0x1000)


def rounded_to_tf32(a: Any) -> Any:
    """The nearest number of TF32; of two as near the greater one by absolute value. Infinity beyond the greatest."""
    return _by_bits(a, lambda bits: (bits + _HALF) & _KEPT)


def cut_to_tf32(a: Any) -> Any:
    """The number without the bits that TF32 has not."""
    return _by_bits(a, lambda bits: bits & _KEPT)


def _by_bits(a: Any, of_bits: Any) -> Any:
    a = np.asarray(a, np.float32)
    found = of_bits(a.view(np.uint32)).view(np.float32)
    return np.where(np.isnan(a), a, found)
