"""Elements of arrays of complex128 are Python's numbers, and give what NumPy's numbers do, to the last bit."""

from __future__ import annotations

import operator
import warnings

import numpy as np
import pytest

import lazyarr as la
from tests.lazyarr.eager.test_complex_numbers import as_eager

PARTS = [0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan, 1e300, -1e-300, 5e-324]
OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "==": operator.eq, "!=": operator.ne,
    "+=": operator.iadd, "-=": operator.isub, "*=": operator.imul,
}  # fmt: skip
ALONE = {
    "-": operator.neg, "abs": abs, "real": lambda x: x.real, "imag": lambda x: x.imag, "conj": lambda x: x.conj(),
    "conjugate": lambda x: x.conjugate(), "square": lambda x: x**2, "+": operator.pos,
}  # fmt: skip
PYTHONS = {
    "complex": complex, "bool": bool, "str": str, "item": lambda x: x.item(), "format": "{:.3f}".format,
    "tolist": lambda x: x.tolist(),
}  # fmt: skip
BESIDE = [0, 3, -7, 2**53 - 1, 2**53 + 1, 2**70, 0.5, -0.0, np.inf, np.nan, True, 2j, complex(-0.0, 1), np.inf * 1j,
          np.float64(1.5), np.complex128(1 - 2j), np.float32(0.5), np.complex64(1j), np.int8(3)]  # fmt: skip


def values(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    found = np.empty(40, complex)
    found.real, found.imag = rng.standard_normal(40) * 10.0 ** rng.integers(-3, 4, 40), rng.standard_normal(40)
    found.real[::3], found.imag[::4] = rng.choice(PARTS, 14), rng.choice(PARTS, 10)
    return found


def outcome(function, *given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*given)
        except (ArithmeticError, TypeError, ValueError) as error:
            return type(error)


def assert_same(found, wanted, case) -> None:
    if isinstance(wanted, type):
        assert found is wanted, case
        return
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape), case
    for a, b in ((found.real, wanted.real), (found.imag, wanted.imag)):
        np.testing.assert_array_equal(a, b, str(case))
        np.testing.assert_array_equal(np.signbit(a[~np.isnan(a)]), np.signbit(b[~np.isnan(b)]), str(case))


@pytest.mark.slow
@pytest.mark.parametrize("name", OPERATORS)
def test_operators_give_the_bits_of_numpys_numbers(name):
    function, x, y = OPERATORS[name], values(1), values(2)
    found_x, found_y, reals = as_eager(x), as_eager(y), as_eager(y.real.copy())
    wholes = as_eager(np.arange(len(x)))
    for i in range(len(x)):
        pairs = [
            (found_x[i], found_y[i], x[i], y[i]), (found_x[i], reals[i], x[i], y.real[i]),
            (reals[i], found_x[i], y.real[i], x[i]), (wholes[i], found_x[i], np.int64(i), x[i]),
            (found_x[i], wholes[i], x[i], np.int64(i)),
        ]  # fmt: skip
        for other in BESIDE:
            pairs += [(found_x[i], other, x[i], other), (other, found_x[i], other, x[i])]
        for a, b, numpys_a, numpys_b in pairs:
            case = name, numpys_a, numpys_b
            assert_same(outcome(function, a, b), outcome(function, numpys_a, numpys_b), case)


@pytest.mark.parametrize("name", ALONE)
def test_functions_give_the_bits_of_numpys_numbers(name):
    x = values(3)
    found = as_eager(x)
    for i, value in enumerate(x):
        assert_same(outcome(ALONE[name], found[i]), outcome(ALONE[name], value), (name, value))


@pytest.mark.parametrize("name", PYTHONS)
def test_pythons_conversions_are_numpys(name):
    x = values(4)
    found = as_eager(x)
    for i, value in enumerate(x):
        assert repr(PYTHONS[name](found[i])) == repr(PYTHONS[name](value))
    assert [hash(each) for each in as_eager(x[:2])] == [hash(each) for each in x[:2]]


def test_usual_quotients_and_powers_have_the_bits_of_numpys():
    rng = np.random.default_rng(5)
    x, y = rng.standard_normal((2, 60)) + 1j * rng.standard_normal((2, 60))
    x[7] = 0
    found_x, found_y = as_eager(x), as_eager(y)
    for i in range(60):
        for function in (
            lambda a, b: a / b, lambda a, b: 2.5 / b, lambda a, b: 1 / b, lambda a, b: a / (1 - 2j),
            lambda a, b: (3 + 1j) / b, lambda a, b: b**3, lambda a, b: b**5.0, lambda a, b: b**-2,
            lambda a, b: b**1, lambda a, b: b**0, lambda a, b: b ** (1 + 2j), lambda a, b: b**2.5,
        ):  # fmt: skip
            found = function(found_x[i], found_y[i])
            assert type(found.value) is complex
            assert_same(found, function(x[i], y[i]), (x[i], y[i]))
        assert_same(found_y[i] ** 0.5, np.sqrt(y[i]), y[i])
        for divisor in (3.0, 7, complex(3, 0)):  # each part is divided
            assert_same(found_x[i] / divisor, complex(x[i].real / divisor.real, x[i].imag / divisor.real), x[i])


@pytest.mark.parametrize("exponent", [1, 2, 3, 4, 5, 8, 99, 2.0, 3.0, complex(3, -0.0)])
def test_powers_have_the_signs_of_numpys_zeros(exponent):
    for value in (complex(3, -0.0), complex(-1.5, -0.0), complex(1.5, 0.0), complex(-0.0, 1), complex(0.0, -1.5)):
        assert_same(as_eager(np.array([value]))[0] ** exponent, np.complex128(value) ** exponent, (value, exponent))


def test_elements_are_pythons_numbers_until_they_are_written_to():
    x = np.arange(6) * (1 - 2j)
    found = as_eager(x)
    assert all(type(each.value) is complex for each in [found[2], *found, found.sum(), la.vdot(found, found)])
    assert type(as_eager(x.reshape(2, 3))[1, 2].value) is complex
    assert found[3].real.is_number
    assert found[3].imag.dtype == np.float64
    number = found[2]
    before = number
    number += 1
    assert before == x[2]
    assert number == x[2] + 1
    before[...] = 7
    assert before == 7
    assert found[2] == x[2]
    again = la.array([found[1], 2.5, 3])
    assert again.dtype == np.complex128
    np.testing.assert_array_equal(np.asarray(again), [x[1], 2.5, 3])
    np.testing.assert_array_equal(np.asarray(la.full(2, found[1])), [x[1]] * 2)
    found[0] = 1j
    found[1] = found[5]
    np.testing.assert_array_equal(np.asarray(found), [1j, x[5], *x[2:]])
