"""Sums of squared distances from the mean beside that of numbers: of which numbers, how right, and on which devices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ir.core.expr import Expr, Param
from ir.core.notation.parser import parse
from ir.core.semantics.interpreter import interpret
from ir.core.types import FLOAT32, FLOAT64, array_of
from ir.fusion.checks import Checks
from ir.fusion.partition import row_chains
from ir.fusion.partition.kernels import Partition, partition
from ir.fusion.prepare import one_reading
from ir.fusion.program import ProgramPlan, plan_program
from ir.fusion.symbols.structure_key import structure_key
from ir.fusion.symbols.symbolise import symbolise
from ir.schedules.candidates import Candidates
from lazyarr.runtime import default_device
from tests import oclgrind
from tests.ir.fusion.graphs import lowered, run
from tests.ir.opencl.running import check
from tests.ir.schedules.zoo import CPU, GPU

RULES = [["squares_in_one_reading"], ["sum_with_squares"]]
SQUARED = "map (λp. (p.0 - p.1) * (p.0 - p.1))"
SPECIAL = [[np.nan, 1, 2], [1, np.nan, 2], [np.inf, 1, 2], [1, -np.inf, 2], [np.inf, -np.inf, 0], [3e38, -3e38, 1]]


def of(text: str, count: int = 384, t=FLOAT32) -> Expr:
    return parse(text, {"xs": array_of(t, count)})


def moments(views: str, reduced: str, shown: str, n: int, t: str = "float32") -> tuple[str, str]:
    """The mean, and the variance, of numbers or of the rows of a view."""
    mean = f"(map (λx. x / fromSize {t} {n}) ∘ {reduced} ∘ {views}) xs"
    return mean, f"(map (λx. x / fromSize {t} {n}) ∘ {reduced} ∘ {views} ∘ {SQUARED}) (zip(xs, ({shown}) ({mean})))"


ALL = moments("map (λx. x)", "reduce (+) 0", "join ∘ repeat 384", 384)
COLUMNS = moments("transpose ∘ split 3", "join ∘ map (reduce (+) 0)", "join ∘ repeat 128", 128)
ROWS = moments("split 128", "join ∘ map (reduce (+) 0)", "join ∘ transpose ∘ repeat 128", 128)
WAYS = {"all": ALL, "columns": COLUMNS, "rows": ROWS}


@pytest.fixture(autouse=True)
def long_rows(monkeypatch):
    """One row is as short as the graphs have; rows are too long to stay near."""
    monkeypatch.setattr(row_chains, "ONE_ROW_AT_MOST", 1)
    monkeypatch.setattr(row_chains, "ROW_READ_AGAIN_AT_MOST", 1)


def numbers(seed: int = 0, count: int = 384) -> np.ndarray:
    return (np.random.default_rng(seed).random(count) + 3).astype(np.float32)


def cut(*roots: Expr, doubles: bool = True, by_items: bool = True) -> Partition:
    return partition(roots, checks=Checks(), by_items=by_items, doubles=doubles)


def rules(parts: Partition | ProgramPlan) -> list[list[str]]:
    found = [[step.rule for step in rewriting.derivation.steps] for rewriting in parts.rewritings]
    return [each for each in found if each in RULES]


@pytest.mark.parametrize("way", WAYS)
def test_mean_and_variance_are_one_reduction(way):
    roots = [of(text) for text in WAYS[way]]
    parts, inputs = cut(*roots), {"xs": numbers()}
    assert len(parts.tasks) == 1
    assert rules(parts) == RULES
    assert rules(cut(roots[1])) == RULES[:1]  # the mean is not asked for
    for actual, root in zip(run(parts, inputs), roots, strict=True):
        np.testing.assert_allclose(actual, interpret(root, inputs), rtol=1e-6)
    lowered(parts, inputs)


@pytest.mark.parametrize("way", WAYS)
def test_variances_are_as_near_as_those_of_two_readings(way):
    """Also where the first number is far from all others, and where all are far from zero."""
    of_mean, of_variance = (of(text) for text in WAYS[way])
    parts = cut(of_mean, of_variance)
    far, first = numbers(1) + np.float32(1e4), numbers(2)
    first[:3] = first[::128] = 1e6
    for xs in (far, first, -numbers(3), np.full(384, 0.1, np.float32)):
        exact = xs.astype(np.float64)
        rows = {"all": exact[None], "columns": exact.reshape(128, 3).T, "rows": exact.reshape(3, 128)}[way]
        mean, variance = run(parts, {"xs": xs})
        np.testing.assert_allclose(mean, rows.mean(axis=1), rtol=2e-7)
        np.testing.assert_allclose(variance, rows.var(axis=1), rtol=2e-7, atol=0)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("values", SPECIAL)
def test_special_values_are_those_of_two_readings(way, values):
    inputs = {"xs": np.tile(np.asarray(values, np.float32), 128)}
    for which, root in enumerate(of(text) for text in WAYS[way]):
        with np.errstate(all="ignore"):
            found, expected = run(cut(of(WAYS[way][0]), of(WAYS[way][1])), inputs)[which], interpret(root, inputs)
        finite, greatest = np.isfinite(expected), np.abs(inputs["xs"][np.isfinite(inputs["xs"])]).max()
        np.testing.assert_allclose(found[finite], expected[finite], rtol=1e-6, atol=1e-9 * greatest)
        assert np.array_equal(np.isnan(found), np.isnan(expected))


@pytest.mark.parametrize("way", WAYS)
def test_numbers_of_64_bits_are_read_twice(way):
    views = {"all": "map (λx. x)", "columns": "transpose ∘ split 3", "rows": "split 128"}[way]
    reduced = "reduce (+) (0:float64)" if way == "all" else "join ∘ map (reduce (+) (0:float64))"
    shown = {"all": "join ∘ repeat 384", "columns": "join ∘ repeat 128", "rows": "join ∘ transpose ∘ repeat 128"}[way]
    text = moments(views, reduced, shown, 384 if way == "all" else 128, "float64")[1]
    assert rules(cut(of(text, t=FLOAT64))) == []


def test_devices_without_doubles_read_twice():
    assert rules(cut(of(COLUMNS[1]), doubles=False)) == []


@pytest.mark.parametrize("float64", [True, False])
def test_whole_programs_are_cut_for_what_the_machine_computes_with(float64):
    roots = (of(COLUMNS[1]),)
    key, machine = structure_key(roots, flat), replace(GPU, float64=float64)
    assert rules(plan_program(roots, key, flat, 1, machine=machine)) == (RULES[:1] if float64 else [])


def flat(p: Param) -> tuple[int, ...]:
    return (p.type.length.value,)


def test_rows_that_stay_near_are_left_alone(monkeypatch):
    monkeypatch.setattr(row_chains, "ROW_READ_AGAIN_AT_MOST", 384)
    assert rules(cut(of(ROWS[1]))) == []
    assert rules(cut(of(COLUMNS[1]))) == RULES[:1]  # columns are not near


def test_short_columns_are_read_twice():
    def columns(n: int) -> Expr:
        text = moments("transpose ∘ split 3", "join ∘ map (reduce (+) 0)", f"join ∘ repeat {n}", n)[1]
        return of(text, 3 * n)

    assert rules(cut(columns(15))) == []
    assert rules(cut(columns(32))) == RULES[:1]


def test_where_computing_takes_longer_than_reading_numbers_are_read_twice(monkeypatch):
    assert rules(cut(of(COLUMNS[1]), by_items=False)) == []
    monkeypatch.setattr(one_reading, "seconds_of_instructions", lambda *_: 0.0)
    assert rules(cut(of(COLUMNS[1]), by_items=False)) == RULES[:1]


def kernels(way: str, machine: str) -> None:
    """The kernel of a mean and a variance, and that of another length."""
    (task,) = cut(*(of(text) for text in WAYS[way])).tasks
    general = symbolise(task.expr, {})
    candidates = Candidates.of(general.expr)
    found = candidates.default({"CPU": CPU, "GPU": GPU}[machine], general.sizes)
    longer = {name: n + 5 for name, n in general.sizes.items()}
    check(default_device(), general.expr, candidates.derive(found).result, general.sizes, longer, exact=False)


@pytest.mark.device
@pytest.mark.parametrize("machine", ["CPU", "GPU"])
@pytest.mark.parametrize("way", WAYS)
def test_kernels_compute_both(way, machine):
    kernels(way, machine)


@pytest.mark.slow
@pytest.mark.skipif(not oclgrind.available(), reason="no Oclgrind")
@pytest.mark.sweep
def test_no_kernel_races_or_leaves_its_arrays():
    code = """
from ir.fusion.partition import row_chains
from tests.ir.fusion.test_moments import WAYS, kernels
row_chains.ONE_ROW_AT_MOST = 1
for way in WAYS:
    kernels(way, "GPU")
"""
    assert oclgrind.run(code, timeout=600) == ""
