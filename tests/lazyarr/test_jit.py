"""`lift.jit`: recorded once per signature, then the same values as NumPy's without running the Python code."""

from __future__ import annotations

import gc
import threading
from collections import namedtuple

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.config import configure
from lazyarr.errors import TracingError
from lazyarr.runtime import find_device
from tests import oclgrind
from tests.lazyarr.jitted import X, Y, counted
from tests.lazyarr.support import check
from tests.threads import in_threads

pytestmark = pytest.mark.device


def test_recorded_once_for_each_signature():
    f, calls = counted(lambda x: x * 2 + 1)
    x = la.asarray(X)
    for _ in range(3):
        check(f(x), X * 2 + 1)
    assert len(calls) == 1
    check(f(la.asarray(Y)), Y * 2 + 1)  # another array of the same signature
    assert len(calls) == 1
    check(f(x[:5]), X[:5] * 2 + 1)  # another shape
    assert len(calls) == 2
    check(f(la.asarray(X.astype(np.float64))), X.astype(np.float64) * 2 + 1)  # another dtype
    assert len(calls) == 3
    check(f(x.reshape(7, 1)), X.reshape(7, 1) * 2 + 1)  # as many elements, another shape
    assert len(calls) == 4
    check(f(x), X * 2 + 1)
    assert len(calls) == 4
    f.clear()
    check(f(x), X * 2 + 1)
    assert len(calls) == 5


def test_a_call_like_the_one_before_and_calls_that_are_not():
    f, calls = counted(lambda x, y: x * 2 + y)
    x, y = la.asarray(X), la.asarray(Y)
    expected = X * 2 + Y
    for _ in range(3):
        check(f(x, y), expected)
    check(f(y, x), Y * 2 + X)
    check(f(x, x), X * 2 + X)
    check(f(x + 1, y), (X + 1) * 2 + Y)  # not computed yet
    assert len(calls) == 1
    check(f(x, Y), expected)  # a signature of its own
    check(f(x, y), expected)
    assert len(calls) == 2
    check(f(x[:5], y[:5]), expected[:5])
    check(f(x, y=y), expected)
    check(f(x, 3.0), X * 2 + np.float32(3))
    check(f(x, y), expected)
    assert len(calls) == 5
    with pytest.raises(TypeError, match="argument"):
        f(x)
    with pytest.raises(TypeError, match="argument"):
        f(x, y, y)
    check(f(x, y), expected)


def test_what_calls_like_the_one_before_read_and_return():
    captured = la.asarray(Y * 3)
    functions = [
        (lambda a, b: (b - captured) * a, lambda a, b: (b - Y * 3) * a),  # inputs in another order
        (lambda a, b: b * 2, lambda a, b: b * 2),  # one argument unused
        (lambda a, b: b, lambda a, b: b),
        (lambda a, b: captured + 1, lambda a, b: Y * 3 + 1),
        (lambda a, b: la.zeros_like(a), lambda a, b: np.zeros_like(a)),
        (lambda a, b: la.sum(a) + b, lambda a, b: np.sum(a) + b),
    ]
    for function, expected in functions:
        f, calls = counted(function)
        for shift in range(4):
            a, b = X + np.float32(shift), Y - np.float32(shift)
            check(f(la.asarray(a), la.asarray(b)), expected(a, b))
        assert len(calls) == 1


def test_arguments_that_change_do_so_at_every_call():
    def step(x, y):
        x += y
        return x * 2

    f = lift.jit(step)
    x, y = la.asarray(X), la.asarray(Y)
    for number in range(1, 4):
        check(f(x, y), (X + number * Y) * 2)
        check(x, X + number * Y)


def test_numbers_and_strings_are_constants_of_the_signature():
    def power(x, n, mode="plus"):
        y = x
        for _ in range(n):
            y = y * x
        return y + 1 if mode == "plus" else y - 1

    f, calls = counted(power)
    x = la.asarray(X)
    check(f(x, 1), X * X + 1)
    check(f(x, 1), X * X + 1)
    assert len(calls) == 1
    check(f(x, 2), X * X * X + 1)
    check(f(x, 1, mode="minus"), X * X - 1)
    assert len(calls) == 3
    check(f(x, n=2), X * X * X + 1)  # spelled otherwise: another structure, the same value


def test_constants_that_compare_equal_are_told_apart():
    f, _ = counted(lambda x, c: x * c)
    x = la.asarray(np.arange(1, 5, dtype=np.int32))
    assert f(x, 1).dtype == np.int32
    assert f(x, 1.0).dtype == (np.arange(1, 5, dtype=np.int32) * 1.0).dtype
    assert f(x, True).dtype == np.int32
    assert not np.signbit(np.asarray(f(la.asarray(Y), 0.0))).any()
    assert np.signbit(np.asarray(f(la.asarray(Y), -0.0))).all()


Pair = namedtuple("Pair", "first second")  # a named tuple without annotations, as users write it


def test_structures_of_arguments_and_results():
    def step(state, *rest, scale, **options):
        low, high = state["range"]
        return {"sum": low + high, "list": [low * scale, rest[0]], "pair": Pair(high, options["extra"])}

    f, calls = counted(step)
    x, y = la.asarray(X), la.asarray(Y)
    for _ in range(2):
        found = f({"range": (x, y)}, y, scale=3, extra=x)
        assert set(found) == {"sum", "list", "pair"}
        check(found["sum"], X + Y)
        assert isinstance(found["list"], list)
        check(found["list"][0], X * 3)
        check(found["list"][1], Y)
        assert isinstance(found["pair"], Pair)
        check(found["pair"].first, Y)
        check(found["pair"].second, X)
    assert len(calls) == 1
    f({"range": [x, y]}, y, scale=3, extra=x)  # a list is not a tuple
    assert len(calls) == 2


def test_dicts_and_keywords_come_in_their_order():
    f, _ = counted(lambda table={}, **named: {k: v - 2 * next(iter(named.values())) for k, v in table.items()})
    x, y = la.asarray(X), la.asarray(Y)
    for _ in range(2):
        for names in ("ab", "ba"):
            for first, second, value in ((x, y, X), (y, x, Y)):
                found = f(dict(zip(names, (x, y), strict=True)), d=first, c=second)
                assert list(found) == list(names)
                check(found[names[0]], X - 2 * value)
                check(found[names[1]], Y - 2 * value)


def test_keys_that_compare_equal_are_told_apart():
    f, _ = counted(lambda table: [x * key for key, x in table.items()])
    x = la.asarray(np.arange(4, dtype=np.int8))
    for key in (1, 1.0, True, 0, -0.0, 0.0):
        (found,) = f({key: x})
        check(found, np.arange(4, dtype=np.int8) * key)
        assert np.array_equal(np.signbit(np.asarray(found, np.float64)), np.signbit(np.arange(4, dtype=np.int8) * key))


def test_numpy_arguments():
    f, calls = counted(lambda x, s: x * s)
    check(f(X, np.float32(2)), X * np.float32(2))
    check(f(Y, np.float32(3)), Y * np.float32(3))  # a NumPy scalar is an input, not a constant
    assert len(calls) == 1
    check(f(X[::-1], np.float32(2)), X[::-1] * np.float32(2))
    check(f(np.arange(6.0).reshape(2, 3).T, np.float32(2)), np.arange(6.0).reshape(2, 3).T * 2)


def test_lazy_arguments_are_computed():
    f, _ = counted(lambda x: la.sum(x))
    check(f(la.asarray(X) + 1), (X + 1).sum(), 7)


def test_arguments_handed_through():
    x = la.asarray(X)
    check(lift.jit(lambda a: a)(x), X)
    check(lift.jit(lambda a: a.reshape(7, 1))(x), X.reshape(7, 1))
    swapped = lift.jit(lambda a, b: (b, a, a + b))
    for first, second in ((X, Y), (Y, X)):
        one, two, total = swapped(la.asarray(first), la.asarray(second))
        check(one, second)
        check(two, first)
        check(total, first + second)


def test_constant_results():
    x = la.asarray(X)
    check(lift.jit(lambda a: la.ones((2, 3)))(x), np.ones((2, 3)))
    check(lift.jit(lambda a: la.zeros_like(a))(x), np.zeros_like(X))
    check(lift.jit(lambda a: a[:0])(x), X[:0])
    check(lift.jit(lambda: la.full(3, 7))(), np.full(3, 7))
    found = lift.jit(lambda a: (a + 1, "text", 3, None))(x)
    check(found[0], X + 1)
    assert found[1:] == ("text", 3, None)
    assert lift.jit(lambda a: None)(x) is None


def test_a_result_that_is_no_array():
    assert lift.jit(lambda a: 3.5)(la.asarray(X)) == 3.5
    assert lift.jit(lambda a: a.shape)(la.asarray(X)) == (7,)


def test_the_same_result_twice():
    first, second = lift.jit(lambda a: (a + 1, a + 1))(la.asarray(X))
    check(first, X + 1)
    check(second, X + 1)


def test_intermediate_results_and_several_kernels():
    def normalise(x):
        centred = x - la.mean(x)
        return centred / la.sqrt(la.sum(centred * centred)), la.max(x)

    wide = X.astype(np.float64)
    centred = wide - wide.mean()
    f = lift.jit(normalise)
    for _ in range(2):
        scaled, largest = f(la.asarray(wide))
        check(scaled, centred / np.sqrt((centred * centred).sum()), 7, 1.0)
        check(largest, wide.max())


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 1009, 4096, 5003])
def test_any_length(n):
    rng = np.random.default_rng(n)
    x, y = rng.uniform(1, 2, n), rng.uniform(1, 2, n)
    check(dot(la.asarray(x), la.asarray(y)), np.dot(x, y), n)


dot = lift.jit(lambda x, y: la.sum(x * y))  # one for all lengths: a length must not leak into another's kernel


def test_a_jitted_function_inside_another():
    inner, inner_calls = counted(lambda x, k: x * k)
    outer, outer_calls = counted(lambda x: inner(x, 2) + inner(x + 1, 3))
    for values in (X, Y, X):
        check(outer(la.asarray(values)), values * 2 + (values + 1) * 3)
    assert len(outer_calls) == 1
    assert len(inner_calls) == 2  # recorded as a part of the outer one
    check(inner(la.asarray(X), 2), X * 2)


def test_a_branch_names_the_users_line():
    def clamp(x):
        if la.sum(x) > 0:
            return x
        return -x

    with pytest.raises(TracingError) as caught:
        lift.jit(clamp)(la.asarray(X))
    message = str(caught.value)
    assert f"{__file__}:{clamp.__code__.co_firstlineno + 1}: " in message
    assert "if la.sum(x) > 0:" in message
    assert "la.where" in message
    check(lift.jit(lambda x: la.where(la.sum(x) > 0, x, -x))(la.asarray(X)), X)  # what the message advises


def test_a_leaked_traced_array_is_refused():
    leaked = []
    lift.jit(lambda x: leaked.append(x) or x + 1)(la.asarray(X))
    with pytest.raises(TracingError):
        np.asarray(leaked[0] + 1)
    with pytest.raises(TracingError, match="another recording"):
        lift.jit(lambda x: x + leaked[0])(la.asarray(X))


def test_an_error_while_recording_is_not_remembered():
    attempts = []

    def moody(x):
        attempts.append(1)
        if len(attempts) == 1:
            raise RuntimeError("not now")
        return x + 1

    f = lift.jit(moody)
    with pytest.raises(RuntimeError, match="not now"):
        f(la.asarray(X))
    check(f(la.asarray(X)), X + 1)


def test_bad_arguments():
    with pytest.raises(TypeError, match=r"jit: expected a function, got int"):
        lift.jit(3)
    f = lift.jit(lambda x, y: x)
    with pytest.raises(TypeError, match="neither an array nor hashable"):
        f(la.asarray(X), {1, 2})
    with pytest.raises(TypeError):
        f(la.asarray(X))
    with pytest.raises(ValueError, match="add"):
        lift.jit(lambda x, y: x + y)(la.asarray(X), la.asarray(X[:3]))


def test_name_and_documentation_are_the_functions():
    def documented(x):
        """What it does."""
        return x

    f = lift.jit(documented)
    assert f.__name__ == "documented"
    assert f.__doc__ == "What it does."


def test_inputs_may_be_dropped_right_after_the_call():
    # large enough to be running still when the call returns
    n = 1 << 20
    f = lift.jit(lambda x, y: la.sum(la.sqrt(x * x + y)))
    expected = [n * np.sqrt(i * i + 1.0) for i in range(6)]
    results = []
    for i in range(6):
        x = la.asarray(np.full(n, i, np.float64))
        results.append(f(x, la.asarray(np.ones(n))))
        del x
        gc.collect()
        np.full(n, np.nan)  # overwrites the memory if it was given back
    for result, value in zip(results, expected, strict=True):
        check(result, np.float64(value), n)


def test_results_survive_later_calls():
    f = lift.jit(lambda x: x + 1)
    x = la.asarray(np.zeros(5003))
    results = []
    for _ in range(5):
        x = f(x)
        results.append(x)
    for i, result in enumerate(results, 1):
        check(result, np.full(5003, float(i)))


def test_compute_waits():
    n = 1 << 20
    x = lift.jit(lambda x: la.sin(x) + la.cos(x))(la.asarray(np.linspace(0, 1, n)))
    la.compute(x)
    queue = x.node.storage.device.queue
    assert queue.pending == 0


def test_several_threads():
    f, _ = counted(lambda x, y: la.sum(x * y))
    failures = []
    start = threading.Barrier(4)

    def work(seed):
        rng = np.random.default_rng(seed)
        try:
            start.wait()
            for n in (7, 1009, 64) * 5:
                x, y = rng.uniform(1, 2, n), rng.uniform(1, 2, n)
                check(f(la.asarray(x), la.asarray(y)), np.dot(x, y), n)
        except BaseException as error:
            failures.append(error)

    in_threads(work, range(4))
    assert failures == []


@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
def test_another_default_device_is_used_by_functions_recorded_before():
    f = lift.jit(lambda x: x * 2 + 1)
    x = np.arange(7, dtype=np.float32)
    here = f(la.asarray(x)).node.storage.device
    old = configure(device="oclgrind")
    try:
        there = f(la.asarray(x))
        np.testing.assert_array_equal(np.asarray(there), x * 2 + 1)
        assert there.node.storage.device is find_device("oclgrind")
        assert here is not find_device("oclgrind")
    finally:
        configure(**vars(old))
    assert f(la.asarray(x)).node.storage.device is here


def test_a_call_after_the_default_device_was_named_is_not_the_next_one():
    from lazyarr.config import configure
    from lazyarr.runtime import default_device

    f, x = lift.jit(lambda v: v + 1), la.asarray(np.arange(3.0))
    for _ in range(3):
        f(x)
    assert len(f._recordings) == 1
    old = configure(device=default_device().name)
    try:
        np.testing.assert_array_equal(np.asarray(f(x)), [1, 2, 3])
        assert len(f._recordings) == 2
    finally:
        configure(**vars(old))


def test_methods_have_their_instance_as_a_constant():
    class Layer:
        recorded = 0

        def __init__(self, factor):
            self.factor = factor
            self.bias = la.asarray(X) + 0

        @lift.jit
        def applied(self, x):
            Layer.recorded += 1
            return x * self.factor + self.bias

        @staticmethod
        @lift.jit
        def doubled(x):
            return x * 2

    one, other = Layer(3), Layer(5)
    for _ in range(2):
        check(one.applied(la.asarray(X)), X * 3 + X)
        check(other.applied(la.asarray(X)), X * 5 + X)
    assert Layer.recorded == 2
    one.bias[...] = 1  # arrays are read at each call
    check(one.applied(la.asarray(X)), X * 3 + 1)
    assert Layer.recorded == 2
    check(Layer.applied(other, la.asarray(X)), X * 5 + X)
    check(one.doubled(la.asarray(X)), X * 2)
    check(Layer.doubled(la.asarray(X)), X * 2)
