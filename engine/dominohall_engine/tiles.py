"""The 28 tiles of the double-six set, as small integers.

A tile is its place in the list 0-0, 1-0, 1-1, 2-0, ... 6-6: high half first, ``high * (high + 1) // 2 + low``.
Integers make tables and 28-bit masks possible, and those are what makes the engine fast; `parse_tile` and
`format_tile` are for people. A set of tiles is a mask: bit ``t`` stands for tile ``t``.
"""

from collections.abc import Iterable
from typing import Final

from dominohall_engine.errors import UnreadableTile

TILE_COUNT: Final = 28
HIGHEST: Final = 6

HALVES: Final = tuple((high, low) for high in range(7) for low in range(high + 1))
"""``HALVES[tile]`` is the pair (high half, low half)."""
HIGH: Final = tuple(high for high, _ in HALVES)
LOW: Final = tuple(low for _, low in HALVES)
PIPS: Final = tuple(high + low for high, low in HALVES)
"""``PIPS[tile]`` is the number of dots on the whole tile, 0..12."""
NAMES: Final = tuple(f"{high}-{low}" for high, low in HALVES)

ALL_TILES: Final = (1 << TILE_COUNT) - 1


def tile(high: int, low: int) -> int:
    """Return the tile with these two halves, in either order.

    >>> tile(6, 4) == tile(4, 6) == 25
    True
    """
    if not (0 <= high <= HIGHEST and 0 <= low <= HIGHEST):
        raise UnreadableTile(f"expected two halves of 0 to 6 pips, got {high} and {low}")
    if high < low:
        high, low = low, high
    return high * (high + 1) // 2 + low


def parse_tile(text: str) -> int:
    """Read a tile as people write it, `6-4` or `4-6`; `UnreadableTile` for anything else.

    >>> parse_tile("4-6")
    25
    """
    if len(text) == 3 and text[1] == "-" and text[0] in "0123456" and text[2] in "0123456":
        return tile(int(text[0]), int(text[2]))
    raise UnreadableTile(f"expected a tile such as '6-4', got {text[:20]!r}")


def format_tile(tile: int) -> str:
    """Write a tile high half first: the inverse of `parse_tile`.

    >>> format_tile(25)
    '6-4'
    """
    return NAMES[tile]


def mask_of(tiles: Iterable[int]) -> int:
    """Return the mask of these tiles (28 bits)."""
    mask = 0
    for each in tiles:
        mask |= 1 << each
    return mask


def tiles_in(mask: int) -> tuple[int, ...]:
    """Return the tiles of a mask, in ascending order."""
    found = []
    while mask:
        lowest = mask & -mask
        found.append(lowest.bit_length() - 1)
        mask ^= lowest
    return tuple(found)


def pips_in(mask: int) -> int:
    """Return the dots on all tiles of a mask, 0..168."""
    return sum([PIPS[each] for each in tiles_in(mask)])


DOUBLES: Final = mask_of(tile(pip, pip) for pip in range(7))
BEARING: Final = tuple(mask_of(each for each in range(TILE_COUNT) if pip in HALVES[each]) for pip in range(7))
"""``BEARING[pip]`` is the mask of the seven tiles with that number on a half."""


_EACH_TILE: Final = bytes(range(TILE_COUNT))


def is_order(tiles: bytes) -> bool:
    """Say whether these are the 28 tiles once each, as a shake must be."""
    return len(tiles) == TILE_COUNT and not _EACH_TILE.translate(None, tiles)  # deleting them leaves no tile over
