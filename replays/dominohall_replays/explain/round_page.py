"""A round as parts of a page: the deal, the auction, the tricks or the turns, the score line by line."""

from dominohall_engine.fives.places import PLACE_NAMES
from dominohall_engine.tiles import parse_tile

from dominohall_replays.document import (
    Block,
    Break,
    Cites,
    Drawing,
    Line,
    Note,
    Paragraph,
    Row,
    Strong,
    Table,
    Tile,
    Tone,
    tiles_line,
)
from dominohall_replays.explain.values import Explanation, RoundStory, ScoreLine, Trick, Turn
from dominohall_replays.layout import layout
from dominohall_replays.words import Words


def round_blocks(explanation: Explanation, story: RoundStory, words: Words) -> tuple[Block, ...]:
    """Lay a round out."""
    at = None if explanation.decision is None else explanation.decision.sequence
    opening: Line = (story.opening.text, Cites(story.opening.clauses))
    blocks: list[Block] = [Paragraph(opening), _dealt(story, words)]
    if story.under_way is not None:
        blocks.insert(0, Paragraph((story.under_way.text,), Tone.CAUTION))
    if story.calls:
        blocks.append(_auction(story, words))
    if story.tricks:
        seats = sum([len(side) for side in explanation.sides])
        blocks += [tricks_table(story.tricks, seats, at, words), _possible(story.tricks, at, words)]
    if story.turns:
        blocks.append(drawing_of(story, words("page.layout_after")))
        blocks.append(turns_table(story.turns, at, words, words("page.record")))
    blocks.append(
        score_table(story.score, words) if story.score else Paragraph((words("page.unfinished"),), Tone.QUIET)
    )
    return tuple(blocks)


def sequence_text(sequence: int | None) -> str:
    """Write the number of a record; a dash for a move that was made before the match was imported."""
    return "\N{EN DASH}" if sequence is None else str(sequence)


def _dealt(story: RoundStory, words: Words) -> Table:
    none = words("none")
    rows = [
        Row(((words("page.seat_n", seat=hand.seat),), tiles_line(map(parse_tile, hand.tiles), none)))
        for hand in story.dealt
    ]
    if story.boneyard:
        rows.append(Row(((words("page.boneyard"),), tiles_line(map(parse_tile, story.boneyard), none))))
    return Table(words("page.hands_dealt"), (words("page.seat"), words("page.tiles")), tuple(rows))


def _auction(story: RoundStory, words: Words) -> Table:
    rows = tuple(
        Row(((sequence_text(call.sequence),), (words("page.seat_n", seat=call.seat),), (call.text,)))
        for call in story.calls
    )
    return Table(
        words("page.auction"), (words("page.record"), words("page.seat"), words("page.call")), rows
    )  # fmt: skip


def tricks_table(tricks: tuple[Trick, ...], seats: int, at: int | None, words: Words) -> Table:
    """Draw tricks, a column a seat; the tile that took the trick stands in a box, the lead is marked."""
    names = [words("page.seat_n", seat=seat) for seat in range(seats)]
    columns = (words("page.trick"), *names, words("page.points"), words("page.why_won"))
    rows = []
    for trick in tricks:
        cells: list[Line] = [("",)] * seats
        for play in trick.plays:
            cell: list[Tile | Note] = [Tile(parse_tile(play.tile), is_boxed=play.seat == trick.winner)]
            if play.seat == trick.leader:
                cell.append(Note(words("page.led_marker")))
            if play.seat == trick.winner:
                cell.append(Note(words("page.took_marker")))
            cells[play.seat] = tuple(cell)
        why: Line = ()
        for said in (trick.led, trick.won, trick.counted):
            if said is not None:
                why += (*((Break(),) if why else ()), said.text, Cites(said.clauses))
        is_here = at is not None and any(play.sequence == at for play in trick.plays)
        points = "" if trick.winner is None else str(trick.points)
        rows.append(Row(((str(trick.number),), *cells, (points,), why), Tone.CAUTION if is_here else Tone.PLAIN))
    return Table(words("page.tricks_caption"), columns, tuple(rows), (len(columns) - 2,))


def _possible(tricks: tuple[Trick, ...], at: int | None, words: Words) -> Table:
    """List every play with what the seat could have played instead."""
    rows = []
    for trick in tricks:
        for play in trick.plays:
            others = [parse_tile(tile) for tile in play.legal if tile != play.tile]
            cells: tuple[Line, ...] = (
                (sequence_text(play.sequence),),
                (words("page.seat_n", seat=play.seat),),
                (Tile(parse_tile(play.tile)),),
                tiles_line(others, words("page.nothing_else")),
            )
            rows.append(Row(cells, Tone.CAUTION if at is not None and play.sequence == at else Tone.PLAIN))
    columns = (words("page.record"), words("page.seat"), words("page.played"), words("page.possible"))
    return Table(words("page.possible_caption"), columns, tuple(rows))


def drawing_of(story: RoundStory, caption: str, until: int | None = None) -> Drawing:
    """Draw the layout as it lay before the move at `until`, or at the end of the round."""
    plays = [
        (PLACE_NAMES.index(turn.place), parse_tile(turn.tile))
        for turn in story.turns
        if turn.place is not None
        and turn.tile is not None
        and (until is None or turn.sequence is None or turn.sequence < until)
    ]
    has_spinner = any(turn.ends is not None and turn.ends.spinner is not None for turn in story.turns)
    return Drawing(caption, layout(plays, with_spinner=has_spinner))


def turns_table(turns: tuple[Turn, ...], at: int | None, words: Words, number: str) -> Table:
    """Tell every turn: what was done, and how the ends were counted after a play."""
    rows = []
    for turn in turns:
        done: Line = (words(f"move.{turn.kind}"),) if turn.kind != "play" else ()
        if turn.kind == "play" and turn.tile is not None and turn.place is not None:
            where = () if turn.place == PLACE_NAMES[0] else (Note(words.place(turn.place)),)
            done = (Tile(parse_tile(turn.tile)), *where)
        elif turn.tile is not None:
            done = (Note(words("move.draw")), Tile(parse_tile(turn.tile)))
        counted: Line = (turn.said.text, Cites(turn.said.clauses))
        points: Line = (Strong(str(turn.points)),) if turn.points else ("",)
        cells = ((sequence_text(turn.sequence),), (words("page.seat_n", seat=turn.seat),), done, counted, points)
        rows.append(Row(cells, Tone.CAUTION if at is not None and turn.sequence == at else Tone.PLAIN))
    columns = (
        number,
        words("page.seat"),
        words("page.what"),
        words("page.ends_counted"),
        words("page.points"),
    )
    return Table(words("page.turns"), columns, tuple(rows), (4,))


def score_table(score: tuple[ScoreLine, ...], words: Words) -> Table:
    """Write the score of a round, line by line."""
    rows = []
    for number, line in enumerate(score, 1):
        points = "" if line.points is None else str(line.points)
        rows.append(Row(((str(number),), (line.text,), (points,), (Cites(line.clauses),))))
    columns = (words("page.number"), words("page.score_line"), words("page.points"), words("page.rule"))
    return Table(words("page.score"), columns, tuple(rows), (2,))
