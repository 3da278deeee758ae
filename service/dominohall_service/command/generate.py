"""`dominohall generate`: an archive from a seed, to try an audit on, or a disk."""

import os
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from dominohall_service.command.archive import Form
from dominohall_service.command.output import JsonFlag, console, print_json, unusable

if TYPE_CHECKING:
    from dominohall_replays.generate import Generated

TargetArgument = Annotated[
    str, typer.Argument(metavar="TARGET", help="A folder, or s3://BUCKET/PREFIX (keys and endpoint from AWS_*).")
]
MatchesOption = Annotated[int | None, typer.Option("--matches", metavar="N", min=1, help="How many matches.")]
RoundsOption = Annotated[
    int | None, typer.Option("--rounds", metavar="N", min=1, help="Instead: matches until there are so many rounds.")
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Which matches; the same seed, the same.")]
PresetOption = Annotated[
    list[str] | None,
    typer.Option("--preset", metavar="NAME", help="What is played, all presets in turn by default; may be repeated."),
]
FaultsOption = Annotated[
    int,
    typer.Option("--faults", metavar="N", min=0, max=1_000_000, help="Matches with a fault, of every kind in turn."),
]
FormOption = Annotated[Form, typer.Option("--form", help="log: a file a match; compact: archive segments.")]
WorkersOption = Annotated[
    int | None, typer.Option("--workers", metavar="N", min=1, max=512, help="Processes; without it, one a core.")
]


def generate(  # noqa: PLR0913, PLR0917 - a flag each
    target: TargetArgument,
    matches: MatchesOption = None,
    rounds: RoundsOption = None,
    seed: SeedOption = 0,
    preset: PresetOption = None,
    faults: FaultsOption = 0,
    form: FormOption = Form.LOG,
    workers: WorkersOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Make an archive of matches from a seed, without a service.

    Every match is whole, recorded and played by the rules; the faults are planted in further matches, and
    manifest.json says of each what it is, where it lies and what verdict finds it. The same seed gives the same bytes.
    """
    from dominohall_engine.games import PRESETS
    from dominohall_replays.bulk.locations import UnusableLocation
    from dominohall_replays.generate import Form as Written
    from dominohall_replays.generate import Wanted
    from dominohall_replays.generate import generate as make
    from dominohall_replays.generate.run import AlreadyGenerated
    from dominohall_replays.store import StoreUnavailable

    try:
        wanted = Wanted(seed, matches, rounds, tuple(preset or PRESETS), Written(form.value), faults)
    except ValueError as error:
        unusable(str(error), as_json=as_json)
    if "://" not in target and Path(target).exists() and not Path(target).is_dir():
        unusable(f"expected a folder at {target}, got a file", as_json=as_json)
    started = monotonic()
    with console(to_error=True).status("playing") as status:

        def tell(made: "Generated") -> None:
            rate = made.moves / max(monotonic() - started, 1e-3)
            status.update(f"{made.matches:,} matches, {made.rounds:,} rounds, {rate:,.0f} moves a second")

        try:
            made = make(target, wanted, workers=workers or os.cpu_count() or 1, on_progress=tell)
        except (AlreadyGenerated, StoreUnavailable, UnusableLocation) as error:
            unusable(str(error), as_json=as_json)
        except ModuleNotFoundError:
            unusable("expected what packs archives: pip install 'dominohall[archive]'", as_json=as_json)
    if as_json:
        print_json(made.to_plain())
    else:
        typer.echo(
            f"{made.matches:,} matches, {made.rounds:,} rounds, {made.moves:,} moves: {made.log_bytes:,} bytes of logs "
            f"in {made.written_bytes:,} bytes, {len(made.planted):,} faults"
        )
