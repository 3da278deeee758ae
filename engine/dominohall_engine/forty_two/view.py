"""What one seat, or a spectator, may see: a type of its own, so that it can't be applied a move by mistake.

A view is built from the public facts of a state and the hand of its seat. No other hand is read, so it can't depend
on one; between rounds and after the end nobody holds anything.
"""

from dataclasses import dataclass

from dominohall_engine.forty_two.legality import legal_moves
from dominohall_engine.forty_two.match import last_round_of, options_of, outcome, phase, scores_of, shakes, turn
from dominohall_engine.forty_two.moves import BIDS, PASSES, PLAYS, Bid, Pass, Play, SeatMove
from dominohall_engine.forty_two.options import Options
from dominohall_engine.forty_two.state import (
    NO_BID,
    TRICK_RULES,
    Auction,
    InRound,
    LastRound,
    Naming,
    Pair,
    Playing,
    Shaking,
    State,
    TrickRules,
    deal_of,
)
from dominohall_engine.forty_two.tables import LOWEST_BID
from dominohall_engine.forty_two.tricks import trick_points, winning_seat
from dominohall_engine.game import Phase
from dominohall_engine.outcomes import Outcome
from dominohall_engine.seats import SEAT_COUNT
from dominohall_engine.tiles import tiles_in


@dataclass(frozen=True)
class Trick:
    """One trick: who led, what each seat played in order, who took it.

    `winner` is None while the trick is unfinished; `points` is what its tiles are worth so far, the 1 for the trick
    included.
    """

    leader: int
    plays: tuple[Play, ...]
    winner: int | None
    points: int


@dataclass(frozen=True)
class RoundResult:
    """What a finished round came to. A round in which all passed has no bidder, bid, trump or plays."""

    opener: int
    calls: tuple[Bid | Pass, ...]
    bidder: int | None
    bid: int | None
    trump: int | None
    tiles: tuple[int, ...]
    """All tiles in the order played."""
    points: int
    """What the bidding side took, 0 to 42."""
    gained: Pair
    """What each side scored."""

    @property
    def tricks(self) -> tuple[Trick, ...]:
        """The tricks of the round, worked out from the tiles."""
        if self.bidder is None or self.trump is None:
            return ()
        return tricks_made(TRICK_RULES[self.trump], self.bidder, bytes(self.tiles))


@dataclass(frozen=True)
class View:
    """A match as one seat sees it; `seat` and `hand` are None for a spectator."""

    seat: int | None
    options: Options
    phase: Phase
    round_number: int
    """Rounds begun so far, 0 before the first shake."""
    scores: Pair
    """Points of each side (seats 0 and 2, seats 1 and 3), before the round in progress."""
    shaker: int | None
    """Who shakes, or shook this round; None where there are no shakers, before the lot and after the end."""
    turn: int | None
    hand: tuple[int, ...] | None
    """The seat's own tiles, ascending."""
    hand_sizes: tuple[int, ...]
    """How many tiles each seat holds."""
    opener: int | None
    """Who called first."""
    calls: tuple[Bid | Pass, ...]
    """The calls of this round so far."""
    bidder: int | None
    """Who made the highest bid so far."""
    bid: int | None
    trump: int | None
    tricks: tuple[Trick, ...]
    """The finished tricks of this round."""
    trick: Trick | None
    """The unfinished trick, None before its lead."""
    taken: Pair
    """Points each side took in this round so far."""
    legal_moves: tuple[SeatMove, ...]
    """What this seat may do now; nothing when it isn't its turn."""
    last_round: RoundResult | None
    outcome: Outcome | None


def view(state: State, seat: int | None) -> View:
    """Return what this seat may see; None is a spectator. `ValueError` for a seat that does not exist."""
    if seat is not None and not 0 <= seat < SEAT_COUNT:
        raise ValueError(f"expected a seat from 0 to 3 or None, got {seat}")
    deal = deal_of(state) if isinstance(state, InRound) else None
    calls = _calls_of(state)
    highest = max(calls, default=NO_BID)
    contract = state.contract if isinstance(state, Playing) else None
    played = (
        tricks_made(contract.rules, contract.bidder, state.plays) if isinstance(state, Playing) and contract else ()
    )
    unfinished = bool(played) and played[-1].winner is None
    held = [0] * SEAT_COUNT
    if deal:
        out = state.played if isinstance(state, Playing) else 0
        held = [hand & ~out for hand in deal.hands]
    return View(
        seat=seat,
        options=options_of(state),
        phase=phase(state),
        round_number=shakes(state),
        scores=scores_of(state),
        shaker=deal.shaker if deal else state.shaker if isinstance(state, Shaking) else None,
        turn=turn(state),
        hand=None if seat is None else tiles_in(held[seat]),
        hand_sizes=tuple([each.bit_count() for each in held]),
        opener=deal.opener if deal else None,
        calls=calls_made(deal.opener, calls) if deal else (),
        bidder=(deal.opener + calls.index(highest)) % SEAT_COUNT if deal and highest else None,
        bid=highest or None,
        trump=contract.trump if contract else None,
        tricks=played[:-1] if unfinished else played,
        trick=played[-1] if unfinished else None,
        taken=state.taken if isinstance(state, Playing) else (0, 0),
        legal_moves=legal_moves(state) if seat is not None and seat == turn(state) else (),
        last_round=_result(last) if (last := last_round_of(state)) else None,
        outcome=outcome(state),
    )


def _calls_of(state: State) -> bytes:
    if isinstance(state, Playing):
        return state.contract.calls
    return state.calls if isinstance(state, Auction | Naming) else b""


def calls_made(opener: int, calls: bytes) -> tuple[Bid | Pass, ...]:
    """Return the calls of an auction as moves."""
    made: list[Bid | Pass] = []
    for place, call in enumerate(calls):
        seat = (opener + place) % SEAT_COUNT
        made.append(PASSES[seat] if call == NO_BID else BIDS[seat][call - LOWEST_BID])
    return tuple(made)


def tricks_made(rules: TrickRules, leader: int, plays: bytes) -> tuple[Trick, ...]:
    """Return the tricks that these plays make, the last one perhaps unfinished; `leader` led the first."""
    tricks = []
    for start in range(0, len(plays), rules.trick_size):
        tiles = plays[start : start + rules.trick_size]
        winner = winning_seat(rules, leader, tiles) if len(tiles) == rules.trick_size else None
        seated = tuple([PLAYS[seat][tile] for seat, tile in zip(rules.seats_from[leader], tiles, strict=False)])
        tricks.append(Trick(leader, seated, winner, trick_points(tiles)))
        leader = leader if winner is None else winner
    return tuple(tricks)


def _result(last: LastRound) -> RoundResult:
    return RoundResult(
        opener=last.opener,
        calls=calls_made(last.opener, last.calls),
        bidder=last.bidder,
        bid=last.bid,
        trump=last.trump,
        tiles=tuple(last.plays),
        points=last.points,
        gained=last.gained,
    )
