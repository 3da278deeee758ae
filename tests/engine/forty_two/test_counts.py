"""Counts of move sequences (perft for dominoes): how many ways there are to go on from a position.

`counts.txt` holds a line for each position: preset, number of the shake, the moves made before counting, then the
number of legal sequences of 1, 2, 3 ... moves from there. An engine in another language that gives the same numbers
has the same rules. They were written by this engine, and its tables are held against the texts by `test_tables`.
"""

from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import pytest
from dominohall_engine import forty_two
from dominohall_engine.shuffle import shuffled

LINES = [
    line
    for line in (Path(__file__).parent / "counts.txt").read_text().splitlines()
    if line and not line.startswith("#")
]


def count(state: forty_two.State, depth: int) -> int:
    """Return how many sequences of this many seat moves are legal; the end of a round cuts one short."""
    moves = forty_two.legal_moves(state)
    if depth == 1:
        return len(moves)
    return sum(count(forty_two.apply(state, move), depth - 1) for move in moves)


def shaken(preset: str, number: int) -> forty_two.State:
    """Return the auction after the shake of this number, seat 3 having shaken."""
    first = 3 if preset == "polish" else None
    start = forty_two.new_match(forty_two.PRESETS[preset], first)
    return forty_two.apply(start, forty_two.Shake(shuffled(sha256(f"count {number}".encode()).digest())))


@pytest.mark.parametrize("line", LINES)
def test_the_numbers_of_sequences_are_as_recorded(table: SimpleNamespace, line: str) -> None:
    """Auction, naming, the first tricks, and the ends of rounds, of several shakes under both presets."""
    position, counts = line.split("=")
    preset, number, *moves = position.split()
    state = shaken(preset, int(number))
    for move in moves:
        if move.startswith("x"):  # x20: twenty times the first legal move
            for _ in range(int(move[1:])):
                state = forty_two.apply(state, forty_two.legal_moves(state)[0])
        else:
            state = table.run(state, move)
    assert [count(state, depth) for depth in range(1, len(counts.split()) + 1)] == [
        int(each) for each in counts.split()
    ]
