"""Operations of short programs, which are carried out during the call once such a program was found again."""

import random

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.config import configure
from lazyarr.graph.leaves import Input
from lazyarr.graph.recorded_calls import RecordedCall

N = 40_013


@pytest.fixture(autouse=True)
def by_default():
    old = configure(tier="auto", tune="off", deterministic=False)
    yield
    configure(**vars(old))


def has_value(x) -> bool:
    return x.value is not None or type(x.expr.made if type(x.expr) is RecordedCall else x.expr) is Input


def numbers(seed: int, dtype="float64", n: int = N) -> np.ndarray:
    return (np.random.default_rng(seed).random(n) * 50).astype(dtype)


def read_again(function, *arrays, times: int = 8):
    """The function of arrays, evaluated again and again; what it gives without being read then."""
    for _ in range(times):
        la.compute(function(*arrays))
    return function(*arrays)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8", "bool"])
def test_operations_of_short_programs_go_at_once(dtype):
    a, b = numbers(1, dtype), numbers(2, dtype)
    x, y = la.asarray(a), la.asarray(b)
    assert not has_value(la.maximum(x, y))
    found = read_again(la.maximum, x, y)
    assert has_value(found)
    np.testing.assert_array_equal(np.asarray(found), np.maximum(a, b))
    total = read_again(lambda x: la.sum(x), x)
    assert has_value(total)
    np.testing.assert_allclose(np.asarray(total), np.sum(a), rtol=1e-6)
    assert total.dtype == np.asarray(la.sum(la.asarray(a[:3]))).dtype


def test_each_operation_of_a_chain_goes_at_once():
    a = numbers(3)
    found = read_again(lambda x: (x * 7 + 1) / 3, la.asarray(a))
    assert has_value(found)
    np.testing.assert_array_equal(np.asarray(found), (a * 7 + 1) / 3)


def test_operations_of_long_programs_are_recorded():
    x, y = la.asarray(numbers(4, n=N + 1)), la.asarray(numbers(5, n=N + 1))

    def long(x, y):
        for _ in range(6):
            y = la.sin(x * y) + la.cos(y)
        return y

    assert not has_value(read_again(long, x, y))


def test_long_programs_of_operations_that_go_at_once_stay_whole():
    x, y = la.asarray(numbers(11, n=N + 2)), la.asarray(numbers(12, n=N + 2))
    assert has_value(read_again(lambda x: x + y, x))

    def long(x):
        for _ in range(40):
            x = x + y
        return x

    found = long(x)
    assert not has_value(found)
    own = np.asarray(x)
    for _ in range(40):
        own = own + np.asarray(y)
    np.testing.assert_allclose(np.asarray(found), own, rtol=1e-12)


def test_operations_that_long_programs_read_are_recorded_again():
    x, y = la.asarray(numbers(13, n=N + 3)), la.asarray(numbers(14, n=N + 3))
    assert has_value(read_again(lambda x: x * 2.25, x))

    def long(x):
        z = x * 2.25
        for _ in range(6):
            z = la.sin(z * y) + la.cos(z)
        return z

    read_again(long, x)
    assert not has_value(x * 2.25)
    assert not has_value(read_again(lambda x: x * 2.25, x))  # nor do short ones let it go again


def test_what_a_long_program_reads_again_and_again_was_not_made_for_it():
    x, y = la.asarray(numbers(15, n=N + 4)), la.asarray(numbers(16, n=N + 4))
    z = read_again(lambda x: x * 2.5, x)

    def long():
        made = z
        for _ in range(6):
            made = la.sin(made * y) + la.cos(made)
        return made

    read_again(long, times=12)
    assert has_value(x * 2.5)


def test_short_programs_of_operations_met_alone_go_at_once():
    x, y = la.asarray(numbers(17, n=N + 5)), la.asarray(numbers(18, n=N + 5))
    read_again(lambda: x + y)
    read_again(lambda: la.max(x))
    assert has_value(read_again(lambda: la.max(x + y)))


def test_programs_that_do_not_go_at_once_as_a_whole_get_their_operations_back():
    """NumPy's calls one by one would take longer, but kernels save little."""
    x, y = la.asarray(numbers(23, n=100_003)), la.asarray(numbers(24, n=100_003))
    alone = (lambda: x + y, lambda: x - y, lambda: x * y)
    for function in alone:
        assert has_value(read_again(function))
    read_again(lambda: la.sum((x + y) * (x - y) * (x * y)), times=12)
    assert has_value(la.sum((x + y) * (x - y) * (x * y))) or not any(has_value(function()) for function in alone)


def test_loops_that_look_at_each_step_go_at_once():
    x, y = la.asarray(numbers(19, n=N + 6)), la.asarray(numbers(20, n=N + 6))
    for _ in range(40):
        x = la.minimum(x, y)
        assert float(la.max(x)) <= 50
    assert has_value(la.minimum(x, y))


def test_what_takes_long_is_recorded():
    """Of products and of what is sorted programs read a part, which NumPy may find far sooner."""
    a = numbers(21, n=200_003)
    found = read_again(la.sort, la.asarray(a))
    assert not has_value(found)
    np.testing.assert_array_equal(np.asarray(found), np.sort(a))


def test_where_kernels_run_elsewhere_operations_are_recorded(monkeypatch):
    x = la.asarray(numbers(22))
    assert has_value(read_again(lambda x: x + 0.375, x))
    monkeypatch.setattr("lazyarr.eager.at_once.computes_on_cpu", lambda spec: False)
    assert not has_value(x + 0.375)


def test_views_of_values_are_read_where_they_lie():
    a = numbers(6)
    x = la.asarray(a)
    found = read_again(lambda x: x[1:] - x[:-1], x)
    assert has_value(found)
    np.testing.assert_array_equal(np.asarray(found), a[1:] - a[:-1])
    found = read_again(lambda x: x[::-3] + x[::3], x)
    assert has_value(found)
    np.testing.assert_array_equal(np.asarray(found), a[::-3] + a[::3])
    rows = a[:40_000].reshape(200, 200)
    y = la.asarray(rows)
    found = read_again(lambda y: y.T + y[::-1], y)
    np.testing.assert_array_equal(np.asarray(found), rows.T + rows[::-1])


def test_what_goes_at_once_is_no_view():
    a = numbers(7)
    x = la.asarray(a)
    kept = read_again(lambda x: x + 0.25, x)
    x[5] = -1.0
    np.testing.assert_array_equal(np.asarray(kept), a + 0.25)
    again = x + 0.25
    kept[3] = 7.0
    a[5] = -1.0
    np.testing.assert_array_equal(np.asarray(again), a + 0.25)
    assert float(kept[3]) == 7.0 and float(x[3]) == a[3]


def test_what_nobody_has_computed_is_recorded():
    x = la.asarray(numbers(8))
    read_again(lambda x: x * 1.25, x)
    waiting = la.sort(x)[::2] * 1.25  # of another shape
    assert not has_value(waiting)
    waiting = la.exp(la.sin(x)) * 1.25
    assert not has_value(waiting)
    np.testing.assert_allclose(np.asarray(waiting), np.exp(np.sin(numbers(8))) * 1.25, rtol=1e-12)


@pytest.mark.parametrize("changes", [{"tier": "compiled"}, {"deterministic": True}])
def test_settings_that_ask_for_kernels_get_them(changes):
    x = la.asarray(numbers(9))
    assert has_value(read_again(lambda x: x - 0.75, x))
    configure(**changes)
    assert not has_value(x - 0.75)


def test_functions_that_are_recorded_hold_the_operation():
    a = numbers(10)
    x = la.asarray(a)
    read_again(lambda x: x - 0.5, x)
    f = lift.jit(lambda x: (x - 0.5) * 2)
    np.testing.assert_array_equal(np.asarray(f(x)), (a - 0.5) * 2)
    x[0] = 100.0
    a[0] = 100.0
    np.testing.assert_array_equal(np.asarray(f(x)), (a - 0.5) * 2)


def test_floating_point_errors_are_silent_and_other_errors_raise(recwarn):
    a = np.zeros(N)
    x = la.asarray(a)
    found = read_again(lambda x: x / x, x)
    assert np.isnan(np.asarray(found)).all()
    assert not recwarn.list
    with pytest.raises(ValueError, match="broadcast"):
        x / la.asarray(np.zeros(N - 1))


UNARY = [lambda m, x: -x, lambda m, x: m.abs(x), lambda m, x: x * 2 + 1, lambda m, x: x[::-1] - 1, lambda m, x: x // 3]
BINARY = [lambda m, x, y: x + y, lambda m, x, y: m.minimum(x, y), lambda m, x, y: x[::-1] * y, lambda m, x, y: x > y]
TO_NUMBERS = [lambda m, x: m.max(x), lambda m, x: m.any(x > 90), lambda m, x: m.argmin(x), lambda m, x: m.median(x)]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("dtype", ["float64", "int64", "float32"])
def test_random_programs_with_writes_between(seed, dtype):
    """Arrays change, views of them are read and written; each value is NumPy's."""
    draw = random.Random(f"{seed} {dtype}")
    n = draw.choice([N, 65_536, 40_000])
    own = [numbers(seed * 3 + i, dtype, n) for i in range(3)]
    ours = [la.asarray(x) for x in own]
    for step in range(60):
        i, j = draw.randrange(3), draw.randrange(3)
        kind = draw.randrange(5)
        if kind == 0:
            f = draw.choice(UNARY)
            made, expected = f(la, ours[i]), f(np, own[i])
        elif kind == 1:
            f = draw.choice(BINARY)
            made, expected = f(la, ours[i], ours[j]), f(np, own[i], own[j])
        elif kind == 2:
            f = draw.choice(TO_NUMBERS)
            assert float(f(la, ours[i])) == float(f(np, own[i]))
            continue
        elif kind == 3:
            at = draw.randrange(n)
            ours[i][at] = own[i][at] = step % 50
            if draw.random() < 0.5:
                part, shown = ours[i][::-2], own[i][::-2]
                part[1:3] = shown[1:3] = draw.randrange(40)
            continue
        else:
            np.testing.assert_array_equal(np.asarray(ours[i] + ours[j]), own[i] + own[j])
            continue
        if draw.random() < 0.7:
            np.testing.assert_array_equal(np.asarray(made), expected)
        if made.dtype == ours[j].dtype and np.abs(expected).max() < 1e6:
            ours[j], own[j] = made, np.array(expected)
    for made, expected in zip(ours, own, strict=True):
        np.testing.assert_array_equal(np.asarray(made), expected)
