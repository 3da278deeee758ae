"""Replays and checks of recorded matches: `checking.py WHAT [moves] [FOLDER]`, asked as `playouts.py` is.

`replay` folds the recorded moves of matches of 42 again, with the engine alone; `verify` judges their whole logs:
legality, digests, chain, deals; `audit` judges the archive in FOLDER by the bulk audit, on this core alone, and
`audit moves` does so without hashing. `spades` is OpenSpiel's: recorded games of spades, every action checked to be
legal before it is applied; its deals are chance actions and count as moves, because a replay has to make them.
"""

import json
import random
import sys
from collections.abc import Callable, Sequence
from itertools import cycle
from pathlib import Path
from time import process_time
from typing import Any

MATCHES = 100
"""How many recorded ones are gone through in turn."""

Lap = Callable[[int], int]
"""Goes through so many matches and says how many moves that was."""


def logs_in(folder: str) -> list[bytes]:
    """Read the logs of a folder, in the order of their names."""
    return [path.read_bytes() for path in sorted(Path(folder).rglob("*.dominohall"))[:MATCHES]]


def replay(folder: str) -> Lap:
    """Fold recorded moves with the engine."""
    from dominohall_engine import forty_two  # noqa: PLC0415
    from dominohall_replays.fold import replay as folded  # noqa: PLC0415
    from dominohall_replays.log import read_log  # noqa: PLC0415

    recorded: list[tuple[Any, list[Any]]] = []
    for data in logs_in(folder):
        steps = list(folded(read_log(data)))
        recorded.append((steps[0].before, [step.move for step in steps]))
    apply = forty_two.apply

    def each(match: tuple[Any, list[Any]]) -> int:
        state, moves = match
        for move in moves:
            state = apply(state, move)
        return len(moves)

    return through(recorded, each)


def verify(folder: str) -> Lap:
    """Judge whole logs."""
    from dominohall_replays.verify import Verdict  # noqa: PLC0415
    from dominohall_replays.verify import verify as judged  # noqa: PLC0415

    def each(log: bytes) -> int:
        report = judged(log)
        if report.verdict is not Verdict.VALID:
            raise ValueError(f"expected a valid log, found {report}")
        return report.moves

    return through(logs_in(folder), each)


def audit(*words: str) -> Lap:
    """Judge an archive, all of it each time, to the depth `proof` or, if so named before the folder, `moves`."""
    from dominohall_replays.bulk import audit as audited  # noqa: PLC0415
    from dominohall_replays.bulk.findings import Depth  # noqa: PLC0415

    *named, folder = words
    depth = Depth(*(named or ["proof"]))

    def lap(times: int) -> int:
        return sum(audited(folder, workers=1, depth=depth).counts.moves for _ in range(times))

    return lap


def spades() -> Lap:
    """Play recorded games of spades again, each action checked."""
    import pyspiel  # type: ignore[import-not-found]  # noqa: PLC0415

    game = pyspiel.load_game("spades")
    recorded = []
    for _ in range(MATCHES):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(random.choice(state.legal_actions()))  # noqa: S311 - games, not secrets
        recorded.append(state.history())

    def each(actions: list[int]) -> int:
        state = game.new_initial_state()
        check = state.apply_action_with_legality_check
        for action in actions:
            check(action)
        return len(actions)

    return through(recorded, each)


def through(recorded: Sequence[Any], each: Callable[[Any], int]) -> Lap:
    """Go through what is recorded, round and round."""
    if not recorded:
        raise ValueError("expected recorded matches, found none")
    turning = cycle(recorded)
    return lambda count: sum(each(next(turning)) for _ in range(count))


def main(what: str, *words: str) -> None:
    """Answer laps until standard input ends."""
    random.seed(42)
    laps: dict[str, Callable[..., Lap]] = {"replay": replay, "verify": verify, "audit": audit, "spades": spades}
    lap = laps[what](*words)
    for line in sys.stdin:
        before = process_time()
        moves = lap(int(line))
        print(json.dumps({"moves": moves, "cpu": process_time() - before}), flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    main(*sys.argv[1:])
