"""The archive: segments of finished matches in a folder or a bucket, written once and never changed.

A location is a folder, or the address of a bucket (`buckets`). One location belongs to one store.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import LocalStore

from dominohall_replays.archive_format import (
    FOOTER,
    MAGIC_2,
    PREFIX,
    SUFFIX,
    Kept,
    Segment,
    UnreadableSegment,
    check_segment,
    kept_in,
    path_of,
    read_footer,
)
from dominohall_replays.archive_format import read_index as parse_index
from dominohall_replays.buckets import bucket_at, reaching, told
from dominohall_replays.compact_block import FRAME, read_block
from dominohall_replays.compact_row import expanded_row
from dominohall_replays.records import Entry
from dominohall_replays.restore import entries_of
from dominohall_replays.store import StoreUnavailable, Tombstone

__all__ = ["Archive", "path_of"]

AnswerT = TypeVar("AnswerT")


class Archive:
    """An archive at a location. Errors of the location are `StoreUnavailable`: repeating is safe.

    `patience` is that of `buckets.bucket_at`, in seconds.
    """

    def __init__(self, location: str, *, patience: float = 10.0) -> None:
        self._folder = None if "://" in location else Path(location)
        try:
            self._objects: Any = (
                bucket_at(location, patience) if self._folder is None else LocalStore(prefix=self._folder, mkdir=True)
            )
        except (BaseError, OSError, ValueError) as error:
            raise StoreUnavailable(f"the archive can't be used: {told(error)}") from None

    def write(self, segment: Segment) -> None:
        """Write a segment, unless it stands there already, and read it back; it is durable when this returns.

        `UnreadableSegment` if other bytes come back than were written.
        """
        path = path_of(segment.name)
        with reaching("the archive"):
            with suppress(AlreadyExistsError):  # by a run that was stopped; what matters is what comes back
                obstore.put(self._objects, path, segment.data, mode="create")
            if self._folder is not None:
                _sync(self._folder, path)
            written = bytes(obstore.get(self._objects, path).bytes())
        if written != segment.data:
            raise UnreadableSegment(f"expected segment {segment.name} as it was written, got other bytes")

    def names(self) -> Iterator[str]:
        """Iterate over the names of all segments."""
        with reaching("the archive"):
            for part in obstore.list(self._objects, PREFIX):
                for each in part:
                    path = str(each["path"])
                    if path.endswith(SUFFIX):
                        yield path.rpartition("/")[2].removesuffix(SUFFIX)

    def index(self, name: str) -> tuple[Kept, ...]:
        """Read what a segment holds; of one with logs as they are, without the logs."""
        path = path_of(name)
        with reaching("the archive"):
            total = int(obstore.head(self._objects, path)["size"])
            footer = bytes(obstore.get_range(self._objects, path, start=max(0, total - FOOTER.size), end=total))
            offset, size, _ = read_footer(footer, total)
            if bytes(obstore.get_range(self._objects, path, start=0, length=len(MAGIC_2))) == MAGIC_2:
                return kept_in(bytes(obstore.get(self._objects, path).bytes()))
            return parse_index(bytes(obstore.get_range(self._objects, path, start=offset, length=size)))

    def check(self, name: str) -> tuple[Kept, ...]:
        """Read a whole segment and check every byte of it; return what it holds."""
        with reaching("the archive"):
            data = bytes(obstore.get(self._objects, path_of(name)).bytes())
        index = check_segment(data)
        if read_footer(data[-FOOTER.size :], len(data))[2].hex() != name:
            raise UnreadableSegment(f"expected segment {name}, got another")
        return index

    def log(self, tombstone: Tombstone) -> bytes:
        """Read the bytes of one log, whatever form it lies there in; `UnreadableSegment` if it can't be got back."""
        path = path_of(tombstone.segment)
        with reaching("the archive"):
            data = bytes(obstore.get_range(self._objects, path, start=tombstone.offset, length=tombstone.size))
        if not data.startswith(FRAME):
            return data
        for row in read_block(data):
            if (row.template.owner, row.match_id) == (tombstone.owner, tombstone.head.match_id):
                return expanded_row(row).log
        raise UnreadableSegment(f"expected match {tombstone.head.match_id!r} in the block at byte {tombstone.offset}")

    def entries(self, tombstone: Tombstone) -> list[Entry]:
        """Read the entries of one log, which must end at the tombstone's head."""
        found = _readable(lambda: entries_of(self.log(tombstone)))
        if (found[-1].sequence, found[-1].link) != (tombstone.head.sequence, tombstone.head.link):
            raise StoreUnavailable("the archive holds another log than the store buried")
        return found


def _readable(read: Callable[[], AnswerT]) -> AnswerT:
    try:
        return read()
    except ValueError as error:
        raise StoreUnavailable(f"the archive can't be read: {error}") from None


def _sync(folder: Path, path: str) -> None:
    """Make a file last, and every folder that leads to it: obstore leaves that to the operating system."""
    target = folder / path
    for each in (target, *list(target.parents)[: path.count("/") + 1]):
        descriptor = os.open(each, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
