"""What the host's library computes."""

from __future__ import annotations

from ir.core.expr import Expr, Lambda
from ir.core.patterns import MAP, MAP_LIBRARY, REDUCE, Call, Element, Get, Join, Literal, Map, Reduce, Sort, Zip
from ir.core.sort_keys import order_of_numbers
from ir.core.types import FLOAT32, FLOAT64
from ir.core.verify import is_placed
from ir.rewrite.rule import Context, Label, rule

__all__ = ["factors_of_sum", "opened"]


def opened(e: Expr) -> tuple[tuple[Expr, ...], Expr, Expr] | None:
    """The variables of an open map, joined or not, what its function gives, the array it maps over; None of others."""
    e = e.xs if isinstance(e, Join) else e
    if not isinstance(e, Map) or e.how not in (MAP, MAP_LIBRARY) or not isinstance(e.f, Lambda):
        return None
    variables, body = e.f.open()
    return variables, body, e.xs


def factors_of_sum(e: Expr) -> tuple[Expr, Expr] | None:
    """The two arrays of floats whose products, element by element, are added up from 0 on; None where it is no such
    sum.
    """
    if isinstance(e, Element) and e.index.value == 0:
        e = e.xs
    if not isinstance(e, Reduce) or e.how is not REDUCE or not isinstance(e.f, Lambda):
        return None
    zero, products = e.init, e.xs
    if not isinstance(zero, Literal) or zero.type not in (FLOAT32, FLOAT64) or zero.value != 0:
        return None
    if not isinstance(products, Map) or products.how is not MAP or not isinstance(products.f, Lambda):
        return None
    pairs = products.xs
    if not isinstance(pairs, Zip) or len(pairs.operands) != 2:
        return None
    (a, b), total = e.f.open()
    (pair,), product = products.f.open()
    if not isinstance(total, Call) or total.op != "add" or set(total.operands) != {a, b}:
        return None
    factors = {Get(0, pair), Get(1, pair)}
    if not isinstance(product, Call) or product.op != "multiply" or set(product.operands) != factors:
        return None
    return pairs.operands[0], pairs.operands[1]


@rule(Label.REASSOCIATING, "Lawson et al. 1979, Dongarra et al. 1990: the BLAS")
def map_to_library(e: Map, context: Context) -> Expr | None:
    """map f  ->  mapLibrary f      where f multiplies a matrix, or a row of one, by another: by sums of products"""
    if e.how is not MAP or context or is_placed(e):
        return None
    inner: Expr = e
    levels = 0
    found = opened(inner)
    while found is not None:
        levels, inner = levels + 1, found[1]
        found = opened(inner)
    return Map(e.f, e.xs, MAP_LIBRARY) if levels in (2, 3) and factors_of_sum(inner) is not None else None


@rule(source="Knuth 1998, 5: sorts of numbers by their own order")
def sort_to_library(e: Map, context: Context) -> Expr | None:
    """map f  ->  mapLibrary f      where f sorts a row, or a view of one, of numbers: by nothing but their order"""
    found = opened(e)
    if e.how is not MAP or context or is_placed(e) or found is None:
        return None
    sort = found[1]
    return Map(e.f, e.xs, MAP_LIBRARY) if isinstance(sort, Sort) and order_of_numbers(sort) is not None else None
