"""How long an answer takes while calls come whenever they come: open loop, the service beside the bare echo.

Calls arrive at random moments (Poisson) and each is timed from the moment at which it was to be sent, so a server that
stalls is charged for everybody who waited. One connection: it is the answer that is measured, not the capacity.
"""

from collections import defaultdict
from contextlib import ExitStack
from typing import Final

from dominohall_loadtest.bench.bench import Bench
from dominohall_loadtest.bench.loading import Loaded, Material, load, material
from dominohall_loadtest.bench.report import Part
from dominohall_loadtest.bench.rows import Measured
from dominohall_loadtest.bench.serving import STORES, echo, service

RATES: Final = (400, 1200)
SECONDS: Final = 3.0
HOW: Final = {
    "latency.p50_400": f"Poisson arrivals for {SECONDS:g} s a round, timed from when a call was to be sent",
    "latency.p99_1200": "the lowest p99 of the service's rounds over the lowest of the echo's",
}


def measure(bench: Bench) -> Part:
    """Measure both rates in turns."""
    calls = material(bench)
    seen: defaultdict[tuple[str, int], list[Loaded]] = defaultdict(list)
    with ExitStack() as stack:
        servers = {
            "echo": stack.enter_context(echo()),
            "no_store": stack.enter_context(service(*STORES["no_store"])),
        }
        for name, served in servers.items():
            load(bench, served, calls.moving, "--repeat", "--calls", "1000", echoed=name == "echo")
        for number in bench.turns():
            bench.say(f"    round {number + 1} of {bench.rounds}")
            for rate in RATES:
                for name, served in servers.items():
                    options = open_loop(bench, rate, number)
                    found = load(bench, served, calls.moving, "--repeat", *options, echoed=name == "echo")
                    seen[name, rate].append(found)
            seen["process", RATES[1]].append(stored_latency(bench, calls, number))
    values = {
        "latency.p50_400": halves(seen["no_store", 400], seen["echo", 400]),
        "latency.p50_1200": halves(seen["no_store", 1200], seen["echo", 1200]),
        "latency.p99_1200": (least(seen["no_store", 1200]) / least(seen["echo", 1200]),),
        "latency.process.p50_1200": halves(seen["process", 1200], seen["echo", 1200]),
    }
    figures = {
        f"{name} at {rate}/s, us": {"p50": [each.p50 for each in found], "p99": [each.p99 for each in found]}
        for (name, rate), found in seen.items()
    }
    findings = {key: Measured(each, HOW.get(key, "")) for key, each in values.items()}
    return Part(findings, figures, quick=bench.quick)


def open_loop(bench: Bench, rate: int, seed: int) -> tuple[str, ...]:
    """Return the options of an open loop; a round's servers get the same arrivals."""
    seconds = bench.seconds(SECONDS)
    return ("--connections", "1", "--rate", str(rate), "--seconds", str(seconds), "--seed", str(seed + 1))


def stored_latency(bench: Bench, calls: Material, seed: int) -> Loaded:
    """Measure a fresh service with a store."""
    with service(*STORES["process"]) as served:
        load(bench, served, calls.warm_up)
        return load(bench, served, calls.started, *open_loop(bench, RATES[1], seed))


def halves(ours: list[Loaded], theirs: list[Loaded]) -> tuple[float, ...]:
    """Return the ratio of the medians of each round."""
    return tuple(one.p50 / other.p50 for one, other in zip(ours, theirs, strict=True))


def least(found: list[Loaded]) -> float:
    """Return the lowest p99."""
    return min(each.p99 for each in found)
