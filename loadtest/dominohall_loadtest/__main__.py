"""Run the load test: `python -m dominohall_loadtest [--host HOST:PORT] [--report FOLDER] [options of Locust]`.

Without `--host` a service of its own is started on free loopback ports and thrown away afterwards. `--report` leaves
CSV files and an HTML page in a folder. Everything else goes to Locust (`--help` lists it, the group "Dominohall" is
ours); unless told otherwise 4 users play for 20 seconds. Exit codes: 0 every threshold was reached, 1 not, 2 unusable
arguments or no service.
"""

import subprocess
import sys
from argparse import ArgumentParser
from contextlib import ExitStack
from pathlib import Path

from dominohall_loadtest.server import own_server

LOCUSTFILE = Path(__file__).with_name("locustfile.py")


def main(arguments: list[str]) -> int:
    """Run Locust on our locustfile, in a process of its own, and return its exit code."""
    parser = ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--host")
    parser.add_argument("--report", type=Path)
    parser.add_argument("-f", "--locustfile", type=Path, default=LOCUSTFILE)
    parser.add_argument("-h", "--help", action="store_true")
    ours, others = parser.parse_known_args(arguments)
    command = [sys.executable, "-m", "locust", "-f", str(ours.locustfile), "--headless", "--skip-log-setup"]
    command += ["--only-summary", "--stop-timeout", "5", *others]
    if ours.help:
        sys.stdout.write(f"{__doc__}\n")
        return subprocess.call([*command, "--help"])  # noqa: S603 - our own arguments
    if ours.report:
        ours.report.mkdir(parents=True, exist_ok=True)
        command += ["--csv", str(ours.report / "loadtest"), "--html", str(ours.report / "loadtest.html")]
    with ExitStack() as stack:
        try:
            target = ours.host or stack.enter_context(own_server())
        except RuntimeError as error:
            sys.stderr.write(f"{error}\n")
            return 2
        return subprocess.call([*command, "--host", target])  # noqa: S603 - our own arguments


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
