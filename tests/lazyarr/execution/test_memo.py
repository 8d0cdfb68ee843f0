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
