"""A match told round by round: what every telling and explanation draws from.

A round runs from a shake to the move that ends it; what stands before the first shake (the lot) and between rounds
belongs to no round.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from dominohall_engine import fives, forty_two
from dominohall_engine.games import AnyGame
from dominohall_engine.moves import Shake
from dominohall_engine.outcomes import Outcome

from dominohall_replays.fold import Fold, Step, replay
from dominohall_replays.layout import Layout, layout
from dominohall_replays.log import Source, read_log
from dominohall_replays.records import Head, Header


class Round(NamedTuple):
    """One round: `number` is 1 for the first; the first step is its shake, the last may be in the middle of it."""

    number: int
    game: AnyGame
    steps: tuple[Step, ...]

    @property
    def scores(self) -> tuple[int, ...]:
        """The points of each side after the last step."""
        return tuple(self.game.view(self.steps[-1].after, None).scores)

    @property
    def gained(self) -> tuple[int, ...]:
        """What each side scored in the round so far."""
        before = self.game.view(self.steps[0].before, None).scores
        return tuple(after - earlier for after, earlier in zip(self.scores, before, strict=True))

    @property
    def finished(self) -> bool:
        """Whether the round came to its end."""
        return self.game.order(self.steps[-1].after) is None


@dataclass(frozen=True)
class Retold:
    """A whole log played again."""

    header: Header
    head: Head
    """Where the log stands after the last step."""
    game: AnyGame
    beginning: Any
    """The state before the first move; None where a redacted log hides it."""
    steps: tuple[Step, ...]
    rounds: tuple[Round, ...]
    outcome: Outcome | None


def retell(source: Source, until: int | None = None) -> Retold:
    """Play a log again, to its end or up to the sequence `until`, and cut it into rounds.

    `UnreadableLog` or `LogFault` at the first thing that does not hold; a redacted log is told as far as it shows.
    """
    log = read_log(source)
    fold = Fold(log)
    beginning = fold.state
    steps = tuple(islice(replay(log, fold), until))
    state = steps[-1].after if steps else beginning
    outcome = None if state is None else fold.game.outcome(state)
    return Retold(log.header, fold.head, fold.game, beginning, steps, tuple(rounds_of(fold.game, steps)), outcome)


def rounds_of(game: AnyGame, steps: Iterable[Step]) -> list[Round]:
    """Cut steps into rounds; the last may be unfinished."""
    rounds: list[list[Step]] = []
    playing = False
    for step in steps:
        if isinstance(step.move, Shake):
            rounds.append([])
            playing = True
        if playing:
            rounds[-1].append(step)
            playing = game.order(step.after) is not None
    return [Round(number, game, tuple(each)) for number, each in enumerate(rounds, 1)]


def tricks_of(steps: Sequence[Step]) -> tuple[forty_two.Trick, ...]:
    """Return the tricks of a round of forty-two, the last one perhaps unfinished."""
    seen = forty_two.view(steps[-1].after, None)
    if forty_two.order(steps[-1].after) is None:
        return seen.last_round.tricks if seen.last_round else ()
    return seen.tricks if seen.trick is None else (*seen.tricks, seen.trick)


def layout_of(steps: Sequence[Step]) -> Layout:
    """Return the layout that the tiles of a round of fives make."""
    spinner = bool(steps) and fives.options_of(steps[0].before).spinner is not fives.SpinnerRule.NONE
    plays = [(step.move.place, step.move.tile) for step in steps if isinstance(step.move, fives.Play)]
    return layout(plays, with_spinner=spinner)
