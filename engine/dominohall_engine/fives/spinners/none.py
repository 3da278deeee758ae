"""No spinner: the layout is one line, and a double is only a tile that counts both halves.

Shape: ``left end, right end``; while a double lies alone, that double as the one end.
"""

from typing import Final

from dominohall_engine.fives.places import DOTS, DOUBLE, END_AFTER, FITTING, LEFT, NO_TILE, RIGHT, START
from dominohall_engine.fives.spinners.kind import Kind, Measured, Refusal, Shape
from dominohall_engine.tiles import DOUBLES, HALVES
from dominohall_engine.violations import Reason

_PLACES: Final[tuple[int, ...]] = (LEFT, RIGHT)
_ONE_PLACE: Final[tuple[int, ...]] = (LEFT,)


class NoSpinner(Kind):
    """A line and nothing else."""

    __slots__ = ()

    def opened(self, tile: int) -> Shape:
        """Lay the first tile, its high end to the left (D-09)."""
        high, low = HALVES[tile]
        return (DOUBLE + high,) if DOUBLES >> tile & 1 else (high, low)

    def attached(self, shape: Shape, tile: int, place: int) -> Shape:
        """Lengthen the line at one end."""
        left, right = shape[0], shape[-1]
        if place == LEFT:
            return (END_AFTER[tile][left], right)
        return (left, END_AFTER[tile][right])

    def measured(self, shape: Shape) -> Measured:
        """Open are both ends of the line, and the total is what they show.

        The two ends of a double alone are equivalent (D-09), and its dots count once (A-LIN-07).
        """
        if len(shape) == 1:
            return _ONE_PLACE, shape, FITTING[shape[0]], DOTS[shape[0]]
        left, right = shape
        return _PLACES, shape, FITTING[left] | FITTING[right], DOTS[left] + DOTS[right]

    def spinner(self, shape: Shape) -> None:
        """Return None: there is no spinner."""

    def ends(self, shape: Shape) -> tuple[tuple[int, int], ...]:
        """Return the ends of the line."""
        return ((LEFT, shape[0]),) if len(shape) == 1 else ((LEFT, shape[0]), (RIGHT, shape[1]))

    def readable(self, shape: Shape) -> bool:
        """Say whether these are one double alone, or two ends."""
        if len(shape) == 1:
            return DOUBLE <= shape[0] < NO_TILE
        return len(shape) == 2 and max(shape) < NO_TILE

    def refusal(self, shape: Shape, place: int) -> Refusal:
        """Refuse a place that a line does not have, or the equivalent one of a double alone."""
        if place == START:
            return Refusal(Reason.NO_SUCH_PLACE, ("LIN-09",))
        if place == RIGHT and len(shape) == 1:
            return Refusal(Reason.NO_SUCH_PLACE, ("D-09",))
        return Refusal(Reason.NO_SUCH_PLACE, ("A-LIN-02", "D-09"))
