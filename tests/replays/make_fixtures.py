"""Write `fixtures/v1/`: logs of this version of the format, and what is to be said of them.

It was run once, and refuses to run again where logs are: they are frozen, and a log that no longer verifies is a
broken promise, no reason to write another. It stays to say how each log came about.
"""

import importlib
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from dominohall_engine import fives, forty_two
from dominohall_engine.moves import Abandon, Shake
from dominohall_replays.records import SCRIPTED
from dominohall_replays.redact import redact
from dominohall_replays.report import report_to_plain
from dominohall_replays.signatures import sign_head, signature_item
from dominohall_replays.verify import verify

playing: Any = importlib.import_module("conftest")

DIRECTORY = Path(__file__).parent / "fixtures" / "v1"
SEATS: dict[str, dict[str, Any]] = {
    "two_seats": {"seats": 2, "partners": False},
    "three_seats": {"seats": 3, "partners": False},
    "four_seats": {"partners": False},
}


def logs() -> dict[str, bytes]:
    """Play every match."""
    tables: dict[str, tuple[str, Any]] = {
        "forty_two.polish": ("forty_two", forty_two.POLISH),
        "forty_two.russian": ("forty_two", forty_two.RUSSIAN),
        "fives.linear": ("fives", fives.LINEAR),
        **{f"fives.linear.{name}": ("fives", replace(fives.LINEAR, **change)) for name, change in SEATS.items()},
    }
    found: dict[str, bytes] = {}
    for name, (game, options) in tables.items():
        whole = playing.go_on(playing.start(game, options, match_id=name), seed=17, times=True)
        begun = playing.go_on(playing.start(game, options, match_id=f"{name}.begun"), seed=18, moves=40)
        found |= {f"{name}.finished": whole.revealed, f"{name}.unfinished": begun.log}
    short = playing.SHORT["forty_two"]
    abandoned = playing.go_on(playing.start("forty_two", short, match_id="abandoned"), seed=5, moves=9)
    playing.add(abandoned, Abandon("table-closed"))
    scripted = playing.start("forty_two", short, match_id="scripted", first=0, marks=(SCRIPTED,))
    playing.add(scripted, Shake(bytes(range(28))))
    source = playing.go_on(playing.start("forty_two", short, match_id="source"), seed=7, moves=11)
    imported = playing.go_on(playing.start_imported(source), seed=8)
    key = bytes(range(32, 64))
    signed = playing.go_on(playing.start("fives", playing.SHORT["fives"], match_id="signed"), seed=6)
    head = sign_head(key, b"sign", signed.header.owner, *signed.head)
    found["signed"] = signed.revealed + signature_item(head)
    for name in ("forty_two.polish", "fives.linear"):
        game, options = tables[name]
        shown = playing.go_on(playing.start(game, options, match_id=f"{name}.redacted"), seed=19, moves=60)
        found[f"{name}.seat"] = redact(shown.log, 1)
        found[f"{name}.spectator"] = redact(shown.log, None)
    return found | {
        "abandoned": abandoned.revealed,
        "scripted": playing.go_on(scripted, seed=9).revealed,
        "imported": imported.revealed,
    }


def main() -> None:
    """Write the logs and what is to be said of them; refuse where there are some."""
    if any(DIRECTORY.glob("*.dominohall")):
        sys.exit(f"the logs of fixtures/{DIRECTORY.name} are frozen and never written again; see their README.md")
    expected = {}
    for name, log in logs().items():
        (DIRECTORY / f"{name}.dominohall").write_bytes(log)
        expected[name] = report_to_plain(verify(log))
    (DIRECTORY / "expected.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
