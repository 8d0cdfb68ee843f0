"""Sums of products of a signal and a shorter one that is moved along it: `convolve` and `correlate`."""

from __future__ import annotations

from typing import Any

from lazyarr.array import Array
from lazyarr.creation import asarray
from lazyarr.elementwise import conj, greater_equal, less, logical_and, multiply, where
from lazyarr.indexing import index
from lazyarr.movement import flip, reshape
from lazyarr.padding import pad
from lazyarr.ranges import arange
from lazyarr.reductions import sum as sum_
from lazyarr.repeating import tile

__all__ = ["convolve", "correlate"]

_MODES = ("full", "same", "valid")


def convolve(a: Any, v: Any, mode: str = "full") -> Array:
    """The convolution of two vectors: element k is the sum of `a[i] * v[k - i]`.

    mode : "full": wherever they overlap; "same": as many elements as the longer one has, from the middle; "valid":
        where the shorter one lies within the longer

    Takes time in proportion to the product of the lengths. `ValueError` for other shapes, empty vectors, other modes.
    """
    x, y = _vectors("convolve", a, v, mode)
    if y.size > x.size:
        x, y = y, x
    return _moved(x, flip(y), mode)


def correlate(a: Any, v: Any, mode: str = "valid") -> Array:
    """The correlation of two vectors: element k is the sum of `a[i + k] * conj(v[i])`; modes as in `convolve`."""
    x, y = _vectors("correlate", a, v, mode)
    if y.size > x.size:  # the same from behind
        return flip(conj(_moved(y, conj(x), mode)))
    return _moved(x, conj(y), mode)


def _vectors(function: str, a: Any, v: Any, mode: str) -> tuple[Array, Array]:
    x, y = (asarray(z, function=function) for z in (a, v))
    x, y = (reshape(z, (1,)) if not z.ndim else z for z in (x, y))
    if x.ndim != 1 or y.ndim != 1 or not x.size or not y.size:
        raise ValueError(f"{function}: expected two vectors that have elements, got shapes {x.shape} and {y.shape}")
    if mode not in _MODES:
        raise ValueError(f"{function}: expected mode to be one of {', '.join(_MODES)}, got {mode!r}")
    return x, y


def _moved(x: Array, y: Array, mode: str) -> Array:
    """The sums of x[k + j] * y[j] over the j for which there is such an x, of the k that the mode wants."""
    n, m = x.size, y.size
    start = {"full": 1 - m, "same": -(m // 2), "valid": 0}[mode]
    count = {"full": n + m - 1, "same": n, "valid": n - m + 1}[mode]
    before, behind = -start, count + start + m - 1 - n
    signal = pad(x, [(before, behind)]) if before or behind else x
    length = signal.size
    # rows of one more than the length, of the signal again and again: each begins one later than the one before
    again = index(tile(signal, m + 1), slice(0, m * (length + 1)))
    windows = index(reshape(again, (m, length + 1)), (slice(None), slice(0, count)))
    products = multiply(windows, reshape(y, (m, 1)))
    if before or behind:  # what is not there adds nothing, also to infinities
        at = reshape(arange(m), (m, 1)) + reshape(arange(start, start + count), (1, count))
        nothing = asarray(0, products.dtype)
        products = where(logical_and(greater_equal(at, 0), less(at, n)), products, nothing)
    return sum_(products, 0, dtype=products.dtype)
