"""A store that was put back from an older backup, and how the hosts' copies make it whole again."""

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import psycopg
import pytest
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1 import replay_service_pb2 as replays
from dominohall_service.command.app import app
from dominohall_service.settings import StoreKind
from typer.testing import CliRunner


def command(*arguments: object) -> Any:
    """Run the command."""
    return CliRunner().invoke(app, [str(each) for each in arguments])


@pytest.fixture(params=["sqlite", "postgresql"])
def kind(request: pytest.FixtureRequest) -> str:
    """Name each kind of store in turn."""
    return str(request.param)


@pytest.fixture
def place(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """Say where the store is: a path or an address."""
    return str(tmp_path / "hall.sqlite3") if kind == "sqlite" else str(request.getfixturevalue("database"))


def settings_for(kind: str, place: str) -> dict[str, Any]:
    """Return the settings of a service on that store."""
    if kind == "sqlite":
        return {"store_path": Path(place)}
    return {"store": StoreKind.POSTGRESQL, "store_url": place}


def put_back(kind: str, place: str, sequences: dict[str, int]) -> None:
    """Make the store what it was in an older backup: each match ends at a sequence, those not named are unknown."""
    if kind == "sqlite":
        backup = Path(place).with_suffix(".backup")
        for each in ("-wal", "-shm"):
            Path(place + each).unlink(missing_ok=True)
        shutil.copy(backup, place)
        return
    with psycopg.connect(place, autocommit=True) as connection:
        connection.execute("DELETE FROM entry WHERE NOT (match_id = ANY(%s))", ([each.encode() for each in sequences],))
        for match_id, sequence in sequences.items():
            connection.execute("DELETE FROM entry WHERE match_id = %s AND sequence > %s", (match_id.encode(), sequence))


def test_a_restored_backup_is_made_whole_from_the_hosts(
    kind: str, place: str, open_hall: Any, fails: Callable[..., Any], tmp_path: Path
) -> None:
    """After an older backup moves are HISTORY_MISSING; the hosts' records, restored, make the store whole again."""
    rng = random.Random(5)
    hall = open_hall(**settings_for(kind, place))
    kept = hall.play(hall.start("kept"), rng, until=lambda match: match.sequence == 6)
    hall.server.stop(5)
    if kind == "sqlite":
        shutil.copy(place, Path(place).with_suffix(".backup"))
    records = hall.records
    hall = open_hall(**settings_for(kind, place))
    hall.records = records
    kept = hall.play(kept, rng, until=lambda match: match.sequence == 15)
    lost = hall.play(hall.start("lost", "fives.linear"), rng, until=lambda match: match.sequence == 9)
    hall.server.stop(5)
    put_back(kind, place, {"kept": 6})

    hall = open_hall(**settings_for(kind, place))
    hall.records = records
    for match, stored in ((kept, 6), (lost, None)):
        move = hall.legal(match)[0]
        failed = fails(hall.matches.ApplyMove, wire.ApplyMoveRequest(match=match, move=move))
        assert (failed.code, failed.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "HISTORY_MISSING")
        missing = failed.details["MissingHistory"]
        assert missing.token_sequence == match.sequence
        assert (missing.stored_sequence if missing.HasField("stored_sequence") else None) == stored
    paths = []
    for match_id, held in records.items():
        paths.append(tmp_path / f"{match_id}.dominohall")
        paths[-1].write_bytes(b"".join(record.entry for record in held))
    told = command("replay", "restore", *paths, "--store", place, "--json")
    assert told.exit_code == 0, told.output
    assert [each["appended"] for each in json.loads(told.output)["restored"]] == [9, 10]
    again = command("replay", "restore", *paths, "--store", place)
    assert again.exit_code == 0
    assert again.output.count(": 0 entries appended") == 2
    for match in (kept, lost):
        over = hall.play(match, rng)
        report = hall.replays.VerifyReplay(replays.VerifyReplayRequest(match_id=match.match_id)).report
        assert (report.verdict, report.link) == (1, over.link)
        log = b"".join(
            part.entries for part in hall.replays.GetReplay(replays.GetReplayRequest(match_id=match.match_id))
        )
        assert log.startswith(b"".join(record.entry for record in records[match.match_id]))


def test_a_log_that_does_not_belong_is_not_restored(kind: str, place: str, open_hall: Any, tmp_path: Path) -> None:
    """A log that was changed, or tells another history than the store has begun, changes nothing; exit code 1."""
    hall = open_hall(**settings_for(kind, place))
    elsewhere = open_hall(store_path=tmp_path / "elsewhere.sqlite3")
    hall.play(hall.start("same"), random.Random(1), until=lambda match: match.sequence == 4)
    elsewhere.play(elsewhere.start("same"), random.Random(2), until=lambda match: match.sequence == 12)
    other = b"".join(record.entry for record in elsewhere.records["same"])
    mine = b"".join(record.entry for record in hall.records["same"])
    changed = bytearray(mine)
    changed[-60] ^= 1
    for name, log, why in (
        ("other", other, "another history"),
        ("changed", bytes(changed), "expected a log that holds"),
    ):
        path = tmp_path / f"{name}.dominohall"
        path.write_bytes(log)
        told = command("replay", "restore", path, "--store", place)
        assert told.exit_code == 1, told.output
        assert why in told.output
    log = b"".join(part.entries for part in hall.replays.GetReplay(replays.GetReplayRequest(match_id="same")))
    assert log == mine
