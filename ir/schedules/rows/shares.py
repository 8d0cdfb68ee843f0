"""The schedule for GPUs of reductions of short rows: a work-group has several rows, a few work-items have each of them.

Neighbouring work-items read neighbours in memory, each all of its elements before it folds the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from ir.core.expr import Expr, Lambda, postorder
from ir.core.patterns import Join, Map, Reduce
from ir.core.sizes import Size, var
from ir.core.types import BOOL, ScalarType
from ir.cost.thresholds.defaults import GPU_VECTOR_AT_MOST
from ir.cost.thresholds.reductions import (
    COMPENSATED_BLOCK,
    KEPT_OF_ROW,
    KEPT_SHARES,
    KEPT_SHARES_OF_VECTORS,
    KEPT_TOGETHER_GROUP,
    KEPT_TOGETHER_UP_TO,
    ROWS_TOGETHER_FROM,
    SHARED_ROW_FROM,
)
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import array, initial, joined, part, viewed
from ir.rewrite.strategy import Strategy, at, choice, seq, succeed, tactic, try_, use
from ir.rules.common import components, divides, element, length
from ir.rules.folds.reduction import mapped_by
from ir.rules.maps.shares import reduce_by_shares
from ir.rules.opencl.lowering import unroll
from ir.rules.opencl.memory import shares_to_private, to_local, to_private
from ir.schedules.maps.flat import WIDTHS, pieces
from ir.schedules.reductions.chains import Rows, input_length, is_shared, short_chains
from ir.schedules.reductions.folding import Folding, sums_in_blocks
from ir.schedules.reductions.trees import LOCAL, groups_fit, halved
from ir.schedules.rows.dependent import needs_others, others_of, reduce_others
from ir.schedules.rows.together import lie_apart
from ir.schedules.schedule import Choices, Constraint, Machine, Parameter, product_of
from ir.schedules.tactics import (
    below_head,
    count_of_rows,
    in_order,
    over,
    pad_to,
    rows_in,
    sequential,
    split_over,
    to_groups,
    to_items,
    to_rows_of_items,
)

__all__ = [
    "FEW", "KEPT", "ROWS", "RowsByShares", "fold_by_shares", "in_vectors_of", "is_most", "rows_allowed",
    "rows_of_groups", "shares_in", "shares_of", "vectors_of_rows",
]  # fmt: skip

KEPT = (4, 8, 16, 24, 32)
"""Elements of a row that each work-item reads at once."""

FEW = (2, 4, 8, 16)
"""Fewer work-items than a group has, so that it has several rows."""

ROWS = (1, 2, 4, 8, 16, 32, 64)
"""Rows of a group."""

_WIDTHS = tuple(n for n in WIDTHS if n <= GPU_VECTOR_AT_MOST)


def shares_in(choices: Choices) -> dict[str, int]:
    """What the rules on shares are told."""
    shares, width = {"items": choices["local"], "kept": choices["kept"]}, choices.get("width", 1)
    return shares | ({"width": width} if width > 1 else {})


def in_vectors_of(widths: tuple[int, ...]) -> tuple[Parameter, ...]:
    """The parameter that says how wide vectors are, where there is a choice."""
    return (Parameter("width", widths),) if widths[1:] else ()


def vectors_of_rows(e: Expr, n: Size, arrays: Iterable[Expr]) -> tuple[int, ...]:
    """How wide the vectors may be that work-items read of such arrays of rows of n elements: as far as they are known
    to be aligned, and of numbers that lie side by side.
    """
    numbers = all(isinstance(element(x), ScalarType) and element(x) is not BOOL for x in arrays)
    if not numbers or (isinstance(e, Join) and lie_apart(e)):
        return _WIDTHS[:1]
    return tuple(width for width in _WIDTHS if divides(width, n))


def fold_by_shares(shares: Mapping[str, int], made: Strategy = succeed) -> Strategy:
    """reduce f z  ->  mapLocal id ∘ iterate (..) ∘ toLocal (join ∘ mapLocal (reduceSeq f z ..)) of strided shares

    Args:
        made: what is done first with what the shares are made of
    """
    blocks = sums_in_blocks(Folding(ways=min(COMPENSATED_BLOCK, shares["kept"])))
    share = seq(choice(blocks, in_order), try_(unroll))
    item = choice(seq(at(initial / viewed, seq(share, to_private)), sequential), share)
    folded = seq(at(joined, seq(at(array / part(0), try_(made)), over(to_items, item))), to_local)
    return seq(use(reduce_by_shares, **shares), at(array, folded), *halved(shares["items"]))


@tactic
def rows_of_groups(e: Expr, shares: Mapping[str, int], rows: int, inner: Strategy) -> Strategy:
    """map f  ->  mapWorkgroup f, or join ∘ mapWorkgroup (mapLocal1 f) ∘ split n for n rows; f lowered by `inner`

    Work-items keep the shares that they read. Rows of zeros fill up those of the last group, so that all of its
    work-items come to the same barriers.
    """
    kept = try_(use(shares_to_private, **shares))
    if rows == 1:
        return seq(over(to_groups, inner), kept)
    whole = split_over(rows, to_groups, seq(over(to_rows_of_items, inner), kept))
    count = length(e)
    rest = seq(pad_to(rows), below_head(whole))
    return pieces(count, rows * (count // rows), whole, rest)


def rows_allowed(e: Expr) -> tuple[int, ...]:
    """How many rows a group may have: one, where a reduction is the same for all rows, and so no row's own."""
    rows = rows_in(e).of(e)
    assert isinstance(rows, Map) and isinstance(rows.f, Lambda)
    (row,), made = rows.f.open()
    return ROWS if all(row in postorder(x) for x in postorder(made) if isinstance(x, Reduce)) else (1,)


def shares_of(n: int, group: int, widths: Sequence[int]) -> dict[str, int]:
    """Of so many elements: how many work-items have a row, how many elements each reads at once, the rows of a group of
    so many work-items, and how wide the vectors are, where there is a choice.
    """
    wide = ((pair, widths[-1]) for pair in KEPT_SHARES_OF_VECTORS if widths[-1] == GPU_VECTOR_AT_MOST)
    shares = chain(wide, ((pair, 1) for pair in KEPT_SHARES))
    (local, kept), width = next((pair, width) for pair, width in shares if is_most(*pair, n))
    return {"local": local, "kept": kept, "rows": max(1, group // local)} | ({"width": width} if widths[1:] else {})


def is_most(local: int, kept: int, n: int) -> bool:
    """Do so many work-items that keep so many elements keep most of a row?"""
    return local * kept * KEPT_OF_ROW >= n * (KEPT_OF_ROW - 1)


class RowsByShares(Rows):
    """A few work-items for each of several rows of a group: they fold strided elements and then halve their results."""

    name = "row_shares"
    exchanges = True

    def matches(self, e: Expr) -> bool:
        """The reductions of the rows of a matrix, which are no columns in memory, by an associative, commutative
        function.
        """
        return is_shared(self.row(e)) and not (isinstance(e, Join) and lie_apart(e))

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many work-items have a row, how many elements each of them reads at once, how many rows a group has, and
        how wide the vectors are, where there may be some.
        """
        counts = (Parameter("local", FEW + LOCAL[:2]), Parameter("kept", KEPT), Parameter("rows", rows_allowed(e)))
        return (*counts, *in_vectors_of(self._widths(e)))

    def _widths(self, e: Expr) -> tuple[int, ...]:
        row = self._row(e)
        return vectors_of_rows(e, input_length(row), components(mapped_by(row.xs)[1]))

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """As many as read most of a row at once."""
        n = input_length(self._row(e)).evaluate(sizes)
        group = min(KEPT_TOGETHER_GROUP, machine.max_work_group_size)
        found = shares_of(min(n, KEPT_TOGETHER_UP_TO), group, self._widths(e))
        return found | {"rows": min(found["rows"], max(rows_allowed(e)))}

    def is_preferred(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> bool:
        """On a GPU, of many short rows, but not of very short ones, nor of those whose reductions need each other."""
        n, count = input_length(self._row(e)).evaluate(sizes), count_of_rows(e).evaluate(sizes)
        if machine.is_cpu or count < ROWS_TOGETHER_FROM or not SHARED_ROW_FROM <= n <= KEPT_TOGETHER_UP_TO:
            return False
        return not needs_others(self._row(e)) and len(rows_allowed(e)) > 1

    def constraints(self, e: Expr) -> list[Constraint]:
        """Groups that fit, rows that give work-items something to do, accumulators with bounded rounding errors."""
        row, items = self._row(e), product_of("local", "rows")
        return [
            Constraint.le(product_of("local", "kept") // 4, input_length(row), "elements that work-items read at once"),
            Constraint.le(LOCAL[0], items, "work-items in a group at least"),
            Constraint.le(var("rows", 1), count_of_rows(e), "rows of a group"),
            *groups_fit((row, *others_of(row)), 3, items),
            *short_chains(row, "local"),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ join ∘ mapWorkgroup (mapLocal1 (mapLocal id ∘ iterate (..) ∘ toLocal (join ∘ mapLocal (reduceSeq f
        z))) ∘ toPrivate ..) ∘ split n, and rows of zeros behind the last ones
        """
        shares = shares_in(choices)
        fold = fold_by_shares(shares)
        inner = seq(reduce_others(seq(fold, to_local)), fold)
        return start.then(at(rows_in(start.result), rows_of_groups(shares, choices["rows"], inner)), self.name)
