"""What the service counts. Labels come from closed lists only: no id of a match, no seat, no tile.

The counters are made once a process; `Calls` keeps the children it has handed out, because looking one up by its
labels costs more than counting.
"""

from functools import cache
from typing import Final

from prometheus_client import Counter, Gauge, Histogram

BUCKETS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds."""

CALLS: Final = Counter("dominohall_calls", "Calls by method and true status.", ["method", "code"])
SECONDS: Final = Histogram(
    "dominohall_call_seconds", "Time from the first to the last byte of our own work.", ["method"], buckets=BUCKETS
)
MOVES: Final = Counter("dominohall_moves", "Moves recorded, by game.", ["game"])
REFUSALS: Final = Counter(
    "dominohall_refusals", "Moves that the rules forbid, by reason and deciding clause.", ["reason", "clause"]
)
FAULTS: Final = Counter("dominohall_faults", "Calls that failed otherwise, by reason.", ["reason"])
FORKS: Final = Counter("dominohall_forks", "Moves refused because another stands at their place.")
KEYRING_RELOADS: Final = Counter("dominohall_keyring_reloads", "Changed keyring files read, by result.", ["result"])
WAITING: Final = Gauge("dominohall_calls_waiting", "Calls that run or wait for a thread.")


@cache
def calls(method: str, code: str) -> Counter:
    """Return the counter of one method and status."""
    return CALLS.labels(method, code)


@cache
def seconds(method: str) -> Histogram:
    """Return the histogram of one method."""
    return SECONDS.labels(method)


@cache
def moves(game: str) -> Counter:
    """Return the counter of one game's moves."""
    return MOVES.labels(game)
