"""Random playouts of one engine, driven from Python: `playouts.py WHAT [--rounds N]`, asked over standard input.

Each line that comes in is a number of rounds to play; each is answered by one line of JSON: how many moves were made
and the processor seconds that they took. Of a round: ask for the legal moves, take one of them at random, apply it,
until it is scored.

Moves are the decisions of seats, whoever's the engine. `WHAT` plays whole rounds, dealing included: one shake here, two
dozen chance actions there. `WHAT:dealt` deals before the clock starts. With `--rounds N`, N rounds are played and the
process ends: for counting instructions.
"""

import json
import random
import sys
from collections.abc import Callable
from time import process_time
from typing import Any

Deal = Callable[[], Any]
"""Deals a round and returns where it then stands."""
Play = Callable[[Any], int]
"""Plays a dealt round and says how many decisions that took."""


def ours(game_name: str, options_of: Callable[[Any], Any]) -> tuple[Deal, Play]:
    """Return how a game of this engine is dealt and played."""
    import importlib  # noqa: PLC0415 - each contender imports its own engine alone

    from dominohall_engine.moves import Shake  # noqa: PLC0415

    game = importlib.import_module(f"dominohall_engine.{game_name}")
    begun = game.new_match(options_of(game), first=0)
    legal_moves, apply, turn, choice = game.legal_moves, game.apply, game.turn, random.choice
    order = list(range(28))

    def deal() -> Any:  # noqa: ANN401 - a state of that game
        random.shuffle(order)
        return apply(begun, Shake(bytes(order)))

    def play(state: Any) -> int:  # noqa: ANN401 - a state of that game
        moves = 0
        while turn(state) is not None:
            legal = legal_moves(state)
            state = apply(state, choice(legal))
            moves += 1
        return moves

    return deal, play


def openspiel(name: str) -> tuple[Deal, Play]:
    """Return how a game of OpenSpiel is dealt and played."""
    import pyspiel  # type: ignore[import-not-found]  # noqa: PLC0415

    if name.startswith("python_"):
        import open_spiel.python.games  # type: ignore[import-not-found]  # noqa: F401, PLC0415 - registers them
    game = pyspiel.load_game(name)
    choice = random.choice

    def deal() -> Any:  # noqa: ANN401 - pyspiel ships no types
        state = game.new_initial_state()
        while state.is_chance_node():
            state.apply_action(choice(state.chance_outcomes())[0])  # each as likely as the others
        return state

    def play(state: Any) -> int:  # noqa: ANN401
        moves = 0
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(choice(legal))
            moves += 1
        return moves

    return deal, play


def dominoes() -> tuple[Deal, Play]:
    """Return how `dominoes` from PyPI is dealt and played."""
    import dominoes as package  # type: ignore[import-not-found]  # noqa: PLC0415

    choice = random.choice

    def deal() -> Any:  # noqa: ANN401 - it ships no types
        return package.Game.new(starting_player=0)

    def play(game: Any) -> int:  # noqa: ANN401
        moves = 0
        while game.result is None:
            legal = game.valid_moves
            game.make_move(*choice(legal))
            moves += 1
        return moves

    return deal, play


def linear(seats: int) -> Callable[[Any], Any]:
    """Return what makes the options of Linear for so many seats, each for itself."""
    from dataclasses import replace  # noqa: PLC0415

    return lambda game: replace(game.LINEAR, seats=seats, partners=False)


CONTENDERS: dict[str, Callable[[], tuple[Deal, Play]]] = {
    "forty_two": lambda: ours("forty_two", lambda game: game.POLISH),
    "linear_4": lambda: ours("fives", linear(4)),
    "linear_2": lambda: ours("fives", linear(2)),
    "euchre": lambda: openspiel("euchre"),
    "block_dominoes": lambda: openspiel("python_block_dominoes"),
    "dominoes": dominoes,
}


def lap(deal: Deal, play: Play, rounds: int, *, dealt: bool) -> dict[str, float]:
    """Play so many rounds."""
    if dealt:
        states = [deal() for _ in range(rounds)]
        before = process_time()
        moves = sum(play(state) for state in states)
    else:
        before = process_time()
        moves = sum(play(deal()) for _ in range(rounds))
    return {"moves": moves, "cpu": process_time() - before}


def main(what: str, *arguments: str) -> None:
    """Answer laps until standard input ends."""
    name, _, form = what.partition(":")
    deal, play = CONTENDERS[name]()
    random.seed(42)
    for line in [arguments[1]] if arguments else sys.stdin:
        print(json.dumps(lap(deal, play, int(line), dealt=form == "dealt")), flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    main(*sys.argv[1:])
