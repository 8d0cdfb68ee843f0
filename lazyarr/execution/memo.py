"""A table of bounded size that is read without a lock."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from typing import Generic, TypeVar

__all__ = ["Memo"]

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Memo(Generic[K, V]):
    """What was made for a key. Above a total weight of `capacity`, what was made first is forgotten; it is made again
    when it is needed.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._entries: dict[K, V] = {}
        self._weights: dict[K, int] = {}
        self._weight = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: K) -> V | None:
        """What was made for the key; None if it is not known."""
        return self._entries.get(key)

    def put(self, key: K, value: V, weight: int = 1) -> V:
        """Remember a value; returns the one to use, which another thread may have put there before."""
        with self._lock:
            found = self._entries.get(key)
            if found is not None:
                return found
            while self._entries and self._weight + weight > self.capacity:
                oldest = next(iter(self._entries))
                del self._entries[oldest]
                self._weight -= self._weights.pop(oldest)
            self._entries[key] = value
            self._weights[key] = weight
            self._weight += weight
        return value

    def values(self) -> list[V]:
        """All that is remembered."""
        with self._lock:
            return list(self._entries.values())

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._entries.clear()
            self._weights.clear()
            self._weight = 0
