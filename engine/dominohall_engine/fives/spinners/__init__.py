"""The kinds of spinner, a room each: how a layout grows, where it is open, and what its ends come to.

A layout is kept as a *shape*, a few small numbers that only its own kind reads: enough to go on playing from, so it
holds the ends and not the tiles inside. A new kind (any order of arms, every double a spinner) is a new room with the
methods of `kind.Kind` and a line in `KINDS`.
"""

from collections.abc import Mapping
from typing import Final

from dominohall_engine.fives.options import SpinnerRule
from dominohall_engine.fives.spinners.all_four_first import AllFourFirst
from dominohall_engine.fives.spinners.kind import Kind
from dominohall_engine.fives.spinners.none import NoSpinner
from dominohall_engine.fives.spinners.sides_then_ends import SidesThenEnds

KINDS: Final[Mapping[SpinnerRule, Kind]] = {
    SpinnerRule.SIDES_THEN_ENDS: SidesThenEnds(),
    SpinnerRule.ALL_FOUR_FIRST: AllFourFirst(),
    SpinnerRule.NONE: NoSpinner(),
}
