"""NumPy's legacy functions of random numbers, over one generator."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, Concatenate, ParamSpec, TypeVar

from lazyarr.array import Array
from lazyarr.dtypes import float64, int64
from lazyarr.random.generator import Generator, default_rng
from lazyarr.random.parameters import check_range

__all__ = [
    "RandomState", "beta", "binomial", "bytes", "chisquare", "choice", "dirichlet", "exponential", "f", "gamma",
    "geometric", "get_state", "gumbel", "hypergeometric", "laplace", "logistic", "lognormal", "logseries",
    "multinomial", "multivariate_normal", "negative_binomial", "noncentral_chisquare", "noncentral_f", "normal",
    "pareto", "permutation", "poisson", "power", "rand", "randint", "randn", "random", "random_integers",
    "random_sample", "ranf", "rayleigh", "sample", "seed", "set_state", "shuffle", "standard_cauchy",
    "standard_exponential", "standard_gamma", "standard_normal", "standard_t", "triangular", "uniform", "vonmises",
    "wald", "weibull", "zipf",
]  # fmt: skip

P = ParamSpec("P")
R = TypeVar("R")


class RandomState:
    """A generator of its own with NumPy's legacy functions as methods: `RandomState(0).randn(3)`."""

    def __init__(self, seed: Any = None) -> None:
        self._generator = default_rng(seed)

    def seed(self, seed: Any = None) -> None:
        """Start anew: from a whole number, or from the operating system; also for methods that were taken before."""
        fresh = default_rng(seed).bit_generator
        key, stream = fresh.numbers or fresh.words
        self._generator.bit_generator.restart(key, stream, fresh.position)

    def rand(self, *shape: int) -> Array:
        """Uniform in [0, 1), in a shape given by its extents."""
        return self._generator.random(shape)

    def randn(self, *shape: int) -> Array:
        """Normal, of mean 0 and standard deviation 1, in a shape given by its extents."""
        return self._generator.standard_normal(shape)

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int64) -> Array:
        """Whole numbers from `low` (0 if only one bound is given) up to, but without, `high`."""
        return self._generator.integers(low, high, size, dtype)

    def random_sample(self, size: Any = None) -> Array:
        """Uniform in [0, 1)."""
        return self._generator.random(size)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None, dtype: Any = float64) -> Array:
        """`low + (high - low) * random`: `high` may be below `low`."""
        check_range("uniform", low, high, backwards=True)
        return self._generator._floats("uniform", size, dtype, low, high)

    def get_state(self, legacy: bool = True) -> dict[str, Any]:
        """The generator's state, to be kept for `set_state`; always as the dictionary of `legacy` False."""
        return self._generator.bit_generator.state

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from a state that `get_state` gave."""
        self._generator.bit_generator.state = state

    def __getattr__(self, name: str) -> Any:
        """The generator's method, where the module has a function of that name."""
        if name not in __all__ or not hasattr(Generator, name):
            raise AttributeError(f"RandomState has no {name}")
        return getattr(self._generator, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *[name for name in __all__ if hasattr(Generator, name)]})


_state: RandomState | None = None


def _global() -> RandomState:
    """The module's generator, from a seed of the operating system where none was given."""
    global _state
    if _state is None:
        _state = RandomState()
    return _state


def seed(seed: Any = None) -> None:
    """Start the module's generator anew: from a whole number, or from the operating system."""
    global _state
    _state = RandomState(seed)


def _function(method: Callable[Concatenate[RandomState, P], R]) -> Callable[P, R]:
    """A method of the module's generator, as a function."""

    @wraps(method)
    def function(*args: P.args, **kwargs: P.kwargs) -> R:
        return method(_global(), *args, **kwargs)

    own = signature(method)
    function.__signature__ = own.replace(parameters=tuple(own.parameters.values())[1:])  # type: ignore[attr-defined]  # for `help`
    function.__qualname__ = method.__name__
    return function


get_state, set_state = _function(RandomState.get_state), _function(RandomState.set_state)
rand, randn = _function(RandomState.rand), _function(RandomState.randn)
randint, uniform = _function(RandomState.randint), _function(RandomState.uniform)
random = ranf = sample = random_sample = _function(RandomState.random_sample)


def random_integers(low: Any, high: Any = None, size: Any = None) -> Array:
    """Whole numbers from `low` (1 if only one bound is given) up to `high`, that one included."""
    low, high = (1, low) if high is None else (low, high)
    return _global()._generator.integers(low, high, size, endpoint=True)


def _method(name: str) -> Any:
    """The generator's method of that name, as a function."""
    method = getattr(Generator, name)

    def function(*args: Any, **kwargs: Any) -> Any:
        return method(_global()._generator, *args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = method.__doc__
    return function


binomial = _method("binomial")
bytes = _method("bytes")
choice = _method("choice")
exponential = _method("exponential")
geometric = _method("geometric")
gumbel = _method("gumbel")
laplace = _method("laplace")
logistic = _method("logistic")
lognormal = _method("lognormal")
normal = _method("normal")
pareto = _method("pareto")
permutation = _method("permutation")
poisson = _method("poisson")
power = _method("power")
rayleigh = _method("rayleigh")
shuffle = _method("shuffle")
standard_cauchy = _method("standard_cauchy")
standard_exponential = _method("standard_exponential")
standard_normal = _method("standard_normal")
triangular = _method("triangular")
weibull = _method("weibull")
beta = _method("beta")
chisquare = _method("chisquare")
dirichlet = _method("dirichlet")
f = _method("f")
gamma = _method("gamma")
hypergeometric = _method("hypergeometric")
logseries = _method("logseries")
multinomial = _method("multinomial")
multivariate_normal = _method("multivariate_normal")
negative_binomial = _method("negative_binomial")
standard_gamma = _method("standard_gamma")
standard_t = _method("standard_t")
wald = _method("wald")
noncentral_chisquare = _method("noncentral_chisquare")
noncentral_f = _method("noncentral_f")
vonmises = _method("vonmises")
zipf = _method("zipf")
