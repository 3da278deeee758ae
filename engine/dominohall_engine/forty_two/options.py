"""The options of 42: the places where the two texts, or a host's table, differ; and the presets.

Every option is written out by whoever makes an `Options`; there are no defaults, so a preset or a log says all of it.
A host that wants a table of its own starts from a preset: ``dataclasses.replace(POLISH, target=500)``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from dominohall_engine.errors import InvalidOptions
from dominohall_engine.options import check_types, check_whole_number
from dominohall_engine.revisions import check_revision


class Opener(StrEnum):
    """Who calls first in the auction (X-01)."""

    LEFT_OF_SHAKER = "left_of_shaker"
    """The seat on the shaker's left (F42-PL-18); the shake moves one seat to the left each round (F42-PL-11)."""
    HOLDER_OF_1_0 = "holder_of_1_0"
    """The seat that holds the 1-0 (F42-RU-06). Then there is neither a shaker nor a lot (X-12)."""


class AllPass(StrEnum):
    """What happens when nobody wants to bid (A-PL-10, A-RU-05)."""

    REDEAL_NEXT = "redeal_next"
    """Thrown in, nobody scores; the next shake comes as after any round, from the next shaker if there are shakers."""
    REDEAL_SAME = "redeal_same"
    """Thrown in, nobody scores; the same seat shakes again. Not under `HOLDER_OF_1_0`, which has no shaker to keep."""
    FORCED_30 = "forced_30"
    """It can't happen: after three passes the last seat to call must bid, 30 or more."""
    FORCED_31 = "forced_31"
    """It can't happen: after three passes the last seat to call must bid, 31 or more."""


class FirstLead(StrEnum):
    """What the bidder may lead to the first trick (X-06)."""

    FREE = "free"
    """Any tile (A-PL-14)."""
    TRUMP = "trump"
    """A trump, so the bidder may only name a trump that is in the hand (A-RU-10, D-03)."""


class MadeScore(StrEnum):
    """What the bidding side scores when it made its bid (X-02)."""

    POINTS = "points"
    """The points it took (F42-PL-26)."""
    POINTS_PLUS_BID = "points_plus_bid"
    """The points it took and the bid on top (F42-RU-20)."""


class BothReach(StrEnum):
    """Who wins when one round takes both sides to the target (A-PL-18)."""

    HIGHER = "higher"
    """The higher score (F42-PL-29); `Tie` decides equal ones."""
    BIDDER = "bidder"
    """The side that bid, whatever the scores."""


class Tie(StrEnum):
    """Who wins when both sides stand equal at or above the target (A-PL-17)."""

    BIDDER = "bidder"
    """The side that bid in that round."""
    ANOTHER_ROUND = "another_round"
    """Nobody yet: the match goes on until a round ends with unequal scores."""
    DRAW = "draw"
    """Nobody: the match ends drawn."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """Everything about a match of 42 that could be otherwise.

    `target` is 50 to 1000 points; `round_limit` is 1 to 1000 rounds, thrown-in ones included, or None (D-13).
    Raises `InvalidOptions` for a value outside its range, and for two that clash: `REDEAL_SAME` without a shaker;
    `BothReach.BIDDER` with a `Tie` other than `BIDDER`, which could never be asked.
    """

    revision: int
    opener: Opener
    all_pass: AllPass
    doubles_trump: bool
    """Whether doubles may be named as trump, beside the seven numbers (X-05, A-PL-13, A-RU-07)."""
    first_lead: FirstLead
    made_score: MadeScore
    defenders_keep_on_made: bool
    """Whether the other side scores the points it took when the bid was made (F42-PL-26; A-RU-16)."""
    both_reach: BothReach
    tie: Tie
    target: int
    round_limit: int | None

    def __post_init__(self) -> None:
        check_types(self)
        check_revision("forty_two", self.revision)
        check_whole_number("target", self.target, 50, 1000)
        if self.round_limit is not None:
            check_whole_number("round_limit", self.round_limit, 1, 1000)
        if self.opener is Opener.HOLDER_OF_1_0 and self.all_pass is AllPass.REDEAL_SAME:
            raise InvalidOptions("all_pass: expected redeal_next with opener holder_of_1_0, got redeal_same")
        if self.both_reach is BothReach.BIDDER and self.tie is not Tie.BIDDER:
            raise InvalidOptions(f"tie: expected bidder with both_reach bidder, got {self.tie}")


POLISH: Final = Options(
    revision=1,
    opener=Opener.LEFT_OF_SHAKER,
    all_pass=AllPass.REDEAL_NEXT,
    doubles_trump=False,
    first_lead=FirstLead.FREE,
    made_score=MadeScore.POINTS,
    defenders_keep_on_made=True,
    both_reach=BothReach.HIGHER,
    tie=Tie.BIDDER,
    target=250,
    round_limit=None,
)
"""Texas 42 as the Polish text has it (F42-PL)."""

RUSSIAN: Final = Options(
    revision=1,
    opener=Opener.HOLDER_OF_1_0,
    all_pass=AllPass.REDEAL_NEXT,
    doubles_trump=True,
    first_lead=FirstLead.TRUMP,
    made_score=MadeScore.POINTS_PLUS_BID,
    defenders_keep_on_made=False,
    both_reach=BothReach.HIGHER,
    tie=Tie.BIDDER,
    target=250,
    round_limit=None,
)
"""Forty-Two as the Russian text has it (F42-RU)."""

PRESETS: Final[Mapping[str, Options]] = MappingProxyType({"polish": POLISH, "russian": RUSSIAN})
