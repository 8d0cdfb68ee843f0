"""Why a partition did not put two neighbouring vertices into one kernel: the named condition that refused.

Nothing is noted unless somebody asks (`lazyarr.lift.visualization`): partitions are made without `Reasons`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING

from ir.core.expr import Expr

if TYPE_CHECKING:
    from ir.fusion.partition.graph import Graph
    from ir.fusion.partition.kernel_expressions import Partition
    from ir.fusion.partition.storage import Assignment

__all__ = ["Condition", "Reasons"]


class Condition(Enum):
    """What keeps a vertex and one that reads it apart: each is asked of in one place of `ir.fusion.partition`."""

    # why a vertex is stored
    BARRIER = "it is a reduction, scan, scatter or sort: inside of a kernel no work-group can wait for all the others"
    RESULT = "it is asked for, and what reads it has another form: one kernel's results have one length, or one's rows"
    LONG = "the kernel that reads it would have too many vertices"
    DEEP = "it would be read through too many views"
    STEPS = "its function of rows takes as many steps as a kernel may"
    WRITTEN_IN_PARTS = "kernels of their own write the parts of a concat"
    ASKED_OFTEN = "more of its elements are asked for than it has: storing it once is less work"
    COPIED = "each of its elements is read many times: computing it for every copy would be more work"
    SHARED = "several kernels read it, and computing it in each is predicted to take longer than storing it"
    # why a kernel of reductions does not do what is done with its results
    NO_REDUCTION = "what reads it reads no reduction to numbers that may be done in any order"
    SEVERAL_REDUCTIONS = "what reads it needs the results of several kernels that do not reduce rows of one form"
    NOT_READY = "what reads it also reads what is computed only after it"
    PARTS = "what reads it has parts, which are loops of their own"
    NOT_ALIGNED = "element i of what reads it needs more than the result of row i"
    TOO_MANY = "one kernel would have too many results or vertices"
    NEEDED = "what it is made of is asked for by others too, and one kernel would have to write both"
    MUCH_WORK = "what reads it is too much work for those who have the results of reductions, or for loops that scan"
    NOT_OF_ROWS = "the rows are columns, or too few, or too short, or too long to be near still when read again"
    OTHER_ROWS = "what reads it does not reduce the same rows, element by element"

    @property
    def text(self) -> str:
        """The name as it is printed, and what it means."""
        return f"{self.name.lower().replace('_', ' ')}: {self.value}"


class Reasons:
    """What a partition noted while it was made; a second one made with it begins anew.

    Attributes:
        graph: what was cut, after rewriting
        cut: which vertices are stored, and by which kernels
        made: the kernels' expressions, in the order in which they run
    """

    graph: Graph
    cut: Assignment
    made: Partition

    def __init__(self) -> None:
        self._stored: dict[Expr, Condition] = {}
        self._apart: dict[int, Condition] = {}

    def begin(self, graph: Graph) -> None:
        """A partition of that graph begins."""
        self._stored.clear()
        self._apart.clear()
        self.graph = graph

    def note_stored(self, node: Expr, conditions: Mapping[Condition, bool]) -> None:
        """A vertex is stored, for the first of these conditions that holds."""
        self._stored[node] = next(condition for condition, holds in conditions.items() if holds)

    def note_apart(self, number: int, condition: Condition) -> None:
        """The kernel of that number was not joined with the one of the reductions that it reads."""
        self._apart[number] = condition

    def conditions(self, stored: Expr, reader: int | None) -> tuple[Condition, ...]:
        """Why a stored vertex is not computed in a kernel that reads it (its number; None: that of a part)."""
        first = self._stored.get(stored)
        if first is None:  # a member of a kernel that took it over
            first = Condition.BARRIER if self.graph.is_barrier(stored) else Condition.RESULT
        apart = None if reader is None else self._apart.get(reader)
        if (
            apart is None
            or apart is Condition.NO_REDUCTION
            or first is Condition.RESULT
            or not self._is_of_reductions(stored)
        ):
            return (first,)
        return (first, apart)

    def _is_of_reductions(self, stored: Expr) -> bool:
        """Does the kernel that stores it reduce something?"""
        number = self.cut.maker[stored]
        return any(map(self.graph.is_barrier, self.cut.kernels[number].vertices))
