"""What one seat, or a spectator, may see: a type of its own, so that it can't be passed to `apply` by mistake.

A view is built from public facts and the viewer's own hand; it never depends on a hidden tile.
"""

from dataclasses import dataclass, field

from dominohall_engine.fives.layout import Layout, arms_of, spinner_of
from dominohall_engine.fives.legality import legal_moves
from dominohall_engine.fives.moves import DRAWS, KNOCKS, PLAYS, SeatMove
from dominohall_engine.fives.options import Options
from dominohall_engine.fives.spinners.kind import Arm
from dominohall_engine.fives.state import (
    DRAW,
    KNOCK,
    LastRound,
    Lotting,
    Over,
    Playing,
    RoundEnd,
    Rules,
    Shaking,
    State,
    boneyard_count,
    rules_under,
)
from dominohall_engine.fives.turns import points_of
from dominohall_engine.game import Phase
from dominohall_engine.outcomes import Outcome
from dominohall_engine.tiles import pips_in, tiles_in


@dataclass(frozen=True)
class RoundResult:
    """What the round before this one came to, in the open.

    `leader` led it. `seat` went out, won the block or reached the target, for `side`; None when nobody won. `scored`
    is what the last tile scored, `bonus` what the side got on top. `hands` and `pips` are what each seat laid open to
    be counted; None when the match stopped at the target.
    """

    end: RoundEnd
    leader: int
    seat: int | None
    side: int | None
    scored: int
    bonus: int
    hands: tuple[tuple[int, ...], ...] | None
    pips: tuple[int, ...] | None


@dataclass(frozen=True)
class View:
    """A match as `seat` sees it; None is a spectator.

    While no round is played there are no tiles: the viewer's hand, the boneyard and the layout are empty.
    """

    seat: int | None
    phase: Phase
    options: Options
    sides: tuple[tuple[int, ...], ...]
    scores: tuple[int, ...]
    """Points of each side."""
    round_number: int
    """Rounds begun so far, 0 before the first shake."""
    leader: int | None
    """Who leads this round, or leads the next; None while only a lot can say."""
    turn: int | None
    hand: tuple[int, ...] | None
    """The viewer's own tiles, ascending; None for a spectator."""
    hand_sizes: tuple[int, ...]
    """How many tiles each seat holds."""
    boneyard_count: int
    history: tuple[SeatMove, ...]
    """Every play, draw and knock of the round in order; what was drawn is not in it."""
    layout: Layout = field(compare=False)
    """The layout to go on from (`layout.extended`); compared by what follows here."""
    spinner: int | None
    """The number of the first double, once it lies as spinner."""
    arms: tuple[Arm, ...]
    """The ends of the layout, open or not."""
    ends_total: int
    last_scored: int
    """What the last move scored: 0 unless it was a play that made a multiple of five."""
    legal_moves: tuple[SeatMove, ...]
    """The viewer's legal moves; empty unless it is the viewer's turn."""
    last_round: RoundResult | None
    outcome: Outcome | None


def view(state: State, seat: int | None) -> View:
    """Return what this seat may see; None is a spectator. Raises `ValueError` for a seat that is not in the match."""
    rules = rules_under(state)
    if seat is not None and not 0 <= seat < rules.seats:
        raise ValueError(f"expected a seat from 0 to {rules.seats - 1} or None, got {seat}")
    if isinstance(state, Playing):
        return _view_of_playing(state, seat)
    return View(
        seat=seat,
        phase=Phase.LOT if isinstance(state, Lotting) else Phase.SHAKE if isinstance(state, Shaking) else Phase.OVER,
        options=rules.options,
        sides=rules.sides,
        scores=state.outcome.scores if isinstance(state, Over) else state.scores,
        round_number=state.shakes,
        leader=None if isinstance(state, Lotting) else state.leader,
        turn=None,
        hand=None if seat is None else (),
        hand_sizes=(0,) * rules.seats,
        boneyard_count=0,
        history=(),
        layout=rules.empty,
        spinner=None,
        arms=(),
        ends_total=0,
        last_scored=0,
        legal_moves=(),
        last_round=result_of(state.last_round, rules),
        outcome=state.outcome if isinstance(state, Over) else None,
    )


def _view_of_playing(state: Playing, seat: int | None) -> View:
    rules = state.round.rules
    layout = state.layout
    spinner = spinner_of(layout)
    return View(
        seat=seat,
        phase=Phase.PLAYING,
        options=rules.options,
        sides=rules.sides,
        scores=state.scores,
        round_number=state.round.shakes,
        leader=state.round.leader,
        turn=state.turn,
        hand=None if seat is None else tiles_in(state.hands[seat]),
        hand_sizes=tuple([hand.bit_count() for hand in state.hands]),
        boneyard_count=boneyard_count(state),
        history=history_of(state),
        layout=layout,
        spinner=spinner[0] if spinner else None,
        arms=arms_of(layout),
        ends_total=layout.total,
        last_scored=scored_last(state),
        legal_moves=legal_moves(state) if seat == state.turn else (),
        last_round=result_of(state.round.last_round, rules),
        outcome=None,
    )


def scored_last(state: Playing) -> int:
    """Return what the last move scored: 0 unless it was a play that made a multiple of five."""
    events = state.events
    if not events or events[-1] >= DRAW:
        return 0
    return points_of(state.round.rules.options, state.layout.points, events[:-1])


def history_of(state: Playing) -> tuple[SeatMove, ...]:
    """Return every move of the round in order; the turn passes to the left after each play and knock."""
    seat = state.round.leader
    seats = state.round.rules.seats
    places = iter(state.places)
    moves: list[SeatMove] = []
    for event in state.events:
        if event == DRAW:
            moves.append(DRAWS[seat])
            continue
        moves.append(KNOCKS[seat] if event == KNOCK else PLAYS[seat][next(places)][event])
        seat = (seat + 1) % seats
    return tuple(moves)


def result_of(last: LastRound | None, rules: Rules) -> RoundResult | None:
    """Write the last round out in tiles and dots."""
    if last is None:
        return None
    return RoundResult(
        end=last.end,
        leader=last.leader,
        seat=last.seat,
        side=None if last.seat is None else rules.side_of[last.seat],
        scored=last.scored,
        bonus=last.bonus,
        hands=None if last.hands is None else tuple([tiles_in(hand) for hand in last.hands]),
        pips=None if last.hands is None else tuple([pips_in(hand) for hand in last.hands]),
    )
