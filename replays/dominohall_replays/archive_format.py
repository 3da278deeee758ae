r"""The segment of an archive: many logs in one object, with an index behind them (`docs/archive-format.md`).

segment = magic part* index footer
footer  = u64 offset of the index, u64 its size, SHA-256 of all before the footer, "dominohall/segment-end/N\0"

The parts of version 1 are logs as they are, and its index has a row a log: [owner, match id, sequence, link, offset,
size, digest, "log"]. Those of version 2 are blocks of compact logs, and its index has a row a block: [offset, size,
logs, "compact"]. Either way the logs are in the order of the bytes of (owner, match id).
"""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from struct import Struct
from typing import Any, Final, NamedTuple, TypeVar

import msgpack

from dominohall_replays.compact_block import pack_block, read_block
from dominohall_replays.compact_row import Row
from dominohall_replays.errors import UnreadableSegment
from dominohall_replays.records import Head

RowT = TypeVar("RowT")

__all__ = [
    "COMPACT", "END", "FOOTER", "LOG", "MAGIC", "MAGIC_2", "PREFIX", "SUFFIX", "Block", "Kept", "Segment",
    "UnreadableSegment",
    "blocks_of", "check_segment", "kept_in", "pack", "pack_compact", "path_of", "read_footer", "read_index", "rows_in",
]  # fmt: skip

MAGIC: Final = b"dominohall-segment/1\n"
MAGIC_2: Final = b"dominohall-segment/2\n"
END: Final = b"dominohall/segment-end/1\0"
END_2: Final = b"dominohall/segment-end/2\0"
FOOTER: Final = Struct(f">QQ32s{len(END)}s")
LOG: Final = "log"
"""The form of a log as it is."""
COMPACT: Final = "compact"
"""The form of logs without what the rules give (`compact`)."""
LOGS_A_BLOCK: Final = 256
"""How many logs share a block: what is read and unpacked to get one of them, some 30 kB."""
PREFIX: Final = "segments/"
SUFFIX: Final = ".dominohall-segment"
GREATEST_INDEX: Final = 1 << 28
"""Bytes of the largest index that is read."""


class Kept(NamedTuple):
    """One log in a segment; `offset` and `size` are those of the block that it is in, if it is compact."""

    owner: str
    head: Head
    offset: int
    size: int
    digest: bytes = b""
    """SHA-256 of the log's bytes; nothing for a compact log, which its head proves."""
    form: str = LOG


class Block(NamedTuple):
    """Where some compact logs lie, and how many."""

    offset: int
    size: int
    logs: int


class Segment(NamedTuple):
    """A segment that was packed."""

    name: str
    """Its digest in hexadecimal: the same logs make the same segment under the same name."""
    data: bytes
    kept: tuple[Kept, ...]


def path_of(name: str) -> str:
    """Return where a segment lies in its location."""
    return f"{PREFIX}{name[:2]}/{name}{SUFFIX}"


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
    return _segment(parts, [[k.owner, *k.head, k.offset, k.size, k.digest, LOG] for k in index], END, index)


def pack_compact(rows: Iterable[Row], logs_a_block: int = LOGS_A_BLOCK) -> Segment:
    """Pack the rows of matches; `ValueError` if a match is there twice or there is none."""
    found = sorted(rows, key=_place)
    if not found or len({_place(row) for row in found}) < len(found):
        raise ValueError("expected one log or more, each of another match")
    index, kept, parts, offset = [], [], [MAGIC_2], len(MAGIC_2)
    for start in range(0, len(found), logs_a_block):
        group = found[start : start + logs_a_block]
        packed = pack_block(group)
        block = Block(offset, len(packed), len(group))
        index.append([*block, COMPACT])
        kept += [_kept_row(block, row) for row in group]
        parts.append(packed)
        offset += len(packed)
    return _segment(parts, index, END_2, kept)


def _segment(parts: list[bytes], index: list[list[Any]], end: bytes, kept: Iterable[Kept]) -> Segment:
    """Put index and footer behind the parts."""
    offset, packed = sum(map(len, parts)), msgpack.packb(index)
    whole = b"".join([*parts, packed])
    digest = sha256(whole).digest()
    return Segment(digest.hex(), whole + FOOTER.pack(offset, len(packed), digest, end), tuple(kept))


def _place(row: Row) -> tuple[bytes, bytes]:
    return row.template.owner.encode(), row.match_id.encode()


def _kept_row(block: Block, row: Row) -> Kept:
    head = Head(row.match_id, row.sequence, row.link)
    return Kept(row.template.owner, head, block.offset, block.size, b"", COMPACT)


def read_footer(footer: bytes, total: int) -> tuple[int, int, bytes]:
    """Return where the index begins, its size and the digest of the segment, from its last bytes."""
    if len(footer) != FOOTER.size:
        raise UnreadableSegment(f"expected a footer of {FOOTER.size} bytes, got {len(footer)}")
    offset, size, digest, end = FOOTER.unpack(footer)
    if end not in {END, END_2}:
        raise UnreadableSegment("expected the end of a segment of version 1 or 2, got other bytes")
    if offset < len(MAGIC) or size > GREATEST_INDEX or offset + size + FOOTER.size != total:
        raise UnreadableSegment(f"expected an index between the logs and the footer, got one at byte {offset}")
    return offset, size, digest


def read_index(packed: bytes) -> tuple[Kept, ...]:
    """Return what a segment of version 1 holds; `UnreadableSegment` if this is not its index."""
    return _rows_of(packed, _kept)


def _rows_of(packed: bytes, read: Callable[..., RowT]) -> tuple[RowT, ...]:
    try:
        rows: Any = msgpack.unpackb(packed, strict_map_key=True)
        return tuple(read(*row) for row in rows)
    except (ValueError, TypeError, msgpack.UnpackException) as error:
        raise UnreadableSegment(f"expected the index of a segment, got other bytes: {type(error).__name__}") from None


def _kept(*row: Any) -> Kept:  # noqa: ANN401 - from outside
    match row:
        case (str(owner), str(match_id), int(sequence), bytes(link), int(offset), int(size), bytes(digest), "log"):
            return Kept(owner, Head(match_id, sequence, link), offset, size, digest)
        case _:
            raise ValueError("expected a row of this version")


def blocks_of(packed: bytes) -> tuple[Block, ...]:
    """Return the blocks of a segment of version 2, by its index."""
    return _rows_of(packed, _block)


def _block(*row: Any) -> Block:  # noqa: ANN401 - from outside
    match row:
        case (int(offset), int(size), int(logs), "compact") if min(offset, size, logs) >= 0:
            return Block(offset, size, logs)
        case _:
            raise ValueError("expected a row of this version")


def rows_in(data: bytes, block: Block) -> list[Row]:
    """Read the compact logs of a block of a segment; `UnreadableSegment` names the byte where it begins."""
    try:
        rows = read_block(data[block.offset : block.offset + block.size])
    except UnreadableSegment as error:
        raise UnreadableSegment(f"the block at byte {block.offset}: {error}") from None
    if len(rows) != block.logs:
        raise UnreadableSegment(f"the block at byte {block.offset}: expected {block.logs} logs, got {len(rows)}")
    return rows


def kept_in(data: bytes) -> tuple[Kept, ...]:
    """Return what a segment in memory holds, whatever its version; its logs are not looked at."""
    offset, size, _ = read_footer(data[-FOOTER.size :], len(data))
    packed = data[offset : offset + size]
    if not data.startswith(MAGIC_2):
        return read_index(packed)
    return tuple([_kept_row(block, row) for block in blocks_of(packed) for row in rows_in(data, block)])


def check_segment(data: bytes) -> tuple[Kept, ...]:
    """Check every byte of a segment and return its index; `UnreadableSegment` if anything in it was changed."""
    offset, size, digest = read_footer(data[-FOOTER.size :], len(data))
    end = data[-len(END) :]
    if not data.startswith(MAGIC if end == END else MAGIC_2):
        raise UnreadableSegment("expected a segment of version 1 or 2, got other bytes")
    if sha256(data[: offset + size]).digest() != digest:
        raise UnreadableSegment("expected the bytes that were written, got others")
    index, at = kept_in(data), len(MAGIC)
    parts: Sequence[Kept | Block] = index if end == END else blocks_of(data[offset : offset + size])
    for part in parts:
        if part.offset != at or (isinstance(part, Kept) and sha256(data[at : at + part.size]).digest() != part.digest):
            raise UnreadableSegment(f"expected a log at byte {at}, got other bytes")
        at += part.size
    return index
