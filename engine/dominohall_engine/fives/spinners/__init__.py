"""The kinds of spinner, a room each: how a layout grows, where it is open, and what its ends come to.

A layout is kept as a *shape*, a few small numbers that only its own kind reads: enough to go on playing from, so it
holds the ends and not the tiles inside. A new kind (any order of arms, every double a spinner) is a new room with the
functions of `kind.Kind` and a line in `KINDS`.
"""

from collections.abc import Mapping
from typing import Final

from dominohall_engine.fives.options import SpinnerRule
from dominohall_engine.fives.spinners import all_four_first, none, sides_then_ends
from dominohall_engine.fives.spinners.kind import Kind

_SIDES_THEN_ENDS: Kind = sides_then_ends
_ALL_FOUR_FIRST: Kind = all_four_first
_NONE: Kind = none
KINDS: Final[Mapping[SpinnerRule, Kind]] = {
    SpinnerRule.SIDES_THEN_ENDS: _SIDES_THEN_ENDS,
    SpinnerRule.ALL_FOUR_FIRST: _ALL_FOUR_FIRST,
    SpinnerRule.NONE: _NONE,
}
