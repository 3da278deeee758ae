"""Render the rules pages of `docs/rules/` from the files that refusals are made from.

    python -m dominohall_engine.clauses.pages docs/rules

The tables of suits are worked out here from the sentences of the text, tile by tile, and not from the engine's own
tables: a test reads the pages and compares, so that one can catch the other.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from dominohall_engine.clauses.book import LANGUAGES, Clause, Kind, clause, clauses_of, read_data
from dominohall_engine.tiles import HALVES, format_tile, tile

Table = list[list[str]]
DOUBLES_SUIT: Final = "doubles"
NUMBERS: Final = tuple("0123456")


def rendered() -> Iterator[tuple[str, str]]:
    """Yield every page: its path below the folder of the rules, and its text."""
    data = read_data("pages.toml")
    yield "index.md", _index(data)
    for name in data["pages"]:
        for language in LANGUAGES:
            yield _path(name, language), _page(data, name, language)


def _path(name: str, language: str) -> str:
    return f"{name}.md" if language == "en" else f"{language}/{name}.md"


def _page(data: Mapping[str, Any], name: str, language: str) -> str:
    """Render one text in one language: its clauses with the decisions on them, and its tables."""
    page, labels = data["pages"][name], data["labels"]
    near = _decisions_by_clause(page["preset"], page["prefix"], language)
    up = "" if language == "en" else "../"
    links = [f"[{data['language_names'][each]}]({up}{_path(name, each)})" for each in LANGUAGES if each != language]
    blocks = [
        f"# {page['title'][language]}",
        page["intro"][language],
        labels["about"][language],
        f"{labels['languages'][language]}: {', '.join(links)}.",
    ]
    for section in page["sections"]:
        blocks.append(f"## {section['heading'][language]}")
        lines = []
        for number in range(section["first"], section["last"] + 1):
            each = clause(f"{page['prefix']}-{number:02}", language)
            lines.append(_line(each, labels))
            lines += [f"    {_line(decision, labels)}" for decision in near.get(each.id, ())]
        blocks.append("\n".join(lines))
        blocks += [_captioned(data, table, page["preset"], language) for table in section.get("tables", ())]
    for table in page["closing"]:
        heading = data["tables"][table]["heading"][language]
        blocks += [f"## {heading}", _captioned(data, table, page["preset"], language)]
    return "\n\n".join(blocks) + "\n"


def _decisions_by_clause(preset: str, prefix: str, language: str) -> dict[str, list[Clause]]:
    """Sort the decisions of a preset under the first clause of its text that they are about."""
    near: dict[str, list[Clause]] = {}
    game, _, name = preset.partition(".")
    for each in clauses_of(game, name, language):
        place = next((id_ for id_ in each.on if id_.startswith(prefix)), None)
        if place is not None:
            near.setdefault(place, []).append(each)
    return near


def _line(each: Clause, labels: Mapping[str, Mapping[str, str]]) -> str:
    """Write a clause as an item of a list that can be linked to, marked if it is no rule of the text."""
    marks = [] if each.kind is Kind.RULE else [labels[each.kind][each.language]]
    if each.sources:
        marks.append(f"{labels['sources'][each.language]} {', '.join(each.sources)}")
    tail = f" *({'; '.join(marks)})*" if marks else ""
    return f'- <a id="{each.id.lower()}"></a>**{each.id}** {each.text}{tail}'


def _captioned(data: Mapping[str, Any], name: str, preset: str, language: str) -> str:
    table = data["tables"][name]
    head = [_said(each, language) for each in table["columns"]]
    make = _MADE.get(name)
    if make is not None:
        rows = make(preset, words_of_suits(language))
    else:
        of_preset = table["rows"] if isinstance(table["rows"], list) else table["rows"][preset]
        rows = [[_said(cell, language) for cell in row] for row in of_preset]
    return f"**{_said(table['caption'], language)}**\n\n{_table(head, rows)}"


def _said(cell: str | Mapping[str, str], language: str) -> str:
    return cell if isinstance(cell, str) else cell[language]


def _table(head: list[str], rows: Table) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def words_of_suits(language: str) -> dict[str, str]:
    """Return the word for each suit, blanks to sixes and doubles, by the suit's name in facts."""
    return {suit: words[language] for suit, words in read_data("messages.toml")["words"]["suit"].items()}


def _follow(preset: str, words: Mapping[str, str]) -> Table:
    """Say for every trump which tiles lead a suit and which follow it (F42-PL-20, F42-PL-21, A-PL-02 to A-PL-05)."""
    trumps = (*NUMBERS, DOUBLES_SUIT) if preset == "forty_two.russian" else NUMBERS
    rows = []
    for trump in trumps:
        for suit in dict.fromkeys((trump, *reversed(NUMBERS))):
            leads = [each for each in range(len(HALVES)) if _leads(each, trump) == suit]
            if leads:
                ranked = sorted(_members(suit, trump), key=lambda each: _rank(each, suit), reverse=True)
                rows.append([words[trump], words[suit], _names(leads), _names(ranked)])
    return rows


def _is_trump(each: int, trump: str) -> bool:
    high, low = HALVES[each]
    return high == low if trump == DOUBLES_SUIT else trump in f"{high}{low}"


def _leads(each: int, trump: str) -> str:
    """Return the suit that a tile leads: trump if it is one, else its higher half."""
    return trump if _is_trump(each, trump) else str(HALVES[each][0])


def _members(suit: str, trump: str) -> list[int]:
    """Return the tiles of a suit: the trumps, or the tiles that bear its number and are no trumps."""
    if suit == trump:
        return [each for each in range(len(HALVES)) if _is_trump(each, trump)]
    number = int(suit)
    return [each for each in {tile(number, other) for other in range(7)} if not _is_trump(each, trump)]


def _rank(each: int, suit: str) -> int:
    """Return a tile's rank in a suit: the double on top, then by the other half; doubles as a suit by their number."""
    high, low = HALVES[each]
    if suit == DOUBLES_SUIT:
        return high
    return 7 if high == low else high + low - int(suit)


def _names(tiles: list[int]) -> str:
    return " ".join(format_tile(each) for each in tiles)


_MADE: Final[Mapping[str, Callable[[str, Mapping[str, str]], Table]]] = {"follow": _follow}
"""The tables that are worked out rather than written down."""


def _index(data: Mapping[str, Any]) -> str:
    """Render the page that says what the texts are, where they differ, and what the decisions were held against."""
    rows = [
        [
            f"[{page['title']['en']}]({name}.md)",
            f"`{page['preset']}`",
            ", ".join(f"[{data['language_names'][each]}]({_path(name, each)})" for each in LANGUAGES if each != "en"),
        ]
        for name, page in data["pages"].items()
    ]
    differences = [each for each in clauses_of("forty_two") if each.id.startswith("X-")]
    text: str = data["index"]["text"]
    return text.lstrip("\n").format(
        pages=_table(["text", "preset", "also in"], rows),
        differences=_table(
            ["id", "what differs", "clauses"],
            [[f'<a id="{each.id.lower()}"></a>{each.id}', each.text, ", ".join(each.on)] for each in differences],
        ),
        sources=_table(["key", "source"], [[key, name] for key, name in data["index"]["sources"].items()]),
    )


def main(arguments: list[str]) -> int:
    """Write the pages below the folder named; 2 if none is named."""
    if len(arguments) != 1:
        sys.stderr.write("expected one argument, the folder of the rules pages\n")
        return 2
    for path, text in rendered():
        target = Path(arguments[0], path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
