"""Listing, pruning and verifying the cache file."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from kernel_cache.database import Database
from kernel_cache.entry import Entry, EntryInfo, EntryRow, decode_entry
from kernel_cache.errors import DamagedRowError, KeyFormatError
from kernel_cache.key import CacheKey
from kernel_cache.trials import decode_trial

_ENTRY = "SELECT * FROM entries WHERE digest=?"

# All that is stored, one row per key: (digest, last used, bytes). Rows whose key is lost count as never used.
_GROUPS = """
    SELECT d.digest, coalesce(k.last_used, 0.0),
        coalesce((SELECT sum(length(document) + length(binaries)) FROM entries e WHERE e.digest = d.digest), 0)
        + coalesce((SELECT sum(length(configuration) + length(record)) FROM trials t WHERE t.digest = d.digest), 0)
    FROM (SELECT digest FROM keys UNION SELECT digest FROM entries UNION SELECT digest FROM trials) d
    LEFT JOIN keys k ON k.digest = d.digest
"""


@dataclass(frozen=True)
class Problem:
    """Something wrong with the cache file.

    Attributes:
        kind: ``"file"``, ``"key"``, ``"entry"`` or ``"trial"``.
        where: the path of the file or the digest of the key.
        message: what is wrong.
    """

    kind: str
    where: str
    message: str


@dataclass(frozen=True)
class Statistics:
    """How a cache was used and what it holds.

    Attributes:
        hits: look-ups answered since this cache object was made, from memory or from the file.
        misses: look-ups not answered.
        memory_entries: entries held in memory.
        memory_bytes: bytes of content held in memory.
        capacity: the most entries that memory holds.
        entries: entries in the file.
        trials: trials in the file.
        bytes: bytes of content in the file (the file itself is somewhat larger).
        path: the file, None if there is no place for one.
    """

    hits: int
    misses: int
    memory_entries: int
    memory_bytes: int
    capacity: int
    entries: int
    trials: int
    bytes: int
    path: Path | None


def stored_entry(database: Database, digest: str) -> tuple[EntryRow, Entry] | None:
    """Return the entry of `digest`, None if there is none; a damaged one is dropped and reads as none."""
    columns = database.read(lambda connection: connection.execute(_ENTRY, (digest,)).fetchone(), None)
    if columns is None:
        return None
    try:
        row, entry = decode_entry(columns)
        if row.digest != digest:
            raise DamagedRowError("it belongs to another key")
    except DamagedRowError:
        # Compared with what was read, so that a sound entry that another process puts meanwhile survives.
        drop = "DELETE FROM entries WHERE digest=? AND checksum IS ?"
        database.write(lambda connection: bool(connection.execute(drop, (digest, columns[-1]))), False)
        return None
    return row, entry


def list_entries(database: Database) -> Iterator[tuple[CacheKey, EntryInfo, EntryRow]]:
    """Yield the sound entries of the file, most recently used first, reading one at a time."""
    query = "SELECT e.digest, k.key, k.last_used FROM entries e JOIN keys k ON k.digest = e.digest ORDER BY 3 DESC, 1"
    rows: list[tuple[Any, Any, Any]] = database.read(lambda connection: connection.execute(query).fetchall(), [])
    for digest_bytes, text, last_used in rows:
        try:
            digest = digest_bytes.decode("ascii")
            key = CacheKey.from_json(text)
        except (AttributeError, TypeError, ValueError):
            continue
        found = stored_entry(database, digest) if key.digest == digest else None
        if found is not None:
            yield key, entry_info(*found, last_used=_number(last_used), stored=True), found[0]


def entry_info(row: EntryRow, entry: Entry, last_used: float, stored: bool) -> EntryInfo:
    """Return what a listing shows of an entry."""
    return EntryInfo(
        digest=row.digest,
        seconds=entry.seconds,
        tuned=entry.tuned,
        configuration=entry.configuration,
        environment=entry.environment,
        size=row.size,
        created=row.created,
        last_used=last_used,
        stored=stored,
    )


def prune(database: Database, max_bytes: int | None, older_than_seconds: float | None) -> list[str]:
    """Delete keys with their entries and trials, least recently used first; return the digests of those deleted."""

    def operation(connection: Connection) -> list[str]:
        groups = sorted(
            (_number(last_used), digest, int(_number(size)))
            for digest, last_used, size in connection.execute(_GROUPS).fetchall()
            if isinstance(digest, bytes)
        )
        total = sum(size for _, _, size in groups)
        oldest = time.time() - older_than_seconds if older_than_seconds is not None else None
        dropped = []
        for last_used, digest, size in groups:
            if (oldest is not None and last_used < oldest) or (max_bytes is not None and total > max_bytes):
                dropped.append(digest.decode("ascii", "replace"))
                total -= size
        for table in ("entries", "trials", "keys"):
            connection.executemany(f"DELETE FROM {table} WHERE digest=?", [(digest,) for digest in dropped])
        return dropped

    none: list[str] = []
    dropped = database.write(operation, none, insist=True)
    if dropped:
        database.read(_give_space_back, None)
    return dropped


def delete_all(database: Database) -> None:
    """Delete everything in the file."""

    def operation(connection: Connection) -> bool:
        for table in ("entries", "trials", "keys"):
            connection.execute(f"DELETE FROM {table}")
        return True

    if database.write(operation, False, insist=True):
        database.read(_give_space_back, None)


def _give_space_back(connection: Connection) -> None:
    # Neither can run inside a transaction; both do what they can while others use the file.
    connection.execute("PRAGMA incremental_vacuum").fetchall()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def count(database: Database) -> tuple[int, int, int]:
    """Return the numbers of entries and of trials in the file, and the bytes of their content."""

    def operation(connection: Connection) -> tuple[int, int, int]:
        entries = connection.execute("SELECT count(*) FROM entries").fetchone()[0]
        trials = connection.execute("SELECT count(*) FROM trials").fetchone()[0]
        return entries, trials, sum(int(_number(size)) for _, _, size in connection.execute(_GROUPS).fetchall())

    return database.read(operation, (0, 0, 0))


def verify(database: Database) -> list[Problem]:
    """Return all that is wrong with the file, changing nothing but a file too corrupt to be opened."""
    none: list[Problem] = []
    problems = database.read(_file_problems, none) + database.read(_row_problems, none)
    where = str(database.path())
    return [Problem("file", where, message) for message in database.incidents] + [
        Problem(problem.kind, problem.where or where, problem.message) for problem in problems
    ]


def _file_problems(connection: Connection) -> list[Problem]:
    rows = connection.execute("PRAGMA integrity_check").fetchall()
    return [Problem("file", "", message.decode("utf-8", "replace")) for (message,) in rows if message != b"ok"]


def _row_problems(connection: Connection) -> list[Problem]:
    problems = []
    known = set()
    for digest, text in connection.execute("SELECT digest, key FROM keys").fetchall():
        known.add(digest)
        try:
            if CacheKey.from_json(text).digest.encode() != digest:
                problems.append(Problem("key", _name(digest), "the fields do not match the digest"))
        except (TypeError, KeyFormatError) as error:
            problems.append(Problem("key", _name(digest), str(error)))
    for kind, table, decode in (("entry", "entries", decode_entry), ("trial", "trials", decode_trial)):
        for (number,) in connection.execute(f"SELECT rowid FROM {table}").fetchall():
            columns = connection.execute(f"SELECT * FROM {table} WHERE rowid=?", (number,)).fetchone()
            if columns is None:
                continue
            try:
                decode(columns)
            except DamagedRowError as error:
                problems.append(Problem(kind, _name(columns[0]), str(error)))
            if columns[0] not in known:
                problems.append(Problem(kind, _name(columns[0]), "its key is missing, so it cannot be listed"))
    return problems


def _name(digest: object) -> str:
    return digest.decode("ascii", "replace") if isinstance(digest, bytes) else repr(digest)


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
