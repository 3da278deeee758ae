"""`dominohall verify-view`: operators swap hidden tiles themselves."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from dominohall_engine import forty_two
from dominohall_engine.games import PRESETS
from dominohall_service import sights
from dominohall_service.command.app import app
from dominohall_service.command.output import Exit
from typer.testing import CliRunner

FIXTURES = Path(__file__).parents[1] / "replays" / "fixtures" / "v1"
PAGE = (Path(__file__).parents[2] / "docs" / "command.md").read_text(encoding="utf-8")


def run(*arguments: object) -> tuple[int, str]:
    """Run the command; return its exit code and what it printed."""
    result = CliRunner().invoke(app, ["verify-view", *map(str, arguments)], env={"COLUMNS": "120"})
    assert "Traceback" not in result.output
    return result.exit_code, result.output


def test_every_preset_is_tried() -> None:
    """Without a log each preset is played and swapped, and nothing differs; the same seed says the same."""
    code, said = run("--swaps", 8)
    assert code == Exit.DONE
    assert re.findall(r"^(\S+)  [\d,]+ states, 8 swaps: nothing differs$", said, re.MULTILINE) == list(PRESETS)
    assert run("--swaps", 8) == (code, said)


@pytest.mark.parametrize("name", ["forty_two.polish.finished", "fives.linear.two_seats.unfinished"])
def test_a_log_can_be_tried(name: str) -> None:
    """With a log its own states are taken; the document has the fields that its page lists."""
    path = FIXTURES / f"{name}.dominohall"
    code, said = run(path, "--swaps", 10, "--json")
    document = json.loads(said)
    assert (code, document["held"], document["tried"][0]["leaks"]) == (Exit.DONE, True, [])
    assert (document["tried"][0]["name"], document["tried"][0]["swaps"]) == (str(path), 10)
    section = PAGE.split("### `verify-view --json`", 1)[1]
    assert all(f"`{field}`" in section for field in [*document, *document["tried"][0], *sights.Leak._fields])


def test_a_leak_is_told_without_its_tile(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine whose view counts another hand is found out: exit code 1, where and which answer, and no tile."""
    real = forty_two.view

    def leaky(state: Any, seat: int | None) -> forty_two.View:
        seen, order = real(state, seat), forty_two.order(state)
        return seen if order is None or seat is None else replace(seen, taken=(order[(7 * seat + 7) % 28], 0))

    monkeypatch.setattr(forty_two, "view", leaky)
    code, said = run("--preset", "forty_two.russian", "--swaps", 40)
    assert code == Exit.AGAINST
    assert re.search(r"sequence \d+, seat \d, (en|pl|ru): view ", said)
    assert not re.search(r"\b[0-6]-[0-6]\b", said)


@pytest.mark.parametrize(
    "arguments", [("--preset", "chess"), (FIXTURES / "abandoned.dominohall", "--preset", "fives.linear"), ("no-log",)]
)
def test_unusable_input(arguments: tuple[object, ...]) -> None:
    """An unknown preset, a log and a preset together, and a log that is not there end with exit code 2."""
    assert run(*arguments)[0] == Exit.UNUSABLE
