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
from dominohall_replays.forks import fork_of, format_fork
from dominohall_replays.receipts import format_public_keys, format_receipt
from dominohall_replays.records import SCRIPTED
from dominohall_replays.redact import redact
from dominohall_replays.report import report_to_plain
from dominohall_replays.signatures import SignedHead, public_key, sign_head, signature_item
from dominohall_replays.verify import verify

playing: Any = importlib.import_module("conftest")

DIRECTORY = Path(__file__).parent / "fixtures" / "v1"
KEY, KEY_ID = bytes(range(32, 64)), b"sign"
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
    signed = signed_match()
    found["signed"] = signed.revealed + signature_item(signed_head(signed, signed.head.sequence))
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


def signed_match() -> Any:
    """Play the match that is signed."""
    return playing.go_on(playing.start("fives", playing.SHORT["fives"], match_id="signed"), seed=6)


def signed_head(match: Any, sequence: int) -> SignedHead:
    """Sign an entry of a match."""
    return sign_head(KEY, KEY_ID, match.header.owner, match.header.match_id, sequence, match.entries[sequence].link)


def documents() -> dict[str, str]:
    """Write what goes with the signed match: its public key, a receipt, and the proof that its signer forked it."""
    match = signed_match()
    receipt, other = signed_head(match, 10), playing.played_anew(match, 6, seed=77)
    log = other.log + signature_item(signed_head(other, other.head.sequence))
    return {
        "signed.keys": format_public_keys({KEY_ID: public_key(KEY)}),
        "signed.receipt": format_receipt(receipt),
        "signed.fork": format_fork(fork_of(receipt, log)),
    }


def main() -> None:
    """Write the logs and what is to be said of them; refuse where there are some."""
    if any(DIRECTORY.glob("*.dominohall")):
        sys.exit(f"the logs of fixtures/{DIRECTORY.name} are frozen and never written again; see their README.md")
    expected = {}
    for name, log in logs().items():
        (DIRECTORY / f"{name}.dominohall").write_bytes(log)
        expected[name] = report_to_plain(verify(log))
    for name, document in documents().items():
        (DIRECTORY / f"{name}.json").write_text(document, encoding="utf-8")
    (DIRECTORY / "expected.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
