"""The objects of a bucket, for `objects`: the part of it that needs obstore."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, NotFoundError, PermissionDeniedError

from dominohall_replays.buckets import bucket_at, reaching, told
from dominohall_replays.bulk.locations import UnusableLocation
from dominohall_replays.bulk.objects import GREATEST_OBJECT, UnreadObject, bounded

PATIENCE: Final = 20.0
"""Seconds that a request to a bucket may take; failed ones are repeated for twice that time."""


class BucketObjects:
    """The objects under an address (`s3://BUCKET/PREFIX`), with keys and endpoint as `archive.Archive` takes them."""

    def __init__(self, address: str) -> None:

        try:
            self._objects: Any = bucket_at(address, PATIENCE)
        except (BaseError, ValueError) as error:
            raise UnusableLocation(f"the address can't be used: {told(error)}") from None

    def listed(self) -> Iterator[tuple[str, int]]:
        """Iterate over the objects, some at a time."""
        with reaching("the bucket"):
            for part in obstore.list(self._objects, chunk_size=1000):
                for each in part:
                    yield str(each["path"]), int(each["size"])

    def read(self, name: str) -> bytes:
        """Return the bytes of an object."""
        with reaching("the bucket"):
            try:
                answer = obstore.get(self._objects, name)
                if int(answer.meta["size"]) > GREATEST_OBJECT:
                    return bounded(None)
                return bytes(answer.bytes())
            except (NotFoundError, FileNotFoundError):
                raise UnreadObject("it can't be read: no such object") from None
            except (PermissionDeniedError, PermissionError):
                raise UnreadObject("it can't be read: permission denied") from None

    def create(self, name: str, data: bytes) -> None:
        """Write an object, create-only."""
        with reaching("the bucket"), suppress(AlreadyExistsError):
            obstore.put(self._objects, name, data, mode="create")
