"""Logs that were written once stay readable, and what is said of them stays the same."""

import json
from pathlib import Path
from typing import Any

import pytest
from dominohall_engine.games import PRESETS
from dominohall_replays.report import report_to_plain
from dominohall_replays.verify import verify

FIXTURES = Path(__file__).parent / "fixtures" / "v1"
EXPECTED: dict[str, Any] = json.loads((FIXTURES / "expected.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_the_verdict_stays(name: str) -> None:
    """The report on an old log is the one that was given when it was written."""
    report = report_to_plain(verify(FIXTURES / f"{name}.dominohall"))
    assert json.loads(json.dumps(report)) == EXPECTED[name]


def test_every_preset_is_there() -> None:
    """Each preset has a finished log with a proven deal and an unfinished one, and no log lies here unjudged."""
    assert sorted(EXPECTED) == sorted(path.name.removesuffix(".dominohall") for path in FIXTURES.glob("*.dominohall"))
    for preset in PRESETS:
        finished, unfinished = EXPECTED[f"{preset}.finished"], EXPECTED[f"{preset}.unfinished"]
        assert (finished["verdict"], finished["deal"]) == ("valid", "proven")
        assert (unfinished["verdict"], unfinished["deal"]) == ("unfinished", "opened")
