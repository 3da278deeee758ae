"""A round of fives played again as it was, under any options: illegal plies are marked and accepted.

The engine's own `violation` says what is illegal. A tile that was laid where it does not fit lies with its higher half
outwards, for want of anybody who remembers; a place that a layout does not have can't have been played at, and makes
the round unusable under those options.
"""

from dataclasses import dataclass
from typing import Final

from dominohall_engine import fives
from dominohall_engine.fives.layout import Layout, extended
from dominohall_engine.fives.moves import DRAWS, KNOCKS, PLAYS
from dominohall_engine.fives.options import Options, SpinnerRule
from dominohall_engine.fives.places import DOUBLE, LEFT, NO_TILE, PLACE_NAMES, SIDE_1, START
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
from dominohall_engine.tiles import HALVES, TILE_COUNT, mask_of

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
        broken = fives.violation(state, move)
        violations += [] if broken is None else [broken]
        points = self._apply(turn)
        legal = tuple(fives.legal_moves(state))
        self.plies.append(
            Ply(len(self.plies) + 1, Stage.PLAY, seat, move, tuple(violations), legal, None, points)
        )  # fmt: skip
        if self.end is None:
            self._look_for_the_end(number, turn)

    def _apply(self, turn: Turn) -> int:
        """Change the table; the points that a play scored."""
        self.before.append(self.events)
        points = 0
        if turn.tile is not None and turn.kind is Kind.PLAY and turn.place is not None:
            self.layout = laid(self.layout, turn.tile, turn.place, len(self.plies))
            points = points_of(self.rules.options, self.layout.points, self.events)
            self.events += bytes((turn.tile,))
            self.places += bytes((turn.place,))
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


def laid(layout: Layout, tile: int, place: int, ply: int | None = None) -> Layout:
    """Lay a tile at a place, whether it fits or not; `UnusableRound` where the layout has no such place."""
    if layout.masks[place] >> tile & 1:
        return extended(layout, tile, place)
    shape = layout.shape
    is_cross = len(shape) == 5
    if not shape or place == START or is_cross != (place >= SIDE_1):
        raise UnusableRound(f"expected a place that the layout has, got {PLACE_NAMES[place]}", ply)
    high, low = HALVES[tile]
    end = DOUBLE + high if high == low else high
    if is_cross:
        arm = place - SIDE_1 + 1
        return Layout(layout.kind, shape[:arm] + bytes((end,)) + shape[arm + 1 :])
    left, right = shape[0], shape[-1]
    other = right if place == LEFT else left
    if high == low and layout.kind != list(SpinnerRule).index(SpinnerRule.NONE):
        return Layout(layout.kind, bytes((high, other, NO_TILE, NO_TILE, NO_TILE)))
    return Layout(layout.kind, bytes((end, other)) if place == LEFT else bytes((other, end)))


class Holdings:
    """What each seat is known to hold at each turn of a round.

    A seat whose hand was written down holds that, what it drew, less what it played. Of another seat only those tiles
    are known that it played later or laid open at the end, and that it can't have drawn in between.
    """

    def __init__(self, record: FivesRound) -> None:
        self._record: Final = record

    def at(self, seat: int, number: int) -> int:
        """Return what a seat is known to hold before turn `number` (0 is the first), as a mask."""
        own = [(place, turn) for place, turn in enumerate(self._record.turns) if turn.seat == seat]
        hand = self._record.hands[seat]
        if hand is not None:
            held = mask_of(hand)
            unknown = 0
            for place, turn in own:
                if place >= number:
                    break
                if turn.kind is Kind.DRAW:
                    held |= 0 if turn.tile is None else 1 << turn.tile
                    unknown += turn.tile is None
                elif turn.tile is not None:
                    held &= ~(1 << turn.tile)
            return held | (self._later(seat, own, number) & ~mask_of(hand) if unknown else 0)
        return self._later(seat, own, number)

    def _later(self, seat: int, own: list[tuple[int, Turn]], number: int) -> int:
        """Return what a seat plays or lays open from a turn on, as far as it can't have drawn it in between."""
        held, drawn = 0, 0
        for place, turn in own:
            if place < number:
                continue
            if turn.kind is Kind.DRAW:
                if turn.tile is None:
                    return held
                drawn |= 1 << turn.tile
            elif turn.tile is not None and not drawn >> turn.tile & 1:
                held |= 1 << turn.tile
        left = self._record.left[seat]
        return held | (0 if left is None else mask_of(left) & ~drawn)

    def left(self, seat: int) -> int | None:
        """Return what a seat is left with at the end, None if it is not known."""
        laid_open, hand = self._record.left[seat], self._record.hands[seat]
        draws = [turn for turn in self._record.turns if turn.seat == seat and turn.kind is Kind.DRAW]
        follows = None
        if hand is not None and all(turn.tile is not None for turn in draws):
            follows = self.at(seat, len(self._record.turns))
        if laid_open is None:
            return follows
        if follows is not None and follows != mask_of(laid_open):
            raise UnusableRound(f"seat {seat}: what is left does not follow from its hand, draws and plays")
        return mask_of(laid_open)

    def is_empty(self, seat: int, number: int) -> bool:
        """Say whether a seat is known to hold nothing before turn `number`."""
        turns = self._record.turns
        count = self._record.options.hand_size
        for turn in turns[:number]:
            if turn.seat == seat:
                count += {Kind.DRAW: 1, Kind.PLAY: -1, Kind.KNOCK: 0}[turn.kind]
        return count <= 0
