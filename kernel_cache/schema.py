"""The tables of the cache file, and how to tell our file from others."""

import sqlite3
from enum import Enum, auto

# In the header of every file we make: "LzKC". Another application's database has another number, or none.
APPLICATION_ID = 0x4C7A4B43

# Rises with every change of the tables, of the encoding of a row, or of the JSON of a key. It is part of the default
# file's name, so that two installed versions do not take the file from each other.
SCHEMA_VERSION = 1

# When a key was last used stands apart from the entry, so that noting it does not rewrite binaries.
TABLES = {
    "keys": "CREATE TABLE keys (digest TEXT PRIMARY KEY NOT NULL, key TEXT NOT NULL, last_used REAL NOT NULL)",
    "entries": (
        "CREATE TABLE entries (digest TEXT PRIMARY KEY NOT NULL, document TEXT NOT NULL, binaries BLOB NOT NULL, "
        "seconds REAL, tuned INTEGER NOT NULL, created REAL NOT NULL, checksum BLOB NOT NULL)"
    ),
    "trials": (
        "CREATE TABLE trials (digest TEXT NOT NULL, configuration TEXT NOT NULL, record TEXT NOT NULL, "
        "checksum BLOB NOT NULL, PRIMARY KEY (digest, configuration))"
    ),
}


_OBJECTS = "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~'"


class FileState(Enum):
    """Whose file this is."""

    NEW = auto()
    OURS = auto()
    OLDER = auto()
    FOREIGN = auto()
    DAMAGED = auto()


def inspect(connection: sqlite3.Connection) -> FileState:
    """Return whose file `connection` has open, reading its header and its list of tables only.

    The tables must be exactly ours: a file with a view or a trigger of its own could run SQL when it is read.

    Raises:
        sqlite3.Error: the file cannot be read.
    """
    # One snapshot: a file that another process is just making ours must look new or ours, not half of each.
    outer = connection.in_transaction
    if not outer:
        connection.execute("BEGIN")
    try:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        found = set(connection.execute(_OBJECTS).fetchall())
    finally:
        # A failed read may have ended the transaction already; its error must not be hidden by another.
        if not outer and connection.in_transaction:
            connection.execute("ROLLBACK")
    if application == 0 and version == 0 and not found:
        return FileState.NEW
    if application != APPLICATION_ID or version > SCHEMA_VERSION:
        return FileState.FOREIGN
    if version < SCHEMA_VERSION:
        return FileState.OLDER
    expected = {(b"table", name.encode(), sql.encode()) for name, sql in TABLES.items()}
    return FileState.OURS if found == expected else FileState.DAMAGED


def create(connection: sqlite3.Connection) -> None:
    """Make a new file ours, unless another process does so at the same moment.

    Raises:
        sqlite3.Error: the file cannot be written.
    """
    # Must come before the first table; lets `prune` give pages back to the file system.
    connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
    use_wal(connection)
    connection.execute("BEGIN IMMEDIATE")
    try:
        if inspect(connection) is FileState.NEW:
            for sql in TABLES.values():
                connection.execute(sql)
            connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def use_wal(connection: sqlite3.Connection) -> None:
    """Switch to a write-ahead log, where readers never wait for a writer, unless the file has one already."""
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != b"wal":
        # A file system without shared memory answers with the old mode instead, which works too, only more slowly.
        connection.execute("PRAGMA journal_mode=WAL").fetchone()
