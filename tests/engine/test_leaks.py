"""What the engine tells a viewer is the same, whatever tiles lie where that viewer can't see.

The hidden tiles of states of random matches are swapped among the other hands and the boneyard; then everything that
the viewer is told of both states is compared: the view, what every move of that seat is answered with, and what the
next move shows. The swaps respect what the viewer knows, not what could be inferred, so they are wider than they need.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any

import pytest
from dominohall_engine import fives, forty_two
from dominohall_engine.clauses import LANGUAGES, message
from dominohall_engine.game import Phase
from dominohall_engine.games import GAMES, AnyGame
from dominohall_engine.hidden import HiddenTiles, holders_of, known_to_all
from dominohall_engine.moves import Abandon, Shake
from dominohall_engine.shuffle import number_below, shuffled, stream
from dominohall_engine.tiles import DOUBLES, NAMES, TILE_COUNT
from dominohall_engine.violations import Violation

Answer = Callable[[AnyGame, Any, Any], Violation | None]
See = Callable[[AnyGame, Any, int | None], Any]
TABLES: dict[str, tuple[str, Any]] = {
    "polish": ("forty_two", forty_two.POLISH),
    "russian": ("forty_two", forty_two.RUSSIAN),
    "forced": ("forty_two", replace(forty_two.RUSSIAN, all_pass=forty_two.AllPass.FORCED_31)),
    "two_seats": ("fives", replace(fives.LINEAR, seats=2, partners=False)),
    "three_seats": ("fives", replace(fives.LINEAR, seats=3, partners=False, reserve=2)),
    "four_seats": ("fives", replace(fives.LINEAR, partners=False, hand_size=5, draw=fives.DrawRule.ONE)),
    "partners": ("fives", fives.LINEAR),
}
HOST_MOVES = (Abandon("x"), Abandon("No"), Shake(bytes(range(TILE_COUNT))))
LOTS = {"forty_two": forty_two.Lot(0), "fives": fives.Lot(bytes((27, 3)))}


def dealt_states(table: str, seed: bytes) -> Iterator[Any]:
    """Yield the states of a random match while tiles are dealt, for ever: one match after another."""
    name, options = TABLES[table]
    game = GAMES[name]
    source = stream(seed.ljust(32, b".")[:32])
    while True:
        state = game.new_match(options)
        while game.outcome(state) is None:
            move: Any
            if game.turn(state) is not None:
                yield state
                legal = game.legal_moves(state)
                move = legal[number_below(len(legal), source)]
            elif game.phase(state) is Phase.SHAKE:
                move = Shake(shuffled(bytes([next(source) for _ in range(32)])))
            else:
                move = forty_two.Lot(0) if name == "forty_two" else fives.Lot(bytes(range(options.seats)))
            state = game.apply(state, move)


@cache
def asked(table: str, seat: int | None) -> tuple[Any, ...]:
    """Return every move that may be tried for a viewer: all of the seat's, and the host's."""
    name, options = TABLES[table]
    return (*[move for move in GAMES[name].seat_moves(options) if move.seat == seat], *HOST_MOVES, LOTS[name])


@cache
def told(reason: Any, clauses: tuple[str, ...], facts: tuple[tuple[str, Any], ...]) -> tuple[str, ...]:
    """Say a refusal in all languages; it is made from the violation alone."""
    return tuple(message(Violation(reason, clauses, dict(facts)), language) for language in LANGUAGES)


def answers(game: AnyGame, state: Any, moves: tuple[Any, ...], answer: Answer) -> list[Any]:
    """Return how every move is answered: legal, or refused for what reason, by which clauses, in which words."""
    found: list[Any] = []
    for move in moves:
        refused = answer(game, state, move)
        if refused is not None:
            facts = tuple(refused.facts.items())
            found.append((*refused[:2], facts, told(*refused[:2], facts)))
        else:
            found.append(None)
    return found


def view_of(game: AnyGame, state: Any, viewer: int | None) -> Any:
    """Return the engine's own view."""
    return game.view(state, viewer)


def violation_of(game: AnyGame, state: Any, move: Any) -> Violation | None:
    """Return the engine's own answer."""
    return game.violation(state, move)


def shows_more(game: AnyGame, move: Any, after: Any, viewer: int | None) -> bool:
    """Say whether a move lets the viewer see tiles that were hidden before: a draw, or hands laid open."""
    return game.NAME == "fives" and (
        game.order(after) is None or (isinstance(move, fives.Draw) and move.seat == viewer)
    )


def leaks(  # noqa: PLR0913 - what is tried
    table: str,
    seed: bytes,
    swaps: int,
    *,
    each: int = 8,
    see: See = view_of,
    answer: Answer = violation_of,
) -> Iterator[str]:
    """Yield what differs over so many swaps, `each` of them for one viewer of one state; seats and a spectator."""
    game = GAMES[TABLES[table][0]]
    source = stream(b"swaps ".ljust(32, b"-"))
    seats = sum(map(len, game.sides(TABLES[table][1])))
    states = dealt_states(table, seed)
    for number in range(swaps // each):
        state = next(states)
        viewer = (None, *range(seats))[number % (seats + 1)]
        hidden = HiddenTiles(game, state, viewer)
        moves = asked(table, viewer)
        seen, answered, public = (
            see(game, state, viewer),
            answers(game, state, moves, answer),
            game.encode_public(state),
        )
        for _ in range(each):
            other = hidden.swapped(source)
            if see(game, other, viewer) != seen:
                yield "view"
            if answers(game, other, moves, answer) != answered:
                yield "refusal"
            if (game.phase(other), game.turn(other), game.encode_public(other)) != (
                game.phase(state), game.turn(state), public,
            ):  # fmt: skip
                yield "table"
            if viewer == game.turn(state) and game.legal_moves(other) != game.legal_moves(state):
                yield "legal moves"
            yield from leaks_of_a_move(game, state, other, viewer, see)


def leaks_of_a_move(game: AnyGame, state: Any, other: Any, viewer: int | None, see: See) -> Iterator[str]:
    """Yield what differs after a move, of whoever's turn it is, that both states allow."""
    both = [move for move in game.legal_moves(state) if game.violation(other, move) is None]
    for move in both[:2]:
        after, other_after = game.apply(state, move), game.apply(other, move)
        if shows_more(game, move, after, viewer):
            continue
        if see(game, after, viewer) != see(game, other_after, viewer):
            yield "view after a move"


@pytest.mark.parametrize("table", TABLES)
def test_nothing_told_depends_on_a_hidden_tile(table: str) -> None:
    """Some thousand swaps over all tables: views, refusals, legal moves, turns, and what the next move shows."""
    assert list(leaks(table, b"always", 500)) == []


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
def test_nothing_told_depends_on_a_hidden_tile_at_length(table: str) -> None:
    """A hundred thousand swaps over all tables."""
    assert list(leaks(table, b"at length", 100_000 // len(TABLES) + 8)) == []


@pytest.mark.parametrize("table", TABLES)
def test_every_way_the_last_hidden_tiles_can_lie(table: str) -> None:
    """Where at most five tiles are hidden, all 120 ways and not a sample: near the end of rounds."""
    game = GAMES[TABLES[table][0]]
    states, tried = dealt_states(table, b"every"), 0
    for _ in range(400):
        state = next(states)
        for viewer in (None, *range(len(game.view(state, None).hand_sizes))):
            hidden = HiddenTiles(game, state, viewer)
            if 1 < len(hidden.places) <= 5 and tried < 12:
                tried += 1
                seen = view_of(game, state, viewer), answers(game, state, asked(table, viewer), violation_of)
                ways = list(hidden.every())
                assert len({game.encode(way) for way in ways}) == len(ways) > 1
                for way in ways:
                    assert (view_of(game, way, viewer), answers(game, way, asked(table, viewer), violation_of)) == seen
    assert tried or table in {"two_seats", "three_seats", "four_seats"}, "a full boneyard hides more than five tiles"


@pytest.mark.parametrize("table", TABLES)
def test_a_swap_keeps_what_the_viewer_knows_and_moves_the_rest(table: str) -> None:
    """Own tiles, played tiles and counts stay; every hidden tile comes to lie elsewhere; some swaps could have been."""
    game = GAMES[TABLES[table][0]]
    states, source = dealt_states(table, b"swaps"), stream(bytes(32))
    moved, hidden_ones, lawful = set(), set(), 0
    for number in range(60):
        state = next(states)
        viewer = (None, *range(len(game.view(state, None).hand_sizes)))[number % 3]
        hidden = HiddenTiles(game, state, viewer)
        other = hidden.swapped(source)
        before, after = game.order(state), game.order(other)
        assert before is not None
        assert after is not None
        holders, known = holders_of(game, state), known_to_all(game, state)
        for place, tile in enumerate(before):
            if tile in known or (viewer is not None and holders[place] == viewer):
                assert holders[after.index(tile)] == holders[place]
            else:
                hidden_ones.add((number, tile))
                if holders[after.index(tile)] != holders[place]:
                    moved.add((number, tile))
        assert holders_of(game, other) == holders
        lawful += not game.problems(other)
    assert len(moved) > len(hidden_ones) / 3
    assert lawful >= 3


# --- the checker is held against leaks that were put there


def doubles_of_the_next_hand(game: AnyGame, state: Any, viewer: int | None) -> int:
    """Count the doubles that the seat on the viewer's left was dealt: what nobody else may know."""
    seats = len(game.view(state, None).hand_sizes)
    order, holders = game.order(state), holders_of(game, state)
    assert order is not None
    left = ((viewer or 0) + 1) % seats
    return sum(holders[place] == left and DOUBLES >> tile & 1 for place, tile in enumerate(order))


def leaky_view(game: AnyGame, state: Any, viewer: int | None) -> Any:
    """Add a count of another hand to a number of the view, as an innocent statistic might."""
    seen = game.view(state, viewer)
    if game.order(state) is None:
        return seen
    return replace(seen, round_number=seen.round_number + doubles_of_the_next_hand(game, state, viewer))


def leaky_answer(game: AnyGame, state: Any, move: Any) -> Violation | None:
    """Name in a refusal the first tile that is hidden from the seat that moves, as a helpful fact might."""
    refused = game.violation(state, move)
    order = game.order(state)
    if refused is None or order is None or not hasattr(move, "seat"):
        return refused
    places = HiddenTiles(game, state, move.seat).places
    facts = {**refused.facts, "instead": NAMES[order[places[0]]]} if places else refused.facts
    return Violation(refused.reason, refused.clauses, MappingProxyType(facts))


def early_refusal(game: AnyGame, state: Any, move: Any) -> Violation | None:
    """Refuse by another reason if the seat does not hold the tile that somebody else holds: an order of checks."""
    refused = game.violation(state, move)
    if refused is not None and doubles_of_the_next_hand(game, state, getattr(move, "seat", None)) > 2:
        return Violation(refused.reason, refused.clauses[::-1], refused.facts)
    return refused


@pytest.mark.parametrize("table", ["russian", "two_seats", "partners"])
def test_the_checker_sees_a_view_that_leaks(table: str) -> None:
    """A view with a count taken from another hand is caught."""
    assert "view" in set(leaks(table, b"planted", 80, see=leaky_view))


@pytest.mark.parametrize("table", ["russian", "two_seats", "partners"])
@pytest.mark.parametrize("planted", [leaky_answer, early_refusal])
def test_the_checker_sees_a_refusal_that_leaks(table: str, planted: Answer) -> None:
    """A refusal that names a hidden tile is caught, and one that only cites its clauses in another order."""
    assert set(leaks(table, b"planted", 80, answer=planted)) == {"refusal"}
