"""The kinds of matches that are played: every preset, and Straight Dominoes with each number of seats."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from dominohall.v1 import options_pb2
from dominohall_engine.games import GAMES, PRESETS, AnyGame


@dataclass(frozen=True)
class Kind:
    """One kind of match: a preset, and the options that differ from it."""

    name: str
    preset: str
    changes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def game(self) -> AnyGame:
        """Return the engine's module for it."""
        return GAMES[self.preset.partition(".")[0]]

    @property
    def options(self) -> Any:  # noqa: ANN401 - the options of either game
        """Return the engine's options for it."""
        return replace(self.game.PRESETS[self.preset.partition(".")[2]], **self.changes)

    @property
    def seats(self) -> tuple[int, ...]:
        """Return the seats at the table."""
        return tuple(sorted(seat for side in self.game.sides(self.options) for seat in side))

    def to_proto(self) -> options_pb2.Options:
        """Write the options as a request asks for them: the preset, and what differs."""
        message = options_pb2.Options(preset=self.preset)
        part = getattr(message, self.game.NAME)
        for name, value in self.changes.items():
            setattr(part, name, value)
        return message


KINDS: Final = (
    *(Kind(preset, preset) for preset in PRESETS),
    *(Kind(f"fives.linear, {seats} seats", "fives.linear", {"seats": seats, "partners": False}) for seats in (2, 3, 4)),
)
