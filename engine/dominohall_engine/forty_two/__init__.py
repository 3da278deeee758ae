"""Forty-two: Texas 42 (the Polish text) and Forty-Two (the Russian text), for two pairs with a double-six set.

A match is a fold over moves; chance is a move too. Two partners are seats 0 and 2, the others 1 and 3.

>>> from dominohall_engine.shuffle import shuffled
>>> from dominohall_engine.tiles import format_tile, parse_tile
>>> state = new_match(POLISH, first=3)
>>> state = apply(state, Shake(shuffled(bytes(32))))
>>> [format_tile(each) for each in view(state, 0).hand or ()]
['3-1', '4-0', '4-3', '5-0', '5-1', '5-4', '6-1']
>>> for move in (Bid(0, 30), Pass(1), Pass(2), Pass(3), NameTrump(0, 1), Play(0, parse_tile("3-1"))):
...     state = apply(state, move)

Ones are trump, so the 3-1 leads ones, and the only one that seat 1 holds must answer it:

>>> [format_tile(move.tile) for move in legal_moves(state) if isinstance(move, Play)]
['1-0']
>>> refused = violation(state, Play(1, parse_tile("6-3")))
>>> print(refused.reason, refused.clauses, refused.facts["could_play"])
MUST_FOLLOW_SUIT ('F42-PL-20', 'F42-PL-21', 'A-PL-03') ('1-0',)
>>> decode(encode(state)).turn, problems(state)
(1, ())
"""

from typing import Final, get_args

from dominohall_engine.copying import copied_by_bytes
from dominohall_engine.forty_two.encoding import decode, encode, encode_public
from dominohall_engine.forty_two.legality import legal_moves, violation
from dominohall_engine.forty_two.match import (
    apply,
    new_match,
    options_of,
    order,
    outcome,
    phase,
    seat_moves,
    shakes,
    sides,
    turn,
)
from dominohall_engine.forty_two.moves import Bid, Lot, Move, NameTrump, Pass, Play, SeatMove, decode_move, encode_move
from dominohall_engine.forty_two.options import (
    POLISH,
    PRESETS,
    RUSSIAN,
    AllPass,
    BothReach,
    FirstLead,
    MadeScore,
    Opener,
    Options,
    Tie,
)
from dominohall_engine.forty_two.problems import problems
from dominohall_engine.forty_two.state import State
from dominohall_engine.forty_two.view import RoundResult, Trick, View, view
from dominohall_engine.moves import Abandon, Shake

NAME: Final = "forty_two"
"""The name on the wire and in logs."""

__all__ = [
    "NAME",
    "POLISH",
    "PRESETS",
    "RUSSIAN",
    "Abandon",
    "AllPass",
    "Bid",
    "BothReach",
    "FirstLead",
    "Lot",
    "MadeScore",
    "Move",
    "NameTrump",
    "Opener",
    "Options",
    "Pass",
    "Play",
    "RoundResult",
    "SeatMove",
    "Shake",
    "State",
    "Tie",
    "Trick",
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

copied_by_bytes(get_args(State), encode, decode)
