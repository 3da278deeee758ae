"""More calls than a server can take, and its end as process 1 of a container: real servers, counts and no times."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import grpc
import pytest
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1.match_service_pb2_grpc import MatchServiceStub
from dominohall.v1.options_pb2 import Options
from google.protobuf.empty_pb2 import Empty
from google.rpc.error_details_pb2 import RetryInfo
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_status import rpc_status

WORKERS, LIMIT, CALLS = 2, 8, 60
REFUSED = CALLS - LIMIT
PROGRAM = """
import os, sys
from dominohall_service.server import serve
from dominohall_service.settings import settings_from
assert os.getpid() == 1
sys.exit(serve(settings_from(os.environ)))
"""
UNSHARE = ("unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child")


def retry_milliseconds(call: Any) -> int:
    """Return how long a refused call was told to wait."""
    status = rpc_status.from_call(call)
    assert status is not None
    (packed,) = (each for each in status.details if each.Is(RetryInfo.DESCRIPTOR))
    return int(RetryInfo.FromString(packed.value).retry_delay.ToMilliseconds())


def test_overload_is_refused_and_passes(open_hall: Any) -> None:
    """With every thread held, the limit is taken and the rest refused with a wait; then all is as before; thrice."""
    hall = open_hall(workers=WORKERS, max_waiting_calls=LIMIT)
    view = wire.ViewMatchRequest(match=hall.start("seen"), spectator=Empty())
    store, gate = hall.server._store, threading.Event()
    append = store.append

    def held(*arguments: Any) -> None:
        gate.wait(60)
        append(*arguments)

    store.append = held
    with grpc.insecure_channel(f"127.0.0.1:{hall.server.health_port}") as channel:
        health: Any = health_pb2_grpc.HealthStub(channel)
        for number in range(3):
            gate.clear()
            calls = [
                hall.matches.StartMatch.future(
                    wire.StartMatchRequest(match_id=f"held-{number}-{i}", options=Options(preset="fives.linear"))
                )
                for i in range(WORKERS)
            ]
            while hall.server._workers.waiting < WORKERS:
                gate.wait(0.001)
            over = threading.Semaphore(0)
            for _ in range(CALLS - WORKERS):
                calls.append(hall.matches.ViewMatch.future(view))
                calls[-1].add_done_callback(lambda _call, over=over: over.release())
            for _ in range(REFUSED):
                assert over.acquire(timeout=60)
            assert hall.server._workers.waiting == LIMIT
            assert health.Check(health_pb2.HealthCheckRequest()).status == health_pb2.HealthCheckResponse.SERVING
            gate.set()
            codes = Counter(call.code() for call in calls)
            assert codes == {grpc.StatusCode.OK: LIMIT, grpc.StatusCode.RESOURCE_EXHAUSTED: REFUSED}
            waits = [retry_milliseconds(call) for call in calls if call.code() is not grpc.StatusCode.OK]
            assert min(waits) > 0
            while hall.server._workers.waiting:
                threading.Event().wait(0.001)
            assert [hall.matches.ViewMatch(view).view.sequence for _ in range(LIMIT)] == [0] * LIMIT
            while hall.server._workers.waiting:
                threading.Event().wait(0.001)


def test_sigterm_as_process_one(tmp_path: Path, transport: str) -> None:
    """As process 1, which the kernel gives no default signals, SIGTERM under load still drains it: exit code 0."""
    if (
        shutil.which("unshare") is None
        or subprocess.run([*UNSHARE, "true"], check=False, capture_output=True).returncode
    ):
        pytest.skip("this machine allows no process namespaces (unshare): SIGTERM as process 1 was NOT tried")
    chosen = {
        "transport": transport,
        "port": 0,
        "health_port": 0,
        "metrics_port": 0,
        "auth": "none",
        "insecure_dev_keys": True,
    }
    environment = {key: value for key, value in os.environ.items() if not key.startswith("DOMINOHALL_")}
    environment |= {f"DOMINOHALL_{name.upper()}": str(value) for name, value in chosen.items()}
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    environment["DOMINOHALL_STORE_PATH"] = str(tmp_path / "store.sqlite3")
    command = [*UNSHARE, sys.executable, "-c", PROGRAM]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as outer:
        try:
            assert outer.stderr is not None
            told = next(json.loads(line) for line in outer.stderr if '"listening"' in line)
            (inner,) = Path(f"/proc/{outer.pid}/task/{outer.pid}/children").read_text().split()
            with grpc.insecure_channel(f"127.0.0.1:{told['port']}") as channel:
                stub: Any = MatchServiceStub(channel)
                start = wire.StartMatchRequest(match_id="one", options=Options(preset="fives.linear"))
                view = wire.ViewMatchRequest(match=stub.StartMatch(start).match, spectator=Empty())
                calls = [stub.ViewMatch.future(view) for _ in range(100)]
                calls[0].result()
                os.kill(int(inner), signal.SIGTERM)
                codes = {call.code() for call in calls}
            assert codes <= {grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED}
            last = outer.stderr.read().splitlines()[-1]
            assert outer.wait(30) == 0
            assert '"finished": true' in last
        finally:
            outer.kill()
