"""Run the service for long: `python -m dominohall_loadtest.soak [--minutes M] [--report FOLDER] [load test options]`.

Starts a service of its own, lets hosts play on it, and reads what its process uses all the while. At the end the
service is stopped and every replay in its store is verified by `dominohall replay verify`. Exit codes: 0 memory is
flat, all replays are valid and the load test passed, 1 not, 2 unusable arguments or no service.
"""

import json
import re
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.request import urlopen

from dominohall_loadtest.__main__ import end_on_sigterm, locust
from dominohall_loadtest.server import SERVE, Service, own_service
from dominohall_loadtest.soaking import Reading, Soak, Verified
from dominohall_loadtest.usage import usage_of

REPLAY: Final = (sys.executable, "-m", "dominohall_service.command", "replay")
CALLS: Final = re.compile(rb"^dominohall_calls_total\{.*\} ([0-9.e+]+)$", re.MULTILINE)
READINGS: Final = 600
"""In a run, however long: enough for twelve stretches of the second half."""
LEAST_PAUSE_SECONDS: Final = 0.2
FINISH_SECONDS: Final = 120
"""How long hosts may go on with their matches when the time is over, so that hardly any is cut off."""
AT_ONCE: Final = 100
"""Matches that one command verifies."""


@dataclass(frozen=True)
class Plan:
    """What to do."""

    seconds: float = 1800.0
    users: int = 4
    most_bytes: float = 16.0
    """Growth a call that is still flat: no object that Python makes is smaller, so one leaked by each call is seen."""
    service: Sequence[str] = ()
    """Further flags of the service."""
    hosts: Sequence[str] = ()
    """Further flags of the load test."""
    program: Sequence[str] = SERVE


def run(plan: Plan, folder: Path) -> Soak:
    """Do it, with store, logs and figures in a folder; `RuntimeError` if the service does not start."""
    with ExitStack() as stack:
        service = stack.enter_context(own_service(folder, ["--allow-imports", *plan.service], plan.program))
        command = [*locust(), "--only-summary", "--shape", "soak", "--run-time", f"{round(plan.seconds)}"]
        command += ["--users", str(plan.users), "--stop-timeout", str(FINISH_SECONDS), "--host", service.target]
        command += ["--service-pid", str(service.process.pid), "--figures", str(folder / "run.json"), *plan.hosts]
        output = stack.enter_context((folder / "hosts.txt").open("wb"))
        hosts = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)  # noqa: S603 - our own program
        try:
            readings = list(read_until_end(service, hosts, max(LEAST_PAUSE_SECONDS, plan.seconds / READINGS)))
            code = hosts.wait()
        finally:
            if hosts.poll() is None:
                hosts.kill()
                hosts.wait()
    figures = folder / "run.json"
    if not figures.exists() or not readings:
        raise RuntimeError(f"the hosts did not play: {(folder / 'hosts.txt').read_text()[-2000:]}")
    store = folder / "matches.sqlite3"
    size = sum(each.stat().st_size for each in folder.glob(f"{store.name}*"))
    return Soak(json.loads(figures.read_text()), code, readings, verify_all(store), size, plan.most_bytes)


def read_until_end(service: Service, hosts: "subprocess.Popen[bytes]", pause: float) -> Iterator[Reading]:
    """Read what the service uses until the hosts have gone."""
    start = time.perf_counter()
    while hosts.poll() is None:
        usage, calls = usage_of(service.process.pid), calls_of(service)
        if usage is not None and calls is not None:  # if it is gone the hosts will say so
            yield Reading(time.perf_counter() - start, calls, usage)
        time.sleep(pause)


def calls_of(service: Service) -> int | None:
    """Ask the service's metrics how many calls it has answered; None if they are not there yet, or no more."""
    try:
        with urlopen(f"http://127.0.0.1:{service.metrics_port}/metrics", timeout=30) as page:
            return round(sum(float(each) for each in CALLS.findall(page.read())))
    except OSError:
        return None


def verify_all(store: Path) -> Verified:
    """Have every replay of a store verified."""
    start = time.perf_counter()
    ids = [each["match_id"] for each in _replay("list", "--store", str(store))["replays"]]
    verdicts: list[tuple[str, str]] = []
    for first in range(0, len(ids), AT_ONCE):
        document = _replay("verify", "--store", str(store), *ids[first : first + AT_ONCE])
        verdicts += [(each["match_id"], each["verdict"]) for each in document["reports"]]
    counts = [sum(verdict == each for _, verdict in verdicts) for each in ("valid", "unfinished")]
    wrong = tuple(f"{match_id}: {verdict}" for match_id, verdict in verdicts if verdict not in {"valid", "unfinished"})
    return Verified(len(ids), counts[0], counts[1], wrong, time.perf_counter() - start)


def _replay(name: str, *arguments: str) -> dict[str, Any]:
    done = subprocess.run([*REPLAY, name, "--json", *arguments], capture_output=True, check=False)  # noqa: S603
    try:
        document: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        raise RuntimeError(f"replay {name} failed: {done.stderr.decode()[-2000:]}") from None
    return document


def main(arguments: list[str]) -> int:
    """Soak, and say what came of it."""
    parser = ArgumentParser(prog="python -m dominohall_loadtest.soak", description=__doc__, allow_abbrev=False)
    parser.add_argument("--minutes", type=float, default=30.0, help="how long hosts play (30)")
    parser.add_argument("--users", type=int, default=4, help="hosts (4)")
    parser.add_argument("--most-bytes", type=float, default=Plan.most_bytes, help="growth a call that is flat (16)")
    parser.add_argument("--transport", help="of the service")
    parser.add_argument("--report", type=Path, help="folder for the figures, the readings and what the hosts said")
    given, others = parser.parse_known_args(arguments)
    service = ["--transport", given.transport] if given.transport else []
    plan = Plan(given.minutes * 60, given.users, given.most_bytes, service, others)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="dominohall-soak-")))
        try:
            soak = run(plan, folder)
        except RuntimeError as error:
            sys.stderr.write(f"{error}\n")
            return 2
        hosts = (folder / "hosts.txt").read_text()
    sys.stdout.write(f"{hosts}\n{soak}\n")
    if given.report:
        given.report.mkdir(parents=True, exist_ok=True)
        (given.report / "soak.txt").write_text(f"{hosts}\n{soak}\n")
        (given.report / "soak.json").write_text(json.dumps(soak.to_json(), indent=1) + "\n")
    return 0 if soak.held else 1


if __name__ == "__main__":
    end_on_sigterm()
    sys.exit(main(sys.argv[1:]))
