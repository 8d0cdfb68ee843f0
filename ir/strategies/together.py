"""Reductions that one kernel computes together become one reduction over tuples, and rows of broadcast or gathered
arrays what they are: a number for each row, or the gather of a row.
"""

from __future__ import annotations

from ir.core.expr import Expr, Lambda
from ir.core.patterns import MAP, Gather, Map, Reduce, Repeat, Zip
from ir.core.types import ArrayType
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, choice, everywhere, repeat, seq, top_down, try_
from ir.rules.common import components, element
from ir.rules.zips import same_views, viewed
from ir.strategies.tactics import fuse_maps, named

__all__ = ["reduce_together", "rows_apart"]


def reduce_together(e: Expr, context: Context) -> Rewritten | None:
    """zip(reduce f z xs, reduce g w ys)  ->  reduce of tuples over map (..) (zip(..)), and so for reductions of rows

    zip(join ∘ map (reduce f z) ∘ v .., join ∘ map (reduce g w) ∘ v ..)  ->  join ∘ map (reduce of tuples) ∘ v
    """
    if not isinstance(e, Zip):
        return None
    if all(isinstance(x, Reduce) for x in e.operands):
        return seq(named("fuse_reductions_of_zip"), at((2,), _one_map))(e, context)
    flat = seq(*(at((i,), try_(named("map_of_elements"))) for i in range(len(e.operands))))
    return seq(
        flat,
        named("zip_of_joins"),
        at((0, 1), named("fuse_maps_of_zip")),
        at((0,), named("map_fusion")),
        at((0,), try_(_common_views)),
        at((0, 0, 0), seq(named("fuse_reductions_of_zip"), at((2,), _columns))),
    )(e, context)


def _one_map(e: Expr, context: Context) -> Rewritten:
    """xs  ->  map (λx. x) xs      for a zip of what is computed or used twice: maps below it are fused into that one"""
    wanted = isinstance(e, Zip) and (
        len(set(e.operands)) < len(e.operands) or any(isinstance(x, Map) and x.how == MAP for x in e.operands)
    )
    done = named("map_identity")(e, context) if wanted else None
    return Rewritten(e, ()) if done is None else done


def _common_views(e: Expr, context: Context) -> Rewritten | None:
    """map f (zip(v xs, v ys))  ->  map (λr. f (map (λt. t.0) r, map (λt. t.1) r)) (v (zip(xs, ys)))"""
    if not isinstance(e, Map) or not isinstance(e.xs, Zip):
        return None
    if not all(isinstance(element(x), ArrayType) for x in e.xs.operands) or same_views(e.xs.operands) is None:
        return None
    return seq(
        at((1,), seq(named("zip_of_rows"), at((1, 0), named("zip_of_views")))),
        named("map_fusion"),
        at((1,), try_(named("split_after_join"))),
        at((1,), _at_base(_one_map)),
    )(e, context)


def _at_base(strategy: Strategy) -> Strategy:
    """The strategy at what views are views of."""

    def run(e: Expr, context: Context) -> Rewritten | None:
        path: tuple[int, ...] = ()
        below: Expr | None = e
        while below is not None and (inner := viewed(below)) is not None:
            path = (*path, below.operands.index(inner))
            below = inner
        return at(path, strategy)(e, context)

    return run


def _columns(e: Expr, context: Context) -> Rewritten:
    """What the reductions of one row read, as one map."""
    done = seq(_one_map, repeat(choice(top_down(named("zip_duplicates")), top_down(_operand), top_down(fuse_maps))))
    found = done(e, context)
    assert found is not None  # a repetition and a choice with an end
    return found


def _operand(e: Expr, context: Context) -> Rewritten | None:
    """A map of the row among those that a map over a zip reads."""
    if not isinstance(e, Map) or e.how != MAP:
        return None
    for index, x in enumerate(components(e.xs)):
        if isinstance(x, Map) and x.how == MAP:
            return named("fuse_operand", operand=index)(e, context)
    return None


_ROWS: Strategy = everywhere(
    choice(
        *map(
            named,
            (
                "split_after_join", "split_of_repeat", "split_after_gather", "transpose_of_repeat",
                "transpose_of_repeats", "transpose_of_transpose", "transpose_after_gather",
            ),
        )
    )
)  # fmt: skip


def rows_apart(e: Expr, context: Context) -> Rewritten | None:
    """map f ∘ v ∘ zip  ->  map (λ(x, y, ..). f (zip(x, y, ..))) (zip(v .., v .., ..)) where a row of one of them is a
    repeated number, or the gather of a row of indices.
    """
    if not isinstance(e, Map) or e.how != MAP or not isinstance(e.f, Lambda):
        return None
    body = e.f.open()[1]
    if not isinstance(body, Reduce) or not any(map(_has_simple_rows, components(_base(e.xs)))):
        return None
    return seq(
        at((1,), named("view_of_zip")),
        named("map_fusion"),
        at((1,), _ROWS),
        repeat(_operand),
        repeat(_repeated),
        at((0, 0), repeat(top_down(_repeated))),
    )(e, context)


def _repeated(e: Expr, context: Context) -> Rewritten | None:
    """A value that is the same for all elements goes into the function."""
    if isinstance(e, Map):
        for index, x in enumerate(components(e.xs)):
            if isinstance(x, Repeat):
                return named("map_repeat_operand", operand=index)(e, context)
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
