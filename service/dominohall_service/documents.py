"""Documents of evidence in a terminal: the same sentences, tables and tiles as on the page."""

from typing import Final, assert_never

from dominohall_replays.document import (
    Block,
    Break,
    Cites,
    Clauses,
    Document,
    Drawing,
    Inline,
    Items,
    Line,
    Note,
    Paragraph,
    Section,
    Strong,
    Table,
    Tile,
    Tone,
)
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from dominohall_service.drawing import layout_text, tile_text

STYLES: Final = {
    Tone.PLAIN: "",
    Tone.GOOD: "bold green",
    Tone.BAD: "bold red",
    Tone.CAUTION: "yellow",
    Tone.QUIET: "dim",
    Tone.LEAD: "bold",
}
BULLETS: Final = {Tone.GOOD: ("\N{CHECK MARK}", "green"), Tone.CAUTION: ("?", "yellow")}
BOXED: Final = "bold green"
WIDEST_NAME: Final = 12


def print_document(console: Console, document: Document) -> None:
    """Print a document from its title to its last clause."""
    console.print(Text(document.title, "bold"))
    console.print(Text(document.subtitle, "dim"))
    console.print()
    for paragraph in document.banner:
        console.print(_paragraph(paragraph))
    for section in document.sections:
        _print_section(console, section)


def _print_section(console: Console, section: Section) -> None:
    console.print()
    console.rule(Text(section.heading, "bold"), align="left", style="dim")
    for block in section.blocks:
        console.print()
        _print_block(console, block)


def _print_block(console: Console, block: Block) -> None:
    if isinstance(block, Paragraph):
        console.print(_paragraph(block))
    elif isinstance(block, Items):
        _print_items(console, block)
    elif isinstance(block, Table):
        _print_table(console, block)
    elif isinstance(block, Drawing):
        console.print(Text(block.caption, "dim"))
        console.print(layout_text(block.layout, console.width))
    elif isinstance(block, Clauses):
        _print_clauses(console, block)
    else:
        assert_never(block)


def _paragraph(block: Paragraph) -> Text:
    text = _line(block.line)
    text.stylize_before(STYLES[block.tone])
    return text


def _print_items(console: Console, block: Items) -> None:
    if block.heading:
        console.print(Text(block.heading, "bold"))
    bullet, style = BULLETS.get(block.tone, ("-", "dim"))
    grid = Grid(box=None, show_header=False, padding=(0, 1, 0, 1))
    grid.add_column(width=1)
    grid.add_column()
    for line in block.lines:
        grid.add_row(Text(bullet, style), _line(line))
    console.print(grid)


def _print_table(console: Console, block: Table) -> None:
    console.print(Text(block.caption, "bold"))
    grid = Grid(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for place, name in enumerate(block.columns):
        narrow = all(_line(row.cells[place]).cell_len <= WIDEST_NAME for row in block.rows)
        is_number = place in block.numbers
        grid.add_column(name, justify="right" if is_number else "left", no_wrap=narrow, overflow="fold")
    for row in block.rows:
        grid.add_row(*[_line(cell) for cell in row.cells], style=STYLES[row.tone])
    console.print(grid)


def _print_clauses(console: Console, block: Clauses) -> None:
    grid = Grid(box=None, show_header=False, padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column()
    for each in block.clauses:
        grid.add_row(Text(each.id, "bold"), Text(each.text))
        if block.normative:
            grid.add_row("", Text(block.normative.format(text=each.normative), "dim"))
    console.print(grid)


def _line(line: Line) -> Text:
    """Put the parts of a line together, a space between them."""
    text = Text()
    for each in line:
        part = _inline(each)
        if text.plain and part.plain and not text.plain.endswith((" ", "(", "\n")) and part.plain != "\n":
            text.append(" ")
        text.append_text(part)
    return text


def _inline(each: Inline) -> Text:
    if isinstance(each, str):
        return Text(each)
    if isinstance(each, Tile):
        return tile_text(each.tile, BOXED if each.is_boxed else "bold")
    if isinstance(each, Strong):
        return Text(each.text, "bold")
    if isinstance(each, Note):
        return Text(each.text, "dim")
    if isinstance(each, Cites):
        return Text(", ".join(each.ids), "cyan")
    if isinstance(each, Break):
        return Text("\n")
    assert_never(each)
