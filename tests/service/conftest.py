"""A real server on a free port of loopback with a real store, and a host that talks to it over a real channel."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import pytest
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1 import refusal_pb2
from dominohall.v1.match_pb2 import Match, ReplyForm
from dominohall.v1.match_service_pb2_grpc import MatchServiceStub
from dominohall.v1.move_pb2 import Move
from dominohall.v1.options_pb2 import Options
from dominohall.v1.record_pb2 import Record
from dominohall.v1.replay_service_pb2_grpc import ReplayServiceStub
from dominohall_service import journal
from dominohall_service.server import Server
from dominohall_service.settings import LogFormat, Settings, Transport
from google.protobuf.message import Message
from google.rpc import error_details_pb2
from grpc_status import rpc_status

DETAILS: dict[str, type[Message]] = {
    each.DESCRIPTOR.full_name: each
    for each in (
        error_details_pb2.ErrorInfo,
        error_details_pb2.BadRequest,
        error_details_pb2.RequestInfo,
        error_details_pb2.RetryInfo,
        error_details_pb2.LocalizedMessage,
        refusal_pb2.Refusal,
        refusal_pb2.Fork,
        refusal_pb2.MissingHistory,
    )
}
TOKEN_ONLY = ReplyForm.REPLY_FORM_TOKEN_ONLY


@dataclass
class Failure:
    """A call that failed: its code, the reason of its `ErrorInfo`, and its details by the name of their type."""

    code: grpc.StatusCode
    message: str
    reason: str
    details: dict[str, Any]
    size: int

    @property
    def fields(self) -> list[str]:
        """The paths of the fields that were found wrong."""
        return [each.field for each in self.details["BadRequest"].field_violations]


def failure(call: Callable[..., Any], request: Any, **more: Any) -> Failure:
    """Make a call that must fail, and read its status as any gRPC client can."""

    def made() -> None:
        reply = call(request, **more)
        if isinstance(reply, Iterator):
            list(reply)

    with pytest.raises(grpc.RpcError) as caught:
        made()
    error: Any = caught.value
    status = rpc_status.from_call(error)
    assert status is not None, f"{error.code()} without details: {error.details()}"
    details: dict[str, Any] = {}
    for packed in status.details:
        kind = DETAILS[packed.TypeName()]
        details[kind.DESCRIPTOR.name] = kind.FromString(packed.value)
    info = details["ErrorInfo"]
    assert isinstance(info, error_details_pb2.ErrorInfo)
    assert info.domain == "dominohall"
    assert details["RequestInfo"].request_id == info.metadata["request_id"] != ""
    return Failure(error.code(), error.details(), info.reason, details, len(status.SerializeToString()))


@dataclass
class Hall:
    """A server and a host of it."""

    server: Server
    matches: Any
    replays: Any
    settings: Settings
    records: dict[str, list[Record]] = field(default_factory=dict)

    def start(self, match_id: str, preset: str = "forty_two.polish", **more: Any) -> Match:
        """Start a match."""
        request = wire.StartMatchRequest(match_id=match_id, options=Options(preset=preset), **more)
        reply = self.matches.StartMatch(request)
        self.records[match_id] = [reply.record]
        return Match.FromString(reply.match.SerializeToString())

    def apply(self, match: Match, move: Move, **more: Any) -> Match:
        """Apply a move and keep its record."""
        reply = self.matches.ApplyMove(wire.ApplyMoveRequest(match=Match(token=match.token), move=move, **more))
        if reply.HasField("record"):
            self.records.setdefault(match.match_id, []).append(reply.record)
        return Match.FromString(reply.match.SerializeToString())

    def legal(self, match: Match) -> list[Move]:
        """Return the legal moves."""
        return list(self.matches.ListLegalMoves(wire.ListLegalMovesRequest(match=Match(token=match.token))).moves)

    def play(self, match: Match, rng: random.Random, until: Callable[[Match], bool] = lambda _: False) -> Match:
        """Play random legal moves to the end, or until something holds."""
        while not match.state.HasField("outcome") and not until(match):
            match = self.apply(match, rng.choice(self.legal(match)))
        return match


@pytest.fixture(scope="module", autouse=True)
def quiet() -> None:
    """Write log lines for failures only; for each module anew, because a command that serves sets up its own."""
    journal.set_up(LogFormat.JSON, "error")


def opened(settings: Settings) -> tuple[Hall, grpc.Channel]:
    """Start a server and connect to it."""
    server = Server(settings)
    server.start()
    channel = grpc.insecure_channel(f"127.0.0.1:{server.port}", options=(("grpc.max_send_message_length", -1),))
    return Hall(server, MatchServiceStub(channel), ReplayServiceStub(channel), settings), channel


@pytest.fixture
def open_hall(tmp_path: Path, transport: str) -> Iterator[Callable[..., Hall]]:
    """Open halls with settings of their own; they share one store file unless told otherwise."""
    open_ones: list[tuple[Hall, grpc.Channel]] = []

    def open_one(**settings: Any) -> Hall:
        base: dict[str, Any] = {
            "transport": transport,
            "port": 0,
            "health_port": 0,
            "metrics_port": 0,
            "insecure_dev_keys": "keyring" not in settings,
            "auth": "auto" if "auth_jwks" in settings else "none",
            "store_path": tmp_path / "store.sqlite3",
            "durability": "process",
            "workers": 4,
        }
        open_ones.append(opened(Settings(**{**base, **settings})))
        return open_ones[-1][0]

    yield open_one
    for hall, channel in open_ones:
        channel.close()
        hall.server.stop(1.0)


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory, transport: str) -> Iterator[Hall]:
    """One hall for the tests of a module, with everything allowed."""
    folder = tmp_path_factory.mktemp("hall")
    settings = Settings(
        transport=Transport(transport),
        port=0,
        health_port=0,
        metrics_port=0,
        insecure_dev_keys=True,
        store_path=folder / "store.sqlite3",
        replay_dir=folder / "replays",
        durability="process",
        allow_scripted_deals=True,
        allow_imports=True,
        workers=4,
    )
    one, channel = opened(settings)
    yield one
    channel.close()
    one.server.stop(1.0)


@pytest.fixture(scope="session")
def fails() -> Callable[..., Failure]:
    """Make a call that must fail and read its status."""
    return failure
