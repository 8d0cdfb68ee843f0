"""Kernels made for the lengths that a search measured at: where they are faster, and for these lengths alone."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import lazyarr as la
from ir.core.expr import postorder
from ir.core.types import shape_of
from lazyarr import lift
from lazyarr.check.reference import Mismatch
from lazyarr.compile import compiled as compiled_module
from lazyarr.compile import compiler as compiler_module
from lazyarr.compile import trials
from lazyarr.compile.compiled import Version
from lazyarr.compile.compiler import Compiler
from lazyarr.compile.trials import CandidateRunner, Problem
from lazyarr.runtime import LaunchError
from tests.lazyarr.execution.kernels import X, kernel_of
from tuner import Budget, Outcome, Trial, TuningResult, WrongAnswerWarning

FASTER = [1.0, 1.0, 1.0], [2.0, 2.0, 2.0]
ONCE_SLOWER = [1.0, 2.0, 1.0], [2.0, 1.5, 2.0]


@pytest.fixture
def searched(kernels, set_to, monkeypatch):
    """Searches of two trials; call it with what a kernel for its lengths alone takes each time, and that for all."""
    set_to(tune="first-call", tune_seconds=100.0, tune_above=1)
    monkeypatch.setattr(compiler_module, "Budget", lambda seconds, trials=2: Budget(seconds, trials))
    in_turns = CandidateRunner.in_turns

    def found(seconds: tuple[list[float], list[float]]):
        def measured(self, executables):
            if executables[0].plan.sizes:
                return in_turns(self, executables)
            *others, for_all = executables
            assert not any(each.plan.sizes for each in others)
            assert for_all.plan.sizes
            slow = [second + 1 for second in seconds[0]]
            return [seconds[0], *[slow] * (len(others) - 1), seconds[1]]

        monkeypatch.setattr(CandidateRunner, "in_turns", measured)

    return found


def total(n: int) -> la.Array:
    return la.sum(la.abs(la.asarray(X[:n])))


def check(compiled, general, inputs, n: int) -> None:
    version = compiled.at(general)
    (result,) = version.executable.launch(inputs, tuple(version.general.sizes.values()))
    np.testing.assert_allclose(result.to_numpy("f4", (1,)), np.abs(X[:n]).sum(dtype=np.float64), rtol=1e-4)


def test_its_own_lengths_run_it_and_others_the_kernel_for_all(searched):
    searched(FASTER)
    device, general, inputs = kernel_of(total(20011))
    compiler = Compiler(device)
    compiled = compiler.compile(general, inputs)
    assert compiled.exact is not None
    assert compiled.at(general) is compiled.exact.version
    assert compiled.exact.version.executable.plan.sizes == ()
    assert re.search(r"int n\d+\b", compiled.executable.program.source)
    assert not re.search(r"int n\d+\b", compiled.exact.version.executable.program.source)
    check(compiled, general, inputs, 20011)
    for n in (20009, 29989):
        _, other, other_inputs = kernel_of(total(n))
        assert compiler.compile(other, other_inputs) is compiled
        assert compiled.at(other).executable is compiled.executable
        check(compiled, other, other_inputs, n)


def test_no_symbol_is_left_in_it(searched):
    searched(FASTER)
    device, general, inputs = kernel_of(total(20011))
    exact = Compiler(device).compile(general, inputs).exact
    assert exact is not None
    assert exact.sizes == (20011,)
    extents = [n for node in postorder(exact.version.general.expr) for n in shape_of(node.type)]
    assert extents
    assert all(n.value is not None for n in extents)


def test_one_that_is_slower_once_is_not_kept(searched):
    searched(ONCE_SLOWER)
    device, general, inputs = kernel_of(total(20011))
    compiled = Compiler(device).compile(general, inputs)
    assert compiled.exact is None
    assert compiled.at(general) == Version(general, compiled.executable, compiled.configuration, compiled.seconds)


def test_one_that_is_wrong_is_warned_of_and_not_used(searched, monkeypatch):
    searched(FASTER)
    mismatch, asked = Problem.full_mismatch, []

    def last_is_wrong(self, results):
        asked.append(1)
        return Mismatch("element 0: expected 1, got 2") if len(asked) > 2 else mismatch(self, results)

    monkeypatch.setattr(Problem, "full_mismatch", last_is_wrong)
    device, general, inputs = kernel_of(total(20011))
    with pytest.warns(WrongAnswerWarning, match=r"^\d of \d candidates for the kernel"):
        compiled = Compiler(device).compile(general, inputs)
    assert compiled.exact is None


def test_a_second_process_loads_both(kernels, searched, monkeypatch):
    searched(FASTER)
    device, general, inputs = kernel_of(total(20011))
    made = Compiler(device).compile(general, inputs)
    kernels()
    monkeypatch.setattr(trials, "build", _never)
    monkeypatch.setattr(compiled_module, "generated", _never)
    loaded = Compiler(device).compile(general, inputs)
    assert loaded.origin == "cache"
    assert loaded.exact is not None
    own, first = loaded.exact.version, made.exact.version
    assert loaded.exact.sizes == made.exact.sizes
    assert (own.configuration, own.seconds) == (first.configuration, first.seconds)
    assert own.executable.program.source == first.executable.program.source
    check(loaded, general, inputs, 20011)
    _, other, other_inputs = kernel_of(total(20009))
    check(loaded, other, other_inputs, 20009)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda e: replace(e, sources=e.sources[:1]),
        lambda e: replace(e, plan={**e.plan, "exact": {**e.plan["exact"], "sizes": []}}),
        lambda e: replace(e, plan={**e.plan, "exact": 7}),
    ],
    ids=["source", "sizes", "number"],
)
def test_an_entry_that_does_not_read_is_made_again(kernels, searched, set_to, spoil):
    searched(FASTER)
    device, general, inputs = kernel_of(total(20011))
    compiler = Compiler(device)
    compiler.compile(general, inputs)
    cache = kernels()
    key = compiler._key(general)
    cache.put(key, spoil(cache.get(key)))
    set_to(tune="off")
    compiled = Compiler(device).compile(general, inputs)
    assert compiled.origin == "predicted"
    check(compiled, general, inputs, 20011)


def test_one_that_took_its_process_down_is_not_tried_again(searched, monkeypatch):
    searched(FASTER)
    device, general, inputs = kernel_of(total(20011))
    exactly, asked = CandidateRunner.exactly, []

    def crashing(self, own, configuration):
        asked.append(dict(configuration))
        if len(asked) == 1:
            raise SystemExit("as a crash: nothing is finished")
        return exactly(self, own, configuration)

    monkeypatch.setattr(CandidateRunner, "exactly", crashing)
    with pytest.raises(SystemExit):
        Compiler(device).compile(general, inputs)
    crashed = asked[0]
    compiled = Compiler(device).compile(general, inputs)
    assert compiled.origin == "cache"  # what the search found was kept before
    monkeypatch.setattr(compiler_module.CacheJournal, "known", lambda self: [Trial(crashed, Outcome.crashed)])
    compiled = Compiler(device).tune(general, inputs, None, 2)
    assert crashed not in asked[1:]
    check(compiled, general, inputs, 20011)


@pytest.mark.parametrize("error", [KeyboardInterrupt, TimeoutError, LaunchError])
def test_what_ends_it_leaves_what_the_search_found(kernels, searched, monkeypatch, error):
    searched(FASTER)

    def ends(self, executables):
        raise error("now")

    def measured(self, executables):
        return in_turns(self, executables) if executables[0].plan.sizes else ends(self, executables)

    in_turns = CandidateRunner.in_turns
    monkeypatch.setattr(CandidateRunner, "in_turns", measured)
    device, general, inputs = kernel_of(total(20011))
    compiler = Compiler(device)
    if error is KeyboardInterrupt:
        with pytest.raises(KeyboardInterrupt):
            compiler.compile(general, inputs)
    compiled = compiler.compile(general, inputs)
    assert (compiled.origin, compiled.exact) == ("tuned", None)
    kernels()
    assert Compiler(device).compile(general, inputs).origin == "cache"


def test_a_function_runs_it_and_explains_it(searched):
    searched(FASTER)
    f = lift.jit(lambda m: la.sum(m * 3, axis=1))
    matrix = X[: 120 * 250].reshape(120, 250)
    for m in (matrix, matrix[:117], matrix[:, :241], matrix):
        np.testing.assert_allclose(np.asarray(f(la.asarray(m.copy()))), (m.astype("f8") * 3).sum(axis=1), rtol=1e-3)
    kernel = lift.explain(f, la.asarray(matrix)).kernels[0]
    assert sorted(kernel.lengths.values()) == [120, 250]
    assert kernel.seconds == 1.0
    assert "made for these lengths alone: n0 = 120, n1 = 250" in str(kernel)
    assert "made for these lengths alone" in kernel._repr_html_()
    assert not re.search(r"int n\d+\b", kernel.source)
    other = lift.explain(f, la.asarray(matrix[:117].copy())).kernels[0]
    assert other.lengths == {}
    assert re.search(r"int n[01]\b", other.source)


def _never(*args, **kwargs):
    raise AssertionError("this must not run")


@pytest.mark.parametrize("seconds", [0.001, 0.5])
def test_a_first_call_does_not_wait_for_it_where_runs_are_long(kernels, searched, monkeypatch, seconds):
    """Who asks for a search does."""
    searched(FASTER)
    monkeypatch.setattr(CandidateRunner, "measure", lambda self, executable, *limits: seconds)
    device, general, inputs = kernel_of(total(20011))
    compiler = Compiler(device)
    assert (compiler.compile(general, inputs).exact is None) is (seconds > 0.1)
    assert compiler.tune(general, inputs, None, 1).exact is not None


@pytest.mark.parametrize(("cost", "budget", "later"), [(0.9, 2.0, False), (1.1, 2.0, True), (9.0, None, False)])
def test_kernels_for_the_lengths_alone_wait_where_trying_took_as_long_as_a_search_may(cost, budget, later):
    made = tuple(Trial({"width": w}, Outcome.ok, 1e-5 * w, cost) for w in (1, 2))
    slow = Trial({"width": 4}, Outcome.ok, 1e-3, 50.0)  # no leader
    result = TuningResult(best=made[0], trials=(*made, slow), stopped_by="budget")
    leaders = [trial.configuration for trial in made]
    assert compiler_module._takes_long_alone(result, leaders, Budget(budget)) is later
