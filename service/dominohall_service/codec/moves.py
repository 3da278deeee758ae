"""Moves on the wire. Reading one is on the path of every call, so most are known by their bytes.

A shake or a lot may come without its order: then the service makes it, and the reader returns `Made`.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, cast

from dominohall.v1.move_pb2 import Abandon, Bid, Draw, Knock, Lot, Move, NameTrump, Pass, Place, Play, Shake, Trump
from dominohall_engine import fives, forty_two, moves
from dominohall_engine.fives.places import PLACE_COUNT
from dominohall_engine.game import Phase
from dominohall_engine.games import GAMES
from dominohall_engine.seats import SEAT_COUNT
from dominohall_engine.tiles import NAMES

from dominohall_service.codec.scalars import (
    order_from_proto,
    tile_from_proto,
    tiles_from_proto,
    tiles_to_proto,
)
from dominohall_service.faults import invalid

LOWEST_TRUMP: Final = Trump.TRUMP_BLANKS
"""The wire's trump of the engine's 0: the numbers follow each other on both sides."""
TRUMP_COUNT: Final = len(Trump.values()) - 1
LOWEST_PLACE: Final = Place.PLACE_START
"""The wire's place of the engine's 0, likewise."""


CHANCE_DUE: Final = {Phase.LOT: Move(lot=Lot()), Phase.SHAKE: Move(shake=Shake())}
"""What asks the service for the chance move that a phase waits for."""


class Made:
    """A chance move that the service is to make; `lot` says which of the two was asked for."""

    __slots__ = ("lot",)

    def __init__(self, *, lot: bool) -> None:
        self.lot: Final = lot


MADE_SHAKE: Final = Made(lot=False)
MADE_LOT: Final = Made(lot=True)


def seat_of(proto: Any, field: str) -> int:  # noqa: ANN401 - any move of a seat
    """Read the seat of a move; whether there is such a seat, the rules say."""
    if not proto.HasField("seat"):
        raise invalid(f"{field}.seat", "expected a seat, got none")
    return cast("int", proto.seat)


def trump_from_proto(value: int, field: str) -> int:
    """Read a trump: 0 to 6 for a number, 7 for doubles."""
    trump = value - LOWEST_TRUMP
    if not 0 <= trump < TRUMP_COUNT:
        raise invalid(field, f"expected a trump, got {'none' if value == 0 else f'the unknown value {value}'}")
    return trump


def trump_to_proto(trump: int) -> Trump.ValueType:
    """Write a trump."""
    return cast("Trump.ValueType", LOWEST_TRUMP + trump)


def place_from_proto(value: int, field: str) -> int:
    """Read a place of the layout."""
    place = value - LOWEST_PLACE
    if not 0 <= place < PLACE_COUNT:
        raise invalid(field, f"expected a place, got {'none' if value == 0 else f'the unknown value {value}'}")
    return place


def place_to_proto(place: int) -> Place.ValueType:
    """Write a place of the layout."""
    return cast("Place.ValueType", LOWEST_PLACE + place)


def _forty_two_play(proto: Play, field: str) -> object:
    if proto.HasField("place"):
        raise invalid(f"{field}.place", "expected none: forty_two has no places")
    return forty_two.Play(seat_of(proto, field), tile_from_proto(proto.tile, f"{field}.tile"))


def _fives_play(proto: Play, field: str) -> object:
    seat, tile = seat_of(proto, field), tile_from_proto(proto.tile, f"{field}.tile")
    return fives.Play(seat, tile, place_from_proto(proto.place, f"{field}.place"))


def _bid(proto: Bid, field: str) -> object:
    seat = seat_of(proto, field)
    if not proto.HasField("points"):
        raise invalid(f"{field}.points", "expected the points of the bid, got none")
    return forty_two.Bid(seat, proto.points)


def _name_trump(proto: NameTrump, field: str) -> object:
    return forty_two.NameTrump(seat_of(proto, field), trump_from_proto(proto.trump, f"{field}.trump"))


def _forty_two_lot(proto: Lot, field: str) -> object:
    if proto.tiles:
        raise invalid(f"{field}.tiles", "expected none: the lot of forty_two finds a seat")
    return forty_two.Lot(proto.seat) if proto.HasField("seat") else MADE_LOT


def _fives_lot(proto: Lot, field: str) -> object:
    if proto.HasField("seat"):
        raise invalid(f"{field}.seat", "expected none: the lot of fives draws a tile for each seat")
    if len(proto.tiles) > SEAT_COUNT:
        raise invalid(f"{field}.tiles", f"expected at most {SEAT_COUNT} tiles, got {len(proto.tiles)}")
    return fives.Lot(tiles_from_proto(proto.tiles, f"{field}.tiles")) if proto.tiles else MADE_LOT


def _shake(proto: Shake, field: str) -> object:
    return moves.Shake(order_from_proto(proto.tiles, f"{field}.tiles")) if proto.tiles else MADE_SHAKE


def _abandon(proto: Abandon, field: str) -> object:
    if not proto.reason:
        raise invalid(f"{field}.reason", "expected a reason, got none")
    return moves.Abandon(proto.reason)


Reader = Callable[[Any, str], object]
_ANY_GAME: Final[Mapping[str, Reader]] = {"shake": _shake, "abandon": _abandon}
READERS: Final[Mapping[str, Mapping[str, Reader]]] = {
    "forty_two": {
        **_ANY_GAME,
        "lot": _forty_two_lot,
        "bid": _bid,
        "pass": lambda proto, field: forty_two.Pass(seat_of(proto, field)),
        "name_trump": _name_trump,
        "play": _forty_two_play,
    },
    "fives": {
        **_ANY_GAME,
        "lot": _fives_lot,
        "play": _fives_play,
        "draw": lambda proto, field: fives.Draw(seat_of(proto, field)),
        "knock": lambda proto, field: fives.Knock(seat_of(proto, field)),
    },
}


def move_from_proto(game: str, proto: Move, field: str = "move") -> Any:  # noqa: ANN401 - a move of that game, or `Made`
    """Read a move of this game."""
    usual = usual_moves(game).get(proto.SerializeToString())
    if usual is not None:
        return usual
    kind = proto.WhichOneof("kind")
    reader = READERS[game].get(kind or "")
    if kind is None:
        raise invalid(field, "expected a move, got none")
    if reader is None:
        raise invalid(f"{field}.{kind}", f"expected a move of {game}, got one of another game")
    return reader(getattr(proto, kind), f"{field}.{kind}")


@cache
def usual_moves(game: str) -> Mapping[bytes, object]:
    """Return the moves of seats by the bytes of their messages as they are usually written.

    A message that says the same in other bytes, and one that is no such move, is read field by field.
    """
    rules = GAMES[game]
    moves_of_seats = {move for options in rules.PRESETS.values() for move in rules.seat_moves(options)}
    return {move_to_proto(move).SerializeToString(): move for move in moves_of_seats}


def _wire(kind: str, proto: Any) -> Move:  # noqa: ANN401 - the message of any move
    """Write a move whose field has a name that is a Python keyword."""
    fields = {kind: proto}
    return Move(**fields)


CALLS: Final[dict[object, Move]] = {}
"""The messages of bids and passes, made when first asked for: there are few, and every table of 42 shows some."""


def call_to_proto(call: object) -> Move:
    """Return the message of a bid or a pass, which is shared: it is only ever copied into another."""
    proto = CALLS.get(call)
    if proto is None:
        proto = CALLS[call] = move_to_proto(call)
    return proto


def write_round_move(proto: Move, move: fives.Play | fives.Draw | fives.Knock) -> None:
    """Write a move of a seat of fives into an empty message."""
    if isinstance(move, fives.Play):
        play = proto.play
        play.seat, play.tile, play.place = move.seat, NAMES[move.tile], place_to_proto(move.place)
    elif isinstance(move, fives.Draw):
        proto.draw.seat = move.seat
    else:
        proto.knock.seat = move.seat


def move_to_proto(move: object) -> Move:
    """Write a move of either game."""
    return WRITERS[type(move)](move)


WRITERS: Final[Mapping[type, Callable[[Any], Move]]] = {
    moves.Shake: lambda move: Move(shake=Shake(tiles=tiles_to_proto(move.tiles))),
    moves.Abandon: lambda move: Move(abandon=Abandon(reason=move.reason)),
    forty_two.Lot: lambda move: Move(lot=Lot(seat=move.seat)),
    forty_two.Bid: lambda move: Move(bid=Bid(seat=move.seat, points=move.points)),
    forty_two.Pass: lambda move: _wire("pass", Pass(seat=move.seat)),
    forty_two.NameTrump: lambda move: Move(name_trump=NameTrump(seat=move.seat, trump=trump_to_proto(move.trump))),
    forty_two.Play: lambda move: Move(play=Play(seat=move.seat, tile=NAMES[move.tile])),
    fives.Lot: lambda move: Move(lot=Lot(tiles=tiles_to_proto(move.tiles))),
    fives.Play: lambda move: Move(play=Play(seat=move.seat, tile=NAMES[move.tile], place=place_to_proto(move.place))),
    fives.Draw: lambda move: Move(draw=Draw(seat=move.seat)),
    fives.Knock: lambda move: Move(knock=Knock(seat=move.seat)),
}
