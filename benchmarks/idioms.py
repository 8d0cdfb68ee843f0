"""What people write with NumPy every day, once for every library that has its functions.

``m`` is the module whose functions are called: NumPy, `lazyarr` or `jax.numpy`. Nothing is written for one of them but
the random numbers, which every library draws in its own way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

BINS = 256
SOUGHT = (2, 3, 5, 7, 11)
"""Numbers that are looked for."""
POINTS = 1 << 24
"""Random points of an estimate of pi."""


def chain(m: Any, x: Any, y: Any) -> Any:
    """A chain of element-wise functions."""
    return m.exp(-(x * x)) * m.sqrt(m.abs(y)) + 0.5 * m.where(x > y, x, y)


def softmax(m: Any, x: Any) -> Any:
    """The softmax of each row."""
    e = m.exp(x - m.max(x, axis=1, keepdims=True))
    return e / m.sum(e, axis=1, keepdims=True)


def moments(m: Any, x: Any) -> tuple[Any, Any]:
    """The mean and the variance of each row."""
    return m.mean(x, axis=1), m.var(x, axis=1)


def argmin(m: Any, x: Any) -> Any:
    """Where the least element is."""
    return m.argmin(x)


def cumulative_sum(m: Any, x: Any) -> Any:
    """The sums of all beginnings."""
    return m.cumsum(x)


def sort(m: Any, x: Any) -> Any:
    """The elements in ascending order."""
    return m.sort(x)


def transpose(m: Any, x: Any) -> Any:
    """A matrix with its columns as rows, in memory."""
    return x.T.copy()


def histogram(m: Any, x: Any) -> Any:
    """How many elements lie in each of 256 bins between 0 and 1."""
    return m.histogram(x, bins=BINS, range=(0.0, 1.0))[0]


def members(m: Any, x: Any) -> Any:
    """Is each element among a few numbers?"""
    return m.isin(x, m.asarray(SOUGHT))


def standardise(m: Any, x: Any) -> Any:
    """The elements less their mean, over their standard deviation."""
    return (x - m.mean(x)) / m.std(x)


def hits(m: Any, x: Any, y: Any) -> Any:
    """Four times the share of points of the unit square that lie in the circle."""
    return 4 * m.mean(m.astype(x * x + y * y < 1, "float32"))


def numpy_pi(seed: NDArray[Any]) -> Any:
    """The same with NumPy's generators."""
    rng = np.random.default_rng(int(seed))
    x, y = rng.random(POINTS, "float32"), rng.random(POINTS, "float32")
    return 4 * np.mean(x * x + y * y < 1)


SHARED: dict[str, Callable[..., Any]] = {
    "chain": chain,
    "softmax": softmax,
    "moments": moments,
    "argmin": argmin,
    "cumulative sum": cumulative_sum,
    "sort": sort,
    "transpose": transpose,
    "histogram": histogram,
    "members": members,
    "standardise": standardise,
}
"""What a module with NumPy's functions is enough for."""
