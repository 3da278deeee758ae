"""Objects with names: the files of a folder, or of a bucket at an address that obstore knows.

Folders need nothing but Python; what reads buckets (`bucket_objects`) is imported for addresses alone.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from dominohall_replays.bulk.locations import UnusableLocation
from dominohall_replays.errors import ReplayError
from dominohall_replays.export import write_once
from dominohall_replays.store import StoreUnavailable

GREATEST_OBJECT: Final = 1 << 30
"""Bytes of the largest object that is read: far above any log, and any segment that this project writes."""


class UnreadObject(ReplayError):
    """One object that can't be read, where others can."""


class Objects(Protocol):
    """Objects of one place. Everything may raise `StoreUnavailable`: the place as a whole does not answer."""

    def listed(self) -> Iterator[tuple[str, int]]:
        """Iterate over the names of all objects and their sizes, in no order."""

    def read(self, name: str) -> bytes:
        """Return the bytes of an object; `UnreadObject` if that can't be done."""

    def create(self, name: str, data: bytes) -> None:
        """Write an object, whole or not at all; one that stands is left as it is."""


def objects_at(address: str) -> Objects:
    """Return the objects of a folder or an address; a folder need not be there yet."""
    if "://" not in address:
        return FolderObjects(Path(address))
    try:
        from dominohall_replays.bulk.bucket_objects import BucketObjects  # noqa: PLC0415 - what reads them is an extra

        return BucketObjects(address)
    except ModuleNotFoundError:
        raise UnusableLocation("expected what reads buckets: pip install 'dominohall[archive]'") from None


class FolderObjects:
    """The files of a folder, at any depth; links to folders are not followed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def listed(self) -> Iterator[tuple[str, int]]:
        """Iterate over the files, one folder after another; a folder that can't be read ends it."""
        waiting = [str(self._folder)]
        while waiting:
            try:
                with os.scandir(waiting.pop()) as entries:
                    for entry in entries:
                        if entry.is_dir(follow_symlinks=False):
                            waiting.append(entry.path)
                        elif entry.is_file():
                            yield os.path.relpath(entry.path, self._folder), entry.stat().st_size
            except OSError as error:
                raise UnusableLocation(f"expected to read {error.filename}: {error.strerror}") from None

    def read(self, name: str) -> bytes:
        """Return the bytes of a file."""
        try:
            with (self._folder / name).open("rb") as file:
                return bounded(file.read(GREATEST_OBJECT + 1))
        except OSError as error:
            raise UnreadObject(f"it can't be read: {error.strerror}") from None

    def create(self, name: str, data: bytes) -> None:
        """Write a file, create-only."""
        try:
            with suppress(FileExistsError):
                write_once(self._folder / name, data)
        except OSError as error:
            raise StoreUnavailable(f"expected to write into {self._folder}: {error.strerror}") from None


def bounded(data: bytes | None) -> bytes:
    """Return the bytes of an object; `UnreadObject` for None and for too many of them: it is too large."""
    if data is None or len(data) > GREATEST_OBJECT:
        raise UnreadObject(f"it is larger than {GREATEST_OBJECT:,} bytes")
    return data
