"""What a run must reach to pass, and the table that says whether it did."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from locust.stats import RequestStats, StatsEntry

from dominohall_loadtest.calls import FAILED, REFUSED, RPC
from dominohall_loadtest.tally import Tally

MOST_CAUSES: Final = 12
"""Sorts of failures that the table shows."""


@dataclass(frozen=True)
class Thresholds:
    """The bounds of a passing run."""

    max_failure_ratio: float
    """Failures to calls, 0 to 1. What had to be refused and was is no failure."""
    max_p95_ms: float
    """The 95th percentile of each sort of call that did what it should."""
    min_matches: int
    """Matches that must have come to their end, each replay equal and valid."""


@dataclass(frozen=True)
class Finding:
    """One bound, and what was found."""

    name: str
    bound: str
    found: str
    holds: bool


def judge(stats: RequestStats, tally: Tally, bounds: Thresholds) -> list[Finding]:
    """Hold a run against its thresholds."""
    failures = sum(each.num_requests for each in of_kind(stats, FAILED))
    calls = sum(each.num_requests for each in stats.entries.values())
    ratio = failures / calls if calls else 1.0
    slowest = max(of_kind(stats, RPC), key=p95, default=None)
    found_p95 = p95(slowest) if slowest else float("inf")
    finished = tally.finished.total()
    return [
        Finding(
            "failures to calls",
            f"<= {bounds.max_failure_ratio:g}",
            f"{ratio:.4g} ({failures} of {calls})",
            ratio <= bounds.max_failure_ratio,
        ),
        Finding(
            "p95 of the slowest sort of call",
            f"<= {bounds.max_p95_ms:g} ms",
            f"{found_p95:g} ms ({slowest.name if slowest else 'no call'})",
            found_p95 <= bounds.max_p95_ms,
        ),
        Finding(
            "matches finished and verified", f">= {bounds.min_matches}", str(finished), finished >= bounds.min_matches
        ),
    ]


def of_kind(stats: RequestStats, kind: str) -> list[StatsEntry]:
    """Return the rows of one kind, by name."""
    return sorted((each for each in stats.entries.values() if each.method == kind), key=lambda each: each.name)


def p95(entry: StatsEntry) -> float:
    """Return the 95th percentile of a row, in milliseconds."""
    return float(entry.get_response_time_percentile(0.95) or 0)


def table(stats: RequestStats, tally: Tally, findings: Sequence[Finding]) -> str:
    """Write what a person needs to act: calls, refusals, failures with their causes, matches, thresholds."""
    lines = _calls_table(of_kind(stats, RPC), stats.total.last_request_timestamp, stats.start_time)
    lines += _counts("refused, as they had to be", of_kind(stats, REFUSED))
    lines += _counts("FAILED", of_kind(stats, FAILED))
    causes = sorted(stats.errors.values(), key=lambda each: each.occurrences, reverse=True)
    lines += ["", "causes, the most frequent first"] if causes else []
    lines += [f"  {each.occurrences:>7}  {each.name}: {each.error}" for each in causes[:MOST_CAUSES]]
    lines += [f"           and {len(causes) - MOST_CAUSES} more sorts"] if len(causes) > MOST_CAUSES else []
    lines += ["", f"matches ({tally.moves} moves; {tally.cut_off} matches cut off by the end of the run)"]
    for name in sorted(tally.finished.keys() | tally.broken.keys()):
        broken = f", {tally.broken[name]} BROKEN" if tally.broken[name] else ""
        lines.append(f"  {tally.finished[name]:>7}  {name}{broken}")
    lines += ["", "thresholds"]
    lines += [f"  {'ok' if each.holds else 'NOT MET':<8} {each.name}: {each.found}, {each.bound}" for each in findings]
    return "\n".join(lines)


def _calls_table(rows: Iterable[StatsEntry], end: float | None, start: float) -> list[str]:
    seconds = max((end or start) - start, 0.001)
    lines = [f"{'call':<28}{'count':>9}{'per s':>9}{'p50 ms':>9}{'p95 ms':>9}{'p99 ms':>9}{'max ms':>9}{'bytes':>9}"]
    for row in rows:
        times = [float(row.get_response_time_percentile(share) or 0) for share in (0.5, 0.95, 0.99)]
        cells = "".join(f"{each:>9.0f}" for each in (*times, row.max_response_time, row.avg_content_length))
        lines.append(f"{row.name:<28}{row.num_requests:>9}{row.num_requests / seconds:>9.1f}{cells}")
    return lines


def _counts(title: str, rows: Sequence[StatsEntry]) -> list[str]:
    return ["", title, *[f"  {row.num_requests:>7}  {row.name}" for row in rows]] if rows else []
