"""A layout of fives as it lies on the table, built from the tiles in the order in which they were laid.

The state keeps only what the rules need: the ends. A drawing needs every tile and which way round it lies.
"""

from collections.abc import Iterable
from typing import NamedTuple

from dominohall_engine.fives.places import END_1, END_2, LEFT, RIGHT, SIDE_1, SIDE_2, START
from dominohall_engine.tiles import HALVES


class Laid(NamedTuple):
    """A tile as it lies: the half nearer to the middle, then the half that points outwards."""

    inner: int
    outer: int


class Layout(NamedTuple):
    """The tiles of a round: the spinner's number, None without one, and four arms from the middle outwards.

    Without a spinner the first tile begins the right arm, high half first, and the line has no other middle.
    """

    spinner: int | None
    left: tuple[Laid, ...]
    right: tuple[Laid, ...]
    upper: tuple[Laid, ...]
    lower: tuple[Laid, ...]


_ARM_OF = {SIDE_1: 0, SIDE_2: 1, END_1: 2, END_2: 3}


def layout(plays: Iterable[tuple[int, int]], *, with_spinner: bool) -> Layout:
    """Lay tiles down: pairs of (place, tile) that were legal in this order.

    `with_spinner` says whether the first double is one (`Options.spinner` is not `none`).
    """
    line: list[tuple[int, int]] = []
    spinner: int | None = None
    arms: tuple[list[Laid], ...] = ([], [], [], [])
    for place, tile in plays:
        high, low = HALVES[tile]
        double = with_spinner and high == low
        if place in _ARM_OF:
            arm = arms[_ARM_OF[place]]
            inner = arm[-1].outer if arm else spinner
            arm.append(Laid(high, low) if inner == high else Laid(low, high))
        elif double:  # D-10: the line so far becomes side 1, whichever end the spinner was attached to
            spinner = high
            outwards = line if place == LEFT else [(right, left) for left, right in reversed(line)]
            arms[0].extend(Laid(*each) for each in outwards)
            line = []
        elif place == START:
            line.append((high, low))
        elif place == LEFT:
            joined = line[0][0]
            line.insert(0, (low, high) if high == joined else (high, low))
        elif place == RIGHT:
            joined = line[-1][1]
            line.append((high, low) if high == joined else (low, high))
    if line:
        arms[1].extend(Laid(*each) for each in line)
    left, right, upper, lower = (tuple(arm) for arm in arms)
    return Layout(spinner, left, right, upper, lower)
