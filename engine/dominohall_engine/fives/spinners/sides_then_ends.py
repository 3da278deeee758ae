"""The spinner of Straight Dominoes: the first double, its sides first, then its ends (LIN-11, A-LIN-02..06).

Shape: before the first double a line, ``left end, right end``; then ``number of the spinner, side 1, side 2, end 1,
end 2``, each arm an end or `NO_TILE`. A first tile that is a double is the spinner at once; a double attached to a
line is the spinner from then on, and the line is its side 1 (A-LIN-04, D-10).
"""

from typing import Final

from dominohall_engine.fives.places import (
    DOTS,
    DOUBLE,
    END_1,
    END_2,
    END_AFTER,
    FITTING,
    LEFT,
    NO_TILE,
    RIGHT,
    SIDE_1,
    SIDE_2,
    START,
)
from dominohall_engine.fives.spinners.kind import Kind, Measured, Refusal, Shape
from dominohall_engine.tiles import DOUBLES, HALVES
from dominohall_engine.violations import Reason

_LINE: Final = 2
_CROSS: Final = 5
_LINE_PLACES: Final[tuple[int, ...]] = (LEFT, RIGHT)
_FIRST_SIDE: Final[tuple[int, ...]] = (SIDE_1,)
_SIDES: Final[tuple[int, ...]] = (SIDE_1, SIDE_2)
_FIRST_END: Final[tuple[int, ...]] = (SIDE_1, SIDE_2, END_1)
_ARMS: Final[tuple[int, ...]] = (SIDE_1, SIDE_2, END_1, END_2)


class SidesThenEnds(Kind):
    """The spinner of Straight Dominoes."""

    __slots__ = ()

    def opened(self, tile: int) -> Shape:
        """Lay the first tile, its high end to the left (D-09); a double is the spinner."""
        high, low = HALVES[tile]
        if DOUBLES >> tile & 1:
            return (high, NO_TILE, NO_TILE, NO_TILE, NO_TILE)
        return (high, low)

    def attached(self, shape: Shape, tile: int, place: int) -> Shape:
        """Lengthen an end of the line or an arm of the spinner; the first double turns the line into side 1 (D-10)."""
        if len(shape) == _LINE:
            left, right = shape
            joined, other = (left, right) if place == LEFT else (right, left)
            if DOUBLES >> tile & 1:
                return (joined, other, NO_TILE, NO_TILE, NO_TILE)
            end = END_AFTER[tile][joined]
            return (end, right) if place == LEFT else (left, end)
        arms = list(shape)
        arm = place - SIDE_1 + 1
        joined = arms[arm]
        arms[arm] = END_AFTER[tile][arms[0] if joined == NO_TILE else joined]
        return tuple(arms)

    def measured(self, shape: Shape) -> Measured:
        """Open are the end of every arm, and the next empty arm of the spinner: sides first, then ends (A-LIN-03).

        Arms are filled in the order side 1, side 2, end 1, end 2: of two empty sides, or two empty ends, only the
        lower-named is a move (D-09), and the ends open only when both sides are covered. So one empty arm at most is
        open. The spinner counts both halves until both of its sides are covered, then nothing (A-LIN-05, A-LIN-06).
        """
        if len(shape) == _LINE:
            left, right = shape
            return _LINE_PLACES, shape, FITTING[left] | FITTING[right], left + right
        number, side_1, side_2, end_1, end_2 = shape
        fits = FITTING[number]
        if side_2 == NO_TILE:
            if side_1 == NO_TILE:
                return _FIRST_SIDE, (number,), fits, 2 * number
            return _SIDES, (side_1, number), FITTING[side_1] | fits, DOTS[side_1] + 2 * number
        sides = DOTS[side_1] + DOTS[side_2]
        covered = FITTING[side_1] | FITTING[side_2]
        if end_1 == NO_TILE:
            return _FIRST_END, (side_1, side_2, number), covered | fits, sides
        joined = number if end_2 == NO_TILE else end_2
        fits = covered | FITTING[end_1] | FITTING[joined]
        return _ARMS, (side_1, side_2, end_1, joined), fits, sides + DOTS[end_1] + DOTS[end_2]

    def spinner(self, shape: Shape) -> tuple[int, int] | None:
        """Return the first double, once it lies, and what it counts."""
        if len(shape) == _LINE:
            return None
        return shape[0], 2 * shape[0] if shape[2] == NO_TILE else 0

    def ends(self, shape: Shape) -> tuple[tuple[int, int], ...]:
        """Return the two ends of the line, or the four arms of the spinner."""
        if len(shape) == _LINE:
            return ((LEFT, shape[0]), (RIGHT, shape[1]))
        return tuple(zip(_ARMS, shape[1:], strict=True))

    def readable(self, shape: Shape) -> bool:
        """Say whether this is a line of plain ends, or a spinner whose arms are filled in order."""
        if len(shape) == _LINE:
            return max(shape) < DOUBLE
        if len(shape) != _CROSS:
            return False
        number, side_1, side_2, end_1, end_2 = shape
        return (
            number < DOUBLE
            and max(side_1, side_2, end_1, end_2) <= NO_TILE
            and (side_1 != NO_TILE or side_2 == NO_TILE)
            and (side_2 != NO_TILE or end_1 == NO_TILE)
            and (end_1 != NO_TILE or end_2 == NO_TILE)
        )

    def refusal(self, shape: Shape, place: int) -> Refusal:
        """Refuse a place that is not there, an end of the spinner before its sides, or the higher of two alike."""
        if place == START:
            return Refusal(Reason.NO_SUCH_PLACE, ("LIN-09",))
        if len(shape) == _LINE:
            return Refusal(Reason.NO_SUCH_PLACE, ("A-LIN-04",))
        if place in {LEFT, RIGHT}:
            return Refusal(Reason.NO_SUCH_PLACE, ("D-10",))
        if place in {END_1, END_2} and shape[2] == NO_TILE:
            return Refusal(Reason.SPINNER_SIDES_FIRST, ("A-LIN-03", "A-LIN-02", "LIN-11"))
        return Refusal(Reason.NO_SUCH_PLACE, ("D-09",))
