"""Sorts of which few places are read, as medians, quantiles and the first of some are recorded.

NumPy selects the numbers there, which takes a fraction of the time of a sort.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ir.core.expr import Expr, Lambda
from ir.core.patterns import Element, Join, Map, Slice, Sort, Tuple
from ir.core.sort_keys import order_of_numbers
from ir.core.types import ArrayType
from ir.cost.thresholds.sorts import SELECTED_BITS_ABOVE, SELECTED_FROM, SELECTED_PLACES_AT_MOST
from ir.reference.library import LibraryCall
from ir.walks import walk

__all__ = ["selections", "sorted_rows"]


def sorted_rows(node: Map) -> Sort | None:
    """The sort of numbers by which a map brings rows into order; None for other maps."""
    f = node.f
    if not isinstance(f, Lambda) or not isinstance(f.body, Sort) or f.body.xs is not f.variables[0]:
        return None
    return f.body if order_of_numbers(f.body) is not None else None


def selections(roots: Sequence[Expr], noted: Mapping[Expr, LibraryCall]) -> dict[Expr, tuple[int, ...]]:
    """The sorts of long rows of numbers of which constant places alone are read, few of each row, and these places.

    Args:
        roots: vertices whose values are asked for
        noted: calls of NumPy, which read all of their operands

    Returns:
        Places in ascending order, by `Sort`, or by `Map` of rows where its function is a sort.
    """
    nodes = walk(roots, lambda node: node.operands)
    if not any(isinstance(node, Sort) for node in nodes):
        return {}
    readers: dict[Expr, list[Expr | None]] = {}
    for node in nodes:
        for operand in node.operands:
            readers.setdefault(operand, []).append(node)
    for read in (*roots, *[call.operand for call in noted.values()]):
        for each in (read, *(read.operands if isinstance(read, Tuple) else ())):
            readers.setdefault(each, []).append(None)
    found = {}
    for node in nodes:
        places = _places(node, readers)
        if places:
            found[node] = places
    return found


def _places(node: Expr, readers: Mapping[Expr, Sequence[Expr | None]]) -> tuple[int, ...]:
    """The places of a sort that are read; none where these are many, or it is none of long rows of wide numbers."""
    by = readers.get(node, ())
    sort: Sort | None
    if isinstance(node, Sort):
        sort = node
    elif isinstance(node, Map) and len(by) == 1 and isinstance(by[0], Join):
        sort, by = sorted_rows(node), readers.get(by[0], ())
    else:
        return ()
    t = None if sort is None else sort.type
    length = t.length.value if isinstance(t, ArrayType) else None
    if (
        sort is None
        or sort.bits <= SELECTED_BITS_ABOVE
        or node.loose
        or not length
        or length < SELECTED_FROM
        or order_of_numbers(sort) is None
    ):
        return ()
    found: set[int] = set()
    for reader in by:
        read = _read(reader, length)
        if read is None or len(found | read) > SELECTED_PLACES_AT_MOST:
            return ()
        found |= read
    return tuple(sorted(found))


def _read(reader: Expr | None, length: int) -> set[int] | None:
    """The places in rows of that length, one after the other, that a slice or an element of these reads; None for what
    reads others, or too many.
    """
    if isinstance(reader, Element):
        return None if reader.index.value is None else {reader.index.value % length}
    if not isinstance(reader, Slice) or reader.start.value is None or reader.count.value is None:
        return None
    start, step, count = reader.start.value, reader.step, reader.count.value
    if step % length == 0:
        return {start % length}
    return None if count > SELECTED_PLACES_AT_MOST else {(start + i * step) % length for i in range(count)}
