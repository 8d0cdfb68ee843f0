"""Products and sums that are rounded once, of NumPy's operations, each of which is rounded.

Sources: T. J. Dekker, "A floating-point technique for extending the available precision" (1971), for products with
their errors; D. E. Knuth, "The Art of Computer Programming", volume 2, 4.2.2, for sums; S. Boldo and G. Melquiond,
"Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to odd" (2008), for the rest.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

__all__ = ["fused_multiply_add"]

_SPLIT = float(2**27 + 1)
_GREATEST_FACTOR, _GREATEST, _LEAST_PRODUCT = 2.0**990, 2.0**1000, 2.0**-900
"""Where no step of `_rounded_once` overflows, and the error of a product is a number."""


def fused_multiply_add(a: Any, b: Any, c: Any) -> Any:
    """a * b + c of arrays or numbers of one floating-point type, rounded once; IEEE 754-2008, fusedMultiplyAdd."""
    dtype = np.result_type(a, b, c)
    a, b, c = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (a, b, c)))
    with np.errstate(all="ignore"):
        if dtype != np.float64:  # a product has at most as many bits as a float64
            return _sum_to_odd(a * b, c).astype(dtype)[()]
        product = a * b
        result = product + c
        finite = np.isfinite(a) & np.isfinite(b)
        result = np.where(finite & ~np.isfinite(c), c, result)  # though the product may overflow
        inexact = finite & np.isfinite(c) & (a != 0) & (b != 0)
        factors, size = np.maximum(np.abs(a), np.abs(b)), np.maximum(np.abs(product), np.abs(c))
        within = (factors <= _GREATEST_FACTOR) & (size <= _GREATEST) & (np.abs(product) >= _LEAST_PRODUCT)
        result = np.where(inexact & within, _rounded_once(a, b, c), result)
    others = inexact & ~within
    result[others] = [_exactly(*each) for each in zip(*(x[others].tolist() for x in (a, b, c)), strict=True)]
    return result[()]


def _rounded_once(a: Any, b: Any, c: Any) -> Any:
    """a * b + c of float64, where no step overflows nor underflows."""
    product, low = _product(a, b)
    first, rest = _sum(c, low)
    total, left = _sum(product, first)
    return total + _sum_to_odd(rest, left)


def _product(a: Any, b: Any) -> tuple[Any, Any]:
    """a * b and its rounding error."""
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    product = a * b
    return product, a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)


def _halves(a: Any) -> tuple[Any, Any]:
    """Numbers of half as many bits, of which a is the sum."""
    scaled = a * _SPLIT
    high = scaled - (scaled - a)
    return high, a - high


def _sum(a: Any, b: Any) -> tuple[Any, Any]:
    """a + b and its rounding error."""
    total = a + b
    rest = total - a
    return total, (a - (total - rest)) + (b - rest)


def _sum_to_odd(a: Any, b: Any) -> Any:
    """a + b, of which rounding to fewer bits, or adding it to a greater number, gives what the exact sum would: where
    it is no number, that one of its two neighbours whose last bit is 1.
    """
    total, error = _sum(a, b)
    even = (np.asarray(total).view(np.uint64) & np.uint64(1)) == 0
    moves = even & ((error < 0) | (error > 0))
    return np.where(moves, np.nextafter(total, np.copysign(inf, error)), total)


def _exactly(a: float, b: float, c: float) -> float:
    """The same of finite numbers of any size, a * b not 0, in whole numbers."""
    (m, d), (n, e), (k, f) = a.as_integer_ratio(), b.as_integer_ratio(), c.as_integer_ratio()
    over, under = m * n * f + k * d * e, d * e * f
    try:
        return over / under
    except OverflowError:
        return inf if over > 0 else -inf
