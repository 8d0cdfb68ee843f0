"""Each rule of the registry: it fires, it refuses, it keeps the type and the value; none arrives without examples."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import ir.rules  # noqa: F401  # registers every rule
from ir.core.expr import Expr
from ir.core.interpreter import interpret
from ir.core.patterns import Reorder
from ir.core.sizes import Size, size, var
from ir.core.text import show
from ir.rewrite.derivation import Derivation
from ir.rewrite.rule import RULES, Context, Label, Rule
from ir.rewrite.strategy import Path, at, enter, use
from tests.generators import Program, well_typed_expressions
from tests.ir import values
from tests.ir.rules.examples import FIRES, REFUSES, Example
from tests.ir.rules.notation import SIZES, term

NAMES = sorted(RULES)
PHASES = tuple(phase for phase in Phase if phase is not Phase.shrink)  # shrinking a program takes minutes


def applied(example: Example) -> Expr | None:
    done = at(example.at, use(RULES[example.rule], **dict(example.parameters)))(term(example.before), ())
    return None if done is None else done.expr


# --- stated examples --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_has_examples(name):
    assert any(example.rule == name for example in FIRES), f"state an expression at which {name} fires in examples.py"
    assert any(example.rule == name for example in REFUSES), f"state one at which {name} refuses in examples.py"


def test_every_example_names_a_rule():
    assert {example.rule for example in [*FIRES, *REFUSES]} <= set(RULES)


@pytest.mark.parametrize("example", FIRES, ids=str)
def test_a_rule_fires(example):
    result = applied(example)
    assert result is not None
    assert example.after is not None
    expected = term(example.after)
    assert result is expected, f"got      {show(result)}\nexpected {show(expected)}"
    assert result.type is term(example.before).type


@pytest.mark.parametrize("example", REFUSES, ids=str)
def test_a_rule_refuses(example):
    assert applied(example) is None


@pytest.mark.parametrize("example", FIRES, ids=str)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_an_example_keeps_its_value(example, sizes):
    before, after, label = term(example.before), applied(example), RULES[example.rule].label
    assert after is not None
    exact = values.random_inputs(before, sizes, seed=1, whole=True)
    if label is not Label.REORDERING or not isinstance(before, Reorder):
        values.assert_identical(interpret(after, exact, sizes), interpret(before, exact, sizes))
    compare(label, before, after, sizes)


def compare(label: Label, before: Expr, after: Expr, sizes: values.Sizes, seed: int = 1) -> None:
    """The values of both, on the same random inputs, agree as far as the label promises."""
    before, after = values.observable(before), values.observable(after)
    inputs = values.random_inputs(before, sizes, seed)
    expected, actual = interpret(before, inputs, sizes), interpret(after, inputs, sizes)
    if label is Label.REORDERING and isinstance(before, Reorder):
        values.assert_permuted(actual, expected)
    elif label is Label.EXACT and not values.has_free_order(before):
        values.assert_identical(actual, expected)
    else:
        values.assert_close(actual, expected, *values.magnitude(before, inputs, sizes))


# --- random programs --------------------------------------------------------------------------------------------------


def places(e: Expr) -> Iterator[tuple[Path, Expr, Context]]:
    """Every distinct node with one path to it and the context there; functions are opened."""
    seen: set[Expr] = set()
    pending: list[tuple[Path, Expr, Context]] = [((), e, ())]
    while pending:
        path, node, context = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        yield path, node, context
        for index in range(len(node.operands)):
            operand, inner = enter(node, index, context)
            pending.append(((*path, index), operand, inner))


_n, _m = var("n"), var("m")
SIZE_CHOICES: tuple[Size | int, ...] = (2, 4, 1, 3, 8, 0, -1, 7, _n, _m, 2 * _n, _n * _m, _n // 2, size(2))
CHOICES = {
    "width": (2, 4, 8, 16, 1, 3, 0),
    "ways": (2, 4, 1, 3, 0, -1),
    "dim": (0, 1, 2),
    "lanes": (32, 4, 1, 0),
    "operand": (0, 1, 2, 3, -1),
    "factor": (2, 4, 1, 3, 0),
    "count": (1, 2, 3, 0),
}


def parameters_for(rule: Rule, rng: random.Random) -> dict[str, Size | int]:
    return {name: rng.choice(CHOICES.get(name, SIZE_CHOICES)) for name in rule.parameters}


def all_sizes(e: Expr, known: values.Sizes, rng: random.Random) -> dict[str, int]:
    """The known sizes, and numbers for those that an `iterate` around the place binds."""
    return {v.name: known.get(v.name, rng.choice((1, 2, 3))) for v in values.sizes_in(e)} | dict(known)


def check_everywhere(rule: Rule, program: Program, rng: random.Random) -> list[tuple[Path, Expr]]:
    """Apply a rule wherever it applies; compare the values there. Returns the results."""
    fired = []
    for path, node, context in places(program.expr):
        for _ in range(3 if rule.parameters else 1):
            result = rule(node, context, **parameters_for(rule, rng))
            if result is None:
                continue
            assert result.type is node.type
            compare(rule.label, node, result, all_sizes(node, program.sizes, rng), rng.randrange(1 << 20))
            fired.append((path, result))
    return fired


@pytest.mark.parametrize("low_level", [False, True], ids=["high", "low"])
@pytest.mark.parametrize("name", NAMES)
def test_a_rule_keeps_the_value_of_random_programs(name, low_level):
    """Every rule at every place where it applies, with random parameters; whatever they are, it never raises."""

    @settings(max_examples=settings.default.max_examples // 4, phases=PHASES, suppress_health_check=list(HealthCheck))
    @given(well_typed_expressions(low_level=low_level), st.randoms(use_true_random=False))
    def check(program, rng):
        check_everywhere(RULES[name], program, rng)

    check()


@settings(max_examples=settings.default.max_examples, phases=PHASES, suppress_health_check=list(HealthCheck))
@given(well_typed_expressions(low_level=True), st.randoms(use_true_random=False))
def test_rules_after_rules_keep_the_value(program, rng):
    """Random walks: what one rule makes, another is applied to, so that rules meet terms no generator thinks of."""
    e = program.expr
    for _ in range(6):
        rules = [RULES[name] for name in rng.sample(NAMES, len(NAMES))]
        for rule in rules:
            found = check_everywhere(rule, program._replace(expr=e), rng)
            if found:
                path, _ = rng.choice(found)
                step = at(path, lambda node, context, rule=rule: _again(rule, node, context, rng))
                done = step(e, ())
                e = e if done is None else done.expr
                break


def _again(rule, node, context, rng):
    for _ in range(5):
        done = use(rule, **parameters_for(rule, rng))(node, context)
        if done is not None:
            return done
    return None


# --- what goes there and back again -----------------------------------------------------------------------------------

ROUND_TRIPS = [
    ("map abs (reorder xs)", [("map_after_reorder", (), {}), ("reorder_after_map", (), {})]),
    ("reorder (map abs xs)", [("reorder_after_map", (), {}), ("map_after_reorder", (), {})]),
    ("map abs xs4", [("split_join", (), {"n": 4}), ("join_after_map", (), {}), ("join_after_split", (1,), {})]),
    ("reduce (+) 0 xs", [("reduce_to_part", (), {}), ("part_to_reduce", (), {})]),
    ("reducePart (+) 0 1 xs", [("part_to_reduce", (), {}), ("reduce_to_part", (), {})]),
    ("reducePart (+) 0 2 xs4", [("part_reorder", (), {}), ("reorder_to_id", (2,), {}), ("id_elimination", (2,), {})]),
    ("reducePart (+) 0 n xs", [("part_iterate", (), {"factor": 1, "count": 1}), ("iterate_step", (), {})]),
    ("xs", [("id_introduction", (), {}), ("id_elimination", (), {})]),
    ("xs", [("map_identity", (), {}), ("map_identity_elimination", (), {})]),
    ("join (map (map abs) xss)", [("join_after_map", (), {}), ("map_after_join", (), {})]),
    ("split 4 (map abs xs4)", [("split_after_map", (), {}), ("map_after_split", (), {})]),
    ("map (map abs) xss", [("flatten_maps", (), {}), ("split_after_map", (), {}), ("split_after_join", (1,), {})]),
    ("zip(map abs xs, map int32 xs)", [("fuse_maps_of_zip", (), {}), ("split_map_of_tuples", (), {})]),
    (
        "zip(reduce (+) 0 xs, reduce maximum (-inf) ys)",
        [("fuse_reductions_of_zip", (), {}), ("split_reduction_of_tuples", (), {})],
    ),
    ("scanSeq (+) 0 v8", [("to_private", (), {}), ("memory_elimination", (), {})]),
    ("gather (map abs v8) is", [("gather_after_map", (), {}), ("map_after_gather", (), {})]),
    ("map abs (gather v8 is)", [("map_after_gather", (), {}), ("gather_after_map", (), {})]),
    ("gather (zip(v8, v8)) is", [("gather_of_zip", (), {}), ("zip_of_gathers", (), {})]),
    ("mapLocal abs xs", [("to_global", (), {}), ("memory_elimination", (), {})]),
    ("mapSeq abs xs", [("to_private", (), {}), ("memory_elimination", (), {})]),
    (
        "asVector 4 (map abs xs4)",
        [("split_join", (0,), {"n": 4}), ("join_after_map", (0,), {}), ("join_after_split", (0, 1), {})],
    ),
    (
        "mapWorkgroup (λxs. mapLocal abs (mapLocal abs xs)) xss",
        [("to_local", (0, 0, 1), {}), ("memory_elimination", (0, 0, 1), {})],
    ),
]


@pytest.mark.parametrize(("text", "steps"), ROUND_TRIPS, ids=[text for text, _ in ROUND_TRIPS])
def test_a_rule_and_its_inverse_give_the_expression_back(text, steps):
    derivation = Derivation.of(term(text))
    for rule, path, parameters in steps:
        derivation = derivation.apply(rule, path, **parameters)
    assert derivation.result is derivation.start


# --- the papers -------------------------------------------------------------------------------------------------------

FIGURES = {
    "6a": ["iterate_decompose"],
    "6b": ["map_after_reorder", "reorder_after_map"],
    "6c": ["split_join"],
    "6d": ["reduce_to_parts", "part_to_reduce", "part_reorder", "part_iterate", "part_split"],
    "6e": ["join_after_split", "split_after_join", "scalar_after_vector", "vector_after_scalar"],
    "6f": ["map_fusion", "reduce_seq_fusion"],
    "7a": ["map_to_workgroup", "map_to_local", "map_to_global", "map_to_seq"],
    "7b": ["reduce_to_seq"],
    "7c": ["reorder_to_stride", "reorder_to_id"],
    "7d": ["to_global", "to_local"],
    "7e": ["vectorise_map"],
}


@pytest.mark.parametrize(("figure", "rules"), FIGURES.items(), ids=list(FIGURES))
def test_every_rule_of_the_figures_exists(figure, rules):
    for name in rules:
        assert f"fig. {figure}" in RULES[name].source


@pytest.mark.parametrize("name", NAMES)
def test_a_rule_states_its_equation_and_its_source(name):
    assert "->" in RULES[name].equation
    assert RULES[name].source
