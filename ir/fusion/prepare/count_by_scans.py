"""What a filter keeps is counted by the scan that finds the places: the sum of what is scanned is the scan's last
element, and goes to a place of its own. So no kernel reads the mask for that alone.

And the mask of a filter is stored where its kernels, each of which makes it otherwise, might not agree about it, or
where storing it is less work.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ir.core.expr import Expr, postorder
from ir.core.patterns import REDUCE, SCAN, Call, Compact, Map, Reduce, Scan, Zip
from ir.core.types import BOOL
from ir.cost.operations import kind_of
from ir.cost.passes import is_read_within_a_launch, least_alike, size_bytes
from ir.cost.thresholds.ratios import OPERATIONS_PER_BYTE
from ir.fusion.partition.graph import Graph, is_computed, repeats
from ir.fusion.partition.traffic import operations_of
from ir.fusion.prepare.rewriting import Rewriter, rewritten
from ir.rewrite.strategy import seq
from ir.rules.common import components, element, length
from ir.rules.folds.scan import last_of_scan
from ir.rules.sorting.compact import last_to_compact
from ir.walks import reached

__all__ = ["count_by_scans", "masks_of_filters", "scan_of_places"]


def count_by_scans(roots: Sequence[Expr], graph: Graph, rewriter: Rewriter) -> list[Expr] | None:
    """The same results, those that sum up what a filter scans as compacts of the scan's last element; None where there
    are none.

    Args:
        rewriter: what has rewritten vertices before
    """
    scans = {(s.f, s.init, s.xs) for node in graph.order if (s := scan_of_places(node, graph)) is not None}
    sums = {x for x in graph.wanted if isinstance(x, Reduce) and x.how == REDUCE and (x.f, x.init, x.xs) in scans}
    if not sums:
        return None

    def counted(node: Expr, made: Expr) -> Expr | None:
        if node not in sums:
            return None
        return rewriter.apply(seq(last_of_scan, last_to_compact), made, ())

    done = rewritten(graph, counted)
    return [done[root] for root in roots]


def scan_of_places(node: Expr, graph: Graph) -> Scan | None:
    """The scan of what a compact puts somewhere, which no kernel has computed yet, if there is one."""
    if not isinstance(node, Compact) or graph.exists(node) or not isinstance(node.xs, Map):
        return None
    found = [x for x in components(node.xs.xs) if isinstance(x, Scan) and x.how == SCAN and not graph.exists(x)]
    return found[0] if len(found) == 1 else None


def masks_of_filters(graph: Graph) -> dict[Expr, bool]:
    """The masks of filters that are to be computed, and whether the kernels that scan and write make each again: else
    it is stored.
    """
    found: dict[Expr, bool] = {}
    for node in graph.order:
        scan = scan_of_places(node, graph)
        mask = None if scan is None else _mask(scan)
        if mask is not None and not graph.is_stored_first(mask):
            found[mask] = found.get(mask, True) and _is_made_again(mask, node, graph)
    return found


def _mask(scan: Scan) -> Expr | None:
    """The array of truths whose numbers are scanned."""
    return scan.xs.xs if isinstance(scan.xs, Map) and element(scan.xs.xs) is BOOL else None


def _is_made_again(mask: Expr, compact: Expr, graph: Graph) -> bool:
    """Is a mask the same whoever makes it, and is making it twice less work than a launch, writing and reading it?"""
    made = list(_made_of(mask, graph))
    if not all(map(_is_in_order, made)):
        return False  # other views may be read in an order that is slow
    functions = [node.f for node in made if isinstance(node, Map) and is_computed(node)]
    if not all(kind_of(x.op) == "arithmetic" for f in functions for x in postorder(f) if isinstance(x, Call)):
        return False
    read = {x for node in made for x in graph.reads(node) if graph.is_stored_first(x)}
    besides = set(components(compact.xs.xs)) if isinstance(compact, Compact) and isinstance(compact.xs, Map) else set()
    again = sum(size_bytes(x.type) for x in read - besides if length(x) is length(mask))
    work = sum(map(operations_of, functions)) / OPERATIONS_PER_BYTE
    return is_read_within_a_launch(least_alike(length(mask)) * (again + work - 3), by_items=True)


def _is_in_order(node: Expr) -> bool:
    """Is what it reads read element after element, or a number for all?"""
    inside = is_computed(node) or isinstance(node, Zip) or repeats(node)
    return inside or node.traits.creates or node.traits.reshapes


def _made_of(e: Expr, graph: Graph) -> Iterator[Expr]:
    """What the kernel of an array computes for it."""

    def computed(nodes: Iterable[Expr]) -> list[Expr]:
        return [x for x in nodes if not graph.exists(x)]

    return reached(computed([e]), lambda x: computed(y for y in graph.reads(x) if not graph.is_stored_first(y)))
