"""Drawing from what is there: choices, permutations, and whole numbers whose probabilities form a table."""

from __future__ import annotations

import math
import operator
from math import prod
from typing import Any

import numpy as np

from lazyarr.array import Array
from lazyarr.creation import as_shape, asarray
from lazyarr.dtypes import float64, uint64
from lazyarr.elementwise import add
from lazyarr.random.parameters import check_positive, check_probability, known_value, size_of

__all__ = ["Choosing", "binomial_table", "poisson_table"]

_LARGEST_MEAN = 1e10
"""Of a Poisson distribution: its table has about 24 times the square root of it numbers."""


class Choosing:
    """The methods of `Generator` that choose, order, and look up."""

    __slots__ = ()

    def choice(
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True
    ) -> Array:
        """Elements of an array along an axis (for a number n of 0, ..., n - 1), as many as `size` says.

        replace : may an element be chosen twice? p : the probabilities of the elements, by default equal ones. shuffle
            : is there for NumPy's sake: what is chosen is in random order in any case

        Raises `ValueError` for probabilities that are none, and for more elements than there are.
        """
        from lazyarr.movement import normalise_axis
        from lazyarr.taking import take

        if not isinstance(a, Array) and not np.ndim(a):
            count, source = operator.index(a), None
        else:
            source = asarray(a, function="choice")
            axis = normalise_axis("choice", axis, source.ndim)
            count = source.shape[axis]
        shape: tuple[int, ...] = () if size is None else as_shape(size, "choice")
        if count < 1 and 0 not in shape:
            raise ValueError("choice: expected one or more elements to choose from")
        at = self._chosen(count, shape, p) if replace else self._without_replacement(count, shape, p)
        return at if source is None else take(source, at, axis)

    def _chosen(self, count: int, shape: tuple[int, ...], p: Any) -> Array:
        """Indices, chosen one by one."""
        from lazyarr.bisection import searchsorted
        from lazyarr.scans import cumsum

        if p is None:
            return self.integers(0, count, shape)  # type: ignore[attr-defined, no-any-return]  # a Generator
        sums = cumsum(_weights(count, p))
        return searchsorted(sums / sums[-1], self.random(shape), side="right")  # type: ignore[attr-defined]

    def _without_replacement(self, count: int, shape: tuple[int, ...], p: Any) -> Array:
        """Different indices: the first of a random order.

        With probabilities by Efraimidis' and Spirakis' keys: the least of exponential numbers with these rates.
        """
        from lazyarr.sorting import argsort

        wanted = prod(shape)
        if wanted > count:
            raise ValueError(f"choice: cannot take {wanted} elements of {count} without replacement")
        if p is None:
            order = self.permutation(count)
        else:
            weights = _weights(count, p)
            if not isinstance(p, Array) and np.count_nonzero(p) < wanted:
                raise ValueError(f"choice: fewer than {wanted} probabilities are not zero")
            order = argsort(self.standard_exponential(count) / weights)  # type: ignore[attr-defined]
        return order[:wanted].reshape(shape)

    # --- orders -------------------------------------------------------------------------------------------------------

    def permutation(self, x: Any, axis: int = 0) -> Array:
        """The elements of an array along an axis (for a number n of 0, ..., n - 1) in random order: rows stay whole."""
        from lazyarr.movement import normalise_axis
        from lazyarr.sorting import argsort
        from lazyarr.taking import take

        if not isinstance(x, Array) and not np.ndim(x):
            count = operator.index(x)
            if count < 0:
                raise ValueError(f"permutation: expected a number that is not negative, got {count}")
            return argsort(self._keys((count,)))
        source = asarray(x, function="permutation")
        along = normalise_axis("permutation", axis, source.ndim)
        return take(source, argsort(self._keys((source.shape[along],))), along)

    def permuted(self, x: Any, axis: int | None = None) -> Array:
        """The elements in random order, along an axis: each row in an order of its own; None: of all elements."""
        from lazyarr.movement import normalise_axis
        from lazyarr.sorting import argsort
        from lazyarr.taking import take_along_axis

        source = asarray(x, function="permuted")
        if axis is None:
            return self.permutation(source.ravel()).reshape(source.shape)
        along = normalise_axis("permuted", axis, source.ndim)
        return take_along_axis(source, argsort(self._keys(source.shape), axis=along), axis=along)

    def shuffle(self, x: Array, axis: int = 0) -> None:
        """Put the elements of an array along an axis into random order; the array object changes."""
        from lazyarr.updating import adopt

        if not isinstance(x, Array):
            raise TypeError(f"shuffle: expected a lazyarr array to change, got {type(x).__name__}")
        adopt(x, self.permutation(x, axis))

    def _keys(self, shape: tuple[int, ...]) -> Array:
        """Numbers by whose order something is ordered: 64 bits, of which hardly ever two are equal."""
        return self.integers(0, 2**64, shape, uint64)  # type: ignore[attr-defined, no-any-return]  # a Generator

    # --- tables -------------------------------------------------------------------------------------------------------

    def poisson(self, lam: float = 1.0, size: Any = None) -> Array:
        """How often something happens that is expected to happen `lam` times, as int64; `lam` is one number.

        A uniform number is looked up in the distribution function, which is tabulated as far as float64 reaches.
        """
        mean = float(lam)
        if not 0 <= mean <= _LARGEST_MEAN:
            raise ValueError(f"poisson: expected lam from 0 to {_LARGEST_MEAN:g}, got {lam!r}")
        return self._tabulated(size, *poisson_table(mean))

    def binomial(self, n: int, p: Any, size: Any = None) -> Array:
        """How many of n trials of probability p succeed, as int64; n is one whole number.

        For one known probability a uniform number is looked up in the distribution function; for others every trial is
        made: the time grows with n.
        """
        from lazyarr.reductions import sum as sum_

        check_probability("binomial", p)
        trials = operator.index(n)
        if trials < 0:
            raise ValueError(f"binomial: expected n not to be negative, got {trials}")
        known = known_value(p)
        if known is not None and not known.ndim:
            return self._tabulated(size, *binomial_table(trials, float(known)))
        chance = asarray(p, float64, function="binomial")
        shape = size_of("binomial", size, (chance,))
        return sum_(self.random((trials, *shape)) < chance, axis=0)  # type: ignore[attr-defined]  # a Generator

    def negative_binomial(self, n: float, p: float, size: Any = None) -> Array:
        """How many trials of probability p fail before n succeed, as int64; n, p : one number each."""
        check_positive("negative_binomial", n=n)
        check_probability("negative_binomial", p, zero=False)
        count, chance = float(n), float(p)
        mean = count * (1 - chance) / chance
        reach = 40 + 45 / -math.log1p(-chance) if chance < 1 else 1
        last = math.ceil(mean + 12 * math.sqrt(mean / chance) + reach)
        k = np.arange(last, dtype=float)
        ratios = (count + k) / (k + 1) * (1 - chance)  # of each number's probability to that before
        return self._tabulated(size, *_table_of(0, ratios))

    def hypergeometric(self, ngood: int, nbad: int, nsample: int, size: Any = None) -> Array:
        """How many of nsample drawn, without putting back, of ngood + nbad are good, as int64; whole numbers.

        Raises `ValueError` for negative numbers, and for more drawn than there are.
        """
        good, bad, drawn = (operator.index(x) for x in (ngood, nbad, nsample))
        if min(good, bad, drawn) < 0 or drawn > good + bad:
            raise ValueError(f"hypergeometric: cannot draw {nsample} of {ngood} and {nbad}")
        first, last = max(0, drawn - bad), min(good, drawn)
        k = np.arange(first, last, dtype=float)
        ratios = (good - k) * (drawn - k) / ((k + 1) * (bad - drawn + k + 1))
        return self._tabulated(size, *_table_of(first, ratios))

    def logseries(self, p: float, size: Any = None) -> Array:
        """Whole numbers k with probabilities proportional to p**k / k, as int64; p : one number in (0, 1)."""
        chance = float(p)
        if not 0 < chance < 1:
            raise ValueError(f"logseries: expected p between 0 and 1, got {p!r}")
        k = np.arange(1, math.ceil(45 / -math.log(chance)) + 40, dtype=float)
        return self._tabulated(size, *_table_of(1, chance * k / (k + 1)))

    def multinomial(self, n: int, pvals: Any, size: Any = None) -> Array:
        """How often each of several things, of probabilities `pvals`, happens in n trials, as int64, along the last
        dimension. The time grows with n.
        """
        from lazyarr.ranges import arange
        from lazyarr.reductions import sum as sum_

        chances, trials = np.asarray(pvals, float), operator.index(n)
        if chances.ndim != 1 or np.any(chances < 0) or chances[:-1].sum() > 1 + 1e-12 or trials < 0:
            raise ValueError("multinomial: expected n not negative, and a vector of probabilities that sum to one")
        shape: tuple[int, ...] = () if size is None else as_shape(size, "multinomial")
        chances = np.append(chances[:-1], max(0.0, 1 - chances[:-1].sum()))
        at = self._chosen(len(chances), (*shape, 1, trials), chances)
        return sum_(at == arange(len(chances)).reshape(-1, 1), axis=-1)

    def _tabulated(self, size: Any, first: int, table: np.ndarray[Any, Any]) -> Array:
        """A uniform number looked up in a distribution function of whole numbers from `first` on."""
        from lazyarr.bisection import searchsorted

        found = searchsorted(asarray(table), self.random(size), side="right")  # type: ignore[attr-defined]
        return add(found, np.asarray(first))


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


def _weights(count: int, p: Any) -> Array:
    """Probabilities for that many elements; checked where they are known."""
    weights = asarray(p, float64, function="choice")
    if weights.shape != (count,):
        raise ValueError(f"choice: expected {count} probabilities, got shape {weights.shape}")
    if not isinstance(p, Array):
        known = np.asarray(p, float)
        if not np.all(known >= 0) or abs(known.sum() - 1) > 1e-8:
            raise ValueError("choice: expected probabilities that are not negative and sum to one")
    return weights
