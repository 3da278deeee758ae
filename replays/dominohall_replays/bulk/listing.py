"""Everything that is to be judged, sorted on disk, and cut into batches that are named without loading them.

Names are sorted in a temporary file, so an archive of any size takes the same memory. Where a batch ends is decided by
the names in it and not by counting from the beginning: a log that is added changes the batch it falls into and no
other, and the results of all others are found again.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple
from zlib import crc32

from dominohall_replays.bulk.locations import Kind, Location
from dominohall_replays.bulk.objects import objects_at
from dominohall_replays.bulk.stores import opened
from dominohall_replays.export import SUFFIX as LOG_SUFFIX

SEGMENT_SUFFIX: Final = ".dominohall-segment"
"""As in `archive`, which needs obstore to be imported."""
BYTES_A_LOG: Final = {LOG_SUFFIX: 1 << 15, SEGMENT_SUFFIX: 1 << 12}
"""What weighs as one log: roughly the bytes of a match of ten rounds, in a file, and in a segment between its forms."""
BYTES_A_MOVE: Final = 100
GREATEST_BATCH: Final = 4
"""A batch weighs at most so many times what is usual."""
MATCHES_A_PAGE: Final = 1000

Key = tuple[str, str]
"""A path and "", or the owner and id of a stored match."""


class Batch(NamedTuple):
    """Some of what lies at a location, by name."""

    location: Location
    keys: tuple[Key, ...]


class Listing:
    """What lies at a location: how much it is, and its batches."""

    def __init__(self, location: Location) -> None:
        self._location = location
        self._sorted = sqlite3.connect("", isolation_level=None)  # a file without a name, gone with the connection
        self._sorted.execute("CREATE TABLE unit (one BLOB, other BLOB, weight INTEGER, PRIMARY KEY (one, other))")
        self._sorted.execute("BEGIN")
        found = _files(location) if location.kind is Kind.FILES else _matches(location)
        self._sorted.executemany("INSERT OR IGNORE INTO unit VALUES (?, ?, ?)", found)
        self._sorted.execute("COMMIT")
        (self.count,) = self._sorted.execute("SELECT count(*) FROM unit").fetchone()

    def batches(self, logs: int) -> Iterator[Batch]:
        """Cut what there is into batches of about so many logs; a segment of more is one of its own."""
        keys: list[Key] = []
        total = 0
        rows: Iterable[tuple[bytes, bytes, int]]
        rows = self._sorted.execute("SELECT one, other, weight FROM unit ORDER BY one, other")
        for one, other, weight in rows:
            if keys and (weight >= logs or total + weight > GREATEST_BATCH * logs):
                yield Batch(self._location, tuple(keys))
                keys, total = [], 0
            keys.append((os.fsdecode(one), os.fsdecode(other)))
            total += weight
            if crc32(other, crc32(one)) % logs < weight:
                yield Batch(self._location, tuple(keys))
                keys, total = [], 0
        if keys:
            yield Batch(self._location, tuple(keys))

    def close(self) -> None:
        """Let go of the temporary file."""
        self._sorted.close()


def _files(location: Location) -> Iterator[tuple[bytes, bytes, int]]:
    for name, size in objects_at(location.address).listed():
        for suffix, bytes_a_log in BYTES_A_LOG.items():
            if name.endswith(suffix):
                yield os.fsencode(name), b"", 1 + size // bytes_a_log


def _matches(location: Location) -> Iterator[tuple[bytes, bytes, int]]:
    token = ""
    with opened(location.address) as store:
        while True:
            page = store.matches(page_size=MATCHES_A_PAGE, page_token=token)
            for owner, head in page.matches:
                size = head.sequence * BYTES_A_MOVE
                yield os.fsencode(owner), os.fsencode(head.match_id), 1 + size // BYTES_A_LOG[LOG_SUFFIX]
            token = page.next_page_token
            if not token:
                return
