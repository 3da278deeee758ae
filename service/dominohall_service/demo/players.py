"""The players of the demo: the engine's own, each given nothing but what `ViewMatch` answered for its seat."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from dominohall.v1 import move_pb2, view_pb2
from dominohall_engine.players import fives, forty_two

from dominohall_service.codec.moves import move_to_proto
from dominohall_service.codec.views import view_from_proto

PLAYERS: Final[Mapping[str, Callable[[Any], object]]] = {"forty_two": forty_two.choose, "fives": fives.choose}


def choose(view: view_pb2.View) -> move_pb2.Move:
    """Return the move that the built-in player of this game makes in this seat."""
    return move_to_proto(PLAYERS[view.WhichOneof("game") or ""](view_from_proto(view)))
