"""The embedded store: one SQLite file, shared by several processes of one machine.

The file's own constraints decide who is first, so processes need no agreement: an entry is inserted only behind the
entry it builds on, and its place can be taken once. Within a process one thread writes, a group of appends a commit;
reads use connections of their own and never wait for a write.
"""

import sqlite3
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from dominohall_replays.group_commit import Append, Committed, GroupCommit, untold
from dominohall_replays.page_tokens import page_token_of, read_page_token
from dominohall_replays.records import Entry, Head
from dominohall_replays.sqlite_file import Durability, connect
from dominohall_replays.sqlite_tombs import SqliteTombs, head_of, tombstone_of
from dominohall_replays.store import (
    AlreadyRecorded,
    Archived,
    Forked,
    HistoryMissing,
    Page,
    StoredMatch,
    StoreUnavailable,
    UnknownMatch,
    check_page_size,
)

Row = tuple[str, str, int, bytes, bytes, bytes, int]

ROWS_A_STATEMENT: Final = 64
ROWS_A_READ: Final = 256
INSERTS: Final = tuple(
    "INSERT INTO entry (owner, match_id, sequence, previous, link, data, stored_at) VALUES "  # noqa: S608 - constants
    + ",".join(["(?,?,?,?,?,?,?)"] * rows)
    for rows in range(ROWS_A_STATEMENT + 1)
)
"""``INSERTS[n]`` inserts n rows: one statement a group lets other threads run meanwhile, where a statement a row would
take and release the interpreter's lock each time."""
SELECT_ENTRIES: Final = """
    SELECT sequence, previous, link, data FROM entry
    WHERE owner = ? AND match_id = ? AND sequence >= ? ORDER BY sequence LIMIT ?
"""
SELECT_NEXT_MATCH: Final = """
    SELECT * FROM (
        SELECT * FROM (
            SELECT owner, match_id FROM entry WHERE (owner, match_id) > (?1, ?2) ORDER BY owner, match_id LIMIT 1)
        UNION ALL
        SELECT * FROM (
            SELECT owner, match_id FROM tombstone WHERE (owner, match_id) > (?1, ?2) ORDER BY owner, match_id LIMIT 1)
    ) ORDER BY owner, match_id LIMIT 1
"""


class SqliteStore(SqliteTombs):
    """A store in one SQLite file.

    `patience` is the seconds that a call waits for other processes before `StoreUnavailable`.
    """

    def __init__(
        self,
        path: Path,
        durability: Durability = Durability.POWER,
        *,
        patience: float = 5.0,
        committed: Committed = untold,
    ) -> None:
        self._path = Path(path)
        self._durability = durability
        self._patience = patience
        self._closed = False
        self._idle: deque[sqlite3.Connection] = deque()
        self._writer: sqlite3.Connection | None = self._connect()
        self._group_commit = GroupCommit(self._commit, "dominohall-sqlite-writer", committed)

    def append(self, owner: str, match_id: str, entries: Sequence[Entry]) -> None:
        """Append at the head and return when it is durable (see `Store.append`)."""
        self._group_commit.run(Append(owner, match_id, entries), 2 * self._patience + 1)

    def head(self, owner: str, match_id: str) -> Head | None:
        """Return where the log stands or stood when it was archived, None if there is no such match."""
        with self._reading() as connection:
            return _head(connection, owner, match_id)

    def entries(self, owner: str, match_id: str, from_sequence: int = 0) -> Iterator[Entry]:
        """Iterate over the stored entries in order (see `Store.entries`); `Archived` if they were moved."""
        first = self._read_entries(owner, match_id, from_sequence)
        if not first:
            with self._reading() as connection:
                if head_of(connection, owner, match_id) is None:
                    tombstone = tombstone_of(connection, owner, match_id)
                    raise UnknownMatch if tombstone is None else Archived(tombstone)
        return self._following(owner, match_id, first)

    def matches(self, owner: str | None = None, *, page_size: int = 100, page_token: str = "") -> Page:
        """List matches by owner and id (see `Store.matches`)."""
        check_page_size(page_size)
        place = read_page_token(page_token) if page_token else (owner or "", "")
        found: list[StoredMatch] = []
        with self._reading() as connection:
            while len(found) <= page_size:
                row = connection.execute(SELECT_NEXT_MATCH, place).fetchone()
                if row is None or (owner is not None and row[0] != owner):
                    break
                place = row
                head = _head(connection, *place)
                if head is not None:
                    found.append(StoredMatch(place[0], head))
        if len(found) <= page_size:
            return Page(tuple(found), "")
        last = found[page_size - 1]
        return Page(tuple(found[:page_size]), page_token_of(last.owner, last.head.match_id))

    def close(self) -> None:
        """Commit what is queued and close every connection."""
        self._group_commit.close()
        self._closed = True
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        while self._idle:
            self._idle.pop().close()

    def _connect(self) -> sqlite3.Connection:
        return connect(self._path, self._durability, self._patience)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection to one reader at a time; a connection that failed is not used again."""
        if self._closed:
            raise StoreUnavailable("the store is closed")
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._connect()
        sound = False
        try:
            yield connection
            sound = True
        except sqlite3.Error as error:
            raise StoreUnavailable(f"the store can't be read: {error}") from error
        finally:
            if sound:
                self._idle.append(connection)
            else:
                connection.close()

    def _read_entries(self, owner: str, match_id: str, from_sequence: int) -> list[Entry]:
        with self._reading() as connection:
            rows = connection.execute(SELECT_ENTRIES, (owner, match_id, from_sequence, ROWS_A_READ)).fetchall()
        return [Entry(*row) for row in rows]

    def _following(self, owner: str, match_id: str, entries: list[Entry]) -> Iterator[Entry]:
        """Read on in parts, so that no read transaction stays open between two steps of the caller."""
        while entries:
            yield from entries
            entries = self._read_entries(owner, match_id, entries[-1].sequence + 1)

    def _commit(self, group: list[Append]) -> list[Exception | None]:
        try:
            if self._writer is None:
                self._writer = self._connect()
            return _write(self._writer, group)
        except sqlite3.Error as error:
            self._drop_writer()
            message = f"the store can't be written: {error}; the entries may have been appended, repeating is safe"
            raise StoreUnavailable(message) from error
        except BaseException:
            self._drop_writer()
            raise

    def _drop_writer(self) -> None:
        """Let go of a connection that failed; closing it rolls back what was not committed."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def _write(connection: sqlite3.Connection, group: list[Append]) -> list[Exception | None]:
    """Commit a group: all at once if nothing stands in the way, otherwise each append on its own merits.

    A lone statement is a transaction of its own, which takes and commits all of its rows or none.
    """
    rows = [row for append in group for row in _rows(append)]
    try:
        if len(rows) <= ROWS_A_STATEMENT:
            _insert(connection, rows)
            return [None] * len(group)
        connection.execute("BEGIN IMMEDIATE")
        _insert(connection, rows)
        fates: list[Exception | None] = [None] * len(group)
    except sqlite3.IntegrityError:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        connection.execute("BEGIN IMMEDIATE")
        fates = [_append(connection, append) for append in group]
    connection.execute("COMMIT")
    return fates


def _append(connection: sqlite3.Connection, append: Append) -> Exception | None:
    """Insert the entries of one append if they belong at the head; say what stands in their way otherwise."""
    owner, match_id, entries = append.owner, append.match_id, append.entries
    first = entries[0]
    head = head_of(connection, owner, match_id)
    if head is None:
        tombstone = tombstone_of(connection, owner, match_id)
        if tombstone is not None:
            return Archived(tombstone)
    end = -1 if head is None else head.sequence
    if first.sequence <= end:
        stored = connection.execute(SELECT_ENTRIES, (owner, match_id, first.sequence, len(entries))).fetchall()
        return AlreadyRecorded([Entry(*row) for row in stored])
    if first.sequence > end + 1:
        return HistoryMissing(head)
    if head is not None and head.link != first.previous:
        return Forked(head)
    _insert(connection, _rows(append))
    return None


def _rows(append: Append) -> list[Row]:
    now = int(time.time())
    return [(append.owner, append.match_id, *entry, now) for entry in append.entries]


def _insert(connection: sqlite3.Connection, rows: list[Row]) -> None:
    for start in range(0, len(rows), ROWS_A_STATEMENT):
        part = rows[start : start + ROWS_A_STATEMENT]
        connection.execute(INSERTS[len(part)], [value for row in part for value in row])


def _head(connection: sqlite3.Connection, owner: str, match_id: str) -> Head | None:
    head = head_of(connection, owner, match_id)
    if head is None:
        tombstone = tombstone_of(connection, owner, match_id)
        head = None if tombstone is None else tombstone.head
    return head
