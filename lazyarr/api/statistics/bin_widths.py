"""How wide a histogram's bins should be for its elements: NumPy's rules, by name."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Final

import numpy as np

from lazyarr.api.order.bisection import searchsorted
from lazyarr.api.order.sorting import sort
from lazyarr.api.reduce.reductions import mean, std
from lazyarr.api.statistics.order_statistics import percentile
from lazyarr.array import Array
from lazyarr.recording.creation import asarray

__all__ = ["bins_by_rule"]


def bins_by_rule(rule: str, x: Array, first: float, last: float) -> int:
    """How many equal bins between two ends a rule gives for a vector: it is computed.

    Raises:
        ValueError: a rule that is not there.
    """
    width_of = _RULES.get(rule, _sqrt)
    if rule not in (*_RULES, "stone"):
        known = ", ".join(sorted([*_RULES, "stone"]))
        raise ValueError(f"histogram: expected the rule for bins to be one of {known}, got {rule!r}")
    x = x[(x >= first) & (x <= last)]
    if not x.size:
        return 1
    width = _stone(x, first, last) if rule == "stone" else width_of(x)
    if x.dtype.kind in "iu" and width:
        width = max(width, 1.0)
    return math.ceil((last - first) / width) if width else 1


def _spread(x: Array) -> float:
    from lazyarr.api.reduce.reductions import max, min  # elsewhere in this module they are Python's

    return float(max(x)) - float(min(x))


def _sqrt(x: Array) -> float:
    return _spread(x) / math.sqrt(x.size)


def _sturges(x: Array) -> float:
    return _spread(x) / (math.log2(x.size) + 1)


def _rice(x: Array) -> float:
    root: float = x.size ** (1 / 3)
    return _spread(x) / (2 * root)


def _scott(x: Array) -> float:
    factor: float = (24 * math.pi**0.5 / x.size) ** (1 / 3)
    return factor * float(std(x))


def _doane(x: Array) -> float:
    """Sturges' rule, corrected for skewness."""
    n, deviation = x.size, float(std(x))
    if n <= 2 or not deviation > 0:
        return 0.0
    usual = math.sqrt(6 * (n - 2) / ((n + 1) * (n + 3)))
    skewness = float(mean(((x - mean(x)) / deviation) ** 3))
    return _spread(x) / (1 + math.log2(n) + math.log2(1 + abs(skewness) / usual))


def _freedman_diaconis(x: Array) -> float:
    low, high = percentile(x, [25, 75]).tolist()
    return float(2 * (high - low) * x.size ** (-1 / 3))


def _stone(x: Array, first: float, last: float) -> float:
    """The width whose histogram has the least expected squared error, by leaving one element out.

    For each number of bins that comes into question the elements before each edge are counted: sorted once, all edges
    are looked up together.
    """
    n, spread = x.size, _spread(x)
    if n <= 1 or not spread:
        return 0.0
    most = max(100, int(math.sqrt(n)))
    edges = [np.linspace(first, last, count + 1) for count in range(1, most + 1)]
    before = np.asarray(searchsorted(sort(x), asarray(np.concatenate(edges)))).copy()
    errors, start = [], 0
    for count in range(1, most + 1):
        places = before[start : start + count + 1]
        places[-1] = n  # of the last bin also those on its end
        parts = np.diff(places) / n
        errors.append((2 - (n + 1) * parts.dot(parts)) / (spread / count))
        start += count + 1
    best = int(np.argmin(errors)) + 1
    if best == most:
        warnings.warn("histogram: the number of bins by the rule 'stone' may be too small", RuntimeWarning, 5)
    return spread / best


def _auto(x: Array) -> float:
    """The finer one of Freedman and Diaconis' and Sturges', but not many more bins than the root of the elements."""
    return min(max(_freedman_diaconis(x), _sqrt(x) / 2), _sturges(x))


_RULES: Final[dict[str, Callable[[Array], float]]] = {
    "auto": _auto,
    "doane": _doane,
    "fd": _freedman_diaconis,
    "rice": _rice,
    "scott": _scott,
    "sqrt": _sqrt,
    "sturges": _sturges,
}
