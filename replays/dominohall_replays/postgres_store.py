"""The shared store: one PostgreSQL database, used by any number of processes on any number of machines.

The tables' own constraints decide who is first (`postgres_schema`), so processes need no agreement. Within a process
one thread writes, a group of appends in one statement; reads use a bounded number of connections of their own.

A connection that turns out to be dead is replaced and the call repeated once: whether or not the first try arrived,
the second finds out, because an entry has one place. After that the store is unavailable.
"""

from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from typing import Final, TypeVar

import psycopg
from psycopg.types.numeric import Int4

from dominohall_replays.group_commit import Append, Committed, GroupCommit, untold
from dominohall_replays.page_tokens import page_token_of, read_page_token
from dominohall_replays.postgres_link import Connection, Link, Pool, prepared, told
from dominohall_replays.postgres_tombs import PostgresTombs, head_of, tombstone_of
from dominohall_replays.records import Entry, Head
from dominohall_replays.sqlite_file import Durability
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

AnswerT = TypeVar("AnswerT")

ROWS_A_STATEMENT: Final = 512
ROWS_A_READ: Final = 256
TRIES: Final = 8
"""How often an append that lost a race looks again; each try found another entry or another head."""
COLUMNS: Final = "(owner, match_id, sequence, previous, link, data)"
INSERT_ONE: Final = f"INSERT INTO entry {COLUMNS} VALUES (%b, %b, %b, %b, %b, %b)"  # noqa: S608 - of constants alone
INSERT: Final = (
    f"INSERT INTO entry {COLUMNS} SELECT * FROM unnest("  # noqa: S608 - of constants alone
    "%b::bytea[], %b::bytea[], %b::integer[], %b::bytea[], %b::bytea[], %b::bytea[])"
)
"""One text for groups of every size, so the server plans it once."""
SELECT_ENTRIES: Final = """
    SELECT sequence, previous, link, data FROM entry
    WHERE owner = %b AND match_id = %b AND sequence >= %b ORDER BY sequence LIMIT %b
"""
SELECT_MATCHES: Final = """
    SELECT owner, match_id, sequence, link FROM (
        (SELECT owner, match_id, head.sequence, head.link
         FROM entry first CROSS JOIN LATERAL (
            SELECT sequence, link FROM entry e
            WHERE e.owner = first.owner AND e.match_id = first.match_id ORDER BY sequence DESC LIMIT 1
         ) head
         WHERE first.sequence = 0 AND (owner, match_id) > (%(owner)b, %(match_id)b)
         AND (%(only)b::bytea IS NULL OR owner = %(only)b) ORDER BY owner, match_id LIMIT %(rows)b)
        UNION ALL
        (SELECT owner, match_id, sequence, link FROM tombstone
         WHERE (owner, match_id) > (%(owner)b, %(match_id)b)
         AND (%(only)b::bytea IS NULL OR owner = %(only)b) ORDER BY owner, match_id LIMIT %(rows)b)
    ) matches ORDER BY owner, match_id LIMIT %(rows)b
"""


class PostgresStore(PostgresTombs):
    """A store in one PostgreSQL database, named by its address (`postgresql://USER@HOST/DATABASE`).

    `patience` is the seconds that a call waits for a connection, for a lock or for an answer; `readers` how many
    connections there are beside the writer's. What the address leaves out comes from libpq's environment (PGPASSFILE
    and its kin).
    """

    def __init__(
        self,
        url: str,
        durability: Durability = Durability.POWER,
        *,
        patience: float = 5.0,
        readers: int = 4,
        committed: Committed = untold,
    ) -> None:
        self._patience = patience
        self._link = Link(url, durability, patience)
        try:
            self._writer: Connection | None = prepared(self._link)
        except BaseException:
            self._link.watch.stop()
            raise
        self._pool = Pool(self._link, readers, patience)
        self._group_commit = GroupCommit(self._commit, "dominohall-postgres-writer", committed)

    def append(self, owner: str, match_id: str, entries: Sequence[Entry]) -> None:
        """Append at the head and return when it is durable (see `Store.append`)."""
        self._group_commit.run(Append(owner, match_id, entries), 2 * self._patience + 1)

    def head(self, owner: str, match_id: str) -> Head | None:
        """Return where the log stands or stood when it was archived, None if there is no such match."""

        def ask(connection: Connection) -> Head | None:
            head = head_of(connection, owner, match_id)
            if head is None:
                tombstone = tombstone_of(connection, owner, match_id)
                head = None if tombstone is None else tombstone.head
            return head

        return self._read(ask)

    def entries(self, owner: str, match_id: str, from_sequence: int = 0) -> Iterator[Entry]:
        """Iterate over the stored entries in order (see `Store.entries`); `Archived` if they were moved."""

        def begin(connection: Connection) -> list[Entry]:
            found = _entries(connection, owner, match_id, from_sequence, ROWS_A_READ)
            if not found and head_of(connection, owner, match_id) is None:
                tombstone = tombstone_of(connection, owner, match_id)
                raise UnknownMatch if tombstone is None else Archived(tombstone)
            return found

        return self._following(owner, match_id, self._read(begin))

    def matches(self, owner: str | None = None, *, page_size: int = 100, page_token: str = "") -> Page:
        """List matches by owner and id, archived ones too (see `Store.matches`)."""
        check_page_size(page_size)
        after = read_page_token(page_token) if page_token else (owner or "", "")
        asked = {
            "owner": after[0].encode(),
            "match_id": after[1].encode(),
            "only": None if owner is None else owner.encode(),
            "rows": Int4(page_size + 1),
        }
        rows = self._read(lambda connection: connection.execute(SELECT_MATCHES, asked, binary=True).fetchall())
        found = [StoredMatch(row[0].decode(), Head(row[1].decode(), row[2], row[3])) for row in rows]
        if len(found) <= page_size:
            return Page(tuple(found), "")
        last = found[page_size - 1]
        return Page(tuple(found[:page_size]), page_token_of(last.owner, last.head.match_id))

    def close(self) -> None:
        """Commit what is queued and close every connection."""
        self._group_commit.close()
        self._drop_writer()
        self._pool.close()
        self._link.watch.stop()

    def _read(self, ask: Callable[[Connection], AnswerT]) -> AnswerT:
        """Ask a question on a reader's connection, once more on a fresh one if that connection was dead."""
        fresh, started = False, monotonic()
        while True:
            try:
                with self._pool.lent(fresh=fresh) as connection:
                    return ask(connection)
            except psycopg.Error as error:
                self._pool.drop_idle()
                if fresh or not self._may_repeat(error, started):
                    raise StoreUnavailable(f"the store can't be read: {told(error)}") from None
                fresh = True

    def _may_repeat(self, error: psycopg.Error, started: float) -> bool:
        """Say whether a call is worth a second try: its connection was lost, and the caller has time left to wait."""
        return isinstance(error, psycopg.OperationalError) and monotonic() - started < self._patience / 2

    def _following(self, owner: str, match_id: str, entries: list[Entry]) -> Iterator[Entry]:
        """Read on in parts, so that no connection is held between two steps of the caller."""
        while entries:
            yield from entries
            start = entries[-1].sequence + 1
            entries = self._read(
                lambda connection, start=start: _entries(connection, owner, match_id, start, ROWS_A_READ)  # type: ignore[misc]
            )

    def _commit(self, group: list[Append]) -> list[Exception | None]:
        fresh, started = self._writer is None, monotonic()
        try:
            return self._write(group, repeated=False)
        except psycopg.Error as error:
            self._drop_writer()
            if fresh or not self._may_repeat(error, started):
                raise _unwritten(error) from None
        except BaseException:
            self._drop_writer()
            raise
        try:
            return self._write(group, repeated=True)
        except psycopg.Error as error:
            self._drop_writer()
            raise _unwritten(error) from None

    def _write(self, group: list[Append], *, repeated: bool) -> list[Exception | None]:
        """Commit a group: all at once if nothing stands in the way, otherwise each append on its own merits.

        When it is `repeated` the first try may have arrived: entries that stand as they were given are a success.
        """
        if self._writer is None:
            self._writer = self._link.open()
        with self._link.watch.over(self._writer) as connection:
            if not repeated and _inserted(connection, group):
                return [None] * len(group)
        fates = []
        for append in group:
            with self._link.watch.over(self._writer) as connection:
                fates.append(_append(connection, append, repeated=repeated))
        return fates

    def _drop_writer(self) -> None:
        """Let go of a connection that failed; the server rolls back what was not committed."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def _inserted(connection: Connection, group: Sequence[Append]) -> bool:
    """Insert the entries of a group, all or none; say whether each was at its place.

    In the order of their keys, so that two processes that insert the same places wait for each other in one direction.
    """
    rows = sorted(
        (append.owner.encode(), append.match_id.encode(), *entry) for append in group for entry in append.entries
    )
    try:
        if len(rows) <= ROWS_A_STATEMENT:
            _insert(connection, rows)
        else:
            with connection.transaction():
                for start in range(0, len(rows), ROWS_A_STATEMENT):
                    _insert(connection, rows[start : start + ROWS_A_STATEMENT])
    except psycopg.IntegrityError:
        return False
    return True


def _insert(connection: Connection, rows: Sequence[tuple[bytes, bytes, int, bytes, bytes, bytes]]) -> None:
    """Insert rows in one statement, which is a transaction of its own outside of one."""
    if len(rows) == 1:
        owner, match_id, sequence, *rest = rows[0]
        connection.execute(INSERT_ONE, (owner, match_id, Int4(sequence), *rest))
        return
    owners, match_ids, sequences, *columns = (list(column) for column in zip(*rows, strict=True))
    connection.execute(INSERT, (owners, match_ids, [Int4(each) for each in sequences], *columns))


def _append(connection: Connection, append: Append, *, repeated: bool) -> Exception | None:
    """Insert the entries of one append if they belong at the head; say what stands in their way otherwise."""
    for _ in range(TRIES):
        why = _refusal(connection, append)
        if why is not None:
            return None if repeated and _is_done(why, append.entries) else why
        if _inserted(connection, [append]):
            return None
    return StoreUnavailable("the match changed too often to append to it; nothing was appended")


def _is_done(why: Exception, entries: Sequence[Entry]) -> bool:
    return isinstance(why, AlreadyRecorded) and list(why.entries) == list(entries)


def _refusal(connection: Connection, append: Append) -> Exception | None:
    """Say what stands in the way of an append now, None if nothing does."""
    owner, match_id, entries = append.owner, append.match_id, append.entries
    first = entries[0]
    head = head_of(connection, owner, match_id)
    if head is None:
        tombstone = tombstone_of(connection, owner, match_id)
        if tombstone is not None:
            return Archived(tombstone)
        return None if first.sequence == 0 else HistoryMissing(None)
    if first.sequence <= head.sequence:
        return AlreadyRecorded(_entries(connection, owner, match_id, first.sequence, len(entries)))
    if first.sequence > head.sequence + 1:
        return HistoryMissing(head)
    return None if head.link == first.previous else Forked(head)


def _entries(connection: Connection, owner: str, match_id: str, from_sequence: int, rows: int) -> list[Entry]:
    asked = (owner.encode(), match_id.encode(), Int4(from_sequence), Int4(rows))
    return [Entry(*row) for row in connection.execute(SELECT_ENTRIES, asked, binary=True)]


def _unwritten(error: psycopg.Error) -> StoreUnavailable:
    return StoreUnavailable(
        f"the store can't be written: {told(error)}; the entries may have been appended, repeating is safe"
    )
