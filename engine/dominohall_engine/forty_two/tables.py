"""Suits, ranks and counts, each table built from a sentence of the rules page.

A suit is a number 0 to 6 (blanks to sixes) or 7, doubles; a trump is named by its suit. A led tile decides which suit
must be followed, so the tables are looked up by trump and led tile: a rule that takes a paragraph to explain at the
table is one look-up here. `tests/engine/forty_two` compares every entry with a reading of the text of its own.

>>> from dominohall_engine.tiles import format_tile, parse_tile, tiles_in
>>> fours, led = 4, parse_tile("2-1")
>>> [format_tile(each) for each in tiles_in(FOLLOWS[fours][led])]  # no 4-2: it is a four now, and no deuce
['2-0', '2-1', '2-2', '3-2', '5-2', '6-2']
"""

from typing import Final

from dominohall_engine.tiles import HALVES, HIGH, TILE_COUNT, mask_of, tile

DOUBLES_SUIT: Final = 7
SUITS: Final = range(8)
SUIT_NAMES: Final = ("0", "1", "2", "3", "4", "5", "6", "doubles")
"""How a suit is written in facts: its number of pips, or the word."""

LOWEST_BID: Final = 30
"""F42-PL-15, F42-RU-07."""
HIGHEST_BID: Final = 42
"""What all tricks together are worth: 7 tricks and 35 for count (F42-PL-13, F42-RU-05)."""

OPENING_TILE: Final = tile(1, 0)
"""Its holder calls first in the Russian text (F42-RU-06)."""

COUNT: Final = tuple(
    {(5, 5): 10, (6, 4): 10, (5, 0): 5, (4, 1): 5, (3, 2): 5}.get(HALVES[each], 0) for each in range(TILE_COUNT)
)
"""``COUNT[tile]``: 5-5 and 6-4 are worth 10; 4-1, 3-2 and 5-0 are worth 5 (F42-PL-10, F42-RU-04)."""


def is_trump(tile: int, trump: int) -> bool:
    """Say whether a tile is a trump: it bears the trump's number, or is a double when doubles are trump."""
    high, low = HALVES[tile]
    return high == low if trump == DOUBLES_SUIT else trump in (high, low)


def led_suit(tile: int, trump: int) -> int:
    """Return the suit that this tile leads: trump if it is one, else its higher number (F42-PL-21, F42-RU-11)."""
    return trump if is_trump(tile, trump) else HIGH[tile]


def belongs(tile: int, suit: int, trump: int) -> bool:
    """Say whether a tile answers a suit: it bears the number, and is no trump (F42-PL-06, A-PL-02, A-PL-04)."""
    if suit == trump:
        return is_trump(tile, trump)
    return suit in HALVES[tile] and not is_trump(tile, trump)


def rank(tile: int, suit: int) -> int:
    """Return a tile's place within a suit, 0 to 7: by its other half, the double on top (F42-PL-07, A-PL-05).

    Doubles as a suit rank by their number, 6-6 high and 0-0 low (A-RU-14).
    """
    high, low = HALVES[tile]
    if suit == DOUBLES_SUIT:
        return high
    if high == low:
        return 7
    return low if high == suit else high


def _power(tile: int, led: int, trump: int) -> int:
    """Return how strongly a tile fights for a trick: trumps over the led suit over nothing (F42-PL-09, A-PL-06)."""
    suit = led_suit(led, trump)
    if is_trump(tile, trump):
        return 11 + rank(tile, trump)
    return 1 + rank(tile, suit) if belongs(tile, suit, trump) else 0


TRUMPS: Final = tuple(mask_of(each for each in range(TILE_COUNT) if is_trump(each, trump)) for trump in SUITS)
"""``TRUMPS[trump]``: the mask of the tiles that are trumps; seven of them, whatever the trump."""

FOLLOWS: Final = tuple(
    tuple(
        mask_of(each for each in range(TILE_COUNT) if belongs(each, led_suit(led, trump), trump))
        for led in range(TILE_COUNT)
    )
    for trump in SUITS
)
"""``FOLLOWS[trump][led tile]``: the mask of the tiles that follow suit (F42-PL-20, F42-PL-21, A-RU-09)."""

POWER: Final = tuple(
    tuple(tuple(_power(each, led, trump) for each in range(TILE_COUNT)) for led in range(TILE_COUNT)) for trump in SUITS
)
"""``POWER[trump][led tile][tile]``: the highest takes the trick; 0 can't win it (F42-PL-23, F42-RU-15, F42-RU-16)."""


def suits_of(hand: int) -> int:
    """Return which trumps a hand (a mask of tiles) holds a tile of: bit ``s`` stands for suit ``s`` (D-03)."""
    suits = 0
    for trump in SUITS:
        if hand & TRUMPS[trump]:
            suits |= 1 << trump
    return suits
