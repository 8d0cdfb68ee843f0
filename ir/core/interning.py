"""Tables of what exists once: equal values are one object, which its table does not keep alive.

Expressions and types are made so often that looking one up has to cost little: a table is a dictionary of weak
references that know their key, without the layers of `weakref.WeakValueDictionary`. Safe for threads.
"""

from __future__ import annotations

from _weakref import _remove_dead_weakref  # type: ignore[attr-defined]  # as WeakValueDictionary does: checks and removes in one step
from collections.abc import Hashable
from typing import Any, Generic, TypeVar
from weakref import ref

__all__ = ["Entry", "Table"]

T = TypeVar("T")


class Entry(ref[Any]):
    """A weak reference that knows its key."""

    __slots__ = ("key",)
    key: Hashable


class Table(Generic[T]):
    """Objects by their key, for as long as someone else refers to them.

    Attributes:
        entries: weak references by key, to look up without a call: `entry = table.entries.get(key)`, and then `entry()`
            unless that is None. Keys must compare by identity or by values that cannot change.
        forget: what an entry calls when its object dies.
    """

    __slots__ = ("entries", "forget")

    def __init__(self) -> None:
        entries: dict[Hashable, Entry] = {}

        remove = _remove_dead_weakref  # objects may outlive this module's names, where Python ends

        def forget(entry: Entry) -> None:
            remove(entries, entry.key)

        self.entries = entries
        self.forget = forget

    def __len__(self) -> int:
        return len(self.entries)

    def get(self, key: Hashable) -> T | None:
        """The object of that key, if there is one."""
        entry = self.entries.get(key)
        return None if entry is None else entry()

    def enter(self, key: Hashable, made: T) -> T:
        """Enter an object; the one to use instead where another thread was faster."""
        entry = Entry(made, self.forget)
        entry.key = key
        known = self.entries.setdefault(key, entry)
        while known is not entry:
            found: T | None = known()
            if found is not None:
                return found
            _remove_dead_weakref(self.entries, key)
            known = self.entries.setdefault(key, entry)
        return made
