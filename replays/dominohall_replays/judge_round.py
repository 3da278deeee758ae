"""What the judgements of both games share: two runs of one round compared ply by ply."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dominohall_engine import clauses
from dominohall_engine.options import options_to_plain
from dominohall_engine.outcomes import Outcome
from dominohall_engine.violations import Violation

from dominohall_replays.as_played.rounds import Ply
from dominohall_replays.explain.decisions import move_said, refused
from dominohall_replays.explain.values import Said
from dominohall_replays.judge_values import Difference
from dominohall_replays.words import Words

Allowing = Callable[[Violation], tuple[str, ...]]
"""Which clauses allow, under the rules that do, what this violation forbids under the others."""


class Judged(NamedTuple):
    """One round under both sets of rules."""

    differences: tuple[Difference, ...]
    here: tuple[int, ...]
    """What each side scored in the round."""
    there: tuple[int, ...] | None
    outcome: Callable[[Any, tuple[int, ...], int], Outcome | None]
    """How a match with these scores ends after so many rounds, by these options."""


class Pair(NamedTuple):
    """The two sets of rules."""

    here: Any
    there: Any

    def differing(self) -> frozenset[str]:
        """Return the options in which they differ."""
        one, other = options_to_plain(self.here), options_to_plain(self.there)
        return frozenset(name for name in one if one[name] != other[name])


def ply_differences(
    plies: tuple[Sequence[Ply], Sequence[Ply]],
    rules: Pair,
    place: tuple[int, int],
    allowing: tuple[Allowing, Allowing],
    words: Words,
) -> list[Difference]:
    """Compare the plies of two runs; `place` is the round and the sequence of its first ply."""
    found = []
    number, first = place
    for here, there in zip(*plies, strict=True):
        if _reasons(here) == _reasons(there):
            continue
        found.append(
            Difference(
                str(here.stage),
                number,
                recorded(first + here.number - 1),
                here.seat,
                words("decision.who", seat=here.seat, move=move_said(here.move, words)),
                _opinion(here, there, (rules, rules.here), allowing[0], words),
                _opinion(there, here, (rules, rules.there), allowing[1], words),
            )
        )
    return found


def recorded(sequence: int) -> int | None:
    """Return the sequence of a ply as `round_from_log` counts; None before the import, where nothing is recorded."""
    return sequence if sequence > 0 else None


def _reasons(ply: Ply) -> frozenset[str]:
    return frozenset(violation.reason for violation in ply.violations)


def _opinion(own: Ply, other: Ply, rules: tuple[Pair, Any], allowing: Allowing, words: Words) -> Said:
    """Say what one set of rules thinks of a ply that the other sees differently."""
    if own.violations:
        violation = own.violations[0]
        said, ids = refused(violation, own.move, words).message, violation.clauses
    else:
        ids = allowing(other.violations[0])
        said = words("judge.allowed")
    return Said(said + options_said(ids, *rules), ids)


def options_said(ids: Sequence[str], pair: Pair, own: Any) -> str:  # noqa: ANN401 - options of the game
    """Name the options that make the difference, with their values, as far as the clauses name them."""
    differing, plain = pair.differing(), options_to_plain(own)
    named = dict.fromkeys([option for id_ in ids if (option := clauses.clause(id_).option) in differing])
    return "".join([f" [{name} = {str(plain[name]).lower()}]" for name in named])
