"""Where the cache file lies, how it is made private, and how a corrupt one is set aside."""

import contextlib
import os
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import platformdirs

from kernel_cache.schema import SCHEMA_VERSION

if sys.platform != "win32":
    import fcntl

FOLDER_VARIABLE = "LAZYARR_CACHE_DIR"

FileIdentity = tuple[int, int]
"""Device and inode of a file."""


def default_path() -> Path:
    """Return the path of the cache file: in ``LAZYARR_CACHE_DIR`` if set, else in the user's cache folder.

    Raises:
        RuntimeError: there is no home folder to put it in.
    """
    chosen = os.environ.get(FOLDER_VARIABLE)
    folder = Path(chosen).expanduser() if chosen else platformdirs.user_cache_path("lazyarr", appauthor=False)
    return folder / f"kernels-v{SCHEMA_VERSION}.sqlite3"


def make_private(path: Path) -> None:
    """Make the file `path` (empty) and its folder if they are missing, readable and writable by the user alone.

    SQLite gives ``-wal`` and ``-shm`` the mode of the file. An existing file of ours is made private, too.

    Raises:
        OSError: it does not exist and cannot be made.
    """
    # `mode` holds for the last folder only; those above it are not ours to restrict.
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        try:
            status = os.stat(path)
        except FileNotFoundError:
            # Set aside by another process just now; but a link to nowhere is one at the second look, too.
            if path.is_symlink():
                raise
            make_private(path)
            return
        ours = hasattr(os, "getuid") and status.st_uid == os.getuid()
        # Whatever else was named by mistake (a folder, a device) keeps its mode.
        if ours and stat.S_ISREG(status.st_mode) and status.st_mode & 0o077:
            with contextlib.suppress(OSError):
                os.chmod(path, 0o600)
        return
    _sync_folder(path.parent)


def is_trusted(path: Path) -> bool:
    """Whether the file belongs to the user or to root: its binaries are run, so nobody else may plant them.

    A file that is gone again is trusted: there is nothing in it.
    """
    try:
        return not hasattr(os, "getuid") or os.stat(path).st_uid in (os.getuid(), 0)
    except OSError:
        return True


def identity(path: Path) -> FileIdentity | None:
    """Return which file lies at `path` now, None if there is none or it cannot be seen."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def set_aside(path: Path, damaged: FileIdentity | None, patience: float) -> bool:
    """Rename the corrupt file to ``<name>.corrupt``, replacing an earlier one, unless someone else already did.

    Args:
        path: the cache file.
        damaged: which file was found corrupt: one that has taken its place since is left alone.
        patience: how many seconds to wait for another process that is doing the same.

    Returns:
        Whether the corrupt file is out of the way.
    """
    try:
        with _locked(path.with_name(path.name + ".lock"), patience):
            if damaged is None or identity(path) != damaged:
                return True
            # The log goes first: one that is left behind would be replayed into the new file.
            for suffix in ("-wal", "-shm", "-journal"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            os.replace(path, path.with_name(path.name + ".corrupt"))
    except OSError:
        return False
    return True


@contextlib.contextmanager
def _locked(path: Path, patience: float) -> Iterator[None]:
    with open(path, "ab", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        _wait_for_lock(file, time.monotonic() + patience)
        yield


def _wait_for_lock(file: IO[bytes], deadline: float) -> None:
    # Windows refuses to rename a file that anyone has open, so there is nothing to guard.
    if sys.platform != "win32":
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(0.01)


def _sync_folder(folder: Path) -> None:
    """Make the new file's name durable, as far as the system allows: a begun trial must outlive the machine."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
