"""The demo: it runs whole, everything in it holds, and the same seed plays the same matches."""

import json
import os
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from dominohall_engine.games import PRESETS
from dominohall_engine.tiles import parse_tile
from dominohall_replays.forging import relinked
from dominohall_replays.records import Entry
from dominohall_replays.rounds import retell
from dominohall_replays.verify import Verdict, verify
from dominohall_service.codec.matches import view_to_proto
from dominohall_service.codec.views import view_from_proto
from dominohall_service.demo.forgery import every_flip, forge
from dominohall_service.demo.run import fixtures, temptation
from dominohall_service.demo.server import keyring_of
from dominohall_service.keyring import check_keyring

LANGUAGES = {"en", "pl", "ru"}


def demo(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the demo as a person would, in a process of its own."""
    command = [sys.executable, "-m", "dominohall_service.command", "demo", "--out", str(folder), *arguments]
    environment = {**os.environ, "COLUMNS": "100"}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Run the whole demo once: its folder and its JSON."""
    folder = tmp_path_factory.mktemp("demo") / "replays"
    result = demo(folder, "--json")
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return folder, json.loads(result.stdout)


def test_the_demo_plays_every_preset_and_everything_holds(whole: tuple[Path, dict[str, Any]]) -> None:
    """Whole matches of every preset, Linear with 2, 3 and 4 seats and in pairs, are played, verified and agree."""
    folder, report = whole
    assert report["held"] is True
    assert report["drained"] is True
    assert {line["preset"] for line in report["matches"]} == set(PRESETS)
    linear = {(line["seats"], line["partners"]) for line in report["matches"] if line["preset"] == "fives.linear"}
    assert linear == {(2, False), (3, False), (4, False), (4, True)}
    for line in report["matches"]:
        log = (folder / line["file"]).read_bytes()
        found = verify(log)
        assert (found.verdict, line["verdict"], line["result_agrees"]) == (Verdict.VALID, "valid", True)
        assert (found.moves, len(log)) == (line["moves"], line["log_bytes"])
        assert max(line["scores"]) >= 250
        assert line["winner"]
        assert line["calls"] > line["moves"]


def test_the_demo_has_an_illegal_move_refused_in_three_languages(whole: tuple[Path, dict[str, Any]]) -> None:
    """A renege is refused by its clause in English, Polish and Russian, with what was legal, and changes nothing."""
    refusal = whole[1]["refusal"]
    assert (refusal["reason"], refusal["clauses"][0]) == ("MUST_FOLLOW_SUIT", "F42-PL-20")
    assert refusal["changed_nothing"] is True
    assert refusal["legal"]
    assert refusal["tile"] not in refusal["legal"]
    assert set(refusal["words"]) == LANGUAGES
    assert len({words["message"] for words in refusal["words"].values()}) == len(LANGUAGES)
    assert all(words["clause"] for words in refusal["words"].values())


def test_the_demo_answers_a_dispute_with_the_rule(whole: tuple[Path, dict[str, Any]]) -> None:
    """A barred tile that the seat held is answered with its clause from the log, whose deal is proven, as one page."""
    folder, report = whole
    dispute = report["dispute"]
    assert dispute["barred"] in dispute["held"]
    assert dispute["barred"] not in dispute["legal"]
    assert dispute["played"] in dispute["legal"]
    assert dispute["clauses"][0] == "F42-PL-20"
    assert dispute["deal"] == "proven"
    page = unescape((folder / dispute["file"]).read_text(encoding="utf-8"))
    assert page.startswith("<!doctype html>")
    assert dispute["message"] in page


def test_the_demo_catches_every_forger(whole: tuple[Path, dict[str, Any]]) -> None:
    """The forged copies lie beside the logs, `verify` finds each where it was told, and every flip was caught."""
    folder, report = whole
    assert [each["verdict"] for each in report["forgeries"]] == ["chain_broken", "illegal_move", "truncated"]
    for each in report["forgeries"]:
        found = verify((folder / each["file"]).read_bytes())
        assert (found.verdict, found.sequence, found.offset) == (each["verdict"], each["sequence"], each["byte_offset"])
    assert report["flips_caught"] == report["flips_tried"] == 100


def test_the_demo_leaves_nothing_but_its_folder(whole: tuple[Path, dict[str, Any]]) -> None:
    """Logs and forged copies are all that is left: no keys, no store, no service."""
    folder, report = whole
    expected = {each["file"] for each in (*report["matches"], report["dispute"], *report["forgeries"])}
    assert {path.name for path in folder.iterdir()} == expected


def test_the_same_seed_plays_the_same_matches(whole: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    """A second run, this time told as a story and drawn, records the same logs byte for byte."""
    folder, report = whole
    picture = tmp_path / "demo.svg"
    result = demo(tmp_path / "again", "--seed", str(report["seed"]), "--svg", str(picture))
    assert result.returncode == 0, result.stderr
    for line in report["matches"]:
        assert (tmp_path / "again" / line["file"]).read_bytes() == (folder / line["file"]).read_bytes()
    assert "Everything held" in result.stdout
    assert all(len(line) <= 100 for line in result.stdout.splitlines())
    assert "\x1b" not in result.stdout
    drawn = picture.read_text(encoding="utf-8")
    assert drawn.startswith("<svg")
    assert "http" not in drawn.replace("http://www.w3.org/2000/svg", "")


def test_a_folder_that_can_not_be_written_exits_2(tmp_path: Path) -> None:
    """A file where the folder should be is unusable input, found before any service starts."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    result = demo(tmp_path / "file", "--json")
    assert result.returncode == 2
    assert "error" in json.loads(result.stdout)


def test_seeds_differ() -> None:
    """Another seed has other match ids and other keys, each keyring whole."""
    assert {each.match_id for each in fixtures(1)}.isdisjoint(each.match_id for each in fixtures(2))
    assert keyring_of(1) != keyring_of(2)
    check_keyring(keyring_of(1))


@pytest.mark.parametrize("match_id", ["texas", "linear"])
def test_a_view_comes_back_from_the_wire(matches: dict[str, list[Entry]], match_id: str) -> None:
    """Each seat's view and the spectator's, after each move of a match, is the same after a trip over the wire."""
    retold = retell(b"".join(entry.data for entry in matches[match_id]))
    game = retold.game
    seats = [seat for side in game.sides(game.options_of(retold.beginning)) for seat in side]
    for step in retold.steps:
        for seat in (None, *seats):
            proto = view_to_proto(game, step.after, seat, 0, None, ())
            assert view_from_proto(proto) == game.view(step.after, seat)


def test_a_forger_with_the_right_tile_writes_the_log_itself(matches: dict[str, list[Entry]], tmp_path: Path) -> None:
    """Making the links anew over an unchanged record gives the log back, so the forger's hand is true to the format."""
    log = b"".join(entry.data for entry in matches["texas"])
    step, other = temptation(retell(log))
    assert relinked(log, step.entry.sequence, step.entry.record) == log
    verdicts = [each.verdict for each in forge(log, step, other, tmp_path, "copy")]
    assert verdicts == ["chain_broken", "illegal_move", "truncated"]
    assert other != parse_tile("6-4") or step.move.tile != other


def test_flips_are_spread_over_the_whole_log(matches: dict[str, list[Entry]]) -> None:
    """As many flips as asked for are tried, and each is caught."""
    log = b"".join(entry.data for entry in matches["linear"])
    tried, caught = every_flip(log, 50)
    assert tried == caught
    assert 45 <= tried <= 50
