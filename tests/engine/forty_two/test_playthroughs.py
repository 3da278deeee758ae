"""Golden playthroughs: a match of each preset, move by move, as a text that people can read.

To write them anew after a deliberate change of the rules or of the encoding, run

    DOMINOHALL_WRITE_GOLDENS=1 python -m pytest tests/engine/forty_two/test_playthroughs.py

look at the difference, and say in the changelog why it is one.
"""

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from dominohall_engine import forty_two
from dominohall_engine.shuffle import number_below, shuffled, stream
from dominohall_engine.tiles import NAMES

FOLDER = Path(__file__).parent / "playthroughs"
TRUMPS = ("blanks", "ones", "twos", "threes", "fours", "fives", "sixes", "doubles")


def playthrough(name: str) -> Iterator[str]:
    """Yield the lines of a match whose shakes and choices come from our own shuffle, so that none ever changes."""
    choices = stream(sha256(f"playthrough {name}".encode()).digest())
    state = forty_two.new_match(forty_two.PRESETS[name])
    yield f"forty_two.{name}"
    for sequence in range(1, 10_000):
        if forty_two.outcome(state) is not None:
            break
        legal = forty_two.legal_moves(state)
        move: forty_two.Move
        if legal:
            move = legal[number_below(len(legal), choices) if len(legal) > 1 else 0]
        elif forty_two.phase(state) == "lot":
            move = forty_two.Lot(number_below(4, choices))
        else:
            move = forty_two.Shake(shuffled(sha256(f"{name} {forty_two.shakes(state)}".encode()).digest()))
        state = forty_two.apply(state, move)
        digest = sha256(forty_two.encode(state)).hexdigest()[:16]
        yield f"{sequence:4} {digest} {in_words(move)} ({len(legal)} legal)"
        yield from results(state)
    yield f"outcome {forty_two.outcome(state)}"


def in_words(move: forty_two.Move) -> str:
    """Write a move as a player says it."""
    match move:
        case forty_two.Bid():
            words = f"seat {move.seat} bids {move.points}"
        case forty_two.Pass():
            words = f"seat {move.seat} passes"
        case forty_two.NameTrump():
            words = f"seat {move.seat} names {TRUMPS[move.trump]}"
        case forty_two.Play():
            words = f"seat {move.seat} plays {NAMES[move.tile]}"
        case forty_two.Lot():
            words = f"lot: seat {move.seat} shakes first"
        case forty_two.Shake():
            hands = [" ".join(NAMES[tile] for tile in move.tiles[first : first + 7]) for first in range(0, 28, 7)]
            words = f"shake: {' | '.join(hands)}"
        case forty_two.Abandon():
            words = f"abandoned: {move.reason}"
    return words


def results(state: forty_two.State) -> Iterator[str]:
    """Say who took a trick, and how a round was scored."""
    seen = forty_two.view(state, None)
    if seen.phase == "playing" and seen.tricks and seen.trick is None:
        trick = seen.tricks[-1]
        yield f"     trick to seat {trick.winner}, {trick.points} points; taken so far {seen.taken}"
    if seen.phase in ("shake", "over") and seen.last_round is not None:
        last = seen.last_round
        yield f"     round {seen.round_number}: bid {last.bid}, took {last.points}, gained {last.gained}, {seen.scores}"


@pytest.mark.parametrize("name", forty_two.PRESETS)
def test_a_whole_match_goes_as_it_went(name: str) -> None:
    """Every move, every number of legal moves, every state's bytes and every score are as recorded."""
    path = FOLDER / f"{name}.txt"
    text = "\n".join(playthrough(name)) + "\n"
    if os.environ.get("DOMINOHALL_WRITE_GOLDENS"):
        path.write_text(text)
    assert text == path.read_text()


def test_every_preset_has_a_playthrough() -> None:
    """No preset without one, no file without a preset."""
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(forty_two.PRESETS)
