"""Writes copies ahead of their use: while a work-group computes with what lies in local memory, what later turns of the
loop need is copied beside it, past the registers of the work-items.

Source: PTX ISA, `cp.async`; NVIDIA, "Controlling data movement to boost performance on the NVIDIA Ampere architecture".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from ir.core.sizes import Size, size
from ir.cost.thresholds.products import COPIED_AHEAD_ALIGNED
from ir.opencl.passes.accesses import NAME, renamed
from ir.opencl.tree import Barrier, Block, Declare, If, Loop, Node, Statement, texts
from ir.opencl.write.ahead import Copying, by_items, copying, number_of
from ir.opencl.write.helpers import COPIES_AHEAD

if TYPE_CHECKING:
    from ir.opencl.write.kernel import KernelWriter

__all__ = ["NOT_COPIED", "copy_ahead"]

NOT_COPIED = "copies ahead of what a loop does not copy as it is to local memory, in aligned pieces of 4, 8 or 16 bytes"

_LOADED = re.compile(r"|\*\(__global const \w+\*\)\(\)")
"""What is left of the text of something loaded, without the place."""

_Turn: TypeAlias = tuple[str, Size]
"""The number of a turn, as C spells it, and as a size."""


def copy_ahead(writer: KernelWriter, turns: int) -> bool:
    """Let the loop that was written last copy to local memory what so many turns further on need; is it such a loop?

    Before: `for (i) { copy x[i] to local memory; barrier; compute }`
    After: `barrier; begin to copy x[0], .., x[d - 1]; for (i) { wait for x[i]; barrier; begin to copy x[i + d], or
        x[i] again where there is none; compute }; wait`, in d + 1 pieces of local memory that take turns. So no test
        stands around the copies.
    """
    block = writer.scope.block.body
    loop = block[-1] if block else None
    if not isinstance(loop, Loop) or loop.body.turns is None or loop.body.turns.kind:
        return False
    copies, declared, rest = _beginning(writer, loop)
    pieces = [_piece(writer, store) for each in copies for _, (store, *_) in each.pairs]
    if (loop.start, loop.step) != ("0", "1") or not pieces or not all(pieces):
        return False
    writer.spelling.helpers["copies ahead"] = COPIES_AHEAD
    ahead = _Ahead(writer, loop, copies, turns)
    ahead.make_room()
    end = Statement("COPIES_AHEAD_END()")
    first = [(number_of(writer, turn), size(turn)) for turn in range(turns)]
    index = loop.body.turns.index
    following = f"({loop.var} + {turns})"
    later = Declare(loop.type, writer.name_for("next"), f"{following} < {loop.stop} ? {following} : {loop.var}")
    copied = ahead.begun((following, index + turns), (later.name, index + turns))
    wait = [Statement(f"COPIES_AHEAD_WAIT({turns - 1})"), Barrier()]
    read = ahead.pointers({name: name for name in ahead.arrays}, (loop.var, index))
    loop.body.body = [*wait, *read, later, copied, end, *declared, *rest]
    begun = [If(f"{turn[0]} < {loop.stop}", ahead.begun(turn, turn)) for turn in first]
    in_use = Barrier(before=tuple(ahead.arrays.values()))  # by those that are still in a loop before
    block[-1:] = [in_use, *(node for each in begun for node in (each, end)), loop, Statement("COPIES_AHEAD_WAIT(0)")]
    return True


def _beginning(writer: KernelWriter, loop: Loop) -> tuple[list[Copying], list[Node], list[Node]]:
    """What each turn of a loop copies first, the variables that it declares meanwhile, and what it does then."""
    copies, declared, nodes = list[Copying](), list[Node](), list(loop.body.body)
    while nodes:
        found = copying(writer, nodes[:2]) or copying(writer, nodes[:1])
        if found is not None:
            names = {node.name for node in declared if isinstance(node, Declare)}
            said = (text for _, stores in found.pairs for store in stores for text in texts(store))
            if any(names.intersection(NAME.findall(text)) for text in said):
                break  # a variable of this turn is not that of a later one
            copies.append(found)
        elif isinstance(nodes[0], Declare) and not nodes[0].reads:
            declared.append(nodes[0])
        elif not isinstance(nodes[0], Barrier):
            break
        del nodes[: 1 if found is None else found.nodes]
    return copies, declared, nodes


def _piece(writer: KernelWriter, store: Node) -> int:
    """How many bytes a statement copies as they are, at a place of as many bytes; 0 if it does something else."""
    if not isinstance(store, Statement) or store.stored is None or "unaligned_" in store.text:
        return 0
    places, left = writer.accesses.taken_apart(store.text.partition(" = ")[2])
    bytes_ = writer.local_arrays[store.stored.name].element_bytes * store.stored.width
    return bytes_ if len(places) == 1 and _LOADED.fullmatch(left) and bytes_ in (4, 8, 16) else 0


def _room(array: Declare) -> int:
    """How many elements pieces lie apart that are all aligned as the array is."""
    together = max(array.aligned // array.element_bytes, 1)
    return -(-(array.length or 0) // together) * together


class _Ahead:
    """The copies of a loop that are begun some turns before they are used.

    Attributes:
        arrays: the names of the arrays in local memory, and those of the ones with more room that hold them
        lengths: how many elements each has there
    """

    def __init__(self, writer: KernelWriter, loop: Loop, copies: list[Copying], turns: int) -> None:
        assert loop.body.turns is not None
        self.writer, self.loop, self.copies = writer, loop, copies
        self.index, self.rooms = loop.body.turns.index, turns + 1
        stores = [store for each in copies for _, stores in each.pairs for store in stores]
        names = dict.fromkeys(each.stored.name for each in stores if isinstance(each, Statement) and each.stored)
        self.arrays = {name: writer.name_for("rooms") for name in names}
        self.lengths = {name: _room(writer.local_arrays[name]) for name in names}
        self.types = {name: writer.local_arrays[name].type for name in names}

    def make_room(self) -> None:
        """Each array becomes a piece of one that is as many times as long."""
        for name, whole in self.arrays.items():
            array = self.writer.local_arrays[name]
            array.name, array.length = whole, self.rooms * self.lengths[name]
            array.aligned = max(array.aligned, COPIED_AHEAD_ALIGNED)
            self.writer.accesses.declare(whole)

    def pointers(self, names: Mapping[str, str], turn: _Turn) -> list[Node]:
        """Pointers to what belongs to a turn, by the names of the arrays."""
        spelled, number = turn
        found = list[Node]()
        for name, pointer in names.items():
            whole, length = self.arrays[name], self.lengths[name]
            self.writer.accesses.declare(pointer, whole)
            self.writer.parts[pointer] = {whole: number % self.rooms * length}
            value = f"{whole} + {spelled} % {self.rooms} * {length}"
            found.append(Declare(f"__local {self.types[name]}*", pointer, value))
        return found

    def begun(self, place: _Turn, turn: _Turn) -> Block:
        """What a turn needs is copied from here on, to the place of a turn."""
        names = {name: self.writer.name_for("later") for name in self.arrays}
        copies = [by_items(each.levels, self._statements(each, names, turn)) for each in self.copies]
        return Block([*self.pointers(names, place), *copies])

    def _statements(self, copies: Copying, names: Mapping[str, str], turn: _Turn) -> list[Node]:
        found, log = list[Node](), self.writer.accesses
        for own in copies.turns:
            exchanged = {**own, self.index: turn}
            spelled = {variable.name: text for variable, (text, _) in exchanged.items()}
            known = {variable: number for variable, (_, number) in exchanged.items()}
            for _, stores in copies.pairs:
                for store in stores:
                    assert isinstance(store, Statement)  # `_piece` says so
                    place = store.stored
                    assert place is not None
                    index = None if place.index is None else place.index.substitute(known)
                    to, _, value = log.moved(store.text, spelled, known).partition(" = ")
                    text = f"COPY_AHEAD_{_piece(self.writer, store)}(&{renamed(to, names)}, &{value})"
                    found.append(Statement(text, (), (replace(place, name=names[place.name], index=index),)))
        return found
