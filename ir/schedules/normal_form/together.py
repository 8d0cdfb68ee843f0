"""Reductions that one kernel computes together become one reduction over tuples, and rows of broadcast or gathered
arrays what they are: a number for each row, or the gather of a row.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

from ir.core.expr import Expr, postorder
from ir.core.patterns import MAP, REDUCE, Element, Gather, Join, Map, Reduce, Repeat, Split, Zip
from ir.core.types import ArrayType
from ir.rewrite.places import array, below, body, joined, part
from ir.rewrite.rule import Context
from ir.rewrite.strategy import (
    Rewritten,
    Strategy,
    at,
    choice,
    everywhere,
    repeat,
    seq,
    succeed,
    tactic,
    try_,
    use,
)
from ir.rules.common import components, element
from ir.rules.layout import broadcasts
from ir.rules.maps.algorithmic import map_fusion, map_identity, split_after_join
from ir.rules.maps.fusion import fuse_operand, map_of_elements, map_repeat_operand, zip_duplicates
from ir.rules.maps.horizontal import fuse_maps_of_zip, fuse_reductions_of_zip
from ir.rules.maps.zips import group_zip, same_views, view_of_zip, viewed, zip_of_joins, zip_of_rows, zip_of_views
from ir.schedules.tactics import at_parts, fuse_maps, is_open_map, row_of
from ir.walks import walk

__all__ = [
    "fuse_operand_here", "is_plain", "is_reduction", "meeting", "reduce_together", "repeated_operand",
    "results_together", "rows_apart", "rows_of_views",
]  # fmt: skip


def reduce_together(e: Expr, context: Context) -> Rewritten | None:
    """zip(reduce f z xs, reduce g w ys)  ->  reduce of tuples over map (..) (zip(..)), and so for reductions of rows

    zip(join ∘ map (reduce f z) ∘ v .., join ∘ map (reduce g w) ∘ v ..)  ->  join ∘ map (reduce of tuples) ∘ v
    """
    if not isinstance(e, Zip):
        return None
    if all(isinstance(x, Reduce) for x in e.operands):
        return seq(fuse_reductions_of_zip, at(array, _one_map))(e, context)
    flat = at_parts(*(try_(map_of_elements) for _ in e.operands))
    return seq(
        flat,
        zip_of_joins,
        at(joined, seq(at(array, fuse_maps_of_zip), map_fusion, try_(_common_views))),
        at(joined / body, seq(fuse_reductions_of_zip, at(array, _columns))),
    )(e, context)


def results_together(e: Expr, context: Context) -> Rewritten | None:
    """map f (zip(map g .., reduce .., reduce .., ys))  ->  map h (zip(reduce of tuples, ys)), the results of reductions
    and what is made of them being one map's.
    """
    if not _ends_in_reductions(e):
        return None
    start = map_identity if isinstance(e, Zip) else succeed
    return seq(start, repeat(choice(zip_duplicates, _plain_operand)), _flattened, _grouped)(e, context)


def is_reduction(e: Expr) -> bool:
    """A reduction, or the reductions of rows, flat."""
    found = row_of(e) if isinstance(e, Join) else e
    return isinstance(found, Reduce) and found.how == REDUCE


def _is_reduction_of_rows(e: Expr) -> bool:
    """The same, where it gives the first elements of the reductions."""
    row = row_of(e) if isinstance(e, Map) else None
    return isinstance(row, Element) and isinstance(row.xs, Reduce)


def is_plain(e: Expr) -> TypeGuard[Map]:
    """A map that reduces nothing and computes something."""
    return is_open_map(e) and not any(isinstance(node, Reduce) for node in postorder(e.operands[0]))


def meeting(e: Expr) -> Iterator[Expr]:
    """What plain maps and zips make an array of, element by element, these among it."""
    below = walk([e], lambda node: node.operands if isinstance(node, Zip) else (node.xs,) if is_plain(node) else ())
    return (node for node in below if node is not e)


def _ends_in_reductions(e: Expr) -> bool:
    """A map, or a zip, of reductions and what else their results meet?"""
    return any(is_reduction(node) or _is_reduction_of_rows(node) for node in meeting(e))


def _plain_operand(e: Expr, context: Context) -> Rewritten | None:
    """Fuse the operand that no other one is computed from."""
    assert isinstance(e, Map)
    arrays = components(e.xs)
    plain = [node for node in postorder(e.xs) if node in arrays and is_plain(node)]
    return use(fuse_operand, operand=arrays.index(plain[-1]))(e, context) if plain else None


def _flattened(e: Expr, context: Context) -> Rewritten | None:
    """Reductions of rows that give their first elements give them flat instead."""
    assert isinstance(e, Map)
    flat = try_(map_of_elements)
    return at(array, at_parts(*(flat for _ in e.xs.operands)) if isinstance(e.xs, Zip) else flat)(e, context)


def _grouped(e: Expr, context: Context) -> Rewritten | None:
    """Several reductions among what a map reads become one."""
    assert isinstance(e, Map)
    arrays = components(e.xs)
    members = [i for i, x in enumerate(arrays) if is_reduction(x)]
    if len(members) < 2:
        return Rewritten(e, ())
    if len(members) == len(arrays):
        return at(array, reduce_together)(e, context)
    group = at(array, use(group_zip, members=sum(1 << i for i in members)))
    return seq(group, map_fusion, at(array / part(0), reduce_together))(e, context)


def _one_map(e: Expr, context: Context) -> Rewritten:
    """xs  ->  map (λx. x) xs      for a zip of what is computed or used twice: maps below it are fused into that one"""
    wanted = isinstance(e, Zip) and (
        len(set(e.operands)) < len(e.operands) or any(isinstance(x, Map) and x.how == MAP for x in e.operands)
    )
    done = map_identity(e, context) if wanted else None
    return Rewritten(e, ()) if done is None else done


def _common_views(e: Expr, context: Context) -> Rewritten | None:
    """map f (zip(v xs, v ys))  ->  map (λr. f (map (λt. t.0) r, map (λt. t.1) r)) (v (zip(xs, ys)))"""
    if not isinstance(e, Map) or not isinstance(e.xs, Zip):
        return None
    if not all(isinstance(element(x), ArrayType) for x in e.xs.operands) or same_views(e.xs.operands) is None:
        return None
    return seq(
        at(array, seq(zip_of_rows, at(array / below(Split), zip_of_views))),
        map_fusion,
        at(array, seq(try_(split_after_join), _at_base(_one_map))),
    )(e, context)


@tactic
def _at_base(e: Expr, strategy: Strategy) -> Strategy:
    """The strategy at what views are views of."""
    path: tuple[int, ...] = ()
    below: Expr | None = e
    while below is not None and (inner := viewed(below)) is not None:
        path = (*path, below.operands.index(inner))
        below = inner
    return at(path, strategy)


def _columns(e: Expr, context: Context) -> Rewritten:
    """What the reductions of one row read, as one map."""
    found = seq(_one_map, everywhere(zip_duplicates, fuse_operand_here, fuse_maps))(e, context)
    assert found is not None  # a repetition and a choice with an end
    return found


def fuse_operand_here(e: Expr, context: Context) -> Rewritten | None:
    """A map of the row among those that a map over a zip reads."""
    if not isinstance(e, Map) or e.how != MAP:
        return None
    for index, x in enumerate(components(e.xs)):
        if isinstance(x, Map) and x.how == MAP:
            return use(fuse_operand, operand=index)(e, context)
    return None


rows_of_views: Strategy = everywhere(
    choice(
        split_after_join, broadcasts.split_of_repeat, broadcasts.split_after_gather, broadcasts.transpose_of_repeat,
        broadcasts.transpose_of_repeats, broadcasts.transpose_of_transpose, broadcasts.transpose_after_gather,
    )
)  # fmt: skip


def rows_apart(e: Expr, context: Context) -> Rewritten | None:
    """map f ∘ v ∘ zip  ->  map (λ(x, y, ..). f (zip(x, y, ..))) (zip(v .., v .., ..)) where a row of one of them is a
    repeated number, or the gather of a row of indices.
    """
    if not isinstance(e, Map) or not isinstance(row_of(e), Reduce):
        return None
    if not any(map(_has_simple_rows, components(_base(e.xs)))):
        return None
    return seq(
        at(array, view_of_zip),
        map_fusion,
        at(array, rows_of_views),
        repeat(fuse_operand_here),
        repeat(repeated_operand),
        at(body, everywhere(repeated_operand)),
    )(e, context)


def repeated_operand(e: Expr, context: Context) -> Rewritten | None:
    """A value that is the same for all elements goes into the function."""
    if isinstance(e, Map):
        for index, x in enumerate(components(e.xs)):
            if isinstance(x, Repeat):
                return use(map_repeat_operand, operand=index)(e, context)
    return None


def _base(e: Expr) -> Expr:
    """What views are views of."""
    while (below := viewed(e)) is not None:
        e = below
    return e


def _has_simple_rows(e: Expr) -> bool:
    """Is it broadcast or gathered?"""
    if isinstance(e, Gather):
        return True
    while (below := viewed(e)) is not None:
        e = below
    return isinstance(e, Repeat)
