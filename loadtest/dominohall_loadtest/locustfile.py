"""What Locust loads: the user, the shape, our options, the thresholds. `python -m dominohall_loadtest` names it.

It also works as any locustfile does, workers and master included: `locust -f .../locustfile.py --headless --host ...`.
"""

import ipaddress
import socket
import sys
from argparse import ArgumentParser
from typing import Any, Final

from locust import events as locust_events
from locust.runners import WorkerRunner

from dominohall_loadtest.shape import SHAPES, Shape
from dominohall_loadtest.tally import TALLY, WORKERS, sum_of
from dominohall_loadtest.thresholds import Thresholds, judge, table
from dominohall_loadtest.user import Host

__all__ = ["Host", "Shape"]


def add_options(parser: ArgumentParser) -> None:
    """Add our options to Locust's own."""
    group = parser.add_argument_group("Dominohall")
    group.add_argument("--shape", choices=SHAPES, default="steady", help="how the number of users goes (steady)")
    group.add_argument("--matches", type=int, default=0, help="end after so many matches; 0: at --run-time (0)")
    group.add_argument("--pause-ms", type=float, default=0, help="how long a host waits between turns, in ms (0)")
    group.add_argument("--max-failure-ratio", type=float, default=0, help="failures to calls that still pass (0)")
    group.add_argument("--max-p95-ms", type=float, default=500, help="p95 of any sort of call that still passes (500)")
    group.add_argument("--min-matches", type=int, default=1, help="finished matches that it takes to pass (1)")
    group.add_argument(
        "--i-may-load-this-host", action="store_true", help="--host is not this machine, and its owner agrees"
    )


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
        return
    options = environment.parsed_options
    bounds = Thresholds(options.max_failure_ratio, options.max_p95_ms, options.min_matches)
    tally = sum_of(WORKERS) if WORKERS else TALLY
    findings = judge(environment.stats, tally, bounds)
    sys.stdout.write(table(environment.stats, tally, findings) + "\n")
    crashed = bool(environment.runner.exceptions)
    environment.process_exit_code = 0 if all(each.holds for each in findings) and not crashed else 1


HOOKS: Final[Any] = locust_events
HOOKS.init_command_line_parser.add_listener(add_options)
HOOKS.init.add_listener(refuse_strangers)
HOOKS.report_to_master.add_listener(send_tally)
HOOKS.worker_report.add_listener(take_tally)
HOOKS.quitting.add_listener(conclude)
