"""What is made of a scan's elements, one by one, in the kernel that finds them: a running mean's division, the values
that a filter keeps.

Whoever finds element i of a scan does with it what is done with element i. That saves writing and reading the scan, and
a launch.
"""

from __future__ import annotations

from dataclasses import replace

from ir.core.expr import Expr
from ir.core.patterns import Compact, Concat, Scan
from ir.core.types import ScalarType
from ir.cost.thresholds.partition import SCAN_RESULT_OPERATIONS
from ir.fusion.partition.bundles import Bundles
from ir.fusion.partition.epilogues import is_aligned, is_elementwise
from ir.fusion.partition.graph import Graph
from ir.fusion.partition.reasons import Condition
from ir.fusion.partition.storage import Assignment
from ir.fusion.partition.traffic import Costs, elements
from ir.fusion.prepare.absorb import Taking
from ir.fusion.prepare.count_by_scans import scan_of_places
from ir.rules.common import element
from ir.schedules.scans.finished import is_scan

__all__ = ["compacts_of_scans", "finish_scans"]


def compacts_of_scans(graph: Graph, together: Bundles) -> Bundles:
    """Also pairs of compacts of the elements of one scan: what a filter keeps, and how much that is."""
    members: dict[Scan, list[Expr]] = {}
    for node in graph.order:
        scan = scan_of_places(node, graph)
        if scan is not None and node in graph.wanted and node not in together.number:
            members.setdefault(scan, []).append(node)
    pairs = [each for each in members.values() if len(each) == 2 and all(map(_is_of_numbers, each))]
    following = max(together.number.values(), default=-1) + 1
    numbers = {node: number for number, pair in enumerate(pairs, following) for node in pair}
    return replace(together, number=together.number | numbers, blocks=together.blocks.union(numbers))


def _is_of_numbers(node: Expr) -> bool:
    return isinstance(element(node), ScalarType)


def finish_scans(cut: Assignment, by_items: bool) -> bool:
    """Let the kernels of scans do what is done with their elements, where nothing else reads these.

    As only one kernel reads what the scan's makes, both can be one whatever else that one reads: no other kernel stands
    between them, so that none waits for itself.

    Args:
        by_items: does each work-item have a few elements, as on GPUs? Else loops of vectors scan, in which functions
            that take long are slower than in a kernel of their own

    Returns:
        Does a kernel do so?
    """
    if not any(map(is_scan, cut.maker)):
        return False
    taking, costs, found = Taking(cut), None if by_items else Costs(), False
    following = [cut.maker[node] for node in cut.graph.order if node in cut.maker and _may_follow(node, cut)]
    for number in dict.fromkeys(following):
        scans = [x for x in cut.kernels[number].reads if is_scan(x) and x in cut.maker]
        if not scans or not _is_one_result(taking.results[number]):
            continue
        refused = _refused(taking, number, scans, costs)
        if refused is None:
            taking.take_over(number, cut.maker[scans[0]])
            found = True
        else:
            taking.refused(number, refused)
    return found


def _is_one_result(results: list[Expr]) -> bool:
    """Does a kernel write one array, or two compacts?"""
    return len(results) == 1 or (len(results) == 2 and all(isinstance(x, Compact) for x in results))


def _may_follow(node: Expr, cut: Assignment) -> bool:
    """Is it a map of numbers to numbers, or what is kept of one?"""
    return isinstance(node, Compact) or is_elementwise(node, cut.graph)


def _refused(taking: Taking, number: int, scans: list[Expr], costs: Costs | None) -> Condition | None:
    """Why the kernel of a scan cannot make what another one makes of its elements; None if it can.

    Args:
        costs: says what is too much work; None: nothing is
    """
    cut, scan = taking.cut, scans[0]
    if len(scans) > 1:
        return Condition.SEVERAL_REDUCTIONS
    if any(isinstance(node, Concat) for node in cut.kernels[number].vertices):
        return Condition.PARTS
    if not is_aligned(taking, number, {scan}):
        return Condition.NOT_ALIGNED
    if any(taking.is_needed(x, number) for x in taking.results[cut.maker[scan]]):
        return Condition.NEEDED
    free = SCAN_RESULT_OPERATIONS * elements(scan.type)
    if costs is not None and costs.operations(cut.kernels[number]) > free:
        return Condition.MUCH_WORK
    return None if cut.fits(number, cut.maker[scan]) else Condition.TOO_MANY
