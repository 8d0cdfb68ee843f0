"""What is stored for a key, and how it becomes a row and back."""

import json
import math
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from kernel_cache.canonical import Json, are_texts, canonical_json, checksum
from kernel_cache.errors import DamagedRowError, EntryError


@dataclass(frozen=True)
class Entry:
    """The winner for one key.

    Entries that come out of a cache are shared between callers: treat their JSON as read-only.

    Attributes:
        plan: all that dispatch needs.
        derivation: the rules applied, to be printed and replayed.
        configuration: the parameters chosen.
        sources: OpenCL C, one text per program.
        binaries: what the device's compiler made of them.
        seconds: median run time of the winner, None if it was never measured.
        tuned: whether a search chose it (False: the predicted best).
        environment: versions and settings of the machine that made it.
    """

    plan: Json
    derivation: Json
    configuration: Json
    sources: tuple[str, ...]
    binaries: tuple[bytes, ...]
    seconds: float | None
    tuned: bool
    environment: Json


@dataclass(frozen=True)
class EntryInfo:
    """An entry as a listing shows it.

    Attributes:
        digest: of its key.
        seconds: as in `Entry`.
        tuned: as in `Entry`.
        configuration: as in `Entry`.
        environment: as in `Entry`.
        size: bytes stored for it.
        created: when it was put, in seconds since the epoch.
        last_used: when it was last used, in seconds since the epoch, accurate to some minutes.
        stored: False if it is held in memory only (the file could not be written).
    """

    digest: str
    seconds: float | None
    tuned: bool
    configuration: Json
    environment: Json
    size: int
    created: float
    last_used: float
    stored: bool


class EntryRow(NamedTuple):
    """A row of the table ``entries``, in the order of its columns."""

    digest: str
    document: str
    binaries: bytes
    seconds: float | None
    tuned: int
    created: float
    checksum: bytes

    @property
    def size(self) -> int:
        """Bytes of content."""
        return len(self.document) + len(self.binaries)


_DOCUMENT_FIELDS = {"plan", "derivation", "configuration", "sources", "environment", "binary_sizes"}


def encode_entry(digest: str, entry: Entry, created: float) -> EntryRow:
    """Return the row for `entry` under the key with `digest`, made at `created` (seconds since the epoch).

    Raises:
        EntryError: a field has the wrong type or is not JSON.
    """
    if not are_texts(entry.sources):
        raise EntryError("Entry.sources must be a tuple of str")
    if not _are_binaries(entry.binaries):
        raise EntryError("Entry.binaries must be a tuple of bytes")
    if not isinstance(entry.tuned, bool):
        raise EntryError(f"Entry.tuned must be a bool, not {entry.tuned!r}")
    document = {
        "plan": entry.plan,
        "derivation": entry.derivation,
        "configuration": entry.configuration,
        "sources": entry.sources,
        "environment": entry.environment,
        "binary_sizes": [len(binary) for binary in entry.binaries],
    }
    text = canonical_json(document, "Entry")
    binaries = b"".join(entry.binaries)
    seconds = checked_seconds(entry.seconds, "Entry.seconds")
    row = (digest, text, binaries, seconds, int(entry.tuned), float(created))
    return EntryRow(*row, checksum=checksum(*row))


def decode_entry(columns: tuple[object, ...]) -> tuple[EntryRow, Entry]:
    """Return the row and the entry read back from the columns of a table row or of an imported record.

    Raises:
        DamagedRowError: it is not what `encode_entry` made.
    """
    row = _checked_row(columns)
    try:
        document = json.loads(row.document)
        sources = tuple(document["sources"])
        sizes = document["binary_sizes"]
        ends = list(accumulate(sizes))
        if document.keys() != _DOCUMENT_FIELDS or sum(sizes) != len(row.binaries):
            raise DamagedRowError("the fields do not fit together")
        binaries = tuple(row.binaries[end - size : end] for end, size in zip(ends, sizes, strict=True))
        if not all(isinstance(source, str) for source in sources):
            raise DamagedRowError("a source is not text")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise DamagedRowError(f"the content cannot be read: {error}") from error
    entry = Entry(
        plan=document["plan"],
        derivation=document["derivation"],
        configuration=document["configuration"],
        sources=sources,
        binaries=binaries,
        seconds=row.seconds,
        tuned=bool(row.tuned),
        environment=document["environment"],
    )
    return row, entry


def checked_seconds(seconds: float | None, what: str) -> float | None:
    """Return `seconds` as a float, or None.

    Raises:
        EntryError: not a finite number >= 0.
    """
    if seconds is None:
        return None
    try:
        value = float(seconds)
    except (TypeError, ValueError, OverflowError) as error:
        raise EntryError(f"{what} must be a number of seconds or None, not {seconds!r}") from error
    if not math.isfinite(value) or value < 0:
        raise EntryError(f"{what} must be finite and >= 0, not {seconds!r}")
    # SQLite stores -0.0 as 0, and the checksum tells them apart.
    return value + 0.0


def is_better(new: Entry, old: Entry) -> bool:
    """Whether an imported entry should replace one that is there: faster, or first to be measured or tuned."""
    if new.seconds is None or old.seconds is None:
        if (new.seconds is None) == (old.seconds is None):
            return new.tuned and not old.tuned
        return old.seconds is None
    return new.seconds < old.seconds


def _are_binaries(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(binary, bytes) for binary in value)


def _checked_row(columns: tuple[object, ...]) -> EntryRow:
    match columns:
        case (
            bytes() as digest,
            bytes() as document,
            bytes() as binaries,
            float() | None as seconds,
            int() as tuned,
            float() as created,
            bytes() as found,
        ):
            pass
        case _:
            raise DamagedRowError("a column has the wrong type")
    try:
        row = (digest.decode("ascii"), document.decode("ascii"), binaries, seconds, tuned, created)
    except UnicodeDecodeError as error:
        raise DamagedRowError("a text column is not text") from error
    if checksum(*row) != found:
        raise DamagedRowError("the checksum does not match")
    return EntryRow(*row, checksum=found)
