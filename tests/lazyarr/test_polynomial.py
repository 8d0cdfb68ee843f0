"""`la.polynomial`: NumPy's classes, evaluated at lazy arrays; what runs on the host is counted."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config, lift
from tests.lazyarr.support import agree, values

CLASSES = ["Polynomial", "Chebyshev", "Legendre", "Hermite", "HermiteE", "Laguerre"]
X = values((3, 5), "float64", 1, -2, 2)


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("coefficients", [[3.0], [1, 2], [1.0, -2, 0.5, 3]])
def test_values_are_numpys_and_compiled(name, coefficients):
    own, theirs = getattr(la.polynomial, name)(coefficients), getattr(np.polynomial, name)(coefficients)
    before = config.statistics()
    agree(own(la.asarray(X)), theirs(X), 64, X, 100)
    assert config.statistics() == before
    assert own(2.5) == theirs(2.5)
    agree(lift.jit(lambda x: own(x))(la.asarray(X)), theirs(X), 64, X, 100)


def test_domains_derivatives_and_products():
    own = la.polynomial.Polynomial([1, 2, 3], domain=[0, 4], window=[-1, 1])
    theirs = np.polynomial.Polynomial([1, 2, 3], domain=[0, 4], window=[-1, 1])
    for f in (lambda p: p.deriv(), lambda p: p.integ(), lambda p: p * p - p, lambda p: p**3, lambda p: p // 2):
        assert type(f(own)) is la.polynomial.Polynomial
        agree(f(own)(la.asarray(X)), f(theirs)(X), 100, X, 1000)


def test_fits_and_roots_run_on_the_host_and_are_counted():
    x = np.linspace(-1, 2, 11)
    y = x**3 - 2 * x
    before = config.statistics().get("polynomial", 0)
    fitted = la.polynomial.Polynomial.fit(la.asarray(x), la.asarray(y), 3)
    agree(fitted(la.asarray(x)), np.polynomial.Polynomial.fit(x, y, 3)(x), 200, scale=10)
    np.testing.assert_allclose(np.sort(np.asarray(fitted.roots())), [-np.sqrt(2), 0, np.sqrt(2)], atol=1e-9)
    agree(la.polynomial.polynomial.polyfit(la.asarray(x), la.asarray(y), 3), np.polynomial.polynomial.polyfit(x, y, 3),
          1000, scale=10)  # fmt: skip
    agree(la.polynomial.Polynomial([1, 2]).linspace(4)[1], np.polynomial.Polynomial([1, 2]).linspace(4)[1])
    assert config.statistics()["polynomial"] == before + 4
    with pytest.raises(la.TracingError, match=r"numpy\.polynomial"):
        lift.jit(lambda a: la.polynomial.polynomial.polyroots(a))(la.ones(3))


@pytest.mark.parametrize("module", ["polynomial", "chebyshev", "legendre", "hermite", "hermite_e", "laguerre"])
def test_the_modules_have_numpys_names(module):
    own, theirs = getattr(la.polynomial, module), getattr(np.polynomial, module)
    assert set(theirs.__all__) <= set(vars(own))


def test_coefficients_may_be_lazy():
    c = np.array([1.0, 2, 3])
    assert la.polynomial.Polynomial(la.asarray(c))(2.0) == 17
    agree(la.polynomial.polynomial.polyval(la.asarray(X), [1, 2, 3]), np.polynomial.polynomial.polyval(X, c), 64, X, 10)
    agree(la.polynomial.polynomial.polyval(X, la.asarray(c)), np.polynomial.polynomial.polyval(X, c), 64, X, 10)
    agree(la.polynomial.chebyshev.chebadd(la.asarray(c), [1, 1]), np.polynomial.chebyshev.chebadd(c, [1, 1]))


@pytest.mark.parametrize("name", CLASSES)
def test_what_takes_lazy_arrays_is_counted(name):
    own, theirs, c = getattr(la.polynomial, name), getattr(np.polynomial, name), np.array([2.0, -1, 3, 0.5])
    lazy, p, q = la.asarray(c), own([1.0, 2, -1, 4, 1]), theirs([1.0, 2, -1, 4, 1])
    calls = [
        lambda p, c: type(p)(c), lambda p, c: type(p).fromroots(c), lambda p, c: p + c, lambda p, c: p - c,
        lambda p, c: p * c, lambda p, c: p // c, lambda p, c: p % c, lambda p, c: divmod(p, c)[1],
        lambda p, c: p.integ(1, c[:1]), lambda p, c: p.__radd__(c), lambda p, c: p.__rsub__(c),
        lambda p, c: p.__rmul__(c), lambda p, c: p.__rfloordiv__(c), lambda p, c: p.__rmod__(c),
    ]  # fmt: skip
    for number, call in enumerate(calls):
        before = config.statistics().get("polynomial", 0)
        found, expected = call(p, lazy), call(q, c)
        assert config.statistics()["polynomial"] == before + 1, number
        assert type(found) is own
        assert type(found.coef) is np.ndarray
        np.testing.assert_array_equal(found.coef, expected.coef)
        np.testing.assert_array_equal(found.domain, expected.domain)
    with pytest.raises(la.TracingError, match=r"numpy\.polynomial"):
        lift.jit(lambda a: (p * a).coef)(lazy)


def test_polynomials_alone_are_not_counted():
    p = la.polynomial.Polynomial([1.0, 2, 3])
    before = config.statistics().get("polynomial", 0)
    assert (p * p).degree() == 4
    assert (p**3).deriv().degree() == 5
    assert p.integ().convert(kind=la.polynomial.Chebyshev).degree() == 3
    assert la.polynomial.Chebyshev.interpolate(np.cos, 4).degree() == 4
    assert config.statistics().get("polynomial", 0) == before


def test_helpers_of_the_modules():
    utils, theirs = la.polynomial.polyutils, np.polynomial.polyutils
    assert utils.trimseq([1, 2, 0]) == [1, 2]
    np.testing.assert_array_equal(np.asarray(utils.getdomain(la.asarray([1.0, 3.0, 2.0]))), [1.0, 3.0])
    x = np.linspace(0, 4, 5)
    np.testing.assert_array_equal(
        np.asarray(utils.mapdomain(la.asarray(x), [0, 4], [1, 3])), theirs.mapdomain(x, [0, 4], [1, 3])
    )
