"""Lines of the notation: words with the place where each stands, so that whatever is wrong can be pointed at."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple, NoReturn

from dominohall_engine.errors import UnreadableTile
from dominohall_engine.tiles import parse_tile

from dominohall_replays.errors import ReplayError

GREATEST_SIZE: Final = 1 << 16
"""Characters of a notation that are read; a round takes about a thousand."""
_WORD: Final = re.compile(r"[^ ]+")
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,3}", re.ASCII)


class UnreadableNotation(ReplayError, ValueError):
    """A text that is no round in this notation; `line` and `column` are counted from 1."""

    def __init__(self, reason: str, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {reason}")
        self.reason = reason
        self.line = line
        self.column = column


class Word(NamedTuple):
    """A word of the text, and where it stands."""

    text: str
    line: int
    column: int

    def refuse(self, expected: str) -> NoReturn:
        """Say that something else was expected here."""
        raise UnreadableNotation(f"expected {expected}, got {self.text[:40]!r}", self.line, self.column)


class Line(NamedTuple):
    """``name [seat][: value ...]``."""

    name: Word
    seat: Word | None
    values: tuple[Word, ...]
    end: Word
    """An empty word where the line ends, to point at what is missing."""

    def one(self, expected: str) -> Word:
        """Return the only value."""
        if not self.values:
            self.end.refuse(expected)
        if len(self.values) > 1:
            self.values[1].refuse("the end of the line")
        return self.values[0]

    def seat_number(self, seats: int) -> int:
        """Return the seat that the line is about."""
        if self.seat is None:
            self.end.refuse("a seat")
        return seat_of(self.seat, seats)

    def without_seat(self) -> None:
        """Refuse a seat in a line that is about none."""
        if self.seat is not None:
            self.seat.refuse("a colon, and no seat")


def lines_of(text: str) -> Iterator[Line]:
    """Read the lines of a text; empty ones and those that begin with ``#`` say nothing."""
    if len(text) > GREATEST_SIZE:
        raise UnreadableNotation(f"expected at most {GREATEST_SIZE} characters, got {len(text)}", 1, 1)
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("#") or not line.strip(" "):
            continue
        for column, letter in enumerate(line, 1):
            if not letter.isprintable():
                raise UnreadableNotation("expected text without control characters or tabs", number, column)
        yield _line(line, number)


def _line(line: str, number: int) -> Line:
    before, colon, after = line.partition(":")
    head = [Word(found[0], number, found.start() + 1) for found in _WORD.finditer(before)]
    start = len(before) + 2
    values = tuple(Word(found[0], number, found.start() + start) for found in _WORD.finditer(after))
    end = Word("", number, len(line) + 1)
    if not head:
        Word(line.strip(" "), number, 1).refuse("a line that begins with a word")
    if len(head) > 2:
        head[2].refuse("a colon")
    if colon and not values:
        end.refuse("something after the colon")
    return Line(head[0], head[1] if len(head) > 1 else None, values, end)


def number_of(word: Word, low: int, high: int) -> int:
    """Read a whole number in a range; no sign, no leading zero."""
    if not _NUMBER.fullmatch(word.text) or not low <= int(word.text) <= high:
        word.refuse(f"a whole number from {low} to {high}")
    return int(word.text)


def seat_of(word: Word, seats: int) -> int:
    """Read a seat."""
    return number_of(word, 0, seats - 1)


def tile_of(word: Word) -> int:
    """Read a tile, either half first."""
    try:
        return parse_tile(word.text)
    except UnreadableTile:
        word.refuse("a tile such as 6-4")


def tiles_of(words: tuple[Word, ...]) -> tuple[int, ...]:
    """Read different tiles, in the order in which they stand."""
    tiles: list[int] = []
    for word in words:
        tile = tile_of(word)
        if tile in tiles:
            word.refuse("a tile that does not stand here already")
        tiles.append(tile)
    return tuple(tiles)
