"""Run the load test: `python -m dominohall_loadtest [--host HOST:PORT] [--report FOLDER] [options of Locust]`.

Without `--host` a service of its own is started on free loopback ports and thrown away afterwards, with `--transport`
if given. `--report` leaves CSV files, an HTML page and the figures as JSON in a folder. Everything else goes to Locust
(`--help` lists it, the group "Dominohall" is ours); unless told otherwise 4 hosts play for 20 seconds. `--processes N`
plays in N processes, `--master` and `--worker` on several machines. Exit codes: 0 every threshold was reached, 1 not,
2 unusable arguments or no service.
"""

import signal
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from dominohall_loadtest.server import STOP_SECONDS, free_ports, own_service

LOCUSTFILE: Final = Path(__file__).with_name("locustfile.py")
FINISH_SECONDS: Final = 5
"""How long hosts may go on with their matches when the time is over."""
LOOPBACK: Final = "127.0.0.1"


def main(arguments: list[str]) -> int:
    """Run Locust on our locustfile, in processes of its own, and return its exit code."""
    parser = ArgumentParser(prog="python -m dominohall_loadtest", add_help=False, allow_abbrev=False)
    parser.add_argument("--host")
    parser.add_argument("--report", type=Path)
    parser.add_argument("--transport")
    parser.add_argument("-f", "--locustfile", type=Path, default=LOCUSTFILE)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--worker", action="store_true")
    parser.add_argument("-h", "--help", action="store_true")
    ours, others = parser.parse_known_args(arguments)
    if ours.processes < 1 or (ours.host and ours.transport):
        parser.error("expected at least one process, and --transport only for a service of its own")
    command = locust(ours.locustfile)
    if ours.help:
        sys.stdout.write(f"{__doc__}\n")
        return subprocess.call([*command, "--help"])  # noqa: S603 - our own arguments
    if ours.worker:
        return subprocess.call([*command, "--worker", *others])  # noqa: S603 - our own arguments
    command += ["--only-summary", "--stop-timeout", str(FINISH_SECONDS), *others]
    if ours.report:
        ours.report.mkdir(parents=True, exist_ok=True)
        command += ["--csv", str(ours.report / "loadtest"), "--html", str(ours.report / "loadtest.html")]
        command += ["--figures", str(ours.report / "loadtest.json")]
    with ExitStack() as stack:
        if ours.host:
            command += ["--host", ours.host]
        else:
            transport = ["--transport", ours.transport] if ours.transport else []
            try:
                service = stack.enter_context(own_service(arguments=["--allow-imports", *transport]))
            except RuntimeError as error:
                sys.stderr.write(f"{error}\n")
                return 2
            command += ["--host", service.target, "--service-pid", str(service.process.pid)]
        if ours.processes > 1:
            command += stack.enter_context(workers(ours.processes, locust(ours.locustfile)))
        return subprocess.call(command)  # noqa: S603 - our own arguments


def locust(locustfile: Path = LOCUSTFILE) -> list[str]:
    """Return the command that runs Locust without a browser."""
    return [sys.executable, "-m", "locust", "-f", str(locustfile), "--headless", "--skip-log-setup"]


@contextmanager
def workers(count: int, command: Sequence[str]) -> Iterator[list[str]]:
    """Start worker processes and yield what their master is to be told.

    Locust's own `--processes` forks, and a gRPC that was forked hangs; these begin afresh.
    """
    (port,) = free_ports(1)
    worker = [*command, "--worker", "--master-host", LOOPBACK, "--master-port", str(port)]
    started = [subprocess.Popen(worker, stdout=subprocess.DEVNULL) for _ in range(count)]  # noqa: S603 - our own
    try:
        bound = ["--master-bind-host", LOOPBACK, "--master-bind-port", str(port)]
        yield ["--master", *bound, "--expect-workers", str(count)]
        for each in started:  # the master has told them to go
            with suppress(subprocess.TimeoutExpired):
                each.wait(STOP_SECONDS)
    finally:
        for each in started:
            each.kill()
            each.wait()


def end_on_sigterm() -> None:
    """Let SIGTERM end this process as an exception does, so that no service and no worker is left behind."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


if __name__ == "__main__":
    end_on_sigterm()
    sys.exit(main(sys.argv[1:]))
