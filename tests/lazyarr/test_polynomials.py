"""Polynomials against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config
from tests.lazyarr.evaluation import interpreted

A, B = [1.5, -2.0, 0.25, 3.0], [2.0, 1.0]


def same(found, expected, tol=1e-9):
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=tol, atol=tol)


@interpreted()
def test_sums_products_and_derivatives():
    for first, second in ((A, B), (B, A), (A, A)):
        for name in ("polyadd", "polysub", "polymul"):
            same(getattr(la, name)(la.asarray(first), second), getattr(np, name)(first, second))
        for found, expected in zip(la.polydiv(first, second), np.polydiv(first, second), strict=True):
            same(found, expected)
    for m in range(5):
        same(la.polyder(A, m), np.polyder(A, m))
        same(la.polyint(A, m), np.polyint(A, m))
    same(la.polyint(A, 2, [1.0, -3.0]), np.polyint(A, 2, [1.0, -3.0]))
    with pytest.raises(ValueError, match="polyder"):
        la.polyder(A, -1)
    with pytest.raises(ValueError, match="polyint"):
        la.polyint(A, 3, [1.0, 2.0])
    with pytest.raises(ValueError, match="polyadd"):
        la.polyadd([[1.0]], A)


def test_fits_and_zeros_run_on_the_host_and_are_counted():
    before = config.statistics().get("polyfit", 0)
    x = np.linspace(0, 2, 17)
    y, w = x**3 - 2 * x + np.sin(9 * x), 1 + x
    same(la.polyfit(la.asarray(x), la.asarray(y), 3), np.polyfit(x, y, 3), 1e-7)
    for found, expected in zip(la.polyfit(x, y, 2, w=w, cov=True), np.polyfit(x, y, 2, w=w, cov=True), strict=True):
        same(found, expected, 1e-7)
    assert config.statistics()["polyfit"] == before + 2
    same(la.roots([1.0, -6.0, 11.0, -6.0]), np.roots([1.0, -6.0, 11.0, -6.0]))
    same(la.poly([1.0, 2.0, 3.0]), np.poly([1.0, 2.0, 3.0]))


@interpreted()
def test_poly1d():
    p, q, f, g = la.poly1d(A), la.poly1d(B), np.poly1d(A), np.poly1d(B)
    x = np.linspace(-1, 2, 7)
    for found, expected in (
        (p + q, f + g), (p - 2, f - 2), (2 - p, 2 - f), (p * q, f * g), (3 * p, 3 * f), (p**3, f**3), (p / 2, f / 2),
        (-p, -f), (p.deriv(), f.deriv()), (p.integ(1, 4), f.integ(1, 4)), (p(q), f(g)), (p / q, f / g),
    ):  # fmt: skip
        if isinstance(found, tuple):
            for part, other in zip(found, expected, strict=True):
                same(part.coeffs, other.coeffs)
        else:
            same(found.coeffs, expected.coeffs)
            same(found(la.asarray(x)), expected(x))
    assert (p.order, len(q), str(p), p[1].item(), float(p[9])) == (f.order, len(g), str(f), f[1], f[9])
    same(q.roots, g.roots)
    assert la.poly1d([0, 0, 2.0]) == la.poly1d([2.0])
    assert la.poly1d([1.0, 2.0], r=True) == la.poly1d([1.0, -3.0, 2.0])


def test_coefficients_that_are_assigned():
    p, q = la.poly1d([1.0, 2.0, 3.0]), np.poly1d([1.0, 2.0, 3.0])
    assert repr(p) == repr(q) == "poly1d([1., 2., 3.])"
    for power, value in ((0, 5.0), (3, 7.0), (6, 2.5), (1, 4)):
        p[power] = q[power] = value
        assert repr(p) == repr(q)
        assert p.order == q.order
        assert p[power] == value
    assert p[9] == q[9] == 0
    np.testing.assert_array_equal(p(2.0), q(2.0))
    for coefficients in ([1, 2, 3], [1j, 2], [0]):
        assert repr(la.poly1d(coefficients)) == repr(np.poly1d(coefficients))
    with pytest.raises(ValueError, match="not negative"):
        p[-1] = 5
