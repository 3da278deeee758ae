"""No spinner: the layout is one line, and a double is only a tile that counts both halves.

Shape: ``left end, right end``; while a double lies alone, that double as the one end.
"""

from dominohall_engine.fives.places import DOTS, DOUBLE, END_AFTER, LEFT, NO_TILE, NUMBER, RIGHT, START
from dominohall_engine.fives.spinners.kind import Refusal
from dominohall_engine.tiles import DOUBLES, HALVES
from dominohall_engine.violations import Reason


def opened(tile: int) -> bytes:
    """Lay the first tile, its high end to the left (D-09)."""
    high, low = HALVES[tile]
    return bytes((DOUBLE + high,)) if DOUBLES >> tile & 1 else bytes((high, low))


def attached(shape: bytes, tile: int, place: int) -> bytes:
    """Lengthen the line at one end."""
    left, right = shape[0], shape[-1]
    if place == LEFT:
        return bytes((END_AFTER[tile][NUMBER[left]], right))
    return bytes((left, END_AFTER[tile][NUMBER[right]]))


def open_places(shape: bytes) -> tuple[tuple[int, int], ...]:
    """Open are both ends of the line; the two of a double alone are equivalent (D-09)."""
    if len(shape) == 1:
        return ((LEFT, NUMBER[shape[0]]),)
    return ((LEFT, NUMBER[shape[0]]), (RIGHT, NUMBER[shape[1]]))


def total(shape: bytes) -> int:
    """Add the two ends; a double alone is one end, so it counts its dots once (LIN-10, LIN-12)."""
    return sum([DOTS[end] for end in shape])


def spinner(shape: bytes) -> None:
    """Return None: there is no spinner."""


def ends(shape: bytes) -> tuple[tuple[int, int], ...]:
    """Return the ends of the line."""
    return ((LEFT, shape[0]),) if len(shape) == 1 else ((LEFT, shape[0]), (RIGHT, shape[1]))


def readable(shape: bytes) -> bool:
    """Say whether these bytes are one double alone, or two ends."""
    if len(shape) == 1:
        return DOUBLE <= shape[0] < NO_TILE
    return len(shape) == 2 and max(shape) < NO_TILE


def refusal(shape: bytes, place: int) -> Refusal:
    """Refuse a place that a line does not have, or the equivalent one of a double alone."""
    if place == START:
        return Refusal(Reason.NO_SUCH_PLACE, ("LIN-09",))
    if place == RIGHT and len(shape) == 1:
        return Refusal(Reason.NO_SUCH_PLACE, ("D-09",))
    return Refusal(Reason.NO_SUCH_PLACE, ("A-LIN-02", "D-09"))
