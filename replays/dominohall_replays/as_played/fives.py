"""A round of fives played again as it was, under any options: illegal plies are marked and accepted.

The engine's own `violation` says what is illegal. A tile that was laid where it does not fit lies with its higher half
outwards, for want of anybody who remembers. A place that a layout does not have can't have been played at, and makes
the round unusable under those options.
"""

from dataclasses import dataclass
from typing import Final

from dominohall_engine import fives
from dominohall_engine.fives.layout import Layout
from dominohall_engine.fives.moves import DRAWS, KNOCKS, PLAYS
from dominohall_engine.fives.options import Options, SpinnerRule
from dominohall_engine.fives.places import PLACE_NAMES
from dominohall_engine.fives.scoring import Won, blocked, went_out
from dominohall_engine.fives.state import (
    DRAW_BYTE,
    KNOCK_BYTE,
    Over,
    Playing,
    Round,
    RoundEnd,
    Shaking,
    State,
    boneyard_count,
    knocks_in_a_row,
    rules_of,
)
from dominohall_engine.fives.turns import points_of
from dominohall_engine.outcomes import Ending, Outcome
from dominohall_engine.tiles import TILE_COUNT

from dominohall_replays.as_played.holdings import Holdings
from dominohall_replays.as_played.laying import Arms, laid
from dominohall_replays.as_played.rounds import FivesRound, Kind, Ply, Stage, Turn, UnusableRound


@dataclass(frozen=True, slots=True)
class FivesRun:
    """What came of a round under some options."""

    options: Options
    plies: tuple[Ply, ...]
    layouts: tuple[Layout | None, ...]
    """The layout after each ply, None unless it was a play."""
    openings: tuple[bytes, ...]
    """The moves before each ply, as the engine writes them."""
    end: RoundEnd | None
    """How the round ended by these rules; None if it had not ended where the record does."""
    ended_at: int | None
    """The ply that ended it."""
    hands: tuple[int | None, ...]
    """What each seat was left with, a mask; None where that is not known."""
    won: Won | None
    """Who won the round, and for what; None if nobody did, or it can't be told."""
    in_play: tuple[int, ...]
    """What each side scored by plays."""
    gained: tuple[int, ...] | None
    """What each side scored altogether; None where it can't be told."""


def run_fives(record: FivesRound, options: Options, *, ends_as: RoundEnd | None = None) -> FivesRun:
    """Play a round again under these options, which need not be its own.

    `ends_as` says how the table took the round to have ended, if these options would see no end of it there; then it
    is scored so. `UnusableRound` if the round contradicts itself or these options have no place for it.
    """
    if (options.seats, options.hand_size) != (record.options.seats, record.options.hand_size):
        raise UnusableRound("expected options with the same number of seats and of tiles a hand")
    table = _Table(record, options)
    for number, turn in enumerate(record.turns):
        table.take(number, turn)
    return table.run(ends_as)


class _Table:
    """A round being played again."""

    def __init__(self, record: FivesRound, options: Options) -> None:
        self.record: Final = record
        self.rules: Final = rules_of(options)
        self.held: Final = Holdings(record)
        self.round: Final = Round(self.rules, 1, record.leader, None, bytes(range(TILE_COUNT)), b"")
        self.scores = list(record.scores)
        self.in_play = [0] * len(self.rules.sides)
        self.turn = record.leader
        self.layout = self.rules.empty
        self.arms: Final = Arms()
        self.has_spinner: Final = options.spinner is not SpinnerRule.NONE
        self.events = b""
        self.places = b""
        self.plies: list[Ply] = []
        self.layouts: list[Layout | None] = []
        self.before: list[bytes] = []
        self.end: RoundEnd | None = None
        self.ended_at: int | None = None

    def take(self, number: int, turn: Turn) -> None:
        """Let a seat do what it did."""
        seat = turn.seat
        state = self._state(number, self.turn)
        move = _move(turn)
        violations = []
        if self.end is not None:
            after = fives.violation(self._after(), move)
            violations += [] if after is None else [after]
        elif seat != self.turn:
            out_of_turn = fives.violation(state, move)
            violations += [] if out_of_turn is None else [out_of_turn]
        state = self._state(number, seat)
        broken = fives.violation(state, self._meant(move))
        violations += [] if broken is None else [broken]
        points = self._apply(turn)
        legal = tuple(fives.legal_moves(state))
        self.plies.append(
            Ply(len(self.plies) + 1, Stage.PLAY, seat, move, tuple(violations), legal, None, points)
        )  # fmt: skip
        if self.end is None:
            self._look_for_the_end(number, turn)

    def _meant(self, move: fives.Play | fives.Draw | fives.Knock) -> fives.Play | fives.Draw | fives.Knock:
        """Return a move with the place that the table means."""
        if not isinstance(move, fives.Play):
            return move
        return PLAYS[move.seat][self.arms.place(self.layout, move.place)][move.tile]

    def _apply(self, turn: Turn) -> int:
        """Change the table; the points that a play scored."""
        self.before.append(self.events)
        points = 0
        if turn.tile is not None and turn.kind is Kind.PLAY and turn.place is not None:
            place = self.arms.cover(self.layout, turn.place)
            layout = laid(self.layout, turn.tile, place, has_spinner=self.has_spinner)
            if layout is None:
                raise UnusableRound(
                    f"expected a place that the layout has, got {PLACE_NAMES[turn.place]}", len(self.plies)
                )
            self.layout = layout
            points = points_of(self.rules.options, self.layout.points, self.events)
            self.events += bytes((turn.tile,))
            self.places += bytes((place,))
            side = self.rules.side_of[turn.seat]
            self.scores[side] += points
            self.in_play[side] += points
        else:
            self.events += DRAW_BYTE if turn.kind is Kind.DRAW else KNOCK_BYTE
        self.layouts.append(self.layout if turn.kind is Kind.PLAY else None)
        self.turn = turn.seat if turn.kind is Kind.DRAW else (turn.seat + 1) % self.rules.seats
        return points

    def _look_for_the_end(self, number: int, turn: Turn) -> None:
        """See whether the round is over with this ply."""
        rules = self.rules
        end = None
        if turn.kind is Kind.PLAY:
            side = rules.side_of[turn.seat]
            if self.plies[-1].points and rules.stops_at is not None and self.scores[side] >= rules.stops_at:
                end = RoundEnd.STOPPED
            elif self.held.is_empty(turn.seat, number + 1):
                end = RoundEnd.WENT_OUT
        elif turn.kind is Kind.KNOCK and knocks_in_a_row(self.events) >= rules.seats:
            end = RoundEnd.BLOCKED if self._boneyard() <= rules.floor else None
        if end is not None:
            self.end, self.ended_at = end, len(self.plies)

    def run(self, ends_as: RoundEnd | None) -> FivesRun:
        """Score the round."""
        options, sides = self.rules.options, self.rules.sides
        hands = tuple([self.held.left(seat) for seat in range(self.rules.seats)])
        known = tuple([hand for hand in hands if hand is not None])
        end = self.end or ends_as
        won, gained = None, None
        if end is RoundEnd.STOPPED:
            gained = tuple(self.in_play)
        elif end is not None and len(known) == len(hands):
            if end is RoundEnd.WENT_OUT:
                won = went_out(known, sides, self._last_player())
            else:
                won = blocked(known, sides, self.record.leader, options.block_score, options.tie)
            bonus = 0 if won is None else won.bonus
            gained = tuple(
                [points + (bonus if won and won.side == side else 0) for side, points in enumerate(self.in_play)]
            )
        return FivesRun(
            options,
            tuple(self.plies),
            tuple(self.layouts),
            tuple(self.before),
            self.end,
            self.ended_at,
            hands,
            won,
            tuple(self.in_play),
            gained,
        )

    def _last_player(self) -> int:
        return next((ply.seat for ply in reversed(self.plies) if isinstance(ply.move, fives.Play)), self.record.leader)

    def _boneyard(self) -> int:
        return self.rules.boneyard - self.events.count(DRAW_BYTE)

    def _state(self, number: int, turn: int) -> Playing:
        hands = tuple([self.held.at(seat, number) for seat in range(self.rules.seats)])
        state = Playing(self.round, tuple(self.scores), turn, hands, self.layout, self.events, self.places)
        assert boneyard_count(state) == self._boneyard()  # noqa: S101 - both count the draws
        return state

    def _after(self) -> State:
        """Return a state in which this round is over."""
        scores = tuple(self.scores)
        if self.end is RoundEnd.STOPPED:
            return Over(self.rules, 1, None, Outcome(None, Ending.TARGET, scores), None)
        return Shaking(self.rules, 1, scores, 0, None)


def _move(turn: Turn) -> fives.Play | fives.Draw | fives.Knock:
    if turn.kind is Kind.DRAW:
        return DRAWS[turn.seat]
    if turn.kind is Kind.KNOCK or turn.tile is None or turn.place is None:
        return KNOCKS[turn.seat]
    return PLAYS[turn.seat][turn.place][turn.tile]
