"""The built-in player: legal, deterministic, blind to hidden tiles, and much better than chance."""

from random import Random
from types import SimpleNamespace

import pytest
from dominohall_engine import fives
from dominohall_engine.fives.state import Playing
from dominohall_engine.players.fives import choose


def winner(table: SimpleNamespace, options: fives.Options, seed: int, side: int) -> int | None:
    """Play a match in which the seats of one side are the built-in player and all others play at random."""
    random = Random(seed)
    seats = fives.sides(options)[side]
    state = fives.new_match(options)
    while (outcome := fives.outcome(state)) is None:
        seat = fives.turn(state)
        if seat in seats:
            state = fives.apply(state, choose(fives.view(state, seat)))
        else:
            state = fives.apply(state, table.random_move(state, random))
    return outcome.winner


@pytest.mark.parametrize(("form", "matches"), [("two", 1000), ("partners", 1000), ("three", 1000), ("solo", 200)])
def test_it_beats_random_play(table: SimpleNamespace, form: str, matches: int) -> None:
    """It wins at least 80 % of 1,000 seeded matches (200 with four solo seats): alone against all, or in a pair."""
    options = table.FORMS[form]
    sides = len(fives.sides(options))
    won = sum(winner(table, options, seed, seed % sides) == seed % sides for seed in range(matches))
    assert won >= 0.8 * matches


@pytest.mark.parametrize("form", ["two", "three", "solo", "partners"])
def test_it_makes_the_same_legal_move_from_the_same_view(table: SimpleNamespace, form: str) -> None:
    """Every choice is legal, and an equal view gives an equal move."""
    for state in table.random_states(table.FORMS[form], 11):
        if isinstance(state, Playing):
            view = fives.view(state, state.turn)
            move = choose(view)
            assert move in fives.legal_moves(state)
            assert choose(fives.view(fives.decode(fives.encode(state)), state.turn)) == move


def test_it_scores_when_nothing_speaks_against_it(table: SimpleNamespace) -> None:
    """Of two openings it takes the ten points."""
    state = table.deal(table.TWO, {0: "6-4 6-5", 1: "1-1 2-0"})
    assert choose(fives.view(state, 0)) == table.move_of(state, "6-4@start")


def test_it_refuses_a_view_that_is_not_on_turn(table: SimpleNamespace) -> None:
    """A spectator's view, or that of a seat that must wait, has no move."""
    state = table.deal(table.TWO, {0: "6-4 6-5", 1: "1-1 2-0"})
    for seat in (None, 1):
        with pytest.raises(ValueError, match="turn"):
            choose(fives.view(state, seat))
