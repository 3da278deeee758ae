"""Each trouble is what it is called: shown on one call, one process, one file."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
from dominohall.client import Client, Patience, Unsure
from dominohall.v1 import match_pb2
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1.match_service_pb2_grpc import MatchServiceServicer, add_MatchServiceServicer_to_server
from dominohall_loadtest.chaos.disk import Disk, FileLimit, Tmpfs
from dominohall_loadtest.chaos.proxy import Fate, Odds, Proxy

KEPT = match_pb2.Match(token=b"t", match_id="m", sequence=3, link=bytes(32)).SerializeToString()
WRITER = """
import sys
with open(sys.argv[1], "ab", buffering=0) as file:
    for _ in sys.stdin:
        try:
            written = file.write(bytes(1 << 16)) == 1 << 16
        except OSError:
            written = False
        print("written" if written else "no room", flush=True)
"""


class Counting(MatchServiceServicer):
    """Answers, and counts the calls that arrive."""

    def __init__(self) -> None:
        self.calls = 0
        self.heard = threading.Event()

    def ListLegalMoves(self, _request: Any, _context: Any) -> Any:  # noqa: N802 - gRPC's name
        """Answer."""
        self.calls += 1
        self.heard.set()
        return wire.ListLegalMovesResponse(phase=match_pb2.PHASE_OVER)


@pytest.fixture
def counting() -> Iterator[tuple[Counting, int]]:
    """Run that service and yield it with its port."""
    servicer = Counting()  # type: ignore[abstract]
    server = grpc.server(ThreadPoolExecutor(2))
    add_MatchServiceServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield servicer, port
    server.stop(None).wait()


@pytest.mark.parametrize(
    ("fate", "odds", "arrives", "code"),
    [
        (Fate.CUT_BEFORE, Odds(1, 0, 0), False, grpc.StatusCode.UNAVAILABLE),
        (Fate.CUT_AFTER, Odds(0, 1, 0), True, grpc.StatusCode.UNAVAILABLE),
        (Fate.DROP, Odds(0, 0, 1), True, grpc.StatusCode.DEADLINE_EXCEEDED),
    ],
    ids=lambda value: value.name if isinstance(value, Fate) else "",
)
def test_a_call_meets_its_fate(
    counting: tuple[Counting, int], fate: Fate, odds: Odds, arrives: bool, code: grpc.StatusCode
) -> None:
    """Cut before: the server never hears of it. Cut after, dropped: it acted, and the host does not hear of that."""
    servicer, port = counting
    proxy = Proxy([port], odds, seed=1, hold_seconds=2.0)
    try:
        patience = Patience(call=0.5, whole=0.51)
        with Client(f"127.0.0.1:{proxy.ports[0]}", patience=patience) as client:
            with pytest.raises(Unsure) as caught:
                client.restore(KEPT).legal_moves()
            assert caught.value.code is code
            assert servicer.heard.wait(5 if arrives else 0) is arrives
            assert proxy.counts[fate] >= 1
            assert set(proxy.counts) == {fate}
        proxy.calm()
        with Client(f"127.0.0.1:{proxy.ports[0]}", options=[("grpc.use_local_subchannel_pool", 1)]) as client:
            assert client.restore(KEPT).over
        assert proxy.counts[Fate.PASS] == 1
    finally:
        proxy.close()


def disks(folder: Path) -> Iterator[Disk]:
    """Make each sort of disk that is allowed here."""
    yield FileLimit(folder)
    place = folder / "tmpfs"
    place.mkdir()
    try:
        yield Tmpfs(place, 4)
    except OSError:
        return


def test_a_full_disk_takes_nothing_until_it_is_free(tmp_path: Path) -> None:
    """A process that writes to the disk fails while it is full, and goes on afterwards, whatever sort of disk it is."""
    for disk in disks(tmp_path):
        file = (tmp_path / "tmpfs" if disk.kind == "tmpfs" else tmp_path) / "store"
        command = [*disk.prefix, sys.executable, "-c", WRITER, str(file)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

            def write(process: subprocess.Popen[str] = process) -> str:
                assert process.stdin is not None
                assert process.stdout is not None
                process.stdin.write("\n")
                process.stdin.flush()
                return process.stdout.readline().strip()

            assert write() == "written", disk.kind
            disk.fill([process.pid])
            assert write() == "no room", disk.kind
            disk.free([process.pid])
            assert write() == "written", disk.kind
            process.kill()
        disk.close()
