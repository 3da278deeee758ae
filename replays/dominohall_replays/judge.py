"""Two texts, one hand: the moves of a log judged by other rules, going on past every difference.

Auction, play and scoring are judged apart, because a match that is scored otherwise need not have been played
otherwise. Who opens an auction, or leads a round, is taken as it was: it differs nearly always, and answers nothing.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from dominohall_engine import fives
from dominohall_engine.games import PRESETS
from dominohall_engine.moves import Abandon
from dominohall_engine.options import options_to_plain

from dominohall_replays.as_played.lines import Word
from dominohall_replays.as_played.notation import options_changed
from dominohall_replays.as_played.rounds import FivesRound, FortyTwoRound, Stage, round_from_log
from dominohall_replays.errors import ReplayError
from dominohall_replays.explain.explanation import about_of, cited, ids_in
from dominohall_replays.explain.record import Record, record_of
from dominohall_replays.explain.standing import standing_of
from dominohall_replays.explain.values import Said
from dominohall_replays.judge_fives import judge_fives_round
from dominohall_replays.judge_forty_two import judge_forty_two_round, notes_of
from dominohall_replays.judge_round import Judged
from dominohall_replays.judge_values import Difference, Judgement, RoundScore, StageJudgement
from dominohall_replays.log import Source
from dominohall_replays.rounds import Round
from dominohall_replays.verdicts import Report
from dominohall_replays.verify import verify
from dominohall_replays.words import Words

AS_IT_WAS: Final = ("revision", "seats", "partners", "hand_size")
"""Options that a log keeps under other rules: with other seats it would be another match."""


class NotComparable(ReplayError, ValueError):
    """Rules that a log can't be judged by: of another game, unknown, or for another number of seats or tiles."""


def judge(
    source: Source,
    rules: str,
    changes: Sequence[tuple[str, str]] = (),
    *,
    language: str = "en",
    report: Report | None = None,
) -> Judgement:
    """Judge the moves of a log by a preset, such as `forty_two.russian`, with options changed by name.

    `report` is what `verify` found, for callers who verified with keys or receipts. A faulty log is judged as far as
    it holds. Raises `NotComparable` for rules that the log can't be judged by, `UnreadableLog` or `LogFault` if not
    even its header holds.
    """
    record = record_of(source)
    game = record.game
    name, _, preset = rules.partition(".")
    if name != game.NAME or preset not in game.PRESETS:
        known = ", ".join([each for each in PRESETS if each.startswith(f"{game.NAME}.")])
        raise NotComparable(f"expected a preset of {game.NAME} ({known}), got {rules[:40]!r}")
    words = [(Word(option, 1, 1), Word(value, 1, 1)) for option, value in changes]
    try:
        options = options_changed(game, _as_it_was(record, game.PRESETS[preset]), words)
    except ValueError as error:
        raise NotComparable(str(error).partition(": ")[2]) from None
    if options != _as_it_was(record, options):
        raise NotComparable("expected as many seats, sides and tiles a hand as the log has")
    return _judged(record, options, language, verify(source) if report is None else report)


def judge_by(
    source: Source,
    game: str,
    options: Any,  # noqa: ANN401 - options of that game
    *,
    language: str = "en",
    report: Report | None = None,
) -> Judgement:
    """Judge the moves of a log by options of a game; seats, partnerships and the size of a hand stay the log's."""
    record = record_of(source)
    if game != record.game.NAME:
        raise NotComparable(f"expected options of {record.game.NAME}, got those of {game}")
    return _judged(record, _as_it_was(record, options), language, verify(source) if report is None else report)


def _as_it_was(record: Record, options: Any) -> Any:  # noqa: ANN401 - options of the game
    """Return options with the seats, partnerships and size of a hand that the log has."""
    own = options_to_plain(record.options)
    return replace(options, **{each: own[each] for each in AS_IT_WAS if each in own})


def _judged(record: Record, options: Any, language: str, report: Report) -> Judgement:  # noqa: ANN401
    words = Words(language)
    standing = standing_of(report, words)
    match = _Match(record, options, words)
    for each in record.rounds:
        if len(each.steps) > 1:
            match.judge(each)
    stages = {stage: tuple(each for each in match.differences if each.stage == stage) for stage in Stage}
    notes = (*match.notes(), *_imported(record, words))
    name = next((f"{record.game.NAME}.{name}" for name, each in record.game.PRESETS.items() if each == options), "")
    return Judgement(
        language=language,
        about=about_of(record),
        standing=standing,
        sides=record.game.sides(record.options),
        rules=name or record.game.NAME,
        options=options_to_plain(options),
        notes=notes,
        auction=StageJudgement("auction", stages[Stage.AUCTION]),
        play=StageJudgement("play", stages[Stage.PLAY]),
        scoring=StageJudgement("scoring", stages[Stage.SCORING]),
        rounds=tuple(match.rounds),
        scores_here=match.here,
        scores_there=match.there,
        difference=tuple([there - here for here, there in zip(match.here, match.there, strict=True)]),
        ended_here=match.ended_here(),
        ended_there=match.ended_there,
        clauses=cited(
            set(ids_in((standing, notes, tuple(match.differences), match.ended_there))), language, options.revision
        ),
    )


def _before(record: Record) -> tuple[int, ...]:
    """Return the points of each side before the first round of a log, be its shake recorded or not."""
    first = record.rounds[0].steps[0].before if record.rounds else record.beginning
    return tuple(record.game.view(first, None).scores)


def _imported(record: Record, words: Words) -> tuple[Said, ...]:
    """Say what of an imported match was taken from the state that it was imported with."""
    if record.header.initial is None:
        return ()
    notes = [Said(words("judge.scores_kept", scores=" : ".join(map(str, _before(record)))))]
    if record.rounds and record.rounds[0].was_under_way:
        notes.append(Said(words("judge.under_way", round=record.rounds[0].number)))
    return tuple(notes)


class _Match:
    """The rounds of a log, judged one after another."""

    def __init__(self, record: Record, options: Any, words: Words) -> None:  # noqa: ANN401
        before = _before(record)
        self.record: Final = record
        self.options: Final = options
        self.words: Final = words
        self.differences: list[Difference] = []
        self.rounds: list[RoundScore] = []
        self.played: list[FortyTwoRound | FivesRound] = []
        self.here = before
        self.there = before
        self.ended_there = Said(words("judge.goes_on"))
        self.is_over_there = False
        self.skipped: list[int] = []
        """Rounds that the other rules could not score."""

    def judge(self, each: Round) -> None:
        """Judge one round, and what it does to the match."""
        played, first = round_from_log(each, self.record.options)
        before = (0,) * len(self.there) if self.is_over_there else self.there
        judged = self._round(played, before, each.number, first)
        self.played.append(played)
        self.differences += judged.differences
        self.here = tuple([old + new for old, new in zip(self.here, judged.here, strict=True)])
        if judged.there is None:
            self.skipped.append(each.number)
        else:
            self.there = tuple([old + new for old, new in zip(self.there, judged.there, strict=True)])
        if each.finished and not isinstance(each.steps[-1].move, Abandon):
            self.rounds.append(RoundScore(each.number, judged.here, judged.there))
            self._look_for_the_end(each, judged)

    def _round(self, played: FortyTwoRound | FivesRound, before: tuple[int, ...], number: int, first: int) -> Judged:
        if isinstance(played, FortyTwoRound):
            return judge_forty_two_round(played, self.options, number, first, self.words)
        return judge_fives_round(played, replace(played, scores=before), self.options, (number, first), self.words)

    def _look_for_the_end(self, each: Round, judged: Judged) -> None:
        """See whether the match ends with this round under the other rules, and under its own."""
        if self.skipped:
            return  # nobody knows where the match would stand
        outcome = judged.outcome(self.options, self.there, each.number)
        over_here = self.record.game.outcome(each.steps[-1].after) is not None
        if not self.is_over_there and (outcome is not None) != over_here:
            self._end_differs(each, over_here=over_here)
        if outcome is not None and not self.is_over_there:
            scores = " : ".join(map(str, self.there))
            self.ended_there = Said(self.words("judge.ends", round=each.number, scores=scores))
            self.is_over_there = True

    def _end_differs(self, each: Round, *, over_here: bool) -> None:
        words, scores = self.words, self.there
        text = {True: words("judge.match_over"), False: words("judge.match_goes_on")}
        target = ("LIN-18",) if self.record.game.NAME == fives.NAME else ("X-11",)
        self.differences.append(
            Difference(
                Stage.SCORING,
                each.number,
                each.last_sequence,
                None,
                words("judge.after_round", round=each.number),
                Said(text[over_here], target),
                Said(text[not over_here], target),
                self.here,
                scores,
            )
        )

    def notes(self) -> tuple[Said, ...]:
        """Say what was taken as it was."""
        words = self.words
        if self.record.game.NAME != fives.NAME:
            rounds = [each for each in self.played if isinstance(each, FortyTwoRound)]
            return notes_of(rounds, self.options, words)
        leaders = Said(words("judge.leaders_kept"), ("LIN-19", "A-LIN-22", "A-LIN-23"))
        if not self.skipped:
            return leaders, Said(words("judge.seats_kept"))
        self.ended_there = Said(words("judge.not_known"))
        skipped = ", ".join(map(str, self.skipped))
        return leaders, Said(words("judge.seats_kept")), Said(words("judge.not_carried", rounds=skipped))

    def ended_here(self) -> Said:
        """Say where the match stands by the rules of the log."""
        outcome = None if not self.record.steps else self.record.game.outcome(self.record.steps[-1].after)
        if outcome is None:
            return Said(self.words("judge.goes_on"))
        scores = " : ".join(map(str, outcome.scores))
        return Said(self.words("judge.ends", round=self.record.game.shakes(self.record.steps[-1].after), scores=scores))
