"""Hostile input against a real server: `python -m dominohall_loadtest.hostile --requests 100000`.

Held throughout: nothing becomes INTERNAL, the server's memory stays within 128 MiB of what it was idle, and its health
answers. Printed at the end: how many calls of which status, the memory, and how fast health answered.
"""

import argparse
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import grpc
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1 import replay_service_pb2 as replays
from dominohall.v1.match_pb2 import Match
from dominohall.v1.match_service_pb2_grpc import MatchServiceStub
from dominohall.v1.options_pb2 import Options
from dominohall.v1.replay_service_pb2_grpc import ReplayServiceStub
from grpc_health.v1 import health_pb2, health_pb2_grpc

from dominohall_loadtest.malice import STREAMS, honest, requests
from dominohall_loadtest.server import free_ports, wait_until_served

MEBIBYTE: Final = 1 << 20
MOST_GROWTH: Final = 128 * MEBIBYTE
CALL_SECONDS: Final = 60.0
HEALTH_SECONDS: Final = 0.02
THREADS: Final = 4
PRESETS: Final = ("forty_two.polish", "forty_two.russian", "fives.linear")


@dataclass
class Outcome:
    """What a run found: calls by status, the server's memory in bytes, how long each health check took in seconds."""

    statuses: Counter[str] = field(default_factory=Counter)
    idle_bytes: int = 0
    peak_bytes: int = 0
    health: list[float] = field(default_factory=list)
    health_failures: int = 0
    internal: list[tuple[str, bytes]] = field(default_factory=list)

    @property
    def problems(self) -> list[str]:
        """What was not held."""
        found = [f"{method} became INTERNAL for {data[:80].hex()}..." for method, data in self.internal[:5]]
        found += [f"{self.health_failures} health checks failed"] if self.health_failures else []
        growth = (self.peak_bytes - self.idle_bytes) / MEBIBYTE
        return found + ([f"memory grew by {growth:.0f} MiB"] if growth * MEBIBYTE > MOST_GROWTH else [])

    def text(self) -> str:
        """Return the figures."""
        took = sorted(self.health) or [0.0]
        middle, late = took[len(took) // 2], took[int(len(took) * 0.99)]
        counts = ", ".join(f"{name} {count}" for name, count in self.statuses.most_common())
        return (
            f"{self.statuses.total()} hostile requests: {counts}\n"
            f"memory: {self.idle_bytes / MEBIBYTE:.0f} MiB idle, {self.peak_bytes / MEBIBYTE:.0f} MiB at its peak\n"
            f"health: {len(took)} checks, {self.health_failures} failed, median {middle * 1000:.1f} ms, "
            f"p99 {late * 1000:.1f} ms, longest {took[-1] * 1000:.1f} ms"
        )


def resident(process_id: int, what: str) -> int:
    """Return a process's resident memory in bytes: `VmRSS` now, or `VmHWM` at its peak."""
    for line in Path(f"/proc/{process_id}/status").read_text(encoding="ascii").splitlines():
        if line.startswith(what):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"expected {what} of the process, found none")


def played(channel: grpc.Channel, rng: random.Random) -> tuple[list[bytes], list[bytes], list[str]]:
    """Play a match of each preset; return tokens of its beginning, middle and end, the logs, and the ids."""
    matches: Any = MatchServiceStub(channel)
    logs: Any = ReplayServiceStub(channel)
    tokens: list[bytes] = []
    ids = [f"honest-{preset}" for preset in PRESETS]
    for match_id, preset in zip(ids, PRESETS, strict=True):
        start = wire.StartMatchRequest(match_id=match_id, options=Options(preset=preset))
        kept = [matches.StartMatch(start).match]
        while not kept[-1].state.HasField("outcome") and len(kept) < 200:
            sent = Match(token=kept[-1].token)
            move = rng.choice(matches.ListLegalMoves(wire.ListLegalMovesRequest(match=sent)).moves)
            kept.append(matches.ApplyMove(wire.ApplyMoveRequest(match=sent, move=move)).match)
        tokens += [kept[at].token for at in (0, len(kept) // 2, -1)]
    whole = [b"".join(part.entries for part in logs.GetReplay(replays.GetReplayRequest(match_id=each))) for each in ids]
    return tokens, whole, ids


def send(channel: grpc.Channel, todo: Iterator[tuple[str, bytes]], outcome: Outcome, lock: threading.Lock) -> None:
    """Send requests until there are no more."""
    calls: dict[str, Any] = {}
    while True:
        with lock:
            method, data = next(todo, ("", b""))
        if not method:
            return
        if method not in calls:
            kind = channel.unary_stream if method in STREAMS else channel.unary_unary
            calls[method] = kind(method)
        try:
            reply = calls[method](data, timeout=CALL_SECONDS)
            if method in STREAMS:
                list(reply)
            status = "OK"
        except grpc.RpcError as error:
            code: Any = error
            status = code.code().name
        with lock:
            outcome.statuses[status] += 1
            if status in {"INTERNAL", "UNKNOWN", "DEADLINE_EXCEEDED", "UNAVAILABLE"}:
                outcome.internal.append((method, data))


def watch_health(target: str, stop: threading.Event, outcome: Outcome) -> None:
    """Ask for health again and again until told to stop."""
    with grpc.insecure_channel(target) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        while not stop.wait(HEALTH_SECONDS):
            started = time.perf_counter()
            try:
                answer = stub.Check(health_pb2.HealthCheckRequest(), timeout=10)
            except grpc.RpcError:
                outcome.health_failures += 1
            else:
                outcome.health_failures += answer.status != health_pb2.HealthCheckResponse.SERVING
            outcome.health.append(time.perf_counter() - started)


def run(count: int, seed: int = 1, transport: str = "grpcio") -> Outcome:
    """Send every hand-made request and `count` spoiled ones to a server of its own."""
    rng, outcome = random.Random(seed), Outcome()  # noqa: S311 - chance that can be repeated
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="dominohall-hostile-")))
        port, health_port, metrics_port = free_ports(3)
        log = stack.enter_context((folder / "server.log").open("wb"))
        command = [sys.executable, "-m", "dominohall_service.command", "serve", "--insecure-dev-keys"]
        command += [f"--port={port}", f"--health-port={health_port}", f"--metrics-port={metrics_port}"]
        command += [f"--store-path={folder / 'store.sqlite3'}", "--durability=process", "--log-level=warning"]
        command += ["--allow-imports", "--allow-scripted-deals", f"--transport={transport}"]
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)  # noqa: S603 - our own program
        stack.callback(process.wait)
        stack.callback(process.terminate)
        if not wait_until_served(f"127.0.0.1:{port}", process):
            raise RuntimeError("the service did not start")
        options = (("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1))
        channel = stack.enter_context(grpc.insecure_channel(f"127.0.0.1:{port}", options))
        originals = honest(*played(channel, rng))
        outcome.idle_bytes = resident(process.pid, "VmRSS")
        stop, lock = threading.Event(), threading.Lock()
        watch = threading.Thread(target=watch_health, args=(f"127.0.0.1:{health_port}", stop, outcome))
        watch.start()
        todo = requests(rng, count, originals)
        senders = [threading.Thread(target=send, args=(channel, todo, outcome, lock)) for _ in range(THREADS)]
        for each in senders:
            each.start()
        for each in senders:
            each.join()
        stop.set()
        watch.join()
        outcome.peak_bytes = resident(process.pid, "VmHWM")
        matches: Any = MatchServiceStub(channel)
        matches.ListGames(wire.ListGamesRequest())
    return outcome


def main() -> int:
    """Run it and print the figures; 1 if something was not held."""
    parser = argparse.ArgumentParser(prog="python -m dominohall_loadtest.hostile", description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000, help="how many requests are spoiled by chance")
    parser.add_argument("--seed", type=int, default=1, help="the same seed spoils in the same way")
    parser.add_argument("--transport", choices=("grpcio", "native"), default="grpcio")
    given = parser.parse_args()
    outcome = run(given.requests, given.seed, given.transport)
    sys.stdout.write(outcome.text() + "\n")
    for problem in outcome.problems:
        sys.stdout.write(f"NOT HELD: {problem}\n")
    return 1 if outcome.problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
