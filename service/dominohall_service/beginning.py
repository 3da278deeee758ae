"""How a match begins, and begins again: headers written, stored ones recognised, heads rebuilt from the log."""

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from dominohall_engine.clauses import rules_digest
from dominohall_engine.errors import InvalidOptions
from dominohall_engine.games import GAMES, AnyGame
from dominohall_engine.options import options_to_plain
from dominohall_replays import records
from dominohall_replays.deals import commitment, root, seat_count, shake_salt
from dominohall_replays.errors import UnreadableLog, UnwritableRecord
from dominohall_replays.fold import Fold as ReplayFold
from dominohall_replays.fold import LogFault, replay
from dominohall_replays.log import read_log
from dominohall_replays.reading import LoggedHeader, OpenedShake, read_entry
from dominohall_replays.records import Entry, Header, Initial, header_entry
from dominohall_replays.store import AlreadyRecorded, Store
from dominohall_replays.verdicts import Verdict

from dominohall_service.faults import CallFault, Fault, invalid
from dominohall_service.keys import Keys
from dominohall_service.recording import append
from dominohall_service.seal import IMPORTED, SCRIPTED, Sealed
from dominohall_service.standing import Standing

MATCH_ID: Final = re.compile(r"[A-Za-z0-9._~-]{1,128}")
NAMES_OF_MARKS: Final = ((IMPORTED, records.IMPORTED), (SCRIPTED, records.SCRIPTED))


class Beginning(NamedTuple):
    """What a caller asks a match to begin with; `order` is that of the tiles of an imported state."""

    match_id: str
    game: AnyGame
    state: Any
    first: int | None
    labels: tuple[str, ...]
    marks: int

    @property
    def options(self) -> Any:  # noqa: ANN401 - options of the game
        """The options of the match."""
        return self.game.options_of(self.state)

    @property
    def order(self) -> bytes | None:
        """The order of the tiles that lie already, None if none do."""
        return self.game.order(self.state)


def match_id_from(text: str) -> str:
    """Read the id of a match."""
    if not MATCH_ID.fullmatch(text):
        raise invalid("match_id", "expected 1 to 128 of A-Z a-z 0-9 . _ ~ -")
    return text


def beginning(
    match_id: str, rules: tuple[AnyGame, Any], first: int | None, labels: Sequence[str], marks: int
) -> Beginning:
    """Make the beginning of a match that starts afresh, by the rules of a game and its options."""
    game, options = rules
    try:
        state = game.new_match(options, first)
    except InvalidOptions as error:
        raise invalid("first_seat", str(error)) from None
    return Beginning(match_id_from(match_id), game, state, first, labels_from(labels, game, state), marks)


def labels_from(labels: Sequence[str], game: AnyGame, state: object) -> tuple[str, ...]:
    """Read the labels of the seats: one each, or none at all."""
    seats = seat_count(game, state)
    if labels and len(labels) != seats:
        raise invalid("seat_labels", f"expected {seats} labels or none, got {len(labels)}")
    for seat, label in enumerate(labels):
        if len(label.encode()) > records.MAX_LABEL_BYTES:
            raise invalid(f"seat_labels[{seat}]", f"expected at most {records.MAX_LABEL_BYTES} bytes")
    return tuple(labels) or ("",) * seats


def begin(store: Store, keys: Keys, owner: str, asked: Beginning) -> tuple[Standing, Entry]:
    """Record the header of a match, or find that the same was recorded before; `MATCH_EXISTS` for another one."""
    secret = keys.secret(keys.deal_key_id, owner, asked.match_id, for_dealing=True)
    salt, initial = None, None
    if asked.marks & IMPORTED:
        order = asked.order
        salt = None if order is None else shake_salt(secret, asked.game.shakes(asked.state) - 1)
        tiles_root = None if order is None or salt is None else root(order, salt)
        initial = Initial(asked.game.encode_public(asked.state), tiles_root)
    header = Header(
        match_id=asked.match_id,
        owner=owner,
        game=asked.game.NAME,
        rules_revision=asked.options.revision,
        rules_digest=rules_digest(asked.game.NAME, asked.options.revision),
        options=options_to_plain(asked.options),
        first=asked.first,
        labels=asked.labels,
        commitment=commitment(secret),
        deal_key_id=keys.deal_key_id,
        marks=tuple(name for flag, name in NAMES_OF_MARKS if asked.marks & flag),
        initial=initial,
    )
    try:
        entry = header_entry(header, initial_order=asked.order if initial else None, initial_salt=salt)
    except UnwritableRecord as error:
        raise invalid("match_id", str(error)) from None
    try:
        append(store, owner, asked.match_id, [entry])
    except AlreadyRecorded as error:
        entry = error.entries[0]
        header = same_header(asked, header, entry)
    return at_header(owner, asked, header, entry), entry


def same_header(asked: Beginning, wanted: Header, stored: Entry) -> Header:
    """Return the stored header if it begins the same match; the deal key may have been rotated in between."""
    logged = read_entry(stored)
    if not isinstance(logged, LoggedHeader):
        raise AssertionError("the first entry of a log is its header")  # noqa: TRY004 - impossible, not a wrong type
    header = logged.header
    same = (
        (header.game, header.rules_digest, header.options, header.first, header.labels, header.marks)
        == (wanted.game, wanted.rules_digest, wanted.options, wanted.first, wanted.labels, wanted.marks)
        and (header.initial is None) == (wanted.initial is None)
        and (header.initial is None or wanted.initial is None or header.initial.public == wanted.initial.public)
        and (not isinstance(logged.opened, OpenedShake) or logged.opened.order == asked.order)
    )
    if not same:
        raise CallFault(Fault.MATCH_EXISTS, "expected a new match id, or the match that was started under this one")
    return header


def at_header(owner: str, asked: Beginning, header: Header, entry: Entry) -> Standing:
    """Return where a match stands at its header."""
    sealed = Sealed(
        owner,
        asked.match_id,
        asked.game.NAME,
        asked.marks,
        header.deal_key_id or b"",
        0,
        entry.link,
        None if header.initial is None else header.initial.root,
        asked.game.encode(asked.state),
    )
    return Standing(sealed, asked.game, asked.state)


class Rebuilt(NamedTuple):
    """A match at one record of its log: its standing, and the move that led there."""

    standing: Standing
    move: Any
    last: tuple[int, int]
    """Where the entry of that record lies in the log: its first byte and the byte after it."""


def rebuild(log_bytes: bytes, sequence: int | None = None) -> Rebuilt:
    """Re-simulate a log up to a record, its last one by default, every link, digest and root checked.

    `REPLAY_UNREADABLE` for a log that does not hold up to there, `SEQUENCE_NOT_FOUND` for one that ends before.
    """
    try:
        log = read_log(log_bytes)
        fold = ReplayFold(log)
        move, last = None, (0, log.first.end)
        if sequence != 0:
            for step in replay(log, fold):
                move, last = step.move, (step.entry.offset, step.entry.end)
                if step.entry.sequence == sequence:
                    break
    except LogFault as error:
        fault = Fault.UNKNOWN_RULES if error.verdict is Verdict.UNKNOWN_RULES else Fault.REPLAY_UNREADABLE
        raise CallFault(fault, str(error), [("log", str(error))]) from None
    except UnreadableLog as error:
        raise CallFault(Fault.REPLAY_UNREADABLE, str(error), [("log", str(error))]) from None
    if sequence is not None and fold.sequence != sequence:
        raise CallFault(Fault.SEQUENCE_NOT_FOUND, f"expected a sequence of 0 to {fold.sequence}, got {sequence}")
    if fold.state is None:
        description = "expected a log that shows every tile, got a redacted one"
        raise CallFault(Fault.REPLAY_UNREADABLE, description, [("log", description)])
    return Rebuilt(standing_of(fold), move, last)


def standing_of(fold: ReplayFold) -> Standing:
    """Return where a re-simulated match stands."""
    header = fold.header
    sealed = Sealed(
        header.owner,
        header.match_id,
        header.game,
        sum(flag for flag, name in NAMES_OF_MARKS if name in header.marks),
        header.deal_key_id or b"",
        fold.sequence,
        fold.link,
        fold.root,
        fold.game.encode(fold.state),
    )
    return Standing(sealed, GAMES[header.game], fold.state)
