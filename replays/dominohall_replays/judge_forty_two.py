"""A round of forty-two judged by other rules."""

from collections.abc import Mapping, Sequence
from typing import Final

from dominohall_engine.forty_two import Options, authority
from dominohall_engine.forty_two.authority import Topic, cite
from dominohall_engine.forty_two.options import Opener
from dominohall_engine.forty_two.scoring import outcome_after
from dominohall_engine.outcomes import Outcome
from dominohall_engine.violations import Reason, Violation

from dominohall_replays.as_played.forty_two import FortyTwoRun, due_opener, run_forty_two
from dominohall_replays.as_played.rounds import FortyTwoRound, Stage
from dominohall_replays.explain.forty_two import Scored, scored_lines
from dominohall_replays.explain.values import Said
from dominohall_replays.judge_round import Allowing, Judged, Pair, options_said, ply_differences
from dominohall_replays.judge_values import Difference
from dominohall_replays.words import Words

TOPICS: Final[Mapping[Reason, Topic]] = {
    Reason.BID_TOO_LOW: authority.FORCED,
    Reason.BID_TOO_HIGH: authority.HIGHEST,
    Reason.BID_NOT_ABOVE_LAST: authority.RAISE,
    Reason.MUST_BID: authority.FORCED,
    Reason.NO_SUCH_TRUMP: authority.TRUMPS,
    Reason.TRUMP_NOT_IN_HAND: (("F42-PL-19", "A-PL-14"), ("D-03", "F42-RU-13")),
    Reason.FIRST_LEAD_MUST_BE_TRUMP: (("F42-PL-19", "A-PL-14"), ("A-RU-10", "F42-RU-12")),
    Reason.MUST_FOLLOW_SUIT: authority.FOLLOW,
}
"""What allows, under one text, what the other forbids for this reason."""


def judge_forty_two_round(played: FortyTwoRound, options: Options, number: int, first: int, words: Words) -> Judged:
    """Judge a round of a log by other options; `first` is the sequence of its first call."""
    here = run_forty_two(played, played.options, keeps_opener=True)
    there = run_forty_two(played, options, keeps_opener=True)
    rules = Pair(played.options, options)
    differences = ply_differences(
        (here.plies, there.plies), rules, (number, first), (_allowing(rules.here), _allowing(rules.there)), words
    )
    gained = (0, 0) if here.result is None else here.result.gained
    if here.result is not None and there.result is not None and here.result.gained != there.result.gained:
        differences.append(
            Difference(
                Stage.SCORING,
                number,
                None,
                None,
                words("judge.score_of_round", round=number),
                _scored(here, rules, words),
                _scored(there, rules, words),
                here.result.gained,
                there.result.gained,
            )
        )
    side = None if there.bidder is None else there.bidder % 2

    def outcome(options: Options, scores: tuple[int, ...], rounds: int) -> Outcome | None:
        return outcome_after(options, (scores[0], scores[1]), side, rounds)

    return Judged(tuple(differences), gained, None if there.result is None else there.result.gained, outcome)


def _allowing(options: Options) -> Allowing:
    def allowing(violation: Violation) -> tuple[str, ...]:
        topic = TOPICS.get(violation.reason)
        return violation.clauses if topic is None else cite(options, topic)

    return allowing


def _scored(run: FortyTwoRun, rules: Pair, words: Words) -> Said:
    """Say in one sentence how a round is scored, with the clauses."""
    if run.result is None:
        raise AssertionError(run.options)  # only a finished round is scored
    lines = scored_lines(run.options, Scored(run.result, run.tricks, (0, 0), None), words)
    ids = tuple(dict.fromkeys([id_ for line in lines for id_ in line.clauses]))
    text = " ".join([line.text for line in lines])
    return Said(text + options_said(ids, rules, run.options), ids)


def notes_of(rounds: Sequence[FortyTwoRound], options: Options, words: Words) -> tuple[Said, ...]:
    """Say who would have opened: it was taken as it was."""
    notes = []
    if rounds and rounds[0].options.opener is not options.opener:
        due = [due_opener(each, options) for each in rounds]
        others = sum(seat is not None and seat != each.opener for seat, each in zip(due, rounds, strict=True))
        unknown = options.opener is Opener.LEFT_OF_SHAKER
        key = "judge.opener_unknown" if unknown else "judge.opener_kept"
        notes.append(Said(words(key, rounds=len(rounds), others=others), ("X-01", "X-12")))
    return tuple(notes)
