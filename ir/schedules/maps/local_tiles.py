"""The schedule for GPUs of element-wise maps that read an array with its dimensions exchanged: tiles in local memory.

Work-items that run in lockstep want neighbours in memory, and rows of what is read are columns of what is written: a
tile is read along its rows, kept in local memory, and written along its columns.
"""

from __future__ import annotations

from ir.core.expr import Expr
from ir.core.patterns import Map, Slice
from ir.core.sizes import Size, size, var
from ir.cost.thresholds.defaults import LAUNCHED_GROUPS_AT_MOST, LOCAL_TILE
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import array, below, body, part, transposed
from ir.rewrite.strategy import Strategy, at, seq, try_, use
from ir.rules.common import components, element
from ir.rules.layout.views import interchange, slice_after_map
from ir.rules.maps.algorithmic import map_fission, map_identity
from ir.rules.maps.zips import interchange_zip
from ir.rules.opencl.lowering import map_to_local, map_to_seq, map_to_workgroup, unroll
from ir.rules.opencl.memory import row_pad, rows_to_copies, to_local
from ir.schedules.maps.flat import pieces
from ir.schedules.maps.tiles import exchange_in, exchanged, rows_apart
from ir.schedules.schedule import MACHINE, Choices, Constraint, Machine, Parameter, Schedule, bytes_of
from ir.schedules.strides import exchange_of
from ir.schedules.tactics import alone_over, at_parts, split_over, to_groups, to_items

__all__ = ["MapLocalTiles"]

_SIDES = (16, 32, 64)


def copied_members(e: Map) -> int:
    """The components, as bits, of what a map reads that are read with dimensions exchanged; 0 where all of it is."""
    found = [i for i, operand in enumerate(components(e.xs)) if exchange_of(operand) == exchanged(e)]
    return 0 if len(found) == len(components(e.xs)) else sum(1 << i for i in found)


class MapLocalTiles(Schedule):
    """A square tile for each work-group, in local memory between reading and writing; what is left is written as it is
    read, element by element.
    """

    name = "local_tiles"
    exchanges = True

    def matches(self, e: Expr) -> bool:
        """Element-wise maps of flat arrays of which one is read with its dimensions exchanged, at most one more
        dimension around or between these.
        """
        found = exchanged(e)
        return found is not None and (found.outer.value == 1 or found.middle.value == 1)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """The side of a tile, how many of its elements each work-item takes, and by how many elements its rows are
        kept apart.
        """
        return (Parameter("side", _SIDES), Parameter("each", (1, 2, 4, 8, 16)), Parameter("pad", (0, 1)))

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Tiles of 32 by 32, four elements for each work-item, rows that lie on different banks."""
        return dict(LOCAL_TILE)

    def constraints(self, e: Expr) -> list[Constraint]:
        """Work-groups and local memory that the device has, and a tile in the array."""
        how, side, pad = exchange_in(e), var("side", 1), var("pad", 0)
        assert isinstance(e, Map)
        return [
            Constraint.le(2, MACHINE["lockstep"], "work-items in lockstep at least"),
            Constraint.le(
                side * (side // var("each", 1)), MACHINE["max_work_group_size"], "work-items in a work-group"
            ),
            Constraint.le(side * (side + pad) * _kept_bytes(e), MACHINE["local_memory_bytes"], "bytes of local memory"),
            Constraint.le(how.rows // side, LAUNCHED_GROUPS_AT_MOST, "work-groups over the rows"),
            Constraint.le(how.outer * how.middle, LAUNCHED_GROUPS_AT_MOST, "work-groups over the other dimensions"),
            Constraint.le(side, how.rows, "rows of a tile"),
            Constraint.le(side, how.columns, "columns of a tile"),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ mapWorkgroup1 (transpose ∘ join ∘ mapWorkgroup0 (transpose ∘ join ∘ mapLocal1 (mapSeq (mapLocal0 f))
        ∘ split e ∘ transpose ∘ map (slice 0 1 s) ∘ toLocal (join ∘ mapLocal1 (mapSeq (λr. concat(mapLocal0 id r,
        mapLocal0 id (slice 0 1 p r)))) ∘ split e)) ∘ split s ∘ transpose) ∘ split s, without toLocal what is left over
        """
        e = start.result
        assert isinstance(e, Map)
        how, side, each = exchange_in(e), choices["side"], choices["each"]
        planes = [use(map_to_workgroup, dim=2)] * (how.outer.value != 1 or how.middle.value != 1)
        through = _through_local(copied_members(e), each, choices["pad"])

        def blocks(count: Size | int, inside: Strategy) -> Strategy:
            block = seq(interchange, at(transposed, columns(inside, _direct(count, each))))
            return split_over(count, use(map_to_workgroup, dim=1), block)

        def columns(inside: Strategy, rest: Strategy) -> Strategy:
            whole = side * (how.columns // side)
            tail = split_over(how.columns - whole, to_groups, rest)
            return pieces(how.columns, whole, split_over(side, to_groups, inside), tail)

        whole = side * (how.rows // side)
        left = how.rows - whole
        both = pieces(how.rows, whole, blocks(side, through), blocks(left, _direct(left, each)))
        return start.then(rows_apart(how, planes, both), self.name)


def _over_items(each: Size | int, along: Strategy) -> Strategy:
    """map f  ->  join ∘ mapLocal1 (mapSeq f) ∘ split e, and f lowered by `along`"""
    return split_over(each, use(map_to_local, dim=1), seq(map_to_seq, try_(unroll), at(body, along)))


def _direct(rows: Size | int, each: int) -> Strategy:
    """map (map f)  ->  transpose ∘ mapLocal1 (mapSeq (mapLocal0 f)) ∘ transpose, for so many rows"""
    whole = each * (size(rows) // each)
    turns = pieces(size(rows), whole, _over_items(each, _item), _over_items(rows - whole, _item))
    return seq(interchange, at(transposed, turns))


def _through_local(members: int, each: int, pad: int) -> Strategy:
    """map (map f)  ->  transpose ∘ mapLocal1 (mapSeq (mapLocal0 f)) ∘ transpose ∘ toLocal (mapLocal1 (mapSeq (mapLocal0
    id))), of the components that are named where they are some of several
    """
    copy = _kept(each, pad)
    write = at(transposed, _over_items(each, _item))
    if not members:
        copied = seq(map_identity, at(body, map_identity), copy)
        return seq(interchange, at(transposed / array / transposed, copied), write)
    copies = [at(transposed / array / part(i) / transposed, copy) for i in range(members.bit_count())]
    return seq(use(rows_to_copies, members=members), interchange_zip, *copies, write)


_item: Strategy = alone_over(to_items)


def _kept(each: int, pad: int) -> Strategy:
    """map (map f)  ->  toLocal (mapLocal1 (mapSeq (mapLocal0 f))), its rows as many elements apart as asked for"""
    if not pad:
        return seq(_over_items(each, _item), to_local)
    apart = seq(use(row_pad, count=pad), at(below(Slice) / part(1), slice_after_map))
    rows = seq(_over_items(each, at_parts(_item, _item)), to_local)
    return seq(at(body, apart), map_fission, at(array, rows))


def _kept_bytes(e: Map) -> int:
    """What an element takes in local memory."""
    members = copied_members(e)
    kept = [x for i, x in enumerate(components(e.xs)) if not members or members >> i & 1]
    return sum(bytes_of(element(x)) for x in kept)
