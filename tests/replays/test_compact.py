"""The compact form gives every log back byte for byte, in few bytes, and nothing else for one."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import zstandard
from dominohall_engine import fives, forty_two
from dominohall_engine.moves import Abandon, Shake
from dominohall_replays import deals
from dominohall_replays.compact import NotCompactable, compacted, expanded, judged, replayed, row_of
from dominohall_replays.compact_block import FRAME, decompressed, pack_block, read_block
from dominohall_replays.compact_digits import DigitReader, DigitWriter, packed_number, read_number
from dominohall_replays.errors import UnreadableSegment
from dominohall_replays.packing import pack
from dominohall_replays.records import SCRIPTED, SIGNATURE
from dominohall_replays.verdicts import Verdict
from dominohall_replays.verify import verify
from hypothesis import given
from hypothesis import strategies as st

LOTS = replace(
    fives.LINEAR,
    spinner=fives.SpinnerRule.NONE,
    draw=fives.DrawRule.ONE,
    block_lead=fives.BlockLead.LOT,
    tie_lead=fives.TieLead.REDRAW,
    target=150,
)
"""Options under which lots are drawn between rounds as well."""
FIXTURES = Path(__file__).parent / "fixtures/v1"
WITHOUT = {
    "imported",
    "fives.linear.seat",
    "fives.linear.spectator",
    "forty_two.polish.seat",
    "forty_two.polish.spectator",
}
"""Fixtures that have no compact form: imported, or redacted."""


def logs(record: Any, tools: Any, signer: Any) -> Iterator[tuple[str, bytes, bytes | None]]:
    """Play matches of every kind: a name, the log, and the secret if it is told apart from the log."""
    for name, options in (
        ("forty_two", forty_two.POLISH),
        ("forty_two", replace(forty_two.POLISH, all_pass=forty_two.AllPass.FORCED_30, round_limit=3)),
        ("forty_two", replace(forty_two.RUSSIAN, round_limit=4)),
        ("fives", fives.LINEAR),
        ("fives", replace(fives.LINEAR, seats=3, partners=False, round_limit=2)),
        ("fives", LOTS),
    ):
        match = record(name, options, seed=5)
        yield f"{name} without its secret", match.log, None
        yield f"{name} with a secret told", match.log, match.secret
        yield f"{name} with its secret", match.revealed, None
        yield f"{name} signed", signer.signed(match) + match.revealed[len(match.log) :], None
    for moves in (0, 1, 2, 9, 31):
        match = record("forty_two", forty_two.POLISH, moves=moves)
        yield f"unfinished after {moves}", match.log, match.secret
        tools.add(match, Abandon("x" * 64))
        yield f"abandoned after {moves}", match.log, match.secret
        yield f"abandoned after {moves}, unknown", match.log, None
    timed = record("fives", tools.SHORT["fives"], seed=2, times=True)
    yield "with times", timed.log, timed.secret
    odd = record("forty_two", forty_two.POLISH, moves=4, first=2)
    for at in (5, 4, None, 253_402_300_799_999, 0):
        tools.add(odd, odd.game.legal_moves(odd.states[-1])[0], occurred_at=at)
    yield "with times that go back, and a first seat", odd.log, odd.secret
    bare = record("forty_two", tools.SHORT["forty_two"], commit=False)
    yield "without a commitment", bare.log, bare.secret


def test_every_log_comes_back(record: Any, tools: Any, signer: Any) -> None:
    """Matches of every preset and kind come back byte for byte, and are judged as `verify` judges the log."""
    for name, log, secret in logs(record, tools, signer):
        data = compacted(log, secret)
        assert expanded(data) == log, name
        (row,) = read_block(data)
        report = verify(log)
        assert judged(row) == report, name
        assert report.good
        assert (replayed(row).verdict, replayed(row).moves) == (report.verdict, report.moves), name


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.dominohall")), ids=lambda path: path.stem)
def test_the_frozen_logs_come_back(path: Path) -> None:
    """Logs of the first days come back; imported and redacted ones are refused, never changed."""
    log = path.read_bytes()
    if path.stem in WITHOUT:
        with pytest.raises(NotCompactable):
            compacted(log)
    else:
        assert expanded(compacted(log)) == log


def test_labels_and_odd_ids_are_kept(tools: Any) -> None:
    """Labels, owners and ids of any kind come back; an id in capitals is not taken for the same UUID."""
    for match_id in ("é" * 64, "00000000-0000-4000-8000-00000000000A", "00000000-0000-4000-8000-00000000000a", "-"):
        match = tools.start("forty_two", tools.SHORT["forty_two"], match_id=match_id, owner="")
        match = replace(match, header=replace(match.header, labels=("a", "", "ü", "d")))
        from dominohall_replays.records import header_entry

        match.entries[0] = header_entry(match.header)
        tools.go_on(match, seed=1)
        assert expanded(compacted(match.log, match.secret)) == match.log


def test_a_scripted_match_keeps_its_tiles(tools: Any) -> None:
    """Shakes that the host gave are kept, with salts that it gave or that the secret gives."""
    for salt in (bytes(32), None):
        match = tools.start("forty_two", tools.SHORT["forty_two"], first=0, marks=(SCRIPTED,))
        tools.add(match, Shake(bytes(reversed(range(28)))), salt=salt)
        if salt is None:
            tools.go_on(match, seed=3)
        for log, secret in ((match.log, match.secret), (match.revealed, None), (match.log, None)):
            data = compacted(log, secret)
            assert expanded(data) == log
            assert judged(read_block(data)[0]) == verify(log)


def test_attachments_of_any_kind_are_kept(short_match: Any, signer: Any) -> None:
    """A signature over an earlier head, a foreign secret, and several of each come back in their order."""
    early = signer.receipt(short_match, 3)
    foreign = pack([33, bytes(32)])
    extra = pack([SIGNATURE, early.sequence, early.link, early.key_id, early.signature])
    for log in (short_match.log + extra + foreign + extra, short_match.revealed + foreign + extra):
        data = compacted(log)
        assert expanded(data) == log
        assert judged(read_block(data)[0]) == verify(log)


def test_a_secret_that_is_another_is_not_kept(short_match: Any) -> None:
    """A secret that is not the one committed to changes nothing."""
    assert compacted(short_match.log, bytes(32)) == compacted(short_match.log)


def test_what_does_not_hold_has_no_compact_form(short_match: Any) -> None:
    """Logs that are cut, changed, or end without their result are refused: they are kept as they are."""
    log = short_match.log
    changed = log[:300] + bytes((log[300] ^ 1,)) + log[301:]
    for bad in (b"", log[:-1], log[:-100], changed, log + b"\0", b"\xc1" + log[1:]):
        with pytest.raises(NotCompactable):
            compacted(bad)


def test_every_changed_byte_is_noticed(short_match: Any) -> None:
    """Any byte of a compact log changed, or any end of it cut off, is refused (one bit of zstd means nothing)."""
    log = short_match.revealed
    data = compacted(log)
    meaningless = 0
    for at in range(len(data)):
        with pytest.raises(UnreadableSegment):
            expanded(data[:at])
        for bit in (at % 8, (at + 4) % 8):
            try:
                assert expanded(data[:at] + bytes((data[at] ^ 1 << bit,)) + data[at + 1 :]) == log
                meaningless += 1
            except UnreadableSegment:
                pass
    assert meaningless <= 1


def test_a_row_that_was_changed_leads_elsewhere(short_match: Any) -> None:
    """Behind a checksum made anew, a changed choice, secret, head or count is still found by playing."""
    row, _ = row_of(short_match.revealed)
    for at in range(len(row.body)):
        body = row.body[:at] + bytes((row.body[at] ^ 4,)) + row.body[at + 1 :]
        assert not judged(row._replace(body=body)).good, at
    assert judged(row._replace(link=bytes(32))).verdict is Verdict.HEAD_DIFFERS
    assert judged(row._replace(match_id="other")).verdict is Verdict.HEAD_DIFFERS
    for sequence in (0, row.sequence - 1, row.sequence + 1):
        assert not judged(row._replace(sequence=sequence)).good
    for body in (row.body + b"\0", row.body + b"\1", row.body[:-1], b"", b"\xff"):
        assert judged(row._replace(body=body)).verdict is Verdict.UNREADABLE
    unknown = row._replace(template=row.template._replace(rules_digest=bytes(32)))
    assert judged(unknown).verdict is Verdict.UNKNOWN_RULES
    assert judged(row._replace(template=row.template._replace(game="chess"))).verdict is Verdict.UNKNOWN_RULES


def test_moves_alone_tell_when_it_comes_out_otherwise(short_match: Any) -> None:
    """The weaker check finds moves that lead to another end, by the digest of the last state."""
    row, _ = row_of(short_match.revealed)
    other = row.body[:33] + bytes((row.body[33] ^ 1,)) + row.body[34:]
    assert replayed(row._replace(body=other)).verdict is Verdict.DIGEST_DIFFERS
    assert replayed(row).verdict is Verdict.VALID
    assert replayed(row._replace(link=bytes(32))).verdict is Verdict.VALID
    assert replayed(row._replace(body=b"")).verdict is Verdict.UNREADABLE
    other_text = row.template._replace(rules_digest=bytes(32))
    assert replayed(row._replace(template=other_text)).verdict is Verdict.UNKNOWN_RULES


def test_an_attachment_of_another_size_is_refused(short_match: Any) -> None:
    """A signature without its key id, a key id that is too long, or nothing at all: unreadable, and no log."""
    row, _ = row_of(short_match.revealed)
    for kept in (b"", b"\1", b"\1" + bytes(64), b"\1" + bytes(33 + 64)):
        assert judged(row._replace(attachments=(kept,))).verdict is Verdict.UNREADABLE
        with pytest.raises(UnreadableSegment, match="key id"):
            expanded(pack_block([row._replace(attachments=(kept,))]))


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    """A frame that claims more than a block may have, says no size, or is none, is refused by a clear sentence."""
    big = zstandard.ZstdCompressor().compress(bytes(1 << 25))
    with pytest.raises(UnreadableSegment, match="one that says 33554432"):
        read_block(big)
    with pytest.raises(UnreadableSegment, match="expected a frame"):
        read_block(zstandard.ZstdCompressor(write_content_size=False).compress(b"x" * 99))
    lying = zstandard.ZstdCompressor().compress(bytes(300))
    at = lying.index((300 - 256).to_bytes(2, "little"))
    with pytest.raises(UnreadableSegment):
        decompressed(lying[:at] + (30).to_bytes(2, "little") + lying[at + 2 :], 1 << 24)
    for data in (b"", FRAME, b"x" * 40, big[:50]):
        with pytest.raises(UnreadableSegment):
            read_block(data)


def test_two_logs_are_not_one(short_match: Any) -> None:
    """What holds several logs is not expanded to one of them."""
    row, _ = row_of(short_match.log)
    with pytest.raises(UnreadableSegment, match="one log, got 2"):
        expanded(pack_block([row, row]))
    assert read_block(pack_block([row, row])) == [row, row]


@given(digits=st.lists(st.integers(2, 256).flatmap(lambda radix: st.tuples(st.integers(0, radix - 1), st.just(radix)))))
def test_digits_come_back(digits: list[tuple[int, int]]) -> None:
    """Any digits come back, take the bits that they have, and leave nothing over."""
    writer = DigitWriter()
    scale = 1
    for digit, radix in digits:
        writer.put(digit, radix)
        scale *= radix
    data = writer.data()
    assert len(data) * 8 <= scale.bit_length() * 1.17 + 15
    reader = DigitReader(b"before" + data, 6)
    assert [reader.take(radix) for _, radix in digits] == [digit for digit, _ in digits]
    reader.finish()
    longer = DigitReader(data + b"\0", 0)
    for _, radix in digits:
        longer.take(radix)
    with pytest.raises(UnreadableSegment):
        longer.finish()


@given(number=st.integers(0, (1 << 63) - 1), secret=st.binary(min_size=32, max_size=32))
def test_numbers_and_orders_come_back(number: int, secret: bytes) -> None:
    """Numbers of 63 bits and the orders of shakes come back; cut numbers are refused."""
    packed = packed_number(number)
    assert read_number(packed, 0) == (number, len(packed))
    with pytest.raises(UnreadableSegment):
        read_number(packed[:-1], 0)
    order = deals.derive_shake(secret, 0)
    writer = DigitWriter()
    writer.put_chance(order)
    assert len(writer.data()) == 13
    assert DigitReader(writer.data(), 0).take_order() == order
