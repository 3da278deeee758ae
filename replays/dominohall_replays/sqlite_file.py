"""The SQLite file of a store: how it is opened, laid out and brought up to date."""

import sqlite3
import time
from enum import StrEnum
from pathlib import Path
from typing import Final

from dominohall_replays.store import StoreUnavailable

APPLICATION_ID: Final = 0x444F4D48
"""`DOMH`: marks the file as ours, so that no other program's database is written to."""
PAUSE: Final = 0.02
"""Seconds between two tries to enter WAL mode, which SQLite's own busy handler does not cover."""

LAYOUT: Final = (
    """
    CREATE TABLE entry (
        owner TEXT NOT NULL,
        match_id TEXT NOT NULL,
        sequence INTEGER NOT NULL CHECK (sequence >= 0),
        previous BLOB NOT NULL CHECK (length(previous) = 32),
        link BLOB NOT NULL CHECK (length(link) = 32),
        data BLOB NOT NULL,
        PRIMARY KEY (owner, match_id, sequence)
    ) WITHOUT ROWID
    """,
    # With the primary key this is the whole of "append only at the head": no gap, no fork, first writer wins.
    """
    CREATE TRIGGER entry_builds_on_head BEFORE INSERT ON entry
    WHEN NEW.sequence > 0 AND NOT EXISTS (
        SELECT 1 FROM entry
        WHERE owner = NEW.owner AND match_id = NEW.match_id AND sequence = NEW.sequence - 1 AND link = NEW.previous
    )
    BEGIN SELECT RAISE(ABORT, 'not at the head'); END
    """,
    "CREATE TRIGGER entry_stands BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'entries are never changed'); END",
)
TOMBSTONES: Final = (
    "ALTER TABLE entry ADD COLUMN stored_at INTEGER",  # seconds since 1970; not known of older entries
    """
    CREATE TABLE tombstone (
        owner TEXT NOT NULL,
        match_id TEXT NOT NULL,
        sequence INTEGER NOT NULL CHECK (sequence >= 0),
        link BLOB NOT NULL CHECK (length(link) = 32),
        segment TEXT NOT NULL,
        log_offset INTEGER NOT NULL CHECK (log_offset >= 0),
        log_size INTEGER NOT NULL CHECK (log_size > 0),
        PRIMARY KEY (owner, match_id)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX tombstone_segment ON tombstone (segment)",
    """
    CREATE TRIGGER entry_begins_once BEFORE INSERT ON entry
    WHEN NEW.sequence = 0
    AND EXISTS (SELECT 1 FROM tombstone WHERE owner = NEW.owner AND match_id = NEW.match_id)
    BEGIN SELECT RAISE(ABORT, 'the match is archived'); END
    """,
)
STEPS: Final = (LAYOUT, TOMBSTONES)
"""Each brings a file from the version of its place to the next."""
VERSION: Final = len(STEPS)
"""Version of the layout, kept in the file's `user_version`."""


class Durability(StrEnum):
    """What an acknowledged append survives.

    What it costs, measured on two cores of a virtual machine with a local disk: alone 0.45 to 0.6 ms under `power` (a
    wait for the disk), 0.06 to 0.09 ms under the others; among 32 callers about 0.1 to 0.17 ms each under any of them,
    for they share a commit, and changing threads is what is left.
    """

    POWER = "power"
    """Loss of power: every commit waits for the disk (`synchronous=FULL`)."""
    PROCESS = "process"
    """The death of the process, by SIGKILL too; a loss of power may take the last moments (`synchronous=NORMAL`)."""
    NONE = "none"
    """Nothing is promised after a crash of the machine, not even a readable file (`synchronous=OFF`)."""


_SYNCHRONOUS: Final = {Durability.POWER: "FULL", Durability.PROCESS: "NORMAL", Durability.NONE: "OFF"}


def connect(path: Path, durability: Durability, patience: float) -> sqlite3.Connection:
    """Open the file, laid out and in WAL mode; wait at most `patience` seconds for others.

    `StoreUnavailable` if it can't be opened, is another program's, or was laid out by a newer build.
    """
    try:
        connection = sqlite3.connect(path, timeout=patience, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise StoreUnavailable(f"the store's file can't be opened: {error}") from error
    try:
        _enter_wal(connection, patience)
        connection.execute(f"PRAGMA synchronous = {_SYNCHRONOUS[durability]}")
        connection.execute("PRAGMA trusted_schema = OFF")
        _lay_out(connection)
    except sqlite3.Error as error:
        connection.close()
        raise StoreUnavailable(f"the store's file can't be used: {error}") from error
    except StoreUnavailable:
        connection.close()
        raise
    return connection


def _enter_wal(connection: sqlite3.Connection, patience: float) -> None:
    deadline = time.monotonic() + patience
    while True:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(PAUSE)
            continue
        if mode != "wal":
            raise StoreUnavailable(
                f"the store's file needs a local disk: SQLite offers the journal mode {mode}, not wal"
            )
        return


def _lay_out(connection: sqlite3.Connection) -> None:
    """Create the layout, or bring it up to date, in one transaction that other processes wait for."""
    if _settled(connection):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _version(connection)
        if version > VERSION:
            raise StoreUnavailable(f"expected a store's layout of at most version {VERSION}, got {version}")
        for step in STEPS[version:]:
            for statement in step:
                connection.execute(statement)
        if version == 0:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _settled(connection: sqlite3.Connection) -> bool:
    """Say whether the layout is the newest; read in one transaction, for another process may be laying it out."""
    connection.execute("BEGIN")
    try:
        return _version(connection) == VERSION
    finally:
        connection.execute("COMMIT")


def _version(connection: sqlite3.Connection) -> int:
    """Return the version of the layout, 0 for an empty file; refuse the database of another program."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application != APPLICATION_ID and (application or version or tables):
        raise StoreUnavailable("the file is a database of another program")
    return int(version)
