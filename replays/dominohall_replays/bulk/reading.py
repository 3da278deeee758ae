"""The bytes of a batch, read where it is judged, and the digest that stands for all of them."""

import os
from collections.abc import Iterator
from hashlib import sha256
from typing import Final, NamedTuple

from dominohall_replays.bulk.findings import Place
from dominohall_replays.bulk.listing import SEGMENT_SUFFIX, Batch, Key
from dominohall_replays.bulk.locations import Kind
from dominohall_replays.bulk.objects import UnreadObject, objects_at
from dominohall_replays.bulk.stores import opened
from dominohall_replays.export import log_bytes
from dominohall_replays.records import Head
from dominohall_replays.store import Archived, UnknownMatch

DOMAIN: Final = b"dominohall/audit-batch/1\0"


class Piece(NamedTuple):
    """One thing that was listed, as it was read."""

    key: Key
    data: bytes = b""
    head: Head | None = None
    """Of a stored match, the last entry as the store has it."""
    why: str = ""
    """Why it can't be read, "" if it was."""
    archived: bool = False
    """Whether a store has a tombstone in its place."""

    @property
    def place(self) -> Place:
        """Where this lies."""
        return place_of(self.key)._replace(head=self.head)

    @property
    def is_segment(self) -> bool:
        """Whether this is a segment of many logs."""
        return not self.key[1] and self.key[0].endswith(SEGMENT_SUFFIX)


def pieces_of(batch: Batch) -> Iterator[Piece]:
    """Read what a batch names; `StoreUnavailable` if the location as a whole does not answer."""
    if batch.location.kind is Kind.FILES:
        objects = objects_at(batch.location.address)
        for key in batch.keys:
            try:
                yield Piece(key, objects.read(key[0]))
            except UnreadObject as error:
                yield Piece(key, why=str(error))
        return
    with opened(batch.location.address) as store:
        for owner, match_id in batch.keys:
            try:
                entries = list(store.entries(owner, match_id))
            except Archived:
                yield Piece((owner, match_id), archived=True)
            except UnknownMatch:
                yield Piece((owner, match_id), why="it was in the store when it was listed, and is no longer")
            else:
                head = Head(match_id, entries[-1].sequence, entries[-1].link)
                yield Piece((owner, match_id), log_bytes(entries), head)


def digest_of(pieces: list[Piece], terms: bytes) -> str:
    """Return a digest over all that a judgement depends on: names, bytes and terms, each behind its length."""
    digest = sha256(DOMAIN + sha256(terms).digest())
    for piece in pieces:
        head = b"" if piece.head is None else piece.head.sequence.to_bytes(4, "big") + piece.head.link
        for part in (*map(os.fsencode, piece.key), head, bytes([piece.archived])):
            digest.update(len(part).to_bytes(4, "big") + part)
        digest.update(sha256(piece.data).digest())
    return digest.hexdigest()


def place_of(key: Key) -> Place:
    """Return where something lies: a file by its name as it can be printed, a match by its owner and id."""
    one, other = key
    return Place("", 0, one, other) if other else Place(os.fsencode(one).decode(errors="replace"))
