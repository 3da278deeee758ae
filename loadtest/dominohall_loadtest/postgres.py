"""A PostgreSQL server of one's own, for as long as it is needed: in a temporary folder, on a free port of loopback.

As durable as PostgreSQL is by default (fsync and full page writes on), so what is measured or killed here is real.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from dominohall_loadtest.server import free_ports

USER: Final = "postgres"
START_SECONDS: Final = 30
SETTINGS: Final = ("listen_addresses=127.0.0.1", "max_connections=60", "shared_buffers=32MB", "log_min_messages=fatal")


class NoPostgres(Exception):
    """There is no PostgreSQL to be started here; the message says what was looked for."""


class OwnPostgres:
    """One server and its folder. `start`, `stop` and `kill` may follow each other; `url` is its address."""

    def __init__(self, folder: Path) -> None:
        self._folder: Final = folder
        self._programs: Final = programs()
        (self._port,) = free_ports(1)
        self._server: subprocess.Popen[bytes] | None = None
        if os.geteuid() == 0:
            shutil.chown(folder, USER, USER)
        self._run(
            "initdb", "-D", str(folder / "data"), "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "-N"
        ).wait()

    def url(self, schema: str = "public") -> str:
        """Return the address of the database, with a schema of it as the place of every table."""
        return f"postgresql://{USER}@127.0.0.1:{self._port}/{USER}?options=-csearch_path%3D{schema}"

    @property
    def pid(self) -> int:
        """The process id of the server's first process."""
        if self._server is None:
            raise NoPostgres("expected a running server, it is stopped")
        return self._server.pid

    def start(self) -> None:
        """Start it, and wait until it answers."""
        settings = [part for each in SETTINGS for part in ("-c", each)]
        place = ("-D", str(self._folder / "data"), "-k", str(self._folder), "-p", str(self._port))
        self._server = self._run("postgres", *place, *settings)
        deadline = time.monotonic() + START_SECONDS
        while self._run("pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self._port)).wait():
            if time.monotonic() > deadline or self._server.poll() is not None:
                raise NoPostgres(f"expected PostgreSQL to answer in {START_SECONDS} seconds, it did not")
            time.sleep(0.05)

    def stop(self) -> None:
        """Stop it as `pg_ctl stop -m fast` does: every connection is cut."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """Stop it as a crash does: nothing is written any more, the next start recovers."""
        self._end(signal.SIGQUIT)

    def _end(self, number: signal.Signals) -> None:
        if self._server is not None:
            self._server.send_signal(number)
            self._server.wait(START_SECONDS)
            self._server = None

    def _run(self, program: str, *arguments: str) -> "subprocess.Popen[bytes]":
        """Start a program of PostgreSQL's, which refuses to run as root: then as its own user."""
        drop = ("setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups") if os.geteuid() == 0 else ()
        command = [*drop, str(self._programs / program), *arguments]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603 - ours


@contextmanager
def own_postgres() -> Iterator[OwnPostgres]:
    """Run a server; `NoPostgres` if none is installed."""
    programs()
    folder = Path(tempfile.mkdtemp(prefix="dominohall-pg-"))
    try:
        server = OwnPostgres(folder)
        server.start()
        try:
            yield server
        finally:
            server.kill()  # nobody needs what is in it: a checkpoint would take longer than the tests
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def programs() -> Path:
    """Return the folder of the newest PostgreSQL's server programs."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"),
        key=lambda path: int(path.parts[-3]) if path.parts[-3].isdigit() else 0,
    )
    on_path = shutil.which("initdb")
    if not found and on_path is None:
        raise NoPostgres("expected PostgreSQL's server programs (Debian: apt-get install postgresql), found none")
    return (found[-1] if found else Path(str(on_path))).parent
