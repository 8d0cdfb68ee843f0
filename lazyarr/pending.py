"""Arrays that are assigned to and read in turns: `d[i] = f(d)`, then `if d[i] > 1:`, and so on.

Each value that is asked for depends on all assignments so far. An array whose assignments were computed for a value
once before is therefore computed too when the next value is asked for: else the graph grows with every assignment,
each of its lengths another program to compile. A single value computed of a changed array leaves that array alone, so
that the assignment is fused with what is made of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, ref

from ir.core.expr import Expr, Lambda
from ir.core.patterns import Map
from lazyarr.deferred import Deferred

if TYPE_CHECKING:
    from lazyarr.array import Array

__all__ = ["note_assignment", "note_computed", "with_assigned"]


MOST_OTHERS = 4
"""Further arrays that are remembered for one expression: the last ones."""


class _Assigned:
    """An array that was assigned to, what it stood for from then on, and whether a value that depends on it was
    computed before; the same of others.
    """

    __slots__ = ("array", "asked", "others", "standing")

    def __init__(self, array: Array, standing: Expr | Deferred, asked: bool) -> None:
        self.array = ref(array)
        self.standing = ref(standing)
        self.asked = asked
        self.others: tuple[_Assigned, ...] = ()

    def living(self) -> list[Array]:
        """The arrays that stand for the same still."""
        found = []
        for entry in (self, *self.others):
            array, standing = entry.array(), entry.standing()
            if array is not None and standing is not None and array.expr is standing and array.traced_in is None:
                found.append(array)
        return found


_assigned: WeakKeyDictionary[Expr | Deferred, _Assigned] = WeakKeyDictionary()
"""By what the arrays stand for, and by what was put into them."""


def note_assignment(x: Array, before: Expr | Deferred, part: Expr | Deferred | None = None) -> None:
    """An array has come to stand for its present expression by an assignment, before which it stood for another.

    part : what was put into it: who reads that alone does not meet what the array stands for
    """
    standing = x.standing
    if x.traced_in is not None or not standing.operands:
        return
    known = _assigned.get(before)
    entry = _assigned[standing] = _Assigned(x, standing, known is not None and known.asked)
    if type(part) is Deferred:
        part = part.made
    if part is None or type(part) is not Map or part is standing:
        return
    of_part = _assigned.setdefault(part, entry)
    if of_part is not entry:  # it is what a view stands for, by which the array was assigned to
        of_part.others = (*of_part.others[1 - MOST_OTHERS :], entry)
        of_part.asked = of_part.asked or entry.asked


def note_computed(arrays: Sequence[Array]) -> None:
    """Arrays were computed because they are assigned to and read in turns: so they are from now on."""
    for x in arrays:
        _assigned[x.standing] = _Assigned(x, x.standing, True)


def with_assigned(arrays: Sequence[Array]) -> Sequence[Array]:
    """The arrays that are to be computed, then those that they depend on which are assigned to and read in turns."""
    if not _assigned:
        return arrays
    found: dict[int, Array] = {id(x): x for x in arrays}
    seen: set[Expr | Deferred] = set()
    met: list[_Assigned] = []
    waiting: list[Any] = [x.standing for x in arrays]
    while waiting:
        node = waiting.pop()
        if node in seen or isinstance(node, Lambda):
            continue
        seen.add(node)
        waiting += node.operands
        for x in (node, node.made) if type(node) is Deferred and node.made is not None else (node,):
            entry = _assigned.get(x)
            if entry is None or not x.operands:
                continue
            met.append(entry)
            if entry.asked:
                for array in entry.living():
                    found.setdefault(id(array), array)
    for entry in met:  # only now: one may have been met twice
        entry.asked = True
    return list(found.values())
