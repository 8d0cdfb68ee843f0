"""The table of bounded size behind programs and recordings."""

from __future__ import annotations

import timeit
from collections import OrderedDict

from hypothesis import given, settings
from hypothesis import strategies as st

from lazyarr.graph.bounded_table import BoundedTable
from tests.threads import in_threads


def test_what_was_put_first_counts_and_what_was_not_used_for_longest_goes():
    memo: BoundedTable[int, str] = BoundedTable(3)
    assert memo.get(1) is None
    assert [memo.put(n, f"first {n}") for n in (1, 2, 3)] == ["first 1", "first 2", "first 3"]
    assert memo.put(2, "second") == "first 2"
    assert memo.get(1) == "first 1"
    memo.put(4, "first 4")  # 2 goes: 1 was asked for after it
    assert (memo.get(2), memo.get(1), memo.get(4), len(memo)) == (None, "first 1", "first 4", 3)
    memo.clear()
    assert len(memo) == 0
    assert memo.put(1, "again") == "again"


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 3)), max_size=60))
def test_it_forgets_in_the_order_of_the_last_uses(uses):
    memo: BoundedTable[int, int] = BoundedTable(8)
    expected: OrderedDict[int, int] = OrderedDict()  # weights, what was used last at the end
    for key, weight in uses:
        assert (memo.get(key) is None) == (key not in expected)
        if key in expected:
            expected.move_to_end(key)
            continue
        memo.put(key, key, weight)
        while sum(expected.values()) + weight > 8:
            expected.popitem(last=False)
        expected[key] = weight
    assert sorted(memo.values()) == sorted(expected)


def test_heavy_values_leave_room_for_few():
    memo: BoundedTable[str, int] = BoundedTable(10)
    for name in "abcde":
        memo.put(name, 1, 2)
    assert len(memo) == 5
    memo.put("f", 1, 5)
    assert memo.values() == [1, 1, 1]
    assert (memo.get("c"), memo.get("d"), memo.get("e"), memo.get("f")) == (None, 1, 1, 1)


def test_what_is_too_heavy_stays_beside_the_others():
    memo: BoundedTable[str, int] = BoundedTable(10)
    for number, name in enumerate("abcde"):
        memo.put(name, number, 2)
    memo.put("heavy", 5, 100)
    assert sorted(memo.values()) == [0, 1, 2, 3, 4, 5]
    memo.put("other", 6, 6)  # one at a time
    assert (memo.get("heavy"), memo.get("other"), len(memo)) == (None, 6, 6)
    memo.put("f", 7, 2)
    assert (memo.get("a"), memo.get("b"), memo.get("other")) == (None, 1, 6)


def test_a_hit_costs_little_more_than_a_lookup():
    memo: BoundedTable[int, int] = BoundedTable(100)
    table = {n: n for n in range(100)}
    for n in table:
        memo.put(n, n)
    number = 20_000
    ratios = []
    for _ in range(7):
        ours = timeit.timeit(lambda: memo.get(50), number=number)
        ratios.append(ours / timeit.timeit(lambda: table.get(50), number=number))
    assert min(ratios) < 20


def test_threads_agree():
    memo: BoundedTable[int, object] = BoundedTable(1000)
    found: list[list[object]] = [[] for _ in range(4)]

    def work(mine: list[object]) -> None:
        for n in range(500):
            made = object()
            mine.append(memo.get(n) or memo.put(n, made))

    in_threads(work, found)
    assert found[0] == found[1] == found[2] == found[3]
