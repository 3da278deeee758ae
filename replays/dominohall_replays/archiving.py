"""Moving finished matches from a store to its archive.

Nothing is deleted before it was read back: logs are verified by playing them again, packed, written, read back, and
only then replaced by tombstones, in one transaction of the store. A run that is stopped at any moment leaves at most a
segment that the store does not know of; the next run finds it by that and finishes with it first.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from dominohall_replays.archive import Archive
from dominohall_replays.archive_format import Kept, pack
from dominohall_replays.errors import UnreadableLog
from dominohall_replays.export import log_bytes
from dominohall_replays.reading import LoggedMove, read_entry
from dominohall_replays.records import Entry, Head
from dominohall_replays.store import ArchivableStore, Archived, Forked, HistoryMissing, Tombstone, UnknownMatch
from dominohall_replays.verdicts import Verdict
from dominohall_replays.verify import verify

LOGS_A_SEGMENT: Final = 1000
BYTES_A_SEGMENT: Final = 64 << 20
GRAVES_A_TRANSACTION: Final = 100
"""Appends to PostgreSQL wait while a transaction of these runs: some tens of milliseconds."""
Grave = tuple[Head | None, Tombstone]
Log = tuple[str, Head, bytes]


@dataclass
class Moved:
    """What a run did."""

    segments: list[str] = field(default_factory=list)
    """Names of the segments that were written."""
    adopted: list[str] = field(default_factory=list)
    """Names of the segments that stood in the archive already and that the store did not know of."""
    matches: int = 0
    """Matches that were replaced by tombstones."""
    moved_bytes: int = 0
    left: list[tuple[str, str, str]] = field(default_factory=list)
    """Finished matches that stay, because their log does not hold: owner, match id, why."""


def archive_matches(
    store: ArchivableStore, archive: Archive, stored_before: float, *, logs_a_segment: int = LOGS_A_SEGMENT,
    on_progress: Callable[[Moved], None] = lambda _moved: None,
) -> Moved:  # fmt: skip
    """Move every finished match whose last entry was stored before that time (seconds since 1970)."""
    moved = Moved()
    known = store.segments()
    for name in archive.names():
        if name not in known:
            _bury(store, moved, [grave for kept in archive.check(name) for grave in _grave(store, archive, name, kept)])
            moved.adopted.append(name)
            on_progress(moved)
    group: list[Log] = []
    for log in _finished(store, stored_before, moved):
        group.append(log)
        if len(group) >= logs_a_segment or sum(len(each[2]) for each in group) >= BYTES_A_SEGMENT:
            _move(store, archive, moved, group)
            on_progress(moved)
            group = []
    if group:
        _move(store, archive, moved, group)
        on_progress(moved)
    return moved


def _finished(store: ArchivableStore, stored_before: float, moved: Moved) -> Iterator[Log]:
    """Find the finished matches that are old enough and hold, by owner and id."""
    token = ""
    while True:
        page = store.matches(page_size=1000, page_token=token)
        for owner, head in page.matches:
            try:
                last, stored_at = store.last_entry(owner, head.match_id)
                if stored_at > stored_before or not _ends(last):
                    continue
                log = log_bytes(store.entries(owner, head.match_id))
            except (UnknownMatch, Archived):
                continue  # archived before, or by somebody else meanwhile
            report = verify(log)
            if report.verdict is Verdict.VALID:
                yield owner, Head(head.match_id, last.sequence, last.link), log
            else:
                moved.left.append((owner, head.match_id, f"{report.verdict}: {report.reason}"))
        token = page.next_page_token
        if not token:
            return


def _ends(entry: Entry) -> bool:
    """Say whether an entry ends its match; one that can't be read does, so that it is judged and reported."""
    try:
        read = read_entry(entry)
    except UnreadableLog:
        return True
    return isinstance(read, LoggedMove) and read.terminal is not None


def _move(store: ArchivableStore, archive: Archive, moved: Moved, group: list[Log]) -> None:
    """Write one segment and put tombstones in the place of its logs."""
    segment = pack(group)
    archive.write(segment)
    moved.segments.append(segment.name)
    graves: list[Grave] = [
        (kept.head, Tombstone(kept.owner, kept.head, segment.name, kept.offset, kept.size)) for kept in segment.kept
    ]
    _bury(store, moved, graves)


def _bury(store: ArchivableStore, moved: Moved, graves: list[Grave]) -> None:
    """Put tombstones, some at a time; a match that somebody else archived meanwhile is done."""
    for start in range(0, len(graves), GRAVES_A_TRANSACTION):
        part = graves[start : start + GRAVES_A_TRANSACTION]
        try:
            store.bury(part)
            done = part
        except (Archived, Forked, HistoryMissing):
            done = [grave for grave in part if _buried(store, grave)]
        moved.matches += len(done)
        moved.moved_bytes += sum(tombstone.size for _, tombstone in done)


def _buried(store: ArchivableStore, grave: Grave) -> bool:
    try:
        store.bury([grave])
    except (Archived, Forked, HistoryMissing):
        return False
    return True


def _grave(store: ArchivableStore, archive: Archive, name: str, kept: Kept) -> Iterator[Grave]:
    """Return the tombstone of a log that stands in the archive, if what the store has is the beginning of it.

    A match that the store knows nothing of gets one too: after an older backup was put back, its id must stay taken.
    """
    tombstone = Tombstone(kept.owner, kept.head, name, kept.offset, kept.size)
    if store.tombstone(kept.owner, kept.head.match_id) is not None:
        return
    head = store.head(kept.owner, kept.head.match_id)
    if head is not None:
        entries = archive.entries(tombstone)
        if head.sequence >= len(entries) or entries[head.sequence].link != head.link:
            return
    yield head, tombstone
