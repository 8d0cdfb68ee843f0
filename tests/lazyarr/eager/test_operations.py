"""Eager arrays: small operations carried out during the call, writes in place; nothing but time tells."""

from __future__ import annotations

import copy
import pickle
import threading
import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config, lift
from lazyarr.aliasing import views as views_module
from lazyarr.aliasing.views import become_eager
from lazyarr.eager import operations
from lazyarr.elements.scalar_functions import _LOOPS
from lazyarr.graph.leaves import is_on_host, looks
from lazyarr.recording.apply import apply
from tests.lazyarr.support import COMPLEX, DTYPES


def array(*shape: int, dtype: str = "float64") -> np.ndarray:
    count = int(np.prod(shape))
    return (np.arange(count)[::-1] * 3 % 17 - 4).astype(dtype).reshape(shape)


def eager(*shape: int, dtype: str = "float64") -> la.Array:
    """An eager array, and no view."""
    made = la.asarray(array(*shape, dtype=dtype))
    assert become_eager(made)
    return made


def recorded(function):
    """What a function gives where everything is recorded; the error's type and text where it raises."""
    la.config(tier="reference")
    config.eagerness.want(False)
    try:
        return np.asarray(function())
    except (ArithmeticError, IndexError, TypeError, ValueError) as error:
        return type(error), str(error)
    finally:
        la.config(tier="auto")


# --- views and writes -------------------------------------------------------------------------------------------------

VIEWS = {
    "row": lambda x: x[1], "column": lambda x: x[:, 2], "steps": lambda x: x[::-2, 1::2], "dots": lambda x: x[..., 1],
    "new axis": lambda x: x[:, None], "element": lambda x: x[1, 2, ...], "transposed": lambda x: x.T,
    "reshaped": lambda x: x.reshape(2, 2, 5), "flat": lambda x: x.ravel(), "flipped": lambda x: la.flip(x, 1),
    "turned": lambda x: la.rot90(x), "diagonal": lambda x: la.diagonal(x), "of a view": lambda x: x.T[1:3][:, ::-1],
    "columns in a row": lambda x: x.T.ravel(), "broadcast": lambda x: la.broadcast_to(x, (3, 4, 5)),
    "swapped": lambda x: la.swapaxes(x, 0, 1), "moved": lambda x: la.moveaxis(x, 0, -1),
}  # fmt: skip


def _numpys(name):
    """The same view of a NumPy array."""
    views = {"flipped": lambda x: np.flip(x, 1), "turned": np.rot90, "diagonal": np.diagonal,
             "broadcast": lambda x: np.broadcast_to(x, (3, 4, 5)), "swapped": lambda x: np.swapaxes(x, 0, 1),
             "moved": lambda x: np.moveaxis(x, 0, -1)}  # fmt: skip
    return views.get(name, VIEWS[name])


@pytest.mark.parametrize("first", [True, False], ids=["eager first", "view first"])
@pytest.mark.parametrize("name", VIEWS)
def test_views_show_what_is_written_and_the_other_way_round(name, first):
    want = array(4, 5)
    x = la.asarray(want.copy())
    if first:
        assert become_eager(x)
    view, wanted = VIEWS[name](x), _numpys(name)(want)
    become_eager(x)
    assert x.host is not None
    assert view.shape == wanted.shape
    np.testing.assert_array_equal(np.asarray(view), wanted)
    x[1, 2] = want[1, 2] = 100
    x[:2] += 1
    want[:2] += 1
    np.testing.assert_array_equal(np.asarray(view), wanted)
    if wanted.flags.writeable:
        view[...] = -7
        wanted[...] = -7
        view += 2
        wanted += 2
    else:
        with pytest.raises(ValueError, match="read-only"):
            view[...] = -7
    np.testing.assert_array_equal(np.asarray(x), want)
    np.testing.assert_array_equal(np.asarray(view), wanted)


def test_keys_without_a_value_are_recorded():
    x = eager(3)[3:]
    found = x[la.asarray(np.zeros(0, bool))], x[x > np.int64(2)], x[la.zeros(0, dtype=la.bool)]
    assert [y.shape for y in found] == [(0,)] * 3
    y = eager(4)
    y[la.zeros(4, dtype=la.bool) | (la.arange(4) > 2)] = 50
    np.testing.assert_array_equal(np.asarray(y), [*array(4)[:3], 50])


def test_numpys_arrays_keep_the_values_that_they_were_made_of():
    x = eager(6)
    shown, copied, alike = np.asarray(x), x.copy(), copy.deepcopy(x)
    before = shown.copy()
    x[:] = 0
    for each in (shown, copied, alike):
        np.testing.assert_array_equal(np.asarray(each), before)
    assert not shown.flags.writeable
    source = array(6)
    y = la.asarray(source)
    y[0] = 9
    assert source[0] == array(6)[0]


def test_expressions_keep_the_values_that_they_were_made_of(monkeypatch):
    monkeypatch.setattr(operations, "EAGER_ELEMENTS_ON_CPUS", 0)
    x = eager(6)
    before = np.asarray(x)
    large = la.asarray(np.ones((40000, 1)))
    later = large * x  # too large to be carried out during the call
    assert later.host is None
    x[2] = 50
    again = large * x
    np.testing.assert_array_equal(np.asarray(later)[7], before)
    np.testing.assert_array_equal(np.asarray(again)[7], np.asarray(x))


def test_numbers_do_not_change_and_arrays_without_dimensions_do():
    x = eager(5)
    number, shown = x[1], x[1, ...]
    assert number.is_number
    assert not shown.is_number
    x[1] = 33
    assert float(number) == array(5)[1]
    assert float(shown) == 33
    shown += 1
    number += 1
    assert float(x[1]) == 34


def test_a_shape_is_changed_in_place_only_where_no_copy_is_needed():
    x = eager(4, 6)
    x.shape = (24,)
    assert x.shape == (24,)
    y = eager(4, 6)
    column = y[:, 1:3]
    with pytest.raises(AttributeError, match="incompatible shape"):
        column.shape = (8,)
    y.T[0, 0] = 5
    assert float(y[0, 0]) == 5


def test_what_memory_is_said_to_be():
    x = eager(4, 6)
    row, ro = x[1], la.broadcast_to(x, (2, 4, 6))
    assert x.base is None
    assert row.base is x
    assert x.flags.writeable
    assert not ro.flags.writeable
    assert x.strides == (48, 8)


@pytest.mark.parametrize("value", [2, 2.5, True, 3j, np.float32(1.5), np.arange(3.0), np.int8(-1), [1, 2, 3], 300, -1])
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "float32", "complex64"])
@pytest.mark.parametrize("key", [(), ..., slice(0, 3), 1, -1, (slice(None),), np.array([0, 2, 1]), 7, "a"])
def test_assignment_is_what_it_is_where_it_is_recorded(dtype, key, value):
    def assigned(make):
        x = make(3, dtype=dtype)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            x[key] = value
        return x

    wanted = recorded(lambda: assigned(lambda *s, dtype: la.asarray(array(*s, dtype=dtype))))
    if isinstance(wanted, tuple):
        with pytest.raises(wanted[0]) as caught:
            assigned(eager)
        assert str(caught.value) == wanted[1]
    else:
        np.testing.assert_array_equal(np.asarray(assigned(eager)), wanted)


# --- operations -------------------------------------------------------------------------------------------------------

PAIRS = [("int32", "int32"), ("uint8", "int8"), ("bool", "bool"), ("float32", "int64"), ("complex64", "float64")]


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


def test_parts_of_what_is_large_are_read_as_they_lie():
    want = array(300, 500)
    x = la.asarray(want.copy())
    row, small = x[7, 3:9], eager(6)
    element, of_row = x[7, 4], row[1]
    assert x.host is None
    assert element.host is not None
    found = row + small
    assert found.host is not None
    assert x.host is None
    x[7] = 50
    np.testing.assert_array_equal(np.asarray(found), want[7, 3:9] + array(6))
    assert (float(element), float(of_row)) == (want[7, 4], want[7, 4])
    np.testing.assert_array_equal(np.asarray(row + small), 50 + array(6))
    with pytest.raises(IndexError):
        x[300, 0]


def test_what_is_large_traced_put_somewhere_or_compiled_is_recorded():
    large = la.asarray(np.ones(1 << 16))
    assert (large + 1).host is None
    seen = []
    lift.jit(lambda x: seen.append((x + 1).host) or x)(eager(3))
    assert seen == [None]
    put = la.asarray(np.ones(3), device=la.asarray(np.ones(3)).device)
    assert (put + 1).host is None
    la.config(tier="compiled")
    assert (eager(3) + 1).host is None
    la.config(tier="auto", deterministic=True)
    assert (eager(3) + 1).host is None


@pytest.mark.parametrize("kind", ["cpu", "gpu"])
def test_large_eager_arrays_stay_so_where_kernels_would_run_on_the_same_processor(kind, monkeypatch):
    monkeypatch.setattr(operations, "computes_on_cpu", lambda device: kind == "cpu")
    x = eager(200_000)
    found = x[1:] - x[:-1]
    assert (found.host is not None) == (kind == "cpu")
    np.testing.assert_array_equal(np.asarray(found), np.diff(array(200_000)))
    x[1:] -= found
    np.testing.assert_array_equal(np.asarray(x)[1:], array(200_000)[:-1])


def test_what_is_small_is_carried_out_at_once():
    x = la.asarray(np.ones((3, 4)))
    for found in (x + 1, la.exp(x), la.sum(x, axis=0), la.abs(x).T, x[1:], x @ x.T, la.max(x[:2] * 2, axis=1)):
        assert found.host is not None


def test_a_small_eager_array_makes_none_of_what_is_large():
    small, large = eager(4), la.asarray(np.ones((50_000, 4)))
    assert all(found.host is None for found in (large * small, small + large, la.where(small > 1, large, 0)))
    assert (eager(1, 400) - eager(400, 1)).host is None
    assert (eager(1, 300) - eager(300, 1)).host is not None
    np.testing.assert_array_equal(np.asarray(eager(1, 400) - eager(400, 1)), array(1, 400) - array(400, 1))
    assert become_eager(large)
    assert (large * small).host is not None
    np.testing.assert_array_equal(np.asarray(large * small), np.asarray(large) * array(4))


def test_a_small_view_of_a_large_array_that_is_written_to_copies_no_large_array():
    x = la.asarray(np.zeros((4000, 100)))
    row = x[7]
    row[2] = 5
    assert x.host is None
    assert (float(x[7, 2]), float(row[2]), float(la.sum(x))) == (5, 5, 5)


# --- elsewhere --------------------------------------------------------------------------------------------------------


def test_jitted_functions_take_change_and_capture_them():
    x, w = eager(5), eager(5)

    @lift.jit
    def f(a):
        a[0] = 10
        return a * w

    for k in range(3):
        w[1] = k
        view = x[:2]
        np.testing.assert_array_equal(np.asarray(f(x)), np.asarray(x) * np.asarray(w))
        assert float(x[0]) == float(view[0]) == 10
        x[0] = 1


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_a_captured_array_among_the_results_is_read_at_each_call(dtype):
    x = eager(4, dtype=dtype)

    @lift.jit
    def f(a):
        return x, a + 1, (x, x)

    for k in range(3):
        x[1] = k
        first, _, (second, third) = f(la.asarray(np.ones(2)))
        want = np.asarray(x).copy()
        assert want[1] == k
        first[0] = 100  # an array of its own
        for found in (x, second, third):
            np.testing.assert_array_equal(np.asarray(found), want)


def test_assigning_what_is_traced_to_a_captured_array_is_an_error_and_undone():
    x = eager(4)
    view = x[1:]

    @lift.jit
    def f(a):
        x[1] = a[0]
        return a

    with pytest.raises(la.TracingError, match="assigns what depends on its arguments"):
        f(la.asarray(np.ones(2)))
    np.testing.assert_array_equal(np.asarray(x), array(4))
    x[1] = 77
    assert float(view[0]) == 77


@pytest.mark.parametrize("make", [lambda: eager(4), lambda: la.asarray(array(4)) + 0], ids=["eager", "recorded"])
def test_a_recording_that_raises_undoes_what_it_assigned_to_captured_arrays(make):
    x = make()
    view = x[1:]

    @lift.jit
    def f(a):
        x[1] = a[0]
        raise KeyError("the user's own")

    with pytest.raises(KeyError, match="own"):
        f(la.asarray(np.ones(2)))
    np.testing.assert_array_equal(np.asarray(x), array(4))
    x[1] = 77
    assert float(view[0]) == 77


def test_pickles_and_threads():
    x = eager(3, 4)
    np.testing.assert_array_equal(np.asarray(pickle.loads(pickle.dumps(x))), array(3, 4))

    def fill(i: int) -> None:
        for k in range(200):
            x[i, k % 4] = i + k

    threads = [threading.Thread(target=fill, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
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


@pytest.mark.parametrize("key", ["a", slice("a", None), (0, slice(1.5)), 7, (0, 0), 1.5, None, np.array([9])])
def test_reading_by_keys_that_are_wrong_raises_what_it_does_where_it_is_recorded(key):
    wanted = recorded(lambda: la.asarray(array(3))[key])
    if isinstance(wanted, tuple):
        with pytest.raises(wanted[0]) as caught:
            np.asarray(eager(3)[key])
        assert str(caught.value) == wanted[1]
    else:
        np.testing.assert_array_equal(np.asarray(eager(3)[key]), wanted)


def test_cs_long_long_is_int64():
    x = la.asarray(np.arange(3, dtype=np.longlong))
    assert (x + x).dtype is la.asarray(np.arange(3)).dtype
    assert np.asarray(x + x).dtype == np.int64


def test_leaves_of_views_that_are_gone_are_forgotten():
    x = eager(100)
    for i in range(2000):
        _ = x[i % 50 : 99].node
    assert len(x.shared.leaves) < 600


def test_views_of_numbers_are_copies():
    x = eager(5)
    number = x[3]
    for view in (number[...], number[None], number.reshape((1,))):
        view[...] = 100
    assert float(number) == array(5)[3]
    assert float(x[3]) == array(5)[3]


def test_a_write_that_raises_is_seen_as_far_as_it_went():
    x = eager(4, dtype="float32")
    with np.errstate(all="raise"):
        for value in (np.array([1e300, 1.0]), np.float64(1e300)):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                x[1:3] = value
            np.testing.assert_array_equal(np.asarray(lift.jit(lambda a: a + x)(la.zeros(4))), np.asarray(x))
    assert np.isinf(np.asarray(x)[1])


def test_functions_of_elements_are_recorded():
    w = eager(3)
    la.config(tier="reference")
    rows = la.asarray(array(4, 3))
    for found, want in (
        (lift.map(lambda row: w + 0 * row[0] + w[1], rows), np.tile(array(3) + array(3)[1], (4, 1))),
        (lift.reduce(lambda a, b: a + b * (w[0] + w[1]), 0.0, rows[:, 0]), array(4, 3)[:, 0].sum()),
        (lift.generate(4, lambda i: i * (w[0] + w[2])), np.arange(4) * float(w[0] + w[2])),
    ):
        np.testing.assert_allclose(np.asarray(found), want)


def test_assigning_a_constant_to_a_captured_array_is_recorded_once():
    x, calls = eager(4), []

    @lift.jit
    def f(a):
        calls.append(1)
        x[1] = 50
        return a + x

    for _ in range(3):
        np.testing.assert_array_equal(np.asarray(f(la.asarray(np.ones(4)))), 1 + np.asarray(x))
    assert len(calls) == 1
    assert float(x[1]) == 50


def test_outer_products_and_long_dot_products_are_recorded():
    column, row = la.asarray(array(2000, 1)), eager(1, 2000)
    assert (column @ row).host is None
    long = la.asarray(np.ones((1, 16000), np.float32))
    assert become_eager(long)
    assert la.matmul(long, long.T).host is None or np.asarray(la.matmul(long, long.T)) == 16000


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


@pytest.mark.parametrize("name", ["transpose", "diagonal", "atleast_2d", "broadcast"])
def test_views_copy_nothing_however_often_the_array_is_written_to(name, monkeypatch):
    x = eager(8, 8)
    copies = []
    monkeypatch.setattr(views_module, "snapshot_leaf", lambda y: copies.append(y) or y.expr)
    views = {"transpose": lambda: x.T, "diagonal": lambda: la.diagonal(x), "atleast_2d": lambda: la.atleast_2d(x),
             "broadcast": lambda: la.broadcast_to(x, (2, 8, 8))}  # fmt: skip
    for k in range(3):
        x[0, 0] = k
        assert np.asarray(views[name]()).ravel()[0] == k
    assert not copies


def test_views_that_jitted_functions_made_of_it_are_remembered_once():
    x = eager(8)

    @lift.jit
    def f(a):
        for _ in range(300):
            a = a + x[1:3]
        return a

    np.testing.assert_array_equal(np.asarray(f(la.asarray(np.ones(2)))), 1 + 300 * np.asarray(x)[1:3])
    assert len(x.shared.recorded) == 1


def test_values_that_a_device_still_computes_are_not_waited_for():
    la.config(tier="compiled")
    x = la.asarray(np.ones(1000))
    y = x + 1
    la.compute(y)
    if not is_on_host(y.node.storage):
        pytest.skip("values lie in the device's memory")
    la.config(tier="auto")
    looked = looks.count
    assert (y + 1).host is not None  # it exists
    assert looks.count == looked


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


NUMBERS = {
    "float64": [0.0, -0.0, 1.5, -3.0, np.inf, -np.inf, np.nan, 1e308, 5e-324],
    "int64": [0, 1, -1, 7, -8, 2**63 - 1, -(2**63)],
    "uint8": [0, 1, 7, 8, 200, 255],
    "int8": [0, 1, -1, 7, 8, 100, -128, 127],
    "uint64": [0, 3, 2**64 - 1],
    "bool": [False, True],
    "float32": [0.0, 1.5, -2.0, np.inf],
}
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


def test_a_product_of_vectors_without_elements_is_there_at_once():
    large = la.asarray(np.ones((300, 300)))
    assert (large[0, :0] @ large[1, :0]).host == 0
    assert (large[0, :0] @ la.asarray(np.ones(0, np.float32))).dtype == np.float64
    with pytest.raises(ValueError, match="matvec"):
        la.matvec(large[0, :0], large[1, :0])


@pytest.mark.parametrize("name", ["add.outer", "broadcast", "three"])
def test_parts_that_give_as_much_as_the_array_they_show_are_eager(name):
    n = 400  # above what is eager for itself
    values = array(n, n, dtype="int64")
    x = eager(n, n, dtype="int64")
    operations = {
        "add.outer": lambda xp, a: xp.add.outer(a[:, 3], a[5]),
        "broadcast": lambda xp, a: a[:, 3:4] - a[5],
        "three": lambda xp, a: xp.clip(a[:, :1], a[7], a[8] + 5),
    }
    made, want = operations[name](la, x), operations[name](np, values)
    if name != "three":
        assert made.value is not None
    x[:] = 0
    np.testing.assert_array_equal(np.asarray(made), want)
    alone = la.add.outer(eager(n, dtype="int64"), eager(n, dtype="int64"))
    assert alone.value is None  # no array as large is eager
