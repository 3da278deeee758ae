"""The service on the shared store: several processes on one PostgreSQL, and what callers see while it is away."""

import random
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import grpc
import pytest
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1 import replay_service_pb2 as replays
from dominohall.v1.match_pb2 import Match
from dominohall.v1.options_pb2 import Options
from dominohall.v1.replay_pb2 import Verdict
from dominohall_loadtest.postgres import OwnPostgres, own_postgres
from dominohall_service.settings import InvalidSetting, Settings, StoreKind, settings_from
from grpc_health.v1 import health_pb2, health_pb2_grpc


@pytest.fixture(scope="module")
def frail() -> Iterator[OwnPostgres]:
    """Run a server that tests may end."""
    with own_postgres() as server:
        yield server


def readiness(hall: Any) -> int:
    """Ask for readiness as an orchestrator does."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{hall.server.metrics_port}/readyz", timeout=5) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


def wait_for(what: Callable[[], bool]) -> None:
    """Wait until something holds."""
    deadline = monotonic() + 30
    while not what():
        assert monotonic() < deadline
        sleep(0.02)


def on_postgres(url: str, **more: Any) -> dict[str, Any]:
    """Return the settings of a service on a database."""
    return {"store": StoreKind.POSTGRESQL, "store_url": url, **more}


def test_moves_alternate_between_two_services(open_hall: Any, database: str) -> None:
    """A match whose calls go to two services on one database in turn has one log, which both give out, and it holds."""
    halls = [open_hall(**on_postgres(database)), open_hall(**on_postgres(database))]
    alone = open_hall()
    rng, same = random.Random(4), random.Random(4)
    match = halls[0].start("shared", "fives.linear")
    turn = 0
    while not match.state.HasField("outcome"):
        turn += 1
        match = halls[turn % 2].apply(match, rng.choice(halls[turn % 2].legal(match)))
    expected = alone.play(alone.start("shared", "fives.linear"), same)
    assert match == expected
    logs = {
        b"".join(part.entries for part in hall.replays.GetReplay(replays.GetReplayRequest(match_id="shared")))
        for hall in (*halls, alone)
    }
    assert len(logs) == 1
    report = halls[1].replays.VerifyReplay(replays.VerifyReplayRequest(match_id="shared")).report
    assert (report.verdict, report.link) == (Verdict.VERDICT_VALID, match.link)
    listed = halls[0].replays.ListReplays(replays.ListReplaysRequest()).replays
    assert [(each.match_id, each.sequence, each.link) for each in listed] == [("shared", match.sequence, match.link)]


def test_while_the_database_is_away(open_hall: Any, fails: Any, frail: OwnPostgres) -> None:
    """Moves are UNAVAILABLE and may be repeated; readiness goes off and comes back by itself; repeating succeeds."""
    hall = open_hall(
        **on_postgres(frail.url(), durability="power", store_probe_seconds=0.05, store_patience_seconds=1.0)
    )
    channel = grpc.insecure_channel(f"127.0.0.1:{hall.server.health_port}")
    health: Any = health_pb2_grpc.HealthStub(channel)
    match = hall.start("kept", "forty_two.polish")
    assert readiness(hall) == 200
    frail.kill()
    move = hall.legal(match)[0]
    request = wire.ApplyMoveRequest(match=Match(token=match.token), move=move)
    failed = fails(hall.matches.ApplyMove, request)
    assert (failed.code, failed.reason) == (grpc.StatusCode.UNAVAILABLE, "STORE_UNAVAILABLE")
    assert "RetryInfo" in failed.details
    wait_for(lambda: readiness(hall) == 503)
    assert health.Check(health_pb2.HealthCheckRequest()).status == health_pb2.HealthCheckResponse.NOT_SERVING
    frail.start()
    wait_for(lambda: readiness(hall) == 200)
    wait_for(lambda: health.Check(health_pb2.HealthCheckRequest()).status == health_pb2.HealthCheckResponse.SERVING)
    channel.close()
    after = hall.apply(match, move)
    again = hall.apply(match, move)
    assert (after.sequence, again) == (1, after)
    assert hall.matches.ResumeMatch(wire.ResumeMatchRequest(match_id="kept")).match.link == after.link


def test_an_address_is_a_secret(tmp_path: Path) -> None:
    """The address of a database, which may hold a password, is not printed with the settings."""
    settings = settings_from(
        {"DOMINOHALL_STORE": "postgresql", "DOMINOHALL_STORE_URL": "postgresql://me:pa55word@db/hall"}
    )
    assert settings.store_url == "postgresql://me:pa55word@db/hall"
    assert "pa55word" not in repr(settings)
    for wrong in ({"store": StoreKind.POSTGRESQL}, {"store_url": "postgresql://db/hall"}):
        with pytest.raises(InvalidSetting, match="store_url"):
            Settings(**wrong)


def test_a_match_is_started_once_on_two_services(open_hall: Any, database: str, fails: Any) -> None:
    """The same StartMatch sent to both gives one header; another one under the same id is refused by both."""
    halls = [open_hall(**on_postgres(database)), open_hall(**on_postgres(database))]
    request = wire.StartMatchRequest(match_id="once", options=Options(preset="fives.linear"))
    calls = [hall.matches.StartMatch.future(request) for hall in halls * 4]
    replies = [call.result() for call in calls]
    assert all(reply == replies[0] for reply in replies)
    other = wire.StartMatchRequest(match_id="once", options=Options(preset="forty_two.polish"))
    for hall in halls:
        assert fails(hall.matches.StartMatch, other).code is grpc.StatusCode.ALREADY_EXISTS
