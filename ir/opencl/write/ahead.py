"""Writes loads ahead of their use: while a work-group computes with what it has staged in local memory, its work-items
load what the next turn of the loop stages into their registers.

Source: V. Volkov and J. Demmel, "Benchmarking GPUs to tune dense linear algebra" (SC 2008), section 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from ir.core.sizes import Size, size
from ir.opencl.passes.accesses import NAME
from ir.opencl.read.views import Storage
from ir.opencl.tree import Barrier, Block, Declare, If, Loop, Node, Statement, Turns, texts

if TYPE_CHECKING:
    from ir.opencl.write.kernel import KernelWriter

__all__ = ["NOT_STAGED", "NOT_THE_NEXT", "Copying", "by_items", "copying", "load_ahead", "number_of"]

NOT_STAGED = "prefetch of what no work-items copy to local memory at the beginning of a turn"

NOT_THE_NEXT = "prefetch of what another turn than the next copies to local memory"

_LOADED_AT_MOST = 64
"""Elements of each array that a work-item loads ahead at most: each is a register, and a statement of its own."""

_Rest: TypeAlias = Declare | Statement
"""A variable with its value, or a store."""

_Exchanged: TypeAlias = Mapping[Size, tuple[str, Size]]
"""Variables, and the number that takes the place of each: as C spells it, and as a size."""


def load_ahead(writer: KernelWriter, again: bool = False) -> bool:
    """Let the loop that was written last load what its next turn copies to local memory before it computes; is it such
    a loop?

    Before: `for (i) { copy x[i] to local memory; barrier; compute }`
    After: `load x[0]; for (i) { store to local memory; barrier; load x[i + 1] if there is one; compute }`

    Args:
        again: the last turn loads its own x again, so that no test stands around the loads
    """
    block = writer.scope.block.body
    loop = block[-1] if block else None
    if not isinstance(loop, Loop) or loop.body.turns is None or loop.body.turns.kind:
        return False
    staged, copies, declared = list[Node](), list[_Copies](), set[str]()
    nodes = list(loop.body.body)
    while nodes:
        found = _copies(writer, nodes[:2]) or _copies(writer, nodes[:1])
        if found is not None:
            if any(declared.intersection(NAME.findall(text)) for copy in found.arrays for text in copy.texts()):
                break  # a variable of this turn is not the next one's
            copies.append(found)
            staged.append(found.stored())
            taken = found.nodes
        elif isinstance(nodes[0], Barrier) or (isinstance(nodes[0], Declare) and not nodes[0].reads):
            declared |= {nodes[0].name} if isinstance(nodes[0], Declare) else set()
            staged.append(nodes[0])
            taken = 1
        else:
            break
        del nodes[:taken]
    if not copies or not any(isinstance(node, Barrier) for node in staged):
        return False
    index, following = loop.body.turns.index, f"({loop.var} + {loop.step})"
    first = Block([copy.loaded(writer, {index: (number_of(writer, 0), size(0))}) for copy in copies])
    there_is = f"{following} < {loop.stop}"
    if again:
        later = Declare(loop.type, writer.name_for("next"), f"{there_is} ? {following} : {loop.var}")
        ahead = [copy.loaded(writer, {index: (later.name, index + 1)}, declared=True) for copy in copies]
        loop.body.body = [*staged, later, *ahead, *nodes]
    else:
        ahead = [copy.loaded(writer, {index: (following, index + 1)}) for copy in copies]
        loop.body.body = [*staged, If(there_is, Block(ahead)), *nodes]
    block[-1:] = [
        *(copy.array for each in copies for copy in each.arrays),
        If(f"{loop.start} < {loop.stop}", first),
        loop,
    ]
    return True


@dataclass
class _Copy:
    """What is copied to an array in local memory.

    Attributes:
        values: what is loaded, one after the other
        rest: what is made of each of them, and stored
        array: where each work-item keeps the values
    """

    values: list[str]
    rest: list[list[_Rest]]
    array: Declare

    def texts(self) -> list[str]:
        """All that it says in C."""
        return [*self.values, *(text for rest in self.rest for each in rest for text in texts(each))]

    def stored(self) -> list[Node]:
        """What was loaded goes to local memory."""
        return [each for rest in self.rest for each in rest]

    def loaded(self, writer: KernelWriter, turn: _Exchanged) -> list[Node]:
        """What a turn of the loop copies is loaded."""
        found = list[Node]()
        for kept, value in zip(_elements(self.array), self.values, strict=True):
            (place,) = writer.accesses.reads(kept)
            moved = _moved(writer, value, turn)
            found.append(Statement(f"{kept} = {moved}", writer.accesses.reads(moved), (place,), place))
        return found


@dataclass
class _Copies:
    """What is copied side by side, to an array for each component of the elements.

    Attributes:
        nodes: how many nodes of the loop's body that were
        levels: the maps over work-items around it, the outermost first
    """

    nodes: int
    levels: list[tuple[Declare, Turns]]
    arrays: list[_Copy]

    def stored(self) -> Node:
        """What was loaded goes to local memory."""
        return self._by_items([node for each in self.arrays for node in each.stored()])

    def loaded(self, writer: KernelWriter, turn: _Exchanged, declared: bool = False) -> Node:
        """What a turn of the loop copies is loaded, where the variables of the work-items may be declared already."""
        return self._by_items([node for each in self.arrays for node in each.loaded(writer, turn)], declared)

    def _by_items(self, nodes: list[Node], declared: bool = False) -> Node:
        return by_items(self.levels, nodes, declared)


def by_items(levels: Sequence[tuple[Declare, Turns]], nodes: list[Node], declared: bool = False) -> Node:
    """What all work-items do, where their variables may be declared already."""
    for item, turns in reversed(levels):
        nodes = [Block(nodes, turns)] if declared else [item, Block(nodes, turns)]
    return Block(nodes)


def _elements(array: Declare) -> list[str]:
    return [f"{array.name}[{i}]" for i in range(array.length or 0)]


def number_of(writer: KernelWriter, n: int) -> str:
    """A number where a variable of indices stood: products with it have as many bits."""
    wide = writer.spelling.index_type
    return str(n) if wide == "int" else f"(({wide}){n})"


def _moved(writer: KernelWriter, text: str, exchanged: _Exchanged) -> str:
    names = {variable.name: spelled for variable, (spelled, _) in exchanged.items()}
    return writer.accesses.moved(text, names, {variable: number for variable, (_, number) in exchanged.items()})


@dataclass
class Copying:
    """How nodes copy from global to local memory.

    Attributes:
        nodes: how many nodes of the loop's body that are
        levels: the maps over work-items around it, the outermost first
        pairs: what is loaded, where it is declared or stored at once, and what makes something of it and stores that
        turns: what takes the place of the variable of a loop around it, in each of its turns
    """

    nodes: int
    levels: list[tuple[Declare, Turns]]
    pairs: list[tuple[_Rest, list[_Rest]]]
    turns: Sequence[_Exchanged]


def _copies(writer: KernelWriter, nodes: Sequence[Node]) -> _Copies | None:
    """What nodes copy, as it is loaded ahead."""
    found = copying(writer, nodes)
    if found is None:
        return None
    arrays = [_copy(writer, value, rest, found.turns) for value, rest in found.pairs]
    return _Copies(found.nodes, found.levels, arrays)


def copying(writer: KernelWriter, nodes: Sequence[Node]) -> Copying | None:
    """What nodes copy from global to local memory, if that is all they do, in a known number of turns."""
    count, turns = len(nodes), 1
    index: Size | None = None
    match nodes:
        case [Loop(body=Block(turns=Turns(kind="") as over) as body)]:
            if over.trip.value is None or over.trip.value > _LOADED_AT_MOST:
                return None
            turns, index, nodes = over.trip.value, over.index, body.body
    levels = []
    while True:
        match nodes:
            case [Declare() as declared, Block(turns=Turns(kind="mapLocal") as level) as inner]:
                levels.append((declared, level))
                nodes = inner.body
            case [Block() as inner]:
                nodes = inner.body
            case _:
                break
    pairs = _values_and_stores(writer, nodes)
    places = [each.stored for _, rest in pairs for each in rest if isinstance(each, Statement)]
    if not places or any(place is None or place.name not in writer.local_arrays for place in places):
        return None
    if any(each.reads for value, rest in pairs for each in (value, *rest)):
        return None  # local memory is filled meanwhile
    numbers = [{} if index is None else {index: (number_of(writer, turn), size(turn))} for turn in range(turns)]
    return Copying(count, levels, pairs, numbers)


def _copy(writer: KernelWriter, value: _Rest, rest: Sequence[_Rest], numbers: Sequence[_Exchanged]) -> _Copy:
    """A value that is stored in each turn of a loop, whose variable has those numbers."""
    place = next(each.stored for each in rest if isinstance(each, Statement))
    assert place is not None
    local, width, log = writer.local_arrays[place.name], place.width, writer.accesses
    type_ = value.type if isinstance(value, Declare) else f"{local.type}{width}" if width > 1 else local.type
    array = Declare(type_.removeprefix("const "), writer.name_for("ahead"), length=len(numbers))
    log.declare(array.name)
    storage = Storage(array.name, "private", log.memory[local.name].element)
    found = _Copy([], [], array)
    for turn, (kept, number) in enumerate(zip(_elements(array), numbers, strict=True)):
        log.note(storage, kept, size(turn))
        names = {variable.name: spelled for variable, (spelled, _) in number.items()}
        known = {variable: n for variable, (_, n) in number.items()}
        found.values.append(log.moved(_value(value), names, known))
        if isinstance(value, Declare):
            names[value.name] = kept
        own = list[_Rest]()
        for each in rest:
            made = kept if each is value else log.moved(_value(each), names, known)
            if isinstance(each, Declare):
                names[each.name] = writer.name_for("stored")
                own.append(replace(each, name=names[each.name], value=made, reads=log.reads(made)))
            elif each.stored is not None:
                index = each.stored.index
                at = each.stored if index is None else replace(each.stored, index=index.substitute(known))
                target = log.moved(each.text.partition(" = ")[0], names, known)
                own.append(Statement(f"{target} = {made}", log.reads(made), (at,), at))
        found.rest.append(own)
    return found


def _value(node: _Rest) -> str:
    """What is declared or stored."""
    return node.value or "" if isinstance(node, Declare) else node.text.partition(" = ")[2]


def _values_and_stores(writer: KernelWriter, nodes: Sequence[Node]) -> list[tuple[_Rest, list[_Rest]]]:
    """What is loaded, and what makes something of it and stores that; none if that is not all.

    Each number is stored as it is loaded; or one is declared first, and what follows loads nothing.
    """
    flat = [part for node in nodes for part in (node.body if isinstance(node, Block) and not node.turns else [node])]
    found: list[_Rest] = [each for each in flat if isinstance(each, Declare | Statement) and _value(each)]
    if len(found) < len(flat):
        return []
    used = {name for each in found for name in NAME.findall(_value(each) if isinstance(each, Declare) else each.text)}
    found = [each for each in found if isinstance(each, Statement) or each.name in used]
    if not found:
        return []
    first, *rest = found
    if isinstance(first, Declare):
        return [] if any(writer.accesses.taken_apart(_value(each))[0] for each in rest) else [(first, rest)]
    return [] if any(isinstance(each, Declare) for each in rest) else [(each, [each]) for each in found]
