"""Entries as a file for other people: JSON lines, read as data and checked line by line.

The first line names the format, then one line per entry (binaries in base64), then a line with their number, by which
a file that was cut off is told from a whole one.
"""

import base64
import contextlib
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from sqlite3 import Connection

from kernel_cache.canonical import Json, canonical_json
from kernel_cache.database import Database
from kernel_cache.entry import Entry, EntryRow, decode_entry, is_better
from kernel_cache.errors import CacheFileError, DamagedRowError, KernelCacheError
from kernel_cache.key import CacheKey
from kernel_cache.schema import SCHEMA_VERSION
from kernel_cache.writeback import write_entry

_FORMAT = "lazyarr kernel cache"

_SELECT = "SELECT * FROM entries WHERE digest=?"


def write_file(path: Path, rows: Iterable[tuple[CacheKey, EntryRow]]) -> int:
    """Write `rows` to `path` at once (the file appears whole or not at all) and return their number.

    Raises:
        CacheFileError: the file cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    number = 0
    try:
        try:
            with open(temporary, "w", encoding="ascii", newline="\n") as file:
                file.write(canonical_json({"format": _FORMAT, "version": SCHEMA_VERSION}) + "\n")
                for key, row in rows:
                    file.write(canonical_json(_record(key, row)) + "\n")
                    number += 1
                file.write(canonical_json({"count": number}) + "\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise CacheFileError(f"cannot write the kernels to {path}: {error}") from error
    return number


def read_file(path: Path) -> Iterator[tuple[CacheKey, EntryRow, Entry]]:
    """Yield the entries of a file that `write_file` wrote.

    Raises:
        CacheFileError: it cannot be read, is not such a file, or a line of it is damaged.
    """
    try:
        with open(path, encoding="ascii", newline="\n") as file:
            yield from _parse(path, file)
    except (OSError, ValueError) as error:
        raise CacheFileError(f"cannot read kernels from {path}: {error}") from error


def merge(database: Database, items: list[tuple[CacheKey, EntryRow, Entry]], now: float) -> list[str] | None:
    """Write `items` where they are better than what the file holds.

    Returns:
        The digests of those taken, None if the file could not be written.
    """

    def operation(connection: Connection) -> list[str] | None:
        taken = []
        for key, row, entry in items:
            columns = connection.execute(_SELECT, (row.digest,)).fetchone()
            with contextlib.suppress(DamagedRowError):
                if columns is not None and not is_better(entry, decode_entry(columns)[1]):
                    continue
            write_entry(connection, key, row, now)
            taken.append(row.digest)
        return taken

    return database.write(operation, None, durable=True, insist=True)


def _record(key: CacheKey, row: EntryRow) -> dict[str, Json]:
    return {
        "key": key.to_json(),
        "document": row.document,
        "binaries": base64.b64encode(row.binaries).decode("ascii"),
        "seconds": row.seconds,
        "tuned": row.tuned,
        "created": row.created,
        "checksum": row.checksum.hex(),
    }


def _parse(path: Path, lines: Iterable[str]) -> Iterator[tuple[CacheKey, EntryRow, Entry]]:
    number = 0
    ended = False
    for position, line in enumerate(lines, 1):
        try:
            data = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise CacheFileError(f"{path}, line {position}: not JSON: {error}") from error
        if position == 1:
            _check_header(path, data)
        elif ended:
            raise CacheFileError(f"{path}, line {position}: there is more after the last line")
        elif isinstance(data, dict) and data.keys() == {"count"}:
            ended = True
            if data["count"] != number:
                raise CacheFileError(f"{path}: {number} entries where {data['count']} were written")
        else:
            try:
                yield _from_record(data)
            except (KernelCacheError, DamagedRowError, ValueError, TypeError, KeyError, AttributeError) as error:
                raise CacheFileError(f"{path}, line {position}: not an entry as it was exported: {error}") from error
            number += 1
    if not ended:
        raise CacheFileError(f"{path} is empty or cut off after {number} entries; export it again")


def _check_header(path: Path, data: object) -> None:
    if not isinstance(data, dict) or data.get("format") != _FORMAT:
        raise CacheFileError(f"{path} is not a file of kernels exported by lazyarr")
    if data.get("version") != SCHEMA_VERSION:
        raise CacheFileError(
            f"{path} has format version {data.get('version')!r}; this lazyarr reads version {SCHEMA_VERSION}"
        )


def _from_record(data: dict[str, object]) -> tuple[CacheKey, EntryRow, Entry]:
    texts = [data["key"], data["document"], data["binaries"], data["checksum"]]
    key_text, document, binaries, checksum = (str(text) for text in texts)
    key = CacheKey.from_json(key_text)
    columns = (
        key.digest.encode("ascii"),
        document.encode("ascii"),
        base64.b64decode(binaries, validate=True),
        data["seconds"],
        data["tuned"],
        data["created"],
        bytes.fromhex(checksum),
    )
    return key, *decode_entry(columns)
