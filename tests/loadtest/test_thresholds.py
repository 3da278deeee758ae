"""What makes a run pass or fail, judged on statistics made by hand."""

from typing import Any

import pytest
from dominohall_loadtest.levels import Level
from dominohall_loadtest.report import Run
from dominohall_loadtest.tally import Tally, sum_of
from dominohall_loadtest.thresholds import FEWEST_CALLS, METHODS, Finding, Thresholds, judge
from locust.stats import RequestStats

BOUNDS: dict[str, Any] = {
    "max_failure_ratio": 0.0,
    "max_p95_ms": 50.0,
    "max_p95_of": {},
    "min_matches": 2,
    "min_verified": 1.0,
    "min_coverage": 1.0,
}


def good_run() -> tuple[RequestStats, Tally]:
    """Return what a run leaves that called everything, and finished three matches."""
    stats, tally = RequestStats(), Tally()
    for method in METHODS:
        for _ in range(FEWEST_CALLS):
            stats.log_request("rpc", method, 10, 100)
    stats.log_request("refused", "ApplyMove: NOT_YOUR_TURN", 3000, 0)
    tally.begun, tally.moves_before = 3, 300
    tally.finished.update({"fives.linear": 3})
    return stats, tally


def not_met(findings: list[Finding]) -> list[str]:
    """Return the names of what was not reached."""
    return [each.name for each in findings if not each.holds]


def test_a_good_run_passes() -> None:
    """Refusals that had to be are no failures, and their time is nobody's latency."""
    stats, tally = good_run()
    assert not_met(judge(stats, tally, Thresholds(**BOUNDS))) == []


def test_each_threshold_fails_for_its_own_reason() -> None:
    """A failure, a slow sort, too few matches, a broken match and a method that nobody called fail the run, each."""
    stats, tally = good_run()
    stats.log_request("failed", "ViewMatch", 1, 0)
    assert not_met(judge(stats, tally, Thresholds(**BOUNDS))) == ["failures to calls"]
    stats, tally = good_run()
    for _ in range(FEWEST_CALLS):
        stats.log_request("rpc", "ApplyMove, token only", 80, 0)
    assert not_met(judge(stats, tally, Thresholds(**BOUNDS))) == ["p95 of the slowest sort of call"]
    assert not_met(judge(stats, tally, Thresholds(**BOUNDS | {"max_p95_of": {"ApplyMove, token only": 90.0}}))) == []
    assert not_met(judge(stats, tally, Thresholds(**BOUNDS | {"max_p95_of": {"ApplyMove, token only": 70.0}}))) == [
        "p95 of ApplyMove, token only"
    ]
    stats, tally = good_run()
    assert not_met(judge(stats, tally, Thresholds(**BOUNDS | {"min_matches": 4}))) == ["matches finished"]
    tally.broken.update({"fives.linear": 1})
    assert not_met(judge(stats, tally, Thresholds(**BOUNDS))) == ["replays verified to matches ended"]
    stats, tally = good_run()
    del stats.entries["JudgeReplay", "rpc"]
    (missing,) = [each for each in judge(stats, tally, Thresholds(**BOUNDS)) if not each.holds]
    assert (missing.name, "JudgeReplay" in missing.found) == ("methods called to all", True)


def test_a_run_without_a_call_passes_nothing() -> None:
    """Nothing done is nothing shown."""
    assert len(not_met(judge(RequestStats(), Tally(), Thresholds(**BOUNDS)))) == 4


def test_the_counts_of_workers_add_up() -> None:
    """A master's counts are those of its workers together, the newest message of each."""
    _, tally = good_run()
    both = sum_of([tally.to_message(), tally.to_message()])
    assert (both.processes, both.begun, both.moves, both.finished["fives.linear"]) == (2, 6, 600, 6)


@pytest.mark.parametrize("shape", ["steady", "ramp", "spike"])
def test_the_table_says_the_same_as_the_figures(shape: str) -> None:
    """Counts, the knee and every threshold stand in the text as in the JSON, and what to look at where one fails."""
    stats, tally = good_run()
    stats.log_error("failed", "ViewMatch", "view: not as the engine says in hand")
    levels = [Level(2, 10, 100, 2, 4), Level(4, 10, 105, 3, 6)]
    bounds = Thresholds(**BOUNDS | {"min_matches": 9})
    run = Run(
        target="127.0.0.1:1", shape=shape, users=4, stats=stats, tally=tally, levels=levels,
        findings=judge(stats, tally, bounds), before=None, after=None, cores=2, load=9.5,
    )  # fmt: skip
    figures, text = run.to_json(), str(run)
    assert figures["passed"] is False
    assert figures["matches"]["finished"] == 3
    assert (figures["knee"] is not None) == (shape == "ramp")
    assert ("<- the knee" in text) == (shape == "ramp")
    assert "NOT MET  matches finished: 3, >= 9\n           look at: " in text
    assert "NOT_YOUR_TURN" in text
    assert "this machine is busy" in text
    assert set(figures["calls"]["rpc"]) == set(METHODS)
