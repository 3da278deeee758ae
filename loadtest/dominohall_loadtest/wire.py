"""Moves as the wire writes them, made from the engine's: a second codec, so that the service's has something to fail.

Nothing here reads what the service sent; a check writes what it should have sent and compares.
"""

from typing import Any, Final

from dominohall.v1 import match_pb2, move_pb2
from dominohall_engine.game import Phase
from dominohall_engine.moves import LOT_CODE, SHAKE_CODE
from dominohall_engine.outcomes import Outcome
from dominohall_engine.tiles import NAMES

FIELD_OF: Final = {"Bid": "bid", "Pass": "pass", "NameTrump": "name_trump", "Play": "play", "Draw": "draw"} | {
    "Knock": "knock"
}
SHAKE: Final = move_pb2.Move(shake=move_pb2.Shake())
LOT: Final = move_pb2.Move(lot=move_pb2.Lot())
CHANCE_CODES: Final = (SHAKE_CODE, LOT_CODE)


def move_to_proto(move: Any) -> move_pb2.Move:  # noqa: ANN401 - a seat move of either game
    """Write a move of a seat as the wire has it."""
    message = move_pb2.Move()
    part = getattr(message, FIELD_OF[type(move).__name__])
    part.seat = move.seat
    if hasattr(move, "points"):
        part.points = move.points
    if hasattr(move, "trump"):
        part.trump = move.trump + 1  # 0 is UNSPECIFIED
    if hasattr(move, "tile"):
        part.tile = NAMES[move.tile]
    if hasattr(move, "place"):
        part.place = move.place + 1
    return message


def phase_to_proto(phase: Phase) -> match_pb2.Phase.ValueType:
    """Write a phase as the wire has it."""
    return match_pb2.Phase.Value(f"PHASE_{phase.name}")


def outcome_to_proto(outcome: Outcome) -> match_pb2.Outcome:
    """Write an outcome as the wire has it."""
    return match_pb2.Outcome(
        ending=match_pb2.Ending.Value(f"ENDING_{outcome.ending.name}"),
        winner_side=outcome.winner,
        points=outcome.scores,
    )
