"""A service of its own for a run: on free loopback ports, with development keys and a store that is thrown away."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

START_SECONDS: Final = 30.0
STOP_SECONDS: Final = 30.0


SERVE: Final = (sys.executable, "-m", "dominohall_service.command", "serve")


class Service(NamedTuple):
    """A running service: where it listens, and its process."""

    target: str
    """`host:port` of its calls."""
    metrics_port: int
    process: subprocess.Popen[bytes]


@contextmanager
def own_server(folder: Path | None = None, arguments: Sequence[str] = ()) -> Iterator[str]:
    """Run a service as a process of its own and yield its `host:port`; it is stopped and its store removed after.

    With a `folder` store and log stay there. `RuntimeError` if it does not start, with the end of its log.
    """
    with own_service(folder, arguments) as service:
        yield service.target


@contextmanager
def own_service(
    folder: Path | None = None, arguments: Sequence[str] = (), program: Sequence[str] = SERVE
) -> Iterator[Service]:
    """Run a service, or a program that takes the same flags, as `own_server` does, and yield all of it."""
    with ExitStack() as stack:
        place = folder or Path(stack.enter_context(TemporaryDirectory(prefix="dominohall-load-")))
        port, health_port, metrics_port = free_ports(3)
        log = stack.enter_context((place / "server.log").open("wb"))
        command = [*program, "--insecure-dev-keys"]
        command += ["--port", str(port), "--health-port", str(health_port), "--metrics-port", str(metrics_port)]
        command += ["--store-path", str(place / "matches.sqlite3"), "--log-level", "warning", "--log-format", "json"]
        process = subprocess.Popen([*command, *arguments], stdout=log, stderr=subprocess.STDOUT)  # noqa: S603 - our own
        try:
            target = f"127.0.0.1:{port}"
            if not wait_until_served(target, process):
                raise RuntimeError(f"the service did not start: {(place / 'server.log').read_text()[-2000:]}")
            yield Service(target, metrics_port, process)
        finally:
            end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """Tell a process to end, and see to it that it does."""
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def free_ports(count: int) -> list[int]:
    """Return ports of the loopback that nobody listens on now."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in sockets]


def wait_until_served(target: str, process: subprocess.Popen[bytes], seconds: float = START_SECONDS) -> bool:
    """Wait for the port to accept connections; false if the process ends first or takes longer than that."""
    host, _, port = target.partition(":")
    deadline = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return True
    return False
