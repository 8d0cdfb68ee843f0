"""Which lines of memory a nest touches, and how many of them must be fetched where a cache holds so many bytes.

A box is a set of places in one array: a run of neighbouring bytes, repeated at even strides. A loop stretches the boxes
of its body. What a turn touches is fetched again in the next turn only where all that a turn touches does not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from math import gcd

from ir.core.sizes import Size
from ir.cost.nests import Place

__all__ = ["Box", "Fetched", "Steps", "box_of", "bytes_touched", "merged", "stretched"]

_WAYS = 8
_PAGE = 4096
_PAGES = 64
"""Pages whose addresses are looked up at once."""

_FORESEEN = 4
"""Lines one after the other from which on the next one is asked for ahead of time."""

_ANYWHERE = 1 << 40
"""The stride of places that only the data say."""

Steps = Callable[[Size], tuple[tuple[int, int], ...]]

Fetched = list[dict[str, float]]
"""For each cache, the bytes of each array that are fetched into it."""


@dataclass(frozen=True)
class Box:
    """`run` bytes from `base` on, and the same at each combination of strides and counts in `repeats`.

    Attributes:
        index: of the first element, to see where it goes with a loop's variable; None where places are anywhere
        anywhere: so many places, each in a line of its own
    """

    name: str
    index: Size | None
    element: int
    base: int
    run: int
    repeats: tuple[tuple[int, int], ...] = ()
    anywhere: float = 0.0
    written: bool = False

    def fits(self, capacity: int, line: int) -> bool:
        """Does a cache of that many bytes hold it, whose ways are those of most processors?

        Lines at a stride that shares a large power of two with the length of a way fall on few sets.
        """
        way = capacity // _WAYS
        return all(times <= _WAYS * max(1, way // gcd(stride, way)) or stride < line for stride, times in self.repeats)

    def touched(self, line: int, far: float = 1.0) -> float:
        """The bytes of all lines that it touches; of short runs, which no processor foresees, so many times as many."""
        if self.anywhere:
            return self.anywhere * line * far
        run, count = self.run, 1
        for stride, times in sorted(self.repeats):
            if stride <= max(run, line):
                run += stride * (times - 1)
            else:
                count *= times
        lines = -(-run // line)
        if count > 1 and lines < _FORESEEN:
            paged = any(stride >= _PAGE and times > _PAGES for stride, times in self.repeats)
            return count * lines * line * far * (2 if paged else 1)
        return float(count * lines * line)


def box_of(place: Place, base: int | None, written: bool) -> Box:
    """What one access touches; base : the index of its first element, None where that is not known."""
    if base is None:
        return Box(place.name, None, place.bytes, 0, 0, anywhere=1.0, written=written)
    return Box(place.name, place.index, place.bytes, base * place.bytes, place.width * place.bytes, written=written)


def stretched(box: Box, turns: int, steps_of: Steps, looked_up: Collection[str] = ()) -> Box:
    """What a loop of so many turns touches.

    Args:
        steps_of: by how many elements a place moves from turn to turn, and how often
        looked_up: the variables that are others in each turn, nobody knows which
    """
    if turns <= 1:
        return box
    if box.index is None:
        return replace(box, anywhere=box.anywhere * turns)
    if looked_up and any(v.name in looked_up for v in box.index.variables):
        return replace(box, repeats=(*box.repeats, (_ANYWHERE, turns)))
    base, repeats = box.base, box.repeats
    for elements, times in steps_of(box.index):
        stride = elements * box.element
        if stride:
            base += min(0, stride * (times - 1))
            repeats = (*repeats, (abs(stride), times))
    return replace(box, base=base, repeats=repeats)


def merged(boxes: Iterable[Box], line: int) -> list[Box]:
    """The same boxes, those that lie in or beside each other made one."""
    groups: dict[tuple[object, ...], list[Box]] = {}
    for box in boxes:
        groups.setdefault((box.name, box.repeats, box.index is None, box.written), []).append(box)
    found: list[Box] = []
    for group in groups.values():
        group.sort(key=lambda box: box.base)
        last = group[0]
        for box in group[1:]:
            joined = _joined(last, box, line)
            if joined is None:
                found.append(last)
                last = box
            else:
                last = joined
        found.append(last)
    return found


def _joined(first: Box, second: Box, line: int) -> Box | None:
    if first.index is None:
        return replace(first, anywhere=first.anywhere + second.anywhere)
    gap = second.base - first.base
    if gap <= first.run + line:
        return replace(first, run=max(first.run, gap + second.run))
    for number, (stride, times) in enumerate(first.repeats):
        if gap < stride * times + stride and gap % stride <= max(first.run, line):
            repeats = list(first.repeats)
            repeats[number] = (stride, max(times, gap // stride + second.repeats[number][1]))
            return replace(first, repeats=tuple(repeats))
    return None


def bytes_touched(boxes: Sequence[Box], line: int, far: float = 1.0) -> dict[str, float]:
    """The bytes of all lines of each array that boxes touch; far : as for `Box.touched`."""
    found: dict[str, float] = {}
    for box in boxes:
        found[box.name] = found.get(box.name, 0.0) + box.touched(line, far)
    return found
