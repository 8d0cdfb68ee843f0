"""Arrays made from their indices: what makes them becomes visible to what reads them.

A view of such an array is left as it is: the generator turns it into index arithmetic, and simplifies that.
"""

from __future__ import annotations

from ir.core.expr import Expr, Lambda, identity
from ir.core.patterns import Generate, Map
from ir.rewrite.rule import rule

__all__: list[str] = []


@rule(source="semantics of generate")
def generate_to_map(e: Generate) -> Expr | None:
    """generate n f  ->  map f (generate n id)"""
    match e:
        case Generate(n, Lambda() as f) if f is not identity(e.index):
            return Map(f, Generate(n, identity(e.index)))
    return None
