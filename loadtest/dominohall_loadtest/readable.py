"""The readable states and views that the service should have sent, written from the engine's own.

`tables.py` writes what belongs to one game. A difference is reported by the names of the fields, never by what is in
them: a hand does not belong into a report.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final

from dominohall.v1 import match_pb2, options_pb2, view_pb2
from dominohall_engine.options import options_to_plain
from dominohall_engine.tiles import NAMES, parse_tile
from google.protobuf.message import Message

from dominohall_loadtest.entries import Mismatch, expect
from dominohall_loadtest.kinds import Kind
from dominohall_loadtest.tables import fives_state, fives_view, forty_two_state, forty_two_view
from dominohall_loadtest.wire import move_to_proto, outcome_to_proto, phase_to_proto

STATE_OF: Final[dict[str, Callable[[Kind, Any], Message]]] = {"forty_two": forty_two_state, "fives": fives_state}
VIEW_OF: Final[dict[str, Callable[[Kind, Any, int | None], Message]]] = {
    "forty_two": forty_two_view,
    "fives": fives_view,
}


Marks = Sequence[match_pb2.Mark.ValueType]
"""What the header of a match says of it for good."""


def state_to_proto(kind: Kind, state: Any, marks: Marks = ()) -> match_pb2.MatchState:  # noqa: ANN401
    """Write a readable state as a reply has it, every hand in it."""
    written = match_pb2.MatchState(options=options_to_proto(kind), shake_count=kind.game.shakes(state), marks=marks)
    getattr(written, kind.game.NAME).CopyFrom(STATE_OF[kind.game.NAME](kind, state))
    _fill_common(kind, state, written)
    return written


def check_state(kind: Kind, state: Any, got: match_pb2.MatchState, marks: Marks = ()) -> None:  # noqa: ANN401
    """Judge a readable state: equal, field by field, to what the engine says."""
    _compare("state", state_to_proto(kind, state, marks), got)


def check_view(kind: Kind, state: Any, seat: int | None, got: view_pb2.View, marks: Marks = ()) -> None:  # noqa: ANN401
    """Judge a view: equal to what the engine lets that seat see, each opening a proof under the root."""
    moves = kind.game.legal_moves(state) if seat is not None and seat == kind.game.turn(state) else ()
    wanted = view_pb2.View(
        match_id=got.match_id,
        sequence=got.sequence,
        seat=seat,
        options=options_to_proto(kind),
        shake_count=kind.game.shakes(state),
        marks=marks,
        legal_moves=[move_to_proto(move) for move in moves],
        root=got.root,
        openings=got.openings,
    )
    getattr(wanted, kind.game.NAME).CopyFrom(VIEW_OF[kind.game.NAME](kind, state, seat))
    _fill_common(kind, state, wanted)
    _compare("view", wanted, got)
    _check_openings(kind.game.order(state), got)


def options_to_proto(kind: Kind) -> options_pb2.Options:
    """Write all options as a reply has them: each field, and the preset that they equal, if any."""
    presets = [name for name, options in kind.game.PRESETS.items() if options == kind.options]
    message = options_pb2.Options(preset=f"{kind.game.NAME}.{presets[0]}" if presets else "")
    part = getattr(message, kind.game.NAME)
    for name, value in options_to_plain(kind.options).items():
        field = part.DESCRIPTOR.fields_by_name[name]
        if value is not None:
            plain = isinstance(getattr(kind.options, name), StrEnum)
            setattr(part, name, _enum_number(field.enum_type, str(value)) if plain else value)
    return message


def _enum_number(enum: Any, value: str) -> int:  # noqa: ANN401 - a descriptor
    prefix = enum.values[0].name.removesuffix("UNSPECIFIED")
    number: int = enum.values_by_name[prefix + value.upper()].number
    return number


def _fill_common(kind: Kind, state: Any, message: match_pb2.MatchState | view_pb2.View) -> None:  # noqa: ANN401
    """Write what every game has: phase, turn, sides with their points, outcome."""
    game = kind.game
    message.phase = phase_to_proto(game.phase(state))
    if (turn := game.turn(state)) is not None:
        message.turn = turn
    points = game.view(state, None).scores
    for seats, each in zip(game.sides(kind.options), points, strict=True):
        message.sides.add(seats=seats, points=each)
    if (outcome := game.outcome(state)) is not None:
        message.outcome.CopyFrom(outcome_to_proto(outcome))


def _compare(what: str, wanted: Message, got: Message) -> None:
    if wanted != got:
        raise Mismatch(f"{what}: not as the engine says in {', '.join(_differences(wanted, got)) or 'unknown fields'}")


def _differences(wanted: Any, got: Any, prefix: str = "") -> list[str]:  # noqa: ANN401 - two messages of one type
    """Return the paths of the fields that differ."""
    found = []
    for field in wanted.DESCRIPTOR.fields:
        one, other = getattr(wanted, field.name), getattr(got, field.name)
        has_presence = field.has_presence
        if one == other and not (has_presence and wanted.HasField(field.name) != got.HasField(field.name)):
            continue
        nested = isinstance(one, Message) and _differences(one, other, f"{prefix}{field.name}.")
        found += nested or [prefix + field.name]
    return found


def _check_openings(order: bytes | None, view: view_pb2.View) -> None:
    """Judge the openings of a view: each true, each under the root, and of this seat's own tiles alone."""
    if order is None or not view.HasField("seat"):
        expect("openings of a view that is due none", 0, len(view.openings))
        return
    for opening in view.openings:
        expect("tile of an opening", True, opening.tile == NAMES[order[opening.place]])
        expect("an opening under the root", view.root, _root_of(opening))
    part = view.forty_two if view.HasField("forty_two") else view.fives
    own = set(part.hand.tiles) | _played_by(view)
    expect("openings of the seat's own tiles", True, own == {opening.tile for opening in view.openings})


def _played_by(view: view_pb2.View) -> set[str]:
    """Return the tiles that the viewer has played in this round."""
    if view.HasField("forty_two"):
        tricks = view.forty_two.table.tricks
        return {play.tile for trick in tricks for play in trick.plays if play.seat == view.seat}
    moves = view.fives.table.moves
    return {move.play.tile for move in moves if move.HasField("play") and move.play.seat == view.seat}


def _root_of(opening: view_pb2.Opening) -> bytes:
    """Return the root of the Merkle tree of 32 places that this opening proves itself to lie under."""
    place = opening.place
    tile = parse_tile(opening.tile)
    node = sha256(b"\0dominohall/leaf/1\0" + bytes((place, tile)) + opening.salt).digest()
    for neighbour in opening.path:
        pair = neighbour + node if place & 1 else node + neighbour
        node = sha256(b"\1" + pair).digest()
        place >>= 1
    return node
