"""Measure audits of generated archives with planted faults, and hold what they find against what was planted.

    python tests/replays/measure_audit.py FOLDER --rounds 100000

Makes archives of a hundredth, a tenth and all of these rounds in the folder (those that are there are used again) and
prints tables in Markdown. For each size: the memory and the rate. For the middle one: one process, two, a dask cluster
of two workers, an audit with a worker killed half way, one that was interrupted and run again. Ends with 1 if any
document differs from the others, a fault was not found, or one was found that was not planted.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

COMMAND = [sys.executable, "-m", "dominohall_service.command"]
WRONG: list[str] = []
ROUNDS_A_PART = 100_000


@dataclass
class Ran:
    """What a run of the command took."""

    document: dict[str, Any]
    seconds: float
    cpu: float
    """Of the command and all processes that it waited for."""
    own: int = 0
    """The most memory that the command itself had, in MiB."""
    workers: dict[int, int] = field(default_factory=dict)
    """The most that each of its workers had."""

    @property
    def worker(self) -> int:
        """The most that any worker had."""
        return max(self.workers.values(), default=0)


def peak(pid: int) -> int:
    """Return the most memory that a process had so far in MiB (VmHWM), 0 if it is gone."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:
        return 0
    return next((int(line.split()[1]) // 1024 for line in text.splitlines() if line.startswith("VmHWM")), 0)


def workers_of(pid: int) -> list[int]:
    """Return the processes of a pool that a process started."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        return [int(each) for each in children if b"spawn_main" in Path(f"/proc/{each}/cmdline").read_bytes()]
    except OSError:
        return []


def say(*lines: str) -> None:
    """Print lines, at once."""
    sys.stdout.write("".join(line + "\n" for line in lines))
    sys.stdout.flush()


def audit(*words: str | Path, disturb: Callable[[int], bool] | None = None) -> Ran:
    """Run an audit and watch it; `disturb` is called again and again until it says that it did what it wanted."""
    with tempfile.TemporaryFile() as answer:  # a pipe would fill up while nobody reads it
        began = time.monotonic()
        process = subprocess.Popen([*COMMAND, "audit", *map(str, words), "--json"], stdout=answer)
        ran = Ran({}, 0.0, 0.0)
        while not os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
            ran.own = max(ran.own, peak(process.pid))
            for child in workers_of(process.pid):
                ran.workers[child] = max(ran.workers.get(child, 0), peak(child))
            if disturb is not None and disturb(process.pid):
                disturb = None
            time.sleep(0.05)
        _, _, usage = os.wait4(process.pid, 0)
        ran.seconds, ran.cpu = time.monotonic() - began, usage.ru_utime + usage.ru_stime
        answer.seek(0)
        ran.document = json.load(answer)
    return ran


def generated(folder: Path, rounds: int, arguments: argparse.Namespace) -> Path:
    """Make an archive if it is not there, in parts so that it can be gone on with, and return its folder."""
    target = folder / f"rounds-{rounds}"
    for number, begin in enumerate(range(0, rounds, ROUNDS_A_PART)):
        part = target / f"part-{number}"
        if not (part / "manifest.json").exists():
            wanted = {"--rounds": min(ROUNDS_A_PART, rounds - begin), "--seed": number, "--faults": arguments.faults}
            words = [str(word) for pair in wanted.items() for word in pair]
            words += [word for each in arguments.preset for word in ("--preset", each)]
            command = [*COMMAND, "generate", str(part), *words, "--form", "compact", "--workers", "2"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return target


def check(target: Path, document: dict[str, Any]) -> dict[str, int]:
    """Hold what was found against what was planted; return how many faults of each kind were found."""
    manifests = {each.parent.name: json.loads(each.read_bytes()) for each in target.glob("*/manifest.json")}
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for fault in document["faults"]:
        found[fault["source"]].append(fault)
    kinds: dict[str, int] = defaultdict(int)
    planted = [(f"{part}/{each['place']}", each) for part, made in manifests.items() for each in made["faults"]]
    for place, fault in planted:
        here = found.pop(place, [])
        if fault["verdict"] is None:
            held = bool({"segment_differs", "segment_broken"} & {each["verdict"] for each in here})
        else:
            said = [(each["match_id"], each["verdict"], each["sequence"]) for each in here]
            held = said == [(fault["match_id"], fault["verdict"], fault["sequence"])]
        claim(held, f"a planted fault was not found as it was planted: {fault}, but {here}")
        kinds[fault["kind"]] += held
    claim(not found, f"faults were found that were not planted: {found}")
    good = sum(made["matches"] for made in manifests.values()) - len(planted)
    claim(document["verdicts"]["valid"] == good, f"expected {good} logs to be valid")
    return dict(kinds)


def claim(holds: bool, text: str) -> None:
    """Note a claim that does not hold."""
    if not holds:
        WRONG.append(text)


def sizes(folder: Path, arguments: argparse.Namespace) -> dict[str, int]:
    """Audit archives of three sizes on two processes; return how many faults of each kind the largest had."""
    kinds: dict[str, int] = {}
    say(
        "| rounds | moves | logs | memory of the command, MiB | of a worker, MiB | moves a second |",
        "|---|" + "---|" * 5,
    )
    for rounds in (arguments.rounds // 100, arguments.rounds // 10, arguments.rounds):
        target = generated(folder, rounds, arguments)
        ran = audit(target, "--workers", "2", "--faults", "100000")
        kinds = check(target, ran.document)
        document = ran.document
        rate = document["moves"] / ran.seconds
        say(f"| {rounds:,} | {document['moves']:,} | {document['logs']:,} | {ran.own} | {ran.worker} | {rate:,.0f} |")
    return kinds


def ways(target: Path, results: Path) -> None:
    """Audit one archive in every way; the document must be the same."""
    say("", "| way | seconds | seconds of CPU | as one process |", "|---|---|---|---|")
    one = audit(target, "--workers", "1")

    def row(name: str, ran: Ran) -> None:
        same = ran.document == one.document
        claim(same, f"another document: {name}")
        say(f"| {name} | {ran.seconds:.1f} | {ran.cpu:.1f} | {one.seconds / ran.seconds:.2f} times |")

    row("one process", one)
    row("two processes", audit(target, "--workers", "2"))
    row("a cluster of two workers", on_cluster(target))

    def kill(pid: int) -> bool:
        workers = workers_of(pid)
        if not workers or not any((results / "killed").rglob("*.json")):
            return False
        os.kill(workers[0], signal.SIGKILL)
        return True

    row("two, one killed half way", audit(target, "--workers", "2", "--results", results / "killed", disturb=kill))

    def interrupt(pid: int) -> bool:
        if len(list((results / "interrupted").rglob("*.json"))) < 3:
            return False
        os.kill(pid, signal.SIGINT)
        return True

    begun = audit(target, "--workers", "2", "--results", results / "interrupted", disturb=interrupt)
    claim(not begun.document["complete"], "the interrupted audit was not interrupted")
    done = begun.document["logs"] / one.document["logs"]
    row(
        f"interrupted after {done:.0%}, and gone on",
        audit(target, "--workers", "2", "--results", results / "interrupted"),
    )
    row("again, all taken from the results", audit(target, "--workers", "2", "--results", results / "interrupted"))


def on_cluster(target: Path) -> Ran:
    """Run an audit on a dask cluster of two workers of this machine; their CPU is not counted."""
    from distributed import LocalCluster

    with LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as cluster:
        return audit(target, "--scheduler", cluster.scheduler_address)


def main() -> int:
    """Measure, print, and say whether everything held."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=100_000)
    parser.add_argument("--faults", type=int, default=160, help="in each 100,000 rounds or part of them")
    parser.add_argument("--preset", action="append", default=[])
    parser.add_argument("--generate-only", action="store_true")
    arguments = parser.parse_args()
    if arguments.generate_only:
        generated(arguments.folder, arguments.rounds, arguments)
        return 0
    kinds = sizes(arguments.folder, arguments)
    results = arguments.folder / f"results-{time.time_ns()}"
    ways(generated(arguments.folder, arguments.rounds // 10, arguments), results)
    say("", "found: " + ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    say(*(f"WRONG: {each}" for each in WRONG))
    return 1 if WRONG else 0


if __name__ == "__main__":
    sys.exit(main())
