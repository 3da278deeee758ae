"""A page as its parts, before anybody draws it: sections of sentences, tables, tiles and clauses.

Explanations, audits and judgements are turned into documents; a document is drawn as one HTML page (`html`) or in a
terminal (the command). So what support staff send and what an operator reads can't say two things.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from dominohall_replays.explain.values import Cited
from dominohall_replays.layout import Layout


class Tone(StrEnum):
    """How loud something is; no meaning hangs on it alone."""

    PLAIN = "plain"
    GOOD = "good"
    BAD = "bad"
    CAUTION = "caution"
    QUIET = "quiet"
    LEAD = "lead"
    """What a page is about, in one line."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile that is drawn, 0..27; one in a box stands out."""

    tile: int
    is_boxed: bool = False


@dataclass(frozen=True, slots=True)
class Strong:
    """Words that stand out."""

    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """Words that stand back: a remark beside a tile."""

    text: str


@dataclass(frozen=True, slots=True)
class Cites:
    """Ids of clauses; the document has their texts."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Break:
    """The end of a line within a cell."""


Inline = str | Tile | Strong | Note | Cites | Break
Line = tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A sentence or two."""

    line: Line
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True, slots=True)
class Items:
    """A list; `heading` may be empty."""

    heading: str
    lines: tuple[Line, ...]
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table; its first cell names it."""

    cells: tuple[Line, ...]
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a caption and named columns; those in `numbers` (by place) hold numbers."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Drawing:
    """A layout of fives as it lies on the table."""

    caption: str
    layout: Layout


@dataclass(frozen=True, slots=True)
class Clauses:
    """The texts of the clauses that a document cites."""

    clauses: tuple[Cited, ...]
    normative: str
    """How the English sentence is introduced: a text with `{text}` in it. Empty in an English document."""


Block = Paragraph | Items | Table | Drawing | Clauses


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document under a heading."""

    heading: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A page: what it is about, its most important sentence, its sections."""

    language: str
    title: str
    subtitle: str
    banner: tuple[Paragraph, ...]
    sections: tuple[Section, ...]
    footer: str


def tiles_line(tiles: Iterable[int], none: str) -> Line:
    """Draw tiles in a row; `none` for no tile."""
    return tuple(Tile(tile) for tile in tiles) or (none,)
