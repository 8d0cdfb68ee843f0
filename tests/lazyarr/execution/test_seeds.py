"""Where a search starts, and when it need not go on: what predicted times decide."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from ir.core.notation.parser import parse
from ir.core.sizes import size
from ir.core.types import FLOAT32, array_of
from ir.cost.compiling import seconds_to_compile, seconds_to_compile_program
from ir.cost.derived import estimate
from ir.cost.predict import Rates
from ir.cost.thresholds.compiling import RUNS_IN_TURNS, RUNS_OF_A_TRIAL
from ir.cost.thresholds.prediction import BOUND_FROM_BYTES, GOOD_ENOUGH, NOT_WORTH_TRYING
from ir.errors import GenerationError
from ir.fusion.symbols.symbolise import symbolise
from ir.schedules.candidates import Candidates
from lazyarr.compile import bound, rates, searching
from lazyarr.compile.bound import seconds_to_move
from lazyarr.compile.searching import cost_of, costs_of, predicting, promising, seeds_for
from lazyarr.errors import CompileError
from tests.ir.schedules.zoo import CPU, GPU, ZOO
from tuner import Outcome, Trial

CASES = {case.name: case for case in ZOO}
SIZES = {"n": 4096, "m": 3000, "k": 5}


@pytest.mark.parametrize("name", ["axpy", "added_row", "rows", "columns", "gemv", "transposed", "softmax", "scan_rows"])
@pytest.mark.parametrize("machine", [CPU, GPU], ids=["cpu", "gpu"])
def test_the_default_comes_first_then_others_by_their_predicted_times_without_the_hopeless(name, machine):
    candidates = Candidates.of(CASES[name].expr)
    seeds = seeds_for(candidates, machine, SIZES)
    assert seeds[0] == candidates.default(machine, SIZES)
    assert len({seed["schedule"] for seed in seeds}) == len(seeds)
    times = {
        str(each["schedule"]): estimate(candidates.derive(each).result, machine, SIZES).seconds
        for each in candidates.defaults(machine, SIZES)
        if candidates.refused(each, machine, SIZES) is None
    }
    others = [str(seed["schedule"]) for seed in seeds[1:]]
    assert others == sorted(others, key=lambda schedule: times[schedule])
    kept = {schedule for schedule, seconds in times.items() if seconds <= NOT_WORTH_TRYING * min(times.values())}
    assert kept | {seeds[0]["schedule"]} == {seed["schedule"] for seed in seeds}


def test_columns_are_not_tried_one_by_one():
    candidates = Candidates.of(CASES["columns"].expr)
    seeds = [seed["schedule"] for seed in seeds_for(candidates, CPU, {"n": 4096, "m": 4096})]
    assert seeds[0] == "row_panels"
    assert "row_group" not in seeds
    assert "nest" not in seeds


def test_a_lone_candidate_is_not_predicted(monkeypatch):
    def never(*_):
        raise AssertionError("it was predicted")

    monkeypatch.setattr(searching, "estimate", never)
    candidates = Candidates.of(CASES["sort"].expr)
    alone = replace(candidates, schedules=candidates.schedules[:1])
    assert len(seeds_for(alone, CPU, {"n": 500, "m": 1, "k": 1})) == 1


def test_what_has_no_prediction_comes_last(monkeypatch):
    candidates = Candidates.of(CASES["axpy"].expr)
    worst = candidates.default_of("grid", CPU, SIZES)

    def failing(low, machine, sizes, functions):
        if low is candidates.derive(worst).result:
            raise GenerationError("no kernel")
        return estimate(low, machine, sizes, functions)

    monkeypatch.setattr(searching, "estimate", failing)
    assert seeds_for(candidates, CPU, SIZES)[-1] == worst


def test_what_a_trial_costs_follows_from_its_size_and_its_runs(monkeypatch):
    def costs(name, sizes):
        candidates = Candidates.of(CASES[name].expr)
        return cost_of(candidates, candidates.default(CPU, sizes), CPU, sizes)

    short, run = costs("axpy", SIZES)
    assert short > RUNS_OF_A_TRIAL * run
    assert costs("layer_norm_rows", SIZES)[0] > short  # a larger program
    long, longer_run = costs("axpy", {**SIZES, "n": 1 << 29})
    assert long - short == pytest.approx(RUNS_OF_A_TRIAL * (longer_run - run))
    monkeypatch.setattr(searching, "predicted_seconds", lambda *_: float("inf"))
    assert costs("axpy", SIZES) == (0.0, 0.0)  # nobody knows


def test_what_the_library_computes_costs_no_compiling():
    candidates, sizes = Candidates.of(CASES["matmul"].expr), {"n": 1000, "m": 1000, "k": 1000}
    library = replace(CPU, host_library=True)
    default = candidates.default(library, sizes)
    assert default["schedule"] == "product_library"
    trying, run = cost_of(candidates, default, library, sizes)
    assert trying == pytest.approx(RUNS_OF_A_TRIAL * run)
    assert seconds_to_compile_program(0, 10, first=True) == 0.0
    rising = [(1, 3, False), (1, 300, False), (2, 300, False), (2, 300, True)]
    seconds = [0.0, *(seconds_to_compile_program(kernels, calls, first=first) for kernels, calls, first in rising)]
    assert sorted(set(seconds)) == seconds


def test_trials_that_were_made_correct_what_is_predicted():
    candidates = Candidates.of(CASES["axpy"].expr)
    default, other = seeds_for(candidates, CPU, SIZES)[:2]
    predict = predicting(costs_of(candidates, CPU, SIZES))
    trying, run = cost_of(candidates, other, CPU, SIZES)
    assert predict(other, []) == pytest.approx(trying + RUNS_IN_TURNS * run)
    before, first = cost_of(candidates, default, CPU, SIZES)
    failed = Trial(default, Outcome.build_failed, None, 1e6)
    took = Trial(default, Outcome.ok, 3 * first, 2 * before)
    expected = 2 * trying + RUNS_IN_TURNS * 3 * (first + run)
    assert predict(other, [failed, took]) == pytest.approx(expected)
    many = [took] + [Trial(default, Outcome.ok, 1.0, 2 * before)] * 9  # of which the best few are measured again
    assert predict(default, many) < RUNS_IN_TURNS * 1e3


def test_trials_that_were_made_tell_what_promises_nothing():
    candidates = Candidates.of(CASES["axpy"].expr)
    default, other = seeds_for(candidates, CPU, SIZES)[:2]
    promises = promising(costs_of(candidates, CPU, SIZES))
    (_, first), (_, run) = (cost_of(candidates, each, CPU, SIZES) for each in (default, other))
    as_predicted = Trial(default, Outcome.ok, 100 * first, 1.0)  # and the other will take 100 times as long, too
    assert promises(other, [as_predicted])
    much_faster = Trial(other, Outcome.ok, run / (NOT_WORTH_TRYING + 1), 1.0)
    assert not promises(other, [as_predicted, Trial(default, Outcome.ok, 100 * first, 1.0), much_faster])
    assert not promises(other, [Trial(default, Outcome.build_failed), as_predicted, as_predicted, much_faster])


def test_compiling_larger_expressions_takes_longer():
    small, large = (Candidates.of(CASES[name].expr) for name in ("scal", "softmax_rows"))
    seconds = [seconds_to_compile(each.derive(each.default(CPU, SIZES)).result) for each in (small, large)]
    assert 0 < seconds[0] < seconds[1]


def scaled(length: int):
    return symbolise(parse("map (λx. x * 2) xs", {"xs": array_of(FLOAT32, size(length))}, {}), {})


def device(kind: str):
    return SimpleNamespace(kind=kind, simulator=False)


def test_the_least_time_is_that_of_the_bytes(monkeypatch):
    monkeypatch.setattr(rates, "rates_of", lambda device, works, measure: Rates(1e10, 1e-5, {}))
    length = 1 << 24
    assert seconds_to_move(device("gpu"), scaled(length), measure=True) == pytest.approx(
        GOOD_ENOUGH * 8 * length / 1e10
    )
    # as a copy takes it, of which the rate is known
    assert seconds_to_move(device("cpu"), scaled(length), measure=True) == pytest.approx(
        GOOD_ENOUGH * 8 * length / 1e10
    )


def test_nothing_is_measured_for_what_a_cache_may_hold(monkeypatch):
    def never(*_, measure):
        raise AssertionError("it was measured")

    monkeypatch.setattr(rates, "rates_of", never)
    assert seconds_to_move(device("cpu"), scaled(BOUND_FROM_BYTES // 8 - 16), measure=True) is None


def test_a_device_that_cannot_be_measured_has_no_bound(monkeypatch):
    def broken(*_, measure):
        raise CompileError("wrong")

    monkeypatch.setattr(rates, "rates_of", broken)
    assert bound.seconds_to_move(device("cpu"), scaled(1 << 24), measure=True) is None


def test_nothing_is_measured_while_nobody_asked_for_a_search(monkeypatch):
    asked = []

    def unknown(device, works, *, measure):
        asked.append(measure)

    monkeypatch.setattr(rates, "rates_of", unknown)
    assert seconds_to_move(device("cpu"), scaled(1 << 24), measure=False) is None
    assert asked == [False]
