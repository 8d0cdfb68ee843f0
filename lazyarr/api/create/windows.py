"""Windows for signals, and polynomials of arrays, by NumPy's names."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ir.cost.thresholds.eager import EAGER_FUNCTION_ELEMENTS_AT_MOST
from lazyarr.api.create.ranges import arange
from lazyarr.api.elementwise.standard import abs, add, cos, divide, multiply, subtract
from lazyarr.array import Array
from lazyarr.eager.functions import small_by
from lazyarr.recording.creation import asarray
from lazyarr.recording.filled import ones, zeros

__all__ = ["bartlett", "blackman", "hamming", "hanning", "polyval"]


def whole(count: Any) -> int:
    """A number of points; NumPy takes floats, too. `TypeError` for one that is not whole."""
    return (
        int(count) if isinstance(count, (float, np.floating, Array)) and int(count) == count else operator.index(count)
    )


def _window(count: Any, formula: Callable[[Array], Array]) -> Array:
    """A function of numbers from -1 to 1, evenly apart; one alone is 1."""
    number = whole(count)
    if number < 2:
        return ones(max(number, 0))
    # the length is an input, so that all lengths share a kernel
    return formula(divide(arange(1 - number, number, 2), np.asarray(float(number - 1))))


def _cosine(x: Array, times: int = 1) -> Array:
    return cos(multiply(x, math.pi * times))


def _small(numpys: Callable[[int], Any]) -> Callable[[Any], Any]:
    """NumPy's window of few points."""
    return lambda count: numpys(count) if type(count) is int and count <= EAGER_FUNCTION_ELEMENTS_AT_MOST else None


@small_by(_small(np.bartlett))
def bartlett(M: int) -> Array:
    """A triangle of M points, zero at the ends."""
    return _window(M, lambda x: subtract(1.0, abs(x)))


@small_by(_small(np.hanning))
def hanning(M: int) -> Array:
    """A raised cosine of M points, zero at the ends."""
    return _window(M, lambda x: add(0.5, multiply(0.5, _cosine(x))))


@small_by(_small(np.hamming))
def hamming(M: int) -> Array:
    """A raised cosine of M points, 0.08 at the ends."""
    return _window(M, lambda x: add(0.54, multiply(0.46, _cosine(x))))


@small_by(_small(np.blackman))
def blackman(M: int) -> Array:
    """The sum of two cosines, of M points, zero at the ends."""
    return _window(M, lambda x: add(add(0.42, multiply(0.5, _cosine(x))), multiply(0.08, _cosine(x, 2))))


@small_by(lambda p, x: np.polyval(p, x) if np.ndim(p) else None)
def polyval(p: Any, x: Any) -> Any:
    """The polynomial of coefficients p, the highest power's first, at every element of x: by Horner's scheme. Of a
    polynomial x, a `poly1d`, the polynomial that p is with that put in.

    The coefficients are inputs of the kernel, their number is not. Of more dimensions, they are several polynomials'
    along the first: the rest of their shape and that of x broadcast.

    Raises:
        TypeError: a number as the coefficients.
    """
    coefficients = asarray(p, function="polyval")
    if not coefficients.ndim:
        raise TypeError("polyval: expected a vector of coefficients, got a number")
    if callable(x):
        made: Any = 0
        for coefficient in coefficients:
            made = made * x + coefficient
        return made
    at = asarray(x, function="polyval")
    found = zeros(at.shape, dtype=at.dtype)
    for i in range(coefficients.shape[0]):
        found = add(multiply(found, at), coefficients[i])
    return found
