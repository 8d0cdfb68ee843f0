"""Schedules for scans whose results are used on the spot: a running mean's division, the places of what a filter keeps.

The scan is lowered by its own schedule. What is done with its elements goes into the loops that find them, so that they
are in no memory.
"""

from __future__ import annotations

from ir.core.expr import Expr, postorder
from ir.core.patterns import SCAN, Compact, Join, Map, Scan, Transpose, Tuple
from ir.rewrite.places import Place
from ir.rules.common import components
from ir.schedules.maps.compact import Compacted
from ir.schedules.normal_form.together import is_plain
from ir.schedules.rows.finished import Finished, read_by_map
from ir.schedules.schedule import Schedule
from ir.schedules.tactics import is_open_map, row_of

__all__ = ["FinishedScan", "is_made_of_scan", "is_of_finished_scan", "is_scan"]


class FinishedScan(Finished):
    """A schedule for a scan of an array, and a map over its elements."""

    def place(self, e: Expr) -> Place | None:
        """Where the scan stands below a map of its elements and of other arrays of that length."""
        found = [i for i, x in enumerate(components(e.xs)) if is_scan(x)] if isinstance(e, Map) and is_plain(e) else []
        return read_by_map(e, found[0]) if isinstance(e, Map) and len(found) == 1 else None


def is_made_of_scan(e: Expr) -> bool:
    """Is it a map, or what is kept of one, of arrays of which a scan is computed on the way?"""
    if isinstance(e, Tuple):
        return any(isinstance(x, Compact) and is_made_of_scan(x) for x in e.operands)
    made = e.xs if isinstance(e, Compact) else e
    return isinstance(made, Map) and any(isinstance(node, Scan) for node in postorder(made.xs))


def is_of_finished_scan(schedule: Schedule) -> bool:
    """Is it a schedule for a scan, and a map over its elements, which may be the end of a filter?"""
    return isinstance(schedule.map if isinstance(schedule, Compacted) else schedule, FinishedScan)


def is_scan(e: Expr) -> bool:
    """Is it a scan, or those of the rows or columns of a matrix?"""
    while isinstance(e, (Join, Transpose)):
        e = e.xs
    row = row_of(e) if is_open_map(e) else e
    return isinstance(row, Scan) and row.how == SCAN
