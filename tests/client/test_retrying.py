"""What is repeated and what is not: a server that answers with whatever the test says, and counts."""

import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest
from dominohall.client import (
    BrokenReply,
    Busy,
    CallFailed,
    Client,
    Forked,
    HistoryMissing,
    Patience,
    Refused,
    Unsure,
)
from dominohall.v1 import match_pb2, move_pb2, refusal_pb2
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1.match_service_pb2_grpc import MatchServiceServicer, add_MatchServiceServicer_to_server
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status
from grpc_status import rpc_status

MOVE = move_pb2.Move(shake=move_pb2.Shake())
QUICK = Patience(call=0.3, whole=2.0, first_pause=0.01, greatest_pause=0.02)
LASTING = 1 << 20
Answer = Callable[[Any, grpc.ServicerContext], Any]


class Scripted(MatchServiceServicer):
    """Answers ListLegalMoves and ApplyMove from a list, the last one for ever; keeps what it was sent."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.requests: list[Any] = []
        self.metadata: list[dict[str, Any]] = []

    def _answer(self, request: Any, context: grpc.ServicerContext) -> Any:
        self.requests.append(request)
        self.metadata.append(dict(context.invocation_metadata()))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return answer(request, context)

    def ListLegalMoves(self, request: Any, context: Any) -> Any:  # noqa: N802 - gRPC's names
        """Answer."""
        return self._answer(request, context)

    def ApplyMove(self, request: Any, context: Any) -> Any:  # noqa: N802
        """Answer."""
        return self._answer(request, context)


@pytest.fixture
def scripted() -> Iterator[tuple[Scripted, str]]:
    """Run the scripted server on loopback and yield it with its address."""
    servicer = Scripted()  # type: ignore[abstract]
    server = grpc.server(ThreadPoolExecutor(4))
    add_MatchServiceServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield servicer, f"127.0.0.1:{port}"
    server.stop(None).wait()


def fails(code: grpc.StatusCode, *details: Message, reason: str = "") -> Answer:
    """Return an answer that is a status with these details."""
    status = Status(code=code.value[0], message="no")
    for detail in (*([ErrorInfo(reason=reason, domain="dominohall", metadata={"request_id": "r-1"})] if reason else ()),
                   *details):  # fmt: skip
        status.details.add().Pack(detail)

    def answer(_request: Any, context: grpc.ServicerContext) -> Any:
        context.abort_with_status(rpc_status.to_status(status))

    return answer


def succeeds(_request: Any, _context: Any) -> Any:
    """Answer that the match is over."""
    return wire.ListLegalMovesResponse(phase=match_pb2.PHASE_OVER)


def gives(reply: Message) -> Answer:
    """Return an answer that is this reply."""
    return lambda _request, _context: reply


def sleeps(_request: Any, context: grpc.ServicerContext) -> Any:
    """Answer long after the deadline."""
    while context.is_active():
        time.sleep(0.02)
    return wire.ListLegalMovesResponse()


def retry_info(milliseconds: int) -> RetryInfo:
    """Return the detail that asks for a pause."""
    info = RetryInfo()
    info.retry_delay.FromMilliseconds(milliseconds)
    return info


def kept() -> bytes:
    """Return a match as a host keeps it."""
    return match_pb2.Match(token=b"t", match_id="m", sequence=3, link=bytes(32)).SerializeToString()


@pytest.mark.parametrize(
    "first",
    [
        fails(grpc.StatusCode.UNAVAILABLE),
        fails(grpc.StatusCode.UNAVAILABLE, retry_info(10), reason="STORE_UNAVAILABLE"),
        fails(grpc.StatusCode.RESOURCE_EXHAUSTED, retry_info(10), reason="TOO_BUSY"),
        sleeps,
    ],
    ids=["unavailable", "store", "busy", "deadline"],
)
def test_what_may_pass_is_repeated_with_the_same_request(scripted: tuple[Scripted, str], first: Answer) -> None:
    """After a lost reply, an unsure store or a busy server the very same request is sent again, and succeeds."""
    servicer, target = scripted
    servicer.answers = [first, succeeds]
    with Client(target, patience=QUICK) as client:
        assert client.restore(kept()).over
        assert client.retries == 1
    assert len(servicer.requests) == 2
    assert servicer.requests[0] == servicer.requests[1]


@pytest.mark.parametrize(
    "code",
    [code for code in grpc.StatusCode if code.name not in {"OK", "UNAVAILABLE", "DEADLINE_EXCEEDED"}],
    ids=lambda code: code.name,
)
def test_every_other_status_is_an_answer(scripted: tuple[Scripted, str], code: grpc.StatusCode) -> None:
    """No other status is asked for again: RESOURCE_EXHAUSTED without a time to wait is a message that is too large."""
    servicer, target = scripted
    servicer.answers = [fails(code, reason="SOME_REASON")]
    with Client(target, patience=QUICK) as client, pytest.raises(CallFailed) as caught:
        client.restore(kept()).legal_moves()
    assert len(servicer.requests) == 1
    assert (caught.value.code, caught.value.reason, caught.value.request_id) == (code, "SOME_REASON", "r-1")


def test_patience_ends(scripted: tuple[Scripted, str]) -> None:
    """A service that stays away ends in `Unsure`, after several attempts, and the match stands where it stood."""
    servicer, target = scripted
    servicer.answers = [fails(grpc.StatusCode.UNAVAILABLE)]
    with Client(target, patience=Patience(whole=0.3, first_pause=0.01, greatest_pause=0.02)) as client:
        match = client.restore(kept())
        with pytest.raises(Unsure):
            match.apply(MOVE)
        assert match.kept == kept()
    assert len(servicer.requests) >= 3


def test_a_service_that_stays_busy_says_that_nothing_was_done(scripted: tuple[Scripted, str]) -> None:
    """`Busy` and not `Unsure`: the difference between nothing and perhaps."""
    servicer, target = scripted
    servicer.answers = [fails(grpc.StatusCode.RESOURCE_EXHAUSTED, retry_info(50), reason="TOO_BUSY")]
    with Client(target, patience=Patience(whole=0.3, first_pause=0.01)) as client, pytest.raises(Busy) as caught:
        client.restore(kept()).legal_moves()
    assert caught.value.reason == "TOO_BUSY"
    assert len(servicer.requests) >= 2


def test_a_port_where_nobody_listens_is_unsure() -> None:
    """Nobody there is the same to a host as a lost reply."""
    with Client("127.0.0.1:1", patience=Patience(call=0.2, whole=0.3)) as client, pytest.raises(Unsure):
        client.start("m", preset="fives.linear")


def test_refusals_are_typed(scripted: tuple[Scripted, str]) -> None:
    """A refusal, a fork and missing history each arrive as their own exception with what the service said."""
    servicer, target = scripted
    clause = refusal_pb2.Clause(id="F42-PL-20", text="Follow suit.")
    refusal = refusal_pb2.Refusal(reason="MUST_FOLLOW_SUIT", message="Follow.", clauses=[clause], legal_moves=[MOVE],
                                  index=2)  # fmt: skip
    precondition = grpc.StatusCode.FAILED_PRECONDITION
    with Client(target, patience=QUICK) as client:
        match = client.restore(kept())
        servicer.answers = [fails(precondition, refusal, reason="MUST_FOLLOW_SUIT")]
        with pytest.raises(Refused) as refused:
            match.apply(MOVE)
        error = refused.value
        assert (error.reason, error.text, error.index) == ("MUST_FOLLOW_SUIT", "Follow.", 2)
        assert list(error.clauses) == [clause]
        assert list(error.legal_moves) == [MOVE]
        fork = refusal_pb2.Fork(sequence=4, stored_link=b"s" * 32, refused_link=b"r" * 32)
        servicer.answers = [fails(grpc.StatusCode.ABORTED, fork, reason="FORKED")]
        with pytest.raises(Forked) as forked:
            match.apply(MOVE)
        assert (forked.value.sequence, forked.value.stored_link, forked.value.refused_link) == (
            4, b"s" * 32, b"r" * 32,
        )  # fmt: skip
        missing = refusal_pb2.MissingHistory(token_sequence=3)
        servicer.answers = [fails(precondition, missing, reason="HISTORY_MISSING")]
        with pytest.raises(HistoryMissing) as missed:
            match.apply(MOVE)
        assert (missed.value.stored_sequence, missed.value.token_sequence) == (None, 3)
        bad = BadRequest(field_violations=[BadRequest.FieldViolation(field="move", description="expected one")])
        servicer.answers = [fails(grpc.StatusCode.INVALID_ARGUMENT, bad, reason="INVALID_MESSAGE")]
        with pytest.raises(CallFailed) as invalid:
            match.apply(MOVE)
        assert invalid.value.fields == (("move", "expected one"),)
        assert match.kept == kept()


def test_a_reply_that_breaks_the_chain_is_not_taken(scripted: tuple[Scripted, str]) -> None:
    """A reply without a fitting record, or for another match, is `BrokenReply`, and the match stands where it stood."""
    servicer, target = scripted
    replies = [
        wire.ApplyMoveResponse(),
        wire.ApplyMoveResponse(match=match_pb2.Match(token=b"u", match_id="m", sequence=4, link=bytes(32))),
    ]
    with Client(target, patience=QUICK) as client:
        match = client.restore(kept())
        for reply in replies:
            servicer.answers = [gives(reply)]
            with pytest.raises(BrokenReply):
                match.apply(MOVE)
            assert match.kept == kept()


def test_language_and_token_travel_with_each_attempt(scripted: tuple[Scripted, str]) -> None:
    """Each attempt carries the language and the token of that moment: a rotated one is used at once."""
    servicer, target = scripted
    servicer.answers = [fails(grpc.StatusCode.UNAVAILABLE), succeeds]
    tokens = iter(["old", "new"])
    with Client(target, patience=QUICK, language="pl", token=lambda: next(tokens)) as client:
        client.restore(kept()).legal_moves()
    assert [sent["authorization"] for sent in servicer.metadata] == ["Bearer old", "Bearer new"]
    assert {sent["accept-language"] for sent in servicer.metadata} == {"pl"}


@pytest.mark.parametrize("target", ["192.0.2.1:50051", "dns:///localhost.example:1", "ipv4:127.0.0.1:1,192.0.2.1:1",
                                    "127.example:1"])  # fmt: skip
def test_a_token_never_travels_in_the_clear(target: str) -> None:
    """Without TLS a token is accepted for this machine alone."""
    with pytest.raises(ValueError, match="in the clear"):
        Client(target, token="secret")  # noqa: S106
    for local in ("127.0.0.1:1", "localhost:1", "[::1]:1", "unix:/run/x", "ipv4:127.0.0.1:1,127.0.0.1:2"):
        Client(local, token="secret").close()  # noqa: S106


def test_pauses_grow_are_bounded_and_spread() -> None:
    """Pauses double up to their bound, differ between hosts, and are never shorter than the service asks."""
    patience = Patience(first_pause=0.1, greatest_pause=1.0)
    for attempt, base in ((1, 0.1), (2, 0.2), (4, 0.8), (9, 1.0), (LASTING, 1.0)):
        drawn = {patience.pause_before(attempt, None, random.Random(seed)) for seed in range(50)}
        assert len(drawn) > 40
        assert all(0.5 * base <= each <= 1.5 * base for each in drawn)
    assert patience.pause_before(1, 3.0, random.Random(1)) >= 3.0
