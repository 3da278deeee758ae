"""`replay restore`: put what a store lost back from the hosts' copies."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dominohall_service.command.output import Exit, JsonFlag, print_json, tracked, unusable
from dominohall_service.command.sources import DEFAULT_STORE, StoreOption, opened_store

if TYPE_CHECKING:
    from dominohall_replays.restore import Restored

LogsArgument = Annotated[
    list[Path], typer.Argument(metavar="LOG...", help="Log files: the records that a host kept, joined in order.")
]


def restore(logs: LogsArgument, store: StoreOption = DEFAULT_STORE, as_json: JsonFlag = False) -> None:
    """Append to a store what it lacks of these logs.

    For a store that was put back from an older backup. Each log is verified first, and must begin with what the store
    has; one that does not hold or differs changes nothing. Repeating it is safe. Exit code 1 if any was refused.
    """
    from dominohall_replays.restore import NotRestorable
    from dominohall_replays.restore import restore as put_back

    done: list[tuple[Path, Restored | str]] = []
    with opened_store(store, as_json=as_json) as opened:
        for path in tracked(logs, "restoring"):
            try:
                done.append((path, put_back(opened, path.read_bytes())))
            except OSError as error:
                unusable(f"expected to read {path}: {error.strerror}", as_json=as_json)
            except NotRestorable as error:
                done.append((path, str(error)))
    if as_json:
        print_json({"restored": [_plain(path, result) for path, result in done]})
    else:
        for path, result in done:
            typer.echo(f"{path}  {_told(result)}")
    if any(isinstance(result, str) for _, result in done):
        raise typer.Exit(Exit.AGAINST)


def _plain(path: Path, result: "Restored | str") -> dict[str, object]:
    if isinstance(result, str):
        return {"file": str(path), "refused": result}
    return {
        "file": str(path),
        "refused": None,
        "owner": result.owner,
        "match_id": result.head.match_id,
        "sequence": result.head.sequence,
        "appended": result.appended,
    }


def _told(result: "Restored | str") -> str:
    if isinstance(result, str):
        return f"refused: {result}"
    return f"{result.head.match_id}: {result.appended} entries appended, it ends at sequence {result.head.sequence}"
