"""The schedule for maps over rows whose elements need reductions of their row, in which the work-items of a group keep
a row, or several short ones, in their registers: each element is read from memory once.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from ir.core.expr import Expr, Lambda, postorder
from ir.core.patterns import MAP, Concat, Map, Reduce
from ir.core.sizes import var
from ir.cost.thresholds.reductions import (
    KEPT_ELEMENTS,
    KEPT_ROW_BYTES,
    KEPT_ROW_FROM,
    KEPT_TOGETHER_GROUP,
    KEPT_TOGETHER_UP_TO,
    REGISTER_BYTES,
    ROWS_TOGETHER_FROM,
)
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import array, body, function, here, joined, transposed, viewed
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, choice, of, seq, try_, use
from ir.rules.common import components, element
from ir.rules.folds.reduction import mapped_by
from ir.rules.maps.shares import map_by_shares, row_in_common
from ir.rules.opencl.lowering import map_to_seq, unroll
from ir.rules.opencl.memory import rows_to_private, to_local
from ir.rules.opencl.vectorise import vect_propagation
from ir.schedules.maps.flat import widths as widths_of_map
from ir.schedules.reductions.chains import short_chains
from ir.schedules.reductions.trees import LOCAL, groups_allowed, groups_fit
from ir.schedules.rows.compensated import pairs_inside
from ir.schedules.rows.dependent import reduce_inside
from ir.schedules.rows.mapped import MappedRows, length_of_rows, reductions_of_row
from ir.schedules.rows.shares import (
    FEW,
    KEPT,
    fold_by_shares,
    in_vectors_of,
    is_most,
    rows_allowed,
    rows_of_groups,
    shares_in,
    shares_of,
    vectors_of_rows,
)
from ir.schedules.schedule import Choices, Constraint, Machine, Parameter, bytes_of, product_of, satisfied
from ir.schedules.tactics import (
    at_parts,
    count_of_rows,
    over,
    row_of,
    rows_in,
    to_items,
)

__all__ = ["MappedRowsKept"]

_COMMON = seq(pairs_inside, try_(row_in_common))
"""What is done with a row before it is shared out."""


class MappedRowsKept(MappedRows):
    """A work-group for each row, or for some, whose work-items keep strided elements and fold them, and then make the
    elements; what they cannot keep of a row is read each time.
    """

    name = "mapped_row_kept"
    exchanges = True

    def matches(self, e: Expr) -> bool:
        """Such a map that reads arrays of a row, not only numbers that are generated, or the same for all rows."""
        return super().matches(e) and any(_arrays_of_row(e))

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many work-items have a row, how many elements each of them keeps, how many rows a group has, and how wide
        the vectors are, where there may be some.
        """
        counts = (Parameter("local", FEW + LOCAL), Parameter("kept", KEPT), Parameter("rows", rows_allowed(e)))
        return (*counts, *in_vectors_of(self._vectors(e)))

    def _vectors(self, e: Expr) -> tuple[int, ...]:
        """How wide the vectors may be, of which results are made, too."""
        row = row_of(e)
        assert row is not None
        found = vectors_of_rows(e, length_of_rows(e), chain.from_iterable(_arrays_of_row(e)))
        return tuple(width for width in found if width in widths_of_map(row))

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """The fewest elements in registers that are most of a row: in the largest group, or, of many short rows, by a
        few work-items each.
        """
        n = length_of_rows(e).evaluate(sizes)
        if n <= KEPT_TOGETHER_UP_TO and count_of_rows(e).evaluate(sizes) >= ROWS_TOGETHER_FROM:
            found = shares_of(n, min(KEPT_TOGETHER_GROUP, machine.max_work_group_size), self._vectors(e))
            fits = satisfied(self.constraints(e), {**machine.bindings(), **found}, sizes) is None
            if fits and found["rows"] in rows_allowed(e):
                return found
        groups = groups_allowed(reductions_of_row(e), machine)
        pairs = [(local, kept) for local in groups for kept in KEPT if kept >= KEPT_ELEMENTS or local == LOCAL[0]]
        enough = [pair for pair in pairs if is_most(*pair, n)] or pairs[-1:]
        local, kept = min(enough, key=lambda pair: (pair[0] * pair[1], pair[1]))
        return {"local": local, "kept": kept, "rows": 1} | {p.name: 1 for p in in_vectors_of(self._vectors(e))}

    def is_preferred(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> bool:
        """Where work-items are no turns of a loop, and rows can be kept: long ones, or several of many."""
        n, chosen = length_of_rows(e).evaluate(sizes), self.default_at(e, machine, 0, sizes)
        enough = chosen["rows"] > 1 or n >= KEPT_ROW_FROM
        return not machine.is_cpu and enough and is_most(chosen["local"], chosen["kept"], n)

    def constraints(self, e: Expr) -> list[Constraint]:
        """Groups that fit, rows that fill half of their registers, accumulators with bounded rounding errors."""
        found, kept, items = reductions_of_row(e), product_of("local", "kept"), product_of("local", "rows")
        return [
            Constraint.le(kept // 2, length_of_rows(e), "elements that work-items keep of a row"),
            Constraint.le(kept * var("rows", 1) * _bytes_kept(e), KEPT_ROW_BYTES, "bytes that a group keeps"),
            Constraint.le(LOCAL[0], items, "work-items in a group at least"),
            *groups_fit(found, 3, items),
            *chain.from_iterable(short_chains(each, "local") for each in found),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ mapWorkgroup (mapLocal (mapSeqUnroll f) .. toPrivate (mapLocal (mapSeqUnroll id)) ..), or, for several
        rows, join ∘ join ∘ mapWorkgroup (mapLocal1 (..)) ∘ split n, and rows of zeros behind the last ones.
        """
        shares = shares_in(choices)
        made = seq(reduce_inside(seq(fold_by_shares(shares, _made), to_local)), _elements(shares))
        place = rows_in(start.result)
        rows = rows_of_groups(shares, choices["rows"], made)
        return start.then(seq(at(place / body, try_(_COMMON)), at(place, rows)), self.name)


def _arrays_of_row(e: Expr) -> list[list[Expr]]:
    """The arrays of a row that are read element by element: for its elements, for each of their reductions, and for
    what they have in common. What is made in common takes the place of what it is made of.
    """
    rows = rows_in(e).of(e)
    assert isinstance(rows, Map) and isinstance(rows.f, Lambda)
    (row,), made = rows.f.open()
    found = _COMMON(made, ())
    made = made if found is None else found.expr
    if not isinstance(made, Map):
        return []
    folds = (node for node in postorder(made) if isinstance(node, Reduce))
    views = [made.xs, *(mapped_by(fold.xs)[1] for fold in folds)]
    views += [view.xs for view in views if isinstance(view, Map)]
    return [[x for x in dict.fromkeys(components(view)) if row in postorder(x)] for view in views]


def _bytes_kept(e: Expr) -> int:
    """The bytes of the registers for an element of all arrays that are kept at one time."""
    return max(sum(max(REGISTER_BYTES, bytes_of(element(x))) for x in arrays) for arrays in _arrays_of_row(e))


def _elements(shares: Mapping[str, int]) -> Strategy:
    """The elements of a row: each work-item makes those that it keeps, and then its share of the rest."""
    wide = try_(at(function, vect_propagation))
    of_item = seq(at(array, try_(_made)), over(to_items, seq(wide, map_to_seq, try_(unroll))))
    shared = joined / transposed
    share = choice(*(at(place / shared, of_item) for place in (viewed / viewed, viewed, here)))

    def run(e: Expr, context: Context) -> Rewritten | None:
        if not isinstance(e, Map) or e.how != MAP:
            return None
        made = use(map_by_shares, **shares)(e, context)
        if made is None:
            return None
        inner = at_parts(*(share for _ in made.expr.operands)) if isinstance(made.expr, Concat) else share
        return seq(use(map_by_shares, **shares), inner)(e, context)

    return run


@of(Map)
def _made(e: Expr, context: Context) -> Rewritten | None:
    """What is made of shares, kept by the work-items."""
    if not isinstance(e, Map) or e.how != MAP or not isinstance(body.of(e), Map):
        return None
    return seq(over(to_items, seq(map_to_seq, unroll)), rows_to_private)(e, context)
