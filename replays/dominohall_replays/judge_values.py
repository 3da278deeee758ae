"""What a judgement by other rules says, as frozen values that JSON can hold."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from dominohall_engine.options import Plain

from dominohall_replays.explain.values import About, Cited, Said, Standing


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that the two sets of rules see differently."""

    stage: str
    """`auction`, `play` or `scoring`."""
    round: int
    sequence: int | None
    """The record of the log; None for the score of a whole round, and for a seat's move before the import."""
    seat: int | None
    what: str
    """What was done, or scored."""
    here: Said
    """What the rules of the log say to it."""
    there: Said
    """What the other rules say to it."""
    points_here: tuple[int, ...] | None = None
    points_there: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class StageJudgement:
    """The differences of one stage, the first one first; empty where the rules agree."""

    stage: str
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class RoundScore:
    """What a round scores under each set of rules; `there` is None where the other rules can't score it."""

    round: int
    here: tuple[int, ...]
    there: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Judgement:
    """The same moves under other rules."""

    language: str
    about: About
    standing: Standing
    sides: tuple[tuple[int, ...], ...]
    rules: str
    """The other rules: a preset, or the game alone where options were changed."""
    options: Mapping[str, Plain]
    """All options of the other rules."""
    notes: tuple[Said, ...]
    """What was taken as it was and not judged: who opens, who leads, how many play."""
    auction: StageJudgement
    play: StageJudgement
    scoring: StageJudgement
    rounds: tuple[RoundScore, ...]
    scores_here: tuple[int, ...]
    scores_there: tuple[int, ...]
    difference: tuple[int, ...]
    """Points of each side under the other rules less those under the rules of the log."""
    ended_here: Said
    ended_there: Said
    clauses: tuple[Cited, ...]


def judgement_to_plain(judgement: Judgement) -> dict[str, Any]:
    """Return a judgement as plain data for JSON."""
    return asdict(judgement)
