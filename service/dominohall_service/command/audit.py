"""`dominohall audit`: an archive of any size judged again, on many cores or machines."""

from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final

import typer

from dominohall_service.command.evidence import KeysOption, read_public_keys
from dominohall_service.command.output import JsonFlag, console, print_json, unusable
from dominohall_service.command.sources import DEFAULT_STORE, StoreOption

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dominohall_replays.bulk import Summary
    from dominohall_replays.bulk.findings import Counts, Fault

LISTED: Final = 1000
"""As `bulk.auditing.LISTED_FAULTS`."""
PRINTED: Final = 50
"""How many of them a person is shown."""
LOGS_A_BATCH: Final = 100
"""As in `bulk.auditing`, which would bring all that it needs along; a test holds them together."""


class Depth(StrEnum):
    """As `bulk.findings.Depth`."""

    PROOF = "proof"
    MOVES = "moves"


LocationArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="LOCATION",
        help="A folder of logs or segments, s3://BUCKET/PREFIX, a store's file, or postgresql://...; without it, the"
        " store.",
    ),
]
WorkersOption = Annotated[
    int | None, typer.Option("--workers", metavar="N", min=1, max=512, help="Processes; without it, one a core.")
]
SchedulerOption = Annotated[
    str | None,
    typer.Option("--scheduler", metavar="tcp://HOST:PORT", help="A dask cluster whose workers judge instead."),
]
ResultsOption = Annotated[
    str | None,
    typer.Option(
        "--results",
        metavar="FOLDER-or-URL",
        help="Keep what each batch came to there, and take it from there for the very bytes that were judged before.",
    ),
]
BatchOption = Annotated[
    int, typer.Option("--batch", metavar="LOGS", min=1, max=100_000, help="About how many logs are judged at once.")
]
FaultsOption = Annotated[
    int, typer.Option("--faults", metavar="N", min=0, max=1_000_000, help="The most faults that are listed.")
]
SignedOption = Annotated[
    bool, typer.Option("--must-be-signed/--may-be-unsigned", help="With --keys: whether an unsigned log is a fault.")
]

DepthOption = Annotated[
    Depth,
    typer.Option(
        "--depth",
        help="proof: everything that can be computed; moves: of compact logs only that the moves are legal and lead to"
        " the last state, which is weaker and quicker.",
    ),
]


def audit(  # noqa: PLR0913, PLR0917 - a flag each
    location: LocationArgument = None,
    workers: WorkersOption = None,
    scheduler: SchedulerOption = None,
    results: ResultsOption = None,
    batch: BatchOption = LOGS_A_BATCH,
    faults: FaultsOption = LISTED,
    keys: KeysOption = None,
    must_be_signed: SignedOption = True,
    depth: DepthOption = Depth.PROOF,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonFlag = False,
) -> None:
    """Play every log of an archive again and say what it is worth.

    On all cores, or on a cluster; in memory that does not grow with the archive. It may be interrupted: with --results
    the next run goes on where it stopped. Exit code 0 if every log is valid (a match that is not over yet is valid so
    far), 1 if anything was found wrong, 2 if some could not be judged or the audit did not come to its end.
    """
    from dominohall_replays.bulk import audit as audited
    from dominohall_replays.bulk import findings
    from dominohall_replays.bulk.judging import OtherBuild
    from dominohall_replays.bulk.locations import UnusableLocation
    from dominohall_replays.store import StoreUnavailable

    if workers is not None and scheduler is not None:
        unusable("expected --workers N or --scheduler URL, and not both", as_json=as_json)
    if keys is not None and depth is not Depth.PROOF:
        unusable(f"expected --keys without --depth {depth}: signatures are over heads", as_json=as_json)
    public_keys = read_public_keys(keys, as_json=as_json)
    try:
        with _progress() as tell:
            summary = audited(
                location or store, workers=workers, scheduler=scheduler, results=results, public_keys=public_keys,
                must_be_signed=must_be_signed, depth=findings.Depth(depth), batch=batch, listed_faults=faults,
                on_progress=tell,
            )  # fmt: skip
    except (UnusableLocation, OtherBuild) as error:
        unusable(str(error), as_json=as_json)
    except StoreUnavailable as error:
        again = "run it again to go on" if results else "with --results a second run would go on where this one ended"
        unusable(f"{error}; {again}", as_json=as_json)
    if as_json:
        print_json(summary.to_plain())
    else:
        _tell(summary, results)
    raise typer.Exit(summary.exit_code)


@contextmanager
def _progress() -> "Iterator[Callable[[Summary, int, int], None]]":
    """Draw a bar with what was found and how fast, on standard error and only if a person is looking."""
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    screen = console(to_error=True)
    columns = (
        TextColumn("judging"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(),
        TextColumn("{task.fields[said]}"),
    )  # fmt: skip
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as progress:
        task = progress.add_task("", total=None, said="")

        def tell(summary: "Summary", done: int, count: int) -> None:
            seconds = progress.tasks[0].elapsed or 0.0
            rate = f"{summary.counts.moves / seconds:,.0f} moves/s" if seconds > 1 else ""
            said = f"{summary.counts.logs:,} logs, {summary.faults_found:,} faults  {rate}"
            progress.update(task, completed=done, total=count, said=said)

        yield tell


def _tell(summary: "Summary", results: str | None) -> None:
    from rich.table import Table

    screen, counts = console(), summary.counts
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    for name, number in sorted(_found(counts), key=lambda each: -each[1]):
        table.add_row(name.replace("_", " "), f"{number:,}")
    screen.print(table)
    for fault in summary.faults[:PRINTED]:
        screen.print(_fault_text(fault), soft_wrap=True)
    left = summary.faults_found - len(summary.faults[:PRINTED])
    if left:
        where = f"--json lists more, {results} has all" if results else "--json lists more"
        screen.print(f"... and {left:,} faults more ({where})")
    parts = [f"{counts.logs:,} logs", f"{counts.moves:,} moves", f"{counts.chances:,} shakes and lots"]
    if counts.segments:
        parts.append(f"{counts.segments:,} segments")
    if counts.archived:
        parts.append(f"{counts.archived:,} archived matches that are judged where they lie")
    if counts.moves_only:
        parts.append(f"{counts.moves_only:,} of the logs by their moves alone")
    screen.print(", ".join(parts), soft_wrap=True)
    screen.print(f"depth {summary.depth} shows, {summary.meaning.proves}", soft_wrap=True)
    screen.print(f"and not, {summary.meaning.leaves_open}", soft_wrap=True)
    if not summary.complete:
        screen.print("interrupted: the rest was not judged")


def _found(counts: "Counts") -> "list[tuple[str, int]]":
    return [*counts.verdicts.items(), *counts.troubles.items()]


def _fault_text(fault: "Fault") -> str:
    """Write a fault in a line: what, where, why."""
    parts = [fault.source, f"log at byte {fault.log_offset:,}" if fault.source and fault.log_offset > 0 else ""]
    parts.append(f"match {fault.match_id} of {fault.owner}" if fault.match_id else "")
    parts.append("" if fault.sequence is None else f"sequence {fault.sequence}")
    parts.append("" if fault.offset is None else f"byte {fault.offset:,}")
    parts.append(", ".join(fault.clauses))
    where = ", ".join(each for each in parts if each)
    return f"{fault.verdict.replace('_', ' ')}: {where}: {fault.reason}"
