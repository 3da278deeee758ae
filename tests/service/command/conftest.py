"""Logs and stores for the tests of the command, played in process by the built-in players."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from dominohall_engine import fives, forty_two
from dominohall_engine.clauses import rules_digest
from dominohall_engine.game import Phase
from dominohall_engine.moves import Shake
from dominohall_engine.options import options_to_plain
from dominohall_engine.players import fives as fives_player
from dominohall_engine.players import forty_two as forty_two_player
from dominohall_replays.deals import derive_shake, root, shake_salt
from dominohall_replays.records import Entry, Head, Header, header_entry, move_entry
from dominohall_replays.sqlite_store import SqliteStore
from dominohall_service.command.app import app
from typer.testing import CliRunner, Result

SECRET = bytes(range(32))
PLAYERS: dict[str, Callable[[Any], Any]] = {"forty_two": forty_two_player.choose, "fives": fives_player.choose}
LOTS = {"forty_two": forty_two.Lot(1), "fives": fives.Lot(bytes((27, 3)))}


def played(game: Any, options: Any, match_id: str, limit: int = 10_000) -> list[Entry]:
    """Play a match, or its first `limit` moves, and return its entries."""
    seats = sum(len(side) for side in game.sides(options))
    header = Header(
        match_id, "default", game.NAME, 1, rules_digest(game.NAME), options_to_plain(options), None, ("",) * seats,
        None, None,
    )  # fmt: skip
    entries = [header_entry(header)]
    state, under = game.new_match(options), None
    while game.outcome(state) is None and len(entries) <= limit:
        number = game.shakes(state)
        salt = None
        if game.phase(state) is Phase.LOT:
            move: Any = LOTS[game.NAME]
        elif game.phase(state) is Phase.SHAKE:
            move, salt = Shake(derive_shake(SECRET, number)), shake_salt(SECRET, number)
            under = root(move.tiles, salt)
        else:
            move = PLAYERS[game.NAME](game.view(state, game.turn(state)))
        state = game.apply(state, move)
        head = Head(match_id, entries[-1].sequence, entries[-1].link)
        entries.append(move_entry(game, head, move, state, root=under, shake_salt=salt))
    return entries


@pytest.fixture(scope="session")
def matches() -> dict[str, list[Entry]]:
    """Three matches by id: a whole one of each game, and one of fives that goes on."""
    two_seats = replace(fives.LINEAR, seats=2, partners=False)
    return {
        "texas": played(forty_two, forty_two.POLISH, "texas"),
        "linear": played(fives, two_seats, "linear"),
        "going-on": played(fives, two_seats, "going-on", limit=10),
    }


@pytest.fixture
def folder(tmp_path: Path, matches: dict[str, list[Entry]]) -> Path:
    """Write a folder of log files, one in a folder below, and a file that is no log."""
    logs = tmp_path / "logs"
    (logs / "older").mkdir(parents=True)
    for match_id, entries in matches.items():
        place = logs / "older" if match_id == "linear" else logs
        (place / f"{match_id}.dominohall").write_bytes(b"".join(entry.data for entry in entries))
    (logs / "notes.txt").write_text("no log", encoding="utf-8")
    return logs


@pytest.fixture
def store(tmp_path: Path, matches: dict[str, list[Entry]]) -> Path:
    """Write a store that holds the same matches."""
    path = tmp_path / "store.sqlite3"
    opened = SqliteStore(path)
    for match_id, entries in matches.items():
        opened.append("default", match_id, entries)
    opened.close()
    return path


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Result]:
    """Run the command in process, in an empty folder and a terminal of 120 columns."""
    place = tmp_path / "here"
    place.mkdir()
    monkeypatch.chdir(place)

    def call(*arguments: str | Path, env: dict[str, str] | None = None) -> Result:
        words: Sequence[str] = [str(each) for each in arguments]
        result = CliRunner().invoke(app, words, env={"COLUMNS": "120", **(env or {})}, catch_exceptions=False)
        assert "Traceback" not in result.output
        return result

    return call
