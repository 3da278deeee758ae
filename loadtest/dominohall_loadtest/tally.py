"""What came of the matches: the part of a run that Locust's own statistics have no place for."""

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final, Protocol


class Played(Protocol):
    """A match that goes on: as many moves as its sequence."""

    sequence: int


class Tally:
    """Counts of one process, or of several together. Users are greenlets of one thread, so plain counters do."""

    def __init__(self) -> None:
        self.processes = 1
        self.begun = 0
        self.playing: list[Played] = []
        """Matches that go on."""
        self.moves_before = 0
        """Moves of those that don't."""
        self.imports_taken = True
        """False once the service has said that its settings allow no imports."""
        self.finished: Counter[str] = Counter()
        """Matches played to their end, checked to the last byte and verified, by kind."""
        self.broken: Counter[str] = Counter()
        """Matches given up because something was wrong, by kind."""
        self.cpu_seconds = 0.0
        """Processor time that playing and checking took."""
        self._cpu_at_start = 0.0

    @property
    def moves(self) -> int:
        """Return how many moves were recorded."""
        return self.moves_before + sum(each.sequence for each in self.playing)

    @property
    def over(self) -> int:
        """Return how many matches came to an end of either sort."""
        return self.finished.total() + self.broken.total()

    @property
    def cut_off(self) -> int:
        """Return how many matches the end of the run interrupted."""
        return self.begun - self.over

    def start(self) -> None:
        """Count processor time from now on."""
        self._cpu_at_start = time.process_time()

    def to_message(self) -> dict[str, Any]:
        """Write the counts as a worker process sends them to its master: all of them, each time."""
        return {
            "processes": self.processes,
            "begun": self.begun,
            "moves": self.moves,
            "finished": dict(self.finished),
            "broken": dict(self.broken),
            "cpu_seconds": self.cpu_seconds or time.process_time() - self._cpu_at_start,
        }


def sum_of(messages: Iterable[Mapping[str, Any]]) -> Tally:
    """Add up the newest message of each process."""
    total = Tally()
    total.processes = 0
    for each in messages:
        total.processes += each["processes"]
        total.begun += each["begun"]
        total.moves_before += each["moves"]
        total.finished.update(each["finished"])
        total.broken.update(each["broken"])
        total.cpu_seconds += each["cpu_seconds"]
    return total


TALLY: Final = Tally()
"""The counts of this process."""
WORKERS: Final[dict[str, Mapping[str, Any]]] = {}
"""On a master: the newest message of each worker."""


def everybody() -> Tally:
    """Return the counts of the whole run: on a master those of its workers together."""
    return sum_of(WORKERS.values() or [TALLY.to_message()])
