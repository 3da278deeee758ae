"""The servers of a run: real processes on one store, killed and started again on the same ports."""

import random
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from dominohall_loadtest.server import START_SECONDS, free_ports, wait_until_served

SERVE: Final = (sys.executable, "-m", "dominohall_service.command", "serve")


class Fleet:
    """`count` servers that are told the same. `ports` stay theirs for the whole run; `kills` counts SIGKILLs."""

    def __init__(
        self,
        count: int,
        arguments: Sequence[str],
        folder: Path,
        *,
        program: Sequence[str] = SERVE,
        prefix: Sequence[str] = (),
    ) -> None:
        self.ports: Final = free_ports(count)
        self.kills = 0
        self._log = folder / "servers.log"
        self._command = [*prefix, *program, *arguments, "--log-level", "error", "--log-format", "json"]
        self._command += ["--health-port", "0", "--metrics-port", "0", "--insecure-dev-keys", "--workers", "8"]
        self.processes = [self._started(port) for port in self.ports]
        self.settle()

    @property
    def pids(self) -> list[int]:
        """The process ids of those that live."""
        return [each.pid for each in self.processes if each.poll() is None]

    def kill(self, number: int) -> None:
        """Send SIGKILL to a server, wherever it is in its work."""
        self.processes[number].kill()
        self.processes[number].wait()
        self.kills += 1

    def revive(self) -> None:
        """Start those that are dead, and wait for nobody."""
        for number, process in enumerate(self.processes):
            if process.poll() is not None:
                self.processes[number] = self._started(self.ports[number])

    def settle(self) -> None:
        """Wait until all listen."""
        self.revive()
        for number in range(len(self.ports)):
            self._wait(number)

    def kill_some(self, dice: random.Random) -> None:
        """Kill one server, or now and then all at once, and start them again after a moment."""
        everybody = range(len(self.ports))
        numbers = everybody if dice.random() < 0.2 else [dice.choice(everybody)]
        for number in numbers:
            self.kill(number)
        time.sleep(dice.uniform(0.0, 0.5))
        self.revive()

    def close(self) -> None:
        """End them all; who does not leave in time is killed."""
        for each in self.processes:
            each.terminate()
        for each in self.processes:
            try:
                each.wait(10)
            except subprocess.TimeoutExpired:
                each.kill()
                each.wait()

    def incidents(self) -> list[str]:
        """Return the errors that the servers logged: what they did not foresee."""
        lines = self._log.read_text(errors="replace").splitlines()
        return [line for line in lines if "INTERNAL" in line or "Traceback" in line]

    def _started(self, port: int) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as log:
            command = [*self._command, "--port", str(port)]
            return subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)  # noqa: S603 - our own program

    def _wait(self, number: int) -> None:
        """Wait until a server listens; one that could not start (the disk was full) is started again."""
        deadline = time.monotonic() + START_SECONDS
        while not wait_until_served(f"127.0.0.1:{self.ports[number]}", self.processes[number]):
            if time.monotonic() > deadline:
                raise RuntimeError(f"a server did not start: {self._log.read_text(errors='replace')[-2000:]}")
            self.processes[number].wait()
            self.processes[number] = self._started(self.ports[number])
