"""`dominohall serve`: run the service with the settings of `settings.py`, one flag each.

The flags are made from that table, so a setting can't be missing here or be explained in two ways. A flag that is not
given falls to its environment variable, then to its default.
"""

import inspect
import os
from dataclasses import fields
from types import NoneType
from typing import Annotated, Any, Final, get_args, get_type_hints

import typer

from dominohall_service.command.output import Exit, unusable
from dominohall_service.settings import InvalidSetting, Settings, default_text, flag, settings_from

EPILOG: Final = (
    "Defaults stand in brackets. Every flag can also be set in the environment, --store-path as "
    "DOMINOHALL_STORE_PATH; the flag wins. "
    "Exit codes: 0 stopped by SIGTERM or SIGINT with every call finished, 1 stopped with calls cut off, "
    "2 unusable settings, keys or store."
)
CHECK_OPTION: Final = typer.Option(
    "--check", help="Say what would run and what stands in its way, start nothing, and end with 0 or 2."
)


def serve(*, check: bool = False, **flags: object) -> None:
    """Run the gRPC service until SIGTERM or SIGINT.

    It needs a keyring (`dominohall keys new FILE`), or `--insecure-dev-keys` for trying it out.
    """
    try:
        settings = settings_from(os.environ, **flags)
    except InvalidSetting as error:
        unusable(str(error))
    if check:
        from dominohall_service.checking import Findings

        findings = Findings(settings, os.environ, {name for name, value in flags.items() if value is not None})
        typer.echo(findings.text(), nl=False)
        raise typer.Exit(Exit.UNUSABLE if findings.problems else Exit.DONE)
    from dominohall_service.server import serve as run

    raise typer.Exit(run(settings))


def _signature() -> inspect.Signature:
    """Return one keyword for each setting, as typer reads it; None stands for a flag that was not given."""
    hints = get_type_hints(Settings)
    return inspect.Signature(
        [
            inspect.Parameter(
                "check", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Annotated[bool, CHECK_OPTION]
            ),
            *(
                inspect.Parameter(
                    each.name,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=None,
                    annotation=Annotated[
                        _flag_type(hints[each.name]) | None,
                        typer.Option(
                            f"{flag(each.name)}/--no-{flag(each.name)[2:]}"
                            if hints[each.name] is bool
                            else flag(each.name),
                            help=f"{each.metadata['description']} [{default_text(each)}]",
                            show_default=False,
                        ),
                    ],
                )
                for each in fields(Settings)
            ),
        ]
    )


def _flag_type(kind: Any) -> Any:  # noqa: ANN401 - the type of any setting
    """Return the type of a flag: of an optional setting the other half, because not given is None already."""
    return next((each for each in get_args(kind) if each is not NoneType), kind)


serve.__signature__ = _signature()  # type: ignore[attr-defined]
