"""Numbers that a generator draws ahead for small arrays: ten at a time in a loop are computed many at once.

    for _ in range(n): x = x + 0.1 * rng.normal(size=10)

Each number is a function of key, stream and position alone, so that it does not matter with which others it is made.
What is drawn for the first time is drawn alone, then ever more at once: generators that are made for a few numbers
compute no others.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from ir.cost.thresholds.drawing import DRAWN_AHEAD, DRAWN_AHEAD_GROWTH, DRAWN_AHEAD_KINDS

__all__ = ["Ahead"]

_Numbers = np.ndarray[Any, Any]


class Ahead:
    """The numbers of one generator, by distributions."""

    __slots__ = ("_numbers",)

    def __init__(self) -> None:
        # of each, the one used last at the end, what key and stream were, the first position and the numbers
        self._numbers: dict[Hashable, tuple[object, int, _Numbers]] = {}

    def numbers(
        self, kind: Hashable, key: object, start: int, count: int, drawn: Callable[[int], _Numbers]
    ) -> tuple[_Numbers, int]:
        """Numbers, not to be written to, and where among them so many from a position on begin.

        Args:
            kind: what tells distributions apart
            key: the key and the stream, which are others where it is another object
            drawn: draws that many from that position on
        """
        found = self._numbers.pop(kind, None)
        if found is None:
            if len(self._numbers) >= DRAWN_AHEAD_KINDS:
                self._numbers.pop(list(self._numbers)[0], None)  # noqa: RUF015  # another thread may put some in
            many = count
        else:
            made_of, begin, numbers = found
            at = start - begin
            if made_of is not key:
                many = count
            elif 0 <= at <= len(numbers) - count:
                self._numbers[kind] = found
                return numbers, at
            else:
                many = max(count, min(DRAWN_AHEAD, DRAWN_AHEAD_GROWTH * len(numbers)))
        numbers = drawn(many)
        self._numbers[kind] = key, start, numbers
        return numbers, 0
