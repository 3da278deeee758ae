"""Whole matches on the wire: the readable state, a seat's view, and a state that comes back from outside."""

from collections.abc import Callable, Iterable, Mapping
from struct import error as StructError  # noqa: N812 - it is raised under no better name
from typing import Any, Final

from dominohall.v1.match_pb2 import Ending, Mark, MatchState, Outcome, Phase, Side
from dominohall.v1.view_pb2 import Opening, View
from dominohall_engine import game as engine_game
from dominohall_engine import outcomes
from dominohall_engine.games import AnyGame
from dominohall_engine.tiles import NAMES
from dominohall_replays.deals import Opening as DealtOpening

from dominohall_service.codec import fives, forty_two
from dominohall_service.codec.moves import move_to_proto
from dominohall_service.codec.options import whole_options_from_proto, write_options
from dominohall_service.codec.scalars import EnumCodec
from dominohall_service.faults import CallFault, Fault, invalid
from dominohall_service.recent import Recent
from dominohall_service.seal import IMPORTED, SCRIPTED

PHASES: Final = EnumCodec(engine_game.Phase, Phase, "PHASE")
ENDINGS: Final = EnumCodec(outcomes.Ending, Ending, "ENDING")
MARKS: Final = ((IMPORTED, Mark.MARK_IMPORTED), (SCRIPTED, Mark.MARK_SCRIPTED))

STATE_WRITERS: Final[Mapping[str, Callable[[Any, Any, Any], None]]] = {
    "forty_two": forty_two.write_state,
    "fives": fives.write_state,
}
LASTS_WITH: Final[Mapping[str, Callable[[Any], object]]] = {
    "forty_two": forty_two.lasts_with,
    "fives": fives.lasts_with,
}
CHANGES: Final[Mapping[str, tuple[Callable[[MatchState, Any], None], Callable[[MatchState, Any], None]]]] = {
    "forty_two": (forty_two.clear_changing, forty_two.write_changing),
    "fives": (fives.clear_changing, fives.write_changing),
}
LASTING: Final[Recent[bytes]] = Recent(512)
"""What stays the same through a round, by what it lasts with and the marks."""
VIEW_WRITERS: Final[Mapping[str, Callable[[Any, Any], None]]] = {
    "forty_two": forty_two.write_view,
    "fives": fives.write_view,
}
STATES_FROM_PROTO: Final[Mapping[str, Callable[..., Any]]] = {
    "forty_two": forty_two.state_from_proto,
    "fives": fives.state_from_proto,
}


def state_to_proto(game: AnyGame, state: object, marks: int) -> MatchState:
    """Write a whole state for the host's eyes, every hand in it."""
    proto = MatchState()
    write_state(proto, game, state, marks)
    return proto


def write_state(proto: MatchState, game: AnyGame, state: object, marks: int) -> None:
    """Write a whole state into an empty message.

    Most of it stays as it is while a round is played: that is written once, kept as bytes, and merged with the rest.
    """
    lasts_with = LASTS_WITH[game.NAME](state)
    if lasts_with is None:
        write_whole_state(proto, game, state, marks)
        return
    clear_changing, write_changing = CHANGES[game.NAME]
    key = (lasts_with, marks)
    lasting = LASTING.get(key)
    if lasting is None:
        whole = MatchState()
        write_whole_state(whole, game, state, marks)
        clear_changing(whole, state)
        lasting = whole.SerializeToString()
        LASTING.add(key, lasting)
    proto.MergeFromString(lasting)
    write_changing(proto, state)


def write_whole_state(proto: MatchState, game: AnyGame, state: object, marks: int) -> None:
    """Write a whole state, field by field, into an empty message."""
    public = game.view(state, None)
    proto.phase = PHASES.to_proto[public.phase]
    if public.turn is not None:
        proto.turn = public.turn
    for seats, points in zip(game.sides(public.options), public.scores, strict=True):
        proto.sides.add(seats=seats, points=points)
    proto.shake_count = game.shakes(state)
    if public.outcome is not None:
        proto.outcome.CopyFrom(outcome_to_proto(public.outcome))
    if marks:
        proto.marks.extend(marks_to_proto(marks))
    write_options(proto.options, game, public.options)
    STATE_WRITERS[game.NAME](getattr(proto, game.NAME), state, public)


def state_from_proto(proto: MatchState, marks: int) -> tuple[AnyGame, Any]:
    """Build the state that a message describes, and believe it only if nothing is wrong with it.

    `IMPOSSIBLE_STATE` lists every broken invariant, and every field that disagrees with what the others say.
    """
    if not proto.HasField("options"):
        raise invalid("state.options", "expected options, got none")
    game, options = whole_options_from_proto(proto.options, "state.options")
    if proto.WhichOneof("game") != game.NAME:
        raise invalid(f"state.{game.NAME}", f"expected a state of {game.NAME}, as the options say")
    phase = PHASES.from_proto(proto.phase, "state.phase")
    if phase is engine_game.Phase.OVER:
        raise impossible([("state.phase", "expected a match that goes on, found one that is over")])
    for place, side in enumerate(proto.sides):
        if not side.HasField("points"):
            raise invalid(f"state.sides[{place}].points", "expected points, got none")
    scores = tuple(side.points for side in proto.sides)
    turn = proto.turn if proto.HasField("turn") else None
    try:
        state = STATES_FROM_PROTO[game.NAME](getattr(proto, game.NAME), options, scores, proto.shake_count, turn)
    except StructError:  # the engine writes a state with tiles as it deals, before `problems` can be asked
        raise impossible([(f"state.{game.NAME}", "expected numbers of a match, found one beyond any")]) from None
    found = [(f"state.{game.NAME}.{each.field}", str(each)) for each in game.problems(state)]
    if found:
        raise impossible(found)
    given = MatchState()
    given.CopyFrom(proto)
    written = state_to_proto(game, state, marks)
    given.options.CopyFrom(written.options)  # the preset's name may be absent
    del given.marks[:]
    given.marks.extend(written.marks)
    differing = differing_fields(given, written, "state")
    if differing:
        raise impossible([(field, "expected what the other fields say, found another value") for field in differing])
    return game, state


def impossible(problems: list[tuple[str, str]]) -> CallFault:
    """Return the fault of a state that breaks the invariants listed."""
    listed = "; ".join(f"{field}: {text}" for field, text in problems[:8])
    return CallFault(Fault.IMPOSSIBLE_STATE, f"expected a state that the rules allow: {listed}", problems)


def differing_fields(given: Any, written: Any, path: str) -> list[str]:  # noqa: ANN401 - two messages of one type
    """Name the fields in which two messages of one type differ, as deep as messages go."""
    found: list[str] = []
    for field in given.DESCRIPTOR.fields:
        one, other = getattr(given, field.name), getattr(written, field.name)
        present = field.has_presence and given.HasField(field.name) != written.HasField(field.name)
        if not present and one == other:
            continue
        where = f"{path}.{field.name}"
        deeper = not present and field.message_type is not None and not isinstance(one, Iterable)
        found += differing_fields(one, other, where) if deeper else [where]
    return found


def view_to_proto(  # noqa: PLR0913, PLR0917 - a view is all of these
    game: AnyGame,
    state: object,
    seat: int | None,
    marks: int,
    root: bytes | None,
    openings: Iterable[DealtOpening],
) -> View:
    """Write what one seat or a spectator may see; everything in it comes from the engine's view of that seat."""
    view = game.view(state, seat)
    proto = View(
        seat=seat,
        phase=PHASES.to_proto[view.phase],
        turn=view.turn,
        sides=sides_to_proto(game.sides(view.options), view.scores),
        shake_count=game.shakes(state),
        outcome=None if view.outcome is None else outcome_to_proto(view.outcome),
        marks=marks_to_proto(marks),
        legal_moves=[move_to_proto(move) for move in view.legal_moves],
        root=root or b"",
        openings=[opening_to_proto(each) for each in openings],
    )
    write_options(proto.options, game, view.options)
    VIEW_WRITERS[game.NAME](getattr(proto, game.NAME), view)
    return proto


def opening_to_proto(opening: DealtOpening) -> Opening:
    """Write the proof of one tile."""
    return Opening(place=opening.place, tile=NAMES[opening.tile], salt=opening.salt, path=opening.path)


def sides_to_proto(sides: tuple[tuple[int, ...], ...], scores: tuple[int, ...]) -> list[Side]:
    """Write the sides with their points."""
    return [Side(seats=seats, points=points) for seats, points in zip(sides, scores, strict=True)]


def outcome_to_proto(outcome: outcomes.Outcome) -> Outcome:
    """Write how a match ended."""
    return Outcome(ending=ENDINGS.to_proto[outcome.ending], winner_side=outcome.winner, points=outcome.scores)


def marks_to_proto(marks: int) -> list[Mark.ValueType]:
    """Write the marks of a match."""
    return [wire for flag, wire in MARKS if marks & flag]
