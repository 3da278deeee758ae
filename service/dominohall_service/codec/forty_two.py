"""States and views of forty-two on the wire.

What everybody knows is written from the spectator's view, so a state and every view show the same table. A state that
is read back is built from the fields that can't be derived; the caller then writes it out again and compares, so a
derived field that disagrees is found without being listed here.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

from dominohall.v1.forty_two_pb2 import FortyTwoRound, FortyTwoState, FortyTwoTable, FortyTwoView, Trick
from dominohall.v1.match_pb2 import MatchState
from dominohall.v1.move_pb2 import Move
from dominohall_engine import forty_two
from dominohall_engine.forty_two.state import (
    NO_BID,
    TRICK_RULES,
    Auction,
    Contract,
    LastRound,
    Lotting,
    Naming,
    Playing,
    Shaking,
    bidder_of,
    deal_of,
)
from dominohall_engine.forty_two.tables import HIGHEST_BID, LOWEST_BID
from dominohall_engine.forty_two.view import RoundResult, calls_made, tricks_made
from dominohall_engine.game import Phase
from dominohall_engine.moves import Shake
from dominohall_engine.seats import SEAT_COUNT
from dominohall_engine.tiles import NAMES, mask_of, tiles_in

from dominohall_service.codec import moves
from dominohall_service.codec.scalars import (
    optional_from_proto,
    order_from_proto,
    tile_from_proto,
    tiles_to_proto,
)
from dominohall_service.faults import invalid

FIELD: Final = "state.forty_two.table"
DEALT: Final = (Phase.AUCTION, Phase.NAMING, Phase.PLAYING)
"""The phases in which seats hold tiles."""


def write_state(proto: FortyTwoState, state: Any, public: Any) -> None:  # noqa: ANN401 - a state and its public view
    """Write a whole state, every hand in it, into an empty message."""
    write_table(proto.table, public)
    order = forty_two.order(state)
    if order is not None:
        played = state.played if isinstance(state, Playing) else 0
        for hand in deal_of(state).hands:
            proto.hands.add(tiles=tiles_to_proto(tiles_in(hand & ~played)))
        proto.shake.extend(tiles_to_proto(order))


def lasts_with(state: Any) -> object:  # noqa: ANN401 - a state of this game
    """Return what a state shares with those around it: its contract, or its deal during the auction; else None."""
    return state.contract if isinstance(state, Playing) else state.deal if isinstance(state, Auction) else None


def clear_changing(proto: MatchState, state: Playing | Auction) -> None:
    """Take out of a whole state what `write_changing` writes."""
    playing = isinstance(state, Playing)
    proto.ClearField("turn")
    for name in ("tricks", "taken_points", "hand_counts") if playing else ("calls", "bidder", "bid"):
        proto.forty_two.table.ClearField(name)
    if playing:
        proto.forty_two.ClearField("hands")


def write_changing(proto: MatchState, state: Playing | Auction) -> None:
    """Write what a move of a seat changes. Bytes put together are messages merged: that is how parts are kept."""
    proto.turn = state.turn
    table = proto.forty_two.table
    if isinstance(state, Auction):
        opener, calls = state.deal.opener, state.calls
        table.calls.extend([moves.call_to_proto(call) for call in calls_made(opener, calls)])
        if state.highest:
            table.bidder, table.bid = bidder_of(opener, calls), state.highest
        return
    trump, leader, plays = state.contract.trump, state.contract.bidder, state.plays
    parts = []
    for start in range(0, len(plays), SEAT_COUNT):
        part, leader = written_trick(trump, leader, plays[start : start + SEAT_COUNT])
        parts.append(part)
    hands = [hand & ~state.played for hand in state.contract.deal.hands]
    parts += [written_hand(hand) for hand in hands]
    table.taken_points.extend(state.taken)
    table.hand_counts.extend([hand.bit_count() for hand in hands])
    proto.MergeFromString(b"".join(parts))


@lru_cache(maxsize=2048)
def written_trick(trump: int, leader: int, tiles: bytes) -> tuple[bytes, int]:
    """Write one trick of a state; return it with who leads the next. Kept, for the states after it show it too."""
    (trick,) = tricks_made(TRICK_RULES[trump], leader, tiles)
    proto = MatchState()
    write_tricks(proto.forty_two.table.tricks, (trick,))
    return proto.SerializeToString(), leader if trick.winner is None else trick.winner


@lru_cache(maxsize=2048)
def written_hand(hand: int) -> bytes:
    """Write one of the hands of a state; kept, for three of four are as they were before the move."""
    proto = MatchState()
    proto.forty_two.hands.add(tiles=tiles_to_proto(tiles_in(hand)))
    return proto.SerializeToString()


def write_view(proto: FortyTwoView, view: Any) -> None:  # noqa: ANN401 - a view of this game
    """Write what one viewer sees into an empty message."""
    write_table(proto.table, view)
    if view.hand is not None and view.phase in DEALT:
        proto.hand.SetInParent()
        proto.hand.tiles.extend(tiles_to_proto(view.hand))


def write_table(proto: FortyTwoTable, view: Any) -> None:  # noqa: ANN401 - a view of this game
    """Write what everybody at the table knows into an empty message.

    Messages are filled in place: one that is made first and put into another is copied at every level.
    """
    for name in ("shaker", "opener", "bidder", "bid"):
        value = getattr(view, name)
        if value is not None:
            setattr(proto, name, value)
    if view.trump is not None:
        proto.trump = moves.trump_to_proto(view.trump)
    proto.calls.extend([moves.call_to_proto(call) for call in view.calls])
    write_tricks(proto.tricks, view.tricks)
    if view.trick is not None:
        write_tricks(proto.tricks, (view.trick,))
    proto.taken_points.extend(view.taken)
    proto.hand_counts.extend(view.hand_sizes)
    if view.last_round is not None:
        proto.last_round.MergeFromString(written_round(view.last_round))


def write_tricks(proto: Any, tricks: Iterable[Any]) -> None:  # noqa: ANN401 - a repeated field, and tricks of a view
    """Write tricks, finished or not, at the end of a field."""
    for trick in tricks:
        plays = proto.add(leader=trick.leader, winner=trick.winner, points=trick.points).plays
        for play in trick.plays:
            plays.add(seat=play.seat, tile=NAMES[play.tile])


@lru_cache(maxsize=1024)
def written_round(last: RoundResult) -> bytes:
    """Write what a finished round came to; kept, because every state of the next round shows it."""
    proto = FortyTwoRound(
        opener=last.opener,
        calls=[moves.call_to_proto(call) for call in last.calls],
        bidder=last.bidder,
        bid=last.bid,
        gained_points=last.gained,
    )
    if last.trump is not None:
        proto.trump = moves.trump_to_proto(last.trump)
        proto.bidder_points = last.points
    write_tricks(proto.tricks, last.tricks)
    return proto.SerializeToString(deterministic=True)


def check_shaker(table: FortyTwoTable) -> None:
    """Refuse a shaker that is no seat: the engine would write it before `problems` can be asked."""
    if table.HasField("shaker") and table.shaker >= SEAT_COUNT:
        raise invalid("state.forty_two.table.shaker", f"expected a seat from 0 to 3, got {table.shaker}")


def state_from_proto(
    proto: FortyTwoState, options: forty_two.Options, scores: tuple[int, ...], shakes: int, turn: int | None
) -> Any:  # noqa: ANN401 - a state of this game
    """Build the state that a message describes; `CallFault` for a message that describes none.

    Nothing is judged here: `problems` and the comparison with what is written back do that.
    """
    table = proto.table
    if len(scores) != 2:
        raise invalid("state.sides", f"expected two sides, got {len(scores)}")
    check_shaker(table)
    last = last_round_from_proto(table.last_round) if table.HasField("last_round") else None
    if not proto.shake:
        return before_shake(table, options, scores, shakes, last)
    order = order_from_proto(proto.shake, "state.forty_two.shake")
    before = Shaking(options, optional_from_proto(table, "shaker"), max(shakes - 1, 0), (scores[0], scores[1]), last)
    if forty_two.violation(before, Shake(order)) is not None:
        raise invalid("state.forty_two.shake", "expected the 28 tiles once each")
    dealt = forty_two.apply(before, Shake(order))
    assert isinstance(dealt, Auction)  # noqa: S101 - what a shake leads to
    deal = dealt.deal
    calls = calls_from_proto(table.calls, f"{FIELD}.calls")
    if len(calls) < SEAT_COUNT:
        return Auction(deal, (deal.opener + len(calls)) % SEAT_COUNT, calls)
    if max(calls) == NO_BID:
        raise invalid(f"{FIELD}.calls", "expected a bid among four calls, got none")
    if not table.HasField("trump"):
        return Naming(deal, calls)
    contract = Contract(deal, calls, moves.trump_from_proto(table.trump, f"{FIELD}.trump"))
    plays = plays_from_proto(table.tricks, f"{FIELD}.tricks")
    if turn is None or turn >= SEAT_COUNT:
        raise invalid("state.turn", "expected the seat that must play")
    if len(table.taken_points) != 2:
        raise invalid(f"{FIELD}.taken_points", f"expected a number for each side, got {len(table.taken_points)}")
    if len(plays) >= 28 or len(set(plays)) != len(plays):
        raise invalid(f"{FIELD}.tricks", "expected at most 27 tiles, each once")
    trick = plays[len(plays) - len(plays) % contract.rules.trick_size :]
    taken = (table.taken_points[0], table.taken_points[1])
    return Playing(contract, turn, plays, mask_of(plays), trick, taken)


def before_shake(
    table: FortyTwoTable, options: forty_two.Options, scores: tuple[int, ...], shakes: int, last: LastRound | None
) -> Any:  # noqa: ANN401 - a state of this game
    """Build a state without tiles: before the lot, or before a shake."""
    if table.HasField("shaker") or options.opener is forty_two.Opener.HOLDER_OF_1_0:
        return Shaking(options, optional_from_proto(table, "shaker"), shakes, (scores[0], scores[1]), last)
    return Lotting(options)


def last_round_from_proto(proto: FortyTwoRound) -> LastRound:
    """Build the result of the round before."""
    field = f"{FIELD}.last_round"
    calls = calls_from_proto(proto.calls, f"{field}.calls")
    opener = opener_from_proto(proto, field)
    if len(calls) != SEAT_COUNT:
        raise invalid(f"{field}.calls", f"expected {SEAT_COUNT} calls, got {len(calls)}")
    if max(calls) == NO_BID:
        return LastRound(opener, calls, None, b"", 0, (0, 0))
    trump = moves.trump_from_proto(proto.trump, f"{field}.trump")
    plays = plays_from_proto(proto.tricks, f"{field}.tricks")
    if len(plays) != 28:
        raise invalid(f"{field}.tricks", f"expected seven tricks of four tiles, got {len(plays)} tiles")
    if len(proto.gained_points) != 2:
        raise invalid(f"{field}.gained_points", f"expected a number for each side, got {len(proto.gained_points)}")
    gained = (proto.gained_points[0], proto.gained_points[1])
    return LastRound(opener, calls, trump, plays, proto.bidder_points, gained)


def calls_from_proto(calls: Sequence[Move], field: str) -> bytes:
    """Read the calls of an auction; whose they were follows from the opener."""
    if len(calls) > SEAT_COUNT:
        raise invalid(field, f"expected at most {SEAT_COUNT} calls, got {len(calls)}")
    made = bytearray()
    for place, each in enumerate(calls):
        call = moves.move_from_proto("forty_two", each, f"{field}[{place}]")
        if isinstance(call, forty_two.Pass):
            made.append(NO_BID)
        elif isinstance(call, forty_two.Bid) and LOWEST_BID <= call.points <= HIGHEST_BID:
            made.append(call.points)
        else:
            raise invalid(f"{field}[{place}]", f"expected a pass or a bid of {LOWEST_BID} to {HIGHEST_BID}")
    return bytes(made)


def plays_from_proto(tricks: Iterable[Trick], field: str) -> bytes:
    """Read the tiles of all tricks in the order played; whose they were follows from the bidder."""
    return bytes(
        [
            tile_from_proto(play.tile, f"{field}[{number}].plays[{place}].tile")
            for number, trick in enumerate(tricks)
            for place, play in enumerate(trick.plays)
        ]
    )


def opener_from_proto(proto: FortyTwoRound, field: str) -> int:
    """Read the seat that called first."""
    if not proto.HasField("opener") or proto.opener >= SEAT_COUNT:
        raise invalid(f"{field}.opener", "expected a seat from 0 to 3")
    return proto.opener
