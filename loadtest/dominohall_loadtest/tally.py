"""What came of the matches: the part of a run that Locust's own statistics have no place for."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final


class Tally:
    """Counts of one process. Users are greenlets of one thread, so plain counters do."""

    def __init__(self) -> None:
        self.begun = 0
        self.moves = 0
        self.finished: Counter[str] = Counter()
        """Matches played to their end, checked to the last byte and verified, by kind."""
        self.broken: Counter[str] = Counter()
        """Matches given up because something was wrong, by kind."""

    @property
    def over(self) -> int:
        """Return how many matches came to an end of either sort."""
        return self.finished.total() + self.broken.total()

    @property
    def cut_off(self) -> int:
        """Return how many matches the end of the run interrupted."""
        return self.begun - self.over

    def to_message(self) -> dict[str, Any]:
        """Write the counts as a worker process sends them to its master: all of them, each time."""
        return {
            "begun": self.begun,
            "moves": self.moves,
            "finished": dict(self.finished),
            "broken": dict(self.broken),
        }


def sum_of(messages: Mapping[str, Mapping[str, Any]]) -> Tally:
    """Add up the newest message of each worker."""
    total = Tally()
    for each in messages.values():
        total.begun += each["begun"]
        total.moves += each["moves"]
        total.finished.update(each["finished"])
        total.broken.update(each["broken"])
    return total


TALLY: Final = Tally()
"""The counts of this process."""
WORKERS: Final[dict[str, Mapping[str, Any]]] = {}
"""On a master: the newest message of each worker."""
