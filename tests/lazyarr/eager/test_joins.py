"""Joins and `where` of small arrays: one call of NumPy's, which gives what is recorded elsewhere, errors included."""

from __future__ import annotations

import importlib
import itertools

import numpy as np
import pytest

import lazyarr as la
from ir.cost.thresholds.eager import EAGER_ELEMENTS_IN_LOOPS
from lazyarr import config
from lazyarr.array import eager as over
from lazyarr.graph.leaves import Input
from lazyarr.graph.recorded_calls import RecordedCall
from tests.lazyarr.eager.support import recorded
from tests.lazyarr.eager.test_numbers import eager
from tests.lazyarr.support import COMPLEX, DTYPES

replay = importlib.import_module("lazyarr.recording.replay")

JOINS = {
    "concat": lambda x, y: la.concat([x, y]), "concat columns": lambda x, y: la.concat((x, y), axis=-1),
    "concat flattened": lambda x, y: la.concatenate([x, y[0]], axis=None),
    "concatenate": lambda x, y: la.concatenate((x, y, x), 0), "stack": lambda x, y: la.stack((x, y)),
    "stack behind": lambda x, y: la.stack([x, y], axis=2), "stack rows": lambda x, y: la.stack(list(x)),
    "vstack": lambda x, y: la.vstack((x, y)), "vstack of vectors": lambda x, y: la.vstack((x[0], y[1])),
    "hstack": lambda x, y: la.hstack([x, y]), "hstack of vectors": lambda x, y: la.hstack([x[0], y[:, 0]]),
    "hstack of numbers": lambda x, y: la.hstack((x[0, 0], y[1, 1])), "dstack": lambda x, y: la.dstack((x, y)),
    "column_stack": lambda x, y: la.column_stack((x[0], y[0])), "of transposes": lambda x, y: la.concat([x.T, y.T]),
    "where": lambda x, y: la.where(x == y, x, y),
    "where of rows": lambda x, y: la.where(x[0] == y[0], x, y[0, 0]),
}  # fmt: skip
NOTHING_TO_DO = {
    "one": lambda x, y: la.concat([x]), "nothing": lambda x, y: la.concat([x[:0], y[:0]]),
    "stack of one": lambda x, y: la.stack([x]), "where of nothing": lambda x, y: la.where(x[:0] == y[:0], x[:0], 3),
}  # fmt: skip
REFUSED = {
    "no arrays": lambda x, y: la.concat([]), "other extents": lambda x, y: la.concat([x, y.T]),
    "other dimensions": lambda x, y: la.concatenate([x, y[0]]), "axis too large": lambda x, y: la.concat([x, y], 2),
    "numbers": lambda x, y: la.concat([x[0, 0], y[0, 0]]), "stack of none": lambda x, y: la.stack([]),
    "stack, no axis": lambda x, y: la.stack([x, y], None), "stack of others": lambda x, y: la.stack([x, y[0]]),
    "hstack with an axis": lambda x, y: la.hstack([x, y], 1), "an array": lambda x, y: la.dstack(3),
    "where that does not fit": lambda x, y: la.where(x == y, x, y.T),
    "a number of where that does not fit": lambda x, y: la.where(x == y, 1000, (x > y).astype("int8")),
    "a sign of where that does not fit": lambda x, y: la.where(x == y, (x > y).astype("uint8"), -1),
    "numbers of where that do not fit": lambda x, y: la.where(x == y, 3, 1 << 63),
}  # fmt: skip


def operands(dtype: str) -> tuple[np.ndarray, np.ndarray]:
    x = (np.arange(6) % 5).reshape(2, 3).astype(dtype)
    return x, (np.arange(6) % 4).reshape(2, 3).astype(dtype)


@pytest.mark.parametrize("dtype", [*DTYPES, *COMPLEX])
@pytest.mark.parametrize("name", JOINS)
def test_small_joins_are_one_call_of_numpys(name, dtype, monkeypatch):
    values = operands(dtype)
    wanted = recorded(lambda: JOINS[name](*map(la.asarray, values)))
    given = [eager(x, dtype) for x in values]

    def fails(*arguments):
        raise AssertionError("carried out as recorded operations are")

    with monkeypatch.context() as patch:
        if not (name.startswith("where") and dtype in COMPLEX):
            patch.setattr(replay, "carried_out", fails)
        got = JOINS[name](*given)
    assert got.value is not None
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_array_equal(np.asarray(got), wanted)
    got[...] = 0  # in no memory of its operands
    for x, value in zip(given, values, strict=True):
        np.testing.assert_array_equal(np.asarray(x), value)


@pytest.mark.parametrize("name", NOTHING_TO_DO)
def test_where_there_is_nothing_to_do_the_result_is_no_operand(name):
    values = operands("float64")
    wanted = recorded(lambda: NOTHING_TO_DO[name](*map(la.asarray, values)))
    x, y = map(eager, values)
    got = NOTHING_TO_DO[name](x, y)
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_array_equal(np.asarray(got), wanted)
    got[...] = 0
    np.testing.assert_array_equal(np.asarray(x), values[0])


@pytest.mark.parametrize("name", REFUSED)
def test_what_numpy_refuses_raises_lazyarrs_error(name):
    wanted = recorded(lambda: REFUSED[name](*map(la.asarray, operands("float64"))))
    with pytest.raises(wanted[0]) as caught:
        np.asarray(REFUSED[name](*(eager(x) for x in operands("float64"))))
    assert str(caught.value) == wanted[1]


@pytest.mark.parametrize("other", [*DTYPES, *COMPLEX])
@pytest.mark.parametrize("dtype", [*DTYPES, *COMPLEX])
def test_dtypes_promote_as_recorded(dtype, other):
    x, y = operands(dtype)[0], operands(other)[1]
    joins = (lambda x, y: la.concat([x, y]), lambda x, y: la.hstack((x[0], y[1, 1])), lambda x, y: la.vstack((y, x)))
    for join in joins:
        wanted = recorded(lambda join=join: join(la.asarray(x), la.asarray(y)))
        got = join(eager(x, dtype), eager(y, other))
        assert got.dtype == wanted.dtype
        np.testing.assert_array_equal(np.asarray(got), wanted)


def test_several_dtypes_promote_together_whatever_their_order():
    for dtypes in itertools.permutations(("int16", "uint16", "float32", "complex64"), 3):
        values = [np.arange(3, dtype=dtype) for dtype in dtypes]
        found = [la.concat([eager(x, x.dtype.name) for x in values]), recorded(lambda v=values: la.concat(v))]
        assert {x.dtype for x in found} == {np.concatenate(values).dtype} == {la.result_type(*dtypes)}


def test_a_small_operand_that_waits_is_computed(monkeypatch):
    config.eagerness.want(False)
    try:
        waiting = la.asarray(np.arange(3.0)) * 2
    finally:
        la.config(tier="auto")
    assert type(waiting.expr) is RecordedCall
    monkeypatch.setattr(replay, "carried_out", lambda *arguments: None)
    assert la.concat([eager([1.0]), waiting]).value is not None


@pytest.mark.parametrize("given", [{"axis": True}, {"dtype": None}, {"dtype": "int8", "casting": "unsafe"}])
def test_other_arguments_mean_what_they_mean_recorded(given):
    x, y = operands("float64")
    wanted, got = recorded(lambda: la.concat([x, y], **given)), la.concat([eager(x), eager(y)], **given)
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_array_equal(np.asarray(got), wanted)


def test_what_is_large_or_no_array_is_no_call_of_numpys(monkeypatch):
    def fails(*arguments, **keywords):
        raise AssertionError("NumPy was called")

    half = eager(np.arange(EAGER_ELEMENTS_IN_LOOPS // 2 + 1.0))
    few = eager(np.arange(3.0))
    for name in ("of_numpys", "of_any_size"):
        monkeypatch.setattr(la.eager.joins, name, fails)
    assert la.concat([half, half]).shape == (EAGER_ELEMENTS_IN_LOOPS + 2,)
    assert la.concat([few[None], [[1.0, 2.0, 3.0]]]).shape == (2, 3)
    assert la.hstack([few, 1.0]).shape == (4,)
    with pytest.raises(AssertionError, match="NumPy was called"):
        la.concat([few, few])


def test_products_of_vectors_are_silent_where_numpy_raises():
    x, y = eager([1e300, -np.inf, 3.0]), eager([1e300, 0.0, 1.0])
    with np.errstate(all="raise"):
        found = [float(f(x, y)) for f in (la.dot, la.matmul, la.vecdot)]
        assert np.isnan(found).all()
        assert float(x[:1] @ y[:1]) == np.inf
    with pytest.raises(ValueError, match="got shapes"):
        la.matmul(x, y[:2])


COLLECTED = {
    "stack": la.stack, "stack behind": lambda xs: la.stack(xs, -1), "concat": la.concat, "vstack": la.vstack,
    "concatenate, flattened": lambda xs: la.concatenate(xs, axis=None), "hstack": la.hstack, "dstack": la.dstack,
    "column_stack": la.column_stack, "array": la.array, "beside no axis": lambda xs: la.stack(xs, 7),
    "to a dtype": lambda xs: la.stack(xs, dtype="float32"), "of lists": lambda xs: la.array([xs[:3], xs[:3]]),
}  # fmt: skip


def _collected(kind, count, shape):
    """Arrays as loops collect them, and what they are to NumPy."""
    rng = np.random.default_rng(count)
    dtypes = ("float64", "int32", "bool") if kind == "dtypes" else ("float64",)
    given = [np.asarray(rng.random(shape) * 9).astype(dtypes[i % len(dtypes)]) for i in range(count)]
    if kind == "existing":
        return [la.asarray(x.copy()) for x in given], given
    if kind == "views":
        whole, numpys = over(np.stack(given)), np.stack(given)
        return [whole[i] for i in range(count)], list(numpys)
    if kind == "pending":
        return [la.asarray(x.copy()) if i else la.asarray(x.copy()) * 1.0 for i, x in enumerate(given)], given
    if kind == "another shape":
        given[-1] = given[-1][..., :1] if shape else np.ones(2)
    return [over(x.copy()) for x in given], given


@pytest.mark.parametrize("kind", ["eager", "existing", "views", "pending", "dtypes", "another shape"])
@pytest.mark.parametrize("name", COLLECTED)
@pytest.mark.parametrize(
    ("count", "shape"), [(3, (4,)), (70, (4,)), (90, (2, 3)), (300, (500,)), (3, ()), (70, ()), (65, (0,))]
)
def test_what_a_loop_collected_is_joined_as_where_it_is_recorded(kind, name, count, shape):
    arrays, given = _collected(kind, count, shape)

    def join():
        return COLLECTED[name]([la.asarray(x.copy()) for x in given])

    want = recorded(join)
    if isinstance(want, tuple):
        with pytest.raises(want[0]) as raised:
            COLLECTED[name](arrays)
        assert str(raised.value) == want[1]
        return
    found = COLLECTED[name](arrays)
    assert (found.dtype, found.shape) == (want.dtype, want.shape)
    np.testing.assert_array_equal(found, want)
    if shape and shape[0]:
        before = np.asarray(found).copy()
        arrays[0][...] = 0
        np.testing.assert_array_equal(found, before)
        found[...] = 1
        np.testing.assert_array_equal(arrays[1], given[1])


def test_few_large_arrays_are_recorded_and_many_rows_are_not():
    large = [over(np.ones(200_000)), over(np.zeros(200_000))]
    assert la.concat(large).value is None and np.asarray(la.concat(large)).sum() == 200_000
    rows = [over(np.full(2000, float(i))) for i in range(100)]
    found = la.stack(rows)
    assert found.value is None and type(found.expr) is Input  # which exists
    np.testing.assert_array_equal(found[:, 7], np.arange(100.0))
    assert la.stack(rows[:50]).value is not None
