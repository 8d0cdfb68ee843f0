"""The normal form of windows: small ones become arrays side by side, what is read through others moves out of them."""

from __future__ import annotations

import pytest

from ir.core.expr import Expr
from ir.core.notation.parser import parse
from ir.core.notation.printer import show
from ir.core.semantics.interpreter import interpret
from ir.core.sizes import var
from ir.core.types import FLOAT32, array_of
from ir.schedules.candidates import Candidates
from tests.ir import values

N, M = var("n", 1), var("m", 1)
INPUTS = {
    "xs": array_of(FLOAT32, N + 4),
    "ys": array_of(FLOAT32, N + 4),
    "zs": array_of(FLOAT32, 3 * N + 2),
    "long": array_of(FLOAT32, N + 30),
    "xss": array_of(FLOAT32, M, N + 1),
    "w": array_of(FLOAT32, 2),
}


def term(text: str) -> Expr:
    return parse(text, INPUTS, {"n": N, "m": M})


NORMAL = [
    (
        "join (map (reduce (+) 0) (slide 2 1 xs))",
        "map (λ(x, y). 0 + x + y) (zip(slice 0 1 (n + 3) xs, slice 1 1 (n + 3) xs))",
    ),
    (  # what is mapped before is computed for each window
        "join (map (reduce (+) 0) (slide 2 1 (map abs xs)))",
        "map (λ(y, x). 0 + abs x + abs y) (zip(slice 1 1 (n + 3) xs, slice 0 1 (n + 3) xs))",
    ),
    (  # by weights
        "map (λv. element 0 (reduce (+) 0 (map (*) (zip(v, w))))) (slide 2 1 xs)",
        "map (λ(x, y). 0 + x * element 0 w + y * element 1 w) (zip(slice 0 1 (n + 3) xs, slice 1 1 (n + 3) xs))",
    ),
    (  # the elements in the middle
        "join (map (slice 1 1 1) (slide 3 1 (map abs xs)))",
        None,
    ),
    (  # of windows of windows, each element is read once
        "join (map (reduce (+) 0) (slide 2 1 (join (map (reduce (+) 0) (slide 2 1 xs)))))",
        "map (λ(y, z, x). 0 + (0 + x + y) + (0 + y + z)) "
        "(zip(slice 1 1 (n + 2) xs, slice 2 1 (n + 2) xs, slice 0 1 (n + 2) xs))",
    ),
    (  # in rows
        "join (map (λr. join (map (reduce maximum (-inf)) (slide 2 1 r))) xss)",
        "map (λ(x, y). maximum(maximum(-inf, x), y)) (join (map (λr. zip(slice 0 1 n r, slice 1 1 n r)) xss))",
    ),
    (  # in rows, beside windows of numbers that are made of the index: whoever reads those makes them
        "join (map (λr. join (map (λ(v, i). reduce (+) 0 (map (*) (zip(v, i)))) (zip(slide 2 1 r, "
        "slide 2 1 (generate int32 (n + 1) (λi. float32(i) - 2.0)))))) xss)",
        "let is = generate int32 (n + 1) (λi. i) in map (λ(x, y, i, j). 0 + x * (float32(i) - 2.0) + y * (float32(j) - "
        "2.0)) (join (map (λr. zip(slice 0 1 n r, slice 1 1 n r, slice 0 1 n is, slice 1 1 n is)) xss))",
    ),
    ("join (map (reduce (+) 0) (slide 5 3 zs))", None),  # too far apart to be neighbours in a vector
    ("join (map (reduce (+) 0) (slide 17 1 long))", None),  # too many
    ("map (map abs) (slide 3 1 xs)", None),  # rows
    ("join (map (reduce (+) 0) (slide 2 2 (slice 0 1 2 xs)))", "join (map (reduce (+) 0) (split 2 (slice 0 1 2 xs)))"),
]


@pytest.mark.parametrize(("text", "expected"), NORMAL, ids=[text for text, _ in NORMAL])
def test_the_normal_form(text, expected):
    e = term(text)
    normal = Candidates.of(e).normal
    wanted = e if expected is None else term(expected)
    if expected is not None or "middle" in text:
        assert normal is wanted, f"got {show(normal)}"
    for n in (1, 2, 7):
        inputs = values.random_inputs(e, {"n": n, "m": 3}, whole=True)
        sizes = {"n": n, "m": 3}
        values.assert_identical(interpret(normal, inputs, sizes), interpret(e, inputs, sizes))


def test_which_schedules_match():
    found = {text: {s.name for s in Candidates.of(term(text)).schedules} for text, _ in NORMAL}
    for text in (NORMAL[0][0], NORMAL[1][0], NORMAL[2][0], NORMAL[4][0]):
        assert found[text] == {"chunks", "grid", "nest"}
    assert {"chunks", "grid", "map_rows"} <= found[NORMAL[5][0]]
    for text in (NORMAL[7][0], NORMAL[8][0]):
        assert found[text] == {"row_group", "row_item", "nest"}
