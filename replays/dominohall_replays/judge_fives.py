"""A round of fives judged by other rules."""

from dominohall_engine import fives
from dominohall_engine.fives import Options
from dominohall_engine.fives.turns import outcome_after
from dominohall_engine.outcomes import Outcome
from dominohall_engine.violations import Violation

from dominohall_replays.as_played.fives import FivesRun, run_fives
from dominohall_replays.as_played.rounds import FivesRound, Stage, UnusableRound
from dominohall_replays.explain.decisions import move_said
from dominohall_replays.explain.fives import ends_of
from dominohall_replays.explain.values import Said
from dominohall_replays.judge_round import Judged, Pair, options_said, ply_differences, recorded
from dominohall_replays.judge_values import Difference
from dominohall_replays.words import Words


def judge_fives_round(
    played: FivesRound, elsewhere: FivesRound, options: Options, place: tuple[int, int], words: Words
) -> Judged:
    """Judge a round of a log by other options.

    `elsewhere` is the round with the scores that it would begin with under them, `place` the number of the round and
    the sequence of its first move.
    """
    rules = Pair(played.options, options)
    here = run_fives(played, played.options)
    gained = here.gained or here.in_play
    try:
        there = run_fives(elsewhere, options, ends_as=here.end)
    except UnusableRound as fault:
        return Judged((_not_playable(here, fault, rules, place, words),), gained, None, _outcome)
    differences = ply_differences((here.plies, there.plies), rules, place, (_same, _same), words)
    differences += _points(here, there, rules, place, words)
    differences += _end(here, there, rules, place, words)
    return Judged(tuple(differences), gained, there.gained or there.in_play, _outcome)


def _same(violation: Violation) -> tuple[str, ...]:
    """Return the clauses that name the option: the same ones allow and forbid."""
    return violation.clauses


def _outcome(options: Options, scores: tuple[int, ...], rounds: int) -> Outcome | None:
    return outcome_after(options, rounds, scores)


def _not_playable(
    here: FivesRun, fault: UnusableRound, rules: Pair, place: tuple[int, int], words: Words
) -> Difference:
    """Say from where on a round can't be carried over."""
    number, first = place
    ply = here.plies[min(fault.ply or 0, len(here.plies) - 1)]
    who = words("decision.who", seat=ply.seat, move=move_said(ply.move, words))
    ids = ("A-LIN-02",)
    allowed = words("judge.allowed") + options_said(ids, rules, rules.here)
    barred = words("judge.no_such_place") + options_said(ids, rules, rules.there)
    return Difference(
        Stage.PLAY, number, recorded(first + ply.number - 1), ply.seat, who, Said(allowed, ids), Said(barred, ids)
    )  # fmt: skip


def _points(here: FivesRun, there: FivesRun, rules: Pair, place: tuple[int, int], words: Words) -> list[Difference]:
    """Compare what every play scores."""
    number, first = place
    found = []
    sides = fives.sides(here.options)
    for at, (one, other) in enumerate(zip(here.plies, there.plies, strict=True)):
        if one.points == other.points:
            continue
        said = []
        for run in (here, there):
            layout = run.layouts[at]
            assert layout is not None  # noqa: S101 - only a play scores
            counted = ends_of(layout, run.options, run.openings[at], words).counted
            said.append(Said(counted.text + options_said(counted.clauses, rules, run.options), counted.clauses))
        side = [one.seat in seats for seats in sides].index(True)
        points = [tuple([ply.points if each == side else 0 for each in range(len(sides))]) for ply in (one, other)]
        who = words("decision.who", seat=one.seat, move=move_said(one.move, words))
        found.append(
            Difference(
                Stage.SCORING, number, recorded(first + at), one.seat, who, said[0], said[1], points[0], points[1]
            )
        )
    return found


def _end(here: FivesRun, there: FivesRun, rules: Pair, place: tuple[int, int], words: Words) -> list[Difference]:
    """Compare how the round ended, and what was awarded for it."""
    if here.end is None and there.end is None:
        return []
    award = [tuple([_bonus(run, side) for side in range(len(run.in_play))]) for run in (here, there)]
    if (here.end, here.ended_at, award[0]) == (there.end, there.ended_at, award[1]):
        return []
    ids = ("LIN-13", "LIN-14", "LIN-17", "A-LIN-19", "A-LIN-21", "A-LIN-26")
    said = [
        Said(words(f"judge.end_{run.end or 'none'}", bonus=max(bonus)) + options_said(ids, rules, run.options), ids)
        for run, bonus in zip((here, there), award, strict=True)
    ]
    what = words("judge.end_of_round", round=place[0])
    return [Difference(Stage.SCORING, place[0], None, None, what, said[0], said[1], award[0], award[1])]


def _bonus(run: FivesRun, side: int) -> int:
    return run.won.bonus if run.won is not None and run.won.side == side else 0
