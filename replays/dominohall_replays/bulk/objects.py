"""Objects with names: the files of a folder, or of a bucket at an address that obstore knows.

Folders need nothing but Python; obstore is imported for addresses alone.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, Protocol

from dominohall_replays.bulk.locations import UnusableLocation
from dominohall_replays.errors import ReplayError
from dominohall_replays.export import write_once
from dominohall_replays.store import StoreUnavailable

PATIENCE: Final = 20.0
"""Seconds that a request to a bucket may take; failed ones are repeated for twice that time."""
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
                return _bounded(file.read(GREATEST_OBJECT + 1))
        except OSError as error:
            raise UnreadObject(f"it can't be read: {error.strerror}") from None

    def create(self, name: str, data: bytes) -> None:
        """Write a file, create-only."""
        try:
            with suppress(FileExistsError):
                write_once(self._folder / name, data)
        except OSError as error:
            raise StoreUnavailable(f"expected to write into {self._folder}: {error.strerror}") from None


class BucketObjects:
    """The objects under an address (`s3://BUCKET/PREFIX`), with keys and endpoint as `archive.Archive` takes them."""

    def __init__(self, address: str) -> None:
        from obstore.exceptions import BaseError  # noqa: PLC0415 - see above
        from obstore.store import from_url  # noqa: PLC0415

        try:
            self._objects: Any = from_url(
                address,
                client_options={
                    "timeout": timedelta(seconds=PATIENCE),
                    "allow_http": os.environ.get("AWS_ALLOW_HTTP", "").lower() == "true",
                },
                retry_config={"max_retries": 3, "retry_timeout": timedelta(seconds=2 * PATIENCE)},
            )
        except (BaseError, ValueError) as error:
            raise UnusableLocation(f"the address can't be used: {_told(error)}") from None

    def listed(self) -> Iterator[tuple[str, int]]:
        """Iterate over the objects, some at a time."""
        import obstore  # noqa: PLC0415 - see above

        with _reaching():
            for part in obstore.list(self._objects, chunk_size=1000):
                for each in part:
                    yield str(each["path"]), int(each["size"])

    def read(self, name: str) -> bytes:
        """Return the bytes of an object."""
        import obstore  # noqa: PLC0415 - see above
        from obstore.exceptions import NotFoundError, PermissionDeniedError  # noqa: PLC0415

        with _reaching():
            try:
                answer = obstore.get(self._objects, name)
                if int(answer.meta["size"]) > GREATEST_OBJECT:
                    return _bounded(None)
                return bytes(answer.bytes())
            except (NotFoundError, FileNotFoundError):
                raise UnreadObject("it can't be read: no such object") from None
            except (PermissionDeniedError, PermissionError):
                raise UnreadObject("it can't be read: permission denied") from None

    def create(self, name: str, data: bytes) -> None:
        """Write an object, create-only."""
        import obstore  # noqa: PLC0415 - see above
        from obstore.exceptions import AlreadyExistsError  # noqa: PLC0415

        with _reaching(), suppress(AlreadyExistsError):
            obstore.put(self._objects, name, data, mode="create")


def _bounded(data: bytes | None) -> bytes:
    if data is None or len(data) > GREATEST_OBJECT:
        raise UnreadObject(f"it is larger than {GREATEST_OBJECT:,} bytes")
    return data


@contextmanager
def _reaching() -> Iterator[None]:
    """Turn what a bucket says into what a store says."""
    from obstore.exceptions import BaseError  # noqa: PLC0415 - see above

    try:
        yield
    except (BaseError, OSError) as error:
        raise StoreUnavailable(f"the bucket can't be reached: {_told(error)}") from None


def _told(error: Exception) -> str:
    """Return the first line of an error: the rest are addresses and requests."""
    return (str(error).splitlines() or [type(error).__name__])[0]
