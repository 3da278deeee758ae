"""The fairness report: quiet on fair shakes, and loud on shufflers with one mistake planted in them."""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from dominohall_engine import fives, forty_two
from dominohall_engine.moves import Shake
from dominohall_engine.shuffle import number_below, shuffled, stream
from dominohall_replays.fairness import (
    FALSE_ALARM,
    NO_FIXED_POINT,
    SHARES,
    Draw,
    Tally,
    examine,
    judge,
    lines_of,
    report_to_plain,
)
from dominohall_replays.records import SCRIPTED
from dominohall_replays.redact import redact
from dominohall_replays.tails import (
    binomial_tail,
    chernoff_tail,
    chi_square_tail,
    hypergeometric_log_mgf,
    mixture_tail,
)

PAGE = (Path(__file__).parents[2] / "docs" / "fairness.md").read_text(encoding="utf-8")
Bounds = tuple[tuple[int, int], ...]
PLANTED: dict[str, tuple[Bounds, int]] = {
    "each place takes one below itself, never itself": (tuple((i, i) for i in range(27, 0, -1)), 20),
    "the last tile is never moved": (tuple((i, i + 1) for i in range(26, 0, -1)), 7),
    "the first two are never exchanged": (tuple((i, i + 1) for i in range(27, 1, -1)), 900),
    "every place takes any of the 28": (tuple((i, 28) for i in range(27, -1, -1)), 1600),
    "each place takes one above itself too": (tuple((i, min(i + 2, 28)) for i in range(27, 0, -1)), 800),
}
"""Shufflers with a wrong bound, and the number of shakes within which each is caught (`docs/fairness.md`)."""


def wrong_shuffle(seed: bytes, bounds: Bounds) -> bytes:
    """Shuffle as the engine does, but for the places and bounds."""
    source = stream(seed)
    order = bytearray(range(28))
    for place, bound in bounds:
        other = number_below(bound, source) if bound > 1 else 0
        order[place], order[other] = order[other], order[place]
    return bytes(order)


def seeds(number: int, salt: int = 0) -> Iterator[bytes]:
    """Give so many seeds, the same ones for the same salt."""
    for each in range(number):
        yield sha256(f"{salt}/{each}".encode()).digest()


def tallied(shuffle: Callable[[bytes], bytes], number: int, salt: int = 0) -> Tally:
    """Count so many shakes of a shuffler."""
    tally = Tally()
    for seed in seeds(number, salt):
        tally.add_shake(shuffle(seed))
    return tally


def alarms(tally: Tally) -> set[str]:
    """Return the families in which there is an alarm."""
    return {each.family for each in judge(tally) if each.alarm}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_mistake_is_caught_within_the_stated_rounds(name: str) -> None:
    """Each mistake makes an alarm within the number of shakes that the page states."""
    bounds, enough = PLANTED[name]
    assert alarms(tallied(lambda seed: wrong_shuffle(seed, bounds), enough))


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_mistake_is_caught_every_time(name: str) -> None:
    """The same, twenty times over: the power that the page states."""
    bounds, enough = PLANTED[name]
    assert all(alarms(tallied(lambda seed: wrong_shuffle(seed, bounds), enough, salt)) for salt in range(1, 21))


def test_the_right_shuffle_makes_no_alarm() -> None:
    """Fair shakes, at every size that a small archive has."""
    tally = Tally()
    for number, seed in enumerate(seeds(3000)):
        tally.add_shake(shuffled(seed))
        if number in {0, 1, 6, 20, 100, 250, 1000, 2999}:
            assert not alarms(tally), number
    assert not alarms(tallied(lambda seed: wrong_shuffle(seed, tuple((i, i + 1) for i in range(27, 0, -1))), 500))


@pytest.mark.slow
def test_the_right_shuffle_makes_no_alarm_over_many_shakes() -> None:
    """A hundred thousand fair shakes, and the statistic of the table in the middle of its law."""
    tally = tallied(shuffled, 100_000)
    assert not alarms(tally)
    (table,) = [each for each in judge(tally) if each.family == "table"]
    assert abs(table.observed - 729) < 4 * math.sqrt(2 * 729)


def test_a_false_alarm_of_one_in_a_million_is_shared_out() -> None:
    """The shares of the families add up to the stated false alarm, and no count is judged twice."""
    assert sum(SHARES.values()) == pytest.approx(FALSE_ALARM)
    families = {each.family for each in judge(tallied(shuffled, 250))}
    assert families == {"cells", "table", "unmoved", "repeats", "doubles", "count"}


def test_a_shake_that_was_made_before_is_an_alarm() -> None:
    """No order of 28 tiles comes twice by chance."""
    tally = tallied(shuffled, 30)
    tally.add_shake(shuffled(next(seeds(1))))
    assert alarms(tally) == {"repeats"}


@pytest.mark.parametrize(("kind", "low"), [("doubles", True), ("doubles", False), ("count", True)])
def test_a_favoured_seat_is_an_alarm(kind: str, low: bool) -> None:
    """A dealer who gives a seat the better of two shakes is noticed by what that seat holds."""
    marked = {0, 2, 5, 9, 14, 20, 27} if kind == "doubles" else {15, 11, 8, 20, 25}

    def favour(seed: bytes) -> bytes:
        pair = (shuffled(seed), shuffled(sha256(seed).digest()))
        return sorted(pair, key=lambda order: len(marked & set(order[7:14])))[low]

    assert kind in alarms(tallied(favour, 1000))


def test_a_helpful_boneyard_is_an_alarm_and_a_fair_one_is_not() -> None:
    """Draws are judged against what lay there: a host that picks the tile that fits is noticed."""
    source = stream(bytes(32))
    fair, helpful = Tally(), Tally()
    for tally in (fair, helpful):
        tally.add_shake(shuffled(bytes(32)))
    for _ in range(600):
        left = [number_below(28, source) for _ in range(9)]
        tiles = sorted(set(left))
        fitting = frozenset(tile for tile in tiles if tile % 3 == 0)
        first, second = (tiles[number_below(len(tiles), source)] for _ in range(2))
        fair.add_draw(Draw(first, frozenset(tiles), fitting))
        helpful.add_draw(Draw(second if second in fitting else first, frozenset(tiles), fitting))
    assert not alarms(fair)
    assert alarms(helpful) == {"draws"}


def test_an_archive_is_examined(record: Any, tools: Any) -> None:
    """Whole logs are counted once, with their draws; scripted, faulty, redacted and repeated ones are left out."""
    two = replace(fives.LINEAR, seats=2, partners=False)
    matches = [record("fives", two, seed=seed, match_id=f"m{seed}") for seed in range(3)]
    scripted = tools.start("forty_two", forty_two.POLISH, first=0, marks=(SCRIPTED,))
    tools.add(scripted, Shake(bytes(range(28))), salt=bytes(32))
    matches += [record("forty_two", forty_two.POLISH, seed=9, match_id="m9"), scripted]
    broken = bytearray(record("fives", two, seed=4, match_id="m4").log)
    broken[-1] ^= 1
    hidden = redact(record("fives", two, seed=5, match_id="m5").log, 0)
    sources = [*(match.log for match in matches), matches[0].log, bytes(broken), hidden, b"none"]
    report = examine(sources)
    assert report.matches == 4
    assert report.left_out == {"scripted": 1, "repeated": 1, "faulty": 2, "redacted": 1}
    counted = [move for match in matches[:4] for move in match.moves]
    assert report.shakes == sum(type(move).__name__ == "Shake" for move in counted)
    assert report.draws == sum(isinstance(move, fives.Draw) for move in counted) > 0
    assert not report.alarms
    assert {"draws", "cells", "doubles"} <= {each.family for each in report.findings}
    plain = report_to_plain(report)
    assert (plain["alarms"], plain["shakes"], plain["false_alarm"]) == (0, report.shakes, FALSE_ALARM)
    text = "\n".join(lines_of(report))
    assert "no alarm" in text
    assert "left out: 2 faulty" in text
    assert examine([]).findings == ()


def test_binomial_tails_are_exact() -> None:
    """Against sums of exact fractions, on both sides, and where nothing or everything was counted."""
    for trials, count in ((10, 7), (10, 3), (10, 0), (10, 10), (50, 30), (200, 3)):
        chance = 0.3
        up = count >= trials * chance
        terms = range(count, trials + 1) if up else range(count + 1)
        exact = sum(math.comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in terms)
        assert binomial_tail(trials, chance, count) == pytest.approx(math.log(exact), abs=1e-9)
    assert binomial_tail(10**6, 1 / 28, 0) == pytest.approx(10**6 * math.log(27 / 28), rel=1e-9)


def test_chernoff_bounds_are_bounds() -> None:
    """A bound is never below the exact tail of a hypergeometric sum, and close to it far out."""
    law = hypergeometric_log_mgf(28, 7, 7)
    ways = [math.comb(7, k) * math.comb(21, 7 - k) for k in range(8)]
    sums = [1.0]
    for _ in range(12):
        sums = [
            sum(sums[i] * ways[k - i] / math.comb(28, 7) for i in range(len(sums)) if 0 <= k - i < 8)
            for k in range(len(sums) + 7)
        ]
    for count in (0, 5, 12, 21, 30, 40, 60):
        exact = sum(sums[count:]) if count >= 21 else sum(sums[: count + 1])
        bound = chernoff_tail(lambda tilt: 12 * law(tilt), count, 21)
        assert bound >= math.log(exact) - 1e-9
        assert bound <= math.log(exact) + 4


def test_chi_square_tails_are_right() -> None:
    """Against known values, and against the closed form of an even number of degrees of freedom."""
    assert chi_square_tail(1, 3.841458820694124) == pytest.approx(math.log(0.05), rel=1e-9)
    for freedom, value in ((4, 1.0), (4, 30.0), (730, 700.0), (730, 1100.0)):
        half, m = value / 2, freedom // 2
        logs = [k * math.log(half) - math.lgamma(k + 1) for k in range(m)]
        closed = -half + max(logs) + math.log(sum(math.exp(each - max(logs)) for each in logs))
        assert chi_square_tail(freedom, value) == pytest.approx(closed, rel=1e-8, abs=1e-10)
    assert chi_square_tail(729, 0) == 0


def test_mixtures_of_bets_are_bounds() -> None:
    """What a mixture won bounds how rare it is; a mixture that lost says nothing."""
    assert mixture_tail([math.log(10), math.log(30)]) == pytest.approx(-math.log(20))
    assert mixture_tail([-5.0, -7.0]) == 0


def test_the_page_states_what_is_tested() -> None:
    """The page's numbers of shakes are those that the tests above keep to, and its families are the code's."""
    rows = [line.split("|") for line in PAGE.splitlines() if line.startswith("| the ") and "shakes" in line]
    stated = sorted(int(row[2].split()[0].replace(",", "")) for row in rows)
    assert stated == sorted(enough for _, enough in PLANTED.values())
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) == list(SHARES)


def test_the_chance_of_no_fixed_point() -> None:
    """The number of orders of four that leave nothing in place is 9 of 24; of 28 it is all but exactly 1/e."""
    assert pytest.approx(1 / math.e, abs=1e-15) == NO_FIXED_POINT
