"""Products of numbers of TF32, which the lanes of a warp add up together."""

from __future__ import annotations

from collections.abc import Callable

from ir.core.expr import Expr, Lambda, fun, postorder, substitute
from ir.core.nodes.tensor_cores import MMA_COLUMNS, MMA_HELD, MMA_NEIGHBOURS, MMA_ROWS, MMA_TERMS
from ir.core.patterns import (
    MAP,
    Call,
    Concat,
    Element,
    Get,
    Join,
    Literal,
    Map,
    Mma,
    Reduce,
    Repeat,
    Split,
    Transpose,
    Tuple,
    Zip,
)
from ir.core.semantics.interpreter import interpret
from ir.core.signature import LANES
from ir.core.sizes import Size, is_le, size
from ir.core.types import FLOAT32, TupleType
from ir.rewrite.rule import Label, rule
from ir.rules.common import divides, element, is_monoid, length

__all__: list[str] = []


@rule(Label.REASSOCIATING, "PTX ISA, mma.sync.m16n8k8 of tf32")
def reduce_by_warp(e: Element) -> Expr | None:
    """element 0 (reduceSeq (λ(cs, xs). element 0 (reduceSeq f cs xs)) (repeat m (repeat n z)) xss)
    ->  matrix (element 0 (reduceSeq (λ(cs, xs). mma cs (map (map p) xs.0) (map (map q) xs.1)) (lanes z) xss))

    Here `f (cs, x)` is `map (λ(c, a). map (λ(d, b). d + p a * q b) (zip(c, x.1))) (zip(cs, x.0))`, and p and q round to
    TF32. What lanes hold is `lanes z`, the matrix of the same number, and `matrix` shows it row by row.
    """
    match e:
        case Element(at, Reduce(Lambda() as turn, Repeat(m, Repeat(n, z)), chunks, how)) if at.value == 0:
            (accumulator, chunk), body = turn.open()
        case _:
            return None
    match body:
        case Element(first, Reduce(Lambda() as f, before, Zip(operands=(rows, columns)), same)) if first.value == 0:
            factors = _factors(f)
            if before is not accumulator or factors is None or same is not how or not _fits(m, n, length(rows)):
                return None
        case _:
            return None
    held = Repeat(LANES, Repeat(m // MMA_ROWS, Repeat(n // MMA_COLUMNS, Repeat(MMA_HELD, z))))
    p, q = factors

    def turns(cs: Expr, xs: Expr) -> Expr:
        a, b = (substitute(x, {chunk: xs}) for x in (rows, columns))
        return Mma(cs, _of_all(p, a), _of_all(q, b))

    return _matrix(Element(0, Reduce(fun((held.type, element(chunks)), turns), held, chunks, how)))


@rule(Label.EXACT, "z is the neutral element of f")
def pad_terms(e: Map, *, count: Size | int) -> Expr | None:
    """map (λr. map (λc. reduce f z (map g (zip(r, c)))) cs) rs  ->  map (λr. map (λc. reduce f z (map g (zip(r, c))))
    (map (λc. concat(c, repeat m 0)) cs)) (map (λr. concat(r, repeat m 0)) rs)      where g (0, 0) is z
    """
    match e:
        case Map(Lambda() as of_row, rows, outer) if outer == MAP and is_le(size(0), size(count)):
            (row,), inner = of_row.open()
        case _:
            return None
    match inner:
        case Map(Lambda() as of_column, columns, how) if how == MAP and row not in postorder(columns):
            (column,), dot = of_column.open()
        case _:
            return None
    match dot.xs if isinstance(dot, Element) and dot.index.value == 0 else dot:
        case Reduce(f, z, Map(Lambda() as g, Zip(operands=pair), mapped), order) if len(pair) == 2:
            if set(pair) != {row, column} or not is_monoid(f, z) or not _is_zero(g, z):
                return None
        case _:
            return None

    def longer(xss: Expr) -> Expr:
        return Map(fun(element(xss), lambda xs: Concat(xs, Repeat(count, Literal(0, FLOAT32)))), xss)

    def term(r: Expr, c: Expr) -> Expr:
        made = Reduce(f, z, Map(g, Zip(*(r if x is row else c for x in pair)), mapped), order)
        return Element(0, made) if isinstance(dot, Element) else made

    wide, tall = longer(columns), longer(rows)
    return Map(fun(element(tall), lambda r: Map(fun(element(wide), lambda c: term(r, c)), wide)), tall)


def _is_zero(g: Lambda, z: Expr) -> bool:
    """Does g make z of zeros of float32?"""
    zero = Literal(0, FLOAT32)
    if z is not zero or g.types != (TupleType((FLOAT32, FLOAT32)),):
        return False
    return not interpret(g(Tuple(zero, zero)), {}).any()


def _of_all(f: Lambda, xss: Expr) -> Expr:
    """map (map f) xss"""
    return Map(fun(element(xss), lambda xs: Map(f, xs)), xss)


def _fits(m: Size, n: Size, terms: Size) -> bool:
    return divides(MMA_ROWS, m) and divides(MMA_COLUMNS, n) and divides(MMA_TERMS, terms)


def _factors(f: Lambda) -> tuple[Lambda, Lambda] | None:
    """The functions that make the factors of a row's and a column's element, of the outer product that f adds."""
    (cs, x), body = f.open()
    match body:
        case Map(Lambda() as of_row, Zip(operands=(whole, rows))) if whole is cs and rows is Get(0, x):
            (row,), inner = of_row.open()
        case _:
            return None
    match inner:
        case Map(Lambda() as of_column, Zip(operands=(held, columns))) if held is Get(0, row) and columns is Get(1, x):
            (pair,), added = of_column.open()
        case _:
            return None
    a, b = Get(1, row), Get(1, pair)
    match added:
        case Call(op="add", operands=(d, Call(op="multiply", operands=(left, right)))) if d is Get(0, pair):
            found = [_factor(left, a, (x, cs, row, pair)), _factor(right, b, (x, cs, row, pair))]
            return (found[0], found[1]) if found[0] is not None and found[1] is not None else None
    return None


def _factor(e: Expr, variable: Expr, others: tuple[Expr, ...]) -> Lambda | None:
    """The function of a variable that rounds to TF32 at last."""
    if not isinstance(e, Call) or e.op != "round_to_tf32" or variable.type is not FLOAT32:
        return None
    f = fun(FLOAT32, lambda v: substitute(e, {variable: v}))
    return None if any(x in postorder(f) for x in others) else f


def _matrix(held: Expr) -> Expr:
    """What the lanes of a warp hold as a matrix: element (16 i + 8 h + r, 8 j + 2 q + s) is at (4 r + q, i, j, 2 h +
    s).
    """
    parts = _at_depth(4, lambda x: Split(MMA_HELD // 2, x), Split(MMA_NEIGHBOURS, held))
    for depth in (1, 0, 3, 2, 1, 3):
        parts = _at_depth(depth, Transpose, parts)
    return Join(Join(_at_depth(3, lambda x: Join(Join(x)), parts)))


def _at_depth(depth: int, f: Callable[[Expr], Expr], e: Expr) -> Expr:
    """map (map .. f) e, inside of so many maps."""
    return f(e) if not depth else Map(fun(element(e), lambda x: _at_depth(depth - 1, f, x)), e)
