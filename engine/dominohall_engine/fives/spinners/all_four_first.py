"""The spinner to the letter of LIN-11: all sides of the first double are covered before anything else (A-LIN-02).

As `sides_then_ends` in everything (the order of the arms too, A-LIN-03) but this: while an arm of the spinner is
empty, that is the only open place.
"""

from dominohall_engine.fives.places import FITTING, NO_TILE, PLACE_COUNT, SIDE_1
from dominohall_engine.fives.spinners.kind import Measured, Refusal, Shape
from dominohall_engine.fives.spinners.sides_then_ends import SidesThenEnds
from dominohall_engine.violations import Reason


class AllFourFirst(SidesThenEnds):
    """All four sides of the spinner first."""

    __slots__ = ()

    def measured(self, shape: Shape) -> Measured:
        """Open is the next empty arm of the spinner and nothing else, until there is none."""
        found = super().measured(shape)
        if NO_TILE in shape:
            return found[0][-1:], shape[:1], FITTING[shape[0]], found[3]
        return found

    def refusal(self, shape: Shape, place: int) -> Refusal:
        """Refuse an arm that may not grow yet; everything else as `sides_then_ends` does."""
        if NO_TILE in shape and SIDE_1 <= place < PLACE_COUNT and shape[1 + place - SIDE_1] != NO_TILE:
            return Refusal(Reason.SPINNER_MUST_BE_COVERED, ("LIN-11", "A-LIN-02"))
        return super().refusal(shape, place)
