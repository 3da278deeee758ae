"""The spinner to the letter of LIN-11: all sides of the first double are covered before anything else (A-LIN-02).

As `sides_then_ends` in everything (the order of the arms too, A-LIN-03) but this: while an arm of the spinner is
empty, that is the only open place.
"""

from dominohall_engine.fives.places import NO_TILE, PLACE_COUNT, SIDE_1
from dominohall_engine.fives.spinners import sides_then_ends
from dominohall_engine.fives.spinners.kind import Refusal
from dominohall_engine.fives.spinners.sides_then_ends import attached, ends, opened, readable, spinner, total
from dominohall_engine.violations import Reason

__all__ = ["attached", "ends", "open_places", "opened", "readable", "refusal", "spinner", "total"]


def open_places(shape: bytes) -> tuple[tuple[int, int], ...]:
    """Open is the next empty arm of the spinner and nothing else, until there is none."""
    places = sides_then_ends.open_places(shape)
    return places[-1:] if NO_TILE in shape else places


def refusal(shape: bytes, place: int) -> Refusal:
    """Refuse an arm that may not grow yet; everything else as `sides_then_ends` does."""
    if NO_TILE in shape and SIDE_1 <= place < PLACE_COUNT and shape[1 + place - SIDE_1] != NO_TILE:
        return Refusal(Reason.SPINNER_MUST_BE_COVERED, ("LIN-11", "A-LIN-02"))
    return sides_then_ends.refusal(shape, place)
