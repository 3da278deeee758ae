"""`dominohall keys`: the keyring of a service, made and rotated without a secret ever being printed.

One process: ``keys new FILE``, later ``keys rotate FILE seal``. Several pods take three steps, each rolled out before
the next: ``keys rotate FILE seal --add-only``, ``keys activate FILE seal ID``, ``keys retire FILE seal ID``.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dominohall_service.command.output import EPILOG, JsonFlag, console, print_json, unusable

if TYPE_CHECKING:
    from collections.abc import Callable

    from dominohall_service.keyring import KeyKind, Keyring

app = typer.Typer(
    help="Make and rotate the keyring that `serve` needs.", no_args_is_help=True, rich_markup_mode=None, epilog=EPILOG
)

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="The keyring file.")]
KindArgument = Annotated[str, typer.Argument(metavar="KIND", help="seal (tokens), deal (shakes) or sign (heads).")]
IdArgument = Annotated[str, typer.Argument(metavar="ID", help="The key's id, 8 hexadecimal digits.")]


@app.command("new", epilog=EPILOG)
def new(file: FileArgument, as_json: JsonFlag = False) -> None:
    """Make a keyring of one fresh key of each kind; an existing file is never overwritten."""
    from dominohall_service.keyring import new_keyring, write_keyring

    keyring = new_keyring()
    try:
        write_keyring(file, keyring)
    except OSError as error:
        unusable(f"expected to write a new keyring to {file}: {_why(error)}", as_json=as_json)
    _show(file, keyring, as_json)


@app.command("list", epilog=EPILOG)
def list_keys(file: FileArgument, as_json: JsonFlag = False) -> None:
    """List the ids and the status of the keys, never a key."""
    _show(file, _read(file, as_json), as_json)


@app.command("public", epilog=EPILOG)
def public(file: FileArgument) -> None:
    """Print the public set: what signatures of this keyring are checked with, by anybody.

    It is the file that `replay verify --keys` takes. Every signing key is in it, retired ones too.
    """
    from dominohall_replays.receipts import format_public_keys

    from dominohall_service.keyring import public_keys

    typer.echo(format_public_keys(public_keys(_read(file, as_json=False))), nl=False)


@app.command("rotate", epilog=EPILOG)
def rotate(
    file: FileArgument,
    kind: KindArgument,
    add_only: Annotated[
        bool, typer.Option("--add-only", help="Add the new key as accepted; make it active once every pod has it.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Add a fresh key and make it the active one; the key before it stays accepted."""
    from dominohall_service import keyring as keyrings

    change = keyrings.add_key if add_only else keyrings.rotate
    _change(file, kind, as_json, lambda keyring, which: change(keyring, which)[0])


@app.command("activate", epilog=EPILOG)
def activate(file: FileArgument, kind: KindArgument, key_id: IdArgument, as_json: JsonFlag = False) -> None:
    """Make an accepted key the active one; the active one becomes accepted."""
    from dominohall_service.keyring import activate_key

    wanted = _key_id(key_id, as_json)
    _change(file, kind, as_json, lambda keyring, which: activate_key(keyring, which, wanted))


@app.command("retire", epilog=EPILOG)
def retire(file: FileArgument, kind: KindArgument, key_id: IdArgument, as_json: JsonFlag = False) -> None:
    """Stop accepting a key; matches under a retired seal key go on by ResumeMatch."""
    from dominohall_service.keyring import retire_key

    wanted = _key_id(key_id, as_json)
    _change(file, kind, as_json, lambda keyring, which: retire_key(keyring, which, wanted))


def _change(file: Path, kind: str, as_json: bool, change: "Callable[[Keyring, KeyKind], Keyring]") -> None:
    """Read the file, change the keys of one kind, and write it back in one step."""
    from dominohall_service.keyring import KeyKind, UnusableKeyring, write_keyring

    if kind not in list(KeyKind):
        unusable(f"expected the kind {' or '.join(KeyKind)}, got {kind!r}", as_json=as_json)
    keyring = _read(file, as_json)
    try:
        changed = change(keyring, KeyKind(kind))
        write_keyring(file, changed, replace_existing=True)
    except UnusableKeyring as error:
        unusable(str(error), as_json=as_json)
    except OSError as error:
        unusable(f"expected to write the keyring {file}: {_why(error)}", as_json=as_json)
    _show(file, changed, as_json)


def _read(file: Path, as_json: bool) -> "Keyring":
    from dominohall_service.keyring import UnusableKeyring, read_keyring

    try:
        return read_keyring(file)
    except UnusableKeyring as error:
        unusable(f"{file}: {error}", as_json=as_json)


def _key_id(text: str, as_json: bool) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        unusable(f"expected a key id of hexadecimal digits, got {text!r}", as_json=as_json)


def _show(file: Path, keyring: "Keyring", as_json: bool) -> None:
    """Print the ids and states of the keys."""
    from dominohall_service.keyring import KeyKind

    if as_json:
        kinds = {
            kind.value: [{"id": key.id.hex(), "status": key.status.value} for key in keyring.keys(kind).values()]
            for kind in KeyKind
        }
        print_json({"file": str(file), **kinds})
        return
    from rich.table import Table

    table = Table("kind", "id", "status", box=None, padding=(0, 2, 0, 0), header_style="dim")
    for kind in KeyKind:
        for key in keyring.keys(kind).values():
            table.add_row(kind.value, key.id.hex(), key.status.value)
    console().print(table)


def _why(error: OSError) -> str:
    return error.strerror or str(error)
