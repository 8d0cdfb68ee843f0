"""Concats put in order before a graph is cut: by which rules, what is kept of that, and that no value changes."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest

from ir.core.expr import Expr, Param, fun, postorder
from ir.core.patterns import Call, Concat, Gather, Get, Join, Literal, Map, Repeat, Slice, Split, Transpose, Zip
from ir.core.semantics.interpreter import interpret
from ir.core.types import FLOAT64, INT32, array_of
from ir.cost.thresholds.partition import PARTS_OF_A_CONCAT_AT_MOST as FEW
from ir.fusion.partition.graph import Graph
from ir.fusion.partition.kernels import partition
from ir.fusion.prepare.order_concats import arrange
from ir.rewrite.derivation import replay
from tests.ir.fusion.graphs import INPUTS, XS, YS, binary, chain, check, rows, total, unary

IS = Param("is", array_of(INT32, 6))
MORE = {**INPUTS, "is": np.array([5, 3, 11, 0, 2, 7], np.int32)}


class Constants:
    """Variables for arrays of constants, and their values."""

    def __init__(self) -> None:
        self.values: dict[str, np.ndarray] = {}

    def __call__(self, values: np.ndarray, t) -> Param:
        made = Param(f"c{len(self.values)}", array_of(t, len(values)))
        self.values[made.identifier] = values
        return made


def arranged(*roots: Expr, known=()):
    """The graph in order: the same values, by derivations that hold no leaf of it and can be taken again."""
    constants = Constants()
    found = arrange(roots, Graph(roots, dict(known)), constants)
    for root, made in zip(roots, found.roots, strict=True):
        inputs = {**MORE, **constants.values}
        np.testing.assert_array_equal(interpret(made, inputs), interpret(root, MORE))
    for rewriting in found.rewriter.rewritings:
        derivation = rewriting.derivation
        leaves = {p for p in postorder(derivation.start) if isinstance(p, Param) and not p.binder}
        assert leaves.isdisjoint(p for root in roots for p in postorder(root))
        assert replay(derivation.start, derivation.steps).result is derivation.result
    return found


def times(factor: float, xs: Expr) -> Expr:
    return Map(fun(FLOAT64, lambda x: Call("multiply", x, Literal(factor, FLOAT64))), xs)


def part(i: int, length: int = 2, xs: Expr = XS) -> Expr:
    return Slice(i * length, 1, length, xs)


MERGED = {
    "slices": (lambda i: part(i), ["concat_of_slices"]),
    "slices with a step": (lambda i: Slice(11 - 2 * i, -1, 2, XS), ["concat_of_slices"]),
    "the same array": (lambda i: XS, ["concat_of_same"]),
    "copies of one constant": (lambda i: Repeat(i + 1, Literal(3, FLOAT64)), ["concat_of_repeats"]),
    "copies of constants": (lambda i: Repeat(3, Literal(i, FLOAT64)), ["concat_of_copies"]),
    "maps": (lambda i: unary("abs", part(i)), ["concat_of_maps", "concat_of_slices"]),
    "maps of two arrays": (
        lambda i: binary("add", part(i), part(i, 2, YS)),
        ["concat_of_maps", "concat_of_zips", "concat_of_slices"],
    ),
    "maps with other constants": (lambda i: times(i + 2, part(i, 1)), ["concat_of_like_maps", "concat_of_slices"]),
    "longer maps with other constants": (
        lambda i: times(i + 2, part(i)),
        ["concat_of_like_maps", "concat_of_slices", "concat_of_copies"],
    ),
    "maps with other constants from the fourth on": (
        lambda i: times(max(i, 3), part(i)),
        ["concat_of_like_maps", "concat_of_slices", "concat_of_copies"],
    ),
    "reductions": (lambda i: total(part(i)), ["concat_of_reductions", "concat_of_slices"]),
    "sums of rows": (
        lambda i: rows(part(i), 2),
        ["concat_of_joins", "concat_of_maps", "concat_of_splits", "concat_of_slices"],
    ),
    "elements by index": (lambda i: Gather(XS, Slice(i, 1, 1, IS)), ["concat_of_gathers", "concat_of_slices"]),
}


@pytest.mark.parametrize("make", [make for make, _ in MERGED.values()], ids=list(MERGED))
@pytest.mark.parametrize("count", [2, 5, 6])
def test_like_neighbours_become_one(make, count):
    parts = [make(i) for i in range(count)]
    found = arranged(Concat(*parts))
    assert not any(isinstance(node, Concat) for node in postorder(found.roots[0]))
    (rewriting,) = found.rewriter.rewritings
    assert rewriting.times == 1


@pytest.mark.parametrize(("make", "rules"), MERGED.values(), ids=list(MERGED))
def test_what_is_kept_names_the_rules(make, rules):
    (rewriting,) = arranged(Concat(*[make(i) for i in range(6)])).rewriter.rewritings
    assert list(dict.fromkeys(step.rule for step in rewriting.derivation.steps)) == rules


def test_a_slice_of_one_element_joins_no_two_steps():
    """Each goes on where the one before ends, with another step: no slice is all three."""
    for step in (1, 2):
        last = Slice(5, step, 2, XS)
        (root,) = arranged(Concat(Slice(0, 2, 2, XS), Slice(4, 1, 1, XS), last)).roots
        assert root is Concat(Slice(0, 2, 3, XS), last)


def test_runs_among_other_parts_become_one_each():
    found = arranged(Concat(part(0), part(1), unary("abs", YS), times(2, part(0)), times(3, part(1)), YS))
    assert len(found.roots[0].operands) == 4
    assert len(found.rewriter.rewritings) == 2


def assigned(xs: Expr, start: int, value: Expr) -> Expr:
    """An array with elements from one on replaced."""
    stop = start + value.type.length.value
    return Concat(Slice(0, 1, start, xs), value, Slice(stop, 1, xs.type.length.value - stop, xs))


def test_slices_of_what_was_assigned_read_the_parts():
    xs = assigned(unary("abs", XS), 2, unary("sin", part(0, 3)))
    inside, across = Slice(4, -1, 2, xs), Slice(4, 1, 3, xs)
    found = arranged(inside, unary("abs", across))
    assert found.roots[0] is Slice(2, -1, 2, unary("sin", part(0, 3)))
    ways = [[step.rule for step in rewriting.derivation.steps] for rewriting in found.rewriter.rewritings]
    assert ways == [["slice_after_concat"], ["slice_across_concat", "slice_after_slice"]]


def test_a_slice_through_many_parts_is_kept_with_few():
    xs = Concat(*(unary("abs", part(i, 1)) if i % 2 else unary("sin", part(i, 1)) for i in range(12)))
    (rewriting,) = arranged(unary("abs", Slice(6, 1, 1, xs))).rewriter.rewritings
    assert str(rewriting.derivation.start).count("x") <= 4


def test_slices_read_known_values_by_way_of_no_other():
    first = Slice(3, 1, 4, XS)
    root = Slice(1, 1, 2, Concat(first, unary("sin", part(0, 2))))
    for known, expected in (({}, Slice(4, 1, 2, XS)), ({first: Param("known", first.type)}, Slice(1, 1, 2, first))):
        assert arranged(root, known=known).roots == [expected]


def test_parts_of_inner_concats_that_nothing_else_needs_are_the_outer_ones():
    inner = Concat(unary("sin", XS), YS)
    nothing = Slice(3, 1, 0, XS)
    (root,) = arranged(Concat(inner, nothing, unary("cos", YS))).roots
    assert root is Concat(unary("sin", XS), YS, unary("cos", YS))
    first, _ = arranged(Concat(inner, unary("cos", YS)), unary("abs", inner)).roots
    assert first.operands[0] is inner
    (alone,) = arranged(unary("abs", Concat(nothing, XS))).roots
    assert alone is unary("abs", XS)
    (read,) = arranged(unary("abs", Slice(1, 1, 3, Concat(inner, unary("cos", YS))))).roots
    assert read is unary("abs", Slice(1, 1, 3, unary("sin", XS)))


def test_many_parts_are_written_by_a_kernel_each():
    parts = [unary(("sin", "cos")[i % 2], part(i % 5)) for i in range(FEW + 1)]
    found = arranged(Concat(*parts))
    assert found.roots[0] in found.grouped
    nested = [Split(2, xs) if i % 3 else Split(2, unary("abs", xs)) for i, xs in enumerate(parts)]
    found = arranged(Join(Concat(*nested)))
    (grouped,) = found.grouped
    assert all(not isinstance(x, (Join, Split)) for x in grouped.operands)
    (rewriting,) = found.rewriter.rewritings
    assert [step.rule for step in rewriting.derivation.steps][:2] == ["split_join_introduction", "join_after_concat"]
    assert len(rewriting.derivation.steps) == 4


def test_loops_are_kept_once_and_counted():
    """However many assignments there are, the plan keeps a few derivations."""
    xs: Expr = unary("abs", Param("long", array_of(FLOAT64, 2000)))
    for i in range(300):
        value = unary("sin", Slice(3 * i, 1, 2, xs))
        xs = assigned(xs, 3 * i + 1, value)
    found = arrange([xs], Graph([xs], {}))
    assert len(found.rewriter.rewritings) <= 4
    assert sum(rewriting.times for rewriting in found.rewriter.rewritings) > 200


@pytest.mark.slow
def test_concats_of_many_parts_and_long_chains_take_linear_time():
    def seconds(count: int) -> float:
        long = Param("long", array_of(FLOAT64, count))
        begin = time.process_time()
        roots = [Concat(*(times(i % 7, Slice(i, 1, 1, long)) for i in range(count))), chain(count)]
        arrange(roots, Graph(roots, {}), Constants())
        return time.process_time() - begin

    seconds(100)
    assert seconds(20_000) < 40 * seconds(2_000)


@pytest.mark.slow
def test_random_assignments_keep_their_values():
    for seed in range(150):
        rng = random.Random(seed)
        pool: list[Expr] = [XS, YS]
        for _ in range(12):
            xs = rng.choice(pool[-4:])
            n = xs.type.length.value
            start = rng.randrange(n)
            count = rng.randrange(0, n - start + 1)
            kind = rng.randrange(4)
            if kind == 0 and count:
                step = rng.choice([1, 1, 2, -1])
                first = start if step > 0 else n - 1 - start
                room = (n - 1 - first) // step + 1 if step > 0 else first + 1
                pool.append(Slice(first, step, max(1, min(room, count)), xs))
            elif kind == 1:
                pool.append(
                    assigned(xs, start, times(rng.randrange(3), Slice(start, 1, count, rng.choice([XS, YS]))))
                    if start + count <= 12
                    else xs
                )
            elif kind == 2:
                pool.append(Concat(*rng.choices([x for x in pool if x.type.length.value <= 40], k=rng.randrange(2, 5))))
            else:
                pool.append(unary(rng.choice(["abs", "negative"]), xs))
        roots = [pool[-1], *rng.sample(pool[2:], 2)]
        roots = [root for root in dict.fromkeys(roots) if root.type.length.value and not isinstance(root, Param)]
        arranged(*roots)
        check(*roots)


def test_what_kernels_make_is_rewritten_by_rules():
    (rewriting,) = check(Transpose(Split(3, XS))).rewritings
    assert [step.rule for step in rewriting.derivation.steps] == ["map_identity"]
    pairs = Concat(*(Zip(times(i, part(i % 5)), times(-i - 1, part(i % 3))) for i in range(FEW + 1)))
    added = Map(fun(pairs.type.element, lambda p: Call("add", Get(0, p), Get(1, p))), pairs)
    parts = partition([Slice(added.type.length - 1, -1, added.type.length, added)])
    ways = [[step.rule for step in rewriting.derivation.steps] for rewriting in parts.rewritings]
    assert ["zip_of_components", "map_after_concat", "map_after_concat"] in ways
    expected = interpret(pairs, INPUTS)
    written = [task for task in parts.tasks if task.start is not None]
    assert len(written) == 2 * (FEW + 1)
    for number, task in enumerate(written):
        np.testing.assert_array_equal(interpret(task.expr, INPUTS), expected[number % 2][task.start : task.start + 2])
