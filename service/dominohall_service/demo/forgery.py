"""Copies of a log that somebody changed, and what `verify` says of them: each is caught, and where.

Three forgers are at work. The first rewrites one tile; the second rewrites it and makes every later link anew, so that
the chain holds again; the third cuts the end off. A copy never takes the log's name.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dominohall_replays.fold import Step
from dominohall_replays.forging import relinked
from dominohall_replays.verdicts import GOOD
from dominohall_replays.verify import verify

from dominohall_service.drawing import tile_text

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
    clauses: tuple[str, ...]
    caught: bool


def forge(log: bytes, play: Step, other: int, folder: Path, name: str) -> Iterator[Forgery]:
    """Write three forged copies of a valid log into `folder`, and judge them.

    `play` is the move that is rewritten, `other` the tile that it is rewritten into.
    """
    entry = play.entry
    move = bytes((*entry.move[:2], other, *entry.move[3:]))
    record = entry.record.replace(entry.move, move)
    rewritten = log[: entry.offset] + record + log[entry.offset + len(record) :]
    what = f"move {entry.sequence} rewritten, {tile_text(play.move.tile).plain} into {tile_text(other).plain}"
    yield _judge(rewritten, folder / f"{name}.forged-move", what)
    yield _judge(
        relinked(log, entry.sequence, record), folder / f"{name}.forged-links", "and every link after it made anew"
    )
    yield _judge(log[:-CUT_BYTES], folder / f"{name}.forged-cut", f"the last {CUT_BYTES} bytes cut off")


def every_flip(log: bytes, count: int) -> tuple[int, int]:
    """Flip one bit at about `count` places all over the log; return how many were tried and how many were caught."""
    places = range(0, len(log), -(-len(log) // count))
    caught = sum(
        verify(log[:place] + bytes((log[place] ^ 1 << place % 8,)) + log[place + 1 :]).verdict not in GOOD
        for place in places
    )
    return len(places), caught


def _judge(copy: bytes, path: Path, what: str) -> Forgery:
    path.write_bytes(copy)
    found = verify(copy)
    return Forgery(what, path.name, found.verdict.value, found.sequence, found.offset, found.clauses, not found.good)
