"""Small operations of eager arrays give, during the call, what they give where they are recorded."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config
from lazyarr.aliasing import eager_parts, viewing
from lazyarr.aliasing.views import become_eager
from lazyarr.elements.scalar_functions import _LOOPS
from lazyarr.recording.apply import apply
from tests.lazyarr.eager.support import NUMBERS, array, eager, recorded
from tests.lazyarr.support import COMPLEX, DTYPES
from tests.threads import in_threads

# --- operations -------------------------------------------------------------------------------------------------------


PAIRS = [("int32", "int32"), ("uint8", "int8"), ("bool", "bool"), ("float32", "int64"), ("complex64", "float64")]


def test_what_broadcasts_to_few_elements_is_carried_out_whatever_both_have_together():
    x, w = eager(8, 3, 3, 16, 1, dtype="float32"), eager(1, 3, 3, 16, 32, dtype="float32")
    got = x * w
    assert got.value is not None
    np.testing.assert_array_equal(np.asarray(got), np.asarray(x) * np.asarray(w))
    large = eager(600, 1) + eager(1, 600)
    assert large.value is None  # it is larger than both
    np.testing.assert_array_equal(np.asarray(large), array(600, 1) + array(1, 600))
    with pytest.raises(ValueError, match="add"):
        eager(600, 1, 2) + eager(600, 3)


@pytest.mark.parametrize("name", sorted(_LOOPS))
def test_each_function_gives_what_it_gives_where_it_is_recorded(name):
    """For each dtype alone, for pairs, and with Python's numbers: dtypes, errors, values."""
    arity = 3 if name in ("where", "clip") else 2 if name in _TWO else 1
    if arity == 1:
        cases = [(dtype,) for dtype in (*DTYPES, *COMPLEX)]
    elif arity == 2:
        cases = [
            *[(d, d) for d in DTYPES],
            *PAIRS,
            *[(d, np.float64(1.5)) for d in DTYPES],
            ("int8", np.int64(3)),
            *[(d, 2) for d in DTYPES],
            *[(2.5, d) for d in DTYPES],
        ]
    else:
        cases = [("bool", d, 3) for d in DTYPES]
    for case in cases:

        def call(case=case, make=eager):
            operands = [make(2, 3, dtype=c) if isinstance(c, str) else c for c in case]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return apply(name, *operands)

        wanted = recorded(lambda call=call: call(make=lambda *s, dtype: la.asarray(array(*s, dtype=dtype))))
        if isinstance(wanted, tuple):
            with pytest.raises(wanted[0]) as caught:
                np.asarray(call())
            assert str(caught.value) == wanted[1], (name, case)
            continue
        got = np.asarray(call())
        assert got.dtype == wanted.dtype, (name, case)
        np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=1e-6, err_msg=f"{name} {case}")


_TWO = {
    name for name in _LOOPS
    if name in ("add", "subtract", "multiply", "divide", "floor_divide", "remainder", "pow", "minimum", "maximum",
                "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "bitwise_and", "bitwise_or",
                "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift", "atan2", "hypot", "copysign", "nextafter",
                "fmod", "logaddexp", "logaddexp2", "logical_and", "logical_or", "logical_xor", "fmin", "fmax", "gcd",
                "lcm", "heaviside", "ldexp", "float_power")
}  # fmt: skip


FUNCTIONS = {
    "sum": lambda x: la.sum(x, axis=0),
    "mean": la.mean,
    "max": lambda x: la.max(x, axis=1, keepdims=True),
    "argmax": lambda x: la.argmax(x, axis=0),
    "sort": lambda x: la.sort(x, axis=0),
    "dot": lambda x: la.dot(x, x.T),
    "matmul": lambda x: x.T @ x,
    "vecdot": lambda x: la.vecdot(x, x),
    "cumsum": lambda x: la.cumulative_sum(x, axis=1),
    "concat": lambda x: la.concat([x, x[:1] * 2]),
    "stack": lambda x: la.stack([x, x]),
    "where": lambda x: la.where(x > 1, x, 0.5),
    "take": lambda x: la.take(x, la.asarray(np.array([2, 0])), axis=1),
    "mask": lambda x: x[x > 2],
    "outer": lambda x: la.outer(x[0], x[1]),
    "median": lambda x: la.median(x, axis=0),
    "var": la.var,
    "clip": lambda x: la.clip(x, -1, 3),
    "roll": lambda x: la.roll(x, 1, 0),
    "tril": la.tril,
    "copy": lambda x: x.copy(),
    "astype": lambda x: x.astype("int16"),
    "indices": lambda x: x[la.asarray(np.array([1, 0]))],
    "unique": la.unique,
    "iteration": lambda x: la.stack(list(x)),
    "pad": lambda x: la.pad(x, 1),
    "out": lambda x: la.add(x, x, out=x.copy()),
    "einsum": lambda x: la.einsum("ij,kj->ik", x, x),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "complex128"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_give_what_they_give_where_they_are_recorded(name, dtype):
    wanted = recorded(lambda: FUNCTIONS[name](la.asarray(array(3, 4, dtype=dtype))))
    for _ in range(2):  # met for the first time, and again
        if isinstance(wanted, tuple):
            with pytest.raises(wanted[0]):
                np.asarray(FUNCTIONS[name](eager(3, 4, dtype=dtype)))
            continue
        x = eager(3, 4, dtype=dtype)
        got = FUNCTIONS[name](x)
        assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
        np.testing.assert_allclose(np.asarray(got), wanted, rtol=1e-5)
        got[...] = 0  # in no memory of its operand
        np.testing.assert_array_equal(np.asarray(x), array(3, 4, dtype=dtype))


REDUCTIONS = ("sum", "prod", "mean", "max", "min", "any", "all")
AXES = (None, 0, -1, 1, (0,), (0, 1), (1, 0), (0, 0), (0, -2), 5, (), True, np.int64(0))


@pytest.mark.parametrize("dtype", [*DTYPES, *COMPLEX])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_give_what_they_give_where_they_are_recorded(name, dtype):
    """Dtypes, shapes, errors, values, signs of zeros; of memory in another order, and of negative zeros alone."""
    for shape in ((1,), (5,), (3, 4), (2, 1, 3), (200, 3), (0, 3), (3, 0), ()):
        value = array(*shape, dtype=dtype)
        values = [value, np.asfortranarray(value), np.where(value == 4, np.nan, -0.0)]
        for x in [each.astype(dtype) for each in values[: 3 if np.dtype(dtype).kind == "f" else 2]]:
            for axis in AXES:
                for keepdims in (False, True):

                    def call(x=x, axis=axis, keepdims=keepdims):
                        return getattr(la, name)(la.asarray(x), axis=axis, keepdims=keepdims)

                    wanted = recorded(call)
                    if isinstance(wanted, tuple):
                        with pytest.raises(wanted[0]) as caught:
                            np.asarray(call())
                        assert str(caught.value) == wanted[1]
                        continue
                    got = np.asarray(call())
                    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
                    np.testing.assert_allclose(got, wanted, rtol=1e-5 if dtype in ("float32", "complex64") else 1e-12)
                    if got.dtype.kind == "f":
                        zero = wanted == 0
                        np.testing.assert_array_equal(np.signbit(got)[zero], np.signbit(wanted)[zero])


def test_reductions_with_further_arguments_are_those_that_are_recorded():
    x, mask = eager(4, 5), array(4, 5) > 3
    for function in (
        lambda: la.sum(x, 1, "float32"),
        lambda: la.sum(x, axis=0, initial=3),
        lambda: la.max(x, 0, None, True, 7, mask),
        lambda: la.mean(x, axis=1, where=mask),
        lambda: la.sum(x, axis=0, out=la.zeros(5)),
        lambda: la.sum(x, keepdims=1),
        lambda: la.sum(a=x),
        lambda: la.prod(x, bogus=1),
    ):
        wanted = recorded(function)
        if isinstance(wanted, tuple):
            with pytest.raises(wanted[0]):
                function()
            continue
        got = np.asarray(function())
        assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_allclose(got, wanted, rtol=1e-6)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "tanh", "divide", "pow"])
def test_complex_functions_at_special_values_give_what_they_give_where_they_are_recorded(name, dtype):
    parts = [0.0, -0.0, 1.0, -1.0, 2.5, -3.25, 1e-30, 1e30, np.inf, -np.inf, np.nan]
    if name == "pow":
        parts = parts[:6]  # whose squares are exact: NumPy may round the difference of two of them once
    with np.errstate(all="ignore"):
        x = np.array([complex(a, b) for a in parts for b in parts]).astype(dtype)
    others = {"divide": (2, -3.5, 0, -0.0, 1e300, np.inf, np.nan, True, 2j), "pow": (2, 2.0, 3, 0.5, True)}.get(name)
    for other in [(y,) for y in others] if others else [()]:
        wanted = recorded(lambda other=other: apply(name, la.asarray(x), *other))
        got = np.asarray(apply(name, la.asarray(x), *other))
        assert got.dtype == wanted.dtype
        for a, b in ((got.real, wanted.real), (got.imag, wanted.imag)):
            np.testing.assert_allclose(a, b, rtol=1e-5 if dtype == "complex64" else 1e-12, err_msg=f"{name} {other}")
            known = ~np.isnan(b)
            np.testing.assert_array_equal(np.signbit(a)[known], np.signbit(b)[known], err_msg=f"{name} {other}")


# --- elsewhere --------------------------------------------------------------------------------------------------------


def test_pickles_and_threads():
    x = eager(3, 4)
    np.testing.assert_array_equal(np.asarray(pickle.loads(pickle.dumps(x))), array(3, 4))

    def fill(i: int) -> None:
        for k in range(200):
            x[i, k % 4] = i + k

    in_threads(fill, range(3))
    np.testing.assert_array_equal(np.asarray(x), [[196 + i + k for k in range(4)] for i in range(3)])


def test_a_loop_over_small_arrays_is_numpys():
    def cholesky(a, xp):
        for i in range(a.shape[0]):
            for j in range(i):
                a[i, j] -= xp.dot(a[i, :j], a[j, :j])
                a[i, j] /= a[j, j]
            a[i, i] = xp.sqrt(a[i, i] - xp.dot(a[i, :i], a[i, :i]))

    b = np.random.default_rng(1).random((9, 9))
    want = b @ b.T + 9 * np.eye(9)
    x = la.asarray(want.copy())
    cholesky(x, la)
    cholesky(want, np)
    assert x.host is not None
    np.testing.assert_allclose(np.asarray(x), want, rtol=1e-12)


def test_cs_long_long_is_int64():
    x = la.asarray(np.arange(3, dtype=np.longlong))
    assert (x + x).dtype is la.asarray(np.arange(3)).dtype
    assert np.asarray(x + x).dtype == np.int64


ORDERS = {
    "element-wise": lambda x: x.T + 1, "number": lambda x: -x.T, "where": lambda x: la.where(x.T > 1, x.T, 0.0),
    "rows": lambda x: x.T[[2, 0]], "columns": lambda x: x.T[:, la.asarray(np.array([1, 0]))],
    "mixed": lambda x: x[:, None].T[la.asarray(np.array([1, 0])), 0, 1:], "copy": lambda x: x.T.copy(),
    "astype": lambda x: x.T.astype("float32"), "same dtype": lambda x: x.T.astype("float64"),
    "product": lambda x: (x @ x.T).T @ x, "in place": lambda x: _added(x.T.copy(), x.T),
    "take": lambda x: la.take(x.T, la.asarray(np.array([1, 0])), axis=1),
}  # fmt: skip


def _added(x, y):
    x += y
    return x


@pytest.mark.parametrize("name", ORDERS)
def test_results_lie_in_row_major_order(name):
    """So that it is the same which reshapes of them are views."""
    want = recorded(lambda: ORDERS[name](la.asarray(array(3, 4))))
    for _ in range(2):
        found = ORDERS[name](eager(3, 4))
        assert found.shape == want.shape
        flat = found.ravel()
        flat[1] = 1000
        want_flat = want.copy().ravel()
        want_flat[1] = 1000
        np.testing.assert_array_equal(np.asarray(found).ravel(), want_flat)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("terms", [64, 65, 500, 513, 3000])
@pytest.mark.parametrize("name", ["matmul", "dot", "vecdot"])
def test_products_are_as_accurate_as_recorded_ones(name, terms, dtype):
    rng = np.random.default_rng(terms)
    a, b = (rng.random(terms).astype(dtype) for _ in range(2))
    rows, columns = (rng.random((2, terms)).astype(dtype) for _ in range(2))
    cases = [(a, b), (rows, b)]
    if name != "vecdot":
        cases += [(a, columns.T), (rows[:1], columns.T), (rows, columns.T[:, 1:])]
    function = getattr(la, name)
    for given in cases:
        want = recorded(lambda given=given: function(*map(la.asarray, given)))
        operands = [la.asarray(x) for x in given]
        assert all(map(become_eager, operands))
        got = np.asarray(function(*operands))
        exact = getattr(np, name)(*[x.astype(np.longdouble) for x in given])
        eps = np.finfo(dtype).eps
        assert np.all(np.abs(got - exact) <= np.abs(want - exact) + eps * exact), (name, terms)


def test_python_numbers_that_do_not_fit_change_nothing_for_those_that_do():
    x = eager(3, dtype="uint8")
    with pytest.raises(OverflowError):
        la.multiply(x, 300)
    assert la.multiply(x, 2).host is not None


@pytest.mark.parametrize("name", ["fmin", "fmax"])
def test_zeros_have_the_sign_that_they_have_where_it_is_recorded(name):
    a, b = np.array([0.0, -0.0, 0.0]), np.array([-0.0, 0.0, np.nan])

    def call(make=lambda x: la.asarray(x)):
        return apply(name, make(a), make(b))

    want = recorded(call)
    x, y = la.asarray(a), la.asarray(b)
    assert become_eager(x)
    assert become_eager(y)
    np.testing.assert_array_equal(np.signbit(np.asarray(apply(name, x, y))), np.signbit(want))


PYTHONS = [0, 1, -1, 3, 8, 300, 2**60, 0.5, -0.0, float("nan"), float("inf"), True]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("name", sorted(_TWO - {"float_power"} | {"negative", "abs", "sqrt", "sign"}))
def test_numbers_are_what_they_are_where_they_are_recorded(name, dtype):
    """All pairs of special values, in one array where it is recorded; and with Python's numbers."""
    values = np.array(NUMBERS[dtype], dtype)

    def outcome(make, *operands):
        try:
            return np.asarray(apply(name, *[make(x) if isinstance(x, np.generic) else x for x in operands]))
        except (ArithmeticError, TypeError, ValueError) as error:
            return type(error)

    def number(value):
        made = la.asarray(value)
        assert become_eager(made)
        return made

    def alike(got, want):
        if isinstance(want, type) or isinstance(got, type):
            return got is want
        same = np.array_equal(got, want, equal_nan=want.dtype.kind == "f")
        if want.dtype.kind == "f" and name in ("add", "subtract", "multiply", "divide", "negative", "abs", "sqrt"):
            same = same and bool(np.all((np.signbit(got) == np.signbit(want)) | np.isnan(want)))
        elif want.dtype.kind == "f":
            same = same or bool(np.allclose(got, want, rtol=1e-5, equal_nan=True))
        return got.dtype == want.dtype and same

    for a in values:
        cases = [(a,)]
        if name in _TWO:
            cases = [*[(a, b) for b in (*values, *PYTHONS)], *[(b, a) for b in PYTHONS]]
        for case in cases:
            la.config(tier="auto")
            got = outcome(number, *case)
            config.eagerness.want(False)
            assert alike(got, outcome(la.asarray, *case)), (case, got)
    la.config(tier="auto")


ONE, TWO = np.float64(0.1), np.float64(2)
SHORT_WAYS = {
    "vectors of complex numbers": lambda x, z: (la.vecdot(z[0], z[1]), z[0] @ z[1], z @ z.T, la.vecdot(z, z)),
    "without elements": lambda x, z: (x[1, :0] @ x[:0, 1], la.dot(z[0, :0], z[1, :0]), x[:, :0] @ x[:0]),
    "a float64 first": lambda x, z: (ONE * x[1], TWO - x[:, 1], np.less(TWO, x), ONE * z),
    "a float64 second": lambda x, z: (x[1] * ONE, x / np.float64(-0.0), x >= TWO, z * ONE),
    "numbers as positions": lambda x, z: (x[:, z.argmax() % 2], z[x.argmax() % 2, 1:], x[None, 1, x.argmin() % 2]),
    "sums": lambda x, z: (la.sum(x), x.sum(axis=-1), la.mean(x, 0, keepdims=True), la.prod(x[0]), z.sum(0)),
    "extremes": lambda x, z: (x[1].max(), la.min(x, axis=(0, 1)), x.any(1), la.all(x, keepdims=True)),
    "parts": lambda x, z: (_put(x, np.s_[1, :2], x[0, 1:]), _put(x, np.s_[1:, ..., None], 3), _put(z, 0, x[1])),
    "parts that overlap": lambda x, z: (_put(x, np.s_[:, 1:], x[:, :-1]), _put(x, np.s_[::-1], x)),
    "in place": lambda x, z: (_times(x[1], ONE), _times(x, TWO), _times(z, TWO)),
}  # fmt: skip


def _put(x, key, value):
    x[key] = value
    return x.copy()


def _times(x, factor):
    x *= factor
    return x.copy()


@pytest.mark.parametrize("pair", ["float64 complex128", "float32 complex64", "int32 complex128"])
@pytest.mark.parametrize("name", SHORT_WAYS)
def test_the_short_ways_give_what_is_recorded(name, pair):
    def given(make):
        real, pairs = pair.split()
        x, z = make(3, 3, dtype=real), make(3, 3, dtype=pairs)
        z[0, 1] = 1j
        return x, z

    def results(make):
        try:
            with np.errstate(all="ignore"):
                return [np.asarray(found) for found in SHORT_WAYS[name](*given(make))]
        except (TypeError, ValueError) as error:
            return [str(error)]

    la.config(tier="reference")
    config.eagerness.want(False)
    want = results(lambda *s, dtype: la.asarray(array(*s, dtype=dtype)))
    la.config(tier="auto")
    for _ in range(3):  # NumPy's functions are known from the second time on
        got = results(eager)
        for one, other in zip(got, want, strict=True):
            assert getattr(one, "dtype", None) == getattr(other, "dtype", None)
            if isinstance(one, str) or one.dtype.kind in "bi":
                np.testing.assert_array_equal(one, other)
            else:
                np.testing.assert_allclose(one, other, rtol=4 * np.finfo(one.dtype).eps)


@pytest.mark.parametrize("held", ["recorded", "eager"])
def test_what_large_masks_choose_is_found_by_places(held, monkeypatch):
    """NumPy asks at each element, and a processor cannot foresee random ones."""
    given, calls = np.random.default_rng(0).random((1000, 30), np.float32), []
    for module in (eager_parts, viewing):
        monkeypatch.setattr(module, "masked", lambda x, mask: (calls.append(mask.size), x[mask])[1])
    x = la.asarray(given)
    if held == "eager":
        x = x[:100] + 0
        given = given[:100]
    found = x[x > 0.5]
    np.testing.assert_array_equal(found.to_numpy(), given[given > 0.5], strict=True)
    assert calls == [given.size]


def test_small_arrays_are_clipped_without_programs(monkeypatch):
    x = la.asarray(np.array([1.0, -0.0, 0.0, np.nan, np.inf, -5.0, 7.0])) * 1
    np.asarray(la.clip(x, 0, 1))
    monkeypatch.setattr("lazyarr.recording.replay._first", None)
    for low, high in (
        (0, 2.5),
        (-1.5, 3),
        (2, 1),
        (0.0, -0.0),
        (np.nan, 1),
        (x[::-1], np.float64(3)),
        (1, x),
        (np.nan, np.nan),
    ):
        found, wanted = la.clip(x, low, high), np.minimum(np.maximum(np.asarray(x), np.asarray(low)), np.asarray(high))
        np.testing.assert_array_equal(np.asarray(found), wanted)
        np.testing.assert_array_equal(np.signbit(np.asarray(found)), np.signbit(wanted))


@pytest.mark.parametrize("mask", ["given", "eager"])
def test_a_small_array_is_written_where_a_mask_that_exists_holds(mask, monkeypatch):
    monkeypatch.setattr("lazyarr.aliasing.assignment._where", None)  # what records it
    value = np.arange(6.0)
    x, holds = la.asarray(value.copy()), la.asarray(value > 2)
    holds = holds if mask == "given" else holds & True
    before = x * 2
    x[holds] = 7.5
    assert x.value is not None
    value[value > 2] = 7.5
    np.testing.assert_array_equal(np.asarray(x), value)
    np.testing.assert_array_equal(np.asarray(before), np.arange(6.0) * 2)


def test_large_arrays_and_what_waits_are_not_written_in_place_for_a_mask():
    large = la.asarray(np.arange(300_000.0))
    large[la.asarray(np.arange(300_000) > 5)] = 0
    assert large.value is None
    np.testing.assert_array_equal(np.flatnonzero(np.asarray(large)), np.arange(1, 6))
    n = np.arange(100_000.0)
    waiting = la.asarray(n) * 2
    waiting[la.asarray(n > 5)] = 0
    assert waiting.value is None
    x = la.asarray(n)
    holds = x > 5
    x[holds] = 0
    assert x.value is None and holds.value is None
    np.testing.assert_array_equal(np.asarray(waiting), np.where(n > 5, 0, n * 2))
    np.testing.assert_array_equal(np.asarray(x), np.where(n > 5, 0, n))
