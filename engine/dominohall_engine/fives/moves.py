"""The moves of Fives, and their canonical bytes.

A move of a seat is a small frozen value with the seat in it. The constructors check nothing: a tile that does not fit
can be said, and `violation` refuses it. Bytes: a code, then the fields, one byte each.

| code | move | fields |
|---|---|---|
| 01 | `Shake` | the 28 tiles in order |
| 02 | `Lot` | one tile a seat |
| 03 | `Abandon` | the reason in ASCII |
| 20 | `Play` | seat, tile, place |
| 21 | `Draw` | seat |
| 22 | `Knock` | seat |

>>> encode_move(Play(1, 25, 2)).hex()
'20011902'
>>> decode_move(bytes.fromhex("2100aa"))
Traceback (most recent call last):
    ...
dominohall_engine.errors.UnreadableMove: expected 2 bytes for a Draw, got 3
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from dominohall_engine.copying import copied_by_fields
from dominohall_engine.errors import UnreadableMove
from dominohall_engine.fives.places import PLACE_COUNT
from dominohall_engine.moves import ABANDON_CODE, LOT_CODE, SHAKE_CODE, Abandon, Shake
from dominohall_engine.seats import SEAT_COUNT
from dominohall_engine.tiles import TILE_COUNT

PLAY_CODE: Final = 0x20
DRAW_CODE: Final = 0x21
KNOCK_CODE: Final = 0x22


@dataclass(frozen=True)
class Play:
    """A seat lays a tile at an open place of the layout (LIN-09); `places` names the places."""

    seat: int
    tile: int
    place: int


@dataclass(frozen=True)
class Draw:
    """A seat that can't play takes one tile from the front of the boneyard (LIN-07, D-06)."""

    seat: int


@dataclass(frozen=True)
class Knock:
    """A seat that can neither play nor draw says so (D-06)."""

    seat: int


@dataclass(frozen=True)
class Lot:
    """Chance draws one tile for each seat; the highest leads (LIN-04, A-LIN-22, A-LIN-29).

    `tiles` holds a byte a seat, seat 0 first.
    """

    tiles: bytes


SeatMove = Play | Draw | Knock
Move = SeatMove | Shake | Lot | Abandon

copied_by_fields((Play, Draw, Knock, Lot))

PLAYS: Final = tuple(
    tuple(tuple(Play(seat, tile, place) for tile in range(TILE_COUNT)) for place in range(PLACE_COUNT))
    for seat in range(SEAT_COUNT)
)
"""``PLAYS[seat][place][tile]``."""
DRAWS: Final = tuple(Draw(seat) for seat in range(SEAT_COUNT))
KNOCKS: Final = tuple(Knock(seat) for seat in range(SEAT_COUNT))


def domain(seats: int) -> tuple[SeatMove, ...]:
    """Return every move that a seat can ever make, legal now or not; `legal_moves` keeps this order."""
    moves: list[SeatMove] = []
    for seat in range(seats):
        for row in PLAYS[seat]:
            moves += row
        moves += [DRAWS[seat], KNOCKS[seat]]
    return tuple(moves)


def encode_move(move: Move) -> bytes:
    """Return the canonical bytes of a move; `UnreadableMove` for a number that has none (below 0 or above 255)."""
    try:
        if isinstance(move, Play):
            return bytes((PLAY_CODE, move.seat, move.tile, move.place))
        if isinstance(move, Draw):
            return bytes((DRAW_CODE, move.seat))
        if isinstance(move, Knock):
            return bytes((KNOCK_CODE, move.seat))
        return _encode_other(move)
    except ValueError:
        raise UnreadableMove("expected numbers from 0 to 255 and text in ASCII, got a move outside them") from None


def _encode_other(move: Shake | Lot | Abandon) -> bytes:
    if isinstance(move, Shake):
        if len(move.tiles) != TILE_COUNT:
            raise UnreadableMove(f"expected a shake of 28 tiles, got {len(move.tiles)}")
        return bytes((SHAKE_CODE,)) + move.tiles
    if isinstance(move, Lot):
        if not 2 <= len(move.tiles) <= SEAT_COUNT:
            raise UnreadableMove(f"expected a lot of 2 to 4 tiles, got {len(move.tiles)}")
        return bytes((LOT_CODE,)) + move.tiles
    return bytes((ABANDON_CODE,)) + move.reason.encode("ascii")


_MOVE_OF: Final[Mapping[bytes, Move]] = {encode_move(move): move for move in domain(SEAT_COUNT)}


def decode_move(data: bytes) -> Move:
    """Read a move's canonical bytes; `UnreadableMove` for anything else.

    Readable is not legal: a draw of seat 9, a tile at place 200 and a shake with a tile twice can be read.
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
    name, lengths = _LENGTHS[code]
    if len(data) not in lengths:
        raise UnreadableMove(f"expected {' or '.join(map(str, lengths))} bytes for a {name}, got {len(data)}")
    if code == SHAKE_CODE:
        return Shake(data[1:])
    if code == LOT_CODE:
        return Lot(data[1:])
    if code == PLAY_CODE:
        if data[2] >= TILE_COUNT:
            raise UnreadableMove(f"expected a tile from 0 to 27, got {data[2]}")
        return Play(data[1], data[2], data[3])
    return Draw(data[1]) if code == DRAW_CODE else Knock(data[1])


_LENGTHS: Final[Mapping[int, tuple[str, tuple[int, ...]]]] = {
    SHAKE_CODE: ("Shake", (1 + TILE_COUNT,)),
    LOT_CODE: ("Lot", (3, 4, 5)),
    PLAY_CODE: ("Play", (4,)),
    DRAW_CODE: ("Draw", (2,)),
    KNOCK_CODE: ("Knock", (2,)),
}
