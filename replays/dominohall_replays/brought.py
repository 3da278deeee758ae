"""The part of a round that was played before the match was imported: taken from the state that came with the import.

A state in the middle of a round holds the order of its tiles and every call and play since the shake, so the round
can be told from its shake although the log begins later. A log in which this would come out otherwise has the verdict
`impossible_state` and is not told at all: the engine's `problems` plays the round again in the same way.
"""

from typing import Any, NamedTuple

from dominohall_engine import fives, forty_two
from dominohall_engine.fives.state import Playing as PlayingFives
from dominohall_engine.fives.state import Shaking as ShakingFives
from dominohall_engine.forty_two.state import InRound, Playing, Shaking, deal_of
from dominohall_engine.games import AnyGame
from dominohall_engine.moves import Shake
from dominohall_engine.seats import SEAT_COUNT

from dominohall_replays.fold import Step


class Brought(NamedTuple):
    """One move that was made before the import: it has no entry in the log."""

    entry: None
    move: Any
    before: Any
    after: Any


Told = Step | Brought
"""A move of a round, whether the log has an entry of it or not."""


def sequence_of(told: Told) -> int | None:
    """Return where the log has a move, None for one that was made before the import."""
    return None if told.entry is None else told.entry.sequence


def brought_moves(game: AnyGame, beginning: Any) -> tuple[Brought, ...]:  # noqa: ANN401 - a state of the game, or None
    """Return the moves from the shake to the state that a log begins with; none unless that is amid a round."""
    if isinstance(beginning, PlayingFives):
        return _fives(game, beginning)
    if isinstance(beginning, InRound):
        return _forty_two(game, beginning)
    return ()


def _fives(game: AnyGame, state: PlayingFives) -> tuple[Brought, ...]:
    """Tell a round of fives; its scores count the plays since the shake, so those are taken off first."""
    played = state.round
    moves = [Shake(played.order), *fives.view(state, None).history]

    def shaking(scores: tuple[int, ...]) -> ShakingFives:
        return ShakingFives(played.rules, played.shakes - 1, scores, played.leader, played.last_round)

    from_nothing = _moves(game, shaking((0,) * len(state.scores)), moves)
    in_play = from_nothing[-1].after.scores
    scores = tuple([now - scored for now, scored in zip(state.scores, in_play, strict=True)])
    return _moves(game, shaking(scores), moves)


def _forty_two(game: AnyGame, state: InRound) -> tuple[Brought, ...]:
    """Tell a round of forty-two: its calls, the naming of trump, its plays."""
    deal = deal_of(state)
    before = Shaking(deal.options, deal.shaker, deal.shakes - 1, deal.scores, deal.last_round)
    moves: list[Any] = [Shake(deal.order)]
    calls = state.contract.calls if isinstance(state, Playing) else state.calls
    for place, points in enumerate(calls):
        seat = (deal.opener + place) % SEAT_COUNT
        moves.append(forty_two.Bid(seat, points) if points else forty_two.Pass(seat))
    if isinstance(state, Playing):
        seen = forty_two.view(state, None)
        moves.append(forty_two.NameTrump(state.contract.bidder, state.contract.trump))
        moves += [play for trick in seen.tricks for play in trick.plays]
        moves += seen.trick.plays if seen.trick else ()
    return _moves(game, before, moves)


def _moves(game: AnyGame, state: Any, moves: list[Any]) -> tuple[Brought, ...]:  # noqa: ANN401 - a state of the game
    made = []
    for move in moves:
        after = game.apply(state, move)
        made.append(Brought(None, move, state, after))
        state = after
    return tuple(made)
