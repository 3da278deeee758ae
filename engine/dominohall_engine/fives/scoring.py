"""What the end of a round is worth, and who leads (LIN-04, LIN-13..19, section 5.6 of the rules).

`hands` are the masks of what the seats still hold; `sides` the seats of each side.
"""

from typing import Final, NamedTuple

from dominohall_engine.fives.options import BlockScore, TieRule
from dominohall_engine.tiles import DOUBLES, HIGH, PIPS, pips_in, tiles_in

Sides = tuple[tuple[int, ...], ...]


class Won(NamedTuple):
    """Who won a round and what for: the seat that leads by it, its side, and the bonus."""

    seat: int
    side: int
    bonus: int


def round5(dots: int) -> int:
    """Round to the nearest multiple of five; no whole number lies halfway (A-LIN-15).

    >>> [round5(dots) for dots in (2, 3, 7, 8, 12, 13)]
    [0, 5, 5, 10, 10, 15]
    """
    return (dots + 2) // 5 * 5


def side_of(sides: Sides, seat: int) -> int:
    """Return the side that a seat plays for: opposite seats share one where there are two sides of four (LIN-03)."""
    return seat % len(sides)


def _dots_of_seven(first: int) -> tuple[int, ...]:
    """Return the dots of every set of the seven tiles from `first` on, by their bits."""
    return tuple([pips_in(part << first) for part in range(1 << 7)])


_DOTS: Final = tuple(_dots_of_seven(first) for first in (0, 7, 14, 21))


def dots_in(hand: int) -> int:
    """Return the dots of a hand, as `pips_in` does, from tables: every round is counted."""
    return _DOTS[0][hand & 127] + _DOTS[1][hand >> 7 & 127] + _DOTS[2][hand >> 14 & 127] + _DOTS[3][hand >> 21]


def side_pips(hands: tuple[int, ...], sides: Sides) -> list[int]:
    """Return the dots that each side still holds."""
    return [sum([dots_in(hands[seat]) for seat in side]) for side in sides]


def went_out(hands: tuple[int, ...], sides: Sides, seat: int) -> Won:
    """Score a round that `seat` ended with its last tile: the opponents' dots, summed, then rounded.

    The partner's dots are not added (LIN-14, LIN-15, A-LIN-16). That player leads next (A-LIN-24).
    """
    side = side_of(sides, seat)
    partners = sides[side]
    dots = sum([dots_in(hand) for other, hand in enumerate(hands) if other not in partners])
    return Won(seat, side, round5(dots))


def blocked(hands: tuple[int, ...], sides: Sides, leader: int, score: BlockScore, tie: TieRule) -> Won | None:
    """Score a round in which nobody can play; None if nobody wins it. `leader` led this round.

    The side with the fewest dots takes the dots of its opponents (LIN-17; partners count together, A-LIN-18). Several
    sides with the fewest: nobody wins, or the lightest tile decides (A-LIN-21).
    """
    pips = side_pips(hands, sides)
    fewest = min(pips)
    tied = [side for side, count in enumerate(pips) if count == fewest]
    if len(tied) > 1 and tie is TieRule.NOBODY:
        return None
    side = min(tied, key=lambda each: min(_weight(tile) for seat in sides[each] for tile in tiles_in(hands[seat])))
    dots = sum(pips) - fewest
    if score is BlockScore.DIFFERENCE:
        dots -= fewest
    return Won(_lighter_partner(hands, sides[side], leader), side, round5(dots))


def _lighter_partner(hands: tuple[int, ...], seats: tuple[int, ...], leader: int) -> int:
    """Return the seat of a side with the fewest dots, the earlier from the previous leader on (A-LIN-23, D-11)."""
    count = len(hands)
    return min(seats, key=lambda seat: (dots_in(hands[seat]), (seat - leader) % count))


def lot_rank(tile: int) -> tuple[bool, int, int]:
    """Return how a tile ranks in a lot: doubles before others, then more dots, then the higher half.

    LIN-04 and A-LIN-29: 0-0 beats 6-5, and 6-3 beats 5-4. No two tiles rank alike.
    """
    return DOUBLES >> tile & 1 == 1, *_weight(tile)


def _weight(tile: int) -> tuple[int, int]:
    """Return the dots of a tile, then its high half: no two tiles are equally heavy (A-LIN-29)."""
    return PIPS[tile], HIGH[tile]


def lot_winner(tiles: bytes) -> int:
    """Return the seat that drew the highest tile."""
    return max(range(len(tiles)), key=lambda seat: lot_rank(tiles[seat]))
