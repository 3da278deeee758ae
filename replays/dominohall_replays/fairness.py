"""Whether the shakes of an archive look fair: counts against what a fair shuffle gives, with a stated false alarm.

| family | counted | how rare | share of the false alarms |
|---|---|---|---|
| cells | each tile at each place, 784 counts, too many and too few | binomial, exact | 3 in 10^7 |
| table | all of them at once (chi-square, 729 degrees of freedom), from 200 shakes on | see below | 1 in 10^7 |
| unmoved | shakes in which no tile lies where an unshuffled box has it | binomial, exact | 5 in 10^8 |
| repeats | shakes that were shaken before | union bound | 1 in 10^7 |
| doubles | doubles dealt to each seat, too many and too few | Chernoff bound over hypergeometric sums | 1.5 in 10^7 |
| count | count tiles (5-0, 4-1, 3-2, 5-5, 6-4) dealt to each seat | the same | 1.5 in 10^7 |
| draws | doubles, count tiles, tiles that fit the layout, among those drawn | see below | 1.5 in 10^7 |

The shares are split evenly over the counts of a family (Bonferroni) and add up to one false alarm in a million reports.
All but one are bounds that hold for any number of shakes. The statistic of the table has exactly the mean and, but for
one part in the number of shakes, the variance of its chi-square law, and a skewness that differs by 14 parts in that
number; `docs/fairness.md` derives it.

A draw is judged against what the boneyard held just then, so it makes no difference when and why seats draw: each draw
is a fair bet, and a mixture of betting strategies that wins too much is the alarm.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import exp, factorial, log
from typing import Any, Final, NamedTuple

from dominohall_engine import fives
from dominohall_engine.moves import Shake
from dominohall_engine.tiles import DOUBLES, NAMES, PIPS, TILE_COUNT, tiles_in

from dominohall_replays.deals import seat_count
from dominohall_replays.errors import UnreadableLog
from dominohall_replays.fold import Fold, LogFault, Step, replay
from dominohall_replays.log import Source, read_log
from dominohall_replays.records import SCRIPTED
from dominohall_replays.tails import (
    binomial_tail,
    chernoff_tail,
    chi_square_tail,
    hypergeometric_log_mgf,
    mixture_tail,
)

FALSE_ALARM: Final = 1e-6
SHARES: Final = {
    "cells": 3e-7,
    "table": 1e-7,
    "unmoved": 5e-8,
    "repeats": 1e-7,
    "doubles": 1.5e-7,
    "count": 1.5e-7,
    "draws": 1.5e-7,
}
LEAST_SHAKES_OF_TABLE: Final = 200
GREATEST_EXPONENT: Final = 690
COUNT_TILES: Final = frozenset(tile for tile in range(TILE_COUNT) if PIPS[tile] in {5, 10})
DOUBLE_TILES: Final = frozenset(tiles_in(DOUBLES))
STAKES: Final = tuple(sign * size for size in (0.05, 0.1, 0.2, 0.4, 0.8) for sign in (1, -1))
"""The betting strategies: how much each hopes for a kind of tile, or against it."""
NO_FIXED_POINT: Final = float(sum((-1) ** k * factorial(28) // factorial(k) for k in range(29))) / factorial(28)
"""The chance that a fair shuffle of 28 leaves no tile at its place."""


class Draw(NamedTuple):
    """A tile taken from the boneyard, what was left there to take, and what would have fitted the layout."""

    tile: int
    left: frozenset[int]
    fitting: frozenset[int]


@dataclass
class Tally:
    """Everything that was counted."""

    shakes: int = 0
    cells: list[list[int]] = field(default_factory=lambda: [[0] * TILE_COUNT for _ in range(TILE_COUNT)])
    """``cells[place][tile]``."""
    unmoved: int = 0
    orders: set[bytes] = field(default_factory=set)
    repeats: int = 0
    hands: Counter[tuple[int, int]] = field(default_factory=Counter)
    """Hands by seat and size."""
    dealt: dict[str, Counter[int]] = field(default_factory=lambda: {"doubles": Counter(), "count": Counter()})
    """Doubles and count tiles by seat."""
    draws: int = 0
    drawn: dict[str, tuple[int, float]] = field(default_factory=dict)
    """Of each kind: how many were drawn, and how many a fair boneyard gives."""
    bets: dict[str, list[float]] = field(default_factory=dict)

    def add_shake(self, order: bytes, seats: int = 4, hand_size: int = 7) -> None:
        """Count a shake, and the hands that it gave."""
        self.shakes += 1
        for row, tile in zip(self.cells, order, strict=True):
            row[tile] += 1
        self.unmoved += all(place != tile for place, tile in enumerate(order))
        self.repeats += order in self.orders
        self.orders.add(order)
        for seat in range(seats):
            hand = order[hand_size * seat : hand_size * (seat + 1)]
            self.hands[seat, hand_size] += 1
            self.dealt["doubles"][seat] += sum(tile in DOUBLE_TILES for tile in hand)
            self.dealt["count"][seat] += sum(tile in COUNT_TILES for tile in hand)

    def add_draw(self, draw: Draw) -> None:
        """Count a tile drawn from the boneyard."""
        self.draws += 1
        for kind, tiles in (("doubles", DOUBLE_TILES), ("count", COUNT_TILES), ("fitting", draw.fitting)):
            chance, hit = len(draw.left & tiles) / len(draw.left), draw.tile in tiles
            hits, expected = self.drawn.get(kind, (0, 0.0))
            self.drawn[kind] = hits + hit, expected + chance
            bets = self.bets.setdefault(kind, [0.0] * len(STAKES))
            for number, stake in enumerate(STAKES):
                bets[number] += stake * hit - log(1 - chance + chance * exp(stake))


class Finding(NamedTuple):
    """One count held against a fair shuffle."""

    family: str
    what: str
    observed: float
    expected: float
    log_rarity: float
    """Natural logarithm of how often a fair shuffle is as far out, or of a bound above it."""
    alarm: bool


@dataclass(frozen=True)
class FairnessReport:
    """What an archive's shakes look like."""

    matches: int
    shakes: int
    draws: int
    left_out: dict[str, int]
    """Logs that were not counted, by reason."""
    findings: tuple[Finding, ...]
    """The rarest count of each family, and every alarm."""

    @property
    def alarms(self) -> tuple[Finding, ...]:
        """The counts that a fair shuffle gives less than once in a million reports, all families together."""
        return tuple(each for each in self.findings if each.alarm)


def examine(sources: Iterable[Source]) -> FairnessReport:
    """Count the shakes and draws of logs and judge them. A match that comes twice is counted once."""
    tally, matches, left_out = Tally(), set[tuple[str, str]](), Counter[str]()
    for source in sources:
        try:
            log = read_log(source)
            match = (log.header.owner, log.header.match_id)
            if SCRIPTED in log.header.marks or match in matches:
                left_out["scripted" if SCRIPTED in log.header.marks else "repeated"] += 1
                continue
            fold = Fold(log)
            steps = list(replay(log, fold))
        except (UnreadableLog, LogFault):
            left_out["faulty"] += 1
            continue
        if fold.state is None:
            left_out["redacted"] += 1
            continue
        matches.add(match)
        for step in steps:
            _count(tally, fold, step)
    return FairnessReport(len(matches), tally.shakes, tally.draws, dict(left_out), judge(tally))


def _count(tally: Tally, fold: Fold, step: Step) -> None:
    if isinstance(step.move, Shake):
        options = fold.game.options_of(step.after)
        hand_size = options.hand_size if isinstance(options, fives.Options) else 7
        tally.add_shake(step.move.tiles, seat_count(fold.game, step.after), hand_size)
    elif isinstance(step.move, fives.Draw):
        seen = fives.view(step.before, None)
        front = TILE_COUNT - seen.boneyard_count
        left = step.before.round.order[front:]
        fits = step.before.layout.fits
        tally.add_draw(Draw(left[0], frozenset(left), frozenset(tile for tile in left if fits >> tile & 1)))


def judge(tally: Tally) -> tuple[Finding, ...]:
    """Hold the counts against a fair shuffle: the rarest of each family, and every alarm."""
    found: dict[str, list[Finding]] = {}
    for finding in _findings(tally) if tally.shakes else ():
        found.setdefault(finding.family, []).append(finding)
    kept = []
    for findings in found.values():
        rarest = min(findings, key=lambda each: each.log_rarity)
        kept += [each for each in findings if each.alarm or each is rarest]
    return tuple(kept)


def _findings(tally: Tally) -> Iterator[Finding]:
    shakes = tally.shakes
    expected = shakes / TILE_COUNT
    for place, row in enumerate(tally.cells):
        for tile, count in enumerate(row):
            rarity = binomial_tail(shakes, 1 / TILE_COUNT, count)
            yield _finding("cells", f"{NAMES[tile]} at place {place}", count, expected, rarity, 2 * TILE_COUNT**2)
    if shakes >= LEAST_SHAKES_OF_TABLE:
        square = sum((count - expected) ** 2 for row in tally.cells for count in row) / expected
        square *= (TILE_COUNT - 1) / TILE_COUNT
        freedom = (TILE_COUNT - 1) ** 2
        yield _finding("table", "all places and tiles", square, freedom, chi_square_tail(freedom, square), 1)
    rarity = binomial_tail(shakes, NO_FIXED_POINT, tally.unmoved)
    what = "shakes that left no tile at its place"
    yield _finding("unmoved", what, tally.unmoved, shakes * NO_FIXED_POINT, rarity, 2)
    pairs = shakes * (shakes - 1) / 2 / factorial(TILE_COUNT)
    yield _finding("repeats", "shakes made before", tally.repeats, pairs, log(pairs) if tally.repeats else 0.0, 1)
    for kind, marked in (("doubles", len(DOUBLE_TILES)), ("count", len(COUNT_TILES))):
        for seat, dealt in sorted(tally.dealt[kind].items()):
            yield _of_seat(tally, kind, marked, seat, dealt)
    for kind, bets in tally.bets.items():
        hits, fair = tally.drawn[kind]
        yield _finding("draws", f"{kind} among the tiles drawn", hits, fair, mixture_tail(bets), len(tally.bets))


def _of_seat(tally: Tally, kind: str, marked: int, seat: int, dealt: int) -> Finding:
    """Judge how many tiles of a kind a seat was dealt, over hands of any sizes."""
    hands = [(size, number) for (whose, size), number in tally.hands.items() if whose == seat]
    laws = [(number, hypergeometric_log_mgf(TILE_COUNT, marked, size)) for size, number in hands]
    expected = sum(number * size * marked / TILE_COUNT for size, number in hands)

    def log_mgf(tilt: float) -> float:
        return sum(number * law(tilt) for number, law in laws)

    what = f"{'doubles' if kind == 'doubles' else 'count tiles'} dealt to seat {seat}"
    return _finding(kind, what, dealt, expected, chernoff_tail(log_mgf, dealt, expected), 8)


def _finding(family: str, what: str, observed: float, expected: float, rarity: float, tests: int) -> Finding:  # noqa: PLR0913, PLR0917 - a finding
    return Finding(family, what, observed, expected, rarity, rarity <= log(SHARES[family] / tests))


def lines_of(report: FairnessReport) -> Iterator[str]:
    """Write a report for people."""
    yield f"{report.shakes:,} shakes and {report.draws:,} draws of {report.matches:,} matches"
    for reason, number in sorted(report.left_out.items()):
        yield f"  left out: {number:,} {reason}"
    for each in report.findings:
        mark = "ALARM" if each.alarm else "fair"
        once_in = exp(min(-each.log_rarity, GREATEST_EXPONENT))
        counted = f"{each.what}: {each.observed:,.6g}, expected {each.expected:,.6g}"
        yield f"  {mark:<5}  {each.family:<8} {counted}; as far out at most once in {once_in:.3g} by chance"
    said = f"{len(report.alarms)} counts are not as a fair shuffle gives them" if report.alarms else "no alarm"
    yield f"{said} (false alarms: at most {FALSE_ALARM:g} of such reports)"


def report_to_plain(report: FairnessReport) -> dict[str, Any]:
    """Return a report as plain data for JSON."""
    return {
        "matches": report.matches,
        "shakes": report.shakes,
        "draws": report.draws,
        "left_out": report.left_out,
        "false_alarm": FALSE_ALARM,
        "alarms": len(report.alarms),
        "findings": [each._asdict() for each in report.findings],
    }
