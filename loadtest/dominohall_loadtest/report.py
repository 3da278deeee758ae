"""What a run says at its end: a table that a person can act on, and the same as plain values for a program."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from locust.stats import RequestStats, StatsEntry

from dominohall_loadtest.calls import FAILED, REFUSED, RPC
from dominohall_loadtest.levels import Knee, Level, knee_of
from dominohall_loadtest.tally import Tally
from dominohall_loadtest.thresholds import Finding, of_kind
from dominohall_loadtest.usage import Usage

MOST_CAUSES: Final = 12
"""Sorts of failures that the table shows."""
BUSY_SHARE: Final = 0.85
"""Of a process's one core: from there on it is the hosts that set the pace."""

SPARE_LOAD: Final = 1.0
"""Beyond one process a core: from there on latencies are the machine's too."""


@dataclass(frozen=True)
class Run:
    """One run, at its end."""

    target: str
    shape: str
    users: int
    stats: RequestStats
    tally: Tally
    levels: Sequence[Level]
    findings: Sequence[Finding]
    before: Usage | None
    """The service's, if its process is known."""
    after: Usage | None
    cores: int
    """Of this machine."""
    load: float
    """How many processes ran or waited for a core, on average over the last minute."""

    @property
    def seconds(self) -> float:
        """How long calls were made."""
        start: float = self.stats.start_time
        return max((self.stats.total.last_request_timestamp or start) - start, 0.001)

    @property
    def knee(self) -> Knee | None:
        """The knee of a ramp; None of other shapes too."""
        return knee_of(self.levels) if self.shape == "ramp" else None

    @property
    def passed(self) -> bool:
        """Whether every threshold was reached."""
        return all(each.holds for each in self.findings)

    def __str__(self) -> str:
        rows = {kind: of_kind(self.stats, kind) for kind in (RPC, REFUSED, FAILED)}
        parts = [self._head(), _calls(rows[RPC], self.seconds), self._refused(rows[REFUSED]), self._failed()]
        parts += [self._matches(), self._levels(), self._thresholds()]
        return "\n\n".join("\n".join(part) for part in parts if part)

    def _head(self) -> list[str]:
        tally, seconds = self.tally, self.seconds
        calls = sum(each.num_requests for each in self.stats.entries.values())
        hosts = f"{self.users} host{'s' if self.users != 1 else ''}"
        moves = f"{tally.moves} moves ({tally.moves / seconds:.0f}/s)"
        lines = [
            f"{self.target}: {self.shape}, {hosts} at most, {seconds:.0f} s",
            f"{calls} calls ({calls / seconds:.0f}/s), {moves}, {tally.finished.total()} matches finished",
        ]
        share = tally.cpu_seconds / seconds / max(tally.processes, 1)
        several = f" (each of {tally.processes} processes)" if tally.processes > 1 else ""
        verdict = "they set the pace, not the service: --processes takes more cores" if share >= BUSY_SHARE else ""
        lines.append(f"the hosts used {share:.0%} of a core{several}{': ' + verdict if verdict else ''}")
        if self.before and self.after:
            cpu = (self.after.cpu_seconds - self.before.cpu_seconds) / seconds
            per_call = 1e6 * cpu * seconds / max(calls, 1)
            lines.append(
                f"the service used {cpu:.0%} of a core ({per_call:.0f} us a call), {self.after.rss_kib / 1024:.0f} MiB "
                f"(at the start {self.before.rss_kib / 1024:.0f}), {self.after.threads} threads"
            )
        if self.load > self.cores + SPARE_LOAD:
            busy = f"load {self.load:.1f} on {self.cores} cores: this machine is busy, and every call waits for a core"
            lines.append(busy)
        return lines

    def _refused(self, rows: Sequence[StatsEntry]) -> list[str]:
        total = sum(row.num_requests for row in rows)
        return [f"refused, as they had to be: {total}", *_counts(rows)] if rows else []

    def _failed(self) -> list[str]:
        rows = of_kind(self.stats, FAILED)
        if not rows:
            return ["FAILED: nothing"]
        causes = sorted(self.stats.errors.values(), key=lambda each: each.occurrences, reverse=True)
        lines = [f"FAILED: {sum(row.num_requests for row in rows)}", *_counts(rows), "causes, the most frequent first"]
        lines += [f"  {each.occurrences:>7}  {each.name}: {each.error}" for each in causes[:MOST_CAUSES]]
        return lines + ([f"           and {len(causes) - MOST_CAUSES} more sorts"] if len(causes) > MOST_CAUSES else [])

    def _matches(self) -> list[str]:
        tally = self.tally
        cut = f"; {tally.cut_off} more cut off by the end of the run" if tally.cut_off else ""
        lines = [f"matches finished, every reply checked and every replay verified: {tally.finished.total()}{cut}"]
        for name in sorted(tally.finished.keys() | tally.broken.keys()):
            broken = f", {tally.broken[name]} BROKEN" if tally.broken[name] else ""
            lines.append(f"  {tally.finished[name]:>7}  {name}{broken}")
        return lines

    def _levels(self) -> list[str]:
        if self.shape not in {"ramp", "spike"} or not self.levels:
            return []
        knee = self.knee
        lines = [f"{'hosts':<9}{'calls/s':>10}{'p50 ms':>9}{'p95 ms':>9}"]
        for level in self.levels:
            mark = "   <- the knee" if knee and level == knee.level else ""
            lines.append(f"{level.users:<9}{level.rate:>10.0f}{level.p50_ms:>9.0f}{level.p95_ms:>9.0f}{mark}")
        if knee:
            lines.append(f"knee: {knee.level.users} hosts, {knee.level.rate:.0f} calls/s; {knee.reason}")
        elif self.shape == "ramp":
            lines.append("no knee: a further host paid on every level; go on with more --users")
        return lines

    def _thresholds(self) -> list[str]:
        lines = ["thresholds"]
        for each in self.findings:
            lines.append(f"  {'ok' if each.holds else 'NOT MET':<8} {each.name}: {each.found}, {each.bound}")
            if not each.holds and each.advice:
                lines.append(f"           look at: {each.advice}")
        return lines

    def to_json(self) -> dict[str, Any]:
        """Return the run as plain values."""
        tally, knee = self.tally, self.knee
        return {
            "passed": self.passed,
            "target": self.target,
            "shape": self.shape,
            "users": self.users,
            "seconds": self.seconds,
            "moves": tally.moves,
            "matches": {
                "begun": tally.begun,
                "finished": tally.finished.total(),
                "broken": tally.broken.total(),
                "cut_off": tally.cut_off,
                "finished_by_kind": dict(tally.finished),
            },
            "calls": {
                kind: {row.name: _row(row, self.seconds) for row in of_kind(self.stats, kind)}
                for kind in (RPC, REFUSED, FAILED)
            },
            "hosts": {"processes": tally.processes, "cpu_seconds": tally.cpu_seconds},
            "service": {
                when: each and each._asdict() for when, each in (("before", self.before), ("after", self.after))
            },
            "machine": {"cores": self.cores, "load": self.load},
            "levels": [asdict(level) | {"rate": level.rate} for level in self.levels],
            "knee": knee and {"users": knee.level.users, "rate": knee.level.rate, "reason": knee.reason},
            "thresholds": [asdict(each) for each in self.findings],
        }


def _calls(rows: Sequence[StatsEntry], seconds: float) -> list[str]:
    lines = [f"{'call':<28}{'count':>9}{'per s':>9}{'p50 ms':>9}{'p95 ms':>9}{'p99 ms':>9}{'max ms':>9}{'bytes':>9}"]
    for row in rows:
        each = _row(row, seconds)
        cells = "".join(f"{each[name]:>9.0f}" for name in ("p50_ms", "p95_ms", "p99_ms", "max_ms", "bytes"))
        lines.append(f"{row.name:<28}{row.num_requests:>9}{each['rate']:>9.1f}{cells}")
    return lines


def _row(row: StatsEntry, seconds: float) -> dict[str, float]:
    times = [float(row.get_response_time_percentile(share) or 0) for share in (0.5, 0.95, 0.99)]
    return {
        "count": row.num_requests,
        "rate": row.num_requests / seconds,
        "p50_ms": times[0],
        "p95_ms": times[1],
        "p99_ms": times[2],
        "max_ms": float(row.max_response_time),
        "bytes": float(row.avg_content_length),
    }


def _counts(rows: Sequence[StatsEntry]) -> list[str]:
    return [f"  {row.num_requests:>7}  {row.name}" for row in rows]
