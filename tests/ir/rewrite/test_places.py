"""Named places: which operand each of them is, what has no such operand, and the path that a step records."""

from __future__ import annotations

import pytest

from ir.core.patterns import AsScalar, Concat, Join, Memory, Transpose
from ir.rewrite.places import array, below, body, function, here, initial, joined, part, starts, transposed, values
from ir.rewrite.rule import Rewritten, Step
from ir.rewrite.strategy import at
from ir.rules.opencl.lowering import map_to_seq, reduce_to_seq
from tests.ir.rules.notation import term

NESTED = "join (map (λr. map abs r) (split 4 xs4))"
RANK = "rankSeq 2 (λi. (uint32 i, i)) (repeat 4 7:int64) is"
SCATTER = "scatter (+) (λi. (i, 1:float32)) (map abs xs) is"


def operand(text: str, *path: int):
    """What a path of integers leads to, outside of functions."""
    e = term(text)
    for index in path:
        e = e.operands[index]
    return e


@pytest.mark.parametrize(
    ("place", "text", "path"),
    [
        (here, "map abs xs", ()),
        (function, "map abs xs", (0,)),
        (function, "reduce (+) 0 xs", (0,)),
        (initial, "reduce (+) 0 xs", (1,)),
        (initial, "scan (+) 0 xs", (1,)),
        (array, "map abs xs", (1,)),
        (array, "reduce (+) 0 xs", (2,)),
        (array, "join xss", (0,)),
        (array, SCATTER, (2,)),
        (values, SCATTER, (3,)),
        (starts, RANK, (1,)),
        (array, RANK, (2,)),
        (part(1), "zip(xs, ys)", (1,)),
        (part(0), "concat(xs, ys)", (0,)),
        (joined, "join xss", (0,)),
        (transposed, "transpose xss", (0,)),
        (below(Memory), "toPrivate (mapSeq abs xs)", (0,)),
        (below(AsScalar, Transpose), "transpose xss", (0,)),
        (below(Transpose) / array, "transpose (map (map abs) xss)", (0, 1)),
        (joined / array / part(1), "join (map (λ(r, q). map abs r) (zip(xss, xss)))", (0, 1, 1)),
    ],
    ids=str,
)
def test_a_place_is_the_operand_of_that_role(place, text, path):
    e = term(text)
    assert place.of(e) is operand(text, *path)
    marked = at(place, lambda e, context: Rewritten(e, (Step("seen", ()),)))(e, ())
    assert marked.steps == (Step("seen", path),)
    assert marked.expr is e


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (function, "join xss"),
        (body, "asScalar (map (vect 4 abs) (asVector 4 xs4))"),  # of no map
        (array / body, "asScalar (map (vect 4 abs) (asVector 4 xs4))"),  # of a map, but of no lambda
        (initial, "map abs xs"),
        (array, "zip(xs, ys)"),
        (values, "map abs xs"),
        (starts, "map abs xs"),
        (part(2), "zip(xs, ys)"),
        (part(0), "join xss"),
        (joined, "transpose xss"),
        (transposed, "join xss"),
        (below(Concat, Join), "transpose xss"),
        (joined / joined, "join xss"),
    ],
    ids=str,
)
def test_where_there_is_no_such_operand_a_strategy_fails(place, text):
    assert place.of(term(text)) is None
    assert at(place, lambda e, context: Rewritten(e, ()))(term(text), ()) is None


def test_a_body_is_opened_and_closed():
    done = at(joined / body, map_to_seq)(term(NESTED), ())
    assert done.expr is term(NESTED.replace("λr. map abs r", "λr. mapSeq abs r"))
    assert done.steps == (Step("map_to_seq", (0, 0, 0)),)
    assert str((joined / body).of(term(NESTED))).startswith("map abs")
    of_each = at(body, reduce_to_seq)(term("map (reduce (+) 0) xss"), ())
    assert of_each.steps == (Step("reduce_to_seq", (0, 0)),)


def test_places_are_composed_from_the_outside_in():
    assert str(array / part(1) / transposed) == "array / part(1) / transposed"
    assert str(here / joined) == str(joined / here) == "joined"
    inside = at(joined, at(body, map_to_seq))(term(NESTED), ())
    assert inside == at(joined / body, map_to_seq)(term(NESTED), ())
