"""Calls like earlier ones are replayed: what they record, that errors stay errors, what programs compute."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from ir.core.expr import postorder
from lazyarr.array import array_of
from lazyarr.evaluate import engine
from lazyarr.graph.recorded_calls import RecordedCall
from lazyarr.recording import deep
from lazyarr.recording import replay as operations
from tests.lazyarr.evaluation import interpreted
from tests.lazyarr.support import check
from tests.threads import in_threads

X = np.linspace(-2, 3, 11, dtype=np.float32)
M = np.linspace(1, 4, 15, dtype=np.float32).reshape(3, 5)


@pytest.fixture
def anew(monkeypatch):
    """No operation was seen before."""
    monkeypatch.setattr(operations, "_operations", operations._Operations())


RECORDED = {
    "add": lambda m: m + m,
    "number": lambda m: m * 2.5,
    "broadcast": lambda m: m - m[0],
    "sum": lambda m: la.sum(m, axis=1, keepdims=True),
    "std": lambda m: la.std(m, axis=0),
    "slice": lambda m: m[1:, ::-2],
    "element": lambda m: (m + 1)[1, 2],
    "new axis": lambda m: m[..., None, 0],
    "transpose": lambda m: m.T,
    "flip": lambda m: la.flip(m, 1),
    "reshape": lambda m: m.reshape(5, 3) + 0,
    "gather": lambda m: m[la.asarray(np.array([2, 0, 1, 1]))],
    "take": lambda m: la.take(m, la.asarray(np.array([[2, 0], [1, 4]])), axis=1),
    "concat": lambda m: la.concat([m, m[:1]]),
    "stack": lambda m: la.stack((m, m), axis=-1),
    "matmul": lambda m: m @ m.T,
    "cumsum": lambda m: la.cumsum(m, axis=1),
    "argmax": lambda m: la.argmax(m, axis=0),
    "sort": lambda m: la.sort(-m, axis=-1),
    "where": lambda m: la.where(m > 2, m, -1),
    "median": lambda m: la.median(m, axis=1),
    "fft": lambda m: la.fft.fft(m),
    "einsum": lambda m: la.einsum("ij,kj->ik", m, m),
    "pad": lambda m: la.pad(m, ((1, 0), (2, 1)), constant_values=7),
    "interp": lambda m: la.interp(m[0], [1.0, 2.0, 4.0], [3.0, 1.0, 2.0]),
}


@pytest.mark.parametrize("name", RECORDED)
@interpreted()
def test_the_second_time_no_vertex_is_made_and_the_value_is_the_same(name, anew):
    record = RECORDED[name]
    first = record(la.asarray(M))
    other = la.asarray(M[::-1] * 2)
    second = record(other)
    again = record(other)
    assert type(again.expr) is RecordedCall
    assert again.expr.made is None
    assert (again.shape, again.dtype) == (first.shape, first.dtype)
    kinds = [[type(node) for node in postorder(x.node)] for x in (first, second, again)]
    assert kinds[0] == kinds[1] == kinds[2]
    expected = record(la.asarray(M[::-1] * 2) + 0)  # of something that was computed otherwise
    np.testing.assert_array_equal(np.asarray(again), np.asarray(expected))


@interpreted()
def test_operations_of_other_numbers_dtypes_and_shapes_are_others(anew):
    x, i = la.asarray(X), la.asarray(np.arange(11))
    for _ in range(2):
        assert [str((i * number).dtype) for number in (2, 2.0, True, 2j)] == ["int64", "float64", "int64", "complex128"]
        np.testing.assert_array_equal(np.signbit(np.asarray(x * 0 * 0.0 + 0.0)), np.signbit(X * 0 * 0.0 + 0.0))
        np.testing.assert_array_equal(np.signbit(np.asarray(0 * x + -0.0)), np.signbit(0 * X + -0.0))
        assert np.isnan(np.asarray(x * float("nan"))).all()
        assert la.sum(x, keepdims=True).shape == (1,)
        assert la.sum(x, keepdims=False).shape == ()
        assert la.sum(i.astype("int8"), dtype="int16").dtype == np.int16
        assert la.sum(i.astype("int8")).dtype == np.int64
        assert (x[:, None] * x).shape == (11, 11)
        assert x[2].shape == () and x[2:3].shape == (1,) and x[...].shape == (11,)
        check(la.concat([x[:2], x]), np.concatenate([X[:2], X]))
        check(la.stack([x, x]), np.stack([X, X]))
        check(la.stack([x, x + 1]), np.stack([X, X + 1]))


@interpreted()
def test_errors_are_raised_each_time(anew):
    x, at, unsigned = la.asarray(X), la.asarray(np.array([0, 10])), la.asarray(np.arange(11, dtype=np.uint8))
    wrong = [
        (ValueError, lambda: x + x[1:]),
        (IndexError, lambda: x[11]),
        (IndexError, lambda: x[la.asarray(np.array([0, 11]))]),
        (IndexError, lambda: la.take(x, la.asarray(np.array([0, -12])))),
        (np.exceptions.AxisError, lambda: la.sum(x, axis=1)),
        (OverflowError, lambda: unsigned + 300),
        (TypeError, lambda: la.bitwise_and(x, x)),
        (ValueError, lambda: la.matmul(x, x[1:])),
    ]
    for _ in range(3):
        assert x[at].shape == la.take(x, at).shape == (2,)  # like those out of bounds, but for their values
        for error, call in wrong:
            with pytest.raises(error):
                call()


@interpreted()
def test_functions_that_ask_for_values_are_called_each_time(anew):
    for values in ([1.0, 2.0, 5.0], [1.0, 1.0, 1.0], [4.0, 0.0, 0.0]):
        x = la.asarray(np.array(values))
        assert la.unique(x).tolist() == np.unique(values).tolist()
        assert la.nonzero(x)[0].tolist() == np.nonzero(values)[0].tolist()
        assert la.repeat(x, la.asarray(np.array(values).astype(int))).shape == (int(sum(values)),)
        assert [part.tolist() for part in la.histogram(x, 3)] == [part.tolist() for part in np.histogram(values, 3)]


@interpreted()
def test_what_was_recorded_keeps_its_value_and_views_show_assignments(anew):
    for start in range(3):  # the later ones are replayed
        values = X + start
        x = la.asarray(values)
        row, before = x[2:5], x * 2
        x += 1
        x[3] = 50
        row *= 2
        expected = values + 1
        expected[3] = 50
        expected[2:5] *= 2
        check(before, values * 2)
        check(x, expected)
        check(row, expected[2:5])


def test_what_an_operation_gives_back_unchanged_or_changes_is_no_new_array(anew):
    x, out = la.asarray(X), la.asarray(np.zeros(11, np.float32))
    for number in range(3):
        assert la.add(x, float(number), out=out) is out
        check(out, X + number)
        assert la.real(x) is x
        assert la.astype(x, "float32", copy=False) is x


@interpreted()
def test_arrays_of_named_devices(anew):
    here = la.__array_namespace_info__().default_device()
    placed, free = la.asarray(X, device=here), la.asarray(X)
    for _ in range(3):
        for found in (placed + free, free + placed, la.sum(placed), la.stack([placed, free])):
            assert found.device == placed.device
        assert (free + free).device is here and (free + free).placed in (None, here)


def test_old_operations_are_forgotten(anew, monkeypatch):
    monkeypatch.setattr(operations, "_CAPACITY", 8)
    x = la.asarray(X)
    table = operations._operations
    for n in range(50):
        found = x[: 1 + n % 11] * 2
        assert found.shape == (1 + n % 11,)
        assert len(table.young) <= 8 and len(table._old) <= 8
    check(found, X[: 1 + 49 % 11] * 2)


@pytest.mark.device
def test_a_value_that_exists_is_read_and_its_operands_are_let_go(anew):
    for attempt in range(3):
        x = la.asarray(X + attempt)
        y = la.cumulative_sum(x)
        later = y * 2
        la.compute(y)
        (read,) = later.expr.operands
        assert read.made is y.node
        assert read.operands == ()
        check(later, np.cumsum(X + attempt) * 2)


@pytest.mark.device
def test_a_program_that_read_a_known_value_is_not_taken_for_one_that_may_not(anew):
    x = la.asarray(X)
    y = la.exp(x)
    kept = y.node
    la.compute(y)
    for _ in range(2):
        check(la.exp(x) + y, 2 * np.exp(X))  # the vertex lives, so its value may be read for either
    other = la.asarray(np.arange(11, dtype=np.float32))
    la.compute(other)
    for _ in range(2):
        check(la.exp(la.asarray(-X)) + other, np.exp(-X) + np.arange(11, dtype=np.float32))
    del kept


@pytest.mark.device
def test_what_another_thread_computes_meanwhile_is_no_constant_of_the_program(anew, monkeypatch):
    found = engine.signature
    waiting = []

    def signature(*arguments):
        made = found(*arguments)
        if waiting:
            la.compute(waiting.pop())
        return made

    monkeypatch.setattr(engine, "signature", signature)
    la.cumulative_sum(la.asarray(X)) * 2 + 1.125  # seen, so that the next ones are replayed
    for attempt in range(4):
        middle = la.cumulative_sum(la.asarray(X + attempt))
        result = middle * 2 + 1.125
        if attempt == 0:
            waiting.append(middle)  # computed after its signature was taken, before its expression is made
        check(result, np.cumsum(X + attempt) * 2 + np.float32(1.125))


@pytest.mark.device
def test_nor_is_another_leaf_of_a_value_that_there_was(anew, monkeypatch):
    found = engine.signature
    waiting = []

    def signature(*arguments):
        made = found(*arguments)
        if waiting:
            la.compute(waiting.pop())
        return made

    monkeypatch.setattr(engine, "signature", signature)
    la.asarray(X) * 2 + 1.375  # seen
    for attempt in range(4):
        node = la.cumulative_sum(la.asarray(X + attempt)).node
        first, second, read = (array_of(node, X.shape, np.dtype("float32")) for _ in range(3))
        la.compute(first)
        result = read * 2 + 1.375
        if attempt == 0:
            waiting.append(second)
        check(result, np.cumsum(X + attempt) * 2 + np.float32(1.375))


def test_a_device_that_is_named_is_the_results_each_time(anew):
    here = la.__array_namespace_info__().default_device()
    for _ in range(3):
        assert la.astype(la.asarray(X), "float64", device=here).device is here
        assert la.astype(la.asarray(X), "float64", device=here.name).placed == here.name


ASSIGNMENTS = {
    "a view": lambda a, row, i: row.__iadd__(1),
    "all of a view": lambda a, row, i: row.__setitem__(slice(None), row * 0.5 + 1),
    "an element": lambda a, row, i: a.__setitem__((1, i % 4), a[1, 0] + 1),
    "rows in turns": lambda a, row, i: a.__setitem__(i % 3, a[0] + 1),
    "views in turns": lambda a, row, i: a[i % 3].__iadd__(1),
}


@pytest.mark.parametrize("read", [False, True])
@pytest.mark.parametrize("name", ASSIGNMENTS)
@pytest.mark.device
def test_assignments_do_not_pile_up(name, read, anew):
    results = []
    sizes = []
    for asarray in (np.array, la.asarray):
        a = asarray(np.arange(12.0, dtype=np.float32).reshape(3, 4))
        row = a[1]
        for i in range(60):
            ASSIGNMENTS[name](a, row, i)
            if read:
                float(row[0])
            if i > 20 and asarray is la.asarray:
                sizes.append(_size(a.standing))
        results.append(np.asarray(a))
    np.testing.assert_allclose(*results, rtol=1e-5)
    if read:
        assert max(sizes) < 120, sizes
    else:  # what it stands for has to be as long as what was assigned, but for what was overwritten
        assert max(sizes) < 1000, sizes


def _size(standing):
    seen, waiting = set(), [standing]
    while waiting:
        node = waiting.pop()
        if id(node) not in seen:
            seen.add(id(node))
            waiting += node.operands
    return len(seen)


@interpreted()
def test_what_was_overwritten_is_let_go(anew):
    large = la.asarray(np.zeros((3, 1 << 16), np.float32))
    parts = []
    for i in range(40):
        part = la.asarray(np.full(1 << 16, i, np.float32))
        large[i % 3] = part
        parts.append(weakref.ref(part.node))
        del part
    gc.collect()
    assert sum(part() is not None for part in parts) <= 3 + 16
    assert large[:, 0].tolist() == [39, 37, 38]


@interpreted()
def test_long_lists_of_numbers_are_no_operations(anew):
    x = la.asarray(np.arange(64.0).reshape(8, 8))
    table = operations._operations
    for i in range(3):
        found = x + [[float(i * 8 + j) for j in range(8)] for _ in range(8)]
        check(found, np.arange(64.0).reshape(8, 8) + np.arange(i * 8, i * 8 + 8.0))
    assert all(len(key) < 100 for key in table.young)


@pytest.mark.device
def test_other_threads_do_not_decide_what_is_replayed(anew):
    stop = threading.Event()

    def work():
        while not stop.is_set():
            float(la.asarray(X)[3])

    thread = threading.Thread(target=work)
    thread.start()
    try:
        x = la.asarray(M)
        for number in range(40):
            assert type((x[:, : 1 + number % 5] * (number + 2)).expr) is RecordedCall
    finally:
        stop.set()
        thread.join()


@pytest.mark.device
def test_a_program_seen_before_makes_no_expression(anew, monkeypatch):
    def program(m):
        e = la.exp(m - la.max(m, axis=1, keepdims=True))
        return e / la.sum(e, axis=1, keepdims=True)

    for _ in range(2):
        la.compute(program(la.asarray(M)))
    made = []
    monkeypatch.setattr(operations.Operation, "of", lambda self, nodes: made.append(self))
    shifted = np.exp(M[::-1] - M[::-1].max(axis=1, keepdims=True))
    check(program(la.asarray(M[::-1])), shifted / shifted.sum(axis=1, keepdims=True))
    assert made == []


@pytest.mark.device
def test_several_results_and_complex_ones(anew):
    for attempt in range(3):
        x = la.asarray(X + attempt)
        z = x + 1j * x
        a, b, c = la.abs(z), z * 2, la.sum(x)
        la.compute(a, b, c, b)
        check(a, np.abs((X + attempt) * (1 + 1j)))
        check(b, ((X + attempt) * (1 + 1j) * 2).astype(np.complex64))
        check(c, np.sum(X + attempt))


@pytest.mark.device
def test_operands_recorded_in_other_ways_and_shared(anew):
    for attempt in range(4):
        x = la.asarray(X + attempt)
        x[2] = 9.0  # recorded as an expression
        values = X + attempt
        values[2] = 9
        y = la.concat([x, x * 2]) + la.arange(22, dtype="float32")
        check(y * y[0], (np.concatenate([values, values * 2]) + np.arange(22, dtype=np.float32)) * values[0])


@pytest.mark.device
def test_threads_that_share_recorded_calls(anew):
    x = la.asarray(X)
    failed = []
    for _ in range(30):
        shared = la.sqrt(la.abs(x) + 1)
        start = threading.Barrier(4)

        def use(number, shared=shared, start=start):
            start.wait()
            try:
                if number % 2:
                    la.compute(shared)
                check(shared * number, np.sqrt(np.abs(X) + 1) * number)
            except Exception as error:  # shown below, in the test's own thread
                failed.append(error)

        in_threads(use, range(4))
    assert not failed, failed[0]


@pytest.mark.device
def test_a_deep_chain_is_made_and_recognised_without_recursion(anew, monkeypatch):
    monkeypatch.setattr(deep, "PENDING_DEPTH_AT_MOST", 10_000)  # else it is computed as it grows
    for _ in range(2):
        x = y = la.asarray(X)
        for _ in range(5_000):
            y = y + x
        assert isinstance(y.expr, RecordedCall)
        found = engine.signature([y.expr], lambda node: None)
        assert len(found.leaves) == 1
        assert len(list(postorder(y.node))) > 5_000


OPERATIONS = [
    ("a + b", lambda m, a, b: a + b),
    ("a - mean", lambda m, a, b: a - m.mean(a)),
    ("rows", lambda m, a, b: a - m.max(a, axis=1, keepdims=True)),
    ("transposed", lambda m, a, b: a.T[: a.shape[0], : a.shape[0]][:, :1] + b),
    ("reversed", lambda m, a, b: a[::-1, ::-1] * 0.5),
    ("rolled", lambda m, a, b: m.roll(a, 1, axis=1) + b),
    ("where", lambda m, a, b: m.where(a > b, a, b * 0.5)),
    ("joined", lambda m, a, b: m.concatenate([a, b])[1 : 1 + a.shape[0]]),
]


@pytest.mark.device
@settings(max_examples=12, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(OPERATIONS) - 1), st.integers(0, 2)), min_size=1, max_size=5))
def test_programs_evaluated_again_over_other_data(steps):
    """Each program three times: recorded, replayed, found again."""
    for attempt in range(3):
        data = np.roll(M, attempt, axis=0) - attempt
        results = []
        for m, a in ((np, data), (la, la.asarray(data))):
            values = [a, a * 0.5, a + 1]
            for number, other in steps:
                values.append(OPERATIONS[number][1](m, values[-1], values[other]))
            results.append(values[-1])
        np.testing.assert_allclose(np.asarray(results[1]), results[0], rtol=2e-5, atol=2e-5)
