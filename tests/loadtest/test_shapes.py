"""How many hosts there are when, what each level was like, and where the knee is said to be."""

import time
from collections import Counter

import pytest
from dominohall_loadtest.levels import Level, Watch, knee_of, percentile
from dominohall_loadtest.shape import SHAPES, level_at
from locust.stats import RequestStats

SHARES = [each / 100 for each in range(100)]


def levels(*figures: tuple[int, float, float]) -> list[Level]:
    """Make levels of 10 seconds from users, calls a second and p95."""
    return [Level(users, 10.0, round(rate * 10), p95 / 2, p95) for users, rate, p95 in figures]


def test_the_shapes_keep_their_word() -> None:
    """Steady and soak are level, a ramp climbs to all in steps, a spike is a quarter, all, a quarter; never nobody."""
    for shape in ("steady", "soak"):
        assert {level_at(shape, share, 8)[2] for share in SHARES} == {8}
    ramp = [level_at("ramp", share, 16)[2] for share in SHARES]
    assert ramp == sorted(ramp)
    assert sorted(set(ramp)) == [2, 4, 6, 8, 10, 12, 14, 16]
    assert [level_at("spike", share, 8)[2] for share in (0, 0.5, 0.9)] == [2, 8, 2]
    assert all(level_at(shape, share, 1)[2] == 1 for shape in SHAPES for share in SHARES)


def test_every_level_is_watched_from_its_settling_to_its_end() -> None:
    """Calls of the first quarter of a level are not counted, those of the rest are; refusals never are."""
    stats, watch = RequestStats(), Watch()
    for number in range(2):
        watch.look(number, 0.1, number + 1, stats)
        stats.log_request("rpc", "ViewMatch", 900, 0)
        watch.look(number, 0.3, number + 1, stats)
        for taken in (2, 4, 6):
            stats.log_request("rpc", "ApplyMove", taken, 0)
            stats.log_request("refused", "ApplyMove: FORKED", 700, 0)
        time.sleep(0.001)
    watch.close(stats)
    assert [(level.users, level.calls, level.p50_ms, level.p95_ms) for level in watch.levels] == [
        (1, 3, 4.0, 6.0),
        (2, 3, 4.0, 6.0),
    ]


@pytest.mark.parametrize(
    ("climbed", "users", "why"),
    [
        (levels((2, 100, 4), (4, 200, 4), (6, 290, 5), (8, 300, 9), (10, 301, 14)), 6, "brought"),
        (levels((2, 100, 4), (4, 200, 4), (6, 290, 5), (8, 380, 40), (10, 460, 90)), 6, "p95"),
        (levels((1, 200, 4), (2, 210, 5)), 1, "brought"),
        (levels((2, 100, 4), (4, 110, 90), (6, 290, 5), (8, 300, 9), (10, 301, 9)), 6, "brought"),
    ],
    ids=["rate stops growing", "p95 bends", "at once", "after a level that was bad by chance"],
)
def test_the_knee_is_the_last_level_at_which_hosts_pay(climbed: list[Level], users: int, why: str) -> None:
    """It is found where a further host brings little more, or where p95 bends, and the reason is said."""
    knee = knee_of(climbed)
    assert knee is not None
    assert knee.level.users == users
    assert why in knee.reason


def test_there_is_no_knee_where_hosts_pay_to_the_end() -> None:
    """A ramp that stops too early, a single level and no level at all have none."""
    assert knee_of(levels((2, 100, 4), (4, 200, 4), (6, 295, 5))) is None
    assert knee_of(levels((2, 100, 4))) is None
    assert knee_of([]) is None


def test_a_percentile_is_a_time_that_was_measured() -> None:
    """It is the least time within which the share came back."""
    assert percentile(Counter({1: 50, 2: 50}), 0.5) == 1
    assert percentile(Counter({1: 50, 2: 50}), 0.51) == 2
    assert percentile(Counter(), 0.95) == 0
