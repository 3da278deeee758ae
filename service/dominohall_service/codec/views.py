"""A view from the wire as the engine's own `View`: what a player on the caller's side of the service needs.

The other direction is `codec.matches.view_to_proto`. The two are a pair: a test turns every view of whole matches into
a message and back. The layout of fives is laid down again from the moves of the round.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from dominohall.v1 import fives_pb2, forty_two_pb2, match_pb2, view_pb2
from dominohall.v1.hand_pb2 import Hand
from dominohall_engine import fives, forty_two
from dominohall_engine.fives.layout import EMPTY, Layout, arms_of, extended, spinner_of
from dominohall_engine.outcomes import Outcome
from dominohall_engine.tiles import parse_tile

from dominohall_service.codec.fives import ENDS
from dominohall_service.codec.matches import ENDINGS, PHASES
from dominohall_service.codec.moves import move_from_proto, trump_from_proto
from dominohall_service.codec.options import whole_options_from_proto
from dominohall_service.codec.scalars import optional_from_proto


def view_from_proto(proto: view_pb2.View) -> Any:  # noqa: ANN401 - a view of either game
    """Read what `ViewMatch` answered; `CallFault` if it is no view of a game that this build knows."""
    game, options = whole_options_from_proto(proto.options, "view.options")
    shared = {
        "seat": optional_from_proto(proto, "seat"),
        "options": options,
        "phase": PHASES.from_proto(proto.phase, "view.phase"),
        "scores": tuple(side.points for side in proto.sides),
        "turn": optional_from_proto(proto, "turn"),
        "legal_moves": tuple(move_from_proto(game.NAME, move) for move in proto.legal_moves),
        "outcome": outcome_from_proto(proto.outcome) if proto.HasField("outcome") else None,
    }
    return VIEWS[game.NAME](proto, shared)


def outcome_from_proto(proto: match_pb2.Outcome) -> Outcome:
    """Read how a match ended."""
    ending: Any = ENDINGS.from_proto(proto.ending, "view.outcome.ending")
    return Outcome(optional_from_proto(proto, "winner_side"), ending, tuple(proto.points))


def _forty_two(proto: view_pb2.View, shared: dict[str, Any]) -> forty_two.View:
    table = proto.forty_two.table
    tricks = tuple(_trick(each) for each in table.tricks)
    unfinished = bool(tricks) and tricks[-1].winner is None
    return forty_two.View(
        **shared,
        round_number=proto.shake_count,
        shaker=optional_from_proto(table, "shaker"),
        hand=_hand(proto, proto.forty_two.hand),
        hand_sizes=_hand_sizes(proto, table.hand_counts),
        opener=optional_from_proto(table, "opener"),
        calls=tuple(move_from_proto("forty_two", each) for each in table.calls),
        bidder=optional_from_proto(table, "bidder"),
        bid=optional_from_proto(table, "bid"),
        trump=trump_from_proto(table.trump, "view.trump") if table.HasField("trump") else None,
        tricks=tricks[:-1] if unfinished else tricks,
        trick=tricks[-1] if unfinished else None,
        taken=_pair(table.taken_points),
        last_round=_forty_two_round(table.last_round) if table.HasField("last_round") else None,
    )


def _forty_two_round(proto: forty_two_pb2.FortyTwoRound) -> forty_two.RoundResult:
    return forty_two.RoundResult(
        opener=proto.opener,
        calls=tuple(move_from_proto("forty_two", each) for each in proto.calls),
        bidder=optional_from_proto(proto, "bidder"),
        bid=optional_from_proto(proto, "bid"),
        trump=trump_from_proto(proto.trump, "view.last_round.trump") if proto.HasField("trump") else None,
        tiles=tuple(parse_tile(play.tile) for trick in proto.tricks for play in trick.plays),
        points=proto.bidder_points,
        gained=_pair(proto.gained_points),
    )


def _trick(proto: forty_two_pb2.Trick) -> forty_two.Trick:
    plays = tuple(forty_two.Play(play.seat, parse_tile(play.tile)) for play in proto.plays)
    return forty_two.Trick(proto.leader, plays, optional_from_proto(proto, "winner"), proto.points)


def _pair(points: Any) -> tuple[int, int]:  # noqa: ANN401 - a repeated field
    one, other = points or (0, 0)
    return one, other


def _hand(proto: view_pb2.View, hand: Hand) -> tuple[int, ...] | None:
    """Read the viewer's tiles: none for a spectator, an empty hand while no tiles are dealt."""
    return _tiles(hand) if proto.HasField("seat") else None


def _hand_sizes(proto: view_pb2.View, counts: Sequence[int]) -> tuple[int, ...]:
    """Read how many tiles each seat holds: 0 while no tiles are dealt, when the wire says nothing."""
    return tuple(counts) or (0,) * sum(len(side.seats) for side in proto.sides)


def _tiles(hand: Hand) -> tuple[int, ...]:
    return tuple(parse_tile(tile) for tile in hand.tiles)


def _fives(proto: view_pb2.View, shared: dict[str, Any]) -> fives.View:
    table = proto.fives.table
    history = tuple(move_from_proto("fives", move) for move in table.moves)
    layout = _layout(shared["options"], history)
    spinner = spinner_of(layout)
    return fives.View(
        **shared,
        sides=tuple(tuple(side.seats) for side in proto.sides),
        round_number=proto.shake_count,
        leader=optional_from_proto(table, "leader"),
        hand=_hand(proto, proto.fives.hand),
        hand_sizes=_hand_sizes(proto, table.hand_counts),
        boneyard_count=table.boneyard_count,
        history=history,
        layout=layout,
        spinner=spinner[0] if spinner else None,
        arms=arms_of(layout),
        ends_total=layout.total,
        last_scored=table.last_scored_points,
        last_round=_fives_round(table.last_round) if table.HasField("last_round") else None,
    )


def _layout(options: fives.Options, history: tuple[Any, ...]) -> Layout:
    """Lay the tiles of a round down again."""
    layout = EMPTY[options.spinner]
    for move in history:
        if isinstance(move, fives.Play):
            layout = extended(layout, move.tile, move.place)
    return layout


def _fives_round(proto: fives_pb2.FivesRound) -> fives.RoundResult:
    end: Any = ENDS.from_proto(proto.end, "view.last_round.end")
    return fives.RoundResult(
        end=end,
        leader=proto.leader,
        seat=optional_from_proto(proto, "seat"),
        side=optional_from_proto(proto, "side"),
        scored=proto.scored_points,
        bonus=proto.bonus_points,
        hands=tuple(_tiles(each) for each in proto.hands) or None,
        pips=tuple(proto.hand_pips) or None,
    )


VIEWS: Final[Mapping[str, Callable[[view_pb2.View, dict[str, Any]], Any]]] = {
    "forty_two": _forty_two,
    "fives": _fives,
}
