from __future__ import annotations

import logging
import math
import sqlite3
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kernel_cache
from kernel_cache import Entry, EntryError, KernelCache, default_path
from kernel_cache.entry import decode_entry, encode_entry
from kernel_cache.errors import DamagedRowError
from kernel_cache.schema import TABLES
from tests.kernel_cache.helpers import make_entry, make_key, run_child, sql

OpenCache = Callable[..., KernelCache]

finite = st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | finite | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters()), inner, max_size=3),
    max_leaves=10,
)
entries = st.builds(
    Entry,
    json_values,
    json_values,
    json_values,
    st.lists(st.text(st.characters()), max_size=3).map(tuple),
    st.lists(st.binary(max_size=20), max_size=3).map(tuple),
    st.none() | st.floats(min_value=0, allow_infinity=False),
    st.booleans(),
    json_values,
)


@given(entries)
def test_an_entry_survives_its_row_in_sqlite(entry: Entry) -> None:
    connection = sqlite3.connect(":memory:")
    connection.text_factory = bytes
    connection.execute(TABLES["entries"])
    row = encode_entry("00ff", entry, 12.5)
    connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    again = connection.execute("SELECT * FROM entries").fetchone()
    assert decode_entry(again) == (row, entry)
    connection.close()


@given(entries, st.data())
def test_any_changed_byte_of_a_row_is_noticed(entry: Entry, data: st.DataObject) -> None:
    row = encode_entry("00ff", entry, 12.5)
    columns: list[object] = [c.encode() if isinstance(c, str) else c for c in row]
    which = data.draw(st.sampled_from([i for i, c in enumerate(columns) if isinstance(c, bytes) and c]))
    damaged = bytearray(columns[which])  # type: ignore[call-overload]
    damaged[data.draw(st.integers(0, len(damaged) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    columns[which] = bytes(damaged)
    with pytest.raises(DamagedRowError):
        decode_entry(tuple(columns))


@pytest.mark.parametrize("column", range(7))
@pytest.mark.parametrize("value", [None, 3, 2.5, b"x", "text"])
def test_a_column_of_another_type_or_value_is_noticed(column: int, value: object) -> None:
    columns: list[object] = [c.encode() if isinstance(c, str) else c for c in encode_entry("0f", make_entry(), 12.5)]
    columns[column] = value
    with pytest.raises(DamagedRowError):
        decode_entry(tuple(columns))


def test_put_and_get(cache: KernelCache) -> None:
    assert cache.get(make_key()) is None
    cache.put(make_key(), make_entry(3))
    assert cache.get(make_key()) == make_entry(3)
    assert cache.get(make_key("other")) is None


def test_another_cache_on_the_same_file_sees_it(open_cache: OpenCache) -> None:
    first, second = open_cache(), open_cache()
    assert second.get(make_key()) is None
    first.put(make_key(), make_entry(3))
    assert second.get(make_key()) == make_entry(3)
    assert second.get(make_key()) is second.get(make_key())


def test_it_is_there_in_a_later_process(cache: KernelCache, path: Path) -> None:
    cache.put(make_key(), make_entry(3))
    child = run_child("print(KernelCache(Path(sys.argv[1])).get(make_key()) == make_entry(3))", path)
    assert child.stdout == "True\n", child.stderr


def test_put_replaces(open_cache: OpenCache) -> None:
    cache = open_cache()
    cache.put(make_key(), make_entry(1, seconds=0.1))
    cache.put(make_key(), make_entry(2, seconds=0.2))
    assert cache.get(make_key()) == make_entry(2, seconds=0.2)
    assert open_cache().get(make_key()) == make_entry(2, seconds=0.2)


def test_memory_answers_as_the_file_would_and_aliases_nothing(open_cache: OpenCache) -> None:
    cache = open_cache()
    plan = {"shape": (1, 2)}
    cache.put(make_key(), replace(make_entry(), plan=plan))
    plan["shape"] = (9, 9)
    found = cache.get(make_key())
    assert found is not None and found.plan == {"shape": [1, 2]}
    assert open_cache().get(make_key()) == found


@pytest.mark.parametrize(
    "change",
    [
        {"plan": {1: "a"}},
        {"plan": {"a": [{"b": {None: 1}}]}},
        {"derivation": math.nan},
        {"environment": [math.inf]},
        {"configuration": {"a": object()}},
        {"plan": b"bytes"},
        {"sources": ["list"]},
        {"sources": "text"},
        {"binaries": (bytearray(b"x"),)},
        {"seconds": math.nan},
        {"seconds": -1.0},
        {"seconds": "soon"},
        {"tuned": 1},
    ],
)
def test_what_cannot_be_stored_is_refused(cache: KernelCache, change: dict[str, object]) -> None:
    with pytest.raises(EntryError):
        cache.put(make_key(), replace(make_entry(), **change))  # type: ignore[arg-type]
    assert cache.get(make_key()) is None


def test_nesting_that_json_cannot_hold_is_refused(cache: KernelCache) -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    cyclic: list[object] = []
    cyclic.append(cyclic)
    for plan in (deep, cyclic):
        with pytest.raises(EntryError):
            cache.put(make_key(), replace(make_entry(), plan=plan))  # type: ignore[arg-type]


def test_memory_holds_the_most_recently_used(open_cache: OpenCache) -> None:
    cache = open_cache(capacity=2)
    for name in "ab":
        cache.put(make_key(name), make_entry())
    kept = cache.get(make_key("a"))
    cache.put(make_key("c"), make_entry())
    assert cache.statistics().memory_entries == 2
    assert {key.structure for key, *_ in cache._in_memory()} == {"a", "c"}
    assert cache.get(make_key("a")) is kept
    # Evicted from memory only.
    assert cache.get(make_key("b")) == make_entry()


def test_capacity_must_be_positive(path: Path) -> None:
    with pytest.raises(ValueError, match="capacity"):
        KernelCache(path, 0)


def test_statistics(open_cache: OpenCache, path: Path) -> None:
    cache = open_cache(capacity=5)
    cache.get(make_key())
    cache.put(make_key(), make_entry(size=1000))
    cache.get(make_key())
    cache.begin_trial(make_key(), {"local": 1})
    found = cache.statistics()
    assert (found.hits, found.misses, found.memory_entries, found.capacity) == (1, 1, 1, 5)
    assert (found.entries, found.trials, found.path) == (1, 1, path)
    assert 1000 < found.memory_bytes < found.bytes < 3000
    other = open_cache()
    other.get(make_key())
    assert (other.statistics().hits, other.statistics().misses) == (1, 0)


def test_clear_and_close(open_cache: OpenCache) -> None:
    cache = open_cache()
    cache.put(make_key(), make_entry())
    cache.begin_trial(make_key(), {})
    cache.close()
    assert cache.get(make_key()) == make_entry()
    cache.clear()
    assert cache.get(make_key()) is None
    assert cache.trials(make_key()) == []
    assert open_cache().get(make_key()) is None


def test_nothing_is_opened_before_it_is_needed(path: Path) -> None:
    KernelCache(path).close()
    assert not path.parent.exists()


def test_file_and_folder_are_private(cache: KernelCache, path: Path) -> None:
    cache.put(make_key(), make_entry())
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes == {path.name + suffix: 0o600 for suffix in ("", "-wal", "-shm")}


def test_a_file_open_to_others_is_made_private(cache: KernelCache, path: Path) -> None:
    cache.put(make_key(), make_entry())
    cache.close()
    path.chmod(0o666)
    assert cache.get(make_key("other")) is None
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_folder_can_be_chosen_when_the_cache_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = KernelCache()
    monkeypatch.setenv("LAZYARR_CACHE_DIR", str(tmp_path / "chosen ?#%"))
    cache.put(make_key(), make_entry())
    monkeypatch.setenv("LAZYARR_CACHE_DIR", str(tmp_path / "later"))
    assert cache.get(make_key("other")) is None
    cache.close()
    assert [file.parent.name for file in tmp_path.glob("*/*.sqlite3")] == ["chosen ?#%"]


def test_the_default_folder_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("LAZYARR_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_path().parent.name == "lazyarr"
    monkeypatch.setenv("LAZYARR_CACHE_DIR", "")
    assert default_path().parent.name == "lazyarr"


def test_without_a_home_memory_is_used(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def nowhere() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr("kernel_cache.files.default_path", nowhere)
    cache = KernelCache()
    with caplog.at_level(logging.WARNING, "lazyarr.kernel_cache"):
        cache.put(make_key(), make_entry())
        assert cache.get(make_key()) == make_entry()
    assert cache.statistics().path is None
    assert len(caplog.records) == 1


def test_rows_in_the_file_are_readable_json(cache: KernelCache, path: Path) -> None:
    cache.put(make_key(), make_entry())
    cache.close()
    assert sql(path, "SELECT json_extract(key, '$.structure') FROM keys") == [("map abs",)]
    assert sql(path, "SELECT json_extract(document, '$.configuration.local') FROM entries") == [(64,)]


def test_nothing_read_can_be_run_as_python() -> None:
    folder = Path(kernel_cache.__file__).parent
    for word in ("pickle", "marshal", "eval(", "exec(", "shelve", "__import__", "compile(", "load_extension"):
        assert [file.name for file in folder.rglob("*.py") if word in file.read_text()] == []
