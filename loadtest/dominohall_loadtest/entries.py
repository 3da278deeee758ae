"""Entries of a log, read by a second reader that shares no code with the writer.

    entry := record link [opening] [terminal link]
    link  := SHA-256("dominohall/link/1" || 00 || link before || record)

The replay library could read them as well; a load test that asked it would only learn that it agrees with itself.
`docs/replay-format.md` is the specification.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

import msgpack

HEADER: Final = 0
MOVE: Final = 1
TERMINAL: Final = 2
OPENING: Final = 16
SIGNATURE: Final = 32
SECRET: Final = 33
ATTACHMENTS: Final = (SIGNATURE, SECRET)

NO_HASH: Final = bytes(32)
"""The link before the header, and the root while no tiles are dealt."""


class Mismatch(Exception):
    """A reply that is not what the engine, or the chain of the log, says it must be."""


@dataclass(frozen=True)
class ReadEntry:
    """One entry whose links were recomputed: its record, what stands beside it, and the last link in it."""

    record: list[Any]
    order: bytes | None
    terminal: list[Any] | None
    link: bytes


def expect(what: str, wanted: object, got: object) -> None:
    """Raise `Mismatch` unless both are the same. Never called with a hidden tile: the text ends up in reports."""
    if wanted != got:
        raise Mismatch(f"{what}: expected {_short(wanted)}, got {_short(got)}")


def read_entry(entry: bytes, previous: bytes) -> ReadEntry:
    """Read an entry and recompute its links from the link before it; `Mismatch` where they differ."""
    try:
        return _read_entry(entry, previous)
    except (msgpack.UnpackException, ValueError, TypeError, IndexError) as error:
        raise Mismatch(f"entry: expected records of the replay format, got {type(error).__name__}") from error


def _read_entry(entry: bytes, previous: bytes) -> ReadEntry:
    reader = msgpack.Unpacker(raw=False)
    reader.feed(entry)
    record = reader.unpack()
    link = _check_link(entry[: reader.tell()], previous, reader.unpack())
    order: bytes | None = None
    terminal: list[Any] | None = None
    while reader.tell() < len(entry):
        start = reader.tell()
        item = reader.unpack()
        if item[0] == OPENING:
            order = item[1]
        elif item[0] == TERMINAL:
            terminal = item
            link = _check_link(entry[start : reader.tell()], link, reader.unpack())
        else:
            raise Mismatch(f"entry: expected an opening or a terminal record, got kind {item[0]}")
    return ReadEntry(record, order, terminal, link)


def attachment_kinds(beside: bytes) -> list[int]:
    """Return the kinds of what stands behind the entries of a log; `Mismatch` for anything but attachments."""
    reader = msgpack.Unpacker(raw=False)
    reader.feed(beside)
    try:
        kinds = [item[0] for item in reader]
    except (msgpack.UnpackException, ValueError, TypeError, IndexError) as error:
        raise Mismatch(f"attachments: expected those of the replay format, got {type(error).__name__}") from error
    expect("kinds of attachments", [], [kind for kind in kinds if kind not in ATTACHMENTS])
    return kinds


def secrets_in(beside: bytes) -> list[bytes]:
    """Return the match secrets that are revealed behind the entries of a log."""
    reader = msgpack.Unpacker(raw=False)
    reader.feed(beside)
    return [item[1] for item in reader if item[0] == SECRET]


def state_digest(public_state: bytes, root: bytes | None) -> bytes:
    """Return the digest of a state: its public part and the salted root of the shake, if tiles are dealt."""
    return sha256(b"dominohall/state/1\0" + public_state + (root or NO_HASH)).digest()


def _check_link(record: bytes, previous: bytes, link: object) -> bytes:
    wanted = sha256(b"dominohall/link/1\0" + previous + record).digest()
    expect("link", wanted, link)
    return wanted


def _short(value: object) -> str:
    text = value.hex()[:16] if isinstance(value, bytes) else str(value)
    return text if len(text) <= 120 else text[:117] + "..."
