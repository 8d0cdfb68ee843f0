"""Products of numbers of TF32, which the lanes of a warp add up together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ir.core.expr import Expr, Lambda, Param, fun, identity, postorder, substitute
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
from ir.core.types import FLOAT32, ArrayType, TupleType
from ir.rewrite.rule import Label, rule
from ir.rules.common import divides, element, has_rows, is_monoid, length, length_of_row

__all__ = ["is_zero_of_zeros"]


@rule(Label.REASSOCIATING, "PTX ISA, mma.sync.m16n8k8 of tf32")
def reduce_by_warp(e: Element, *, width: Size | int) -> Expr | None:
    """element 0 (reduceSeq (λ(cs, xs). element 0 (reduceSeq f cs xs)) (repeat m (repeat n z)) xss)
    ->  matrix (element 0 (reduceSeq (λ(cs, xs). mma w cs (map (map p) xs.0) (map (map q) xs.1)) (lanes z) xss))

    Here `f (cs, x)` is `map (λ(c, a). map (λ(d, b). d + p a * q b) (zip(c, x.1))) (zip(cs, x.0))`, and p and q round to
    TF32; a lane reads w factors at once. What lanes hold is `lanes z`, the matrix of the same number, and `matrix`
    shows it row by row.
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
    if size(width).value != 1 and not (size(width).value == MMA_HELD and divides(2 * MMA_COLUMNS, n)):
        return None
    held = Repeat(LANES, Repeat(m // MMA_ROWS, Repeat(n // MMA_COLUMNS, Repeat(MMA_HELD, z))))
    p, q = factors

    def turns(cs: Expr, xs: Expr) -> Expr:
        a, b = (substitute(x, {chunk: xs}) for x in (rows, columns))
        return Mma(width, cs, _of_all(p, a), _of_all(q, b))

    return _matrix(Element(0, Reduce(fun((held.type, element(chunks)), turns), held, chunks, how)))


@rule(Label.EXACT, "the bits of a number of TF32 are kept when it is cut to TF32")
def round_beforehand(e: Map) -> Expr | None:
    """map (λr. map (λc. reduce f z (map (λ(a, b). p a * q b) (zip(r, c)))) cs) rs  ->  map (λr. map (λc. reduce f z
    (map (λ(a, b). cut a * cut b) (zip(r, c)))) (map (map q) cs)) (map (map p) rs)      where p and q round to TF32
    """
    dots = _dots(e)
    if dots is None:
        return None
    (x,), term = dots.term.open()
    if not isinstance(term, Call) or term.op != "multiply" or len(term.operands) != 2:
        return None
    found = []
    for v, xss in ((dots.row, e.xs), (dots.column, dots.columns)):
        made = (_factor(t, Get(dots.pair.index(v), x), (x,), cut=False) for t in term.operands)
        factor = next((f for f in made if f is not None), None)
        if factor is None:
            return None
        found.append(_of_all(factor, xss))
    rows, columns = found

    def cut(a: Expr) -> Expr:
        return Call("cut_to_tf32", a)

    cut_terms = fun(TupleType((FLOAT32, FLOAT32)), lambda p: Call("multiply", cut(Get(0, p)), cut(Get(1, p))))

    return _made_again(rows, columns, lambda r, c: dots.reduced(cut_terms, Zip(r, c)))


@rule(Label.EXACT, "z is the neutral element of f")
def pad_terms(e: Map, *, count: Size | int) -> Expr | None:
    """map (λr. map (λc. reduce f z (map g (zip(r, c)))) cs) rs  ->  map (λr. map (λc. reduce f z (map g (zip(r, c))))
    (map (λc. concat(c, repeat m 0)) cs)) (map (λr. concat(r, repeat m 0)) rs)      where g (0, 0) is z
    """
    dots = _dots(e) if is_le(size(0), size(count)) else None
    if dots is None or not is_monoid(dots.whole.f, dots.whole.init) or not is_zero_of_zeros(dots.term, dots.whole.init):
        return None

    def longer(xss: Expr) -> Expr:
        return Map(fun(element(xss), lambda xs: Concat(xs, Repeat(count, Literal(0, FLOAT32)))), xss)

    def term(r: Expr, c: Expr) -> Expr:
        return dots.reduced(dots.term, Zip(*(r if x is dots.row else c for x in dots.pair)))

    return _made_again(longer(e.xs), longer(dots.columns), term)


@dataclass(frozen=True)
class _Dots:
    """The parts of `map (λrow. map (λcolumn. reduce f z (map term (zip(row, column)))) columns) rows`.

    Attributes:
        pair: the row and the column in the order of the zip
        first: is the element of the reduction meant, not the array of it?
    """

    row: Expr
    column: Expr
    columns: Expr
    pair: tuple[Expr, ...]
    term: Lambda
    whole: Reduce
    first: bool

    def reduced(self, term: Lambda, pair: Expr) -> Expr:
        """The same reduction of other terms."""
        assert isinstance(self.whole.xs, Map)
        made = Reduce(self.whole.f, self.whole.init, Map(term, pair, self.whole.xs.how), self.whole.how)
        return Element(0, made) if self.first else made


def _dots(e: Map) -> _Dots | None:
    match e:
        case Map(Lambda() as of_row, _, outer) if outer == MAP:
            (row,), inner = of_row.open()
        case _:
            return None
    match inner:
        case Map(Lambda() as of_column, columns, how) if how == MAP and row not in postorder(columns):
            (column,), dot = of_column.open()
        case _:
            return None
    first = isinstance(dot, Element) and dot.index.value == 0
    match dot.operands[-1] if first else dot:
        case Reduce(f, z, Map(Lambda() as term, Zip(operands=pair))) as whole if len(pair) == 2:
            if set(pair) == {row, column} and not any(x in postorder(y) for x in pair for y in (f, z, term)):
                return _Dots(row, column, columns, pair, term, whole, first)
    return None


def _made_again(rows: Expr, columns: Expr, made: Callable[[Expr, Expr], Expr]) -> Expr:
    """map (λr. map (λc. made r c) columns) rows"""
    return Map(fun(element(rows), lambda r: Map(fun(element(columns), lambda c: made(r, c)), columns)), rows)


def is_zero_of_zeros(g: Lambda, z: Expr) -> bool:
    """Is it known that g makes z, which is zero, of zeros of float32?"""
    zero = Literal(0, FLOAT32)
    if z is not zero or any(isinstance(x, Param) for x in postorder(g)) or g.types != (TupleType((FLOAT32, FLOAT32)),):
        return False
    return not interpret(g(Tuple(zero, zero)), {}).any()


def _of_all(f: Lambda, xss: Expr) -> Expr:
    """map (map f) xss"""
    if f is identity(FLOAT32):
        return xss
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


def _factor(e: Expr, variable: Expr, others: tuple[Expr, ...], cut: bool = True) -> Lambda | None:
    """The function of a variable that rounds to TF32 at last; or, if `cut`, what is cut to it, as `mma` cuts it."""
    if not isinstance(e, Call) or e.op not in ("round_to_tf32", "cut_to_tf32") or variable.type is not FLOAT32:
        return None
    is_cut = e.op == "cut_to_tf32"
    f = fun(FLOAT32, lambda v: substitute(e.operands[0] if is_cut else e, {variable: v}))
    return None if (is_cut and not cut) or any(x in postorder(f) for x in others) else f


@rule(Label.EXACT, "PTX ISA, mma.sync.m16n8k8 of tf32: which elements of its factors a lane hands over")
def rows_by_lanes(e: Expr, *, rows: Size | int, terms: Size | int) -> Expr | None:
    """xss  ->  rows (flat xss)      for m rows of k numbers, in tiles of that many rows and terms

    In `flat xss` the numbers of a tile lie together, in it those of 16 rows and 8 terms, and the four of a lane side by
    side: it puts row 16 i + 8 h + r and term 8 t + 4 s + q of a tile at (i, t, r, q, s, h). `rows` shows them where
    they were.
    """
    return _by_lanes(e, _ROWS, size(rows), size(terms))


@rule(Label.EXACT, "PTX ISA, mma.sync.m16n8k8 of tf32: which elements of its factors a lane hands over")
def columns_by_lanes(e: Expr, *, rows: Size | int, terms: Size | int) -> Expr | None:
    """xss  ->  columns (flat xss)      for n columns of k numbers: those of two matrices, at (j, t, r, q, h, s)"""
    return _by_lanes(e, _COLUMNS, size(rows), size(terms))


_TILES = (3, 2, 1)
"""The axes that are exchanged with the next one, in turn, so that tiles lie together: (I, i, h, r, T, t, s, q) become
(I, T, i, h, r, t, s, q).
"""

_ROWS = (*_TILES, 4, 3, 4, 5, 6, 5)
"""The same, so that (I, i, h, r, T, t, s, q) become (I, T, i, t, r, q, s, h)."""

_COLUMNS = (*_TILES, 4, 3, 4, 6, 5)
"""The same for (I, T, j, t, r, q, h, s)."""


def _by_lanes(e: Expr, exchanged: tuple[int, ...], rows: Size, terms: Size) -> Expr | None:
    row = element(e) if has_rows(e.type) else None
    if not isinstance(row, ArrayType) or row.element is not FLOAT32:
        return None
    count, whole = length(e), length_of_row(e)
    if not all(divides(n, of) for n, of in ((MMA_ROWS, rows), (MMA_TERMS, terms), (rows, count), (terms, whole))):
        return None
    if any(n.value == 0 for n in (rows, terms, whole)):
        return None
    half, down, steps = MMA_TERMS // MMA_NEIGHBOURS, rows // MMA_ROWS, terms // MMA_TERMS
    parts: Expr = Split(down, _at_depth(1, lambda x: Split(MMA_ROWS // 2, x), Split(MMA_ROWS, e)))
    parts = _at_depth(4, lambda x: Split(terms, x), parts)
    parts = _at_depth(6, lambda x: Split(MMA_NEIGHBOURS, x), _at_depth(5, lambda x: Split(MMA_TERMS, x), parts))
    for depth in exchanged:
        parts = _at_depth(depth, Transpose, parts)
    for _ in range(7):
        parts = Join(parts)
    for n in (half, half, MMA_NEIGHBOURS, MMA_ROWS // 2, steps, down, whole // terms):
        parts = Split(n, parts)
    for depth in reversed(exchanged):
        parts = _at_depth(depth, Transpose, parts)
    parts = _at_depth(4, lambda x: Join(Join(Join(x))), parts)
    return Join(Join(_at_depth(2, Join, parts)))


def _matrix(held: Expr) -> Expr:
    """What the lanes of a warp hold as a matrix: element (16 i + 8 h + r, 8 j + 2 q + s) is at (4 r + q, i, j, 2 h +
    s).
    """
    parts = _at_depth(4, lambda x: Split(MMA_HELD // 2, x), Split(MMA_NEIGHBOURS, held))
    for depth in (1, 0, 3, 2, 1, 3):
        parts = _at_depth(depth, Transpose, parts)
    for depth in (3, 3, 0, 0):  # each a map of its own, so that what is done with the elements moves below one by one
        parts = _at_depth(depth, Join, parts)
    return parts


def _at_depth(depth: int, f: Callable[[Expr], Expr], e: Expr) -> Expr:
    """map (map .. f) e, inside of so many maps."""
    return f(e) if not depth else Map(fun(element(e), lambda x: _at_depth(depth - 1, f, x)), e)
