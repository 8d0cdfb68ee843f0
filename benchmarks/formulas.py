"""gemv, Black-Scholes and the Lennard-Jones force, written once for every library that has NumPy's functions.

``m`` is the module whose functions are called: NumPy, `lazyarr`, `jax.numpy`, torch or CuPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

RATE = 0.02
VOLATILITY = 0.30
DRIFT = RATE + 0.5 * VOLATILITY * VOLATILITY
"""What multiplies the time in the first argument of the normal distribution."""
SLOPE = 0.2316419
DENSITY = 0.3989422804014327
"""One over the root of two pi."""
POLYNOMIAL = (0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429)
"""Abramowitz and Stegun 26.2.17: the coefficients of the cumulative normal distribution's polynomial."""

ALPHA = 1.5
BETA = 0.5
"""gemv's scalars: of the product, and of the vector that is added."""

CUTOFF_SQUARED = 16.0
LJ1 = 1.5
LJ2 = 2.0


def scaled_sum(products: Any, y: Any) -> Any:
    """alpha A x + beta y, from the products A x."""
    return ALPHA * products + BETA * y


def cumulative_normal(m: Any, d: Any) -> Any:
    """The cumulative normal distribution at ``d``, within 7.5e-8."""
    k = 1 / (1 + SLOPE * m.abs(d))
    a, b, c, e, f = POLYNOMIAL
    tail = DENSITY * m.exp(-0.5 * d * d) * (k * (a + k * (b + k * (c + k * (e + k * f)))))
    return m.where(d > 0, 1 - tail, tail)


def black_scholes(m: Any, s: Any, k: Any, t: Any) -> tuple[Any, Any]:
    """Prices of a European call and put: stock price ``s``, strike price ``k``, years ``t``."""
    root = VOLATILITY * m.sqrt(t)
    d1 = (m.log(s / k) + DRIFT * t) / root
    d2 = d1 - root
    p1, p2 = cumulative_normal(m, d1), cumulative_normal(m, d2)
    discounted = k * m.exp(-RATE * t)
    return s * p1 - discounted * p2, discounted * (1 - p2) - s * (1 - p1)


def lennard_jones(m: Any, squared: Any) -> Any:
    """The force between two particles over their distance, from the squared distance: 0 from the cutoff on."""
    inverse = 1 / squared
    sixth = inverse * inverse * inverse
    return m.where(squared < CUTOFF_SQUARED, inverse * sixth * (LJ1 * sixth - LJ2), 0.0)


def forces(
    m: Any, gather: Callable[[Any, Any], Any], axis: int, x: Any, y: Any, z: Any, neighbours: Any
) -> tuple[Any, Any, Any]:
    """The force on each particle from its neighbours, whole arrays at a time.

    ``x``, ``y``, ``z`` are positions [N]; ``neighbours`` are numbers of particles, [N, K] where ``axis`` is 1 and
    [K, N] where it is 0; ``gather(values, indices)`` is ``values[indices]``.
    """

    def displacement(values: Any) -> Any:
        return (values[:, None] if axis else values[None, :]) - gather(values, neighbours)

    dx, dy, dz = displacement(x), displacement(y), displacement(z)
    force = lennard_jones(m, dx * dx + dy * dy + dz * dz)
    return m.sum(force * dx, axis=axis), m.sum(force * dy, axis=axis), m.sum(force * dz, axis=axis)


def take(values: Any, indices: Any) -> Any:
    """``values[indices]``."""
    return values[indices]
