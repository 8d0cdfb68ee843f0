"""How the lengths of an expression are made of others: what symbols for them have to keep.

The parts of a concat add up to its length, the extents of nested arrays multiply to that of the flat array. A program
is well typed over symbols only if these are written by each other: the whole as the sum of the parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod

from ir.core.expr import Expr, postorder
from ir.core.patterns import Concat, Join, Slice, Split, is_view_map
from ir.core.sizes import Size, divide_exactly, size
from ir.core.types import extents_of
from ir.cost.thresholds.partition import KEPT_BORDER_AT_MOST

__all__ = ["Relation", "relate", "relations_of"]


@dataclass(frozen=True)
class Relation:
    """Numbers whose sum, or else whose product, is a number of the program too."""

    terms: tuple[int, ...]
    is_sum: bool

    @classmethod
    def product(cls, extents: Sequence[int]) -> Relation:
        """The relation of the extents of an array with the length of the flat one."""
        return cls(tuple(extent for extent in extents if extent != 1), False)


def relations_of(e: Expr) -> list[Relation]:
    """The relations that an expression of constant lengths keeps, those of parts before those of wholes."""
    found: dict[Relation, None] = {}
    borders: dict[Relation, None] = {}  # which say less than the parts of a whole
    for node in postorder(e):
        found[Relation.product(extents_of(node.type))] = None
        rows = _rows_taken(node)
        if rows is not None:  # whole ones, perhaps
            node, row = rows
            for value in (node.start.value or 0, node.count.value or 0):
                if row > 1 and value > row and value % row == 0:
                    found[Relation((value // row, row), False)] = None
        if isinstance(node, Concat):
            borders |= dict.fromkeys(Relation(terms, True) for part in node.operands if (terms := _from_end(part)))
            found[Relation(tuple(n for n in (extents_of(part.type)[0] for part in node.operands) if n), True)] = None
    return [relation for relation in found | borders if len(relation.terms) > 1]


def _rows_taken(e: Expr) -> tuple[Slice, int] | None:
    """A slice of what lies in rows of that length one after the other, or is cut into them."""
    if isinstance(e, Slice) and isinstance(e.xs, Join):
        return e, extents_of(e.xs.xs.type)[1]
    if isinstance(e, Split) and isinstance(e.xs, Slice):
        return e.xs, e.chunk.value or 0
    return None


def _from_end(e: Expr) -> tuple[int, int] | None:
    """Where a border is taken from an array, and how many elements, or rows, are from there to the end, if few are."""
    while not isinstance(e, Slice):
        if is_view_map(e):
            e = e.operands[0].open()[1]  # type: ignore[attr-defined]  # a function, of rows
        elif e.traits.view and e.traits.bijective:
            e = e.operands[0]
        else:
            return None
    start, whole, rows = e.start.value or 0, e.step if e.step > 1 else extents_of(e.xs.type)[0], _rows_taken(e)
    if e.step == 1 and rows is not None and start % rows[1] == whole % rows[1] == 0:
        start, whole = start // rows[1], whole // rows[1]
    return (start, whole - start) if 0 < whole - start <= 2 * KEPT_BORDER_AT_MOST < start else None


def relate(relations: Sequence[Relation], known: dict[int, Size], symbol: Callable[[int], Size]) -> None:
    """Write numbers as sums of others, or else as quotients or products of them, as far as the relations say.

    Args:
        known: what stands for a number; added to
        symbol: gives a number that nothing is known of a symbol of its own
    """
    sums = {sum(r.terms): r.terms for r in reversed(relations) if r.is_sum}
    lists = [r.terms for r in relations if not r.is_sum and len(r.terms) > 1]
    products = {prod(run): run for terms in reversed(lists) for run in _runs(terms)}  # of neighbours
    products |= {prod(terms): terms for terms in reversed(lists)}

    def define(number: int) -> Size:
        found = known.get(number)
        if found is None and number in sums:
            found = sum(map(define, sums[number]), size(0))
        elif found is None and number in products:
            found = prod(map(define, products[number]), start=size(1))
        if found is None:
            found = symbol(number)
        return known.setdefault(number, found)

    for number in sums:
        define(number)
    for terms in (r.terms for r in relations if not r.is_sum):
        whole = known.get(prod(terms))
        unknown = [term for term in terms if term not in known and term not in products]
        if whole is not None and len(unknown) == 1:
            others = [define(term) for term in terms if term != unknown[0]]  # some may be products not written yet
            rest = divide_exactly(whole, prod(others, start=size(1)))
            if rest is not None and unknown[0] not in known:  # the others may have been written by it
                known[unknown[0]] = rest
        for run in _runs(terms):
            known.setdefault(prod(run), prod(map(define, run), start=size(1)))
    for terms in sums.values():
        for stop in range(2, len(terms)):  # where a part begins, slices of the whole begin and end too
            known.setdefault(sum(terms[:stop]), sum(map(define, terms[:stop]), size(0)))


def _runs(terms: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Two and more neighbours, all ways."""
    for start in range(len(terms)):
        for stop in range(start + 2, len(terms) + 1):
            yield tuple(terms[start:stop])
