"""Tiles laid on a layout of fives whether the rules allow it or not.

The engine lays legal tiles only; here a table may do as it did. What fits is laid by the engine's own hand.
"""

from typing import Final

from dominohall_engine.fives.layout import Layout, extended
from dominohall_engine.fives.places import DOUBLE, LEFT, NO_TILE, NUMBER, PLACE_NAMES, SIDE_1, START
from dominohall_engine.tiles import HALVES

CROSS: Final = 5
"""How long the shape of a layout is in which a spinner lies."""


class Arms:
    """Which arm of the spinner a table means.

    The engine names arms in the order in which they are covered. A tile on an arm whose turn has not come is marked,
    and from then on that arm stands where the next one would: what follows is judged as if it had been covered in turn.
    """

    def __init__(self) -> None:
        self._meant = {place: place for place in range(len(PLACE_NAMES))}

    def place(self, layout: Layout, place: int) -> int:
        """Return the engine's place for a place that the table names."""
        return self._meant[place] if len(layout.shape) == CROSS else place

    def cover(self, layout: Layout, place: int) -> int:
        """Return the place where a tile at this arm comes to lie: the next empty one, if it is not that already."""
        meant = self.place(layout, place)
        if len(layout.shape) != CROSS or place < SIDE_1 or layout.shape[1 + meant - SIDE_1] != NO_TILE:
            return meant
        following = SIDE_1 + tuple(layout.shape[1:]).index(NO_TILE)
        if following != meant:
            (other,) = [each for each, known in self._meant.items() if known == following]
            self._meant[place], self._meant[other] = following, meant
        return following


def laid(layout: Layout, tile: int, place: int, *, has_spinner: bool) -> Layout | None:
    """Lay a tile at a place, open or not, whether it fits or not; None where the layout has no such place."""
    shape = layout.shape
    if not shape:
        return extended(layout, tile, place) if place == START else None
    if place == START or (len(shape) == CROSS) != (place >= SIDE_1) or (len(shape) == 1 and place != LEFT):
        return None
    if len(shape) == CROSS:
        return _at_arm(layout, tile, place)
    high, low = HALVES[tile]
    joined, other = (shape[0], shape[-1]) if place == LEFT else (shape[-1], shape[0])
    if NUMBER[joined] in {high, low}:
        return extended(layout, tile, place)
    if high == low and has_spinner:
        return Layout(layout.kind, (high, other, NO_TILE, NO_TILE, NO_TILE))
    end = _outwards(tile)
    return Layout(layout.kind, (end, other) if place == LEFT else (other, end))


def _at_arm(layout: Layout, tile: int, place: int) -> Layout:
    """Lay a tile at an arm of the spinner, or at the spinner itself where the arm is empty."""
    shape = layout.shape
    arm = 1 + place - SIDE_1
    if (shape[0] if shape[arm] == NO_TILE else NUMBER[shape[arm]]) in HALVES[tile]:
        return extended(layout, tile, place)
    return Layout(layout.kind, (*shape[:arm], _outwards(tile), *shape[arm + 1 :]))


def _outwards(tile: int) -> int:
    """Return the end that a tile shows which lies with its higher half outwards."""
    high, low = HALVES[tile]
    return DOUBLE + high if high == low else high
