"""How vectors of elements are spelled whose places come from data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ir.core.types import VectorType
from ir.opencl.write.helpers import GATHERED, GATHERED_HALVES
from ir.opencl.write.spelling import Spelling, c_type, replace_word

__all__ = ["gathered", "is_gathered_at_once"]

_REGISTER_BYTES: Final = 32
"""Bytes of the vectors that one instruction gathers."""
_ELEMENT_BYTES: Final = (4, 8)
"""Bytes of the elements for which there is such an instruction."""


def is_gathered_at_once(t: VectorType) -> bool:
    """Does a vector of that type fill a register that is gathered by one instruction, or several?"""
    return t.element.bytes in _ELEMENT_BYTES and t.width * t.element.bytes >= _REGISTER_BYTES


def gathered(spelling: Spelling, name: str, places: Sequence[str], t: VectorType) -> str:
    """A vector of elements of one array in global memory, by the place of each."""
    _define(spelling, t)
    return f"gathered_{c_type(t)}({name}, {', '.join(places)})"


def _define(spelling: Spelling, t: VectorType) -> None:
    """Define what gathers a vector of that type: of halves, if it fills more than a register."""
    vector, index = c_type(t), spelling.index_type
    places = [f"a{k}" for k in range(t.width)]
    text = GATHERED
    if t.width * t.element.bytes > _REGISTER_BYTES:
        half = VectorType(t.element, t.width // 2)
        _define(spelling, half)
        text = GATHERED_HALVES.replace("HALF", c_type(half))
    text = text.replace("OFFSETS", ", ".join(f"({index})(&{place} - p)" for place in places))
    text = text.replace("PLACES", ", ".join(places)).replace("INDICES", f"{index}{t.width}").replace("INDEX", index)
    text = replace_word(text.replace("LANES", str(t.width)), "E", c_type(t.element))
    spelling.helpers[f"gathered_{vector}"] = replace_word(text.replace("_T(", f"_{vector}("), "T", vector)
