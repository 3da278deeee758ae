"""The levels of a run whose number of hosts changes, what each was like, and where the knee is.

The knee is the last level before hosts stop paying: before the first one at which p95 is more than `BEND` times that of
the first level, or at which a further host brings less than `WORTH` of what each host of the first level brought. The
level after that must say the same, if there is one: a single bad level is chance. Hosts wait for their replies (a
closed loop): beyond the knee more of them do not overload the service, they only wait longer.
"""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from locust.stats import RequestStats

from dominohall_loadtest.calls import RPC

BEND: Final = 3.0
LEAST_BEND_MS: Final = 5.0
"""A p95 that has grown by less is no bend: Locust counts whole milliseconds."""
WORTH: Final = 0.5
SETTLE: Final = 0.25
"""The share of a level that is left to the hosts to come, and not counted."""


@dataclass(frozen=True)
class Level:
    """What a level was like, once it had settled."""

    users: int
    seconds: float
    calls: int
    p50_ms: float
    p95_ms: float

    @property
    def rate(self) -> float:
        """Calls a second."""
        return self.calls / self.seconds if self.seconds else 0.0


@dataclass(frozen=True)
class Knee:
    """The last level at which hosts paid, and why the next one did not."""

    level: Level
    reason: str


class Watch:
    """Takes the statistics of a running test apart by levels."""

    def __init__(self) -> None:
        self.levels: list[Level] = []
        self._number = -1
        self._users = 0
        self._mark: tuple[float, Counter[int]] | None = None

    def look(self, number: int, share: float, users: int, stats: RequestStats) -> None:
        """Note that `share` (0 to 1) of a level is over; call it often, each level for itself and in order."""
        if number != self._number:
            self.close(stats)
            self._number, self._users = number, users
        if self._mark is None and share >= SETTLE:
            self._mark = (time.perf_counter(), _times(stats))

    def close(self, stats: RequestStats) -> None:
        """End the level that is being watched, if any of it was."""
        if self._mark is not None:
            began, before = self._mark
            self._mark = None
            taken = _times(stats)
            taken.subtract(before)
            seconds = time.perf_counter() - began
            shares = [percentile(taken, share) for share in (0.5, 0.95)]
            self.levels.append(Level(self._users, seconds, taken.total(), *shares))


def percentile(times: Counter[int], share: float) -> float:
    """Return the time within which that share of the calls came back, 0 of no calls.

    >>> percentile(Counter({1: 94, 8: 4, 30: 2}), 0.95)
    8.0
    """
    wanted = share * times.total()
    seen = 0
    for value in sorted(times):
        seen += times[value]
        if seen >= wanted > 0:
            return float(value)
    return 0.0


def knee_of(levels: Sequence[Level]) -> Knee | None:
    """Find the knee; None if hosts paid on every level, or there are too few levels to say."""
    paid = [level for level in levels if level.calls]
    if not paid:
        return None
    first = paid[0]
    each = first.rate / first.users
    bound = max(BEND * first.p95_ms, first.p95_ms + LEAST_BEND_MS)
    for place in range(1, len(paid)):
        before, level = paid[place - 1], paid[place]
        beyond = paid[place : place + 2]
        if all(other.p95_ms > bound for other in beyond):
            reason = f"with {level.users} p95 is {level.p95_ms:.0f} ms, with {first.users} it was {first.p95_ms:.0f} ms"
            return Knee(before, reason)
        brought = [(other.rate - before.rate) / max(other.users - before.users, 1) for other in beyond]
        if max(brought) < WORTH * each:
            last = beyond[-1].users
            reason = f"from there to {last} a further host brought {brought[-1]:.1f} calls/s, at first {each:.1f}"
            return Knee(before, reason)
    return None


def _times(stats: RequestStats) -> Counter[int]:
    """Add up the times of the calls that did what they should, by whole milliseconds."""
    total: Counter[int] = Counter()
    for entry in stats.entries.values():
        if entry.method == RPC:
            total.update(entry.response_times)
    return total


WATCH: Final = Watch()
"""That of this process."""
