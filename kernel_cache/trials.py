"""The record of what was tried: begun durably, finished if the process lives to do so."""

import json
import time
from contextlib import suppress
from dataclasses import dataclass
from sqlite3 import Connection
from typing import NamedTuple

from kernel_cache.canonical import Json, canonical_json, checksum
from kernel_cache.entry import checked_seconds
from kernel_cache.errors import DamagedRowError, EntryError
from kernel_cache.key import CacheKey
from kernel_cache.processes import ProcessStamp, is_running, this_process
from kernel_cache.writeback import write_key

RUNNING = "running"
CRASHED = "crashed"

# Characters of detail kept: the start of a build log tells what is wrong.
MAX_DETAIL = 16_384


@dataclass(frozen=True)
class TrialRecord:
    """One configuration that was tried, or is being tried.

    Attributes:
        configuration: what was tried.
        outcome: as given to `KernelCache.finish_trial`; ``"running"`` while the process that began it lives and has not
            finished it; ``"crashed"`` once that process is gone.
        seconds: median run time, None if there is none.
        detail: what went wrong, for people; cut to 16,384 characters.
        begun: seconds since the epoch.
        finished: seconds since the epoch, None if it never was.
    """

    configuration: Json
    outcome: str
    seconds: float | None
    detail: str
    begun: float
    finished: float | None


class TrialRow(NamedTuple):
    """A row of the table ``trials``, in the order of its columns."""

    digest: str
    configuration: str
    record: str
    checksum: bytes


def begun_row(key: CacheKey, configuration: Json) -> TrialRow:
    """Return the row for a trial that this process begins now.

    Raises:
        EntryError: `configuration` is not JSON.
    """
    return _row(key, canonical_json(configuration, "configuration"), time.time(), None, None, None, "")


def finished_row(
    key: CacheKey, configuration: Json, begun: float, outcome: str, seconds: float | None, detail: str
) -> TrialRow:
    """Return the row for a trial that ends now, begun at `begun` (seconds since the epoch).

    Raises:
        EntryError: an argument cannot be stored, or the outcome is ``"running"``.
    """
    if not _is_text(outcome) or outcome in ("", RUNNING):
        raise EntryError(f"the outcome of a finished trial must be a word other than {RUNNING!r}, not {outcome!r}")
    if not _is_text(detail):
        raise EntryError(f"the detail of a trial must be a str, not {detail!r}")
    seconds = checked_seconds(seconds, "seconds")
    text = canonical_json(configuration, "configuration")
    return _row(key, text, begun, time.time(), str(outcome), seconds, detail[:MAX_DETAIL])


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _row(
    key: CacheKey,
    configuration: str,
    begun: float,
    finished: float | None,
    outcome: str | None,
    seconds: float | None,
    detail: str,
) -> TrialRow:
    record: dict[str, Json] = {
        "process": this_process().as_json(),
        "begun": begun,
        "finished": finished,
        "outcome": outcome,
        "seconds": seconds,
        "detail": detail,
    }
    columns = (key.digest, configuration, canonical_json(record, "trial"))
    return TrialRow(*columns, checksum=checksum(*columns))


def decode_trial(columns: tuple[object, ...]) -> TrialRecord:
    """Return the trial read back from the columns of a row.

    Raises:
        DamagedRowError: it is not what was written.
    """
    match columns:
        case (bytes() as digest, bytes() as configuration, bytes() as record, bytes() as found):
            pass
        case _:
            raise DamagedRowError("a column has the wrong type")
    try:
        if checksum(digest.decode("ascii"), configuration.decode("ascii"), record.decode("ascii")) != found:
            raise DamagedRowError("the checksum does not match")
        data = json.loads(record)
        begun = data["begun"]
        outcome = data["outcome"]
        if outcome is None:
            outcome = RUNNING if is_running(ProcessStamp(**data["process"]), begun) else CRASHED
        return TrialRecord(json.loads(configuration), outcome, data["seconds"], data["detail"], begun, data["finished"])
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise DamagedRowError(f"the content cannot be read: {error}") from error


def write_trial(connection: Connection, key: CacheKey, row: TrialRow) -> None:
    """Store `row`, replacing what is known of the same configuration."""
    write_key(connection, key, time.time())
    connection.execute("INSERT OR REPLACE INTO trials VALUES (?, ?, ?, ?)", row)


def stored_trials(connection: Connection, digest: str, configuration: str | None = None) -> dict[str, TrialRecord]:
    """Return the readable trials of a key by the canonical text of their configuration, or that of one only."""
    query, values = "SELECT * FROM trials WHERE digest=?", [digest]
    if configuration is not None:
        query, values = query + " AND configuration=?", [*values, configuration]
    rows = connection.execute(query, values).fetchall()
    found = {}
    for row in rows:
        # A damaged row is as good as none; beginning the same trial again replaces it.
        with suppress(DamagedRowError):
            found[row[1].decode("ascii")] = decode_trial(row)
    return found
