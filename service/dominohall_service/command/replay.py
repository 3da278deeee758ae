"""`dominohall replay`: look at replays, step through them, and say what they are worth."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dominohall_service.command import disputes, evidence, restoring
from dominohall_service.command.evidence import (
    KeyringOption,
    KeysOption,
    attaching,
    read_public_keys,
    read_receipt,
    split_proofs,
)
from dominohall_service.command.output import EPILOG, Exit, JsonFlag, console, print_json, tracked, unusable
from dominohall_service.command.sources import (
    DEFAULT_OWNER,
    DEFAULT_STORE,
    Found,
    OwnerOption,
    SourceArgument,
    StoreOption,
    find,
    find_all,
    opened_store,
    stored_entries,
)

if TYPE_CHECKING:
    from dominohall_replays.records import Head
    from dominohall_replays.rounds import Retold

app = typer.Typer(
    help="List, show, verify, step through and export replays.",
    no_args_is_help=True,
    rich_markup_mode=None,
    epilog=EPILOG,
)

PathsArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[FILE-or-FOLDER]...", help="Log files and folders; without any, the store."),
]


@app.command("list", epilog=EPILOG)
def list_replays(
    paths: PathsArgument = None,
    store: StoreOption = DEFAULT_STORE,
    owner: Annotated[str | None, typer.Option("--owner", help="Only this owner's matches.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """List the replays of the store, or of files."""
    from dominohall_service.command import listing

    if paths:
        found = find_all(paths, store, owner or DEFAULT_OWNER, as_json=as_json)
        rows = [listing.row_of(each) for each in tracked(found, "reading")]
    else:
        with opened_store(store, as_json=as_json) as opened:
            rows = listing.rows_of_store(opened, owner)
    if as_json:
        print_json({"replays": [listing.row_to_json(row) for row in rows]})
    else:
        console().print(listing.table_of(rows))


@app.command("show", epilog=EPILOG)
def show(
    source: SourceArgument,
    number: Annotated[
        int | None, typer.Option("--round", min=1, metavar="N", help="One round whole: its tricks, or its layout.")
    ] = None,
    store: StoreOption = DEFAULT_STORE,
    owner: OwnerOption = DEFAULT_OWNER,
    as_json: JsonFlag = False,
) -> None:
    """Tell a match round by round.

    What was bid, played and scored, every hand included: for hosts, after the fact.
    """
    from dominohall_replays.rounds import numbers_said, round_numbered

    from dominohall_service.command import telling

    retold = _retold(find(source, store, owner, as_json=as_json), as_json)
    each = None if number is None else round_numbered(retold.rounds, number)
    if number is not None and each is None:
        unusable(f"expected {numbers_said(retold.rounds)}, got {number}", as_json=as_json)
    if as_json:
        print_json(telling.match_to_json(retold) if each is None else telling.round_to_json(retold, each))
    elif each is None:
        telling.print_match(console(), retold)
    else:
        telling.print_round(console(), each)


@app.command("step", epilog=EPILOG)
def step(
    source: SourceArgument,
    at: Annotated[int, typer.Option("--at", min=0, metavar="N", help="The sequence to stop after; 0 is the header.")],
    store: StoreOption = DEFAULT_STORE,
    owner: OwnerOption = DEFAULT_OWNER,
    as_json: JsonFlag = False,
) -> None:
    """Show the match as it stood after a move.

    Every hand, the table, and what was legal next.
    """
    from dominohall_service.command import telling

    retold = _retold(find(source, store, owner, as_json=as_json), as_json, until=at)
    if at > len(retold.steps):
        unusable(f"expected a sequence from 0 to {len(retold.steps)}, got {at}", as_json=as_json)
    if as_json:
        print_json(telling.step_to_json(retold, at))
    else:
        telling.print_step(console(), retold, at)


@app.command("verify", epilog=EPILOG)
def verify(  # noqa: PLR0913, PLR0917 - a flag each
    sources: Annotated[
        list[str], typer.Argument(metavar="FILE-or-ID...", help="Log files, folders of them, ids of stored matches.")
    ],
    head: Annotated[
        str | None,
        typer.Option("--head", metavar="SEQUENCE:LINK", help="A head that you kept; the one log must contain it."),
    ] = None,
    keys: KeysOption = None,
    receipts: Annotated[
        list[Path] | None,
        typer.Option("--receipt", metavar="FILE", help="A signed head that you kept; the log of its match holds it."),
    ] = None,
    store: StoreOption = DEFAULT_STORE,
    owner: OwnerOption = DEFAULT_OWNER,
    as_json: JsonFlag = False,
) -> None:
    """Play replays again and say what they are worth.

    Each is valid, or it is said what is wrong with it and where. Exit code 0 if all are valid (a match that is not
    over yet is valid so far), 1 if there is a verdict against any, 2 if some could not be judged (no log of this
    format, rules that this build does not have, a receipt that proves nothing).

    With --keys, signatures and receipts are checked, and a log that no signature covers to its end is unsigned: a
    verdict against it. A proof of a fork (`replay fork`) is checked the same way, without either log.
    """
    from dominohall_service.command import judging

    public_keys = read_public_keys(keys, as_json=as_json)
    kept = [read_receipt(each, as_json=as_json) for each in receipts or ()]
    proofs, logs = split_proofs(sources)
    found = find_all(logs, store, owner, as_json=as_json)
    expected = None if head is None else _head(head, found, as_json)
    judged = judging.Judgement(
        judging.judge(found, expected, public_keys, kept),
        [judging.judge_proof(each, public_keys, as_json=as_json) for each in proofs],
        [str(each) for each in receipts or ()],
    )
    if as_json:
        print_json(judging.to_json(judged))
    else:
        judging.print_all(console(), judged)
    raise typer.Exit(judging.exit_of(judged))


app.command("restore", epilog=EPILOG)(restoring.restore)
app.command("fork", epilog=EPILOG)(evidence.fork)
app.command("redact", epilog=EPILOG)(evidence.redact)
app.command("fairness", epilog=EPILOG)(evidence.fairness)
app.command("explain", epilog=EPILOG)(disputes.explain)
app.command("audit-hand", epilog=EPILOG)(disputes.audit_hand)
app.command("judge", epilog=EPILOG)(disputes.judge)
app.command("notation", epilog=EPILOG)(disputes.notation)


@app.command("export", epilog=EPILOG)
def export(  # noqa: PLR0913, PLR0917 - a flag each
    match_ids: Annotated[list[str], typer.Argument(metavar="ID...", help="The ids of stored matches.")],
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where the log files go.")] = Path(),
    keyring: KeyringOption = None,
    store: StoreOption = DEFAULT_STORE,
    owner: OwnerOption = DEFAULT_OWNER,
    as_json: JsonFlag = False,
) -> None:
    """Write stored matches out as log files.

    Finished or not; a file that holds another log is never overwritten. With the keyring of the service, the log of a
    finished match ends with a signature and the revealed match secret, as `serve` writes it.
    """
    from dominohall_replays.export import log_path, write_log

    beside = attaching(keyring, as_json=as_json)
    written = []
    with opened_store(store, as_json=as_json) as opened:
        for match_id in tracked(match_ids, "writing"):
            entries = stored_entries(opened, owner, match_id, as_json=as_json)
            path = out / log_path(out, owner, match_id).name
            try:
                write_log(path, entries, beside(entries))
            except FileExistsError:
                unusable(f"expected no other log at {path}, found one", as_json=as_json)
            except OSError as error:
                unusable(f"expected to write {path}: {error.strerror}", as_json=as_json)
            written.append({"match_id": match_id, "file": str(path), "bytes": path.stat().st_size})
    if as_json:
        print_json({"written": written})
    else:
        for each in written:
            typer.echo(f"{each['file']}  {each['bytes']:,} bytes")


def _head(text: str, found: list[Found], as_json: bool) -> "Head":
    """Read a head as a person writes it; the match is the one of the log."""
    from dominohall_replays.errors import UnreadableLog
    from dominohall_replays.log import read_log
    from dominohall_replays.records import Head

    sequence, _, link = text.partition(":")
    if len(found) != 1 or not sequence.isascii() or not sequence.isdigit():
        unusable(f"expected one log and a head such as 34:5f1c..., got {len(found)} and {text!r}", as_json=as_json)
    try:
        return Head(read_log(found[0].source).header.match_id, int(sequence), bytes.fromhex(link))
    except UnreadableLog as error:
        unusable(f"{found[0].name}: {error}", as_json=as_json)
    except ValueError:
        unusable(f"expected a link of hexadecimal digits, got {link!r}", as_json=as_json)


def _retold(found: Found, as_json: bool, until: int | None = None) -> "Retold":
    """Play a log again, up to a sequence if one is given; a log that does not hold up to there ends the command.

    Exit code 2 for bytes that are no log or rules that this build does not have, 1 for any other fault.
    """
    from dominohall_replays.errors import TruncatedLog, UnreadableLog
    from dominohall_replays.fold import LogFault
    from dominohall_replays.rounds import retell
    from dominohall_replays.verdicts import UNUSABLE

    try:
        return retell(found.source, until)
    except LogFault as fault:
        against, sentence = fault.verdict not in UNUSABLE, str(fault)
    except UnreadableLog as error:
        against, sentence = isinstance(error, TruncatedLog), str(error)
    if not against:
        unusable(f"{found.name}: {sentence}", as_json=as_json)
    if as_json:
        print_json({"error": f"{found.name}: {sentence}"})
    typer.echo(f"dominohall: {found.name}: {sentence}", err=True)
    raise typer.Exit(Exit.AGAINST)
