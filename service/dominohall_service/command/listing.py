"""`replay list`: what a store or a folder of logs holds, a line a match."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from dominohall_engine.games import GAMES
from dominohall_engine.options import Plain, options_to_plain
from dominohall_replays.errors import UnreadableLog
from dominohall_replays.log import Log, read_log
from dominohall_replays.reading import LoggedMove, read_entry
from dominohall_replays.records import Head
from dominohall_replays.store import Store, StoredMatch
from rich.table import Table
from rich.text import Text

from dominohall_service.command.output import tracked
from dominohall_service.command.sources import Found


class Row(NamedTuple):
    """One match of a list. Its log was read, not judged: `replay verify` does that."""

    name: str
    """The file, or the id of a stored match."""
    owner: str
    match_id: str
    rules: str
    """The preset if the options are one, else the game."""
    seats: int
    head: Head | None
    finished: bool
    problem: str
    """Why it could not be read, "" if it could."""


def row_of(found: Found) -> Row:
    """Read a log file as far as a list needs it."""
    try:
        log = read_log(found.source)
        last = None
        for last in log:  # noqa: B007 - the last one is what is wanted
            pass
    except UnreadableLog as error:
        return Row(found.name, "", "", "", 0, None, False, str(error))
    head = Head(log.header.match_id, 0, log.first.link)
    if last is not None:
        head = Head(log.header.match_id, last.sequence, last.last_link)
    return _row(found.name, log, head, finished=last is not None and last.terminal is not None)


def rows_of_store(store: Store, owner: str | None) -> list[Row]:
    """Read the first and the last entry of every match of a store."""
    matches: list[StoredMatch] = []
    token = ""
    while True:
        page = store.matches(owner, page_size=1000, page_token=token)
        matches += page.matches
        token = page.next_page_token
        if not token:
            return [_stored_row(store, each) for each in tracked(matches, "reading")]


def _stored_row(store: Store, match: StoredMatch) -> Row:
    head = match.head
    first = next(store.entries(match.owner, head.match_id))
    last = next(store.entries(match.owner, head.match_id, head.sequence))
    try:
        read = read_entry(last)
        ended = isinstance(read, LoggedMove) and read.terminal is not None
        return _row(head.match_id, read_log(first.data), head, finished=ended)
    except UnreadableLog as error:
        return Row(head.match_id, match.owner, head.match_id, "", 0, head, False, str(error))


def _row(name: str, log: Log, head: Head, *, finished: bool) -> Row:
    header = log.header
    return Row(
        name,
        header.owner,
        header.match_id,
        rules_of(header.game, header.options),
        len(header.labels),
        head,
        finished,
        "",
    )


def rules_of(game: str, options: Mapping[str, Plain]) -> str:
    """Name the preset that these options are, or the game if they are none."""
    known = GAMES.get(game)
    for name, preset in known.PRESETS.items() if known else ():
        if options_to_plain(preset) == dict(options):
            return f"{game}.{name}"
    return game


def table_of(rows: Sequence[Row]) -> Table:
    """Draw the list."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("match", overflow="fold")
    table.add_column("rules")
    table.add_column("seats", justify="right")
    table.add_column("moves", justify="right")
    table.add_column("state")
    table.add_column("link", no_wrap=True)
    for row in rows:
        if row.head is None or row.problem:
            table.add_row(row.name, Text(row.problem or "unreadable", "bold red"))
            continue
        state = Text("finished", "green") if row.finished else Text("goes on", "yellow")
        link = Text(row.head.link.hex()[:12], "dim")
        table.add_row(row.name, row.rules, str(row.seats), str(row.head.sequence), state, link)
    return table


def row_to_json(row: Row) -> dict[str, Any]:
    """Return one match of `replay list --json`."""
    return {
        "name": row.name,
        "match_id": row.match_id or None,
        "owner": row.owner,
        "rules": row.rules or None,
        "seats": row.seats,
        "sequence": None if row.head is None else row.head.sequence,
        "link": None if row.head is None else row.head.link.hex(),
        "finished": row.finished,
        "problem": row.problem or None,
    }
