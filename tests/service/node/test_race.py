"""The TypeScript client where it is hard: a lost race, a lost state, a busy service, a reply that was tampered with."""

import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
from dominohall.v1 import match_pb2, record_pb2
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1.match_service_pb2_grpc import MatchServiceServicer, add_MatchServiceServicer_to_server
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from grpc_status import rpc_status

ROOT = Path(__file__).parents[3]

if str(ROOT / "loadtest") not in sys.path:
    sys.path.append(str(ROOT / "loadtest"))


def run(example: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a program of the example."""
    return subprocess.run(command, cwd=example, capture_output=True, text=True, check=False, timeout=60)


def test_the_loser_of_a_race_resyncs_and_a_lost_host_resumes(
    example: Path, tmp_path: Path, transport: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told the link that stands, gets exactly what it missed, and comes back by the id alone."""
    from dominohall_loadtest.server import own_server

    monkeypatch.setenv("PYTHONPATH", ":".join(path for path in sys.path if path))
    with own_server(tmp_path, ("--transport", transport)) as target:
        done = run(example, "npm", "run", "--silent", "race", "--", target)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^forked at 1: [0-9a-f]{64} stands$", done.stdout, re.MULTILINE)
    assert "missed 1, now at 1\n" in done.stdout
    assert "resumed at 1 after 2 entries\n" in done.stdout


class Scripted(MatchServiceServicer):
    """A service that is busy once, and whose record does not continue any log."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def ApplyMove(self, _request: Any, context: Any) -> Any:  # noqa: N802 - gRPC's name
        """Be busy first, then lie."""
        self.calls.append("ApplyMove")
        if len(self.calls) == 1:
            status = Status(code=grpc.StatusCode.RESOURCE_EXHAUSTED.value[0], message="busy")
            info = RetryInfo()
            info.retry_delay.FromMilliseconds(10)
            status.details.add().Pack(info)
            context.abort_with_status(rpc_status.to_status(status))
        record = record_pb2.Record(sequence=4, link=bytes(32), entry=b"\x92\x01\x04\xc4\x20" + bytes(32))
        match = match_pb2.Match(token=b"t", match_id="m", sequence=4, link=bytes(32))
        return wire.ApplyMoveResponse(match=match, record=record)

    def ListLegalMoves(self, _request: Any, context: Any) -> Any:  # noqa: N802
        """Refuse what will never fit."""
        self.calls.append("ListLegalMoves")
        context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "too large")


@pytest.fixture
def scripted() -> Iterator[tuple[Scripted, str]]:
    """Run that service on loopback."""
    servicer = Scripted()  # type: ignore[abstract]
    server = grpc.server(ThreadPoolExecutor(2))
    add_MatchServiceServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield servicer, f"127.0.0.1:{port}"
    server.stop(None).wait()


PROBE = """
import { Dominohall } from "%s";
const hall = new Dominohall("%s");
const match = { token: Buffer.from("t"), matchId: "m", sequence: 3, link: Buffer.alloc(32) };
for (const call of [() => hall.apply(match, { shake: {} }), () => hall.legalMoves(match)])
  await call().then(() => console.log("taken"), (error) => console.log(error.message));
hall.close();
"""


def test_it_repeats_only_what_may_pass_and_believes_no_broken_record(
    example: Path, scripted: tuple[Scripted, str]
) -> None:
    """A busy service is asked again when it says so, a message that is too large is not; a false link is not taken."""
    servicer, target = scripted
    program = PROBE % (example / "build" / "dominohall.js", target)
    done = run(example, "node", "--input-type=module", "-e", program)
    assert done.returncode == 0, done.stderr
    broken, large = done.stdout.splitlines()
    assert broken == "a record that does not continue the log"
    assert "too large" in large
    assert servicer.calls == ["ApplyMove", "ApplyMove", "ListLegalMoves"]
