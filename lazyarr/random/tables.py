"""Whole numbers whose probabilities form a table, in which a uniform number is looked up.

With arrays of parameters, whose values are computed when a method is called: each of a few distinct ones has a table of
its own, one behind the other. Of many, Poisson numbers and binomial ones are sums of those whose means, or trials, are
powers of two.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ir.cost.thresholds.partition import TABLES_AT_MOST
from lazyarr.api.create.ranges import arange
from lazyarr.api.elementwise.standard import add, minimum
from lazyarr.api.order.bisection import searchsorted
from lazyarr.api.reduce.reductions import sum as sum_
from lazyarr.api.select.taking import take
from lazyarr.array import Array
from lazyarr.dtypes import DType, float64, int64
from lazyarr.random.parameters import check_probability, known_value, size_of, truncated_values
from lazyarr.recording.creation import asarray
from lazyarr.recording.filled import zeros

__all__ = ["Tables", "binomial_table", "poisson_table"]

_LARGEST_MEAN: Final = 1e10
"""Of a Poisson distribution: its table has about 24 times the square root of it numbers."""


_Table = tuple[int, np.ndarray[Any, Any]]


class Tables:
    """The methods of `Generator` that look up."""

    __slots__ = ()

    def _draw(self, function: str, size: Any, dtype: DType, parameters: tuple[Any, ...] = ()) -> Array:
        raise NotImplementedError  # `Generator` has it

    def poisson(self, lam: Any = 1.0, size: Any = None) -> Array:
        """How often something happens that is expected to happen `lam` times, as int64.

        A uniform number is looked up in the distribution function, which is tabulated as far as float64 reaches.
        """
        means = _values("poisson", lam)
        if not ((means >= 0) & (means <= _LARGEST_MEAN)).all():
            raise ValueError(f"poisson: expected lam from 0 to {_LARGEST_MEAN:g}, got {lam!r}")
        if not means.ndim:
            return self._tabulated(size, *poisson_table(float(means)))
        each = self._tabulated_each("poisson", size, poisson_table, means)
        if each is not None:
            return each
        whole = np.floor(means).astype(np.int64)
        shape = size_of("poisson", size, (asarray(means),))
        rest = self._draw("poisson_below_one", shape, int64, (asarray(means - whole),))
        return rest + self._of_powers(shape, whole, lambda power: poisson_table(float(power)))  # type: ignore[no-any-return]  # operators give Any

    def binomial(self, n: Any, p: Any, size: Any = None) -> Array:
        """How many of n trials of probability p succeed, as int64. What n has behind the point is left out.

        For one known probability a uniform number is looked up in the distribution function; for others every trial is
        made: the time grows with the greatest n.
        """
        check_probability("binomial", p)
        trials = truncated_values("binomial", "n", n)
        if (trials < 0).any():
            raise ValueError(f"binomial: expected n not to be negative, got {n!r}")
        known = known_value(p)
        if known is not None and not known.ndim:
            chance = float(known)
            if not trials.ndim:
                return self._tabulated(size, *binomial_table(int(trials), chance))
            each = self._tabulated_each("binomial", size, lambda count: binomial_table(int(count), chance), trials)
            if each is not None:
                return each
            shape = size_of("binomial", size, (asarray(trials),))
            return self._of_powers(shape, trials, lambda power: binomial_table(power, chance))
        chances = asarray(p, float64, function="binomial")
        if not trials.ndim:
            shape = size_of("binomial", size, (chances,))
            return sum_(self.random((int(trials), *shape)) < chances, axis=0)  # type: ignore[attr-defined]  # a Generator
        counts = asarray(trials)
        shape = size_of("binomial", size, (chances, counts))
        most = int(trials.max(initial=0))
        number = arange(most).reshape(-1, *(1,) * len(shape))
        return sum_((self.random((most, *shape)) < chances) & (number < counts), axis=0)  # type: ignore[attr-defined]  # as above

    def negative_binomial(self, n: Any, p: Any, size: Any = None) -> Array:
        """How many trials of probability p fail before n succeed, as int64.

        Of many distinct parameters: Poisson numbers whose means are gamma numbers, which are computed.
        """
        check_probability("negative_binomial", p, zero=False)
        counts, chances = _values("negative_binomial", n), _values("negative_binomial", p)
        if not (counts > 0).all():
            raise ValueError(f"negative_binomial: expected n to be positive, got {n!r}")
        if not (counts.ndim or chances.ndim):
            return self._tabulated(size, *_negative_binomial_table(float(counts), float(chances)))
        each = self._tabulated_each("negative_binomial", size, _negative_binomial_table, counts, chances)
        if each is not None:
            return each
        shape = size_of("negative_binomial", size, (asarray(counts), asarray(chances)))
        means = self.gamma(counts, (1 - chances) / chances, shape)  # type: ignore[attr-defined]  # a Generator
        return self.poisson(means)

    def hypergeometric(self, ngood: Any, nbad: Any, nsample: Any, size: Any = None) -> Array:
        """How many of nsample drawn, without putting back, of ngood + nbad are good, as int64. What these have
        behind the point is left out.

        Raises:
            ValueError: negative numbers, or more drawn than there are.
        """
        names = {"ngood": ngood, "nbad": nbad, "nsample": nsample}
        good, bad, drawn = (truncated_values("hypergeometric", name, x) for name, x in names.items())
        if any((x < 0).any() for x in (good, bad, drawn)) or (drawn > good + bad).any():
            raise ValueError(f"hypergeometric: cannot draw {nsample} of {ngood} and {nbad}")
        if not (good.ndim or bad.ndim or drawn.ndim):
            return self._tabulated(size, *_hypergeometric_table(good, bad, drawn))
        return self._tabulated_all("hypergeometric", size, _hypergeometric_table, good, bad, drawn)

    def logseries(self, p: Any, size: Any = None) -> Array:
        """Whole numbers k with probabilities proportional to p**k / k, as int64; p in [0, 1). Of zero all are one."""
        chances = _values("logseries", p)
        if not ((chances >= 0) & (chances < 1)).all():
            raise ValueError(f"logseries: expected p from 0 to below 1, got {p!r}")
        if not chances.ndim:
            return self._tabulated(size, *_logseries_table(float(chances)))
        return self._tabulated_all("logseries", size, _logseries_table, chances)

    def _tabulated(self, size: Any, first: int, table: np.ndarray[Any, Any]) -> Array:
        """A uniform number looked up in a distribution function of whole numbers from `first` on."""
        found = searchsorted(asarray(table), self.random(size), side="right")  # type: ignore[attr-defined]
        return add(found, np.asarray(first))

    def _tabulated_each(
        self, function: str, size: Any, table_of: Callable[..., _Table], *parameters: np.ndarray[Any, Any]
    ) -> Array | None:
        """The same where each element has parameters of its own, if these are few distinct ones; else None."""
        rows = np.stack([x.ravel() for x in np.broadcast_arrays(*parameters)])
        if rows.shape[1] > TABLES_AT_MOST and np.unique(rows, axis=1).shape[1] > TABLES_AT_MOST:
            return None
        return self._tabulated_all(function, size, table_of, *parameters)

    def _tabulated_all(
        self, function: str, size: Any, table_of: Callable[..., _Table], *parameters: np.ndarray[Any, Any]
    ) -> Array:
        """A uniform number looked up in its element's table: table i stands between i and i + 1 in one of all."""
        shape = size_of(function, size, tuple(map(asarray, parameters)))
        common = np.broadcast_arrays(*parameters)
        distinct, which = np.unique(np.stack([x.ravel() for x in common]), axis=1, return_inverse=True)
        if not distinct.shape[1]:
            return zeros(shape, dtype=int64)
        tables = [table_of(*column) for column in distinct.T]
        lengths = np.array([len(table) for _, table in tables])
        begin = np.cumsum(lengths) - lengths
        every = np.concatenate([table + i for i, (_, table) in enumerate(tables)])
        row = asarray(which.reshape(common[0].shape).astype(np.int64))
        found = searchsorted(asarray(every), self.random(shape) + row, side="right")  # type: ignore[attr-defined]  # a Generator
        found = minimum(found, take(asarray(begin + lengths - 1), row))
        return add(found, take(asarray(np.array([first for first, _ in tables]) - begin), row))

    def _of_powers(
        self, shape: tuple[int, ...], whole: np.ndarray[Any, Any], table_of: Callable[[int], _Table]
    ) -> Array:
        """Sums of independent numbers, one for each digit that is set of whole numbers in base two."""
        total = zeros(shape, dtype=int64)
        for digit in range(int(whole.max(initial=0)).bit_length()):
            one = self._tabulated(shape, *table_of(1 << digit))
            total = add(total, one * asarray((whole >> digit) & 1))
        return total


def _values(function: str, parameter: Any) -> np.ndarray[Any, Any]:
    """The values of a parameter, computed."""
    return np.asarray(asarray(parameter, float64, function=function))


def _negative_binomial_table(count: float, chance: float) -> _Table:
    mean = count * (1 - chance) / chance
    reach = 40 + 45 / -math.log1p(-chance) if chance < 1 else 1
    last = math.ceil(mean + 12 * math.sqrt(mean / chance) + reach)
    k = np.arange(last, dtype=float)
    return _table_of(0, (count + k) / (k + 1) * (1 - chance))  # each number's probability over that before


def _hypergeometric_table(ngood: Any, nbad: Any, nsample: Any) -> _Table:
    good, bad, drawn = int(ngood), int(nbad), int(nsample)
    first, last = max(0, drawn - bad), min(good, drawn)
    k = np.arange(first, last, dtype=float)
    return _table_of(first, (good - k) * (drawn - k) / ((k + 1) * (bad - drawn + k + 1)))


def _logseries_table(chance: float) -> _Table:
    if not chance:
        return 1, np.ones(1)
    k = np.arange(1, math.ceil(45 / -math.log(chance)) + 40, dtype=float)
    return _table_of(1, chance * k / (k + 1))


def _table_of(first: int, ratios: np.ndarray[Any, Any]) -> tuple[int, np.ndarray[Any, Any]]:
    """A number, and the distribution function from it on, of what each probability is times that before.

    Computed in logarithms, from the most probable number on: neither end overflows.
    """
    with np.errstate(divide="ignore"):
        logs = np.concatenate([[0.0], np.cumsum(np.log(ratios))])
    sums = np.cumsum(np.exp(logs - logs.max()))
    return first, sums / sums[-1]


def binomial_table(trials: int, chance: float) -> tuple[int, np.ndarray[Any, Any]]:
    """A number, and the probabilities that no more than it, than the next one, ... of so many trials succeed."""
    if chance in (0.0, 1.0):
        return (trials if chance else 0), np.ones(1)
    reach = math.ceil(12 * math.sqrt(trials * chance * (1 - chance))) + 40
    middle = math.floor(trials * chance)
    first, last = max(0, middle - reach), min(trials, middle + reach)
    k = np.arange(first, last, dtype=float)
    return _table_of(first, (trials - k) / (k + 1) * (chance / (1 - chance)))


def poisson_table(mean: float) -> tuple[int, np.ndarray[Any, Any]]:
    """A number, and the probabilities that no more than it, than the next one, ... happen, up to one.

    Computed from the most probable number on, whose neighbours' probabilities are known multiples of its own.
    """
    reach = math.ceil(12 * math.sqrt(mean)) + 40
    mode = math.floor(mean)
    first = max(mode - reach, 0)
    below, above = np.arange(mode, first, -1.0), np.arange(mode + 1.0, mode + reach + 1)
    falling = np.cumprod(below / mean) if mean else below
    rising = np.cumprod(mean / above)
    sums = np.cumsum(np.concatenate([falling[::-1], [1.0], rising]))
    return first, sums / sums[-1]
