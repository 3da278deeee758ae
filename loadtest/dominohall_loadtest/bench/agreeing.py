"""Random rounds of 42 as the engine plays them, written down to hold another library against."""

import random
from typing import Any

from dominohall_engine import forty_two
from dominohall_engine.moves import Shake


def recorded_rounds(count: int, seed: int) -> list[dict[str, Any]]:
    """Play rounds of the Polish text at random; return each one's order, steps with all that was legal, and score."""
    chance = random.Random(seed)  # noqa: S311 - the same rounds each time
    rounds = []
    for _ in range(count):
        order = list(range(28))
        chance.shuffle(order)
        state = forty_two.apply(forty_two.new_match(forty_two.POLISH, first=0), Shake(bytes(order)))
        steps = []
        while (seat := forty_two.turn(state)) is not None:
            legal = forty_two.legal_moves(state)
            move = chance.choice(legal)
            name, arguments = written(move)
            listed = [" ".join((each[0], *map(str, each[1]))) for each in map(written, legal)]
            steps.append({"seat": seat, "legal": listed, "move": name, "args": arguments})
            state = forty_two.apply(state, move)
        result = forty_two.view(state, None).last_round
        rounds.append({"order": order, "steps": steps, "gained": list(result.gained) if result else None})
    return rounds


def written(move: Any) -> tuple[str, list[int]]:  # noqa: ANN401 - a seat move
    """Write a move as the other library has it: its name and its arguments."""
    if isinstance(move, forty_two.Bid):
        return "bid", [move.points]
    if isinstance(move, forty_two.NameTrump):
        return "name", [move.trump]
    return ("play", [move.tile]) if isinstance(move, forty_two.Play) else ("pass", [])
