"""Writes loads ahead of their use: while a work-group computes with what it has staged in local memory, its work-items
load what the next turn of the loop stages into their registers.

Source: V. Volkov and J. Demmel, "Benchmarking GPUs to tune dense linear algebra" (SC 2008), section 4.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from ir.core.sizes import Size, size
from ir.opencl.passes.accesses import NAME, AccessLog
from ir.opencl.read.views import Storage
from ir.opencl.tree import Access, Barrier, Block, Declare, If, Loop, Node, Statement, Turns

if TYPE_CHECKING:
    from ir.opencl.write.kernel import KernelWriter

__all__ = ["NOT_STAGED", "NOT_THE_NEXT", "Copying", "by_items", "copying", "load_ahead", "number_of", "untested"]

NOT_STAGED = "prefetch of what no work-items copy to local memory at the beginning of a turn"

NOT_THE_NEXT = "prefetch of what another turn than the next copies to local memory"

_LOADED_AT_MOST = 64
"""Elements of each array that a work-item loads ahead at most: each is a register, and a statement of its own."""

_ZERO = re.compile(r"0(?:\.0f?)?|\(\w+\)\(0(?:\.0f?)?(?:, 0(?:\.0f?)?)*\)")
"""A number or a vector of zeros."""

_DEPTH = {"(": 1, "[": 1, ")": -1, "]": -1}

_Exchanged: TypeAlias = Mapping[Size, tuple[str, Size]]
"""Variables, and the number that takes the place of each: as C spells it, and as a size."""


def load_ahead(writer: KernelWriter, again: bool = False, always: bool = False) -> bool:
    """Let the loop that was written last load what its next turn copies to local memory before it computes; is it such
    a loop?

    Before: `for (i) { copy x[i] to local memory; barrier; compute }`
    After: `load x[0]; for (i) { store to local memory; barrier; load x[i + 1] if there is one; compute }`

    Args:
        again: the last turn loads its own x again, so that no test stands around the loads
        always: nor does one for whether there is an element or else zero: there the first one is loaded, and zero is
            stored
    """
    block = writer.scope.block.body
    loop = block[-1] if block else None
    if not isinstance(loop, Loop) or loop.body.turns is None or loop.body.turns.kind:
        return False
    staged, copies, declared = list[Node](), list[_Copies](), set[str]()
    nodes = list(loop.body.body)
    while nodes:
        found = _copies(writer, nodes[:2], always) or _copies(writer, nodes[:1], always)
        if found is not None:
            if any(declared.intersection(NAME.findall(text)) for copy in found.arrays for text in copy.texts()):
                break  # a variable of this turn is not the next one's
            copies.append(found)
            staged.append(found.stored(writer))
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
        stores: where each of them goes: the places, and the statements
        array: where each work-item keeps the values
        tests: for each of them what has to hold, and what is stored if it does not; None where it is always there
    """

    values: list[str]
    stores: list[list[tuple[Access, str]]]
    array: Declare
    tests: list[tuple[str, str] | None]

    def texts(self) -> list[str]:
        """All that it says in C."""
        tested = [text for each in self.tests for text in each or ()]
        return [*self.values, *tested, *(text for stores in self.stores for _, text in stores)]

    def stored(self, writer: KernelWriter) -> list[Node]:
        """What was loaded goes to local memory."""
        found = list[Node]()
        for kept, stores, tested in zip(_elements(self.array), self.stores, self.tests, strict=True):
            reads = writer.accesses.reads(kept)
            if tested is not None:
                (own,) = reads
                found.append(Statement(f"{kept} = {tested[0]} ? {kept} : {tested[1]}", reads, (own,), own))
            found += [Statement(text, reads, (place,), place) for place, text in stores]
        return found

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

    def stored(self, writer: KernelWriter) -> Node:
        """What was loaded goes to local memory."""
        return self._by_items([node for each in self.arrays for node in each.stored(writer)])

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
        pairs: what is loaded, and what stores it
        turns: what takes the place of the variable of a loop around it, in each of its turns
    """

    nodes: int
    levels: list[tuple[Declare, Turns]]
    pairs: list[tuple[Declare | Statement, list[Statement]]]
    turns: Sequence[_Exchanged]


def _copies(writer: KernelWriter, nodes: Sequence[Node], always: bool) -> _Copies | None:
    """What nodes copy, as it is loaded ahead; always: without a test."""
    found = copying(writer, nodes)
    if found is None:
        return None
    arrays = [_copy(writer, value, stores, found.turns, always) for value, stores in found.pairs]
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
    pairs = _values_and_stores(nodes)
    places = [each.stored for _, stores in pairs for each in stores]
    if not pairs or any(place is None or place.name not in writer.local_arrays for place in places):
        return None
    if any(each.reads for value, stores in pairs for each in (value, *stores)):
        return None  # local memory is filled meanwhile
    numbers = [{} if index is None else {index: (number_of(writer, turn), size(turn))} for turn in range(turns)]
    return Copying(count, levels, pairs, numbers)


def _copy(
    writer: KernelWriter,
    value: Declare | Statement,
    stores: Sequence[Statement],
    numbers: Sequence[_Exchanged],
    always: bool,
) -> _Copy:
    """A value that is stored in each turn of a loop, whose variable has those numbers."""
    places = [each.stored for each in stores if each.stored is not None]
    local, width = writer.local_arrays[places[0].name], places[0].width
    type_ = value.type if isinstance(value, Declare) else f"{local.type}{width}" if width > 1 else local.type
    array = Declare(type_.removeprefix("const "), writer.name_for("ahead"), length=len(numbers))
    log = writer.accesses
    log.declare(array.name)
    storage = Storage(array.name, "private", log.memory[local.name].element)
    found = _Copy([], [], array, [])
    loaded = value.value or "" if isinstance(value, Declare) else value.text.partition(" = ")[2]
    moved = untested(log, writer.filled, loaded) if always else None
    for turn, (kept, number) in enumerate(zip(_elements(array), numbers, strict=True)):
        log.note(storage, kept, size(turn))
        known = {variable: n for variable, (_, n) in number.items()}
        own = list[tuple[Access, str]]()
        for each, place in zip(stores, places, strict=True):
            target, _, stored = each.text.partition(" = ")
            read = log.moved(stored, {value.name: kept}, {}) if isinstance(value, Declare) else kept
            at = place if place.index is None else replace(place, index=place.index.substitute(known))
            own.append((at, f"{_moved(writer, target, number)} = {read}"))
        anyway, *tested = [loaded] if moved is None else moved
        found.values.append(_moved(writer, anyway, number))
        test, zero = (_moved(writer, text, number) for text in tested) if tested else ("", "")
        found.tests.append((test, zero) if test else None)
        found.stores.append(own)
    return found


def untested(log: AccessLog, filled: Collection[str], value: str) -> tuple[str, str, str] | None:
    """Of a value of which an element is a part, or zero where a test does not hold: the value of an element that is
    there in any case, the test, and the value of zero. None of other values.

    Args:
        filled: the arrays that are known to have elements
    """
    before, loaded, after = "", value, ""
    tests = list[str]()
    zero = ""
    while (found := _choice(loaded)) is not None:
        left, test, loaded, zero, right = found
        if not _ZERO.fullmatch(zero) or (tests and (left or right)):
            return None
        before, after = (before, after) if tests else (left, right)
        tests.append(test)
    around = " ".join((before, after, *tests))
    (places, _), (others, _) = log.taken_apart(loaded), log.taken_apart(around)
    if not tests or "?" in around + loaded or others or len(places) != 1 or places[0].name not in filled:
        return None
    test = " && ".join(f"({each})" for each in tests) if len(tests) > 1 else tests[0]
    return f"{before}{log.there_if(loaded, test)}{after}", test, f"{before}{zero}{after}"


def _choice(text: str) -> tuple[str, str, str, str, str] | None:
    """The first choice in a text, `(test ? one : other)`: what stands before it, its three parts, and what follows."""
    at = start = text.find(" ? ")
    depth = 0
    while start > 0 and depth >= 0:
        start -= 1
        depth -= _DEPTH.get(text[start], 0)
    colon, end, depth = 0, at + 2, 0
    while at > 0 and depth >= 0 and end + 1 < len(text):
        end += 1
        depth += _DEPTH.get(text[end], 0)
        if depth == 0 and not colon and text.startswith(" : ", end):
            colon = end
    if at < 0 or depth >= 0 or not colon or text[start] != "(":
        return None
    return text[:start], text[start + 1 : at], text[at + 3 : colon], text[colon + 3 : end], text[end + 1 :]


def _values_and_stores(nodes: Sequence[Node]) -> list[tuple[Declare | Statement, list[Statement]]]:
    """What is loaded, where it is declared or stored at once, and what stores it; none if that is not all."""
    match nodes:
        case [Declare(value=str()) as declared, Block(body=others, turns=None)] | [
            Declare(value=str()) as declared,
            *others,
        ]:
            stores = [each for each in others if isinstance(each, Statement)]
            read = (NAME.findall(each.text.partition(" = ")[2])[:1] for each in stores)
            if stores and len(stores) == len(others) and all(names == [declared.name] for names in read):
                return [(declared, stores)]
            return []
    stores = [each for each in nodes if isinstance(each, Statement) and " = " in each.text]
    return [(each, [each]) for each in stores] if len(stores) == len(nodes) else []
