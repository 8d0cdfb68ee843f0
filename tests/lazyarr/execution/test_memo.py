"""The table of bounded size behind programs and recordings."""

from __future__ import annotations

import threading

from lazyarr.execution.memo import Memo


def test_what_was_put_first_counts_and_the_oldest_goes():
    memo: Memo[int, str] = Memo(3)
    assert memo.get(1) is None
    assert [memo.put(n, f"first {n}") for n in (1, 2, 3)] == ["first 1", "first 2", "first 3"]
    assert memo.put(2, "second") == "first 2"
    assert memo.get(1) == "first 1"
    memo.put(4, "first 4")
    assert (memo.get(1), memo.get(2), memo.get(4), len(memo)) == (None, "first 2", "first 4", 3)
    memo.clear()
    assert len(memo) == 0


def test_heavy_values_leave_room_for_few():
    memo: Memo[str, int] = Memo(10)
    for name in "abcde":
        memo.put(name, 1, 2)
    assert len(memo) == 5
    memo.put("f", 1, 5)
    assert memo.values() == [1, 1, 1]
    assert (memo.get("c"), memo.get("d"), memo.get("e"), memo.get("f")) == (None, 1, 1, 1)
    memo.put("g", 1, 100)  # more than there is room for: alone
    assert (len(memo), memo.get("g")) == (1, 1)
    memo.put("h", 1, 1)
    assert (len(memo), memo.get("h")) == (1, 1)


def test_threads_agree():
    memo: Memo[int, object] = Memo(1000)
    found: list[list[object]] = [[] for _ in range(4)]

    def work(mine: list[object]) -> None:
        for n in range(500):
            made = object()
            mine.append(memo.get(n) or memo.put(n, made))

    threads = [threading.Thread(target=work, args=(mine,)) for mine in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] == found[1] == found[2] == found[3]
