"""The shape of a game: what `forty_two` and `fives` both offer, as a `Protocol` that plain modules satisfy.

A match is a fold: `apply(state, move)` is a pure function, a replay is the moves, re-simulation is the fold run again.
`violation` alone decides what is legal; `legal_moves` and `apply` agree with it.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Protocol, TypeVar

from dominohall_engine.outcomes import Outcome
from dominohall_engine.violations import Problem, Violation

OptionsT = TypeVar("OptionsT")
StateT = TypeVar("StateT")
MoveT = TypeVar("MoveT")
ViewT = TypeVar("ViewT", covariant=True)


class Phase(StrEnum):
    """What a state waits for."""

    LOT = "lot"
    SHAKE = "shake"
    AUCTION = "auction"
    NAMING = "naming"
    PLAYING = "playing"
    OVER = "over"


class Game(Protocol[OptionsT, StateT, MoveT, ViewT]):
    """A game of dominoes as a module of functions."""

    @property
    def NAME(self) -> str:  # noqa: N802 - a module constant
        """The name on the wire and in logs: `forty_two`, `fives`."""

    @property
    def PRESETS(self) -> Mapping[str, OptionsT]:  # noqa: N802
        """Named options: `polish`, `russian`, `linear`."""

    @property
    def Options(self) -> type[OptionsT]:  # noqa: N802
        """The options of this game, frozen and validated."""

    def new_match(self, options: OptionsT, first: int | None = None) -> StateT:
        """Begin a match. `first` names the seat that the opening lot would have found (a rematch), if given."""

    def options_of(self, state: StateT) -> OptionsT:
        """Return the options that this match is played under."""

    def sides(self, options: OptionsT) -> tuple[tuple[int, ...], ...]:
        """Return the seats of each side: partners together, or every seat its own side."""

    def phase(self, state: StateT) -> Phase:
        """Say what the state waits for."""

    def shakes(self, state: StateT) -> int:
        """Return how many shakes the match has had, 0 before the first."""

    def order(self, state: StateT) -> bytes | None:
        """Return the hidden order of the current shake (28 bytes), None while no tiles are dealt."""

    def turn(self, state: StateT) -> int | None:
        """Return the seat that must act, None when a lot or shake is due or the match is over."""

    def legal_moves(self, state: StateT) -> tuple[MoveT, ...]:
        """Return the seat moves that are legal now, in a fixed order; never a chance move."""

    def violation(self, state: StateT, move: MoveT) -> Violation | None:
        """Return why the move is refused, None if it is legal."""

    def apply(self, state: StateT, move: MoveT) -> StateT:
        """Return the state after the move; `IllegalMove` if the rules forbid it. Never changes `state`."""

    def view(self, state: StateT, seat: int | None) -> ViewT:
        """Return what this seat may see; None is a spectator."""

    def problems(self, state: StateT) -> tuple[Problem, ...]:
        """Return every broken invariant of a state that came from outside; empty means it may be believed."""

    def outcome(self, state: StateT) -> Outcome | None:
        """Return how the match ended, None while it goes on."""

    def encode(self, state: StateT) -> bytes:
        """Return the canonical bytes of the state: the public part, then the hidden part."""

    def decode(self, data: bytes) -> StateT:
        """Read `encode`'s bytes; `UnreadableState` for anything else. Does not run `problems`."""

    def encode_public(self, state: StateT) -> bytes:
        """Return the public part alone: what everybody at the table knows. It never depends on a hidden tile."""

    def encode_move(self, move: MoveT) -> bytes:
        """Return the canonical bytes of a move: its code, then its fields."""

    def decode_move(self, data: bytes) -> MoveT:
        """Read `encode_move`'s bytes; `UnreadableMove` for anything else."""

    def seat_moves(self, options: OptionsT) -> tuple[MoveT, ...]:
        """Return the whole domain of seat moves, legal or not: what `legal_moves` is a part of."""
