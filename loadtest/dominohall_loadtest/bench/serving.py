"""Servers to be measured, each a process of its own on a free port: the service with any settings, the bare echo."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from dominohall_loadtest.bench.programs import PROGRAMS
from dominohall_loadtest.server import end, free_ports, wait_until_served

START_SECONDS: Final = 120.0
TICKS_A_SECOND: Final = os.sysconf("SC_CLK_TCK")
QUIET: Final = ("--insecure-dev-keys", "--log-level", "warning", "--log-format", "json")
"""No line a call: what is measured is the call."""
STORES: Final[Mapping[str, tuple[str, ...]]] = {
    "no_store": ("--store", "none"),
    "process": ("--store", "sqlite", "--durability", "process"),
    "power": ("--store", "sqlite", "--durability", "power"),
}


@dataclass(frozen=True)
class Served:
    """A server that runs: its process and the port of its calls."""

    process: "subprocess.Popen[bytes]"
    port: int

    @property
    def cpu(self) -> float:
        """Processor seconds that the kernel has counted for the process so far, to 10 ms."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS_A_SECOND

    @property
    def resident(self) -> int:
        """Bytes of memory that the process holds now."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS:"))


def echo_command(port: int, kind: str = "grpcio", workers: int = 16) -> list[str]:
    """Return the command of a bare echo."""
    return [sys.executable, str(PROGRAMS / "echo.py"), str(port), kind, str(workers)]


def service_command(ports: Sequence[int], folder: Path, options: Sequence[str]) -> list[str]:
    """Return the command of the service; its store, if it has one, stands in the folder."""
    port, health, metrics = map(str, ports)
    command = [sys.executable, "-m", "dominohall_service.command", "serve", *QUIET, "--port", port]
    command += ["--health-port", health, "--metrics-port", metrics, "--store-path", str(folder / "matches.sqlite3")]
    return [*command, *options]


@contextmanager
def running(command: Sequence[str], port: int, under: Sequence[str] = ()) -> Iterator[Served]:
    """Run a server, yield it once its port accepts connections, and end it; `RuntimeError` if it does not start.

    `under` is another program to run it under, which may be slow: then nothing is waited for.
    """
    with TemporaryDirectory(prefix="dominohall-bench-") as folder:
        log = Path(folder) / "server.log"
        with log.open("wb") as stream:
            process = subprocess.Popen(  # noqa: S603 - our own programs
                [*under, *command], stdout=stream, stderr=subprocess.STDOUT
            )
        try:
            if not under and not wait_until_served(f"127.0.0.1:{port}", process, START_SECONDS):
                raise RuntimeError(f"{command[2]} did not start: {log.read_text(errors='replace')[-2000:]}")
            yield Served(process, port)
        finally:
            end(process)


@contextmanager
def echo(kind: str = "grpcio", under: Sequence[str] = ()) -> Iterator[Served]:
    """Run the bare echo."""
    [port] = free_ports(1)
    with running(echo_command(port, kind), port, under) as served:
        yield served


@contextmanager
def service(*options: str, under: Sequence[str] = ()) -> Iterator[Served]:
    """Run the service with these flags, on a store of its own that is thrown away."""
    ports = free_ports(3)
    with (
        TemporaryDirectory(prefix="dominohall-bench-") as folder,
        running(service_command(ports, Path(folder), options), ports[0], under) as served,
    ):
        yield served
