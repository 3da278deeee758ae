"""How quick the rules are on this machine: `python -m dominohall_loadtest.bench [--rounds N]`, or `make bench`.

For each preset: playing matches with legal moves at random (legal moves listed, one applied), playing the same matches
again from their moves, and writing the canonical bytes of a state. Figures of a busy machine drift by half; so the
presets take turns, each figure is the median of the rounds, and only figures of one run are worth comparing.
"""

import random
import sys
from argparse import ArgumentParser
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any, Final

from dominohall_engine.game import Phase
from dominohall_engine.games import GAMES, PRESETS, AnyGame
from dominohall_engine.moves import LOT_CODE, Shake
from dominohall_engine.shuffle import shuffled

MATCHES: Final = 20
"""Matches of each preset a round: some thousands of moves."""


@dataclass(frozen=True)
class Recorded:
    """A match as its moves, and the states they led to."""

    moves: tuple[Any, ...]
    states: tuple[Any, ...]


@dataclass(frozen=True)
class Figures:
    """Moves a second."""

    played: float
    replayed: float
    encoded: float


def new_match(preset: str) -> tuple[AnyGame, Any]:
    """Begin a match of a preset."""
    name, _, options = preset.partition(".")
    game = GAMES[name]
    return game, game.new_match(game.PRESETS[options])


def chance_move(game: AnyGame, state: object, order: bytes) -> Any:  # noqa: ANN401 - a move of that game
    """Make the shake or the lot that is due: a seat in forty-two, a tile a seat in fives."""
    if game.phase(state) is Phase.SHAKE:
        return Shake(order)
    seats = sum(len(side) for side in game.sides(game.options_of(state)))
    return game.decode_move(bytes((LOT_CODE,)) + (order[:seats] if game.NAME == "fives" else bytes(1)))


def play(preset: str, chance: random.Random) -> Recorded:
    """Play one match with moves at random."""
    game, state = new_match(preset)
    moves, states = [], []
    while game.outcome(state) is None:
        if game.turn(state) is None:
            move = chance_move(game, state, shuffled(chance.randbytes(32)))
        else:
            move = chance.choice(game.legal_moves(state))
        state = game.apply(state, move)
        moves.append(move)
        states.append(state)
    return Recorded(tuple(moves), tuple(states))


def measure(preset: str, seed: int) -> Figures:
    """Measure one preset once."""
    chance = random.Random(seed)  # noqa: S311 - a benchmark that plays the same matches each time
    start = perf_counter()
    matches = [play(preset, chance) for _ in range(MATCHES)]
    played = perf_counter()
    for match in matches:
        game, state = new_match(preset)
        for move in match.moves:
            state = game.apply(state, move)
    replayed = perf_counter()
    for match in matches:
        for state in match.states:
            game.encode(state)
    encoded = perf_counter()
    count = sum(len(match.moves) for match in matches)
    return Figures(count / (played - start), count / (replayed - played), count / (encoded - replayed))


def main(arguments: list[str]) -> int:
    """Measure every preset and print a table."""
    parser = ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="how often each preset is measured (5)")
    rounds = parser.parse_args(arguments).rounds
    taken: dict[str, list[Figures]] = {preset: [] for preset in PRESETS}
    for number in range(rounds):
        for preset, figures in taken.items():
            figures.append(measure(preset, number))
    print(f"{'moves a second':20}{'played':>12}{'replayed':>12}{'encoded':>12}")  # noqa: T201 - a command's output
    for preset, figures in taken.items():
        columns = (median(getattr(each, name) for each in figures) for name in ("played", "replayed", "encoded"))
        print(f"{preset:20}" + "".join(f"{column:12,.0f}" for column in columns))  # noqa: T201 - a command's output
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
