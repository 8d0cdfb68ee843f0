"""NumPy's `polynomial`: classes and functions of polynomials by their coefficients, in six bases.

A polynomial object is evaluated at lazy arrays by the operators that they record: that is compiled. Coefficients are
few, and stay NumPy's: fitting, roots, products and what else the package does with them runs on the host through
numpy.polynomial, counted in `lazyarr.config.statistics()`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
from numpy import polynomial as numpys
from numpy.polynomial import set_default_printstyle

from lazyarr.array import Array
from lazyarr.host import host_apply

__all__ = [
    "Chebyshev", "Hermite", "HermiteE", "Laguerre", "Legendre", "Polynomial", "chebyshev", "hermite", "hermite_e",
    "laguerre", "legendre", "polynomial", "set_default_printstyle",
]  # fmt: skip


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


class _Evaluated:
    """What the classes of polynomials do differently: they take lazy arrays."""

    def __init__(self, coef: Any, *arguments: Any, **keywords: Any) -> None:
        super().__init__(np.asarray(coef) if isinstance(coef, Array) else coef, *arguments, **keywords)  # type: ignore[call-arg]  # of the class beside it

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


def _class(name: str) -> type:
    return type(
        name, (_Evaluated, getattr(numpys, name)), {"__module__": __name__, "__doc__": getattr(numpys, name).__doc__}
    )


Polynomial, Chebyshev, Legendre = _class("Polynomial"), _class("Chebyshev"), _class("Legendre")
Hermite, HermiteE, Laguerre = _class("Hermite"), _class("HermiteE"), _class("Laguerre")


def _module(theirs: ModuleType, cls: type) -> SimpleNamespace:
    """A module's functions, constants and class."""
    names: dict[str, Any] = {}
    for name in theirs.__all__:
        found = getattr(theirs, name)
        if callable(found) and not isinstance(found, type):
            found = (_evaluating if name.endswith("val") else _hosted)(found)
        names[name] = found
    return SimpleNamespace(**{**names, cls.__name__: cls})


polynomial = _module(numpys.polynomial, Polynomial)
chebyshev = _module(numpys.chebyshev, Chebyshev)
legendre = _module(numpys.legendre, Legendre)
hermite = _module(numpys.hermite, Hermite)
hermite_e = _module(numpys.hermite_e, HermiteE)
laguerre = _module(numpys.laguerre, Laguerre)
