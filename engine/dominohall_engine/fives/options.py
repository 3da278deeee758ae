"""The options of Fives: the places where the text leaves a choice, or a host's table differs; and the preset.

Every option is written out by whoever makes an `Options`; there are no defaults, so a preset or a log says all of it.
A host that wants other seats starts from the preset: ``dataclasses.replace(LINEAR, seats=2, partners=False)``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from dominohall_engine.errors import InvalidOptions
from dominohall_engine.options import check_types, check_whole_number
from dominohall_engine.revisions import check_revision
from dominohall_engine.tiles import TILE_COUNT

LARGEST_HAND: Final = 14
"""The hand of two seats that draw every tile."""


class DrawRule(StrEnum):
    """How a seat draws that holds no tile that fits (A-LIN-09)."""

    UNTIL_PLAYABLE = "until_playable"
    """One tile after another until one fits or the boneyard is at its reserve (LIN-07)."""
    ONE = "one"
    """One tile a turn; if that does not fit, the seat knocks."""
    NONE = "none"
    """Nobody draws: a seat that can't play knocks."""


class SpinnerRule(StrEnum):
    """What the first double does (LIN-11, A-LIN-02); each value has its room in `spinners`."""

    SIDES_THEN_ENDS = "sides_then_ends"
    """It opens its two sides, and its two ends once both sides are covered; nobody need cover them (A-LIN-03)."""
    ALL_FOUR_FIRST = "all_four_first"
    """The text to the letter: while it is not covered on its four sides, tiles go nowhere else."""
    NONE = "none"
    """Nothing: the layout stays one line."""


class BlockScore(StrEnum):
    """What the winner of a blocked round takes (A-LIN-19)."""

    SUM = "sum"
    """The dots of all opponents (LIN-17)."""
    DIFFERENCE = "difference"
    """The dots of all opponents less those of the winning side."""


class TieRule(StrEnum):
    """Who wins a blocked round when several sides have the fewest dots (A-LIN-21)."""

    NOBODY = "nobody"
    LIGHTEST_TILE = "lightest_tile"
    """Of those, the side with the lightest single tile: fewest dots, then the lower high half (A-LIN-29 downwards)."""


class TieLead(StrEnum):
    """Who leads after a blocked round that nobody won (A-LIN-22)."""

    REDRAW = "redraw"
    """The seat that a new lot finds."""
    PREVIOUS_LEADER = "previous_leader"
    NEXT_SEAT = "next_seat"
    """The seat on the previous leader's left."""


class BlockLead(StrEnum):
    """Who leads after a blocked round that a side won (A-LIN-23)."""

    WINNER = "winner"
    """The winner (LIN-19); of two partners the one with fewer dots, equal ones by D-11."""
    LOT = "lot"
    """The seat that a new lot finds."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """Everything about a match of Fives that could be otherwise.

    `seats` is 2 to 4; `partners` only with four (LIN-03). `hand_size` is 1 to 14 tiles, 28 for all seats together at
    most. `reserve` is how many tiles of the boneyard nobody may draw, 0 to 2 (A-LIN-12), and 0 where nobody draws at
    all. `target` is 50 to 1000 points (LIN-18); `round_limit` is 1 to 1000 rounds or None (D-13). Raises
    `InvalidOptions` for a value outside its range and for those that clash.
    """

    revision: int
    seats: int
    partners: bool
    """Whether seats 0 and 2 play as one side against 1 and 3 (A-LIN-31)."""
    hand_size: int
    draw: DrawRule
    reserve: int
    spinner: SpinnerRule
    block_score: BlockScore
    tie: TieRule
    tie_lead: TieLead
    block_lead: BlockLead
    finish_hand: bool
    """Whether a round is played out when a side reaches the target; the higher score then wins, and equal ones play
    on. Otherwise the match stops at once (A-LIN-26)."""
    opening_scores: bool
    """Whether the first tile of a round scores its own dots (A-LIN-07)."""
    target: int
    round_limit: int | None

    def __post_init__(self) -> None:
        check_types(self)
        check_revision("fives", self.revision)
        check_whole_number("seats", self.seats, 2, 4)
        check_whole_number("hand_size", self.hand_size, 1, LARGEST_HAND)
        check_whole_number("reserve", self.reserve, 0, 2)
        check_whole_number("target", self.target, 50, 1000)
        if self.round_limit is not None:
            check_whole_number("round_limit", self.round_limit, 1, 1000)
        if self.partners and self.seats != 4:
            raise InvalidOptions(f"partners: expected false with {self.seats} seats, got true")
        if self.seats * self.hand_size > TILE_COUNT:
            most = TILE_COUNT // self.seats
            raise InvalidOptions(f"hand_size: expected at most {most} with {self.seats} seats, got {self.hand_size}")
        if self.draw is DrawRule.NONE and self.reserve:
            raise InvalidOptions(f"reserve: expected 0 where nobody draws, got {self.reserve}")


LINEAR: Final = Options(
    revision=1,
    seats=4,
    partners=True,
    hand_size=7,
    draw=DrawRule.UNTIL_PLAYABLE,
    reserve=0,
    spinner=SpinnerRule.SIDES_THEN_ENDS,
    block_score=BlockScore.SUM,
    tie=TieRule.NOBODY,
    tie_lead=TieLead.REDRAW,
    block_lead=BlockLead.WINNER,
    finish_hand=False,
    opening_scores=True,
    target=250,
    round_limit=None,
)
"""Straight Dominoes as the Russian text "Линейное домино" has it (LIN), four seats in partnership."""

PRESETS: Final[Mapping[str, Options]] = MappingProxyType({"linear": LINEAR})
