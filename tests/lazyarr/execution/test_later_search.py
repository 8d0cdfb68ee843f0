"""What searches on first calls leave is searched for on later calls, a candidate at a time."""

from __future__ import annotations

import gc
import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.check.reference import Mismatch
from lazyarr.compile import compiler as compiler_module
from lazyarr.compile import later_search
from lazyarr.compile import program as program_module
from lazyarr.compile.compiler import Compiler
from lazyarr.compile.later_search import LaterSearch
from lazyarr.compile.trials import CandidateRunner, Problem
from lazyarr.errors import CandidateWarning
from lazyarr.tiers import programs as tiers
from tuner import Budget, SlicedSearch, WrongAnswerWarning


@pytest.fixture(autouse=True)
def at_once(kernels, set_to, monkeypatch):
    """No time for searches on first calls; then what a run takes is measured in the second one, and each later one
    tries a candidate.
    """
    set_to(tune="first-call", tune_seconds=100.0, tune_above=1, tune_total=0.0, tier="compiled")
    for module, name in ((compiler_module, "_compilers"), (program_module, "_programs"), (tiers, "_programs")):
        monkeypatch.setattr(module, name, {})
    monkeypatch.setattr(program_module, "RUNS_BEFORE_SLICES", 1)
    monkeypatch.setattr(program_module, "SLICES_SHARE", 1e9)


@pytest.fixture
def slices(monkeypatch):
    """The kernels that slices gave, in order."""
    found = []
    own = LaterSearch.slice

    def noted(self, before, inputs):
        found.append(own(self, before, inputs))
        return found[-1]

    monkeypatch.setattr(LaterSearch, "slice", noted)
    return found


def _array(*shape):
    return np.random.default_rng(1).random(shape).astype(np.float32)


def _run(function, x, times):
    return [np.asarray(function(x)).copy() for _ in range(times)]


def _ending_after(monkeypatch, count, alone=False):
    """Let searches have nothing left to try after so many slices; alone: but kernels for their lengths alone."""
    if not alone:
        monkeypatch.setattr(later_search, "leaders_of", lambda *_: [])
    own, calls = SlicedSearch.go_on, []

    def go_on(self, *arguments):
        calls.append(own(self, *arguments))
        return "exhausted" if len(calls) >= count else calls[-1]

    monkeypatch.setattr(SlicedSearch, "go_on", go_on)


def test_each_run_tries_one_candidate_until_the_search_ends(slices, kernels, monkeypatch):
    _ending_after(monkeypatch, 4)
    given = _array(300, 40)
    x = la.asarray(given)
    f = lift.jit(lambda a: la.sum(la.sqrt(a) + 1.5, axis=0))
    counts = []
    for _ in range(9):
        np.testing.assert_allclose(np.asarray(f(x)), (np.sqrt(given.astype(float)) + 1.5).sum(0), rtol=1e-5)
        counts.append(len(slices))
    assert counts == [0, 0, 1, 2, 3, 4, 4, 4, 4]
    assert [each.origin for each in slices] == ["predicted"] * 3 + ["tuned"]
    kernels()  # another process finds it
    monkeypatch.setattr(compiler_module, "_compilers", {})
    monkeypatch.setattr(program_module, "_programs", {})
    monkeypatch.setattr(tiers, "_programs", {})
    again = lift.jit(lambda a: la.sum(la.sqrt(a) + 1.5, axis=0))
    for _ in range(4):
        again(x)
    assert len(slices) == 4
    (kernel,) = [k for c in compiler_module._compilers.values() for k in c._memory.values()]
    assert (kernel.origin, kernel.configuration) == ("cache", slices[-1].configuration)


def test_a_faster_candidate_takes_the_kernels_place(slices, monkeypatch):
    seconds = iter(range(100, 0, -1))
    monkeypatch.setattr(CandidateRunner, "measure", lambda self, executable, *limits: next(seconds) * 1e-3)
    given = _array(300, 40)
    x = la.asarray(given)
    f = lift.jit(lambda a: la.sum(la.sqrt(a) + 1.5, axis=0))
    for _ in range(6):
        np.testing.assert_allclose(np.asarray(f(x)), (np.sqrt(given.astype(float)) + 1.5).sum(0), rtol=1e-5)
    configurations = [str(each.configuration) for each in slices]
    assert len(configurations) == len(set(configurations)) == 4
    (compiler,) = compiler_module._compilers.values()
    assert slices[-1] in compiler._memory.values()


def test_a_wrong_candidate_does_not(slices, monkeypatch):
    seconds = iter(range(100, 0, -1))
    monkeypatch.setattr(CandidateRunner, "measure", lambda self, executable, *limits: next(seconds) * 1e-3)
    own, calls = Problem.full_mismatch, []

    def mismatch(self, results):
        calls.append(own(self, results))
        return calls[-1] if len(calls) < 2 else own(self, [self.device.wrap(np.zeros(40, "f4"))])

    monkeypatch.setattr(Problem, "full_mismatch", mismatch)
    x = la.asarray(_array(300, 40))
    f = lift.jit(lambda a: la.sum(la.sqrt(a) + 1.5, axis=0))
    _run(f, x, 3)
    with pytest.warns(WrongAnswerWarning, match="not used"):
        _run(f, x, 2)
    assert len(slices) == 3
    assert len({id(each) for each in slices}) == 1


def test_all_kernels_of_a_program_get_their_turn(slices, monkeypatch):
    _ending_after(monkeypatch, 1)  # each search after its first slice
    given = _array(200, 30)
    x = la.asarray(given)
    f = lift.jit(lambda a: (a - la.mean(a, axis=0)) / la.std(a, axis=0))
    kernels = 0
    for _ in range(12):
        got = np.asarray(f(x))
        np.testing.assert_allclose(got, (given - given.mean(0)) / given.std(0), rtol=1e-3, atol=1e-4)
        (compiler,) = compiler_module._compilers.values()
        kernels = max(kernels, len(compiler._memory))
    assert kernels > 1
    assert len(slices) == len({str(each.general.expr) for each in slices}) == kernels


@pytest.fixture
def alone(monkeypatch):
    """Kernels for the lengths of a search alone are faster; they were measured beside these."""
    beside = []
    own = CandidateRunner.in_turns

    def in_turns(self, executables):
        if all(each.plan.sizes for each in executables):
            return own(self, executables)
        new, before = executables
        assert not new.plan.sizes
        beside.append(before)
        return [[1.0 / (len(beside) + 1)] * 5, [1.0 / len(beside)] * 5]

    monkeypatch.setattr(CandidateRunner, "in_turns", in_turns)
    return beside


def test_at_last_the_best_are_made_for_the_lengths_of_the_search_alone(slices, kernels, monkeypatch, alone):
    _ending_after(monkeypatch, 3, alone=True)
    given, other = _array(300, 40), _array(299, 40)
    f = lift.jit(lambda a: la.sum(la.sqrt(a) + 1.5, axis=0))
    for _ in range(12):
        np.testing.assert_allclose(np.asarray(f(la.asarray(given))), (np.sqrt(given) + 1.5).sum(0), rtol=1e-5)
    assert 2 <= len(alone) <= 3  # one in each slice, none twice
    assert alone[0] is slices[2].executable
    assert alone[1] is slices[3].exact.version.executable
    exact = slices[-1].exact
    assert not exact.version.executable.plan.sizes
    np.testing.assert_allclose(np.asarray(f(la.asarray(other))), (np.sqrt(other) + 1.5).sum(0), rtol=1e-5)
    kernels()  # another process finds both
    monkeypatch.setattr(compiler_module, "_compilers", {})
    monkeypatch.setattr(program_module, "_programs", {})
    monkeypatch.setattr(tiers, "_programs", {})
    again = lift.jit(lambda a: la.sum(la.sqrt(a) + 1.5, axis=0))
    np.testing.assert_allclose(np.asarray(again(la.asarray(given))), (np.sqrt(given) + 1.5).sum(0), rtol=1e-5)
    (kernel,) = [k for c in compiler_module._compilers.values() for k in c._memory.values()]
    assert kernel.origin == "cache"
    assert kernel.exact.version.configuration == exact.version.configuration


def test_a_large_kernel_found_on_a_first_call_is_made_for_its_lengths_by_slices(slices, set_to, monkeypatch, alone):
    set_to(tune_total=100.0)
    monkeypatch.setattr(compiler_module, "Budget", lambda seconds, trials=2: Budget(seconds, trials))
    monkeypatch.setattr(compiler_module, "_searched_seconds", 0.0)
    monkeypatch.setattr(compiler_module, "SPECIALISING_SECONDS", 0.0)  # each kernel is large
    given = _array(300, 40)
    f = lift.jit(lambda a: la.sum(la.sqrt(a) + 1.5, axis=0))
    for _ in range(8):
        np.testing.assert_allclose(np.asarray(f(la.asarray(given))), (np.sqrt(given) + 1.5).sum(0), rtol=1e-5)
    assert slices[0].origin == "tuned"
    assert slices[0].exact is not None
    assert 1 <= len(slices) <= 3
    (compiler,) = compiler_module._compilers.values()
    assert not compiler._later
    assert next(iter(compiler._memory.values())).exact is not None


def test_a_product_by_the_library_is_not_searched_for_where_a_trial_takes_long(set_to, monkeypatch):
    """What the library takes the cost model does not say: then the next candidate tells how much there is to do."""
    set_to(tune_total=100.0, tune_seconds=0.5)
    searched = []
    monkeypatch.setattr(compiler_module, "_searched_seconds", 0.0)
    monkeypatch.setattr(Compiler, "_search", lambda _, general, *args, **keywords: searched.append(general))
    for n in (1200, 20):
        x, y = _array(n, n), _array(n, n) + 1
        np.testing.assert_allclose(np.asarray(la.asarray(x) @ la.asarray(y)), x @ y, rtol=1e-4)
        assert len(searched) == (n == 20)


def test_one_for_its_lengths_that_is_wrong_is_not_used(slices, set_to, monkeypatch, alone):
    set_to(tune_total=100.0)
    monkeypatch.setattr(compiler_module, "Budget", lambda seconds, trials=2: Budget(seconds, trials))
    monkeypatch.setattr(compiler_module, "_searched_seconds", 0.0)
    monkeypatch.setattr(compiler_module, "SPECIALISING_SECONDS", 0.0)
    x = la.asarray(_array(300, 40))
    f = lift.jit(lambda a: la.sum(la.sqrt(a) + 1.5, axis=0))
    f(x)
    monkeypatch.setattr(Problem, "full_mismatch", lambda *_: Mismatch("element 3: expected 1, got 2"))
    with pytest.warns(WrongAnswerWarning, match="not used"):
        _run(f, x, 8)
    assert slices
    assert all(each.exact is None for each in slices)


def test_what_was_searched_for_on_request_is_not_searched_for_again(slices):
    x = la.asarray(_array(300, 40))
    f = lift.jit(lambda a: la.sum(la.sqrt(a) + 1.5, axis=0))
    _run(f, x, 3)
    lift.tune(f, x, trials=2)
    count = len(slices)
    _run(f, x, 5)
    assert len(slices) == count == 1


def test_other_lengths_do_not_take_part(slices):
    f = lift.jit(lambda a: la.sum(la.sqrt(a) + 1.5, axis=0))
    x, y = la.asarray(_array(300, 40)), la.asarray(_array(299, 40))
    for _ in range(3):
        f(x)
    assert len(slices) == 1
    for _ in range(5):
        np.testing.assert_allclose(np.asarray(f(y)), (np.sqrt(np.asarray(y)) + 1.5).sum(0), rtol=1e-5)
    assert len(slices) == 1
    f(x)
    assert len(slices) == 2


@pytest.mark.parametrize("error", [RuntimeError("made to fail"), MemoryError()])
def test_a_search_that_breaks_costs_nothing_but_its_time(error, monkeypatch):
    def run(self, configuration):
        raise error

    monkeypatch.setattr(CandidateRunner, "run", run)
    given = _array(300, 40)
    x = la.asarray(given)
    f = lift.jit(lambda a: la.sum(la.sqrt(a) + 1.5, axis=0))
    with pytest.warns(CandidateWarning, match="given up") as caught:
        got = _run(f, x, 6)
    for each in got:
        np.testing.assert_allclose(each, (np.sqrt(given) + 1.5).sum(0), rtol=1e-5)
    assert len(caught) == 1


def test_an_interrupt_ends_the_slice_and_the_call(monkeypatch):
    own, calls = CandidateRunner.run, []

    def run(self, configuration):
        calls.append(configuration)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return own(self, configuration)

    monkeypatch.setattr(CandidateRunner, "run", run)
    x = la.asarray(_array(300, 40))
    f = lift.jit(lambda a: la.sum(la.sqrt(a) + 1.5, axis=0))
    for _ in range(3):
        f(x)
    with pytest.raises(KeyboardInterrupt):
        f(x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            f(x)
    assert len(calls) > 2
    assert str(calls[1]) not in map(str, calls[2:])


def test_a_search_holds_no_memory_of_a_call(slices):
    def held():
        gc.collect()
        return [each for each in gc.get_objects() if type(each) in (Problem, CandidateRunner)]

    before = held()  # by what other tests left
    x = la.asarray(_array(300, 40))
    f = lift.jit(lambda a: la.sum(la.sqrt(a) + 1.5, axis=0))
    for _ in range(5):
        f(x)
    assert len(slices) == 3
    assert not [each for each in held() if all(each is not other for other in before)]


def test_nothing_is_searched_for_where_that_is_off(slices, set_to):
    set_to(tune="off")
    x = la.asarray(_array(300, 40))
    f = lift.jit(lambda a: la.sum(la.sqrt(a) + 1.5, axis=0))
    for _ in range(5):
        f(x)
    assert not slices
