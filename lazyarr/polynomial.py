"""NumPy's `polynomial`: classes and functions of polynomials by their coefficients, in six bases.

A polynomial object is evaluated at lazy arrays by the operators that they record: that is compiled. Coefficients are
few, and stay NumPy's: what takes them from a lazy array, or gives arrays, runs on the host through numpy.polynomial and
is counted in `lazyarr.config.statistics()`. That is a polynomial of lazy coefficients or roots; its sums, products and
quotients with a lazy array; fits, roots and `linspace`; every call of a module's functions but values at lazy arrays.
Where polynomial objects and numbers meet alone (`p * q`, `p.deriv()`, `p**3`, `p.convert()`) no array takes part: that
is NumPy's own code, and not counted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

import numpy as np
from numpy import polynomial as numpys
from numpy.polynomial import set_default_printstyle

from lazyarr.array import Array
from lazyarr.graph.pytree import flatten
from lazyarr.recording.host import host_apply

__all__ = [
    "Chebyshev", "Hermite", "HermiteE", "Laguerre", "Legendre", "Polynomial", "chebyshev", "hermite", "hermite_e",
    "laguerre", "legendre", "polynomial", "polyutils", "set_default_printstyle",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)


def _hosted(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with lazy arrays among its arguments: run on the host, its results arrays."""

    @wraps(function)
    def called(*arguments: Any, **keywords: Any) -> Any:
        return host_apply("polynomial", function, *arguments, **keywords)

    return called


def _evaluating(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of points and coefficients: at lazy arrays it is made of their operators, and recorded."""
    hosted = _hosted(function)

    @wraps(function)
    def called(x: Any, c: Any, tensor: bool = True) -> Any:
        if isinstance(x, Array) and np.ndim(c) == 1 and not isinstance(c, Array):
            return function(x, c)
        return hosted(x, c, tensor)

    return called


def _with_arrays(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """What a method of NumPy's gives: on the host, and counted, where a lazy array is among the arguments."""
    leaves, _ = flatten([list(arguments), keywords])
    if any(isinstance(x, Array) for x in leaves):
        return host_apply("polynomial", function, *arguments, **keywords)
    return function(*arguments, **keywords)


class _Evaluated:
    """What the classes of polynomials do differently: they take lazy arrays."""

    def __init__(self, coef: Any, *arguments: Any, **keywords: Any) -> None:
        _with_arrays(super().__init__, coef, *arguments, **keywords)

    @classmethod
    def fromroots(cls, roots: Any, *arguments: Any, **keywords: Any) -> Any:
        """The polynomial that is zero at the roots; of lazy ones on the host."""
        return _with_arrays(super().fromroots, roots, *arguments, **keywords)  # type: ignore[misc]  # of the class beside it

    def __call__(self, arg: Any) -> Any:
        """The polynomial's values."""
        if not isinstance(arg, Array):
            return super().__call__(arg)  # type: ignore[misc]  # as above
        offset, scale = self.mapparms()  # type: ignore[attr-defined]  # as above
        return type(self)._val(offset + scale * arg, self.coef)  # type: ignore[attr-defined]  # as above

    @classmethod
    def fit(cls, x: Any, y: Any, deg: Any, *arguments: Any, **keywords: Any) -> Any:
        """The polynomial that fits points best, by least squares; on the host."""
        return host_apply("polynomial", super().fit, x, y, deg, *arguments, **keywords)  # type: ignore[misc]  # as above

    def roots(self) -> Any:
        """Where the polynomial is zero; on the host."""
        return host_apply("polynomial", super().roots)  # type: ignore[misc]  # as above

    def linspace(self, n: int = 100, domain: Any = None) -> Any:
        """Points evenly apart in the domain, and the values there; on the host."""
        return host_apply("polynomial", super().linspace, n, domain)  # type: ignore[misc]  # as above


def _method(name: str) -> Callable[..., Any]:
    """NumPy's method of that name, which also takes lazy arrays."""

    @wraps(getattr(numpys.Polynomial, name))
    def method(self: Any, *arguments: Any, **keywords: Any) -> Any:
        return _with_arrays(getattr(super(_Evaluated, self), name), *arguments, **keywords)

    return method


for _name in ("add", "sub", "mul", "floordiv", "mod", "divmod"):
    for _form in (f"__{_name}__", f"__r{_name}__"):
        setattr(_Evaluated, _form, _method(_form))
for _name in ("integ", "convert"):
    setattr(_Evaluated, _name, _method(_name))


def _class(name: str) -> type:
    return type(
        name, (_Evaluated, getattr(numpys, name)), {"__module__": __name__, "__doc__": getattr(numpys, name).__doc__}
    )


Polynomial, Chebyshev, Legendre = _class("Polynomial"), _class("Chebyshev"), _class("Legendre")
Hermite, HermiteE, Laguerre = _class("Hermite"), _class("HermiteE"), _class("Laguerre")


def _module(theirs: ModuleType, *classes: type) -> ModuleType:
    """A module's functions, constants and classes, as a module: `from lazyarr.polynomial.legendre import leggauss`."""
    names: dict[str, Any] = {}
    for name in theirs.__all__:
        found = getattr(theirs, name)
        if callable(found) and not isinstance(found, type):
            found = (_evaluating if name.endswith("val") else _hosted)(found)
        names[name] = found
    made = ModuleType(f"{__name__}.{theirs.__name__.rpartition('.')[2]}", theirs.__doc__)
    made.__dict__.update({**names, **{cls.__name__: cls for cls in classes}, "__all__": [*theirs.__all__]})
    sys.modules[made.__name__] = made
    return made


polynomial = _module(numpys.polynomial, Polynomial)
chebyshev = _module(numpys.chebyshev, Chebyshev)
legendre = _module(numpys.legendre, Legendre)
hermite = _module(numpys.hermite, Hermite)
hermite_e = _module(numpys.hermite_e, HermiteE)
laguerre = _module(numpys.laguerre, Laguerre)
polyutils = _module(numpys.polyutils)
