"""`docs/command.md` against the command: every field of every JSON document is on the page, and nothing else."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dominohall_service.demo.dispute import Dispute
from dominohall_service.demo.forgery import Forgery
from dominohall_service.demo.refusals import Refused
from dominohall_service.demo.report import DemoReport, MatchLine
from typer.testing import Result

Run = Callable[..., Result]
PAGE = (Path(__file__).parents[3] / "docs" / "command.md").read_text(encoding="utf-8")


def section(heading: str) -> str:
    """Return the part of the page under a heading."""
    return PAGE.split(f"### `{heading}`\n", 1)[1].split("\n## ", 1)[0].split("\n### ", 1)[0]


def fields(heading: str, table: int = 0) -> set[str]:
    """Return the fields that a table of the page lists in its first column."""
    tables = re.findall(r"\| field \| meaning \|\n\|---\|---\|\n((?:\|.*\n)+)", section(heading) + "\n")
    return {name for row in tables[table].splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])}


def document(run: Run, *arguments: str | Path) -> Any:
    """Return the document that a command prints with `--json`."""
    return json.loads(run(*arguments, "--json").stdout)


def test_replay_documents(run: Run, folder: Path, store: Path, tmp_path: Path) -> None:
    """The documents of `replay` have the fields of the page."""
    path = folder / "texas.dominohall"
    verified = document(run, "replay", "verify", path)
    assert set(verified) == fields("replay verify --json")
    assert set(verified["reports"][0]) == fields("replay verify --json", 1)
    assert set(document(run, "replay", "list", path)["replays"][0]) == fields("replay list --json")
    shown = document(run, "replay", "show", path)
    assert set(shown) == fields("replay show --json")
    assert all(f"`{name}`" in section("replay show --json") for name in shown["rounds"][0])
    one = document(run, "replay", "show", path, "--round", "1")
    assert set(one) == {"match_id", "moves", *shown["rounds"][0]}
    assert set(document(run, "replay", "step", path, "--at", "3")) == fields("replay step --json")
    assert set(document(run, "replay", "notation", path, "--round", "1")) == fields("replay notation --json")
    written = document(run, "replay", "export", "texas", "--store", store, "--out", tmp_path / "out")["written"]
    assert all(f"`{name}`" in section("replay export --json") for name in written[0])


def test_rules_and_keys_documents(run: Run, tmp_path: Path) -> None:
    """The documents of `rules` and `keys` have the fields of the page."""
    rules = document(run, "rules", "fives.linear")
    assert set(rules) == fields("rules --json")
    assert all(f"`{name}`" in section("rules --json") for name in rules["clauses"][0])
    assert all(f"`{name}`" in section("rules --json") for name in document(run, "rules")["presets"][0])
    assert set(document(run, "keys", "new", tmp_path / "keyring.json")) == fields("keys --json")


def test_the_demo_s_document() -> None:
    """The report of the demo has the fields of the page, its parts too."""
    assert {"held", *DemoReport.__dataclass_fields__} == fields("demo --json")
    for part in (MatchLine, Refused, Dispute, Forgery):
        assert all(f"`{name}`" in section("demo --json") for name in part.__dataclass_fields__)


@pytest.mark.parametrize("code", [0, 1, 2])
def test_the_exit_codes_are_on_the_page(code: int) -> None:
    """The page has a row for each exit code."""
    assert f"\n| {code} |" in PAGE
