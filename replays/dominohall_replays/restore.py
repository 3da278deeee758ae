"""Putting back what a store lost: a host's copy of a log is verified, and the entries that are missing are appended.

After an older backup was restored, tokens are ahead of the store and moves are refused with `HISTORY_MISSING`. The
hosts hold every record they were answered with; joined, those are the log. What the store still has must be the
beginning of it: a log that differs is a fork and changes nothing.
"""

from itertools import chain, pairwise
from typing import NamedTuple

from dominohall_replays.errors import ReplayError
from dominohall_replays.log import read_log
from dominohall_replays.records import NO_HASH, Entry, Head
from dominohall_replays.store import AlreadyRecorded, Archived, Forked, Store, UnknownMatch
from dominohall_replays.verdicts import Verdict
from dominohall_replays.verify import verify

RESTORABLE = frozenset({Verdict.VALID, Verdict.UNFINISHED})


class NotRestorable(ReplayError):
    """A log that is not put into a store: it does not hold, it is redacted, or the store has another history."""


class Restored(NamedTuple):
    """What was done."""

    owner: str
    head: Head
    """Where the log ends."""
    before: Head | None
    """Where the store's log ended, None if it had nothing of the match."""
    appended: int
    """How many entries were missing; 0 if the store has them all."""


def restore(store: Store, log: bytes) -> Restored:
    """Append what a store lacks of a log, all or nothing; `NotRestorable` says why it is not done.

    Repeating it is safe, and so is a match that goes on meanwhile: entries have one place.
    """
    report = verify(log)
    if report.verdict not in RESTORABLE:
        raise NotRestorable(f"expected a log that holds, this one is {report.verdict}: {report.reason}")
    entries = entries_of(log)
    owner, match_id = report.owner, report.match_id
    head = Head(match_id, entries[-1].sequence, entries[-1].link)
    before = store.head(owner, match_id)
    try:
        if before is not None:
            check_same_beginning(store, owner, before, entries)
        missing = entries[0 if before is None else before.sequence + 1 :]
        if missing:
            store.append(owner, match_id, missing)
    except Archived as error:
        raise NotRestorable(str(error)) from None
    except (AlreadyRecorded, Forked) as error:
        raise NotRestorable(f"the match went on while it was restored, repeat it: {error}") from None
    return Restored(owner, head, before, len(missing))


def entries_of(log: bytes) -> list[Entry]:
    """Cut a log into its entries; the attachments behind them are left out."""
    read = read_log(log)
    found = [Entry(0, NO_HASH, read.first.link, log[: read.first.end])]
    found += (Entry(each.sequence, NO_HASH, each.last_link, log[each.offset : each.end]) for each in read)
    return [found[0], *(entry._replace(previous=before.link) for before, entry in pairwise(found))]


def check_same_beginning(store: Store, owner: str, head: Head, entries: list[Entry]) -> None:
    """Refuse a log that is not the one that the store has the beginning of (or all of, or more)."""
    last = min(head.sequence, entries[-1].sequence)
    try:
        stored = next(chain(store.entries(owner, head.match_id, last), [None]))
    except UnknownMatch:
        stored = None
    if stored is None or (stored.sequence, stored.link) != (last, entries[last].link):
        raise NotRestorable(f"expected the log that the store has up to sequence {last}, got another history")
