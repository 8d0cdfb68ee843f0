"""The distributions that a `Generator` draws from, by NumPy's names and with NumPy's parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.aliasing.outputs import put_out
from lazyarr.api.elementwise.standard import sqrt, square
from lazyarr.array import Array
from lazyarr.dtypes import DType, as_dtype, float32, float64, int64
from lazyarr.eager.numbers import EXACT
from lazyarr.random.choosing import Choosing
from lazyarr.random.parameters import (
    GREATEST,
    LEAST,
    at_hand,
    bound_of,
    check_bounds,
    check_not_negative,
    check_positive,
    check_probability,
    check_range,
    known_bound,
    known_value,
    size_of,
)
from lazyarr.random.tables import Tables
from lazyarr.random.vectors import Vectors
from lazyarr.recording.conversion import where
from lazyarr.recording.creation import as_shape, asarray

__all__ = ["Methods"]


def _given(parameter: Any, target: DType, function: str) -> Any:
    """A parameter as an array of that dtype, or as the Python float that it is."""
    if target is float64:
        if type(parameter) is float:
            return parameter
        if type(parameter) is int and -EXACT <= parameter <= EXACT:
            return float(parameter)
    return asarray(parameter, target, function=function)


class Methods(Choosing, Tables, Vectors):
    """The methods of `Generator` that draw arrays, by what they are drawn from."""

    __slots__ = ()

    def _draw(self, function: str, size: Any, dtype: DType, parameters: tuple[Any, ...] = ()) -> Array:
        raise NotImplementedError  # `Generator` has it

    def _floats(self, function: str, size: Any, dtype: Any, *parameters: Any) -> Array:
        target = as_dtype(dtype, function)
        if target is not float64 and target is not float32:
            raise TypeError(f"{function}: expected dtype to be float32 or float64, got {target.name}")
        if not parameters:
            return self._draw(function, size, target)
        return self._draw(function, size, target, tuple([_given(p, target, function) for p in parameters]))

    def _put(self, function: str, size: Any, dtype: Any, out: Any, *parameters: Any) -> Array:
        """The same, put into `out`, if there is one, whose shape is the size."""
        if out is None:
            return self._floats(function, size, dtype, *parameters)

        target = as_dtype(dtype, function)
        if not isinstance(out, (Array, np.ndarray)) or out.dtype != target:
            found = out.dtype.name if isinstance(out, (Array, np.ndarray)) else type(out).__name__
            raise TypeError(f"{function}: expected out to be an array of dtype {target.name}, got {found}")
        if size is not None and as_shape(size, function) != out.shape:
            raise ValueError(f"{function}: expected size to be the shape of out, {out.shape}, got {size!r}")
        made = self._floats(function, out.shape, dtype, *parameters)
        return put_out(function, out, made)  # type: ignore[no-any-return]  # an Array or a NumPy array

    # --- uniform ------------------------------------------------------------------------------------------------------

    def random(self, size: Any = None, dtype: Any = float64, out: Any = None) -> Array:
        """Uniform in [0, 1): multiples of 2**-53, of float32 of 2**-24."""
        return self._put("random", size, dtype, out)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None, dtype: Any = float64) -> Array:
        """`low + (high - low) * random`: rounding may give `high`."""
        check_range("uniform", low, high)
        return self._floats("uniform", size, dtype, low, high)

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = int64, endpoint: bool = False
    ) -> Array:
        """Whole numbers from `low` (0 if only one bound is given) up to, but without, `high`; with `endpoint`, with it.

        The bounds may be arrays; what they have behind the point is left out. `ValueError` for bounds that leave no
        number, or beyond the dtype, where their values are known.
        """
        if high is None:
            low, high = 0, low
        target = as_dtype(dtype, "integers")
        if type(low) is int and type(high) is int and target is int64:
            last = high if endpoint else high - 1
            if LEAST <= low <= last <= GREATEST:
                return self._draw("integers", size, target, (low, last))
        if target.kind not in "iub":
            raise TypeError(f"integers: expected dtype to be bool or of integers, got {target.name}")
        less = 0 if endpoint else 1
        least, greatest = bound_of("low", low, 0), bound_of("high", high, less)
        check_bounds(known_bound(least, "low", low, 0), known_bound(greatest, "high", high, less), target)
        bounds = tuple(x if isinstance(x, Array) else asarray(x) for x in (least, greatest))
        return self._draw("integers", size, target, bounds)

    def bytes(self, length: int) -> bytes:
        """That many random bytes, computed at once."""
        return np.asarray(self.integers(0, 256, length, "uint8")).tobytes()

    # --- floating-point distributions ---------------------------------------------------------------------------------

    def standard_normal(self, size: Any = None, dtype: Any = float64, out: Any = None) -> Array:
        """Normal, of mean 0 and standard deviation 1."""
        return self._put("standard_normal", size, dtype, out)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = float64) -> Array:
        """Normal, of mean `loc` and standard deviation `scale`."""
        check_not_negative("normal", scale=scale)
        return self._floats("normal", size, dtype, loc, scale)

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None, dtype: Any = float64) -> Array:
        """Numbers whose logarithm is normal."""
        check_not_negative("lognormal", sigma=sigma)
        return self._floats("lognormal", size, dtype, mean, sigma)

    def standard_exponential(
        self, size: Any = None, dtype: Any = float64, method: str = "zig", out: Any = None
    ) -> Array:
        """Exponential, of mean 1. `method` is NumPy's ("zig" or "inv") and changes nothing."""
        return self._put("standard_exponential", size, dtype, out)

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
        check_not_negative("weibull", a=a)
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
        known = [at_hand(x) for x in (left, mode, right)]
        if all(x is not None for x in known):
            a, b, c = known
            if np.any(a > b) or np.any(b > c) or np.any(a == c):
                raise ValueError("triangular: expected left <= mode <= right and left < right")
        return self._floats("triangular", size, dtype, left, mode, right)

    def wald(self, mean: Any, scale: Any, size: Any = None) -> Array:
        """Inverse Gaussian: when a random walk with drift reaches a barrier."""
        check_positive("wald", mean=mean, scale=scale)
        return self._floats("wald", size, float64, mean, scale)

    # --- gamma numbers and what is made of them -----------------------------------------------------------------------

    def standard_gamma(self, shape: Any, size: Any = None, dtype: Any = float64, out: Any = None) -> Array:
        """Gamma, of that shape and scale 1."""
        check_not_negative("standard_gamma", shape=shape)
        return self._put("standard_gamma", size, dtype, out, shape)

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None) -> Array:
        """Gamma: the sum of `shape` exponential numbers of mean `scale`."""
        check_not_negative("gamma", shape=shape, scale=scale)
        given = asarray(shape, float64, function="gamma"), asarray(scale, float64, function="gamma")
        return self.standard_gamma(given[0], size_of("gamma", size, given)) * given[1]  # type: ignore[no-any-return]  # operators give Any

    def chisquare(self, df: Any, size: Any = None) -> Array:
        """The sum of the squares of `df` standard normal numbers."""
        check_positive("chisquare", df=df)
        return self.standard_gamma(asarray(df, float64, function="chisquare") * 0.5, size) * 2.0  # type: ignore[no-any-return]  # operators give Any

    def noncentral_chisquare(self, df: Any, nonc: Any, size: Any = None) -> Array:
        """The sum of the squares of `df` normal numbers of variance 1 whose squared means add up to `nonc`.

        For a `df` that is not known to be above 1: a chi-square number with as many degrees of freedom more as twice a
        Poisson number, for which `nonc` is computed.
        """
        check_positive("noncentral_chisquare", df=df)
        check_not_negative("noncentral_chisquare", nonc=nonc)
        given = tuple(asarray(x, float64, function="noncentral_chisquare") for x in (df, nonc))
        shape = size_of("noncentral_chisquare", size, given)
        freedom, centre = given
        known = known_value(df)
        if known is not None and np.all(known > 1):
            normal = square(self.standard_normal(shape) + sqrt(centre))
            return self.chisquare(freedom - 1, shape) + normal  # type: ignore[no-any-return]  # operators give Any
        means = np.asarray(centre) / 2
        missing = means != means
        more = self.poisson(np.where(missing, 0.0, means), shape)
        return self.chisquare(freedom + np.where(missing, np.nan, 2.0) * more, shape)

    def noncentral_f(self, dfnum: Any, dfden: Any, nonc: Any, size: Any = None) -> Array:
        """The quotient of a noncentral chi-square number and a chi-square one, each over its degrees of freedom."""
        check_positive("noncentral_f", dfnum=dfnum, dfden=dfden)
        check_not_negative("noncentral_f", nonc=nonc)
        given = tuple(asarray(x, float64, function="noncentral_f") for x in (dfnum, dfden, nonc))
        shape = size_of("noncentral_f", size, given)
        above = self.noncentral_chisquare(dfnum, nonc, shape) * given[1]
        return above / (self.chisquare(given[1], shape) * given[0])  # type: ignore[no-any-return]  # operators give Any

    def vonmises(self, mu: Any, kappa: Any, size: Any = None) -> Array:
        """Angles in [-pi, pi), of the mode `mu` and the concentration `kappa`."""
        check_not_negative("vonmises", kappa=kappa)
        return self._floats("vonmises", size, float64, mu, kappa)

    def beta(self, a: Any, b: Any, size: Any = None) -> Array:
        """The part that the first of two gamma numbers has of their sum."""
        check_positive("beta", a=a, b=b)
        first, second = asarray(a, float64, function="beta"), asarray(b, float64, function="beta")
        shape = size_of("beta", size, (first, second))
        x, y = self.standard_gamma(first, shape), self.standard_gamma(second, shape)
        # where both are too small for numbers, nearly all is one of them
        either = where(self.random(shape) * (first + second) < first, 1.0, 0.0)
        return where(x + y == 0, either, x / (x + y))

    def f(self, dfnum: Any, dfden: Any, size: Any = None) -> Array:
        """The quotient of two chi-square numbers, each divided by its degrees of freedom."""
        check_positive("f", dfnum=dfnum, dfden=dfden)
        given = asarray(dfnum, float64, function="f"), asarray(dfden, float64, function="f")
        shape = size_of("f", size, given)
        return (self.chisquare(given[0], shape) * given[1]) / (self.chisquare(given[1], shape) * given[0])  # type: ignore[no-any-return]  # operators give Any

    def standard_t(self, df: Any, size: Any = None) -> Array:
        """Student's t: a normal number divided by the root of a chi-square one over its degrees of freedom."""
        check_positive("standard_t", df=df)
        freedom = asarray(df, float64, function="standard_t")
        shape = size_of("standard_t", size, (freedom,))
        return self.standard_normal(shape) * sqrt(freedom / self.chisquare(freedom, shape))  # type: ignore[no-any-return]  # operators give Any

    # --- counts -------------------------------------------------------------------------------------------------------

    def geometric(self, p: Any, size: Any = None) -> Array:
        """How many trials of probability p it takes to succeed once, as int64."""
        check_probability("geometric", p, zero=False)
        return self._draw("geometric", size, int64, (_given(p, float64, "geometric"),))

    def zipf(self, a: Any, size: Any = None) -> Array:
        """Whole numbers k from 1 on with probabilities proportional to k**-a, a > 1, as int64."""
        known = at_hand(a)
        if known is not None and not np.all(known > 1):
            raise ValueError(f"zipf: expected a to be above 1, got {a!r}")
        return self._draw("zipf", size, int64, (_given(a, float64, "zipf"),))
