"""What a load does to a server: throughput and latency by `load.c`, by h2load, and the processor time of the server."""

import json
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from statistics import fmean
from typing import Final

from dominohall_loadtest.bench import bodies
from dominohall_loadtest.bench.bench import Bench
from dominohall_loadtest.bench.bodies import ECHO_PATHS, PATHS, Recording
from dominohall_loadtest.bench.serving import STORES, Served, service

CONNECTIONS: Final = 4
STREAMS: Final = 8
"""32 calls on their way at any time."""
WARM_UP_MATCHES: Final = 3
LOAD_SECONDS: Final = 400


@dataclass(frozen=True)
class Loaded:
    """What a load saw: calls a second, processor seconds of the server a call, and microseconds until the answer."""

    calls: int
    rate: float
    cpu: float
    client_cpu: float
    p50: float
    p99: float
    ended: int

    @classmethod
    def seen(cls, ran: "subprocess.CompletedProcess[str]", cpu: float) -> "Loaded":
        """Read what the client printed; `RuntimeError` if a call failed, because then nothing was measured."""
        if not ran.stdout:
            raise RuntimeError(ran.stderr.strip() or "load printed nothing")
        printed = json.loads(ran.stdout)
        if printed["failed"] or not printed["calls"]:
            raise RuntimeError(f"{printed['failed']} of {printed['calls']} calls failed: {ran.stderr.strip()[:200]}")
        calls, seconds = printed["calls"], printed["seconds"]
        return cls(
            calls,
            calls / seconds,
            cpu / calls,
            printed["client_cpu"] / calls,
            printed["p50"],
            printed["p99"],
            printed["ended"],
        )


@dataclass(frozen=True)
class Material:
    """Recorded matches as files of calls; those of the first few warm a server up."""

    bench: Bench
    recordings: Sequence[Recording]

    @property
    def moves(self) -> int:
        """Return how many calls a load may make so that there are always enough matches left to play."""
        return sum(len(each.moves) for each in self.recordings[WARM_UP_MATCHES:]) * 6 // 10

    @cached_property
    def warm_up(self) -> Path:
        """Whole matches to warm up with, started first."""
        return self._written("warm_up", [bodies.unary(each) for each in self.recordings[:WARM_UP_MATCHES]])

    @cached_property
    def started(self) -> Path:
        """Whole matches, started first: for a store."""
        return self._written("started", [bodies.unary(each) for each in self.recordings[WARM_UP_MATCHES:]])

    def part(self, number: int) -> Path:
        """Every other of the matches to be played, started first: two loads of one store."""
        matches = self.recordings[WARM_UP_MATCHES + number :: 2]
        return self._written(f"part{number}", [bodies.unary(each) for each in matches])

    @cached_property
    def moving(self) -> Path:
        """The moves of matches alone: without a store they may be made again and again."""
        return self._written("moving", [bodies.unary(each, begins=False) for each in self.recordings])

    @cached_property
    def full(self) -> Path:
        """The same, asking for the full readable reply."""
        form = bodies.FULL
        return self._written("full", [bodies.unary(each, form, begins=False) for each in self.recordings])

    @cached_property
    def batched(self) -> Path:
        """The same in batches of 32."""
        return self._written("batched", [bodies.batches(each, 32)[1:] for each in self.recordings])

    @cached_property
    def framed(self) -> Path:
        """One request of the middle of a match as h2load sends it: with gRPC's five bytes before it."""
        calls = bodies.unary(self.recordings[0], begins=False)
        message = calls[len(calls) // 2][1]
        path = self.bench.scratch / "framed.bin"
        path.write_bytes(b"\0" + len(message).to_bytes(4) + message)
        return path

    def _written(self, name: str, matches: Sequence[Sequence[tuple[int, bytes]]]) -> Path:
        path = self.bench.scratch / f"{name}.bin"
        if not path.exists():
            bodies.write_bodies(path, matches)
        return path


@cache
def material(bench: Bench) -> Material:
    """Record matches, enough for a load on a store; the same ones in every run."""
    count = 9 if bench.quick else 36
    bench.say(f"    recording {count} matches")
    with service(*STORES["no_store"]) as served:
        return Material(bench, tuple(bodies.record(f"127.0.0.1:{served.port}", count)))


def load(bench: Bench, served: Served, calls: Path, *options: str, echoed: bool = False) -> Loaded:
    """Load a server with recorded calls."""
    before = served.cpu
    command = [bench.load, str(served.port), str(calls), ECHO_PATHS if echoed else PATHS]
    command += ["--connections", str(CONNECTIONS), "--streams", str(STREAMS), *options]
    ran = subprocess.run(  # noqa: S603 - our own program
        command, capture_output=True, text=True, check=False, timeout=LOAD_SECONDS
    )
    return Loaded.seen(ran, served.cpu - before)


def h2load(bench: Bench, served: Served, body: Path, calls: int, *, echoed: bool = False) -> float:
    """Return the calls a second that h2load gets with one request again and again."""
    path = ECHO_PATHS if echoed else PATHS.split(",")[bodies.MOVE]
    command = [bench.tool("h2load", "nghttp2-client"), "-n", str(calls), "-c", str(CONNECTIONS), "-m", str(STREAMS)]
    command += ["-d", str(body), "-H", "content-type: application/grpc", "-H", "te: trailers"]
    command.append(f"http://127.0.0.1:{served.port}{path}")
    printed = subprocess.run(  # noqa: S603 - a program named here
        command, capture_output=True, text=True, check=True, timeout=LOAD_SECONDS
    ).stdout
    found = re.search(r"finished in .*?, ([\d.]+) req/s", printed)
    if found is None or f" {calls} succeeded" not in printed:
        raise RuntimeError(f"h2load: {printed[-300:]}")
    return float(found[1])


def between(first: Loaded, last: Loaded) -> tuple[float, float]:
    """Return the rate and the processor time of a call of two loads around others."""
    return fmean((first.rate, last.rate)), fmean((first.cpu, last.cpu))
