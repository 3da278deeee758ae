"""Batches judged in this process, or on several cores of this machine.

A worker lives as long as the process that started it: it ends when the other end of its pipe closes, whatever became
of the one who held it.
"""

import os
import signal
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Thread
from typing import Final

from dominohall_replays.bulk.findings import BatchResult, Trouble
from dominohall_replays.bulk.judging import Terms, judge
from dominohall_replays.bulk.listing import Batch
from dominohall_replays.bulk.reading import place_of
from dominohall_replays.bulk.results import KEEPING

Judged = tuple[Batch, BatchResult]
Judging = Generator[Judged, None, None]

TRIES_ALONE: Final = 2
"""How often a batch that may have ended a worker is tried in a worker of its own before it is given up."""
BATCHES_A_WORKER: Final = 2
"""One that is judged and one that waits, so that no worker waits for a name."""


def judged_here(batches: Iterable[Batch], terms: Terms) -> Judging:
    """Judge batches one after another in this process."""
    for batch in batches:
        yield batch, judge(batch, terms)


def judged_by_processes(batches: Iterable[Batch], terms: Terms, workers: int) -> Judging:
    """Judge batches in so many processes, in the order in which they are done.

    Where a worker is killed, the batches that were with the workers are judged again one by one, so that one which ends
    its worker is found out, and the rest go on together.
    """
    following = iter(batches)
    running: dict[Future[BatchResult], Batch]
    broken = True
    while broken:
        broken, running = False, {}
        with _pool(workers) as pool:
            try:
                yield from _together(pool, running, following, terms, workers * BATCHES_A_WORKER)
            except BrokenProcessPool:
                broken = True
        yield from _one_by_one(running.values(), terms)


def given_up(batch: Batch, why: str) -> BatchResult:
    """Return the result of a batch that can't be judged."""
    result = BatchResult()
    for key in batch.keys:
        result.troubled(Trouble.UNJUDGED, why, place_of(key))
    return result


def _together(
    pool: ProcessPoolExecutor, running: dict[Future[BatchResult], Batch], following: Iterator[Batch], terms: Terms,
    at_once: int,
) -> Iterator[Judged]:  # fmt: skip
    """Keep so many batches in a pool, and leave in `running` those that it did not give back."""
    while True:
        for batch in islice(following, at_once - len(running)):
            try:
                running[_submitted(pool, batch, terms)] = batch
            except BrokenProcessPool:
                running[Future()] = batch  # taken from the rest already
                raise
        if not running:
            return
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            result = future.result()
            yield running.pop(future), result


def _one_by_one(suspects: Iterable[Batch], terms: Terms) -> Iterator[Judged]:
    """Judge batches with never another beside them, so that it is known which one a worker ended with."""
    waiting = deque(suspects)
    tries = 0
    while waiting:
        with _pool(1) as pool, suppress(BrokenProcessPool):
            while waiting:
                tries += 1
                result = _submitted(pool, waiting[0], terms).result()
                yield waiting.popleft(), result
                tries = 0
        if tries == TRIES_ALONE:
            batch, tries = waiting.popleft(), 0
            yield batch, given_up(batch, "the process that judged it ended, again and again")


def _submitted(pool: ProcessPoolExecutor, batch: Batch, terms: Terms) -> Future[BatchResult]:
    """Hand a batch over. A worker that begins for it hears of no interrupt: that is for the one who started it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return pool.submit(judge, batch, terms)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Make a pool whose workers end with the block, in the middle of a batch if need be.

    They begin anew rather than as copies of this process, which may have threads of a store or of obstore.
    """
    context = get_context("spawn")
    theirs, ours = context.Pipe(duplex=False)
    with ours, theirs:
        pool = ProcessPoolExecutor(workers, context, _begin, (theirs,))
        try:
            yield pool
            pool.shutdown()
        finally:
            ours.close()
            pool.shutdown(cancel_futures=True)


def _begin(held: Connection) -> None:
    """Set a worker up: it ends with the one who started it, and on SIGTERM, but not while it writes a result.

    A pool that lost one worker sends SIGTERM to the others.
    """

    def end() -> None:
        with KEEPING:
            os._exit(1)

    def follow() -> None:
        held.poll(None)
        end()

    Thread(target=follow, name="dominohall-audit-end", daemon=True).start()
    signal.signal(signal.SIGTERM, lambda _number, _frame: Thread(target=end, daemon=True).start())
