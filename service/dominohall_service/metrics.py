"""What the service counts. Labels come from closed lists only: no id of a match, no seat, no tile.

What happens on every call is counted by `Meter`; what is rare, by the library's own counters.
"""

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate
from threading import Lock
from typing import Final

from prometheus_client import REGISTRY, Counter, Gauge
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

BUCKETS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds."""

REFUSALS: Final = Counter(
    "dominohall_refusals", "Moves that the rules forbid, by reason and deciding clause.", ["reason", "clause"]
)
FAULTS: Final = Counter("dominohall_faults", "Calls that failed otherwise, by reason.", ["reason"])
FORKS: Final = Counter("dominohall_forks", "Moves refused because another stands at their place.")
KEYRING_RELOADS: Final = Counter("dominohall_keyring_reloads", "Changed keyring files read, by result.", ["result"])
WAITING: Final = Gauge("dominohall_calls_waiting", "Calls that run or wait for a thread.")


class Meter:
    """Counts the calls of one method by status, with how long they took.

    A child of prometheus_client takes three locks and a dozen function calls to count and time one call; this takes
    one lock, and the page is made from it when it is asked for.
    """

    __slots__ = ("_lock", "buckets", "codes", "seconds")

    def __init__(self) -> None:
        self.codes: dict[str, int] = {}
        self.buckets = [0] * (len(BUCKETS) + 1)
        self.seconds = 0.0
        self._lock = Lock()

    def count(self, code: str, seconds: float) -> None:
        """Count one call."""
        bucket = bisect_left(BUCKETS, seconds)
        with self._lock:
            self.codes[code] = self.codes.get(code, 0) + 1
            self.buckets[bucket] += 1
            self.seconds += seconds


class Moves:
    """Counts recorded moves by game."""

    __slots__ = ("_lock", "games")

    def __init__(self) -> None:
        self.games: dict[str, int] = {}
        self._lock = Lock()

    def count(self, game: str, moves: int) -> None:
        """Count some moves."""
        with self._lock:
            self.games[game] = self.games.get(game, 0) + moves


METERS: Final[dict[str, Meter]] = {}
MOVES: Final = Moves()


def meter(method: str) -> Meter:
    """Return the meter of a method, which comes from the service's own list of methods."""
    return METERS.setdefault(method, Meter())


class Page(Collector):
    """Writes the meters out in the form that Prometheus reads."""

    def collect(self) -> Iterator[Metric]:
        """Yield calls by method and true status, their times, and moves by game."""
        calls = CounterMetricFamily("dominohall_calls", "Calls by method and true status.", labels=["method", "code"])
        times = HistogramMetricFamily("dominohall_call_seconds", "Time of our own work on a call.", labels=["method"])
        for method, each in list(METERS.items()):
            for code, count in list(each.codes.items()):
                calls.add_metric([method, code], count)
            totals = list(accumulate(each.buckets))
            bounds = [*(str(bound) for bound in BUCKETS), "+Inf"]
            times.add_metric([method], list(zip(bounds, totals, strict=True)), each.seconds)
        moves = CounterMetricFamily("dominohall_moves", "Moves recorded, by game.", labels=["game"])
        for game, count in list(MOVES.games.items()):
            moves.add_metric([game], count)
        yield from (calls, times, moves)


REGISTRY.register(Page())
