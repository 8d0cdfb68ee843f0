"""The order of tests: those that need the same derivations run one after the other, so that they meet in one process of
a parallel run, and it need not remember them for long.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

import pytest

__all__ = ["group_of", "put_together"]

_GROUP = pytest.StashKey[Hashable]()


def put_together(items: list[pytest.Item], group: Callable[[pytest.Item], Hashable | None]) -> None:
    """Put the tests that have a group where the first of them is, each group's beside each other; None: it has none."""
    groups: dict[Hashable, list[pytest.Item]] = {}
    others: list[pytest.Item] = []
    before = 0
    for item in items:
        own = group(item)
        if own is None:
            others.append(item)
            continue
        item.stash[_GROUP] = own
        before = before if groups else len(others)
        groups.setdefault(own, []).append(item)
    items[:] = [*others[:before], *[item for each in groups.values() for item in each], *others[before:]]


def group_of(item: pytest.Item) -> Hashable:
    """What a test shares with those beside it: its group, or its file."""
    return item.stash.get(_GROUP, item.path)
