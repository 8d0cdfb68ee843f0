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

if TYPE_CHECKING:
    from lazyarr.array import Array

__all__ = ["note_assignment", "note_computed", "with_assigned"]


class _Assigned:
    """An array that was assigned to, and whether a value that depends on it was computed before."""

    __slots__ = ("array", "asked")

    def __init__(self, array: ref[Array], asked: bool) -> None:
        self.array = array
        self.asked = asked


_assigned: WeakKeyDictionary[Expr, _Assigned] = WeakKeyDictionary()
"""By what the arrays stand for."""


def note_assignment(x: Array, before: Expr) -> None:
    """An array has come to stand for its present expression by an assignment, before which it stood for another."""
    if x.trace is not None or not x.node.operands:
        return
    known = _assigned.get(before)
    _assigned[x.node] = _Assigned(ref(x), known is not None and known.asked)


def note_computed(arrays: Sequence[Array]) -> None:
    """Arrays were computed because they are assigned to and read in turns: so they are from now on."""
    for x in arrays:
        _assigned[x.node] = _Assigned(ref(x), True)


def with_assigned(arrays: Sequence[Array]) -> Sequence[Array]:
    """The arrays that are to be computed, then those that they depend on which are assigned to and read in turns."""
    if not _assigned:
        return arrays
    found: dict[int, Array] = {id(x): x for x in arrays}
    seen: set[Expr] = set()
    waiting: list[Any] = [x.node for x in arrays]
    while waiting:
        node = waiting.pop()
        if node in seen or isinstance(node, Lambda):
            continue
        seen.add(node)
        waiting += node.operands
        entry = _assigned.get(node)
        if entry is None or not node.operands:
            continue
        array = entry.array()
        if array is not None and array.expr is node and entry.asked and array.trace is None:
            found.setdefault(id(array), array)
        entry.asked = True
    return list(found.values())
