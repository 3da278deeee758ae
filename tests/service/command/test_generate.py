"""`dominohall generate`: what it writes and prints, and its exit codes."""

import json
from collections.abc import Callable
from pathlib import Path

from dominohall_replays.generate import FAULTS, Form
from typer.testing import Result

Run = Callable[..., Result]


def test_an_archive_is_made_and_audited(run: Run, tmp_path: Path) -> None:
    """What is printed is what the manifest says, and an audit of the archive finds the planted faults and no others."""
    count = len(FAULTS[Form.COMPACT])
    made = run("generate", str(tmp_path), "--matches", "4", "--faults", str(count), "--form", "compact", "--json")
    assert made.exit_code == 0, made.output
    document = json.loads(made.stdout)
    manifest = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    assert {name: manifest[name] for name in document} == document
    assert document["matches"] == 4 + count
    assert document["written_bytes"] < document["log_bytes"]
    audited = run("audit", str(tmp_path), "--workers", "1", "--json")
    assert audited.exit_code == 1
    faults = json.loads(audited.stdout)["faults"]
    assert {fault["source"] for fault in faults} == {fault["place"] for fault in document["faults"]}


def test_files_are_made_and_verified(run: Run, tmp_path: Path) -> None:
    """Log files are ordinary ones; a person is told how much was made."""
    made = run("generate", str(tmp_path), "--rounds", "5", "--seed", "9", "--preset", "fives.linear", "--workers", "1")
    assert made.exit_code == 0, made.output
    assert "0 faults" in made.stdout
    told = run("replay", "verify", str(tmp_path), "--json")
    assert told.exit_code == 0, told.output


def test_what_can_not_be_made(run: Run, tmp_path: Path) -> None:
    """Wrong wishes and places end with 2 and a sentence."""
    file = tmp_path / "file"
    file.write_text("")
    place = str(tmp_path / "place")
    for wrong in (
        (place,),
        (place, "--matches", "1", "--rounds", "1"),
        (place, "--matches", "1", "--preset", "chess"),
        (str(file), "--matches", "1"),
        ("nowhere://x", "--matches", "1"),
    ):
        result = run("generate", *wrong, "--json")
        assert result.exit_code == 2, wrong
        assert "expected" in json.loads(result.stdout)["error"] or "can't be used" in json.loads(result.stdout)["error"]
    assert run("generate", place, "--matches", "1", "--form", "zip").exit_code == 2
    assert run("generate", place, "--matches", "1").exit_code == 0
    assert run("generate", place, "--matches", "1").exit_code == 2
