"""Changes on their way to the file: entries not yet written, and which keys were used lately."""

import time
from collections.abc import Callable
from sqlite3 import Connection

from ir.locks import make_rlock
from kernel_cache.database import Database
from kernel_cache.entry import EntryRow
from kernel_cache.key import CacheKey

# How often the use of entries is noted in the file, in seconds: far too seldom to be felt, often enough for `prune`.
TOUCH_SECONDS = 600.0

# Entries kept for a file that is locked for a moment; beyond that the oldest are given up.
_MAX_UNSAVED = 64


class Writeback:
    """Collects changes and writes them in one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = make_rlock()
        self._unsaved: dict[str, tuple[CacheKey, EntryRow]] = {}
        self._touched: set[str] = set()
        self._due = time.monotonic() + TOUCH_SECONDS

    def touch(self, digest: str) -> bool:
        """Note a use, in memory; return whether it is time to `flush`."""
        self._touched.add(digest)
        return time.monotonic() >= self._due

    def add(self, key: CacheKey, row: EntryRow) -> None:
        """Take an entry to be written at the next `flush`."""
        with self._lock:
            self._unsaved.pop(row.digest, None)
            self._unsaved[row.digest] = (key, row)
            while len(self._unsaved) > _MAX_UNSAVED:
                del self._unsaved[next(iter(self._unsaved))]

    def forget(self) -> None:
        """Drop all that was not written."""
        with self._lock:
            self._unsaved.clear()
            self._touched.clear()

    def discard(self, digest: str) -> None:
        """Drop the entry of `digest` that was not written, if there is one."""
        with self._lock:
            self._unsaved.pop(digest, None)
            self._touched.discard(digest)

    def flush(self, insist: bool = False) -> bool:
        """Write all; return whether it was written. What could not be written is tried again next time.

        Args:
            insist: try even where a write just before failed.
        """
        self._due = time.monotonic() + TOUCH_SECONDS
        # Held to the end: of two threads that flush, the later must not write what the earlier has since replaced.
        with self._lock:
            if not self._unsaved and not self._touched:
                return True
            # A copy, since `touch` takes no lock.
            touched = self._touched.copy()
            # A result that took seconds to find is worth one flush of the disk; a note of use is not.
            durable = bool(self._unsaved)
            if not self._database.write(self._operation(touched), False, durable=durable, insist=insist):
                return False
            self._unsaved.clear()
            self._touched -= touched
        return True

    def _operation(self, touched: set[str]) -> Callable[[Connection], bool]:
        def operation(connection: Connection) -> bool:
            now = time.time()
            for key, row in self._unsaved.values():
                write_entry(connection, key, row, now)
            connection.executemany("UPDATE keys SET last_used=? WHERE digest=?", [(now, digest) for digest in touched])
            return True

        return operation

    def finish(self) -> None:
        """Write what is left and close the file."""
        self.flush(insist=True)
        self._database.close()

    def before_fork(self) -> None:
        """Keep other threads out while the process forks."""
        self._lock.acquire()

    def after_fork_in_parent(self) -> None:
        """Let other threads go on."""
        self._lock.release()

    def after_fork_in_child(self) -> None:
        """Leave to the parent what it has not written."""
        self.forget()
        self._lock.release()


def write_key(connection: Connection, key: CacheKey, now: float) -> None:
    """Store the readable fields of `key`, used at `now` (seconds since the epoch)."""
    connection.execute("INSERT OR REPLACE INTO keys VALUES (?, ?, ?)", (key.digest, key.to_json(), now))


def write_entry(connection: Connection, key: CacheKey, row: EntryRow, now: float) -> None:
    """Store `row` under `key`, replacing what is there; `now` is in seconds since the epoch."""
    write_key(connection, key, now)
    connection.execute("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)", row)
