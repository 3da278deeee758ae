"""Where logs lie: files of a folder or a bucket, or the matches of a store."""

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from dominohall_replays.errors import ReplayError

POSTGRES: Final = ("postgresql://", "postgres://")
SQLITE_MAGIC: Final = b"SQLite format 3\0"


class UnusableLocation(ReplayError, ValueError):
    """A place with nothing to read or no way to it; the message says what was expected, and repeats no secret."""


class Kind(StrEnum):
    """How a location is read."""

    FILES = "files"
    """Log files and segments, in a folder or under an address that obstore knows."""
    STORE = "store"


@dataclass(frozen=True, slots=True)
class Location:
    """A place that any machine with the same disks, networks and rights reads the same logs from."""

    kind: Kind
    name: str
    """What a person is told."""
    address: str = field(repr=False)
    """An absolute path or an address. Never printed: it may hold a password."""


def location_of(text: str) -> Location:
    """Return the place that a person named; `UnusableLocation` if there is none."""
    if text.startswith(POSTGRES):
        return Location(Kind.STORE, "the PostgreSQL store", text)
    if "://" in text:
        return Location(Kind.FILES, text, text)
    path = Path(text)
    if path.is_dir():
        return Location(Kind.FILES, text, str(path.absolute()))
    try:
        with path.open("rb") as file:
            begins = file.read(len(SQLITE_MAGIC))
    except OSError as error:
        raise UnusableLocation(f"expected a folder, a store or an archive at {text}: {error.strerror}") from None
    if begins != SQLITE_MAGIC:
        raise UnusableLocation(
            f"expected a folder, a store or an archive at {text}, got a file (`replay verify` takes logs)"
        )
    return Location(Kind.STORE, text, str(path.absolute()))
