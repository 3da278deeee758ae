"""Stores, opened for as long as a listing or a batch is read."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dominohall_replays.bulk.locations import POSTGRES, UnusableLocation
from dominohall_replays.store import Store


@contextmanager
def opened(address: str) -> Iterator[Store]:
    """Open the store at a path or an address; `UnusableLocation` without its driver, else as the store says."""
    store = _open(address)
    try:
        yield store
    finally:
        store.close()


def _open(address: str) -> Store:
    if not address.startswith(POSTGRES):
        from dominohall_replays.sqlite_store import SqliteStore  # noqa: PLC0415 - only one of the two is needed

        if not Path(address).is_file():
            raise UnusableLocation(f"expected a store at {address}, found none")
        return SqliteStore(Path(address))
    try:
        from dominohall_replays.postgres_store import PostgresStore  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        raise UnusableLocation("expected PostgreSQL's driver: pip install 'dominohall[postgresql]'") from None
    try:
        return PostgresStore(address, readers=1)
    except ValueError as error:
        raise UnusableLocation(str(error)) from None
