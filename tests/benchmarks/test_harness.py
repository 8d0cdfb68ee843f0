"""Timing with fake clocks and fake contestants: nothing here depends on how fast the machine is."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable

import numpy as np
import pytest

from benchmarks.harness import (
    BLOCK,
    Fetched,
    Neighbours,
    Reference,
    Timing,
    Tolerance,
    TupleReference,
    WrongResultError,
    batched,
    interleave,
    slower,
)

F32 = np.dtype(np.float32)


class FakeClock:
    """Stands still until a contestant says how long it took."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def task(self, *durations: float, result: object = None, log: list[str] | None = None, name: str = "") -> object:
        calls = iter(durations)

        def run() -> object:
            self.now += next(calls, 0.0)
            if log is not None:
                log.append(name)
            return result

        return run


def scalar(value: float, relative: float = 1e-6) -> Reference:
    return Reference(np.asarray(value), np.asarray(abs(value)), Tolerance(relative))


def test_samples_are_what_the_clock_says():
    clock = FakeClock()
    # one checking call and two warm-up calls precede the timed ones
    task = clock.task(9, 9, 9, 1, 5, 2, 4, 3)
    timing = interleave({"a": [task]}, rounds=5, clock=clock)["a"]
    assert timing.samples == (1, 5, 2, 4, 3)
    assert timing.median == 3
    assert timing.minimum == 1
    assert timing.quartiles == (2, 4)


def test_quartiles_of_one_sample():
    assert Timing((7.0,)).quartiles == (7.0, 7.0)


def test_contestants_take_turns_and_the_first_changes():
    clock, log = FakeClock(), []
    contestants = {name: [clock.task(log=log, name=name)] for name in "abc"}
    interleave(contestants, rounds=4, warm_up=0, clock=clock)
    assert "".join(log) == "abc" + "abc" + "bca" + "cab" + "abc"


def test_a_rest_before_each_timed_run_is_not_timed():
    clock, rests = FakeClock(), []

    def sleep(seconds):
        rests.append(seconds)
        clock.now += seconds

    contestants = {name: [clock.task(9, 1, 2)] for name in "ab"}
    timings = interleave(contestants, rounds=2, warm_up=0, clock=clock, rest=0.5, sleep=sleep)
    assert [timing.samples for timing in timings.values()] == [(1, 2), (1, 2)]
    assert rests == [0.5] * 4


def test_inputs_rotate():
    clock, log = FakeClock(), []
    contestants = {"x": [clock.task(log=log, name="0"), clock.task(log=log, name="1")]}
    interleave(contestants, rounds=5, warm_up=0, clock=clock)
    assert "".join(log) == "01" + "01010"


def test_each_input_set_has_its_own_reference():
    contestants = {"x": [lambda: 1.0, lambda: 2.0]}
    interleave(contestants, {"x": [scalar(1), scalar(2)]}, rounds=2)
    with pytest.raises(WrongResultError, match="x: 1 of 1 values are wrong"):
        interleave(contestants, {"x": [scalar(1), scalar(1)]}, rounds=2)


def test_a_wrong_result_raises_before_anything_is_timed():
    def clock() -> float:
        raise AssertionError("timed a wrong contestant")

    with pytest.raises(WrongResultError, match=r"bad: .*expected .*3\.0.* got .*4\.0"):
        interleave({"bad": [lambda: 4.0]}, {"bad": [scalar(3)]}, rounds=3, clock=clock)


def test_a_result_that_goes_wrong_later_raises():
    results = iter([3.0, 3.0, 3.0, 3.0, 4.0])
    with pytest.raises(WrongResultError):
        interleave({"x": [lambda: next(results)]}, {"x": [scalar(3)]}, rounds=2)


@pytest.mark.parametrize(
    "result",
    [np.array([1.0, 2.0]), np.array([1.0, np.nan, 3.0]), np.array([1.0, 2.0, 3.1]), np.array([[1.0, 2.0, 3.0]])],
    ids=["length", "nan", "value", "rank"],
)
def test_reference_refuses(result):
    values = np.array([1.0, 2.0, 3.0])
    with pytest.raises(WrongResultError):
        Reference(values, values, Tolerance(1e-3)).check("x", result)


def test_reference_names_the_place():
    values = np.arange(6.0).reshape(2, 3) + 1
    got = values.copy()
    got[1, 2] = -1
    with pytest.raises(WrongResultError, match=r"1 of 6 values are wrong, first at \(1, 2\)"):
        Reference(values, values, Tolerance(1e-3)).check("x", got)


def test_tolerances_follow_dtype_and_length():
    eps = float(np.finfo(np.float32).eps)
    assert Tolerance.elementwise(F32).relative == eps / 2
    assert Tolerance.elementwise(F32, operations=3).relative == 3 * eps / 2
    assert Tolerance.reduction(F32, 1 << 24).relative == eps * 4096
    assert Tolerance.reduction(np.dtype(np.float64), 0).relative == float(np.finfo(np.float64).eps)


def test_neighbours_are_what_this_process_did_not_use(tmp_path):
    ticks = os.sysconf("SC_CLK_TCK")
    statistics = tmp_path / "stat"
    statistics.write_text("cpu 0 0 0 999 0 0 0 0 0 0\ncpu0 0\n")
    times, own = iter([10.0, 14.0]), iter([1.0, 3.0])
    neighbours = Neighbours(statistics, lambda: next(times), lambda: next(own))
    # 8 core seconds in 4 s, of which 2 are ours; idle and waiting time does not count
    statistics.write_text(f"cpu {3 * ticks} {ticks} {2 * ticks} 5000 7000 {ticks} 0 {ticks} 0 0\n")
    assert neighbours.cores() == 1.5


def test_neighbours_are_unknown_without_statistics(tmp_path):
    assert Neighbours(tmp_path / "absent").cores() is None


def test_slower_is_slower_in_three_rounds_of_four():
    other = Timing((1.0, 1.0, 1.0, 1.0, 1.0))
    assert slower(Timing((1.1, 1.1, 1.1, 1.1, 0.9)), other)
    assert not slower(Timing((1.1, 0.9, 1.1, 0.9, 1.1)), other)
    assert not slower(other, other)


@pytest.mark.parametrize("enabled", [True, False])
def test_the_garbage_collector_is_left_as_it_was(enabled):
    seen = []
    before = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        interleave({"x": [lambda: seen.append(gc.isenabled())]}, rounds=1, warm_up=0)
        assert gc.isenabled() is enabled
        assert seen == [enabled, False]
    finally:
        (gc.enable if before else gc.disable)()


@pytest.mark.parametrize(
    ("contestants", "references", "rounds"),
    [
        ({"x": [lambda: 1]}, {}, 0),
        ({"x": []}, {}, 1),
        ({"x": [lambda: 1], "y": [lambda: 1, lambda: 1]}, {}, 1),
        ({"x": [lambda: 1]}, {"x": [scalar(1), scalar(1)]}, 1),
    ],
    ids=["no rounds", "no inputs", "unequal inputs", "unequal references"],
)
def test_bad_arguments(contestants: dict[str, list[Callable[[], object]]], references, rounds):
    with pytest.raises(ValueError):
        interleave(contestants, references, rounds=rounds)


def test_a_batch_ends_with_its_set_and_waits_once():
    log = []

    def launch(x):
        log.append(x)
        return x

    def finish(result):
        log.append("wait")
        return 10 * result

    thunks = batched(launch, finish, [(0,), (1,), (2,)], count=4)
    assert [thunk() for thunk in thunks] == [0, 10, 20]
    assert log == [0, 1, 2, 0, "wait", 1, 2, 0, 1, "wait", 2, 0, 1, 2, "wait"]
    with pytest.raises(ValueError, match="at least 1"):
        batched(launch, finish, [(0,)], count=0)


def test_fetched_results_are_read_before_they_are_checked():
    class OnDevice:
        def __init__(self, value):
            self.value = value

    check = Fetched(TupleReference([scalar(1), scalar(2)]), lambda x: x.value)
    check.check("x", (OnDevice(1.0), OnDevice(2.0)))
    with pytest.raises(WrongResultError, match="x, result 1: "):
        check.check("x", (OnDevice(1.0), OnDevice(3.0)))
    Fetched(scalar(1), lambda x: x.value).check("x", OnDevice(1.0))


def test_large_results_are_checked_to_the_end():
    values = np.ones(BLOCK + 3)
    got = values.astype(np.float32)
    Reference(values, values, Tolerance(0)).check("x", got)
    got[[BLOCK + 1, BLOCK + 2]] = 2
    with pytest.raises(WrongResultError, match=rf"2 of {BLOCK + 3} values are wrong, first at \({BLOCK + 1},\)"):
        Reference(values, values, Tolerance(0)).check("x", got)


def test_a_primer_runs_untimed_before_each_run():
    events: list[str] = []
    ticks = iter(range(1000))

    def clock() -> float:
        events.append("clock")
        return float(next(ticks))

    thunks = {"a": [lambda: events.append("run")]}
    primers = {"a": [lambda: events.append("primer")]}
    interleave(thunks, rounds=2, warm_up=0, clock=clock, primers=primers)
    assert events == ["run", *["primer", "clock", "run", "clock"] * 2]
