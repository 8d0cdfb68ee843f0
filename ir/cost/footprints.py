"""Which lines of memory a nest touches, and how many of them must be fetched where a cache holds so many bytes.

A box is a set of places in one array: a run of neighbouring bytes, repeated at even strides. A loop stretches the boxes
of its body. What a turn touches is fetched again in the next turn only where all that a turn touches does not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import gcd

from ir.core.sizes import Size
from ir.cost.nests import Place
from ir.cost.processors import FORESEEN, PAGE, PAGES, STREAMS, WAYS
from ir.cost.thresholds.prediction import BOXES_OF_A_ROW

__all__ = ["Box", "Fetched", "Steps", "box_of", "bytes_touched", "merged", "stretched"]

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
        apart: how far it is from line to line in the order in which they are touched: 0 where the next one is foreseen,
            1 where not, 2 and 3 where they lie on more pages than either number of `PAGES`
    """

    name: str
    index: Size | None
    element: int
    base: int
    run: int
    repeats: tuple[tuple[int, int], ...] = ()
    anywhere: float = 0.0
    written: bool = False
    apart: int = 0

    def fits(self, capacity: int, line: int) -> bool:
        """Does a cache of that many bytes hold it, whose ways are those of most processors?

        Lines at a stride that shares a large power of two with the length of a way fall on few sets.
        """
        way = capacity // WAYS
        return all(times <= WAYS * max(1, way // gcd(stride, way)) or stride < line for stride, times in self.repeats)

    def pieces(self, line: int) -> tuple[int, int]:
        """The bytes that follow each other, and how many such runs there are."""
        run, count = self.run, 1
        for stride, times in sorted(self.repeats):
            if stride <= max(run, line):
                run += stride * (times - 1)
            else:
                count *= times
        return run, count

    def touched(self, line: int) -> float:
        """The bytes of all lines that it touches."""
        if self.anywhere:
            return self.anywhere * line
        run, count = self.pieces(line)
        return float(count * -(-run // line) * line)

    def moved(self, stride: int, times: int) -> int:
        """`apart`, where it is repeated so often at a stride."""
        run, count = self.pieces(1)
        span = self.run + sum(each * (number - 1) for each, number in self.repeats)
        if stride <= FORESEEN and count <= STREAMS and stride * times >= PAGE:
            return 0
        if run >= FORESEEN or (stride - span <= FORESEEN and not self.apart):
            return self.apart
        on = count * max(1, times * min(stride, PAGE) // PAGE)
        return max(self.apart, 1 + sum(on > pages for pages in PAGES))


def box_of(place: Place, base: int | None, written: bool) -> Box:
    """What one access touches; base : the index of its first element, None where that is not known."""
    if base is None:
        return Box(place.name, None, place.bytes, 0, 0, anywhere=1.0, written=written)
    return Box(place.name, place.index, place.bytes, base * place.bytes, place.width * place.bytes, written=written)


def stretched(box: Box, turns: int, steps_of: Steps, looked_up: Collection[str] = ()) -> Box:
    """What a loop of so many turns touches.

    Args:
        steps_of: by how many elements a place moves from turn to turn, and how often
        looked_up: the variables that data say, others in each turn
    """
    if turns <= 1:
        return box
    if box.index is None:
        return replace(box, anywhere=box.anywhere * turns)
    if looked_up and any(v.name in looked_up for v in box.index.variables):
        return replace(box, repeats=(*box.repeats, (_ANYWHERE, turns)))
    for elements, times in steps_of(box.index):
        stride = abs(elements) * box.element
        if stride:
            base = box.base + min(0, elements * box.element * (times - 1))
            repeats = (*box.repeats, (stride, times))
            box = replace(box, base=base, repeats=repeats, apart=box.moved(stride, times))
    return box


def merged(boxes: Iterable[Box], line: int) -> list[Box]:
    """The same boxes, those that lie in or beside each other made one, and those that lie at even distances."""
    groups: dict[tuple[object, ...], list[Box]] = {}
    for box in boxes:
        groups.setdefault((box.name, box.repeats, box.index is None, box.written, box.apart), []).append(box)
    found: list[Box] = []
    for group in groups.values():
        group.sort(key=lambda box: box.base)
        joined: list[Box] = []
        for box in group:
            with_last = _joined(joined[-1], box, line) if joined else None
            if with_last is None:
                joined.append(box)
            else:
                joined[-1] = with_last
        found += _even(joined)
    return found


def _even(boxes: list[Box]) -> list[Box]:
    """Boxes at even distances, as loops that are written out leave them, as one that is repeated."""
    first, *others = boxes
    stride = others[0].base - first.base if others else 0
    apart = all(box.run == first.run and box.base - last.base == stride for last, box in pairwise(boxes))
    if len(boxes) < BOXES_OF_A_ROW or not apart:
        return boxes
    return [replace(first, repeats=(*first.repeats, (stride, len(boxes))), apart=first.moved(stride, len(boxes)))]


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


def bytes_touched(boxes: Sequence[Box], line: int) -> dict[str, float]:
    """The bytes of all lines of each array that boxes touch."""
    found: dict[str, float] = {}
    for box in boxes:
        found[box.name] = found.get(box.name, 0.0) + box.touched(line)
    return found
