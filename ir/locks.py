"""Locks that do not stay locked in a forked process.

Of the threads of a process only the one that forks goes on in the child. A lock that another one holds at that moment
would never be released there. So all locks of lazyarr are made here, and a child begins with each of them free, but
for those that the thread that forks holds itself. What such a lock protects may have been left half changed: a lock
knows what mends that, where it matters.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Callable
from types import MethodType
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakMethod

__all__ = ["cached_property", "make_lock", "make_rlock"]

if TYPE_CHECKING:
    from threading import Lock, RLock

_locks: WeakKeyDictionary[Any, Callable[[], Callable[[], object] | None] | None] = WeakKeyDictionary()
"""All locks, with what gives the function that mends what is protected."""


def make_lock(mend: Callable[[], object] | None = None) -> Lock:
    """A lock that is free in a forked process.

    Args:
        mend: called in a child that was forked while the lock was held; a method does not keep its object alive
    """
    made = threading.Lock()
    _locks[made] = WeakMethod(mend) if isinstance(mend, MethodType) else None if mend is None else lambda: mend
    return made


def make_rlock() -> RLock:
    """The same for a lock that its owner may take again; the thread that forks still has it in the child."""
    made = threading.RLock()
    _locks[made] = None
    return made


def _in_child() -> None:
    broken = []
    for lock, mend in list(_locks.items()):
        if hasattr(lock, "_is_owned") and lock._is_owned():
            continue
        if mend is not None and lock.locked():
            broken.append(mend())
        lock._at_fork_reinit()  # in place, as threading and logging do it: others have the lock by its name
    for function in broken:  # these may take other locks
        if function is not None:
            function()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)  # the first to be registered: others rely on their locks


if TYPE_CHECKING or sys.version_info >= (3, 12):
    cached_property = functools.cached_property
else:

    class cached_property(functools.cached_property):  # noqa: N801  # it stands for that one
        """`functools.cached_property`, which before Python 3.12 has a lock for all objects of a class."""

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            """The value, kept in the object; two threads that ask first may both compute it."""
            if instance is None:
                return self
            kept = instance.__dict__
            try:
                return kept[self.attrname]
            except KeyError:
                return kept.setdefault(self.attrname, self.func(instance))
