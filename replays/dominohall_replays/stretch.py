"""A stretch of a log: entries that are, byte for byte, what they must be.

All but a few entries of an honest log are a move of a seat or a shake shown whole, with nothing unusual about them.
Of such an entry everything but the move, the tiles and the time follows from the state before it. So here the bytes
are not taken apart: the move is looked up, applied, and the entry is written again and compared with the log. That is
half the work of reading and judging it item by item, and it can't be fooled: equal bytes are equal entries.

Nothing here ever says what is wrong. The first entry that is not what it must be, or is of a kind that is not
expected here, is where the stretch ends, and `Fold.advance` judges that one.
"""

from collections.abc import Container, Hashable
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

from dominohall_engine.errors import IllegalMove
from dominohall_engine.games import GAMES
from dominohall_engine.moves import Shake
from dominohall_engine.tiles import TILE_COUNT, is_order

from dominohall_replays.deals import HASH_BYTES, root
from dominohall_replays.fold import Chance, Fold
from dominohall_replays.log import Walk
from dominohall_replays.packing import NIL
from dominohall_replays.reading import PREFIXES, move_prefix
from dominohall_replays.records import (
    BYTES_32,
    GREATEST_TIME,
    LINK_DOMAIN,
    NO_HASH,
    OPENED_SHAKE,
    SHAKE_MOVE,
    STATE_DOMAIN,
)

_NIL: Final = bytes((NIL,))
_NIL_NIL: Final = _NIL + _NIL
"""No time and no root."""
_EARLIEST: Final = b"\xcf" + (1 << 32).to_bytes(8, "big")
_LATEST: Final = b"\xcf" + GREATEST_TIME.to_bytes(8, "big")
"""The times that take eight bytes; an earlier one is written shorter, and judged by `Fold.advance`."""
_TIME_BYTES: Final = len(_LATEST)
_SHAKE: Final = bytes((0xC4, 1)) + SHAKE_MOVE + BYTES_32
_OPENED: Final = bytes((0x93, OPENED_SHAKE, 0xC4, TILE_COUNT))
"""How the opening of a whole shake begins."""
_LEAST: Final = 2 * (len(BYTES_32) + HASH_BYTES)
"""Fewer bytes than follow the sequence of an entry with another entry behind it."""


def go_through(  # noqa: C901, PLR0912, PLR0915 - one loop: what it would call a move costs more than what it does
    fold: Fold, walk: Walk, stops: Container[int]
) -> None:
    """Take the fold and the walk over the stretch that begins here; it may be empty.

    An entry belongs to it if it is what it must be and another one follows: the last one may have something beside
    it. The stretch ends before a sequence of `stops`.
    """
    if not fold.knows_all or not walk.among_moves:
        return
    data, at, base, sequence = walk.data, walk.at, walk.base, walk.sequence
    apply, encode_public, order_of = fold.game.apply, fold.game.encode_public, fold.game.order
    packed_moves = _packed_moves(fold.game.NAME, fold.options)
    state, link, links, under = fold.state, fold.link, fold.links, fold.root or NO_HASH
    phase = type(state)
    of_state, of_link = sha256(STATE_DOMAIN).copy, sha256(LINK_DOMAIN).copy
    last = len(data) - _LEAST
    prefixes, near = PREFIXES, len(PREFIXES) - 1
    prefix = move_prefix(sequence)
    if not data.startswith(prefix, at):
        return
    while sequence not in stops:
        place = at + len(prefix)
        if place > last:
            break
        end = place + 4 + data[place + 1]
        packed = data[place:end]
        now, field, untimed, beside = under, _NIL, _NIL_NIL, b""
        move = packed_moves.get(packed)
        if move is None:
            shown = _shake_at(data, end + HASH_BYTES) if packed == _SHAKE else None
            if shown is None:
                break
            move, now, field, beside = shown
            untimed = _NIL + field
        try:
            after = apply(state, move)
        except IllegalMove:
            break
        if type(after) is not phase:
            if order_of(after) is None:
                now = NO_HASH
            phase = type(after)
        digest = of_state()
        digest.update(encode_public(after) + now)
        said = digest.digest()
        time = end + HASH_BYTES
        if data[time] == NIL:
            said += untimed
        else:
            occurred_at = data[time : time + _TIME_BYTES]
            if not _EARLIEST <= occurred_at <= _LATEST:
                break
            said += occurred_at + field
        digest = of_link()
        digest.update(link + data[at:end] + said)
        following = digest.digest()
        said += BYTES_32 + following + beside
        prefix = prefixes[sequence + 1] if sequence < near else move_prefix(sequence + 1)
        if not data.startswith(said + prefix, end):
            break
        if beside:
            number = fold.game.shakes(state)
            fold.chances.append(Chance(sequence, base + at, number, b"", move.tiles, beside[-HASH_BYTES:], now))
        state, link, under = after, following, now
        links += link
        sequence += 1
        at = end + len(said)
    if sequence > walk.sequence:
        fold.state, fold.link, fold.root = state, link, None if under == NO_HASH else under
        fold.sequence, fold.end = sequence - 1, base + at
        walk.over(at, sequence)


def _shake_at(data: bytes, time: int) -> tuple[Shake, bytes, bytes, bytes] | None:
    """Read a shake shown whole, from its time on; return it, its root, and how root and opening must be written."""
    field = time + (1 if data[time] == NIL else _TIME_BYTES)
    opened = field + 2 * (len(BYTES_32) + HASH_BYTES)
    salt_at = opened + len(_OPENED) + TILE_COUNT + len(BYTES_32)
    order, salt = data[opened + len(_OPENED) : salt_at - len(BYTES_32)], data[salt_at : salt_at + HASH_BYTES]
    if not is_order(order) or len(salt) != HASH_BYTES:
        return None
    expected = root(order, salt)
    return Shake(order), expected, BYTES_32 + expected, _OPENED + order + BYTES_32 + salt


@lru_cache(maxsize=64)
def _packed_moves(game_name: str, options: Hashable) -> dict[bytes, Any]:
    """Return every move of a seat by its bytes as a record has them, the head of the digest behind it included."""
    game = GAMES[game_name]
    packed = [(game.encode_move(move), move) for move in game.seat_moves(options)]
    return {bytes((0xC4, len(data))) + data + BYTES_32: move for data, move in packed}
