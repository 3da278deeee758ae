"""The checker itself, on logs made by hand: each thing that must never happen is found, and called by its name."""

from hashlib import sha256

import msgpack
import pytest
from dominohall_loadtest.chaos.checking import Fault, doubled_entries, judge_log
from dominohall_loadtest.chaos.ledger import MatchBook

SHAKE, ONE, OTHER = b"\x01", b"\x10\x00\x1e", b"\x11\x00"


def entry(previous: bytes, record: list[object]) -> tuple[bytes, bytes]:
    """Write an entry; return it and its link."""
    packed = msgpack.packb(record)
    link = sha256(b"dominohall/link/1\0" + previous + packed).digest()
    return packed + msgpack.packb(link), link


def written(*moves: bytes) -> list[bytes]:
    """Write the entries of a log of these moves."""
    data, link = entry(bytes(32), [0, {"match_id": "m"}])
    entries = [data]
    for sequence, move in enumerate(moves, 1):
        data, link = entry(link, [1, sequence, move, bytes(32), None, None])
        entries.append(data)
    return entries


def told(*moves: bytes) -> MatchBook:
    """Return the book of a host that asked for these moves and was told that they stand."""
    book = MatchBook("m")
    for sequence, data in enumerate(written(*moves)):
        book.asked[sequence].add(moves[sequence - 1] if sequence else b"")
        book.acknowledged[sequence].add(data)
    return book


def faults(book: MatchBook, log: bytes) -> set[Fault]:
    """Return the kinds of faults that are found."""
    return {finding.fault for finding in judge_log(book, log)[0]}


def test_a_log_that_holds_what_was_told_is_clean() -> None:
    """Nothing is found in a log with exactly the acknowledged entries, or with one whose reply was lost."""
    log = b"".join(written(SHAKE, ONE, OTHER))
    findings, links = judge_log(told(SHAKE, ONE, OTHER), log)
    assert findings == []
    assert len(links) == 4
    unsure = told(SHAKE, ONE)
    unsure.asked[3].add(OTHER)
    assert faults(unsure, log) == set()


def test_an_acknowledged_entry_that_is_missing_is_lost() -> None:
    """A log that ends too early, or that has another move there, has lost what was acknowledged."""
    assert faults(told(SHAKE, ONE, OTHER), b"".join(written(SHAKE, ONE))) == {Fault.LOST}
    assert Fault.LOST in faults(told(SHAKE, ONE), b"".join(written(SHAKE, OTHER)))
    findings, _ = judge_log(told(SHAKE, ONE, OTHER), b"".join(written(SHAKE)))
    assert [finding.fault for finding in findings] == [Fault.LOST, Fault.LOST]


def test_a_move_that_stands_twice_is_doubled() -> None:
    """A move recorded once more behind itself is one that nobody asked for there."""
    book = told(SHAKE, ONE)
    assert faults(book, b"".join(written(SHAKE, ONE, ONE))) == {Fault.DOUBLED}


def test_two_answers_for_one_place_are_a_fork() -> None:
    """Two hosts that were told different entries of one place: one of them was lied to."""
    book = told(SHAKE, ONE)
    book.asked[2].add(OTHER)
    book.acknowledged[2].add(written(SHAKE, OTHER)[2])
    assert Fault.FORKED in faults(book, b"".join(written(SHAKE, ONE)))


@pytest.mark.parametrize("place", range(0, 300, 7))
def test_a_changed_byte_breaks_the_chain(place: int) -> None:
    """Any changed byte of the chained part is found."""
    log = bytearray(b"".join(written(SHAKE, ONE, OTHER)))
    log[place % len(log)] ^= 0x40
    assert faults(told(SHAKE, ONE, OTHER), bytes(log))


def test_an_entry_in_two_logs_is_doubled() -> None:
    """A link stands in one log of a store and nowhere else."""
    links = [("a", b"1" * 32), ("a", b"2" * 32), ("b", b"1" * 32)]
    assert {(finding.fault, finding.match_id) for finding in doubled_entries(links)} == {
        (Fault.DOUBLED, "a"),
        (Fault.DOUBLED, "b"),
    }
