"""The kernel cache: memory in front of one file."""

import contextlib
import os
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from sqlite3 import Connection

from cachetools import LRUCache

from ir.locks import make_rlock
from kernel_cache import files, forks, maintenance, transfer, trials
from kernel_cache.canonical import Json, canonical_json
from kernel_cache.database import Database
from kernel_cache.entry import Entry, EntryInfo, EntryRow, decode_entry, encode_entry, is_better
from kernel_cache.errors import CacheFileError
from kernel_cache.key import CacheKey
from kernel_cache.maintenance import Problem, Statistics
from kernel_cache.trials import TrialRecord, TrialRow
from kernel_cache.writeback import Writeback

_IMPORT_BATCH = 64


class KernelCache:
    """Tuned kernels and the trials behind them, shared by all threads and processes of a user.

    Nothing is opened before the first call that needs the file, and no call raises because of the state of the file:
    what cannot be read is a miss, what cannot be written stays in memory, and why is said once through the logger
    ``lazyarr.kernel_cache``. The file must lie on a disk of this machine: SQLite's write-ahead log is shared memory.

    Args:
        path: the cache file. By default ``kernels-v1.sqlite3`` in the folder ``LAZYARR_CACHE_DIR`` (read when the
            cache is first opened), else in the user's cache folder.
        capacity: the most entries held in memory.
        busy_seconds: how long one call may wait for other processes before it does without the file.

    Raises:
        ValueError: `capacity` is less than 1.
    """

    def __init__(self, path: Path | None = None, capacity: int = 512, *, busy_seconds: float = 2.0) -> None:
        if capacity < 1:
            raise ValueError(f"capacity must be at least 1, not {capacity}")
        chosen = None if path is None else Path(path)
        self._database = Database(lambda: chosen or files.default_path(), busy_seconds)
        self._writeback = Writeback(self._database)
        self._lock = make_rlock()
        self._memory: LRUCache[str, tuple[CacheKey, EntryRow, Entry]] = LRUCache(capacity)
        # Trials that could not be written.
        self._own_trials: dict[str, dict[str, TrialRow]] = {}
        # Rises with every change of an entry by this object.
        self._generation = 0
        self._hits = 0
        self._misses = 0
        forks.watch(self)
        # Also at the end of the interpreter, when nobody called `close`.
        self._finalizer = weakref.finalize(self, self._writeback.finish)

    # Entries ----------------------------------------------------------------------------------------------------------

    def get(self, key: CacheKey) -> Entry | None:
        """Return the entry of `key`, None if there is none. From memory this takes microseconds."""
        digest = key.digest
        with self._lock:
            generation = self._generation
            held = self._memory.get(digest)
            if held is not None:
                self._hits += 1
        if held is not None:
            if self._writeback.touch(digest):
                self._writeback.flush()
            return held[2]
        found = maintenance.stored_entry(self._database, digest)
        with self._lock:
            if found is None:
                self._misses += 1
                return None
            self._hits += 1
            # What another thread changed meanwhile must not be undone by what was read before.
            if generation == self._generation:
                self._memory[digest] = (key, *found)
        self._writeback.touch(digest)
        return found[1]

    def put(self, key: CacheKey, entry: Entry) -> None:
        """Store `entry` under `key`, replacing what is there; if the file cannot be written, in memory only.

        Raises:
            EntryError: a field has the wrong type or is not JSON.
        """
        row = encode_entry(key.digest, entry, time.time())
        # What comes back from memory is what would come back from the file, and aliases nothing of the caller's.
        kept = decode_entry(_as_stored(row))[1]
        with self._lock:
            self._generation += 1
            self._memory[row.digest] = (key, row, kept)
        self._writeback.add(key, row)
        self._writeback.flush()

    def entries(self) -> Iterator[tuple[CacheKey, EntryInfo]]:
        """Yield all entries as (key, what a listing shows), most recently used first, those only in memory last."""
        listed = set()
        for key, info, _ in maintenance.list_entries(self._database):
            listed.add(info.digest)
            yield key, info
        for key, row, entry in self._in_memory():
            if row.digest not in listed:
                yield key, maintenance.entry_info(row, entry, last_used=row.created, stored=False)

    # Trials -----------------------------------------------------------------------------------------------------------

    def begin_trial(self, key: CacheKey, configuration: Json) -> bool:
        """Record that `configuration` is about to be tried, since trying it may end the process or the machine.

        One record is kept per configuration: beginning again replaces what was known of it.

        Returns:
            Whether the record is on disk, flushed. False: the file cannot be written, and a crash would leave no trace.

        Raises:
            EntryError: `configuration` is not JSON.
        """
        return self._record_trial(key, trials.begun_row(key, configuration), insist=True)

    def finish_trial(
        self, key: CacheKey, configuration: Json, outcome: str, seconds: float | None = None, detail: str = ""
    ) -> None:
        """Record how trying `configuration` ended.

        Args:
            key: as given to `begin_trial`.
            configuration: as given to `begin_trial`.
            outcome: a word, such as ``"ok"`` or ``"build_failed"``; not ``"running"``.
            seconds: median run time, None if there is none.
            detail: what went wrong, for people; cut to 16,384 characters.

        Raises:
            EntryError: an argument cannot be stored.
        """
        text = canonical_json(configuration, "configuration")
        known = self._trials_by_configuration(key, text).get(text)
        begun = time.time() if known is None else known.begun
        self._record_trial(key, trials.finished_row(key, configuration, begun, outcome, seconds, detail), insist=False)

    def trials(self, key: CacheKey) -> list[TrialRecord]:
        """Return what was tried for `key`, by any process, in the order it was begun."""
        return sorted(self._trials_by_configuration(key).values(), key=lambda trial: trial.begun)

    # Care -------------------------------------------------------------------------------------------------------------

    def prune(self, max_bytes: int | None = None, older_than_seconds: float | None = None) -> int:
        """Delete keys with their entries and trials, least recently used first, and give the space back.

        Args:
            max_bytes: delete until at most so many bytes of content are left.
            older_than_seconds: delete what was not used for so long.

        Returns:
            How many keys were deleted.
        """
        self._writeback.flush()
        dropped = maintenance.prune(self._database, max_bytes, older_than_seconds)
        with self._lock:
            self._generation += 1
            for digest in dropped:
                self._memory.pop(digest, None)
        return len(dropped)

    def verify(self) -> list[Problem]:
        """Return all that is wrong with the file, and what went wrong with it earlier; reads all, repairs nothing."""
        return maintenance.verify(self._database)

    def export_to(self, path: Path) -> int:
        """Write all entries, without trials, to a file for others, and return how many.

        Raises:
            CacheFileError: the file cannot be written.
        """
        self._refuse_own_file(Path(path))
        self._writeback.flush()
        return transfer.write_file(Path(path), self._rows())

    def import_from(self, path: Path) -> int:
        """Take over entries from an exported file; an entry that is here stays unless the imported one is faster.

        The whole file is checked before anything is taken. Its binaries will run on the device: import only from people
        whose programs you would run.

        Returns:
            How many entries were taken.

        Raises:
            CacheFileError: the file cannot be read, is of another format or version, or is damaged.
        """
        path = Path(path)
        self._refuse_own_file(path)
        for _ in transfer.read_file(path):
            pass
        taken = 0
        batch = []
        for item in transfer.read_file(path):
            batch.append(item)
            if len(batch) == _IMPORT_BATCH:
                taken += self._merge(batch)
                batch = []
        return taken + self._merge(batch)

    def clear(self) -> None:
        """Delete all entries and trials, in memory and in the file."""
        self._writeback.forget()
        maintenance.delete_all(self._database)
        with self._lock:
            self._generation += 1
            self._memory.clear()
            self._own_trials.clear()

    def statistics(self) -> Statistics:
        """Return how this cache was used and what it holds."""
        entries, number_of_trials, size = maintenance.count(self._database)
        with self._lock:
            return Statistics(
                hits=self._hits,
                misses=self._misses,
                memory_entries=len(self._memory),
                memory_bytes=sum(row.size for _, row, _ in self._memory.values()),
                capacity=int(self._memory.maxsize),
                entries=entries,
                trials=number_of_trials,
                bytes=size,
                path=self._database.path(),
            )

    def close(self) -> None:
        """Write what is left and close the file. The cache can still be used: the file is then opened again."""
        self._writeback.finish()

    # Forks ------------------------------------------------------------------------------------------------------------

    def before_fork(self) -> None:
        """For `forks`: take all locks, close the file."""
        # In the order in which calls take them.
        self._writeback.before_fork()
        self._database.before_fork()
        self._lock.acquire()

    def after_fork_in_parent(self) -> None:
        """For `forks`: release all locks."""
        self._lock.release()
        self._database.after_fork_in_parent()
        self._writeback.after_fork_in_parent()

    def after_fork_in_child(self) -> None:
        """For `forks`: release all locks, leave to the parent what is its own."""
        self._lock.release()
        self._database.after_fork_in_child()
        self._writeback.after_fork_in_child()

    # Inside -----------------------------------------------------------------------------------------------------------

    def _in_memory(self) -> list[tuple[CacheKey, EntryRow, Entry]]:
        with self._lock:
            return list(self._memory.values())

    def _rows(self) -> Iterator[tuple[CacheKey, EntryRow]]:
        listed = set()
        for key, _, row in maintenance.list_entries(self._database):
            listed.add(row.digest)
            yield key, row
        for key, row, _ in self._in_memory():
            if row.digest not in listed:
                yield key, row

    def _record_trial(self, key: CacheKey, row: TrialRow, insist: bool) -> bool:
        def operation(connection: Connection) -> bool:
            trials.write_trial(connection, key, row)
            return True

        stored = self._database.write(operation, False, durable=insist, insist=insist)
        with self._lock:
            own = self._own_trials.setdefault(row.digest, {})
            if stored:
                own.pop(row.configuration, None)
            else:
                own[row.configuration] = row
        return stored

    def _trials_by_configuration(self, key: CacheKey, only: str | None = None) -> dict[str, TrialRecord]:
        none: dict[str, TrialRecord] = {}
        found = self._database.read(lambda connection: trials.stored_trials(connection, key.digest, only), none)
        with self._lock:
            own = list(self._own_trials.get(key.digest, {}).values())
        # Newer than what the file knows, since it is there only because the file could not be written.
        return found | {row.configuration: trials.decode_trial(_as_stored(row)) for row in own}

    def _merge(self, batch: list[tuple[CacheKey, EntryRow, Entry]]) -> int:
        with self._lock:
            held = {row.digest: entry for _, row, entry in self._memory.values()}
        # Memory may hold a better one that could not be written.
        batch = [item for item in batch if item[1].digest not in held or is_better(item[2], held[item[1].digest])]
        taken = transfer.merge(self._database, batch, time.time())
        with self._lock:
            self._generation += 1
            for key, row, entry in batch:
                if taken is None:
                    self._memory[row.digest] = (key, row, entry)
                elif row.digest in taken:
                    self._memory.pop(row.digest, None)
        for digest in taken or []:
            self._writeback.discard(digest)
        return len(batch if taken is None else taken)

    def _refuse_own_file(self, path: Path) -> None:
        """Opening and closing our own file by hand would drop SQLite's locks on it, so it is not even looked into."""
        own = self._database.path()
        with contextlib.suppress(OSError, ValueError):
            if own is not None and os.path.samefile(path, own):
                raise CacheFileError(f"{path} is the cache itself; name another file")


def _as_stored(row: EntryRow | TrialRow) -> tuple[object, ...]:
    """Return the columns as the file gives them back: text as bytes."""
    return tuple(column.encode("ascii") if isinstance(column, str) else column for column in row)
