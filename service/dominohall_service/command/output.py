"""What every command says and how it ends: exit codes, JSON, and errors in one sentence.

| exit code | meaning |
|---|---|
| 0 | done; of a verdict: valid, or valid so far |
| 1 | a verdict against: something was examined, and it does not hold |
| 2 | unusable input: a wrong flag, a file that is not there, an unknown match |

People read standard output, programs read it with ``--json``: one document, UTF-8, its shape in `docs/command.md`.
Errors go to standard error; with ``--json`` the document ``{"error": "..."}`` stands on standard output as well.
"""

import json
import sys
from enum import IntEnum
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console

ItemT = TypeVar("ItemT")
JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]

EPILOG = "Exit codes: 0 done or valid, 1 a verdict against, 2 unusable input."


class Exit(IntEnum):
    """The exit codes of every command."""

    DONE = 0
    AGAINST = 1
    UNUSABLE = 2


def console(*, to_error: bool = False) -> "Console":
    """Return a console that draws tiles as they are: nothing between brackets is taken for markup or an emoji."""
    from rich.console import Console

    return Console(markup=False, emoji=False, highlight=False, stderr=to_error)


def tracked(items: "Sequence[ItemT]", what: str) -> "Iterable[ItemT]":
    """Go through items with a progress bar on standard error, if there are several and a person is looking."""
    from rich.progress import track

    screen = console(to_error=True)
    return track(items, what, console=screen, transient=True, disable=len(items) < 2 or not screen.is_terminal)


def print_json(document: object) -> None:
    """Print one JSON document, readable and in the order it was built."""
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False, default=_plain) + "\n")


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever json does not know
    """Write bytes as hexadecimal digits; nothing else is turned into text behind anybody's back."""
    if isinstance(value, bytes):
        return value.hex()
    raise TypeError(f"expected a value that JSON has, got {type(value).__name__}")


def unusable(sentence: str, *, as_json: bool = False) -> NoReturn:
    """Say in one sentence what was expected and what came, and end with exit code 2."""
    if as_json:
        print_json({"error": sentence})
    sys.stderr.write(f"dominohall: {sentence}\n")
    raise typer.Exit(Exit.UNUSABLE)
