"""Dominoes drawn with characters: tiles, hands, and a layout of fives with the arms of its spinner.

Pure text with rich styles, so the same drawing goes to a terminal, a pipe and a picture. A tile lying in the line is
``[6|4]``; a tile of an arm that runs up or down stands on end::

    ┌2┐
    └4┘

Columns are counted in characters; every character used here is one column wide.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from dominohall_engine.tiles import HALVES
from dominohall_replays.layout import Laid, Layout
from rich.text import Text

TILE_COLUMNS: Final = 5
"""The columns of a tile that lies in the line."""
BRACKETS: Final = "dim"


def tile_text(tile: int, style: str = "bold") -> Text:
    """Draw one tile, high half first.

    >>> tile_text(25).plain
    '[6|4]'
    """
    high, low = HALVES[tile]
    return lying(high, low, style)


def written_tile(text: str) -> str:
    """Write a tile of the wire as it is drawn.

    >>> written_tile("6-4")
    '[6|4]'
    """
    return f"[{text.replace('-', '|')}]"


def lying(left: int, right: int, style: str = "bold") -> Text:
    """Draw a tile that lies in the line with these halves from left to right."""
    return Text.assemble(("[", BRACKETS), (str(left), style), ("|", BRACKETS), (str(right), style), ("]", BRACKETS))


def tiles_text(tiles: Iterable[int], style: str = "bold") -> Text:
    """Draw several tiles in a row; an empty row is a dash."""
    return Text(" ").join(tile_text(each, style) for each in tiles) or Text("-", BRACKETS)


def line_text(left: Sequence[Laid], right: Sequence[Laid], spinner: int | None) -> Text:
    """Draw the line: the left arm read inwards, the spinner if there is one, the right arm read outwards."""
    line = Text()
    for laid in reversed(left):
        line.append_text(lying(laid.outer, laid.inner))
    if spinner is not None:
        line.append_text(lying(spinner, spinner, "bold yellow"))
    for laid in right:
        line.append_text(lying(laid.inner, laid.outer))
    return line


def layout_text(layout: Layout, columns: int = 100) -> Text:
    """Draw a layout: its line, and over and under the spinner the arms that begin at its ends.

    A line that does not fit into `columns` is written arm by arm instead, which still reads.
    """
    line = line_text(layout.left, layout.right, layout.spinner)
    if len(line) > columns:
        return _arm_by_arm(layout)
    indent = " " * (len(layout.left) * TILE_COLUMNS + 1)
    drawing = Text()
    for laid in reversed(layout.upper):
        drawing.append_text(_standing(indent, laid.outer, laid.inner))
    drawing.append_text(line).append("\n")
    for laid in layout.lower:
        drawing.append_text(_standing(indent, laid.inner, laid.outer))
    drawing.rstrip()
    return drawing


def _standing(indent: str, top: int, bottom: int) -> Text:
    """Draw a tile that stands on end, two lines high, under or over the spinner."""
    lines = Text(indent).append("┌", BRACKETS).append(str(top), "bold").append("┐\n", BRACKETS)
    return lines.append(indent).append("└", BRACKETS).append(str(bottom), "bold").append("┘\n", BRACKETS)


def _arm_by_arm(layout: Layout) -> Text:
    """Write each arm as a row of its own, from the middle outwards."""
    drawing = Text()
    if layout.spinner is not None:
        drawing.append("spinner ").append_text(lying(layout.spinner, layout.spinner, "bold yellow")).append("\n")
    arms = {"left": layout.left, "right": layout.right, "up": layout.upper, "down": layout.lower}
    for name, arm in arms.items():
        if arm:
            drawing.append(f"{name:<7} ").append_text(line_text((), arm, None)).append("\n")
    drawing.rstrip()
    return drawing
