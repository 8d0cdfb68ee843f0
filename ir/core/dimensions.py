"""Splits and joins of the innermost and the outermost dimension (thesis, table 1): names for what `map` expresses.

`innerSplit n` is `map (map (... (split n)))`, one map for each dimension around the innermost; `innerJoin` likewise.
"""

from __future__ import annotations

from collections.abc import Callable

from ir.core.expr import Expr, fun
from ir.core.nodes.maps import Map
from ir.core.nodes.views import Join, Split
from ir.core.signature import array_type
from ir.core.sizes import SizeLike
from ir.core.types import ArrayType, Type, shape_of

__all__ = ["inner_join", "inner_split", "outer_join", "outer_split"]


def outer_split(n: SizeLike, xs: Expr) -> Expr:
    """`outerSplit n : [A](m*n) -> [[A]n]m`: chunks of n along the outermost dimension."""
    return Split(n, xs)


def outer_join(xs: Expr) -> Expr:
    """`outerJoin : [[A]n]m -> [A](m*n)`: the two outermost dimensions become one."""
    return Join(xs)


def inner_split(n: SizeLike, xs: Expr) -> Expr:
    """`innerSplit n : [..[S](m*n)..] -> [..[[S]n]m..]`: chunks of n along the innermost dimension."""
    array_type("innerSplit", xs.type)
    return _below(len(shape_of(xs.type)) - 1, lambda row: Split(n, row), xs)


def inner_join(xs: Expr) -> Expr:
    """`innerJoin : [..[[S]n]m..] -> [..[S](m*n)..]`: the two innermost dimensions become one."""
    array_type("innerJoin", array_type("innerJoin", xs.type).element)
    return _below(len(shape_of(xs.type)) - 2, Join, xs)


def _below(depth: int, view: Callable[[Expr], Expr], xs: Expr) -> Expr:
    """`map (map (... view))`, `depth` maps."""
    if depth == 0:
        return view(xs)
    assert isinstance(xs.type, ArrayType)
    element: Type = xs.type.element
    return Map(fun(element, lambda row: _below(depth - 1, view, row)), xs)
