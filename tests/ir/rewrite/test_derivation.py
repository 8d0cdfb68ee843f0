"""A derivation is data: steps that can be stored, read back, replayed and compared."""

from __future__ import annotations

import json

import numpy as np
import pytest

import ir.rules  # noqa: F401  # registers every rule
from ir.core.notation.parser import parse
from ir.core.patterns import Iterate
from ir.core.semantics.interpreter import interpret
from ir.core.sizes import size, var
from ir.core.types import FLOAT32, array_of
from ir.errors import RewriteError, VerificationError
from ir.rewrite.derivation import Derivation, replay, steps_from_json
from ir.rewrite.strategy import Step
from tests.ir.rules.notation import M, N, term

LENGTH, PARTS = var("i", 1), var("j", 1)

# ICFP 2015, figure 10: each state as it stands in the paper, and the rules that lead to it from the one before.
FIGURE_10 = [
    ("(reduce (+) 0 ∘ map abs) xs", []),
    ("(reduce (+) 0 ∘ reducePart (+) 0 j ∘ map abs) xs", [("reduce_to_parts", (), {"parts": PARTS})]),
    (
        "(reduce (+) 0 ∘ join ∘ map (reducePart (+) 0 1) ∘ split i ∘ map abs) xs",
        [("part_split", (2,), {"parts": 1})],
    ),
    (
        "(reduce (+) 0 ∘ join ∘ map (reducePart (+) 0 1) ∘ split i ∘ join ∘ map (map abs) ∘ split i) xs",
        [("split_join", (2, 0, 1, 0), {"n": LENGTH})],
    ),
    (
        "(reduce (+) 0 ∘ join ∘ map (reducePart (+) 0 1) ∘ map (map abs) ∘ split i) xs",
        [("split_after_join", (2, 0, 1), {})],
    ),
    ("(reduce (+) 0 ∘ join ∘ map (reducePart (+) 0 1 ∘ map abs) ∘ split i) xs", [("map_fusion", (2, 0), {})]),
    (
        "(reduce (+) 0 ∘ join ∘ map (reducePart (+) 0 1 ∘ mapSeq abs) ∘ split i) xs",
        [("map_to_seq", (2, 0, 0, 0, 2), {})],
    ),
    (
        "(reduce (+) 0 ∘ join ∘ map (reduceSeq (+) 0 ∘ mapSeq abs) ∘ split i) xs",
        [("part_to_reduce", (2, 0, 0, 0), {}), ("reduce_to_seq", (2, 0, 0, 0), {})],
    ),
    (
        "(reduce (+) 0 ∘ join ∘ map (reduceSeq (λ(acc, a). acc + (abs a)) 0) ∘ split i) xs",
        [("reduce_seq_fusion", (2, 0, 0, 0), {})],
    ),
]


def asum(text):
    return parse(text, {"xs": array_of(FLOAT32, LENGTH * PARTS)}, {"i": LENGTH, "j": PARTS})


def figure_10() -> Derivation:
    derivation = Derivation.of(asum(FIGURE_10[0][0]))
    for _, steps in FIGURE_10:
        for rule, path, parameters in steps:
            derivation = derivation.apply(rule, path, **parameters)
    return derivation


def test_figure_10_of_the_paper():
    """The derivation of asum: every state is the very expression that the paper prints."""
    derivation = Derivation.of(asum(FIGURE_10[0][0]))
    for text, steps in FIGURE_10:
        for rule, path, parameters in steps:
            derivation = derivation.apply(rule, path, **parameters)
        assert derivation.result is asum(text)


def test_states_are_the_expressions_between_the_steps():
    derivation = figure_10()
    states = derivation.states()
    assert len(states) == len(derivation.steps) + 1
    assert states[0] is derivation.start
    assert states[-1] is derivation.result
    assert {asum(text) for text, _ in FIGURE_10} <= set(states)
    assert {state.type for state in states} == {derivation.start.type}


def test_steps_that_are_taken_one_by_one_give_the_same_derivation():
    derivation = figure_10()
    again = Derivation.of(derivation.start)
    for step in derivation.steps:
        again = again.take(step)
    assert again == derivation


def test_replay_gives_the_same_expression():
    derivation = figure_10()
    again = replay(derivation.start, derivation.steps)
    assert again.result is derivation.result
    assert again == derivation


def test_a_derivation_goes_through_json_and_back():
    derivation = figure_10()
    text = json.dumps(derivation.to_json())
    steps = steps_from_json(json.loads(text), {"i": LENGTH, "j": PARTS})
    assert replay(derivation.start, steps).result is derivation.result
    assert json.dumps(Derivation(derivation.start, steps, derivation.result).to_json()) == text


def test_sizes_in_parameters_are_stored_as_text():
    derivation = Derivation.of(term("map abs xs")).apply("map_partition", at=N // 4 * 4)
    (stored,) = derivation.to_json()
    assert stored == ["map_partition", [], {"at": str(N // 4 * 4)}]
    (step,) = steps_from_json([stored], {"n": N})
    assert dict(step.parameters)["at"] is N // 4 * 4
    assert Derivation.of(term("map abs xs4")).apply("split_join", n=size(4)).to_json() == [["split_join", [], {"n": 4}]]


def test_a_derivation_may_be_replayed_on_another_expression():
    """The same steps for another function: what a cache does when only a name differs."""
    steps = Derivation.of(term("map abs nm")).apply("split_join", n=M).apply("map_to_seq", (0,)).steps
    assert replay(term("map (λx. x * c) nm"), steps).result is term("join (mapSeq (map (λx. x * c)) (split m nm))")


def test_a_step_that_does_not_apply_names_the_rule_and_the_place():
    derivation = Derivation.of(term("map abs xs4"))
    with pytest.raises(RewriteError, match=r"rule split_join at \(\) does not apply to map abs xs4"):
        derivation.apply("split_join", n=3)
    with pytest.raises(RewriteError, match=r"rule map_to_seq at \(0, 3\)"):
        derivation.apply("map_to_seq", (0, 3))
    with pytest.raises(RewriteError, match=r"rule map_to_seq at \(1,\)"):
        replay(derivation.start, [Step("map_to_seq", (1,))])


def test_an_unknown_rule_is_an_error_that_names_it():
    with pytest.raises(RewriteError, match=r"no rule named fuse_everything; the rules are .*map_fusion"):
        Derivation.of(term("xs")).apply("fuse_everything")
    with pytest.raises(RewriteError, match="unknown rule fuse_everything"):
        steps_from_json([["fuse_everything", [], {}]], {})


def test_then_fails_with_the_name_of_the_strategy():
    with pytest.raises(RewriteError, match="my schedule does not apply to xs"):
        Derivation.of(term("xs")).then(lambda e, context: None, "my schedule")


def test_a_rule_under_a_map_is_told_its_context():
    inside = Derivation.of(term("mapWorkgroup (map abs) xss"))
    assert inside.apply("map_to_local", (0, 0), dim=0).result is term("mapWorkgroup (mapLocal abs) xss")
    with pytest.raises(RewriteError):
        Derivation.of(term("mapGlobal (map abs) xss")).apply("map_to_local", (0, 0), dim=0)


def test_an_iterate_inside_an_iterate_has_a_size_of_its_own():
    """`part_iterate` binds a size variable; unfolding the iterate around it must not take that one for its own."""
    xs = array_of(FLOAT32, 16 * LENGTH)
    derivation = Derivation.of(parse("reducePart (+) 0 i xs", {"xs": xs}, {"i": LENGTH}))
    derivation = derivation.apply("part_iterate", factor=4, count=2).apply("part_iterate", (0, 0), factor=2, count=2)
    outer = derivation.result
    assert isinstance(outer, Iterate)
    inner = outer.f.open()[1]
    assert isinstance(inner, Iterate)
    assert inner.size_variable is not outer.size_variable
    derivation = derivation.apply("iterate_decompose", first=1).apply("iterate_step", (1,)).apply("iterate_step")
    values = {"xs": np.arange(48, dtype=np.float32)}
    for state in derivation.states():
        np.testing.assert_array_equal(interpret(state, values, {"i": 3}), np.arange(48).reshape(3, 16).sum(1))


def test_verify_names_the_step_that_breaks_a_condition():
    lowered = Derivation.of(term("mapWorkgroup (map abs) xss")).apply("map_to_local", (0, 0), dim=0)
    lowered.verify()
    open_ = Derivation.of(term("map (map abs) xss")).apply("map_to_workgroup", dim=0)
    open_.verify(low_level=False)
    with pytest.raises(VerificationError, match=r"after step 1, map_to_workgroup: .*high-level pattern is left"):
        open_.verify()
    wrong = Derivation(term("mapSeq (mapGlobal abs) xss"), (), term("mapSeq (mapGlobal abs) xss"))
    with pytest.raises(VerificationError, match="before the first step: mapGlobal at"):
        wrong.verify()
