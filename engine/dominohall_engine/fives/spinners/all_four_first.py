"""The spinner to the letter of LIN-11: all sides of the first double are covered before anything else (A-LIN-02).

As `sides_then_ends` in everything (the order of the arms too, A-LIN-03) but this: while an arm of the spinner is
empty, that is the only open place.
"""

from dominohall_engine.fives.places import FITTING, NO_TILE, PLACE_COUNT, SIDE_1
from dominohall_engine.fives.spinners import sides_then_ends
from dominohall_engine.fives.spinners.kind import Measured, Refusal, Shape
from dominohall_engine.fives.spinners.sides_then_ends import attached, ends, opened, readable, spinner
from dominohall_engine.violations import Reason

__all__ = ["attached", "ends", "measured", "opened", "readable", "refusal", "spinner"]


def measured(shape: Shape) -> Measured:
    """Open is the next empty arm of the spinner and nothing else, until there is none."""
    places, masks, total = sides_then_ends.measured(shape)
    if NO_TILE in shape:
        empty = places[-1]
        return ((empty,), tuple([FITTING[shape[0]] * (place == empty) for place in range(PLACE_COUNT)]), total)
    return (places, masks, total)


def refusal(shape: Shape, place: int) -> Refusal:
    """Refuse an arm that may not grow yet; everything else as `sides_then_ends` does."""
    if NO_TILE in shape and SIDE_1 <= place < PLACE_COUNT and shape[1 + place - SIDE_1] != NO_TILE:
        return Refusal(Reason.SPINNER_MUST_BE_COVERED, ("LIN-11", "A-LIN-02"))
    return sides_then_ends.refusal(shape, place)
