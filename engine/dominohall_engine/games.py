"""The games of this engine by name."""

from collections.abc import Mapping
from typing import Any, Final

from dominohall_engine import fives, forty_two
from dominohall_engine.game import Game

AnyGame = Game[Any, Any, Any, Any]

_FORTY_TWO: AnyGame = forty_two
_FIVES: AnyGame = fives
GAMES: Final[Mapping[str, AnyGame]] = {"forty_two": _FORTY_TWO, "fives": _FIVES}
PRESETS: Final[tuple[str, ...]] = tuple(f"{name}.{preset}" for name, game in GAMES.items() for preset in game.PRESETS)
"""Presets as they are written on the wire: `forty_two.polish`, `forty_two.russian`, `fives.linear`."""
