"""Connections to PostgreSQL: how one is made, who may use it, and what ends it when the server does not answer.

Nobody waits longer than `patience` seconds for a connection, for a lock or for an answer: the server itself gives a
statement up after that time, and where the server or the way to it is dead, the `Watch` cuts the connection.
"""

import os
import socket
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Event, Lock, Thread
from time import monotonic
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict

from dominohall_replays.postgres_schema import migrate, steps_due
from dominohall_replays.sqlite_file import Durability
from dominohall_replays.store import StoreUnavailable

Connection = psycopg.Connection[tuple[Any, ...]]

SYNCHRONOUS_COMMIT: Final = {Durability.POWER: "on", Durability.PROCESS: "off", Durability.NONE: "off"}
"""PostgreSQL has nothing weaker than `off`, which may lose the last moments when the server itself goes down."""
CUT_AFTER: Final = 1.5
"""How many times its patience a connection may take before it is cut; the server's own limit is to come first."""
NAME: Final = "dominohall"


class Watch:
    """Cuts connections whose server does not answer: a dead machine never ends a call by itself."""

    def __init__(self, patience: float) -> None:
        self._limit = CUT_AFTER * patience
        self._lock = Lock()
        self._busy: dict[Connection, float] = {}
        self._stopped = Event()
        Thread(target=self._run, name="dominohall-postgres-watch", daemon=True).start()

    @contextmanager
    def over(self, connection: Connection) -> Iterator[Connection]:
        """Watch over a connection while it is used."""
        self._busy[connection] = monotonic() + self._limit
        try:
            yield connection
        finally:
            with self._lock:  # so that it is never closed, and its number another's, while it is being cut
                del self._busy[connection]

    def stop(self) -> None:
        """Watch no more."""
        self._stopped.set()

    def _run(self) -> None:
        while not self._stopped.wait(self._limit / 8):
            with self._lock:
                now = monotonic()
                for connection, deadline in list(self._busy.items()):
                    if now > deadline and not connection.closed:
                        with socket.socket(fileno=os.dup(connection.fileno())) as wire:
                            wire.shutdown(socket.SHUT_RDWR)


class Link:
    """Where the database is and how it is spoken to; `open` makes a connection, `watch` cuts those that hang.

    `ValueError` for a text that is no address. It may hold a password, so no error repeats it.
    """

    def __init__(self, url: str, durability: Durability, patience: float) -> None:
        try:
            self._parameters: Final[dict[str, Any]] = {
                "application_name": NAME,
                "target_session_attrs": "read-write",
                "tcp_user_timeout": int(patience * 1000),
                **conninfo_to_dict(url),
                "connect_timeout": max(2, round(patience)),
            }
        except psycopg.Error:
            raise ValueError("expected the address of a database: postgresql://USER@HOST/DATABASE") from None
        self.watch: Final = Watch(patience)
        milliseconds = max(1, int(patience * 1000))
        self._set_up: Final = (
            f"SET synchronous_commit = {SYNCHRONOUS_COMMIT[durability]};"
            f"SET statement_timeout = {milliseconds}; SET lock_timeout = {milliseconds};"
            f"SET idle_in_transaction_session_timeout = {2 * milliseconds};"
            "SET default_transaction_isolation = 'read committed'"
        )

    def open(self) -> Connection:
        """Connect; `psycopg.Error` if that fails in `patience` seconds."""
        connection = psycopg.connect(**self._parameters, autocommit=True, prepare_threshold=1)
        try:
            with self.watch.over(connection):
                connection.execute(self._set_up)
        except BaseException:
            connection.close()
            raise
        return connection


class Pool:
    """At most so many connections for readers; one that failed is not used again."""

    def __init__(self, link: Link, size: int, patience: float) -> None:
        self._link = link
        self._patience = patience
        self._free = BoundedSemaphore(size)
        self._idle: deque[Connection] = deque()
        self._closed = False

    @contextmanager
    def lent(self, *, fresh: bool = False) -> Iterator[Connection]:
        """Lend a connection to one reader at a time, a new one if it is to be `fresh`.

        `StoreUnavailable` if none becomes free in time, `psycopg.Error` if none can be made.
        """
        if self._closed:
            raise StoreUnavailable("the store is closed")
        if not self._free.acquire(timeout=self._patience):
            raise StoreUnavailable("all connections to the store are busy")
        try:
            connection = self._link.open() if fresh else self._take()
            try:
                with self._link.watch.over(connection):
                    yield connection
            except BaseException:
                connection.close()
                raise
            self._idle.append(connection)
        finally:
            self._free.release()

    def _take(self) -> Connection:
        try:
            return self._idle.pop()
        except IndexError:
            return self._link.open()

    def drop_idle(self) -> None:
        """Close what nobody uses."""
        while self._idle:
            self._idle.pop().close()

    def close(self) -> None:
        """Lend no more."""
        self._closed = True
        self.drop_idle()


def prepared(link: Link) -> Connection:
    """Connect, and bring the tables up to date; `StoreUnavailable` if that can't be done."""
    try:
        connection = link.open()
        try:
            migrate(connection)
        except BaseException:
            connection.close()
            raise
    except psycopg.Error as error:
        raise StoreUnavailable(f"the database can't be used: {told(error)}") from None
    return connection


def looked_at(link: Link) -> int:
    """Connect, change nothing, and return how many steps the tables are behind; `StoreUnavailable` as above."""
    try:
        connection = link.open()
        try:
            return steps_due(connection)
        finally:
            connection.close()
    except psycopg.Error as error:
        raise StoreUnavailable(f"the database can't be used: {told(error)}") from None
    finally:
        link.watch.stop()


def told(error: psycopg.Error) -> str:
    """Return what went wrong without the details, in which PostgreSQL repeats rows, and rows hold hidden tiles."""
    return error.diag.message_primary or (str(error).splitlines() or [type(error).__name__])[0]
