"""The notation: what is printed is what the papers write, and it parses back to the same node."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ir.core.expr import Expr, Lambda, Param, fun
from ir.core.notation.parser import parse
from ir.core.notation.printer import show, show_indented
from ir.core.patterns import (
    MAP_SEQ,
    REDUCE_SEQ,
    Call,
    Concat,
    Element,
    FromSize,
    Get,
    Iterate,
    Join,
    Kind,
    Literal,
    Map,
    Memory,
    Reduce,
    ReducePart,
    Repeat,
    Slice,
    Split,
    Tuple,
    Zip,
    map_local,
    map_workgroup,
)
from ir.core.scalars import OPERATIONS
from ir.core.sizes import var
from ir.core.types import BOOL, FLOAT32, FLOAT64, INT32, INT64, TupleType, Type, array_of, scalar
from ir.errors import IRError
from tests.generators import Program, well_typed_expressions

N, M = var("n"), var("m")
SIZES = {"n": N, "m": M}
XS = Param("xs", array_of(FLOAT32, N))
ADD = fun((FLOAT32, FLOAT32), lambda a, b: Call("add", a, b))
ABS = fun(FLOAT32, lambda x: Call("abs", x))
ZERO = Literal(0, FLOAT32)
PAIR = TupleType((FLOAT32, FLOAT32))
TYPES: dict[str, Type] = {
    "xs": XS.type, "ys": XS.type, "fours": array_of(FLOAT32, 4 * N), "is": array_of(INT32, N), "a": FLOAT32, "i": INT32,
    "big": array_of(FLOAT32, 128 * N), "rows": array_of(FLOAT32, N, M), "p": PAIR, "ps": array_of(PAIR, N), "b": BOOL,
}  # fmt: skip


def assert_round_trip(e: Expr, inputs: dict[str, Type]) -> None:
    for text in (show(e), show_indented(e), show_indented(e, 30)):
        assert parse(text, inputs, SIZES) is e, text


@settings(max_examples=3 * settings.default.max_examples)
@given(well_typed_expressions())
def test_programs_round_trip(program: Program) -> None:
    assert_round_trip(program.expr, program.types)


@settings(max_examples=2 * settings.default.max_examples)
@given(well_typed_expressions(low_level=True))
def test_low_level_programs_round_trip(program: Program) -> None:
    assert_round_trip(program.expr, program.types)


# Each is printed exactly as it stands here.
CANONICAL = [
    "xs",
    "map (λx. x * 3) xs",
    "map abs xs",
    "map (abs ∘ sqrt) xs",
    "map (λx. x) xs",
    "map (λx. 1.0:float32) xs",
    "map float64 xs",
    "(reduce (+) 0 ∘ join ∘ map (reduceSeq (+) 0 ∘ mapSeq abs) ∘ split 4) fours",
    "reduceSeq (λ(acc, x). acc + abs(x)) 0 xs",
    "(reduce (+) 0 ∘ map (*)) (zip(xs, ys))",
    "scan (+) 0 xs",
    "scan maximum (-inf) xs",
    "scanSeq (λ(acc, x). acc + abs(x)) 0 xs",
    "scanMapSeq (λ(acc, x). (acc + x, acc)) 0 xs",
    "mapReduceSeq (λ(acc, x). (acc + x, acc)) 0 xs",
    "(map (scan (+) 0) ∘ split 4) fours",
    "(toPrivate (scanSeqUnroll (+) 1) ∘ element 0) rows",
    "map (λ(x, y). x * y + a) ps",
    "map (λp. (p, p.0)) ps",
    "map minimum ps",
    "map (λxs. map (+) (zip(xs, xs))) rows",
    "(toGlobal (mapWorkgroup (toLocal (mapLocal abs))) ∘ split 4) fours",
    "mapWorkgroup1 (mapLocal1 abs) rows",
    "mapSeqUnroll abs xs",
    "toPrivate xs",
    "(toGlobal ∘ toLocal (mapSeq abs)) xs",
    "map toPrivate rows",
    "reverse xs",
    "reorderStride 4 fours",
    "(asScalar ∘ map (vect 4 (λx. x * 2)) ∘ asVector 4) fours",
    "(reduceSeq (vect 4 (+)) (splat 4 0) ∘ asVector 4) fours",
    "slice 0 1 n xs",
    "slice (n - 1) (-1) n xs",
    "slide 3 1 xs",
    "(map (reduce (+) 0) ∘ slide (2*n) n) fours",
    "repeat 3 xs",
    "repeat (n // 2) 0.0:float32",
    "concat(xs, fours, ys)",
    "(xs, (ys, i))",
    "p.0",
    "element 0 xs",
    "(mapWorkgroup (mapWarp32 (mapLane32 abs) ∘ split 2) ∘ split 4) fours",
    "gather xs is",
    "generate int64 n (λx. x)",
    "generate int32 (2*n + 1) float32",
    "generate int64 n (λx. generate int32 m (λy. x * 3 + int64(y)))",
    "(map abs ∘ slice 0 1 4) (generate int32 4 (λx. let t1 = x + 1 in t1 * t1))",
    "(map abs ∘ gather xs) is",
    "(map (gather xs ∘ map (λx. x + 1)) ∘ split 4) (concat(is, is, is, is))",
    "iterate 3 (λ[2*k → k]. join ∘ map (reduce (+) 0) ∘ split 2) big",
    "iterate 1 (λ[2*k → k : 1..]. slice 0 2 k) fours",
    "iterate 1 (λ[2*k → k : ..n]. slice 0 2 k) fours",
    "reducePart (+) 0 n fours",
    "fromSize int32 (n + 1)",
    "(id ∘ reorder ∘ transpose) rows",
    "a - (a - a) * (a + a) / 2",
    "(a + 1) * -2 ** (a ** 3)",
    "select((a < 1) & b, a, 0)",
    "bitwise_invert(b) | (i % 3 == 0) ^ b",
    "(a, b).1",
    "(xs, ys).0",
    "(a == 1) == b",
    "negative(a)",
    "let t1 = abs(a) in t1 * t1",
    "map (λx. let t1 = abs(x) in t1 * t1) xs",
    "let t1 = map abs xs in zip(t1, t1)",
    "let t1 = element 0 xs in map (λx. x * t1 - t1) ys",
    "reduce (λ(acc, p). (acc.0 + p.0, maximum(acc.1, p.1))) (0, -inf) ps",
]


@pytest.mark.parametrize("text", CANONICAL)
def test_canonical_texts(text: str) -> None:
    e = parse(text, TYPES)
    assert show(e) == text
    assert_round_trip(e, TYPES)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        (r"map (\x. x * 3) xs", "map (λx. x * 3) xs"),
        ("(reduce (+) 0 o map abs) xs", "(reduce (+) 0 ∘ map abs) xs"),
        ("(map abs ◦ map sqrt) xs", "(map abs ∘ map sqrt) xs"),
        ("map abs (map sqrt xs)", "(map abs ∘ map sqrt) xs"),
        ("(λys. map abs ys) xs", "map abs xs"),
        ("(λ(x, y). x + y) (a, a)", "a + a"),
        ("map (λp. p.0 * p.1) ps", "map (*) ps"),
        ("map (λ(u, v). u * v) ps", "map (*) ps"),
        ("zip xs ys", "zip(xs, ys)"),
        ("(zip) (xs, ys)", "zip(xs, ys)"),
        ("joinVec (splitVec 4 fours)", "(asScalar ∘ asVector 4) fours"),
        ("iterate 3 (λ[k]. join ∘ map (reduce (+) 0) ∘ split 2) big",
         "iterate 3 (λ[2*k → k]. join ∘ map (reduce (+) 0) ∘ split 2) big"),
        (r"iterate 1 (\[2*k -> k]. slice 0 2 k) fours", "iterate 1 (λ[2*k → k]. slice 0 2 k) fours"),
        ("-a", "negative(a)"),
        ("abs a", "abs(a)"),
        ("minimum a a", "minimum(a, a)"),
        ("minimum p", "minimum(p.0, p.1)"),
        ("map (λx. x + 3.0:float32) xs", "map (λx. x + 3) xs"),
        ("let double = λx. x + x in map double (map double xs)", "(map (λx. x + x) ∘ map (λx. x + x)) xs"),
        ("map\n  abs\txs", "map abs xs"),
    ],
)  # fmt: skip
def test_alternatives(text: str, same: str) -> None:
    assert parse(text, TYPES) is parse(same, TYPES)
    assert show(parse(text, TYPES)) == same


# --- figure 10 of ICFP 2015 -------------------------------------------------------------------------------------------


def asum(*lines: str) -> list[str]:
    return [f"({line}) xs" for line in lines]


FIGURE_10 = asum(
    "reduce (+) 0 ∘ map abs",
    "reduce (+) 0 ∘ reducePart (+) 0 j ∘ map abs",
    "reduce (+) 0 ∘ join ∘ map (reducePart (+) 0 1) ∘ split i ∘ map abs",
    "reduce (+) 0 ∘ join ∘ map (reducePart (+) 0 1) ∘ split i ∘ join ∘ map (map abs) ∘ split i",
    "reduce (+) 0 ∘ join ∘ map (reducePart (+) 0 1) ∘ map (map abs) ∘ split i",
    "reduce (+) 0 ∘ join ∘ map (reducePart (+) 0 1 ∘ map abs) ∘ split i",
    "reduce (+) 0 ∘ join ∘ map (reducePart (+) 0 1 ∘ mapSeq abs) ∘ split i",
    "reduce (+) 0 ∘ join ∘ map (reduceSeq (+) 0 ∘ mapSeq abs) ∘ split i",
    "reduce (+) 0 ∘ join ∘ map (reduceSeq (λ(acc, x). acc + abs(x)) 0) ∘ split i",
)


@pytest.mark.parametrize("line", FIGURE_10)
def test_figure_10_is_printed_as_in_the_paper(line: str) -> None:
    inputs = {"xs": array_of(FLOAT32, var("i") * var("j"))}
    e = parse(line, inputs)
    assert show(e) == line
    assert parse(show_indented(e, 40), inputs) is e


def test_figure_10_from_the_patterns() -> None:
    """The last lines, built without the parser."""
    i, j = var("i"), var("j")
    xs = Param("xs", array_of(FLOAT32, i * j))
    chunk = array_of(FLOAT32, i)
    partial = fun(chunk, lambda c: ReducePart(ADD, ZERO, 1, Map(ABS, c)))
    unfused = fun(chunk, lambda c: Reduce(ADD, ZERO, Map(ABS, c, MAP_SEQ), REDUCE_SEQ))
    step = fun((FLOAT32, FLOAT32), lambda acc, x: Call("add", acc, Call("abs", x)))
    fused = fun(chunk, lambda c: Reduce(step, ZERO, c, REDUCE_SEQ))
    for f, line in ((partial, FIGURE_10[5]), (unfused, FIGURE_10[7]), (fused, FIGURE_10[8])):
        assert show(Reduce(ADD, ZERO, Join(Map(f, Split(i, xs))))) == line


# --- sharing ----------------------------------------------------------------------------------------------------------


def test_shared_nodes_are_printed_once() -> None:
    add = fun(PAIR, lambda p: Call("add", Get(0, p), Get(1, p)))
    x: Expr = XS
    for _ in range(64):
        x = Map(add, Zip(x, x))
    text = show(x)
    assert len(text) < 64 * 50
    assert text.startswith("let t1 = map (+) (zip(xs, xs)) in let t2 = map (+) (zip(t1, t1)) in ")
    assert_round_trip(x, TYPES)


def test_shared_nodes_below_shared_functions_are_printed_once() -> None:
    """Each array is used beside a map and inside its function, and the function twice."""
    x: Expr = XS
    for _ in range(40):
        f = fun(FLOAT32, lambda y, x=x: Call("add", y, Element(0, Reduce(ADD, ZERO, x))))
        x = Map(f, Map(f, x))
    assert len(show(x)) < 40 * 120
    assert_round_trip(x, TYPES)


def test_names_avoid_the_inputs() -> None:
    t1, x, acc = (Param(name, FLOAT32) for name in ("t1", "x", "acc"))
    shared = Call("abs", t1)
    f = fun((FLOAT32, FLOAT32), lambda a, b: Call("add", a, Call("multiply", b, Call("multiply", x, acc))))
    e = Tuple(Reduce(f, shared, XS), shared)
    assert show(e) == "let t2 = abs(t1) in (reduce (λ(acc1, y). acc1 + y * (x * acc)) t2 xs, t2)"
    assert_round_trip(e, {**TYPES, "t1": FLOAT32, "x": FLOAT32, "acc": FLOAT32})


@pytest.mark.parametrize(
    "name", ["map", "reduceSeq", "scan", "o", "in", "let", "abs", "λ", "λx", "a b", "float32", "1x", "`", "inf", "zip"]
)
def test_parameters_of_any_name_round_trip(name: str) -> None:
    xs = Param(name, array_of(FLOAT32, N))
    e = Map(fun(FLOAT32, lambda x: Call("add", x, Element(0, xs))), xs)
    assert_round_trip(e, {name: xs.type})


def test_sizes_with_names_from_the_language_round_trip() -> None:
    xs = Param("xs", array_of(FLOAT32, var("o") * 2 + var("abs")))
    e = Slice(var("o"), 1, var("o") + var("abs"), xs)
    assert show(e) == "slice `o` 1 (`abs` + `o`) xs"
    assert parse(show(e), {"xs": xs.type}) is e


def test_an_iterates_size_is_not_named_outside_it() -> None:
    k = var("k")
    double = fun(TupleType((FLOAT32, FLOAT32)), lambda p: Call("add", Get(0, p), Get(1, p)))

    def body(ys: Expr) -> Expr:
        zeros = Map(ABS, Repeat(k, ZERO))
        return Map(double, Zip(Map(double, Zip(zeros, Slice(0, 1, k, ys))), zeros))

    e = Iterate(2, k, fun(array_of(FLOAT32, 2 * k), body), Param("fours", array_of(FLOAT32, 4 * N)))
    assert_round_trip(e, TYPES)


# --- constants --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("constant", "text"),
    [
        (Literal(3, INT64), "3"),
        (Literal(-3, INT64), "-3"),
        (Literal(3, INT32), "3:int32"),
        (Literal(255, scalar("uint8")), "255:uint8"),
        (Literal(3, FLOAT64), "3.0"),
        (Literal(3, FLOAT32), "3.0:float32"),
        (Literal(0.1, FLOAT32), "0.1:float32"),
        (Literal(-0.0, FLOAT64), "-0.0"),
        (Literal(np.inf, FLOAT32), "inf:float32"),
        (Literal(-np.inf, FLOAT64), "-inf"),
        (Literal(np.nan, FLOAT32), "nan:float32"),
        (Literal(np.frombuffer(struct.pack("<I", 0x7FC00001), "<f4")[0], FLOAT32), "0x7fc00001:float32"),
        (Literal(True, BOOL), "true"),
        (Literal(1, INT64), "1"),
        (Literal(1e300, FLOAT64), "1e+300"),
    ],
)
def test_constants(constant: Literal, text: str) -> None:
    assert show(constant) == text
    assert parse(text, {}) is constant


@given(
    st.data(),
    st.sampled_from(["bool", *(f"{u}int{b}" for u in ("", "u") for b in (8, 16, 32, 64)), "float32", "float64"]),
)
def test_constants_of_any_bits_round_trip(data: st.DataObject, dtype: str) -> None:
    size = np.dtype(dtype).itemsize
    bits = data.draw(st.binary(min_size=size, max_size=size))
    value = np.frombuffer(bits, dtype)[0] if dtype != "bool" else bool(bits[0] & 1)
    constant = Literal(value, scalar(dtype))
    array = Param("v", array_of(scalar(dtype), 4))
    assert parse(show(constant), {}) is constant
    for e in (
        Tuple(constant, array),
        Map(fun(scalar(dtype), lambda x: Call("equal", x, constant)), array),
        Repeat(3, constant),
    ):
        assert parse(show(e), {"v": array.type}) is e


@given(
    st.sampled_from(sorted(OPERATIONS)),
    st.sampled_from(sorted(OPERATIONS)),
    st.integers(0, 2),
    st.sampled_from([BOOL, INT32, FLOAT64]),
)
def test_nested_operations_round_trip(outer: str, inner: str, position: int, t: Type) -> None:
    """Precedence and associativity: one primitive inside another, at each operand, with constants beside."""
    inputs = {"x": t, "y": t, "b": BOOL}
    x, y, b = (Param(name, of) for name, of in inputs.items())
    for constant in (y, Literal(1, t)):
        try:
            arity = OPERATIONS[inner].arity
            part = Call(inner, *((b, constant, x) if inner == "select" else (x, constant, y)[:arity]))
            operands: list[Expr] = (
                [b, x, constant] if outer == "select" else [x, constant, y][: OPERATIONS[outer].arity]
            )
            operands[min(position, len(operands) - 1)] = part
            e = Call(outer, *operands)
        except IRError:
            continue  # these primitives do not combine at this type
        assert parse(show(e), inputs) is e


# --- large expressions ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_long_chains_print_and_parse() -> None:
    x: Expr = XS
    for _ in range(20_000):
        x = Map(ABS, x)
    assert show(x) == "(" + " ∘ ".join(["map abs"] * 20_000) + ") xs"
    assert parse(show(x), TYPES) is x
    assert parse(show_indented(x), TYPES) is x


@pytest.mark.slow
def test_a_chain_of_100_000_nodes_prints() -> None:
    x: Expr = XS
    for _ in range(100_000):
        x = Map(ABS, x)
    assert show(x).count("map abs") == 100_000


@pytest.mark.slow
def test_deep_scalar_functions_print_and_parse() -> None:
    def deep(x: Expr) -> Expr:
        for i in range(5_000):
            x = Call("add", Literal(i, FLOAT32), Call("abs", x))
        return x

    e = Map(fun(FLOAT32, deep), XS)
    assert parse(show(e), TYPES) is e


def test_repr_is_short() -> None:
    x: Expr = XS
    add = fun(PAIR, lambda p: Call("add", Get(0, p), Get(1, p)))
    for _ in range(10_000):
        x = Map(add, Zip(x, x))
    assert len(repr(x)) <= 1000 and "…" in repr(x)
    assert repr(Map(ABS, XS)) == "map abs xs"
    assert repr(ADD) == "(+)"
    assert repr(ABS.body).startswith("abs(#")


def test_lines_are_not_longer_than_asked() -> None:
    stages = " ∘ ".join(["join ∘ map (map (λx. x * 3 + abs(x) - minimum(x, 2))) ∘ split 4"] * 6)
    e = parse(f"(reduce (+) 0 ∘ {stages}) fours", TYPES)
    for width in (60, 100):
        lines = show_indented(e, width).split("\n")
        assert len(lines) > 5 and max(map(len, lines)) <= width


def test_layout() -> None:
    e = parse("(reduce (+) 0 ∘ join ∘ map (reduceSeq (+) 0 ∘ mapSeq abs) ∘ split 4) fours", TYPES)
    assert show_indented(e) == show(e)
    assert show_indented(e, 45) == (
        "(reduce (+) 0\n  ∘ join\n  ∘ map (reduceSeq (+) 0 ∘ mapSeq abs)\n  ∘ split 4)\n  fours"
    )
    shared = parse("let t1 = map abs xs in let t2 = zip(t1, t1) in (t2, t2)", TYPES)
    assert show_indented(shared, 40) == "let t1 = map abs xs in\nlet t2 = zip(t1, t1) in\n(t2, t2)"


def test_texts_do_not_depend_on_what_was_made_before() -> None:
    def make() -> str:
        f = fun(
            array_of(FLOAT32, M),
            lambda row: Reduce(ADD, ZERO, Map(fun(FLOAT32, lambda x: Call("multiply", x, x)), row)),
        )
        return show(Map(f, Param("rows", array_of(FLOAT32, N, M))))

    first = make()
    for _ in range(10):
        fun(FLOAT32, lambda x: x).open()
    assert make() == first == "map (reduce (+) 0 ∘ map (λx. x * x)) rows"


def test_kinds_and_spaces_are_kept() -> None:
    rows = Param("rows", array_of(FLOAT32, N, M))
    inner = fun(array_of(FLOAT32, M), lambda row: Memory("local", Map(ABS, row, map_local(2))))
    e = Memory("global", Map(inner, rows, map_workgroup(1)))
    assert show(e) == "toGlobal (mapWorkgroup1 (toLocal (mapLocal2 abs))) rows"
    assert_round_trip(e, TYPES)
    apart, cube = Memory("local", rows, 4), Param("cube", array_of(FLOAT32, 3, N, M))
    assert show(apart) == "toLocal4 rows"
    assert parse("toLocal4 rows", TYPES) is apart
    assert parse("toLocal rows", TYPES) is not apart
    assert str(Map(fun(rows.type, lambda x: Memory("local", x, 12)), cube)) == "map toLocal12 cube"
    warp = Map(ABS, XS, Kind("mapWarp", 32))
    assert show(warp) == "mapWarp32 abs xs"
    assert parse("mapWarp abs xs", TYPES) is parse("mapWarp32 abs xs", TYPES) is warp
    assert parse("fromSize float32 n", {}, SIZES) is FromSize(N, FLOAT32)
    assert parse("concat(xs, xs)", TYPES) is Concat(XS, XS)
    assert isinstance(ADD, Lambda)
