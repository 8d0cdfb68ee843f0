"""Elements of results that are too large for the interpreter: it looks at some of them."""

from __future__ import annotations

import numpy as np
import pytest

from ir.core.semantics.interpreter import interpret
from ir.core.semantics.values import random_value
from ir.opencl.read.views import leaf_types
from ir.schedules.candidates import Candidates
from lazyarr.check import samples
from lazyarr.check.reference import Mismatch, components
from lazyarr.check.samples import samples_of
from lazyarr.compile import trials
from lazyarr.compile.compiler import Compiler
from lazyarr.compile.trials import Problem
from tests.ir.schedules.zoo import ZOO
from tests.lazyarr.execution.kernels import asum, kernel_of, scal
from tuner import WrongAnswerWarning

CASES = {case.name: case for case in ZOO}
SIZES = {"n": 61, "m": 7, "k": 3}
LOOKED_AT = {
    "axpy", "pairs", "added_row", "rows", "columns", "gemv", "transposed", "matmul", "rows_sum_and_max", "row_means",
    "indices_of_least", "scan_rows", "window_sums", "windows_in_rows", "array_and_sum", "sort_rows",
}  # fmt: skip
"""Of these some elements can be looked at, though not of all results."""
NOT_LOOKED_AT = {"asum", "scan", "sort", "counts", "put", "compacted", "mean", "concat_of_pairs"}


def _sampled(name, few, monkeypatch, sizes=SIZES):
    monkeypatch.setattr(samples, "SAMPLED_ELEMENTS", few)
    e = Candidates.of(CASES[name].expr).normal
    rng = np.random.default_rng(2)
    with np.errstate(all="ignore"):
        values = {key: random_value(t, sizes, rng) for key, t in CASES[name].inputs.items()}
        whole = components(interpret(e, values, sizes))
        return whole, list(samples_of(e, lambda: values, sizes)), e


@pytest.mark.parametrize("name", CASES)
def test_they_are_those_of_the_whole_result(name, monkeypatch):
    for few, sizes in ((200, SIZES), (40, {"n": 5, "m": 11, "k": 2})):
        whole, found, e = _sampled(name, few, monkeypatch, sizes)
        for each in found:
            assert each.places.min() >= 0
            assert len(set(each.places.tolist())) == len(each.places)
            own = whole[each.first : each.first + len(each.reference.values)]
            assert len(own) == len(each.reference.values) <= len(leaf_types(e.type))
            for value, expected in zip(own, each.reference.values, strict=True):
                assert each.places.max() == len(value) - 1
                np.testing.assert_array_equal(value[each.places], expected)
            assert each.mismatch(whole) is None


@pytest.mark.parametrize("name", sorted(LOOKED_AT | NOT_LOOKED_AT))
def test_what_maps_compute_can_be_looked_at(name, monkeypatch):
    _, found, _ = _sampled(name, 200, monkeypatch)
    assert bool(found) is (name in LOOKED_AT)


def test_a_wrong_element_is_found(monkeypatch):
    whole, (sample,), _ = _sampled("rows_sum_and_max", 100, monkeypatch)
    for component in range(2):
        wrong = [each.copy() for each in whole]
        wrong[component][sample.places[1]] += 1
        found = sample.mismatch(wrong)
        assert isinstance(found, Mismatch)
        assert f"of {len(sample.places)} elements looked at, component {component}, element 1" in str(found)


def _too_large(monkeypatch):
    monkeypatch.setattr(trials, "INTERPRETED_ON_A_FIRST_CALL_AT_MOST", 0)


def test_a_first_candidate_that_is_wrong_is_no_measure(monkeypatch):
    _too_large(monkeypatch)
    device, general, inputs = kernel_of(scal())
    problem = Problem(device, general, inputs)
    (right,) = problem._arrays(
        Compiler(device)._predicted(general, None).executable.launch(inputs, problem.sizes), general.sizes
    )
    wrong = right.copy()
    wrong[-1] += 1
    assert "elements looked at" in str(problem.full_mismatch([device.wrap(wrong, copy=True)]))
    assert problem._full is None
    assert problem.full_mismatch([device.wrap(right.copy(), copy=True)]) is None
    wrong = right.copy()
    wrong[-1] += 1e-5 * np.abs(right).max()  # as much as results may differ by, held against each other
    assert problem._full.mismatch([wrong]) is None
    assert problem.full_mismatch([device.wrap(wrong, copy=True)]) is not None


def test_where_elements_cannot_be_looked_at_the_first_candidate_is_the_measure(monkeypatch):
    _too_large(monkeypatch)
    device, general, inputs = kernel_of(asum())
    problem = Problem(device, general, inputs)
    assert problem.full_mismatch([device.wrap(np.ones(1, np.float32), copy=True)]) is None
    assert problem.full_mismatch([device.wrap(np.full(1, 2, np.float32), copy=True)]) is not None


def test_a_search_does_not_use_a_kernel_that_is_wrong_where_arrays_are_large(kernels, set_to, monkeypatch):
    _too_large(monkeypatch)
    set_to(tune="first-call", tune_seconds=2.0, tune_above=1)
    own, calls = Problem._arrays, []

    def spoiled(self, buffers, sizes):
        found = own(self, buffers, sizes)
        if dict(sizes) == dict(self.general.sizes):
            calls.append(1)
            if len(calls) == 1:
                found = [each.copy() for each in found]
                found[0][-1] += 1
        return found

    monkeypatch.setattr(Problem, "_arrays", spoiled)
    device, general, inputs = kernel_of(scal())
    with pytest.warns(WrongAnswerWarning, match="not used"):
        made = Compiler(device).compile(general, inputs)
    assert made.origin == "tuned"
    wrong = [trial for trial in made.result.trials if trial.outcome == "wrong_answer"]
    assert len(wrong) == 1
