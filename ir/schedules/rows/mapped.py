"""Schedules for maps over rows whose elements need reductions of their row: a softmax, a layer norm. The row is read
from memory once: when its elements are made, it is near still.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import chain

from ir.core.expr import Expr, postorder
from ir.core.patterns import MAP, Map, Reduce
from ir.core.sizes import Size
from ir.cost.thresholds.reductions import MAPPED_ROW_ELEMENTS, REDUCTION_WAYS
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import body, joined
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, seq, tactic, try_, use
from ir.rules.common import is_bound, is_open_map, length
from ir.rules.maps.algorithmic import split_join
from ir.rules.opencl.lowering import map_to_seq
from ir.rules.opencl.memory import to_local
from ir.schedules.maps.flat import in_vectors, pieces
from ir.schedules.maps.flat import widths as widths_of_map
from ir.schedules.reductions.chains import WAYS, in_short_chains, is_parallel, short_chains, widths
from ir.schedules.reductions.folding import Folding
from ir.schedules.reductions.trees import fold_row_here, group_parameters, groups_allowed, groups_fit
from ir.schedules.rows.compensated import pairs_inside
from ir.schedules.rows.dependent import fold_here, others_of, reduce_inside
from ir.schedules.schedule import (
    ALONE,
    Choices,
    Constraint,
    Machine,
    Parameter,
    Schedule,
    product_of,
    up_to,
    widest_of,
)
from ir.schedules.tactics import alone_over, over, row_of, rows_in, sequential, to_groups, to_items

__all__ = ["MappedRows", "MappedRowsByGroup", "MappedRowsByTree", "length_of_rows", "reductions_of_row"]


def reductions_of_row(e: Expr) -> tuple[Reduce, ...]:
    """The reductions of a row that `join (map (λrow. map f ys) xss)` needs for its elements, of pairs where they add
    floats; none where it is no such map.
    """
    row = row_of(e)
    if not isinstance(row, Map) or not is_open_map(row) or any(isinstance(x, Reduce) for x in postorder(row.xs)):
        return ()
    return _reductions(row)


def length_of_rows(e: Expr) -> Size:
    """How many elements a row has."""
    row = row_of(e)
    assert row is not None
    return length(row)


@lru_cache(maxsize=1024)
def _reductions(row: Expr) -> tuple[Reduce, ...]:
    paired = pairs_inside(row, ())
    nodes = postorder(row if paired is None else paired.expr)
    found = tuple(node for node in nodes if isinstance(node, Reduce))
    others = any(node.traits.computes and not isinstance(node, Map | Reduce) for node in nodes)
    return () if others or not all(map(is_parallel, found)) else found


class MappedRows(Schedule):
    """What they share: a work-group for each row."""

    def matches(self, e: Expr) -> bool:
        """A map over rows, each of whose elements needs reductions of the row. Of its own it may have some for one
        work-item, where no other reduction needs them.
        """
        found = reductions_of_row(e)
        of_row = found if self.exchanges else [other for each in found for other in others_of(each)]
        return bool(found) and not any(map(is_bound, of_row))

    def lowered(self, start: Derivation, reduce: Strategy, elements: Strategy) -> Derivation:
        """join ∘ mapWorkgroup (the elements, each reduction that they need made before)"""
        made = seq(reduce_inside(reduce), elements)
        rows = rows_in(start.result)
        return start.then(seq(at(rows / body, try_(pairs_inside)), at(rows, over(to_groups, made))), self.name)

    @staticmethod
    def widths(e: Expr) -> tuple[int, ...]:
        """The widths of vectors that the elements and all reductions allow."""
        row = row_of(e)
        assert isinstance(row, Map)
        allowed = [widths_of_map(row), *map(widths, reductions_of_row(e))]
        return tuple(sorted(set(allowed[0]).intersection(*allowed)))


class MappedRowsByGroup(MappedRows):
    """A work-group of one work-item for each row."""

    name = "mapped_row_group"

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How wide the vectors along a row are, and how many accumulators of them a reduction has."""
        return (Parameter("width", self.widths(e)), Parameter("ways", WAYS))

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """Full vectors, several accumulators, as far as a row has something for them; more for very long rows."""
        n = max(1, length_of_rows(e).evaluate(sizes))
        width = min(widest_of(self.widths(e), e, machine), 1 << (n.bit_length() - 1))
        found = {"width": width, "ways": max(w for w in WAYS if w == 1 or (w <= REDUCTION_WAYS and w * width <= n))}
        for each in reductions_of_row(e):
            found = in_short_chains(each, found, self.parameters(e), ("ways", "width"), sizes)
        return found

    def constraints(self, e: Expr) -> list[Constraint]:
        """Accumulators with bounded rounding errors; work-groups of one item are for devices without lockstep."""
        chains = (short_chains(each, "width", "ways") for each in reductions_of_row(e))
        return [ALONE, *chain.from_iterable(chains)]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ mapWorkgroup (asScalar ∘ mapSeq (vect f) ∘ asVector ..), with fold for each reduction in f"""
        how, width = Folding.of(choices), choices["width"]
        return self.lowered(start, _fold_here(how), _elements(width, map_to_seq, sequential, 1))


def _fold_here(how: Folding) -> Strategy:
    """One work-item folds the row, as wide as its function allows."""
    by_width: dict[int, Strategy] = {}

    def run(e: Expr, context: Context) -> Rewritten | None:
        narrow = up_to(how.width, widths(e))
        if narrow not in by_width:
            by_width[narrow] = fold_here(replace(how, width=narrow))
        return by_width[narrow](e, context)

    return run


class MappedRowsByTree(MappedRows):
    """A work-group for each row, whose work-items fold strided elements and then halve the partial results, for each
    reduction; then they make the elements.
    """

    name = "mapped_row_tree"
    exchanges = True

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many work-items are in a group, how wide vectors are, how many accumulators a reduction has."""
        return group_parameters(self.widths(e))

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """Groups that grow with the rows; each work-item takes one element a turn."""
        n = max(1, length_of_rows(e).evaluate(sizes))
        groups = groups_allowed(reductions_of_row(e), machine)
        local = up_to(n // MAPPED_ROW_ELEMENTS, groups)
        found = {"local": local, "width": 1, "ways": 1}
        scope = tuple(Parameter("local", groups) if p.name == "local" else p for p in self.parameters(e))
        for each in reductions_of_row(e):
            found = in_short_chains(each, found, scope, ("local", "ways"), sizes)
        return found

    def constraints(self, e: Expr) -> list[Constraint]:
        """Groups that fit, a row with something for each work-item, accumulators with bounded rounding errors."""
        found = reductions_of_row(e)
        taken = product_of("local", "width", "ways")
        return [
            Constraint.le(taken, length_of_rows(e), "elements that a group takes in one turn"),
            *groups_fit(found),
            *chain.from_iterable(short_chains(each, "local", "width", "ways") for each in found),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ mapWorkgroup (mapSeq (mapLocal f) ∘ split local ..), with fold_in_group for each reduction in f"""
        local, width, how = choices["local"], choices["width"], Folding.of(choices)
        items = alone_over(to_items)
        turns = seq(use(split_join, n=local), at(joined / body, items), at(joined, map_to_seq))
        reduce = seq(fold_row_here(local, how), to_local)
        return self.lowered(start, reduce, _elements(width, turns, items, local))


@tactic
def _elements(e: Map, width: int, turns: Strategy, rest: Strategy, items: int) -> Strategy | None:
    """The elements of a row: so many work-items take vectors in turns, and single ones at its end."""
    if e.how != MAP:
        return None
    n, block = length(e), items * width
    return pieces(n, block * (n // block), in_vectors(width, turns), rest)
