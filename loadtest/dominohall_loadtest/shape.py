"""How many users there are at any moment, and when the run is over.

* `steady`: all users from the start to the end.
* `ramp`: eight levels, up to all users: the levels show where the knee is.
* `spike`: a quarter of the users, all of them for the middle third, a quarter again: a burst, and the way back.
* `soak`: all users for long.
"""

import time
from typing import Any, ClassVar, Final, NamedTuple

from locust import LoadTestShape

from dominohall_loadtest.levels import WATCH
from dominohall_loadtest.tally import everybody


class Plan(NamedTuple):
    """What a shape does unless told otherwise."""

    users: int
    seconds: int
    pause_ms: float
    """Between the turns of a host. With a pause each host brings its share of the load, and a ramp can climb."""


SHAPES: Final[dict[str, Plan]] = {
    "steady": Plan(4, 20, 0),
    "ramp": Plan(24, 120, 100),
    "spike": Plan(12, 60, 100),
    "soak": Plan(4, 1800, 0),
}
LADDER: Final = 8
"""Levels of a ramp, if there are as many users."""


def level_at(shape: str, share: float, users: int) -> tuple[int, float, int]:
    """Return the level when this share (0 to 1) of the run is over, how much of it is over, and its users.

    >>> [level_at("spike", share, 8)[2] for share in (0.1, 0.5, 0.9)]
    [2, 8, 2]
    >>> level_at("ramp", 0.5, 16)
    (4, 0.0, 10)
    """
    count = {"ramp": min(LADDER, users), "spike": 3}.get(shape, 1)
    place = min(share * count, count - 1e-9)
    number = int(place)
    wanted = users
    if shape == "ramp":
        wanted = -(-users * (number + 1) // count)
    elif shape == "spike" and number != 1:
        wanted = max(1, users // 4)
    return number, place - number, wanted


class Shape(LoadTestShape):
    """The shape that `--shape` names, over `--run-time` or until `--matches` are over."""

    use_common_options: ClassVar[bool] = True

    def tick(self) -> tuple[int, float] | None:
        """Return the users wanted now and how many of them may come or go a second; None ends the run."""
        if self.runner is None:
            return None
        options: Any = self.runner.environment.parsed_options
        elapsed = time.perf_counter() - self.start_time
        stats = self.runner.stats
        if elapsed >= options.run_time or 0 < options.matches <= everybody().over:
            WATCH.close(stats)
            return None
        number, share, users = level_at(options.shape, elapsed / options.run_time, options.num_users)
        WATCH.look(number, share, users, stats)
        return users, options.spawn_rate
