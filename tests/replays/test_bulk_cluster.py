"""Audits on a dask cluster: a scheduler and two workers of this machine."""

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from dominohall_engine import fives
from dominohall_loadtest.server import free_ports
from dominohall_replays.bulk import Summary, audit
from dominohall_replays.bulk.judging import OtherBuild, Terms, build_of
from dominohall_replays.bulk.listing import Listing
from dominohall_replays.bulk.locations import UnusableLocation, location_of

pytest.importorskip("distributed", reason="NO DASK: expected what reaches a cluster (dominohall[distributed])")

SHORT = replace(fives.LINEAR, seats=2, partners=False, round_limit=1)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Run a scheduler and two workers, each a process with one thread."""
    from distributed import LocalCluster

    with LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path, record: Any) -> Path:
    """Write the logs of 40 short matches, every seventh cut."""
    root = tmp_path / "logs"
    root.mkdir()
    for number in range(40):
        log = record("fives", SHORT, seed=number, match_id=f"m-{number}").log
        (root / f"m-{number:02}.dominohall").write_bytes(log[: -1 if number % 7 == 3 else None])
    return root


def test_a_cluster_says_what_one_process_says(cluster: Any, folder: Path, tmp_path: Path) -> None:
    """The document of a cluster is that of one process, also when a worker is killed half way, and from results."""
    expected = audit(str(folder), workers=1).to_plain()
    killed: list[int] = []

    def kill(_summary: Summary, done: int, _count: int) -> None:
        if done and not killed:
            killed.append(next(iter(cluster.workers.values())).pid)
            os.kill(killed[0], signal.SIGKILL)

    results = tmp_path / "results"
    address = cluster.scheduler_address
    once = audit(str(folder), scheduler=address, batch=2, results=str(results), on_progress=kill)
    assert once.to_plain() == expected
    assert killed
    kept = {path: path.stat().st_mtime_ns for path in results.rglob("*.json")}
    assert audit(str(folder), scheduler=address, batch=2, results=str(results)).to_plain() == expected
    assert {path: path.stat().st_mtime_ns for path in results.rglob("*.json")} == kept


def test_workers_of_another_build_are_refused(cluster: Any, folder: Path) -> None:
    """A worker that might judge otherwise judges nothing."""
    from dominohall_replays.bulk.cluster import judged_by_cluster

    terms = Terms("0.0.0/another")
    listing = Listing(location_of(str(folder)))
    with pytest.raises(OtherBuild, match=build_of()):
        list(judged_by_cluster(listing.batches(100), terms, cluster.scheduler_address))
    listing.close()


def test_a_scheduler_that_is_not_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No scheduler, no audit; it says which one was looked for."""
    from dominohall_replays.bulk import cluster as module

    monkeypatch.setattr(module, "PATIENCE", 1)
    address = f"tcp://127.0.0.1:{free_ports(1)[0]}"
    with pytest.raises(UnusableLocation, match=address):
        audit(str(folder), scheduler=address)
