"""Forty-two: Texas 42 and its Russian sister, for two pairs with a double-six set."""

from typing import Final

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
from dominohall_engine.forty_two.state import State
from dominohall_engine.moves import Abandon, Shake

NAME: Final = "forty_two"
"""The name on the wire and in logs."""
