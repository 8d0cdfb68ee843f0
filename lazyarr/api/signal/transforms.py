"""The fast Fourier transform as array code: matrix products with small matrices, factors, transposes.

With n = p * m, and an index of the input split into i = i1 * m + i2, one of the output into k = k1 + p * k2
(Cooley and Tukey 1965, in Stockham's order, which needs no permutation at the end):

    X[k1 + p * k2] = sum_i2 w(m)^(i2*k2) * ( w(n)^(i2*k1) * sum_i1 w(p)^(i1*k1) * x[i1 * m + i2] )

The sum over i1 is a product with a p x p matrix; what stands around it is a transform of m elements, done in the same
way. Where n has a large prime factor, the transform is a convolution with a chirp (Bluestein 1970), which transforms of
a power of two compute.
"""

from __future__ import annotations

from functools import lru_cache
from math import pi
from typing import Any

import numpy as np

from ir.cost.thresholds.partition import TRANSFORM_FACTOR_AT_MOST, TRANSFORM_PRIME_AT_MOST
from lazyarr.api.create.ranges import arange
from lazyarr.api.elementwise.standard import conj, cos, multiply, remainder, sin
from lazyarr.api.linear.products import matmul
from lazyarr.api.shape.joining import concat
from lazyarr.api.signal.padding import pad
from lazyarr.array import Array
from lazyarr.dtypes import DType, component_of
from lazyarr.recording.apply import apply
from lazyarr.recording.conversion import astype
from lazyarr.recording.creation import asarray
from lazyarr.recording.filled import zeros
from lazyarr.recording.indexing import index
from lazyarr.recording.movement import flip, permute_dims, reshape

__all__ = ["factors", "transform"]


def transform(x: Array, *, inverse: bool) -> Array:
    """The discrete Fourier transforms of the columns of a complex (n, count) array; the inverse without its 1/n."""
    if x.shape[0] == 1:
        return x
    if inverse:  # the conjugate of the conjugate's
        return conj(transform(conj(x), inverse=False))
    steps = factors(x.shape[0])
    return _convolved(x) if steps is None else _stepped(x, steps)


@lru_cache(maxsize=1024)
def factors(n: int) -> tuple[int, ...] | None:
    """The factors that the steps of a transform of n elements take, or None where a prime factor is too large."""
    primes = []
    rest, p = n, 2
    while p <= TRANSFORM_PRIME_AT_MOST:
        while rest % p == 0:
            primes.append(p)
            rest //= p
        p += 1
    if rest > 1:
        return None
    found: list[int] = []
    for prime in reversed(primes):
        at = next((i for i, product in enumerate(found) if product * prime <= TRANSFORM_FACTOR_AT_MOST), None)
        if at is None:
            found.append(prime)
        else:
            found[at] *= prime
    return tuple(sorted(found, reverse=True))


def _stepped(x: Array, steps: tuple[int, ...]) -> Array:
    n, count = x.shape
    done, left = count, n  # finished frequencies of all columns; elements that are left to transform
    for p in steps:
        m = left // p
        sums = reshape(matmul(asarray(_matrix(p, x.dtype)), reshape(x, (p, m * done))), (p, m, done))
        if m > 1:
            sums = multiply(sums, reshape(_factors(p, m, x.dtype), (p, m, 1)))
        x = permute_dims(sums, (1, 0, 2))
        done, left = done * p, m
    return reshape(x, (n, count))


@lru_cache(maxsize=256)
def _matrix(p: int, dtype: DType) -> np.ndarray[Any, Any]:
    """w(p)^(i*k) of all i, k < p, read-only."""
    i = np.arange(p)
    found: np.ndarray[Any, Any] = np.exp(-2j * pi / p * (i[:, None] * i % p)).astype(dtype)
    found.flags.writeable = False
    return found


def _factors(p: int, m: int, dtype: DType) -> Array:
    """w(p * m)^(k1 * i2) of all k1 < p and i2 < m."""
    turns = multiply(reshape(arange(p), (p, 1)), reshape(arange(m), (1, m)))
    return _unit(multiply(astype(turns, "float64"), -2 * pi / (p * m)), dtype)


def _unit(angle: Array, dtype: DType) -> Array:
    """The complex numbers of length one at those angles, computed in float64."""
    part = component_of(dtype)
    found: Array = apply("complex", astype(cos(angle), part), astype(sin(angle), part))
    return found


def _convolved(x: Array) -> Array:
    """Bluestein's: with i * k = (i**2 + k**2 - (k - i)**2) / 2 the transform is a convolution."""
    n = x.shape[0]
    length = 1 << (2 * n - 2).bit_length()
    i = arange(n)
    angle = multiply(astype(remainder(multiply(i, i), 2 * n), "float64"), -pi / n)
    chirp = reshape(_unit(angle, x.dtype), (n, 1))
    kernel = conj(chirp)
    middle = zeros((length - 2 * n + 1, 1), dtype=x.dtype)
    around = concat([kernel, middle, flip(index(kernel, slice(1, None)), 0)])
    signal = pad(multiply(x, chirp), [(0, length - n), (0, 0)])
    product = multiply(transform(signal, inverse=False), transform(around, inverse=False))
    found = index(transform(product, inverse=True), slice(0, n))
    return multiply(multiply(found, chirp), component_of(x.dtype).type(1.0 / length))
