"""`replay verify`: verdicts on many logs, as a table for people and as one document for programs."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from dominohall_replays.records import Head
from dominohall_replays.report import report_to_plain, result_text
from dominohall_replays.verdicts import GOOD, UNUSABLE, Report
from dominohall_replays.verify import verify
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dominohall_service.command.output import Exit, tracked
from dominohall_service.command.sources import Found

STYLES: Final = {Exit.DONE: "bold green", Exit.AGAINST: "bold red", Exit.UNUSABLE: "bold yellow"}


class Judged(NamedTuple):
    """A log and what was found."""

    name: str
    size: int
    report: Report

    @property
    def exit(self) -> Exit:
        """The exit code that this verdict alone asks for."""
        if self.report.verdict in GOOD:
            return Exit.DONE
        return Exit.UNUSABLE if self.report.verdict in UNUSABLE else Exit.AGAINST


def judge(found: Sequence[Found], head: Head | None = None) -> list[Judged]:
    """Judge logs one after another, against a head that somebody kept if one is given."""
    return [
        Judged(each.name, each.size, verify(each.source, expected_head=head)) for each in tracked(found, "verifying")
    ]


def exit_of(judged: Sequence[Judged]) -> Exit:
    """Return 1 if there is a verdict against any log, else 2 if any could not be judged, else 0."""
    exits = {each.exit for each in judged}
    return Exit.AGAINST if Exit.AGAINST in exits else max(exits, default=Exit.DONE)


def print_all(console: Console, judged: Sequence[Judged]) -> None:
    """Print one log in full, several as a table with the faults in full under it."""
    if len(judged) == 1:
        _print_one(console, judged[0])
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("log", overflow="fold")
    table.add_column("moves", justify="right")
    table.add_column("bytes", justify="right")
    table.add_column("verdict")
    table.add_column("deal")
    for each in judged:
        verdict = Text(words(each.report.verdict), STYLES[each.exit])
        deal = "" if each.exit is Exit.UNUSABLE else each.report.deal.value
        table.add_row(each.name, str(each.report.moves), f"{each.size:,}", verdict, deal)
    console.print(table)
    for each in judged:
        if each.exit is not Exit.DONE:
            console.print()
            _print_one(console, each)
    good = sum(each.exit is Exit.DONE for each in judged)
    console.print(f"\n{good} of {len(judged)} hold.")


def _print_one(console: Console, judged: Judged) -> None:
    """Print the report of one log: the verdict, its place, and the three statements."""
    report = judged.report
    console.print(Text.assemble((words(report.verdict), STYLES[judged.exit]), f"  {judged.name}"))
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 2))
    table.add_row(Text("found", "dim"), report.reason)
    if report.offset is not None:
        where = "" if report.sequence is None else f"sequence {report.sequence}, "
        table.add_row(Text("where", "dim"), f"{where}byte {report.offset:,}")
    if report.clauses:
        table.add_row(Text("clauses", "dim"), f"{', '.join(report.clauses)}  ({report.refusal})")
    if report.game:
        table.add_row(Text("match", "dim"), f"{report.match_id}, {report.game}, {report.moves} moves hold")
        if report.computed is not None:
            table.add_row(Text("result", "dim"), result_text(report.computed))
        statements = f"signature {report.signature}, deal {report.deal}, origin {report.origin}"
        table.add_row(Text("also", "dim"), statements)
    console.print(table)


def words(name: str) -> str:
    """Write the name of a verdict or an ending for a person."""
    return name.replace("_", " ")


def to_json(judged: Sequence[Judged]) -> dict[str, Any]:
    """Return the document of `replay verify --json`."""
    return {
        "exit": int(exit_of(judged)),
        "reports": [{"source": each.name, "bytes": each.size, **report_to_plain(each.report)} for each in judged],
    }
