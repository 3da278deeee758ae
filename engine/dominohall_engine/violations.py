"""Why a move is refused: a closed list of reasons, the clauses that decide, and the facts.

A `Violation` is built only from what the acting seat may know: its own hand and the open table. So it can be shown to
that player, logged and counted without telling a hidden tile.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

Fact = int | str | tuple[str, ...]
"""The value of a fact: a number, a word, or several tiles or words."""


class Reason(StrEnum):
    """Every reason for which a move can be refused. The names stand on the wire as they are."""

    # any game
    MATCH_OVER = "MATCH_OVER"
    NOT_THIS_MOVE_NOW = "NOT_THIS_MOVE_NOW"
    """The phase asks for another kind of move: a bid while tiles are played, a shake while hands are held."""
    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    NO_SUCH_SEAT = "NO_SUCH_SEAT"
    NOT_ALL_TILES = "NOT_ALL_TILES"
    """A shake that is not the 28 tiles once each."""
    BAD_LOT = "BAD_LOT"
    """A lot that names no seat, or draws the wrong number of tiles or one tile twice."""
    BAD_ABANDON_REASON = "BAD_ABANDON_REASON"
    TILE_NOT_HELD = "TILE_NOT_HELD"

    # 42
    BID_TOO_LOW = "BID_TOO_LOW"
    BID_TOO_HIGH = "BID_TOO_HIGH"
    BID_NOT_ABOVE_LAST = "BID_NOT_ABOVE_LAST"
    MUST_BID = "MUST_BID"
    """The last seat to call may not pass under a forced-bid option."""
    NO_SUCH_TRUMP = "NO_SUCH_TRUMP"
    TRUMP_NOT_IN_HAND = "TRUMP_NOT_IN_HAND"
    FIRST_LEAD_MUST_BE_TRUMP = "FIRST_LEAD_MUST_BE_TRUMP"
    MUST_FOLLOW_SUIT = "MUST_FOLLOW_SUIT"

    # fives
    TILE_DOES_NOT_FIT = "TILE_DOES_NOT_FIT"
    NO_SUCH_PLACE = "NO_SUCH_PLACE"
    """The place is not open in this layout, or an equivalent place has the lower name (D-09)."""
    SPINNER_SIDES_FIRST = "SPINNER_SIDES_FIRST"
    SPINNER_MUST_BE_COVERED = "SPINNER_MUST_BE_COVERED"
    MUST_PLAY_IF_ABLE = "MUST_PLAY_IF_ABLE"
    """A draw or a knock while a held tile fits."""
    BONEYARD_AT_RESERVE = "BONEYARD_AT_RESERVE"
    MUST_DRAW = "MUST_DRAW"
    """A knock while the boneyard can still be drawn from."""
    ALREADY_DREW = "ALREADY_DREW"
    """A second draw in one turn under the one-tile rule."""


class Violation(NamedTuple):
    """Why this move is refused here.

    `clauses` are ids of the rule text and of the decisions on it (`F42-PL-20`, `A-PL-04`, `LIN-07`, `D-06`), the
    deciding one first; `facts` are named values for a message: seats and points as numbers, tiles as `6-4`.
    """

    reason: Reason
    clauses: tuple[str, ...]
    facts: Mapping[str, Fact]


class Problem(NamedTuple):
    """One broken invariant of a state that came from outside.

    `field` names the part of the state (`hands`, `scores`, `turn` ...), `expected` and `found` say it in words.
    """

    field: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.field}: expected {self.expected}, found {self.found}"
