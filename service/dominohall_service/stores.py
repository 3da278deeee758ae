"""The store that the settings name, opened and watched.

Stores are imported when they are opened: a service on SQLite needs no driver of PostgreSQL.
"""

from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import Final

from dominohall_replays.no_store import NoStore
from dominohall_replays.sqlite_file import Durability
from dominohall_replays.sqlite_store import SqliteStore
from dominohall_replays.store import Store, StoreUnavailable

from dominohall_service import journal, metrics
from dominohall_service.settings import Settings, StoreKind

PROBE: Final = "store-probe"
"""A match id that is looked up to see whether the store answers; it need not exist."""


class UnusableStore(Exception):
    """A store that can't be opened; the message says which and why, and never repeats an address."""


def store_of(settings: Settings) -> Store:
    """Open the store that the settings name, with its archive behind it if there is one."""
    if settings.store is StoreKind.NONE:
        return NoStore()
    store = sqlite_of(settings) if settings.store is StoreKind.SQLITE else postgres_of(settings)
    if settings.archive is None:
        return store
    try:
        from dominohall_replays.archive import Archive  # noqa: PLC0415
        from dominohall_replays.archived_store import ArchivedStore  # noqa: PLC0415

        return ArchivedStore(store, Archive(settings.archive, patience=settings.store_patience_seconds))
    except ModuleNotFoundError:
        store.close()
        raise UnusableStore("archive: expected what reads it: pip install 'dominohall[archive]'") from None
    except StoreUnavailable as error:
        store.close()
        raise UnusableStore(f"archive: {error}") from None


def sqlite_of(settings: Settings) -> Store:
    """Open the embedded store."""
    try:
        return SqliteStore(
            settings.store_path,
            Durability(settings.durability),
            patience=settings.store_patience_seconds,
            committed=metrics.committed,
        )
    except (StoreUnavailable, OSError) as error:
        raise UnusableStore(f"store {settings.store_path}: {error}") from None


def postgres_of(settings: Settings) -> Store:
    """Open the shared store."""
    try:
        from dominohall_replays.postgres_store import PostgresStore  # noqa: PLC0415
    except ModuleNotFoundError:
        raise UnusableStore("store postgresql: expected its driver: pip install 'dominohall[postgresql]'") from None
    try:
        return PostgresStore(
            str(settings.store_url),
            Durability(settings.durability),
            patience=settings.store_patience_seconds,
            readers=settings.store_readers,
            committed=metrics.committed,
        )
    except (StoreUnavailable, ValueError) as error:
        raise UnusableStore(f"store postgresql: {error}") from None


class StoreWatch:
    """Asks the store again and again whether it answers, and says so when that changes.

    `tell` is called with the first change to come, from a thread of its own, and never after `stop`.
    """

    def __init__(self, store: Store, seconds: float, tell: Callable[[bool], None]) -> None:
        self._store = store
        self._seconds = seconds
        self._tell = tell
        self._stopped = Event()
        self._telling = Lock()
        Thread(target=self._run, name="store-watch", daemon=True).start()

    def stop(self) -> None:
        """Tell nothing more."""
        with self._telling:
            self._stopped.set()

    def _run(self) -> None:
        answered = True
        while not self._stopped.wait(self._seconds):
            answers, why = self._ask()
            with self._telling:
                if answers == answered or self._stopped.is_set():
                    continue
                answered = answers
                self._tell(answers)
            if answers:
                journal.logger().warning("store answers again")
            else:
                journal.logger().error("store does not answer", why=why)

    def _ask(self) -> tuple[bool, str]:
        try:
            self._store.head("", PROBE)
        except StoreUnavailable as error:
            return False, str(error)
        return True, ""
