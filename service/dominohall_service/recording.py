"""Recording entries exactly once: what a store answers, turned into a success, a repetition or a fork."""

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from dominohall.v1.refusal_pb2 import Fork, MissingHistory
from dominohall_engine.games import AnyGame
from dominohall_replays.export import log_bytes
from dominohall_replays.reading import same_move
from dominohall_replays.records import Entry, Head
from dominohall_replays.store import (
    AlreadyRecorded,
    Archived,
    Forked,
    HistoryMissing,
    Store,
    StoreUnavailable,
    UnknownMatch,
)

from dominohall_service import metrics
from dominohall_service.attaching import attachments
from dominohall_service.faults import CallFault, Fault
from dominohall_service.journal import logger
from dominohall_service.keys import Keys
from dominohall_service.seal import Sealed
from dominohall_service.standing import Step, entry_of


def append(store: Store, owner: str, match_id: str, entries: Sequence[Entry]) -> None:
    """Append entries; `AlreadyRecorded` is left to the caller, everything else becomes the fault that it is."""
    started = perf_counter()
    try:
        store.append(owner, match_id, entries)
    except Forked as error:
        raise forked(entries[0].sequence - 1, error.head.link, entries[0].previous) from None
    except HistoryMissing as error:
        raise history_missing(error.head, entries[0].sequence - 1) from None
    except Archived as error:
        raise archived(error, begins=entries[0].sequence == 0) from None
    except StoreUnavailable:
        raise store_unavailable() from None
    finally:
        metrics.APPENDS.note(perf_counter() - started)


def record_steps(store: Store, sealed: Sealed, game: AnyGame, steps: Sequence[Step]) -> list[Entry]:
    """Append the entries of consecutive steps, all or none; a beginning that is recorded already counts as done.

    A repetition is the same move on the same predecessor, whatever the host's time for it: the stored entry is the
    answer, and what follows is linked to it.
    """
    done: list[Entry] = []
    while len(done) < len(steps):
        head = Head(sealed.match_id, sealed.sequence, sealed.link)
        if done:
            head = Head(sealed.match_id, done[-1].sequence, done[-1].link)
        entries = []
        for step in steps[len(done) :]:
            entry = entry_of(game, head, step)
            entries.append(entry)
            head = Head(sealed.match_id, entry.sequence, entry.link)
        try:
            append(store, sealed.owner, sealed.match_id, entries)
        except AlreadyRecorded as error:
            done += repeated(sealed, game, steps, done, error.entries)
            continue
        return done + entries
    return done


def repeated(
    sealed: Sealed, game: AnyGame, steps: Sequence[Step], done: Sequence[Entry], stored: Sequence[Entry]
) -> list[Entry]:
    """Return the stored entries if they hold the next steps; `FORKED` at the first that holds another move."""
    link = done[-1].link if done else sealed.link
    found: list[Entry] = []
    for entry, step in zip(stored, steps[len(done) :], strict=False):
        mine = entry_of(game, Head(sealed.match_id, entry.sequence - 1, link), step)
        if not same_move(entry, mine):
            raise forked(entry.sequence, entry.link, mine.link)
        found.append(entry)
        link = entry.link
    return found


def forked(sequence: int, stored_link: bytes, refused_link: bytes) -> CallFault:
    """Return the fault of a second move at a place that is taken."""
    metrics.FORKS.inc()
    detail = Fork(sequence=sequence, stored_link=stored_link, refused_link=refused_link)
    message = f"expected the move that stands at sequence {sequence}, got another: ResumeMatch returns the head"
    return CallFault(Fault.FORKED, message, details=[detail])


def history_missing(head: Head | None, token_sequence: int) -> CallFault:
    """Return the fault of a token that is ahead of the store."""
    detail = MissingHistory(token_sequence=token_sequence, stored_sequence=None if head is None else head.sequence)
    found = "has nothing of this match" if head is None else f"ends at sequence {head.sequence}"
    message = f"expected the store to reach sequence {token_sequence}, it {found}"
    return CallFault(Fault.HISTORY_MISSING, message, details=[detail])


def archived(error: Archived, *, begins: bool = False) -> CallFault:
    """Return the fault of a match that was archived; its id is taken for good."""
    if begins:
        return CallFault(Fault.MATCH_EXISTS, "expected a new match id, got that of a match that is over and archived")
    message = f"expected a match in the store, this one ended at sequence {error.tombstone.head.sequence}"
    return CallFault(Fault.MATCH_ARCHIVED, f"{message} and was archived")


def store_unavailable() -> CallFault:
    """Return the fault of a store that can't answer."""
    message = "the store can't answer; the call may have been applied, and repeating it is safe"
    return CallFault(Fault.STORE_UNAVAILABLE, message)


def stored_log(store: Store, owner: str, match_id: str, keys: Keys | None = None) -> bytes:
    """Return the log of a match as far as it is stored; with keys, what stands beside it once it is finished."""
    try:
        entries = list(store.entries(owner, match_id))
        return log_bytes(entries, attachments(keys, entries[0], entries[-1]) if keys else ())
    except UnknownMatch:
        raise CallFault(Fault.MATCH_NOT_FOUND, "expected the id of a match that is stored, got another") from None
    except Archived as error:
        raise archived(error) from None
    except StoreUnavailable:
        raise store_unavailable() from None


class ReplayFolder:
    """The folder into which the log of each finished match is written, one file a match: `MATCH_ID.dominohall`."""

    SUFFIX = ".dominohall"

    def __init__(self, path: Path) -> None:
        self._path = path
        path.mkdir(parents=True, exist_ok=True)

    def write(self, store: Store, keys: Keys, owner: str, match_id: str) -> None:
        """Write the log of a finished match, in one step. The call that ended the match does not fail by it."""
        target = self._path / f"{match_id}{self.SUFFIX}"
        temporary = target.with_name(f".{target.name}.{id(target):x}")
        try:
            temporary.write_bytes(stored_log(store, owner, match_id, keys))
            temporary.replace(target)
        except (OSError, CallFault) as error:
            logger().error(
                "replay not written; `replay export` writes it", match_id=match_id, error=type(error).__name__
            )
