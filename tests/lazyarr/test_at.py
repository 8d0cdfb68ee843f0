"""`f.at(x, key, value)` against NumPy."""

from __future__ import annotations

import threading
from contextlib import contextmanager

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config, lift
from lazyarr.api.select import combining, eager_combining
from tests.lazyarr.evaluation import ON_DEVICE, interpreted
from tests.lazyarr.support import check, values

SMALL = values((5, 4), "int64", 2, 1, 5)


@contextmanager
def _auto():
    """The tier that users have."""
    old = config.settings()
    la.config(tier="auto", tune="off")
    try:
        yield
    finally:
        la.config(**vars(old))


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "minimum", "bitwise_xor", "power"])
@interpreted()
def test_at_takes_each_index_in_turn(name):
    rng = np.random.default_rng(5)
    at, new = rng.integers(-5, 5, (3, 11)), rng.integers(1, 3, (3, 11, 4))
    x = SMALL.copy()
    getattr(np, name).at(x, at, new)
    a = la.asarray(SMALL)
    getattr(la, name).at(a, la.asarray(at), new)
    check(a, x)
    for key in ((at, at % 4), (slice(1, 3), [0, 0, 3]), SMALL > 2, 1, (..., [1, 1])):
        x, a = SMALL.copy(), la.asarray(SMALL)
        getattr(np, name).at(x, key, 2)
        getattr(la, name).at(a, key, 2)
        check(a, x)


def test_at_on_the_device():
    rng = np.random.default_rng(6)
    at, new = rng.integers(0, 20, 300), rng.integers(-9, 9, 300)
    for dtype in ("float64", "int32", "complex64"):
        x = np.zeros(20, dtype)
        a = la.asarray(x.copy())
        la.add.at(a, at, new.astype(dtype))
        np.add.at(x, at, new.astype(dtype))
        check(a, x)
    f = lift.jit(lambda x, i, v: (la.subtract.at(x, i, v), x * 1)[1])
    if ON_DEVICE:
        x = SMALL[:, 0].copy()
        np.subtract.at(x, at % 5, new)
        check(f(la.asarray(SMALL[:, 0]), at % 5, new), x)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "float32"])
@pytest.mark.parametrize("value", [True, 2, -1, 300, 1.5, 2.75, np.int64(300), np.float64(0.1)], ids=repr)
def test_at_converts_each_result(dtype, value):
    for name in ("add", "maximum", "divide", "equal"):
        if dtype == "bool" and name == "divide":
            continue  # of zeros
        x = np.array([1, 0, 1, 7]).astype(dtype)
        a = la.asarray(x.copy())
        getattr(np, name).at(x, [0, 0, 3], value)
        getattr(la, name).at(a, [0, 0, 3], value)
        check(a, x)


def test_at_keeps_the_dtype():
    a = la.zeros(3, dtype="int32")
    with pytest.raises(TypeError, match=r"add.at: cannot put complex128 into an array of dtype int32"):
        la.add.at(a, [0], 0.5j)
    with pytest.raises(TypeError, match=r"add.at: expected a lazyarr array to change, got ndarray"):
        la.add.at(np.zeros(3), [0], 1)
    with pytest.raises(IndexError, match=r"index 3 is out of bounds"):
        la.add.at(a, [3], 1)


def _key(rng, shape, kind):
    count = int(rng.integers(0, 20))
    rows = rng.integers(-shape[0], shape[0], count)
    if kind == "rows":
        return rows
    if kind == "pairs":
        return (rows.reshape(-1, 1), rng.integers(0, shape[1], 3))
    return {"slice": slice(1, None, 2), "mask": rng.random(shape) < 0.5, "all": ..., "list": rows.tolist() or [0]}[kind]


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "hypot", "arctan2", "floor_divide", "copysign"])
@pytest.mark.parametrize("kind", ["rows", "pairs", "slice", "mask", "all", "list"])
def test_at_of_eager_arrays_and_views_is_numpys(name, kind):
    rng = np.random.default_rng(len(name) + len(kind))
    with _auto():
        _compared(rng, name, kind)


def _compared(rng, name, kind):
    for dtype in ("float64", "int64", "float32"):
        for through in (lambda x: x, lambda x: x[::-1], lambda x: x.T, lambda x: x[1:, 1:]):
            base = (rng.random((6, 7)) * 9).astype(dtype)
            x, a = base.copy(), la.asarray(base.copy())
            a[0, 0] = a[0, 0]
            kept, view = a * 1, a[2]
            key = _key(rng, through(x).shape, kind)
            shape = through(x)[key].shape
            new = (rng.random(shape) * 5 + 1).astype(dtype)
            getattr(np, name).at(through(x), key, new)
            getattr(la, name).at(through(a), key, la.asarray(new) if kind == "rows" else new)
            check(a, x)
            check(view, x[2])
            check(kept, base)


def test_at_broadcasts_values():
    """`np.add.at(np.zeros(3), [[0, 1], [1, 2]], [1.0, 2.0])` reads behind the values in NumPy 2.4."""
    for count in (1, 2, 3, 9):
        at, new = np.arange(2 * count).reshape(2, count) % 3, np.arange(count) + 1.0
        expected = np.zeros(3)
        np.add.at(expected, at, np.broadcast_to(new, at.shape).copy())
        for given in (new, la.asarray(new)):
            a = la.zeros(3)
            la.add.at(a, at, given)
            check(a, expected)
        for one in (np.array([2.0]), np.array([[2.0]]), 2.0):
            a = la.zeros(3)
            la.add.at(a, at, one)
            check(a, np.bincount(at.reshape(-1), minlength=3) * 2.0)


@pytest.mark.parametrize("dtype", ["float64", "int32", "float32"])
def test_many_rows_are_added(dtype):
    rng = np.random.default_rng(8)
    at, new = rng.integers(-50, 50, (3, 3001)), (rng.random((3, 3001, 4)) * 9).astype(dtype)
    for values_ in (new, new[:1], new[0, 0], new[..., :1]):
        x = np.zeros((50, 4), dtype)
        a = la.asarray(x.copy())
        np.add.at(x, at, np.broadcast_to(values_, new.shape).astype("float64" if dtype == "float32" else dtype))
        la.add.at(a, la.asarray(at), values_)
        np.testing.assert_allclose(a, x, rtol=1e-4 if dtype == "float32" else 1e-12)
    with pytest.raises(IndexError):
        la.add.at(a, np.full(9000, 50), new[0, :1])
    np.testing.assert_allclose(a, x, rtol=1e-4 if dtype == "float32" else 1e-12)


def test_at_reads_what_was_there_before_it_writes():
    base = np.arange(9.0)
    x, a = base.copy(), la.asarray(base.copy())
    a[0] = 0
    np.add.at(x, np.arange(9), x[::-1].copy())
    la.add.at(a, np.arange(9), a[::-1])
    check(a, x)
    whole = la.asarray(np.array([2, 0, 1]))
    whole[0] = 2
    la.add.at(whole, whole, 1)
    check(whole, np.array([3, 1, 2]))


def test_at_in_a_loop_writes_to_the_same_memory():
    large, at = np.zeros(300_000), np.arange(0, 3000, 3)
    with _auto():
        a = la.asarray(large)
        for step in range(6):
            la.hypot.at(a, at, 3.0)
            if step == 4:
                memory = a.value
        assert a.value is memory is not None
    np.hypot.at(large, at, 3.0)
    for _ in range(5):
        np.hypot.at(large, at, 3.0)
    check(a, large)


def test_many_float32_numbers_for_one_place_are_carried_in_float64():
    at, new = np.zeros(30_000, int), np.full(30_000, 0.1, "float32")
    with _auto():
        a = la.asarray(np.zeros(20_000, "float32"))
        a[3] = 0
        la.add.at(a, at, new)
        assert abs(float(a[0]) - float(new.astype("float64").sum())) < 1e-3
        la.add.at(a, [3, 4], np.float32(1))
        memory = a.value
        la.add.at(a, la.asarray(np.array([3, 3, 5])), la.asarray(np.ones(3, "float32")))
        assert a.value is memory is not None and a[3:6].tolist() == [3, 1, 1]


def test_at_leaves_read_only_arrays_alone():
    with _auto():
        a = la.asarray(np.zeros((3, 3)))
        a[0, 0] = 1
        with pytest.raises(ValueError, match="read-only"):
            la.add.at(la.diagonal(a), [0], 1.0)
        with pytest.raises(ValueError, match="read-only"):
            la.add.at(la.broadcast_to(a[0], (2, 3)), [0], 1.0)
        check(a, np.diag([1.0, 0, 0]))


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "uint64", "bool"])
def test_many_numbers_are_counted(dtype):
    rng = np.random.default_rng(9)
    at = (rng.integers(0, 200, 20_000) % (2 if dtype == "bool" else 256)).astype(dtype)
    weights = rng.random(20_000)
    counted = at.astype("int64")
    with _auto():
        check(la.bincount(la.asarray(at)), np.bincount(counted))
        check(la.bincount(la.asarray(at), minlength=300), np.bincount(counted, minlength=300))
        check(la.bincount(la.asarray(at), weights=la.asarray(weights)), np.bincount(counted, weights))
        check(la.bincount(la.asarray(at), weights=la.asarray(at)), np.bincount(counted, counted))
        with pytest.raises(ValueError):
            la.bincount(la.asarray(at), weights[1:])
        with pytest.raises(ValueError):
            la.bincount(la.asarray(-counted))


_BESIDE_NUMBERS = {
    "add": 0.1, "divide": 3, "remainder": 0.1, "fmod": 0.1, "floor_divide": 0.1, "nextafter": 2.0, "copysign": -1,
    "maximum": 0.3, "hypot": 0.1, "heaviside": 0.1, "less": 0.3, "pow": 2,
}  # fmt: skip


@pytest.mark.parametrize("name", _BESIDE_NUMBERS)
@interpreted()
def test_at_takes_numbers_as_numbers_of_the_arrays_dtype(name):
    """NumPy's `at` computes `float32` beside `0.1` in float64, as no operator does."""
    number = _BESIDE_NUMBERS[name]
    f = getattr(np, name)
    x = np.round(np.random.default_rng(7).random(40), 1).astype("float32")
    expected = f(x, np.float32(number)).astype("float32")
    at = getattr(la, name).at
    exact = name not in ("hypot", "pow")
    for mode in ("eager", "lazy", "deterministic"):
        with _auto():
            if mode == "deterministic":
                la.config(deterministic=True)
            a = la.asarray(x.copy())
            if mode == "eager":
                a[0] = x[0]
            at(a, np.arange(40), number)
            found = np.asarray(a)
        np.testing.assert_allclose(found, expected, rtol=0 if exact else 2e-7, atol=0, err_msg=mode)


@pytest.mark.skipif(not ON_DEVICE, reason="kernels compute")
@pytest.mark.parametrize("name", ["remainder", "nextafter"])
def test_at_takes_numbers_in_jitted_functions_as_elsewhere(name):
    def f(x):
        y = x * 1
        getattr(la, name).at(y, [0, 1, 2], _BESIDE_NUMBERS[name])
        return y

    x = np.array([0.1, 0.3, 0.7, 1.0], "float32")
    with _auto():
        found, jitted = np.asarray(f(la.asarray(x))), np.asarray(lift.jit(f)(la.asarray(x)))
    assert found.tolist() == jitted.tolist()


@pytest.mark.parametrize("number", [10**400, -1, 2**64, 1.5], ids=["large", "negative", "beyond", "float"])
def test_at_of_numbers_that_do_not_fit_is_recorded_or_refused(number):
    for dtype in ("float32", "uint64", "int8"):
        outcomes = []
        for eager in (True, False):
            with _auto():
                a = la.asarray(np.ones(3, dtype))
                if eager:
                    a[0] = 1
                else:
                    la.config(deterministic=True)
                try:
                    la.maximum.at(a, [0], number)
                    outcomes.append(np.asarray(a).tolist())
                except (OverflowError, TypeError) as error:
                    outcomes.append(str(error))
        assert outcomes[0] == outcomes[1], dtype


def test_at_writes_to_what_another_thread_has_let_be_eager(monkeypatch):
    with _auto():
        x = la.asarray(np.zeros(6))
        own = eager_combining.becomes_eager

        def late(given, *arguments):
            monkeypatch.setattr(eager_combining, "becomes_eager", own)
            la.add.at(given, [1], 7.0)  # as another thread does it
            assert given.value is not None
            return False

        monkeypatch.setattr(eager_combining, "becomes_eager", late)
        monkeypatch.setattr(combining, "rebind", None)
        la.add.at(x, [1, 2], 5.0)
        check(x, np.array([0, 12, 5, 0, 0, 0.0]))


def test_at_writes_to_what_became_eager_while_it_was_to_be_recorded(monkeypatch):
    with _auto():
        x = la.asarray(np.zeros(6))
        own, destinations = eager_combining.becomes_eager, combining.destinations

        def meanwhile(*arguments):
            found = destinations(*arguments)
            monkeypatch.setattr(eager_combining, "becomes_eager", own)
            monkeypatch.setattr(combining, "destinations", destinations)
            la.add.at(x, [1], 7.0)  # as another thread does it
            assert x.value is not None
            return found

        monkeypatch.setattr(eager_combining, "becomes_eager", lambda *arguments: False)
        monkeypatch.setattr(combining, "destinations", meanwhile)
        monkeypatch.setattr(combining, "rebind", None)
        la.add.at(x, [1, 2], 5.0)
        check(x, np.array([0, 12, 5, 0, 0, 0.0]))


def test_what_another_thread_combines_while_it_is_recorded_stays(monkeypatch):
    with _auto():
        la.config(deterministic=True)
        x, others = la.asarray(np.zeros(6)), []
        scattered = combining.scattered

        def beside_another(*arguments):
            found = scattered(*arguments)
            if not others:
                others.append(threading.Thread(target=la.add.at, args=(x, [1], 7.0)))
                others[0].start()
                others[0].join(0.5)  # it waits longer
            return found

        monkeypatch.setattr(combining, "scattered", beside_another)
        la.add.at(x, [1, 2], 5.0)
        others[0].join()
        check(x, np.array([0, 12, 5, 0, 0, 0.0]))


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_at_of_large_unsigned_numbers_is_exact(monkeypatch, name):
    """Beside Python's integers NumPy's `at` compares in float64, which holds 53 bits."""
    rng = np.random.default_rng(10)
    base, new, at = (rng.integers(0, 2**64 - 1, n, "uint64") for n in (50, 90, 90))
    at %= 50
    with _auto():
        a, b, expected = la.asarray(base), la.asarray(base), base.copy()
        a[0] = b[0] = base[0]
        monkeypatch.setattr(combining, "rebind", None)  # nothing but the memory of the arrays is written to
        getattr(la, name).at(a, at.astype(int), la.asarray(new))
        for i, number in zip(at.tolist(), new.tolist(), strict=True):
            getattr(la, name).at(b, i, number)
            expected[i] = getattr(np, name)(expected[i], np.uint64(number))
        check(a, expected)
        check(b, expected)


@pytest.mark.parametrize("eager", [True, False])
@pytest.mark.parametrize(
    ("key", "shape"),
    [([0, 1], (1, 1)), ([0], (1, 1, 1)), (0, (1,)), (slice(0, 0), (1, 1)), (..., (1, 1)), ([True] * 4, (1, 1)),
     ([0, 1], (1, 2)), ([0, 1], (0, 2)), ([], (1, 1))],
)  # fmt: skip
def test_at_refuses_values_of_too_many_dimensions(key, shape, eager):
    message = "array is not broadcastable to correct shape"
    key = np.array([], int) if key == [] else key
    with pytest.raises(ValueError, match=message):
        np.add.at(np.zeros(4), key, np.ones(shape))
    for given in (np.ones(shape), la.ones(shape)):
        with _auto():
            a = la.asarray(np.zeros(4))
            if eager:
                a[0] = 0
            else:
                la.config(deterministic=True)
            with pytest.raises(ValueError, match=message):
                la.add.at(a, key, given)
            check(a, np.zeros(4))
