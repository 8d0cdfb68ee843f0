"""Algorithmic rules on maps, reorderings, iteration and reshapes: ICFP 2015 figure 6, (a) to (c), (e) and (f)."""

from __future__ import annotations

from ir.core.expr import Expr, Lambda, close, fresh, fun, identity, postorder, rebuild
from ir.core.patterns import (
    MAP,
    MAP_SEQ,
    REDUCE_SEQ,
    SCAN,
    AsScalar,
    AsVector,
    Id,
    Iterate,
    Join,
    Map,
    Reduce,
    Reorder,
    Reverse,
    Scan,
    Split,
    Vect,
    is_view_map,
)
from ir.core.size_variables import substitute_sizes
from ir.core.sizes import Size, divide_exactly, is_le, size
from ir.core.types import ArrayType, FunctionType
from ir.rewrite.rule import rule
from ir.rules.common import compose, divides, element, length

__all__: list[str] = []


@rule(source="ICFP'15 fig. 6a")
def iterate_decompose(e: Iterate, *, first: Size | int) -> Expr | None:
    """iterate (I + J) f  ->  iterate I f ∘ iterate J f"""
    match e:
        case Iterate(count, f, xs) if is_le(size(0), size(first)) and is_le(size(first), count):
            return Iterate(count - first, e.size_variable, f, Iterate(first, e.size_variable, f, xs))
    return None


@rule(source="ICFP'15 sec. 5.2, semantics of iterate")
def iterate_step(e: Iterate) -> Expr | None:
    """iterate 1 f  ->  f"""
    match e:
        case Iterate(count, f, xs) if count.value == 1:
            shorter = divide_exactly(length(xs), e.factor)
            assert shorter is not None
            return _instance(f, e.size_variable, shorter)(xs)
    return None


def _instance(f: Lambda, variable: Size, value: Size) -> Lambda:
    done = substitute_sizes(f, {variable: value})
    assert isinstance(done, Lambda)
    return done


@rule(source="ICFP'15 fig. 4")
def id_elimination(e: Id) -> Expr | None:
    """id xs  ->  xs"""
    return e.xs


@rule(source="ICFP'15 fig. 4; thesis fig. algorithmic (a)")
def id_introduction(e: Expr) -> Expr | None:
    """xs  ->  id xs      for arrays"""
    return Id(e) if isinstance(e.type, ArrayType) and not isinstance(e, Id) else None


@rule(source="ICFP'15 fig. 4")
def map_identity_elimination(e: Map) -> Expr | None:
    """map id xs  ->  xs"""
    match e:
        case Map(Lambda() as f, xs, how) if how == MAP and f.body is f.variables[0]:
            return xs
    return None


@rule(source="ICFP'15 fig. 4")
def map_identity(e: Expr) -> Expr | None:
    """xs  ->  map id xs      for what no map computes"""
    if not isinstance(e.type, ArrayType) or (isinstance(e, Map) and not _only_moves(e)):
        return None
    return Map(identity(element(e)), e)


def _only_moves(e: Map) -> bool:
    """Does a map rearrange rows, and not leave them as they are?"""
    return is_view_map(e) and map_identity_elimination.rewrite(e) is None


@rule(source="ICFP'15 fig. 6b")
def map_after_reorder(e: Map) -> Expr | None:
    """map f ∘ reorder  ->  reorder ∘ map f"""
    match e:
        case Map(f, Reorder(xs), how) if how == MAP:
            return Reorder(Map(f, xs))
    return None


@rule(source="ICFP'15 fig. 6b")
def reorder_after_map(e: Reorder) -> Expr | None:
    """reorder ∘ map f  ->  map f ∘ reorder"""
    match e:
        case Reorder(Map(f, xs, how)) if how == MAP:
            return Map(f, Reorder(xs))
    return None


@rule(source="ICFP'15 fig. 6c")
def split_join(e: Map, *, n: Size | int) -> Expr | None:
    """map f  ->  join ∘ map (map f) ∘ split n"""
    match e:
        case Map(f, xs, how) if how == MAP and divides(n, length(xs)):
            chunks = Split(n, xs)
            return Join(Map(fun(chunks.type.element, lambda chunk: Map(f, chunk)), chunks))  # type: ignore[attr-defined]  # an array
    return None


@rule(source="semantics of map and reverse")
def map_backwards(e: Map) -> Expr | None:
    """map f  ->  reverse ∘ map f ∘ reverse      of a map that says no order: who begins, begins at the end"""
    match e:
        case Map(f, xs, how) if how == MAP or how.parallel:
            return None if isinstance(xs, Reverse) else Reverse(Map(f, Reverse(xs), how))
    return None


@rule(source="ICFP'15 fig. 6e")
def join_after_split(e: Join) -> Expr | None:
    """join ∘ split n  ->  id"""
    match e:
        case Join(Split(_, xs)):
            return xs
    return None


@rule(source="ICFP'15 fig. 6e, read from right to left")
def rows_introduction(e: Expr, *, n: Size | int) -> Expr | None:
    """xs  ->  join (split n xs)      where n divides its length: an array as rows of n elements"""
    if not isinstance(e.type, ArrayType) or size(n).value == 0 or not divides(n, e.type.length):
        return None
    return Join(Split(n, e))


@rule(source="ICFP'15 fig. 6e")
def split_after_join(e: Split) -> Expr | None:
    """split n ∘ join  ->  id      where n is the inner length"""
    match e:
        case Split(_, Join(xs)) if xs.type is e.type:
            return xs
    return None


@rule(source="ICFP'15 fig. 6e, read from right to left")
def split_join_introduction(e: Expr) -> Expr | None:
    """xss  ->  split n ∘ join      where n is the inner length: rows as a view of what lies flat"""
    if not isinstance(e.type, ArrayType) or not isinstance(e.type.element, ArrayType) or isinstance(e, Split):
        return None
    n = e.type.element.length
    return None if n.value == 0 else Split(n, Join(e))


@rule(source="ICFP'15 fig. 6e")
def scalar_after_vector(e: AsScalar) -> Expr | None:
    """asScalar ∘ asVector w  ->  id"""
    match e:
        case AsScalar(AsVector(_, xs)):
            return xs
    return None


@rule(source="ICFP'15 fig. 6e")
def vector_after_scalar(e: AsVector) -> Expr | None:
    """asVector w ∘ asScalar  ->  id      where w is the inner width"""
    match e:
        case AsVector(_, AsScalar(xs)) if xs.type is e.type:
            return xs
    return None


@rule(source="ICFP'15 fig. 6f")
def map_fusion(e: Map) -> Expr | None:
    """map f ∘ map g  ->  map (f ∘ g)      for maps of one kind"""
    match e:
        case Map(Lambda() as f, Map(Lambda() as g, xs, inner), outer) if inner == outer:
            return Map(compose(f, g), xs, outer)
    return None


@rule(source="ICFP'15 fig. 6f, read from right to left")
def map_fission(e: Map) -> Expr | None:
    """map (f ∘ g)  ->  map f ∘ map g      where f is the outermost pattern or operation, over its last operand"""
    match e:
        case Map(Lambda() as h, xs, how) if how == MAP and len(h.types) == 1:
            (x,), body = h.open()
            if not body.operands or body.operands[-1] is x or isinstance(body.operands[-1].type, FunctionType):
                return None
            *others, inner = body.operands
            if any(_mentions(other, x) for other in others) or not _mentions(inner, x):
                return None
            y = fresh(inner.type)
            return Map(close([y], rebuild(body, (*others, y))), Map(close([x], inner), xs))
    return None


def _mentions(e: Expr, variable: Expr) -> bool:
    return any(node is variable for node in postorder(e, prune=lambda node: not node.loose))


@rule(source="ICFP'15 fig. 6f")
def reduce_seq_fusion(e: Reduce) -> Expr | None:
    """reduceSeq f z ∘ mapSeq g  ->  reduceSeq (λ(acc, x). f (acc, g x)) z      (below vect too)"""
    match e:
        case Reduce(Lambda() as f, z, Map(Lambda() as g, xs, inner), how) if inner == MAP_SEQ and how.name.startswith(
            REDUCE_SEQ.name
        ):
            return Reduce(_folded(f, g), z, xs, how)
        case Reduce(Vect(w, f), z, Map(Vect(v, g), xs, inner), how) if (
            v == w and inner == MAP_SEQ and how.name.startswith(REDUCE_SEQ.name)
        ):
            return Reduce(Vect(w, _folded(f, g)), z, xs, how)
    return None


@rule(source="ICFP'15 fig. 6f, for scans")
def scan_seq_fusion(e: Scan) -> Expr | None:
    """scanSeq f z ∘ mapSeq g  ->  scanSeq (λ(acc, x). f (acc, g x)) z      (and scanMapSeq)"""
    match e:
        case Scan(Lambda() as f, z, Map(Lambda() as g, xs, inner), how) if inner == MAP_SEQ and how != SCAN:
            return Scan(_folded(f, g), z, xs, how)
    return None


def _folded(f: Lambda, g: Lambda) -> Lambda:
    return fun((f.types[0], g.types[0]), lambda acc, x: f(acc, g(x)))
