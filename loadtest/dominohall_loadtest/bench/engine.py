"""The engine: random playouts beside OpenSpiel, `dominoes` and boardgame.io, each driven by the same loop.

Rates are moves a processor second, so that what else the machine does counts as little as may be. Ours run in the
peers' Python, one process each, in turns.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

from dominohall_loadtest.bench.bench import CHECKOUT, Bench, path_of
from dominohall_loadtest.bench.contender import Contender, contender, ratios, take_turns
from dominohall_loadtest.bench.programs import PROGRAMS
from dominohall_loadtest.bench.report import Part
from dominohall_loadtest.bench.rows import Finding, Measured, NotMeasured

COMPILED: Final = " compiled"
HOW: Final = "whole rounds with their deals, decisions of seats a processor second"
PEERS: Final = frozenset(("euchre", "block_dominoes", "dominoes"))
PAIRS: Final = {
    "engine.euchre": ("forty_two", "euchre", HOW),
    "engine.euchre.compiled": ("forty_two compiled", "euchre", "the same source through mypyc"),
    "engine.euchre.dealt": ("forty_two:dealt", "euchre:dealt", "the legal moves, one taken at random, applied"),
    "engine.dominoes": ("linear_4", "dominoes", "four seats, each for itself"),
    "engine.block": ("linear_2", "block_dominoes", "two seats"),
    "engine.dominoes.compiled": ("linear_4 compiled", "dominoes", "the same source through mypyc"),
    "engine.boardgame": ("forty_two", "boardgame", "42 of the Polish text as a game of boardgame.io, in Node"),
}
"""For each row: what stands above the line, what below, and how that was got."""


def measure(bench: Bench) -> Part:
    """Measure every pair whose two contenders are there."""
    names = list(dict.fromkeys(name for above, below, _ in PAIRS.values() for name in (above, below)))
    missing: dict[str, str] = {}
    with ExitStack() as stack:
        present: dict[str, Contender] = {}
        for name in names:
            try:
                present[name] = stack.enter_context(started(bench, name))
                present[name].lap(1)
            except (RuntimeError, OSError) as error:
                missing[name] = str(error)
                present.pop(name, None)
        bench.say(f"engine: {', '.join(present)} take turns")
        rates = take_turns(present, bench.rounds, bench.seconds(0.6))
    findings: dict[str, Finding] = {}
    for key, (above, below, how) in PAIRS.items():
        absent = [missing[name] for name in (above, below) if name in missing]
        findings[key] = NotMeasured(absent[0]) if absent else Measured(ratios(rates[above], rates[below]), how)
    return Part(findings, {"moves a processor second": rates}, quick=bench.quick)


@contextmanager
def started(bench: Bench, name: str) -> Iterator[Contender]:
    """Start a contender by its name."""
    if name == "boardgame":
        if not (bench.peers / "node_modules/boardgame.io").exists():
            raise RuntimeError("boardgame.io is not installed: `make bench` installs it")
        command = [bench.tool("node", "nodejs"), str(PROGRAMS / "boardgame.mjs"), str(bench.peers)]
        with contender(name, command) as running:
            yield running
        return
    plain = name.removesuffix(COMPILED)
    folder = str(CHECKOUT / "engine") if plain == name else bench.compiled_path
    python = bench.peers_python if plain.partition(":")[0] in PEERS else bench.any_python
    command = [python, str(PROGRAMS / "playouts.py"), plain]
    with contender(name, command, path_of(folder)) as running:
        yield running
