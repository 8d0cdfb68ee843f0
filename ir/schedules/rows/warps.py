"""A schedule for devices whose work-items come in warps: each warp reduces a row, several of them in a work-group.

Partial results lie in local memory, a row of them for each warp, since a warp's work-items have no other way to hand
them on. Between two stages stands a barrier of the whole group: OpenCL promises nothing of work-items in lockstep, and
current devices do not keep them so, even within a warp.
"""

from __future__ import annotations

from math import isqrt

from ir.core.expr import Expr
from ir.core.sizes import Size, var
from ir.cost.thresholds.defaults import GPU_VECTOR_AT_MOST
from ir.cost.thresholds.reductions import WARP_RESULTS_UNROLLED_AT_MOST, WARPS_OF_A_GROUP_AT_MOST
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import array, body
from ir.rewrite.strategy import Strategy, at, seq, use
from ir.rules.folds.reduction import reduce_to_part, reduce_to_parts
from ir.rules.maps.algorithmic import map_fission
from ir.rules.opencl.lowering import map_to_lane, map_to_warp
from ir.rules.opencl.memory import to_local
from ir.schedules.maps.flat import ragged
from ir.schedules.reductions.chains import Rows, input_length, is_shared, short_chains, widths
from ir.schedules.reductions.folding import Folding, few, parts_over
from ir.schedules.reductions.trees import OF_ANY_LENGTH, partials_of_row, share_by_items
from ir.schedules.rows.dependent import needs_others
from ir.schedules.schedule import MACHINE, Choices, Constraint, Machine, Parameter, bytes_of, up_to
from ir.schedules.tactics import count_of_rows, in_order, over, push_maps, rows_in, split_over, to_groups

__all__ = ["RowsByWarp"]

_LANES = (32, 64)
_WARPS = (1, 2, 4, 8, 16)


class RowsByWarp(Rows):
    """A warp for each row, whose work-items fold strided elements and then, in one or two stages, their results."""

    name = "row_warp"
    exchanges = True

    def matches(self, e: Expr) -> bool:
        """The reductions of the rows of a matrix, by an associative, commutative function."""
        row = self.row(e)
        return is_shared(row) and not needs_others(row)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many work-items in a warp, warps in a group, how a work-item folds, and the stages that follow."""
        row = self._row(e)
        return (
            Parameter("lanes", _LANES),
            Parameter("warps", _WARPS),
            Parameter("width", tuple(w for w in widths(row) if w <= GPU_VECTOR_AT_MOST)),
            Parameter("ways", (1, 2, 4)),
            Parameter("stages", (1, 2)),
        )

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Warps as long as the device's, some of them in a group, elements one by one: rows of any length have them."""
        lanes = up_to(machine.warp_size, _LANES)
        warps = max(
            n for n in _WARPS if n <= WARPS_OF_A_GROUP_AT_MOST and n * lanes <= max(machine.max_work_group_size, lanes)
        )
        return {"lanes": lanes, "warps": warps, "width": 1, "ways": 1, "stages": 2}

    def constraints(self, e: Expr) -> list[Constraint]:
        """Warps that the device has, groups that fit, something for each work-item, bounded rounding errors."""
        row = self._row(e)
        lanes, items = var("lanes", 1), var("lanes", 1) * var("warps", 1)
        partial = (items * OF_ANY_LENGTH + var("warps", 1)) * bytes_of(row.init.type)
        taken = lanes * var("width", 1) * var("ways", 1)
        return [
            Constraint.le(lanes, MACHINE["warp_size"], "work-items in a warp"),
            Constraint.le(items, MACHINE["max_work_group_size"], "work-items in a work-group"),
            Constraint.le(partial, MACHINE["local_memory_bytes"], "bytes of local memory"),
            Constraint.le(taken, input_length(row), "elements that a warp takes in one turn"),
            *short_chains(row, "lanes", "width", "ways"),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ mapWorkgroup (mapWarp (fold in a warp)) ∘ split warps, and a group for each row that is left over"""
        n = input_length(self._row(start.result))
        folded = _fold_rows(n, choices["lanes"], Folding.of(choices), choices["stages"])
        count, warps = count_of_rows(start.result), choices["warps"]
        several, one = split_over(warps, to_groups, folded), split_over(1, to_groups, folded)
        return start.then(at(rows_in(start.result), ragged(count, (count // warps) * warps, several, one)), self.name)


def _fold_rows(n: Size, lanes: int, how: Folding, stages: int) -> Strategy:
    """map (reduce f z)  ->  mapWarp (the last stage) ∘ toLocal (mapWarp (..)) ∘ .. ∘ toLocal (mapWarp (mapLane (fold)))

    A row of n elements: each lane folds an equal share, and at most one element of the rest.
    """
    step = lanes * how.step
    whole = step * (n // step)
    to_lanes = use(map_to_lane, lanes=lanes)
    share = seq(push_maps, share_by_items(to_lanes, lanes, how))
    if whole is n:
        first = _stage(lanes, use(reduce_to_parts, parts=lanes), share)
        return seq(first, _fold_partials(lanes, lanes, stages))
    count, cut, made = partials_of_row(n, lanes, how, to_lanes)
    return seq(_stage(lanes, cut, made), _fold_partials(count, lanes, stages))


def _stage(lanes: int, cut: Strategy, partials: Strategy) -> Strategy:
    """map (reduce f z)  ->  map (reduce f z) ∘ toLocal (mapWarp partials)"""
    warp = seq(over(use(map_to_warp, lanes=lanes), partials), to_local)
    return seq(at(body, cut), map_fission, at(array, warp))


def _fold_partials(count: int, lanes: int, stages: int) -> Strategy:
    """map (reduce f z) over rows of `count` partial results  ->  mapWarp (mapLane (reduceSeq f z)), once or twice"""
    fan = _fan(count) if stages > 1 else count
    fold = parts_over(use(map_to_lane, lanes=lanes), few(fan) if fan <= WARP_RESULTS_UNROLLED_AT_MOST else in_order)
    if fan == count:
        return over(use(map_to_warp, lanes=lanes), seq(reduce_to_part, fold))
    left = count // fan
    first = _stage(lanes, use(reduce_to_parts, parts=left), fold)
    return seq(first, _fold_partials(left, lanes, stages - 1))


def _fan(count: int) -> int:
    """The largest factor that is no more than its cofactor; the number itself where there is none but one."""
    return next((n for n in range(isqrt(count), 1, -1) if count % n == 0), count)
