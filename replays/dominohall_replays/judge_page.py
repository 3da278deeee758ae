"""A judgement as a document."""

from typing import Final

from dominohall_replays.document import (
    Block,
    Clauses,
    Document,
    Items,
    Line,
    Paragraph,
    Row,
    Section,
    Strong,
    Table,
    Tone,
)
from dominohall_replays.explain.page import banner_of, said_line, standing_blocks
from dominohall_replays.explain.round_page import sequence_text
from dominohall_replays.judge_values import Difference, Judgement, StageJudgement
from dominohall_replays.words import Words, signed

MOST_ROWS: Final = 60
"""Differences of a stage that a page lists; JSON has all of them."""


def page_of_judgement(judgement: Judgement) -> Document:
    """Lay a judgement out: the answer, each stage with its first difference, the points, what it rests on."""
    words = Words(judgement.language)
    about = judgement.about
    sections = [Section(words("judge.answer"), _answer(judgement, words))]
    stages = (judgement.auction, judgement.play, judgement.scoring)
    sections += [Section(words(f"judge.{each.stage}"), _stage(each, judgement, words)) for each in stages]
    sections.append(Section(words("judge.totals"), (_totals(judgement, words),)))
    sections.append(Section(words("page.standing"), standing_blocks(judgement.standing, words)))
    if judgement.clauses:
        normative = "" if judgement.language == "en" else words("page.normative", text="{text}")
        sections.append(Section(words("page.clauses"), (Clauses(judgement.clauses, normative),)))
    facts = {"match": about.match_id, "here": about.rules, "there": judgement.rules}
    return Document(
        judgement.language,
        words("judge.title"),
        words("judge.subtitle", **facts),
        banner_of(judgement.standing, words),
        tuple(sections),
        words("page.footer"),
    )


def _answer(judgement: Judgement, words: Words) -> tuple[Block, ...]:
    counts = {stage.stage: len(stage.differences) for stage in (judgement.auction, judgement.play, judgement.scoring)}
    rows = (
        Row(((judgement.about.rules,), (_points(judgement.scores_here),), said_line(judgement.ended_here))),
        Row(((judgement.rules,), (_points(judgement.scores_there),), said_line(judgement.ended_there))),
        Row(((words("judge.difference"),), (" : ".join(map(signed, judgement.difference)),), ("",))),
    )
    columns = (words("audit.rules"), words("judge.points"), words("page.came_of_it"))
    blocks: list[Block] = [
        Paragraph((words("judge.found", **counts),), Tone.LEAD),
        Table(words("judge.points"), columns, rows),
    ]
    if judgement.notes:
        blocks.append(Items(words("judge.notes"), tuple(said_line(note) for note in judgement.notes)))
    return tuple(blocks)


def _stage(stage: StageJudgement, judgement: Judgement, words: Words) -> tuple[Block, ...]:
    if not stage.differences:
        return (Paragraph((words(f"judge.agree_{stage.stage}"),), Tone.GOOD),)
    first = stage.differences[0]
    here, there = judgement.about.rules, judgement.rules
    told: tuple[Line, ...] = (
        (Strong(f"{here}:"), *said_line(first.here)),
        (Strong(f"{there}:"), *said_line(first.there)),
    )
    blocks: list[Block] = [
        Paragraph((Strong(f"{words('judge.first')}:"), _where(first, words), first.what)),
        Items("", told),
    ]
    if len(stage.differences) > 1 or first.points_here is not None:
        rows = tuple(_row(each) for each in stage.differences[:MOST_ROWS])
        columns = (words("judge.round"), words("page.record"), words("judge.what"), here, there)
        caption = words("judge.all", count=len(stage.differences))
        blocks.append(Table(caption, columns, rows))
    return tuple(blocks)


def _where(each: Difference, words: Words) -> str:
    if each.sequence is None:
        return "" if each.seat is None else words("judge.before_import", round=each.round)
    return words("page.place_in_match", sequence=each.sequence, round=each.round)


def _row(each: Difference) -> Row:
    def told(said: Line, points: tuple[int, ...] | None) -> Line:
        return said if points is None else (Strong(_points(points)), *said)

    return Row(
        (
            (str(each.round),),
            ("" if each.sequence is None and each.seat is None else sequence_text(each.sequence),),
            (each.what,),
            told(said_line(each.here), each.points_here),
            told(said_line(each.there), each.points_there),
        )
    )


def _totals(judgement: Judgement, words: Words) -> Table:
    rows = []
    for each in judgement.rounds:
        there = "\N{EN DASH}" if each.there is None else _points(each.there)
        pairs = zip(each.here, each.there or each.here, strict=True)
        difference = " : ".join([signed(other - one) for one, other in pairs])
        rows.append(Row(((str(each.round),), (_points(each.here),), (there,), (difference,))))
    last = (
        (words("judge.total"),),
        (_points(judgement.scores_here),),
        (_points(judgement.scores_there),),
        (" : ".join(map(signed, judgement.difference)),),
    )
    columns = (words("judge.round"), judgement.about.rules, judgement.rules, words("judge.difference"))
    return Table(words("judge.totals"), columns, (*rows, Row(last, Tone.CAUTION)))


def _points(points: tuple[int, ...]) -> str:
    return " : ".join(map(str, points))
