"""The layout against an independent reference, written plainly from section 5.5 of the rules: tiles lie in rows.

Every layout of up to `DEPTH` tiles is built in every order of play, under every kind of spinner, and the open places
and ends totals are compared; then the totals of every layout that a spinner can have.
"""

from collections import Counter
from itertools import product
from typing import Any, NamedTuple

import pytest
from dominohall_engine.fives import PLACE_NAMES, SpinnerRule
from dominohall_engine.fives.layout import EMPTY, Layout, arms_of, extended, layout_from, spinner_of
from dominohall_engine.tiles import NAMES, tiles_in

DEPTH = 4
COUNTS = {
    SpinnerRule.SIDES_THEN_ENDS: [28, 217, 1477, 9849],
    SpinnerRule.ALL_FOUR_FIRST: [28, 217, 1435, 7959],
    SpinnerRule.NONE: [28, 238, 1652, 9814],
}
"""How many layouts there are of one tile, of two, of three, of four."""
TILES = [(high, low) for high in range(7) for low in range(high + 1)]


class Rows(NamedTuple):
    """Tiles as they lie: one line from left to right, or a spinner and four rows going out from it."""

    line: tuple[tuple[int, int], ...]
    spinner: int | None
    side_1: tuple[tuple[int, int], ...]
    side_2: tuple[tuple[int, int], ...]
    end_1: tuple[tuple[int, int], ...]
    end_2: tuple[tuple[int, int], ...]


NOTHING = Rows((), None, (), (), (), ())


def places(rows: Rows, rule: SpinnerRule) -> dict[str, int]:
    """Return the open places of a layout that is not empty, with the number wanted at each."""
    if rows.spinner is None:
        (left, _), (_, right) = rows.line[0], rows.line[-1]
        if len(rows.line) == 1 and left == right:
            return {"left": left}
        return {"left": left, "right": right}
    empty = [name for name in ("side_1", "side_2", "end_1", "end_2") if not getattr(rows, name)]
    found = (
        {}
        if rule is SpinnerRule.ALL_FOUR_FIRST and empty
        else {name: getattr(rows, name)[-1][1] for name in ("side_1", "side_2", "end_1", "end_2") if name not in empty}
    )
    if empty:
        found[empty[0]] = rows.spinner
    return found


def laid(rows: Rows, tile: tuple[int, int], place: str, rule: SpinnerRule) -> Rows:
    """Lay a tile at an open place."""
    high, low = tile
    if place == "start":
        if high == low and rule is not SpinnerRule.NONE:
            return NOTHING._replace(spinner=high)
        return NOTHING._replace(line=(tile,))
    number = places(rows, rule)[place]
    outward = (number, low if number == high else high)
    if rows.spinner is not None:
        longer: dict[str, Any] = {place: (*getattr(rows, place), outward)}
        return rows._replace(**longer)
    if high == low and rule is not SpinnerRule.NONE:
        turned = tuple((b, a) for a, b in reversed(rows.line))
        return NOTHING._replace(spinner=high, side_1=rows.line if place == "left" else turned)
    if place == "left":
        return rows._replace(line=((outward[1], outward[0]), *rows.line))
    return rows._replace(line=(*rows.line, outward))


def total(rows: Rows) -> int:
    """Add what every end shows, as section 5.5 says."""
    if rows.spinner is None:
        left, right = rows.line[0], rows.line[-1]
        if len(rows.line) == 1:
            return sum(left)
        return (sum(left) if left[0] == left[1] else left[0]) + (sum(right) if right[0] == right[1] else right[1])
    dots = 0 if rows.side_1 and rows.side_2 else 2 * rows.spinner
    for arm in (rows.side_1, rows.side_2, rows.end_1, rows.end_2):
        if arm:
            a, b = arm[-1]
            dots += a + b if a == b else b
    return dots


def compare(rows: Rows, layout: Layout, rule: SpinnerRule) -> None:
    """Compare everything that a layout says with the reference."""
    expected = places(rows, rule)
    assert {PLACE_NAMES[place] for place in layout.places} == set(expected), rows
    for place in layout.places:
        number = expected[PLACE_NAMES[place]]
        assert [NAMES[tile] for tile in tiles_in(layout.masks[place])] == [
            f"{a}-{b}" for a, b in TILES if number in (a, b)
        ]
    assert layout.total == total(rows), rows
    assert layout.points == (total(rows) if total(rows) % 5 == 0 else 0)
    arms = arms_of(layout)
    spinner = spinner_of(layout)
    assert {PLACE_NAMES[arm.place]: arm.number for arm in arms if arm.is_open} == expected
    assert sum(arm.dots for arm in arms) + (spinner[1] if spinner else 0) == layout.total
    assert (spinner[0] if spinner else None) == rows.spinner


@pytest.mark.parametrize("rule", COUNTS)
def test_every_layout_of_four_tiles(rule: SpinnerRule) -> None:
    """All layouts of one to four tiles, in every order of play: same open places, same fits, same totals."""
    seen: set[Rows] = set()
    counts: Counter[int] = Counter()

    def grow(rows: Rows, layout: Layout, used: frozenset[int], depth: int) -> None:
        for tile, halves in enumerate(TILES):
            if tile in used:
                continue
            at = {"start": None} if not used else places(rows, rule)
            for place, number in at.items():
                if number is not None and number not in halves:
                    continue
                after = laid(rows, halves, place, rule)
                if after in seen:
                    continue
                seen.add(after)
                counts[depth] += 1
                grown = extended(layout, tile, PLACE_NAMES.index(place))
                compare(after, grown, rule)
                if depth < DEPTH:
                    grow(after, grown, used | {tile}, depth + 1)

    grow(NOTHING, EMPTY[rule], frozenset(), 1)
    assert list(counts.values()) == COUNTS[rule]


@pytest.mark.parametrize("rule", [SpinnerRule.SIDES_THEN_ENDS, SpinnerRule.ALL_FOUR_FIRST])
def test_every_spinner_with_every_set_of_ends(rule: SpinnerRule) -> None:
    """The total of section 5.5 for all sets of ends around a spinner (every seventh of those with four arms).

    Every total from 0 to 36 occurs.
    """
    kind = EMPTY[rule].kind
    shown = [*range(7), *(2 * number for number in range(7))]
    found: set[int] = set()
    for spinner in range(7):
        for arms in range(5):
            for ends in product(range(14), repeat=arms):
                if arms == 4 and (spinner + sum(ends)) % 7:
                    continue
                shape = bytes((spinner, *ends, *[14] * (4 - arms)))
                layout = layout_from(kind, shape)
                assert layout is not None
                dots = sum(shown[end] for end in ends) + (2 * spinner if arms < 2 else 0)
                assert layout.total == dots
                if dots <= 36:
                    found.add(dots)
    assert found == set(range(37))


def test_a_shape_that_no_kind_writes_is_not_read() -> None:
    """Ends out of range, arms filled out of order, doubles in a line that would be spinners, wrong lengths."""
    cross, line = EMPTY[SpinnerRule.SIDES_THEN_ENDS].kind, EMPTY[SpinnerRule.NONE].kind
    for shape in (
        "07",
        "0708",
        "0707",
        "000e000e0e",
        "00000e000e",
        "070e0e0e0e",
        "000f0e0e0e",
        "00000000",
        "000000000000",
    ):
        assert layout_from(cross, bytes.fromhex(shape)) is None, shape
    for shape in ("00", "06", "0e", "000e", "0e00", "000000", "070e0e0e0e"):
        assert layout_from(line, bytes.fromhex(shape)) is None, shape
    assert layout_from(line, bytes.fromhex("0708")) is not None
    assert layout_from(cross, bytes.fromhex("00070e0e0e")) is not None
