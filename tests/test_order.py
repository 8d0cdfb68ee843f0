"""Tests of a group are put beside each other, and none is lost."""

from __future__ import annotations

import pytest

from tests.order import group_of, put_together


class Item:
    """What is asked of a test."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.path = f"test_{name[0]}.py"
        self.stash = pytest.Stash()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("p q", "p q"),
        ("p ax bx q ay r by s", "p ax ay bx by q r s"),
        ("ax p bx ay", "ax ay bx p"),
    ],
)
def test_tests_of_a_group_go_where_the_first_of_all_is(before, after):
    items = [Item(name) for name in before.split()]
    put_together(items, lambda item: item.name[0] if len(item.name) > 1 else None)  # type: ignore[arg-type, attr-defined]
    assert [item.name for item in items] == after.split()
    assert [group_of(item) for item in items] == [  # type: ignore[arg-type]
        item.name[0] if len(item.name) > 1 else item.path for item in items
    ]
