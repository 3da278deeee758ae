"""The rows of the table: what is measured, in which group, and what it should reach.

Targets were set before anything was built, from measured prototypes; `docs/performance.md` has the reasons.
"""

from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import Final


class Better(StrEnum):
    """Which way a figure is better."""

    HIGHER = "higher"
    LOWER = "lower"


class Verdict(StrEnum):
    """What became of a row."""

    STRETCH = "stretch met"
    MET = "met"
    MISSED = "missed"
    BESIDE = "no target"
    """Measured for its own sake: a figure to read the others by."""
    NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class Row:
    """One row. `unit` is `x` for a ratio; `target` None for a figure that only stands beside the others."""

    key: str
    group: str
    what: str
    better: Better
    target: float | None = None
    stretch: float | None = None
    unit: str = "x"


@dataclass(frozen=True)
class Measured:
    """The figure of each round, and in a few words how they were got. Their median is the figure of the row."""

    values: tuple[float, ...]
    how: str = ""

    @property
    def figure(self) -> float:
        """Return the median."""
        return median(self.values)


@dataclass(frozen=True)
class NotMeasured:
    """A row without a figure, and why."""

    why: str


Finding = Measured | NotMeasured


def verdict_of(row: Row, finding: Finding) -> Verdict:
    """Judge a finding by its median.

    >>> row = Row("a", "b", "c", Better.LOWER, target=1.3, stretch=1.1)
    >>> [str(verdict_of(row, Measured(values))) for values in ((1.0, 1.2, 9.0), (1.1,), (1.31,))]
    ['met', 'stretch met', 'missed']
    """
    if isinstance(finding, NotMeasured):
        return Verdict.NOT_MEASURED
    if row.target is None:
        return Verdict.BESIDE
    if row.stretch is not None and reaches(row, finding.figure, row.stretch):
        return Verdict.STRETCH
    return Verdict.MET if reaches(row, finding.figure, row.target) else Verdict.MISSED


def reaches(row: Row, figure: float, goal: float) -> bool:
    """Say whether a figure is at least as good as a goal."""
    return figure >= goal if row.better is Better.HIGHER else figure <= goal


_HIGHER, _LOWER = Better.HIGHER, Better.LOWER
ROWS: Final = (
    Row("server.no_store", "server", "ApplyMove, no store, throughput against the raw echo", _HIGHER, 0.75, 0.85),
    Row("server.process", "server", "ApplyMove, SQLite `process`, against the raw echo", _HIGHER, 0.60, 0.70),
    Row("server.power", "server", "ApplyMove, SQLite `power`, against the raw echo", _HIGHER, 0.50, 0.60),
    Row("server.full", "server", "ApplyMove with the full readable reply, no store", _HIGHER, 0.60, 0.75),
    Row("server.h2load", "server", "ApplyMove, no store, by h2load: one request again and again", _HIGHER),
    Row("server.cpu.no_store", "server", "ApplyMove, no store: processor time a call", _LOWER),
    Row("server.cpu.process", "server", "ApplyMove, SQLite `process`: processor time a call", _LOWER),
    Row("server.cpu.power", "server", "ApplyMove, SQLite `power`: processor time a call", _LOWER),
    Row("server.batch", "server", "a move in ApplyMoves of 32 against a call of its own, CPU", _LOWER, 0.12, 0.06),
    Row("instructions.no_store", "instructions", "ApplyMove, no store: instructions a call", _LOWER, 1.30, 1.15),
    Row("instructions.process", "instructions", "ApplyMove, SQLite `process`: instructions a call", _LOWER, 1.50, 1.35),
    Row("native.no_store", "native", "native, no store, throughput against grpcio's raw echo", _HIGHER, 2.0, 2.5),
    Row("native.process", "native", "native, SQLite `process`, against grpcio's raw echo", _HIGHER, 1.5, 2.2),
    Row("native.power", "native", "native, SQLite `power`, against grpcio's raw echo", _HIGHER, 1.2, 1.6),
    Row("native.echo", "native", "native's own raw echo against grpcio's", _HIGHER),
    Row("native.cpu", "native", "native, no store: processor time a call, against grpcio's raw echo", _LOWER),
    Row("latency.p50_400", "latency", "p50 at 400 calls/s, no store, against the echo", _LOWER, 1.3, 1.15),
    Row("latency.p50_1200", "latency", "p50 at 1,200 calls/s, no store, against the echo", _LOWER, 1.3, 1.15),
    Row("latency.p99_1200", "latency", "p99 at 1,200 calls/s, no store, best of the rounds", _LOWER, 1.5, 1.25),
    Row("latency.process.p50_1200", "latency", "p50 at 1,200 calls/s, SQLite `process`", _LOWER),
    Row("processes.two", "processes", "two server processes, over what a C loop scales", _HIGHER, 0.85),
    Row("engine.euchre", "engine", "42 playouts against OpenSpiel's C++ euchre, plain", _HIGHER, 1.0, 1.3),
    Row(
        "instructions.euchre",
        "instructions",
        "42 against euchre by instructions a move (the gate), plain",
        _HIGHER,
        1.0,
        1.3,
    ),
    Row("engine.euchre.compiled", "engine", "42 playouts against euchre, compiled", _HIGHER, 2.5, 4.0),
    Row("engine.euchre.dealt", "engine", "42 against euchre, dealt beforehand, decisions alone, plain", _HIGHER),
    Row("engine.dominoes", "engine", "Linear playouts against PyPI `dominoes`, plain", _HIGHER, 1.5, 2.0),
    Row("engine.block", "engine", "Linear playouts against python_block_dominoes, plain", _HIGHER, 12.0, 15.0),
    Row("engine.dominoes.compiled", "engine", "Linear playouts against `dominoes`, compiled", _HIGHER, 4.0, 5.0),
    Row("engine.boardgame", "engine", "42 playouts against boardgame.io with the same rules, plain", _HIGHER),
    Row("replays.verify", "replays", "verifying a log against the plain engine's replay, plain", _HIGHER, 0.4),
    Row(
        "replays.verify.compiled",
        "replays",
        "verifying a log against the plain engine's replay, compiled",
        _HIGHER,
        1.2,
    ),
    Row(
        "replays.audit.moves",
        "replays",
        "bulk audit of 42 archives, depth moves, against spades replay, compiled",
        _HIGHER,
        0.5,
        2.0,
    ),
    Row("replays.audit.moves.plain", "replays", "bulk audit, depth moves, against spades replay, plain", _HIGHER),
    Row("replays.audit", "replays", "bulk audit, depth proof, against spades replay, compiled", _HIGHER),
    Row("replays.audit.plain", "replays", "bulk audit, depth proof, against spades replay, plain", _HIGHER),
    Row("bytes.log", "bytes", "bytes a move in a log", _LOWER, 110, 80, "B"),
    Row("bytes.archive", "bytes", "bytes a move in an archive, its index included", _LOWER, 2.0, 0.75, "B"),
    Row("starting.time", "starting", "cold start to the first answer against a bare echo", _LOWER, 1.3, 1.1),
    Row("starting.memory", "starting", "memory after 5,000 calls against a bare echo", _LOWER, 1.3, 1.1),
)
GROUPS: Final = tuple(dict.fromkeys(row.group for row in ROWS))
