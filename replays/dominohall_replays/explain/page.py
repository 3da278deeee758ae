"""An explanation as a document: what support staff read and send."""

from dominohall_engine.fives.places import PLACE_NAMES
from dominohall_engine.tiles import parse_tile
from dominohall_engine.violations import Reason

from dominohall_replays.document import (
    Block,
    Cites,
    Clauses,
    Document,
    Items,
    Line,
    Note,
    Paragraph,
    Row,
    Section,
    Strong,
    Table,
    Tile,
    Tone,
    tiles_line,
)
from dominohall_replays.explain.round_page import drawing_of, round_blocks
from dominohall_replays.explain.values import Decision, Ends, Explanation, Hand, RoundStory, Said, Standing
from dominohall_replays.verdicts import UNUSABLE, DealStatement, Verdict
from dominohall_replays.words import Words


def page_of(explanation: Explanation) -> Document:
    """Lay an explanation out: the verdict, the move, the round, what it rests on, the clauses."""
    words = Words(explanation.language)
    decision, story = explanation.decision, explanation.round
    sections = []
    if decision is not None:
        sections.append(Section(words("page.decision"), _decision_blocks(decision, story, words)))
    elif story is None:
        sections.append(Section(words("page.decision"), (Paragraph((words("page.header_only"),)),)))
    if story is not None:
        heading = words("page.round_n", round=story.number)
        sections.append(Section(heading, round_blocks(explanation, story, words)))
    sections.append(Section(words("page.standing"), standing_blocks(explanation.standing, words)))
    if explanation.clauses:
        normative = "" if explanation.language == "en" else words("page.normative", text="{text}")
        sections.append(Section(words("page.clauses"), (Clauses(explanation.clauses, normative),)))
    sections.append(Section(words("page.log"), _about_blocks(explanation, words)))
    return Document(
        explanation.language,
        _title(explanation, words),
        words("page.match", match=explanation.about.match_id, rules=explanation.about.rules),
        banner_of(explanation.standing, words),
        tuple(sections),
        words("page.footer"),
    )


def _title(explanation: Explanation, words: Words) -> str:
    if explanation.decision is not None:
        return words("page.title_move", sequence=explanation.decision.sequence)
    if explanation.round is not None:
        return words("page.title_round", round=explanation.round.number)
    return words("page.title_move", sequence=0)


def banner_of(standing: Standing, words: Words) -> tuple[Paragraph, ...]:
    """Return the verdict with its place, and what nobody vouches for."""
    verdict = Verdict(standing.verdict)
    tone = Tone.GOOD if standing.good else Tone.BAD
    if verdict in UNUSABLE or verdict is Verdict.REDACTED:
        tone = Tone.CAUTION
    said = [Paragraph(said_line(standing.said), tone)]
    if not standing.good:
        place = {"sequence": standing.sequence, "offset": standing.offset, "reason": standing.reason}
        key = "page.fault_at" if standing.sequence is not None else "page.fault"
        said.append(Paragraph((words(key, **place),), Tone.QUIET))
    sure = standing.is_authentic and standing.deal == DealStatement.PROVEN
    return (*said, Paragraph((standing.brief.text,), Tone.GOOD if sure else Tone.CAUTION))


def standing_blocks(standing: Standing, words: Words) -> tuple[Block, ...]:
    """Return what was checked, and what was not."""
    blocks = []
    if standing.checked:
        blocks.append(Items(words("page.checked"), tuple(said_line(each) for each in standing.checked), Tone.GOOD))
    not_checked = tuple(said_line(each) for each in standing.unchecked)
    return (*blocks, Items(words("page.unchecked"), not_checked, Tone.CAUTION))


def said_line(said: Said) -> Line:
    """Write a sentence with its clauses behind it."""
    return (said.text, Cites(said.clauses)) if said.clauses else (said.text,)


def hands_table(caption: str, hands: tuple[Hand, ...], seat: int | None, words: Words) -> Table:
    """Draw what every seat holds; the row of the seat that moves stands out."""
    rows = tuple(
        Row(
            ((words("page.seat_n", seat=hand.seat),), tiles_line(map(parse_tile, hand.tiles), words("none"))),
            Tone.CAUTION if hand.seat == seat else Tone.PLAIN,
        )
        for hand in hands
    )
    return Table(caption, (words("page.seat"), words("page.tiles")), rows)


def move_line(move: dict[str, object], text: str, words: Words) -> Line:
    """Write a move; its tile is drawn."""
    tile = move.get("tile")
    if not isinstance(tile, str):
        return (text,)
    place = move.get("place")
    if not isinstance(place, str) or place == PLACE_NAMES[0]:
        return (Tile(parse_tile(tile)),)
    return (Tile(parse_tile(tile)), Note(words.place(place) if place in PLACE_NAMES else place))


def _decision_blocks(decision: Decision, story: RoundStory | None, words: Words) -> tuple[Block, ...]:
    """Lay a move out: what was done, what lay on the table, what could be done, what could not, what came of it."""
    where = Note(words("page.place_in_match", sequence=decision.sequence, round=decision.round))
    made = move_line(dict(decision.move), decision.text, words)
    seat = decision.move.get("seat")
    if isinstance(made[0], Tile):
        made = (Strong(words("page.seat_plays", seat=seat)), *made)
    barred = any(each.made for each in decision.illegal)
    blocks: list[Block] = [Paragraph((*made, where), Tone.BAD if barred else Tone.LEAD)]
    if decision.seat is None:
        blocks.append(Items("", tuple(said_line(each) for each in decision.result)))
        if decision.hands:
            blocks.append(hands_table(words("page.hands_dealt"), decision.hands, None, words))
        return tuple(blocks)
    blocks.append(Items(words("page.came_of_it"), tuple(said_line(each) for each in decision.result)))
    blocks += _on_the_table(decision, story, words)
    blocks.append(hands_table(words("page.hands_before"), decision.hands, decision.seat, words))
    blocks += _choice_blocks(decision, words)
    return tuple(blocks)


def _on_the_table(decision: Decision, story: RoundStory | None, words: Words) -> list[Block]:
    """Show what the seat saw: the tiles of the trick, or the layout with its ends."""
    blocks: list[Block] = []
    if story is None:
        return blocks
    before = [
        play
        for trick in story.tricks
        if any(play.sequence == decision.sequence for play in trick.plays) or trick is story.tricks[-1]
        for play in trick.plays
        if trick.winner is None or any(each.sequence == decision.sequence for each in trick.plays)
    ]
    lying = [play for play in before if play.sequence is None or play.sequence < decision.sequence]
    if lying:
        line: list[str | Tile | Note] = []
        for play in lying:
            line += [Tile(parse_tile(play.tile)), Note(words("seat", seats=play.seat))]
        blocks.append(Paragraph((Strong(words("page.trick_so_far")), *line)))
    if decision.ends is not None:
        blocks.append(drawing_of(story, words("page.table"), until=decision.sequence))
        blocks.append(_ends_table(decision.ends, words))
        blocks.append(Paragraph((words("page.boneyard_count", count=decision.boneyard),), Tone.QUIET))
    return blocks


def _ends_table(ends: Ends, words: Words) -> Table:
    """List the ends: what each asks for and counts, and whether it is open."""
    rows = tuple(
        Row(
            (
                (words.place(end.place),),
                (str(end.number),),
                (str(end.dots),),
                (words("page.yes" if end.is_open else "page.no"),),
            )
        )
        for end in ends.ends
    )
    columns = (words("page.end"), words("page.asks_for"), words("page.counts"), words("page.is_open"))
    return Table(words("page.open_ends"), columns, rows, (1, 2))


def _choice_blocks(decision: Decision, words: Words) -> list[Block]:
    """Show what could be done, and why everything else could not."""
    legal: list[Line] = []
    for choice in decision.legal:
        line = move_line(dict(choice.move), choice.text, words)
        legal.append((*line, Note(f"\N{LEFTWARDS ARROW} {words('page.chosen')}")) if choice.made else line)
    blocks: list[Block] = [Items(words("page.could", seat=decision.seat), tuple(legal))]
    if not decision.illegal:
        return [*blocks, Paragraph((words("page.nothing_barred", seat=decision.seat),))]
    rows = []
    for each in decision.illegal:
        is_tile = len({move.get("tile") for move in each.moves}) == 1
        shown = move_line(dict(each.moves[0]), each.text, words) if is_tile else (each.text,)
        if each.reason == Reason.TILE_DOES_NOT_FIT and not each.made:
            shown = shown[:1]  # at no place at all
        done = (Note(words("page.done_anyway")),) if each.made else ()
        tone = Tone.BAD if each.made else Tone.PLAIN
        rows.append(Row(((*shown, *done), (each.message,), (Cites(each.clauses),)), tone))
    columns = (words("page.what"), words("page.why"), words("page.rule"))
    return [*blocks, Table(words("page.could_not", seat=decision.seat), columns, tuple(rows))]


def _about_blocks(explanation: Explanation, words: Words) -> tuple[Block, ...]:
    """Name the log, so that the page can be held against it, and the options that it was judged by."""
    about, standing = explanation.about, explanation.standing
    facts = [
        (words("page.owner"), about.owner or words("none")),
        (words("page.head"), str(standing.head_sequence)),
        (words("page.link"), standing.head_link or words("none")),
    ]
    rows = [Row(((name,), (value,))) for name, value in facts]
    options = [
        Row(((name,), ("\N{EN DASH}" if value is None else str(value).lower(),)))
        for name, value in about.options.items()
    ]
    columns = (words("page.option"), words("page.value"))
    return (
        Table(words("page.log"), columns, tuple(rows)),
        Table(words("page.options"), columns, tuple(options)),
    )
