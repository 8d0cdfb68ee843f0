"""Schedules for reductions of the columns of a matrix, in which neighbouring columns are reduced beside each other, so
that memory is read row by row, as it lies. Long columns are cut into parts, whose results a second kernel reduces.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

from ir.core.expr import Expr, Lambda, fresh, postorder, substitute
from ir.core.patterns import Join, Map, Reduce, Slide
from ir.core.sizes import Size, SizeLike, minimum, size, var
from ir.cost.thresholds.prediction import OTHER_TAKES_AT_MOST, RIVAL_TAKES_AT_MOST
from ir.cost.thresholds.reductions import (
    COLUMN_GROUP,
    COLUMN_LAST_GROUP,
    COLUMN_PART_AT_LEAST,
    COLUMN_PARTS_BY_ITEM,
    COLUMN_WAYS,
    COLUMN_WAYS_OF_EXPONENTIALS,
    COLUMN_WORK_ITEMS_PER_UNIT,
    SHORT_ROW_ALONE_UP_TO,
    SHORT_ROWS_ALONE,
    SHORT_ROWS_PER_UNIT,
)
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import array, body, joined, part, transposed
from ir.rewrite.strategy import Strategy, at, seq, succeed, try_, use
from ir.rules.folds.exponentials import added_by
from ir.rules.folds.reduction import reduce_to_part, reduce_to_parts
from ir.rules.layout.broadcasts import transpose_of_transpose
from ir.rules.layout.concat import concat_out_of_map
from ir.rules.layout.ragged import reduce_flatten, reduce_partition
from ir.rules.layout.views import interchange
from ir.rules.maps.algorithmic import map_fission
from ir.rules.maps.fusion import elements_of_map
from ir.rules.maps.horizontal import numbers_of, repeat_numbers
from ir.rules.opencl.lowering import map_to_workgroup
from ir.rules.opencl.memory import to_global
from ir.schedules.maps.flat import pieces
from ir.schedules.reductions.chains import Rows, input_length, is_parallel, short_chains, ways_of
from ir.schedules.reductions.folding import Folding, split_parts
from ir.schedules.reductions.trees import LOCAL, RowsByTree, fits_a_group, fold_row
from ir.schedules.rows.dependent import needs_others
from ir.schedules.rows.together import lie_apart, one_by_one
from ir.schedules.rows.warps import RowsByWarp
from ir.schedules.schedule import MACHINE, Choices, Constraint, Machine, Parameter, Rival, satisfied, up_to
from ir.schedules.tactics import (
    at_parts,
    count_of_rows,
    in_order,
    over,
    push_maps,
    split_over,
    to_grid,
    to_groups,
    to_items,
    when,
)

__all__ = [
    "ColumnsInParts", "RowsByGrid", "by_items", "functions_use_numbers", "partial_results", "parts_outward", "to_parts",
]  # fmt: skip

_PARTS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)

to_parts = use(map_to_workgroup, dim=1)
"""A map over parts of rows, each by work-groups of its own."""

parts_outward: Strategy = seq(
    at(body, seq(try_(reduce_to_part), split_parts, push_maps, elements_of_map)), map_fission, interchange
)
"""map (λrow. reducePart f z p row)  ->  transpose ∘ map (map (λpart. element 0 (reduce f z part))) ∘ transpose"""


def partial_results(
    n: Size, whole: Size, parts: SizeLike, each: Strategy, rest: Strategy, flattened: Strategy = succeed
) -> Strategy:
    """map (λrow. reduce f z row)  ->  map (λrow. reduce f z row) ∘ transpose ∘ toGlobal (those of parts) ∘ transpose

    Args:
        whole: how many of the n elements of a row the equal parts have together
        each: how the map over these parts is lowered
        rest: how that over the parts is lowered of what is left, if something is
        flattened: what makes one reduction into parts of the two
    """
    numbers = at(body / array, seq(push_maps, try_(repeat_numbers)))
    outward = [seq(parts_outward, at(transposed, lowered)) for lowered in (each, rest)]
    if whole is n:
        cut, inner = use(reduce_to_parts, parts=parts), outward[0]
    else:
        cut = seq(use(reduce_partition, at=whole, parts=parts), flattened)
        both = at_parts(*(seq(at(transposed, one), transpose_of_transpose) for one in outward))
        inner = seq(concat_out_of_map, at(transposed, both))
    return seq(numbers, at(body, cut), map_fission, at(array, seq(inner, at(transposed, to_global))))


class ColumnsInParts(Rows):
    """What the schedules share that reduce neighbouring rows beside each other, or parts of them."""

    def matches(self, e: Expr) -> bool:
        """The reductions of the rows of a matrix, by an associative, commutative function; windows are rows that
        overlap.
        """
        row = self.row(e)
        if row is None or not isinstance(e, Join) or not is_parallel(row) or needs_others(row):
            return False
        return not any(isinstance(node, Slide) for node in postorder(e.xs))

    @abstractmethod
    def beside(self, rows: Size, n: Size, choices: Choices) -> Strategy:
        """How a map over so many rows is lowered, each of which is a reduction of n elements."""

    @abstractmethod
    def rest_parts(self, n: Size) -> SizeLike:
        """Into how many parts the n elements are cut that equal parts leave over."""

    @abstractmethod
    def beside_rest(self, rows: Size, n: Size, choices: Choices) -> Strategy:
        """How a map over so many rows is lowered, each of which is a reduction of such a part."""

    @abstractmethod
    def last(self, count: Size, choices: Choices) -> Strategy:
        """How a map over the rows is lowered that reduces so many parts' results of each."""

    def parts_of(self, e: Expr) -> Parameter:
        """Into how many parts rows are cut. None where the reduction's function uses a number of its row, which parts
        have not, or where another one uses more of it than numbers.
        """
        assert isinstance(e, Join)
        assert isinstance(e.xs, Map)
        assert isinstance(e.xs.f, Lambda)
        (row,), reduction = e.xs.f.open()
        assert isinstance(reduction, Reduce)
        alone = numbers_of(row, reduction.f) or not functions_use_numbers(e.xs)
        return Parameter("parts", (1,) if alone else _PARTS)

    def constraints(self, e: Expr) -> list[Constraint]:
        """Accumulators with bounded rounding errors, a few turns for each part."""
        turns = 2 * (var("parts", 1) - 1) * var("ways", 1)
        return [
            Constraint.le(turns, input_length(self._row(e)), "elements of a row in the parts' turns"),
            *short_chains(self._row(e), "parts", "ways"),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ mapX (reduceSeq f z) ∘ transpose ∘ toGlobal (mapWorkgroup1 (rows beside each other)) ∘ transpose, the
        outer map over the rows and the inner one over their parts; of one part, the rows beside each other alone
        """
        n, rows = input_length(self._row(start.result)), count_of_rows(start.result)
        parts, step = choices["parts"], choices["parts"] * choices["ways"]
        if parts == 1:
            return start.then(seq(elements_of_map, self.beside(rows, n, choices)), self.name)
        whole, rest = step * (n // step), n % step
        more = self.rest_parts(rest) if whole is not n else 0
        last_part = seq(at(array / part(1), use(reduce_to_parts, parts=more)), reduce_flatten)
        each = over(to_parts, self.beside(rows, whole, choices))
        others = over(to_parts, self.beside_rest(rows, rest, choices))
        results = partial_results(n, whole, parts, each, others, when(more != 1, last_part))
        return start.then(at(joined, seq(results, self.last(size(parts) + more, choices))), self.name)


class RowsByGrid(ColumnsInParts):
    """A work-item for each row, neighbouring ones in one work-group; where rows are few, one for each part of a row."""

    name = "row_grid"
    exchanges = True

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many work-items are in a group, into how many parts a row is cut, and how many accumulators each has."""
        return (Parameter("local", LOCAL), self.parts_of(e), Parameter("ways", ways_of(self._row(e))))

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Groups of a few warps, a few elements of a row in each turn."""
        f = self._row(e).f
        of_exponentials = isinstance(f, Lambda) and added_by(f) is not None
        ways = COLUMN_WAYS_OF_EXPONENTIALS if of_exponentials else COLUMN_WAYS
        return {"local": COLUMN_GROUP, "parts": 1, "ways": ways}

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """Of columns, so many parts that there are work-items for all compute units; more of very long ones. One group
        for all columns where they are few.
        """
        rows, n = max(1, count_of_rows(e).evaluate(sizes)), input_length(self._row(e)).evaluate(sizes)
        found = self.default(e, machine, elements)
        if not lie_apart(e):
            return found | dict(SHORT_ROWS_ALONE)
        found["local"] = min(count for count in LOCAL if count >= min(COLUMN_GROUP, rows))
        enough = COLUMN_WORK_ITEMS_PER_UNIT * machine.compute_units
        for parts in self.parts_of(e).values:
            found["parts"] = parts
            shared = parts * rows >= enough or 2 * parts * COLUMN_PART_AT_LEAST > n
            if shared and satisfied(self.constraints(e), {**machine.bindings(), **found}, sizes) is None:
                break
        return found

    def is_preferred(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> bool:
        """On a GPU, where the rows are columns of what lies in memory, enough of them for work-items in lockstep; or
        short, so many that all units are busy with one for each work-item.
        """
        rows, n = count_of_rows(e).evaluate(sizes), input_length(self._row(e)).evaluate(sizes)
        if machine.is_cpu or lie_apart(e):
            return not machine.is_cpu and rows >= machine.warp_size
        return n <= SHORT_ROW_ALONE_UP_TO and rows >= SHORT_ROWS_PER_UNIT * machine.compute_units

    def rivals(self, e: Expr, machine: Machine, choices: Choices, sizes: Mapping[str, int]) -> tuple[Rival, ...]:
        """On a GPU of parts, a second kernel: one part, a warp or a tree for each column."""
        if machine.is_cpu or choices["parts"] == 1:
            return ()
        is_short = input_length(self._row(e)).evaluate(sizes) <= SHORT_ROW_ALONE_UP_TO
        one_part = Rival(self.name, {**choices, "parts": 1}, RIVAL_TAKES_AT_MOST if is_short else OTHER_TAKES_AT_MOST)
        return (one_part, *(Rival(name, None, RIVAL_TAKES_AT_MOST) for name in (RowsByWarp.name, RowsByTree.name)))

    def constraints(self, e: Expr) -> list[Constraint]:
        """Also groups that fit."""
        last = minimum(var("parts", 1), COLUMN_LAST_GROUP)
        return [
            Constraint.le(last, MACHINE["max_work_group_size"], "work-items in the group that adds up parts"),
            *fits_a_group(self._row(e)),
            *super().constraints(e),
        ]

    def beside(self, rows: Size, n: Size, choices: Choices) -> Strategy:
        """join ∘ mapWorkgroup0 (join ∘ mapLocal0 (fold)) ∘ split, and one group for the rows that are left"""
        return by_items(rows, choices["local"], one_by_one(to_items, Folding(ways=choices["ways"])))

    def beside_rest(self, rows: Size, n: Size, choices: Choices) -> Strategy:
        """As `beside`, one element after the other."""
        return by_items(rows, choices["local"], one_by_one(to_items, Folding()))

    def rest_parts(self, n: Size) -> SizeLike:
        """Each is a part: their sum would take one work-item longer than all else."""
        return n

    def last(self, count: Size, choices: Choices) -> Strategy:
        """join ∘ mapGlobal (reduceSeq f z); of many results by a work-group for each row"""
        if choices["parts"] <= COLUMN_PARTS_BY_ITEM:
            return over(to_grid, in_order)
        local = up_to(min(choices["parts"], COLUMN_LAST_GROUP), LOCAL)
        return over(to_groups, fold_row(count, local, Folding()))


def functions_use_numbers(rows: Map) -> bool:
    """Of its row, do the functions inside of a function of rows use single numbers only?"""
    assert isinstance(rows.f, Lambda)
    (row,), reduction = rows.f.open()
    for f in postorder(reduction):
        if isinstance(f, Lambda) and row in postorder(substitute(f, {x: fresh(x.type) for x in numbers_of(row, f)})):
            return False
    return True


def by_items(rows: Size, local: int, items: Strategy) -> Strategy:
    """A work-item for each row, so many in a group.

    Args:
        items: how a map over the rows of a group is lowered
    """
    whole = local * (rows // local)
    return pieces(rows, whole, split_over(local, to_groups, items), split_over(rows - whole, to_groups, items))
