"""Which memory a piece of C reads: kept while text is made, for the passes over the tree and the cost model.

Every element that the kernel writer spells is noted here, with the index it was spelled from; a statement that is
emitted later looks up what stands in its text. The names of arrays are the kernel's own, so a name found in a text is
an access.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ir.core.sizes import Size
from ir.opencl.read.views import Storage
from ir.opencl.tree import Access

__all__ = ["NAME", "AccessLog", "renamed"]

NAME = re.compile(r"\b[A-Za-z_]\w*")
"""An identifier of C."""


def renamed(text: str, names: Mapping[str, str]) -> str:
    """A text with names exchanged."""
    return NAME.sub(lambda match: names.get(match.group(), match.group()), text)


class AccessLog:
    """The arrays of one kernel, the pointers to them, and the places in them that have been spelled.

    Attributes:
        arrays: the local and private arrays that a name may stand for: an array for itself, a pointer for those it
            points to in turn
        memory: all memory of which an element was spelled, by name
    """

    def __init__(self) -> None:
        self.arrays: dict[str, frozenset[str]] = {}
        self.memory: dict[str, Storage] = {}
        self._places: dict[str, Access] = {}

    def declare(self, name: str, *arrays: str) -> None:
        """A new array, or a pointer to some."""
        self.arrays[name] = frozenset(arrays or (name,))

    def note(self, storage: Storage, text: str, index: Size, width: int = 1) -> Access:
        """`text` is the C of `width` neighbouring elements from `index` on."""
        self.memory[storage.name] = storage
        known = self._places.get(text)
        widest = width if known is None else max(width, known.width)
        self._places[text] = found = Access(storage.name, index, widest)
        return found

    def reads(self, text: str) -> tuple[Access, ...]:
        """The accesses in a text; one whose place was not noted may be anywhere in its array."""
        if not self.arrays:
            return ()
        found: dict[Access, None] = {}
        for match in NAME.finditer(text):
            if match.group() in self.arrays:
                place = text[match.start() : _end_of_place(text, match.end())]
                found[self._places.get(place, Access(match.group()))] = None
        return tuple(found)

    def moved(self, text: str, names: Mapping[str, str], indices: Mapping[Size, Size]) -> str:
        """A text with variables exchanged; the places in it are noted where they are then."""
        for match in NAME.finditer(text):
            place = text[match.start() : _end_of_place(text, match.end())]
            access = self._places.get(place) if match.group() in self.memory else None
            if access is not None and access.index is not None:
                self._places[renamed(place, names)] = replace(access, index=access.index.substitute(indices))
        return renamed(text, names)

    def taken_apart(self, text: str) -> tuple[tuple[Access, ...], str]:
        """All accesses in a text whose place was noted, and what is left of the text without them."""
        found: dict[Access, None] = {}
        kept, at = [], 0
        for match in NAME.finditer(text):
            if match.start() >= at and match.group() in self.memory:
                end = _end_of_place(text, match.end())
                access = self._places.get(text[match.start() : end])
                if access is not None:
                    found[access] = None
                    kept.append(text[at : match.start()])
                    at = end
        return tuple(found), "".join((*kept, text[at:]))


def _end_of_place(text: str, at: int) -> int:
    """Where `name[index]`, or the sum `name + index` in brackets, ends."""
    element, depth = text[at : at + 1] == "[", 0
    while at < len(text):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(text[at], 0)
        if depth < 0:
            return at
        at += 1
        if element and depth == 0:
            return at
    return at
