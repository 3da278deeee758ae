"""`dominohall demo`: see the service play, record, verify, and catch a forger, in well under a minute."""

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Final

import typer

from dominohall_service.command.output import Exit, JsonFlag, console, print_json, unusable

EPILOG: Final = "Exit codes: 0 everything held, 1 something did not, 2 unusable input or a service that did not start."
PICTURE_COLUMNS: Final = 100


def demo(
    out: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Where the replays and the forged copies go.")
    ] = Path("demo-replays"),
    seed: Annotated[int, typer.Option("--seed", min=0, help="Which matches are played; the same seed, the same.")] = 42,
    as_json: JsonFlag = False,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", hidden=True, help="Draw the story as a picture as well.")
    ] = None,
) -> None:
    """Play six whole matches against a real service over gRPC, and show what their replays are worth.

    A service starts on a free port of this machine, with keys and a store of its own. Built-in players, who see only
    their seat's view, play every preset; each replay is fetched, played again and verified; an illegal move is refused
    by its clause; copies with one byte changed or the tail cut off are caught.
    """
    from dominohall_service.demo.run import run  # noqa: PLC0415 - gRPC and the engine
    from dominohall_service.demo.server import ServiceFailed  # noqa: PLC0415
    from dominohall_service.demo.story import Story  # noqa: PLC0415

    screen = console()
    screen.quiet = as_json
    if svg is not None:
        screen.width, screen.record = PICTURE_COLUMNS, True
    story = Story(screen)
    story.title(_version(), seed)
    try:
        report = run(seed, out, story)
    except ServiceFailed as error:
        unusable(str(error), as_json=as_json)
    except OSError as error:
        unusable(f"expected to write into {out}: {error.strerror}", as_json=as_json)
    if svg is not None:
        screen.save_svg(str(svg), title="dominohall demo")
    if as_json:
        from dominohall_service.demo.report import report_to_json  # noqa: PLC0415

        print_json(report_to_json(report))
    raise typer.Exit(Exit.DONE if report.held else Exit.AGAINST)


def _version() -> str:
    try:
        return version("dominohall")
    except PackageNotFoundError:
        return "from a source tree"
