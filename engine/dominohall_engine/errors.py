"""Everything the engine raises.

    DominohallError
    ├── UnreadableTile     text that names no tile                            (ValueError)
    ├── InvalidOptions     an option outside its range, or two that clash     (ValueError)
    ├── UnreadableState    bytes that are no canonical state                  (ValueError)
    ├── UnreadableMove     bytes that are no canonical move                   (ValueError)
    └── IllegalMove        a readable move that the rules forbid here; carries the `Violation`

"Unreadable" and "illegal" are different errors on purpose: the first is a fault of the sender's program, the second
may be an honest attempt of a player.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dominohall_engine.violations import Violation


class DominohallError(Exception):
    """The root of everything the engine raises."""


class UnreadableTile(DominohallError, ValueError):
    """Text or halves that name no tile."""


class InvalidOptions(DominohallError, ValueError):
    """An option outside its range, an unknown one, or two that do not go together."""


class UnreadableState(DominohallError, ValueError):
    """Bytes that are not the canonical encoding of a state."""


class UnreadableMove(DominohallError, ValueError):
    """Bytes that are not the canonical encoding of a move."""


class IllegalMove(DominohallError):
    """A move that the rules forbid in this state; nothing was changed."""

    def __init__(self, violation: "Violation") -> None:
        super().__init__(f"{violation.reason} ({', '.join(violation.clauses)})")
        self.violation = violation
