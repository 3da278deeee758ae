"""Tiles, layouts, tricks and moves as a terminal shows them."""

from collections.abc import Sequence
from typing import Any

import pytest
from dominohall_engine.fives.places import END_1, END_2, LEFT, RIGHT, SIDE_1, SIDE_2, START
from dominohall_engine.tiles import HALVES, parse_tile
from dominohall_replays.layout import Layout, layout
from dominohall_replays.records import Entry
from dominohall_replays.rounds import layout_of, retell
from dominohall_service.drawing import layout_text, tile_text, tiles_text
from dominohall_service.scenes import move_text, round_end_text, trick_table
from rich.console import Console


def laid(*plays: tuple[int, str], with_spinner: bool = True) -> Layout:
    """Lay tiles down as people write them."""
    return layout([(place, parse_tile(tile)) for place, tile in plays], with_spinner=with_spinner)


def test_a_line_reads_from_left_to_right() -> None:
    """The first tile lies high half left, and every neighbour shows the same number."""
    drawn = layout_text(laid((START, "6-3"), (LEFT, "6-5"), (RIGHT, "3-1"))).plain
    assert drawn == "[5|6][6|3][3|1]"


def test_arms_stand_over_and_under_the_spinner() -> None:
    """The ends of the spinner run up and down from its own column, and the line it was attached to is its left."""
    found = laid(
        (START, "6-3"), (RIGHT, "3-3"), (SIDE_2, "3-1"), (END_1, "3-2"), (END_1, "2-0"), (END_2, "4-3"), (SIDE_1, "6-6")
    )
    assert layout_text(found).plain.splitlines() == [
        "           ┌0┐",
        "           └2┘",
        "           ┌2┐",
        "           └3┘",
        "[6|6][6|3][3|3][3|1]",
        "           ┌3┐",
        "           └4┘",
    ]


def test_a_spinner_on_the_left_end_turns_the_line_round() -> None:
    """A spinner attached to the left end has the line on its side 1 all the same (D-10)."""
    assert layout_text(laid((START, "6-3"), (LEFT, "6-6"), (SIDE_1, "3-1"))).plain == "[1|3][3|6][6|6]"


def test_without_a_spinner_doubles_lie_in_the_line() -> None:
    """Where the options have no spinner, a double is a tile like any other."""
    found = laid((START, "6-6"), (LEFT, "6-1"), (RIGHT, "6-5"), with_spinner=False)
    assert found.spinner is None
    assert layout_text(found).plain == "[1|6][6|6][6|5]"


def test_a_layout_too_wide_is_written_arm_by_arm() -> None:
    """In a narrow terminal nothing is cut: each arm is a row from the middle outwards."""
    found = laid((START, "3-3"), (SIDE_1, "6-3"), (SIDE_2, "3-1"), (END_1, "3-2"))
    assert layout_text(found, columns=10).plain.splitlines() == [
        "spinner [3|3]",
        "left    [3|6]",
        "right   [3|1]",
        "up      [3|2]",
    ]


def neighbours(arm: Sequence[Any], start: int | None) -> bool:
    """Say whether each tile of an arm joins the one before it."""
    shown = start
    for each in arm:
        if shown is not None and each.inner != shown:
            return False
        shown = each.outer
    return True


def test_every_layout_of_a_match_joins(matches: dict[str, list[Entry]]) -> None:
    """In whole matches each layout has every played tile once, and all neighbours match."""
    retold = retell(b"".join(entry.data for entry in matches["linear"]))
    for each in retold.rounds:
        found = layout_of(each.steps)
        arms = found[1:]
        assert all(neighbours(arm, found.spinner) for arm in arms)
        tiles = [tuple(sorted(tile, reverse=True)) for arm in arms for tile in arm]
        tiles += [(found.spinner, found.spinner)] if found.spinner is not None else []
        played = [HALVES[step.move.tile] for step in each.steps if hasattr(step.move, "tile")]
        assert sorted(tiles) == sorted(played)


@pytest.mark.parametrize("match_id", ["texas", "linear", "going-on"])
def test_every_move_and_round_can_be_told(matches: dict[str, list[Entry]], match_id: str) -> None:
    """Each move of a match has its words, each round its end, and only a round in progress says that it is not over."""
    retold = retell(b"".join(entry.data for entry in matches[match_id]))
    assert all(move_text(step.move).plain for step in retold.steps)
    ends = [round_end_text(each).plain for each in retold.rounds]
    unfinished = [text for text in ends if "not over" in text]
    assert len(unfinished) == (match_id == "going-on")


def test_the_trick_table_adds_up(matches: dict[str, list[Entry]]) -> None:
    """In each round that was played, 28 tiles are drawn, seven are marked as led and seven as won, and 42 is shared."""
    retold = retell(b"".join(entry.data for entry in matches["texas"]))
    for each in retold.rounds:
        if len(each.steps) != 34:
            continue
        console = Console(width=120, record=True, quiet=True, markup=False)
        console.quiet = False
        with console.capture() as captured:
            console.print(trick_table(each.steps))
        text = captured.get()
        assert (text.count("["), text.count(">"), text.count("*")) == (28, 7, 7)
        assert sum(map(int, text.splitlines()[-1].split()[-2:])) == 42


def test_tiles_are_drawn_high_half_first() -> None:
    """A tile is drawn as it is written, several with a blank between, none as a dash."""
    assert tile_text(parse_tile("4-6")).plain == "[6|4]"
    assert tiles_text([parse_tile("1-0"), parse_tile("5-5")]).plain == "[1|0] [5|5]"
    assert tiles_text([]).plain == "-"
