"""How a match ends."""

from enum import StrEnum
from typing import NamedTuple


class Ending(StrEnum):
    """What ended a match."""

    TARGET = "target"
    """A side reached the target and won."""
    ROUND_LIMIT = "round_limit"
    """The agreed number of rounds was played; the higher score won, equal scores are a draw."""
    DRAW = "draw"
    """Both sides stood equal at the end and the options call that a draw."""
    ABANDONED = "abandoned"
    """The host ended the match; nobody won and no score was invented."""


class Outcome(NamedTuple):
    """The end of a match. `winner` is a side (see `sides` of the game), None for a draw or an abandoned match."""

    winner: int | None
    ending: Ending
    scores: tuple[int, ...]
    """Points of each side when the match ended."""
