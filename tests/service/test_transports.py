"""Where the transports differ, on real servers: what the native one refuses, and what `docs/native.md` says of it."""

import re
import sys
import threading
import time
from pathlib import Path
from typing import Any

import grpc
import pytest
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1.match_pb2 import Match
from dominohall.v1.match_service_pb2_grpc import MatchServiceStub
from dominohall.v1.move_pb2 import Move, Shake, TimedMove
from dominohall.v1.options_pb2 import Options
from dominohall_replays.store import UnknownMatch
from dominohall_service.server import CannotStart, Server
from dominohall_service.settings import Settings
from google.protobuf.empty_pb2 import Empty
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

ROOT = Path(__file__).parents[2]
SHAKE = Move(shake=Shake())
LARGE = (("x-large", "x" * 20_000),)
"""More metadata than the 16 KiB that either server takes."""


def native(tmp_path: Path, **settings: Any) -> Settings:
    """Return settings of a native server that is not started."""
    base = {"port": 0, "health_port": 0, "metrics_port": 0, "insecure_dev_keys": True, "workers": 1}
    return Settings(**{**base, "transport": "native", "store_path": tmp_path / "store.sqlite3", **settings})


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"tls_cert": Path("tls.crt"), "tls_key": Path("tls.key")}, "expected no TLS with --transport native"),
        ({"tls_client_ca": Path("ca.crt")}, "expected no TLS with --transport native"),
        ({"auth": "mtls"}, "expected no TLS with --transport native"),
        ({"host": "0.0.0.0"}, "expected a loopback address with --transport native, got 0.0.0.0"),  # noqa: S104
    ],
)
def test_what_the_native_transport_cannot_do_is_refused(settings: dict[str, Any], words: str, tmp_path: Path) -> None:
    """TLS, client certificates, and strangers on the network: it does not start, in words and before it has a port."""
    with pytest.raises(CannotStart, match=re.escape(words)):
        Server(native(tmp_path, **settings))


def test_a_trusted_network_is_taken_at_its_word(tmp_path: Path) -> None:
    """Behind a mesh or proxy it listens on every interface."""
    server = Server(native(tmp_path, host="0.0.0.0", trust_network=True))  # noqa: S104
    server.start()
    assert server.stop(1)


def test_without_the_package_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named; with grpcio nothing of it is imported."""
    monkeypatch.setitem(sys.modules, "pygrpc_native", None)
    with pytest.raises(CannotStart, match=re.escape("pip install 'dominohall[native]'")):
        Server(native(tmp_path))
    server = Server(native(tmp_path, transport="grpcio"))
    server.start()
    assert server.stop(1)


def test_late_calls_append_nothing(open_hall: Any) -> None:
    """Calls that write, whose deadline was over before they got a thread: nothing of any of them is in the store."""
    hall = open_hall(workers=1, allow_imports=True)
    match = hall.start("gone", "forty_two.russian")
    other, store = hall.start("other", "forty_two.russian"), hall.server._store
    append, gate, entered = store.append, threading.Event(), threading.Event()

    def slow(*arguments: Any) -> None:
        entered.set()
        gate.wait(20)
        append(*arguments)

    store.append = slow
    held = hall.matches.ApplyMove.future(wire.ApplyMoveRequest(match=other, move=SHAKE))
    assert entered.wait(20)
    begin = wire.StartMatchRequest(match_id="late", options=Options(preset="fives.linear"))
    late = [
        hall.matches.ApplyMove.future(wire.ApplyMoveRequest(match=match, move=SHAKE), timeout=0.05),
        hall.matches.ApplyMoves.future(
            wire.ApplyMovesRequest(match=match, moves=[TimedMove(move=SHAKE)]), timeout=0.05
        ),
        hall.matches.StartMatch.future(begin, timeout=0.05),
        hall.matches.ImportMatch.future(wire.ImportMatchRequest(match_id="brought", state=match.state), timeout=0.05),
    ]
    assert {call.code() for call in late} == {grpc.StatusCode.DEADLINE_EXCEEDED}
    time.sleep(1)  # the service hears of it a moment after its caller, and nothing here says when
    gate.set()
    held.result()
    hall.matches.ListGames(wire.ListGamesRequest())  # the one thread has taken all of them by now
    assert hall.matches.ResumeMatch(wire.ResumeMatchRequest(match_id="gone")).match == match
    for name in ("late", "brought"):
        with pytest.raises(UnknownMatch):
            list(store.entries("default", name))


def test_reflection_holds_no_worker(open_hall: Any) -> None:
    """A stream of reflection that stays open leaves the only thread to calls."""
    hall = open_hall(workers=1)
    with grpc.insecure_channel(f"127.0.0.1:{hall.server.port}") as channel:
        stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
        done = threading.Event()

        def asked() -> Any:
            yield reflection_pb2.ServerReflectionRequest(list_services="")
            done.wait(20)

        answers = stub.ServerReflectionInfo(asked())
        names = {each.name for each in next(answers).list_services_response.service}
        assert "dominohall.v1.MatchService" in names
        assert hall.start("meanwhile").sequence == 0
        done.set()


def test_too_much_metadata(open_hall: Any, transport: str) -> None:
    """Both refuse it; the native one without a status of gRPC, so clients see UNKNOWN, which none repeats."""
    with pytest.raises(grpc.RpcError) as caught:
        open_hall().matches.ListGames(wire.ListGamesRequest(), metadata=LARGE)
    error: Any = caught.value
    wanted = {"grpcio": grpc.StatusCode.RESOURCE_EXHAUSTED, "native": grpc.StatusCode.UNKNOWN}
    assert error.code() is wanted[transport]


def test_an_authority_that_is_a_list(open_hall: Any, transport: str) -> None:
    """Clients send the list of `ipv4:A,B` as authority; the native one takes it only with one set for them."""
    hall = open_hall()
    target = f"ipv4:127.0.0.1:{hall.server.port},127.0.0.1:{hall.server.port}"

    def games(*options: tuple[str, str]) -> int:
        with grpc.insecure_channel(target, options) as channel:
            stub: Any = MatchServiceStub(channel)
            return len(stub.ListGames(wire.ListGamesRequest()).games)

    assert games(("grpc.default_authority", "hall")) == 2
    if transport == "grpcio":
        assert games() == 2
    else:
        with pytest.raises(grpc.RpcError, match=r"StatusCode\.INTERNAL"):
            games()


def test_messages_beyond_the_hard_limit_and_compressed_ones(open_hall: Any) -> None:
    """Both refuse what is longer than four times the limit, also when it was short before it was unpacked."""
    hall = open_hall(max_message_bytes=1 << 12)
    with grpc.insecure_channel(f"127.0.0.1:{hall.server.port}") as channel:
        call: Any = channel.unary_unary("/dominohall.v1.MatchService/ListGames")
        for compression in (grpc.Compression.NoCompression, grpc.Compression.Gzip):
            assert call(b"", compression=compression)
            with pytest.raises(grpc.RpcError) as caught:
                call(bytes(1 << 16), compression=compression)
            error: Any = caught.value
            assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


def test_while_it_stops_new_calls_are_unavailable(open_hall: Any) -> None:
    """Told to stop, it finishes what it has; who comes then is told UNAVAILABLE, and goes elsewhere."""
    hall = open_hall(workers=2)
    match = hall.start("last", "forty_two.russian")
    store, gate, entered = hall.server._store, threading.Event(), threading.Event()
    append = store.append

    def slow(*arguments: Any) -> None:
        entered.set()
        gate.wait(20)
        append(*arguments)

    store.append = slow
    held = hall.matches.ApplyMove.future(wire.ApplyMoveRequest(match=match, move=SHAKE))
    assert entered.wait(20)
    finished: list[bool] = []
    stopping = threading.Thread(target=lambda: finished.append(hall.server.stop(20)))
    stopping.start()
    view = wire.ViewMatchRequest(match=Match(token=match.token), spectator=Empty())
    with grpc.insecure_channel(f"127.0.0.1:{hall.server.port}") as channel:
        stub: Any = MatchServiceStub(channel)
        while stub.ViewMatch.future(view).exception() is None:  # the last orders are taken first
            pass
        code = stub.ViewMatch.future(view).code()  # of one that came for certain when it was too late
    gate.set()
    assert held.result().match.sequence == 1
    stopping.join()
    assert (code, finished) == (grpc.StatusCode.UNAVAILABLE, [True])


def test_calls_that_hang_are_cut_off(open_hall: Any) -> None:
    """A call that outlasts the grace period is cut off, the server ends, and says so."""
    hall = open_hall(workers=1)
    match = hall.start("stuck", "forty_two.russian")
    gate, entered = threading.Event(), threading.Event()

    def stuck(*_arguments: Any) -> None:
        entered.set()
        gate.wait(20)

    hall.server._store.append = stuck
    held = hall.matches.ApplyMove.future(wire.ApplyMoveRequest(match=match, move=SHAKE))
    assert entered.wait(20)
    assert hall.server.stop(0.1) is False
    assert held.code() in {grpc.StatusCode.CANCELLED, grpc.StatusCode.UNAVAILABLE}
    gate.set()


def test_the_page_names_what_these_tests_show() -> None:
    """Each difference that is tried here stands in the table of `docs/native.md`."""
    page = (ROOT / "docs" / "native.md").read_text()
    for word in (
        "TLS",
        "trust-network",
        "UNKNOWN",
        "authority",
        "UNAVAILABLE",
        "deadline",
        "grpc-timeout",
        "reflection",
    ):
        assert word in page, word
