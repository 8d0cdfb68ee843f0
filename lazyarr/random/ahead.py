"""Numbers that a generator draws ahead for small arrays: ten at a time in a loop are computed many at once.

    for _ in range(n): x = x + 0.1 * rng.normal(size=10)

Each number is a function of key, stream and position alone, so that it does not matter with which others it is made.
What is drawn for the first time is drawn alone, then ever more at once: generators that are made for a few numbers
compute no others. Larger arrays, which are recorded, are drawn ahead once as many numbers were asked for: what nobody
asks for costs no more than what was.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Final, NamedTuple

import numpy as np

from ir.cost.thresholds.drawing import DRAWN_AHEAD, DRAWN_AHEAD_GROWTH, DRAWN_AHEAD_KINDS, DRAWN_AHEAD_OF_LARGER

__all__ = ["Ahead"]

_Numbers = np.ndarray[Any, Any]


class _Drawn(NamedTuple):
    """What was drawn of a distribution. Threads replace it, and never change it.

    Attributes:
        key: the key and the stream, which are others where it is another object
        begin: the position of the first number
        used: how many of the numbers were asked for
        asked: how many were in a row, these among them
    """

    key: object
    begin: int
    numbers: _Numbers
    used: int
    asked: int


_NONE: Final = np.empty(0)


class Ahead:
    """The numbers of one generator, by distributions."""

    __slots__ = ("_drawn",)

    def __init__(self) -> None:
        self._drawn: dict[Hashable, _Drawn] = {}  # the one used last at the end

    def numbers(
        self, kind: Hashable, key: object, start: int, count: int, drawn: Callable[[int], _Numbers]
    ) -> tuple[_Numbers, int]:
        """Numbers, not to be written to, and where among them so many from a position on begin.

        Args:
            kind: what tells distributions apart
            key: the key and the stream, which are others where it is another object
            drawn: draws that many from that position on
        """
        found = self._taken(kind, key)
        at = start - found.begin
        if 0 <= at <= len(found.numbers) - count:
            self._drawn[kind] = found._replace(used=found.used + count, asked=found.asked + count)
            return found.numbers, at
        many = max(count, min(DRAWN_AHEAD, DRAWN_AHEAD_GROWTH * len(found.numbers)))
        numbers = drawn(many)
        self._drawn[kind] = _Drawn(key, start, numbers, count, found.asked + count)
        return numbers, 0

    def of_larger(
        self, kind: Hashable, key: object, start: int, count: int, drawn: Callable[[int], _Numbers]
    ) -> tuple[_Numbers, int] | None:
        """The same for larger arrays; None where these are to be drawn alone: it is among the first, or others draw
        between and take the positions of most that was drawn ahead.
        """
        found = self._taken(kind, key)
        at, asked = start - found.begin, found.asked + count
        if 0 <= at <= len(found.numbers) - count:
            self._drawn[kind] = found._replace(used=found.used + count, asked=asked)
            return found.numbers, at
        if 2 * found.used < len(found.numbers):
            asked = count
        many = max([x for x in DRAWN_AHEAD_OF_LARGER if 2 * count <= x <= asked], default=0)
        numbers = drawn(many) if many else _NONE
        self._drawn[kind] = _Drawn(key, start, numbers, count if many else 0, asked)
        return (numbers, 0) if many else None

    def _taken(self, kind: Hashable, key: object) -> _Drawn:
        """What was drawn, taken out until it is put back; there is room for it."""
        found = self._drawn.pop(kind, None)
        if found is None and len(self._drawn) >= DRAWN_AHEAD_KINDS:
            self._drawn.pop(list(self._drawn)[0], None)  # noqa: RUF015  # another thread may put some in
        return found if found is not None and found.key is key else _Drawn(key, 0, _NONE, 0, 0)
