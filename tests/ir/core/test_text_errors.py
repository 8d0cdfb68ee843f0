"""The notation: texts that mean nothing, and the names that other papers give."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ir.core.notation.parser import parse
from ir.core.notation.printer import show
from ir.errors import ParseError
from tests.ir.core.test_text import SIZES, TYPES, assert_round_trip


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        ("map (λx. x *) xs", "expected an expression, got ')'", 12),
        ("map abs zs", "expected a value (known are ", 8),
        ("map (λx. y) xs", "expected a value", 9),
        ("split 3 (zip(xs, ys", "expected ',' or ')', got 'the end'", 19),
        ("xs $ 1", "expected a name, a number or an operator, got '$'", 3),
        ("xs )", "expected an operator, an argument or the end, got ')'", 3),
        ("map 3 xs", "expected a function, got '3'", 4),
        ("map abs", "expected a value", 4),
        ("map abs a", "expected an array to apply this to, got float32", 0),
        ("slice 1 2 xs", "expected slice with 3 fixed arguments (start, step, count)", 0),
        ("slide 3 xs", "expected slide with 2 fixed arguments (window, step)", 0),
        ("slide 0 1 xs", "slide: expected a window of 1 or more, got 0", 0),
        ("split k xs", "", 6),
        ("map (λ(x, y). x) xs", "expected a function of 1 arguments", 5),
        ("λmap. 1", "expected a name that is not a word of the language, got 'map'", 1),
        ("λ(x, x). x", "expected different names", 0),
        ("reduce (+) true xs", "add: expected operands of one type, got bool, float32", 7),
        ("split 3 xs", "split: expected an array length that is a multiple of 3, got n", 0),
        ("iterate 2 join xs", "expected λ[2*m → m]. and a function, got 'join'", 10),
        ("asVector n xs", "expected a whole number, got 'n'", 9),
        ("300:uint8", "expected a number of type uint8, got '300:uint8'", 0),
        ("a.0", "projection: expected a tuple with a component 0, got float32", 0),
        ("abs", "expected a value", 0),
        ("", "expected an expression, got 'the end'", 0),
    ],
)
def test_errors_show_the_place_and_what_was_expected(text: str, message: str, position: int) -> None:
    with pytest.raises(ParseError) as error:
        parse(text, TYPES)
    shown = str(error.value)
    first, line, caret = shown.split("\n")
    assert first.startswith(message) and f"at character {position}:" in first
    assert line == f"  {text}" and caret == " " * (position + 2) + "^"


def test_text_nested_too_deeply_is_refused() -> None:
    with pytest.raises(ParseError, match="nested too deeply"):
        parse("(" * 100_000, {})


@settings(max_examples=3 * settings.default.max_examples)
@given(st.text("λx()[].,:∘+-* 12map abs reduce zip let t = in xs→#`\\", max_size=40))
def test_no_text_breaks_the_parser(text: str) -> None:
    try:
        e = parse(text, TYPES)
    except ParseError:
        return
    assert parse(show(e), TYPES) is e


ALTERNATIVES = [
    ("mapWarp (mapLane abs) rows", "mapWarp32 (mapLane32 abs) rows"),
    ("outerSplit 4 fours", "split 4 fours"),
    ("innerSplit 4 fours", "split 4 fours"),
    ("outerJoin rows", "join rows"),
    ("innerJoin rows", "join rows"),
    ("innerSplit m (repeat 2 rows)", "map (map (split m)) (repeat 2 rows)"),
    ("innerJoin (repeat 2 rows)", "map join (repeat 2 rows)"),
    ("(innerJoin ∘ innerSplit 2 ∘ outerSplit 4) fours", "(map join ∘ map (split 2) ∘ split 4) fours"),
    ("(joinVec ∘ map (mapVec abs) ∘ splitVec 4) fours", "(asScalar ∘ map (vect 4 abs) ∘ asVector 4) fours"),
    (
        "map (mapVec (λ(x, y). x - y)) (splitVec 2 (zip(fours, fours)))",
        "map (vect 2 (λ(x, y). x - y)) (asVector 2 (zip(fours, fours)))",
    ),
    ("reduceSeq (mapVec (+)) (splat 4 0) (splitVec 4 fours)", "reduceSeq (vect 4 (+)) (splat 4 0) (asVector 4 fours)"),
]


@pytest.mark.parametrize(("text", "same"), ALTERNATIVES)
def test_the_papers_other_names(text: str, same: str) -> None:
    e = parse(text, TYPES, SIZES)
    assert e is parse(same, TYPES, SIZES)
    assert_round_trip(e, TYPES)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("innerJoin xs", "innerJoin: expected an array, got float32"),
        ("innerSplit 3 fours", "split: expected an array length that is a multiple of 3"),
        ("innerSplit fours", "expected innerSplit, which takes a size first"),
        ("outerJoin 2 rows", "expected outerJoin, which takes nothing first"),
        ("map (mapVec abs) xs", "expected vectors of one width, got float32"),
        ("map (mapVec 4 abs) (splitVec 4 fours)", "or mapVec and a function"),
    ],
)
def test_the_papers_other_names_wrongly_used(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        parse(text, TYPES, SIZES)
