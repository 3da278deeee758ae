"""What the service tells its operator, and what it never tells: one line a call, true metrics, no hidden tile."""

import io
import json
import random
import re
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
import structlog
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1 import replay_service_pb2 as replays
from dominohall.v1.move_pb2 import Bid, Move, Place, Play, Shake
from dominohall.v1.options_pb2 import Options
from dominohall_service import journal
from dominohall_service.settings import LogFormat
from google.protobuf.empty_pb2 import Empty
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

SHAKE = Move(shake=Shake())


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """Collect the log lines that a server started in this test writes, as JSON."""
    written = io.StringIO()
    monkeypatch.setattr(journal.sys, "stderr", written)  # type: ignore[attr-defined]
    journal.set_up(LogFormat.JSON, "info")
    yield written
    monkeypatch.undo()
    journal.set_up(LogFormat.JSON, "error")


def page(hall: Any, path: str) -> tuple[int, str]:
    """Fetch a page of the metrics server."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{hall.server.metrics_port}{path}") as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def metric(hall: Any, name: str, **labels: str) -> float:
    """Return the value of a metric, 0 if it isn't there."""
    for line in page(hall, "/metrics")[1].splitlines():
        if line.startswith(name + "{") and all(f'{key}="{value}"' in line for key, value in labels.items()):
            return float(line.rpartition(" ")[2])
    return 0.0


def test_one_line_a_call(open_hall: Any, fails: Any, lines: io.StringIO) -> None:
    """Each call writes one JSON line: method, true status, time, request id, match, sequence, and why it failed."""
    hall = open_hall()
    match = hall.apply(hall.start("lines", "forty_two.russian"), SHAKE)
    bid = Move(bid=Bid(seat=match.state.turn, points=29))
    request = wire.ApplyMoveRequest(match=match, move=bid)
    found = fails(hall.matches.ApplyMove, request, metadata=(("x-request-id", "host-7"),))
    list(hall.replays.GetReplay(replays.GetReplayRequest(match_id="lines")))
    hall.server.stop(5)
    calls = [json.loads(line) for line in lines.getvalue().splitlines() if '"call"' in line]
    assert [(call["method"], call["code"], call["sequence"]) for call in calls] == [
        ("StartMatch", "OK", None),
        ("ApplyMove", "OK", 1),
        ("ApplyMove", "FAILED_PRECONDITION", 1),
        ("GetReplay", "OK", None),
    ]
    assert {call["match_id"] for call in calls} == {"lines"}
    assert (calls[2]["reason"], calls[2]["request_id"]) == ("BID_TOO_LOW", "host-7")
    assert found.details["ErrorInfo"].metadata["request_id"] == "host-7"
    assert found.details["RequestInfo"].request_id == "host-7"
    assert len({call["request_id"] for call in calls} - {""}) == 4
    assert all(call["milliseconds"] >= 0 for call in calls)


def test_a_sample_of_the_calls_that_succeed(open_hall: Any, fails: Any, lines: io.StringIO) -> None:
    """With `log_sample` 4 each method writes its 1st, 5th, 9th successful call, and every call that failed."""
    hall = open_hall(log_sample=4)
    match = hall.apply(hall.start("sample", "forty_two.russian"), SHAKE)
    calls_made = metric(hall, "dominohall_calls_total", method="ListLegalMoves", code="OK")
    for number in range(10):
        hall.matches.ListLegalMoves(
            wire.ListLegalMovesRequest(match=match), metadata=(("x-request-id", f"call-{number}"),)
        )
        list(hall.replays.GetReplay(replays.GetReplayRequest(match_id="sample")))
    for _ in range(3):
        fails(hall.matches.ResumeMatch, wire.ResumeMatchRequest(match_id="nobody"))
    assert metric(hall, "dominohall_calls_total", method="ListLegalMoves", code="OK") == calls_made + 10
    hall.server.stop(5)
    calls = [json.loads(line) for line in lines.getvalue().splitlines() if '"call"' in line]
    written = [call["request_id"] for call in calls if call["method"] == "ListLegalMoves"]
    assert written == ["call-0", "call-4", "call-8"]
    assert Counter((call["method"], call["code"]) for call in calls) == {
        ("StartMatch", "OK"): 1,
        ("ApplyMove", "OK"): 1,
        ("ListLegalMoves", "OK"): 3,
        ("GetReplay", "OK"): 3,
        ("ResumeMatch", "NOT_FOUND"): 3,
    }


def test_a_request_id_that_can_not_be_read_is_not_repeated(open_hall: Any, fails: Any) -> None:
    """A request id with anything odd in it is replaced by one of ours, so it can't forge a log line."""
    hall = open_hall()
    for odd in ("a b", 'x"y', "z" * 65):
        found = fails(
            hall.matches.ResumeMatch, wire.ResumeMatchRequest(match_id="x"), metadata=(("x-request-id", odd),)
        )
        assert found.details["ErrorInfo"].metadata["request_id"] != odd


def test_no_line_holds_a_hidden_tile(open_hall: Any, fails: Any, lines: io.StringIO) -> None:
    """Whole matches with refused moves in them: no log line and no metric holds a tile, a token or a link."""
    hall = open_hall()
    rng = random.Random(3)
    tokens = []
    for preset in ("forty_two.russian", "fives.linear"):
        match = hall.start(f"secret-{preset}", preset)
        while match.sequence < 40 and not match.state.HasField("outcome"):
            tokens.append(match.token)
            wrong = Move(play=Play(seat=rng.randrange(4), tile="6-4"))
            if preset.startswith("fives"):
                wrong.play.place = Place.PLACE_START
            if wrong not in hall.legal(match):
                fails(hall.matches.ApplyMove, wire.ApplyMoveRequest(match=match, move=wrong))
            match = hall.apply(match, rng.choice(hall.legal(match)))
    metrics = page(hall, "/metrics")[1]
    hall.server.stop(5)
    said = lines.getvalue()
    assert len(said.splitlines()) > 100
    tile = re.compile(r"(?<![0-9A-Fa-f.:T-])[0-6]-[0-6](?![0-9A-Fa-f-])")
    assert not tile.search(said)
    assert not tile.search(metrics)
    for token in tokens:
        assert token.hex() not in said
    assert not [line for line in metrics.splitlines() if "secret-" in line]


def test_metrics_count_the_true_status(open_hall: Any, fails: Any) -> None:
    """A call that was aborted is counted under its own status, a refusal under its reason and deciding clause."""
    hall = open_hall()
    match = hall.apply(hall.start("counted", "forty_two.russian"), SHAKE)
    name = "dominohall_calls_total"
    ok = metric(hall, name, method="ApplyMove", code="OK")
    forbidden = metric(hall, name, method="ApplyMove", code="FAILED_PRECONDITION")
    refused = metric(hall, "dominohall_refusals_total", reason="BID_TOO_LOW", clause="F42-RU-07")
    moves = metric(hall, "dominohall_moves_total", game="forty_two")
    fails(
        hall.matches.ApplyMove,
        wire.ApplyMoveRequest(match=match, move=Move(bid=Bid(seat=match.state.turn, points=29))),
    )
    hall.apply(match, hall.legal(match)[0])
    assert metric(hall, name, method="ApplyMove", code="OK") == ok + 1
    assert metric(hall, name, method="ApplyMove", code="FAILED_PRECONDITION") == forbidden + 1
    assert metric(hall, "dominohall_refusals_total", reason="BID_TOO_LOW", clause="F42-RU-07") == refused + 1
    assert metric(hall, "dominohall_moves_total", game="forty_two") == moves + 1


class Hostile(Exception):
    """An exception whose text can't even be made."""

    def __str__(self) -> str:
        raise RuntimeError("6-4")


@pytest.mark.parametrize("error", [RuntimeError("the hand holds 6-4"), Hostile()], ids=["plain", "hostile"])
def test_anything_unforeseen_is_an_incident_and_nothing_else(
    open_hall: Any, fails: Any, lines: io.StringIO, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """An unforeseen exception ends its call only, as INTERNAL with an incident id; its text reaches nobody."""
    hall = open_hall()
    match = hall.apply(hall.start("incident", "forty_two.russian"), SHAKE)
    store = hall.server._store

    def failing(*_: Any) -> None:
        raise error

    monkeypatch.setattr(store, "append", failing)
    found = fails(hall.matches.ApplyMove, wire.ApplyMoveRequest(match=match, move=hall.legal(match)[0]))
    incident = found.details["ErrorInfo"].metadata["request_id"]
    assert (found.code, found.reason, found.message) == (grpc.StatusCode.INTERNAL, "INTERNAL", f"incident {incident}")
    monkeypatch.undo()
    hall.apply(match, hall.legal(match)[0])
    hall.server.stop(5)
    (line,) = [json.loads(line) for line in lines.getvalue().splitlines() if incident in line]
    assert line["error"] == type(error).__name__
    assert any("recording.py" in frame for frame in line["stack"])
    assert "6-4" not in lines.getvalue()


def test_health_and_readiness_have_ports_of_their_own(open_hall: Any) -> None:
    """Health answers over gRPC and HTTP while the service runs; once it stops nobody is told that it is ready."""
    hall = open_hall()
    channel = grpc.insecure_channel(f"127.0.0.1:{hall.server.health_port}")
    stub: Any = health_pb2_grpc.HealthStub(channel)
    for service in ("", "dominohall.v1.MatchService", "dominohall.v1.ReplayService"):
        reply = stub.Check(health_pb2.HealthCheckRequest(service=service))
        assert reply.status == health_pb2.HealthCheckResponse.SERVING
    assert page(hall, "/livez") == (200, "ok\n")
    assert page(hall, "/readyz") == (200, "ok\n")
    assert page(hall, "/nowhere")[0] == 404
    hall.server._observers.set_ready(False)
    assert page(hall, "/readyz")[0] == 503
    assert page(hall, "/livez")[0] == 200
    assert stub.Check(health_pb2.HealthCheckRequest()).status == health_pb2.HealthCheckResponse.NOT_SERVING
    channel.close()


@pytest.mark.parametrize("on", [True, False])
def test_reflection_can_be_switched(open_hall: Any, on: bool) -> None:
    """With reflection the services list themselves; without it nobody is told."""
    hall = open_hall(reflection=on)
    channel = grpc.insecure_channel(f"127.0.0.1:{hall.server.port}")
    stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
    request = reflection_pb2.ServerReflectionRequest(list_services="")
    answer = stub.ServerReflectionInfo(iter([request]))
    if on:
        (reply,) = list(answer)
        names = {service.name for service in reply.list_services_response.service}
        assert {"dominohall.v1.MatchService", "dominohall.v1.ReplayService"} <= names
    else:
        assert answer.code() is grpc.StatusCode.UNIMPLEMENTED
    channel.close()


def test_readable_lines_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Text format writes a line that a person reads, and a level above the line's writes nothing."""
    journal.set_up(LogFormat.TEXT, "info")
    journal.logger().info("listening", port=1)
    journal.set_up(LogFormat.TEXT, "warning")
    journal.logger().info("quiet")
    said = capsys.readouterr().err
    journal.set_up(LogFormat.JSON, "error")
    assert "listening" in said
    assert not said.startswith("{")
    assert "quiet" not in said
    assert structlog.is_configured()


def test_what_a_view_shows_does_not_depend_on_hidden_tiles(open_hall: Any, fails: Any) -> None:
    """Two deals that differ in two hidden hands: seat 0's view, its refusals and their sizes are the same bytes.

    Token, link, root and the proofs are salted commitments to the whole deal, and are left out of the comparison.
    """
    hall = open_hall(allow_scripted_deals=True)
    seen = []
    order = [f"{high}-{low}" for high in range(7) for low in range(high + 1)]
    swapped = [*order[:7], *order[14:21], *order[7:14], *order[21:]]
    for number, tiles in enumerate((order, swapped)):
        request = wire.StartMatchRequest(
            match_id=f"swap-{number}", options=Options(preset="forty_two.polish"), first_seat=3, scripted_deals=True
        )
        start = hall.matches.StartMatch(request).match
        match = hall.apply(start, Move(shake=Shake(tiles=tiles)))
        view = hall.matches.ViewMatch(wire.ViewMatchRequest(match=match, seat=0)).view
        spectator = hall.matches.ViewMatch(wire.ViewMatchRequest(match=match, spectator=Empty())).view
        found = fails(
            hall.matches.ApplyMove,
            wire.ApplyMoveRequest(match=match, move=Move(bid=Bid(seat=0, points=29))),
            metadata=(("x-request-id", "same"),),
        )
        assert list(view.forty_two.hand.tiles) == order[:7]
        sizes = (view.ByteSize(), spectator.ByteSize(), found.size, len(match.token))
        for each in (view, spectator):
            each.ClearField("match_id")
            each.ClearField("root")
            del each.openings[:]
        seen.append((view, spectator, found.message, found.details["Refusal"], sizes))
    assert seen[0] == seen[1]


def test_an_unknown_method_does_not_grow_the_metrics(open_hall: Any, fails: Any) -> None:
    """Methods that don't exist are counted as one, so a stranger can't make labels."""
    hall = open_hall()
    channel = grpc.insecure_channel(f"127.0.0.1:{hall.server.port}")
    for name in ("A", "B", "C"):
        raw: Any = channel.unary_unary(f"/dominohall.v1.MatchService/{name}")
        fails(raw, b"")
    assert metric(hall, "dominohall_calls_total", method="unknown", code="UNIMPLEMENTED") >= 3
    assert not metric(hall, "dominohall_calls_total", method="A")
    channel.close()
