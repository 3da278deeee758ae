"""What the tests of Fives share: hands written as text, and moves written as players say them.

A move is `6-4` (played at the one place where it fits), `6-4@side_1`, `draw` or `knock`; the seat whose turn it is
makes it. Hands may be small: most rules show with two or three tiles.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from dominohall_engine import fives
from dominohall_engine.fives.layout import EMPTY, Layout, extended
from dominohall_engine.fives.state import Playing, Shaking, rules_of
from dominohall_engine.tiles import NAMES, TILE_COUNT, mask_of, parse_tile
from dominohall_engine.violations import Violation

State = fives.State
Options = fives.Options

TWO = replace(fives.LINEAR, seats=2, partners=False)
THREE = replace(fives.LINEAR, seats=3, partners=False)
SOLO = replace(fives.LINEAR, partners=False)
FORMS = {"two": TWO, "three": THREE, "solo": SOLO, "partners": fives.LINEAR}


def hand(text: str) -> int:
    """Read a mask of tiles."""
    return mask_of(parse_tile(each) for each in text.split())


def order_of(options: Options, hands: Mapping[int, str], boneyard: str = "") -> bytes:
    """Return an order that deals these hands and starts the boneyard so; what is short is filled lowest first."""
    piles = [[parse_tile(text) for text in hands.get(seat, "").split()] for seat in range(options.seats)]
    front = [parse_tile(text) for text in boneyard.split()]
    rest = [each for each in range(TILE_COUNT) if each not in front and not any(each in pile for pile in piles)]
    for pile in piles:
        while len(pile) < options.hand_size:
            pile.append(rest.pop(0))
    return b"".join(bytes(pile) for pile in [*piles, front, rest])


def deal(options: Options, hands: Mapping[int, str], boneyard: str = "", leader: int = 0, **standing: Any) -> Playing:
    """Return a round just shaken, hands of the size of the longest one given."""
    size = max(len(text.split()) for text in hands.values())
    options = replace(options, hand_size=size)
    rules = rules_of(options)
    scores = standing.get("scores", (0,) * len(rules.sides))
    start = Shaking(rules, standing.get("shakes", 0), scores, leader, None)
    state = fives.apply(start, fives.Shake(order_of(options, hands, boneyard)))
    assert isinstance(state, Playing)
    return state


def move_of(state: State, said: str) -> fives.SeatMove:
    """Read a move of the seat whose turn it is."""
    seat = fives.turn(state)
    assert seat is not None, f"no seat can do {said}"
    if said == "draw":
        return fives.Draw(seat)
    if said == "knock":
        return fives.Knock(seat)
    name, _, place = said.partition("@")
    tile = parse_tile(name)
    if place:
        return fives.Play(seat, tile, fives.PLACE_NAMES.index(place))
    fitting = [move for move in fives.legal_moves(state) if isinstance(move, fives.Play) and move.tile == tile]
    assert len(fitting) == 1, f"{said} fits at {len(fitting)} places"
    return fitting[0]


def run(state: State, moves: str) -> State:
    """Apply moves, each of the seat whose turn it is."""
    for said in moves.split():
        state = fives.apply(state, move_of(state, said))
    return state


def refusal(state: State, said: str) -> Violation:
    """Return the violation of a move that must be refused."""
    broken = fives.violation(state, move_of(state, said))
    assert broken is not None, f"{said} was allowed"
    return broken


def allowed(state: State) -> list[str]:
    """Return the legal moves as tokens with their places."""
    return [token_of(move) for move in fives.legal_moves(state)]


def token_of(move: fives.SeatMove) -> str:
    """Write a move without its seat."""
    if isinstance(move, fives.Play):
        return f"{NAMES[move.tile]}@{fives.PLACE_NAMES[move.place]}"
    return type(move).__name__.lower()


def totals(moves: str, spinner: fives.SpinnerRule = fives.SpinnerRule.SIDES_THEN_ENDS) -> list[int]:
    """Lay tiles one after another, whoever holds them, and return the ends total after each."""
    return [layout.total for layout in laid(moves, spinner)]


def laid(moves: str, spinner: fives.SpinnerRule = fives.SpinnerRule.SIDES_THEN_ENDS) -> list[Layout]:
    """Lay tiles one after another, whoever holds them, and return the layout after each."""
    layout, found = EMPTY[spinner], []
    for said in moves.split():
        name, _, place = said.partition("@")
        tile = parse_tile(name)
        at = [each for each in layout.places if layout.masks[each] >> tile & 1]
        if place:
            at = [each for each in at if fives.PLACE_NAMES[each] == place]
        assert len(at) == 1, f"{said} fits at {at}"
        layout = extended(layout, tile, at[0])
        found.append(layout)
    return found


def playing(state: State) -> Playing:
    """Say that a round is being played."""
    assert isinstance(state, Playing)
    return state


def last_round(state: State) -> fives.RoundResult:
    """Return what the round before came to."""
    result = fives.view(state, None).last_round
    assert result is not None
    return result


def random_move(state: State, random: Random) -> fives.Move:
    """Return a legal move: any of the seat's, or one of chance."""
    if fives.phase(state) == "lot":
        return fives.Lot(bytes(random.sample(range(TILE_COUNT), fives.options_of(state).seats)))
    if fives.phase(state) == "shake":
        return fives.Shake(bytes(random.sample(range(TILE_COUNT), TILE_COUNT)))
    return random.choice(fives.legal_moves(state))


def random_states(options: Options, seed: int, moves: int = 100_000) -> Iterator[State]:
    """Yield the states of a random legal match, at most this many after the first."""
    random = Random(seed)
    state = fives.new_match(options)
    yield state
    for _ in range(moves):
        if fives.outcome(state) is not None:
            return
        state = fives.apply(state, random_move(state, random))
        yield state


@pytest.fixture(scope="session")
def table() -> SimpleNamespace:
    """Give the tests their words: `deal`, `run`, `refusal`, `allowed`, and the rest of this file."""
    return SimpleNamespace(
        TWO=TWO,
        THREE=THREE,
        SOLO=SOLO,
        FORMS=FORMS,
        hand=hand,
        order_of=order_of,
        deal=deal,
        move_of=move_of,
        run=run,
        refusal=refusal,
        allowed=allowed,
        token_of=token_of,
        totals=totals,
        laid=laid,
        playing=playing,
        last_round=last_round,
        random_move=random_move,
        random_states=random_states,
    )
