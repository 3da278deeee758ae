"""The service on the native transport against the bare echo on grpcio's server: what changing the server gives."""

from collections import defaultdict
from contextlib import ExitStack
from importlib.util import find_spec
from typing import Final

from dominohall_loadtest.bench.bench import Bench
from dominohall_loadtest.bench.loading import between, load, material
from dominohall_loadtest.bench.report import Part
from dominohall_loadtest.bench.rows import Measured
from dominohall_loadtest.bench.server import DURABLE, stored
from dominohall_loadtest.bench.serving import STORES, echo, service

NATIVE: Final = ("--transport", "native")


def measure(bench: Bench) -> Part:
    """Measure every row of the group; `RuntimeError` where the extra is not installed."""
    if find_spec("pygrpc_native") is None:
        raise RuntimeError("the extra `native` is not installed")
    calls = material(bench)
    values: defaultdict[str, list[float]] = defaultdict(list)
    figures: defaultdict[str, list[float]] = defaultdict(list)
    again = ("--repeat", "--seconds", str(bench.seconds(1.5)))
    with ExitStack() as stack:
        bare = stack.enter_context(echo())
        native_bare = stack.enter_context(echo("native"))
        plain = stack.enter_context(service(*STORES["no_store"], *NATIVE))
        for served, echoed in ((bare, True), (native_bare, True), (plain, False)):
            load(bench, served, calls.moving, "--repeat", "--calls", "500", echoed=echoed)
        for number in bench.turns():
            bench.say(f"    round {number + 1} of {bench.rounds}")
            first = load(bench, bare, calls.moving, *again, echoed=True)
            loads = {
                "echo": load(bench, native_bare, calls.moving, *again, echoed=True),
                "no_store": load(bench, plain, calls.moving, *again),
            }
            for durability in DURABLE:
                loads[durability] = stored(bench, calls, (*STORES[durability], *NATIVE))
            rate, cpu = between(first, load(bench, bare, calls.moving, *again, echoed=True))
            for name, found in loads.items():
                values[f"native.{name}"].append(found.rate / rate)
                figures[f"{name}, calls/s"].append(round(found.rate, 1))
                figures[f"{name}, server us a call"].append(round(found.cpu * 1e6, 1))
            figures["grpcio's echo, calls/s"].append(round(rate, 1))
            values["native.cpu"].append(loads["no_store"].cpu / cpu)
    return Part({key: Measured(tuple(each)) for key, each in values.items()}, figures, quick=bench.quick)
