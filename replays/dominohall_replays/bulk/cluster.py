"""Batches judged on many machines, by dask.distributed.

The cluster is the user's: its workers have this very build, and reach the location and the results by the names that
were given here. What becomes of a worker's batch when the worker dies is the scheduler's affair: it gives it to
another, up to its `allowed-failures`, and then says which batch it was.
"""

from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from itertools import islice
from typing import Any, Final

from distributed import Client, as_completed
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker

from dominohall_replays.bulk.judging import Terms, judge
from dominohall_replays.bulk.listing import Batch
from dominohall_replays.bulk.locations import UnusableLocation
from dominohall_replays.bulk.processes import BATCHES_A_WORKER, Judged, Judging, given_up
from dominohall_replays.store import StoreUnavailable

PATIENCE: Final = 30
"""Seconds to wait for the scheduler, and for its first worker."""


def judged_by_cluster(batches: Iterable[Batch], terms: Terms, scheduler: str) -> Judging:
    """Judge batches on the workers of a scheduler (`tcp://HOST:PORT`, `tls://HOST:PORT`), in the order they are done.

    `UnusableLocation` if no worker can be reached, `StoreUnavailable` if the scheduler is lost on the way.
    """
    try:
        client: Any = Client(scheduler, timeout=PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise UnusableLocation(f"expected a scheduler at {scheduler}: {error}") from None
    try:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise UnusableLocation(f"expected the scheduler at {scheduler} to have a worker, found none") from None
        yield from _together(client, iter(batches), terms)
    except (CancelledError, CommClosedError):
        raise StoreUnavailable("the scheduler was lost") from None
    finally:
        client.close()


def _together(client: Any, following: Iterator[Batch], terms: Terms) -> Iterator[Judged]:  # noqa: ANN401 - untyped
    """Keep some batches for each thread of the cluster, which may grow meanwhile."""
    running: dict[Any, Batch] = {}
    finished: Any = as_completed(loop=client.loop)  # type: ignore[no-untyped-call]
    while True:
        room = BATCHES_A_WORKER * max(1, sum(client.ncores().values())) - len(running)
        for batch in islice(following, max(0, room)):
            future = client.submit(judge, batch, terms, pure=False)
            running[future] = batch
            finished.add(future)
        if not running:
            return
        future = next(finished)
        batch = running.pop(future)
        try:
            yield batch, future.result()
        except KilledWorker:
            yield batch, given_up(batch, "the workers that judged it died, one after another")
