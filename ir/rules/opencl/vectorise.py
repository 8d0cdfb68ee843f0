"""Vectorisation: ICFP 2015 figure 7e, and the propagation of `vect` into functions (journal draft, section 4.2)."""

from __future__ import annotations

from functools import lru_cache

from ir.core.expr import Expr, Lambda, Param, fun, postorder, transform
from ir.core.patterns import MAP, REDUCE, AsScalar, AsVector, Call, Map, Reduce, Reorder, Splat, Vect, Zip
from ir.core.types import BOOL, VECTOR_WIDTHS, TupleType, Type, VectorType
from ir.core.types import widen as widen_type
from ir.rewrite.rule import Label, rule
from ir.rules.common import divides, element, is_monoid, is_scalar_like, length

__all__ = ["is_vectorisable", "widen"]


def _dependents(params: tuple[Param, ...], body: Expr) -> set[Expr]:
    """The nodes of a body that depend on the variables."""
    found: set[Expr] = set(params)
    for node in postorder(body):
        if any(operand in found for operand in node.operands):
            found.add(node)
    return found


@lru_cache(maxsize=4096)
def is_vectorisable(f: Expr) -> bool:
    """Is everything that f computes from its argument made of scalar primitives?"""
    if not isinstance(f, Lambda) or not all(map(is_scalar_like, (*f.types, f.result))):
        return False
    params, body = f.open()
    moving = _dependents(params, body)
    return not any(node.is_pattern for node in moving)


def _chooses_numbers(e: Expr) -> bool:
    return isinstance(e, Call) and e.op == "select" and e.type is not BOOL


def widen(f: Lambda, width: int) -> Lambda:
    """f on vectors: primitives work lane by lane, what does not depend on the argument is splat. But for such a test
    of a choice between numbers, which stays one for all lanes.
    """
    params, body = f.open()
    moving = _dependents(params, body)

    def build(*wide: Expr) -> Expr:
        replaced = dict(zip(params, wide, strict=True))

        def visit(node: Expr, operands: tuple[Expr, ...]) -> Expr:
            if isinstance(node, Param) and node in replaced:
                return replaced[node]
            lanes = tuple(
                done if old in moving else Splat(old, width) for old, done in zip(node.operands, operands, strict=True)
            )
            if _chooses_numbers(node) and node.operands[0] not in moving:
                lanes = (node.operands[0], *lanes[1:])
            return node._rebuilt(lanes)

        if body not in moving:
            return Splat(body, width)
        return transform(body, visit, lambda node: node not in moving)

    return fun(tuple(widen_type(t, width) for t in f.types), build)


@rule(source="journal draft sec. 4.2, propagation of vect")
def vect_propagation(e: Vect) -> Expr | None:
    """vect w (λx. body)  ->  λx. body over vectors of width w"""
    match e:
        case Vect(width, Lambda() as f) if is_vectorisable(f):
            return widen(f, width)
    return None


@rule(source="ICFP'15 fig. 7e")
def vectorise_map(e: Map, *, width: int) -> Expr | None:
    """map f  ->  asScalar ∘ map (vect w f) ∘ asVector w"""
    match e:
        case Map(Lambda() as f, xs, how) if how == MAP and _fits(f, xs, width):
            return AsScalar(Map(Vect(width, f), AsVector(width, xs)))
    return None


@rule(source="ICFP'15 fig. 7e and 6e")
def vector_after_map(e: AsVector) -> Expr | None:
    """asVector w ∘ map f  ->  map (vect w f) ∘ asVector w"""
    match e:
        case AsVector(width, Map(Lambda() as f, xs, how)) if how == MAP and _fits(f, xs, width):
            return Map(Vect(width, f), AsVector(width, xs))
    return None


@rule(source="ICFP'15 fig. 7e and 6e")
def zip_of_scalars(e: Zip, *, operand: int) -> Expr | None:
    """zip(.., asScalar vs, ys, ..)  ->  asScalar (zip(.., vs, asVector w ys, ..))"""
    match e:
        case Zip() if 0 <= operand < len(e.operands) and all(is_scalar_like(element(x)) for x in e.operands):
            lanes = e.operands[operand]
            if isinstance(lanes, AsScalar):
                width = _lanes(element(lanes.xs))
                return AsScalar(Zip(*(x.xs if x is lanes else AsVector(width, x) for x in e.operands)))
    return None


@rule(source="ICFP'15 fig. 7e and 6e, read from right to left")
def map_after_scalars(e: Map) -> Expr | None:
    """map f ∘ asScalar  ->  asScalar ∘ map (vect w f)"""
    match e:
        case Map(Lambda() as f, AsScalar(vs), how) if how == MAP and is_vectorisable(f):
            return AsScalar(Map(Vect(_lanes(element(vs)), f), vs))
    return None


def _lanes(t: Type) -> int:
    """The width of a vector, or of those in a tuple."""
    if isinstance(t, TupleType):
        return _lanes(t.elements[0])
    assert isinstance(t, VectorType)
    return t.width


def _fits(f: Lambda, xs: Expr, width: int) -> bool:
    return width in VECTOR_WIDTHS and is_scalar_like(element(xs)) and is_vectorisable(f) and divides(width, length(xs))


@rule(Label.REASSOCIATING, "ICFP'15 fig. 6d and 7e")
def vectorise_reduce(e: Reduce, *, width: int) -> Expr | None:
    """reduce f z  ->  reduce f z ∘ asScalar ∘ reduce (vect w f) (z, ..., z) ∘ asVector w"""
    match e:
        case Reduce(Lambda() as f, z, xs, how) if how == REDUCE and is_monoid(f, z) and _fits(f, xs, width):
            return Reduce(f, z, AsScalar(Reduce(Vect(width, f), Splat(z, width), AsVector(width, xs))))
    return None


@rule(Label.REASSOCIATING, "ICFP'15 fig. 6d and 7e, read from right to left")
def reduce_lanes_late(e: Reduce) -> Expr | None:
    """reduce f z ∘ asScalar ∘ reduce (vect w f) (z, ..., z)  ->  reduce f z ∘ asScalar"""
    match e:
        case Reduce(Lambda() as f, z, AsScalar(Reduce(Vect(w, g), lanes, vs, inner)), how) if (
            how == inner == REDUCE and f is g and lanes is Splat(z, w) and is_monoid(f, z)
        ):
            return Reduce(f, z, AsScalar(vs))
    return None


@rule(Label.REORDERING, "ICFP'15 fig. 6e: any order will do, also one of vectors")
def reorder_vectors(e: Reorder, *, width: int) -> Expr | None:
    """reorder  ->  asScalar ∘ reorder ∘ asVector w"""
    match e:
        case Reorder(xs) if width in VECTOR_WIDTHS and is_scalar_like(element(xs)) and divides(width, length(xs)):
            return AsScalar(Reorder(AsVector(width, xs)))
    return None
