"""The checker: holds the logs of a store against what the hosts asked for and were told.

It works on bytes and shares no code with whatever wrote them: entries are read by the second reader of `entries`.
"""

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from dominohall.client import BrokenReply, Linked
from dominohall.client.links import read_entries

from dominohall_loadtest.chaos.ledger import MatchBook
from dominohall_loadtest.entries import MOVE, NO_HASH, Mismatch, read_entry
from dominohall_loadtest.wire import CHANCE_CODES


class Fault(StrEnum):
    """What must never be found."""

    LOST = "lost"
    """An acknowledged entry is not in the log at its place."""
    DOUBLED = "doubled"
    """The log holds a move that nobody asked for there, or one entry stands in two logs."""
    FORKED = "forked"
    """Two different entries were acknowledged for one place."""
    BROKEN = "broken"
    """The chain does not hold, or the log can't be read."""
    UNVERIFIED = "unverified"
    """The replay does not verify."""
    DIFFERENT = "different"
    """A host ended with another state than the log gives, or two servers tell different logs."""


class Finding(NamedTuple):
    """One fault, and where."""

    fault: Fault
    match_id: str
    what: str


def judge_log(book: MatchBook, log: bytes) -> tuple[list[Finding], list[bytes]]:
    """Judge the log of one match; return what is wrong with it, and the links of its entries."""
    findings: list[Finding] = []

    def found(fault: Fault, what: str) -> None:
        findings.append(Finding(fault, book.match_id, what))

    entries: list[Linked] = []
    try:
        entries.extend(read_entries(log, 0, NO_HASH))
    except (BrokenReply, IndexError) as error:
        found(Fault.BROKEN, f"after entry {len(entries) - 1}: {error}")
    previous = NO_HASH
    for each in entries:
        try:
            read = read_entry(each.entry, previous)
        except Mismatch as error:
            found(Fault.BROKEN, f"entry {each.sequence}: {error}")
            break
        previous = read.link
        if read.record[0] == MOVE and asked_as(read.record[2]) not in book.asked[each.sequence]:
            found(Fault.DOUBLED, f"entry {each.sequence} holds a move that nobody asked for there")
    for sequence, told in sorted(book.acknowledged.items()):
        if len(told) > 1:
            found(Fault.FORKED, f"{len(told)} different entries were acknowledged at {sequence}")
        stored = entries[sequence].entry if sequence < len(entries) else None
        found_there = sum(entry != stored for entry in told)
        for _ in range(found_there):
            found(Fault.LOST, f"an acknowledged entry does not stand at {sequence} of {len(entries) - 1}")
    return findings, [each.link for each in entries]


def asked_as(move: bytes) -> bytes:
    """Return a recorded move as it was asked for: hosts send a move of chance without what it will bring."""
    return move[:1] if move[0] in CHANCE_CODES else move


def doubled_entries(links: Iterable[tuple[str, bytes]]) -> list[Finding]:
    """Find links that stand in more than one log, or twice in one; given (match id, link) of every entry."""
    counts = Counter(link for _, link in links)
    return [Finding(Fault.DOUBLED, match_id, f"link {link.hex()[:16]} stands {counts[link]} times")
            for match_id, link in links if counts[link] > 1]  # fmt: skip
