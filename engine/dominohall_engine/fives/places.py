"""Places of the layout where a tile can lie, and what an end of the layout shows.

A place is a small number with a meaning, the same in every round; a kind of spinner uses those that it needs. Where
two places are equivalent, the lower one is the legal one (D-09). A later kind that has more places (every double a
spinner) adds its own after these.

An end is what the outermost tile of an arm shows: ``0..6`` is a plain tile's open half, ``7..13`` is a double (7 is
0-0, 13 is 6-6), both of whose halves count (LIN-12). `NO_TILE` stands where no tile lies yet.
"""

from typing import Final

from dominohall_engine.tiles import ALL_TILES, BEARING, DOUBLES, HALVES, TILE_COUNT

START: Final = 0
"""Where the first tile of a round lies."""
LEFT: Final = 1
RIGHT: Final = 2
"""The two ends of a line without a spinner. The first tile lies with its high end to the left (D-09)."""
SIDE_1: Final = 3
SIDE_2: Final = 4
"""The two sides of the spinner; a line that the spinner was attached to is side 1 (D-10)."""
END_1: Final = 5
END_2: Final = 6
"""The two ends of the spinner."""

PLACE_NAMES: Final = ("start", "left", "right", "side_1", "side_2", "end_1", "end_2")
PLACE_COUNT: Final = len(PLACE_NAMES)

DOUBLE: Final = 7
"""What a double adds to its number to be told from a plain end."""
NO_TILE: Final = 14
NUMBER: Final = (0, 1, 2, 3, 4, 5, 6) * 2
"""``NUMBER[end]`` is the number that a tile must bear to go there."""
DOTS: Final = (0, 1, 2, 3, 4, 5, 6, 0, 2, 4, 6, 8, 10, 12, 0)
"""``DOTS[end]`` is what the end counts: its open half, both halves of a double, nothing where no tile lies."""


ANYTHING: Final = 15
"""What stands for the end that the first tile is joined to."""

FITTING: Final[tuple[int, ...]] = (*BEARING, *BEARING, 0, ALL_TILES)
"""``FITTING[end]`` are the tiles that can be joined there; none where no tile lies."""


def _end(tile: int, number: int) -> int:
    """Return the end that this tile shows when joined by its half with this number; 14 if it has no such half."""
    high, low = HALVES[tile]
    if number not in {high, low}:
        return NO_TILE
    return DOUBLE + number if DOUBLES >> tile & 1 else high + low - number


END_AFTER: Final = tuple(tuple(_end(tile, number) for number in NUMBER) for tile in range(TILE_COUNT))
"""``END_AFTER[tile][end]`` is the end that the tile shows once joined to that end."""
