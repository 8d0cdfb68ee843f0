"""The outcomes of trying a candidate: whatever is wrong with it becomes data, and only a right one is timed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ir.errors import RewriteError
from lazyarr.compile import trials
from lazyarr.compile.executable import Executable
from lazyarr.compile.searching import search_space
from lazyarr.compile.trials import CandidateRunner, Problem
from lazyarr.runtime import AllocationError, BuildError, LaunchError
from tests.lazyarr.execution.kernels import X, asum, kernel_of, scal
from tuner import Outcome


def runner_of(array) -> CandidateRunner:
    return CandidateRunner(Problem(*kernel_of(array)))


def default(runner: CandidateRunner) -> dict[str, int | str]:
    return runner.candidates.default(runner.machine, runner.problem.general.sizes)


class Changed:
    """An executable whose results are spoiled after it ran, for given sizes or for all."""

    def __init__(self, executable, spoil, only_full=False):
        self.executable, self.spoil, self.only_full = executable, spoil, only_full

    def enqueue(self, inputs, sizes, poison=None):
        outputs, events = self.executable.enqueue(inputs, sizes, poison)
        if not self.only_full or sizes == (X.size,):
            for buffer in outputs:
                self.spoil(buffer)
        return outputs, events


def untimed(monkeypatch):
    def measure(self, executable, budget_seconds=0.0):
        raise AssertionError("a wrong candidate was timed")

    monkeypatch.setattr(CandidateRunner, "measure", measure)


@pytest.mark.parametrize("program", [asum, scal])
def test_ok(program):
    runner = runner_of(program())
    trial = runner.run(default(runner))
    assert trial.outcome is Outcome.ok, trial.detail
    assert trial.seconds > 0
    assert runner.best_seconds == trial.seconds


def test_devices_beside_the_host_are_timed_by_many_launches_in_a_row(monkeypatch):
    runner = runner_of(asum())
    runner.machine = replace(runner.machine, is_cpu=True)
    launched = []
    launch = Executable.launch

    def counted(self, inputs, sizes):
        launched.append(sizes)
        return launch(self, inputs, sizes)

    monkeypatch.setattr(Executable, "launch", counted)
    assert runner.run(default(runner)).ok
    assert not launched  # a CPU's launches are waited for, one by one
    runner.machine = replace(runner.machine, is_cpu=False)
    trial = runner.run({**default(runner), "width": 1, "ways": 1})
    assert trial.ok
    assert 0 < trial.seconds < 1
    assert len(launched) > 2  # how many follows from how long one takes, on a busy machine, too


@pytest.mark.parametrize("error", [BuildError("no such function", "source", "log"), RewriteError("does not apply")])
def test_build_failed(monkeypatch, error):
    def build(*arguments, **named):
        raise error

    monkeypatch.setattr(trials, "build", build)
    runner = runner_of(asum())
    trial = runner.run(default(runner))
    assert trial.outcome is Outcome.build_failed
    assert str(error) in trial.detail


@pytest.mark.parametrize(
    "spoil",
    [lambda buffer: buffer.fill(0), lambda buffer: buffer.fill(0xA5), lambda buffer: buffer.fill(0xFF)],
    ids=["zeros", "never written", "nan"],
)
@pytest.mark.parametrize("only_full", [False, True], ids=["small", "full size only"])
@pytest.mark.parametrize("program", [asum, scal])
def test_wrong_answer(monkeypatch, spoil, only_full, program):
    original = trials.build
    monkeypatch.setattr(trials, "build", lambda *a, **named: Changed(original(*a, **named), spoil, only_full))
    untimed(monkeypatch)
    runner = runner_of(program())
    trial = runner.run(default(runner))
    assert trial.outcome is Outcome.wrong_answer
    assert trial.seconds is None
    assert ("at sizes" in trial.detail) is not only_full
    assert "expected" in trial.detail
    assert runner.executables == {}


@pytest.mark.parametrize("error", [LaunchError("out of resources"), AllocationError("too large")])
def test_refused_by_the_device(monkeypatch, error):
    class Refusing:
        def enqueue(self, *arguments, **options):
            raise error

    monkeypatch.setattr(trials, "build", lambda *a, **named: Refusing())
    runner = runner_of(asum())
    trial = runner.run(default(runner))
    assert trial.outcome is Outcome.refused
    assert str(error) in trial.detail


def test_refused_by_a_constraint_is_not_even_built(monkeypatch):
    def build(*arguments, **named):
        raise AssertionError("built")

    monkeypatch.setattr(trials, "build", build)
    runner = runner_of(asum())
    configuration = {"schedule": "tree", "local": 256, "groups": 16, "ways": 1, "width": 1, "one_kernel": 0}
    assert runner.candidates.refused(runner.candidates.normalised(configuration), runner.machine, {"n0": 30011}) is None
    runner.machine = replace(runner.machine, max_work_group_size=16)
    trial = runner.run(configuration)
    assert trial.outcome is Outcome.refused
    assert "too many" in trial.detail


def test_timed_out(monkeypatch):
    def wait(event, *seconds):
        raise TimeoutError("a run had not ended")

    monkeypatch.setattr(trials, "wait", wait)
    runner = runner_of(asum())
    trial = runner.run(default(runner))
    assert trial.outcome is Outcome.timed_out
    assert "had not ended" in trial.detail


def test_waiting_has_an_end():
    class Never:
        done = False

    with pytest.raises(TimeoutError):
        trials.wait(Never(), 0.01)


@pytest.mark.parametrize("program", [scal, asum])
def test_the_space_of_a_search_is_what_is_worth_one(program):
    runner = runner_of(program())
    sizes = runner.problem.general.sizes
    offered = runner.candidates.searched(runner.machine, sizes)
    seen = set()
    for configuration in search_space(runner.candidates, runner.machine, runner.problem.general.sizes).enumerate():
        own = runner.candidates.normalised(configuration)
        assert all(own[p.name] in p.values for p in offered[own["schedule"]])
        assert runner.candidates.refused(own, runner.machine, sizes) is None
        seen.add(own["schedule"])
    assert seen and seen <= set(offered)
    assert not runner.machine.is_cpu or "tree" not in seen


def test_confirmation_measures_each_candidate():
    runner = runner_of(scal())
    first = default(runner)
    second = first | {"width": 1}
    assert runner.run(first).ok
    assert runner.run(second).ok
    measured = runner.confirm([first, second])
    assert len(measured) == 2
    assert all(seconds > 0 for seconds in measured)


@pytest.mark.parametrize("thorough", [True, False])
def test_what_is_too_large_to_interpret_in_that_time_is_held_against_the_first_candidate(monkeypatch, thorough):
    monkeypatch.setattr(trials, "INTERPRETED_ON_A_FIRST_CALL_AT_MOST", X.size - 1)
    runner = CandidateRunner(Problem(*kernel_of(asum()), thorough=thorough))
    problem = runner.problem
    made = trials.build(problem.device, problem.general, default(runner))
    results, events = made.enqueue(problem.inputs, problem.sizes)
    trials.wait(events[-1])
    wrong = [problem.device.wrap(results[0].to_numpy("f4", (1,)) * 2)]
    assert (problem.full_mismatch(wrong) is not None) is thorough
    assert (problem.full_mismatch(results) is None) is thorough
