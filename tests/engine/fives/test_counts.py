"""How many sequences of moves follow a known shake: a fingerprint of legality (perft).

`counts.json` has, for every set of options, the numbers of sequences of 1, 2, 3 ... moves of the round. If a change of
the rules is meant, write it anew and read what changed:

    PYTHONPATH=engine python tests/engine/fives/test_counts.py
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from dominohall_engine import fives
from dominohall_engine.fives import LINEAR, DrawRule, Options, SpinnerRule, State
from dominohall_engine.shuffle import shuffled

FILE = Path(__file__).parent / "counts.json"
TWO = replace(LINEAR, seats=2, partners=False)
TABLES = {
    "two": TWO,
    "three": replace(LINEAR, seats=3, partners=False),
    "solo": replace(LINEAR, partners=False),
    "partners": LINEAR,
    "two, all four first": replace(TWO, spinner=SpinnerRule.ALL_FOUR_FIRST),
    "two, no spinner": replace(TWO, spinner=SpinnerRule.NONE),
    "two, one draw": replace(TWO, draw=DrawRule.ONE),
    "two, no draw": replace(TWO, draw=DrawRule.NONE),
    "two, reserve 2, five tiles": replace(TWO, reserve=2, hand_size=5),
    "two, two tiles": replace(TWO, hand_size=2),
}
LIMIT = 10_000
"""The deepest count of a table is the first one above this."""


def counts(options: Options) -> list[int]:
    """Count the sequences of moves after a shake, depth by depth, until there are many or the round is over."""
    level: list[State] = [
        fives.apply(fives.new_match(options, first=0), fives.Shake(shuffled(bytes((number,)) * 32)))
        for number in range(3)
    ]
    found: list[int] = []
    while level and (not found or found[-1] <= LIMIT):
        level = [fives.apply(state, move) for state in level for move in fives.legal_moves(state)]
        found.append(len(level))
    return found


@pytest.mark.parametrize("name", TABLES)
def test_the_counts_have_not_changed(name: str) -> None:
    """As many sequences of moves as ever, at every depth."""
    assert counts(TABLES[name]) == json.loads(FILE.read_text("utf-8"))[name]


def test_every_table_is_counted() -> None:
    """No count is left over, none is missing."""
    assert set(json.loads(FILE.read_text("utf-8"))) == set(TABLES)


if __name__ == "__main__":
    lines = [f'  "{name}": {json.dumps(counts(options))}' for name, options in TABLES.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
