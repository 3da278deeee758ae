"""A match told round by round: what every telling and explanation draws from.

A round runs from a shake to the move that ends it; what stands before the first shake (the lot) and between rounds
belongs to no round. The round that a match was imported in begins at its shake as well, with the moves that the log
does not have (`brought`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from dominohall_engine import fives, forty_two
from dominohall_engine.games import AnyGame
from dominohall_engine.moves import Shake
from dominohall_engine.outcomes import Outcome

from dominohall_replays.brought import Brought, Told, brought_moves
from dominohall_replays.fold import Fold, Step, replay
from dominohall_replays.layout import Layout, layout
from dominohall_replays.log import Source, read_log
from dominohall_replays.records import Head, Header


class Round(NamedTuple):
    """One round: the first step is its shake, the last may be in the middle of it."""

    number: int
    """1 for the first of the match, which an imported log need not have."""
    game: AnyGame
    steps: tuple[Told, ...]

    @property
    def was_under_way(self) -> bool:
        """Whether it had begun when the match was imported, so that the log has no entry of its shake."""
        return self.steps[0].entry is None

    @property
    def first_sequence(self) -> int:
        """The entry of the shake; 0, the header, where the match was imported amid the round."""
        return 0 if self.steps[0].entry is None else self.steps[0].entry.sequence

    @property
    def last_sequence(self) -> int:
        """The entry of the last step."""
        return 0 if self.steps[-1].entry is None else self.steps[-1].entry.sequence

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
    return Retold(log.header, fold.head, fold.game, beginning, steps, rounds_of(fold.game, beginning, steps), outcome)


def rounds_of(game: AnyGame, beginning: Any, steps: Iterable[Step]) -> tuple[Round, ...]:  # noqa: ANN401 - a state
    """Cut steps into rounds, from the state that the log begins with; the last may be unfinished."""
    brought: tuple[Brought, ...] = brought_moves(game, beginning)
    rounds: list[list[Told]] = [[*brought]] if brought else []
    playing = bool(brought)
    for step in steps:
        if isinstance(step.move, Shake):
            rounds.append([])
            playing = True
        if playing:
            rounds[-1].append(step)
            playing = game.order(step.after) is not None
    return tuple([Round(game.shakes(each[0].after), game, tuple(each)) for each in rounds])


def round_numbered(rounds: Sequence[Round], number: int) -> Round | None:
    """Return the round of this number, None if the log has none."""
    return next((each for each in rounds if each.number == number), None)


def numbers_said(rounds: Sequence[Round]) -> str:
    """Say which rounds there are to ask for, as a message does."""
    return f"a round from {rounds[0].number} to {rounds[-1].number}" if rounds else "a log with a round"


def tricks_of(steps: Sequence[Told]) -> tuple[forty_two.Trick, ...]:
    """Return the tricks of a round of forty-two, the last one perhaps unfinished."""
    seen = forty_two.view(steps[-1].after, None)
    if forty_two.order(steps[-1].after) is None:
        return seen.last_round.tricks if seen.last_round else ()
    return seen.tricks if seen.trick is None else (*seen.tricks, seen.trick)


def layout_of(steps: Sequence[Told]) -> Layout:
    """Return the layout that the tiles of a round of fives make."""
    spinner = bool(steps) and fives.options_of(steps[0].before).spinner is not fives.SpinnerRule.NONE
    plays = [(step.move.place, step.move.tile) for step in steps if isinstance(step.move, fives.Play)]
    return layout(plays, with_spinner=spinner)
