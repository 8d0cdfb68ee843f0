"""Writes loads ahead of their use: while a work-group computes with what it has staged in local memory, its work-items
load what the next turn of the loop stages into their registers.

Source: V. Volkov and J. Demmel, "Benchmarking GPUs to tune dense linear algebra" (SC 2008), section 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ir.core.sizes import Size, size
from ir.opencl.passes.accesses import NAME
from ir.opencl.read.views import Storage
from ir.opencl.tree import Access, Barrier, Block, Declare, If, Loop, Node, Statement, Turns

if TYPE_CHECKING:
    from ir.opencl.write.kernel import KernelWriter

__all__ = ["NOT_STAGED", "load_ahead"]

NOT_STAGED = "prefetch of what no work-items copy to local memory at the beginning of a turn"


def load_ahead(writer: KernelWriter) -> bool:
    """Let the loop that was written last load what its next turn copies to local memory before it computes; is it such
    a loop?

    Before: `for (i) { copy x[i] to local memory; barrier; compute }`
    After: `load x[0]; for (i) { store to local memory; barrier; load x[i + 1] if there is one; compute }`
    """
    block = writer.scope.block.body
    loop = block[-1] if block else None
    if not isinstance(loop, Loop) or loop.body.turns is None or loop.body.turns.kind:
        return False
    staged, copies = list[Node](), list[_Copy]()
    body = loop.body.body
    for node in body:
        if isinstance(node, Barrier) or (isinstance(node, Declare) and not node.reads):
            staged.append(node)
            continue
        copy = _copy(writer, node)
        if copy is None:
            break
        copies.append(copy)
        staged.append(copy.stored(writer))
    if not copies or not any(isinstance(node, Barrier) for node in staged):
        return False
    index, following = loop.body.turns.index, f"({loop.var} + {loop.step})"
    first = Block([copy.loaded(writer, index, loop.start, size(0)) for copy in copies])
    ahead = Block([copy.loaded(writer, index, following, index + 1) for copy in copies])
    loop.body.body = [*staged, If(f"{following} < {loop.stop}", ahead), *body[len(staged) :]]
    block[-1:] = [*(copy.array for copy in copies), If(f"{loop.start} < {loop.stop}", first), loop]
    return True


@dataclass
class _Copy:
    """Statements that copy to local memory.

    Attributes:
        levels: the maps over work-items around them, the outermost first
        values: what is loaded, one after the other
        stores: where each of them goes: the places, and the statements
        array: where each work-item keeps the values
    """

    levels: list[tuple[Declare, Turns]]
    values: list[str]
    stores: list[list[tuple[Access, str]]]
    array: Declare

    def stored(self, writer: KernelWriter) -> Node:
        """What was loaded goes to local memory."""
        return self._by_items(
            [
                Statement(text, writer.accesses.reads(kept), (place,), place)
                for kept, stores in zip(_elements(self.array), self.stores, strict=True)
                for place, text in stores
            ]
        )

    def loaded(self, writer: KernelWriter, index: Size, text: str, turn: Size) -> Node:
        """What a turn of the loop over `index` copies is loaded."""
        found = []
        for kept, value in zip(_elements(self.array), self.values, strict=True):
            (place,) = writer.accesses.reads(kept)
            moved = writer.accesses.moved(value, {index.name: text}, {index: turn})
            found.append(Statement(f"{kept} = {moved}", writer.accesses.reads(moved), (place,), place))
        return self._by_items(found)

    def _by_items(self, statements: Sequence[Node]) -> Node:
        nodes = list(statements)
        for declared, turns in reversed(self.levels):
            nodes = [declared, Block(nodes, turns)]
        return Block(nodes)


def _elements(array: Declare) -> list[str]:
    return [f"{array.name}[{i}]" for i in range(array.length or 0)]


def _copy(writer: KernelWriter, node: Node) -> _Copy | None:
    """What a node copies from global to local memory, if that is all it does, in a known number of turns."""
    count = 1
    index: Size | None = None
    if isinstance(node, Loop):
        over = node.body.turns
        if over is None or over.kind or over.trip.value is None:
            return None
        count, index, node = over.trip.value, over.index, node.body
    levels, nodes = [], [node]
    while True:
        match nodes:
            case [Declare() as declared, Block(turns=Turns(kind="mapLocal") as level) as inner]:
                levels.append((declared, level))
                nodes = inner.body
            case [Block() as inner]:
                nodes = inner.body
            case _:
                break
    value, stores = _value_and_stores(nodes)
    places = [each.stored for each in stores if each.stored is not None]
    if not places or any(each.reads for each in stores) or any(p.name not in writer.local_arrays for p in places):
        return None
    local, width = writer.local_arrays[places[0].name], 1 if len(places) > 1 else places[0].width
    type_ = value.type if isinstance(value, Declare) else f"{local.type}{width}" if width > 1 else local.type
    array = Declare(type_.removeprefix("const "), writer.name_for("ahead"), length=count)
    log = writer.accesses
    log.declare(array.name)
    found = _Copy(levels, [], [], array)
    element = log.memory[local.name].element
    for turn, kept in enumerate(_elements(array)):
        log.note(Storage(array.name, "private", element), kept, size(turn))
        names, known = ({}, {}) if index is None else ({index.name: str(turn)}, {index: size(turn)})
        own = []
        for each, place in zip(stores, places, strict=True):
            target, _, stored = each.text.partition(" = ")
            read = kept if not isinstance(value, Declare) else stored.replace(value.name, kept)
            at = place if place.index is None else replace(place, index=place.index.substitute(known))
            own.append((at, f"{log.moved(target, names, known)} = {read}"))
        loaded = value.value if isinstance(value, Declare) else value
        found.values.append(log.moved(loaded or "", names, known))
        found.stores.append(own)
    return found


def _value_and_stores(nodes: Sequence[Node]) -> tuple[Declare | str, list[Statement]]:
    """What is loaded, as it is declared or written out, and the statements that store it; none if that is not all."""
    match nodes:
        case [Statement(text=text) as store]:
            return text.partition(" = ")[2], [store]
        case [Declare(value=str()) as declared, Block(body=others, turns=None)]:
            stores = [each for each in others if isinstance(each, Statement)]
            read = (NAME.findall(each.text.partition(" = ")[2])[:1] for each in stores)
            if len(stores) == len(others) and all(names == [declared.name] for names in read):
                return declared, stores
    return "", []
