"""Copies of a log that somebody changed, and what `verify` says of them: each is caught, and where.

No copy is ever taken for the log: it is written beside it under a name that says what was done to it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dominohall_replays.verdicts import GOOD
from dominohall_replays.verify import verify

CUT_BYTES: Final = 50
"""How much is cut off: less than one entry, so that the cut goes through the last one."""


@dataclass(frozen=True)
class Forgery:
    """A changed copy and what became of it."""

    what: str
    file: str
    verdict: str
    sequence: int | None
    """Where the copy stops being right, as `verify` says; None where no entry can be named."""
    byte_offset: int | None
    caught: bool


def forge(log: bytes, folder: Path, name: str) -> Iterator[Forgery]:
    """Write two forged copies of a valid log into `folder`, and judge them."""
    place = len(log) // 2
    flipped = log[:place] + bytes((log[place] ^ 1,)) + log[place + 1 :]
    yield _judge(flipped, folder / f"{name}.forged-byte", f"one bit of byte {place:,} flipped")
    yield _judge(log[:-CUT_BYTES], folder / f"{name}.forged-cut", f"the last {CUT_BYTES} bytes cut off")


def every_flip(log: bytes, count: int) -> tuple[int, int]:
    """Flip one bit at `count` places spread over the log; return how many were tried and how many were caught."""
    places = range(0, len(log), max(1, len(log) // count))
    caught = sum(
        verify(log[:place] + bytes((log[place] ^ 1 << place % 8,)) + log[place + 1 :]).verdict not in GOOD
        for place in places
    )
    return len(places), caught


def _judge(copy: bytes, path: Path, what: str) -> Forgery:
    path.write_bytes(copy)
    report = verify(copy)
    return Forgery(what, path.name, report.verdict.value, report.sequence, report.offset, not report.good)
