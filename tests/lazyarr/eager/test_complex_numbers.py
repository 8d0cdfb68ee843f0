"""Quotients and powers of a few complex numbers that are carried out eagerly, against what they are where recorded."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr.eager.complex_numbers import power, quotient
from lazyarr.eager.shared_out import put_by_threads
from lazyarr.memory.quiet import quietly
from tests.lazyarr.eager.support import by_numpy, recorded
from tests.lazyarr.support import COMPLEX

SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e300, 1e-300, 1e-310, 3.0, 0.5, 2.0]
OPERATIONS = {
    "quotient": lambda x, y: x / y, "by itself": lambda x, y: x / x, "of a number": lambda x, y: 2.5 / x,
    "by a complex number": lambda x, y: x / (1 - 2j), "by a row": lambda x, y: x.reshape(2, 2) / y[:2],
    "power": lambda x, y: x**y, "seventh": lambda x, y: x**7,
    "hundredth": lambda x, y: x**100,
    "root": lambda x, y: x**0.5, "fraction": lambda x, y: x**2.5, "negative": lambda x, y: x**-1.5,
    "inverse": lambda x, y: x**-1, "none": lambda x, y: x**0, "first": lambda x, y: x**1,
    "complex power": lambda x, y: x ** (1 + 2j), "of two": lambda x, y: 2.5**x, "floats": lambda x, y: x**3.0,
}  # fmt: skip


def numbers(rng, dtype):
    with np.errstate(all="ignore"):
        x = rng.standard_normal(4) * 10.0 ** rng.integers(-3, 4) + 1j * rng.standard_normal(4)
        if rng.random() < 0.5:
            x[rng.integers(4)] = complex(rng.choice(SPECIAL), rng.choice(SPECIAL))
        if rng.random() < 0.2:
            x = x.real + 0j
        x = x if np.dtype(dtype).kind == "c" else x.real
        return np.nan_to_num(x).astype(dtype) if dtype == "int8" else x.astype(dtype)


def as_eager(value):
    made = la.zeros(value.shape, dtype=value.dtype)
    made[...] = value
    return made


@pytest.mark.parametrize("other", [*COMPLEX, "float32", "float64", "int8"])
@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", OPERATIONS)
def test_they_are_what_they_are_where_they_are_recorded(name, dtype, other):
    rng = np.random.default_rng(len(name))
    for _ in range(40):
        x, y = numbers(rng, dtype), numbers(rng, other)
        wanted = recorded(lambda x=x, y=y: OPERATIONS[name](la.asarray(x), la.asarray(y)))
        found = np.asarray(OPERATIONS[name](as_eager(x), as_eager(y)))
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        for a, b in ((found.real, wanted.real), (found.imag, wanted.imag)):
            np.testing.assert_array_equal(np.isfinite(a), np.isfinite(b), str((x, y)))
            np.testing.assert_array_equal(a[~np.isfinite(a)], b[~np.isfinite(b)])
            zeros = (a == 0) & (b == 0)
            np.testing.assert_array_equal(np.signbit(a[zeros]), np.signbit(b[zeros]), str((x, y)))
        ends = np.isfinite(found) & np.isfinite(wanted)
        bound = 2e3 * np.finfo(found.dtype).eps * np.abs(wanted[ends])
        assert (np.abs(found[ends] - wanted[ends]) <= bound + np.finfo(found.dtype).tiny).all(), (x, y)


def test_usual_ones_are_carried_out_and_others_refused_before_anything_is_written():
    x, y = as_eager(np.array([1 + 2j, 3 - 1j])), as_eager(np.array([2 - 1j, 1j]))
    for found in (x / y, x**y, x**2.5, x**5, x**0.5, 1j / y):
        assert found.value is not None
    out = np.full(2, 7j)
    for refused in (
        lambda: power(np.array([1 + 1j, 2]), 2.5, out),
        lambda: power(np.array([1 + 1j, 1e200j]), 3, out), lambda: power(np.array([1 + 1j, np.nan]), 1j, out),
        lambda: quotient(np.ones(20_000, complex), 1 + 1j, out),
    ):  # fmt: skip
        with pytest.raises(ArithmeticError):
            refused()
        assert (out == 7j).all()


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("count", [8, 16_385, 32_768])
def test_both_parts_are_divided_by_real_numbers_however_many(dtype, count):
    """Also in place, by the numbers' own real parts, and by zeros of either sign."""
    part = np.empty(0, dtype).real.dtype
    rng = np.random.default_rng(3)
    x = (rng.standard_normal(count) + 1j * rng.standard_normal(count)).astype(dtype)
    y = rng.standard_normal(count).astype(part)
    y[:2], x[2] = (0.0, -0.0), 0
    with np.errstate(all="ignore"):
        real, imag = x.real / (y + part.type(0)), x.imag / (y + part.type(0))
    a, b = as_eager(x), as_eager(y)
    for found in (by_numpy(lambda: a / b), by_numpy(lambda: a.reshape(1, -1) / b)):
        assert found.dtype == dtype
        np.testing.assert_array_equal(np.asarray(found).reshape(-1).real, real)
        np.testing.assert_array_equal(np.asarray(found).reshape(-1).imag, imag)
    a /= b
    np.testing.assert_array_equal(np.asarray(a).imag, imag)
    c = as_eager(x[3:])
    c /= c.real
    np.testing.assert_array_equal(np.asarray(c).imag, x[3:].imag / x[3:].real)
    d = as_eager(x[3:])
    la.divide(d, d.real, out=d)  # the divisor is read where the quotients are written
    np.testing.assert_array_equal(np.asarray(d).real, x[3:].real / x[3:].real)
    np.testing.assert_array_equal(np.asarray(d).imag, x[3:].imag / x[3:].real)


@pytest.mark.parametrize("shape", [(131_072,), (15, 8739), (8, 16_384)])
def test_powers_in_place_that_threads_would_share_are_refused_before_anything_is_written(shape, monkeypatch):
    monkeypatch.setattr("lazyarr.eager.shared_out.threads_at_most", lambda: 8)
    x = np.full(shape, 2 + 1j)
    x[-1:] = -2  # a power of a real number is recorded: the last thread would say so when others are done
    out = x.copy()
    with pytest.raises(ArithmeticError):
        put_by_threads(quietly, power, (out, 1.5), out)
    np.testing.assert_array_equal(out, x)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_usual_quotients_are_numpys(dtype, monkeypatch):
    x, y = (
        np.array([1 + 2j, 0, -3j, 4, 1e-20 + 1e20j], dtype),
        np.array([3 - 1j, 1 + 1j, 2 + 1e-3j, -1 + 7j, 2 + 2j], dtype),
    )
    monkeypatch.setattr("lazyarr.eager.quotients._by_formula", None)
    np.testing.assert_array_equal(quotient(x, y), x / y)
    np.testing.assert_array_equal(quotient(x[:, None], y), x[:, None] / y)
    large = float(np.finfo(dtype).max) / 3
    np.testing.assert_array_equal(quotient(x, np.full(5, 3, dtype)).real, x.real / np.array(3, dtype).real)  # each part
    for other in (complex(float(np.finfo(dtype).tiny), 1), np.nan, complex(large, large), np.inf):
        with pytest.raises(TypeError):
            quotient(x[:2], np.array([1 + 1j, other], dtype))  # is looked at more closely


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", COMPLEX)
def test_unusual_quotients_have_the_bits_of_those_that_are_recorded(dtype):
    limits = np.finfo(dtype)
    parts = np.array([*PARTS, 3, limits.max, limits.max / 3, limits.tiny, limits.tiny / 8, -limits.tiny * 1e9, 1e-9])
    part = np.empty(0, dtype).real.dtype
    numbers = np.empty(len(parts) ** 2, dtype)
    numbers.real, numbers.imag = np.repeat(parts.astype(part), len(parts)), np.tile(parts.astype(part), len(parts))
    rng = np.random.default_rng(1)
    for count in (1, 7, 2000):
        x, y = rng.choice(numbers, (2, count))
        wanted = recorded(lambda x=x, y=y: la.asarray(x) / la.asarray(y))
        for found in (quotient(x, y), quotient(x, y, np.empty_like(x)), quotient(x.copy()[::-1], y[::-1])[::-1]):
            for i in range(count):  # alone and among others: each depends on its own operands
                if np.isfinite(numbers_of(x[i], y[i])).all() and (y[i].real != 0 and y[i].imag != 0):
                    bound = 8 * limits.eps * abs(wanted[i]) + limits.tiny
                    assert not np.isfinite(wanted[i]) or abs(found[i] - wanted[i]) <= bound, (x[i], y[i])
                else:
                    assert_alike(found[i], wanted[i])
            assert_alike(found, np.array([quotient(x[i : i + 1], y[i : i + 1])[0] for i in range(count)], dtype))
        for x_is_out in (True, False):
            z, w = x.copy(), y.copy()
            out = z if x_is_out else w
            assert quotient(z, w, out) is out
            assert_alike(out, quotient(x, y))


def numbers_of(x, y):
    return np.array([x.real, x.imag, y.real, y.imag])


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", ["max", "min", "any", "all"])
def test_extremes_are_what_they_are_where_they_are_recorded(name, dtype):
    rng = np.random.default_rng(len(name))
    parts = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf])
    for with_nan in (False, True):
        x = np.empty((5, 3), dtype)
        x.real, x.imag = rng.choice(parts, x.shape), rng.choice(parts, x.shape)
        if with_nan:
            x[1, 0] = complex(np.nan, 1)
        eager = as_eager(x)
        for axis in (None, 0, 1, (0, 1)):
            wanted = recorded(lambda x=x, axis=axis: getattr(la.asarray(x), name)(axis=axis))
            found = getattr(eager, name)(axis=axis)
            assert (found.value is not None) == (name in ("any", "all") or not with_nan)
            assert found.dtype == wanted.dtype
            np.testing.assert_array_equal(np.asarray(found), wanted)


PARTS = [0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan, 1e30]
EXACT = [
    "isnan", "isinf", "isfinite", "rint", "logical_not", "logical_and", "logical_or", "logical_xor", "sort",
    "argsort", "unique",
]  # fmt: skip
ROUNDED = ["exp2", "log2", "log10", "tan", "acos", "acosh", "asin", "asinh", "atan", "atanh", "sign", "sum", "mean"]


def special(dtype):
    x = np.empty(len(PARTS) ** 2, dtype)
    x.real, x.imag = np.repeat(PARTS, len(PARTS)), np.tile(PARTS, len(PARTS))
    return x


def assert_alike(found, wanted):
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    for a, b in ((found.real, wanted.real), (found.imag, wanted.imag)):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(np.signbit(a[~np.isnan(a)]), np.signbit(b[~np.isnan(b)]))


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", EXACT)
def test_what_rounds_nothing_is_numpys_during_the_call(name, dtype):
    function, x = getattr(la, name), special(dtype)
    if name == "unique":
        x = x[~np.isnan(x)]  # NumPy keeps another one of several
    of_two = name.startswith("logical") and name != "logical_not"
    for value in (x, x[:1], x[::-3], x[:48].reshape(6, 8).T):
        given = (value, value[::-1]) if of_two else (value,)
        found = by_numpy(function, *map(as_eager, given))
        wanted = recorded(lambda given=given: function(*map(la.asarray, given)))
        assert_alike(np.asarray(found), wanted)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", ROUNDED)
def test_functions_are_what_they_are_where_they_are_recorded_but_for_the_last_bits(name, dtype):
    function, x = getattr(la, name), special(dtype)
    rng = np.random.default_rng(len(name))
    usual = (rng.standard_normal((8, 5)) * 3 + 1j * rng.standard_normal((8, 5))).astype(dtype)
    by_numpy(function, as_eager(usual))
    for value in (usual, usual.T, *x[:, None]):
        found = np.asarray(function(as_eager(value)))
        wanted = recorded(lambda value=value: function(la.asarray(value)))
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        at_ends = ~np.isfinite(wanted)
        assert_alike(found[at_ends], wanted[at_ends])
        np.testing.assert_allclose(found[~at_ends], wanted[~at_ends], rtol=64 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_signs_at_the_ends_are_recorded(dtype):
    limits = np.finfo(dtype)
    for part in (limits.max, limits.tiny / 2, np.inf, np.nan):
        x = np.array([complex(part, part), 1], dtype)
        wanted = recorded(lambda x=x: la.sign(la.asarray(x)))
        np.testing.assert_array_equal(np.asarray(la.sign(as_eager(x))), wanted)
