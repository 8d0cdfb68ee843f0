"""Maps cut into several: what is recorded of it leads from the one to the others, and changes no type and no value."""

from __future__ import annotations

import numpy as np
import pytest

from ir.core.expr import Expr, Param, fun, identity, postorder, substitute
from ir.core.patterns import (
    Call,
    Cast,
    Concat,
    Get,
    Join,
    Literal,
    Map,
    Repeat,
    Scan,
    Scatter,
    Slice,
    Slide,
    Sort,
    Split,
    Transpose,
    Tuple,
    Zip,
)
from ir.core.semantics.interpreter import interpret
from ir.core.size_variables import sizes_in, substitute_sizes
from ir.core.sizes import size
from ir.core.types import FLOAT64, INT64, TupleType, array_of, shape_of
from ir.cost.thresholds.partition import CONSTANT_EXTENT_UP_TO, ROW_STEPS_AT_MOST
from ir.errors import RewriteError
from ir.fusion.partition.graph import Graph, captured, repeated_rows, steps_of
from ir.fusion.partition.kernels import partition
from ir.fusion.partition.one_by_one import smaller
from ir.fusion.prepare.fission import always, apart, fission_of, is_long, keeps_rows, repeats_rows, sorts
from ir.fusion.program import ProgramPlan, plan_program
from ir.fusion.symbols.structure_key import structure_key
from ir.rewrite.derivation import Derivation, replay
from ir.rewrite.rule import RULES
from tests.ir.fusion.graphs import binary, total, unary

N, M = 5, 7
XS, YS = Param("xs", array_of(FLOAT64, N * M)), Param("ys", array_of(FLOAT64, M))
VALUES = {XS: np.sin(np.arange(N * M) * 1.7) * 4, YS: np.arange(M)[::-1] * 0.75 - 1}


def ordered(xs: Expr) -> Expr:
    """Numbers that are not negative, sorted."""
    return Sort(64, fun(FLOAT64, lambda x: Tuple(Call("bits", x), x)), xs)


def running(xs: Expr) -> Expr:
    return Scan(fun((FLOAT64, FLOAT64), lambda a, b: Call("add", a, b)), Literal(0, FLOAT64), xs)


def centred(xs: Expr) -> Expr:
    return binary("subtract", xs, Join(Repeat(xs.type.length, total(xs))))


def of_rows(f, xs: Expr = XS) -> Expr:
    return Join(Map(fun(array_of(FLOAT64, M), f), Split(M, xs)))


def again(r: Expr) -> Expr:
    return ordered(unary("abs", binary("subtract", ordered(unary("abs", r)), Join(Repeat(M, total(r))))))


def tables(r: Expr) -> Expr:
    return Join(Map(fun(FLOAT64, lambda x: total(unary("abs", binary("multiply", r, Repeat(M, x))))), r))


def of_windows(r: Expr) -> Expr:
    return Join(Map(fun(array_of(FLOAT64, 3), total), Slide(3, 1, r)))


def placed(xs: Expr, ys: Expr) -> Expr:
    """The elements of ys put where those of xs say."""
    at = Map(fun(FLOAT64, lambda x: Cast(x, INT64)), xs)
    return Scatter(fun((FLOAT64, FLOAT64), lambda a, b: Call("add", a, b)), identity(pair_of(at, ys)), xs, Zip(at, ys))


def pair_of(xs: Expr, ys: Expr) -> TupleType:
    return TupleType((xs.type.element, ys.type.element))


def outer(xs: Expr) -> Expr:
    """All products of two elements."""
    rows = Repeat(xs.type.length, xs)
    return binary("multiply", Join(rows), Join(Transpose(rows)))


FUNCTIONS = {
    "a computed row that is repeated": lambda r: outer(unary("abs", r)),
    "a view of a computed row that is repeated": lambda r: outer(Slice(5, -1, 6, centred(r))),
    "a scatter": lambda r: placed(r, unary("abs", r)),
    "a scatter into a sorted row": lambda r: running(placed(ordered(unary("abs", r)), YS)),
    "a sort in the middle": lambda r: binary("subtract", ordered(unary("abs", r)), r),
    "a sort after a sort": again,
    "a sum in the middle": lambda r: running(centred(r)),
    "parts": lambda r: Concat(ordered(unary("abs", r)), running(r), YS),
    "a map of reductions": lambda r: unary("abs", tables(r)),
    "windows of the sorted": lambda r: of_windows(ordered(unary("abs", r))),
    "windows, sorted": lambda r: ordered(unary("abs", of_windows(r))),
    "something that is read": lambda r: binary("add", ordered(unary("abs", r)), running(unary("abs", YS))),
}
UNCUT = {
    "windows alone": lambda r: of_windows(unary("abs", r)),
    "element by element": lambda r: unary("abs", unary("negative", r)),
    "a sort alone": lambda r: ordered(unary("abs", r)),
    "a sum alone": lambda r: total(r),
}


def cut_apart(root: Expr, wanted=always) -> tuple[Expr, list[Derivation]]:
    (made,), found = apart([root], Graph([root], {}), wanted)
    return made, found


def values_at(e: Expr, seed: int) -> np.ndarray:
    """Of inputs that depend on their names alone."""
    inputs = {}
    for node in postorder(e):
        if isinstance(node, Param) and not node.binder:
            rng = np.random.default_rng([seed, int(node.identifier[1:])])
            inputs[node.identifier] = rng.integers(-40, 40, [extent.value for extent in shape_of(node.type)]) / 8
    return interpret(e, inputs)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_steps_lead_from_the_map_to_what_it_is_cut_into(name):
    root = of_rows(FUNCTIONS[name])
    made, found = cut_apart(root)
    assert len(found) == 1
    (derivation,) = found
    assert all(step.rule in RULES for step in derivation.steps)
    assert replay(derivation.start, derivation.steps, shared=True).result is derivation.result
    reads = [root.xs.xs, *captured(root.xs.f)]  # type: ignore[attr-defined]  # a join of a map
    named = {Param(f"x{i}", x.type): x for i, x in enumerate(reads)}
    assert Join(substitute(derivation.start, named)) is root
    rows = substitute(derivation.result, named)
    assert made is (rows.xs if isinstance(rows, Split) else Join(rows))  # no view undoes another
    np.testing.assert_allclose(interpret(made, VALUES), interpret(root, VALUES), rtol=1e-14)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_step_keeps_the_type_and_the_value(name):
    _, (derivation,) = cut_apart(of_rows(FUNCTIONS[name]))
    states = derivation.states()
    assert len(states) == len(derivation.steps) + 1
    assert len(set(states)) == len(states)
    assert {state.type for state in states} == {derivation.start.type}
    expected = values_at(states[0], 3)
    for state in states[1:]:
        np.testing.assert_allclose(values_at(state, 3), expected, rtol=1e-14)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_steps_over_symbols_are_those_over_numbers(name):
    _, (derivation,) = cut_apart(of_rows(FUNCTIONS[name]))
    fission = fission_of(derivation, 1)
    assert fission.general.sizes
    assert not fission.general.fixed
    result = fission.derivation.result
    numbers = {v: size(fission.general.sizes[v.name]) for v in sizes_in(result)}
    inputs = [p for p in postorder(derivation.start) if isinstance(p, Param) and not p.binder]
    renamed = {p: Param(f"x{i}", p.type) for i, p in enumerate(inputs)}
    assert substitute_sizes(result, numbers) is substitute(derivation.result, renamed)


@pytest.mark.parametrize("name", UNCUT)
def test_what_a_kernel_can_compute_stays(name):
    root = of_rows(UNCUT[name])
    assert cut_apart(root) == (root, [])


def of_matrix(f) -> Expr:
    """A function of one row, as a function of its cut: that of a matrix of so many rows."""
    return Map(fun(array_of(FLOAT64, N * M), f), Split(N * M, CUBE))


def sums(m: Expr) -> Expr:
    return Join(Map(fun(array_of(FLOAT64, M), total), Split(M, m)))


CUBE = Param("cube", array_of(FLOAT64, 3 * N * M))
KEEPS = {
    "sums, repeated": lambda m: binary("subtract", m, Join(Transpose(Repeat(M, sums(m))))),
    "their sum": lambda m: total(sums(m)),
    "numbers made of them": lambda m: unary("abs", sums(m)),
    "in a function of a function": lambda m: Join(
        Map(fun(array_of(FLOAT64, M), lambda r: total(tables(r))), Split(M, m))
    ),
}
KEEPS["the sum of parts"] = lambda m: total(unary("abs", Concat(m, unary("negative", m))))
KEEPS_NOTHING = {
    "parts of sums": lambda m: Concat(total(m), total(unary("abs", m))),
    "windows of parts": lambda m: Join(Map(fun(array_of(FLOAT64, 2), total), Slide(2, 1, Concat(m, m)))),
    "sums": sums,
    "sums of what is computed": lambda m: sums(unary("abs", m)),
    "sums beside each other": lambda m: Concat(sums(m), sums(unary("abs", m))),
    "a view of them": lambda m: Join(Transpose(Split(1, sums(m)))),
    "a sum, repeated": centred,
    "sums of others": lambda m: binary("subtract", m, Join(Transpose(Repeat(M, sums(XS))))),
}


@pytest.mark.parametrize("name", KEEPS)
def test_what_goes_on_with_results_of_rows_is_cut(name):
    root = of_matrix(KEEPS[name])
    assert keeps_rows(root.f)
    made, (derivation,) = cut_apart(root, keeps_rows)
    cube = {CUBE: np.cos(np.arange(3 * N * M) * 0.9)} | VALUES
    np.testing.assert_allclose(interpret(made, cube), interpret(root, cube), rtol=1e-12)
    assert {state.type for state in derivation.states()} == {root.type}
    assert not any(isinstance(node, Map) and keeps_rows(node.f) for node in Graph([made], {}).order)


@pytest.mark.parametrize("name", KEEPS_NOTHING)
def test_what_writes_the_results_of_rows_keeps_none(name):
    assert not keeps_rows(of_matrix(KEEPS_NOTHING[name]).f)


def test_what_repeats_a_computed_row_is_cut():
    """Few elements a kernel keeps for itself; what is as it was read needs no keeping."""
    root = of_rows(lambda r: outer(unary("abs", r))).xs
    assert repeats_rows(root.f)
    made, (derivation,) = cut_apart(root, repeats_rows)
    assert derivation.steps[0].rule == "row_fission"
    assert not any(isinstance(node, Map) and repeats_rows(node.f) for node in Graph([made], {}).order)
    np.testing.assert_allclose(interpret(made, VALUES), interpret(root, VALUES), rtol=1e-14)
    for kept in (outer, centred, lambda r: outer(unary("abs", Slice(0, 1, CONSTANT_EXTENT_UP_TO, r)))):
        assert not repeats_rows(of_rows(kept).xs.f)
    assert not repeats_rows(of_rows(lambda r: binary("add", outer(r), outer(unary("abs", YS)))).xs.f)


def turned(r: Expr, times: int) -> Expr:
    """The row with every other element negative, read backwards, so many times."""
    for _ in range(times):
        r = binary("subtract", Slice(M - 1, -1, M, r), Slice(0, 1, M, unary("abs", r)))
    return r


def test_a_function_of_many_steps_is_cut():
    """Each kernel takes some of them, and no step is taken twice."""
    root = of_rows(lambda r: turned(r, ROW_STEPS_AT_MOST))
    assert steps_of(root.xs.f) == 4 * ROW_STEPS_AT_MOST
    assert is_long(root.xs.f)
    made, (derivation,) = cut_apart(root, is_long)
    assert [step.rule for step in derivation.steps].count("row_fission") == 2
    maps = [node for node in Graph([made], {}).order if isinstance(node, Map)]
    assert max(steps_of(node.f) for node in maps) <= 2 * ROW_STEPS_AT_MOST
    np.testing.assert_allclose(interpret(made, VALUES), interpret(root, VALUES), rtol=1e-14)
    parts = partition([root])
    assert len(parts.tasks) == 3
    assert sum(isinstance(x, Slice) for t in parts.tasks for x in postorder(t.expr)) <= 2 * ROW_STEPS_AT_MOST
    short = of_rows(lambda r: turned(r, ROW_STEPS_AT_MOST // 2))
    assert not is_long(short.xs.f)
    assert len(partition([short]).tasks) == 1


def test_what_is_repeated_in_a_function_is_stored_before():
    """Each row's number is made once, by the kernel of the sums, not again for each element of the row."""
    halves = unary("abs", of_rows(total))
    rows = Split(M, XS)
    pairs = Zip(rows, Split(1, halves))
    spread = Map(
        fun(pairs.type.element, lambda p: binary("subtract", Get(0, p), Join(Repeat(M, Get(1, p))))),  # type: ignore[attr-defined]
        pairs,
    )
    assert repeated_rows(spread) == [Split(1, halves)]
    assert repeated_rows(of_rows(centred).xs) == []
    assert repeated_rows(unary("abs", XS)) == []
    parts = partition([Join(spread)])
    assert [sum(isinstance(x, Call) and x.op == "abs" for x in postorder(t.expr)) for t in parts.tasks] == [1, 0]


def test_only_what_is_wanted_is_cut():
    assert cut_apart(of_rows(FUNCTIONS["a sum in the middle"]), sorts)[1] == []
    assert len(cut_apart(of_rows(FUNCTIONS["a sort in the middle"]), sorts)[1]) == 1


def test_a_value_is_rewritten_wherever_it_is_used():
    """Places double with each result in the middle, steps do not."""

    def often(r: Expr) -> Expr:
        for _ in range(8):
            r = binary("subtract", ordered(unary("abs", r)), r)
        return r

    root = of_rows(often)
    made, (derivation,) = cut_apart(root)
    assert len(derivation.steps) <= 5 * 8
    np.testing.assert_allclose(interpret(made, VALUES), interpret(root, VALUES), rtol=1e-12)


@pytest.mark.slow
def test_the_graph_around_costs_a_derivation_nothing():
    """Three hundred maps after each other, each cut: a derivation of each, none larger than the first."""
    e: Expr = XS
    for i in range(300):
        e = of_rows(FUNCTIONS["a sort in the middle"], unary("abs", e) if i % 2 else e)
    _, found = cut_apart(e)
    assert len(found) == 300
    assert len({derivation.steps for derivation in found}) == 1
    assert len({derivation.result for derivation in found}) == 1


def cut_of(*roots: Expr) -> ProgramPlan:
    def shape(p: Param) -> tuple[int, ...]:
        return tuple(extent.value for extent in shape_of(p.type))

    return plan_program(roots, structure_key(roots, shape), shape, 1)


def test_a_cut_knows_how_its_maps_were_cut():
    made = cut_of(of_rows(FUNCTIONS["a sort in the middle"]))
    (fission,) = made.fissions
    assert not fission.reason
    assert fission.derivation.start is fission.general.expr
    assert [step.rule for step in fission.steps] == ["row_fission"]
    assert cut_of(of_rows(UNCUT["a sort alone"])).fissions == ()
    assert partition([unary("abs", XS)]).fissions == ()


def test_a_cut_for_other_sizes_says_the_same():
    made = cut_of(of_rows(FUNCTIONS["a sort in the middle"]))
    other = made.resized([N * M, N, M], [77, 7, 11])
    (fission,), (before,) = other.fissions, made.fissions
    assert fission.derivation.result is before.derivation.result
    assert sorted(fission.general.sizes.values()) == [7, 11]


def test_a_kernel_that_cannot_be_made_is_cut_by_rules_too():
    made = cut_of(of_rows(FUNCTIONS["a sum in the middle"]))
    parts = smaller(made, 0, 1, "no schedule")
    assert parts is not None
    assert {fission.reason for fission in parts.fissions} == {"no schedule"}
    assert any(step.rule == "row_fission" for fission in parts.fissions for step in fission.steps)


def test_a_result_of_tuples_is_taken_apart_by_a_rule():
    pair = TupleType((FLOAT64, FLOAT64))
    both = Map(fun(FLOAT64, lambda x: Tuple(Call("abs", x), Call("sin", Call("negative", x)))), XS)
    made = cut_of(*(Map(fun(pair, lambda p, i=i: Call("exp", Get(i, p))), both) for i in range(2)))
    parts = smaller(made, 0, 1, "no schedule")
    assert parts is not None
    (fission,) = parts.fissions
    assert [step.rule for step in fission.steps] == ["zip_of_components"]
    assert isinstance(fission.derivation.result, Zip)


def test_where_symbols_do_not_tell_enough_the_numbers_stay():
    """A step that only numbers allow is recorded at the numbers."""
    rows = Param("x0", array_of(FLOAT64, M, 1))
    start = Map(fun(array_of(FLOAT64, 1), lambda r: total(r)), rows)
    derivation = Derivation.of(Join(start), shared=True).apply("elements_of_map")
    derivation = derivation.apply("split_join", n=7)
    fission = fission_of(derivation, 1)
    assert fission.general.fixed
    assert fission.derivation.result is derivation.result
    with pytest.raises(RewriteError):
        replay(Join(Map(start.f, Param("x0", array_of(FLOAT64, 11, 1)))), derivation.steps, shared=True)
