"""Everything the replays package raises.

    ReplayError
    ├── UnreadableLog        bytes that are no log of this format, with the place       (ValueError)
    │   └── TruncatedLog     bytes that stop inside an entry
    ├── UnwritableRecord     a value that the format has no place for                   (ValueError)
    ├── UnreadableSegment    bytes of an archive that are not the ones that were written     (ValueError)
    ├── LogFault             a log that was read, and does not hold; carries the verdict and the place (`fold`)
    └── StoreError           see `store`

A message says what was expected, what came and where. It never holds a tile, a secret or a salt.
"""


class ReplayError(Exception):
    """The root of everything the replays package raises."""


class UnreadableLog(ReplayError, ValueError):
    """Bytes that are no log of this format.

    `offset` is the byte at which reading failed, counted from 0; `sequence` the entry it lies in, None before the
    header and after the last entry.
    """

    def __init__(self, reason: str, offset: int, sequence: int | None = None) -> None:
        where = f"byte {offset}" if sequence is None else f"sequence {sequence}, byte {offset}"
        super().__init__(f"{reason} ({where})")
        self.reason = reason
        self.offset = offset
        self.sequence = sequence

    def __reduce__(self) -> tuple[type["UnreadableLog"], tuple[str, int, int | None]]:
        """Pickle by the three facts, so that the error crosses a process pool."""
        return type(self), (self.reason, self.offset, self.sequence)


class TruncatedLog(UnreadableLog):
    """Bytes that stop inside an entry: what is there may be right, and something is missing."""


class UnwritableRecord(ReplayError, ValueError):
    """A value that the format has no place for; nothing was written."""


class UnreadableSegment(ReplayError, ValueError):
    """Bytes of an archive that are none of a known version, or not the ones that were written."""
