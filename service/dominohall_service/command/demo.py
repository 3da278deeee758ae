"""`dominohall demo`: see the service play, record, verify, and catch a forger, in well under a minute."""

import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Final

import typer

from dominohall_service.command.output import Exit, JsonFlag, console, print_json, unusable

EPILOG: Final = "Exit codes: 0 everything held, 1 something did not, 2 unusable input or a service that did not start."
PICTURE_COLUMNS: Final = 100
PICTURE: Final = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; \
font-size: {char_height}px; line-height: {line_height}px; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""rich's picture of a terminal without the fonts that it would fetch from elsewhere."""


def demo(
    out: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Where the replays and the forged copies go.")
    ] = Path("demo-replays"),
    seed: Annotated[int, typer.Option("--seed", min=0, help="Which matches are played; the same seed, the same.")] = 42,
    quiet: Annotated[bool, typer.Option("--quiet", help="Tell no story; the exit code says whether all held.")] = False,
    as_json: JsonFlag = False,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", hidden=True, help="Draw the story as a picture as well.")
    ] = None,
) -> None:
    """See matches played, recorded, verified and forged.

    A service starts on a free port of this machine, with keys and a store of its own. Built-in players, who see only
    their seat's view, play every preset; each replay is fetched, played again and verified; an illegal move is refused
    by its clause; copies with one byte changed or the tail cut off are caught.
    """
    import grpc

    from dominohall_service.demo.run import run
    from dominohall_service.demo.server import LOG_NAME, ServiceFailed
    from dominohall_service.demo.story import Story

    screen = console()
    screen.quiet = as_json or quiet
    if svg is not None:
        screen.width, screen.record = PICTURE_COLUMNS, True
    story = Story(screen)
    story.title(_version(), seed)
    try:
        report = run(seed, out, story)
    except ServiceFailed as error:
        unusable(str(error), as_json=as_json)
    except grpc.RpcError as error:
        sentence = f"a call of the demo failed (see {out / LOG_NAME}): {error}"
        if as_json:
            print_json({"error": sentence})
        sys.stderr.write(f"dominohall: {sentence}\n")
        raise typer.Exit(Exit.AGAINST) from None
    except OSError as error:
        unusable(f"expected to write into {out}: {error.strerror}", as_json=as_json)
    if svg is not None:
        svg.write_text(screen.export_svg(title="dominohall demo", code_format=PICTURE), encoding="utf-8")
    if as_json:
        from dominohall_service.demo.report import report_to_json

        print_json(report_to_json(report))
    raise typer.Exit(Exit.DONE if report.held else Exit.AGAINST)


def _version() -> str:
    try:
        return version("dominohall")
    except PackageNotFoundError:
        return "from a source tree"
