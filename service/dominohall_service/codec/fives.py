"""States and views of fives on the wire; `codec.forty_two` says how the two directions go together."""

from functools import lru_cache
from typing import Any, Final, cast

from dominohall.v1.fives_pb2 import FivesLayout, FivesRound, FivesState, FivesTable, FivesView
from dominohall.v1.hand_pb2 import Hand
from dominohall.v1.match_pb2 import MatchState
from dominohall_engine import fives
from dominohall_engine.fives.layout import arms_of, extended, spinner_of
from dominohall_engine.fives.spinners.kind import Arm
from dominohall_engine.fives.state import (
    DRAW,
    KNOCK,
    LastRound,
    Lotting,
    Playing,
    RoundEnd,
    Shaking,
    boneyard_count,
    rules_of,
)
from dominohall_engine.fives.view import RoundResult, history_of, scored_last
from dominohall_engine.game import Phase
from dominohall_engine.moves import Shake
from dominohall_engine.tiles import TILE_COUNT, tiles_in

from dominohall_service.codec import moves
from dominohall_service.codec.scalars import (
    EnumCodec,
    hand_from_proto,
    optional_from_proto,
    order_from_proto,
    tiles_to_proto,
)
from dominohall_service.faults import invalid

FIELD: Final = "state.fives.table"
CHANGING: Final = ("moves", "layout", "hand_counts", "boneyard_count", "last_scored_points")
"""What a move of a seat changes on the table."""
ENDS: Final = EnumCodec(RoundEnd, FivesRound.End, "END")


def write_state(proto: FivesState, state: Any, public: Any) -> None:  # noqa: ANN401 - a state and its public view
    """Write a whole state, every hand in it, into an empty message."""
    write_table(proto.table, public)
    if isinstance(state, Playing):
        for hand in state.hands:
            proto.hands.add(tiles=tiles_to_proto(tiles_in(hand)))
        proto.boneyard.extend(tiles_to_proto(state.round.order[TILE_COUNT - boneyard_count(state) :]))
        proto.shake.extend(tiles_to_proto(state.round.order))


def lasts_with(state: Any) -> object:  # noqa: ANN401 - a state of this game
    """Return what a state shares with those around it: its round, None between rounds."""
    return state.round if isinstance(state, Playing) else None


def clear_changing(proto: MatchState, _state: Playing) -> None:
    """Take out of a whole state what `write_changing` writes."""
    proto.ClearField("turn")
    proto.fives.ClearField("hands")
    proto.fives.ClearField("boneyard")
    for name in CHANGING:
        proto.fives.table.ClearField(name)


def write_changing(proto: MatchState, state: Playing) -> None:
    """Write what a move of a seat changes; see `codec.forty_two`. Points are scored while the round is played."""
    proto.turn = state.turn
    for side, points in zip(proto.sides, state.scores, strict=True):
        side.points = points
    table, layout, spinner = proto.fives.table, state.layout, spinner_of(state.layout)
    table.hand_counts.extend([hand.bit_count() for hand in state.hands])
    table.boneyard_count = boneyard_count(state)
    table.last_scored_points = scored_last(state)
    table.layout.ends_total = layout.total
    if spinner:
        table.layout.spinner = spinner[0]
    parts = [written_move(move) for move in history_of(state)]
    parts += [written_arm(arm) for arm in arms_of(layout)]
    parts += [written_hand(hand) for hand in state.hands]
    parts.append(written_boneyard(state.round.order[TILE_COUNT - table.boneyard_count :]))
    proto.MergeFromString(b"".join(parts))


@lru_cache(maxsize=1024)
def written_move(move: fives.SeatMove) -> bytes:
    """Write one move of the round of a state."""
    proto = MatchState()
    moves.write_round_move(proto.fives.table.moves.add(), move)
    return proto.SerializeToString()


@lru_cache(maxsize=1024)
def written_arm(arm: Arm) -> bytes:
    """Write one arm of the layout of a state."""
    proto = MatchState()
    write_arm(proto.fives.table.layout, arm)
    return proto.SerializeToString()


@lru_cache(maxsize=2048)
def written_hand(hand: int) -> bytes:
    """Write one of the hands of a state."""
    proto = MatchState()
    proto.fives.hands.add(tiles=tiles_to_proto(tiles_in(hand)))
    return proto.SerializeToString()


@lru_cache(maxsize=1024)
def written_boneyard(tiles: bytes) -> bytes:
    """Write the boneyard of a state."""
    return MatchState(fives=FivesState(boneyard=tiles_to_proto(tiles))).SerializeToString()


def write_view(proto: FivesView, view: Any) -> None:  # noqa: ANN401 - a view of this game
    """Write what one viewer sees into an empty message."""
    write_table(proto.table, view)
    if view.hand is not None and view.phase is Phase.PLAYING:
        proto.hand.SetInParent()
        proto.hand.tiles.extend(tiles_to_proto(view.hand))


def write_table(proto: FivesTable, view: Any) -> None:  # noqa: ANN401 - a view of this game
    """Write what everybody at the table knows into an empty message, in place as in `codec.forty_two`."""
    if view.leader is not None:
        proto.leader = view.leader
    for move in view.history:
        moves.write_round_move(proto.moves.add(), move)
    proto.last_scored_points = view.last_scored
    if view.last_round is not None:
        proto.last_round.MergeFromString(written_round(view.last_round))
    if view.phase is Phase.PLAYING:
        proto.hand_counts.extend(view.hand_sizes)
        proto.boneyard_count = view.boneyard_count
        layout = proto.layout
        layout.ends_total = view.ends_total
        if view.spinner is not None:
            layout.spinner = view.spinner
        for arm in view.arms:
            write_arm(layout, arm)


def write_arm(layout: FivesLayout, arm: Arm) -> None:
    """Write one arm at the end of a layout's arms."""
    layout.arms.add(
        place=moves.place_to_proto(arm.place),
        number=arm.number,
        is_double=arm.is_double,
        dots=arm.dots,
        is_open=arm.is_open,
    )


@lru_cache(maxsize=1024)
def written_round(last: RoundResult) -> bytes:
    """Write what a finished round came to; kept, because every state of the next round shows it."""
    proto = FivesRound(
        end=cast("FivesRound.End.ValueType", ENDS.to_proto[last.end]),
        leader=last.leader,
        seat=last.seat,
        side=last.side,
        scored_points=last.scored,
        bonus_points=last.bonus,
        hands=[Hand(tiles=tiles_to_proto(hand)) for hand in last.hands or ()],
        hand_pips=last.pips or (),
    )
    return proto.SerializeToString(deterministic=True)


def state_from_proto(
    proto: FivesState, options: fives.Options, scores: tuple[int, ...], shakes: int, turn: int | None
) -> Any:  # noqa: ANN401 - a state of this game
    """Build the state that a message describes; `CallFault` for a message that describes none."""
    table = proto.table
    rules = rules_of(options)
    if len(scores) != len(rules.sides):
        raise invalid("state.sides", f"expected {len(rules.sides)} sides, got {len(scores)}")
    last = last_round_from_proto(table.last_round, rules.seats) if table.HasField("last_round") else None
    leader = optional_from_proto(table, "leader")
    if leader is not None and leader >= rules.seats:
        raise invalid(f"{FIELD}.leader", f"expected a seat from 0 to {rules.seats - 1}, got {leader}")
    if leader is None:
        if proto.shake:
            raise invalid(f"{FIELD}.leader", "expected the seat that led the round, got none")
        return Lotting(rules, shakes, scores, last)
    if not proto.shake:
        return Shaking(rules, shakes, scores, leader, last)
    before = Shaking(rules, max(shakes - 1, 0), scores, leader, last)
    shake = Shake(order_from_proto(proto.shake, "state.fives.shake"))
    if fives.violation(before, shake) is not None:
        raise invalid("state.fives.shake", "expected the 28 tiles once each")
    return replayed(fives.apply(before, shake), table, scores, turn)


def replayed(start: Any, table: FivesTable, scores: tuple[int, ...], turn: int | None) -> Playing:  # noqa: ANN401
    """Put the moves of the round on the table, as they are told; `problems` judges whether they were legal."""
    events, places, layout = bytearray(), bytearray(), start.layout
    hands, boneyard = list(start.hands), list(start.round.order[TILE_COUNT - start.round.rules.boneyard :])
    for number, each in enumerate(table.moves):
        field = f"{FIELD}.moves[{number}]"
        move = moves.move_from_proto("fives", each, field)
        if isinstance(move, fives.Play | fives.Draw | fives.Knock) and move.seat < len(hands):
            if isinstance(move, fives.Play):
                if not layout.masks[move.place] >> move.tile & 1:
                    raise invalid(field, "expected a tile that fits at an open place")
                layout = extended(layout, move.tile, move.place)
                hands[move.seat] &= ~(1 << move.tile)
                places.append(move.place)
                events.append(move.tile)
                continue
            if isinstance(move, fives.Draw) and boneyard:
                hands[move.seat] |= 1 << boneyard.pop(0)
            events.append(DRAW if isinstance(move, fives.Draw) else KNOCK)
            continue
        raise invalid(field, "expected a play, a draw or a knock of a seat of this match")
    if turn is None or turn >= len(hands):
        raise invalid("state.turn", f"expected the seat that must play, 0 to {len(hands) - 1}")
    return Playing(start.round, scores, turn, tuple(hands), layout, bytes(events), bytes(places))


def last_round_from_proto(proto: FivesRound, seats: int) -> LastRound:
    """Build the result of the round before."""
    field = f"{FIELD}.last_round"
    for name in ("leader", "seat"):
        if proto.HasField(name) and getattr(proto, name) >= seats:
            raise invalid(f"{field}.{name}", f"expected a seat from 0 to {seats - 1}, got {getattr(proto, name)}")
    if not proto.HasField("leader"):
        raise invalid(f"{field}.leader", "expected the seat that led the round, got none")
    if proto.hands and len(proto.hands) != seats:
        raise invalid(f"{field}.hands", f"expected {seats} hands or none, got {len(proto.hands)}")
    hands = tuple(hand_from_proto(hand, f"{field}.hands[{seat}]") for seat, hand in enumerate(proto.hands))
    return LastRound(
        cast("RoundEnd", ENDS.from_proto(proto.end, f"{field}.end")),
        proto.leader,
        optional_from_proto(proto, "seat"),
        proto.scored_points,
        proto.bonus_points,
        hands or None,
    )
