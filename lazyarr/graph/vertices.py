"""What is known of the vertices of recorded expressions: their values, and who waits for them. Nothing is kept alive.

Expressions are made once: equal ones are one object, which several arrays and results may be made of. What was computed
for one of them is read by all that still mention it, and an evaluation that passes through a vertex finds here whether
somebody will ask for it again. A vertex that nobody mentions any more takes its entry with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import ref

from ir.core.expr import Expr
from lazyarr.graph.leaves import inputs_of

if TYPE_CHECKING:
    from lazyarr.graph.recorded_calls import RecordedCall

__all__ = ["VERTICES", "Vertex", "note_holder", "note_value", "vertex_of"]


class Vertex(ref[Expr]):
    """A vertex, weakly.

    Attributes:
        leaf: what stands for its value, where that exists.
        holder: the recorded call whose expression it is, weakly
    """

    __slots__ = ("holder", "leaf", "number")
    holder: ref[RecordedCall] | None
    leaf: Expr | None
    number: int

    def value(self) -> Expr | None:
        """What stands for its value, if that exists."""
        if self.leaf is None and self.holder is not None:
            call = self.holder()
            if call is not None and call.made is not None and inputs_of(call.made):
                self.leaf = call.made
        return self.leaf


VERTICES: dict[int, Vertex] = {}
"""By the address of each. A plain dictionary, since every vertex of every evaluation is looked for in it."""


def _forget(entry: Vertex) -> None:
    """The vertex died: its address may become another's."""
    if VERTICES.get(entry.number) is entry:
        del VERTICES[entry.number]


def vertex_of(node: Expr) -> Vertex | None:
    """What is known of a vertex, if anything is."""
    found = VERTICES.get(id(node))
    return found if found is not None and found() is node else None


def _entered(node: Expr) -> Vertex:
    found = vertex_of(node)
    if found is None:
        found = Vertex(node, _forget)
        found.holder = found.leaf = None
        found.number = id(node)
        VERTICES[found.number] = found
    return found


def note_value(node: Expr, leaf: Expr) -> None:
    """The value of a vertex exists from now on."""
    _entered(node).leaf = leaf


def note_holder(node: Expr, call: RecordedCall) -> None:
    """A recorded call has that expression. Of several that live, the first is told of."""
    entry = _entered(node)
    if entry.holder is None or entry.holder() is None:
        entry.holder = ref(call)
