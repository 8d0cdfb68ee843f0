"""The schedules for several steps of a stencil in one pass over memory: tiles that overlap.

A work-group takes a tile. It keeps what each step but the last makes of it, and of as many elements around it as the
later steps reach: a group of one work-item in private memory, which is the cache of a CPU, a group of many in local
memory.
"""

from __future__ import annotations

from math import prod

from ir.core.expr import Expr
from ir.core.patterns import Head
from ir.core.sizes import Size, size, var
from ir.cost.thresholds.defaults import (
    LAUNCHED_GROUPS_AT_MOST,
    STEPS_LINE_OF_ITEMS,
    STEPS_TILE,
    STEPS_TILE_OF_ITEMS,
)
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import below, joined, transposed
from ir.rewrite.strategy import Strategy, at, seq, tactic, use
from ir.rules.layout.steps import steps_in_tiles
from ir.rules.opencl.in_order import maps_by_items, maps_in_order
from ir.rules.opencl.lowering import map_to_workgroup
from ir.rules.opencl.vectorise import is_vectorisable
from ir.rules.stencils import Stencil, steps_of
from ir.schedules.maps.flat import WIDTHS
from ir.schedules.schedule import MACHINE, Choices, Constraint, Machine, Parameter, Schedule, bytes_of, widest_of
from ir.schedules.tactics import at_parts, over, to_groups

__all__ = ["StepsByItems", "StepsInTiles", "holds_tiles"]

_ROWS = (4, 8, 16, 32, 64, 128)
_COLUMNS = (64, 128, 256, 512, 1024)
_ELEMENTS = (512, 1024, 2048, 4096, 8192, 16384)

_ITEM_ROWS = (8, 16, 32, 64)
_ITEM_COLUMNS = (32, 64, 128)
_ITEM_ELEMENTS = (512, 1024, 2048, 4096)


class _Tiles(Schedule):
    """A tile for each work-group."""

    starts_normal = False  # there several steps were one map, in which each element computes again what neighbours do
    writes_parts = True

    def matches(self, e: Expr) -> bool:
        """Two or more steps of a stencil with a kept border, of arrays known to hold two tiles of some size."""
        found = steps_of(e)
        if found is None:
            return False
        form = found.form
        return all(4 * found.steps * b <= _least(n) for n, b in zip(form.shape, form.border, strict=True))

    def constraints(self, e: Expr) -> list[Constraint]:
        """Two tiles and more in each dimension, and memory for all that a tile keeps."""
        found, sides, limit = _found(e), self._sides(e), self._limit
        wraps = [end.kind == "wrap" for end in found.form.ends]
        arrays = [0] * any(wraps) + [*range(1, found.steps)]  # before which step: a tile around a seam is put together
        kept = size(0)  # what a step reads and what it makes: those before lie in the same memory
        for step in arrays[:2]:
            around = [  # of the last tile
                ((3 * found.steps - 2 * step) if wrap else (2 * found.steps - step)) * b
                for wrap, b in zip(wraps, found.form.border, strict=True)
            ]
            if found.form.has_equal_rows:
                around[0] = (2 * found.steps - 2 * step) * found.form.border[0]
            kept += prod((side + more for side, more in zip(sides, around, strict=True)), start=size(1))
        two = [
            Constraint.le(2 * side + 2 * found.steps * b, _least(n), "elements for two tiles and what is around them")
            for side, n, b in zip(sides, found.form.shape, found.form.border, strict=True)
        ]
        reached = [
            Constraint.le(found.steps * b, side, "elements that the steps of a tile reach on each side")
            for side, b in zip(sides, found.form.border, strict=True)
        ]
        memory = kept * bytes_of(found.form.function.result)
        return [*two, *reached, Constraint.le(memory, MACHINE[limit], f"bytes of {limit.split('_')[0]} arrays")]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ concat(join ∘ mapWorkgroup1 (transpose ∘ concat(join ∘ mapWorkgroup0 (transpose ∘ tile ∘ transpose) ∘
        slide, ..) ∘ transpose) ∘ slide, ..), a tile of steps in order, all but the last kept; where all tiles of rows
        are alike join ∘ head ∘ join ∘ mapWorkgroup1 (..) ∘ slide
        """
        found = _found(start.result)
        sides = [int(side.evaluate(choices)) for side in self._sides(start.result)]
        tile, one = self._tile(choices), len(sides) == 1
        tiles = use(steps_in_tiles, rows=sides[0], columns=1 if one else sides[1])
        if one:
            return start.then(seq(tiles, _each(to_groups, tile)), self.name)
        across = at(transposed, _each(to_groups, at(transposed, tile)))
        strips = use(map_to_workgroup, dim=1)
        alike = at(joined / below(Head) / joined, over(strips, across))
        down = alike if found.form.has_equal_rows else at(joined, _each(strips, across))
        return start.then(seq(tiles, down), self.name)

    _limit: str

    def _sides(self, e: Expr) -> list[Size]:
        """Rows and columns of a tile, or its elements, over the parameters."""
        return [var(name, 1) for name, _ in zip(("rows", "columns"), _found(e).form.shape, strict=False)]

    def _tile(self, choices: Choices) -> Strategy:
        """How the steps of a tile are lowered."""
        raise NotImplementedError


class StepsInTiles(_Tiles):
    """A tile for each work-group of one work-item."""

    name = "step_tiles"
    _limit = "private_array_bytes"

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """Rows and columns of a tile, or its elements where there are no rows; how wide the vectors are."""
        sides = {"rows": _ROWS, "columns": _COLUMNS} if len(_found(e).form.shape) == 2 else {"rows": _ELEMENTS}
        width = WIDTHS if is_vectorisable(_found(e).form.function) else (1,)
        return (*(Parameter(name, values) for name, values in sides.items()), Parameter("width", width))

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Full vectors, and tiles of which two steps stay in the cache of a compute unit."""
        names = [p.name for p in self.parameters(e)]
        found = STEPS_TILE if "columns" in names else {"rows": STEPS_TILE["elements"]}
        *_, width = self.parameters(e)
        return {name: found[name] for name in names[:-1]} | {"width": widest_of(width.values, e, machine)}

    def _tile(self, choices: Choices) -> Strategy:
        return use(maps_in_order, width=choices["width"])


class StepsByItems(_Tiles):
    """A tile for each work-group of many work-items, which take its rows, or its elements, in turns."""

    name = "step_tiles_items"
    exchanges = True
    _limit = "local_memory_bytes"

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """Rows of a tile, and its columns with what is around them, for each of which there is a work-item; by how many
        work-items the rows are shared, and how many each takes in order. Where there are no rows, elements of a tile,
        and work-items.
        """
        if len(_found(e).form.shape) == 1:
            return (Parameter("rows", _ITEM_ELEMENTS), Parameter("items", (128, 256, 512, 1024)))
        return (
            Parameter("rows", _ITEM_ROWS),
            Parameter("columns", _ITEM_COLUMNS),
            Parameter("items", (4, 8, 16, 32)),
            Parameter("each", (1, 2, 4)),
        )

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Groups of which a compute unit has several at a time."""
        return dict(STEPS_TILE_OF_ITEMS if len(self.parameters(e)) > 2 else STEPS_LINE_OF_ITEMS)

    def constraints(self, e: Expr) -> list[Constraint]:
        """Work-items in lockstep, work-groups that the device has, and what tiles need."""
        found, items = _found(e), var("items", 1)
        strips: list[Constraint] = []
        if len(found.form.shape) == 2:
            wraps = found.form.ends[1].kind == "wrap"  # then the last tile reads as much more as all steps reach
            items *= var("columns", 1) + wraps * (found.steps - 2) * found.form.border[1]
            rows = var("rows", 1)
            count = (found.form.shape[0] + (rows - 1 if found.form.has_equal_rows else 0)) // rows
            strips = [Constraint.le(count, LAUNCHED_GROUPS_AT_MOST, "work-groups over the rows", throughout=True)]
        return [
            Constraint.le(2, MACHINE["lockstep"], "work-items in lockstep at least"),
            Constraint.le(items, MACHINE["max_work_group_size"], "work-items in a work-group"),
            *strips,
            *super().constraints(e),
        ]

    def _sides(self, e: Expr) -> list[Size]:
        rows, *columns = super()._sides(e)
        found = _found(e)
        return [rows, *(side - 2 * found.steps * found.form.border[1] for side in columns)]

    def _tile(self, choices: Choices) -> Strategy:
        return use(maps_by_items, items=choices["items"], each=choices.get("each", 1))


def holds_tiles(e: Expr, alone: bool) -> bool:
    """Is it steps of a stencil over arrays that hold two tiles and more, of some size, whatever their symbols are?

    Args:
        alone: does a work-item have a tile for itself?
    """
    found = steps_of(e)
    if found is None:
        return False
    sides: list[tuple[int, ...]] = [_ELEMENTS if alone else _ITEM_ELEMENTS]
    if len(found.form.shape) == 2:
        beside = 2 * found.steps * found.form.border[1]
        sides = [_ROWS, _COLUMNS] if alone else [_ITEM_ROWS, tuple([wide - beside for wide in _ITEM_COLUMNS])]
    for n, b, values in zip(found.form.shape, found.form.border, sides, strict=True):
        around = found.steps * b
        if not any(around <= side and 2 * side + 2 * around <= _least(n) for side in values):
            return False
    return True


def _least(n: Size) -> int:
    """What an extent is known to be at least: tiles fit into arrays of all sizes that a kernel serves."""
    return n.bounds()[0] or 0


def _found(e: Expr) -> Stencil:
    found = steps_of(e)
    assert found is not None
    return found


@tactic
def _each(e: Expr, level: Strategy, inner: Strategy) -> Strategy:
    """concat(join (map f xs), ..)  ->  concat(join (mapX f' xs), ..)"""
    return at_parts(*(at(joined, over(level, inner)) for _ in e.operands))
