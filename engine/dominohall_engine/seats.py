"""Seats 0 to 3, clockwise: the only players the engine knows."""

from typing import Final

SEAT_COUNT: Final = 4
PARTNERSHIPS: Final = ((0, 2), (1, 3))
"""The sides of a partnership game: side 0 is seats 0 and 2, side 1 is seats 1 and 3."""


def left_of(seat: int, count: int = SEAT_COUNT) -> int:
    """Return the next seat clockwise."""
    return (seat + 1) % count
