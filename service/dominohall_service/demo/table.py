"""One match played over gRPC, as a host would: it keeps the token, asks the seat whose turn it is, and sends the move.

The players are the engine's own. Each is given one thing, the answer of `ViewMatch` for its seat; what the other
seats hold never reaches it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import grpc
from dominohall.v1 import match_pb2, match_service_pb2, match_service_pb2_grpc, move_pb2, options_pb2, view_pb2

from dominohall_service.demo.players import choose

CALL_SECONDS: Final = 20.0
"""How long the demo waits for one answer: far more than it takes, so that a hung service ends the demo."""

Watcher = Callable[[match_pb2.Match, view_pb2.View], None]
"""Looks at a match whenever a seat is about to act; the demo's illegal move is tried there."""


@dataclass(frozen=True)
class Fixture:
    """A match to be played: its id, and the options that make it."""

    match_id: str
    title: str
    options: options_pb2.Options


@dataclass(frozen=True)
class Played:
    """What a host knows when a match is over."""

    fixture: Fixture
    calls: int
    """How many calls it took, views included."""
    last: match_pb2.Match


def play(
    channel: grpc.Channel,
    fixture: Fixture,
    *,
    watch: Watcher | None = None,
    moved: Callable[[match_pb2.Match], None] | None = None,
) -> Played:
    """Play a whole match; `moved` is told of every move."""
    stub = match_service_pb2_grpc.MatchServiceStub(channel)
    match = stub.StartMatch(
        match_service_pb2.StartMatchRequest(match_id=fixture.match_id, options=fixture.options), timeout=CALL_SECONDS
    ).match
    calls = 1
    while match.state.phase != match_pb2.Phase.PHASE_OVER:
        token = match_pb2.Match(token=match.token)
        if match.state.HasField("turn"):
            view = stub.ViewMatch(
                match_service_pb2.ViewMatchRequest(match=token, seat=match.state.turn), timeout=CALL_SECONDS
            ).view
            if watch is not None:
                watch(match, view)
            move = choose(view)
            calls += 1
        else:
            move = chance(match.state.phase)
        match = stub.ApplyMove(match_service_pb2.ApplyMoveRequest(match=token, move=move), timeout=CALL_SECONDS).match
        calls += 1
        if moved is not None:
            moved(match)
    return Played(fixture, calls, match)


def chance(phase: match_pb2.Phase.ValueType) -> move_pb2.Move:
    """Return the lot or the shake that is due, empty: the service makes it from the match's deal secret."""
    if phase == match_pb2.Phase.PHASE_LOT:
        return move_pb2.Move(lot=move_pb2.Lot())
    return move_pb2.Move(shake=move_pb2.Shake())
