"""A move that the rules forbid, tried on purpose: the service refuses it by its clause, in the language asked for.

The demo waits for the first seat that holds a tile of the led suit and another one too, and plays the other one.
"""

from dataclasses import dataclass
from typing import Any, Final

import grpc
from dominohall.v1 import match_pb2, match_service_pb2, match_service_pb2_grpc, move_pb2, refusal_pb2, view_pb2
from grpc_status import rpc_status

LANGUAGES: Final = ("en", "pl", "ru")
CALL_SECONDS: Final = 20.0


@dataclass(frozen=True)
class Words:
    """What a refusal says in one language."""

    message: str
    clause: str
    """The text of the deciding clause."""


@dataclass(frozen=True)
class Refused:
    """An illegal move and what became of it."""

    match_id: str
    sequence: int
    """The record that the match stood after."""
    seat: int
    tile: str
    led: str
    """The tile that led the trick."""
    legal: tuple[str, ...]
    """What the refusal says the seat may play instead."""
    reason: str
    clauses: tuple[str, ...]
    words: dict[str, Words]
    """By language."""
    changed_nothing: bool
    """Whether the stored head of the match was the same before and after."""

    @property
    def held(self) -> bool:
        """Whether it was refused by a clause in every language and changed nothing."""
        return self.changed_nothing and bool(self.clauses) and all(each.message for each in self.words.values())


def wrong_tile(view: view_pb2.View) -> str | None:
    """Return a tile that the seat holds and may not play to this trick, None if every one is legal."""
    tricks = view.forty_two.table.tricks
    if view.phase != match_pb2.PHASE_PLAYING or not tricks or tricks[-1].HasField("winner"):
        return None
    legal = {move.play.tile for move in view.legal_moves}
    return next((tile for tile in view.forty_two.hand.tiles if tile not in legal), None)


def try_illegal(channel: grpc.Channel, match: match_pb2.Match, view: view_pb2.View, tile: str) -> Refused:
    """Send a move that must be refused, once in each language."""
    stub = match_service_pb2_grpc.MatchServiceStub(channel)
    resume = match_service_pb2.ResumeMatchRequest(match_id=match.match_id)
    before = stub.ResumeMatch(resume, timeout=CALL_SECONDS).record.link
    request = match_service_pb2.ApplyMoveRequest(
        match=match_pb2.Match(token=match.token),
        move=move_pb2.Move(play=move_pb2.Play(seat=view.seat, tile=tile)),
    )
    refusals = {language: _refusal(stub, request, language) for language in LANGUAGES}
    after = stub.ResumeMatch(resume, timeout=CALL_SECONDS).record.link
    english = refusals["en"]
    return Refused(
        match_id=match.match_id,
        sequence=match.sequence,
        seat=view.seat,
        tile=tile,
        led=view.forty_two.table.tricks[-1].plays[0].tile,
        legal=tuple(move.play.tile for move in english.legal_moves),
        reason=english.reason,
        clauses=tuple(clause.id for clause in english.clauses),
        words={
            language: Words(each.message, each.clauses[0].text if each.clauses else "")
            for language, each in refusals.items()
        },
        changed_nothing=before == after == match.link,
    )


def _refusal(
    stub: match_service_pb2_grpc.MatchServiceStub, request: match_service_pb2.ApplyMoveRequest, language: str
) -> refusal_pb2.Refusal:
    """Return the refusal of a move; an empty one if the move was not refused by the rules."""
    refusal = refusal_pb2.Refusal()
    try:
        stub.ApplyMove(request, timeout=CALL_SECONDS, metadata=(("accept-language", language),))
    except grpc.RpcError as error:
        call: Any = error  # every error of a stub is a call as well, which its type does not say
        status = rpc_status.from_call(call)
        for detail in status.details if status is not None else ():
            detail.Unpack(refusal)
    return refusal
