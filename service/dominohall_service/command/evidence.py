"""`dominohall replay fork | redact | fairness`, and the files that evidence comes in: public keys, receipts, proofs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dominohall_service.command.output import Exit, JsonFlag, console, print_json, tracked, unusable
from dominohall_service.command.sources import (
    DEFAULT_OWNER,
    DEFAULT_STORE,
    OwnerOption,
    StoreOption,
    find,
    find_all,
    opened_store,
)
from dominohall_service.settings import variable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dominohall_replays.log import Source
    from dominohall_replays.records import Entry
    from dominohall_replays.signatures import SignedHead

KeysOption = Annotated[
    Path | None, typer.Option("--keys", metavar="FILE", help="The public keys of the service (`keys public`).")
]
KeyringOption = Annotated[
    Path | None,
    typer.Option(
        "--keyring", metavar="FILE", help="The keyring of the service, to sign and reveal.", envvar=variable("keyring")
    ),
]


def fork(
    one: Annotated[str, typer.Argument(metavar="A", help="A receipt, or a signed log.")],
    other: Annotated[str, typer.Argument(metavar="B", help="Another of the same match.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Where the proof goes.")],
    keys: KeysOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Prove that two histories of one match were signed.

    The proof is a small file that `replay verify --keys FILE` accepts without either log. Exit code 1 if the two prove
    nothing: the same history, or one that nobody signed.
    """
    from dominohall_replays.errors import UnreadableLog
    from dominohall_replays.forks import NoFork, check_fork, fork_of, format_fork

    public_keys = read_public_keys(keys, as_json=as_json)
    sides = [_receipt_or_log(each, as_json=as_json) for each in (one, other)]
    try:
        proof = fork_of(*sides)
        if public_keys is not None:
            check_fork(proof, public_keys)
    except NoFork as error:
        if as_json:
            print_json({"proof": None, "reason": str(error)})
        typer.echo(f"dominohall: no fork: {error}", err=True)
        raise typer.Exit(Exit.AGAINST) from None
    except UnreadableLog as error:
        unusable(str(error), as_json=as_json)
    _write(out, format_fork(proof).encode(), as_json=as_json)
    match_id = proof.branches[0].signed.match_id
    document = {"proof": str(out), "match_id": match_id, "sequence": proof.sequence, "checked": public_keys is not None}
    if as_json:
        print_json(document)
    else:
        typer.echo(f"{out}  two signed histories of {match_id}, different at sequence {proof.sequence}")


def redact(  # noqa: PLR0913, PLR0917 - a flag each
    source: Annotated[str, typer.Argument(metavar="FILE-or-ID", help="A log file, or the id of a stored match.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Where the redacted log goes.")],
    seat: Annotated[int | None, typer.Option("--seat", min=0, max=3, help="Keep what this seat saw.")] = None,
    spectator: Annotated[bool, typer.Option("--spectator", help="Keep what somebody without a seat saw.")] = False,
    after_round: Annotated[
        bool, typer.Option("--after-round/--at-once", help="Also keep every tile of rounds that are over.")
    ] = False,
    store: StoreOption = DEFAULT_STORE,
    owner: OwnerOption = DEFAULT_OWNER,
    as_json: JsonFlag = False,
) -> None:
    """Write a log that shows only what one viewer saw, under the same chain.

    It is verified as any log. What is left out can't be found again by trying tiles.
    """
    from dominohall_replays.errors import UnreadableLog
    from dominohall_replays.fold import LogFault
    from dominohall_replays.redact import When
    from dominohall_replays.redact import redact as redacted

    if (seat is None) != spectator:
        unusable("expected --seat N or --spectator, and not both", as_json=as_json)
    found = find(source, store, owner, as_json=as_json)
    try:
        data = redacted(found.source, seat, When.AFTER_ROUND if after_round else When.AT_ONCE)
    except (UnreadableLog, LogFault, ValueError) as error:
        unusable(f"{found.name}: {error}", as_json=as_json)
    _write(out, data, as_json=as_json)
    if as_json:
        print_json({"written": str(out), "bytes": len(data), "seat": seat, "after_round": after_round})
    else:
        typer.echo(f"{out}  {len(data):,} bytes, for {'a spectator' if seat is None else f'seat {seat}'}")


def fairness(
    sources: Annotated[
        list[str] | None, typer.Argument(metavar="FILE-or-ID...", help="Logs, folders, ids; without any, the store.")
    ] = None,
    store: StoreOption = DEFAULT_STORE,
    owner: OwnerOption = DEFAULT_OWNER,
    as_json: JsonFlag = False,
) -> None:
    """Say whether the shakes of an archive look fair.

    Positions, doubles and count tiles by seat, boneyard draws: each against what a fair shuffle gives, with one false
    alarm in a million reports. Scripted and imported deals, and logs that do not hold, are left out. Exit code 1 if
    something is not as it should be.
    """
    from dominohall_replays.fairness import examine, lines_of, report_to_plain

    if sources:
        found = [each.source for each in find_all(sources, store, owner, as_json=as_json)]
        report = examine(tracked(found, "reading"))
    else:
        with opened_store(store, as_json=as_json) as opened:
            from dominohall_replays.export import stored_logs

            report = examine(stored_logs(opened))
    if as_json:
        print_json(report_to_plain(report))
    else:
        console().print("\n".join(lines_of(report)))
    raise typer.Exit(Exit.AGAINST if report.alarms else Exit.DONE)


def read_public_keys(path: Path | None, *, as_json: bool) -> dict[bytes, bytes] | None:
    """Read a file of public keys; exit code 2 if it is none."""
    from dominohall_replays.receipts import UnreadableDocument, parse_public_keys

    if path is None:
        return None
    try:
        return parse_public_keys(_read(path, as_json=as_json))
    except UnreadableDocument as error:
        unusable(f"{path}: {error}", as_json=as_json)


def read_receipt(path: Path, *, as_json: bool) -> "SignedHead":
    """Read a receipt; exit code 2 if it is none."""
    from dominohall_replays.receipts import UnreadableDocument, parse_receipt

    try:
        return parse_receipt(_read(path, as_json=as_json))
    except UnreadableDocument as error:
        unusable(f"{path}: {error}", as_json=as_json)


def split_proofs(sources: "Sequence[str]") -> tuple[list[Path], list[str]]:
    """Tell the files that are JSON documents from everything else that was named."""
    proofs = [each for each in sources if _is_document(Path(each))]
    return [Path(each) for each in proofs], [each for each in sources if each not in proofs]


def attaching(keyring: Path | None, *, as_json: bool) -> "Callable[[Sequence[Entry]], list[bytes]]":
    """Return what writes the attachments of a match: none without a keyring."""
    if keyring is None:
        return lambda _: []
    from dominohall_service.attaching import attachments
    from dominohall_service.keyring import UnusableKeyring, read_keyring
    from dominohall_service.keys import Keys

    try:
        keys = Keys(read_keyring(keyring))
    except UnusableKeyring as error:
        unusable(f"{keyring}: {error}", as_json=as_json)
    return lambda entries: attachments(keys, entries[0], entries[-1])


def _receipt_or_log(text: str, *, as_json: bool) -> "SignedHead | Source":
    path = Path(text)
    if not path.is_file():
        unusable(f"expected a receipt or a log file at {text}, found none", as_json=as_json)
    return read_receipt(path, as_json=as_json) if _is_document(path) else path


def _is_document(path: Path) -> bool:
    """Say whether a file begins as a JSON object does; no log does."""
    try:
        with path.open("rb") as file:
            return file.read(64).lstrip()[:1] == b"{"
    except OSError:
        return False


def _read(path: Path, *, as_json: bool) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        unusable(f"expected to read {path}: {error.strerror}", as_json=as_json)


def _write(path: Path, data: bytes, *, as_json: bool) -> None:
    """Write a file that is not there yet."""
    try:
        with path.open("xb") as file:
            file.write(data)
    except FileExistsError:
        unusable(f"expected no file at {path}, found one", as_json=as_json)
    except OSError as error:
        unusable(f"expected to write {path}: {error.strerror}", as_json=as_json)
