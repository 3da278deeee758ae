"""Traces: spans of calls, the engine and the store under the caller's own trace, and none unless they are asked for."""

import io
import json
from typing import Any

import grpc
import pytest
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1 import replay_service_pb2 as replays
from dominohall.v1.match_service_pb2_grpc import MatchServiceStub
from dominohall.v1.move_pb2 import Bid, Move, Shake
from dominohall_service import journal
from dominohall_service.server import CannotStart, Server
from dominohall_service.settings import LogFormat, Settings
from dominohall_service.tracing import Tracing
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
TRACEPARENT = (("traceparent", f"00-{TRACE}-{PARENT}-01"),)


def test_spans_of_a_call(open_hall: Any, fails: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Call, engine and store are spans of the caller's trace, whose id stands in the log line and the error."""
    written = io.StringIO()
    monkeypatch.setattr(journal.sys, "stderr", written)  # type: ignore[attr-defined]
    journal.set_up(LogFormat.JSON, "info")
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    settings = open_hall().settings
    server = Server(settings, Tracing(provider))
    server.start()
    with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        stub: Any = MatchServiceStub(channel)
        start = wire.StartMatchRequest(match_id="traced")
        start.options.preset = "forty_two.russian"
        match = stub.StartMatch(start).match
        shaken = stub.ApplyMove(wire.ApplyMoveRequest(match=match, move=Move(shake=Shake())), metadata=TRACEPARENT)
        bid = Move(bid=Bid(seat=shaken.match.state.turn, points=29))
        found = fails(stub.ApplyMove, wire.ApplyMoveRequest(match=shaken.match, move=bid), metadata=TRACEPARENT)
        list(
            channel.unary_stream("/dominohall.v1.ReplayService/GetReplay", replays.GetReplayRequest.SerializeToString)(
                replays.GetReplayRequest(match_id="traced")
            )
        )
        server.stop(5)
    spans: Any = exporter.get_finished_spans()
    shake, refused = (each for each in spans if each.name == "ApplyMove")
    assert (f"{shake.context.trace_id:032x}", f"{shake.parent.span_id:016x}") == (TRACE, PARENT)
    inside = [each.name for each in spans if each.parent and each.parent.span_id == shake.context.span_id]
    assert inside == ["engine.step", "store.append"]
    assert (shake.attributes["rpc.grpc.status_code"], refused.attributes["rpc.grpc.status_code"]) == (0, 9)
    assert shake.attributes["dominohall.match_id"] == "traced"
    assert [each.attributes["rpc.grpc.status_code"] for each in spans if each.name == "GetReplay"] == [0]
    assert not any(each.events for each in spans), "an exception's text could hold a tile"
    assert {key for each in spans for key in each.attributes} == {
        "rpc.system", "rpc.method", "rpc.grpc.status_code", "dominohall.match_id", "dominohall.sequence",
    }  # fmt: skip
    assert found.details["RequestInfo"].serving_data == TRACE
    calls = [json.loads(line) for line in written.getvalue().splitlines() if '"call"' in line]
    assert [call["trace_id"] for call in calls if call["method"] == "ApplyMove"] == [TRACE, TRACE]
    assert all(len(call["trace_id"]) == 32 for call in calls)


def test_no_traces_unless_asked_for(open_hall: Any, fails: Any) -> None:
    """A service without a collector wraps nothing, and says no trace id, whatever the caller sends."""
    hall = open_hall()
    assert hall.server._tracing is None
    found = fails(hall.matches.ResumeMatch, wire.ResumeMatchRequest(match_id="x"), metadata=TRACEPARENT)
    assert found.details["RequestInfo"].serving_data == ""


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """A collector that can't be sent to for want of the extra is told at the start."""
    monkeypatch.setitem(__import__("sys").modules, "dominohall_service.tracing", None)
    settings = Settings(trace_endpoint="http://127.0.0.1:4317", insecure_dev_keys=True, port=0)
    with pytest.raises(CannotStart, match=r"dominohall\[traces\]"):
        Server(settings)
