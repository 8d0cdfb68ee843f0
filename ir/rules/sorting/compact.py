"""Compacts: one element of an array as the end of a filter, and two filters of the same elements as one."""

from __future__ import annotations

from ir.core.expr import Expr, fun, identity
from ir.core.patterns import Call, Compact, CompactBeside, FromSize, Generate, Get, Literal, Map, Slice, Tuple, Zip
from ir.core.sizes import is_le, size
from ir.core.types import INT32, INT64
from ir.rewrite.rule import rule
from ir.rules.common import element, length

__all__: list[str] = []


@rule(source="semantics of compact")
def last_to_compact(e: Slice) -> Expr | None:
    """slice (n - 1) k 1 xs  ->  compact 1 (map (λ(i, x). (select(i == n - 1, 0, 1), x)) (zip(generate n id, xs)))

    Indices are of 64 bits unless 32 are known to hold them all.
    """
    match e:
        case Slice(start, _, count, xs) if count is size(1) and start is length(xs) - 1:
            t = INT32 if is_le(length(xs), 2**31 - 1) else INT64
            numbered = Zip(Generate(length(xs), identity(t)), xs)

            def placed(each: Expr) -> Expr:
                i, x = Get(0, each), Get(1, each)
                last = Call("equal", i, Call("subtract", FromSize(length(xs), t), Literal(1, t)))
                return Tuple(Call("select", last, Literal(0, t), Literal(1, t)), x)

            return Compact(1, Map(fun(element(numbered), placed), numbered))
    return None


@rule(source="paper 003 sec. 3, horizontal fusion")
def compacts_together(e: Tuple) -> Expr | None:
    """(compact n xs, compact k ys)  ->  compactBeside n k (zip(xs, ys))"""
    match e:
        case Tuple(operands=(Compact(n, xs), Compact(k, ys))) if length(xs) is length(ys):
            return CompactBeside(n, k, Zip(xs, ys))
    return None
