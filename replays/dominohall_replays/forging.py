"""Forged logs: what somebody would write who knows the format and can compute every link.

For tests, the demo and generated archives, so that what `verify` must find is made in one place. A log is taken apart
into its records, one of them is changed, and the chain is put together anew: links never give such a forger away,
digests, rules and results do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dominohall_replays.log import read_log
from dominohall_replays.packing import pack, unpack
from dominohall_replays.records import BYTES_32, NO_HASH, TERMINAL, Entry, link_of


@dataclass
class Part:
    """An entry taken apart: its record, what stands beside it, its terminal record."""

    record: list[Any]
    opening: bytes = b""
    terminal: list[Any] | None = None


def taken_apart(entries: Sequence[Entry]) -> list[Part]:
    """Take every entry of a log apart."""
    return [_part(entry.data) for entry in entries]


def put_together(parts: Sequence[Part]) -> bytes:
    """Write entries with links that follow."""
    out, link = [], NO_HASH
    for part in parts:
        for record, beside in ((part.record, part.opening), (part.terminal, b"")):
            if record is not None:
                packed = pack(record)
                link = link_of(link, packed)
                out += [packed, BYTES_32, link, beside]
    return b"".join(out)


def relinked(log: bytes, sequence: int, record: bytes) -> bytes:
    """Put another record at a sequence and make every link anew; attachments are left out."""
    source = read_log(log)
    link = source.first.link
    copy = [log[: source.first.end]]
    for entry in source:
        chained = record if entry.sequence == sequence else entry.record
        link = link_of(link, chained)
        copy += [chained, BYTES_32, link]
        if entry.terminal is None:
            copy.append(log[entry.offset + len(entry.record) + len(BYTES_32) + len(link) : entry.end])
        else:
            link = link_of(link, entry.terminal_record)
            copy += [entry.terminal_record, BYTES_32, link]
    return b"".join(copy)


def _part(data: bytes) -> Part:
    record, at = unpack(data)
    if not isinstance(record, list):
        raise TypeError("expected the record of an entry")
    part = Part(record)
    at += len(BYTES_32) + len(NO_HASH)
    while at < len(data):
        item, end = unpack(data, at)
        if isinstance(item, list) and item[0] == TERMINAL:
            part.terminal, end = item, end + len(BYTES_32) + len(NO_HASH)
        else:
            part.opening = data[at:end]
        at = end
    return part
