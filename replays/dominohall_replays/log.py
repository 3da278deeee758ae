"""Reading a log: the header first, then the entries one by one, in memory that does not grow with the file.

A log may lie in memory, in a file, or in a stream that can seek. Reading is about bytes alone: whether the chain
holds and the moves are legal is asked of `verify`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from io import SEEK_SET
from pathlib import Path
from typing import BinaryIO, Final

from dominohall_replays.errors import TruncatedLog, UnreadableLog
from dominohall_replays.packing import MAX_ITEM_BYTES
from dominohall_replays.reading import (
    LoggedHeader,
    LoggedMove,
    RevealedSecret,
    Signature,
    kind_at,
    read_attachment,
    read_header,
    read_move,
)
from dominohall_replays.records import MOVE, Head, Header

Source = bytes | Path | BinaryIO
Attachment = Signature | RevealedSecret

LOOKAHEAD: Final = 4 * MAX_ITEM_BYTES
"""More than an entry can have: so an entry that ends beyond what was read is an entry that was cut."""
CHUNK: Final = 4 * LOOKAHEAD
GREATEST_ATTACHMENTS: Final = 1024


class Log:
    """A log whose header was read; iterating reads the entries of its moves, from the file each time."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._start = 0 if isinstance(source, bytes | Path) else source.tell()
        with self._window() as window:
            if not window.data:
                raise TruncatedLog("the log is empty", 0)
            self.first: Final[LoggedHeader] = read_header(window.data)

    @property
    def header(self) -> Header:
        """What the log says before its first move."""
        return self.first.header

    @property
    def head(self) -> Head:
        """The last entry of the log; reads through the whole of it."""
        sequence, link = 0, self.first.link
        for each in self:
            sequence, link = each.sequence, each.last_link
        return Head(self.header.match_id, sequence, link)

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """What stands beside the log, after its entries; reads through the whole of it."""
        return tuple(each for each in self.items() if not isinstance(each, LoggedMove))

    def __iter__(self) -> Iterator[LoggedMove]:
        for each in self.items():
            if isinstance(each, LoggedMove):
                yield each

    def items(self) -> Iterator[LoggedMove | Attachment]:
        """Iterate over the entries of the moves, then the attachments; `UnreadableLog` where reading fails."""
        with self.walk() as walk:
            while (item := walk.read()) is not None:
                yield item

    @contextmanager
    def walk(self) -> "Iterator[Walk]":
        """Stand before the first move, to go through the log at one's own pace."""
        with self._window() as window:
            yield Walk(window, self.first.end)

    @contextmanager
    def _window(self) -> "Iterator[_Window]":
        if isinstance(self._source, bytes):
            yield _Window(self._source, None)
        elif isinstance(self._source, Path):
            with self._source.open("rb") as stream:
                yield _Window(b"", stream)
        else:
            self._source.seek(self._start, SEEK_SET)
            yield _Window(b"", self._source)


def read_log(source: Source) -> Log:
    """Open a log and read its header; `UnreadableLog` says what is wrong, at which byte."""
    return Log(source)


class _Window:
    """The part of a log that lies in memory: what is left to read, at least an entry of it if there is as much."""

    def __init__(self, data: bytes, stream: BinaryIO | None) -> None:
        self.data = data
        self.base = 0
        """Where `data` begins in the log."""
        self._stream = stream
        self.advance(0)

    def advance(self, at: int) -> int:
        """Make sure that an entry which begins at `at` lies in memory whole; return its new place."""
        if self._stream is None or len(self.data) - at >= LOOKAHEAD:
            return at
        self.data, self.base = self.data[at:], self.base + at
        while len(self.data) < LOOKAHEAD:
            part = self._stream.read(CHUNK)
            if not part:
                self._stream = None
                break
            self.data += part
        return 0


class Walk:
    """A way through a log, from the end of its header to its end; each step reads one entry or attachment.

    `at` is where the next one begins in `data`, the part of the log that lies in memory, and `sequence` what it must
    be if it is a move. Whoever has judged the entries that follow by their bytes alone steps `over` them.
    """

    def __init__(self, window: _Window, at: int) -> None:
        self.at = at
        self.sequence = 1
        self._window = window
        self._finished = False
        self._attachments = 0

    @property
    def data(self) -> bytes:
        """The part of the log that lies in memory."""
        return self._window.data

    @property
    def base(self) -> int:
        """Where `data` begins in the log."""
        return self._window.base

    @property
    def among_moves(self) -> bool:
        """Whether a move may follow: the match has not ended, and no attachment was read."""
        return not self._finished and not self._attachments

    def over(self, at: int, sequence: int) -> None:
        """Step over moves that somebody else has read: to `at`, where the one at `sequence` must begin."""
        self.at, self.sequence = at, sequence

    def read(self) -> LoggedMove | Attachment | None:
        """Read what comes next, None at the end of the log; `UnreadableLog` where reading fails."""
        at = self.at = self._window.advance(self.at)
        data, base = self._window.data, self._window.base
        if at == len(data):
            return None
        among_moves = self.among_moves
        try:
            if among_moves and kind_at(data, at) == MOVE:
                move = read_move(data, at, self.sequence)
                self._finished = move.terminal is not None
                self.at, self.sequence = move.end, self.sequence + 1
                return move if base == 0 else move._replace(offset=move.offset + base, end=move.end + base)
            attachment, self.at = read_attachment(data, at)
        except UnreadableLog as error:
            inside = error.sequence if error.sequence is not None or not among_moves else self.sequence
            raise type(error)(error.reason, error.offset + base, inside) from None
        self._attachments += 1
        if self._attachments > GREATEST_ATTACHMENTS:
            raise UnreadableLog(f"expected at most {GREATEST_ATTACHMENTS} attachments", base + attachment.offset)
        return attachment if base == 0 else attachment._replace(offset=attachment.offset + base)
