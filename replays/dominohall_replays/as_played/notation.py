r"""Rounds as text: what people type, what is mailed, what `replay notation` writes.

One round, a line a fact, in the order of the table below. A line is a name, a seat where it is about one, a colon and
what there is to say. Empty lines and lines that begin with `#` say nothing. Tiles are written `6-4`, either half first;
the writer puts the higher half first.

| line | in | what it says |
|---|---|---|
| `as-played 1` | both | first of all: the notation and its version |
| `rules: forty_two.polish` | both | the preset |
| `option: target 500` | both | an option that differs from the preset; as many lines as differ |
| `shaker: 3` | 42 | who shook; may be left out |
| `leader: 0` | fives | who led |
| `scores: 120 95` | both | the points of each side before the round; left out, they are 0 |
| `hand 0: 6-6 6-4 ...` | both | what a seat was dealt; may be left out for any seat |
| `calls 0: 30 pass 31 pass` | 42 | the calls, clockwise from the seat named |
| `bid 2: 31` | 42 | instead of the calls, where only the contract is remembered |
| `trump 2: fives` | 42 | who named which trump: `blanks` to `sixes`, `doubles` |
| `trick 2: 5-5 5-1 5-0 6-5` | 42 | who led, and the tiles clockwise from there; the last trick may be unfinished |
| `play 1: 5-3 left` | fives | a tile and its place: `start`, `left`, `right`, `side_1`, `side_2`, `end_1`, `end_2` |
| `draw 1: 5-3` | fives | a draw and the tile that was drawn, `?` where nobody knows |
| `knock 1` | fives | a knock |
| `left 0: 5-3 2-1` | fives | what a seat laid open at the end, `none` for nothing; may be left out |
| `score: 35 7` | both | what the table wrote down for each side in this round; may be left out |

Nothing is judged here: a bid of 29 can be written, and a tile that the rules forbid. What can't have happened is
refused: a tile twice, trump named before the calls, five tiles in a trick.

>>> text = "as-played 1\nrules: forty_two.polish\nscores: 0 0\nbid 2: 31\ntrump 2: fives\ntrick 2: 5-5 5-1 5-0 6-5\n"
>>> print_round(parse_round(text).round) == text
True
"""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Final, NamedTuple

from dominohall_engine import fives
from dominohall_engine.errors import InvalidOptions
from dominohall_engine.games import GAMES, PRESETS, AnyGame
from dominohall_engine.options import Plain, options_from_plain, options_to_plain

from dominohall_replays.as_played.lines import Line, UnreadableNotation, Word, lines_of
from dominohall_replays.as_played.notation_fives import parse_fives, print_fives
from dominohall_replays.as_played.notation_forty_two import parse_forty_two, print_forty_two
from dominohall_replays.as_played.rounds import AnyRound, FivesRound

FIRST_LINE: Final = "as-played 1"

__all__ = ["Notated", "UnreadableNotation", "options_changed", "parse_round", "print_round"]


class Notated(NamedTuple):
    """A round that was read, and where each of its plies stands: line and column, counted from 1."""

    round: AnyRound
    places: tuple[tuple[int, int], ...]


def parse_round(text: str) -> Notated:
    """Read a round; `UnreadableNotation` names the line and the column of whatever is wrong."""
    lines = list(lines_of(text))
    first, rest = lines[:1], lines[1:]
    if not first or (first[0].name.text, first[0].seat and first[0].seat.text, first[0].values) != (
        "as-played", "1", (),
    ):  # fmt: skip
        raise UnreadableNotation(f"expected the first line to be {FIRST_LINE!r}", first[0].name.line if first else 1, 1)
    if not rest or rest[0].name.text != "rules":
        (rest[0].name if rest else first[0].end).refuse("the rules, such as 'rules: forty_two.polish'")
    game, options = _rules(rest[0])
    rest = rest[1:]
    changes: list[tuple[Word, Word]] = []
    while rest and rest[0].name.text == "option":
        changes.append(_option(rest[0]))
        rest = rest[1:]
    options = options_changed(game, options, changes)
    end = (rest[-1] if rest else lines[-1]).end
    record, places = (parse_fives if game.NAME == fives.NAME else parse_forty_two)(options, rest, end)
    return Notated(record, tuple((word.line, word.column) for word in places))


def print_round(record: AnyRound) -> str:
    """Write a round; reading it gives the same round."""
    game = GAMES["fives" if isinstance(record, FivesRound) else "forty_two"]
    name, changed = _nearest(game, record.options)
    head = [FIRST_LINE, f"rules: {game.NAME}.{name}", *[f"option: {key} {_plain(value)}" for key, value in changed]]
    body = print_fives(record) if isinstance(record, FivesRound) else print_forty_two(record)
    return "\n".join([*head, *body, ""])


def _rules(line: Line) -> tuple[AnyGame, Any]:
    line.without_seat()
    word = line.one("a preset")
    if word.text not in PRESETS:
        word.refuse(f"a preset: {', '.join(PRESETS)}")
    name, _, preset = word.text.partition(".")
    return GAMES[name], GAMES[name].PRESETS[preset]


def _option(line: Line) -> tuple[Word, Word]:
    line.without_seat()
    if len(line.values) != 2:
        (line.values[2] if len(line.values) > 2 else line.end).refuse("an option and its value")
    return line.values[0], line.values[1]


def options_changed(game: AnyGame, options: Any, changes: Sequence[tuple[Word, Word]]) -> Any:  # noqa: ANN401
    """Return options with some of them changed, from words that name each and its value.

    `UnreadableNotation` for an option that the game does not have, one that is named twice, and for values that are
    out of range or clash.
    """
    plain = options_to_plain(options)
    changed: dict[str, Plain] = {}
    for name, value in changes:
        if name.text not in plain or name.text in changed:
            name.refuse(f"an option of {game.NAME}, once: {', '.join(plain)}")
        changed[name.text] = _value(plain[name.text], value)
    try:
        return options_from_plain(game.Options, plain | changed)
    except InvalidOptions as error:
        word = changes[-1][1]
        raise UnreadableNotation(str(error), word.line, word.column) from None


def _value(kind: Plain, word: Word) -> Plain:
    """Read a value of the kind that an option has; None and a number stand for each other."""
    if isinstance(kind, bool):
        if word.text not in {"true", "false"}:
            word.refuse("true or false")
        return word.text == "true"
    if isinstance(kind, int) or kind is None:
        if word.text == "none":
            return None
        if not (word.text.isascii() and word.text.isdigit() and str(int(word.text)) == word.text):
            word.refuse("a whole number or none")
        return int(word.text)
    return word.text


def _plain(value: Plain) -> str:
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _nearest(game: AnyGame, options: Any) -> tuple[str, list[tuple[str, Plain]]]:  # noqa: ANN401
    """Return the preset that differs least, and the options in which it does."""
    plain = options_to_plain(options)
    names = [field.name for field in fields(options)]
    found = []
    for preset, other in game.PRESETS.items():
        theirs = options_to_plain(other)
        found.append((preset, [(name, plain[name]) for name in names if plain[name] != theirs[name]]))
    return min(found, key=lambda each: len(each[1]))
