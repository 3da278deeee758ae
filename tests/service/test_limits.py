"""Each limit has its own clear refusal, and what is refused changes nothing."""

import threading
from pathlib import Path
from typing import Any

import grpc
import pytest
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1 import replay_service_pb2 as replays
from dominohall.v1.match_pb2 import Match
from dominohall.v1.move_pb2 import Abandon, Move, Shake, TimedMove
from dominohall_service.settings import InvalidSetting, LogFormat, Settings, StoreKind, settings_from, table
from google.protobuf.empty_pb2 import Empty

SHAKE = Move(shake=Shake())


def test_a_request_that_is_too_large(open_hall: Any, fails: Any) -> None:
    """A request beyond the limit is told the limit; far beyond it gRPC refuses it before it is read."""
    hall = open_hall(max_message_bytes=2000)
    found = fails(hall.replays.VerifyReplay, replays.VerifyReplayRequest(log=bytes(3000)))
    assert (found.code, found.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "MESSAGE_TOO_LARGE")
    assert "2000" in found.message
    with pytest.raises(grpc.RpcError) as caught:
        hall.replays.VerifyReplay(replays.VerifyReplayRequest(log=bytes(20_000)))
    refused: Any = caught.value
    assert refused.code() == grpc.StatusCode.RESOURCE_EXHAUSTED


def test_a_batch_that_is_too_long(open_hall: Any, fails: Any) -> None:
    """ApplyMoves refuses more moves than the setting allows, and an empty batch."""
    hall = open_hall(max_batch_moves=3)
    match = hall.start("long", "forty_two.russian")
    found = fails(hall.matches.ApplyMoves, wire.ApplyMovesRequest(match=match, moves=[TimedMove(move=SHAKE)] * 4))
    assert (found.code, found.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "BATCH_TOO_LONG")
    assert found.fields == ["moves"]
    assert fails(hall.matches.ApplyMoves, wire.ApplyMovesRequest(match=match)).fields == ["moves"]
    assert hall.matches.ResumeMatch(wire.ResumeMatchRequest(match_id="long")).match == match


def test_a_match_that_is_too_long_can_only_be_abandoned(open_hall: Any, fails: Any) -> None:
    """A match that nobody ends is bounded by a setting; the host can still end it, and its log is valid (D-13)."""
    hall = open_hall(max_match_moves=3)
    match = hall.apply(hall.start("endless", "forty_two.russian"), SHAKE)
    for _ in range(2):
        match = hall.apply(match, hall.legal(match)[0])
    move = hall.legal(match)[0]
    for call, request in (
        (hall.matches.ApplyMove, wire.ApplyMoveRequest(match=match, move=move)),
        (hall.matches.ApplyMoves, wire.ApplyMovesRequest(match=match, moves=[TimedMove(move=move)])),
    ):
        found = fails(call, request)
        assert (found.code, found.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "MATCH_TOO_LONG")
    hall.apply(match, Move(abandon=Abandon(reason="too_long")))
    report = hall.replays.VerifyReplay(replays.VerifyReplayRequest(match_id="endless")).report
    assert report.verdict == 1


def test_too_many_calls_are_refused_at_once(open_hall: Any, fails: Any) -> None:
    """Beyond its limit the server refuses with a time to wait, while health answers; afterwards it serves again."""
    hall = open_hall(workers=1, max_waiting_calls=2)
    match = hall.apply(hall.start("busy", "forty_two.russian"), SHAKE)
    request = wire.ViewMatchRequest(match=match, spectator=Empty())
    gate, entered = threading.Event(), threading.Event()
    store = hall.server._store
    append = store.append

    def slow(*arguments: Any) -> None:
        entered.set()
        gate.wait(20)
        append(*arguments)

    store.append = slow
    held = hall.matches.ApplyMove.future(wire.ApplyMoveRequest(match=match, move=hall.legal(match)[0]))
    assert entered.wait(20)
    waiting = hall.matches.ViewMatch.future(request)
    while hall.server._workers.waiting < 2:
        gate.wait(0.01)
    found = fails(hall.matches.ViewMatch, request)
    assert (found.code, found.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_BUSY")
    assert found.details["RetryInfo"].retry_delay.ToMilliseconds() > 0
    gate.set()
    assert held.result().match.sequence == 2
    assert waiting.result().view.sequence == 1
    while hall.server._workers.waiting:
        gate.wait(0.001)
    assert hall.matches.ViewMatch(request).view.sequence == 1


def test_a_caller_that_has_gone_records_nothing(open_hall: Any) -> None:
    """A call whose deadline is over before it gets a thread is not applied."""
    hall = open_hall(workers=1)
    match = hall.apply(hall.start("gone", "forty_two.russian"), SHAKE)
    gate, entered = threading.Event(), threading.Event()
    store = hall.server._store
    append = store.append

    def slow(*arguments: Any) -> None:
        entered.set()
        gate.wait(20)
        append(*arguments)

    other = hall.start("other", "forty_two.russian")
    store.append = slow
    held = hall.matches.ApplyMove.future(wire.ApplyMoveRequest(match=other, move=SHAKE))
    assert entered.wait(20)
    late = hall.matches.ApplyMove.future(wire.ApplyMoveRequest(match=match, move=SHAKE), timeout=0.05)
    assert late.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    gate.set()
    held.result()
    assert hall.matches.ResumeMatch(wire.ResumeMatchRequest(match_id="gone")).match == match


def test_settings_are_read_from_the_environment_and_flags() -> None:
    """A flag wins over its variable, a variable over the default; `none` switches an optional setting off."""
    environment = {
        "DOMINOHALL_PORT": "1234",
        "DOMINOHALL_STORE": "none",
        "DOMINOHALL_KEYRING": "/keys/keyring.json",
        "DOMINOHALL_REFLECTION": "off",
        "DOMINOHALL_GRACE_SECONDS": "2.5",
        "HOME": "/nowhere",
    }
    settings = settings_from(environment, port=99, workers=None)
    assert (settings.port, settings.workers, settings.store) == (99, 16, StoreKind.NONE)
    assert (settings.keyring, settings.reflection) == (Path("/keys/keyring.json"), False)
    assert settings.grace_seconds == 2.5
    assert settings_from({"DOMINOHALL_REPLAY_DIR": "none"}).replay_dir is None


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("DOMINOHALL_PORT", "66000"),
        ("DOMINOHALL_PORT", "http"),
        ("DOMINOHALL_WORKERS", "0"),
        ("DOMINOHALL_REFLECTION", "maybe"),
        ("DOMINOHALL_STORE", "oracle"),
        ("DOMINOHALL_DURABILITY", "hope"),
        ("DOMINOHALL_LOG_LEVEL", "loud"),
        ("DOMINOHALL_PROT", "1"),
    ],
)
def test_settings_that_can_not_be_are_refused(variable: str, value: str) -> None:
    """A value out of range, an unreadable one, and a variable that sets nothing are named."""
    with pytest.raises(InvalidSetting, match=variable.removeprefix("DOMINOHALL_").lower() + "|" + variable):
        settings_from({variable: value})


def test_settings_that_clash_are_refused() -> None:
    """A keyring beside development keys, and replay files without a store, are mistakes and not wishes."""
    with pytest.raises(InvalidSetting, match="insecure_dev_keys"):
        Settings(keyring=Path("k"), insecure_dev_keys=True)
    with pytest.raises(InvalidSetting, match="replay_dir"):
        Settings(store=StoreKind.NONE, replay_dir=Path("r"))
    assert Settings(log_format="json").log_format is LogFormat.JSON  # type: ignore[arg-type]


def test_the_table_of_settings_names_each_once() -> None:
    """Every setting has a row with its flag, its variable and its meaning."""
    rows = table().splitlines()[2:]
    assert len(rows) == len(Settings.__dataclass_fields__)
    assert all(row.count("|") == 5 and "DOMINOHALL_" in row for row in rows)


def test_a_match_without_a_token_is_refused(hall: Any, fails: Any) -> None:
    """A request without a match, or with an empty token, names the token."""
    for match in (None, Match(), Match(match_id="x")):
        assert fails(hall.matches.ListLegalMoves, wire.ListLegalMovesRequest(match=match)).fields == ["match.token"]
