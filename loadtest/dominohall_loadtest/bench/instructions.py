"""Instructions in user space, counted by valgrind's callgrind: what noise can't touch, and so the gate.

Of a contender two runs of different length are counted and subtracted, so that starting falls out. A server is counted
while it runs: warmed up, then for two loads of different length, one a good part longer; the difference is the calls'.
"""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Final

from dominohall_loadtest.bench.bench import CHECKOUT, Bench, path_of
from dominohall_loadtest.bench.loading import Material, load, material
from dominohall_loadtest.bench.programs import PROGRAMS
from dominohall_loadtest.bench.report import Part
from dominohall_loadtest.bench.rows import Finding, Measured, NotMeasured
from dominohall_loadtest.bench.serving import STORES, Served, echo, service

ROUNDS: Final = (40, 240)
CALLS: Final = (100, 400)
FEW: Final = ("--connections", "2", "--streams", "4")
"""Under callgrind a server is fifty times slower."""
ASLEEP: Final = ("--store-probe-seconds", "3600", "--keyring-poll-seconds", "3600")
"""What the service does by the clock is no part of a call, and would be counted with it while everything is slow."""
COUNTER: Final = ("--tool=callgrind", "--instr-atstart=no")


def measure(bench: Bench) -> Part:
    """Count a call of each server, and a decision of each engine."""
    bench.tool("valgrind", "valgrind")
    calls = material(bench)
    figures = {"echo, a call": a_call(bench, calls, "")}
    for store in ("no_store", "process"):
        figures[f"{store}, a call"] = a_call(bench, calls, store)
    findings: dict[str, Finding] = {}
    bare = figures["echo, a call"]
    for store in ("no_store", "process"):
        ratio = figures[f"{store}, a call"] / bare
        findings[f"instructions.{store}"] = Measured((ratio,), f"callgrind; the echo takes {bare / 1e3:,.0f}k a call")
    try:
        for engine in ("forty_two", "euchre"):
            figures[f"{engine}, a decision"] = a_decision(bench, engine)
    except RuntimeError as error:
        findings["instructions.euchre"] = NotMeasured(str(error))
    else:
        ours, theirs = figures["forty_two, a decision"], figures["euchre, a decision"]
        how = f"{ours / 1e3:.1f}k a decision of 42, {theirs / 1e3:.1f}k of euchre, deals included"
        findings["instructions.euchre"] = Measured((theirs / ours,), how)
    return Part(findings, {name: round(value) for name, value in figures.items()}, quick=bench.quick)


def a_decision(bench: Bench, engine: str) -> float:
    """Return the instructions of one decision of a contender."""
    counts, moves = [], []
    for rounds in ROUNDS:
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", bench.peers_python]
        command += [str(PROGRAMS / "playouts.py"), engine, "--rounds", str(rounds)]
        environment = {**os.environ, **path_of(str(CHECKOUT / "engine")), "PYTHONHASHSEED": "0"}
        ran = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)  # noqa: S603
        collected = re.search(r"Collected : (\d+)", ran.stderr)
        if collected is None:
            raise RuntimeError(f"valgrind: {ran.stderr[-300:]}")
        counts.append(int(collected[1]))
        moves.append(json.loads(ran.stdout)["moves"])
    return float((counts[1] - counts[0]) / (moves[1] - moves[0]))


def a_call(bench: Bench, calls: Material, store: str) -> float:
    """Return the instructions of one call of the service, or without a store's name of the echo."""
    out = bench.scratch / f"callgrind.{store or 'echo'}"
    under = ("valgrind", *COUNTER, f"--callgrind-out-file={out}")
    with service(*STORES[store], *ASLEEP, under=under) if store else echo(under=under) as served:
        bench.say(f"    counting {store or 'the echo'}")
        load(bench, served, calls.warm_up, *FEW, "--calls", "200", "--wait", "300", echoed=not store)
        control(served, "--instr=on")
        if store != "process":
            load(bench, served, calls.moving, *FEW, "--repeat", "--calls", "50", echoed=not store)
        counts = []
        for number, count in enumerate(CALLS):
            again, file = ((), calls.part(number)) if store == "process" else (("--repeat",), calls.moving)
            control(served, "--zero")
            load(bench, served, file, *FEW, *again, "--calls", str(count), echoed=not store)
            control(served, "--dump")
            counts.append(total_in(Path(f"{out}.{number + 1}")))
    return (counts[1] - counts[0]) / (CALLS[1] - CALLS[0])


def total_in(dump: Path) -> int:
    """Return the instructions that callgrind has written down."""
    found = re.search(r"^(?:summary|totals): (\d+)", dump.read_text(), re.MULTILINE)
    if found is None:
        raise RuntimeError("callgrind wrote no total")
    return int(found[1])


def control(served: Served, command: str) -> None:
    """Tell callgrind what to do with the server."""
    words = ["callgrind_control", command, str(served.process.pid)]
    subprocess.run(words, capture_output=True, check=True, timeout=120)  # noqa: S603 - a program named here
