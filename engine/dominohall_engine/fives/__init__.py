"""Fives: games that score when the ends of the layout come to a multiple of five. Preset: `LINEAR`.

>>> from dataclasses import replace
>>> from dominohall_engine import fives
>>> from dominohall_engine.shuffle import shuffled
>>> state = fives.new_match(replace(fives.LINEAR, seats=2, partners=False), first=0)
>>> state = fives.apply(state, fives.Shake(shuffled(bytes(32))))
>>> fives.turn(state), len(fives.legal_moves(state))
(0, 7)
"""

from typing import Final, get_args

from dominohall_engine.copying import copied_by_bytes
from dominohall_engine.fives.encoding import decode, encode, encode_public
from dominohall_engine.fives.legality import apply, legal_moves, violation
from dominohall_engine.fives.moves import Draw, Knock, Lot, Move, Play, SeatMove, decode_move, domain, encode_move
from dominohall_engine.fives.options import (
    LINEAR,
    PRESETS,
    BlockLead,
    BlockScore,
    DrawRule,
    Options,
    SpinnerRule,
    TieLead,
    TieRule,
)
from dominohall_engine.fives.places import PLACE_NAMES
from dominohall_engine.fives.problems import problems
from dominohall_engine.fives.state import (
    Lotting,
    Over,
    Playing,
    RoundEnd,
    Shaking,
    State,
    new_match,
    rules_of,
    rules_under,
)
from dominohall_engine.fives.view import RoundResult, View, view
from dominohall_engine.game import Phase
from dominohall_engine.moves import Abandon, Shake
from dominohall_engine.outcomes import Outcome

__all__ = [
    "LINEAR",
    "NAME",
    "PLACE_NAMES",
    "PRESETS",
    "Abandon",
    "BlockLead",
    "BlockScore",
    "Draw",
    "DrawRule",
    "Knock",
    "Lot",
    "Move",
    "Options",
    "Play",
    "RoundEnd",
    "RoundResult",
    "SeatMove",
    "Shake",
    "SpinnerRule",
    "State",
    "TieLead",
    "TieRule",
    "View",
    "apply",
    "decode",
    "decode_move",
    "encode",
    "encode_move",
    "encode_public",
    "legal_moves",
    "new_match",
    "options_of",
    "order",
    "outcome",
    "phase",
    "problems",
    "seat_moves",
    "shakes",
    "sides",
    "turn",
    "view",
    "violation",
]

NAME: Final = "fives"
"""The game's name on the wire and in logs."""

copied_by_bytes(get_args(State), encode, decode)


def options_of(state: State) -> Options:
    """Return the options that this match is played under."""
    return rules_under(state).options


def sides(options: Options) -> tuple[tuple[int, ...], ...]:
    """Return the seats of each side: partners together, or every seat its own side (LIN-03)."""
    return rules_of(options).sides


def phase(state: State) -> Phase:
    """Say what the state waits for."""
    if isinstance(state, Playing):
        return Phase.PLAYING
    if isinstance(state, Shaking):
        return Phase.SHAKE
    return Phase.LOT if isinstance(state, Lotting) else Phase.OVER


def shakes(state: State) -> int:
    """Return how many shakes the match has had, 0 before the first."""
    return state.round.shakes if isinstance(state, Playing) else state.shakes


def order(state: State) -> bytes | None:
    """Return the hidden order of the current shake (28 bytes), None while no tiles are dealt."""
    return state.round.order if isinstance(state, Playing) else None


def turn(state: State) -> int | None:
    """Return the seat that must act, None when a lot or shake is due or the match is over."""
    return state.turn if isinstance(state, Playing) else None


def outcome(state: State) -> Outcome | None:
    """Return how the match ended, None while it goes on."""
    return state.outcome if isinstance(state, Over) else None


def seat_moves(options: Options) -> tuple[SeatMove, ...]:
    """Return the whole domain of seat moves, legal or not; `legal_moves` is a part of it in the same order."""
    return domain(options.seats)
