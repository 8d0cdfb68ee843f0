"""Keeping SQLite out of forked children.

SQLite keeps a table of the locks its process holds. A forked child inherits that table but not the locks, so even a
connection that the child opens itself would believe in locks which do not exist. Therefore every connection is closed
just before a fork, and parent and child open their own when they next need one.
"""

import os
import weakref
from typing import Protocol

from ir.locks import make_rlock


class ForkAware(Protocol):
    """An object that lets go of what cannot cross a fork."""

    def before_fork(self) -> None:
        """Take all locks and close all connections."""

    def after_fork_in_parent(self) -> None:
        """Release the locks."""

    def after_fork_in_child(self) -> None:
        """Release the locks, and forget what is the parent's."""


_watched: "weakref.WeakSet[ForkAware]" = weakref.WeakSet()
_guard = make_rlock()
_forking: list[ForkAware] = []


def watch(thing: ForkAware) -> None:
    """Tell `thing` about every fork made through Python, as long as it lives."""
    with _guard:
        _watched.add(thing)


def _before() -> None:
    _guard.acquire()
    for thing in list(_watched):
        thing.before_fork()
        _forking.append(thing)


def _in_parent() -> None:
    for thing in reversed(_forking):
        thing.after_fork_in_parent()
    _forking.clear()
    _guard.release()


def _in_child() -> None:
    for thing in reversed(_forking):
        thing.after_fork_in_child()
    _forking.clear()
    _guard.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
