"""The moves that every game has; the moves of seats live with their game.

A move is a small frozen value with its actor in it. Chance is a move too: a shake says how the tiles lay, and the
engine never makes one, so a replay depends on nothing but its moves.
"""

from dataclasses import dataclass
from typing import Final

from dominohall_engine.copying import copied_by_fields

SHAKE_CODE: Final = 1
LOT_CODE: Final = 2
ABANDON_CODE: Final = 3
"""Canonical move encodings start with a code; those of seat moves start at 16, game by game."""


@dataclass(frozen=True)
class Shake:
    """The tiles are mixed and drawn (D-04, D-05).

    `tiles` is the order of the 28 tiles, one byte each: with ``n`` tiles a hand, places ``n*i .. n*i+n-1`` go to
    seat ``i``, the rest is the boneyard, drawn from its front.
    """

    tiles: bytes


@dataclass(frozen=True)
class Abandon:
    """The host ends the match, at any point, without a winner.

    `reason` is the host's own code for it: 1 to 64 of `a-z 0-9 _ -`, never a name or a sentence.
    """

    reason: str


copied_by_fields((Shake, Abandon))
