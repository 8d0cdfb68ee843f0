"""A map whose elements need numbers of their row that the same kernel reduces (a softmax, a layer norm) becomes a map
over rows: the row's reductions, and then its elements.
"""

from __future__ import annotations

from ir.core.expr import Expr, postorder
from ir.core.patterns import Join, Map, Reduce, Repeat, Transpose
from ir.core.sizes import Size
from ir.core.types import ArrayType
from ir.rewrite.places import array, body, joined
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, choice, everywhere, repeat, seq, try_, use
from ir.rules.common import components
from ir.rules.folds.reduction import reduce_in_one_row
from ir.rules.layout.broadcasts import repeat_in_one_row
from ir.rules.maps.algorithmic import map_fusion, split_join
from ir.rules.maps.zips import view_of_zip
from ir.schedules.normal_form.together import fuse_operand_here, repeated_operand, rows_of_views
from ir.schedules.tactics import is_open_map

__all__ = ["in_one_row", "rows_of_map"]


def rows_of_map(e: Expr, context: Context) -> Rewritten | None:
    """map f (zip(xs, join ∘ transpose ∘ repeat n ∘ join ∘ map (reduce ..) .., ..))
    ->  join ∘ map (λ(r, x, ..). map (λy. f (y, x, ..)) r) (zip(split n xs, join ∘ map (reduce ..) .., ..))
    """
    n = _row_length(e)
    if n is None:
        return None
    return seq(
        use(split_join, n=n),
        at(
            joined,
            seq(
                at(array, try_(view_of_zip)),
                try_(map_fusion),
                at(array, rows_of_views),
                repeat(fuse_operand_here),
                repeat(repeated_operand),
                at(body, everywhere(repeated_operand)),
            ),
        ),
    )(e, context)


def _row_length(e: Expr) -> Size | None:
    """The number of times that a row's number, which this kernel reduces, is repeated for the row's elements."""
    for x in components(e.xs) if isinstance(e, Map) and is_open_map(e) else ():
        match x:
            case Join(Transpose(Repeat(n, numbers))) if any(isinstance(node, Reduce) for node in postorder(numbers)):
                return n
    return None


def in_one_row(e: Expr, context: Context) -> Rewritten | None:
    """Reductions of whole arrays, whose numbers this kernel repeats for their elements, are reductions of one row."""
    reduced = set[Expr]()  # what needs a reduction
    for node in postorder(e):
        if isinstance(node, Join) and isinstance(node.xs, Repeat) and node.xs.x in reduced and _is_one(node.xs.x):
            return _of_one_row(e, context)
        if isinstance(node, Reduce) or not reduced.isdisjoint(node.operands):
            reduced.add(node)
    return None


def _is_one(e: Expr) -> bool:
    """Is it an array of one number, outside of any function?"""
    return not e.loose and isinstance(e.type, ArrayType) and e.type.length.value == 1


def _outside(inner: Strategy) -> Strategy:
    """The strategy outside of functions: what depends on a variable is of a row already."""
    return lambda e, context: None if e.loose else inner(e, context)


_of_one_row: Strategy = everywhere(_outside(choice(reduce_in_one_row, repeat_in_one_row)))
