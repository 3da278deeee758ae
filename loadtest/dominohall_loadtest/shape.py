"""How many users there are at any moment, and when the run is over.

* `steady`: all users from the start to the end.
* `ramp`: one user more at a time, all of them at nine tenths of the run: where latency starts to climb is the knee.
* `spike`: a quarter of the users, all of them for the middle third, a quarter again: a burst, and the way back.
"""

import time
from typing import Any, ClassVar, Final

from locust import LoadTestShape

from dominohall_loadtest.tally import TALLY

SHAPES: Final = ("steady", "ramp", "spike")
DEFAULT_SECONDS: Final = 20
DEFAULT_USERS: Final = 4


def users_at(shape: str, share: float, users: int) -> int:
    """Return how many of `users` there are when this share (0 to 1) of the run is over.

    >>> [users_at("spike", share, 8) for share in (0.1, 0.5, 0.9)]
    [2, 8, 2]
    """
    if shape == "ramp":
        return max(1, min(users, round(users * share / 0.9)))
    if shape == "spike" and not 1 / 3 <= share < 2 / 3:
        return max(1, users // 4)
    return users


class Shape(LoadTestShape):
    """The shape that `--shape` names, over `--run-time` or until `--matches` are over."""

    use_common_options: ClassVar[bool] = True

    def tick(self) -> tuple[int, float] | None:
        """Return the users wanted now and how many of them may come or go a second; None ends the run."""
        if self.runner is None:
            return None
        options: Any = self.runner.environment.parsed_options
        seconds = options.run_time or DEFAULT_SECONDS
        elapsed = time.perf_counter() - self.start_time
        if elapsed >= seconds or 0 < options.matches <= TALLY.over:
            return None
        users = users_at(options.shape, elapsed / seconds, options.num_users or DEFAULT_USERS)
        return users, options.spawn_rate or users
