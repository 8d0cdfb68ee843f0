"""Each rule of the registry: it fires, it refuses, it keeps the type and the value; none arrives without examples."""

from __future__ import annotations

import pkgutil
import random
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import settings

import ir.rules  # registers every rule
from ir.core.expr import Expr, Lambda, postorder, transform
from ir.core.notation.printer import show
from ir.core.patterns import REDUCE, REDUCE_SEQ, SCAN, SCAN_SEQ, Reduce, ReducePart, Reorder, Scan
from ir.core.semantics.interpreter import interpret
from ir.core.size_variables import sizes_in
from ir.core.sizes import Size, size, var
from ir.core.verify import verify
from ir.errors import VerificationError
from ir.rewrite.derivation import Derivation
from ir.rewrite.rule import RULES, Context, Label, Rule
from ir.rewrite.strategy import Path, at, enter, use
from tests.generators import random_program
from tests.ir import values
from tests.ir.core.test_verify import LEGAL
from tests.ir.core.test_verify import term as verified_term
from tests.ir.opencl.cases import GOLDENS
from tests.ir.rules.examples import FIRES, REFUSES, Example
from tests.ir.rules.notation import SIZES, term
from tests.tiers import by_tier

NAMES = sorted(RULES)


def applied(example: Example) -> Expr | None:
    done = at(example.at, use(RULES[example.rule], **dict(example.parameters)))(term(example.before), ())
    return None if done is None else done.expr


# --- stated examples --------------------------------------------------------------------------------------------------


def test_every_rule_has_examples():
    """One at which it fires and one at which it refuses, in tests/ir/rules/examples."""
    assert set(NAMES) - {example.rule for example in FIRES} == set()
    assert set(NAMES) - {example.rule for example in REFUSES} == set()


def test_every_example_names_a_rule():
    assert {example.rule for example in [*FIRES, *REFUSES]} <= set(RULES)


def test_importing_the_package_registers_the_rules_of_all_its_modules():
    found = [m.name for m in pkgutil.walk_packages(ir.rules.__path__, "ir.rules.")]
    code = "import importlib, ir.rules\nfrom ir.rewrite.rule import RULES\nfirst = set(RULES)\n" + (
        f"for name in {found}: importlib.import_module(name)\nprint(set(RULES) - first)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def of(examples: Sequence[Example], name: str) -> list[Example]:
    """The examples of a rule."""
    return [example for example in examples if example.rule == name]


@contextmanager
def noted(what: str) -> Iterator[None]:
    """What fails within says at what it did."""
    try:
        yield
    except Exception as error:
        error.add_note(what)
        raise


@pytest.mark.parametrize("name", NAMES)
def test_a_rule_fires(name):
    for example in of(FIRES, name):
        result = applied(example)
        assert result is not None, example
        assert example.after is not None
        expected = term(example.after)
        assert result is expected, f"{example}\ngot      {show(result)}\nexpected {show(expected)}"
        assert result.type is term(example.before).type


@pytest.mark.parametrize("name", NAMES)
def test_a_rule_refuses(name):
    for example in of(REFUSES, name):
        assert applied(example) is None, example


@pytest.mark.parametrize("name", NAMES)
def test_an_example_keeps_its_value(name):
    label = RULES[name].label
    for example in of(FIRES, name):
        before, after = term(example.before), applied(example)
        assert after is not None, example
        for sizes in SIZES:
            with noted(f"{example} at {sizes}"):
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
    elif not values.are_identical(actual, expected):
        values.assert_close(actual, expected, *values.magnitude(before, inputs, sizes))


@pytest.mark.parametrize("name", sorted(name for name in NAMES if RULES[name].label is Label.EXACT))
def test_an_exact_rule_keeps_the_order_of_operations(name):
    """Where reductions and scans go in order, it changes no bit of floats either."""
    for example in of(FIRES, name):
        before, after = term(example.before), applied(example)
        assert after is not None
        if any(isinstance(node, ReducePart) for e in (before, after) for node in postorder(e)):
            continue  # which has no order
        before, after = in_order(values.observable(before)), in_order(values.observable(after))
        for sizes in SIZES:
            with noted(f"{example} at {sizes}"):
                inputs = values.random_inputs(before, sizes, seed=1)
                values.assert_identical(interpret(after, inputs, sizes), interpret(before, inputs, sizes))


def in_order(e: Expr) -> Expr:
    """The same with every reduction and scan from the first element to the last."""

    def visit(node: Expr, operands: tuple[Expr, ...]) -> Expr:
        if isinstance(node, Lambda):
            return Lambda._make(operands, node.parameters)
        made = node._rebuilt(operands)
        if isinstance(made, (Reduce, Scan)) and made.how in (REDUCE, SCAN):
            return type(made)(made.f, made.init, made.xs, REDUCE_SEQ if made.how == REDUCE else SCAN_SEQ)
        return made

    return transform(e, visit, lambda node: False)


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
    "part": (0, 1, 2, 3, -1),
    "members": (3, 5, 6, 7, 1, -1),
    "factor": (2, 4, 1, 3, 0),
    "count": (1, 2, 3, 0),
    "op": ("exp", "exp2", "log"),
}


def parameters_for(rule: Rule, rng: random.Random) -> dict[str, Size | int]:
    return {name: rng.choice(CHOICES.get(name, SIZE_CHOICES)) for name in rule.parameters}


def all_sizes(e: Expr, known: values.Sizes, rng: random.Random) -> dict[str, int]:
    """The known sizes, and numbers for those that an `iterate` around the place binds."""
    return {v.name: known.get(v.name, rng.choice((1, 2, 3))) for v in sizes_in(e)} | dict(known)


Fired = tuple[Path, Expr, Expr, Mapping[str, Size | int]]
"""Where a rule applied, to what, what it made of it, and the parameters."""


def firings(
    e: Expr, rng: random.Random, given: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, list[Fired]]:
    """Every rule at every place of an expression, with random parameters, and those that are given for it; whatever
    they are, it never raises.
    """
    found: dict[str, list[Fired]] = {}
    everywhere = list(places(e))
    for name, rule in RULES.items():
        choices = [parameters_for(rule, rng) for _ in range(2)] if rule.parameters else [{}]
        choices += [given[name]] if given and name in given else []
        for path, node, context in everywhere:
            if not isinstance(node, rule.patterns):
                continue  # most rules are of few patterns
            for chosen in choices:
                result = rule.rewrite(node, context, **chosen)  # which checks the type
                if result is not None:
                    found.setdefault(name, []).append((path, node, result, chosen))
    return found


def check(rule: Rule, fired: Fired, sizes: values.Sizes, rng: random.Random) -> None:
    """What a rule made of a part of a program has the value of what was there."""
    _, before, after, _ = fired
    compare(rule.label, before, after, all_sizes(before, sizes, rng), rng.randrange(1 << 20))


BATCHES, PROGRAMS, SHARE_COMPARED = by_tier((1, 120, 0.5), (3, 360, 0.58), (12, 360, 0.58))
"""So many tests of so many programs each, every test with programs of its own; of the rules more than this share are
compared on them.
"""

CHECKED = 4
"""Rules whose values are compared on one program: of those that fire the ones that were compared least often so far."""


@pytest.mark.parametrize("batch", range(BATCHES))
def test_rules_keep_the_value_of_random_programs(batch):
    """Every rule is tried at every place of thousands of programs; of what it makes of them, samples are evaluated."""
    compared = dict.fromkeys(NAMES, 0)
    shapes = set()
    for seed in seeds(batch, PROGRAMS):
        rng = random.Random(seed)
        program = random_program(rng, low_level=bool(seed % 2))
        shapes.add(program.shape)
        found = firings(program.expr, rng)
        for name in sorted(found, key=lambda name: (compared[name], rng.random()))[:CHECKED]:
            compared[name] += 1
            try:
                check(RULES[name], rng.choice(found[name]), program.sizes, rng)
            except Exception as error:
                error.add_note(f"rule {name}, random_program(random.Random({seed}), low_level={bool(seed % 2)})")
                raise
    assert len(shapes) > 0.9 * PROGRAMS  # the generator does not repeat itself
    assert sum(map(bool, compared.values())) > SHARE_COMPARED * len(NAMES)  # the others are met on walks


def seeds(batch: int, count: int) -> range:
    """Other numbers for each batch; the same ones in each run, unless new programs are asked for."""
    start = random.SystemRandom().randrange(1 << 60) if settings.default.max_examples >= 1000 else 0
    return range(start + batch * count, start + (batch + 1) * count)


WALKS, STEPS = 200, 6


@pytest.mark.slow
@pytest.mark.sweep
def test_rules_after_rules_keep_the_value():
    """Walks: what one rule makes, another is applied to, so that rules meet terms no generator thinks of.

    They begin at random programs and, every other one, at an example of the rule that was taken least often so far; so
    is the rule that each step takes. What the verifier accepts at the start it accepts after each step.
    """
    taken = dict.fromkeys(NAMES, 0)
    legal = 0
    for seed in seeds(1000, WALKS):
        rng = random.Random(seed)
        e, sizes, given = starting_point(seed, rng, taken)
        steps = []
        is_legal = is_verified(e)
        legal += is_legal
        for _ in range(STEPS):
            found = firings(e, rng, given)
            if not found:
                break
            name = min(found, key=lambda name: (taken[name], rng.random()))
            taken[name] += 1
            fired = rng.choice(found[name])
            steps.append((name, fired[0], fired[3]))
            try:
                check(RULES[name], fired, sizes, rng)
            except Exception as error:
                error.add_note(f"walk {seed} at {sizes}: {show(e)}, then the last of {steps}")
                raise
            done = at(fired[0], use(RULES[name], **fired[3]))(e, ())
            assert done is not None
            if is_legal:
                check_verified(f"walk {seed}", e, steps[-1], done.expr)
            e = done.expr
    assert legal > 0.9 * WALKS
    assert [name for name, times in taken.items() if not times] == []


def starting_point(
    seed: int, rng: random.Random, taken: Mapping[str, int]
) -> tuple[Expr, dict[str, int], dict[str, Mapping[str, Any]]]:
    """An expression, its sizes, and the parameters with which a rule is known to apply to it."""
    if seed % 2:
        example = min(FIRES, key=lambda example: (taken[example.rule], rng.random()))
        return term(example.before), SIZES[-1 - rng.randrange(2)], {example.rule: dict(example.parameters)}
    program = random_program(rng, low_level=bool(seed % 4))
    return program.expr, program.sizes, {}


Taken = tuple[str, Path, Mapping[str, Size | int]]
"""A rule by name, where it was applied, and the parameters."""


def is_verified(e: Expr) -> bool:
    try:
        verify(e)
    except VerificationError:
        return False
    return True


def check_verified(what: str, before: Expr, taken: Taken, after: Expr) -> None:
    """What a rule makes of an expression that the verifier accepts is accepted, too."""
    try:
        verify(after)
    except VerificationError as error:
        error.add_note(f"{what}: {taken} of {show(before)}")
        raise


KEPT_WALKS = 60
"""Walks from expressions whose results are kept in some memory and computed by some parallel maps."""


@pytest.mark.slow
def test_what_rules_make_of_verified_expressions_is_verified():
    """Every rule at every place of the states of walks, most of whose steps are those that lower."""
    starts = [e for e in [*map(verified_term, LEGAL), *(golden.low for golden in GOLDENS)] if len(show(e)) < 400]
    lowering = [
        name for name in NAMES if name.startswith(("to_", "map_to_", "reduce_to_seq", "scan_to_seq", "memory_"))
    ]
    compared = 0
    for seed in seeds(2000, KEPT_WALKS):
        rng = random.Random(seed)
        e = rng.choice(starts)
        for _ in range(4):
            found = firings(e, rng)
            everywhere = [
                (name, one[0], one[3])
                for name, all_of in found.items()
                for one in rng.sample(all_of, min(3, len(all_of)))
            ]
            results = []
            for taken in everywhere:
                done = at(taken[1], use(RULES[taken[0]], **taken[2]))(e, ())
                assert done is not None
                check_verified(f"walk {seed}", e, taken, done.expr)
                results.append((taken[0], done.expr))
            compared += len(results)
            chosen = [x for x in results if x[0] in lowering] if rng.randrange(2) else results
            e = rng.choice(chosen or results)[1]
    assert compared > 40 * KEPT_WALKS


# --- what goes there and back again -----------------------------------------------------------------------------------

ROUND_TRIPS = [
    ("map (λx. abs (x - c)) xs", [("map_fission", (), {}), ("map_fusion", (), {})]),
    ("map abs (reorder xs)", [("map_after_reorder", (), {}), ("reorder_after_map", (), {})]),
    ("reorder (map abs xs)", [("reorder_after_map", (), {}), ("map_after_reorder", (), {})]),
    ("map abs xs4", [("split_join", (), {"n": 4}), ("join_after_map", (), {}), ("join_after_split", (1,), {})]),
    ("reduce (+) 0 xs", [("reduce_to_part", (), {}), ("part_to_reduce", (), {})]),
    ("reducePart (+) 0 1 xs", [("part_to_reduce", (), {}), ("reduce_to_part", (), {})]),
    ("reducePart (+) 0 2 xs4", [("part_reorder", (), {}), ("reorder_to_id", (2,), {}), ("id_elimination", (2,), {})]),
    ("reducePart (+) 0 n xs", [("part_iterate", (), {"factor": 1, "count": 1}), ("iterate_step", (), {})]),
    ("xs", [("id_introduction", (), {}), ("id_elimination", (), {})]),
    ("xs", [("map_identity", (), {}), ("map_identity_elimination", (), {})]),
    ("xs4", [("rows_introduction", (), {"n": 4}), ("join_after_split", (), {})]),
    ("scanSeq (+) 0 v8", [("to_private", (), {}), ("memory_elimination", (), {})]),
    ("mapLocal abs xs", [("to_global", (), {}), ("memory_elimination", (), {})]),
    (
        "mapWorkgroup (λxs. mapLocal abs (mapLocal abs xs)) xss",
        [("to_local", (0, 0, 1), {}), ("memory_elimination", (0, 0, 1), {})],
    ),
    ("join (map (map abs) xss)", [("join_after_map", (), {}), ("map_after_join", (), {})]),
    (
        "asVector 4 (map abs xs4)",
        [("split_join", (0,), {"n": 4}), ("join_after_map", (0,), {}), ("join_after_split", (0, 1), {})],
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


def test_a_rule_states_its_equation_and_its_source():
    assert [name for name in NAMES if "->" not in RULES[name].equation or not RULES[name].source] == []
