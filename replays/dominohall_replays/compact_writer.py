"""From a log to its row: what the log says is played once, and where it agrees with the rules, left out.

Whatever the compact form has no place for, or would give back otherwise, is `NotCompactable`: the row is expanded and
compared before anybody gets it.
"""

from collections.abc import Sequence
from typing import Any, Final

from dominohall_engine.errors import DominohallError
from dominohall_engine.game import Phase
from dominohall_engine.games import GAMES, AnyGame
from dominohall_engine.moves import ABANDON_CODE, Shake
from dominohall_engine.options import options_from_plain

from dominohall_replays.compact_body import (
    ABANDONED,
    CHECK_BYTES,
    COMMITMENT,
    ORDERS,
    SALTS,
    SECRET,
    Body,
)
from dominohall_replays.compact_digits import DigitWriter, packed_number
from dominohall_replays.compact_row import GREATEST_MOVES, Expanded, Row, Template, expanded_row
from dominohall_replays.deals import commitment, derive_lot, derive_shake, seat_count, shake_salt
from dominohall_replays.errors import ReplayError
from dominohall_replays.log import Attachment, Log, read_log
from dominohall_replays.reading import LoggedMove, OpenedShake, RevealedSecret
from dominohall_replays.records import NO_HASH, Head, Header


class NotCompactable(ReplayError, ValueError):
    """A log that the compact form would not give back byte for byte: it is kept as it is."""


def row_of(log: bytes, secret: bytes | None = None) -> tuple[Row, Expanded]:
    """Return the row of a log, and what it expands to; `NotCompactable` for one that is not given back exactly.

    `secret` is the match secret if it is known though the log does not reveal it; one that is not the log's is of no
    use and is not kept.
    """
    try:
        row = _row(read_log(log), log, secret)
        back = expanded_row(row)
    except (ReplayError, DominohallError, ValueError) as error:
        raise NotCompactable(f"expected a log of whole deals that holds: {error}") from None
    if back.log != log:
        raise NotCompactable("expected a log that comes back byte for byte, got one that would not")
    return row, back


def template_of(header: Header) -> Template:
    """Return what this header may share with others."""
    if header.initial is not None:
        raise NotCompactable("expected a match that began with its first move, got an imported one")
    return Template(
        header.owner,
        header.game,
        header.rules_revision,
        header.rules_digest,
        tuple(header.options.items()),
        header.first,
        header.deal_key_id,
        header.marks,
    )


def _row(log: Log, data: bytes, secret: bytes | None) -> Row:
    header = log.header
    template = template_of(header)
    moves: list[LoggedMove] = []
    attachments: list[Attachment] = []
    for item in log.items():
        if isinstance(item, LoggedMove):
            moves.append(item)
        else:
            attachments.append(item)
    if len(moves) > GREATEST_MOVES:
        raise NotCompactable(f"expected at most {GREATEST_MOVES} moves, got {len(moves)}")
    secret = next((each.secret for each in attachments if isinstance(each, RevealedSecret)), secret)
    if secret is not None and header.commitment != commitment(secret):
        secret = None
    choices = _Chosen(header, moves, secret)
    head = Head(header.match_id, len(moves), moves[-1].last_link if moves else log.first.link)
    return Row(
        template,
        header.match_id,
        head.sequence,
        head.link,
        choices.body(header),
        choices.salts,
        _times([each.occurred_at for each in moves]),
        header.labels if any(header.labels) else (),
        _attachments(data, attachments, head, secret),
    )


class _Chosen:
    """What was chosen in a match, by its players and by chance."""

    def __init__(self, header: Header, moves: Sequence[LoggedMove], secret: bytes | None) -> None:
        game = GAMES[header.game]
        self._secret: Final = secret
        self._moves: Final = moves
        self._chosen: list[tuple[int, int] | bytes] = []
        """A digit and its radix, the order of a shake (28 bytes) or the bytes of a lot (fewer)."""
        self._salts = bytearray()
        self._follow = SECRET if secret is not None else ORDERS | SALTS
        """The flags: what does not follow from the secret."""
        state = game.new_match(options_from_plain(game.Options, header.options), header.first)
        for each in moves:
            state = game.apply(state, self._choice(game, state, each))

    @property
    def salts(self) -> bytes:
        """The salts that are kept."""
        return bytes(self._salts) if self._follow & SALTS else b""

    def body(self, header: Header) -> bytes:
        """Return the bytes of the body."""
        flags, moves = self._follow, self._moves
        reason, committed = b"", None
        if header.commitment is not None and self._secret is None:
            flags, committed = flags | COMMITMENT, header.commitment
        if moves and moves[-1].move[0] == ABANDON_CODE:
            flags, reason = flags | ABANDONED, moves[-1].move[1:]
        check = (moves[-1].digest if moves else NO_HASH)[:CHECK_BYTES]
        return Body(flags, self._secret, committed, reason, check).packed(self._digits())

    def _digits(self) -> bytes:
        writer = DigitWriter()
        for each in self._chosen:
            if isinstance(each, tuple):
                writer.put(*each)
            elif self._follow & ORDERS:
                writer.put_chance(each)
        return writer.data()

    def _choice(self, game: AnyGame, state: Any, entry: LoggedMove) -> Any:  # noqa: ANN401 - a state and a move
        """Note what was chosen here; return the move."""
        if entry.root is not None:
            return self._shake(game, state, entry)
        move = game.decode_move(entry.move)
        legal = game.legal_moves(state)
        if entry.move[0] == ABANDON_CODE:
            return move
        if game.phase(state) is Phase.LOT:
            self._chosen.append(entry.move[1:])
            if self._secret is not None:
                lot = derive_lot(game.NAME, seat_count(game, state), self._secret, game.shakes(state))
                self._follow |= 0 if lot == entry.move else ORDERS
        elif len(legal) > 1:
            self._chosen.append((legal.index(move), len(legal)))
        return move

    def _shake(self, game: AnyGame, state: Any, entry: LoggedMove) -> Shake:  # noqa: ANN401 - a state
        opened, number = entry.opened, game.shakes(state)
        if not isinstance(opened, OpenedShake):
            raise NotCompactable("expected every shake to be shown whole")
        self._chosen.append(opened.order)
        self._salts += opened.salt
        if self._secret is not None:
            self._follow |= 0 if derive_shake(self._secret, number) == opened.order else ORDERS
            self._follow |= 0 if shake_salt(self._secret, number) == opened.salt else SALTS
        return Shake(opened.order)


def _times(times: Sequence[int | None]) -> bytes:
    """Write the host's times; nothing if it gave none."""
    if not any(each is not None for each in times):
        return b""
    parts, before = [], 0
    for each in times:
        if each is None:
            parts.append(b"\0")
            continue
        distance, before = each - before, each
        parts.append(packed_number(1 + (-2 * distance - 1 if distance < 0 else 2 * distance)))
    return b"".join(parts)


def _attachments(
    log: bytes, attachments: Sequence[Attachment], head: Head, secret: bytes | None
) -> tuple[bytes | bool, ...]:
    """Write what stands beside the log."""
    found: list[bytes | bool] = []
    ends = [*(each.offset for each in attachments[1:]), len(log)]
    for each, end in zip(attachments, ends, strict=False):
        if isinstance(each, RevealedSecret):
            found.append(True if each.secret == secret else b"\0" + log[each.offset : end])
        elif (each.sequence, each.link) == (head.sequence, head.link):
            found.append(b"\1" + each.key_id + each.signature)
        else:
            found.append(b"\0" + log[each.offset : end])
    return tuple(found)
