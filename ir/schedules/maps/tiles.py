"""Schedules for element-wise maps that read an array with its dimensions exchanged: tile by tile.

Whoever writes the rows of a transposed matrix one by one reads a column for each, an element of every line of memory.
In a tile of some rows and columns each line is read while it is near, and written whole.
"""

from __future__ import annotations

from collections.abc import Mapping

from ir.core.expr import Expr
from ir.core.patterns import Map
from ir.core.sizes import Size, var
from ir.cost.thresholds.defaults import (
    ONE_GROUP_BELOW,
    TILE,
    TILE_AT_LEAST,
    TILE_GROUPS_PER_UNIT_AT_LEAST,
    TILES_OF_A_STRIP_AT_LEAST,
)
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import body, here, joined, transposed
from ir.rewrite.strategy import Strategy, at, seq, use
from ir.rules.common import length
from ir.rules.layout.concat import join_out_of_map
from ir.rules.layout.views import interchange
from ir.rules.maps.algorithmic import map_fission, split_join
from ir.rules.opencl.lowering import map_to_seq, map_to_workgroup
from ir.schedules.maps.flat import in_vectors, is_elementwise, pieces, widths
from ir.schedules.schedule import ALONE, Choices, Constraint, Machine, Parameter, Schedule, up_to, widest_of
from ir.schedules.strides import Exchange, exchange_of
from ir.schedules.tactics import over, sequential, split_over

__all__ = ["MapTiles", "exchange_in", "exchanged", "rows_apart"]

_ROWS = (8, 16, 32, 64, 128, 512, 2048)
_COLUMNS = (1, 4, 8, 16, 32, 64)
_STRIPS = (1, 4, 16, 64)


def exchanged(e: Expr) -> Exchange | None:
    """The exchange of dimensions that an element-wise map reads an array through; None where there is none."""
    if not is_elementwise(e):
        return None
    assert isinstance(e, Map)
    found = exchange_of(e.xs)
    whole = None if found is None else found.outer * found.rows * found.middle * found.columns
    return found if whole is length(e) else None


def exchange_in(e: Expr) -> Exchange:
    """What `exchanged` finds, for expressions that a schedule matches because there is one."""
    found = exchanged(e)
    assert found is not None
    return found


def rows_apart(how: Exchange, planes: list[Strategy], rows: Strategy) -> Strategy:
    """map f over a flat array  ->  .. map (map (map (map f))) .. over its outer and middle dimensions, rows and columns

    `planes` lower the maps over the outer and middle dimensions, where they have more than one element; `rows` the map
    over rows that is left.
    """
    steps: list[Strategy] = []
    place, lower = here, list(planes)
    if how.outer.value != 1:
        steps += [use(split_join, n=how.rows * how.middle * how.columns), at(joined, lower.pop(0))]
        place = joined / body
    steps.append(at(place, use(split_join, n=how.middle * how.columns)))
    if how.middle.value != 1:
        steps += [
            at(place / joined / body, use(split_join, n=how.columns)),
            at(place, join_out_of_map),
            at(place / joined / joined, seq(map_fission, interchange, at(transposed, lower.pop(0)))),
        ]
        place /= joined / joined / transposed / body
    else:
        place /= joined
    return seq(*steps, at(place, rows))


def tile(width: int) -> Strategy:
    """map (map f) over columns  ->  transpose ∘ map (map f in vectors) ∘ transpose, all of it in order"""
    return seq(interchange, at(transposed, over(map_to_seq, in_vectors(width, sequential))))


class MapTiles(Schedule):
    """Some rows, or a strip of their columns, for each work-group of one work-item, which goes from tile to tile."""

    name = "tiles"

    def matches(self, e: Expr) -> bool:
        """Element-wise maps of flat arrays of which one is read with its dimensions exchanged."""
        return exchanged(e) is not None

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many rows and columns are in a tile, how many work-groups share the tiles of some rows, and how wide the
        vectors are that write a row.
        """
        return (
            Parameter("rows", _ROWS),
            Parameter("columns", _COLUMNS),
            Parameter("strips", _STRIPS),
            Parameter("width", widths(e)),
        )

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Tiles as wide as a vector of floats, so that few lines of a column fall on one set of a cache."""
        widest = widest_of(widths(e), e, machine)
        return {**TILE, "strips": 1, "width": widest}

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """Longer tiles where there are few columns; strips where there are fewer rows than all compute units take."""
        how, found = exchange_in(e), self.default(e, machine, elements)
        rows, columns = how.rows.evaluate(sizes), how.columns.evaluate(sizes)
        found["columns"] = up_to(min(columns, found["columns"]), _COLUMNS)
        found["rows"] = next((r for r in _ROWS if r >= found["rows"] and r * columns >= TILE_AT_LEAST), _ROWS[-1])
        found["width"] = up_to(min(found["columns"], found["width"]), widths(e))
        blocks = how.outer.evaluate(sizes) * how.middle.evaluate(sizes) * max(1, rows // found["rows"])
        shared = [s for s in _STRIPS if s * blocks >= TILE_GROUPS_PER_UNIT_AT_LEAST * machine.compute_units]
        if rows * columns >= ONE_GROUP_BELOW:
            most = [s for s in _STRIPS if s * found["columns"] * TILES_OF_A_STRIP_AT_LEAST <= columns]
            found["strips"] = min(shared[:1] + most[-1:], default=1)
        return found

    def is_preferred(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> bool:
        """Where there is more than one tile: its loops take longer to compile than to run otherwise."""
        return length(e).evaluate(sizes) > TILE_AT_LEAST

    def constraints(self, e: Expr) -> list[Constraint]:
        """A tile that has its columns, and vectors within a tile."""
        columns, width = var("columns", 1), var("width", 1)
        return [
            ALONE,
            Constraint.le(columns * var("strips", 1), exchange_in(e).columns, "columns of a tile in each strip"),
            Constraint.le(width, columns, "elements of a vector that lie in one tile"),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ mapWorkgroup1 (transpose ∘ join ∘ mapWorkgroup0 (join ∘ mapSeq (transpose ∘ mapSeq (mapSeq f in
        vectors) ∘ transpose) ∘ split c) ∘ split s ∘ transpose) ∘ split r, without vectors what is left over
        """
        how, rows = exchange_in(start.result), choices["rows"]
        *planes, over_rows, over_strips = _levels(how, choices["strips"] > 1)
        block = seq(interchange, at(transposed, _strips(how.columns, over_strips, choices)))
        whole = rows * (how.rows // rows)
        blocks, rest = (split_over(count, over_rows, block) for count in (rows, how.rows - whole))
        both = pieces(how.rows, whole, blocks, rest)
        return start.then(rows_apart(how, planes, both), self.name)


def _levels(how: Exchange, strips: bool) -> list[Strategy]:
    """How the maps over outer and middle dimensions, rows and strips are lowered: to as many dimensions of work-groups
    as there are; the strips come last, in order where there are none.
    """
    count = 1 + (how.outer.value != 1) + (how.middle.value != 1)
    groups = min(3, count + strips)
    levels: list[Strategy] = [use(map_to_workgroup, dim=dim) for dim in reversed(range(groups))]
    levels.append(map_to_seq)
    return levels[: count + 1]


def _strips(n: Size, level: Strategy, choices: Choices) -> Strategy:
    """A map over n columns: strips of whole tiles, and one tile of the columns that are left."""
    columns, strips = choices["columns"], choices["strips"]
    tiles = split_over(columns, map_to_seq, tile(choices["width"]))
    share = columns * (n // (columns * strips))

    def strip(count: Size, inside: Strategy) -> Strategy:
        return split_over(count, level, inside) if strips > 1 else inside

    rest = n - strips * share
    return pieces(n, strips * share, strip(share, tiles), strip(rest, tile(1)))
