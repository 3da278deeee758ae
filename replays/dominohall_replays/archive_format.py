r"""The segment of an archive: many logs in one object, with an index behind them (`docs/archive-format.md`).

segment = magic log* index footer
index   = MessagePack array of [owner, match id, sequence, link, offset, size, digest, form], by owner and match id
footer  = u64 offset of the index, u64 its size, SHA-256 of all before the footer, "dominohall/segment-end/1\0"
"""

from collections.abc import Iterable
from hashlib import sha256
from struct import Struct
from typing import Any, Final, NamedTuple

import msgpack

from dominohall_replays.errors import ReplayError
from dominohall_replays.records import Head

MAGIC: Final = b"dominohall-segment/1\n"
END: Final = b"dominohall/segment-end/1\0"
FOOTER: Final = Struct(f">QQ32s{len(END)}s")
LOG: Final = "log"
"""The one form of this version: the log as it is. A compact form will have a name of its own."""
GREATEST_INDEX: Final = 1 << 28
"""Bytes of the largest index that is read."""


class UnreadableSegment(ReplayError, ValueError):
    """Bytes that are no segment of this version, or not the ones that were written."""


class Kept(NamedTuple):
    """One log in a segment, as the index has it."""

    owner: str
    head: Head
    offset: int
    size: int
    digest: bytes
    """SHA-256 of the log's bytes."""


class Segment(NamedTuple):
    """A segment that was packed."""

    name: str
    """Its digest in hexadecimal: the same logs make the same segment under the same name."""
    data: bytes
    kept: tuple[Kept, ...]


def pack(logs: Iterable[tuple[str, Head, bytes]]) -> Segment:
    """Pack the logs of matches; `ValueError` if a match is there twice or there is none."""
    found = sorted(logs, key=lambda each: (each[0].encode(), each[1].match_id.encode()))
    if not found or len({(owner, head.match_id) for owner, head, _ in found}) < len(found):
        raise ValueError("expected one log or more, each of another match")
    index, parts, offset = [], [MAGIC], len(MAGIC)
    for owner, head, log in found:
        index.append(Kept(owner, head, offset, len(log), sha256(log).digest()))
        parts.append(log)
        offset += len(log)
    packed = msgpack.packb([[k.owner, *k.head, k.offset, k.size, k.digest, LOG] for k in index])
    parts.append(packed)
    digest = sha256(b"".join(parts)).digest()
    parts.append(FOOTER.pack(offset, len(packed), digest, END))
    return Segment(digest.hex(), b"".join(parts), tuple(index))


def read_footer(footer: bytes, total: int) -> tuple[int, int, bytes]:
    """Return where the index begins, its size and the digest of the segment, from its last bytes."""
    if len(footer) != FOOTER.size:
        raise UnreadableSegment(f"expected a footer of {FOOTER.size} bytes, got {len(footer)}")
    offset, size, digest, end = FOOTER.unpack(footer)
    if end != END:
        raise UnreadableSegment("expected the end of a segment of version 1, got other bytes")
    if offset < len(MAGIC) or size > GREATEST_INDEX or offset + size + FOOTER.size != total:
        raise UnreadableSegment(f"expected an index between the logs and the footer, got one at byte {offset}")
    return offset, size, digest


def read_index(packed: bytes) -> tuple[Kept, ...]:
    """Return what a segment holds; `UnreadableSegment` if this version can't read it."""
    try:
        rows: Any = msgpack.unpackb(packed, strict_map_key=True)
        return tuple(_kept(*row) for row in rows)
    except (ValueError, TypeError, msgpack.UnpackException) as error:
        raise UnreadableSegment(f"expected the index of a segment, got other bytes: {type(error).__name__}") from None


def _kept(*row: Any) -> Kept:  # noqa: ANN401 - from outside
    match row:
        case (str(owner), str(match_id), int(sequence), bytes(link), int(offset), int(size), bytes(digest), "log"):
            return Kept(owner, Head(match_id, sequence, link), offset, size, digest)
        case _:
            raise ValueError("expected a row of this version")


def check_segment(data: bytes) -> tuple[Kept, ...]:
    """Check every byte of a segment and return its index; `UnreadableSegment` if anything in it was changed."""
    offset, size, digest = read_footer(data[-FOOTER.size :], len(data))
    if not data.startswith(MAGIC):
        raise UnreadableSegment("expected a segment of version 1, got other bytes")
    if sha256(data[: offset + size]).digest() != digest:
        raise UnreadableSegment("expected the bytes that were written, got others")
    index = read_index(data[offset : offset + size])
    at = len(MAGIC)
    for kept in index:
        if kept.offset != at or sha256(data[at : at + kept.size]).digest() != kept.digest:
            raise UnreadableSegment(f"expected a log at byte {at}, got other bytes")
        at += kept.size
    return index
