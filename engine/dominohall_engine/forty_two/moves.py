"""The moves of 42, and their canonical bytes.

A move of a seat is a small frozen value with the seat in it. The constructors check nothing: a bid of 29 can be said,
and `violation` refuses it. Bytes: a code, then the fields, one byte each.

| code | move | fields |
|---|---|---|
| 01 | `Shake` | the 28 tiles in order |
| 02 | `Lot` | seat |
| 03 | `Abandon` | the reason in ASCII |
| 10 | `Bid` | seat, points |
| 11 | `Pass` | seat |
| 12 | `NameTrump` | seat, trump |
| 13 | `Play` | seat, tile |

>>> encode_move(Bid(2, 31)).hex()
'10021f'
>>> decode_move(bytes.fromhex("110300"))
Traceback (most recent call last):
    ...
dominohall_engine.errors.UnreadableMove: expected 2 bytes for a Pass, got 3
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from dominohall_engine.copying import copied_by_fields
from dominohall_engine.errors import UnreadableMove
from dominohall_engine.forty_two.tables import DOUBLES_SUIT, HIGHEST_BID, LOWEST_BID, SUITS
from dominohall_engine.moves import ABANDON_CODE, LOT_CODE, SHAKE_CODE, Abandon, Shake
from dominohall_engine.seats import SEAT_COUNT
from dominohall_engine.tiles import TILE_COUNT

BID_CODE: Final = 0x10
PASS_CODE: Final = 0x11
NAME_TRUMP_CODE: Final = 0x12
PLAY_CODE: Final = 0x13


@dataclass(frozen=True)
class Bid:
    """A seat says how many points its side will make, 30 to 42 (F42-PL-14, F42-RU-07)."""

    seat: int
    points: int


@dataclass(frozen=True)
class Pass:
    """A seat does not bid in this auction (F42-PL-16, F42-RU-08)."""

    seat: int


@dataclass(frozen=True)
class NameTrump:
    """The bidder names trumps: a number 0 to 6, or 7 for doubles (F42-PL-19, F42-RU-12)."""

    seat: int
    trump: int


@dataclass(frozen=True)
class Play:
    """A seat plays a tile to the trick (F42-PL-20, F42-RU-14)."""

    seat: int
    tile: int


@dataclass(frozen=True)
class Lot:
    """Chance names the seat that shakes first (F42-PL-11, D-04)."""

    seat: int


SeatMove = Bid | Pass | NameTrump | Play
Move = SeatMove | Shake | Lot | Abandon

copied_by_fields((Bid, Pass, NameTrump, Play, Lot))

BIDS: Final = tuple(
    tuple(Bid(seat, points) for points in range(LOWEST_BID, HIGHEST_BID + 1)) for seat in range(SEAT_COUNT)
)
"""``BIDS[seat][points - 30]``."""
PASSES: Final = tuple(Pass(seat) for seat in range(SEAT_COUNT))
NAMES_OF_TRUMP: Final = tuple(tuple(NameTrump(seat, trump) for trump in SUITS) for seat in range(SEAT_COUNT))
"""``NAMES_OF_TRUMP[seat][trump]``."""
PLAYS: Final = tuple(tuple(Play(seat, tile) for tile in range(TILE_COUNT)) for seat in range(SEAT_COUNT))
"""``PLAYS[seat][tile]``."""


def domain(*, doubles_trump: bool) -> tuple[SeatMove, ...]:
    """Return every move that a seat can ever make, legal now or not."""
    trumps = [trump for trump in SUITS if doubles_trump or trump != DOUBLES_SUIT]
    moves: list[SeatMove] = []
    for seat in range(SEAT_COUNT):
        moves += [PASSES[seat], *BIDS[seat], *[NAMES_OF_TRUMP[seat][trump] for trump in trumps], *PLAYS[seat]]
    return tuple(moves)


def encode_move(move: Move) -> bytes:
    """Return the canonical bytes of a move; `UnreadableMove` for a number that has none (below 0 or above 255)."""
    try:
        if isinstance(move, Play):
            return bytes((PLAY_CODE, move.seat, move.tile))
        if isinstance(move, Bid):
            return bytes((BID_CODE, move.seat, move.points))
        if isinstance(move, Pass):
            return bytes((PASS_CODE, move.seat))
        if isinstance(move, NameTrump):
            return bytes((NAME_TRUMP_CODE, move.seat, move.trump))
        return _encode_other(move)
    except ValueError:
        raise UnreadableMove("expected numbers from 0 to 255 and text in ASCII, got a move outside them") from None


def _encode_other(move: Shake | Lot | Abandon) -> bytes:
    if isinstance(move, Shake):
        if len(move.tiles) != TILE_COUNT:
            raise UnreadableMove(f"expected a shake of 28 tiles, got {len(move.tiles)}")
        return bytes((SHAKE_CODE,)) + move.tiles
    if isinstance(move, Lot):
        return bytes((LOT_CODE, move.seat))
    return bytes((ABANDON_CODE,)) + move.reason.encode("ascii")


_MOVE_OF: Final[Mapping[bytes, Move]] = {encode_move(move): move for move in domain(doubles_trump=True)}


def decode_move(data: bytes) -> Move:
    """Read a move's canonical bytes; `UnreadableMove` for anything else.

    Readable is not legal: a bid of 29, a pass of seat 9 and a shake with a tile twice can be read.
    """
    return _MOVE_OF.get(data) or _decode_other(data)


def _decode_other(data: bytes) -> Move:
    """Read a chance move, an `Abandon`, or a move of a seat outside the domain."""
    if not data:
        raise UnreadableMove("expected the bytes of a move, got none")
    code = data[0]
    if code == ABANDON_CODE:
        if not data.isascii():
            raise UnreadableMove("expected the reason of an Abandon in ASCII")
        return Abandon(data[1:].decode("ascii"))
    if code not in _LENGTHS:
        raise UnreadableMove(f"expected the code of a move, got {code}")
    name, length = _LENGTHS[code]
    if len(data) != length:
        raise UnreadableMove(f"expected {length} bytes for a {name}, got {len(data)}")
    if code == PLAY_CODE and data[2] >= TILE_COUNT:
        raise UnreadableMove(f"expected a tile from 0 to 27, got {data[2]}")
    return _from_fields(code, data)


def _from_fields(code: int, data: bytes) -> Move:
    """Make the move of this code from bytes of the right length."""
    if code == SHAKE_CODE:
        return Shake(data[1:])
    if code == LOT_CODE:
        return Lot(data[1])
    if code == PASS_CODE:
        return Pass(data[1])
    if code == BID_CODE:
        return Bid(data[1], data[2])
    return NameTrump(data[1], data[2]) if code == NAME_TRUMP_CODE else Play(data[1], data[2])


_LENGTHS: Final[Mapping[int, tuple[str, int]]] = {
    SHAKE_CODE: ("Shake", 1 + TILE_COUNT),
    LOT_CODE: ("Lot", 2),
    BID_CODE: ("Bid", 3),
    PASS_CODE: ("Pass", 2),
    NAME_TRUMP_CODE: ("NameTrump", 3),
    PLAY_CODE: ("Play", 3),
}
