"""The distributions that a `Generator` draws from, by NumPy's names and with NumPy's parameters."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from lazyarr.array import Array
from lazyarr.creation import asarray
from lazyarr.dtypes import DType, as_dtype, float32, float64, int64
from lazyarr.random.choosing import Choosing
from lazyarr.random.parameters import (
    bound_of,
    check_bounds,
    check_not_negative,
    check_positive,
    check_probability,
    known_value,
    size_of,
)

__all__ = ["Methods"]


class Methods(Choosing):
    """The methods of `Generator` that draw arrays, by what they are drawn from."""

    __slots__ = ()

    def _draw(self, function: str, size: Any, dtype: DType, parameters: tuple[Array, ...] = ()) -> Array:
        raise NotImplementedError  # `Generator` has it

    def _floats(self, function: str, size: Any, dtype: Any, *parameters: Any) -> Array:
        target = as_dtype(dtype, function)
        if target not in (float32, float64):
            raise TypeError(f"{function}: expected dtype to be float32 or float64, got {target.name}")
        return self._draw(function, size, target, tuple(asarray(p, target, function=function) for p in parameters))

    # --- uniform ------------------------------------------------------------------------------------------------------

    def random(self, size: Any = None, dtype: Any = float64) -> Array:
        """Uniform in [0, 1): multiples of 2**-53, of float32 of 2**-24."""
        return self._floats("random", size, dtype)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None, dtype: Any = float64) -> Array:
        """`low + (high - low) * random`: rounding may give `high`."""
        return self._floats("uniform", size, dtype, low, high)

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = int64, endpoint: bool = False
    ) -> Array:
        """Whole numbers from `low` (0 if only one bound is given) up to, but without, `high`; with `endpoint`, with it.

        The bounds may be arrays of whole numbers. `ValueError` for bounds that leave no number, or beyond the dtype,
        where their values are known.
        """
        if high is None:
            low, high = 0, low
        target = as_dtype(dtype, "integers")
        if target.kind not in "iub":
            raise TypeError(f"integers: expected dtype to be bool or of integers, got {target.name}")
        least, greatest = bound_of("low", low, 0), bound_of("high", high, 0 if endpoint else 1)
        check_bounds(least, greatest, target)
        bounds = tuple(x if isinstance(x, Array) else asarray(x) for x in (least, greatest))
        return self._draw("integers", size, target, bounds)

    def bytes(self, length: int) -> bytes:
        """That many random bytes, computed at once."""
        return np.asarray(self.integers(0, 256, length, "uint8")).tobytes()

    # --- floating-point distributions ---------------------------------------------------------------------------------

    def standard_normal(self, size: Any = None, dtype: Any = float64) -> Array:
        """Normal, of mean 0 and standard deviation 1."""
        return self._floats("standard_normal", size, dtype)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = float64) -> Array:
        """Normal, of mean `loc` and standard deviation `scale`."""
        check_not_negative("normal", scale=scale)
        return self._floats("normal", size, dtype, loc, scale)

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None, dtype: Any = float64) -> Array:
        """Numbers whose logarithm is normal."""
        check_not_negative("lognormal", sigma=sigma)
        return self._floats("lognormal", size, dtype, mean, sigma)

    def standard_exponential(self, size: Any = None, dtype: Any = float64) -> Array:
        """Exponential, of mean 1."""
        return self._floats("standard_exponential", size, dtype)

    def exponential(self, scale: Any = 1.0, size: Any = None, dtype: Any = float64) -> Array:
        """Exponential, of mean `scale`."""
        check_not_negative("exponential", scale=scale)
        return self._floats("exponential", size, dtype, scale)

    def rayleigh(self, scale: Any = 1.0, size: Any = None, dtype: Any = float64) -> Array:
        """The length of a vector of two normal numbers of standard deviation `scale`."""
        check_not_negative("rayleigh", scale=scale)
        return self._floats("rayleigh", size, dtype, scale)

    def weibull(self, a: Any, size: Any = None, dtype: Any = float64) -> Array:
        """`(-log u)**(1/a)` for uniform u."""
        check_positive("weibull", a=a)
        return self._floats("weibull", size, dtype, a)

    def pareto(self, a: Any, size: Any = None, dtype: Any = float64) -> Array:
        """`u**(-1/a) - 1` for uniform u: Pareto II, or Lomax."""
        check_positive("pareto", a=a)
        return self._floats("pareto", size, dtype, a)

    def power(self, a: Any, size: Any = None, dtype: Any = float64) -> Array:
        """`u**(1/a)` for uniform u: of density a x**(a-1) in [0, 1]."""
        check_positive("power", a=a)
        return self._floats("power", size, dtype, a)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = float64) -> Array:
        """Exponential on both sides of `loc`."""
        check_not_negative("laplace", scale=scale)
        return self._floats("laplace", size, dtype, loc, scale)

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = float64) -> Array:
        """`loc + scale * log(u / (1 - u))` for uniform u."""
        check_not_negative("logistic", scale=scale)
        return self._floats("logistic", size, dtype, loc, scale)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = float64) -> Array:
        """`loc - scale * log(-log(u))` for uniform u."""
        check_not_negative("gumbel", scale=scale)
        return self._floats("gumbel", size, dtype, loc, scale)

    def standard_cauchy(self, size: Any = None, dtype: Any = float64) -> Array:
        """The quotient of two normal numbers."""
        return self._floats("standard_cauchy", size, dtype)

    def triangular(self, left: Any, mode: Any, right: Any, size: Any = None, dtype: Any = float64) -> Array:
        """Between `left` and `right`, most densely at `mode`."""
        known = [known_value(x) for x in (left, mode, right)]
        if all(x is not None for x in known):
            a, b, c = known
            if np.any(a > b) or np.any(b > c) or np.any(a == c):
                raise ValueError("triangular: expected left <= mode <= right and left < right")
        return self._floats("triangular", size, dtype, left, mode, right)

    # --- counts -------------------------------------------------------------------------------------------------------

    def geometric(self, p: Any, size: Any = None) -> Array:
        """How many trials of probability p it takes to succeed once, as int64."""
        check_probability("geometric", p, zero=False)
        return self._draw("geometric", size, int64, (asarray(p, float64, function="geometric"),))

    def binomial(self, n: int, p: Any, size: Any = None) -> Array:
        """How many of n trials of probability p succeed, as int64. The time grows with n, one whole number."""
        from lazyarr.reductions import sum as sum_

        check_probability("binomial", p)
        trials = operator.index(n)
        if trials < 0:
            raise ValueError(f"binomial: expected n not to be negative, got {trials}")
        chance = asarray(p, float64, function="binomial")
        shape = size_of("binomial", size, (chance,))
        return sum_(self.random((trials, *shape)) < chance, axis=0)
