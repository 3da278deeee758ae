"""Judgements by other rules on the wire."""

from typing import Any, Final

from dominohall.v1 import judgement_pb2 as wire
from dominohall.v1.refusal_pb2 import Clause
from dominohall_engine.games import GAMES
from dominohall_engine.options import options_from_plain
from dominohall_replays.explain.values import Said
from dominohall_replays.judge_values import Difference, Judgement, StageJudgement
from dominohall_replays.verdicts import Report

from dominohall_service.codec.evidence import report_to_proto
from dominohall_service.codec.options import options_to_proto

GREATEST_DIFFERENCES: Final = 1000
"""Differences of a stage that are sent; a log of a long match could differ at every move."""


def judgement_to_proto(judgement: Judgement, report: Report) -> wire.Judgement:
    """Write a judgement, with the report on its log."""
    game = GAMES[judgement.about.game]

    def options(plain: Any) -> Any:  # noqa: ANN401 - options as they are logged, and as the wire has them
        return options_to_proto(game, options_from_plain(game.Options, plain))

    return wire.Judgement(
        report=report_to_proto(report),
        played=options(judgement.about.options),
        judged=options(judgement.options),
        notes=[_opinion(note) for note in judgement.notes],
        auction=_stage(judgement.auction),
        play=_stage(judgement.play),
        scoring=_stage(judgement.scoring),
        rounds=[
            wire.RoundPoints(round=each.round, played_points=each.here, judged_points=each.there or ())
            for each in judgement.rounds
        ],
        played_points=judgement.scores_here,
        judged_points=judgement.scores_there,
        played_end=judgement.ended_here.text,
        judged_end=judgement.ended_there.text,
        language=judgement.language,
        clauses=[Clause(id=each.id, text=each.text) for each in judgement.clauses],
    )


def _stage(stage: StageJudgement) -> wire.StageJudgement:
    shown = stage.differences[:GREATEST_DIFFERENCES]
    return wire.StageJudgement(
        differences=[_difference(each) for each in shown], difference_count=len(stage.differences)
    )  # fmt: skip


def _difference(each: Difference) -> wire.Difference:
    return wire.Difference(
        round=each.round,
        sequence=each.sequence,
        seat=each.seat,
        subject=each.what,
        played=_opinion(each.here),
        judged=_opinion(each.there),
        played_points=each.points_here or (),
        judged_points=each.points_there or (),
    )


def _opinion(said: Said) -> wire.Opinion:
    return wire.Opinion(text=said.text, clauses=said.clauses)
