"""The service in front of an archive: what callers see of matches that were moved."""

import json
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import grpc
import pytest
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1 import replay_service_pb2 as replays
from dominohall.v1.match_pb2 import Match
from dominohall.v1.move_pb2 import Move, Shake
from dominohall.v1.options_pb2 import Options
from dominohall_service.command.app import app
from dominohall_service.settings import InvalidSetting, Settings, StoreKind
from typer.testing import CliRunner

SHAKE = Move(shake=Shake())


def command(*arguments: object, **environment: object) -> Any:
    """Run the command."""
    return CliRunner().invoke(
        app, [str(each) for each in arguments], env={name: str(value) for name, value in environment.items()}
    )


@pytest.fixture(params=["sqlite", "postgresql"])
def on_store(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, dict[str, Any]]:
    """Say where a store of each kind is, and the settings of a service on it."""
    if request.param == "sqlite":
        return str(tmp_path / "hall.sqlite3"), {"store_path": tmp_path / "hall.sqlite3"}
    url = str(request.getfixturevalue("database"))
    return url, {"store": StoreKind.POSTGRESQL, "store_url": url}


def log_of(hall: Any, match_id: str) -> bytes:
    """Return the streamed log of a match."""
    return b"".join(part.entries for part in hall.replays.GetReplay(replays.GetReplayRequest(match_id=match_id)))


def test_an_archived_match_over_the_wire(
    on_store: tuple[str, dict[str, Any]], open_hall: Any, fails: Callable[..., Any], tmp_path: Path
) -> None:
    """GetReplay, ResumeMatch, ListReplays and VerifyReplay answer as before; no token and no StartMatch reopens it."""
    place, settings = on_store
    hall = open_hall(**settings, archive=str(tmp_path / "archive"))
    without = open_hall(**settings)
    rng = random.Random(7)
    begun = hall.start("over", "forty_two.russian")
    near_end = hall.play(begun, rng, until=lambda match: match.sequence == 12)
    over = hall.play(near_end, rng)
    hall.start("going-on", "fives.linear")
    before = log_of(hall, "over")
    listed = hall.replays.ListReplays(replays.ListReplaysRequest())
    resumed = hall.matches.ResumeMatch(wire.ResumeMatchRequest(match_id="over"))

    told = command("archive", tmp_path / "archive", "--store", place, "--older-than", "0", "--json")
    assert told.exit_code == 0, told.output
    document = json.loads(told.output)
    assert (document["matches"], len(document["segments"]), document["left"]) == (1, 1, [])

    assert log_of(hall, "over") == before
    assert hall.replays.ListReplays(replays.ListReplaysRequest()) == listed
    assert hall.matches.ResumeMatch(wire.ResumeMatchRequest(match_id="over")) == resumed
    report = hall.replays.VerifyReplay(replays.VerifyReplayRequest(match_id="over")).report
    assert (report.verdict, report.link) == (1, over.link)

    again = hall.records["over"][13]
    reply = hall.matches.ApplyMove(
        wire.ApplyMoveRequest(match=Match(token=near_end.token), move=moved(hall, "over", 13))
    )
    assert reply.record == again
    other = next(move for move in hall.legal(begun_after_shake(hall, begun)) if move != moved(hall, "over", 2))
    failed = fails(hall.matches.ApplyMove, wire.ApplyMoveRequest(match=begun_after_shake(hall, begun), move=other))
    assert (failed.code, failed.reason) == (grpc.StatusCode.ABORTED, "FORKED")
    for each in (hall, without):
        request = wire.StartMatchRequest(match_id="over", options=Options(preset="forty_two.russian"))
        failed = fails(each.matches.StartMatch, request)
        assert (failed.code, failed.reason) == (grpc.StatusCode.ALREADY_EXISTS, "MATCH_EXISTS")

    for call, asked in (
        (without.replays.GetReplay, replays.GetReplayRequest(match_id="over")),
        (without.matches.ResumeMatch, wire.ResumeMatchRequest(match_id="over")),
        (without.matches.ApplyMove, wire.ApplyMoveRequest(match=near_end, move=moved(hall, "over", 13))),
    ):
        failed = fails(call, asked)
        assert (failed.code, failed.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "MATCH_ARCHIVED")

    shown = command("replay", "verify", "over", "--store", place, DOMINOHALL_ARCHIVE=tmp_path / "archive")
    assert shown.exit_code == 0, shown.output
    assert command("replay", "verify", "over", "--store", place).exit_code == 2
    restored = tmp_path / "over.dominohall"
    restored.write_bytes(before)
    refused = command("replay", "restore", restored, "--store", place)
    assert refused.exit_code == 1
    assert "archived" in refused.output


def moved(hall: Any, match_id: str, sequence: int) -> Any:
    """Return the move of one record."""
    return hall.replays.StepReplay(replays.StepReplayRequest(match_id=match_id, sequence=sequence)).move


def begun_after_shake(hall: Any, begun: Match) -> Match:
    """Repeat the first move of a match, as a host would that lost its answer."""
    reply = hall.matches.ApplyMove(wire.ApplyMoveRequest(match=Match(token=begun.token), move=SHAKE))
    return Match.FromString(reply.match.SerializeToString())


def test_an_archive_needs_a_store() -> None:
    """Without a store there is nothing to move, and settings say so."""
    with pytest.raises(InvalidSetting, match="archive"):
        Settings(store=StoreKind.NONE, archive="somewhere")


def test_unusable_archives(tmp_path: Path) -> None:
    """An address that nobody knows, and a store that is not there, end the command with 2 and a sentence."""
    for location, place in (("nowhere://x", tmp_path / "s"), (tmp_path / "a", tmp_path / "s")):
        told = command("archive", location, "--store", place, "--json")
        assert told.exit_code == 2
        assert json.loads(told.stdout)["error"]


def test_a_keyring_makes_archives_smaller(open_hall: Any, tmp_path: Path) -> None:
    """With the keyring that dealt, no shake is kept; another one is of no use; `--form log` keeps the bytes."""
    for name in ("right", "wrong"):
        assert command("keys", "new", tmp_path / name).exit_code == 0
    stored = tmp_path / "hall.sqlite3"
    hall = open_hall(keyring=tmp_path / "right", store_path=stored)
    over = hall.play(hall.start("over", "fives.linear"), random.Random(3))
    log = log_of(hall, "over")
    kept: dict[tuple[object, ...], int] = {}
    for flags in ((), ("--keyring", tmp_path / "right"), ("--keyring", tmp_path / "wrong"), ("--form", "log")):
        copy, archive = tmp_path / f"{len(kept)}.sqlite3", tmp_path / f"archive-{len(kept)}"
        with closing(sqlite3.connect(stored)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        told = command("archive", archive, "--store", copy, "--older-than", "0", "--json", *flags)
        assert told.exit_code == 0, told.output
        kept[flags] = json.loads(told.stdout)["kept_bytes"]
        behind = open_hall(keyring=tmp_path / "right", store_path=copy, archive=str(archive))
        assert log_of(behind, "over") == log
    bare, right, wrong, whole = kept.values()
    assert right + 45 * 3 < bare == wrong < whole
    assert over.sequence > 30
    unusable = command("archive", tmp_path / "a", "--store", stored, "--keyring", tmp_path / "none", "--json")
    assert unusable.exit_code == 2
