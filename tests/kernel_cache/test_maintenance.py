from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kernel_cache import CacheFileError, KernelCache, writeback
from tests.kernel_cache.helpers import make_entry, make_key, run_child, sql

OpenCache = Callable[..., KernelCache]


def names(cache: KernelCache) -> list[str]:
    return [key.structure for key, _ in cache.entries()]


def use_at(path: Path, **times: float) -> None:
    for name, moment in times.items():
        sql(path, "UPDATE keys SET last_used=? WHERE digest=?", moment, make_key(name).digest)


@pytest.fixture
def cache(open_cache: OpenCache, path: Path) -> KernelCache:
    """Entries a, b, c, used in the order b, c, a, of about 10 kB each."""
    cache = open_cache()
    for i, name in enumerate("abc"):
        cache.put(make_key(name), make_entry(i, size=10_000))
        cache.begin_trial(make_key(name), {"local": i})
    cache.close()
    now = time.time()
    use_at(path, b=now - 3000, c=now - 2000, a=now - 1000)
    return open_cache()


def test_listing(cache: KernelCache) -> None:
    before = time.time()
    listed = list(cache.entries())
    assert [key for key, _ in listed] == [make_key("a"), make_key("c"), make_key("b")]
    info = listed[0][1]
    entry = make_entry(0)
    assert (info.digest, info.seconds, info.tuned) == (make_key("a").digest, entry.seconds, entry.tuned)
    assert (info.configuration, info.environment, info.stored) == (entry.configuration, entry.environment, True)
    assert 10_000 < info.size < 11_000
    assert before - 60 < info.created <= before
    assert before - 1060 < info.last_used < before - 940


def test_entries_may_come_and_go_while_listing(cache: KernelCache) -> None:
    listing = cache.entries()
    next(listing)
    cache.put(make_key("new"), make_entry())
    cache.prune(max_bytes=0)
    assert len(list(listing)) <= 2


def test_prune_to_a_size_drops_the_least_recently_used(cache: KernelCache, open_cache: OpenCache, path: Path) -> None:
    before = path.stat().st_size
    assert cache.get(make_key("b")) is not None
    cache.close()
    use_at(path, b=time.time() - 3000)
    assert cache.prune(max_bytes=25_000) == 1
    assert names(open_cache()) == ["a", "c"]
    assert cache.get(make_key("b")) is None
    assert cache.trials(make_key("b")) == []
    assert len(cache.trials(make_key("c"))) == 1
    assert cache.statistics().bytes <= 25_000
    assert cache.prune(max_bytes=25_000) == 0
    assert cache.prune(max_bytes=0) == 2
    assert path.stat().st_size < before
    assert cache.statistics().bytes == 0


def test_prune_by_age(cache: KernelCache, open_cache: OpenCache) -> None:
    assert cache.prune() == 0
    assert cache.prune(older_than_seconds=5000) == 0
    assert cache.prune(older_than_seconds=2500) == 1
    assert names(open_cache()) == ["a", "c"]
    assert cache.prune(older_than_seconds=1500, max_bytes=10**9) == 1
    assert names(open_cache()) == ["a"]


def test_use_from_memory_counts_as_use(cache: KernelCache, open_cache: OpenCache) -> None:
    assert cache.get(make_key("b")) is not None
    assert cache.prune(max_bytes=15_000) == 2
    assert names(open_cache()) == ["b"]


def test_use_is_noted_at_the_end_of_a_process(cache: KernelCache, path: Path) -> None:
    child = run_child("cache = KernelCache(Path(sys.argv[1]))\nassert cache.get(make_key('b'))", path)
    assert child.stderr == ""
    assert names(cache) == ["b", "a", "c"]


def test_use_is_not_written_at_every_look_up(cache: KernelCache, monkeypatch: pytest.MonkeyPatch) -> None:
    written = []
    monkeypatch.setattr(cache._database, "write", lambda operation, default, **_: written.append(1) or True)
    for _ in range(100):
        cache.get(make_key("b"))
    assert written == []
    cache._writeback._due = time.monotonic()
    for _ in range(100):
        cache.get(make_key("b"))
    assert len(written) == 1
    assert cache._writeback._due > time.monotonic() + writeback.TOUCH_SECONDS / 2


def test_verify_finds_what_is_wrong(cache: KernelCache, path: Path) -> None:
    assert cache.verify() == []
    cache.close()
    digest = {name: make_key(name).digest for name in "abc"}
    sql(path, "UPDATE keys SET key=replace(key, 'float32', 'float64') WHERE digest=?", digest["a"])
    sql(path, "UPDATE entries SET binaries=zeroblob(10002) WHERE digest=?", digest["b"])
    sql(path, "DELETE FROM keys WHERE digest=?", digest["c"])
    sql(path, "INSERT INTO keys VALUES ('x', 'not json', 0)")
    found = {(problem.kind, problem.where) for problem in cache.verify()}
    assert found == {
        ("key", digest["a"]),
        ("entry", digest["b"]),
        ("entry", digest["c"]),
        ("trial", digest["c"]),
        ("key", "x"),
    }
    # Listing leaves out what it cannot trust; looking up needs no list.
    assert names(cache) == []
    assert cache.get(make_key("a")) == make_entry(0, size=10_000)
    assert cache.get(make_key("c")) == make_entry(2, size=10_000)


# Export and import ----------------------------------------------------------------------------------------------------


@pytest.fixture
def exported(cache: KernelCache, tmp_path: Path) -> Path:
    target = tmp_path / "team.jsonl"
    assert cache.export_to(target) == 3
    return target


def test_export_and_import(exported: Path, open_cache: OpenCache, tmp_path: Path) -> None:
    cache = open_cache(tmp_path / "other.sqlite3")
    assert cache.import_from(exported) == 3
    assert sorted(names(cache)) == ["a", "b", "c"]
    assert cache.get(make_key("b")) == make_entry(1, size=10_000)
    assert cache.trials(make_key("b")) == []
    assert cache.import_from(exported) == 0
    assert cache.verify() == []
    again = tmp_path / "again.jsonl"
    cache.export_to(again)
    assert sorted(again.read_text().splitlines()) == sorted(exported.read_text().splitlines())


@pytest.mark.parametrize(
    ("here", "there", "taken"),
    [
        ((1.0, True), (0.5, True), True),
        ((0.5, True), (1.0, True), False),
        ((0.5, True), (0.5, True), False),
        ((None, False), (1.0, True), True),
        ((1.0, True), (None, False), False),
        ((None, False), (None, True), True),
        ((None, True), (None, False), False),
        ((None, True), (None, True), False),
        ((0.5, False), (1.0, True), False),
    ],
)
def test_import_never_replaces_a_better_entry(
    open_cache: OpenCache,
    tmp_path: Path,
    here: tuple[float | None, bool],
    there: tuple[float | None, bool],
    taken: bool,
) -> None:
    theirs = open_cache(tmp_path / "theirs.sqlite3")
    theirs.put(make_key(), make_entry(1, *there))
    theirs.export_to(tmp_path / "team.jsonl")
    ours = open_cache(tmp_path / "ours.sqlite3")
    ours.put(make_key(), make_entry(2, *here))
    assert ours.import_from(tmp_path / "team.jsonl") == int(taken)
    expected = make_entry(1, *there) if taken else make_entry(2, *here)
    assert ours.get(make_key()) == expected
    assert open_cache(tmp_path / "ours.sqlite3").get(make_key()) == expected


def test_import_replaces_a_damaged_entry(exported: Path, open_cache: OpenCache, path: Path) -> None:
    sql(path, "UPDATE entries SET seconds=0.001")
    cache = open_cache()
    assert cache.import_from(exported) == 3
    assert cache.get(make_key("a")) == make_entry(0, size=10_000)


def test_import_without_a_usable_file_goes_to_memory(exported: Path, open_cache: OpenCache, tmp_path: Path) -> None:
    cache = open_cache(tmp_path)
    assert cache.import_from(exported) == 3
    assert cache.get(make_key("a")) == make_entry(0, size=10_000)
    assert cache.export_to(tmp_path / "again.jsonl") == 3


def change(line: str, **changes: object) -> str:
    return json.dumps(json.loads(line) | changes)


def damaged(lines: list[str]) -> dict[str, list[str]]:
    header, first, *rest, last = lines
    binaries = base64.b64encode(b"evil" * 2600).decode()
    return {
        "empty": [],
        "no header": lines[1:],
        "other format": ['{"format":"x"}', *lines[1:]],
        "other version": [change(header, version=99), *lines[1:]],
        "not an object": ["[]", *lines[1:]],
        "cut off": lines[:-1],
        "cut in a line": [*lines[:2], lines[2][:100]],
        "an entry lost": [header, *rest, last],
        "wrong count": [*lines[:-1], '{"count":7}'],
        "more behind": [*lines, first],
        "other binaries": [header, change(first, binaries=binaries), *rest, last],
        "not base64": [header, change(first, binaries="*" + json.loads(first)["binaries"]), *rest, last],
        "other seconds": [header, change(first, seconds=1e-9), *rest, last],
        "other key": [header, change(first, key=make_key("evil").to_json()), *rest, last],
        "key no json": [header, change(first, key="x"), *rest, last],
        "wrong types": [header, change(first, tuned="yes"), *rest, last],
        "not ascii": [header, change(first, document="é"), *rest, last],
        "a number": [header, "3", *rest, last],
        "deep": [header, "[" * 100_000, *rest, last],
    }


@pytest.mark.parametrize("case", damaged(['{"a":1}', '{"binaries":""}', "", '{"count":1}']))
def test_a_bad_file_is_refused_whole(
    exported: Path, open_cache: OpenCache, tmp_path: Path, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kernel_cache.store._IMPORT_BATCH", 1)
    lines = exported.read_text().splitlines()
    exported.write_text("".join(line + "\n" for line in damaged(lines)[case]))
    cache = open_cache(tmp_path / "other.sqlite3")
    with pytest.raises(CacheFileError, match=r"team\.jsonl"):
        cache.import_from(exported)
    assert names(cache) == []


def test_files_that_cannot_be_opened(cache: KernelCache, tmp_path: Path, path: Path) -> None:
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    for bad in ("missing", ".", "binary"):
        with pytest.raises(CacheFileError):
            cache.import_from(tmp_path / bad)
    before = sorted(tmp_path.iterdir())
    for bad in (".", "no/folder"):
        with pytest.raises(CacheFileError):
            cache.export_to(tmp_path / bad)
    assert sorted(tmp_path.iterdir()) == before
    for own in (cache.export_to, cache.import_from):
        with pytest.raises(CacheFileError, match="itself"):
            own(path)
    assert len(names(cache)) == 3


def test_an_export_replaces_the_target_only_when_whole(
    cache: KernelCache, exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = exported.read_bytes()
    monkeypatch.setattr("os.fsync", lambda handle: (_ for _ in ()).throw(OSError("disk full")))
    cache.put(make_key("d"), make_entry())
    with pytest.raises(CacheFileError, match="disk full"):
        cache.export_to(exported)
    assert exported.read_bytes() == before
    assert sorted(file.name for file in exported.parent.iterdir()) == ["folder", exported.name]
