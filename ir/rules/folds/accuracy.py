"""Rules that keep the rounding errors of sums small: pairs of a sum and its corrections, and blocks added in pairs."""

from __future__ import annotations

from functools import partial

from ir.core.expr import Expr, Lambda, fun, postorder, substitute
from ir.core.patterns import REDUCE, SCAN, SCAN_MAP_SEQ, Get, Literal, Map, Reduce, Scan, Splat, Tuple
from ir.rewrite.rule import Label, rule
from ir.rules.common import divides, element, is_monoid, length
from ir.rules.compensation import adds_floats, compensated, corrected, no_corrections, plain_part, sums_of
from ir.rules.exponentials import combined_in_pairs
from ir.rules.folds.reduction import in_columns

__all__: list[str] = []


@rule(Label.REASSOCIATING, "Ogita, Rump and Oishi 2005, Sum2, with Knuth's TwoSum")
def reduce_to_pairs(e: Reduce) -> Expr | None:
    """reduce (+) z  ->  map (λ(s, c). s + c) ∘ reduce (λ((s, c), (t, d)). (s + t, c + d + e)) (z, -0)
    ∘ map (λx. (x, -0)) where e is what s + t was rounded by

    For floating-point numbers; where the accumulator is a tuple, for each of its components that is such a sum.
    """
    match e:
        case Reduce(Lambda() as f, z, xs, how) if how == REDUCE and adds_floats(f):
            exact = no_corrections(f.types[0], sums_of(f))
            pairs = Map(fun(element(xs), lambda x: Tuple(x, exact)), xs)
            return Map(corrected(f), Reduce(compensated(f), Tuple(z, exact), pairs))
    return None


@rule(Label.REASSOCIATING, "ICFP'15 fig. 6d; Higham, Accuracy and Stability of Numerical Algorithms, sec. 4.2")
def reduce_in_blocks(e: Reduce, *, ways: int) -> Expr | None:
    """reduce f z ∘ map g  ->  reduce f z ∘ map (λr. f (f (g r.0) (g r.1)) (f (g r.2) (g r.3))) ∘ zip of columns

    The columns are those of `split u`, whose elements are combined in pairs, the pairs in pairs, and so on. Where f
    adds pairs with corrections and g makes such pairs of exact numbers, these numbers are added without. Without a map,
    g is the identity.
    """
    match e:
        case Reduce(Lambda() as f, z, xs, how) if (
            how == REDUCE and ways > 1 and divides(ways, length(xs)) and is_monoid(f, z)
        ):
            g, rows = in_columns(xs, ways)

            def pairwise(row: Expr) -> Expr:
                return combined_in_pairs(partial(_combined, f), [g(Get(i, row)) for i in range(ways)])

            return Reduce(f, z, Map(fun(element(rows), pairwise), rows))
    return None


def _combined(f: Lambda, x: Expr, y: Expr) -> Expr:
    """f x y, without corrections where x and y have none."""
    (p, q), body = f.open()
    found = _part(body, p, q, x, y)
    apart = all(node is not p and node is not q for node in postorder(found))
    return found if apart else substitute(body, {p: x, q: y})  # a component needs others than its own


def _part(body: Expr, p: Expr, q: Expr, x: Expr, y: Expr) -> Expr:
    if isinstance(x, Tuple) and isinstance(y, Tuple):
        total = plain_part(body, p, q)
        if total is not None:
            (value, exact), (other, also_exact) = x.operands, y.operands
            if exact is also_exact and _is_zero(exact):
                return Tuple(substitute(total, {Get(0, p): value, Get(0, q): other}), exact)
        elif isinstance(body, Tuple) and len(body.operands) == len(x.operands):
            parts = zip(body.operands, x.operands, y.operands, strict=True)
            return Tuple(*(_part(part, Get(i, p), Get(i, q), a, b) for i, (part, a, b) in enumerate(parts)))
    return substitute(body, {p: x, q: y})


def _is_zero(e: Expr) -> bool:
    """Is it a negative zero, or are all its components?"""
    e = e.operand if isinstance(e, Splat) else e
    if isinstance(e, Tuple):
        return all(map(_is_zero, e.operands))
    return isinstance(e, Literal) and e is Literal(-0.0, e.dtype)


@rule(Label.REASSOCIATING, "reduce_to_pairs for scans")
def scan_to_pairs(e: Scan) -> Expr | None:
    """scan (+) z  ->  scanMapSeq (λ((s, c), x). let p = (s + x, c + e) in (p, p.0 + p.1)) (z, -0)
    where e is what s + x was rounded by
    """
    match e:
        case Scan(Lambda() as f, z, xs, how) if how == SCAN and adds_floats(f):
            exact = no_corrections(f.types[0], sums_of(f))
            step, result = compensated(f), corrected(f)

            def turn(carried: Expr, x: Expr) -> Expr:
                found = step(carried, Tuple(x, exact))
                return Tuple(found, result(found))

            return Scan(fun((step.types[0], element(xs)), turn), Tuple(z, exact), xs, SCAN_MAP_SEQ)
    return None
