"""What the tests of 42 share: hands written as text, and moves written as players say them.

A call is `30` or `-` (pass), a trump is `t4` or `td` (doubles), a play is `6-4`; the seat whose turn it is makes it.
"""

from collections.abc import Callable, Iterable, Mapping
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from dominohall_engine import forty_two
from dominohall_engine.forty_two.scoring import close_round
from dominohall_engine.forty_two.state import TRICK_RULES, Auction, Contract, Playing, Shaking
from dominohall_engine.forty_two.tricks import trick_points, winning_tile
from dominohall_engine.outcomes import Outcome
from dominohall_engine.tiles import NAMES, TILE_COUNT, parse_tile, tiles_in
from dominohall_engine.violations import Violation

State = forty_two.State
Options = forty_two.Options


def order_of(hands: Mapping[int, str]) -> bytes:
    """Return an order that deals these hands; a seat left short gets what is over, lowest tiles first."""
    dealt = {seat: [parse_tile(text) for text in hands.get(seat, "").split()] for seat in range(4)}
    rest = [each for each in range(TILE_COUNT) if not any(each in hand for hand in dealt.values())]
    for seat in range(4):
        while len(dealt[seat]) < 7:
            dealt[seat].append(rest.pop(0))
    return b"".join(bytes(dealt[seat]) for seat in range(4))


def deal(options: Options, hands: Mapping[int, str], shaker: int = 3, **standing: Any) -> State:
    """Return the auction after these hands were dealt; under the Polish text seat 0 opens unless told otherwise."""
    seat = shaker if options.opener is forty_two.Opener.LEFT_OF_SHAKER else None
    start = Shaking(options, seat, standing.get("shakes", 0), standing.get("scores", (0, 0)), None)
    return forty_two.apply(start, forty_two.Shake(order_of(hands)))


def move_of(state: State, word: str) -> forty_two.SeatMove:
    """Read a move of the seat whose turn it is."""
    seat = forty_two.turn(state)
    assert seat is not None, f"no seat can play {word}"
    if word == "-":
        return forty_two.Pass(seat)
    if word[0] == "t":
        return forty_two.NameTrump(seat, 7 if word == "td" else int(word[1:]))
    return forty_two.Play(seat, parse_tile(word)) if "-" in word else forty_two.Bid(seat, int(word))


def run(state: State, moves: str) -> State:
    """Apply moves, each of the seat whose turn it is."""
    for word in moves.split():
        state = forty_two.apply(state, move_of(state, word))
    return state


def refusal(state: State, word: str) -> Violation:
    """Return the violation of a move that must be refused."""
    broken = forty_two.violation(state, move_of(state, word))
    assert broken is not None, f"{word} was allowed"
    return broken


def scored(options: Options, bid: int, points: int, *, bidder: int = 0, scores: tuple[int, int] = (0, 0)) -> State:
    """Return the state after a round in which the bidding side took these points of a bid."""
    auction = deal(options, {0: "1-0"} if bidder == 0 else {bidder: "1-0"}, (bidder + 3) % 4, scores=scores, shakes=9)
    assert isinstance(auction, Auction)
    contract = Contract(auction.deal, bytes((bid, 0, 0, 0)), 1)
    taken = (points, 42 - points) if bidder % 2 == 0 else (42 - points, points)
    return close_round(contract, bytes(range(28)), taken)


def answering(options: Options, trump: str, lead: str, hand: str) -> Playing:
    """Return the state in which seat 1, holding this hand, must answer seat 0's lead (of any trick)."""
    auction = deal(options, {0: lead, 1: hand})
    assert isinstance(auction, Auction)
    contract = Contract(auction.deal, bytes((30, 0, 0, 0)), 7 if trump == "doubles" else int(trump))
    led = bytes((parse_tile(lead),))
    return Playing(contract, 1, led, 1 << led[0], led, (0, 0))


def answers(options: Options, trump: str, lead: str, hand: str) -> set[str]:
    """Return which tiles of a hand may answer a lead; give seven tiles, for a short hand is filled up."""
    return {NAMES[tile] for tile in tiles_in(answering(options, trump, lead, hand).playable)}


def won(trump: str, tiles: str) -> tuple[str, int]:
    """Return the tile that wins a trick, and what the trick is worth."""
    trick = bytes(parse_tile(each) for each in tiles.split())
    return NAMES[winning_tile(TRICK_RULES[7 if trump == "doubles" else int(trump)], trick)], trick_points(trick)


def playing(state: State) -> Playing:
    """Say that tricks are being played."""
    assert isinstance(state, Playing)
    return state


def legal_tiles(state: State) -> set[str]:
    """Return the names of the tiles that may be played."""
    return {NAMES[move.tile] for move in forty_two.legal_moves(state) if isinstance(move, forty_two.Play)}


def legal_trumps(state: State) -> list[int]:
    """Return the trumps that may be named."""
    return [move.trump for move in forty_two.legal_moves(state) if isinstance(move, forty_two.NameTrump)]


def ended(state: State) -> Outcome:
    """Return the outcome of a match that is over."""
    outcome = forty_two.outcome(state)
    assert outcome is not None
    return outcome


def chance(seed: int) -> Random:
    """Return a source of chance for tests; a shuffle of the project never comes from it."""
    return Random(seed)


def random_states(options: Options, seed: int, moves: int) -> Iterable[State]:
    """Yield the states of a random legal match, at most this many after the first."""
    random = chance(seed)
    state = forty_two.new_match(options)
    yield state
    for _ in range(moves):
        if forty_two.outcome(state) is not None:
            return
        state = forty_two.apply(state, random_move(state, random))
        yield state


def random_move(state: State, random: Random) -> forty_two.Move:
    """Return a legal move: any of the seat's, or one of chance."""
    if forty_two.phase(state) == "lot":
        return forty_two.Lot(random.randrange(4))
    if forty_two.phase(state) == "shake":
        return forty_two.Shake(bytes(random.sample(range(TILE_COUNT), TILE_COUNT)))
    return random.choice(forty_two.legal_moves(state))


@pytest.fixture(scope="session")
def table() -> SimpleNamespace:
    """Everything above, for test modules, which can't import each other."""
    helpers: list[Callable[..., Any]] = [
        order_of, deal, move_of, run, refusal, scored, answering, answers, won, playing,
        legal_tiles, legal_trumps, ended, chance, random_states, random_move,
    ]  # fmt: skip
    return SimpleNamespace(**{helper.__name__: helper for helper in helpers})
