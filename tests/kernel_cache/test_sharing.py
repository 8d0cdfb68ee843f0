"""Many processes and threads on one file."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from kernel_cache import KernelCache, database, forks
from tests.kernel_cache.helpers import ROOT, make_entry, make_key, sql

OpenCache = Callable[..., KernelCache]

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

WRITER = f"""
import sys; sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from kernel_cache import KernelCache
from tests.kernel_cache.helpers import make_entry, make_key
cache = KernelCache(Path(sys.argv[1]), busy_seconds=60)
print("ready", flush=True)
sys.stdin.readline()
for i in range(25):
    key = make_key(f"{{sys.argv[2]}}-{{i}}")
    assert cache.begin_trial(key, {{"local": i}})
    cache.put(key, make_entry(i, size=2000))
    cache.put(make_key("shared"), make_entry(i))
    cache.finish_trial(key, {{"local": i}}, "ok", 0.5, "")
    assert cache.get(make_key(f"{{int(sys.argv[2]) - 1}}-{{i}}")) in (None, make_entry(i, size=2000))
cache.close()
"""


def start_writers(path: Path, number: int) -> list[subprocess.Popen[str]]:
    """Start processes that all open the file, new or corrupt, at the same moment."""
    children = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(i)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for i in range(number)
    ]
    for child in children:
        assert child.stdout is not None and child.stdin is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    return children


@pytest.mark.slow
def test_processes_lose_nothing(path: Path, open_cache: OpenCache) -> None:
    for child in start_writers(path, 4):
        _, errors = child.communicate(timeout=120)
        assert (child.returncode, errors) == (0, "")
    cache = open_cache()
    assert cache.verify() == []
    assert cache.statistics().entries == 4 * 25 + 1
    for name in range(4):
        for i in range(25):
            assert cache.get(make_key(f"{name}-{i}")) == make_entry(i, size=2000)
            assert [trial.outcome for trial in cache.trials(make_key(f"{name}-{i}"))] == ["ok"]
    assert cache.get(make_key("shared")) == make_entry(24)


@pytest.mark.slow
def test_processes_that_meet_a_corrupt_file_agree_on_a_new_one(path: Path, open_cache: OpenCache) -> None:
    path.parent.mkdir()
    path.write_bytes(b"junk" * 3000)
    for child in start_writers(path, 4):
        _, errors = child.communicate(timeout=120)
        assert child.returncode == 0, errors
    cache = open_cache()
    assert cache.verify() == []
    assert cache.statistics().entries == 4 * 25 + 1


@pytest.mark.slow
def test_threads_share_one_cache(open_cache: OpenCache) -> None:
    cache = open_cache(capacity=10, busy_seconds=30)

    def work(name: int) -> None:
        for i in range(40):
            key = make_key(f"{name}-{i}")
            cache.begin_trial(key, {"local": i})
            cache.put(key, make_entry(i))
            cache.finish_trial(key, {"local": i}, "ok", 0.5, "")
            assert cache.get(make_key(f"{name}-{i // 2}")) == make_entry(i // 2)
            if i % 10 == 0:
                cache.close()
                list(cache.entries())

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert cache.statistics().memory_entries == 10
    fresh = open_cache()
    assert fresh.verify() == []
    assert fresh.statistics().entries == fresh.statistics().trials == 8 * 40


def in_child(work: Callable[[], object]) -> object:
    """Run `work` in a forked child; return whether it returned something true."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if work() else 2
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0


@needs_fork
def test_a_forked_child_uses_its_own_connection(open_cache: OpenCache) -> None:
    cache = open_cache(capacity=1, busy_seconds=10)
    cache.put(make_key("a"), make_entry(1))
    cache.put(make_key("b"), make_entry(2))

    def work() -> bool:
        assert cache._database._connection is None
        assert cache.get(make_key("a")) == make_entry(1)
        cache.put(make_key("c"), make_entry(3))
        assert cache.begin_trial(make_key("c"), {"local": 1})
        return cache.get(make_key("b")) == make_entry(2)

    assert in_child(work)
    cache.put(make_key("d"), make_entry(4))
    assert cache.get(make_key("c")) == make_entry(3)
    assert [trial.outcome for trial in cache.trials(make_key("c"))] == ["crashed"]
    assert open_cache().verify() == []
    assert len(list(open_cache().entries())) == 4


@pytest.mark.slow
@needs_fork
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_forks_amid_busy_threads(open_cache: OpenCache) -> None:
    cache = open_cache(capacity=1, busy_seconds=30)
    stop = threading.Event()
    failures: list[BaseException] = []

    def work(name: int) -> None:
        i = 0
        try:
            while not stop.is_set():
                i += 1
                cache.put(make_key(f"{name}"), make_entry(i))
                assert cache.get(make_key(f"{name}")) == make_entry(i)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(3)]
    for thread in threads:
        thread.start()
    try:
        for i in range(10):
            assert in_child(lambda i=i: cache.put(make_key(f"child {i}"), make_entry(i)) is None)  # type: ignore[misc]
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert failures == []
    fresh = open_cache()
    assert fresh.verify() == []
    assert [fresh.get(make_key(f"child {i}")) for i in range(10)] == [make_entry(i) for i in range(10)]


@needs_fork
def test_a_child_does_not_write_what_its_parent_has_yet_to_write(open_cache: OpenCache, path: Path) -> None:
    cache = open_cache()
    cache.get(make_key())
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        cache.put(make_key(), make_entry())
    assert in_child(lambda: cache.close() is None)
    assert sql(path, "SELECT count(*) FROM entries") == [(0,)]
    cache.close()
    assert sql(path, "SELECT count(*) FROM entries") == [(1,)]


def test_a_fork_that_python_was_not_told_of(cache: KernelCache, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.put(make_key(), make_entry())
    parents = cache._database._connection
    monkeypatch.setattr(database, "_abandoned", [])
    cache._database._pid += 1
    assert cache.get(make_key("other")) is None
    assert cache._database._connection is not parents
    # Kept, since closing it in the child would disturb the parent.
    assert database._abandoned == [parents]
    assert parents is not None and parents.execute("SELECT 1").fetchone() == (1,)
    parents.close()


def test_a_cache_nobody_uses_any_more_is_closed(path: Path) -> None:
    cache = KernelCache(path)
    cache.put(make_key(), make_entry())
    connection = cache._database._connection
    assert connection is not None
    before = len(forks._watched)
    del cache
    assert len(forks._watched) == before - 1
    with pytest.raises(sqlite3.ProgrammingError):
        connection.execute("SELECT 1")
