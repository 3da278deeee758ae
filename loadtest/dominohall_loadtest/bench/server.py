"""The service on grpcio's server beside a bare echo on the same server, capacity and processor time.

A round is: the echo, the service without a store, its full reply, its batches, h2load on both, the service with each
store, and the echo again; a round's ratio is to the mean of its two echoes. A store gets whole matches in their order,
32 at a time, on a fresh server and file each round; without one the same moves may be made again and again.
"""

from collections import defaultdict
from contextlib import ExitStack
from typing import Final

from dominohall_loadtest.bench.bench import Bench
from dominohall_loadtest.bench.loading import Loaded, Material, between, h2load, load, material
from dominohall_loadtest.bench.report import Part
from dominohall_loadtest.bench.rows import Measured
from dominohall_loadtest.bench.serving import STORES, Served, echo, service

BATCH: Final = 32
DURABLE: Final = ("process", "power")
HOW: Final = {
    "server.no_store": "whole matches, 4 connections of 8 calls each, token-only replies",
    "server.process": "the same, each round on a fresh file, real appends",
    "server.h2load": "h2load -c 4 -m 8, the echo by h2load as well",
    "server.cpu.no_store": "user and system time of the server process, from /proc",
    "server.batch": "without a store",
}


def measure(bench: Bench) -> Part:
    """Measure every row of the group."""
    calls = material(bench)
    values: defaultdict[str, list[float]] = defaultdict(list)
    figures: defaultdict[str, list[float]] = defaultdict(list)
    with ExitStack() as stack:
        bare = stack.enter_context(echo())
        plain = stack.enter_context(service(*STORES["no_store"]))
        for served, echoed in ((bare, True), (plain, False)):
            load(bench, served, calls.moving, "--repeat", "--calls", "500", echoed=echoed)
        for number in bench.turns():
            bench.say(f"    round {number + 1} of {bench.rounds}")
            one_round(bench, calls, bare, plain, values, figures)
    findings = {key: Measured(tuple(each), HOW.get(key, "")) for key, each in values.items()}
    return Part(
        findings, {name: [round(each, 1) for each in found] for name, found in figures.items()}, quick=bench.quick
    )


def one_round(  # noqa: PLR0913, PLR0917 - what a round goes through
    bench: Bench,
    calls: Material,
    bare: Served,
    plain: Served,
    values: defaultdict[str, list[float]],
    figures: defaultdict[str, list[float]],
) -> None:
    """Go through everything once."""
    again = ("--repeat", "--seconds", str(bench.seconds(1.5)))
    first = load(bench, bare, calls.moving, *again, echoed=True)
    loads = {"no_store": load(bench, plain, calls.moving, *again), "full": load(bench, plain, calls.full, *again)}
    batches = load(bench, plain, calls.batched, *again)
    count = 400 if bench.quick else 3000
    by_h2load = h2load(bench, plain, calls.framed, count) / h2load(bench, bare, calls.framed, count, echoed=True)
    for durability in DURABLE:
        loads[durability] = stored(bench, calls, STORES[durability])
    last = load(bench, bare, calls.moving, *again, echoed=True)
    rate, cpu = between(first, last)
    for name, found in loads.items():
        values[f"server.{name}"].append(found.rate / rate)
        if name != "full":
            values[f"server.cpu.{name}"].append(found.cpu / cpu)
    values["server.h2load"].append(by_h2load)
    values["server.batch"].append(batches.cpu / BATCH / loads["no_store"].cpu)
    for name, found in {"echo": first, "echo again": last, "batches": batches, **loads}.items():
        figures[f"{name}, calls/s"].append(found.rate)
        figures[f"{name}, server us a call"].append(found.cpu * 1e6)
        figures[f"{name}, client us a call"].append(found.client_cpu * 1e6)


def stored(bench: Bench, calls: Material, options: tuple[str, ...]) -> Loaded:
    """Load a fresh service that has a store."""
    with service(*options) as served:
        load(bench, served, calls.warm_up)
        return load(bench, served, calls.started, "--calls", str(calls.moves))
