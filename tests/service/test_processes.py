"""Several server processes on one store, and how one starts and stops: real processes, real signals."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1 import replay_service_pb2 as replays
from dominohall.v1.match_pb2 import Match
from dominohall.v1.match_service_pb2_grpc import MatchServiceStub
from dominohall.v1.move_pb2 import Move, Shake
from dominohall.v1.options_pb2 import Options
from dominohall.v1.replay_service_pb2_grpc import ReplayServiceStub
from dominohall_service.keyring import new_keyring, write_keyring
from google.protobuf.empty_pb2 import Empty

PROGRAM = """
import os, sys
from dominohall_service.server import serve
from dominohall_service.settings import settings_from
sys.exit(serve(settings_from(os.environ)))
"""
SHAKE = Move(shake=Shake())


class Process:
    """One server process and stubs that talk to it."""

    def __init__(self, **settings: object) -> None:
        chosen = {"port": 0, "health_port": 0, "metrics_port": 0, "durability": "process", "workers": 4, **settings}
        environment = {key: value for key, value in os.environ.items() if not key.startswith("DOMINOHALL_")}
        environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        environment |= {f"DOMINOHALL_{name.upper()}": str(value) for name, value in chosen.items()}
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM], env=environment, stderr=subprocess.PIPE, text=True
        )
        self.lines: list[str] = []

    def connect(self) -> "Process":
        """Wait until it listens, and connect."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line)
            if '"listening"' in line:
                break
        told = json.loads(self.lines[-1])
        self.port = told["port"]
        self.health_port = told["health_port"]
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stderr or ()), daemon=True)
        self.reader.start()
        self.channel = grpc.insecure_channel(f"127.0.0.1:{self.port}")
        self.matches: Any = MatchServiceStub(self.channel)
        self.replays: Any = ReplayServiceStub(self.channel)
        return self

    def end(self) -> int:
        """Send SIGTERM and return the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(20)


@pytest.fixture
def start(tmp_path: Path, transport: str) -> Iterator[Callable[..., Process]]:
    """Start server processes on one store and one keyring."""
    write_keyring(tmp_path / "keyring.json", new_keyring())
    started: list[Process] = []

    def one(**settings: object) -> Process:
        base = {
            "transport": transport,
            "auth": "none",
            "keyring": tmp_path / "keyring.json",
            "store_path": tmp_path / "store.sqlite3",
        }
        started.append(Process(**{**base, **settings}))
        return started[-1]

    yield one
    for each in started:
        each.process.kill()
        each.process.wait()
        if each.process.stderr is not None and not hasattr(each, "reader"):
            each.process.stderr.close()
        if hasattr(each, "channel"):
            each.channel.close()
            each.reader.join()
            each.process.stderr.close()  # type: ignore[union-attr]


def log_of(server: Process, match_id: str) -> bytes:
    """Return the streamed log of a match."""
    return b"".join(chunk.entries for chunk in server.replays.GetReplay(replays.GetReplayRequest(match_id=match_id)))


def played(servers: list[Process], match_id: str, preset: str) -> list[wire.ApplyMoveResponse]:
    """Play a match whose calls go to the servers in turn, with one seed for the moves."""
    rng = random.Random(preset)
    turns = iter(range(1_000_000))

    def server() -> Process:
        return servers[next(turns) % len(servers)]

    options = Options(preset=preset)
    reply: Any = server().matches.StartMatch(wire.StartMatchRequest(match_id=match_id, options=options))
    replies = [reply]
    while not reply.match.state.HasField("outcome"):
        token = Match(token=reply.match.token)
        legal = server().matches.ListLegalMoves(wire.ListLegalMovesRequest(match=token)).moves
        reply = server().matches.ApplyMove(wire.ApplyMoveRequest(match=token, move=rng.choice(legal)))
        replies.append(reply)
    return replies


def test_two_processes_give_the_log_of_one(start: Any, tmp_path: Path) -> None:
    """A match whose moves go to two processes in turn has the same log, byte for byte, as one played on one."""
    one, other = start(), start()
    alone = start(store_path=tmp_path / "alone.sqlite3")
    for each in (one, other, alone):
        each.connect()
    for preset in ("forty_two.russian", "fives.linear"):
        match_id = f"shared-{preset}"
        assert played([one, other], match_id, preset) == played([alone], match_id, preset)
        assert log_of(one, match_id) == log_of(other, match_id) == log_of(alone, match_id)
        report = one.replays.VerifyReplay(replays.VerifyReplayRequest(match_id=match_id)).report
        assert report.verdict == 1


def test_a_race_has_one_winner_and_one_log(start: Any) -> None:
    """Hosts that move at once, on two processes: each place has one winner, losers are FORKED, the log holds."""
    servers = [start(), start()]
    for server in servers:
        server.connect()
    options = Options(preset="forty_two.russian")
    match = servers[0].matches.StartMatch(wire.StartMatchRequest(match_id="race", options=options)).match
    match = servers[0].matches.ApplyMove(wire.ApplyMoveRequest(match=match, move=SHAKE)).match
    for _ in range(12):
        legal = servers[0].matches.ListLegalMoves(wire.ListLegalMovesRequest(match=match)).moves
        moves = [legal[number % len(legal)] for number in range(6)]
        calls = [
            servers[number % 2].matches.ApplyMove.future(wire.ApplyMoveRequest(match=match, move=move))
            for number, move in enumerate(moves)
        ]
        codes = [call.code() for call in calls]
        won = [call.result() for call in calls if call.code() is grpc.StatusCode.OK]
        assert set(codes) <= {grpc.StatusCode.OK, grpc.StatusCode.ABORTED}
        assert won
        assert all(each == won[0] for each in won)
        chosen = {move.SerializeToString() for move, code in zip(moves, codes, strict=True) if code is codes[0].OK}
        assert len(chosen) == 1
        match = won[0].match
    head = servers[1].matches.ResumeMatch(wire.ResumeMatchRequest(match_id="race")).match
    assert head == match
    report = servers[0].replays.VerifyReplay(replays.VerifyReplayRequest(match_id="race")).report
    assert (report.verdict, report.link) == (2, match.link)


def test_starting_at_once_starts_once(start: Any) -> None:
    """The same StartMatch sent many times at once to two processes gives one header."""
    servers = [start(), start()]
    for server in servers:
        server.connect()
    request = wire.StartMatchRequest(match_id="once", options=Options(preset="fives.linear"))
    calls = [servers[number % 2].matches.StartMatch.future(request) for number in range(12)]
    replies = [call.result() for call in calls]
    assert all(reply == replies[0] for reply in replies)


def test_sigterm_finishes_calls_in_progress(start: Any) -> None:
    """SIGTERM under load: each call that was taken is answered, the others are turned away, and the exit code is 0."""
    server = start(grace_seconds=15)
    server.connect()
    match = server.matches.StartMatch(
        wire.StartMatchRequest(match_id="drain", options=Options(preset="forty_two.russian"))
    ).match
    match = server.matches.ApplyMove(wire.ApplyMoveRequest(match=match, move=SHAKE)).match
    request = wire.ViewMatchRequest(match=match, spectator=Empty())
    warm = server.matches.ViewMatch(request)
    calls = [server.matches.ViewMatch.future(request) for _ in range(200)]
    calls[0].result()
    server.process.send_signal(signal.SIGTERM)
    codes = {call.code() for call in calls}
    assert codes <= {grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED}
    assert all(call.result() == warm for call in calls if call.code() is grpc.StatusCode.OK)
    assert server.process.wait(20) == 0
    server.reader.join()
    assert '"finished": true' in server.lines[-1]
    taken = [json.loads(line)["code"] for line in server.lines if '"ViewMatch"' in line]
    assert taken == ["OK"] * (1 + sum(call.code() is grpc.StatusCode.OK for call in calls))


def test_sigint_ends_it_too(start: Any) -> None:
    """Ctrl-C ends a server as SIGTERM does."""
    server = start()
    server.connect()
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(20) == 0


def test_a_restart_goes_on(start: Any) -> None:
    """A server killed in the middle of a match: the token goes on with the next one, and so does the log."""
    server = start()
    server.connect()
    options = Options(preset="forty_two.russian")
    match = server.matches.StartMatch(wire.StartMatchRequest(match_id="killed", options=options)).match
    match = server.matches.ApplyMove(wire.ApplyMoveRequest(match=match, move=SHAKE)).match
    server.process.kill()
    server.process.wait()
    after = start()
    after.connect()
    legal = after.matches.ListLegalMoves(wire.ListLegalMovesRequest(match=match)).moves
    moved = after.matches.ApplyMove(wire.ApplyMoveRequest(match=match, move=legal[0])).match
    assert after.matches.ResumeMatch(wire.ResumeMatchRequest(match_id="killed")).match == moved


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"keyring": "none"}, "--keyring"),
        ({"keyring": "nowhere.json"}, "keyring"),
        ({"store_path": "/proc/no/such/store"}, "store"),
    ],
)
def test_what_cannot_start_says_why(start: Any, settings: dict[str, str], told: str) -> None:
    """Without a usable keyring or store the server does not start: exit code 2 and one line that says why."""
    server = start(**settings)
    _, said = server.process.communicate(timeout=20)
    assert server.process.returncode == 2
    assert told in said
    assert "Traceback" not in said


@pytest.mark.parametrize("port", ["port", "health_port", "metrics_port"])
def test_a_port_that_is_taken_is_refused(start: Any, port: str) -> None:
    """A port that another server has is never shared with it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        server = start(**{port: taken.getsockname()[1]})
        _, said = server.process.communicate(timeout=20)
    assert server.process.returncode == 2
    assert "port" in said or "taken" in said
    assert "Traceback" not in said
