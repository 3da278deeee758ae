"""States and moves can be handed to another process, in either build."""

import copy
import pickle
from typing import Any

import pytest
from dominohall_engine import fives, forty_two
from dominohall_engine.game import Phase
from dominohall_engine.games import GAMES, PRESETS, AnyGame
from dominohall_engine.moves import Abandon, Shake
from dominohall_engine.shuffle import shuffled

OUTSIDE = (forty_two.Bid(-1, 300), forty_two.Play(0, 99), fives.Play(9, -1, 300), fives.Lot(b""), Abandon("x"))
"""Moves that no encoding holds, or no rule allows, are values all the same."""


def states(game: AnyGame, state: Any) -> list[Any]:
    """Play two rounds and stop the match; return every state on the way."""
    found, moves = [state], 0
    move: Any
    while game.shakes(state) < 3:
        if game.phase(state) is Phase.SHAKE:
            move = Shake(shuffled(moves.to_bytes(32, "big")))
        elif game.phase(state) is Phase.LOT:
            move = forty_two.Lot(1) if game.NAME == "forty_two" else fives.Lot(bytes((4, 9, 2, 25)))
        else:
            legal = game.legal_moves(state)
            move = legal[moves * 7 % len(legal)]
        state, moves = game.apply(state, move), moves + 1
        found.append(state)
    return [*found, game.apply(state, Abandon("enough"))]


@pytest.mark.parametrize("preset", PRESETS)
def test_a_state_is_pickled_and_copied_whole(preset: str) -> None:
    """Of every phase: what comes back has the same bytes, the same legal moves and the same views."""
    name, _, options = preset.partition(".")
    game = GAMES[name]
    for state in states(game, game.new_match(game.PRESETS[options])):
        for again in (pickle.loads(pickle.dumps(state)), copy.copy(state), copy.deepcopy(state)):  # noqa: S301
            assert game.encode(again) == game.encode(state)
            assert game.legal_moves(again) == game.legal_moves(state)
        for seat in (None, 0, 1, 2, 3):
            view = game.view(state, seat)
            seen = pickle.loads(pickle.dumps(view))  # noqa: S301 - our own bytes
            assert seen == view
            if isinstance(view, fives.View):
                assert (seen.layout.kind, seen.layout.shape) == (view.layout.kind, view.layout.shape)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_move_is_pickled_and_copied_whole(preset: str) -> None:
    """Of the whole domain, chance moves and moves outside it: equal values come back."""
    name, _, options = preset.partition(".")
    game = GAMES[name]
    for move in (*game.seat_moves(game.PRESETS[options]), Shake(bytes(range(28))), *OUTSIDE):
        assert pickle.loads(pickle.dumps(move)) == move  # noqa: S301 - our own bytes
        assert copy.copy(move) == move
        assert copy.deepcopy(move) == move
