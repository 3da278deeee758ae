"""Whole matches as text, one file for every seating: what was legal, what was played, what it came to.

A difference is a change of the rules. If it is meant, write the files anew and read what changed:

    PYTHONPATH=engine python tests/engine/fives/test_playthroughs.py
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from dominohall_engine import fives
from dominohall_engine.fives import LINEAR, PLACE_NAMES, Options, State
from dominohall_engine.options import options_to_plain
from dominohall_engine.shuffle import number_below, shuffled, stream
from dominohall_engine.tiles import NAMES

FOLDER = Path(__file__).parent / "playthroughs"
MATCHES = {
    "linear_two_seats": replace(LINEAR, seats=2, partners=False),
    "linear_three_seats": replace(LINEAR, seats=3, partners=False),
    "linear_four_solo": replace(LINEAR, partners=False),
    "linear_four_partners": LINEAR,
}


def playthrough(name: str, options: Options) -> Iterator[str]:
    """Write one match, its choices made by the specified stream of bytes, so that they never change."""
    source = stream(name.encode().ljust(32, b".")[:32])
    yield " ".join(f"{key}={value}" for key, value in options_to_plain(options).items())
    state = fives.new_match(options)
    while fives.outcome(state) is None:
        seat = fives.turn(state)
        if seat is None:
            seed = bytes(next(source) for _ in range(32))
            move: fives.Move = fives.Shake(shuffled(seed))
            if fives.phase(state) == "lot":
                move = fives.Lot(shuffled(seed)[: options.seats])
        else:
            legal = fives.legal_moves(state)
            move = legal[number_below(len(legal), source)] if len(legal) > 1 else legal[0]
            yield f"  seat {seat} {hand_of(state, seat)} may {', '.join(map(written, legal))}"
        state = fives.apply(state, move)
        yield f"{written(move)}{after(state)}"
    yield f"{fives.outcome(state)}"


def hand_of(state: State, seat: int) -> str:
    """Write what a seat holds."""
    return "[" + " ".join(NAMES[tile] for tile in fives.view(state, seat).hand or ()) + "]"


def written(move: fives.Move) -> str:
    """Write a move."""
    if isinstance(move, fives.Play):
        return f"{NAMES[move.tile]}@{PLACE_NAMES[move.place]}"
    if isinstance(move, fives.Lot | fives.Shake):
        return f"{type(move).__name__.lower()} {' '.join(NAMES[tile] for tile in move.tiles)}"
    return type(move).__name__.lower()


def after(state: State) -> str:
    """Write what a move led to: the ends and their total, the scores, and the round if it is over."""
    view = fives.view(state, None)
    if fives.turn(state) is not None:
        ends = " ".join(f"{PLACE_NAMES[arm.place]}:{arm.number}{'d' * arm.is_double}" for arm in view.arms)
        spinner = "" if view.spinner is None else f" spinner {view.spinner}"
        return f" | {ends}{spinner} total {view.ends_total} +{view.last_scored} scores {view.scores}"
    last = view.last_round
    if last is None:
        return ""
    return f" | {last.end} seat {last.seat} +{last.scored} bonus {last.bonus} pips {last.pips} scores {view.scores}"


@pytest.mark.parametrize("name", MATCHES)
def test_a_playthrough_has_not_changed(name: str) -> None:
    """The match in the file is played again, line for line."""
    assert list(playthrough(name, MATCHES[name])) == (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()


def test_no_playthrough_is_left_over() -> None:
    """Every file belongs to a match, and every match has its file."""
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(MATCHES)


if __name__ == "__main__":
    for match, played_under in MATCHES.items():
        (FOLDER / f"{match}.txt").write_text("\n".join(playthrough(match, played_under)) + "\n", "utf-8")
