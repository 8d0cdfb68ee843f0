"""Polynomials by their coefficients, the highest power's first, as NumPy's `poly` functions have them."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from lazyarr.api.create.ranges import arange
from lazyarr.api.create.windows import polyval
from lazyarr.api.elementwise.standard import add, divide, multiply, subtract
from lazyarr.api.shape.joining import concatenate
from lazyarr.api.signal.filtering import convolve
from lazyarr.array import Array
from lazyarr.memory.quiet import quietly
from lazyarr.recording.creation import asarray
from lazyarr.recording.filled import zeros
from lazyarr.recording.host import call_host

__all__ = [
    "poly", "poly1d", "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul", "polysub", "roots",
]  # fmt: skip


def _coefficients(function: str, p: Any) -> Array:
    found = asarray(p.coeffs if isinstance(p, poly1d) else p, function=function)
    if found.ndim > 1:
        raise ValueError(f"{function}: expected a vector of coefficients, got shape {found.shape}")
    return found.reshape(-1)


def polyfit(
    x: Any, y: Any, deg: Any, rcond: float | None = None, full: bool = False, w: Any = None, cov: Any = False
) -> Any:
    """The polynomial of a degree (or of the given powers' greatest) that fits values at points best, by least squares.

    Args:
        w: weights of the points.
        full, cov: also what NumPy gives with them: residuals, rank, singular values and `rcond`; or the covariance of
            the coefficients

    The least squares run on the host (`numpy.polyfit`).
    """
    at, values = asarray(x, function="polyfit"), asarray(y, function="polyfit")
    weights = () if w is None else (asarray(w, function="polyfit"),)

    def fit(at: Any, values: Any, *weights: Any) -> Any:
        return np.polyfit(at, values, deg, rcond, full, weights[0] if weights else None, cov)  # type: ignore[call-overload]

    return call_host("polyfit", fit, at, values, *weights)


def roots(p: Any) -> Array:
    """The zeros of a polynomial: the eigenvalues of its companion matrix, on the host (`numpy.roots`)."""
    return call_host("roots", np.roots, _coefficients("roots", p))  # type: ignore[no-any-return]  # an Array


def poly(seq_of_zeros: Any) -> Array:
    """The coefficients of the polynomial with these zeros, or of a matrix's characteristic polynomial (host)."""
    return call_host("poly", np.poly, asarray(seq_of_zeros, function="poly"))  # type: ignore[no-any-return]  # an Array


def _together(function: str, a1: Any, a2: Any) -> tuple[Array, Array]:
    """The coefficients of two polynomials, zeros in front of the shorter ones."""
    first, second = _coefficients(function, a1), _coefficients(function, a2)
    missing = first.size - second.size
    if missing > 0:
        second = concatenate([zeros(missing, dtype=second.dtype), second])
    elif missing < 0:
        first = concatenate([zeros(-missing, dtype=first.dtype), first])
    return first, second


def _like(given: tuple[Any, ...], made: Array) -> Any:
    """A `poly1d` where one was given."""
    return poly1d(made) if any(isinstance(x, poly1d) for x in given) else made


def polyadd(a1: Any, a2: Any) -> Any:
    """The sum of two polynomials."""
    return _like((a1, a2), add(*_together("polyadd", a1, a2)))


def polysub(a1: Any, a2: Any) -> Any:
    """The difference of two polynomials."""
    return _like((a1, a2), subtract(*_together("polysub", a1, a2)))


def polymul(a1: Any, a2: Any) -> Any:
    """The product of two polynomials. Zeros in front are kept, which NumPy drops: so the shape follows from shapes."""
    factors = (_coefficients("polymul", a1), _coefficients("polymul", a2))
    first, second = (p if p.size else zeros(1, dtype=p.dtype) for p in factors)
    return _like((a1, a2), convolve(first, second))


def polydiv(u: Any, v: Any) -> tuple[Any, Any]:
    """Quotient and remainder of two polynomials, by long division; computes them (leading zeros are dropped)."""
    given = [np.asarray(_coefficients("polydiv", p)) for p in (u, v)]
    quotient, remainder = quietly(np.polydiv, *given)
    return _like((u, v), asarray(quotient)), _like((u, v), asarray(remainder))


def polyder(p: Any, m: int = 1) -> Any:
    """The m-th derivative of a polynomial; `ValueError` for a negative m."""
    times = operator.index(m)
    if times < 0:
        raise ValueError(f"polyder: expected m not to be negative, got {m}")
    found = _coefficients("polyder", p)
    for _ in range(times):
        found = multiply(found[:-1], arange(found.size - 1, 0, -1)) if found.size > 1 else found[:0]
    return _like((p,), found)


def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    """The m-th antiderivative of a polynomial.

    Args:
        k: the constants of integration, the first one's first; one number for all; None: zeros

    Raises:
        ValueError: a negative m, or another number of constants.
    """
    times = operator.index(m)
    if times < 0:
        raise ValueError(f"polyint: expected m not to be negative, got {m}")
    constants = np.zeros(times) if k is None else np.atleast_1d(np.asarray(k, float))
    if len(constants) == 1 and times > 1:
        constants = np.repeat(constants, times)
    if len(constants) < times:
        raise ValueError(f"polyint: expected one or {times} constants, got {len(constants)}")
    found = _coefficients("polyint", p)
    for i in range(times):
        found = concatenate([divide(found, arange(found.size, 0, -1)), asarray(constants[i : i + 1])])
    return _like((p,), found)


class poly1d:  # noqa: N801  # NumPy's name
    """A polynomial: `p(x)` evaluates it, `+ - * / **` combine it with others and with numbers, `p[k]` is the
    coefficient of the k-th power, which may be assigned.

    Attributes:
        coeffs, coefficients, c: its coefficients, the highest power's first, without zeros in front
        order, o: its degree
        roots, r: its zeros
        variable: the name that it is printed with
    """

    __hash__ = None  # type: ignore[assignment]  # as NumPy's

    def __init__(self, c_or_r: Any, r: bool = False, variable: str | None = None) -> None:
        given = poly(c_or_r) if r else _coefficients("poly1d", c_or_r)
        values = np.trim_zeros(np.asarray(given), "f")
        self.coeffs = asarray(values if values.size else np.zeros(1, values.dtype))
        self.variable = variable or getattr(c_or_r, "variable", "x")

    @property
    def order(self) -> int:
        """The degree."""
        return self.coeffs.size - 1

    @property
    def roots(self) -> Array:
        """The zeros."""
        return roots(self.coeffs)

    o, r = order, roots

    @property
    def c(self) -> Array:
        """The coefficients."""
        return self.coeffs

    coef = coefficients = c

    def __call__(self, val: Any) -> Any:
        """The values at the elements of an array; of another polynomial, what it is with that put in."""
        if isinstance(val, poly1d):
            found = poly1d([0])
            for coefficient in self.coeffs:
                found = found * val + coefficient
            return found
        return polyval(self.coeffs, val)

    def __len__(self) -> int:
        return self.order

    def __iter__(self) -> Iterator[Array]:
        return iter(self.coeffs)

    def __getitem__(self, power: int) -> Any:
        return self.coeffs[self.order - power] if 0 <= power <= self.order else self.coeffs.dtype.type(0)

    def __setitem__(self, power: int, value: Any) -> None:
        if power < 0:
            raise ValueError(f"poly1d: expected a power that is not negative, got {power}")
        if power > self.order:
            self.coeffs = concatenate([zeros(power - self.order, dtype=self.coeffs.dtype), self.coeffs])
        self.coeffs[self.order - power] = value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self.coeffs.__array__(dtype, copy)

    def __neg__(self) -> poly1d:
        return poly1d(-self.coeffs)

    def __pos__(self) -> poly1d:
        return self

    def __add__(self, other: Any) -> poly1d:
        return poly1d(polyadd(self, other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> poly1d:
        return poly1d(polysub(self, other))

    def __rsub__(self, other: Any) -> poly1d:
        return poly1d(polysub(other, self))

    def __mul__(self, other: Any) -> poly1d:
        return poly1d(multiply(self.coeffs, other) if np.isscalar(other) else polymul(self, other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if np.isscalar(other):
            return poly1d(divide(self.coeffs, other))
        return polydiv(self, other)

    def __pow__(self, power: Any) -> poly1d:
        is_number = isinstance(power, (int, float, np.number))
        if not is_number or int(power) != power or power < 0:
            raise ValueError(f"poly1d: expected a power that is a whole number and not negative, got {power}")
        found = poly1d([1])
        for _ in range(operator.index(power)):
            found = found * self
        return found

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, poly1d):
            return NotImplemented
        return np.array_equal(np.asarray(self.coeffs), np.asarray(other.coeffs))

    def deriv(self, m: int = 1) -> poly1d:
        """The m-th derivative."""
        return poly1d(polyder(self.coeffs, m))

    def integ(self, m: int = 1, k: Any = 0) -> poly1d:
        """The m-th antiderivative, with the constants `k`."""
        return poly1d(polyint(self.coeffs, m, k))

    def __repr__(self) -> str:
        return f"poly1d{np.array_repr(np.asarray(self.coeffs)).removeprefix('array')}"

    def __str__(self) -> str:
        return str(np.poly1d(np.asarray(self.coeffs), variable=self.variable))
