"""Repeating a call while nobody knows whether it was done, or while the service asks for a moment.

Every call of Dominohall may be repeated: the same move on the same token is the same record, however often it arrives.
So a lost reply is asked for again with the same request, on the statuses where that helps and on no other.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import grpc

from dominohall.client.errors import Failure, failure_of

Reply = TypeVar("Reply")
LEAST_SECONDS: Final = 0.01


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a host waits; all in seconds.

    The pause before repetition n is 0.5 to 1.5 times `first_pause * 2 ** (n - 1)`, at most `greatest_pause`: hosts that
    failed together must not come back together. What the service asks for (`RetryInfo`) is waited for at least.
    """

    call: float = 5.0
    """Deadline of one attempt."""
    whole: float = 30.0
    """Deadline of a call with all its attempts and pauses; then `Unsure`, or what the last attempt said."""
    first_pause: float = 0.05
    greatest_pause: float = 2.0

    def pause_before(self, attempt: int, asked: float | None, dice: random.Random) -> float:
        """Return how long to wait before an attempt, 1 for the first repetition."""
        backoff = min(self.first_pause * 2.0 ** min(attempt - 1, 32), self.greatest_pause)
        return max(backoff * dice.uniform(0.5, 1.5), (asked or 0.0) * dice.uniform(1.0, 1.25))


class Caller:
    """Makes the calls of one client. `retries` counts the repetitions so far, for your metrics."""

    def __init__(self, patience: Patience, dice: random.Random | None = None) -> None:
        self._patience = patience
        self._dice = dice or random.Random()  # noqa: S311 - spreads pauses, guards nothing
        self.retries = 0

    def make(self, attempt: Callable[[float], Reply]) -> Reply:
        """Call `attempt(deadline in seconds)` until it returns; `CallFailed` if that can't help or takes too long."""
        end = time.monotonic() + self._patience.whole
        count = 0
        while True:
            try:
                return attempt(max(min(self._patience.call, end - time.monotonic()), LEAST_SECONDS))
            except grpc.RpcError as error:
                failure = failure_of(error)
                count += 1
                pause = self._pause(failure, count)
                if pause is None or time.monotonic() + pause >= end:
                    raise failure.error() from error
            self.retries += 1
            time.sleep(pause)

    def _pause(self, failure: Failure, count: int) -> float | None:
        return self._patience.pause_before(count, failure.pause, self._dice) if failure.repeatable else None


def unary(method: Any, request: Any, metadata: Any) -> Callable[[float], Any]:  # noqa: ANN401 - any method of the stubs
    """Return the attempt of a method that answers once."""
    return lambda seconds: method(request, timeout=seconds, metadata=metadata())


def stream(method: Any, request: Any, metadata: Any) -> Callable[[float], list[Any]]:  # noqa: ANN401 - as above
    """Return the attempt of a method that answers in parts, all of which are one reply here."""
    return lambda seconds: list(method(request, timeout=seconds, metadata=metadata()))
