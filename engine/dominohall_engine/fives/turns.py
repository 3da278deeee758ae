"""What each move does to a state, given that it is legal (`legality` has asked already)."""

from typing import Final

from dominohall_engine.fives.encoding import PLAYING, pack_head
from dominohall_engine.fives.layout import extended
from dominohall_engine.fives.options import BlockLead, Options, TieLead
from dominohall_engine.fives.scoring import blocked, lot_winner, went_out
from dominohall_engine.fives.state import (
    DRAW_BYTE,
    KNOCK_BYTE,
    LastRound,
    Lotting,
    Over,
    Playing,
    Round,
    RoundEnd,
    Rules,
    Shaking,
    State,
    boneyard_count,
    dealt,
    knocks_in_a_row,
)
from dominohall_engine.outcomes import Ending, Outcome
from dominohall_engine.tiles import TILE_COUNT

ONE_BYTE: Final = tuple(bytes((each,)) for each in range(256))


def lot(state: Lotting, tiles: bytes) -> Shaking:
    """Let the seat with the highest tile lead (LIN-04); the tiles are shuffled again (LIN-05)."""
    return Shaking(state.rules, state.shakes, state.scores, lot_winner(tiles), state.last_round)


def shake(state: Shaking, order: bytes) -> Playing:
    """Deal each seat its hand, seat 0 first; the rest is the boneyard (LIN-06, LIN-07, D-05)."""
    rules = state.rules
    shakes = state.shakes + 1
    head = pack_head(PLAYING, rules, shakes, state.leader, state.last_round)
    round_ = Round(rules, shakes, state.leader, state.last_round, order, head)
    return Playing(round_, state.scores, state.leader, tuple(dealt(rules, order)), rules.empty, b"", b"")


def play(state: Playing, tile: int, place: int) -> State:
    """Lay a tile and score the ends total; the round, or the match, may end by it (LIN-09, LIN-10, LIN-13, LIN-18)."""
    round_ = state.round
    rules = round_.rules
    seat = state.turn
    layout = extended(state.layout, tile, place)
    scores = state.scores
    points = layout.points if state.events else points_of(rules.options, layout.points, b"")
    if points:
        side = rules.side_of[seat]
        scores = plus(scores, side, points)
        if rules.stops_at is not None and scores[side] >= rules.stops_at:  # A-LIN-26, D-08
            last_round = LastRound(RoundEnd.STOPPED, round_.leader, seat, points, 0, None)
            return Over(rules, round_.shakes, seat, Outcome(side, Ending.TARGET, scores), last_round)
    holdings = list(state.hands)
    holdings[seat] ^= 1 << tile
    hands = tuple(holdings)
    if not hands[seat]:
        won = went_out(hands, rules.sides, seat)
        last_round = LastRound(RoundEnd.WENT_OUT, round_.leader, seat, points, won.bonus, hands)
        return after_round(rules, round_.shakes, plus(scores, won.side, won.bonus), last_round)
    turn = seat + 1 if seat + 1 < rules.seats else 0  # A-LIN-34
    return Playing(round_, scores, turn, hands, layout, state.events + ONE_BYTE[tile], state.places + ONE_BYTE[place])


def draw(state: Playing) -> Playing:
    """Take the tile at the front of the boneyard; it is still the same seat's turn (D-05, D-06)."""
    seat = state.turn
    hand = state.hands[seat] | 1 << state.round.order[TILE_COUNT - boneyard_count(state)]
    hands = (*state.hands[:seat], hand, *state.hands[seat + 1 :])
    return Playing(state.round, state.scores, seat, hands, state.layout, state.events + DRAW_BYTE, state.places)


def knock(state: Playing) -> State:
    """Pass the turn on; the round is blocked once every seat in turn has knocked and nobody may draw (LIN-16, D-07)."""
    round_ = state.round
    rules = round_.rules
    events = state.events + KNOCK_BYTE
    if knocks_in_a_row(events) >= rules.seats and boneyard_count(state) <= rules.floor:
        won = blocked(state.hands, rules.sides, round_.leader, rules.options.block_score, rules.options.tie)
        if won is None:
            nobody = LastRound(RoundEnd.BLOCKED, round_.leader, None, 0, 0, state.hands)
            return after_round(rules, round_.shakes, state.scores, nobody)
        last_round = LastRound(RoundEnd.BLOCKED, round_.leader, won.seat, 0, won.bonus, state.hands)
        return after_round(rules, round_.shakes, plus(state.scores, won.side, won.bonus), last_round)
    turn = state.turn + 1 if state.turn + 1 < rules.seats else 0
    return Playing(round_, state.scores, turn, state.hands, state.layout, events, state.places)


def abandon(state: State) -> Over:
    """End the match at the host's word: nobody wins, the scores stay, no round is counted."""
    played = state.round if isinstance(state, Playing) else state
    return Over(played.rules, played.shakes, None, Outcome(None, Ending.ABANDONED, state.scores), played.last_round)


def after_round(rules: Rules, shakes: int, scores: tuple[int, ...], last_round: LastRound) -> Lotting | Shaking | Over:
    """Go on after a round has been scored: to the end of the match, to a lot, or to the next shake."""
    leader = next_leader(rules.options, last_round)
    outcome = outcome_after(rules.options, shakes, scores)
    if outcome:
        return Over(rules, shakes, leader, outcome, last_round)
    if leader is None:
        return Lotting(rules, shakes, scores, last_round)
    return Shaking(rules, shakes, scores, leader, last_round)


def next_leader(options: Options, last_round: LastRound) -> int | None:
    """Return who leads after a round, None if a lot decides (LIN-19, A-LIN-22..25)."""
    if last_round.seat is None:
        if options.tie_lead is TieLead.PREVIOUS_LEADER:
            return last_round.leader
        if options.tie_lead is TieLead.NEXT_SEAT:
            return (last_round.leader + 1) % options.seats
        return None
    if last_round.end is RoundEnd.BLOCKED and options.block_lead is BlockLead.LOT:
        return None
    return last_round.seat


def outcome_after(options: Options, shakes: int, scores: tuple[int, ...]) -> Outcome | None:
    """Return how the match ended after a scored round, None if it goes on (LIN-18, A-LIN-26, D-13).

    At the target the higher score wins; equal ones (only where rounds are finished) play on. At the limit of rounds
    the higher score wins too, and equal ones are nobody's.
    """
    best = max(scores)
    winner = scores.index(best) if scores.count(best) == 1 else None
    if best >= options.target and winner is not None:
        return Outcome(winner, Ending.TARGET, scores)
    if shakes == options.round_limit:
        return Outcome(winner, Ending.ROUND_LIMIT, scores)
    return None


def points_of(options: Options, points: int, events: bytes) -> int:
    """Return what a tile scores for making these points after these events (A-LIN-07: the first may score nothing)."""
    return points if points and (events or options.opening_scores) else 0


def plus(scores: tuple[int, ...], side: int, points: int) -> tuple[int, ...]:
    """Return the scores with points added to one side."""
    return (*scores[:side], scores[side] + points, *scores[side + 1 :])
