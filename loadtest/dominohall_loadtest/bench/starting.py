"""From exec to the first answer, and the memory held after some thousand calls: the service beside a bare echo.

The service runs with its defaults: SQLite, `power`, health and metrics; its first answer is a match that was started
and recorded. The client tries to connect every millisecond.
"""

import subprocess
import time
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from dominohall_loadtest.bench.bench import Bench
from dominohall_loadtest.bench.bodies import ECHO_PATHS, PATHS, write_bodies
from dominohall_loadtest.bench.loading import Loaded, load, material
from dominohall_loadtest.bench.report import Part
from dominohall_loadtest.bench.rows import Measured
from dominohall_loadtest.bench.serving import STORES, echo, echo_command, service, service_command
from dominohall_loadtest.server import end, free_ports

CALLS: Final = 5000


def measure(bench: Bench) -> Part:
    """Measure starts in turns, then memory."""
    calls = material(bench)
    first = bench.scratch / "first.bin"
    write_bodies(first, [[(0, calls.recordings[0].start)]])
    rounds = bench.rounds * (1 if bench.quick else 2)
    taken: defaultdict[str, list[float]] = defaultdict(list)
    for _ in range(rounds):
        with TemporaryDirectory(prefix="dominohall-bench-") as folder:
            ports = free_ports(3)
            command = service_command(ports, Path(folder), ())
            taken["service"].append(first_answer(bench, command, ports[0], first, PATHS))
            [port] = free_ports(1)
            taken["echo"].append(first_answer(bench, echo_command(port), port, first, ECHO_PATHS))
    held: defaultdict[str, list[int]] = defaultdict(list)
    for _ in range(2):
        with ExitStack() as stack:
            bare, whole = stack.enter_context(echo()), stack.enter_context(service(*STORES["power"]))
            load(bench, bare, calls.moving, "--repeat", "--calls", str(CALLS), echoed=True)
            load(bench, whole, calls.started, "--calls", str(min(CALLS, calls.moves)))
            held["service"].append(whole.resident)
            held["echo"].append(bare.resident)
    ratio = {name: tuple(a / b for a, b in zip(each["service"], each["echo"], strict=True)) for name, each in
             (("starting.time", taken), ("starting.memory", held))}  # fmt: skip
    how = {
        "starting.time": "from exec to the answer of the first StartMatch on a fresh SQLite file, `power`",
        "starting.memory": f"resident memory after {CALLS:,} calls, with SQLite, health and metrics",
    }
    figures = {"seconds": taken, "bytes": held}
    return Part({key: Measured(each, how[key]) for key, each in ratio.items()}, figures, quick=bench.quick)


def first_answer(bench: Bench, command: list[str], port: int, calls: Path, paths: str) -> float:
    """Start a server and return the seconds until it has answered one call."""
    begun = time.monotonic_ns()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
    try:
        ask = [bench.load, str(port), str(calls), paths, "--connections", "1", "--streams", "1", "--wait", "60"]
        ran = subprocess.run(ask, capture_output=True, text=True, check=False, timeout=70)  # noqa: S603
        return (Loaded.seen(ran, 0.0).ended - begun) / 1e9
    finally:
        end(process)
