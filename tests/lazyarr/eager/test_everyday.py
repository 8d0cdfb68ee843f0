"""Calls that programs make every day, on eager arrays, against what is recorded: values, dtypes, errors, warnings."""

from __future__ import annotations

import gc
import math
import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr.array import eager as eager_of
from lazyarr.eager.products import TERMS_AT_MOST
from tests.lazyarr.eager.support import array, eager, recorded

DTYPES = ["bool", "int8", "int64", "uint8", "uint64", "float32", "float64", "complex64", "complex128"]
SPECIAL = [0.0, -0.0, 1.5, -2.5, math.nan, math.inf, -math.inf, 3.0]


def numbers(count, dtype, seed=0, special=True):
    """Numbers of a dtype, where it has them NaN, infinities and zeros of both signs among them."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(count) > 0.5
    if kind in "iu":
        return rng.integers(0 if kind == "u" else -100, 100, count).astype(dtype)
    found = rng.normal(size=count) * 4
    if special:
        found[rng.random(count) < 0.4] = 0.0
        found = np.where(rng.random(count) < 0.5, found, rng.choice(SPECIAL, count))
    if kind == "c":
        found = found + 1j * rng.normal(size=count)
    return found.astype(dtype)


def as_eager(x):
    found = eager_of(np.array(x))
    assert found.value is not None
    return found


def outcome(function):
    """The value, or the kind of error; a warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "All-NaN slice", RuntimeWarning)  # what NumPy warns of, too
        try:
            found = function()
            return [np.asarray(x) for x in found] if isinstance(found, tuple) else np.asarray(found)
        except (ArithmeticError, IndexError, TypeError, ValueError) as error:
            return type(error), str(error)


def assert_bits(found, wanted):
    if isinstance(wanted, tuple) or isinstance(found, tuple):
        assert found == wanted
        return
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_array_equal(found, wanted)
    if found.dtype.kind == "f":
        both = ~np.isnan(found)
        np.testing.assert_array_equal(np.signbit(found)[both], np.signbit(wanted)[both])


# --- reading ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_is_read_stays_as_it_is_and_is_read_only(dtype):
    for shape in ((), (1,), (0,), (7,), (2, 3), (3, 0, 2), (60, 60)):
        x = numbers(math.prod(shape), dtype, 1).reshape(shape)
        a = la.array(x)
        if shape:
            a[...] = x
        for own, numpys in ((a, x), (a.T, x.T), (a[::-1] if shape else a, x[::-1] if shape else x)):
            found = np.asarray(own)
            assert_bits(found, np.array(numpys))
            assert not found.flags.writeable
            with pytest.raises(ValueError, match="WRITEABLE"):
                found.setflags(write=True)
            assert np.array(own).flags.writeable
            assert np.asarray(own, dtype="complex128").dtype == "complex128"
            assert own.tobytes() == numpys.tobytes()
            assert own.tobytes("F") == numpys.tobytes("F")
            if numpys.size:
                at = (-1,) * numpys.ndim
                np.testing.assert_equal(own.item(*at), numpys.item(*at))
                np.testing.assert_equal(own.item(numpys.size - 1), numpys.item(numpys.size - 1))
            for wrong in (numpys.size, "a"):
                with pytest.raises((IndexError, TypeError)):
                    own.item(wrong)
        before = np.asarray(a)
        kept = before.copy()
        if x.size and shape:
            a[...] = 1
        assert_bits(before, kept)
        del a, own
        gc.collect()
        assert_bits(before, kept)


@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_are_those_that_are_recorded_and_do_not_change_with_the_array(dtype):
    x = numbers(12, dtype, 2)
    for make in (lambda a: list(a), lambda a: list(a.flat), lambda a: [a[i] for i in range(-12, 12)]):
        a = as_eager(x)
        found = make(a)
        values = [np.asarray(each) for each in make(la.asarray(x))]
        a[...] = 1
        for each, value in zip(found, values, strict=True):
            assert each.shape == ()
            assert_bits(np.asarray(each), value)
            assert each.dtype == dtype
    m = as_eager(x.reshape(3, 4))
    assert_bits(np.asarray(m[2, -1]), np.asarray(x.reshape(3, 4)[2, -1]))
    for key in (12, -13, (3, 0), (0, 4)):
        with pytest.raises(IndexError):
            (as_eager(x) if isinstance(key, int) else m)[key]


def test_elements_are_read_when_their_turn_comes():
    for dtype in ("float32", "bool", "int64"):
        a, x = as_eager(np.zeros(4, dtype)), np.zeros(4, dtype)
        seen, wanted = [], []
        for own, found in ((a, seen), (x, wanted)):
            for i, each in enumerate(own):
                found.append(float(each))
                if i < 3:
                    own[i + 1] = 1
        assert seen == wanted


# --- assigning numbers ------------------------------------------------------------------------------------------------

GIVEN = [
    True, False, 0, 1, -1, 127, 128, 255, 256, 2**53 + 1, 2**63, -(2**63), 10**30, 2**1100, 0.0, -0.0, 0.1, 1e-300,
    1e-40, 1e38, 3.5e38, 1e300, math.nan, math.inf, -math.inf, 1j, complex(0.0, -0.0), np.float32(0.1), np.int8(-3),
    np.bool(True),
]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_are_assigned_as_where_that_is_recorded(dtype):
    x = numbers(6, dtype, 3)

    def assigned(make, key, value):
        a = make(x.reshape(2, 3) if isinstance(key, tuple) else x)
        view = a[1:]
        a[key] = value
        return a + 0, view + 0

    for value in GIVEN:
        for key in (0, -1, slice(1, None, 2), ..., (1, 2), (slice(None), 0), 6):
            found = outcome(lambda key=key, value=value: assigned(as_eager, key, value))
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                wanted = recorded(lambda key=key, value=value: assigned(la.asarray, key, value)[0])
                rest = recorded(lambda key=key, value=value: assigned(la.asarray, key, value)[1])
            if isinstance(found, tuple):
                assert found[0] is wanted[0], (value, key)
                continue
            assert_bits(found[0], wanted)
            assert_bits(found[1], rest)


def test_no_warning_is_raised_where_numpy_is_to_raise_all():
    a = as_eager(np.zeros(3, "float32"))
    for value in (1e300, 1e-300, 1e-40, math.nan, 0.1):
        with np.errstate(all="ignore"):
            wanted = np.asarray(value).astype("float32")
        with np.errstate(all="raise"):
            a[0] = value
            assert_bits(np.asarray(a[0]), wanted)


def test_what_was_recorded_before_a_number_is_assigned_keeps_the_old_one():
    for dtype in ("float32", "bool", "uint8"):
        a = as_eager(np.ones(3, dtype))
        before = a.node
        a[1] = 0
        assert np.asarray(before.storage).tolist() == [1, 1, 1]
        assert np.asarray(a).tolist() == [1, 0, 1]
        assert np.asarray(la.array(a)).tolist() == [1, 0, 1]
    fixed = as_eager(np.ones(3, "float32"))
    fixed.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        fixed[0] = 2.0


# --- functions that round nothing -------------------------------------------------------------------------------------

EXACT = {
    "round": lambda x: la.round(x),
    "round 2": lambda x: la.round(x, 2),
    "round -1": lambda x: la.round(x, -1),
    "x.round": lambda x: x.round(),
    "fmax": lambda x: la.fmax(x, x[::-1]),
    "fmin": lambda x: la.fmin(x, x[::-1]),
    "fmax of a number": lambda x: la.fmax(x, 0),
    "fmin of a number": lambda x: la.fmin(0.0, x),
    "fmax of numbers": lambda x: la.fmax(x[1], x[2]),
    "nanmax": lambda x: la.nanmax(x),
    "nanmin": lambda x: la.nanmin(x),
    "nanmax axis": lambda x: la.nanmax(x[:12].reshape(4, 3), axis=1),
    "nanmin axes": lambda x: la.nanmin(x[:12].reshape(4, 3), axis=(0, 1), keepdims=True),
    "nanmax where": lambda x: la.nanmax(x, where=x == x, initial=1),
    "nanmin nothing": lambda x: la.nanmin(x[:0]),
    "nanmax no axis": lambda x: la.nanmax(x, axis=2),
    "take": lambda x: la.take(x[:12].reshape(4, 3), [2, 0], axis=1),
    "take 1": lambda x: la.take(x[:12].reshape(4, 3), la.asarray([3, -4]), axis=0),
    "take wrap": lambda x: la.take(x, [[100], [-3]], mode="wrap"),
    "take outside": lambda x: la.take(x, [100]),
    "take axis": lambda x: la.take(x, [0], axis=1),
    "kron": lambda x: la.kron(x[:3], x[:2].reshape(2, 1)),
    "kron number": lambda x: la.kron(2, x[:2]),
    "maximum.reduce": lambda x: la.maximum.reduce(x),
    "maximum.reduce axis": lambda x: la.maximum.reduce(x[:12].reshape(4, 3), axis=1, keepdims=True),
    "logical_and.reduce": lambda x: la.logical_and.reduce(x),
    "add.reduce nothing": lambda x: la.add.reduce(x[:0]),
    "maximum.reduce nothing": lambda x: la.maximum.reduce(x[:0]),
    "maximum.reduce no axis": lambda x: la.maximum.reduce(x, axis=1),
    "searchsorted": lambda x: la.searchsorted(la.sort(x), x[:3], side="right"),
    "insert": lambda x: la.insert(x, [1, 3], x[:2]),
    "delete": lambda x: la.delete(x, slice(1, 9, 2)),
    "extract": lambda x: la.extract(x == x, x),
    "astype": lambda x: x.astype(x.dtype),
    "astype float32": lambda x: x.astype("float32") if x.dtype.kind != "c" else x,
    "stack": lambda x: la.stack([x, x[::-1]], axis=1),
    "einsum ij->ji": lambda x: la.einsum("ij->ji", x[:12].reshape(4, 3)),
    "einsum i,j->ij": lambda x: la.einsum("i,j->ij", x[:3], x[:4]),
    "einsum ii": lambda x: la.einsum("ii->i", x[:9].reshape(3, 3)),
    "einsum wrong": lambda x: la.einsum("ij,j", x, x),
}


@pytest.mark.parametrize("name", EXACT)
def test_functions_that_round_nothing(name):
    for dtype in DTYPES:
        for seed in range(3):
            x = numbers(17, dtype, seed)
            if seed == 2:
                x = x[:1].repeat(17)  # all the same, or all NaN
            found = outcome(lambda x=x: EXACT[name](as_eager(x)))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # NumPy's, of what `recorded` converts
                wanted = recorded(lambda x=x: EXACT[name](la.asarray(x)))
            if isinstance(wanted, tuple) and isinstance(found, tuple):
                assert found[0] is wanted[0], (dtype, found, wanted)
            else:
                assert_bits(found, wanted)


@pytest.mark.parametrize("name", ["fmax", "fmin"])
def test_the_first_of_equal_zeros_whatever_the_result_is_put_into(name):
    function = getattr(la, name)
    x, y = np.array([0.0, -0.0, 0.0, -1.0, np.nan, -0.0] * 400), np.array([-0.0, 0.0, -1.0, 0.0, -0.0, np.nan] * 400)
    wanted = recorded(lambda: function(la.asarray(x), la.asarray(y)))
    for at in (slice(None), slice(0, 6)):
        a, b = as_eager(x[at]), as_eager(y[at])
        assert_bits(np.asarray(function(a, b)), wanted[at])
        assert_bits(np.asarray(function(a, b, out=a)), wanted[at])
        a = as_eager(x[at])
        assert_bits(np.asarray(function(a, b, out=b)), wanted[at])
        negated = recorded(lambda at=at: function(la.asarray(-x[at]), la.asarray(y[at])))
        assert_bits(np.asarray(function(-as_eager(x[at]), as_eager(y[at]))), negated)  # into memory of an operand


# --- sums -------------------------------------------------------------------------------------------------------------


def exact(x, y):
    return math.fsum(float(a) * float(b) for a, b in zip(x, y, strict=True))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_sums_of_products_are_as_exact_as_recorded_ones(dtype):
    eps = np.finfo(dtype).eps
    for count in (1, 3, 65, 700, 1500, 5000):
        x, y = numbers(count, dtype, 4, False), numbers(count, dtype, 5, False)
        scale = float(np.sum(np.abs(x.astype("complex128")) * np.abs(y)))
        plain = exact(x.real, y.real) - exact(x.imag, y.imag) + 1j * (exact(x.real, y.imag) + exact(x.imag, y.real))
        conjugate = exact(x.real, y.real) + exact(x.imag, y.imag) + 1j * (exact(x.real, y.imag) - exact(x.imag, y.real))
        a, b = as_eager(x), as_eager(y)
        for function, wanted in (
            (la.dot, plain), (la.inner, plain), (la.matmul, plain), (lambda a, b: la.einsum("i,i->", a, b), plain),
            (la.vdot, conjugate), (la.vecdot, conjugate),
        ):  # fmt: skip
            found = function(a, b)
            assert (found.dtype, found.shape) == (np.dtype(dtype), ())
            assert abs(complex(found) - wanted) <= (8 if count > TERMS_AT_MOST[np.dtype(dtype)] else 20) * eps * scale
        assert np.isnan(complex(la.dot(a, as_eager(np.full(count, np.nan, dtype)))).real)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_norms_are_those_that_are_recorded(dtype):
    eps = np.finfo(dtype).eps
    for shape in ((1,), (40, 3), (3, 400), (2500,), (0, 3)):
        x = numbers(math.prod(shape), dtype, 6, False).reshape(shape)
        for options in (
            {},
            {"axis": 0},
            {"axis": -1, "keepdims": True},
            {"axis": 5},
            {"ord": 1, "axis": 0},
            {"ord": 2},
        ):
            found = outcome(lambda x=x, options=options: la.linalg.norm(as_eager(x), **options))
            wanted = recorded(lambda x=x, options=options: la.linalg.norm(la.asarray(x), **options))
            if isinstance(wanted, tuple):
                assert found[0] is wanted[0]
                continue
            assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
            np.testing.assert_allclose(found, wanted, rtol=8 * eps)
    assert float(la.linalg.norm(as_eager(np.array([3e30, 4e30], "float32")))) == float(
        recorded(lambda: la.linalg.norm(la.asarray(np.array([3e30, 4e30], "float32"))))
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_running_sums_are_exact_enough_and_those_that_are_recorded(dtype):
    eps = np.finfo(dtype).eps if np.dtype(dtype).kind in "fc" else 0
    for name, function in (("cumsum", la.cumsum), ("nancumsum", la.nancumsum)):
        for shape in ((0,), (1,), (17,), (2000,), (2100,), (9000,), (40, 50), (3, 5, 7)):
            x = numbers(math.prod(shape), dtype, 7, False).reshape(shape)
            if name == "nancumsum" and eps:
                x.reshape(-1)[::3] = np.nan
            for axis in (None, 0, -1, 4):
                found = outcome(lambda f=function, x=x, axis=axis: f(as_eager(x), axis))
                wanted = recorded(lambda f=function, x=x, axis=axis: f(la.asarray(x), axis))
                if isinstance(wanted, tuple):
                    assert found[0] is wanted[0]
                    continue
                assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
                scale = np.cumsum(np.abs(np.nan_to_num(x).astype("complex128")), axis)
                assert np.all(np.abs(found - wanted) <= 12 * eps * scale.real) if eps else np.array_equal(found, wanted)
    if eps:
        zeros = np.full(40, -0.0, dtype)
        assert np.signbit(np.asarray(la.cumsum(as_eager(zeros))).real).all()
    tenths = np.full(2000, 0.1)
    wanted = np.array([math.fsum(tenths[: i + 1]) for i in range(2000)])
    assert np.max(np.abs(np.asarray(la.cumsum(as_eager(tenths))) / wanted - 1)) <= np.finfo("float64").eps


@pytest.mark.parametrize("dtype", [*DTYPES[1:], "bool"])
def test_traces_and_einsum_are_those_that_are_recorded(dtype):
    eps = np.finfo(dtype).eps if np.dtype(dtype).kind in "fc" else 0
    x = numbers(60, dtype, 8, False)
    m, t = x[:20].reshape(4, 5), x.reshape(3, 4, 5)
    for function in (
        la.trace, lambda m: la.trace(m, 1), lambda m: la.trace(m, -9), lambda m: la.trace(m[0]),
        lambda m: la.trace(m, dtype="complex128"), lambda m: la.einsum("ij,kj->ik", m, m),
        lambda m: la.einsum("ij->", m), lambda m: la.einsum("ij,j", m, m[0]),
        lambda m: la.einsum("ij,ij->j", m, m), lambda m: la.einsum("ij,j->i", m, m),
    ):  # fmt: skip
        found, wanted = outcome(lambda f=function: f(as_eager(m))), recorded(lambda f=function: f(la.asarray(m)))
        if isinstance(wanted, tuple):
            assert found[0] is wanted[0]
            continue
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        assert np.allclose(found, wanted, rtol=64 * eps, atol=64 * eps * 256)
    found, wanted = (np.asarray(la.trace(make(t), 0, 1, 2)) for make in (as_eager, la.asarray))
    assert (found.dtype, found.shape) == (wanted.dtype, (3,))
    assert np.allclose(found, wanted, rtol=64 * eps, atol=64 * eps * 256)


# --- writing to places ------------------------------------------------------------------------------------------------


def test_the_greatest_uint64_numbers_are_no_places_to_put_values():
    x = eager(6)
    la.put(x, np.array([1, 5], "uint64"), [7, 8])
    assert np.asarray(x)[[1, 5]].tolist() == [7, 8]
    with pytest.raises(IndexError, match="18446744073709551614"):
        la.put(x, np.array([1, 2**64 - 2], "uint64"), [9, 9])
    assert np.asarray(x)[[1, 4, 5]].tolist() == [7, array(6)[4], 8]


@pytest.mark.parametrize("dtype", DTYPES)
def test_values_are_put_into_a_row(dtype):
    x = numbers(9, dtype, 9)
    for places, values in (
        ([0, 0], 1), ([3, 3, -1], [1, 0, 1]), ([8, -9], [True, False]), ([9], 1), ([-10, 0], 1), ([], 1), ([1], [1, 0]),
        ([1, 2, 3], [1, 0]), ([1.5], 1), ([[1, 2]], 1), ([1], []),
    ):  # fmt: skip

        def done(make, places=places, values=values):
            a = make(x)
            view = a[::2]
            error = None
            try:
                la.put(a, places, values)
            except (IndexError, TypeError, ValueError) as raised:
                error = type(raised)
            return np.asarray(a), np.asarray(view), error

        found = done(as_eager)
        la.config(tier="reference")
        wanted = done(la.asarray)
        la.config(tier="auto")
        assert found[2] is wanted[2]
        assert_bits(found[0], wanted[0])
        assert_bits(found[1], wanted[1])
    a = as_eager(x)
    la.put(a, np.arange(8), a[1:])  # of its own memory
    assert_bits(np.asarray(a), np.append(x[1:], x[-1:]))


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
@pytest.mark.parametrize("name", ["add", "subtract", "multiply"])
def test_many_values_combined_are_rounded_once(name, dtype):
    rng = np.random.default_rng(10)
    ufunc, count = getattr(np, name), 10_000
    for shape, key in (
        ((50,), rng.integers(-50, 50, count)), ((70_000,), rng.integers(0, 50, count)),
        ((30, 3), rng.integers(-30, 30, count)), ((6, 8), (rng.integers(0, 6, count), rng.integers(-8, 8, count))),
        ((40, 4), (slice(None, None, 2), rng.integers(0, 4, count))), ((5,), rng.integers(0, 6, count)),
    ):  # fmt: skip
        x = numbers(math.prod(shape), dtype, 11, False).reshape(shape)
        chosen = (count,) if shape == (5,) else np.zeros(shape)[key].shape
        y = (1 + rng.normal(size=chosen) / 100).astype(dtype)
        for values in (y, dtype == "float32" and 1.001):
            if values is False:
                continue
            a = as_eager(x[..., None].repeat(2, -1))[..., 0] if len(shape) == 1 else as_eager(x)
            view = a[1:]
            own = la.asarray(values) if isinstance(values, np.ndarray) else values
            parts = [la.asarray(k) if isinstance(k, np.ndarray) else k for k in (key if type(key) is tuple else (key,))]
            keys = tuple(parts) if type(key) is tuple else parts[0]
            if shape == (5,):
                with pytest.raises(IndexError):
                    getattr(la, name).at(a, keys, own)
                assert_bits(np.asarray(a), x)
                continue
            wide = x.astype("complex128" if dtype == "complex64" else "float64")
            ufunc.at(wide, key, np.float32(values) if isinstance(values, float) else values.astype(wide.dtype))
            getattr(la, name).at(a, keys, own)
            assert_bits(np.asarray(a), wide.astype(dtype))
            assert_bits(np.asarray(view), wide.astype(dtype)[1:])


# --- large arrays of which few elements are looked at -----------------------------------------------------------------


def test_few_elements_of_a_large_array_are_numpys():
    x = np.random.default_rng(12).normal(size=40_000)
    a, m = la.asarray(x), la.asarray(x.reshape(200, 200))
    s = np.sort(x)
    places = np.array([5, 0, -1, 5, 39_999])
    for found, wanted in (
        (a[places], x[places]), (a[[3, 3]], x[[3, 3]]), (a[la.asarray(places)], x[places]),
        (a.take(places), x[places]), (la.take(m, [0, 7], axis=1), np.take(x.reshape(200, 200), [0, 7], axis=1)),
        (la.searchsorted(la.asarray(s), 0.5), np.searchsorted(s, 0.5)), (m[[1, -2]], x.reshape(200, 200)[[1, -2]]),
        (la.searchsorted(la.asarray(s), la.asarray(x[:9]), "right"), np.searchsorted(s, x[:9], "right")),
        (la.insert(a, 3, 1.5), np.insert(x, 3, 1.5)), (la.delete(a, [1, 5]), np.delete(x, [1, 5])),
        (la.ediff1d(a), np.ediff1d(x)), (la.nanmax(a), np.nanmax(x)), (la.extract(x > 1, a), x[x > 1]),
        (la.stack([a[:30_000], a[:30_000]], axis=1), np.stack([x[:30_000]] * 2, axis=1)),
    ):  # fmt: skip
        assert_bits(np.asarray(found), np.asarray(wanted))
    for key in ([40_000], np.array([-40_001])):
        with pytest.raises(IndexError):
            a[key]
        with pytest.raises(IndexError):
            la.take(a, key)
    taken, found = a[places], a.take([0])
    before = np.asarray(taken).copy(), np.asarray(found).copy()
    a[0] = 100.0
    a[5] = 100.0
    assert_bits(np.asarray(taken), before[0])
    assert_bits(np.asarray(found), before[1])
    assert np.asarray(a[places])[:2].tolist() == [100.0, 100.0]


def test_results_are_of_native_bytes():
    assert la.arange(10, dtype=np.dtype(">i4")).dtype.isnative
    assert np.asarray(la.linspace(0, 1, 5, dtype=np.dtype(">f4"))).dtype.isnative
