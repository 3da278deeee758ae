"""The command as a whole: its nouns and its version."""

from typing import Annotated

import typer

from dominohall_service.command import archive, audit, demo, generate, keys, replay, rules, serve, verify_view
from dominohall_service.command.output import EPILOG

app = typer.Typer(
    name="dominohall",
    help="Texas 42 and Straight Dominoes over gRPC, with replays that settle disputes.",
    epilog=EPILOG,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich's help costs three times as much to start as everything else
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("serve", epilog=serve.EPILOG)(serve.serve)
app.command("demo", epilog=demo.EPILOG)(demo.demo)
app.add_typer(replay.app, name="replay")
app.command("rules", epilog=EPILOG)(rules.rules)
app.command("verify-view", epilog=verify_view.EPILOG)(verify_view.verify_view)
app.add_typer(keys.app, name="keys")
app.command("archive", epilog=EPILOG)(archive.archive)
app.command("generate", epilog=EPILOG)(generate.generate)
app.command("audit", epilog=EPILOG)(audit.audit)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        from dominohall_engine import COMPILED

        try:
            typer.echo(f"dominohall {version('dominohall')}{' (compiled)' if COMPILED else ''}")
        except PackageNotFoundError:
            typer.echo("dominohall (not installed: run from a source tree)")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Read the options that stand before a command."""


def main() -> None:
    """Run the command."""
    app(prog_name="dominohall")
