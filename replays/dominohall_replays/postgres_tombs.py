"""Tombstones in the PostgreSQL store: what stays of a match whose log was moved to an archive."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from dominohall_replays.records import Entry, Head
from dominohall_replays.store import Archived, Forked, HistoryMissing, Tombstone, UnknownMatch

if TYPE_CHECKING:
    from dominohall_replays.postgres_link import Connection

AnswerT = TypeVar("AnswerT")

SELECT_HEAD: Final = """
    SELECT sequence, link FROM entry WHERE owner = %b AND match_id = %b ORDER BY sequence DESC LIMIT 1
"""
SELECT_LAST: Final = """
    SELECT sequence, previous, link, data, extract(epoch FROM stored_at)::float8 FROM entry
    WHERE owner = %b AND match_id = %b ORDER BY sequence DESC LIMIT 1
"""
SELECT_TOMBSTONE: Final = """
    SELECT sequence, link, segment, log_offset, log_size FROM tombstone WHERE owner = %b AND match_id = %b
"""
INSERT_TOMBSTONE: Final = """
    INSERT INTO tombstone (owner, match_id, sequence, link, segment, log_offset, log_size)
    VALUES (%b, %b, %s, %b, %s, %s, %s)
"""
SELECT_SEGMENTS: Final = """
    WITH RECURSIVE named (segment) AS (
        (SELECT segment FROM tombstone ORDER BY segment LIMIT 1)
        UNION ALL
        SELECT (SELECT segment FROM tombstone t WHERE t.segment > named.segment ORDER BY segment LIMIT 1)
        FROM named WHERE named.segment IS NOT NULL
    ) SELECT segment FROM named WHERE segment IS NOT NULL
"""


class PostgresTombs:
    """The part of `PostgresStore` that makes it an `ArchivableStore`."""

    def last_entry(self, owner: str, match_id: str) -> tuple[Entry, float]:
        """Return the entry at the head and when it was stored (see `ArchivableStore.last_entry`)."""
        key = (owner.encode(), match_id.encode())
        row = self._read(lambda connection: connection.execute(SELECT_LAST, key, binary=True).fetchone())
        if row is None:
            raise UnknownMatch
        return Entry(*row[:4]), row[4]

    def tombstone(self, owner: str, match_id: str) -> Tombstone | None:
        """Return the tombstone of a match, None if it was not archived."""
        return self._read(lambda connection: tombstone_of(connection, owner, match_id))

    def segments(self) -> frozenset[str]:
        """Return the names of all segments that tombstones lie in."""
        rows = self._read(lambda connection: connection.execute(SELECT_SEGMENTS).fetchall())
        return frozenset(row[0] for row in rows)

    def bury(self, graves: Sequence[tuple[Head | None, Tombstone]]) -> None:
        """Put tombstones in the place of stored logs (see `ArchivableStore.bury`).

        Appends of every process wait meanwhile, so that none can go behind an entry that is being taken away.
        """

        def dig(connection: "Connection") -> None:
            with connection.transaction():
                connection.execute("LOCK TABLE entry IN SHARE ROW EXCLUSIVE MODE")
                for expected, tombstone in graves:
                    if tombstone_of(connection, tombstone.owner, tombstone.head.match_id) == tombstone:
                        continue  # put by a try whose answer was lost
                    why = _hindrance(connection, expected, tombstone)
                    if why is not None:
                        raise why
                    key = (tombstone.owner.encode(), tombstone.head.match_id.encode())
                    connection.execute("DELETE FROM entry WHERE owner = %b AND match_id = %b", key)
                    where = (tombstone.segment, tombstone.offset, tombstone.size)
                    connection.execute(INSERT_TOMBSTONE, (*key, tombstone.head.sequence, tombstone.head.link, *where))

        self._read(dig)

    @abstractmethod
    def _read(self, ask: "Callable[[Connection], AnswerT]") -> AnswerT:
        """Ask a question on a connection of its own."""


def _hindrance(connection: "Connection", expected: Head | None, tombstone: Tombstone) -> Exception | None:
    """Say why a tombstone can't be put, None if it can."""
    owner, match_id = tombstone.owner, tombstone.head.match_id
    there = tombstone_of(connection, owner, match_id)
    if there is not None:
        return Archived(there)
    head = head_of(connection, owner, match_id)
    if head == expected:
        return None
    return HistoryMissing(None) if head is None else Forked(head)


def head_of(connection: "Connection", owner: str, match_id: str) -> Head | None:
    """Return where the stored log stands, None if no entry is stored."""
    row: Any = connection.execute(SELECT_HEAD, (owner.encode(), match_id.encode()), binary=True).fetchone()
    return None if row is None else Head(match_id, *row)


def tombstone_of(connection: "Connection", owner: str, match_id: str) -> Tombstone | None:
    """Return the tombstone of a match, None if it was not archived."""
    row: Any = connection.execute(SELECT_TOMBSTONE, (owner.encode(), match_id.encode()), binary=True).fetchone()
    return None if row is None else Tombstone(owner, Head(match_id, row[0], row[1]), *row[2:])
