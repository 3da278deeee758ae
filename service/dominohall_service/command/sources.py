"""Where a replay comes from: a file, every log of a folder, or a match of the store by its id.

A name that is a file or a folder is one; any other is an id, looked up in the store that `serve` writes to. A store
that is not there is never made by looking into it.
"""

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from dominohall_service.command.output import unusable
from dominohall_service.settings import Settings, variable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dominohall_replays.archive import Archive
    from dominohall_replays.records import Entry
    from dominohall_replays.store import ArchivableStore, Store

SourceArgument = Annotated[str, typer.Argument(metavar="FILE-or-ID", help="A log file, or the id of a stored match.")]
StoreOption = Annotated[
    str,
    typer.Option(
        "--store",
        metavar="FILE-or-URL",
        help="The store that ids are looked up in: a file of SQLite, or postgresql://USER@HOST/DATABASE.",
        envvar=[variable("store_url"), variable("store_path")],
    ),
]
OwnerOption = Annotated[str, typer.Option("--owner", help="Whose matches are looked up in the store.")]
DEFAULT_OWNER: Final = "default"
"""As `callers.DEFAULT_OWNER`, which would bring gRPC along; a test holds them together."""
DEFAULT_STORE: Final = str(Settings.__dataclass_fields__["store_path"].default)
URL: Final = ("postgresql://", "postgres://")
"""How the address of a shared store begins; any other text is a path."""


class Found(NamedTuple):
    """A log, and how to name it to a person."""

    name: str
    source: bytes | Path

    @property
    def size(self) -> int:
        """How many bytes the log has."""
        return len(self.source) if isinstance(self.source, bytes) else self.source.stat().st_size


@contextmanager
def opened_store(place: str, *, as_json: bool) -> "Iterator[Store]":
    """Open a store that exists, and read on in its archive if the environment names one; exit code 2 as below."""
    with opened_alone(place, as_json=as_json) as store:
        location = os.environ.get(variable("archive"))
        if not location:
            yield store
            return
        from dominohall_replays.archived_store import ArchivedStore

        yield ArchivedStore(store, opened_archive(location, as_json=as_json))


def opened_archive(location: str, *, as_json: bool) -> "Archive":
    """Open an archive; exit code 2 if it can't be used."""
    from dominohall_replays.store import StoreUnavailable

    try:
        from dominohall_replays.archive import Archive

        return Archive(location)
    except ModuleNotFoundError:
        unusable("expected what reads archives: pip install 'dominohall[archive]'", as_json=as_json)
    except StoreUnavailable as error:
        unusable(str(error), as_json=as_json)


@contextmanager
def opened_alone(place: str, *, as_json: bool) -> "Iterator[ArchivableStore]":
    """Open a store that exists; exit code 2 if it does not or can't be read. An address is never printed."""
    from dominohall_replays.store import StoreUnavailable

    name = "the PostgreSQL store" if place.startswith(URL) else place
    try:
        store = _open(place, as_json=as_json)
    except (StoreUnavailable, ValueError) as error:
        unusable(f"{name}: {error}", as_json=as_json)
    try:
        yield store
    except StoreUnavailable as error:
        unusable(f"{name}: {error}", as_json=as_json)
    finally:
        store.close()


def _open(place: str, *, as_json: bool) -> "ArchivableStore":
    """Open the store at a path or an address."""
    if place.startswith(URL):
        try:
            from dominohall_replays.postgres_store import PostgresStore
        except ModuleNotFoundError:
            unusable("expected PostgreSQL's driver: pip install 'dominohall[postgresql]'", as_json=as_json)
        return PostgresStore(place)
    from dominohall_replays.sqlite_store import SqliteStore

    if not Path(place).is_file():
        unusable(f"expected a store at {place}, found none (--store names another)", as_json=as_json)
    return SqliteStore(Path(place))


def find(text: str, store: str, owner: str, *, as_json: bool) -> Found:
    """Return the log that a person named; exit code 2 if there is none."""
    from dominohall_replays.export import SUFFIX, log_bytes

    path = Path(text)
    if path.is_file():
        if not os.access(path, os.R_OK):
            unusable(f"expected to read {text}: permission denied", as_json=as_json)
        return Found(text, path)
    if path.is_dir():
        unusable(f"expected one log file, got the folder {text}", as_json=as_json)
    if os.sep in text or path.suffix == SUFFIX:
        unusable(f"expected a log file at {text}, found none", as_json=as_json)
    if not store.startswith(URL) and not Path(store).is_file():
        unusable(f"expected a file named {text}, or a store at {store} to look the id up in", as_json=as_json)
    with opened_store(store, as_json=as_json) as opened:
        return Found(text, log_bytes(stored_entries(opened, owner, text, as_json=as_json)))


def stored_entries(store: "Store", owner: str, match_id: str, *, as_json: bool) -> "list[Entry]":
    """Return the entries of a stored match; exit code 2 if there is none."""
    from dominohall_replays.store import Archived, UnknownMatch

    try:
        return list(store.entries(owner, match_id))
    except Archived:
        unusable(f"expected a match in the store, {match_id} was archived: set {variable('archive')}", as_json=as_json)
    except (UnknownMatch, ValueError):
        whose = f" of the owner {owner!r}" if owner else ""
        unusable(f"expected the id of a stored match{whose}, got {match_id!r}", as_json=as_json)


def find_all(texts: list[str], store: str, owner: str, *, as_json: bool) -> list[Found]:
    """Return every log that was named; a folder stands for the log files in it, at any depth."""
    from dominohall_replays.export import SUFFIX

    found: list[Found] = []
    for text in texts:
        if Path(text).is_dir():
            inside = sorted(path for path in Path(text).rglob(f"*{SUFFIX}") if path.is_file())
            if not inside:
                unusable(f"expected log files (*{SUFFIX}) in {text}, found none", as_json=as_json)
            found += [Found(str(path), path) for path in inside]
        else:
            found.append(find(text, store, owner, as_json=as_json))
    return found
