"""What the service counts. Labels come from closed lists only: no id of a match, no seat, no tile.

What happens on every call is noted by `Meter`, `Counts` and `Spread` and added up later; what is rare, by the library's
own counters.
"""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import accumulate
from platform import python_version
from threading import Lock
from typing import Final, Generic, TypeVar

from dominohall_engine.clauses import clauses_of, rules_digest
from dominohall_engine.games import GAMES
from dominohall_engine.revisions import NEWEST
from prometheus_client import REGISTRY, Counter, Gauge
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, InfoMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from dominohall_service.faults import Fault

BUCKETS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds."""
GROUPS: Final = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""Appends."""
MOST_NOTES: Final = 1024
"""How many notes wait at most to be added up: some kilobytes."""
NoteT = TypeVar("NoteT")

REFUSALS: Final = Counter(
    "dominohall_refusals", "Moves that the rules forbid, by reason and deciding clause.", ["reason", "clause"]
)
FAULTS: Final = Counter("dominohall_faults", "Calls that failed otherwise, by reason.", ["reason"])
for _fault in Fault:
    FAULTS.labels(_fault.value)  # at 0 from the beginning: Prometheus sees no increase in what was not there before
FORKS: Final = Counter("dominohall_forks", "Moves refused because another stands at their place.")
KEYRING_RELOADS: Final = Counter("dominohall_keyring_reloads", "Changed keyring files read, by result.", ["result"])
for _result in ("done", "failed"):
    KEYRING_RELOADS.labels(_result)
READY: Final = Gauge("dominohall_ready", "1 while the service takes calls, 0 while readiness is off.")
STREAMS: Final = Gauge("dominohall_streams", "Replies that are being streamed.")
WAITING: Final = Gauge("dominohall_calls_waiting", "Calls that run or wait for a thread.")


class Notebook(Generic[NoteT]):
    """Takes a note of whatever is counted, and adds the notes up when the page is asked for or many have come.

    A child of prometheus_client takes three locks and a dozen function calls to count and time one call. To put a note
    at the end of a deque takes none, from any thread.
    """

    __slots__ = ("_adding", "_notes")

    def __init__(self) -> None:
        self._notes: deque[NoteT] = deque()
        self._adding = Lock()

    def note(self, what: NoteT) -> None:
        """Count one thing."""
        notes = self._notes
        notes.append(what)
        if len(notes) >= MOST_NOTES:
            self.add_up()

    def add_up(self) -> None:
        """Add up what was noted so far."""
        take = self._notes.popleft
        with self._adding:
            self._add([take() for _ in range(len(self._notes))])

    def _add(self, notes: list[NoteT]) -> None:
        raise NotImplementedError


class Meter(Notebook[tuple[str, float]]):
    """Counts the calls of one method by status, with how long they took: a note is a status and seconds."""

    __slots__ = ("buckets", "codes", "seconds")

    def __init__(self) -> None:
        super().__init__()
        self.codes: dict[str, int] = {}
        self.buckets = [0] * (len(BUCKETS) + 1)
        self.seconds = 0.0

    def _add(self, notes: list[tuple[str, float]]) -> None:
        codes, buckets = self.codes, self.buckets
        for code, seconds in notes:
            codes[code] = codes.get(code, 0) + 1
            buckets[bisect_left(BUCKETS, seconds)] += 1
        self.seconds += sum([seconds for _, seconds in notes])


class Counts(Notebook[tuple[str, int]]):
    """Counts by one label: a note is a label and how many more."""

    __slots__ = ("totals",)

    def __init__(self) -> None:
        super().__init__()
        self.totals: dict[str, int] = {}

    def _add(self, notes: list[tuple[str, int]]) -> None:
        totals = self.totals
        for label, more in notes:
            totals[label] = totals.get(label, 0) + more


class Spread(Notebook[float]):
    """Counts values, the notes, by how large they are."""

    __slots__ = ("bounds", "buckets", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        super().__init__()
        self.bounds: Final = bounds
        self.buckets = [0] * (len(bounds) + 1)
        self.total = 0.0

    def _add(self, notes: list[float]) -> None:
        buckets, bounds = self.buckets, self.bounds
        for value in notes:
            buckets[bisect_left(bounds, value)] += 1
        self.total += sum(notes)


METERS: Final[dict[str, Meter]] = {}
MOVES: Final = Counts()
"""Recorded moves by game."""
SEALS: Final = Counts()
OPENINGS: Final = Counts()
"""By key id, all of which stand in the keyring."""
APPENDS: Final = Spread(BUCKETS)
COMMITS: Final = Spread(BUCKETS)
GROUP_SIZES: Final = Spread(GROUPS)


def meter(method: str) -> Meter:
    """Return the meter of a method, which comes from the service's own list of methods."""
    return METERS.setdefault(method, Meter())


def committed(appends: int, seconds: float) -> None:
    """Count one commit of the store, of so many appends."""
    GROUP_SIZES.note(appends)
    COMMITS.note(seconds)


def refused(reason: str, clause: str) -> None:
    """Count a move that the rules forbid. A clause that is in no book counts as none, so the book bounds the labels."""
    REFUSALS.labels(reason, clause if clause in clause_ids() else "").inc()


@cache
def clause_ids() -> frozenset[str]:
    """Return the ids of the clauses of every game."""
    return frozenset(each.id for game in GAMES for each in clauses_of(game))


class Page(Collector):
    """Writes out in the form that Prometheus reads what is counted here."""

    def collect(self) -> Iterator[Metric]:
        """Yield calls by method and true status and their times, then the store, the moves, the keys, the build."""
        calls = CounterMetricFamily("dominohall_calls", "Calls by method and true status.", labels=["method", "code"])
        times = HistogramMetricFamily("dominohall_call_seconds", "Time of our own work on a call.", labels=["method"])
        for method, each in list(METERS.items()):
            each.add_up()
            for code, count in list(each.codes.items()):
                calls.add_metric([method, code], count)
            times.add_metric([method], cumulative(BUCKETS, each.buckets), each.seconds)
        yield from (calls, times)
        yield spread_family("dominohall_store_append_seconds", "Time an append took, waiting included.", APPENDS)
        yield spread_family("dominohall_store_commit_seconds", "Time a commit of the store took.", COMMITS)
        yield spread_family("dominohall_store_group_appends", "Appends committed together.", GROUP_SIZES)
        yield counts_family("dominohall_moves", "Moves recorded, by game.", "game", MOVES)
        yield counts_family("dominohall_seals", "Tokens sealed, by key.", "key_id", SEALS)
        yield counts_family(
            "dominohall_openings", "Tokens opened that this process did not know, by key.", "key_id", OPENINGS
        )
        yield from about_the_build()


def cumulative(bounds: Sequence[float], buckets: list[int]) -> list[tuple[str, float]]:
    """Return buckets as Prometheus counts them: each with all that are smaller."""
    return list(zip([*(str(bound) for bound in bounds), "+Inf"], accumulate(buckets), strict=True))


def spread_family(name: str, text: str, spread: Spread) -> Metric:
    """Return a spread as a histogram without labels."""
    spread.add_up()
    return HistogramMetricFamily(name, text, cumulative(spread.bounds, spread.buckets), spread.total)


def counts_family(name: str, text: str, label: str, counts: Counts) -> Metric:
    """Return counts as a counter."""
    counts.add_up()
    family = CounterMetricFamily(name, text, labels=[label])
    for value, count in list(counts.totals.items()):
        family.add_metric([value], count)
    return family


def about_the_build() -> Iterator[Metric]:
    """Yield which program runs, and by which rules."""
    yield InfoMetricFamily("dominohall_build", "The program.", {"version": our_version(), "python": python_version()})
    rules = InfoMetricFamily("dominohall_rules", "The rules that matches begin by.", labels=["game"])
    for game in GAMES:
        rules.add_metric([game], {"revision": str(NEWEST[game]), "digest": rules_digest(game).hex()})
    yield rules


def our_version() -> str:
    """Return the version of the installed package, `source` if it runs from a source tree."""
    try:
        return version("dominohall")
    except PackageNotFoundError:
        return "source"


REGISTRY.register(Page())
