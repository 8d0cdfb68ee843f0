"""Numbers that a generator draws ahead for small arrays: ten at a time in a loop are computed a thousand at once.

    for _ in range(n): x = x + 0.1 * rng.normal(size=10)

Each number is a function of key, stream and position alone, so that it does not matter with which others it is made.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from ir.cost.thresholds.tiers import DRAWN_AHEAD, DRAWN_AHEAD_FOR_AT_MOST, DRAWN_AHEAD_KINDS
from lazyarr.array import Array
from lazyarr.array.eager import existing
from lazyarr.dtypes import DType

__all__ = ["Ahead", "kind_of"]

_Numbers = np.ndarray[Any, Any]


def kind_of(function: str, dtype: DType, parameters: tuple[Array, ...]) -> Hashable | None:
    """What tells distributions of numbers apart; None where a parameter is no single number that exists."""
    found: list[Hashable] = [function, dtype]
    for x in parameters:
        value = existing(x) if x.placed is None and x.traced_in is None else None
        if value is None or value.size != 1:
            return None
        found += (x.dtype, value.tobytes())
    return tuple(found)


class Ahead:
    """The numbers of one generator, by distributions."""

    __slots__ = ("_numbers",)

    def __init__(self) -> None:
        # of each, the one used last at the end, what the words were, the first position and the numbers; None where it
        # was asked for once
        self._numbers: dict[Hashable, tuple[object, int, _Numbers] | None] = {}

    def numbers(
        self, kind: Hashable, words: object, start: int, count: int, drawn: Callable[[int], _Numbers]
    ) -> _Numbers | None:
        """So many from a position on; None the first time, and of many.

        Args:
            words: the key and the stream, which are others where it is another object
            drawn: draws that many from that position on
        """
        if count > DRAWN_AHEAD_FOR_AT_MOST:
            return None
        found = self._numbers.pop(kind, self)
        if found is self:
            if len(self._numbers) >= DRAWN_AHEAD_KINDS:
                self._numbers.pop(list(self._numbers)[0], None)  # noqa: RUF015  # another thread may put some in
            self._numbers[kind] = None
            return None
        if type(found) is tuple:
            made_of, begin, numbers = found
            at = start - begin
            if made_of is words and 0 <= at <= len(numbers) - count:
                self._numbers[kind] = found
                return numbers[at : at + count].copy()
        numbers = drawn(DRAWN_AHEAD)
        self._numbers[kind] = words, start, numbers
        return numbers[:count].copy()
