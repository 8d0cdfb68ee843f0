"""The methods of operators that loops call: what they compute themselves is NumPy's, and they ask nobody for it."""

from __future__ import annotations

import operator as pythons
import subprocess
import sys
import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.aliasing.views import become_eager
from lazyarr.array import Array
from lazyarr.dtypes import SUPPORTED
from lazyarr.eager import operator_methods, products
from lazyarr.eager.numbers import COMPARISONS, OF_FLOATS
from lazyarr.eager.numpys_ufuncs import _ufunc_of
from lazyarr.eager.operator_methods import _SYMBOLS, ALONE, operator
from lazyarr.methods import eager_operators
from lazyarr.methods.eager_operators import EagerOperators

PYTHONS = {
    "add": pythons.add, "subtract": pythons.sub, "multiply": pythons.mul, "divide": pythons.truediv,
    "floor_divide": pythons.floordiv, "remainder": pythons.mod, "bitwise_and": pythons.and_, "bitwise_or": pythons.or_,
    "bitwise_xor": pythons.xor, "bitwise_left_shift": pythons.lshift, "bitwise_right_shift": pythons.rshift,
    "less": pythons.lt, "less_equal": pythons.le, "greater": pythons.gt, "greater_equal": pythons.ge,
    "equal": pythons.eq, "not_equal": pythons.ne,
}  # fmt: skip
IN_PLACE = {
    "add": pythons.iadd, "subtract": pythons.isub, "multiply": pythons.imul, "divide": pythons.itruediv,
    "bitwise_and": pythons.iand, "bitwise_xor": pythons.ixor,
}  # fmt: skip
FLOATS = [0.0, -0.0, 1.5, -2.25, np.inf, -np.inf, np.nan, 1e308, 5e-324]
INTEGERS = {
    "int8": [0, 1, -1, 3, 127, -128], "uint8": [0, 1, 7, 8, 200, 255], "int32": [0, 5, -7, 31, 32, 2**31 - 1, -(2**31)],
    "int64": [0, 2, -3, 63, 64, 2**63 - 1, -(2**63)], "uint64": [0, 1, 63, 64, 2**64 - 1],
}  # fmt: skip


def eager(value: np.ndarray) -> Array:
    made = la.asarray(value)
    assert become_eager(made)
    return made


def element(value, dtype: str) -> tuple[Array, np.generic]:
    """A number as loops read it, and NumPy's."""
    both = np.array([value, value], dtype)
    return eager(both.copy())[0], both[0]


def outcome(function, *operands):
    """What a function gives, with its dtype; the type of an error."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            found = np.asarray(function(*operands))
        except (ArithmeticError, TypeError, ValueError) as error:
            return type(error).__mro__[-3 if isinstance(error, OverflowError) else 0]
    return found.dtype, found.shape, found.tobytes() if found.dtype.kind != "f" else repr(found.tolist())


def never(*arguments):
    raise AssertionError("another function was asked")


@pytest.mark.parametrize("name", sorted(set(_SYMBOLS) & set(OF_FLOATS)))
def test_the_functions_of_float64_arrays_are_those_that_are_looked_up(name):
    function, dtype = _ufunc_of(name, [np.ones(1), np.ones(1)])
    assert function is getattr(np, name)
    assert dtype == (np.bool_ if name in COMPARISONS else np.float64)


@pytest.mark.parametrize("name", sorted(set(_SYMBOLS) & set(OF_FLOATS)))
@pytest.mark.parametrize("is_reflected", [False, True])
def test_floats_are_numpys(name, is_reflected):
    call = PYTHONS[name]
    for a in FLOATS:
        x, n = element(a, "float64")
        for b in FLOATS:
            for y, m in (element(b, "float64"), (b, b), (np.float64(b), np.float64(b)), (3, 3), (-(2**60), -(2**60))):
                ours, numpys = ((y, x), (m, n)) if is_reflected else ((x, y), (n, m))
                assert outcome(call, *ours) == outcome(call, *numpys), (a, b, type(y))


@pytest.mark.parametrize("name", sorted(set(_SYMBOLS) - {"divide"}))
@pytest.mark.parametrize("dtype", sorted(INTEGERS))
def test_integers_are_numpys(name, dtype):
    call = PYTHONS[name]
    for a in INTEGERS[dtype]:
        x, n = element(a, dtype)
        for b in INTEGERS[dtype]:
            if "shift" in name and not 0 <= b < 8 * np.dtype(dtype).itemsize:
                continue  # where NumPy has no defined answer
            y, m = element(b, dtype)
            assert outcome(call, x, y) == outcome(call, n, m), (a, b)
            if "divide" in name or "remainder" in name:
                continue  # of Python's numbers lazyarr records a division by zero
            assert outcome(call, x, b) == outcome(call, n, b), (a, b)
            if "shift" not in name:
                assert outcome(call, b, x) == outcome(call, b, n), (a, b)


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor", "less", "equal"])
def test_bools_are_numpys(name):
    for a in (False, True):
        for b in (False, True):
            (x, n), (y, m) = element(a, "bool"), element(b, "bool")
            assert outcome(PYTHONS[name], x, y) == outcome(PYTHONS[name], n, m)
            assert outcome(PYTHONS[name], x, b) == outcome(PYTHONS[name], n, b)


@pytest.mark.parametrize("name", ["add", "subtract", "divide", "less"])
@pytest.mark.parametrize("shape", [(0,), (1,), (7,), (3, 5), (1, 4), (0, 3)])
def test_arrays_are_numpys_beside_arrays_and_numbers(name, shape):
    n = np.arange(np.prod(shape), dtype=float).reshape(shape) - 2
    for part, numpys in ((lambda x: x, n), (lambda x: x[::-1], n[::-1]), (lambda x: x.T, n.T)):
        x = part(eager(n.copy()))
        y, m = element(2.5, "float64")
        for other, its in (
            (part(eager(n + 1)), part(n + 1)),
            (y, m),
            (2.5, 2.5),
            (3, 3),
            (np.float64(-1), np.float64(-1)),
        ):
            assert outcome(PYTHONS[name], x, other) == outcome(PYTHONS[name], numpys, its)
            assert outcome(PYTHONS[name], other, x) == outcome(PYTHONS[name], its, numpys)
        assert np.asarray(x + x).flags.c_contiguous


@pytest.mark.parametrize("name", sorted(IN_PLACE))
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "complex128", "bool"])
def test_in_place_the_array_and_its_views_change_and_what_was_computed_before_does_not(name, dtype):
    n = (np.arange(12).reshape(3, 4) % 5 + 1).astype(dtype)
    x, m = eager(n.copy()), n.copy()
    row, column = x[1], x[:, 2]
    for other, its in ((eager(n.copy()), n), (eager(n[1].copy()), n[1]), (2, 2), (1.5, 1.5), (True, True)):
        leaf, before = x.node, m.copy()
        kept = la.asarray(x, copy=True)
        ours = outcome(IN_PLACE[name], x, other)
        numpys = outcome(IN_PLACE[name], m, its)
        assert type(ours) is type(numpys)
        if type(numpys) is tuple:
            assert ours == numpys and x.node is not leaf
        np.testing.assert_array_equal(x.to_numpy(), m)
        np.testing.assert_array_equal(row.to_numpy(), m[1])
        np.testing.assert_array_equal(column.to_numpy(), m[:, 2])
        np.testing.assert_array_equal(kept.to_numpy(), before)


@pytest.mark.parametrize(("given", "other"), [
    (1.5, 2.5), (1.5, 2), (1.5, np.float64(2)), (3, 4), (3, 100), (np.arange(3.0), 1.5), (np.arange(3.0), 2),
    (np.arange(3.0), np.float64(2)), (np.arange(3.0), np.ones(3)), (1.5, np.ones(3)),
])  # fmt: skip
def test_nobody_else_is_asked_for_what_loops_consist_of(given, other):
    def made(value):
        return eager(value) if type(value) is np.ndarray else eager(np.array([value]))[0]

    like = other if type(other) is np.ndarray or type(given) is int else float(other)
    for second in (made(like), other):
        if type(second) is np.ndarray:
            continue
        for is_reflected in (False, True):
            found = operator("add", never, never, is_reflected)(made(given), second)
            np.testing.assert_array_equal(np.asarray(found), given + other)
    if type(given) is np.ndarray:
        x = made(given)
        assert operator("add", never, never, is_in_place=True)(x, made(like)) is x
        np.testing.assert_array_equal(x.to_numpy(), given + other)


def test_elements_of_few_dimensions_are_asked_for_in_one_step(monkeypatch):
    from lazyarr.aliasing import viewing

    for name in ("part", "element_eagerly", "part_of", "shared_by"):
        monkeypatch.setattr(viewing, name, never)
    vector = eager(np.arange(4.0))
    assert float(vector[2]) == 2.0
    assert int(eager(np.arange(6).reshape(2, 3))[1, 2]) == 5
    assert complex(eager(np.arange(4) * 1j)[3]) == 3j
    monkeypatch.undo()
    assert float(vector[1:][1]) == 2.0
    monkeypatch.setattr(viewing, "part_of", never)
    np.testing.assert_array_equal(vector[1:].to_numpy(), [1, 2, 3])  # the memory is known to be shared


@pytest.mark.parametrize("dtype", sorted(SUPPORTED, key=str))
def test_elements_have_the_dtype_of_their_array(dtype):
    n = np.arange(1, 25).reshape(2, 3, 4).astype(dtype)
    for part in (lambda x: x, lambda x: x[0], lambda x: x[1, 2]):
        x, m = part(eager(n.copy())), part(n)
        for key in [1, (1, 2), (1, 0, 3), slice(1), (0, slice(2)), (slice(2), 1), (..., 1), -1, (1,), (-1, -1)]:
            if type(key) is tuple and len(key) - (... in key) > m.ndim:
                with pytest.raises(IndexError):
                    x[key]
                continue
            found = x[key]
            assert found.dtype == dtype
            np.testing.assert_array_equal(np.asarray(found), m[key])


@pytest.mark.parametrize("key", [2**70, -(2**70), 4, -5])
def test_an_integer_that_no_index_is_raises_as_in_numpy(key):
    n = np.arange(16.0).reshape(4, 4)
    x = eager(n.copy())
    for numpys, ours in ((n, x), (n[0], x[0])):
        for given in (key, (0, key), (key, 0)):
            with pytest.raises(IndexError):
                numpys[given]
            with pytest.raises(IndexError):
                ours[given]


@pytest.mark.parametrize("product", [la.matmul, la.dot, la.vecdot, pythons.matmul])
def test_rows_without_elements_are_multiplied_where_others_are(monkeypatch, product):
    x = eager(np.arange(6.0))
    row, column = x[:0], eager(np.ones((3, 3)))[:0, 1]
    monkeypatch.setattr(products, "_by_numpy", never)
    monkeypatch.setattr(products, "of_two_arrays", never)
    monkeypatch.setattr(eager_operators, "of_two_arrays", never)
    for other in (row, column, x[6:]):
        found = product(row, other)
        assert found.dtype == np.float64 and not np.signbit(float(found)) and float(found) == 0.0
    monkeypatch.undo()
    with pytest.raises(ValueError):
        product(row, x[:1])


def test_a_large_result_is_left_to_what_finds_memory_for_it():
    asked = []
    method = operator("add", lambda a, b: asked.append(a), lambda a, b: None)
    x = eager(np.zeros(ALONE + 1))
    method(x, 1.0)
    assert asked == [x]


@pytest.mark.slow
def test_methods_are_made_when_they_are_used_first():
    text = (
        "import lazyarr as la; from lazyarr.eager import operator_methods as m\n"
        "code = lambda: vars(la.Array)['__add__'].__code__.co_name\n"
        "assert code() == 'first', code()\n"
        "x = la.asarray([1.0, 2.0]); first = la.Array.__add__; x + x\n"
        "assert code() == 'add', code()\n"
        "assert la.Array.__add__.__doc__ == first.__doc__ and first(x, x).tolist() == [2.0, 4.0]\n"
        "assert vars(la.Array)['__add__'].__code__.co_filename.startswith(m.__file__[:-3])\n"
    )
    subprocess.run([sys.executable, "-c", text], check=True)


def test_each_operator_has_a_method():
    for method in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift"):
        for form in ("", "r", "i"):
            assert vars(Array)[f"__{form}{method}__"] is vars(EagerOperators)[f"__{form}{method}__"]


def test_what_was_read_before_an_interrupted_operation_is_not_taken_for_its_result(monkeypatch):
    """A signal while NumPy writes is raised when it has."""
    x, y = eager(np.zeros(4)), eager(np.ones(4))
    x += y
    before = la.asarray(np.asarray(x))
    x.node  # it is asked for: a leaf has the values
    run = operator_methods.run_quietly

    def interrupted(*arguments):
        run(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setitem(operator_methods._NAMES, "run_quietly", interrupted)
    with pytest.raises(KeyboardInterrupt):
        x += y
    monkeypatch.undo()
    assert x.tolist() == np.asarray(lift.jit(lambda a: a + 0)(x)).tolist() == [2] * 4
    assert before.tolist() == [1] * 4


def test_a_method_that_somebody_put_there_stays(monkeypatch):
    calls = []

    def make():
        return lambda self, other: (calls.append(other), self)[1]

    placeholder = eager_operators._on_first_use("__lshift__", make)
    monkeypatch.setattr(EagerOperators, "__lshift__", placeholder)
    monkeypatch.setattr(Array, "__lshift__", lambda self, other: (calls.append("spy"), placeholder(self, other))[1])
    x = eager(np.ones(3, np.int32))
    for n in range(2):
        x << n
    assert calls == ["spy", 0, "spy", 1]


def test_the_code_of_methods_is_lazyarrs_wherever_it_lies():
    made = operator("add", never, never)
    assert made.__code__.co_filename.startswith(operator_methods.__file__.removesuffix(".py"))


@pytest.mark.parametrize("ufunc", [np.add, np.subtract, np.multiply])
@pytest.mark.parametrize("value", [1.5, -0.0, np.inf, np.nan, 1e308])
def test_numbers_of_numpys_before_an_element(ufunc, value):
    values = np.array([-1.5, 0.0, -0.0, np.inf, np.nan, 1e308])
    x = la.asarray(values)
    x[0] = values[0]  # eager from now on
    for i, number in enumerate(values):
        found = ufunc(np.float64(value), x[i])
        with np.errstate(all="ignore"):
            wanted = ufunc(np.float64(value), number)
        assert type(found) is la.Array
        assert found.dtype == wanted.dtype
        assert np.asarray(found).tobytes() == wanted.tobytes() or (np.isnan(wanted) and np.isnan(np.asarray(found)))
