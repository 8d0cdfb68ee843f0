"""No derivation adds many floats one after the other without corrections, nor too many with them.

Counted on low-level expressions, not measured: whatever a search picks on whatever machine is within the bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from ir.core.expr import Expr, Lambda, postorder
from ir.core.notation.parser import parse
from ir.core.patterns import REDUCE, SCAN, Call, Get, Map, Reduce, Scan, Tuple
from ir.core.sizes import var
from ir.core.types import FLOAT32, ArrayType, ScalarType, TupleType, VectorType, array_of
from ir.cost.thresholds.reductions import PLAIN_LANES, PLAIN_ROW_UP_TO
from ir.rewrite.strategy import enter
from ir.rules.common import length
from ir.schedules.candidates import Candidates
from ir.schedules.reductions.chains import longest_sum
from ir.schedules.schedule import largest_of_class
from tests.ir.schedules.zoo import CPU, GPU, ZOO, configurations
from tests.tiers import by_tier

PLAIN = 128
"""Floats that are added one after the other without corrections, at most."""

SUMS = (
    "asum", "dot", "sum_and_max", "sum_float32", "sum_float64", "sum_reversed", "rows", "columns", "gemv",
    "rows_sum_and_max", "mean", "mean_and_square", "row_means", "row_moments", "gemv_of_blas",
    "rows_less_their_maximum", "softmax", "exponentials", "exponentials_of_columns",
    "scan", "scan_from", "scan_products", "scan_rows", "scan_blocks",
    "scan_columns", "scan_pairs",
)  # fmt: skip
MACHINES = {"cpu": CPU, "gpu": replace(GPU, warp_size=32, device_fence=True)}
SIZES = {"n": 3_000_017, "m": 3_000_017}


def components(t, value: Expr) -> Iterator[Expr]:
    """The scalars and vectors that a value of that type is made of, as expressions."""
    if isinstance(t, TupleType):
        for i, part in enumerate(t.elements):
            yield from components(part, value.operands[i] if isinstance(value, Tuple) else Get(i, value))
    else:
        yield value


def added_floats(fold: Reduce | Scan) -> list[bool]:
    """For each float that a sequential fold adds to an accumulator: does it carry along what rounding takes? Of arrays
    of accumulators: to an element of them.
    """
    assert isinstance(fold.f, Lambda)
    acc: Expr
    (acc, _), body = fold.f.open()
    new = body.operands[0] if isinstance(fold, Scan) and fold.gives_results else body
    if isinstance(acc.type, ArrayType):
        *_, step = (node for node in postorder(body) if isinstance(node, Map) and isinstance(node.f, Lambda))
        (p,), new = step.f.open()
        acc, body = Get(0, p), new
    found = []
    for old, value in zip(components(acc.type, acc), components(acc.type, new), strict=True):
        t = value.type.element if isinstance(value.type, VectorType) else value.type
        assert isinstance(t, ScalarType)
        if t.is_float and isinstance(value, Call) and value.op == "add":
            terms = [x for x in value.operands if x is old or is_scaled(x, old)]
            found += [Call("subtract", value, x) in set(postorder(body)) for x in terms]
    return found


def is_scaled(term: Expr, old: Expr) -> bool:
    """Is it an accumulator, or that times something?"""
    if not isinstance(term, Call) or term.op != "select":
        return False
    _, x, y = term.operands
    return x is old and isinstance(y, Call) and y.op == "multiply" and y.operands[0] is old


def scalar_of(t):
    """The type of one accumulator."""
    return t.element if isinstance(t, ArrayType) else t


def folds(e: Expr) -> Iterator[Reduce | Scan]:
    """All sequential folds, also those inside functions."""
    seen: set[Expr] = set()
    pending = [e]
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, (Reduce, Scan)) and node.how not in (REDUCE, SCAN) and isinstance(node.f, Lambda):
            yield node
        pending += [enter(node, i, ())[0] for i in range(len(node.operands))]


def test_plain_sums_and_sums_with_corrections_are_told_apart():
    candidates = Candidates.of(next(case for case in ZOO if case.name == "asum").expr)
    low = candidates.derive({"schedule": "sequential", "width": 1, "ways": 1}).result
    assert [added_floats(x) for x in folds(low)] == [[True]]
    plain = candidates.schedule("sequential").reduction.derive(candidates.start, {"width": 1, "ways": 1}).result
    assert [added_floats(x) for x in folds(plain)] == [[False]]


@pytest.mark.parametrize("name", SUMS)
def test_chains_of_additions_are_short(name):
    candidates = Candidates.of(next(case for case in ZOO if case.name == name).expr)
    looked_at = 0
    for configuration in configurations(candidates, by_tier(3, 3, 10)):
        allowed = [m for m in MACHINES.values() if candidates.refused(configuration, m, SIZES) is None]
        if not allowed:
            continue
        for fold in folds(candidates.derive(configuration).result):
            for corrected in added_floats(fold):
                looked_at += 1
                turns = length(fold.xs).evaluate(SIZES)
                free = configuration["schedule"] in ("nest", "columns")  # one accumulator for each result
                longest = longest_sum(scalar_of(fold.init.type)) if corrected else PLAIN
                assert turns <= longest + 1 or (free and corrected), f"{configuration}: {turns} turns of {fold}"
    assert looked_at
    for machine in MACHINES.values():
        chosen = candidates.default(machine, SIZES)
        assert candidates.refused(chosen, machine, SIZES) is None


@pytest.mark.parametrize("name", ["rows", "gemv", "gemv_of_blas"])
def test_short_rows_are_added_like_numpys(name):
    """Without corrections only where none of the rows that share a kernel is long, by sixteen accumulators."""
    candidates = Candidates.of(next(case for case in ZOO if case.name == name).expr)
    looked_at = 0
    for configuration in configurations(candidates, by_tier(20, 20, 40)):
        if not configuration.get("plain"):
            continue
        for machine in MACHINES.values():
            for m in (256, 3_000_017):
                assert candidates.refused(configuration, machine, {"n": 1000, "m": m}) is not None
            if candidates.refused(configuration, machine, {"n": 1000, "m": 100}) is not None:
                continue
            assert configuration["width"] * configuration["ways"] == PLAIN_LANES
            for fold in folds(candidates.derive(configuration).result):
                assert not any(added_floats(fold))
                looked_at += 1
                assert length(fold.xs).evaluate({"n": 1000, "m": largest_of_class(100)}) <= PLAIN_LANES
    assert looked_at
    assert candidates.default(CPU, {"n": 1000, "m": PLAIN_ROW_UP_TO})["plain"] == 1
    assert candidates.default(CPU, {"n": 1000, "m": PLAIN_ROW_UP_TO + 1})["plain"] == 0


def test_all_sizes_of_a_class_are_short_together():
    assert largest_of_class(PLAIN_ROW_UP_TO) == PLAIN_ROW_UP_TO


@pytest.mark.parametrize("name", ["mean_and_square", "row_moments", "gemv", "rows"])
def test_blocks_of_vectors_are_added_before_corrections(name):
    """Vectors of several sums, too: one correction for each accumulator and block, however many vectors there are."""
    candidates = Candidates.of(next(case for case in ZOO if case.name == name).expr)
    schedule = "row_item" if any(s.name == "row_item" for s in candidates.schedules) else "sequential"

    def differences(ways: int) -> int:
        choices = {"schedule": schedule, "width": 4, "ways": ways, "prefetch": 0, "apart": 0, "plain": 0}
        bodies = [fold.f.open()[1] for fold in folds(candidates.derive(candidates.normalised(choices)).result)]
        found = [[e for e in postorder(body) if isinstance(e, Call) and e.op == "subtract"] for body in bodies]
        return max(sum(isinstance(e.type, VectorType) for e in each) for each in found)

    assert differences(1) > 0
    assert differences(8) - differences(1) <= 8  # of the program's own: x - mean for each vector


def test_rows_of_a_multiple_are_short_as_long_as_all_of_their_class_are():
    xs = {"xs": array_of(FLOAT32, 8 * var("m", 1))}
    candidates = Candidates.of(parse("join (map (λr. reduce (+) 0 r) (split (8*m) (concat(xs, xs, xs))))", xs))
    configuration = {"schedule": "row_item", "width": 4, "ways": 4, "apart": 0, "prefetch": 0, "plain": 1}
    assert candidates.refused(configuration, CPU, {"m": 15}) is None
    for m in (31, 63):  # rows of 248, and of 504, which share kernels
        assert candidates.refused(configuration, CPU, {"m": m}).reason == "numbers added without corrections"
