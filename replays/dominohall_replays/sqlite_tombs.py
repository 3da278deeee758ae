"""Tombstones in the SQLite store: what stays of a match whose log was moved to an archive."""

import sqlite3
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Final

from dominohall_replays.records import Entry, Head
from dominohall_replays.store import Archived, Forked, HistoryMissing, Tombstone, UnknownMatch

SELECT_HEAD: Final = """
    SELECT sequence, link FROM entry WHERE owner = ? AND match_id = ? ORDER BY sequence DESC LIMIT 1
"""
SELECT_LAST: Final = """
    SELECT sequence, previous, link, data, coalesce(stored_at, 0) FROM entry
    WHERE owner = ? AND match_id = ? ORDER BY sequence DESC LIMIT 1
"""
SELECT_TOMBSTONE: Final = """
    SELECT sequence, link, segment, log_offset, log_size FROM tombstone WHERE owner = ? AND match_id = ?
"""
INSERT_TOMBSTONE: Final = """
    INSERT INTO tombstone (owner, match_id, sequence, link, segment, log_offset, log_size) VALUES (?, ?, ?, ?, ?, ?, ?)
"""


class SqliteTombs:
    """The part of `SqliteStore` that makes it an `ArchivableStore`."""

    def last_entry(self, owner: str, match_id: str) -> tuple[Entry, float]:
        """Return the entry at the head and when it was stored (see `ArchivableStore.last_entry`)."""
        with self._reading() as connection:
            row = connection.execute(SELECT_LAST, (owner, match_id)).fetchone()
        if row is None:
            raise UnknownMatch
        return Entry(*row[:4]), float(row[4])

    def tombstone(self, owner: str, match_id: str) -> Tombstone | None:
        """Return the tombstone of a match, None if it was not archived."""
        with self._reading() as connection:
            return tombstone_of(connection, owner, match_id)

    def segments(self) -> frozenset[str]:
        """Return the names of all segments that tombstones lie in."""
        with self._reading() as connection:
            return frozenset(row[0] for row in connection.execute("SELECT DISTINCT segment FROM tombstone"))

    def bury(self, graves: Sequence[tuple[Head | None, Tombstone]]) -> None:
        """Put tombstones in the place of stored logs (see `ArchivableStore.bury`)."""
        with self._reading() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                for expected, tombstone in graves:
                    _bury(connection, expected, tombstone)
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @abstractmethod
    def _reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """Lend a connection."""


def _bury(connection: sqlite3.Connection, expected: Head | None, tombstone: Tombstone) -> None:
    owner, head = tombstone.owner, tombstone.head
    there = tombstone_of(connection, owner, head.match_id)
    if there is not None:
        raise Archived(there)
    stored = head_of(connection, owner, head.match_id)
    if stored != expected:
        raise HistoryMissing(None) if stored is None else Forked(stored)
    connection.execute("DELETE FROM entry WHERE owner = ? AND match_id = ?", (owner, head.match_id))
    connection.execute(INSERT_TOMBSTONE, (owner, *head, tombstone.segment, tombstone.offset, tombstone.size))


def head_of(connection: sqlite3.Connection, owner: str, match_id: str) -> Head | None:
    """Return where the stored log stands, None if no entry is stored."""
    row = connection.execute(SELECT_HEAD, (owner, match_id)).fetchone()
    return None if row is None else Head(match_id, *row)


def tombstone_of(connection: sqlite3.Connection, owner: str, match_id: str) -> Tombstone | None:
    """Return the tombstone of a match, None if it was not archived."""
    row = connection.execute(SELECT_TOMBSTONE, (owner, match_id)).fetchone()
    return None if row is None else Tombstone(owner, Head(match_id, row[0], row[1]), *row[2:])
