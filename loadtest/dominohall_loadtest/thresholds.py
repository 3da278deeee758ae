"""What a run must reach to pass, and whether it did."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from dominohall.v1 import match_service_pb2, replay_service_pb2
from locust.stats import RequestStats, StatsEntry

from dominohall_loadtest.calls import FAILED, REFUSED, RPC
from dominohall_loadtest.tally import Tally

FEWEST_CALLS: Final = 20
"""Of fewer calls the 95th percentile is their slowest one: they are shown, and held to no bound."""
METHODS: Final = tuple(
    method.name
    for service in (
        match_service_pb2.DESCRIPTOR.services_by_name["MatchService"],
        replay_service_pb2.DESCRIPTOR.services_by_name["ReplayService"],
    )
    for method in service.methods
)
"""Every method that hosts call."""


@dataclass(frozen=True)
class Thresholds:
    """The bounds of a passing run."""

    max_failure_ratio: float
    """Failures to calls, 0 to 1. What had to be refused and was is no failure."""
    max_p95_ms: float
    """The 95th percentile of each sort of call that did what it should."""
    max_p95_of: Mapping[str, float]
    """Other bounds for sorts by name, in milliseconds."""
    min_matches: int
    """Matches that must have come to their end, each replay equal and valid."""
    min_verified: float
    """Those to all matches that ended, 0 to 1."""
    min_coverage: float
    """Methods that were called, and answered as they had to be, to all there are, 0 to 1."""


@dataclass(frozen=True)
class Finding:
    """One bound, and what was found."""

    name: str
    bound: str
    found: str
    holds: bool
    advice: str = ""
    """Where to look if it does not hold."""


def judge(stats: RequestStats, tally: Tally, bounds: Thresholds) -> list[Finding]:
    """Hold a run against its thresholds."""
    failures = sum(each.num_requests for each in of_kind(stats, FAILED))
    calls = sum(each.num_requests for each in stats.entries.values())
    ratio = failures / calls if calls else 1.0
    finished, over = tally.finished.total(), tally.over
    verified = finished / over if over else 0.0
    missing = missing_methods(stats)
    coverage = 1 - len(missing) / len(METHODS)
    return [
        Finding(
            "failures to calls",
            f"<= {bounds.max_failure_ratio:g}",
            f"{ratio:.4g} ({failures} of {calls})",
            ratio <= bounds.max_failure_ratio,
            "the causes stand above; the service's log has the request ids",
        ),
        *_latency(stats, bounds),
        Finding(
            "matches finished",
            f">= {bounds.min_matches}",
            str(finished),
            finished >= bounds.min_matches,
            "a longer --run-time, or fewer hosts if this machine is busy",
        ),
        Finding(
            "replays verified to matches ended",
            f">= {bounds.min_verified:g}",
            f"{verified:.4g} ({finished} of {over})",
            verified >= bounds.min_verified,
            "matches end unverified only by a failure: see the causes",
        ),
        Finding(
            "methods called to all",
            f">= {bounds.min_coverage:g}",
            f"{coverage:.3g} ({'all' if not missing else 'not ' + ', '.join(missing)})",
            coverage >= bounds.min_coverage,
            "the rare calls come with the ends of matches: a longer --run-time, or a lower --min-coverage",
        ),
    ]


def _latency(stats: RequestStats, bounds: Thresholds) -> Iterator[Finding]:
    """Judge the slowest sort without a bound of its own, and each that has one."""
    rows = [each for each in of_kind(stats, RPC) if each.num_requests >= FEWEST_CALLS]
    advice = "queueing if p50 is high too (fewer hosts, more pods); else the store's disk, or this machine is busy"
    slowest = max((each for each in rows if each.name not in bounds.max_p95_of), key=p95, default=None)
    found = p95(slowest) if slowest else 0.0
    name = f"{found:g} ms ({slowest.name})" if slowest else f"no sort was called {FEWEST_CALLS} times"
    bound = f"<= {bounds.max_p95_ms:g} ms"
    yield Finding("p95 of the slowest sort of call", bound, name, found <= bounds.max_p95_ms, advice)
    for row in rows:
        if (most := bounds.max_p95_of.get(row.name)) is not None:
            yield Finding(f"p95 of {row.name}", f"<= {most:g} ms", f"{p95(row):g} ms", p95(row) <= most, advice)


def of_kind(stats: RequestStats, kind: str) -> list[StatsEntry]:
    """Return the rows of one kind, by name."""
    return sorted((each for each in stats.entries.values() if each.method == kind), key=lambda each: each.name)


def missing_methods(stats: RequestStats) -> list[str]:
    """Return the methods that were never answered as they had to be: by a reply, or by the refusal that was due."""
    names = {each.name for kind in (RPC, REFUSED) for each in of_kind(stats, kind)}
    answered = {name.partition(":")[0].partition(",")[0] for name in names}
    return [method for method in METHODS if method not in answered]


def p95(entry: StatsEntry) -> float:
    """Return the 95th percentile of a row, in milliseconds."""
    return float(entry.get_response_time_percentile(0.95) or 0)
