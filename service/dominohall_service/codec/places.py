"""Which places of a shake a seat has seen: what it was dealt, and what it drew."""

from typing import Any

from dominohall_engine import fives
from dominohall_engine.fives.state import Playing as FivesPlaying
from dominohall_engine.games import AnyGame


def places_of(game: AnyGame, state: Any, seat: int) -> tuple[int, ...]:  # noqa: ANN401 - a state of that game
    """Return the places in the order of the current shake whose tiles this seat has held (D-05), ascending."""
    if game.NAME == "forty_two":
        return tuple(range(7 * seat, 7 * seat + 7))
    if not isinstance(state, FivesPlaying):
        return ()
    options = state.round.rules.options
    own = list(range(options.hand_size * seat, options.hand_size * (seat + 1)))
    front = options.hand_size * options.seats
    for move in fives.view(state, None).history:
        if isinstance(move, fives.Draw):
            if move.seat == seat:
                own.append(front)
            front += 1
    return tuple(own)
