"""What the servers are asked, recorded beforehand: the calls of whole matches, so that a client only has to send them.

Keys and ids decide every token, so the calls of a match can be recorded on one server and made on another that has the
same keys. They are recorded over the wire from a service without a store; one with a store then gets real, sequential
appends. Moves are the built-in player's, what a host's table would play.

The file is what `load.c` reads: count of matches (u32), then each match as count of calls (u32) and calls, a call as
the number of its path (u8), length (u32) and message; little-endian.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import grpc
from dominohall.v1 import match_pb2, match_service_pb2, move_pb2
from dominohall.v1.match_service_pb2_grpc import MatchServiceStub
from dominohall_engine.players import fives as fives_player
from dominohall_engine.players import forty_two as forty_two_player

from dominohall_loadtest.kinds import KINDS, Kind
from dominohall_loadtest.mirror import Mirror
from dominohall_loadtest.wire import LOT, SHAKE, move_to_proto

PREFIX: Final = "/dominohall.v1.MatchService/"
PATHS: Final = ",".join(PREFIX + name for name in ("StartMatch", "ApplyMove", "ApplyMoves"))
"""The paths of calls, by number."""
START, MOVE, MOVES = range(3)
ECHO_PATHS: Final = "/bench.Echo/Echo"
"""An echo gets every call here."""
TOKEN_ONLY: Final = match_pb2.ReplyForm.REPLY_FORM_TOKEN_ONLY
FULL: Final = match_pb2.ReplyForm.REPLY_FORM_FULL
PRESETS: Final = tuple(kind for kind in KINDS if kind.name == kind.preset)


@dataclass(frozen=True)
class Recording:
    """The calls of one match as it was played; `tokens[i]` is what `moves[i]` builds on."""

    start: bytes
    tokens: tuple[bytes, ...]
    moves: tuple[move_pb2.Move, ...]
    entries: tuple[bytes, ...]

    @property
    def log(self) -> bytes:
        """Return the log as a store would have it."""
        return b"".join(self.entries)


def record(target: str, count: int) -> Iterator[Recording]:
    """Play whole matches of every preset in turn against a service without a store, and yield what was asked of it."""
    with grpc.insecure_channel(target) as channel:
        stub = MatchServiceStub(channel)
        for number in range(count):
            yield record_match(stub, PRESETS[number % len(PRESETS)], match_id(number))


def match_id(number: int) -> str:
    """Return an id that sorts by time, as hosts are told to use, and is the same in every run."""
    return f"01900000-0000-7000-8000-{number:012x}"


def record_match(stub: MatchServiceStub, kind: Kind, name: str) -> Recording:
    """Play one match with the built-in player."""
    start = match_service_pb2.StartMatchRequest(match_id=name, options=kind.to_proto(), reply_form=TOKEN_ONLY)
    begun = stub.StartMatch(start)
    mirror = Mirror(kind, name)
    mirror.link, mirror.token = begun.match.link, begun.match.token
    tokens, moves, entries = [], [], [begun.record.entry]
    while not mirror.over:
        move = chosen(mirror)
        message = due(mirror) if move is None else move_to_proto(move)
        reply = stub.ApplyMove(move_request(mirror.token, message))
        tokens.append(mirror.token)
        moves.append(message)
        entries.append(reply.record.entry)
        mirror.moved(move, reply.record)
        mirror.token = reply.match.token
    return Recording(start.SerializeToString(), tuple(tokens), tuple(moves), tuple(entries))


def chosen(mirror: Mirror) -> Any:  # noqa: ANN401 - a move of either game
    """Return the player's move, None for a shake or a lot."""
    if mirror.turn is None:
        return None
    player = forty_two_player if mirror.game.NAME == "forty_two" else fives_player
    return player.choose(mirror.game.view(mirror.state, mirror.turn))


def due(mirror: Mirror) -> move_pb2.Move:
    """Return the chance move that is due, for the service to make."""
    return SHAKE if mirror.game.phase(mirror.state).value == "shake" else LOT


def move_request(
    token: bytes, move: move_pb2.Move, form: match_pb2.ReplyForm.ValueType = TOKEN_ONLY
) -> match_service_pb2.ApplyMoveRequest:
    """Write the request of one move."""
    match = match_pb2.Match(token=token)
    return match_service_pb2.ApplyMoveRequest(match=match, move=move, reply_form=form)


def unary(
    recording: Recording, form: match_pb2.ReplyForm.ValueType = TOKEN_ONLY, *, begins: bool = True
) -> list[tuple[int, bytes]]:
    """Return the calls of a match, a move each."""
    pairs = zip(recording.tokens, recording.moves, strict=True)
    calls = [(MOVE, move_request(token, move, form).SerializeToString()) for token, move in pairs]
    return [(START, recording.start), *calls] if begins else calls


def batches(recording: Recording, size: int) -> list[tuple[int, bytes]]:
    """Return the calls of a match in whole batches of so many moves; what is left over is not played."""
    calls = [(START, recording.start)]
    for at in range(0, len(recording.moves) - size + 1, size):
        timed = [move_pb2.TimedMove(move=move) for move in recording.moves[at : at + size]]
        match = match_pb2.Match(token=recording.tokens[at])
        request = match_service_pb2.ApplyMovesRequest(match=match, moves=timed, reply_form=TOKEN_ONLY)
        calls.append((MOVES, request.SerializeToString()))
    return calls


def write_bodies(path: Path, matches: Sequence[Sequence[tuple[int, bytes]]]) -> None:
    """Write matches as `load.c` reads them."""
    parts = [struct.pack("<I", len(matches))]
    for calls in matches:
        parts.append(struct.pack("<I", len(calls)))
        for number, message in calls:
            parts += (struct.pack("<BI", number, len(message)), message)
    path.write_bytes(b"".join(parts))
