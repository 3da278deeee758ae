"""One log in the compact form, and back: what the fold can't compute again, and nothing else.

Digests, roots, links, the terminal record and every sequence are computed by playing the match again; what many logs
share stands in a template once. What comes back is the log, byte for byte, or it was not made compact.
"""

from collections.abc import Hashable
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final, NamedTuple

from dominohall_engine.errors import DominohallError
from dominohall_engine.games import GAMES, AnyGame
from dominohall_engine.moves import Shake
from dominohall_engine.options import Plain, options_from_plain

from dominohall_replays.compact_body import CHECK_BYTES, Choices
from dominohall_replays.compact_digits import read_number
from dominohall_replays.deals import HASH_BYTES, commitment, root
from dominohall_replays.errors import ReplayError, UnreadableSegment
from dominohall_replays.packing import pack, pack_trusted
from dominohall_replays.reading import SIGNATURE_BYTES, move_prefix
from dominohall_replays.records import (
    BYTES_32,
    LINK_DOMAIN,
    MOVE,
    NO_HASH,
    SHAKE_MOVE,
    SIGNATURE,
    STATE_DOMAIN,
    Head,
    Header,
    header_entry,
    link_of,
    opened_shake,
    revealed_secret,
    terminal_record,
)

GREATEST_MOVES: Final = 1 << 17
"""A longer match is not made compact, so that few bytes never claim more."""


_NEITHER: Final = b"\xc0\xc0"
"""How a record without a time and a root ends."""


class HeadMissed(UnreadableSegment):
    """A row whose moves can be played and do not lead to its head: it is not the log that was made compact."""


class Template(NamedTuple):
    """What the headers of many logs share."""

    owner: str
    game: str
    rules_revision: int
    rules_digest: bytes
    options: tuple[tuple[str, Plain], ...]
    first: int | None
    deal_key_id: bytes | None
    marks: tuple[str, ...]


class Row(NamedTuple):
    """One log."""

    template: Template
    match_id: str
    sequence: int
    link: bytes
    """The head of the log: playing it again must lead here."""
    body: bytes
    salts: bytes = b""
    times: bytes = b""
    labels: tuple[str, ...] = ()
    """Empty if no seat has one."""
    attachments: tuple[bytes | bool, ...] = ()
    """True for the match secret; else a byte: 1, key id and signature over the head; 0, the attachment as it is."""


class Expanded(NamedTuple):
    """A log that was played again from its row."""

    log: bytes
    header: Header
    head: Head
    game: AnyGame
    state: Any
    """The state after the last move."""
    choices: Choices


def header_of(row: Row, game: AnyGame, secret: bytes | None, committed: bytes | None) -> Header:
    """Return the header of a log."""
    shared = row.template
    seats = sum(map(len, game.sides(options_from_plain(game.Options, dict(shared.options)))))
    if secret is not None and shared.deal_key_id is not None:
        committed = commitment(secret)
    return Header(
        row.match_id,
        shared.owner,
        shared.game,
        shared.rules_revision,
        shared.rules_digest,
        dict(shared.options),
        shared.first,
        row.labels or ("",) * seats,
        committed,
        shared.deal_key_id,
        shared.marks,
    )


def begun(row: Row) -> tuple[AnyGame, Any, Choices]:
    """Begin to play a match again: its game, its first state, its choices."""
    game = GAMES.get(row.template.game)
    if game is None:
        raise UnreadableSegment(f"expected a game of this build, got {row.template.game[:40]!r}")
    options = options_from_plain(game.Options, dict(row.template.options))
    return game, game.new_match(options, row.template.first), Choices(game, row.sequence, row.body, row.salts)


def expanded_row(row: Row) -> Expanded:
    """Play a match again and write its log; `UnreadableSegment` if the row is none, `HeadMissed` as one of them."""
    try:
        back = played(row)
    except (ReplayError, DominohallError, ValueError) as error:
        raise UnreadableSegment(f"match {row.match_id!r}: {error}") from None
    if back.head.link != row.link:
        raise HeadMissed(f"match {row.match_id!r}: expected the moves to lead to its head, they lead elsewhere")
    return back


def played(row: Row) -> Expanded:
    """Play a match again and write its log, wherever it leads; errors of engine and package pass through."""
    game, state, choices = begun(row)
    body = choices.body
    header = header_of(row, game, body.secret, body.commitment)
    first = header_entry(header)
    link, parts = first.link, [first.data]
    times = _Times(row.times)
    packed_moves = _packed_moves(game.NAME, game.options_of(state)) if not row.times else {}
    apply, encode_public, next_move = game.apply, game.encode_public, choices.next
    in_force = digest = NO_HASH
    phase = type(state)
    for sequence in range(1, row.sequence + 1):
        move = next_move(state)
        state = apply(state, move)
        beside = b""
        if type(state) is not phase:
            phase = type(state)
            if isinstance(move, Shake):
                in_force = root(move.tiles, choices.salt)
                beside = opened_shake(move.tiles, choices.salt)
            elif game.order(state) is None:
                in_force = NO_HASH
        digest = sha256(STATE_DOMAIN + encode_public(state) + in_force).digest()
        packed = packed_moves.get(id(move))
        if packed is not None:
            record = move_prefix(sequence) + packed[0] + digest + _NEITHER
        elif beside:
            record = pack_trusted((MOVE, sequence, SHAKE_MOVE, digest, times.next(), in_force))
        else:
            record = pack_trusted((MOVE, sequence, game.encode_move(move), digest, times.next(), None))
        link = sha256(LINK_DOMAIN + link + record).digest()
        parts += (record, BYTES_32, link, beside)
    choices.finish()
    times.finish()
    if digest[:CHECK_BYTES] != body.check:
        raise UnreadableSegment("expected another state after the last move")
    outcome = game.outcome(state)
    if outcome is not None:
        end = terminal_record(row.sequence, outcome)
        link = link_of(link, end)
        parts += (end, BYTES_32, link)
    head = Head(row.match_id, row.sequence, link)
    parts += [_attachment(each, head, body.secret) for each in row.attachments]
    return Expanded(b"".join(parts), header, head, game, state, choices)


@lru_cache(maxsize=64)
def _packed_moves(game_name: str, options: Hashable) -> dict[int, tuple[bytes, object]]:
    """Return the bytes of every move of a seat as a record has them, and the move, by its identity.

    A move that is not found here is written as any other, so nothing depends on that but speed.
    """
    game = GAMES[game_name]
    packed = [(move, game.encode_move(move)) for move in game.seat_moves(options)]
    return {id(move): (bytes((0xC4, len(data))) + data + BYTES_32, move) for move, data in packed}


def _attachment(kept: bytes | bool, head: Head, secret: bytes | None) -> bytes:
    """Return an attachment as it stands in the log."""
    if isinstance(kept, bytes) and kept[:1] == b"\0":
        return kept[1:]
    if isinstance(kept, bytes):
        if not 1 <= len(kept) - 1 - SIGNATURE_BYTES <= HASH_BYTES:
            raise UnreadableSegment("expected a key id and a signature, got another size")
        key_id, signature = kept[1:-SIGNATURE_BYTES], kept[-SIGNATURE_BYTES:]
        return pack([SIGNATURE, head.sequence, head.link, key_id, signature])
    if secret is None:
        raise UnreadableSegment("expected the match secret that is revealed")
    return revealed_secret(secret)


class _Times:
    """The host's times of the moves: 0 for none, else the distance to the one before."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._before = 0

    def next(self) -> int | None:
        """Return the time of the next move, None for all of them if there are none."""
        if not self._data:
            return None
        number, self._at = read_number(self._data, self._at)
        if number == 0:
            return None
        distance = number - 1
        self._before += -(distance + 1 >> 1) if distance & 1 else distance >> 1
        return self._before

    def finish(self) -> None:
        """Refuse whatever is left over."""
        if self._at != len(self._data):
            raise UnreadableSegment("expected a time for each move and no more")
