"""What a store of logs promises: an entry is appended only at the head, once, and is there when `append` returns.

A store knows owners, match ids, sequences, links and bytes; it never reads a record. Matches of different owners never
meet: the key is (owner, match id), and an owner that asks for another's match learns nothing of it.

    StoreError (ReplayError)
    ├── AlreadyRecorded     entries stand at these sequences; carries them, for the caller to compare
    ├── Forked              another entry stands where the given ones claim to build; carries the stored head
    ├── HistoryMissing      the store ends before the entries that these build on; carries the stored head
    ├── Archived            the log was moved to an archive; carries its tombstone, which stays for good
    ├── UnknownMatch        no such match of this owner
    └── StoreUnavailable    the store can't answer; what was asked may have been applied, and repeating it is safe

Everything is synchronous and may be called from any thread. The contract that every store passes is
`tests/replays/test_store_contract.py`.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

from dominohall_replays.errors import ReplayError
from dominohall_replays.records import NO_HASH, Entry, Head

__all__ = [
    "AlreadyRecorded",
    "ArchivableStore",
    "Archived",
    "Entry",
    "Forked",
    "Head",
    "HistoryMissing",
    "Page",
    "Store",
    "StoreError",
    "StoreUnavailable",
    "StoredMatch",
    "Tombstone",
    "UnknownMatch",
    "check_run",
]

GREATEST_PAGE: int = 1000


class StoreError(ReplayError):
    """The root of what a store raises."""


class AlreadyRecorded(StoreError):
    """Entries stand at these sequences; nothing was written.

    `entries` are the stored ones from the first sequence that was given, at most as many as were given. If they hold
    the same moves (`reading.same_move`) this was a repetition, and they are its answer; otherwise the match forked.
    """

    def __init__(self, entries: Sequence[Entry]) -> None:
        super().__init__(f"an entry stands at sequence {entries[0].sequence} already")
        self.entries = tuple(entries)


class Forked(StoreError):
    """The store's head has the sequence these entries build on, and another link; nothing was written."""

    def __init__(self, head: Head) -> None:
        super().__init__(f"another entry stands at sequence {head.sequence}")
        self.head = head


class HistoryMissing(StoreError):
    """The store ends before the entries that these build on; nothing was written.

    `head` is where it ends, None if it has nothing of the match.
    """

    def __init__(self, head: Head | None) -> None:
        where = "it has nothing of this match" if head is None else f"it ends at sequence {head.sequence}"
        super().__init__(f"the store lacks the history that these entries build on: {where}")
        self.head = head


class Tombstone(NamedTuple):
    """What stays in a store of a match whose log was moved to an archive: where it ended, and where its log lies."""

    owner: str
    head: Head
    segment: str
    """The name of the segment that holds the log."""
    offset: int
    """The first byte of the log in that segment, or of the block that has it."""
    size: int
    """The bytes of the log or block."""


class Archived(StoreError):
    """The log was moved to an archive: the store can't read it, and nothing is ever appended to it again."""

    def __init__(self, tombstone: Tombstone) -> None:
        super().__init__(f"the match ended at sequence {tombstone.head.sequence} and was archived")
        self.tombstone = tombstone


class UnknownMatch(StoreError):
    """The store has no match of this owner under this id."""

    def __init__(self) -> None:
        super().__init__("the store has no such match")


class StoreUnavailable(StoreError):
    """The store can't be reached or is unsure; what was asked may have been applied, and repeating it is safe."""


class StoredMatch(NamedTuple):
    """One match in a listing."""

    owner: str
    head: Head


class Page(NamedTuple):
    """A part of a listing."""

    matches: tuple[StoredMatch, ...]
    next_page_token: str
    """What to ask the next part with, "" after the last."""


class Store(Protocol):
    """Where entries are kept."""

    def append(self, owner: str, match_id: str, entries: Sequence[Entry]) -> None:
        """Append consecutive entries at the head, all or none; durable (as the store names it) when this returns.

        Entry 0 begins a match. Raises `AlreadyRecorded`, `Forked`, `HistoryMissing`, `StoreUnavailable`, and
        `ValueError` for entries that are not one run.
        """

    def head(self, owner: str, match_id: str) -> Head | None:
        """Return where the stored log stands, None if there is no such match."""

    def entries(self, owner: str, match_id: str, from_sequence: int = 0) -> Iterator[Entry]:
        """Iterate over the stored entries in order; `UnknownMatch` at once if there is no such match.

        Entries that are appended meanwhile may be seen or not; what is seen has no gap.
        """

    def matches(self, owner: str | None = None, *, page_size: int = 100, page_token: str = "") -> Page:
        """List the matches of an owner, or of all, in a fixed order (owner, match id); 1 to 1,000 a page.

        A token stays good while matches are added. `ValueError` for a token that this store did not give.
        """

    def close(self) -> None:
        """Finish what was asked and let go of everything; later calls raise `StoreUnavailable`."""


class ArchivableStore(Store, Protocol):
    """A store whose finished matches can be moved to an archive (`archiving`).

    `head` and `matches` go on to tell of an archived match; `entries` and `append` raise `Archived`.
    """

    def last_entry(self, owner: str, match_id: str) -> tuple[Entry, float]:
        """Return the entry at the head and when it was stored, in seconds since 1970, 0 if that is not known.

        Raises `UnknownMatch` if no entry of the match is in the store.
        """

    def tombstone(self, owner: str, match_id: str) -> Tombstone | None:
        """Return the tombstone of a match, None if it was not archived."""

    def segments(self) -> frozenset[str]:
        """Return the names of all segments that tombstones lie in."""

    def bury(self, graves: Sequence[tuple[Head | None, Tombstone]]) -> None:
        """Put tombstones in the place of stored logs, all or none, if the stored heads are still these.

        The head None stands for a match of which nothing is stored. Raises `Forked` or `HistoryMissing` for one that
        has another head, `Archived` for one that has a tombstone.
        """


def check_run(entries: Sequence[Entry]) -> None:
    """Refuse entries that are not one unbroken run; `ValueError` names the first that does not follow."""
    if not entries:
        raise ValueError("expected at least one entry, got none")
    first = entries[0]
    if first.sequence == 0 and first.previous != NO_HASH:
        raise ValueError("expected a header that builds on nothing")
    for before, entry in pairwise(entries):
        if entry.sequence != before.sequence + 1 or entry.previous != before.link:
            raise ValueError(f"expected an entry that follows sequence {before.sequence}, got {entry.sequence}")


def check_page_size(page_size: int) -> None:
    """Refuse a page size outside 1 to 1,000."""
    if not 1 <= page_size <= GREATEST_PAGE:
        raise ValueError(f"expected a page size from 1 to {GREATEST_PAGE}, got {page_size}")


def check_key(owner: str, match_id: str) -> None:
    """Refuse what can't be a key: no match id, or text that is not valid Unicode."""
    if not match_id:
        raise ValueError("expected a match id, got an empty one")
    try:
        owner.encode()
        match_id.encode()
    except UnicodeEncodeError as error:
        what = "owner" if error.object == owner else "match id"
        raise ValueError(f"expected {what} of valid Unicode") from None
