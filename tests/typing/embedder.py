"""An app that embeds the engine, as its author would write it: checked under `mypy --strict` against the wheel."""

from collections.abc import Callable

from dominohall_engine import fives, forty_two
from dominohall_engine.errors import IllegalMove
from dominohall_engine.outcomes import Outcome
from dominohall_engine.shuffle import shuffled
from dominohall_engine.violations import Violation

Choose = Callable[[forty_two.View], forty_two.SeatMove]


def first_move(view: forty_two.View) -> forty_two.SeatMove:
    """Choose as the simplest player does, from what it may see."""
    return view.legal_moves[0]


def play(choose: Choose, seeds: list[bytes]) -> Outcome | None:
    """Play a match of 42 for as long as there are shakes."""
    state: forty_two.State = forty_two.new_match(forty_two.POLISH, first=0)
    while forty_two.outcome(state) is None:
        seat: int | None = forty_two.turn(state)
        if seat is not None:
            state = forty_two.apply(state, choose(forty_two.view(state, seat)))
        elif seeds:
            state = forty_two.apply(state, forty_two.Shake(shuffled(seeds.pop())))
        else:
            state = forty_two.apply(state, forty_two.Abandon("no more shakes"))
    return forty_two.outcome(state)


def refusal(state: forty_two.State, move: forty_two.Move) -> Violation | None:
    """Say why a move is refused, None if it is not."""
    return forty_two.violation(state, move)


def undecided(state: fives.State) -> fives.State:
    """Send a state through its bytes, and apply the first legal move."""
    state = fives.decode(fives.encode(state))
    try:
        return fives.apply(state, fives.legal_moves(state)[0])
    except IllegalMove as error:
        raise SystemExit(", ".join(error.violation.clauses)) from error


def longer(options: fives.Options) -> int:
    """Read an option."""
    target: int = options.target
    return target


play(first_move, [bytes(32)])
