"""Sums of products of a signal and a shorter one that is moved along it: `convolve` and `correlate`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ir.core.patterns import Tuple
from ir.cost.thresholds.tiers import CORRELATED_UP_TO
from ir.reference.library import Correlation, note
from lazyarr.api.create.ranges import arange
from lazyarr.api.elementwise.standard import conj, greater_equal, less, logical_and, multiply
from lazyarr.api.reduce.reductions import sum as sum_
from lazyarr.api.shape.joining import concat
from lazyarr.api.signal.padding import pad
from lazyarr.array import Array
from lazyarr.dtypes import result_type
from lazyarr.eager.functions import small_by
from lazyarr.lift.primitives import map as lift_map
from lazyarr.lift.primitives import slide
from lazyarr.lift.primitives import zip as zip_
from lazyarr.recording.conversion import astype, where
from lazyarr.recording.creation import asarray
from lazyarr.recording.indexing import index
from lazyarr.recording.movement import flip, reshape
from lazyarr.recording.replay import replayable

__all__ = ["convolve", "correlate"]

_MODES = ("full", "same", "valid")

_FEW: Final = 32
"""Terms of a sum that NumPy adds one after another as accurately as lazyarr does."""


def _in_parts(numpys: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's function, which adds few products one after another; of longer vectors these sums are added in pairs."""

    def of_vectors(a: Any, v: Any, mode: str = "full" if numpys is np.convolve else "valid") -> Any:
        if min(np.size(a), np.size(v)) <= _FEW or np.ndim(a) != 1 or np.ndim(v) != 1 or mode not in _MODES:
            return numpys(a, v, mode)
        x, y = np.asarray(a), np.asarray(v)
        if numpys is np.correlate:
            y = y[::-1].conj()
        behind = y.size > x.size and numpys is np.correlate  # NumPy's middle is that of the other order, from behind
        if y.size > x.size:
            x, y = y, x
        found: Any = _sum_of_parts(x, y, mode == "valid")
        if mode == "same":
            start = (y.size - 1) // 2
            start = found.size - x.size - start if behind else start
            found = found[start : start + x.size].copy()
        return found

    return of_vectors


def _sum_of_parts(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any], is_valid: bool) -> np.ndarray[Any, Any]:
    """The convolution of a vector and one that is not longer, where they overlap, or where the latter lies within."""
    if y.size <= _FEW:
        return np.convolve(x, y, "valid" if is_valid else "full")
    half = y.size // 2
    if is_valid:
        found = _sum_of_parts(x[y.size - half :], y[:half], True)
        found += _sum_of_parts(x[: x.size - half], y[half:], True)
        return found
    found = np.zeros(x.size + y.size - 1, np.result_type(x, y))
    found[: x.size + half - 1] = _sum_of_parts(x, y[:half], False)
    found[half:] += _sum_of_parts(x, y[half:], False)
    return found


@small_by(_in_parts(np.convolve))
@replayable
def convolve(a: Any, v: Any, mode: str = "full") -> Array:
    """The convolution of two vectors: element k is the sum of `a[i] * v[k - i]`.

    Args:
        mode: "full": wherever they overlap; "same": as many elements as the longer one has, from the middle; "valid":
            where the shorter one lies within the longer

    Takes time in proportion to the product of the lengths. `ValueError` for other shapes, empty vectors, other modes.
    """
    x, y = _vectors("convolve", a, v, mode)
    if y.size > x.size:
        x, y = y, x
    return _moved(x, flip(y), mode)


@small_by(_in_parts(np.correlate))
@replayable
def correlate(a: Any, v: Any, mode: str = "valid") -> Array:
    """The correlation of two vectors: element k is the sum of `a[i + k] * conj(v[i])`; modes as in `convolve`."""
    x, y = _vectors("correlate", a, v, mode)
    if y.size > x.size:  # the same from behind
        return flip(_conjugate(_moved(y, _conjugate(x), mode)))
    return _moved(x, _conjugate(y), mode)


def _conjugate(x: Array) -> Array:
    return conj(x) if x.dtype.kind == "c" else x  # of bools `conj` would make integers


def _vectors(function: str, a: Any, v: Any, mode: str) -> tuple[Array, Array]:
    x, y = (asarray(z, function=function) for z in (a, v))
    if function == "convolve":  # as NumPy's, where `correlate` takes no numbers
        x, y = (reshape(z, (1,)) if not z.ndim else z for z in (x, y))
    if x.ndim != 1 or y.ndim != 1 or not x.size or not y.size:
        raise ValueError(f"{function}: expected two vectors that have elements, got shapes {x.shape} and {y.shape}")
    if mode not in _MODES:
        raise ValueError(f"{function}: expected mode to be one of {', '.join(_MODES)}, got {mode!r}")
    return x, y


def _moved(x: Array, y: Array, mode: str) -> Array:
    """The sums of x[k + j] * y[j] over the j for which there is such an x, of the k that the mode wants."""
    m = y.size
    before, behind = {"full": (m - 1, m - 1), "same": (m // 2, m - 1 - m // 2), "valid": (0, 0)}[mode]
    dtype = result_type(x, y)
    if dtype.kind == "f":  # NumPy's `correlate` takes both of one dtype
        x, y = (z if z.dtype is dtype else astype(z, dtype) for z in (x, y))
    inner: Array = lift_map(lambda row: sum_(multiply(row, y), dtype=dtype), slide(m, 1, x))
    parts = [inner]
    if before:
        parts.insert(0, _at_an_end(index(x, slice(0, m - 1)), y, before, 0))
    if behind:
        parts.append(_at_an_end(index(x, slice(x.size - m + 1, None)), y, 0, behind))
    found = concat(parts) if before or behind else inner
    if dtype.kind == "f" and m <= CORRELATED_UP_TO:
        note(found.node, Correlation(Tuple(x.node, y.node), before, behind))
    return found


def _at_an_end(x: Array, y: Array, before: int, behind: int) -> Array:
    """The sums of those windows that begin before the elements of x, or end behind them."""
    dtype, m = result_type(x, y), y.size
    signal = pad(x, [(before, behind)])
    end = np.asarray(x.size)  # an input, so that all lengths share a kernel

    def reaching(row: Array, at: Array) -> Array:  # what is not there adds nothing, also to infinities
        there = logical_and(greater_equal(at, 0), less(at, end))
        return sum_(where(there, multiply(row, y), asarray(0, dtype)), dtype=dtype)

    found: Array = lift_map(reaching, zip_(slide(m, 1, signal), slide(m, 1, arange(-before, x.size + behind))))
    return found
