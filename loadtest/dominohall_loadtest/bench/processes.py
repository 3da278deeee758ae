"""Two server processes against one, over what two copies of a C loop make of the same two cores.

Each server is kept to a core of its own, and each has a client of its own, which shares the cores with them. So a
figure below 1 is, for the most part, what the clients take.
"""

import os
import subprocess
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from dominohall_loadtest.bench.bench import Bench
from dominohall_loadtest.bench.loading import load, material
from dominohall_loadtest.bench.report import Part
from dominohall_loadtest.bench.rows import Measured
from dominohall_loadtest.bench.serving import STORES, service


def measure(bench: Bench) -> Part:
    """Measure one and two of both in turns."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        raise RuntimeError("expected two cores, found one")
    calls = material(bench)
    again = ("--repeat", "--seconds", str(bench.seconds(2.0)))
    values: list[float] = []
    figures: defaultdict[str, list[float]] = defaultdict(list)
    with ExitStack() as stack, ThreadPoolExecutor(2) as both:
        bench.load, bench.spin  # noqa: B018 - compiled before two threads want them
        servers = [
            stack.enter_context(service(*STORES["no_store"], under=("taskset", "-c", str(core)))) for core in cores
        ]
        for served in servers:
            load(bench, served, calls.moving, "--repeat", "--calls", "500", "--wait", "30")
        for _ in bench.turns():
            one = load(bench, servers[0], calls.moving, *again).rate
            two = sum(each.rate for each in both.map(lambda served: load(bench, served, calls.moving, *again), servers))
            single = spun(bench, cores[0])
            double = sum(both.map(lambda core: spun(bench, core), cores))
            values.append((two / one) / (double / single))
            for name, found in {"service": two / one, "loop in C": double / single}.items():
                figures[f"{name}, two over one"].append(round(found, 3))
    how = "no store, a client each on the same two cores; service and loop each two over one"
    return Part({"processes.two": Measured(tuple(values), how)}, figures, quick=bench.quick)


def spun(bench: Bench, core: int) -> float:
    """Return how far the loop comes on a core."""
    command = ["taskset", "-c", str(core), bench.spin, str(bench.seconds(1.0))]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)  # noqa: S603
