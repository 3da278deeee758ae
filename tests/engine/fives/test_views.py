"""A view shows a seat what it may know: it, and every refusal, stay the same when hidden tiles change places."""

from random import Random
from types import SimpleNamespace

import pytest
from dominohall_engine import fives
from dominohall_engine.fives.state import Playing
from dominohall_engine.tiles import parse_tile, tiles_in


def swapped(state: Playing, seat: int | None, random: Random) -> Playing:
    """Deal the tiles that this seat does not see in another way among the others and the boneyard."""
    order = state.round.order
    known = {move.tile for move in fives.view(state, None).history if isinstance(move, fives.Play)}
    if seat is not None:
        known |= set(tiles_in(state.hands[seat]))
    hidden = [place for place, tile in enumerate(order) if tile not in known]
    mixed = bytearray(order)
    for place, other in zip(hidden, random.sample(hidden, len(hidden)), strict=True):
        mixed[place] = order[other]
    again = fives.decode(fives.encode_public(state) + bytes(mixed))
    assert isinstance(again, Playing)
    return again


@pytest.mark.parametrize("form", ["two", "three", "solo", "partners"])
def test_nothing_a_seat_gets_depends_on_hidden_tiles(table: SimpleNamespace, form: str) -> None:
    """Views, legal moves, refusals and the public bytes are equal over a hundred random swaps a seating."""
    options = table.FORMS[form]
    random = Random(form)
    compared = 0
    for seed in range(100):
        states = [state for state in table.random_states(options, seed, 60) if isinstance(state, Playing)]
        state = random.choice(states)
        for seat in (None, *range(options.seats)):
            other = swapped(state, seat, random)
            compared += other.round.order != state.round.order
            assert fives.view(other, seat) == fives.view(state, seat)
            assert fives.encode_public(other) == fives.encode_public(state)
            own = [move for move in fives.seat_moves(options) if move.seat == seat]
            assert [fives.violation(other, move) for move in own] == [fives.violation(state, move) for move in own]
    assert compared > 200


def test_a_view_shows_the_table(table: SimpleNamespace) -> None:
    """Own hand, sizes, boneyard, history, arms, total: what a seat needs, and of others no tile."""
    state = table.run(table.deal(table.TWO, {0: "6-4 6-6 1-1", 1: "4-3 3-1 0-0"}, "5-5"), "6-4 4-3 6-6")
    view = fives.view(state, 1)
    assert view.hand == (parse_tile("0-0"), parse_tile("3-1"))
    assert (view.hand_sizes, view.boneyard_count, view.turn, view.leader) == ((1, 2), 22, 1, 0)
    assert [type(move).__name__ for move in view.history] == ["Play"] * 3
    assert (view.spinner, view.ends_total, view.last_scored, view.scores) == (6, 15, 15, (25, 0))
    assert [table.token_of(move) for move in view.legal_moves] == ["3-1@side_1"]
    assert fives.view(state, 0).legal_moves == ()
    spectator = fives.view(state, None)
    assert (spectator.hand, spectator.legal_moves, spectator.seat) == (None, (), None)


def test_between_rounds_a_view_shows_the_last_round(table: SimpleNamespace) -> None:
    """Who went out, what was left, what it was worth; it stays there while the next round is played."""
    state = table.run(table.deal(table.TWO, {0: "6-3 4-3", 1: "6-1 5-2"}), "6-3 6-1 4-3")
    view = fives.view(state, 0)
    result = view.last_round
    assert result is not None
    assert (result.seat, result.side, result.leader, result.pips, result.bonus) == (0, 0, 0, (0, 7), 5)
    assert result.hands == ((), (parse_tile("5-2"),))
    assert (view.hand, view.hand_sizes, view.boneyard_count, view.history) == ((), (0, 0), 0, ())
    state = fives.apply(state, fives.Shake(bytes(range(28))))
    assert fives.view(state, 0).last_round == result


def test_a_view_of_a_seat_that_is_not_there_is_refused(table: SimpleNamespace) -> None:
    """A match of two has no seat 2, and no seat -1."""
    state = fives.new_match(table.TWO)
    for seat in (2, -1):
        with pytest.raises(ValueError, match="seat"):
            fives.view(state, seat)
