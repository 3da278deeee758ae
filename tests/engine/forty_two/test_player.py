"""The built-in player."""

import ast
from pathlib import Path
from types import SimpleNamespace

import pytest
from dominohall_engine import forty_two
from dominohall_engine.players import forty_two as player
from dominohall_engine.players.forty_two import choose

MATCHES = 1000


def winner_is(preset: str, seed: int, side: int, table: SimpleNamespace) -> bool:
    """Play a match, the player on one side, random legal moves on the other; say whether the player's side won."""
    random = table.chance(seed)
    state = forty_two.new_match(forty_two.PRESETS[preset])
    while (outcome := forty_two.outcome(state)) is None:
        seat = forty_two.turn(state)
        if seat is not None and seat % 2 == side:
            state = forty_two.apply(state, choose(forty_two.view(state, seat)))
        else:
            state = forty_two.apply(state, table.random_move(state, random))
    return outcome.winner == side


@pytest.mark.parametrize("preset", forty_two.PRESETS)
def test_it_beats_random_players(preset: str, table: SimpleNamespace) -> None:
    """At least 80 % of 1,000 seeded matches, half of them on each side; every move it makes is legal."""
    assert sum(winner_is(preset, seed, seed % 2, table) for seed in range(MATCHES)) >= 0.8 * MATCHES


@pytest.mark.parametrize("preset", forty_two.PRESETS)
def test_four_of_it_finish_a_match(preset: str, table: SimpleNamespace) -> None:
    """At its own table rounds are bid, made and set, and matches end."""
    made, played = 0, 0
    for seed in range(20):
        random = table.chance(seed)
        state = forty_two.new_match(forty_two.PRESETS[preset])
        while forty_two.outcome(state) is None:
            seat = forty_two.turn(state)
            move = table.random_move(state, random) if seat is None else choose(forty_two.view(state, seat))
            state = forty_two.apply(state, move)
            last = forty_two.view(state, None).last_round
            if last is not None and last.bid is not None and forty_two.phase(state) in ("shake", "over"):
                played += 1
                made += last.points >= last.bid
    assert 0 < made < played


def test_it_plays_under_every_option_that_asks_more_of_it(table: SimpleNamespace) -> None:
    """A forced bid, doubles in the Polish game, a free lead in the Russian one: its moves are legal everywhere."""
    from dataclasses import replace

    for options in (
        replace(forty_two.POLISH, all_pass=forty_two.AllPass.FORCED_31, doubles_trump=True, target=100),
        replace(
            forty_two.RUSSIAN, first_lead=forty_two.FirstLead.FREE, all_pass=forty_two.AllPass.FORCED_30, target=100
        ),
    ):
        random = table.chance(1)
        state = forty_two.new_match(options)
        while forty_two.outcome(state) is None:
            seat = forty_two.turn(state)
            move = table.random_move(state, random) if seat is None else choose(forty_two.view(state, seat))
            state = forty_two.apply(state, move)


def test_it_is_deterministic_and_knows_only_its_view(table: SimpleNamespace) -> None:
    """The same view gives the same move, also when the view was made from decoded bytes."""
    for state in table.random_states(forty_two.POLISH, 21, 70):
        seat = forty_two.turn(state)
        if seat is not None:
            move = choose(forty_two.view(state, seat))
            assert move == choose(forty_two.view(forty_two.decode(forty_two.encode(state)), seat))
            assert forty_two.violation(state, move) is None


def test_it_refuses_the_view_of_another_seat(table: SimpleNamespace) -> None:
    """Not its turn: an error, never a move."""
    auction = table.deal(forty_two.POLISH, {})
    for seat in (1, 2, 3, None):
        with pytest.raises(ValueError, match="whose turn it is"):
            choose(forty_two.view(auction, seat))


def test_it_imports_no_state() -> None:
    """Views, moves, options, tables and tiles, and nothing that knows the hands."""
    tree = ast.parse(Path(player.__file__).read_text())
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    allowed = {"view", "moves", "options", "tables"}
    assert modules <= {f"dominohall_engine.forty_two.{room}" for room in allowed} | {
        "dominohall_engine.tiles",
        "typing",
    }
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
