"""Moving finished matches from a store to its archive.

Nothing is deleted before it was read back: logs are verified by playing them again, packed, written, read back, and
only then replaced by tombstones, in one transaction of the store. A run that is stopped at any moment leaves at most a
segment that the store does not know of; the next run finds it by that and finishes with it first.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from dominohall_replays.archive import Archive
from dominohall_replays.archive_format import COMPACT, LOG, Kept, Segment, pack, pack_compact
from dominohall_replays.compact_row import Row
from dominohall_replays.compact_writer import NotCompactable, row_of
from dominohall_replays.errors import UnreadableLog
from dominohall_replays.export import log_bytes
from dominohall_replays.log import read_log
from dominohall_replays.reading import LoggedMove, read_entry
from dominohall_replays.records import Entry, Head, Header
from dominohall_replays.store import ArchivableStore, Archived, Forked, HistoryMissing, Tombstone, UnknownMatch
from dominohall_replays.verdicts import Verdict
from dominohall_replays.verify import verify

LOGS_A_SEGMENT: Final = 1000
BYTES_A_SEGMENT: Final = 64 << 20
GRAVES_A_TRANSACTION: Final = 100
"""Appends to PostgreSQL wait while a transaction of these runs: some tens of milliseconds."""
Grave = tuple[Head | None, Tombstone]
Log = tuple[str, Head, bytes]
FORMS: Final = (COMPACT, LOG)
SecretOf = Callable[[Header], bytes | None]
"""The secret of a match by its header, None if it is not known."""


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
    """Bytes of the logs as they were."""
    kept_bytes: int = 0
    """Bytes of the segments that were written."""
    as_they_are: int = 0
    """Matches that have no compact form, and were kept as they are."""
    left: list[tuple[str, str, str]] = field(default_factory=list)
    """Finished matches that stay, because their log does not hold: owner, match id, why."""


def archive_matches(  # noqa: PLR0913 - what a run is told
    store: ArchivableStore, archive: Archive, stored_before: float, *, logs_a_segment: int = LOGS_A_SEGMENT,
    form: str = COMPACT, secret_of: SecretOf = lambda _header: None,
    on_progress: Callable[[Moved], None] = lambda _moved: None,
) -> Moved:  # fmt: skip
    """Move every finished match whose last entry was stored before that time (seconds since 1970).

    The `form` is `compact` or `log`; logs that have no compact form get a segment as they are. `secret_of` tells the
    secrets of matches to whoever may know them: a compact log with its secret is a quarter of one without.
    """
    packing = _Packing(form, secret_of)
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
            _move(store, archive, moved, packing.segments(group, moved))
            on_progress(moved)
            group = []
    if group:
        _move(store, archive, moved, packing.segments(group, moved))
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


class _Packing:
    """How the logs of a run are packed."""

    def __init__(self, form: str, secret_of: SecretOf) -> None:
        if form not in FORMS:
            raise ValueError(f"expected one of {', '.join(FORMS)}, got {form!r}")
        self._form = form
        self._secret_of = secret_of

    def segments(self, group: list[Log], moved: Moved) -> list[Segment]:
        """Pack some logs into a segment, or into two if some of them have no compact form."""
        rows: list[Row] = []
        others: list[Log] = []
        for each in group:
            moved.moved_bytes += len(each[2])
            row = self._row(each[2]) if self._form == COMPACT else None
            if row is None:
                others.append(each)
            else:
                rows.append(row)
        moved.as_they_are += len(others)
        return ([pack_compact(rows)] if rows else []) + ([pack(others)] if others else [])

    def _row(self, log: bytes) -> Row | None:
        """Return the compact form of a log, None if it has none."""
        try:
            return row_of(log, self._secret_of(read_log(log).header))[0]
        except NotCompactable:
            return None


def _move(store: ArchivableStore, archive: Archive, moved: Moved, segments: list[Segment]) -> None:
    """Write segments and put tombstones in the place of their logs."""
    for segment in segments:
        archive.write(segment)
        moved.segments.append(segment.name)
        moved.kept_bytes += len(segment.data)
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
