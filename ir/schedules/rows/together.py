"""The schedule for reductions of the rows of a matrix in which a work-item reads several rows at once.

What all rows read (the vector of a matrix-vector product) is then loaded once for several of them, and each of the rows
is a stream of memory of its own: hand-written kernels for CPUs do the same.
"""

from __future__ import annotations

from collections.abc import Mapping

from ir.core.expr import Expr, free_inputs, postorder
from ir.core.layouts import Layout, Level, layouts
from ir.core.patterns import Call, Gather, Join, Map, Reduce, Slide, length_of
from ir.core.sizes import var
from ir.core.types import element_type, shape_of
from ir.cost.thresholds.reductions import (
    ACCUMULATORS_AT_MOST,
    COLUMNS_TOGETHER_WAYS,
    GATHERED_FROM_CACHES_BYTES,
    REDUCTION_WAYS,
    ROW_ALONE_FROM,
    ROW_GROUPS_PER_UNIT_AT_LEAST,
    ROWS_TOGETHER,
    ROWS_TOGETHER_VECTOR_AT_MOST,
    ROWS_TOGETHER_WAYS,
    SHORT_ROWS_VECTOR_AT_MOST,
    VECTORS_FOR_EACH_LANE,
    VECTORS_OF_A_ROW_AT_LEAST,
)
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import array, body, joined, transposed
from ir.rewrite.strategy import Strategy, at, seq, try_, use
from ir.rules.compensation import is_compensated
from ir.rules.layout.views import interchange
from ir.rules.maps.algorithmic import map_identity, split_join
from ir.rules.maps.fusion import elements_of_map, map_of_elements
from ir.rules.maps.horizontal import concat_to_zip, fuse_maps_of_zip, fuse_reductions_of_zip, join_to_concat
from ir.rules.opencl.lowering import map_to_seq, unroll
from ir.schedules.maps.flat import in_whole_chunks, pieces
from ir.schedules.reductions.chains import (
    Rows,
    in_short_chains,
    input_length,
    prefetched,
    short_chains,
    ways_of,
    widest,
    widths,
)
from ir.schedules.reductions.folding import Folding, fold
from ir.schedules.rows.dependent import fold_here, reduce_others
from ir.schedules.schedule import (
    ALONE,
    MACHINE,
    PREFETCH,
    Choices,
    Constraint,
    Machine,
    Parameter,
    bytes_of,
    prefetching,
)
from ir.schedules.tactics import count_of_rows, over, split_over, to_groups

__all__ = ["RowsTogether", "lie_apart", "one_by_one"]

_ROWS = (1, 2, 4, 8)
_TURNS = (1, 4, 16, 64)


def together(how: Folding) -> Strategy:
    """A map over a few rows becomes one reduction with an accumulator for each row.

    map (λrow. element 0 (reduce f z row)) rows  ->  mapSeqUnroll id ∘ join ∘ transpose ∘ map (λp. concat of components)
    ∘ toPrivate (reduce (λ(a, b). (f a.0 b.0, ..)) (z, ..)) (zip of rows)
    """
    return seq(
        map_of_elements,
        join_to_concat,
        concat_to_zip,
        at(joined / transposed / array, seq(fuse_reductions_of_zip, at(array, try_(fuse_maps_of_zip)), fold_here(how))),
        map_identity,
        map_to_seq,
        unroll,
    )


def one_by_one(level: Strategy, how: Folding) -> Strategy:
    """map (λrow. element 0 (reduce f z row))  ->  join ∘ mapX (fold)"""
    return seq(map_of_elements, at(joined, over(level, fold(how))))


class RowsTogether(Rows):
    """A chunk of rows for each work-group of one work-item, in which it reads several rows at once, and those that are
    left one by one.
    """

    name = "row_streams"

    def matches(self, e: Expr) -> bool:
        """The reductions of the rows of a matrix, their results side by side; windows are rows that overlap, which no
        rule reads several at once of.
        """
        if not isinstance(e, Join) or self.row(e) is None:
            return False
        assert isinstance(e.xs, Map)  # of rows
        return not any(isinstance(node, Slide) for node in postorder(e.xs.xs))

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many rows are read at once, how many turns of these a work-group takes, how wide the vectors along a row
        are, how many accumulators of them each row has, and how far ahead memory is asked.
        """
        row = self._row(e)
        return (
            Parameter("rows", _ROWS),
            Parameter("turns", _TURNS),
            Parameter("width", widths(row)),
            Parameter("ways", ways_of(row)),
            Parameter("prefetch", PREFETCH),
        )

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """A few accumulators for each row, blocks in sums; full vectors for functions that take many instructions."""
        row = self._row(e)
        wide = widest(row, machine)
        ways = min(REDUCTION_WAYS if is_compensated(row.f) else ROWS_TOGETHER_WAYS, max(ways_of(row)))
        width = wide if _computes_much(row) else min(ROWS_TOGETHER_VECTOR_AT_MOST, wide)
        return {**ROWS_TOGETHER, "width": width, "ways": ways, "prefetch": prefetched(machine, elements)}

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """As many turns as leave enough work-groups to share out; narrower vectors where rows are short, since the
        lanes of each are added up one by one; rows one by one where several at once spare no read, if they are long or
        each is reduced several times; as few accumulators as keep sums exact of rows whose elements lie apart, as the
        reads are waited for. What is gathered from caches is not asked for ahead of use, and in narrower vectors.
        """
        row = self._row(e)
        found = self.default(e, machine, elements)
        columns = input_length(row).evaluate(sizes)
        several = _is_reduced_often(row)
        if (several or columns >= ROW_ALONE_FROM) and _have_nothing_in_common(e, row):
            found["rows"] = 1
        if lie_apart(e):
            found["ways"] = COLUMNS_TOGETHER_WAYS
            found = in_short_chains(row, found, self.parameters(e), ("ways",), sizes)
        if _gathers_from_caches(e, sizes):
            found["prefetch"], found["width"] = 0, min(ROWS_TOGETHER_VECTOR_AT_MOST, found["width"])
        blocks = count_of_rows(e).evaluate(sizes) // found["rows"]
        enough = [t for t in _TURNS if t * ROW_GROUPS_PER_UNIT_AT_LEAST * machine.compute_units <= blocks]
        width = found["width"]
        if width * VECTORS_OF_A_ROW_AT_LEAST > columns and not _computes_much(row):
            width = min(SHORT_ROWS_VECTOR_AT_MOST, width)
        elif several:
            full = max([w for w in widths(row) if w * w * VECTORS_FOR_EACH_LANE <= columns], default=1)
            width = min(max(full, SHORT_ROWS_VECTOR_AT_MOST), width)
        return found | {"turns": max(enough, default=1), "width": width}

    def constraints(self, e: Expr) -> list[Constraint]:
        """Rows for each compute unit, accumulators that fit registers and have bounded rounding errors."""
        row = self._row(e)
        rows, ways = var("rows", 1), var("ways", 1)
        each = rows * var("turns", 1)
        return [
            ALONE,
            Constraint.le(each * MACHINE["compute_units"], count_of_rows(e), "rows that all compute units take"),
            Constraint.le(rows * ways, ACCUMULATORS_AT_MOST, "accumulators of a work-item"),
            *short_chains(row, "width", "ways"),
            prefetching(),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """concat(join ∘ mapWorkgroup (join ∘ transpose ∘ mapSeq (together) ∘ transpose ∘ split t) ∘ split (t*r),
        join ∘ mapWorkgroup (fold)), the latter over the rows that are left; one by one
        head n ∘ join ∘ mapWorkgroup (join ∘ mapSeqHead (fold)) ∘ split t ∘ (λxss. concat(xss, zeros))
        """
        how, rows, turns = Folding.of(choices), choices["rows"], choices["turns"]
        n = count_of_rows(start.result)
        if rows == 1:
            all_rows = in_whole_chunks(
                n, turns, (n + turns - 1) // turns, lambda level: split_over(turns, to_groups, one_by_one(level, how))
            )
        else:
            whole = rows * turns * (n // (rows * turns))
            streams = seq(interchange, at(transposed, over(map_to_seq, together(how))))
            chunk = seq(use(split_join, n=turns), at(joined, streams))
            all_rows = pieces(n, whole, split_over(rows * turns, to_groups, chunk), one_by_one(to_groups, how))
        others = at(joined / body, reduce_others(fold_here(how)))
        return start.then(seq(others, elements_of_map, all_rows), self.name)


def _have_nothing_in_common(e: Expr, row: Expr) -> bool:
    """Does no row read what another reads, nor lie between the elements of another?"""
    if any(shape_of(x.type) for x in free_inputs(row)):
        return False  # a vector that is the same for all
    found = _matrices(e)
    return any(len(layout) > 1 for layout in found) and all(_is_in_rows(*layout[:2]) for layout in found)


def _is_in_rows(rows: Level, elements: Level = ()) -> bool:
    """Has each row elements of its own, one after the other, or a single one?"""
    return all(stride.value != 0 for _, stride in rows) and [stride.value for _, stride in elements] in ([], [1])


def lie_apart(e: Expr) -> bool:
    """Are the rows columns of what lies in memory: is no element of a row beside the next?"""
    strides = [[stride.value for _, stride in layout[1]] for layout in _matrices(e) if len(layout) > 1]
    return bool(strides) and not any(1 in each for each in strides)


def _matrices(e: Expr) -> list[Layout]:
    """How what the rows are taken of lies in memory."""
    assert isinstance(e, Join) and isinstance(e.xs, Map)
    return layouts(e.xs.xs)


def _is_reduced_often(row: Expr) -> bool:
    """Is a row reduced more than once, each time with what the time before gave?"""
    return sum([isinstance(node, Reduce) for node in postorder(row)]) > 1


def _gathers_from_caches(e: Expr, sizes: Mapping[str, int]) -> bool:
    """Are elements read by indices, of arrays that caches hold?"""
    read = [node.xs for node in postorder(e) if isinstance(node, Gather)]
    nbytes = [length_of(xs).evaluate(sizes) * bytes_of(element_type(xs.type)) for xs in dict.fromkeys(read)]
    return bool(nbytes) and sum(nbytes) <= GATHERED_FROM_CACHES_BYTES


def _computes_much(row: Expr) -> bool:
    """Does it call functions of floating-point numbers (a root, an exponential, a division)?"""
    return any(isinstance(node, Call) and node.operation.rule == "float" for node in postorder(row))
