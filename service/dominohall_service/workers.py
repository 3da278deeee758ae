"""The threads that answer calls: a lean pool that knows how many calls wait for it.

`concurrent.futures` spends a Future, a lock and a condition on each call, of which the server uses one callback. This
pool passes calls through a `SimpleQueue` and keeps count, so that the service can refuse a call quickly when too many
wait already, instead of letting it grow old in a queue.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Final

Work = tuple[Callable[..., object], tuple[Any, ...]]


class Done:
    """The part of a Future that the server uses: something to be told when the call is over."""

    __slots__ = ()

    def add_done_callback(self, callback: Callable[[Any], object]) -> None:
        """Never called: the service counts calls itself and tells the server of no limit of its own."""


class Workers(ThreadPoolExecutor):
    """`count` threads that take calls in the order in which they came.

    It is a `ThreadPoolExecutor` by type only, because the server asks for one.
    """

    def __init__(self, count: int) -> None:
        super().__init__(max_workers=1)
        self.waiting = 0
        """Calls that are submitted and not finished."""
        self._calls: SimpleQueue[Work | None] = SimpleQueue()
        self._counting = Lock()
        self._threads_of_ours = [Thread(target=self._work, name=f"call-{i}", daemon=True) for i in range(count)]
        for thread in self._threads_of_ours:
            thread.start()

    def full(self, limit: int) -> bool:
        """Tell whether a call that asks now, before it has a thread, is one beyond the limit."""
        return self.waiting >= limit

    def submit(self, fn: Callable[..., object], /, *args: Any, **_kwargs: Any) -> Future[Any]:  # noqa: ANN401 - the arguments of any call
        """Queue one call; the server never passes keywords."""
        with self._counting:
            self.waiting += 1
        self._calls.put((fn, args))
        return DONE  # type: ignore[return-value]

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the threads finish what is queued, then end."""
        for _ in self._threads_of_ours:
            self._calls.put(None)
        if wait:
            for thread in self._threads_of_ours:
                thread.join()
        super().shutdown(wait=wait, cancel_futures=cancel_futures)

    def _work(self) -> None:
        while (work := self._calls.get()) is not None:
            fn, args = work
            try:
                fn(*args)
            finally:
                with self._counting:
                    self.waiting -= 1


DONE: Final = Done()
