"""Whatever happens to the file costs time: no exception, no wrong entry, one warning."""

from __future__ import annotations

import logging
import os
import random
import sqlite3
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from kernel_cache import KernelCache, database
from kernel_cache.entry import decode_entry
from tests.kernel_cache.helpers import make_entry, make_key, run_child, sql

OpenCache = Callable[..., KernelCache]

KEYS = [make_key(f"k{i}") for i in range(40)]


@pytest.fixture
def warnings(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    caplog.set_level(logging.WARNING, "lazyarr.kernel_cache")
    return lambda: [record.getMessage() for record in caplog.records if record.name == "lazyarr.kernel_cache"]


@pytest.fixture
def filled(open_cache: OpenCache, path: Path) -> Path:
    """A closed file of 40 entries over many pages."""
    cache = open_cache()
    for i, key in enumerate(KEYS):
        cache.put(key, make_entry(i, size=3000))
    cache.close()
    return path


def works(cache: KernelCache) -> None:
    """The cache answers rightly or not at all, and takes new entries at least in memory."""
    for i, key in enumerate(KEYS):
        assert cache.get(key) in (None, make_entry(i, size=3000))
    cache.trials(KEYS[0])
    cache.put(make_key("new"), make_entry(99))
    assert cache.get(make_key("new")) == make_entry(99)
    cache.begin_trial(KEYS[0], {"local": 5})
    cache.finish_trial(KEYS[0], {"local": 5}, "ok", 0.5)
    assert [(trial.configuration, trial.outcome) for trial in cache.trials(KEYS[0])] == [({"local": 5}, "ok")]
    list(cache.entries())
    cache.statistics()


def is_stored(path: Path) -> bool:
    with closing(KernelCache(path)) as fresh:
        return fresh.get(make_key("new")) == make_entry(99)


@pytest.mark.parametrize("size", [15, 99, 100, 600, 4096, 5000, 50_000])
def test_random_bytes(path: Path, open_cache: OpenCache, size: int, warnings: Callable[[], list[str]]) -> None:
    path.parent.mkdir()
    junk = random.Random(size).randbytes(size)
    path.write_bytes(junk)
    works(open_cache())
    assert is_stored(path)
    assert path.with_name(path.name + ".corrupt").read_bytes() == junk
    assert len(warnings()) == 1 and "corrupt" in warnings()[0]


def test_a_single_byte_passes_for_an_empty_file(path: Path, open_cache: OpenCache) -> None:
    path.parent.mkdir()
    path.write_bytes(b"x")
    works(open_cache())
    assert is_stored(path)


def test_a_header_with_junk_behind_it(filled: Path, open_cache: OpenCache) -> None:
    header = filled.read_bytes()[:100]
    filled.write_bytes(header + random.Random(1).randbytes(9000))
    works(open_cache())
    assert is_stored(filled)


@pytest.mark.parametrize("part", [0, 0.0002, 0.01, 0.3, 0.5, 0.9, 0.999])
def test_a_truncated_file(filled: Path, open_cache: OpenCache, part: float) -> None:
    os.truncate(filled, int(filled.stat().st_size * part))
    works(open_cache())
    assert is_stored(filled)


@pytest.mark.parametrize("seed", range(12))
def test_flipped_and_torn_pages(filled: Path, open_cache: OpenCache, seed: int) -> None:
    rng = random.Random(seed)
    content = bytearray(filled.read_bytes())
    for _ in range(1 + seed * 3):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    if seed % 3 == 0:
        start = 4096 * rng.randrange(1, len(content) // 4096)
        content[start : start + 4096] = bytes(4096)
    filled.write_bytes(content)
    works(open_cache())


@pytest.mark.parametrize("suffix", ["-wal", "-shm"])
def test_junk_in_the_log(filled: Path, open_cache: OpenCache, suffix: str) -> None:
    filled.with_name(filled.name + suffix).write_bytes(random.Random(3).randbytes(70_000))
    works(open_cache())
    assert is_stored(filled)


def test_at_most_one_corrupt_file_is_kept(path: Path, open_cache: OpenCache) -> None:
    path.parent.mkdir()
    for junk in (b"first" * 1000, b"second" * 1000):
        path.write_bytes(junk)
        open_cache().put(make_key(), make_entry())
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
    assert path.with_name(path.name + ".corrupt").read_bytes() == b"second" * 1000
    assert len(list(path.parent.glob("*corrupt*"))) == 1


def test_a_file_that_turns_corrupt_while_open(filled: Path, open_cache: OpenCache) -> None:
    cache = open_cache(capacity=1)
    assert cache.get(KEYS[0]) is not None
    with open(filled, "r+b") as file:
        file.seek(4096)
        file.write(random.Random(0).randbytes(filled.stat().st_size - 4096))
    works(cache)
    assert is_stored(filled)
    assert any(problem.kind == "file" and "corrupt" in problem.message for problem in cache.verify())


def test_a_file_replaced_since_is_not_set_aside(filled: Path, open_cache: OpenCache) -> None:
    """Of two processes that see the same corrupt file, the second must not rename what the first one made."""
    old = database.files.identity(filled)
    copy = filled.with_name("copy")
    copy.write_bytes(filled.read_bytes())
    copy.replace(filled)
    assert database.files.identity(filled) != old
    assert database.files.set_aside(filled, old, 0.0)
    assert open_cache().get(KEYS[0]) is not None


def test_a_folder_emptied_while_open(filled: Path, open_cache: OpenCache) -> None:
    cache = open_cache(capacity=1, busy_seconds=2.0)
    assert cache.get(KEYS[0]) is not None
    for file in filled.parent.iterdir():
        file.unlink()
    filled.parent.rmdir()
    works(cache)
    cache.close()
    assert is_stored(filled)


@pytest.mark.parametrize("column", ["document", "binaries", "seconds", "tuned", "created", "checksum"])
def test_a_damaged_row_is_dropped_and_others_stay(
    filled: Path, open_cache: OpenCache, column: str, warnings: Callable[[], list[str]]
) -> None:
    digest = KEYS[3].digest
    ((value,),) = sql(filled, f"SELECT {column} FROM entries WHERE digest=?", digest)
    if isinstance(value, int | float):
        damaged: object = value + 1
    elif isinstance(value, str):
        damaged = value.replace("row", "rov")
    else:
        assert isinstance(value, bytes)
        damaged = bytes([value[0] ^ 4]) + value[1:]
    sql(filled, f"UPDATE entries SET {column}=? WHERE digest=?", damaged, digest)
    cache = open_cache()
    assert [(problem.kind, problem.where) for problem in cache.verify()] == [("entry", digest)]
    assert cache.get(KEYS[3]) is None
    assert cache.get(KEYS[4]) == make_entry(4, size=3000)
    assert cache.verify() == []
    assert sql(filled, "SELECT count(*) FROM entries") == [(39,)]
    cache.put(KEYS[3], make_entry(3, size=3000))
    assert open_cache().get(KEYS[3]) == make_entry(3, size=3000)
    assert warnings() == []


def test_a_row_of_another_key_is_not_taken(filled: Path, open_cache: OpenCache) -> None:
    sql(filled, "DELETE FROM entries WHERE digest=?", KEYS[0].digest)
    sql(filled, "UPDATE entries SET digest=? WHERE digest=?", KEYS[0].digest, KEYS[1].digest)
    assert open_cache().get(KEYS[0]) is None


def test_dropping_a_damaged_row_spares_a_sound_one_put_meanwhile(
    filled: Path, open_cache: OpenCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    sql(filled, "UPDATE entries SET tuned=0 WHERE digest=?", KEYS[0].digest)
    other = open_cache(busy_seconds=2.0)

    def decode_late(columns: tuple[object, ...]) -> object:
        monkeypatch.undo()
        other.put(KEYS[0], make_entry(7))
        return decode_entry(columns)

    monkeypatch.setattr("kernel_cache.maintenance.decode_entry", decode_late)
    cache = open_cache(busy_seconds=2.0)
    assert cache.get(KEYS[0]) is None
    assert cache.get(KEYS[0]) == make_entry(7)


# Files that are not ours ----------------------------------------------------------------------------------------------


def test_another_applications_database_is_left_alone(
    path: Path, open_cache: OpenCache, warnings: Callable[[], list[str]]
) -> None:
    path.parent.mkdir()
    sql(path, "CREATE TABLE precious (value TEXT)")
    sql(path, "INSERT INTO precious VALUES ('kept')")
    before = path.read_bytes()
    works(open_cache())
    assert path.read_bytes() == before
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name]
    assert len(warnings()) == 1 and "another application" in warnings()[0]


def test_the_cache_of_a_newer_version_is_left_alone(filled: Path, open_cache: OpenCache) -> None:
    sql(filled, "PRAGMA user_version=999")
    works(open_cache())
    assert not is_stored(filled)
    assert sql(filled, "SELECT count(*) FROM entries") == [(40,)]
    assert not filled.with_name(filled.name + ".corrupt").exists()


def test_the_cache_of_an_older_version_is_set_aside(filled: Path, open_cache: OpenCache) -> None:
    sql(filled, "PRAGMA user_version=0")
    works(open_cache())
    assert is_stored(filled)
    assert filled.with_name(filled.name + ".corrupt").exists()


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM entries; END",
        "CREATE VIEW v AS SELECT 1",
        "ALTER TABLE entries ADD COLUMN more TEXT",
        "DROP TABLE trials",
    ],
)
def test_tables_that_are_not_as_we_made_them_are_not_used(filled: Path, open_cache: OpenCache, statement: str) -> None:
    sql(filled, statement)
    works(open_cache())
    assert is_stored(filled)


def test_a_path_that_is_a_folder(tmp_path: Path, open_cache: OpenCache, warnings: Callable[[], list[str]]) -> None:
    tmp_path.chmod(0o755)
    works(open_cache(tmp_path))
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755
    assert len(warnings()) == 1


@pytest.mark.parametrize("bad", ["file/kernels.sqlite3", "nul\0byte", "x" * 300, "dangling"])
def test_a_path_that_cannot_be_made(
    tmp_path: Path, open_cache: OpenCache, bad: str, warnings: Callable[[], list[str]]
) -> None:
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "dangling").symlink_to(tmp_path / "no" / "where")
    works(open_cache(tmp_path / bad))
    assert len(warnings()) == 1


def test_a_file_of_another_user_is_not_trusted(
    filled: Path, open_cache: OpenCache, monkeypatch: pytest.MonkeyPatch, warnings: Callable[[], list[str]]
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    if filled.stat().st_uid == 0:
        os.chown(filled, 54321, -1)
    cache = open_cache()
    assert cache.get(KEYS[0]) is None
    works(cache)
    assert len(warnings()) == 1 and "another user" in warnings()[0]


# Files that cannot be written -----------------------------------------------------------------------------------------


def connect_as(monkeypatch: pytest.MonkeyPatch, mode: str, setup: str = "") -> None:
    """Let every file be opened with `mode`, whatever the cache asks for."""
    connect = sqlite3.connect

    def wrapped(address: str, **options: object) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(address.replace("mode=rw", mode), **options)  # type: ignore[call-overload]
        if setup:
            connection.execute(setup)
        return connection

    monkeypatch.setattr(database.sqlite3, "connect", wrapped)


def test_a_file_that_can_only_be_read(
    filled: Path, open_cache: OpenCache, monkeypatch: pytest.MonkeyPatch, warnings: Callable[[], list[str]]
) -> None:
    with monkeypatch.context() as patch:
        connect_as(patch, "mode=ro")
        cache = open_cache()
        assert cache.get(KEYS[5]) == make_entry(5, size=3000)
        works(cache)
        assert not cache.begin_trial(KEYS[0], {"local": 6})
        assert {trial.outcome for trial in cache.trials(KEYS[0])} == {"ok", "running"}
        assert cache.prune(max_bytes=0) == 0
        listed = {key.structure: info.stored for key, info in cache.entries()}
        assert listed == {key.structure: True for key in KEYS} | {"new": False}
        cache.close()
    assert not is_stored(filled)
    assert len(warnings()) == 1


def test_a_file_that_another_process_replaces_while_it_is_opened(
    path: Path, open_cache: OpenCache, monkeypatch: pytest.MonkeyPatch, warnings: Callable[[], list[str]]
) -> None:
    connect, replaced = sqlite3.connect, []

    def late(address: str, **options: object) -> sqlite3.Connection:
        if not replaced:  # there is none now; a new one when the cache tries to read it
            path.rename(path.with_suffix(".aside"))
            replaced.append(path)
            error = sqlite3.OperationalError("unable to open database file")
            error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
            raise error
        path.touch()
        return connect(address, **options)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(database.sqlite3, "connect", late)
    works(open_cache(path))
    assert replaced and is_stored(path) and not warnings()


@pytest.fixture
def public_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


READ_ONLY = """
path = Path(sys.argv[1])
if os.getuid() == 0:
    os.setuid(65534)
cache = KernelCache(path)
assert cache.get(make_key()) == make_entry(1), "not read"
cache.put(make_key("new"), make_entry(2))
assert cache.get(make_key("new")) == make_entry(2), "not kept"
assert not cache.begin_trial(make_key(), {})
assert [trial.outcome for trial in cache.trials(make_key())] == ["running"]
cache.close()
print("done")
"""


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="needs POSIX permissions")
def test_a_folder_that_the_system_protects(public_folder: Path) -> None:
    path = public_folder / "kernels.sqlite3"
    cache = KernelCache(path)
    cache.put(make_key(), make_entry(1))
    cache.close()
    path.chmod(0o444)
    public_folder.chmod(0o555)
    child = run_child(READ_ONLY, path)
    public_folder.chmod(0o755)
    assert child.stdout == "done\n", child.stderr
    assert child.stderr.count("can only be read") == 1
    assert [file.name for file in public_folder.iterdir()] == [path.name]


def test_a_file_that_could_only_be_read_is_tried_again(
    filled: Path, open_cache: OpenCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = open_cache()
    with monkeypatch.context() as patch:
        real = cache._database._open_as

        def refuse(path: Path, mode: str) -> sqlite3.Connection | None:
            error = sqlite3.OperationalError("too many open files")
            error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
            if mode == "mode=rw":
                raise error
            assert "immutable" not in mode
            return real(path, mode)

        patch.setattr(cache._database, "_open_as", refuse)
        cache.put(make_key("new"), make_entry(99))
        assert cache.get(KEYS[5]) == make_entry(5, size=3000)
    assert not is_stored(filled)
    cache._database._reopen_at = 0.0
    cache.put(make_key("more"), make_entry(1))
    assert is_stored(filled)


def test_what_can_only_be_read_is_not_set_aside(
    filled: Path, open_cache: OpenCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect_as(monkeypatch, "mode=ro")
    cache = open_cache()
    assert cache.get(KEYS[5]) == make_entry(5, size=3000)
    cache._database._writable, cache._database._reopen_at = False, float("inf")
    with open(filled, "r+b") as file:
        file.seek(4096)
        file.write(random.Random(0).randbytes(filled.stat().st_size - 4096))
    assert cache.get(KEYS[6]) is None
    assert not filled.with_name(filled.name + ".corrupt").exists()


def test_a_full_disk(
    filled: Path, open_cache: OpenCache, monkeypatch: pytest.MonkeyPatch, warnings: Callable[[], list[str]]
) -> None:
    pages = filled.stat().st_size // 4096
    connect_as(monkeypatch, "mode=rw", f"PRAGMA max_page_count={pages}")
    cache = open_cache()
    cache.put(make_key("large"), make_entry(1, size=10_000_000))
    assert cache.get(make_key("large")) == make_entry(1, size=10_000_000)
    assert cache.get(KEYS[5]) == make_entry(5, size=3000)
    assert len(warnings()) == 1 and "full" in warnings()[0]


def test_a_file_locked_by_another_connection(
    filled: Path, open_cache: OpenCache, warnings: Callable[[], list[str]]
) -> None:
    cache = open_cache()
    with closing(sqlite3.connect(filled, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        # A writer elsewhere does not keep us from reading.
        assert cache.get(KEYS[5]) == make_entry(5, size=3000)
        works(cache)
        assert not cache.begin_trial(KEYS[1], {"local": 6})
        assert len(warnings()) == 1 and "locked" in warnings()[0]
    # What could not be written is, once the lock is gone.
    cache.close()
    assert is_stored(filled)


def test_a_file_locked_even_for_reading(filled: Path, open_cache: OpenCache, warnings: Callable[[], list[str]]) -> None:
    with closing(sqlite3.connect(filled, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode=DELETE")
        other.execute("BEGIN EXCLUSIVE")
        cache = open_cache()
        assert cache.get(KEYS[0]) is None
        works(cache)
        assert len(warnings()) == 1
    cache.close()
    assert is_stored(filled)
    assert cache.get(KEYS[0]) == make_entry(0, size=3000)
