"""What Locust loads: the user, the shape, our options, the thresholds. `python -m dominohall_loadtest` names it.

It also works as any locustfile does, workers and master included: `locust -f .../locustfile.py --headless --host ...`.
"""

import ipaddress
import json
import os
import socket
import sys
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any, Final

from locust import events as locust_events
from locust import runners
from locust.runners import WorkerRunner

from dominohall_loadtest.levels import WATCH
from dominohall_loadtest.report import Run
from dominohall_loadtest.shape import SHAPES, Shape
from dominohall_loadtest.tally import TALLY, WORKERS, everybody
from dominohall_loadtest.thresholds import Thresholds, judge
from dominohall_loadtest.usage import Usage, usage_of
from dominohall_loadtest.user import Host

__all__ = ["Host", "Shape"]

DEAR: Final = {"JudgeReplay": 5000.0}
"""Calls that take their time in any case: a match of 300 moves, judged by two sets of rules."""
BEFORE: Final[list[Usage | None]] = []
"""What the service used when the test began."""


def add_options(parser: ArgumentParser) -> None:
    """Add our options to Locust's own."""
    group = parser.add_argument_group("Dominohall")
    group.add_argument("--shape", choices=SHAPES, default="steady", help="how the number of users goes (steady)")
    group.add_argument("--matches", type=int, default=0, help="end after so many matches; 0: at --run-time (0)")
    group.add_argument(
        "--pause-ms", type=float, help="how long a host waits between turns, in ms (0; of ramp and spike 100)"
    )
    group.add_argument("--max-failure-ratio", type=float, default=0, help="failures to calls that still pass (0)")
    group.add_argument("--max-p95-ms", type=float, default=500, help="p95 of any sort of call that still passes (500)")
    group.add_argument(
        "--max-p95-of", type=bound_of, action="append", default=[], metavar="CALL=MS", help="another p95 for one sort"
    )
    group.add_argument("--min-matches", type=int, default=1, help="finished matches that it takes to pass (1)")
    group.add_argument("--min-verified", type=float, default=1, help="verified replays to matches that ended (1)")
    group.add_argument("--min-coverage", type=float, default=1, help="methods that were called to all of them (1)")
    group.add_argument("--figures", metavar="FILE", help="write what is printed as JSON, too")
    group.add_argument("--service-pid", type=int, help="the service's process on this machine, to say what it used")
    group.add_argument(
        "--i-may-load-this-host", action="store_true", help="--host is not this machine, and its owner agrees"
    )


def bound_of(text: str) -> tuple[str, float]:
    """Read `CALL=MS`.

    >>> bound_of("ApplyMove, token only=20")
    ('ApplyMove, token only', 20.0)
    """
    name, _, bound = text.rpartition("=")
    try:
        return name, float(bound)
    except ValueError:
        raise ArgumentTypeError(f"expected CALL=MS, got {text!r}") from None


def prepare(environment: Any, **_: object) -> None:  # noqa: ANN401 - Locust's environment
    """Fill in what the shape has a default for. Locust would take 1 user, and no end."""
    options = environment.parsed_options
    plan = SHAPES[options.shape]
    options.num_users = options.num_users or plan.users
    options.spawn_rate = options.spawn_rate or options.num_users
    options.run_time = options.run_time or plan.seconds
    options.pause_ms = plan.pause_ms if options.pause_ms is None else options.pause_ms


def begin(environment: Any, **_: object) -> None:  # noqa: ANN401 - Locust's environment
    """Note what was used before the first call."""
    TALLY.start()
    if pid := environment.parsed_options.service_pid:
        BEFORE[:] = [usage_of(pid)]


def refuse_strangers(environment: Any, **_: object) -> None:  # noqa: ANN401 - Locust's environment
    """Stop before the first call if the target is another machine and nobody said that it may be loaded.

    A worker is told its target later, by a master that has been through this.
    """
    if isinstance(environment.runner, WorkerRunner):
        return
    if environment.parsed_options.i_may_load_this_host or is_loopback(environment.host or ""):
        return
    sys.stderr.write(
        f"--host: expected host:port of this machine (loopback), got {environment.host!r}; "
        "for another machine, whose owner agrees, add --i-may-load-this-host\n"
    )
    sys.exit(2)


def is_loopback(target: str) -> bool:
    """Say whether every address of `host:port` is a loopback one.

    >>> is_loopback("127.0.0.1:50051"), is_loopback("[::1]:50051"), is_loopback("192.0.2.1:50051")
    (True, True, False)
    """
    host, _, port = target.rpartition(":")
    try:
        found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    except OSError:
        return False
    return bool(host) and all(ipaddress.ip_address(address[4][0]).is_loopback for address in found)


def send_tally(data: dict[str, Any], **_: object) -> None:
    """Send this worker's counts along with its statistics."""
    data["dominohall"] = TALLY.to_message()


def take_tally(client_id: str, data: dict[str, Any], **_: object) -> None:
    """Keep the newest counts of each worker."""
    WORKERS[client_id] = data["dominohall"]


def conclude(environment: Any, **_: object) -> None:  # noqa: ANN401 - Locust's environment
    """Print the table and set the exit code: 0 if every threshold was reached, 1 if not."""
    if isinstance(environment.runner, WorkerRunner):
        environment.process_exit_code = 0  # the thresholds are the master's
        return
    options, stats, tally = environment.parsed_options, environment.stats, everybody()
    bounds = Thresholds(
        options.max_failure_ratio,
        options.max_p95_ms,
        DEAR | dict(options.max_p95_of),
        options.min_matches,
        options.min_verified,
        options.min_coverage,
    )
    run = Run(
        target=environment.host,
        shape=options.shape,
        users=options.num_users,
        stats=stats,
        tally=tally,
        levels=WATCH.levels,
        findings=judge(stats, tally, bounds),
        before=BEFORE[0] if BEFORE else None,
        after=usage_of(options.service_pid) if options.service_pid else None,
        cores=len(os.sched_getaffinity(0)),
        load=os.getloadavg()[0],
    )
    sys.stdout.write(f"{run}\n")
    if options.figures:
        Path(options.figures).write_text(json.dumps(run.to_json(), indent=1) + "\n")
    environment.process_exit_code = 0 if run.passed and not environment.runner.exceptions else 1


runners.HEARTBEAT_LIVENESS = 15
"""Seconds that a worker may be silent, for Locust's 3: hosts that never pause leave it late, and are not lost."""
HOOKS: Final[Any] = locust_events
HOOKS.init_command_line_parser.add_listener(add_options)
HOOKS.init.add_listener(prepare)
HOOKS.init.add_listener(refuse_strangers)
HOOKS.test_start.add_listener(begin)
HOOKS.report_to_master.add_listener(send_tally)
HOOKS.worker_report.add_listener(take_tally)
HOOKS.quitting.add_listener(conclude)
