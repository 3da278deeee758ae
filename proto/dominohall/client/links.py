"""The chain of a log, followed without knowing what its records say.

    log   := entry* attachment*
    entry := record link [opening] [terminal link]
    link  := SHA-256("dominohall/link/1" || 00 || link before || record)

A client has to find where a record ends and which number it bears, no more: so this skips through MessagePack instead
of reading it, and needs no library for that. `docs/replay-format.md` specifies every byte.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from dominohall.client.errors import BrokenReply

DOMAIN: Final = b"dominohall/link/1\0"
NO_LINK: Final = bytes(32)
"""What stands before the header."""
HEADER: Final = 0
MOVE: Final = 1
TERMINAL: Final = 2
OPENINGS: Final = (16, 17)
FIRST_ATTACHMENT: Final = 32
DEEPEST: Final = 8
LINK_HEAD: Final = b"\xc4\x20"
"""The head of 32 bytes in MessagePack."""

FIXED: Final = {0xC0: 0, 0xC2: 0, 0xC3: 0} | {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}
"""Head byte of an item -> how many bytes follow."""
SIZED: Final = {0xC4: 1, 0xC5: 2, 0xD9: 1, 0xDA: 2}
"""Head byte of bytes or text -> how many bytes its size has."""


@dataclass(frozen=True, slots=True)
class Linked:
    """One entry of a log whose links were recomputed."""

    sequence: int
    """0 for the header, then one more for each move."""
    link: bytes
    """The link after it, 32 bytes."""
    entry: bytes
    """Its bytes in the log: a host that keeps them in order has the log file."""


def read_entry(entry: bytes, sequence: int, previous: bytes) -> Linked:
    """Recompute the links of one whole entry from the link before it; `BrokenReply` if it is not this one."""
    linked = next(read_entries(entry, sequence, previous), None)
    if linked is None or len(linked.entry) != len(entry):
        raise BrokenReply(f"expected one entry at sequence {sequence}, got {len(entry)} bytes that are not one")
    return linked


def read_entries(log: bytes, sequence: int, previous: bytes) -> Iterator[Linked]:
    """Recompute the links of entries that stand one after another; stops at the attachments behind them."""
    at = 0
    while at < len(log) and kind_at(log, at) < FIRST_ATTACHMENT:
        start = at
        check_record(log, at, sequence)
        previous, at = link_at(log, at, previous)
        while at < len(log) and (kind := kind_at(log, at)) in (*OPENINGS, TERMINAL):
            if kind == TERMINAL:
                previous, at = link_at(log, at, previous)
            else:
                at = item_end(log, at)
        yield Linked(sequence, previous, log[start:at])
        sequence += 1


def check_record(log: bytes, at: int, sequence: int) -> None:
    """Refuse a record that is not the header or the move of this number."""
    kind = kind_at(log, at)
    found = 0 if kind == HEADER else number_at(log, at + 2)
    if kind != (MOVE if sequence else HEADER) or found != sequence:
        raise BrokenReply(f"expected the record of sequence {sequence}, got kind {kind} of sequence {found}")


def link_at(log: bytes, at: int, previous: bytes) -> tuple[bytes, int]:
    """Recompute the link of the record at `at`; return it and the place after it."""
    end = item_end(log, at)
    link = sha256(DOMAIN + previous + log[at:end]).digest()
    if log[end : end + 34] != LINK_HEAD + link:
        raise BrokenReply(f"expected link {link.hex()[:16]} after the record, got another")
    return link, end + 34


def kind_at(log: bytes, at: int) -> int:
    """Return the kind of the record at `at`: the first number of an array."""
    if not 0x91 <= log[at] <= 0x9F:
        raise BrokenReply(f"expected a record, got byte {log[at]:#04x}")
    return number_at(log, at + 1)


def number_at(log: bytes, at: int) -> int:
    """Return the unsigned number at `at`; -1 for anything else."""
    head = log[at] if at < len(log) else 0xC0
    if head < 0x80:
        return head
    size = FIXED[head] if 0xCC <= head <= 0xCF else 0
    return int.from_bytes(log[at + 1 : at + 1 + size], "big") if size else -1


def item_end(log: bytes, at: int, depth: int = 0) -> int:
    """Return the place after the item at `at`; `BrokenReply` if the log ends before, or for what a log can't hold."""
    if at >= len(log) or depth > DEEPEST:
        raise BrokenReply("expected a whole entry, got the beginning of one")
    head = log[at]
    end = at + 1
    if 0x80 <= head <= 0x9F or head in (0xDC, 0xDE):
        count, end = head & 0x0F, at + 1
        if head >= 0xDC:
            count, end = int.from_bytes(log[at + 1 : at + 3], "big"), at + 3
        pairs = head < 0x90 or head == 0xDE
        for _ in range(2 * count if pairs else count):
            end = item_end(log, end, depth + 1)
    elif 0xA0 <= head <= 0xBF:
        end += head & 0x1F
    elif head in SIZED:
        size = SIZED[head]
        end += size + int.from_bytes(log[at + 1 : at + 1 + size], "big")
    elif head in FIXED:
        end += FIXED[head]
    elif 0x80 <= head < 0xE0:
        raise BrokenReply(f"expected an item of the replay format, got byte {head:#04x}")
    if end > len(log):
        raise BrokenReply("expected a whole entry, got the beginning of one")
    return end
