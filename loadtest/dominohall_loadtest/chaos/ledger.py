"""What the hosts asked for and what they were told: the other side of the logs, kept where no server can reach it."""

import threading
from collections import defaultdict
from typing import Final


class MatchBook:
    """One match as its hosts know it."""

    def __init__(self, match_id: str) -> None:
        self.match_id: Final = match_id
        self.asked: defaultdict[int, set[bytes]] = defaultdict(set)
        """Sequence -> the moves that some host asked to stand there; a move of chance by its code alone."""
        self.acknowledged: defaultdict[int, set[bytes]] = defaultdict(set)
        """Sequence -> the entries that some host was told to stand there. More than one is a fork."""


class Ledger:
    """The books of all matches; hosts write to it from their threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._books: dict[str, MatchBook] = {}
        self.faults: list[str] = []
        """What hosts met that no host should ever meet."""

    @property
    def books(self) -> list[MatchBook]:
        """Return the books of all matches that were begun."""
        with self._lock:
            return list(self._books.values())

    def ask(self, match_id: str, sequence: int, move: bytes) -> None:
        """Note a move before it is sent."""
        with self._lock:
            self._book(match_id).asked[sequence].add(move)

    def acknowledge(self, match_id: str, sequence: int, entry: bytes) -> None:
        """Note what a reply said."""
        with self._lock:
            self._book(match_id).acknowledged[sequence].add(entry)

    def fault(self, match_id: str, what: str) -> None:
        """Note what went wrong for a host."""
        with self._lock:
            self.faults.append(f"{match_id}: {what}")

    def _book(self, match_id: str) -> MatchBook:
        return self._books.setdefault(match_id, MatchBook(match_id))
