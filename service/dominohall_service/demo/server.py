"""The demo's own service: a child process, so that the real command starts it and a real SIGTERM drains it.

Its keys follow from the seed, which makes the same seed deal the same matches. That is for a demonstration only: a key
that can be computed protects nothing, and these keys never leave the temporary folder that dies with the service.
"""

import json
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from dominohall_service.keyring import ID_BYTES, Key, KeyKind, Keyring, KeyStatus, write_keyring

START_SECONDS: Final = 30.0
STOP_SECONDS: Final = 15.0
PAUSE: Final = 0.02
LOG_NAME: Final = "service.log"


class ServiceFailed(RuntimeError):
    """The demo's service did not start."""


class RunningService:
    """A service in a child process."""

    def __init__(self, process: "subprocess.Popen[bytes]", address: str) -> None:
        """Speak for this process, which answers at this address."""
        self.address: Final = address
        self._process = process

    def stop(self) -> bool:
        """Send SIGTERM and wait; return whether the service drained its calls and ended by itself with exit code 0."""
        self._process.send_signal(signal.SIGTERM)
        try:
            return self._process.wait(STOP_SECONDS) == 0
        except subprocess.TimeoutExpired:
            return False


@contextmanager
def running_service(seed: int, keep: Path) -> Iterator[RunningService]:
    """Run a service with keys and a store of its own on free ports; it is gone when the block ends, whatever happened.

    Raises `ServiceFailed` with the last thing that it said if it does not start. When anything fails, its log is kept
    in the folder `keep`.
    """
    with tempfile.TemporaryDirectory(prefix="dominohall-demo-") as name:
        folder = Path(name)
        write_keyring(folder / "keyring.json", keyring_of(seed))
        log = folder / LOG_NAME
        with log.open("wb") as output:
            process = subprocess.Popen(_command(folder), stdout=output, stderr=output, cwd=folder)  # noqa: S603 - our own
        try:
            yield RunningService(process, f"127.0.0.1:{_port(process, log)}")
        except BaseException:
            shutil.copy(log, keep / LOG_NAME)
            raise
        finally:
            process.kill()
            process.wait()


def _command(folder: Path) -> list[str]:
    """Return the command that serves from this folder."""
    settings = {
        "host": "127.0.0.1",
        "port": "0",
        "health-port": "0",
        "metrics-port": "0",
        "auth": "none",  # on loopback, for the one who started it
        "keyring": str(folder / "keyring.json"),
        "store-path": str(folder / "store.sqlite3"),
        "log-format": "json",
        "log-level": "info",
    }
    flags = [part for name, value in settings.items() for part in (f"--{name}", value)]
    return [sys.executable, "-m", "dominohall_service.command", "serve", *flags]


def _port(process: "subprocess.Popen[bytes]", log: Path) -> int:
    """Wait until the service says in its log where it listens."""
    until = monotonic() + START_SECONDS
    while monotonic() < until:
        for line in log.read_bytes().splitlines(keepends=True):
            if line.endswith(b"\n") and b'"listening"' in line:
                port: int = json.loads(line)["port"]
                return port
        if process.poll() is not None:
            break
        sleep(PAUSE)
    said = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() or ["nothing"]
    raise ServiceFailed(f"expected the demo's service to start within {START_SECONDS:.0f} s; it said: {said[-1]}")


def keyring_of(seed: int) -> Keyring:
    """Return the keys of the demo with this seed."""
    seal, deal = (_key(seed, kind) for kind in (KeyKind.SEAL, KeyKind.DEAL))
    return Keyring({seal.id: seal}, {deal.id: deal})


def _key(seed: int, kind: KeyKind) -> Key:
    digest = sha256(f"dominohall/demo-key/{kind}/{seed}".encode()).digest()
    return Key(sha256(digest).digest()[:ID_BYTES], digest, KeyStatus.ACTIVE)
