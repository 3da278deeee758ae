"""What may be done now: `violation` decides, `legal_moves` lists.

The checks run in one order: the match is not over; the phase asks for this kind of move; the seat exists; it is its
turn; then the move itself. Facts hold only what the seat that moves may know: its own tiles and the open table.
"""

from collections.abc import Mapping
from typing import Final, assert_never

from dominohall_engine.forty_two import authority
from dominohall_engine.forty_two.authority import Topic, cite
from dominohall_engine.forty_two.moves import (
    BIDS,
    NAMES_OF_TRUMP,
    PASSES,
    PLAYS,
    Bid,
    Lot,
    Move,
    NameTrump,
    Pass,
    Play,
    SeatMove,
)
from dominohall_engine.forty_two.options import Options
from dominohall_engine.forty_two.state import (
    NO_BID,
    Auction,
    InRound,
    Lotting,
    Naming,
    Over,
    Playing,
    Shaking,
    State,
    all_choices,
    deal_of,
)
from dominohall_engine.forty_two.tables import (
    DOUBLES_SUIT,
    HIGHEST_BID,
    LOWEST_BID,
    SUIT_NAMES,
    SUITS,
    led_suit,
)
from dominohall_engine.game import Phase
from dominohall_engine.moves import Abandon, Shake
from dominohall_engine.outcomes import Ending
from dominohall_engine.seats import SEAT_COUNT
from dominohall_engine.tiles import HALVES, NAMES, TILE_COUNT, is_order, tiles_in
from dominohall_engine.violations import Fact, Reason, Violation

# --- legal moves: look-ups of prebuilt ones

_CALLS: Final[tuple[tuple[tuple[SeatMove, ...], ...], ...]] = tuple(
    tuple((PASSES[seat], *BIDS[seat][first:]) for first in range(len(BIDS[seat]) + 1)) for seat in range(SEAT_COUNT)
)
"""``_CALLS[seat][lowest - 30]``: a pass, and every bid from the lowest legal one to 42."""

_NAMINGS: Final = tuple(
    tuple(tuple(NAMES_OF_TRUMP[seat][trump] for trump in SUITS if mask >> trump & 1) for mask in range(256))
    for seat in range(SEAT_COUNT)
)
"""``_NAMINGS[seat][mask of trumps]``."""

_PLAYS: Final = tuple(
    tuple(
        tuple(tuple(PLAYS[seat][first + bit] for bit in range(7) if mask >> bit & 1) for mask in range(128))
        for first in range(0, TILE_COUNT, 7)
    )
    for seat in range(SEAT_COUNT)
)
"""``_PLAYS[seat][k][mask]``: plays of the tiles 7k to 7k + 6 that are in the mask of seven bits."""


def legal_moves(state: State) -> tuple[SeatMove, ...]:
    """Return what the seat whose turn it is may do; nothing when chance must move or the match is over.

    The order is fixed: a pass first, then bids from the lowest; trumps and plays by their number.
    """
    if isinstance(state, Playing):
        mask = state.playable
        first, second, third, fourth = _PLAYS[state.turn]
        return first[mask & 127] + second[mask >> 7 & 127] + third[mask >> 14 & 127] + fourth[mask >> 21]
    if isinstance(state, Auction):
        calls = _CALLS[state.turn][state.lowest - LOWEST_BID]
        return calls if state.may_pass else calls[1:]
    if isinstance(state, Naming):
        return _NAMINGS[state.bidder][state.choices]
    return ()


# --- violations


def violation(state: State, move: Move) -> Violation | None:
    """Return why the rules refuse a move here, with the clauses that decide and the facts; None if it is legal."""
    if isinstance(state, Playing):
        if not isinstance(move, Play):
            return _wrong_kind(state.contract.deal.options, Phase.PLAYING, authority.TRICKS_DUE, move)
        if move.seat == state.turn and move.tile >= 0 and state.playable >> move.tile & 1:
            return None
        return _seat(state, move, state.turn) or _play(state, move)
    if isinstance(state, Auction):
        if not isinstance(move, (Bid, Pass)):
            return _wrong_kind(state.deal.options, Phase.AUCTION, authority.AUCTION_DUE, move)
        return _seat(state, move, state.turn) or _call(state, move)
    if isinstance(state, Naming):
        if not isinstance(move, NameTrump):
            return _wrong_kind(state.deal.options, Phase.NAMING, authority.NAMING_DUE, move)
        return _seat(state, move, state.bidder) or _name_trump(state, move)
    return _outside_a_round(state, move)


def _refusal(options: Options, reason: Reason, topic: Topic, facts: Mapping[str, Fact]) -> Violation:
    return Violation(reason, cite(options, topic), facts)


def _tile_name(tile: int) -> str:
    return NAMES[tile] if 0 <= tile < TILE_COUNT else str(tile)


def _suit_name(suit: int) -> str:
    return SUIT_NAMES[suit] if suit in SUITS else str(suit)


def _outside_a_round(state: Lotting | Shaking | Over, move: Move) -> Violation | None:
    """Judge a move while no tiles are dealt."""
    if isinstance(state, Shaking):
        return _shake(state.options, move)
    if isinstance(state, Lotting):
        if not isinstance(move, Lot):
            return _wrong_kind(state.options, Phase.LOT, authority.LOT_DUE, move)
        if not 0 <= move.seat < SEAT_COUNT:
            return _refusal(state.options, Reason.BAD_LOT, authority.LOT, {"seat": move.seat})
        return None
    if isinstance(state, Over):
        ending = state.outcome.ending
        return _refusal(state.options, Reason.MATCH_OVER, _ENDED_BY[ending], {"ending": str(ending)})
    assert_never(state)


def _shake(options: Options, move: Move) -> Violation | None:
    """Judge a move while the tiles wait to be shaken."""
    if not isinstance(move, Shake):
        return _wrong_kind(options, Phase.SHAKE, authority.SHAKE_DUE, move)
    if not is_order(move.tiles):
        facts: dict[str, Fact] = {"tiles": len(move.tiles), "different": len(set(move.tiles) & set(range(TILE_COUNT)))}
        return _refusal(options, Reason.NOT_ALL_TILES, authority.SHAKE, facts)
    return None


_ENDED_BY: Final[Mapping[Ending, Topic]] = {
    Ending.TARGET: authority.TARGET_REACHED,
    Ending.ROUND_LIMIT: authority.ROUND_LIMIT_REACHED,
    Ending.DRAW: authority.DRAWN,
    Ending.ABANDONED: authority.ABANDONED,
}

_REASON_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")


def _wrong_kind(options: Options, phase: Phase, topic: Topic, move: Move) -> Violation | None:
    """Refuse a move of another phase; the host may abandon a match in any of them (D-15)."""
    if isinstance(move, Abandon):
        if 1 <= len(move.reason) <= 64 and _REASON_LETTERS.issuperset(move.reason):
            return None
        return _refusal(options, Reason.BAD_ABANDON_REASON, authority.ABANDONED, {"length": len(move.reason)})
    facts: dict[str, Fact] = {"phase": str(phase), "move": type(move).__name__}
    return _refusal(options, Reason.NOT_THIS_MOVE_NOW, topic, facts)


def _seat(state: InRound, move: SeatMove, turn: int) -> Violation | None:
    """Refuse a seat that does not exist, or whose turn it is not."""
    seat = move.seat
    if seat == turn:
        return None
    options = deal_of(state).options
    if not 0 <= seat < SEAT_COUNT:
        return _refusal(options, Reason.NO_SUCH_SEAT, authority.SEATS, {"seat": seat})
    return _refusal(options, Reason.NOT_YOUR_TURN, _turn_topic(state, seat), {"seat": seat, "turn": turn})


def _turn_topic(state: InRound, seat: int) -> Topic:
    """Say what decides that it is another seat's turn."""
    if isinstance(state, Auction):
        has_called = (seat - state.deal.opener) % SEAT_COUNT < len(state.calls)
        return authority.CALL_ONCE if has_called else authority.CALL_IN_TURN
    if isinstance(state, Naming):
        return authority.BIDDER_NAMES
    if state.trick:
        return authority.PLAY_IN_TURN
    return authority.WINNER_LEADS if state.plays else authority.BIDDER_LEADS


def _call(state: Auction, move: Bid | Pass) -> Violation | None:
    """Judge a call of the seat whose turn it is."""
    options = state.deal.options
    if isinstance(move, Pass):
        if state.may_pass:
            return None
        return _refusal(options, Reason.MUST_BID, authority.FORCED, {"seat": move.seat, "lowest": state.lowest})
    points = move.points
    if points > HIGHEST_BID:
        facts: dict[str, Fact] = {"seat": move.seat, "points": points, "highest": HIGHEST_BID}
        return _refusal(options, Reason.BID_TOO_HIGH, authority.HIGHEST, facts)
    if points >= state.lowest:
        return None
    if state.highest == NO_BID or points < LOWEST_BID:
        forced = points >= LOWEST_BID  # only a forced bid of 31 lies above 30
        facts = {
            "seat": move.seat,
            "points": points,
            "lowest": state.lowest if forced or not state.highest else LOWEST_BID,
        }
        return _refusal(options, Reason.BID_TOO_LOW, authority.FORCED if forced else authority.LOWEST, facts)
    facts = {"seat": move.seat, "points": points, "last": state.highest}
    topic = authority.RAISE_EQUAL if points == state.highest else authority.RAISE
    return _refusal(options, Reason.BID_NOT_ABOVE_LAST, topic, facts)


def _name_trump(state: Naming, move: NameTrump) -> Violation | None:
    """Judge the trump that the bidder names."""
    options = state.deal.options
    facts: dict[str, Fact] = {"seat": move.seat, "trump": _suit_name(move.trump)}
    if move.trump not in SUITS or not all_choices(options) >> move.trump & 1:
        return _refusal(options, Reason.NO_SUCH_TRUMP, authority.TRUMPS, facts)
    if state.choices >> move.trump & 1:
        return None
    return _refusal(options, Reason.TRUMP_NOT_IN_HAND, authority.TRUMP_HELD, facts)


def _play(state: Playing, move: Play) -> Violation:
    """Say why a tile is not playable by the seat whose turn it is."""
    contract = state.contract
    options, trump = contract.deal.options, contract.trump
    held = contract.deal.hands[state.turn] & ~state.played
    facts: dict[str, Fact] = {"seat": move.seat, "tile": _tile_name(move.tile)}
    if move.tile < 0 or not held >> move.tile & 1:
        return _refusal(options, Reason.TILE_NOT_HELD, authority.HELD, facts)
    could_play = tuple(NAMES[tile] for tile in tiles_in(state.playable))
    if not state.trick:
        facts |= {"trump": _suit_name(trump), "could_play": could_play}
        return _refusal(options, Reason.FIRST_LEAD_MUST_BE_TRUMP, authority.LEAD_TRUMP, facts)
    led = state.trick[0]
    suit = led_suit(led, trump)
    facts |= {
        "led_tile": NAMES[led],
        "led_suit": _suit_name(suit),
        "trump": _suit_name(trump),
        "could_play": could_play,
    }
    clauses = cite(options, authority.FOLLOW_TRUMP_LED if suit == trump else authority.FOLLOW)
    if suit != trump and suit in HALVES[move.tile]:  # it bears the number, but it is a trump
        misread = authority.DOUBLE_IS_NO_NUMBER if trump == DOUBLES_SUIT else authority.TRUMP_IS_NO_OTHER_SUIT
        clauses = cite(options, misread) + clauses
    return Violation(Reason.MUST_FOLLOW_SUIT, clauses, facts)
