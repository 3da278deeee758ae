"""The fold: a match begins, a move is applied, and what a state says of itself."""

from dominohall_engine.errors import IllegalMove, InvalidOptions
from dominohall_engine.forty_two.auction import bid, name_trump, pass_by
from dominohall_engine.forty_two.dealing import draw_lot, shake
from dominohall_engine.forty_two.legality import violation
from dominohall_engine.forty_two.moves import Bid, Lot, Move, NameTrump, Pass, Play, SeatMove, domain
from dominohall_engine.forty_two.options import Opener, Options
from dominohall_engine.forty_two.scoring import abandoned
from dominohall_engine.forty_two.state import (
    Auction,
    InRound,
    LastRound,
    Lotting,
    Naming,
    Over,
    Pair,
    Playing,
    Shaking,
    State,
    deal_of,
)
from dominohall_engine.forty_two.tricks import play
from dominohall_engine.game import Phase
from dominohall_engine.moves import Shake
from dominohall_engine.outcomes import Outcome
from dominohall_engine.seats import PARTNERSHIPS, SEAT_COUNT


def new_match(options: Options, first: int | None = None) -> State:
    """Begin a match: with the lot for the first shaker, or with the first shake.

    `first` is the seat that shakes first, 0 to 3, when that is known already (a rematch). `InvalidOptions` for another
    number, and for any under `holder_of_1_0`, where nobody shakes (X-12).
    """
    if options.opener is Opener.HOLDER_OF_1_0:
        if first is not None:
            raise InvalidOptions(f"first: expected none where the holder of the 1-0 opens, got {first!r}")
        return Shaking(options, None, 0, (0, 0), None)
    if first is None:
        return Lotting(options)
    if first not in range(SEAT_COUNT):
        raise InvalidOptions(f"first: expected a seat from 0 to 3, got {first!r}")
    return Shaking(options, first, 0, (0, 0), None)


def apply(state: State, move: Move) -> State:
    """Return the state after the move; `IllegalMove` if the rules forbid it. Never changes `state`."""
    broken = violation(state, move)
    if broken is not None:
        raise IllegalMove(broken)
    if isinstance(state, Playing) and isinstance(move, Play):
        return play(state, move.tile)
    if isinstance(state, Auction) and isinstance(move, Bid):
        return bid(state, move.points)
    if isinstance(state, Auction) and isinstance(move, Pass):
        return pass_by(state)
    if isinstance(state, Naming) and isinstance(move, NameTrump):
        return name_trump(state, move.trump)
    if isinstance(state, Shaking) and isinstance(move, Shake):
        return shake(state, move.tiles)
    if isinstance(state, Lotting) and isinstance(move, Lot):
        return draw_lot(state, move.seat)
    return Over(options_of(state), shakes(state), last_round_of(state), abandoned(scores_of(state)))  # an Abandon: D-15


def options_of(state: State) -> Options:
    """Return the options that this match is played under."""
    return deal_of(state).options if isinstance(state, InRound) else state.options


def sides(options: Options) -> tuple[tuple[int, ...], ...]:  # noqa: ARG001 - the same under all options
    """Return the seats of each side: partners sit opposite each other (F42-PL-04, F42-RU-02)."""
    return PARTNERSHIPS


def seat_moves(options: Options) -> tuple[SeatMove, ...]:
    """Return the whole domain of seat moves, legal or not: what `legal_moves` is a part of."""
    return domain(doubles_trump=options.doubles_trump)


def phase(state: State) -> Phase:
    """Say what the state waits for."""
    if isinstance(state, Playing):
        return Phase.PLAYING
    if isinstance(state, Auction):
        return Phase.AUCTION
    if isinstance(state, Naming):
        return Phase.NAMING
    if isinstance(state, Shaking):
        return Phase.SHAKE
    return Phase.LOT if isinstance(state, Lotting) else Phase.OVER


def shakes(state: State) -> int:
    """Return how many shakes the match has had, 0 before the first; so it is the number of the round in progress."""
    if isinstance(state, Lotting):
        return 0
    return deal_of(state).shakes if isinstance(state, InRound) else state.shakes


def order(state: State) -> bytes | None:
    """Return the hidden order of the current shake (28 bytes), None while no tiles are dealt."""
    return deal_of(state).order if isinstance(state, InRound) else None


def turn(state: State) -> int | None:
    """Return the seat that must act, None when a lot or shake is due or the match is over."""
    if isinstance(state, Playing):
        return state.turn
    if isinstance(state, Naming):
        return state.bidder
    return state.turn if isinstance(state, Auction) else None


def outcome(state: State) -> Outcome | None:
    """Return how the match ended, None while it goes on."""
    return state.outcome if isinstance(state, Over) else None


def scores_of(state: State) -> Pair:
    """Return the points of each side, before the round in progress."""
    if isinstance(state, Lotting):
        return (0, 0)
    if isinstance(state, Over):
        one, other = state.outcome.scores
        return (one, other)
    return deal_of(state).scores if isinstance(state, InRound) else state.scores


def last_round_of(state: State) -> LastRound | None:
    """Return the result of the round before this one, None in the first."""
    if isinstance(state, Lotting):
        return None
    return deal_of(state).last_round if isinstance(state, InRound) else state.last_round
