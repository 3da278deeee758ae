"""A store with its archive behind it: who reads sees no difference, who writes to an archived match is refused."""

from collections.abc import Iterator, Sequence
from typing import Final

from dominohall_replays.archive import Archive
from dominohall_replays.records import Entry, Head
from dominohall_replays.store import AlreadyRecorded, Archived, Page, Store

READ_AT_ONCE: Final = 256
"""The most entries that a store reads in one look; a longer log can be archived between two looks."""


class ArchivedStore:
    """A store that reads on in an archive where its logs were moved."""

    def __init__(self, store: Store, archive: Archive) -> None:
        self._store = store
        self._archive = archive

    def append(self, owner: str, match_id: str, entries: Sequence[Entry]) -> None:
        """Append at the head (see `Store.append`).

        To an archived match: `AlreadyRecorded` for entries that stand in its log, so a late repetition has its answer;
        `Archived` for a new beginning and for anything behind its end.
        """
        try:
            self._store.append(owner, match_id, entries)
        except Archived as error:
            first = entries[0].sequence
            if 0 < first <= error.tombstone.head.sequence:
                stored = self._archive.entries(error.tombstone)
                raise AlreadyRecorded(stored[first : first + len(entries)]) from None
            raise

    def head(self, owner: str, match_id: str) -> Head | None:
        """Return where the log stands or stood when it was archived, None if there is no such match."""
        return self._store.head(owner, match_id)

    def entries(self, owner: str, match_id: str, from_sequence: int = 0) -> Iterator[Entry]:
        """Iterate over the entries in order, from wherever they are (see `Store.entries`)."""
        try:
            found = self._store.entries(owner, match_id, from_sequence)
        except Archived as error:
            return iter(self._archive.entries(error.tombstone)[from_sequence:])
        return self._to_the_end(owner, match_id, from_sequence, found)

    def matches(self, owner: str | None = None, *, page_size: int = 100, page_token: str = "") -> Page:
        """List the matches of an owner, or of all, archived ones too (see `Store.matches`)."""
        return self._store.matches(owner, page_size=page_size, page_token=page_token)

    def close(self) -> None:
        """Close the store."""
        self._store.close()

    def _to_the_end(self, owner: str, match_id: str, start: int, found: Iterator[Entry]) -> Iterator[Entry]:
        """Go on in the archive if the log was moved while it was being read."""
        following = start
        for entry in found:
            yield entry
            following = entry.sequence + 1
        if following - start >= READ_AT_ONCE:
            try:
                yield from self._store.entries(owner, match_id, following)
            except Archived as error:
                yield from self._archive.entries(error.tombstone)[following:]
