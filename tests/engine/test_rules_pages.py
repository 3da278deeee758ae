"""The rules pages: rendered from the clause files, and telling the same as the engine's tables."""

import re
from pathlib import Path

import pytest
from dominohall_engine.clauses import LANGUAGES, Kind, clauses_of, pages
from dominohall_engine.fives import layout, options, places, scoring
from dominohall_engine.forty_two import options as forty_two_options
from dominohall_engine.forty_two import scoring as forty_two_scoring
from dominohall_engine.forty_two import tables
from dominohall_engine.tiles import format_tile, parse_tile, tiles_in

FOLDER = Path(__file__).parents[2] / "docs" / "rules"
FORTY_TWO = {"polish": "texas-42-polish.md", "russian": "forty-two-russian.md"}
PAGE_OF = {f"forty_two.{name}": page for name, page in FORTY_TWO.items()} | {"fives.linear": "straight-dominoes.md"}


def read_page(page: str, language: str = "en") -> str:
    """Return a committed page."""
    folder = FOLDER if language == "en" else FOLDER / language
    return (folder / page).read_text(encoding="utf-8")


def table_after(text: str, columns: int, first: str) -> list[list[str]]:
    """Return the rows of the table of a page that has so many columns and this first cell."""
    for block in text.split("\n\n"):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.strip().splitlines()]
        if block.lstrip().startswith("|") and len(rows[0]) == columns and rows[2][0] == first:
            return rows[2:]
    raise AssertionError(first)


def test_committed_pages_are_the_rendering() -> None:
    """`docs/rules/` holds what the clause files render to: `python -m dominohall_engine.clauses.pages docs/rules`."""
    wanted = dict(pages.rendered())
    found = {path.relative_to(FOLDER).as_posix(): path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.md")}
    assert found.keys() == wanted.keys()
    assert [name for name in wanted if found[name] != wanted[name]] == []


def test_the_command_writes_the_pages(tmp_path: Path) -> None:
    """The command makes the folders and files; without a folder it says what it expected."""
    assert pages.main([str(tmp_path / "rules")]) == 0
    assert (tmp_path / "rules" / "ru" / "straight-dominoes.md").is_file()
    assert pages.main([]) == 2


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("preset", PAGE_OF)
def test_every_clause_stands_on_its_page_once(preset: str, language: str) -> None:
    """The page of a preset has each of its clauses once, with its text, and an anchor to link to."""
    text = read_page(PAGE_OF[preset], language)
    game, _, name = preset.partition(".")
    for each in clauses_of(game, name, language):
        assert text.count(f'<a id="{each.id.lower()}"></a>**{each.id}** {each.text}') == 1, each.id


def test_links_lead_somewhere() -> None:
    """Every link between the pages names a file that is there."""
    for path in FOLDER.rglob("*.md"):
        for target in re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).is_file(), (path, target)


def test_sources_are_named_in_the_index() -> None:
    """Every source of a decision is explained in the index, and none stands there unused."""
    used = {key for game in ("forty_two", "fives") for each in clauses_of(game) for key in each.sources}
    rows = table_after(read_page("index.md"), 2, "42ONLINE")
    assert {row[0] for row in rows} == used


def test_only_decisions_have_sources() -> None:
    """A clause of a text is its own source."""
    for game in ("forty_two", "fives"):
        assert all(each.kind is Kind.DECISION for each in clauses_of(game) if each.sources)


# --- the tables against the engine


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page", FORTY_TWO.values())
def test_count_tiles(page: str, language: str) -> None:
    """The count tiles of the page are those of the engine, and they come to 35 (F42-PL-10, F42-RU-04)."""
    stated = {parse_tile(tile): int(points) for tile, points in table_after(read_page(page, language), 2, "5-5")}
    assert stated == {tile: points for tile, points in enumerate(tables.COUNT) if points}
    assert sum(stated.values()) == 35


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("preset", FORTY_TWO)
def test_follow_table(preset: str, language: str) -> None:
    """For every trump and led tile, page and engine agree on the led suit, on who follows, and on who beats whom."""
    suits = list(pages.words_of_suits(language).values())
    trumps = 8 if preset == "russian" else 7
    seen = set()
    for trump_word, suit_word, leads, members in table_after(read_page(FORTY_TWO[preset], language), 4, suits[0]):
        trump, suit = suits.index(trump_word), suits.index(suit_word)
        ranked = [parse_tile(tile) for tile in members.split()]
        for lead in map(parse_tile, leads.split()):
            assert (trump, lead) not in seen
            seen.add((trump, lead))
            assert tables.led_suit(lead, trump) == suit
            assert sorted(ranked) == list(tiles_in(tables.FOLLOWS[trump][lead]))
            powers = [tables.POWER[trump][lead][tile] for tile in ranked]
            assert powers == sorted(powers, reverse=True)
            assert min(powers) > 0
            others = set(range(28)) - set(ranked) - set(tiles_in(tables.TRUMPS[trump]))
            assert all(tables.POWER[trump][lead][tile] == 0 for tile in others)
    assert seen == {(trump, lead) for trump in range(trumps) for lead in range(28)}


def valued(formula: str, bid: int, points: int) -> int:
    """Work out a cell of the scoring table: a sum and difference of numbers, P and B."""
    total, sign = 0, 1
    for word in formula.split():
        if word in {"+", "-"}:
            sign = 1 if word == "+" else -1
        else:
            total += sign * {"P": points, "B": bid}.get(word, int(word) if word.isdigit() else 0)
    return total


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("preset", FORTY_TWO)
def test_scoring_table(preset: str, language: str) -> None:
    """For every bid and every result, the scoring table of the page gives what the engine scores."""
    made, lost = table_after(read_page(FORTY_TWO[preset], language), 4, "P >= B")
    chosen = forty_two_options.PRESETS[preset]
    for bid in range(30, 43):
        for points in range(43):
            row = made if points >= bid else lost
            stated = (valued(row[1], bid, points), valued(row[2], bid, points))
            assert stated == forty_two_scoring.round_score(chosen, bid, points, 42 - points)
    for row in (made, lost):
        bid, points, bidders, others = map(int, re.findall(r"\d+", row[3]))
        assert (bidders, others) == forty_two_scoring.round_score(chosen, bid, points, 42 - points)


@pytest.mark.parametrize("language", LANGUAGES)
def test_hands_and_boneyard(language: str) -> None:
    """Seats, hands and boneyard of the page are those of the preset (LIN-06, A-LIN-30)."""
    for row in table_after(read_page(PAGE_OF["fives.linear"], language), 3, "2"):
        seats, hand, boneyard = map(int, row)
        assert hand == options.LINEAR.hand_size
        assert boneyard == 28 - seats * hand


@pytest.mark.parametrize("language", LANGUAGES)
def test_place_numbers(language: str) -> None:
    """The numbers and names of places on the page are the engine's."""
    rows = table_after(read_page(PAGE_OF["fives.linear"], language), 3, "0")
    assert tuple(name for _, name, _ in rows) == places.PLACE_NAMES
    assert [int(number) for number, _, _ in rows] == list(range(places.PLACE_COUNT))


@pytest.mark.parametrize("language", LANGUAGES)
def test_rounding(language: str) -> None:
    """The rounding of the page is the engine's, to the nearest multiple of five (LIN-14, LIN-17)."""
    for span, award in table_after(read_page(PAGE_OF["fives.linear"], language), 2, "0-2"):
        low, high = map(int, span.split("-"))
        assert {scoring.round5(dots) for dots in range(low, high + 1)} == {int(award)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_examples_of_ends(language: str) -> None:
    """The examples of ends on the page come out so in the engine's layout (LIN-10, A-LIN-05, A-LIN-06)."""
    cells = [line.strip("|").split("|") for line in read_page(PAGE_OF["fives.linear"], language).splitlines()]
    examples = [(tiles, result) for tiles, result in (row for row in cells if len(row) == 2) if ":" in tiles]
    assert len(examples) == 4
    for tiles, result in examples:
        table = layout.EMPTY[options.LINEAR.spinner]
        for tile in map(parse_tile, re.findall(r"\d-\d", tiles)):
            place = next(each for each in table.places if table.masks[each] >> tile & 1)
            table = layout.extended(table, tile, place)
        total, *points = map(int, re.findall(r"\d+", result))
        assert (table.total, table.points) == (total, points[0] if points else 0), tiles


def test_the_page_and_the_engine_write_tiles_alike() -> None:
    """Tiles on the pages stand high half first, as the engine writes them."""
    for path in FOLDER.rglob("*.md"):
        for line in path.read_text(encoding="utf-8").splitlines():
            for tile in re.findall(r"\b[0-6]-[0-6]\b", line) if "A- " not in line else []:
                if not line.startswith("| 0-2"):
                    assert format_tile(parse_tile(tile)) == tile, line
