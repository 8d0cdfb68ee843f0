"""What the verifier accepts as low-level the generator accepts, and nothing but the IR's errors leaves either."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest

import ir.rules  # noqa: F401  # registers every rule
from ir.core.expr import Expr
from ir.core.notation.printer import show
from ir.core.verify import verify, verify_low_level
from ir.errors import IRError, VerificationError
from ir.opencl.generate import generate
from ir.rewrite.rule import RULES
from ir.rewrite.strategy import at, use
from tests.generators import random_program
from tests.ir.core.test_verify import ILLEGAL, LEGAL, UNFINISHED, term
from tests.ir.opencl.cases import GOLDENS
from tests.ir.rules.test_registry import is_verified, parameters_for, places

WALKS, STEPS = 150, 12
LOWERING = sorted(
    name
    for name in RULES
    if name.startswith(
        ("map_to_", "reduce_to_seq", "scan_to_", "scatter_to_", "to_", "memory_", "reorder_to", "unroll")
    )
)


@pytest.mark.parametrize("text", LEGAL)
def test_a_legal_expression_becomes_kernels(text):
    assert generate(term(text)).kernels


@pytest.mark.parametrize("text", [text for text, _ in [*ILLEGAL, *UNFINISHED]])
def test_an_illegal_expression_becomes_kernels_or_an_error_of_the_ir(text):
    accepted(term(text))


def accepted(e: Expr) -> bool:
    """Does the verifier accept it? Then there are kernels; else there may be none, for which the generator says why."""
    try:
        verify_low_level(e)
    except VerificationError:
        with suppress(IRError):
            generate(e)
        return False
    assert generate(e).kernels
    return True


def starting_point(rng: random.Random) -> Expr:
    texts = [text for text, _ in UNFINISHED]
    choices = [
        lambda: random_program(rng, low_level=rng.randrange(2) == 0, steps=rng.choice((2, 4, 8))).expr,
        lambda: term(rng.choice([*LEGAL, *texts])),
        lambda: rng.choice(GOLDENS).low,
    ]
    return rng.choice(choices)()


def step(e: Expr, rng: random.Random) -> tuple[str, Expr] | None:
    """One rule at a random place where it applies; three of four times one that lowers."""
    names = LOWERING if rng.randrange(4) else sorted(set(RULES) - set(LOWERING))
    everywhere = list(places(e))
    rng.shuffle(everywhere)
    for name in rng.sample(names, len(names)):
        for path, node, context in everywhere:
            chosen = parameters_for(RULES[name], rng)
            if RULES[name](node, context, **chosen) is not None:
                done = at(path, use(RULES[name], **chosen))(e, ())
                assert done is not None
                return name, done.expr
    return None


@pytest.mark.slow
def test_what_walks_arrive_at_is_refused_or_becomes_kernels():
    """Every state of random walks that lower: none that the verifier accepts is refused by the generator."""
    kernels = 0
    for seed in range(WALKS):
        rng = random.Random(seed)
        e, steps = starting_point(rng), []
        if not is_verified(e):
            continue
        for _ in range(STEPS):
            made = step(e, rng)
            if made is None or len(show(made[1])) > 2000:
                break
            e = made[1]
            steps.append(made[0])
            try:
                verify(e)
                kernels += accepted(e)
            except Exception as error:
                error.add_note(f"walk {seed}, {steps}: {show(e)}")
                raise
    assert kernels > WALKS
