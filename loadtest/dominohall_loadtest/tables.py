"""The messages of one game, written from the engine's views: tables, states, views.

The engine alone decides who sees what; here its answer is only spelled as the wire spells it.
"""

from collections.abc import Iterable
from typing import Any

from dominohall.v1 import fives_pb2, forty_two_pb2, hand_pb2
from dominohall_engine import fives, forty_two
from dominohall_engine.tiles import NAMES

from dominohall_loadtest.kinds import Kind
from dominohall_loadtest.wire import move_to_proto


def forty_two_view(_kind: Kind, state: Any, seat: int | None) -> forty_two_pb2.FortyTwoView:  # noqa: ANN401
    """Write what a viewer sees of forty-two."""
    view = forty_two.view(state, seat)
    dealt = forty_two.order(state) is not None
    return forty_two_pb2.FortyTwoView(
        table=_forty_two_table(state),
        hand=hand_to_proto(view.hand) if dealt and view.hand is not None else None,
    )


def forty_two_state(_kind: Kind, state: Any) -> forty_two_pb2.FortyTwoState:  # noqa: ANN401
    """Write the whole state of forty-two."""
    order = forty_two.order(state)
    seats = range(4) if order is not None else ()
    return forty_two_pb2.FortyTwoState(
        table=_forty_two_table(state),
        hands=[hand_to_proto(forty_two.view(state, seat).hand or ()) for seat in seats],
        shake=names(order or b""),
    )


def _forty_two_table(state: Any) -> forty_two_pb2.FortyTwoTable:  # noqa: ANN401
    view = forty_two.view(state, None)
    tricks = [*view.tricks, view.trick] if view.trick else view.tricks
    return forty_two_pb2.FortyTwoTable(
        shaker=view.shaker,
        opener=view.opener,
        calls=[move_to_proto(call) for call in view.calls],
        bidder=view.bidder,
        bid=view.bid,
        trump=_trump(view.trump),
        tricks=[_trick(trick) for trick in tricks],
        taken_points=view.taken,
        hand_counts=view.hand_sizes,
        last_round=None if view.last_round is None else _forty_two_round(view.last_round),
    )


def _forty_two_round(last: forty_two.RoundResult) -> forty_two_pb2.FortyTwoRound:
    return forty_two_pb2.FortyTwoRound(
        opener=last.opener,
        calls=[move_to_proto(call) for call in last.calls],
        bidder=last.bidder,
        bid=last.bid,
        trump=_trump(last.trump),
        tricks=[_trick(trick) for trick in last.tricks],
        bidder_points=None if last.bidder is None else last.points,
        gained_points=last.gained,
    )


def _trick(trick: forty_two.Trick) -> forty_two_pb2.Trick:
    plays = [hand_pb2.SeatTile(seat=play.seat, tile=NAMES[play.tile]) for play in trick.plays]
    return forty_two_pb2.Trick(leader=trick.leader, plays=plays, winner=trick.winner, points=trick.points)


def _trump(trump: int | None) -> Any:  # noqa: ANN401 - the wire's number of a trump
    return None if trump is None else trump + 1


def fives_view(_kind: Kind, state: Any, seat: int | None) -> fives_pb2.FivesView:  # noqa: ANN401
    """Write what a viewer sees of fives."""
    hand = fives.view(state, seat).hand
    return fives_pb2.FivesView(
        table=_fives_table(state), hand=hand_to_proto(hand) if _dealt(state) and hand is not None else None
    )


def fives_state(kind: Kind, state: Any) -> fives_pb2.FivesState:  # noqa: ANN401
    """Write the whole state of fives."""
    view = fives.view(state, None)
    order = fives.order(state)
    if order is None:
        return fives_pb2.FivesState(table=_fives_table(state))
    return fives_pb2.FivesState(
        table=_fives_table(state),
        hands=[hand_to_proto(fives.view(state, seat).hand or ()) for seat in kind.seats],
        boneyard=names(order[len(order) - view.boneyard_count :]),
        shake=names(order),
    )


def _fives_table(state: Any) -> fives_pb2.FivesTable:  # noqa: ANN401
    view, dealt = fives.view(state, None), _dealt(state)
    return fives_pb2.FivesTable(
        leader=view.leader,
        moves=[move_to_proto(move) for move in view.history],
        layout=_layout(view) if dealt else None,
        hand_counts=view.hand_sizes if dealt else (),
        boneyard_count=view.boneyard_count if dealt else None,
        last_scored_points=view.last_scored,
        last_round=None if view.last_round is None else _fives_round(view.last_round),
    )


def _dealt(state: Any) -> bool:  # noqa: ANN401
    return fives.order(state) is not None


def _layout(view: fives.View) -> fives_pb2.FivesLayout:
    arms = [
        fives_pb2.FivesArm(
            place=_place(arm.place), number=arm.number, is_double=arm.is_double, dots=arm.dots, is_open=arm.is_open
        )
        for arm in view.arms
    ]
    return fives_pb2.FivesLayout(arms=arms, spinner=view.spinner, ends_total=view.ends_total)


def _place(place: int) -> Any:  # noqa: ANN401 - the wire's number of a place
    return place + 1


def _fives_round(last: fives.RoundResult) -> fives_pb2.FivesRound:
    return fives_pb2.FivesRound(
        end=fives_pb2.FivesRound.End.Value(f"END_{last.end.name}"),
        leader=last.leader,
        seat=last.seat,
        side=last.side,
        scored_points=last.scored,
        bonus_points=last.bonus,
        hands=[hand_to_proto(hand) for hand in last.hands or ()],
        hand_pips=last.pips or (),
    )


def hand_to_proto(tiles: Iterable[int]) -> hand_pb2.Hand:
    """Write a hand."""
    return hand_pb2.Hand(tiles=names(tiles))


def names(tiles: Iterable[int]) -> list[str]:
    """Write tiles as the wire has them."""
    return [NAMES[tile] for tile in tiles]
