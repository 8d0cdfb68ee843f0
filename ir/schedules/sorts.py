"""Schedules for sorts (`sort b key xs`) of a whole array and of the rows of a matrix.

Few elements are compared with each other, each by its own work-item. Many are sorted by the digits of their keys: for
each digit one kernel counts how often it has which value in each part of the array, one adds up the counts, and one
puts the elements into their places. Each work-item has a part of its own, so that equal elements keep their order.
GPUs merge instead (`ir.schedules.merges`).
"""

from __future__ import annotations

from collections.abc import Callable

from ir.core.expr import Expr
from ir.core.patterns import Concat, Permute, Slice, Sort, Split
from ir.core.sizes import power, size, var
from ir.cost.thresholds.defaults import CHUNKS_PER_UNIT, PRIVATE_ARRAYS_AT_MOST
from ir.cost.thresholds.sorts import (
    SORT_CHUNK,
    SORT_COMPARED_UP_TO,
    SORT_COUNT_SHARES,
    SORT_COUNTS_SHARED_FROM,
    SORT_DIGIT_ON_A_CPU,
    SORT_DIGIT_ON_A_GPU,
    SORT_DIGITS_OF_MANY,
    SORT_MANY_FROM,
    SORT_PART_ON_A_CPU_AT_LEAST,
    SORT_PART_ON_A_GPU_AT_LEAST,
    SORT_ROW_COMPARED_UP_TO,
    SORT_RUN_AT_LEAST,
)
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import Place, array, below, body, here, joined, part, starts, transposed
from ir.rewrite.strategy import Strategy, at, seq, tactic, use
from ir.rules.common import element, is_scalar_like, length
from ir.rules.opencl.lowering import map_to_global, map_to_seq, scan_to_seq
from ir.rules.opencl.memory import to_global, to_private
from ir.rules.opencl.vectorise import is_vectorisable
from ir.rules.sorting.sort import rank_in_runs, sort_by_comparison, sort_by_digits, sort_out_of_map, sort_rows
from ir.schedules.cuts import sort_in_parts
from ir.schedules.maps.flat import WIDTHS
from ir.schedules.maps.nests import keep_intermediates
from ir.schedules.scans.scanning import Scanning, carries, scan_in_parts
from ir.schedules.scatters import in_chunks
from ir.schedules.schedule import (
    MACHINE,
    Choices,
    Constraint,
    Machine,
    Parameter,
    Schedule,
    bytes_of,
    scalars_of,
    up_to,
)
from ir.schedules.tactics import at_parts, over, push_maps, row_of, rows_in, sequential, to_grid, to_groups, when

__all__ = ["SortByComparison", "SortByDigits", "SortRowsByComparison", "SortRowsByDigits", "sorted_row"]


_DIGITS = (2, 4, 6, 8, 11, 13)
_PARTS = (1, 2, 4, 8, 16, 64, 256, 1024, 4096)

_RUNS = (1, 16, 64, 128, 256)


def sorted_row(e: Expr) -> Sort | None:
    """The sort of a row, over the opened variable: of `join (map (λrow. sort b key ..) xss)`, or without the join."""
    row = row_of(e)
    return row if isinstance(row, Sort) else None


def _digit(bits: int, widest: int) -> int:
    """How many bits each digit has: as few as go with that many digits, since each value has a counter."""
    digits = -(-bits // widest)
    return -(-bits // digits)


def _compared(level: Strategy) -> Strategy:
    """sort b key  ->  permute (mapX placed): each element compared with all others by one work-item"""
    placed = over(level, seq(push_maps, sequential, keep_intermediates))
    return seq(sort_by_comparison, at(below(Permute), placed))


@tactic
def _counted(e: Expr, width: int) -> Strategy:
    """The histograms of parts or rows, each counted in global memory by one work-item, the keys computed in vectors."""

    def histograms(chunk: int) -> Strategy:
        return over(to_groups, seq(push_maps, in_chunks(chunk, width)))

    parts = histograms(SORT_CHUNK if width > 1 else 1)
    return seq(at_parts(parts, histograms(1)) if isinstance(e, Concat) else parts, to_global)


@tactic
def _added_up(e: Expr, width: int) -> Strategy:
    """scan (+) 0 (join (transpose counts)): by one work-item, or by many where there are many counts."""
    counts = length(e)
    counted = at(array / joined / transposed, _counted(width))
    if counts.value is None or counts.value < SORT_COUNTS_SHARED_FROM:
        return seq(counted, scan_to_seq, to_global)
    in_parts = scan_in_parts(counts, counts // SORT_COUNT_SHARES, SORT_COUNT_SHARES, to_grid, to_global, Scanning(1))
    return seq(counted, in_parts, to_global)


@tactic
def _counting_pass(e: Sort, parts: int, width: int, run_length: int) -> Strategy:
    """sort b key  ->  permute (concat(join (mapWorkgroup rankSeq) ..)), the starts and the counts in global memory."""
    n = length(e)
    whole = n // parts * parts
    exact = whole is n
    added_up = at(carries / (here if exact else below(Slice)) / _counts, _added_up(width))
    rank = seq(push_maps, when(run_length > 1, use(rank_in_runs, n=run_length)))
    ranked = seq(added_up, at(joined, over(to_groups, rank)))
    last = seq(added_up, at(joined, over(to_groups, push_maps)))
    lowered = at(below(Permute), ranked if exact else at_parts(ranked, last))
    return seq(sort_in_parts(whole, n // parts), lowered)


_exclusive: Place = part(1) / below(Slice)
"""Where the scan stands in the sums of all that comes before: concat(repeat 1 0, slice 0 1 m (scan (+) 0 xs))."""

_counts: Place = transposed / below(Split) / _exclusive
"""The same for the counts of all parts, which lie one after the other: transpose (split n ..)."""

_row_pass: Strategy = seq(
    sort_rows,
    at(array / part(0), _counted(1)),
    over(to_groups, at(below(Permute), seq(at(starts / _exclusive, seq(scan_to_seq, to_private)), push_maps))),
)
"""map (sort b key)  ->  mapWorkgroup (permute ∘ rankSeq), the counts of each row in global memory"""


@tactic
def _by_digits(
    e: Expr, widest: int, split: Callable[[int], Strategy], one: Strategy, leading: Strategy
) -> Strategy | None:
    """All digits, each of which but the leading one sorts an array in global memory for the next.

    Args:
        split: makes two sorts of one, the first of them the array that the other one sorts
        one, leading: lower the sort of a digit, and that of the last one, the most significant
    """
    sort = e if isinstance(e, Sort) else sorted_row(e)
    if sort is None:
        return None
    digit = _digit(sort.bits, widest)
    if sort.bits == digit:
        return leading
    return seq(split(digit), at(array, seq(one, to_global)), _by_digits(widest, split, one, leading))


class SortByComparison(Schedule):
    """A work-item for each element, which it compares with all others: for few elements, in one kernel."""

    name = "comparison"

    def matches(self, e: Expr) -> bool:
        """Any sort."""
        return isinstance(e, Sort)

    def constraints(self, e: Expr) -> list[Constraint]:
        """So few elements that their squares are not many."""
        return [Constraint.le(length(e), size(SORT_COMPARED_UP_TO), "elements compared with all others")]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """permute (mapGlobal placed)"""
        return start.then(_compared(to_grid), self.name)


class SortByDigits(Schedule):
    """Digit after digit: a work-group of one work-item counts, and places, the elements of a part of the array."""

    name = "digits"

    def matches(self, e: Expr) -> bool:
        """Sorts whose keys depend on the element alone."""
        return isinstance(e, Sort) and not e.key.loose

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many bits a digit has at most, how many parts the array, how wide the vectors are in which keys are
        computed to be counted, how many neighbours of a key are written at once, and whether those of the leading digit
        are: often it has few values, so that caches hold all places where these go next.
        """
        assert isinstance(e, Sort)
        widths = tuple(w for w in WIDTHS if w == 1 or (is_vectorisable(e.key) and is_scalar_like(element(e.xs))))
        return (
            Parameter("digit", _digits(e)),
            Parameter("parts", _PARTS),
            Parameter("width", widths),
            Parameter("run", _RUNS),
            Parameter("leading", (0, 1)),
        )

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Bytes, or wider digits of many elements, and some parts for each compute unit on a CPU; half bytes and many
        parts on a GPU. The leading digits of floating-point numbers are signs and exponents, mostly a few.
        """
        if machine.is_cpu:
            units = CHUNKS_PER_UNIT * max(1, machine.compute_units)
            digit, run = _runs_of_many(e) if elements >= SORT_MANY_FROM else (SORT_DIGIT_ON_A_CPU, 1)
            widths = next(p for p in self.parameters(e) if p.name == "width").values
            return {
                "digit": _nearest(e, digit),
                "parts": up_to(min(units, elements // SORT_PART_ON_A_CPU_AT_LEAST), _PARTS),
                "width": up_to(machine.native_vector_width, widths),
                "run": run,
                "leading": int(not any(scalar.is_float for scalar in scalars_of(element(e)))),
            }
        parts = up_to(elements // SORT_PART_ON_A_GPU_AT_LEAST, _PARTS)
        return {"digit": _nearest(e, SORT_DIGIT_ON_A_GPU), "parts": parts, "width": 1, "run": 1, "leading": 0}

    def constraints(self, e: Expr) -> list[Constraint]:
        """An element for each part; the runs of all keys fit into private memory."""
        kept = power(2, var("digit", 1)) * (var("run", 1) - 1) * bytes_of(element(e))
        return [
            Constraint.le(var("parts", 1), length(e), "parts of the array"),
            Constraint.le(kept, MACHINE["private_array_bytes"], "bytes of the values that are written together"),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """permute (mapWorkgroup rankSeq) ∘ .. ∘ toGlobal (permute (mapWorkgroup rankSeq))"""
        parts, width, run = choices["parts"], choices["width"], choices["run"]
        one, leading = (_counting_pass(parts, width, r) for r in (run, run if choices["leading"] else 1))
        return start.then(_by_digits(choices["digit"], _first_digit, one, leading), self.name)


def _runs_of_many(e: Expr) -> tuple[int, int]:
    """The bits of a digit and the length of runs for more values than caches hold: few digits if runs are long then."""
    for digit in SORT_DIGITS_OF_MANY:
        run = max(r for r in _RUNS if (r - 1) * bytes_of(element(e)) << digit <= PRIVATE_ARRAYS_AT_MOST)
        if run >= SORT_RUN_AT_LEAST:
            break
    return digit, run


def _digits(sort: Sort) -> tuple[int, ...]:
    """Widths of digits that differ in what they make of a key."""
    return tuple({_digit(sort.bits, d): d for d in reversed(_DIGITS)}.values())[::-1]


def _nearest(e: Expr, wanted: int) -> int:
    sort = e if isinstance(e, Sort) else sorted_row(e)
    assert sort is not None
    return min(_digits(sort), key=lambda d: abs(d - wanted))


def _first_digit(bits: int) -> Strategy:
    return use(sort_by_digits, n=bits)


class _SortRows(Schedule):
    """What the schedules for rows share: `join (map (λrow. sort b key ..) xss)`."""

    def matches(self, e: Expr) -> bool:
        """The sorts of the rows of a matrix."""
        return sorted_row(e) is not None


class SortRowsByComparison(_SortRows):
    """A work-item for each element, which it compares with all others of its row: for short rows."""

    name = "row_comparison"

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """Whether a row's elements have work-items of their own."""
        return (Parameter("depth", (1, 2)),)

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """As many work-items as possible."""
        return {"depth": 2}

    def constraints(self, e: Expr) -> list[Constraint]:
        """So few elements in a row that their squares are not many."""
        sort = sorted_row(e)
        assert sort is not None
        return [Constraint.le(length(sort), size(SORT_ROW_COMPARED_UP_TO), "elements compared with all others")]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join (mapGlobal1 (permute ∘ mapGlobal0 placed))"""
        if choices["depth"] == 2:
            rows = over(use(map_to_global, dim=1), _compared(to_grid))
        else:
            rows = over(to_grid, _compared(map_to_seq))
        return start.then(at(rows_in(start.result), rows), self.name)


class SortRowsByDigits(_SortRows):
    """A work-group of one work-item for each row, digit after digit."""

    name = "row_digits"

    def matches(self, e: Expr) -> bool:
        """The sorts of the rows of a matrix whose keys depend on the element alone."""
        sort = sorted_row(e)
        return sort is not None and not sort.key.loose

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many bits a digit has at most."""
        sort = sorted_row(e)
        assert sort is not None
        return (Parameter("digit", _digits(sort)),)

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Bytes on a CPU, half bytes on a GPU."""
        return {"digit": _nearest(e, SORT_DIGIT_ON_A_CPU if machine.is_cpu else SORT_DIGIT_ON_A_GPU)}

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join (mapWorkgroup (permute ∘ rankSeq) ∘ .. ∘ toGlobal (mapWorkgroup (permute ∘ rankSeq)))"""

        def split(bits: int) -> Strategy:
            return seq(at(body, use(sort_by_digits, n=bits)), sort_out_of_map)

        rows = _by_digits(choices["digit"], split, _row_pass, _row_pass)
        return start.then(at(rows_in(start.result), rows), self.name)
