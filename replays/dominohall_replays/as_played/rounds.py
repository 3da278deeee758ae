"""A round as it was played, by the rules or not: what a table remembers, or what a log says.

Nothing here is checked against the rules; `forty_two` and `fives` beside this module play such a round again and say
where it left them. What nobody remembers is None, and what follows from it is not judged.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dominohall_engine import fives, forty_two
from dominohall_engine.moves import Abandon
from dominohall_engine.seats import SEAT_COUNT
from dominohall_engine.tiles import tiles_in
from dominohall_engine.violations import Violation

from dominohall_replays.brought import Told
from dominohall_replays.errors import ReplayError
from dominohall_replays.rounds import Round

Tiles = tuple[int, ...]
Hands = tuple[Tiles | None, ...]
"""The tiles of each seat, ascending; None for a seat whose hand nobody wrote down."""


class UnusableRound(ReplayError, ValueError):
    """A round that contradicts itself, or that these rules have no place for; `ply` is where, if it is one."""

    def __init__(self, reason: str, ply: int | None = None) -> None:
        super().__init__(reason)
        self.ply = ply


class Stage(StrEnum):
    """The parts of a round that are judged apart."""

    AUCTION = "auction"
    """Calls and the naming of trump."""
    PLAY = "play"
    SCORING = "scoring"


@dataclass(frozen=True, slots=True)
class Trick:
    """A trick as it is written down: who led, and the tiles clockwise from there; the last one may be unfinished."""

    leader: int
    tiles: Tiles


@dataclass(frozen=True, slots=True)
class FortyTwoRound:
    """A round of forty-two.

    `calls` are the points that each seat bid, 0 for a pass, clockwise from `opener`. Where only the contract is
    remembered, `opener` is None, `calls` are empty and `bid` is who bid how much. `trump` is who named it and what.
    `score` is what the table wrote down for each side.
    """

    options: forty_two.Options
    shaker: int | None
    scores: tuple[int, int]
    hands: Hands
    opener: int | None
    calls: tuple[int, ...]
    bid: tuple[int, int] | None
    trump: tuple[int, int] | None
    tricks: tuple[Trick, ...]
    score: tuple[int, int] | None


class Kind(StrEnum):
    """What a seat does in a turn of fives."""

    PLAY = "play"
    DRAW = "draw"
    KNOCK = "knock"


@dataclass(frozen=True, slots=True)
class Turn:
    """A play, a draw (`tile` is what was drawn, None if nobody knows) or a knock of fives."""

    kind: Kind
    seat: int
    tile: int | None = None
    place: int | None = None


@dataclass(frozen=True, slots=True)
class FivesRound:
    """A round of fives; `left` is what each seat laid open at its end, () for nothing."""

    options: fives.Options
    leader: int
    scores: tuple[int, ...]
    hands: Hands
    turns: tuple[Turn, ...]
    left: Hands
    score: tuple[int, ...] | None


AnyRound = FortyTwoRound | FivesRound


@dataclass(frozen=True, slots=True)
class Ply:
    """One move of a round that was played again under some rules."""

    number: int
    """1 for the first call, or the first tile where no call was written down."""
    stage: Stage
    seat: int
    move: Any
    violations: tuple[Violation, ...]
    """Why the rules forbid it: empty for a legal move."""
    legal: tuple[Any, ...]
    """What the seat could have done, as far as its hand is known."""
    trick: int | None = None
    """The number of the trick, in forty-two."""
    points: int = 0
    """What a play of fives scored."""


def round_from_log(each: Round, options: Any) -> tuple[AnyRound, int]:  # noqa: ANN401 - options of the game
    """Return a round of a log, and the sequence of its first move after the shake.

    Every move of the round stands in the record in the order of the log, so ply ``n`` is at that sequence plus
    ``n - 1``; where that is less than 1, it was made before the match was imported.
    """
    steps = [step for step in each.steps if not isinstance(step.move, Abandon)]
    dealt = steps[0].after
    first = each.first_sequence + 1
    if each.was_under_way:
        first -= sum([step.entry is None for step in steps]) - 1
    ended = each.finished and not isinstance(each.steps[-1].move, Abandon)
    score = tuple(each.gained) if ended else None
    before = tuple(each.game.view(steps[0].before, None).scores)
    if each.game.NAME == fives.NAME:
        return _fives_from_log(steps, options, before, score), first
    hands: Hands = tuple(tiles_in(hand) for hand in dealt.deal.hands)
    return _forty_two_from_log(steps, options, hands, (before[0], before[1]), score), first


def _forty_two_from_log(
    steps: Sequence[Told],
    options: forty_two.Options,
    hands: Hands,
    before: tuple[int, int],
    score: tuple[int, ...] | None,
) -> FortyTwoRound:
    calls = [step.move for step in steps if isinstance(step.move, forty_two.Bid | forty_two.Pass)]
    named = [step.move for step in steps if isinstance(step.move, forty_two.NameTrump)]
    plays = [step.move for step in steps if isinstance(step.move, forty_two.Play)]
    tricks = []
    for start in range(0, len(plays), SEAT_COUNT):
        trick = plays[start : start + SEAT_COUNT]
        tricks.append(Trick(trick[0].seat, tuple([play.tile for play in trick])))
    return FortyTwoRound(
        options=options,
        shaker=steps[0].after.deal.shaker,
        scores=before,
        hands=hands,
        opener=steps[0].after.turn,
        calls=tuple([call.points if isinstance(call, forty_two.Bid) else 0 for call in calls]),
        bid=None,
        trump=(named[0].seat, named[0].trump) if named else None,
        tricks=tuple(tricks),
        score=None if score is None else (score[0], score[1]),
    )


def _fives_from_log(
    steps: Sequence[Told], options: fives.Options, before: tuple[int, ...], score: tuple[int, ...] | None
) -> FivesRound:
    dealt = steps[0].after
    turns = []
    for step in steps[1:]:
        move = step.move
        if isinstance(move, fives.Play):
            turns.append(Turn(Kind.PLAY, move.seat, move.tile, move.place))
        elif isinstance(move, fives.Draw):
            (tile,) = tiles_in(step.after.hands[move.seat] & ~step.before.hands[move.seat])
            turns.append(Turn(Kind.DRAW, move.seat, tile))
        else:
            turns.append(Turn(Kind.KNOCK, move.seat))
    hands: Hands = tuple(tiles_in(hand) for hand in dealt.hands)
    return FivesRound(options, dealt.turn, before, hands, tuple(turns), (None,) * len(hands), score)
