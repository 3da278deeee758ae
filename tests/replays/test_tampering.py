"""A log that somebody changed is noticed, wherever the change is."""

from typing import Any

import pytest
from dominohall_engine.moves import Abandon
from dominohall_replays.records import revealed_secret
from dominohall_replays.verify import Report, Verdict, verify

CHANGES = (0x01, 0x80, 0xFF, 0x20)
"""What a byte is changed by, in turn: the lowest bit, the highest, all of them, one in the middle."""


@pytest.fixture(scope="module", params=["fives", "forty_two"])
def brief_match(request: pytest.FixtureRequest, record: Any, tools: Any) -> Any:
    """Play a match of a dozen moves, a lot, a shake and the host's end among them: small enough to try everything."""
    match = record(request.param, tools.SHORT[request.param], seed=4, moves=11, times=True)
    tools.add(match, Abandon("table-closed"))
    return match


def boundaries(match: Any) -> dict[int, int]:
    """Return where each entry ends, and its sequence."""
    ends, place = {}, 0
    for entry in match.entries:
        place += len(entry.data)
        ends[place] = entry.sequence
    return ends


def test_every_changed_byte_is_noticed(brief_match: Any) -> None:
    """Change any one byte of a finished log with its revealed secret: the verdict is against it."""
    noticed(brief_match.revealed, 1)


def test_changed_bytes_are_noticed_in_a_whole_round(short_match: Any) -> None:
    """The same in a match that was played out, every few bytes."""
    noticed(short_match.revealed, 9)


def noticed(log: bytes, stride: int) -> None:
    """Change every so many bytes, one at a time, and expect a verdict against each."""
    assert verify(log).verdict is Verdict.VALID
    for place in range(0, len(log), stride):
        changed = bytearray(log)
        changed[place] ^= CHANGES[place % len(CHANGES)]
        report = verify(bytes(changed))
        assert not report.good, f"byte {place}: {report}"


def test_a_changed_byte_is_placed_in_its_entry(short_match: Any) -> None:
    """The fault that a changed byte makes is found in the entry it lies in, or at the header."""
    log = short_match.log
    ends = boundaries(short_match)
    begin = 0
    for end, sequence in ends.items():
        changed = bytearray(log)
        changed[(begin + end) // 2] ^= 0x04
        report = verify(bytes(changed))
        assert report.sequence == sequence, report
        assert report.offset is not None
        assert begin <= report.offset <= end
        begin = end


def test_every_cut_is_noticed(brief_match: Any) -> None:
    """Cut the log after any byte: truncated, or unfinished where the cut falls between two entries."""
    log = brief_match.log
    ends = boundaries(brief_match)
    for length in range(len(log)):
        report = verify(log[:length])
        wanted = Verdict.UNFINISHED if length in ends else Verdict.TRUNCATED
        assert report.verdict is wanted, f"{length} bytes: {report}"
        if length in ends:
            assert report.moves == ends[length]


def test_every_cut_is_noticed_against_a_head(brief_match: Any) -> None:
    """With the head that somebody kept, a cut between two entries is no longer taken for an unfinished match."""
    for length in boundaries(brief_match):
        report = verify(brief_match.log[:length], expected_head=brief_match.head)
        whole = length == len(brief_match.log)
        assert report.verdict is (Verdict.VALID if whole else Verdict.TRUNCATED)


def test_a_cut_secret_is_truncated(short_match: Any) -> None:
    """Cut inside the revealed secret: truncated; cut before it: valid, with the deal unproven."""
    secret = revealed_secret(short_match.secret)
    for length in range(1, len(secret)):
        assert verify(short_match.log + secret[:length]).verdict is Verdict.TRUNCATED
    assert (verify(short_match.log).verdict, verify(short_match.log).deal) == ("valid", "unproven")


def test_entries_out_of_their_place_break_the_chain(short_match: Any) -> None:
    """Take an entry out, put one in twice, swap two: the chain breaks at the first that is out of place."""
    data = [entry.data for entry in short_match.entries]
    assert chain_breaks_at([*data[:4], *data[5:]]) == 4
    assert chain_breaks_at([*data[:5], data[4], *data[5:]]) == 5
    assert chain_breaks_at([*data[:4], data[5], data[4], *data[6:]]) == 4


def chain_breaks_at(parts: list[bytes]) -> int | None:
    """Return the sequence at which the chain of these entries breaks."""
    report: Report = verify(b"".join(parts))
    assert report.verdict is Verdict.CHAIN_BROKEN
    return report.sequence
