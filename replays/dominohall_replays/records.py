"""The records of a log, and how they are written: a header, then an entry for each move, each linked to the last.

An *entry* is what a store keeps in one row and what a caller is handed: the packed record, its link, and beside them
what the chain does not cover directly: the opening of a shake. The terminal record travels in the entry of the move
that ended the match, so that the two can't be parted. `docs/replay-format.md` specifies every byte.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, NamedTuple

from dominohall_engine.game import Game
from dominohall_engine.moves import SHAKE_CODE, Shake
from dominohall_engine.options import Plain
from dominohall_engine.outcomes import Outcome
from dominohall_engine.seats import SEAT_COUNT
from dominohall_engine.tiles import is_order

from dominohall_replays.deals import HASH_BYTES
from dominohall_replays.errors import UnwritableRecord
from dominohall_replays.packing import pack, pack_trusted

FORMAT: Final = "dominohall-replay/1"

HEADER: Final = 0
MOVE: Final = 1
TERMINAL: Final = 2
OPENED_SHAKE: Final = 16
OPENED_TILES: Final = 17
SIGNATURE: Final = 32
REVEALED_SECRET: Final = 33

LINK_DOMAIN: Final = b"dominohall/link/1\0"
STATE_DOMAIN: Final = b"dominohall/state/1\0"
NO_HASH: Final = bytes(HASH_BYTES)
"""What stands before the first record, and for the root while no tiles are dealt."""
SHAKE_MOVE: Final = bytes((SHAKE_CODE,))
"""A shake as the chain has it: that it happened. The tiles stand in the opening, under the root."""
BYTES_32: Final = b"\xc4\x20"
"""The head of 32 bytes in MessagePack."""

IMPORTED: Final = "imported"
SCRIPTED: Final = "scripted"
MARKS: Final = (IMPORTED, SCRIPTED)

MAX_ID_BYTES: Final = 128
MAX_LABEL_BYTES: Final = 256
MAX_MOVE_BYTES: Final = 128
GREATEST_SEQUENCE: Final = (1 << 32) - 1
GREATEST_TIME: Final = 253_402_300_799_999
"""The last millisecond of the year 9999."""


class Head(NamedTuple):
    """Where a log stands: its last entry. Two logs with the same head are the same log."""

    match_id: str
    sequence: int
    link: bytes


class Entry(NamedTuple):
    """One entry of a log, as a store keeps it."""

    sequence: int
    """0 for the header, then one more for each move."""
    previous: bytes
    """The last link of the entry before, 32 bytes; zeros before the header."""
    link: bytes
    """The last link in this entry, 32 bytes."""
    data: bytes
    """The bytes of this entry in the log."""


class Initial(NamedTuple):
    """The state that an imported match began from."""

    public: bytes
    """`encode_public` of that state."""
    root: bytes | None
    """The root of the tiles in play, None if none are dealt."""


class Terminal(NamedTuple):
    """The result, as the log has it."""

    sequence: int
    """The sequence of the last move."""
    ending: str
    winner: int | None
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Header:
    """What a log says before its first move: everything that decides a verdict and is no move."""

    match_id: str
    """1 to 128 bytes of UTF-8 without control characters."""
    owner: str
    """The caller that the match belongs to: 0 to 128 bytes without control characters."""
    game: str
    rules_revision: int
    rules_digest: bytes
    """SHA-256 over the normative clauses of that revision, 32 bytes."""
    options: Mapping[str, Plain]
    """Every option by name (`options_to_plain`)."""
    first: int | None
    """The seat that leads without a lot (a rematch), None if the rules found it."""
    labels: tuple[str, ...]
    """One opaque label a seat, at most 256 bytes each; "" where the host gave none."""
    commitment: bytes | None
    """What the match secret is committed to by, None if the deals of this match have none."""
    deal_key_id: bytes | None
    """Which deal key the secret came from: 1 to 32 bytes, None as above."""
    marks: tuple[str, ...] = ()
    """`imported`, `scripted`, in this order, where they apply."""
    initial: Initial | None = None
    """Where an imported match began; None otherwise."""


def link_of(previous: bytes, record: bytes) -> bytes:
    """Return the link of a record on the one before."""
    return sha256(LINK_DOMAIN + previous + record).digest()


def digest_of(public: bytes, root: bytes | None) -> bytes:
    """Return the digest of a state: its public bytes under the root of the tiles in play."""
    return sha256(STATE_DOMAIN + public + (root or NO_HASH)).digest()


def header_entry(header: Header, *, initial_order: bytes | None = None, initial_salt: bytes | None = None) -> Entry:
    """Write the first entry of a log; `UnwritableRecord` for a header that says what the format can't hold.

    A match imported with tiles in play needs their order and the salt that their root was made with.
    """
    check_header(header)
    initial = header.initial
    record = pack(
        [
            HEADER,
            {
                "format": FORMAT,
                "match_id": header.match_id,
                "owner": header.owner,
                "game": header.game,
                "rules_revision": header.rules_revision,
                "rules_digest": header.rules_digest,
                "options": {name: header.options[name] for name in sorted(header.options)},
                "first": header.first,
                "labels": list(header.labels),
                "commitment": header.commitment,
                "deal_key_id": header.deal_key_id,
                "marks": list(header.marks),
                "initial": None if initial is None else [initial.public, initial.root],
            },
        ]
    )
    link = link_of(NO_HASH, record)
    data = record + BYTES_32 + link
    if initial is not None and initial.root is not None:
        data += opened_shake(initial_order, initial_salt)
    elif initial_order is not None or initial_salt is not None:
        raise UnwritableRecord("expected an initial order only beside an initial state with a root")
    return Entry(0, NO_HASH, link, data)


def move_entry(  # noqa: PLR0913 - what a record says
    game: Game[Any, Any, Any, Any],
    head: Head,
    move: object,
    after: Any,  # noqa: ANN401 - a state of that game
    *,
    root: bytes | None,
    shake_salt: bytes | None = None,
    occurred_at: int | None = None,
    public: bytes | None = None,
) -> Entry:
    """Write the entry of a move that `game.apply` turned into the state `after`.

    `head` is the entry before. `root` is the root of the tiles in play after the move: a new one for a shake, the
    current one for every other move; while no tiles are dealt it is not used. `shake_salt` is the salt of a shake and
    is given for nothing else. `occurred_at` is the host's own time in milliseconds since 1970, 0 to the year 9999.
    `public` is `game.encode_public(after)`, where the caller has it already.
    """
    sequence = head.sequence + 1
    if sequence > GREATEST_SEQUENCE:
        raise UnwritableRecord(f"expected a sequence of at most {GREATEST_SEQUENCE}")
    if occurred_at is not None and not (type(occurred_at) is int and 0 <= occurred_at <= GREATEST_TIME):
        raise UnwritableRecord(f"occurred_at: expected milliseconds from 0 to {GREATEST_TIME}, got {occurred_at!r:.40}")
    tail = b""
    if isinstance(move, Shake):
        move_bytes, new_root = SHAKE_MOVE, root
        tail = opened_shake(move.tiles, shake_salt)
        if root is None:
            raise UnwritableRecord("expected the root of the shake, got none")
    else:
        move_bytes, new_root = game.encode_move(move), None
        if root is not None and game.order(after) is None:
            root = None
    digest = digest_of(game.encode_public(after) if public is None else public, root)
    record = pack_trusted((MOVE, sequence, move_bytes, digest, occurred_at, new_root))
    link = link_of(head.link, record)
    data = record + BYTES_32 + link + tail
    outcome = game.outcome(after)
    if outcome is None:
        return Entry(sequence, head.link, link, data)
    end = terminal_record(sequence, outcome)
    last = link_of(link, end)
    return Entry(sequence, head.link, last, data + end + BYTES_32 + last)


def terminal_record(sequence: int, outcome: Outcome) -> bytes:
    """Write the result of a match that the move at `sequence` ended."""
    return pack([TERMINAL, sequence, str(outcome.ending), outcome.winner, list(outcome.scores)])


def opened_shake(order: bytes | None, salt: bytes | None) -> bytes:
    """Write the opening of a whole shake, which stands beside its entry and outside the chain."""
    if order is None or not is_order(order):
        raise UnwritableRecord("expected the order of a shake: the 28 tiles once each")
    if salt is None or len(salt) != HASH_BYTES:
        raise UnwritableRecord(f"expected the salt of the shake: {HASH_BYTES} bytes")
    return pack([OPENED_SHAKE, order, salt])


def revealed_secret(secret: bytes) -> bytes:
    """Write the attachment that reveals the secret of a finished match."""
    if len(secret) != HASH_BYTES:
        raise UnwritableRecord(f"expected a match secret of {HASH_BYTES} bytes, got {len(secret)}")
    return pack([REVEALED_SECRET, secret])


def check_header(header: Header) -> None:
    """Refuse a header outside its stated ranges; whether its game and options exist is asked of the engine."""
    _check_text("match_id", header.match_id, 1, MAX_ID_BYTES)
    _check_text("owner", header.owner, 0, MAX_ID_BYTES)
    _check_text("game", header.game, 1, MAX_ID_BYTES)
    if not 2 <= len(header.labels) <= SEAT_COUNT:
        raise UnwritableRecord(f"labels: expected one for each of 2 to {SEAT_COUNT} seats, got {len(header.labels)}")
    for label in header.labels:
        _check_text("labels", label, 0, MAX_LABEL_BYTES)
    if header.first is not None and not 0 <= header.first < len(header.labels):
        raise UnwritableRecord(f"first: expected a seat, got {header.first}")
    if not 1 <= header.rules_revision <= GREATEST_SEQUENCE or header.options.get("revision") != header.rules_revision:
        raise UnwritableRecord("rules_revision: expected 1 or more, and the one that the options name")
    _check_hash("rules_digest", header.rules_digest)
    _check_origin(header)


def _check_origin(header: Header) -> None:
    """Refuse a header that is of two minds about where its deals or its first state come from."""
    if (header.commitment is None) != (header.deal_key_id is None):
        raise UnwritableRecord("expected a commitment and a deal key id together, or neither")
    if header.commitment is not None:
        _check_hash("commitment", header.commitment)
    if header.deal_key_id is not None and not 1 <= len(header.deal_key_id) <= HASH_BYTES:
        raise UnwritableRecord(f"deal_key_id: expected 1 to {HASH_BYTES} bytes, got {len(header.deal_key_id)}")
    if list(header.marks) != [mark for mark in MARKS if mark in header.marks]:
        raise UnwritableRecord(f"marks: expected some of {', '.join(MARKS)}, once each and in this order")
    if (header.initial is not None) != (IMPORTED in header.marks):
        raise UnwritableRecord(f"expected an initial state with the mark {IMPORTED}, and no other way")
    if header.initial is not None and header.initial.root is not None:
        _check_hash("initial root", header.initial.root)


def _check_hash(what: str, value: bytes) -> None:
    if len(value) != HASH_BYTES:
        raise UnwritableRecord(f"{what}: expected {HASH_BYTES} bytes, got {len(value)}")


def _check_text(what: str, text: str, least: int, most: int) -> None:
    size = len(text.encode(errors="replace"))
    if not least <= size <= most:
        raise UnwritableRecord(f"{what}: expected {least} to {most} bytes, got {size}")
    if what != "labels" and any(each < " " or "\x7f" <= each <= "\x9f" for each in text):
        raise UnwritableRecord(f"{what}: expected no control characters")
