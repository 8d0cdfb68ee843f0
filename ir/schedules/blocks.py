"""The schedule for results of different lengths that one kernel computes: the rows of a matrix and its columns.

All of them are shared out in the same blocks of what they read, a block for each work-group of one work-item, which
computes its part of one result after the other. So what it has read for the first is in its cache for the others, and
memory is read once. Results that need all blocks get a part from each; a second kernel reduces these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from ir.core.expr import Expr, free_inputs
from ir.core.patterns import Tuple
from ir.core.sizes import Size, size, var
from ir.core.types import element_type, shape_of
from ir.cost.thresholds.reductions import ACCUMULATORS_AT_MOST, BLOCKS_PER_UNIT_AT_LEAST, SHARED_BLOCK_BYTES
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import joined
from ir.rewrite.strategy import Strategy, at, seq, try_
from ir.rules.maps.fusion import elements_of_map
from ir.rules.opencl.lowering import map_to_seq
from ir.rules.opencl.memory import tuple_in_global
from ir.schedules.reductions.chains import input_length, short_chains, short_rests
from ir.schedules.rows.columns import partial_results
from ir.schedules.rows.compensated import Compensated
from ir.schedules.rows.panels import RowsByPanels, in_panels, panel_for, smaller_panels
from ir.schedules.rows.together import RowsTogether, lie_apart
from ir.schedules.schedule import (
    ALONE,
    Choices,
    Constraint,
    Machine,
    Parameter,
    Schedule,
    bytes_of,
    prefetching,
    up_to,
)
from ir.schedules.tactics import count_of_rows, over, to_groups

__all__ = ["InBlocks", "SharedOut", "rows_shared_out"]

_ROWS = (8, 16, 32, 64, 128, 256)


class _OfRows(RowsTogether):
    """The rows of a matrix: several at once of those of a block."""

    def matches(self, e: Expr) -> bool:
        """Rows that lie as they are read."""
        return super().matches(e) and not lie_apart(e)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """A block's rows in place of the turns."""
        return tuple(Parameter("block", _ROWS) if p.name == "turns" else p for p in super().parameters(e))

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """Those of rows alone; the block is chosen by all results."""
        found = super().default_at(e, machine, elements, sizes)
        return {name: value for name, value in found.items() if name != "turns"} | {"block": _ROWS[0]}

    def constraints(self, e: Expr) -> list[Constraint]:
        """Accumulators that fit registers and have bounded rounding errors."""
        together = Constraint.le(var("rows", 1) * var("ways", 1), ACCUMULATORS_AT_MOST, "accumulators of a work-item")
        return [together, *short_chains(self._row(e), "width", "ways"), prefetching()]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """As of rows alone."""
        return super().derive(start, {**choices, "turns": choices["block"] // choices["rows"]})


class _OfColumns(RowsByPanels):
    """The columns of a matrix: a part of each of a block's rows, panel by panel, and then of all parts."""

    def matches(self, e: Expr) -> bool:
        """Columns that can be cut into parts."""
        return super().matches(e) and lie_apart(e) and len(self.parts_of(e).values) > 1

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """A block's rows in place of the parts."""
        return tuple(Parameter("block", _ROWS) if p.name == "parts" else p for p in super().parameters(e))

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """Those of columns alone; the block is chosen by all results."""
        found = self.default(e, machine, elements) | {"panel": panel_for(count_of_rows(e).evaluate(sizes))}
        return {name: value for name, value in found.items() if name != "parts"} | {"block": _ROWS[0]}

    def constraints(self, e: Expr) -> list[Constraint]:
        """Accumulators with bounded rounding errors: of a block, and of all parts."""
        row, block = self._row(e), var("block", 1)
        return [
            Constraint.le(var("ways", 1), block, "elements of a column in a turn"),
            *short_rests(row, "block"),
            *short_chains(row, "block"),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ (panels of all parts) ∘ transpose ∘ toGlobal (mapWorkgroup (panels of a part)) ∘ transpose"""
        n, rows, block = input_length(self._row(start.result)), count_of_rows(start.result), choices["block"]
        parts, ways, width = n // block, choices["ways"], choices["width"]
        panels = smaller_panels(choices["panel"])

        def part(count: Size, ways: int) -> Strategy:
            return over(to_groups, in_panels(rows, panels, count, ways, width, map_to_seq))

        first = partial_results(n, block * parts, parts, part(size(block), ways), part(n % block, 1))
        count = parts if block * parts is n else parts + 1
        last = seq(elements_of_map, in_panels(rows, panels, count, ways, width))
        return start.then(seq(at(joined, first), last), self.name)


class SharedOut(Schedule):
    """What the schedules share in which a work-group computes its part of each result.

    Attributes:
        of_a_matrix: the schedules of which each result has one
        shared: the parameters that all results have in common
    """

    of_a_matrix: tuple[Schedule, ...]
    shared: tuple[str, ...]

    def matches(self, e: Expr) -> bool:
        """Results that are shared out in blocks of as many rows."""
        return isinstance(e, Tuple) and self._members(e) is not None and len(set(map(rows_shared_out, e.operands))) == 1

    def _members(self, e: Expr) -> list[Schedule] | None:
        """The schedule of each result; None where one has none."""
        found = [next((s for s in self.of_a_matrix if s.matches(x)), None) for x in e.operands]
        return None if None in found else [s for s in found if s is not None]

    def _named(self, name: str, number: int) -> str:
        """A parameter's name among those of all results."""
        return name if name in self.shared else f"{name}_{number}"

    def each(self, e: Expr) -> Iterator[tuple[int, Expr, Schedule]]:
        """The number of each result, itself, and its schedule."""
        members = self._members(e)
        assert members is not None  # it matches
        yield from ((i, x, s) for i, (x, s) in enumerate(zip(e.operands, members, strict=True)))

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """What a block has, and the other parameters of each result with its number."""
        found: dict[str, Parameter] = {}
        for i, x, schedule in self.each(e):
            for p in schedule.parameters(x):
                found[self._named(p.name, i)] = Parameter(self._named(p.name, i), p.values)
        return tuple(found.values())

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """Those of each result."""
        found: dict[str, int] = {}
        for i, x, schedule in self.each(e):
            own = schedule.default_at(x, machine, elements, sizes)
            found |= {self._named(name, i): value for name, value in own.items()}
        return found

    def constraints(self, e: Expr) -> list[Constraint]:
        """Those of each result."""
        found: list[Constraint] = []
        for i, x, schedule in self.each(e):
            names = [p.name for p in schedule.parameters(x)]
            others = {v: var(self._named(v.name, i), 0) for name in names for v in (var(name, 0), var(name, 1))}
            found += [_substituted(c, others) for c in schedule.constraints(x)]
        return found

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """(xs, f ys)  ->  (t.0, f t.1)      for t = toGlobal (xs in blocks, ys in the same blocks)"""
        parts: list[Strategy] = []
        for i, x, schedule in self.each(start.result):
            own = {p.name: choices[self._named(p.name, i)] for p in schedule.parameters(x)}
            parts.append(at((i,), schedule.strategy(own)))
        return start.then(seq(*parts, try_(tuple_in_global)), self.name)


class InBlocks(SharedOut):
    """A block for each work-group, which computes its part of each result."""

    name = "blocks"
    of_a_matrix = (Compensated(_OfColumns()), Compensated(_OfRows()))
    shared = ("block",)

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """Blocks that stay in the second-level cache, and of which there are enough for all compute units."""
        found = super().default_at(e, machine, elements, sizes)
        n = max(1, rows_shared_out(e.operands[0]).evaluate(sizes))
        (values,) = (p.values for p in self.parameters(e) if p.name == "block")
        cached = SHARED_BLOCK_BYTES * n // max(1, _bytes(e, n, sizes))
        shared = n // (BLOCKS_PER_UNIT_AT_LEAST * machine.compute_units)
        return found | {"block": up_to(min(cached, shared), values)}

    def constraints(self, e: Expr) -> list[Constraint]:
        """Also one work-item for a group."""
        return [ALONE, *super().constraints(e)]


def _substituted(c: Constraint, others: Mapping[Size, Size]) -> Constraint:
    return Constraint(c.left.substitute(others), c.right.substitute(others), c.reason, c.throughout)


def rows_shared_out(e: Expr) -> Size:
    """How many rows of a matrix are shared out to compute a result."""
    row = RowsTogether.row(e)
    if row is None:
        return size(0)
    return input_length(row) if lie_apart(e) else count_of_rows(e)


def _bytes(e: Expr, n: int, sizes: Mapping[str, int]) -> int:
    """The bytes of all arrays, read or written, that are shared out: those of so many elements or more."""
    arrays = [*free_inputs(e), *e.operands]
    counts = ((prod(n.evaluate(sizes) for n in shape_of(x.type)), bytes_of(element_type(x.type))) for x in arrays)
    return sum(count * each for count, each in counts if count >= n)
