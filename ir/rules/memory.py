"""Address spaces: ICFP 2015 figure 7d, and private memory (thesis, chapter 5)."""

from __future__ import annotations

from ir.core.expr import Expr
from ir.core.patterns import Concat, Join, Map, Memory, Reduce
from ir.rewrite.rule import Context, rule

__all__: list[str] = []


@rule(source="ICFP'15 fig. 7d")
def to_global(e: Expr, context: Context) -> Expr | None:
    """mapLocal f  ->  toGlobal (mapLocal f)      (and any other computed array)

    Inside a map only where the result is not read: no barrier makes global memory consistent across work-groups.
    """
    written = all(kind.name.startswith("map") for kind in context)
    return Memory("global", e) if written and _is_computed(e, "") else None


@rule(source="ICFP'15 fig. 7d")
def to_local(e: Expr, context: Context) -> Expr | None:
    """mapLocal f  ->  toLocal (mapLocal f)      inside a mapWorkgroup, for which local memory is defined"""
    inside = [kind.name for kind in context]
    if "mapWorkgroup" in inside and "mapLocal" not in inside and _is_computed(e, "mapLocal"):
        return Memory("local", e)
    return None


@rule(source="thesis ch. 5, toPrivate")
def to_private(e: Expr) -> Expr | None:
    """reduceSeq f z  ->  toPrivate (reduceSeq f z)      (and any sequential map)"""
    return Memory("private", e) if _is_computed(e, "Seq") else None


def _is_computed(e: Expr, how: str) -> bool:
    """Is it a map or reduce of that kind, or some of them joined or put one after the other?"""
    if isinstance(e, (Join, Concat)):
        return all(_is_computed(operand, how) for operand in e.operands)
    return isinstance(e, (Map, Reduce)) and how in e.how.name
