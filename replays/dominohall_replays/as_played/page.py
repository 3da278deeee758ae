"""An audit as a document."""

from dominohall_engine.fives.places import PLACE_NAMES
from dominohall_engine.tiles import parse_tile

from dominohall_replays.as_played.audit_values import Audit, Finding, PresetScore
from dominohall_replays.document import (
    Block,
    Cites,
    Clauses,
    Document,
    Drawing,
    Items,
    Line,
    Paragraph,
    Row,
    Section,
    Strong,
    Table,
    Tone,
)
from dominohall_replays.explain.page import move_line, said_line
from dominohall_replays.explain.round_page import score_table, tricks_table, turns_table
from dominohall_replays.layout import layout
from dominohall_replays.words import Words


def page_of_audit(audit: Audit) -> Document:
    """Lay an audit out: what was found, what followed, the round, the score under each set of rules."""
    words = Words(audit.language)
    sections = []
    if audit.findings:
        sections.append(Section(words("audit.first"), _first_blocks(audit.findings[0], words)))
    if audit.findings[1:]:
        sections.append(Section(words("audit.later"), (_later(audit.findings[1:], words),)))
    sections.append(Section(words("audit.scores"), _score_blocks(audit, words)))
    sections.append(Section(words("page.round"), _round_blocks(audit, words)))
    if audit.unchecked:
        lines = tuple(said_line(each) for each in audit.unchecked)
        sections.append(Section(words("audit.not_checked"), (Items("", lines, Tone.CAUTION),)))
    if audit.clauses:
        normative = "" if audit.language == "en" else words("page.normative", text="{text}")
        sections.append(Section(words("page.clauses"), (Clauses(audit.clauses, normative),)))
    return Document(
        audit.language,
        words("audit.title"),
        audit.rules,
        _banner(audit, words),
        tuple(sections),
        words("page.footer_round"),
    )


def _banner(audit: Audit, words: Words) -> tuple[Paragraph, ...]:
    basis = Paragraph((words("audit.basis"),), Tone.CAUTION)
    if not audit.findings:
        return Paragraph((words("audit.clean"),), Tone.GOOD), basis
    first = audit.findings[0]
    if first.line is None:
        said = words("audit.not_clean", ply=first.ply, who=first.text)
    else:
        said = words("audit.not_clean_where", ply=first.ply, who=first.text, line=first.line, column=first.column)
    return Paragraph((said, Cites(first.reasons[0].clauses)), Tone.BAD), basis


def _first_blocks(finding: Finding, words: Words) -> tuple[Block, ...]:
    seat = Strong(words("page.seat_n", seat=finding.seat))
    blocks: list[Block] = [Paragraph((seat, *move_line(dict(finding.move), finding.text, words)), Tone.BAD)]
    blocks += [Paragraph((each.message, Cites(each.clauses))) for each in finding.reasons]
    could = tuple(move_line(dict(move), _plain_text(dict(move), words), words) for move in finding.could)
    if could:
        blocks.append(Items(words("audit.could"), could))
    lines = tuple(said_line(each) for each in finding.consequences)
    return (*blocks, Items(words("audit.followed"), lines)) if lines else tuple(blocks)


def _plain_text(move: dict[str, object], words: Words) -> str:
    """Say a move that has no tile."""
    kind = move["kind"]
    if kind == "bid":
        return words("forty_two.bid", points=move["points"])
    if kind == "name_trump":
        return words("forty_two.names", trump=words.suit(str(move["trump"])))
    return words("forty_two.pass") if kind == "pass" else words(f"move.{kind}")


def _later(findings: tuple[Finding, ...], words: Words) -> Table:
    rows = []
    for each in findings:
        why: Line = ()
        for reason in each.reasons:
            why += (reason.message, Cites(reason.clauses))
        shown = move_line(dict(each.move), each.text, words)
        rows.append(Row(((str(each.ply),), (words("page.seat_n", seat=each.seat),), shown, why)))
    columns = (words("audit.ply"), words("page.seat"), words("page.what"), words("page.why"))
    return Table(words("audit.later"), columns, tuple(rows))


def _points(points: tuple[int, ...] | None) -> Line:
    return ("\N{EN DASH}" if points is None else " : ".join(map(str, points)),)


def _score_blocks(audit: Audit, words: Words) -> tuple[Block, ...]:
    """Compare the score under every set of rules, then write each out."""
    has_range = any(each.without_rest is not None for each in audit.scores)
    columns = [words("audit.rules"), words("audit.as_played")]
    if has_range:
        columns += [words("audit.rest_to_bidders"), words("audit.rest_to_others")]
    rows = []
    for each in audit.scores:
        cells: list[Line] = [_name(each, words), (*_points(each.gained), *_agreement(each, words))]
        if has_range:
            cells += [_points(each.with_rest), _points(each.without_rest)]
        rows.append(Row(tuple(cells)))
    blocks: list[Block] = []
    if audit.written is not None:
        blocks.append(Paragraph((words("audit.written", written=" : ".join(map(str, audit.written))),)))
    blocks.append(Table(words("audit.scores"), tuple(columns), tuple(rows)))
    for each in audit.scores:
        if each.illegal and not each.is_own:
            lines = tuple(said_line(said) for said in each.illegal)
            blocks.append(Items(words("audit.forbids", rules=each.rules), lines))
        if each.lines:
            table = score_table(each.lines, words)
            blocks.append(Table(words("audit.score_by", rules=each.rules), table.columns, table.rows, table.numbers))
    return tuple(blocks)


def _name(each: PresetScore, words: Words) -> Line:
    return (each.rules, words("audit.own_in_brackets")) if each.is_own else (each.rules,)


def _agreement(each: PresetScore, words: Words) -> Line:
    if each.matches_written is None:
        return ()
    return (f"({words('audit.agrees' if each.matches_written else 'audit.disagrees')})",)


def _round_blocks(audit: Audit, words: Words) -> tuple[Block, ...]:
    at = audit.findings[0].ply if audit.findings else None
    if audit.tricks:
        return (tricks_table(audit.tricks, 4, at, words),)
    if not audit.turns:
        return (Paragraph((words("none"),), Tone.QUIET),)
    blocks: list[Block] = []
    if audit.is_clean:
        plays = [
            (PLACE_NAMES.index(turn.place), parse_tile(turn.tile))
            for turn in audit.turns
            if turn.place is not None and turn.tile is not None
        ]
        spinner = any(turn.ends is not None and turn.ends.spinner is not None for turn in audit.turns)
        blocks.append(Drawing(words("page.layout"), layout(plays, with_spinner=spinner)))
    return (*blocks, turns_table(audit.turns, at, words, words("audit.ply")))
