"""What one caller may have at once: calls a second, calls in progress, streams.

A caller that takes more is refused quickly and told when to come again; the others don't notice. Memory is bounded:
a caller that has nothing in progress is forgotten when too many others came after it.
"""

from collections import OrderedDict
from threading import Lock
from time import monotonic
from typing import Final

from dominohall_service.faults import CallFault, Fault

MOST_CALLERS: Final = 4096


class Account:
    """What one caller has taken: tokens left in its bucket, calls and streams in progress."""

    __slots__ = ("calls", "filled", "streams", "tokens")

    def __init__(self, tokens: float, now: float) -> None:
        self.tokens = tokens
        self.filled = now
        self.calls = 0
        self.streams = 0


class Allowance:
    """Counts what callers take. A limit of 0 is none."""

    def __init__(self, calls_per_second: float, burst: int, calls: int, streams: int) -> None:
        self._rate = calls_per_second
        self._burst = float(burst)
        self._calls = calls
        self._streams = streams
        self._accounts: OrderedDict[str, Account] = OrderedDict()
        self._lock = Lock()

    def take(self, owner: str, *, stream: bool, now: float | None = None) -> None:
        """Begin a call of this caller; raises `CALLER_LIMIT` with what was reached, and then nothing is taken."""
        now = monotonic() if now is None else now
        with self._lock:
            account = self._accounts.get(owner)
            if account is None:
                self._forget_idle()
                account = self._accounts[owner] = Account(self._burst, now)
            else:
                self._accounts.move_to_end(owner)
            if self._rate:
                account.tokens = min(self._burst, account.tokens + max(0.0, now - account.filled) * self._rate)
                account.filled = now
                if account.tokens < 1:
                    raise over(f"{self._rate:g} calls a second", (1 - account.tokens) / self._rate)
            if self._calls and account.calls >= self._calls:
                raise over(f"{self._calls} calls at once")
            if stream and self._streams and account.streams >= self._streams:
                raise over(f"{self._streams} streams at once")
            account.tokens -= 1
            account.calls += 1
            account.streams += stream

    def give_back(self, owner: str, *, stream: bool) -> None:
        """End a call that was taken."""
        with self._lock:
            account = self._accounts[owner]
            account.calls -= 1
            account.streams -= stream

    def __len__(self) -> int:
        return len(self._accounts)

    def _forget_idle(self) -> None:
        """Make room for one more; callers in progress stay, of which there are never more than threads."""
        while len(self._accounts) >= MOST_CALLERS:
            idle = next((owner for owner, account in self._accounts.items() if not account.calls), None)
            if idle is None:
                return
            del self._accounts[idle]


def over(limit: str, wait_seconds: float | None = None) -> CallFault:
    """Return the fault of a caller that takes too much."""
    message = f"expected at most {limit} of one caller, got more"
    return CallFault(Fault.CALLER_LIMIT, message, retry_seconds=wait_seconds)
