"""Group commit: many callers wait for one write, because the write costs and the rows hardly do.

One thread drains a queue of appends and hands the store up to 64 of them at a time, to be committed together; whatever
arrives during a commit forms the next group. Nothing waits for company: an append that finds nobody writing is
committed at once, by its own caller, which spares it two changes of thread (more than the commit itself costs).
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from time import perf_counter
from typing import Final

from dominohall_replays.records import Entry
from dominohall_replays.store import StoreUnavailable, check_key, check_run

GREATEST_GROUP: Final = 64


class Append:
    """An append that is to be committed. Raises what `Store.append` does for a key or a run that is none."""

    __slots__ = ("entries", "match_id", "owner")

    def __init__(self, owner: str, match_id: str, entries: Sequence[Entry]) -> None:
        check_key(owner, match_id)
        check_run(entries)
        self.owner: Final = owner
        self.match_id: Final = match_id
        self.entries: Final = entries


Waiting = tuple[Append, "Future[None]"]
"""An append in the queue, and what its caller waits for."""
Commit = Callable[[list[Append]], list[Exception | None]]
"""Commits a group and returns for each append why it was refused, None if it stands. Whatever it raises is the fate of
the whole group."""
Committed = Callable[[int, float], None]
"""Told after each commit, also one that failed: how many appends it was of, and how many seconds it took."""


def untold(_appends: int, _seconds: float) -> None:
    """Tell nobody."""


class GroupCommit:
    """The queue and the one thread that writes."""

    def __init__(self, commit: Commit, name: str, committed: Committed = untold) -> None:
        self._commit_group = commit
        self._committed = committed
        self._queue: SimpleQueue[Waiting | None] = SimpleQueue()
        self._writing = threading.Lock()
        """Held by whoever commits: the thread, or a lone caller."""
        self._open = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(self, append: Append) -> "Future[None]":
        """Queue an append; its future ends when it is committed or refused."""
        done: Future[None] = Future()
        with self._open:
            if self._closed:
                raise StoreUnavailable("the store is closed")
            self._queue.put((append, done))
        return done

    def run(self, append: Append, timeout: float) -> None:
        """Commit an append, alone if nobody is writing, else in the next group.

        `StoreUnavailable` if that group is not committed after so many seconds.
        """
        if self._writing.acquire(blocking=False):
            try:
                if self._closed:
                    raise StoreUnavailable("the store is closed")
                (fate,) = self._commit([append])
            finally:
                self._writing.release()
            if fate is not None:
                raise fate
        else:
            try:
                self.submit(append).result(timeout)
            except TimeoutError as error:
                unsure = "the store did not answer in time; the entries may have been appended"
                raise StoreUnavailable(unsure) from error

    def close(self) -> None:
        """Commit what is queued and end the thread; whoever is writing has finished when this returns."""
        with self._open:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()
        with self._writing:
            pass

    def _commit(self, group: list[Append]) -> list[Exception | None]:
        started = perf_counter()
        try:
            return self._commit_group(group)
        finally:
            self._committed(len(group), perf_counter() - started)

    def _run(self) -> None:
        last = False
        while not last:
            group: list[Waiting] = []
            waiting = self._queue.get()
            while waiting is not None:
                if waiting[1].set_running_or_notify_cancel():
                    group.append(waiting)
                if len(group) == GREATEST_GROUP:
                    break
                try:
                    waiting = self._queue.get_nowait()
                except Empty:
                    break
            last = waiting is None
            if group:
                self._settle(group)

    def _settle(self, group: list[Waiting]) -> None:
        try:
            with self._writing:
                fates: list[Exception | None] = self._commit([append for append, _ in group])
        except Exception as error:  # noqa: BLE001 - the thread must outlive any fault, and every caller must hear of it
            fates = [error] * len(group)
        for (_, done), fate in zip(group, fates, strict=True):
            if fate is None:
                done.set_result(None)
            else:
                done.set_exception(fate)
