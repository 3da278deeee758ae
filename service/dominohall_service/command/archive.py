"""`dominohall archive`: move finished matches out of the store, and stop and go on whenever it suits."""

import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from dominohall_service.command.output import Exit, JsonFlag, console, print_json, unusable
from dominohall_service.command.sources import DEFAULT_STORE, StoreOption, opened_alone, opened_archive
from dominohall_service.settings import Settings, variable

if TYPE_CHECKING:
    from dominohall_replays.archiving import Moved, SecretOf
    from dominohall_replays.records import Header

DAY: Final = 86_400
DEFAULT_DAYS: Final = float(str(Settings.__dataclass_fields__["archive_after_days"].default))

LocationArgument = Annotated[
    str,
    typer.Argument(
        metavar="LOCATION",
        help="A folder, or s3://BUCKET/PREFIX (keys and endpoint from AWS_*). One location belongs to one store.",
        envvar=variable("archive"),
    ),
]
OlderOption = Annotated[
    float,
    typer.Option(
        "--older-than",
        metavar="DAYS",
        min=0,
        help="Only matches that ended this many days ago.",
        envvar=variable("archive_after_days"),
    ),
]
SegmentOption = Annotated[
    int, typer.Option("--segment-logs", metavar="N", min=1, max=100_000, help="The most logs in one segment.")
]


class Form(StrEnum):
    """How logs lie in a segment."""

    COMPACT = "compact"
    LOG = "log"


FormOption = Annotated[
    Form,
    typer.Option("--form", help="compact: about half a byte a move, played again to read; log: the bytes as they are."),
]
KeyringOption = Annotated[
    Path | None,
    typer.Option(
        "--keyring",
        metavar="FILE",
        help="Whose deal keys give the match secrets: a compact log that has its secret is a quarter of one without.",
        envvar=variable("keyring"),
    ),
]


def archive(  # noqa: PLR0913, PLR0917 - a flag each
    location: LocationArgument,
    older_than: OlderOption = DEFAULT_DAYS,
    segment_logs: SegmentOption = 1000,
    form: FormOption = Form.COMPACT,
    keyring: KeyringOption = None,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonFlag = False,
) -> None:
    """Move finished matches from the store to an archive.

    Each log is verified, written, read back, and only then replaced by a tombstone, which stays for good: an archived
    match takes no move and its id is not given twice. A run that was stopped is finished by the next. Exit code 1 if
    the log of a finished match does not hold (it stays), or something in the archive is not what was written.
    """
    from dominohall_replays.archive_format import UnreadableSegment
    from dominohall_replays.store import StoreUnavailable

    kept = opened_archive(location, as_json=as_json)
    from dominohall_replays.archiving import archive_matches

    with opened_alone(store, as_json=as_json) as opened, console(to_error=True).status("looking") as status:

        def tell(moved: "Moved") -> None:
            status.update(f"{moved.matches:,} matches moved in {len(moved.segments)} segments")

        before = time.time() - older_than * DAY
        try:
            moved = archive_matches(
                opened,
                kept,
                before,
                logs_a_segment=segment_logs,
                form=form.value,
                secret_of=secrets_of(keyring, as_json=as_json),
                on_progress=tell,
            )
        except UnreadableSegment as error:
            if as_json:
                print_json({"error": str(error)})
            typer.echo(f"dominohall: {error}", err=True)
            raise typer.Exit(Exit.AGAINST) from None
        except StoreUnavailable as error:
            unusable(f"{error}; what was moved is moved, run it again to go on", as_json=as_json)
    if as_json:
        print_json(_plain(moved))
    else:
        _tell(moved)
    if moved.left:
        raise typer.Exit(Exit.AGAINST)


def secrets_of(keyring: Path | None, *, as_json: bool) -> "SecretOf":
    """Return what tells the secret of a match by its header; without a keyring it knows none."""
    if keyring is None:
        return lambda _header: None
    from dominohall_replays.deals import match_secret

    from dominohall_service.keyring import UnusableKeyring, read_keyring

    try:
        keys = read_keyring(keyring).deal
    except UnusableKeyring as error:
        unusable(str(error), as_json=as_json)

    def secret_of(header: "Header") -> bytes | None:
        key = keys.get(header.deal_key_id or b"")
        return None if key is None else match_secret(key.secret, header.owner, header.match_id)

    return secret_of


def _plain(moved: "Moved") -> dict[str, object]:
    return {
        "matches": moved.matches,
        "bytes": moved.moved_bytes,
        "kept_bytes": moved.kept_bytes,
        "as_they_are": moved.as_they_are,
        "segments": moved.segments,
        "adopted": moved.adopted,
        "left": [{"owner": owner, "match_id": match_id, "why": why} for owner, match_id, why in moved.left],
    }


def _tell(moved: "Moved") -> None:
    screen = console()
    screen.print(
        f"{moved.matches:,} matches moved, {moved.moved_bytes:,} bytes of logs as {moved.kept_bytes:,} "
        f"in {len(moved.segments)} segments"
    )
    if moved.adopted:
        screen.print(f"{len(moved.adopted)} segments of a run that was stopped, or of a store put back, were finished")
    for owner, match_id, why in moved.left:
        screen.print(f"left: {owner} {match_id}: {why}")
