"""`x op= value`, of arrays and of single elements, against NumPy."""

from __future__ import annotations

import itertools
import operator
import warnings

import numpy as np
import pytest

import lazyarr as la
from tests.lazyarr.evaluation import interpreted
from tests.lazyarr.support import check, values

SMALL = values((5, 4), "int64", 2, 1, 5)


# --- in place ---------------------------------------------------------------------------------------------------------


OPERATORS = {
    "+=": operator.iadd, "-=": operator.isub, "*=": operator.imul,
    "/=": operator.itruediv, "//=": operator.ifloordiv, "%=": operator.imod,
    "**=": operator.ipow, "&=": operator.iand, "|=": operator.ior,
    "^=": operator.ixor, "<<=": operator.ilshift, ">>=": operator.irshift,
}  # fmt: skip


@pytest.mark.parametrize("name", list(OPERATORS))
@interpreted()
def test_an_operator_in_place(name):
    apply = OPERATORS[name]
    for dtype in ("bool", "int32", "uint8", "float32", "complex64"):
        for other in ("bool", "int32", "int64", "float64", "complex64"):
            x, y = values((3, 4), dtype, 1, 1, 5), values((4,), other, 2, 1, 5)
            a, b = la.asarray(x.copy()), la.asarray(y)
            try:
                expected = apply(x, y)
            except TypeError:
                with pytest.raises(TypeError):
                    apply(a, b)
            else:
                same = a
                assert apply(a, b) is same
                check(a, expected, 4, 625)


def test_in_place_keeps_dtype_and_shape():
    a = la.asarray(SMALL)
    with pytest.raises(TypeError, match=r"add: cannot put the result, of dtype float64, into an array of dtype int64"):
        a += 0.5
    with pytest.raises(ValueError, match=r"add: the result has shape \(2, 5, 4\)"):
        a += np.ones((2, 1, 1), int)
    a += True
    check(a, SMALL + 1)


# --- single elements --------------------------------------------------------------------------------------------------


IN_PLACE = [
    "iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor", "ilshift", "irshift",
]  # fmt: skip


BESIDE = [3, 300, -1, 0.5, 1e300, 2j, True, np.int8(3), np.uint8(200), np.float64(0.5), np.complex64(1j)]


def _outcome(module, dtype, operation, other, key):
    x = module.asarray(np.array([1, 2, 3]).astype(dtype))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of overflows, and lost imaginary parts
        try:
            x[key] = operation(x[key], other)
        except (TypeError, OverflowError, ValueError) as error:
            return type(error)
    return np.asarray(x)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "int64", "float32", "complex64", "complex128"])
@interpreted()
def test_in_place_operators_of_elements_follow_numpys_rule_of_numbers(dtype):
    """`x[i] += y` computes a number and assigns it, whatever its dtype."""
    for name, other, key in itertools.product(IN_PLACE, BESIDE, [1, np.int64(1), (np.array(2),)]):
        operation = getattr(operator, name)
        expected, found = (_outcome(module, dtype, operation, other, key) for module in (np, la))
        overflows = expected is OverflowError and type(other) is not int
        if overflows and isinstance(found, np.ndarray):
            continue  # a number that the dtype cannot hold: that is seen when it is computed, and then it wraps
        if isinstance(expected, np.ndarray):
            np.testing.assert_allclose(found, expected, rtol=1e-5, err_msg=f"{dtype} {name} {other!r}")
            assert found.dtype == expected.dtype
        else:
            assert isinstance(found, type), (dtype, name, other, expected, found)
            assert issubclass(expected, found)


ARRAYS = [
    lambda m: m.zeros((), "bool"),
    lambda m: m.zeros(2, "bool"),
    lambda m: m.zeros(1, "bool").reshape(()),
    lambda m: m.zeros(2, "bool")[1, ...],
    lambda m: m.asarray(m.asarray(False)),
    lambda m: m.asarray(False).copy(),
]


@pytest.mark.parametrize("make", ARRAYS)
def test_in_place_operators_of_arrays_keep_the_dtype(make):
    """Also of those without dimensions."""
    for module in (np, la):
        x = make(module)
        with pytest.raises(TypeError):
            x += 3
        with pytest.raises(TypeError):
            x |= 3
        before = x
        x |= True
        assert x is before
        assert np.asarray(x).all()


def test_numbers_are_replaced_not_changed():
    for module in (np, la):
        x = module.asarray(np.array([1, 2, 3]))
        element = same = x[1]
        element += 0.5
        total = kept = x.sum()
        total /= 4
        element -= 1.25
        assert [float(element), int(same), float(total), int(kept)] == [1.25, 2, 1.5, 6]
        assert x.tolist() == [1, 2, 3]


def test_in_place_operators_of_elements_inside_jitted_functions():
    def step(b, s):
        b[1] += 3
        s += 1
        n = b.sum()
        n /= 2
        return n

    b, s = la.zeros(3, dtype="bool"), la.asarray(4)
    assert float(la.lift.jit(step)(b, s)) == 0.5
    assert b.tolist() == [False, True, False]
    assert s.item() == 5


def test_nothing_assigned_to_nothing_by_indices():
    """NumPy does not look at the shape of an empty value of more dimensions than an empty choice by indices has."""
    for xp in (np, la):
        x = xp.asarray(np.zeros((17, 0)))
        x[[6]] = xp.asarray(np.zeros((6, 1, 0)))
        for key, shape in (([6], (5, 3)), ([[6]], (6, 1, 0)), (slice(1), (6, 1, 0))):
            with pytest.raises(ValueError, match="broadcast"):
                x[key] = xp.asarray(np.zeros(shape))


def test_triangles_of_nothing_are_arrays_of_their_own():
    x = la.broadcast_to(la.asarray(np.zeros((1, 0))), (3, 0))
    la.tril(x)[...] = 1
    la.triu(x)[...] = 1
