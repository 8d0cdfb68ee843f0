"""What rounds nothing is carried out by NumPy where operands are small, and gives the bits that recording gives."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import lazyarr as la
from tests.lazyarr.eager.support import NUMBERS, by_numpy, recorded

INTEGERS = [name for name in NUMBERS if not name.startswith("float")]
TRUTHS = [True, False, np.bool_(True), np.bool_(False), np.array(True), np.array(False)]
LISTS = [
    [1, 2, 3], (1, 2), [True, False], [1.5, -2.5], [1, 2.5], [True, 3], [1 + 2j, 3j], [1, 2j], [300, -1], [2**63],
    [2**64], [float("nan")], [1e300], [[1, 2], [3, 4.5]], [[], []], [[1], [2, 3]], [1, [2]], [[[1]]],
]  # fmt: skip


def as_eager(value):
    made = la.zeros(value.shape, dtype=value.dtype)
    made[...] = value
    return made


def outcome(function):
    try:
        return np.asarray(function())
    except (ArithmeticError, IndexError, TypeError, ValueError) as error:
        return type(error), str(error)


def assert_same(found, wanted):
    if isinstance(wanted, tuple) or isinstance(found, tuple):
        assert found == wanted
    else:
        assert (found.dtype, found.shape, found.tobytes()) == (wanted.dtype, wanted.shape, wanted.tobytes())


# --- lists and dtypes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [None, "uint8", "int16", "bool", "float32", "complex64", int, np.uint64, "float16"])
def test_lists_of_numbers_become_what_they_are_where_they_are_recorded(dtype):
    for numbers in LISTS:
        found = outcome(lambda numbers=numbers: la.array(numbers, dtype=dtype))
        assert_same(found, recorded(lambda numbers=numbers: la.array(numbers, dtype=dtype)))


def test_lists_of_any_numbers_are_eager():
    for made in (la.array([1, 2], "uint8"), la.array([1, 2.5]), la.array([1j, 2]), la.array([[1, 2.5], [3, True]])):
        assert made.value is not None


@pytest.mark.parametrize("dtype", [np.uint64, np.dtype("int16"), float, np.float16, np.dtype(">i4"), "uint8", object])
def test_ranges_of_a_dtype_are_eager_as_those_of_its_name(dtype):
    for make in (
        lambda: la.arange(10, dtype=dtype), lambda: la.arange(0.0, 3.0, 0.7, dtype), lambda: la.eye(3, dtype=dtype),
        lambda: la.linspace(-3.5, 4.2, 9, dtype=dtype),
    ):  # fmt: skip
        assert_same(outcome(make), recorded(make))
    assert la.arange(10, dtype=np.uint64).value is not None
    assert la.arange(10, dtype=np.dtype("int16")).value is not None


# --- products of integers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", ["matmul", "dot", "vecdot", "inner", "vdot"])
def test_products_of_integers_are_exact(name, dtype):
    rng = np.random.default_rng(len(name))
    function = getattr(la, name)
    for a, b in (((5,), (5,)), ((3, 5), (5,)), ((3, 5), (5, 2)), ((2, 3, 5), (2, 5, 1)), ((0,), (0,)), ((3, 2), (5,))):
        x, y = (rng.choice(np.array(NUMBERS[dtype], dtype), shape) for shape in (a, b))
        found = outcome(lambda x=x, y=y: function(as_eager(x), as_eager(y)))
        assert_same(found, recorded(lambda x=x, y=y: function(la.asarray(x), la.asarray(y))))
    vector = as_eager(np.array(NUMBERS[dtype], dtype))
    by_numpy(function, vector, vector)


def test_products_of_many_integers_are_recorded():
    x = as_eager(np.ones((64, 64), int))
    by_numpy(la.matmul, x[:8], x)
    with pytest.raises(AssertionError, match="expression"):
        by_numpy(la.matmul, x, x)


# --- masks without dimensions -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(4,), (3, 4), (0,)])
def test_truths_choose_as_where_they_are_recorded(shape):
    value = np.arange(np.prod(shape), dtype=float).reshape(shape)
    alone = [(truth,) for truth in TRUTHS]
    beside = [0, None, ..., slice(1, 3), [0, 1], True]
    for key in (*alone, *itertools.product(TRUTHS, beside), *itertools.product(beside, TRUTHS)):
        at = key if len(key) > 1 else key[0]
        wanted = recorded(lambda at=at: la.asarray(value)[at])
        x = as_eager(value)
        assert_same(outcome(lambda x=x, at=at: x[at]), wanted)
        if not isinstance(wanted, tuple):
            found = by_numpy(lambda x=x, at=at: x[at])
            if found.ndim:
                found[...] = 99
            np.testing.assert_array_equal(np.asarray(x), value)  # what masks choose is a copy

        def written(x, at=at):
            x[at] = 5.0
            return x

        assert_same(outcome(lambda x=x, w=written: w(x)), recorded(lambda w=written: w(la.asarray(value.copy()))))


# --- bytes ------------------------------------------------------------------------------------------------------------


def test_bytes_of_small_arrays_are_a_view_of_their_memory():
    x = la.asarray(np.arange(6.0).reshape(2, 3))
    found = by_numpy(x.view, "uint8")
    found[1, 7] = 0x40
    assert float(x[1, 0]) == float(np.array([0x4008000000000000]).view(float)[0])
    x[0, 0] = -1.0
    np.testing.assert_array_equal(np.asarray(found)[0, :8], np.array([-1.0]).view("uint8"))
    for dtype in (">f8", "float16"):
        with pytest.raises(TypeError):
            x.view(dtype)
    with pytest.raises(ValueError, match="divisor"):
        x[:, :1].copy().view("complex128")


# --- distinct slices --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [*NUMBERS, "complex128"])
def test_distinct_slices_are_those_of_recording(dtype):
    rng = np.random.default_rng(len(dtype))
    numbers = np.array(NUMBERS.get(dtype, [1, 1j, 0]), dtype)
    for shape, axis in (((6, 2), 0), ((2, 6), 1), ((1, 3), 0), ((4, 2, 2), -3), ((5,), 0), ((2, 2), 2)):
        x = rng.choice(numbers[:3], shape)
        for options in ({}, {"return_index": True, "return_inverse": True, "return_counts": True}):

            def parts(x, axis=axis, options=options):
                found = la.unique(x, axis=axis, **options)
                return found if isinstance(found, tuple) else (found,)

            for i in range(4 if options else 1):
                wanted = recorded(lambda x=x, i=i, parts=parts: parts(la.asarray(x))[i])
                assert_same(outcome(lambda x=x, i=i, parts=parts: parts(as_eager(x))[i]), wanted)


def test_distinct_slices_are_found_during_the_call():
    by_numpy(lambda: la.unique(as_eager(np.array([[3, 1], [3, 1], [0, 2]])), axis=0))
    with pytest.raises(AssertionError, match="expression"):
        by_numpy(lambda: la.unique(as_eager(np.array([[-0.0, 1.0], [0.0, 1.0]])), axis=0))


# --- repeated arrays --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float64", "bool", "complex64"])
def test_repeated_arrays_are_those_of_recording(dtype):
    for shape in ((3,), (0,), (2, 3)):
        x = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
        for times in (0, 1, 3, -1, (2, 3), [2, 2], (), (2, 1, 1, 2), 2.5, np.int64(2)):
            wanted = recorded(lambda x=x, times=times: la.tile(la.asarray(x), times))
            assert_same(outcome(lambda x=x, times=times: la.tile(as_eager(x), times)), wanted)
    x = as_eager(np.arange(3))
    by_numpy(la.tile, x, (2, 2))[...] = 7
    by_numpy(la.tile, x, 1)[...] = 7
    np.testing.assert_array_equal(np.asarray(x), np.arange(3))
