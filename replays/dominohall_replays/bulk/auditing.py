"""An audit: what lies at a location listed, judged in batches, and summed up."""

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from dominohall_replays.bulk.findings import Depth
from dominohall_replays.bulk.judging import Terms, build_of
from dominohall_replays.bulk.listing import Batch, Listing
from dominohall_replays.bulk.locations import UnusableLocation, location_of
from dominohall_replays.bulk.objects import objects_at
from dominohall_replays.bulk.processes import Judging, judged_by_processes, judged_here
from dominohall_replays.bulk.summary import Summary
from dominohall_replays.signatures import PublicKeys

LOGS_A_BATCH: Final = 100
"""About a second of work."""
LISTED_FAULTS: Final = 1000

Progress = Callable[[Summary, int, int], None]
"""Told what was found so far, how many files or matches were judged, and how many there are."""


def audit(  # noqa: PLR0913 - a choice each
    location: str,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    results: str | None = None,
    public_keys: PublicKeys | None = None,
    must_be_signed: bool = True,
    depth: Depth = Depth.PROOF,
    batch: int = LOGS_A_BATCH,
    listed_faults: int = LISTED_FAULTS,
    on_progress: Progress = lambda _summary, _done, _count: None,
) -> Summary:
    """Judge every log at a location: a folder, an address that obstore knows, or a store (a file, postgresql://...).

    On as many processes as this one may use cores, on `workers` (1 is this process), or on the workers of a dask
    `scheduler`, in batches of about so many logs. With `results`, a folder or an address, what each batch came to is
    kept there, and taken from there if its very bytes were judged before, to the same depth. What the depths prove
    stands in `findings.MEANINGS`; a signature is over a head, so keys need the depth `PROOF` (else `ValueError`).

    `UnusableLocation` if there is nothing to judge or no way to it, `StoreUnavailable` if a place stops answering on
    the way, `judging.OtherBuild` if a worker is of another build. An interrupt (SIGINT) ends it: the summary says that
    it is not complete, and what was kept is kept.
    """
    if public_keys is not None and depth is not Depth.PROOF:
        raise ValueError(
            f"expected no keys at the depth {depth}: a signature is over a head, which it does not compute"
        )
    place = location_of(location)
    if results is not None and "://" not in results:
        results = str(Path(results).absolute())
    if results is not None:
        objects_at(results)
    terms = Terms(build_of(), public_keys, must_be_signed, results, depth)
    summary = Summary(listed_faults, depth)
    with closing(Listing(place)) as listing:
        if not listing.count:
            raise UnusableLocation(f"expected logs, segments or matches at {place.name}, found none")
        done = 0
        on_progress(summary, done, listing.count)
        try:
            with closing(_judged(listing.batches(batch), terms, workers, scheduler)) as judged:
                for each, result in judged:
                    summary.add(result)
                    done += len(each.keys)
                    on_progress(summary, done, listing.count)
        except KeyboardInterrupt:
            return summary
    summary.complete = True
    return summary


def _judged(batches: Iterator[Batch], terms: Terms, workers: int | None, scheduler: str | None) -> Judging:
    if scheduler is not None:
        try:
            from dominohall_replays.bulk.cluster import judged_by_cluster  # noqa: PLC0415 - an extra
        except ModuleNotFoundError:
            raise UnusableLocation("expected what reaches a cluster: pip install 'dominohall[distributed]'") from None
        return judged_by_cluster(batches, terms, scheduler)
    workers = workers or len(os.sched_getaffinity(0))
    return judged_here(batches, terms) if workers == 1 else judged_by_processes(batches, terms, workers)
