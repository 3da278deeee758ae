"""A contender: a program that plays or checks so many rounds when it is told to, and says what that cost it.

Each runs as a process of its own and stays, so that several can take turns lap by lap. It is asked by a line with a
number and answers with a line of JSON: `moves`, and the processor seconds `cpu` that they took.
"""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

LAP_SECONDS: Final = 1.0
"""How long a lap should take: long against the clock's grain, short against the moods of the machine."""


class Contender:
    """A running contender."""

    def __init__(self, process: "subprocess.Popen[str]", name: str) -> None:
        self._process = process
        self._name = name
        self.rounds = 1

    def lap(self, rounds: int) -> float:
        """Return how many moves a processor second it made; `RuntimeError` with its last words if it has ended."""
        moves, cpu = self._ask(rounds)
        return moves / cpu

    def warm_up(self, seconds: float) -> None:
        """Find how many rounds make a lap of so many seconds."""
        while True:
            _, cpu = self._ask(self.rounds)
            if cpu > seconds / 4:
                self.rounds = max(1, round(self.rounds * seconds / cpu))
                return
            self.rounds *= 4

    def _ask(self, rounds: int) -> tuple[float, float]:
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError(f"{self._name}: expected pipes")
        try:
            self._process.stdin.write(f"{rounds}\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # its last words say more
        line = self._process.stdout.readline()
        if not line:
            _, words = self._process.communicate(timeout=10)
            raise RuntimeError(f"{self._name}: {(words.strip().splitlines() or ['ended'])[-1][:200]}")
        answer = json.loads(line)
        return float(answer["moves"]), float(answer["cpu"])


@contextmanager
def contender(name: str, command: Sequence[str], environment: Mapping[str, str] | None = None) -> Iterator[Contender]:
    """Start a contender and end it."""
    process = subprocess.Popen(  # noqa: S603 - our own programs
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **(environment or {})},
    )
    try:
        yield Contender(process, name)
    finally:
        process.kill()
        process.communicate()


def take_turns(contenders: Mapping[str, Contender], rounds: int, seconds: float) -> dict[str, list[float]]:
    """Let contenders run lap after lap in turns; return the moves a processor second of each lap."""
    for each in contenders.values():
        each.warm_up(seconds)
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, each in contenders.items():
            rates[name].append(each.lap(each.rounds))
    return rates


def ratios(above: Sequence[float], below: Sequence[float]) -> tuple[float, ...]:
    """Return the ratio of each round, neighbours in time.

    >>> ratios([2.0, 6.0], [1.0, 2.0])
    (2.0, 3.0)
    """
    return tuple(one / other for one, other in zip(above, below, strict=True))
