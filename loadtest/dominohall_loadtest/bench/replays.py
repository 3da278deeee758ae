"""Checking what was played: a log verified beside the engine's bare replay; the bulk audit beside a replay of spades.

Rates are moves a processor second, in turns. Logs and archive are made by `dominohall generate` from a seed: whole
matches of 42 as the Polish text has it, played by the built-in player.
"""

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from dominohall_loadtest.bench.bench import Bench, path_of, rooms
from dominohall_loadtest.bench.contender import Contender, contender, ratios, take_turns
from dominohall_loadtest.bench.programs import PROGRAMS
from dominohall_loadtest.bench.report import Part
from dominohall_loadtest.bench.rows import Finding, Measured, NotMeasured

SEED: Final = 42
MATCHES: Final = 200
PAIRS: Final = {
    "replays.verify": ("verify", "replay", "the whole log: legality, digests, chain and deals, against `apply` alone"),
    "replays.verify.compiled": ("verify compiled", "replay", "compiled, against the plain engine's replay"),
    "replays.audit.moves": (
        "audit moves compiled",
        "spades",
        "compact archive, one core, `--depth moves`: legality without the chain, as spades' replay checks it",
    ),
    "replays.audit.moves.plain": ("audit moves", "spades", ""),
    "replays.audit": ("audit compiled", "spades", "compact archive, one core, `--depth proof`: every digest and link"),
    "replays.audit.plain": ("audit", "spades", ""),
}


def generated(bench: Bench, form: str, *presets: str) -> Path:
    """Make an archive and return its folder."""
    folder = bench.scratch / "-".join((form, *presets))
    count = MATCHES // 10 if bench.quick else MATCHES
    command = [sys.executable, "-m", "dominohall_service.command", "generate", str(folder), "--matches", str(count)]
    command += ["--seed", str(SEED), "--form", form, *(part for each in presets for part in ("--preset", each))]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own program
    if ran.returncode:
        raise RuntimeError(f"generate: {ran.stderr.strip()[-300:]}")
    return folder


def measure(bench: Bench) -> Part:
    """Measure every pair whose two contenders are there."""
    logs, archive = (generated(bench, form, "forty_two.polish") for form in ("log", "compact"))
    names = list(dict.fromkeys(name for above, below, _ in PAIRS.values() for name in (above, below)))
    missing: dict[str, str] = {}
    with ExitStack() as stack:
        present: dict[str, Contender] = {}
        for name in names:
            what = name.removesuffix(" compiled")
            try:
                python = bench.peers_python if what == "spades" else sys.executable
                path = rooms() if what == name else (bench.compiled_path, *rooms())
                folder = [] if what == "spades" else [str(archive if what.startswith("audit") else logs)]
                command = [python, str(PROGRAMS / "checking.py"), *what.split(), *folder]
                started = stack.enter_context(contender(name, command, path_of(*path)))
                started.lap(1)
            except (RuntimeError, OSError) as error:
                missing[name] = str(error)
            else:
                present[name] = started
        rates = take_turns(present, bench.rounds, bench.seconds(0.6))
    findings: dict[str, Finding] = {}
    for key, (above, below, how) in PAIRS.items():
        absent = [missing[name] for name in (above, below) if name in missing]
        findings[key] = NotMeasured(absent[0]) if absent else Measured(ratios(rates[above], rates[below]), how)
    return Part(findings, {"moves a processor second": rates}, quick=bench.quick)
