"""A table of bounded size that is read without a lock."""

from __future__ import annotations

import heapq
from collections.abc import Hashable
from itertools import count
from typing import Generic, TypeVar

from ir.locks import make_lock

__all__ = ["BoundedTable"]

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class _Cell(Generic[K, V]):
    """A value, and when it was used last."""

    __slots__ = ("key", "used", "value", "weight")

    def __init__(self, key: K, value: V, weight: int, used: int) -> None:
        self.key = key
        self.value = value
        self.weight = weight
        self.used = used


class BoundedTable(Generic[K, V]):
    """What was made for a key. Above a total weight of `capacity`, what was not used for longest is forgotten; it is
    made again when it is needed.

    A value that weighs more than half of that is kept beside the others, until the next one of that kind: it would
    leave no room for them.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._cells: dict[K, _Cell[K, V]] = {}
        # Each cell with a time at which it was used, perhaps not the last: a read leaves this alone.
        self._order: list[tuple[int, _Cell[K, V]]] = []
        self._heavy: _Cell[K, V] | None = None
        self._weight = 0  # of all but the heavy one
        self._clock = count()
        self._lock = make_lock(self._empty)

    def __len__(self) -> int:
        return len(self._cells)

    def get(self, key: K) -> V | None:
        """What was made for the key; None if it is not known."""
        cell = self._cells.get(key)
        if cell is None:
            return None
        cell.used = next(self._clock)
        return cell.value

    def put(self, key: K, value: V, weight: int = 1) -> V:
        """Remember a value; returns the one to use, which another thread may have put there before."""
        with self._lock:
            found = self._cells.get(key)
            if found is not None:
                return found.value
            cell = _Cell(key, value, weight, next(self._clock))
            if 2 * weight > self.capacity:
                if self._heavy is not None:
                    del self._cells[self._heavy.key]
                self._heavy = cell
            else:
                while self._weight + weight > self.capacity:
                    self._forget()
                heapq.heappush(self._order, (cell.used, cell))
                self._weight += weight
            self._cells[key] = cell
        return value

    def drop(self, key: K, value: V) -> None:
        """Forget a value that is of no use any more, unless another one took its place."""
        with self._lock:
            cell = self._cells.get(key)
            if cell is None or cell.value is not value:
                return
            del self._cells[key]
            if cell is self._heavy:
                self._heavy = None
            else:
                self._order = [each for each in self._order if each[1] is not cell]
                heapq.heapify(self._order)
                self._weight -= cell.weight

    def _forget(self) -> None:
        """Drop what was not used for longest. No time is in the order twice, so cells are never compared."""
        while True:
            time, cell = self._order[0]
            used = cell.used
            if used == time:  # all others were used later than the order says of them, or then
                heapq.heappop(self._order)
                del self._cells[cell.key]
                self._weight -= cell.weight
                return
            heapq.heapreplace(self._order, (used, cell))

    def values(self) -> list[V]:
        """All that is remembered."""
        with self._lock:
            return [cell.value for cell in self._cells.values()]

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._empty()

    def _empty(self) -> None:
        self._cells.clear()
        self._order.clear()
        self._heavy = None
        self._weight = 0
