"""One SQLite connection per process, opened lazily, that never raises because of the state of the file."""

import contextlib
import logging
import os
import random
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from ir.locks import make_rlock
from kernel_cache import files, schema
from kernel_cache.schema import FileState

T = TypeVar("T")
D = TypeVar("D")
Connection = sqlite3.Connection

logger = logging.getLogger("lazyarr.kernel_cache")

# After the file could not be used, it is left alone for so long; else every look-up would wait anew.
PAUSE_SECONDS = 5.0

# How long a file that could not be opened for writing is only read, before that is tried again.
REOPEN_SECONDS = 60.0

_MAX_ATTEMPTS = 1000
_MAX_SET_ASIDE = 3

# What SQLite says, by what is to be done about it.
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
_CORRUPT = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_NOT_WRITABLE = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH}
_CANNOT_OPEN = _NOT_WRITABLE | {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR}

# Connections of a parent that forked without telling Python. Closing them here could delete the parent's log.
_abandoned: list[Connection] = []


class _DamagedFileError(sqlite3.DatabaseError):
    """The file is readable SQLite but its tables are not as we made them."""


class _MovedFileError(sqlite3.OperationalError):
    """Another process renamed the file between two steps of opening it."""


class Database:
    """The cache file.

    All threads share one connection behind a lock: disk is the slow path, and one connection can be closed before a
    fork, where one per thread could not.

    Args:
        locate: gives the path of the file; called when the file is opened.
        busy_seconds: how long one call may wait for another process.
    """

    def __init__(self, locate: Callable[[], Path], busy_seconds: float) -> None:
        self.incidents: list[str] = []
        self._locate = locate
        self._busy_seconds = busy_seconds
        self._lock = make_rlock()
        self._connection: Connection | None = None
        self._path: Path | None = None
        self._file: files.FileIdentity | None = None
        self._pid = os.getpid()
        self._writable = True
        self._reopen_at = 0.0
        self._set_aside_count = 0
        self._paused_until = {"read": 0.0, "write": 0.0}
        self._reported: set[str] = set()

    def read(self, operation: Callable[[Connection], T], default: D) -> T | D:
        """Return what `operation` reads from the file, or `default` if the file cannot be read.

        Text columns come as bytes. `operation` may be called again after a failure.
        """
        return self._run(operation, default, "read")

    def write(
        self, operation: Callable[[Connection], T], default: D, durable: bool = False, insist: bool = False
    ) -> T | D:
        """Run `operation` in one transaction and return its result, or `default` if nothing was written.

        Args:
            operation: executes statements; it may be called again after a failure.
            default: what to return if the file cannot be written.
            durable: return only when the change would survive a crash of the machine.
            insist: try even where a call just before failed.
        """
        return self._run(lambda connection: self._transact(connection, operation, durable), default, "write", insist)

    def path(self) -> Path | None:
        """Return the path of the file, None if none can be named."""
        try:
            return self._path or Path(os.path.abspath(self._locate()))
        except (OSError, RuntimeError, ValueError):
            return None

    def close(self) -> None:
        """Close the file. It is opened again when next needed."""
        with self._lock:
            self._disconnect()
            self._path = None
            self._writable = True
            self._paused_until = {"read": 0.0, "write": 0.0}

    def before_fork(self) -> None:
        """Close the connection and keep the lock until the fork is over."""
        self._lock.acquire()
        self._disconnect()

    def after_fork_in_parent(self) -> None:
        """Let other threads go on."""
        self._lock.release()

    def after_fork_in_child(self) -> None:
        """Let the child open a connection of its own."""
        self._lock.release()
        self._pid = os.getpid()

    def _run(self, operation: Callable[[Connection], T], default: D, purpose: str, insist: bool = False) -> T | D:
        with self._lock:
            deadline = time.monotonic() + self._busy_seconds
            if not insist and time.monotonic() < self._paused_until[purpose]:
                return default
            for _ in range(_MAX_ATTEMPTS):
                try:
                    connection = self._connect_or_none()
                    if connection is None or (purpose == "write" and not self._writable):
                        return default
                    return operation(connection)
                except sqlite3.Error as error:
                    if not self._recover(error, deadline, purpose):
                        return default
            return default

    def _transact(self, connection: Connection, operation: Callable[[Connection], T], durable: bool) -> T:
        # With a write-ahead log NORMAL survives the death of the process; FULL, a flush per commit, the machine's.
        connection.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
        connection.execute("BEGIN IMMEDIATE")
        try:
            result = operation(connection)
            connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise
        return result

    # Opening ----------------------------------------------------------------------------------------------------------

    def _connect_or_none(self) -> Connection | None:
        try:
            return self._connect()
        except (OSError, RuntimeError, ValueError) as error:
            # No home folder, a NUL in the path, a folder that vanished between two calls.
            self._give_up("unusable", f"cannot be used, so tuning results are kept in memory only: {error}")
            return None

    def _connect(self) -> Connection | None:
        if self._connection is not None and self._pid != os.getpid():
            _abandoned.append(self._connection)
            self._connection = None
        self._pid = os.getpid()
        if self._connection is not None and self._path is not None:
            # SQLite itself would go on with a file that was renamed or deleted, and what is written would be lost.
            moved = files.identity(self._path) != self._file
            if moved or (not self._writable and time.monotonic() >= self._reopen_at):
                self._disconnect()
        if self._connection is None:
            self._connection = self._open()
        return self._connection

    def _open(self) -> Connection | None:
        if self._path is None:
            self._path = Path(os.path.abspath(self._locate()))
        try:
            files.make_private(self._path)
        except OSError as error:
            # In a folder that can only be read, the file may be there all the same.
            if files.identity(self._path) is None:
                self._give_up("unusable", f"cannot be made, so tuning results are kept in memory only: {error}")
                return None
        self._file = files.identity(self._path)
        if self._file is None:
            raise _MovedFileError("it was set aside just now")
        if not files.is_trusted(self._path):
            self._give_up("owner", "belongs to another user, so it is not used")
            return None
        modes = ["mode=rw", "mode=ro"]
        if not os.access(self._path.parent, os.W_OK):
            # Where SQLite cannot put its log and locks beside the file, only a promise that nobody writes lets it read.
            # Elsewhere (too many open files, say) the promise would be a lie, and changing pages would look corrupt.
            modes.append("mode=ro&immutable=1")
        for mode in modes:
            self._writable = mode == "mode=rw"
            try:
                return self._open_as(self._path, mode)
            except sqlite3.Error as error:
                if _primary(error) not in _CANNOT_OPEN:
                    raise
                failure = error
        if files.identity(self._path) != self._file:
            raise _MovedFileError("it was set aside just now")
        self._give_up("unusable", f"cannot be opened, so tuning results are kept in memory only: {failure}")
        return None

    def _open_as(self, path: Path, mode: str) -> Connection | None:
        connection = sqlite3.connect(
            f"{path.as_uri()}?{mode}",
            uri=True,
            timeout=self._busy_seconds,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            # Damaged text must reach the checksum, not fail in a decoder.
            connection.text_factory = bytes
            connection.execute("PRAGMA trusted_schema=OFF")
            connection.execute("PRAGMA cell_size_check=ON")
            state = schema.inspect(connection)
            match state:
                case FileState.OURS if self._writable:
                    schema.use_wal(connection)
                case FileState.NEW if self._writable:
                    schema.create(connection)
                case FileState.OLDER | FileState.DAMAGED:
                    raise _DamagedFileError("the tables are not those of this version")
                case FileState.FOREIGN:
                    # Not ours to rename: it may be someone's data, or the cache of a newer version.
                    self._give_up("foreign", "was made by another application or a newer version, so it is not used")
                    connection.close()
                    return None
                case FileState.NEW:
                    if files.identity(path) != self._file:  # while there was none it could not be opened to write
                        raise _MovedFileError("it was set aside just now")
                    self._give_up("read-only", "is empty and can only be read, so it is not used")
                    connection.close()
                    return None
            if not self._writable:
                self._reopen_at = time.monotonic() + REOPEN_SECONDS
                self._report("read-only", "can only be read, so new tuning results are kept in memory only")
        except BaseException:
            connection.close()
            raise
        return connection

    # Failing ----------------------------------------------------------------------------------------------------------

    def _recover(self, error: sqlite3.Error, deadline: float, purpose: str) -> bool:
        """Do what can be done about `error`; return whether to try again."""
        code = _primary(error)
        if code in _BUSY:
            if time.monotonic() < deadline:
                # SQLite waits by itself, but not for everything (two processes switching a new file to WAL).
                time.sleep(random.uniform(0.001, 0.02))
                return True
            self._pause(purpose)
            self._report("busy", f"is locked by another process, so it is left alone for {PAUSE_SECONDS:g} s: {error}")
            return False
        self._disconnect()
        if code in _CORRUPT or isinstance(error, _DamagedFileError):
            return self._set_aside(error)
        if isinstance(error, _MovedFileError) or _extended(error) == sqlite3.SQLITE_READONLY_DBMOVED:
            # Another process set the file aside just now: open what is there instead.
            return time.monotonic() < deadline
        if code in _NOT_WRITABLE and purpose == "write":
            self._pause("write")
            self._report("read-only", f"can only be read, so new tuning results are kept in memory only: {error}")
            return False
        self._give_up("failed", f"failed, so it is left alone for {PAUSE_SECONDS:g} s: {error}", purpose)
        return False

    def _set_aside(self, error: sqlite3.Error) -> bool:
        path = self._path
        if path is None:
            return False
        if files.identity(path) != self._file:
            return True
        # What can only be read may be changing under our hands, so it is not ours to judge.
        if (
            self._writable
            and self._set_aside_count < _MAX_SET_ASIDE
            and files.set_aside(path, self._file, self._busy_seconds)
        ):
            self._set_aside_count += 1
            self._report("corrupt", f"was corrupt, is now {path.name}.corrupt, and a new one is started: {error}")
            return True
        self._give_up("corrupt", f"is corrupt and cannot be set aside, so it is not used: {error}")
        return False

    def _give_up(self, kind: str, message: str, purpose: str | None = None) -> None:
        for name in (purpose,) if purpose else ("read", "write"):
            self._pause(name)
        self._report(kind, message)

    def _pause(self, purpose: str) -> None:
        self._paused_until[purpose] = time.monotonic() + PAUSE_SECONDS

    def _report(self, kind: str, message: str) -> None:
        if kind not in self._reported:
            self._reported.add(kind)
            text = f"the kernel cache {self._path} {message}"
            self.incidents.append(text)
            logger.warning(text)

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is None:
            return
        if self._pid != os.getpid():
            _abandoned.append(connection)
            return
        with contextlib.suppress(sqlite3.Error):
            connection.close()


def _extended(error: sqlite3.Error) -> int | None:
    """Return SQLite's code for `error`, None if it comes from Python's side."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return code


def _primary(error: sqlite3.Error) -> int | None:
    code = _extended(error)
    return None if code is None else code & 0xFF
