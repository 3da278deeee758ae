"""Nothing absent is assumed: every field of every request is left out, and every enum set to nonsense, one at a time.

The fields are found by walking the descriptors, so a field that is added later is walked too: it is refused when it is
absent, or it is named here as one that may be.
"""

import random
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1 import replay_service_pb2 as replays
from dominohall.v1.match_pb2 import Match, MatchState, ReplyForm
from dominohall.v1.move_pb2 import (
    Abandon,
    Bid,
    Draw,
    Knock,
    Lot,
    Move,
    NameTrump,
    Pass,
    Place,
    Play,
    Shake,
    TimedMove,
    Trump,
)
from dominohall.v1.options_pb2 import Options
from dominohall.v1.replay_pb2 import Redaction
from dominohall_engine.games import GAMES
from dominohall_engine.tiles import NAMES
from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor
from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

UNKNOWN = 4242
FULL = ReplyForm.REPLY_FORM_FULL
NOT_REQUIRED = {
    # what a request adds to the least that it needs
    "StartMatchRequest.first_seat",
    "StartMatchRequest.seat_labels",
    "StartMatchRequest.scripted_deals",
    "ImportMatchRequest.seat_labels",
    "ImportMatchRequest.scripted_deals",
    "ApplyMoveRequest.validate_only",
    "ApplyMoveRequest.occurred_at",
    "TimedMove.occurred_at",
    "Timestamp.seconds",
    "Timestamp.nanos",
    "GetReplayRequest.from_sequence",
    "ListReplaysRequest.page_size",
    "ListReplaysRequest.page_token",
    "VerifyReplayRequest.receipt",
    "VerifyReplayRequest.signed_receipts",
    "SignHeadRequest.sequence",
    "GetReplayRequest.redact_for",
    "Redaction.after_round",
    "SignedHead.owner",  # a receipt of another owner's match is of another match
    # the token says these already
    "Match.match_id",
    "Match.sequence",
    "Match.link",
    # a preset says these; a chance move without them is made by the service
    "Options.forty_two",
    "Options.fives",
    "Shake.tiles",
    "Lot.seat",
    "Lot.tiles",
}
REPLY_FORMS = {
    f"{each}Request.reply_form" for each in ("StartMatch", "ImportMatch", "ResumeMatch", "ApplyMove", "ApplyMoves")
}
DERIVED_FROM_NOTHING_ELSE = {"MatchState.marks"}
"""Marks are the service's own; those of a state from outside mean nothing."""


def nodes(message: Message, path: str = "") -> Iterator[tuple[Message, FieldDescriptor, str]]:
    """Walk every field that is present, at any depth, with its path."""
    for field, value in message.ListFields():
        where = f"{path}{field.name}"
        yield message, field, where
        if field.message_type is not None:
            children = list(value) if field.is_repeated else [value]
            for number, child in enumerate(children):
                yield from nodes(child, f"{where}[{number}]." if field.is_repeated else f"{where}.")


def variants(
    request: Message, change: Callable[[Message, FieldDescriptor], bool]
) -> Iterator[tuple[str, str, Message]]:
    """Yield a copy of the request for each field that `change` changes, with the field's name and path."""
    for number, (_, field, path) in enumerate(nodes(request)):
        copy = type(request)()
        copy.CopyFrom(request)
        parent = list(nodes(copy))[number][0]
        if change(parent, field):
            yield f"{type(parent).__name__}.{field.name}", path, copy


def cleared(parent: Message, field: FieldDescriptor) -> bool:
    """Leave the field out."""
    parent.ClearField(field.name)
    return True


def setter(value: int) -> Callable[[Message, FieldDescriptor], bool]:
    """Return what sets an enum to a value."""

    def change(parent: Message, field: FieldDescriptor) -> bool:
        if not isinstance(field.enum_type, EnumDescriptor):
            return False
        if field.is_repeated:
            getattr(parent, field.name)[0] = value
        else:
            setattr(parent, field.name, value)
        return True

    return change


def requests(hall: Any) -> Iterator[tuple[Any, Message]]:
    """Return a request of each method and each move, with everything in it that can be in it."""
    start = hall.start("strict", "forty_two.russian", scripted_deals=True)
    auction = hall.apply(start, Move(shake=Shake(tiles=NAMES)))
    lot_due = hall.start("strict-lot", "fives.linear", scripted_deals=True)
    fives = hall.apply(hall.start("strict-fives", "fives.linear", first_seat=0), Move(shake=Shake()))
    whole = Options()
    for name, game in GAMES.items():
        whole = hall.start(f"strict-whole-{name}", f"{name}.{next(iter(game.PRESETS))}").state.options
        getattr(whole, name).round_limit = 9
        yield (
            hall.matches.StartMatch,
            wire.StartMatchRequest(match_id=f"s-{name}", options=whole, reply_form=FULL),
        )
    yield hall.matches.ResumeMatch, wire.ResumeMatchRequest(match_id="strict", reply_form=FULL)
    moves: list[tuple[Match, Move]] = [
        (start, Move(shake=Shake(tiles=NAMES))),
        (lot_due, Move(lot=Lot(tiles=NAMES[:4]))),
        (auction, Move(bid=Bid(seat=0, points=30))),
        (auction, Move(**{"pass": Pass(seat=0)})),  # type: ignore[arg-type]
        (auction, Move(name_trump=NameTrump(seat=0, trump=Trump.TRUMP_BLANKS))),
        (auction, Move(play=Play(seat=0, tile="0-0"))),
        (auction, Move(abandon=Abandon(reason="x"))),
        (fives, Move(play=Play(seat=0, tile="0-0", place=Place.PLACE_START))),
        (fives, Move(draw=Draw(seat=0))),
        (fives, Move(knock=Knock(seat=0))),
    ]
    for match, move in moves:
        lean = Match(token=match.token)
        at = Timestamp(seconds=1_800_000_000, nanos=1_000_000)
        yield (
            hall.matches.ApplyMove,
            wire.ApplyMoveRequest(match=lean, move=move, validate_only=True, reply_form=FULL, occurred_at=at),
        )
        yield (
            hall.matches.ApplyMoves,
            wire.ApplyMovesRequest(match=lean, moves=[TimedMove(move=move, occurred_at=at)], reply_form=FULL),
        )
    lean = Match(token=auction.token)
    yield hall.matches.ListLegalMoves, wire.ListLegalMovesRequest(match=lean)
    yield hall.matches.ViewMatch, wire.ViewMatchRequest(match=lean, seat=0)
    yield hall.matches.ViewMatch, wire.ViewMatchRequest(match=lean, spectator=Empty())
    yield hall.replays.GetReplay, replays.GetReplayRequest(match_id="strict")
    yield hall.replays.StepReplay, replays.StepReplayRequest(match_id="strict", sequence=1)
    redaction = Redaction(seat=1, after_round=True)
    yield hall.replays.GetReplay, replays.GetReplayRequest(match_id="strict", redact_for=redaction)
    yield hall.replays.SignHead, replays.SignHeadRequest(match_id="strict", sequence=1)
    receipt = replays.Receipt(match_id="strict", sequence=1, link=auction.link)
    signed = [hall.replays.SignHead(replays.SignHeadRequest(match_id="strict")).head]
    request = replays.VerifyReplayRequest(match_id="strict", receipt=receipt, signed_receipts=signed)
    yield hall.replays.VerifyReplay, request


def outcome(call: Any, request: Message) -> grpc.StatusCode:
    """Make a call and return its code."""
    try:
        reply = call(request)
        if isinstance(reply, Iterator):
            list(reply)
    except grpc.RpcError as error:
        code: grpc.StatusCode = error.code()
        return code
    return grpc.StatusCode.OK


def may_be_absent(name: str) -> bool:
    """Say whether a field is one that a request may leave out."""
    options = name.startswith(("FortyTwoOptions.", "FivesOptions."))
    return name in NOT_REQUIRED or name in REPLY_FORMS or options


def test_absent_fields_are_refused(hall: Any) -> None:
    """Each required field of each request, at any depth, is refused when it is left out; nothing else is."""
    required = set()
    for call, request in requests(hall):
        for name, path, variant in variants(request, cleared):
            if may_be_absent(name):
                continue
            required.add(name)
            assert outcome(call, variant) == grpc.StatusCode.INVALID_ARGUMENT, path
    assert {"Bid.seat", "Bid.points", "Play.tile", "Play.place", "NameTrump.trump", "Match.token"} <= required
    assert {"StepReplayRequest.sequence", "ViewMatchRequest.seat", "Options.preset", "Receipt.sequence"} <= required


@pytest.mark.parametrize("value", [0, UNKNOWN], ids=["unspecified", "unknown"])
def test_enum_values_that_say_nothing_are_refused(hall: Any, value: int) -> None:
    """`UNSPECIFIED`, and a value that this build does not know, are refused in each enum of each request."""
    walked = set()
    for call, request in requests(hall):
        for name, path, variant in variants(request, setter(value)):
            walked.add(name)
            assert outcome(call, variant) == grpc.StatusCode.INVALID_ARGUMENT, path
    enums = {
        f"{message.name}.{field.name}"
        for message in (Play.DESCRIPTOR, NameTrump.DESCRIPTOR, *(m.DESCRIPTOR for m in (wire.StartMatchRequest,)))
        for field in message.fields
        if field.enum_type is not None
    }
    assert enums <= walked
    assert len(walked) >= 18


@pytest.mark.parametrize("preset", ["forty_two.polish", "forty_two.russian", "fives.linear"])
def test_every_field_of_an_imported_state_counts(hall: Any, preset: str) -> None:
    """A state from outside is refused when any one of its fields is left out, or any enum in it is nonsense."""
    rng = random.Random(6)
    match = hall.play(hall.start(f"import-strict-{preset}", preset), rng, lambda match: match.sequence >= 50)
    state = MatchState()
    state.CopyFrom(match.state)
    request = wire.ImportMatchRequest(match_id="import-strict", state=state)
    changes = [cleared, setter(0), setter(UNKNOWN)]
    for change in changes:
        for name, path, variant in variants(request, change):
            if name in {"Options.preset", "SeatTile.seat", *DERIVED_FROM_NOTHING_ELSE} and change is cleared:
                continue
            assert outcome(hall.matches.ImportMatch, variant) == grpc.StatusCode.INVALID_ARGUMENT, path
