"""What signatures and receipts add to a verdict, and what each tampering comes to against them."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from dominohall_engine import forty_two
from dominohall_replays.errors import UnwritableRecord
from dominohall_replays.receipts import (
    UnreadableDocument,
    format_public_keys,
    format_receipt,
    parse_public_keys,
    parse_receipt,
)
from dominohall_replays.records import revealed_secret
from dominohall_replays.signatures import check_ranges, is_signed_by, sign_head, signature_item
from dominohall_replays.verdicts import Report
from dominohall_replays.verify import DealStatement, SignatureStatement, Verdict, verify

KEYS = ("none", "keys", "receipt")


@pytest.fixture(scope="module")
def match(record: Any) -> Any:
    """Play a match of several rounds to its end."""
    return record("forty_two", replace(forty_two.RUSSIAN, round_limit=3), seed=3)


def place(match: Any, sequence: int) -> int:
    """Return the byte at which an entry begins."""
    return sum(len(entry.data) for entry in match.entries[:sequence])


def test_a_checked_signature_over_the_last_entry_makes_a_log_authentic(match: Any, signer: Any) -> None:
    """With the public keys a signed log is checked and authentic, and its reason says how far a signature goes."""
    log = signer.signed(match) + revealed_secret(match.secret)
    report = verify(log, public_keys=signer.public_keys)
    assert (report.verdict, report.signature, report.deal) == ("valid", "checked", DealStatement.PROVEN)
    assert (report.authentic, report.signed_sequence) == (True, match.head.sequence)
    assert "only against a receipt" in report.reason
    report = verify(log, public_keys=signer.public_keys, receipts=[signer.receipt(match, 8)])
    assert report.authentic
    assert "only against a receipt" not in report.reason


@pytest.mark.parametrize("public_keys", [None, {}, {b"other": bytes(32)}])
def test_a_signature_that_can_not_be_checked_vouches_for_nothing(match: Any, signer: Any, public_keys: Any) -> None:
    """Without the key that a signature names it is unchecked; the log is not called authentic."""
    report = verify(signer.signed(match), public_keys=public_keys)
    assert report.signature is SignatureStatement.UNCHECKED
    assert (report.authentic, report.signed_sequence) == (False, None)
    assert report.verdict is (Verdict.VALID if public_keys is None else Verdict.UNSIGNED)


def test_a_signature_vouches_for_what_is_before_it_and_no_more(match: Any, signer: Any) -> None:
    """A signature over an earlier head leaves the rest of the log unsigned, from the next entry on."""
    log = match.log + signature_item(signer.receipt(match, 9)) + signature_item(signer.receipt(match, 5))
    report = verify(log, public_keys=signer.public_keys)
    assert (report.verdict, report.sequence, report.offset) == (Verdict.UNSIGNED, 10, place(match, 10))
    assert (report.signature, report.signed_sequence, report.authentic) == ("checked", 9, False)


def test_a_receipt_over_the_last_entry_is_as_good_as_a_signature(match: Any, signer: Any) -> None:
    """Whoever holds a checked receipt over the end needs no signature in the log."""
    report = verify(match.log, public_keys=signer.public_keys, receipts=[signer.receipt(match)])
    assert (report.verdict, report.signature, report.authentic) == ("valid", "absent", True)


@pytest.mark.parametrize("field", ["owner", "match_id", "sequence", "link"])
def test_a_signature_is_over_every_part_of_the_head(match: Any, signer: Any, field: str) -> None:
    """Moved to another owner, match, sequence or link, a signature no longer holds."""
    receipt = signer.receipt(match, 7)
    assert is_signed_by(receipt, signer.public_keys[signer.key_id])
    other = {"owner": "acm", "match_id": "ematch-1", "sequence": 8, "link": bytes(32)}[field]
    assert not is_signed_by(receipt._replace(**{field: other}), signer.public_keys[signer.key_id])


def test_every_changed_byte_of_a_signature_is_noticed(match: Any, signer: Any) -> None:
    """Change any byte of the attachment: it is wrong, unreadable, or by a key that nobody gave."""
    log, end = signer.signed(match), len(match.log)
    for offset in range(end, len(log)):
        changed = bytearray(log)
        changed[offset] ^= 1
        report = verify(bytes(changed), public_keys=signer.public_keys)
        assert report.verdict in {Verdict.SIGNATURE_WRONG, Verdict.UNREADABLE, Verdict.TRUNCATED, Verdict.UNSIGNED}
        assert not report.authentic
        if report.verdict is Verdict.SIGNATURE_WRONG:
            assert (report.signature, report.offset) == (SignatureStatement.WRONG, end)


@dataclass
class Tampered:
    """A log that somebody changed, and what is to be said of it: alone, with the keys, with receipts too."""

    log: bytes
    said: tuple[tuple[Verdict, int | None], ...]


def cut_tail(match: Any, tools: Any, signer: Any) -> Tampered:
    """Take the last entries away."""
    log, last = b"".join(each.data for each in match.entries[:-4]), match.head.sequence - 4
    return Tampered(log, ((Verdict.UNFINISHED, None), (Verdict.UNSIGNED, 0), (Verdict.TRUNCATED, last)))


def swapped_round(match: Any, tools: Any, signer: Any) -> Tampered:
    """Exchange the entries of the first round with those of the second."""
    shakes = [number for number, move in enumerate(match.moves, 1) if type(move).__name__ == "Shake"]
    data = [each.data for each in match.entries]
    first, second, third = shakes[:3]
    log = b"".join([*data[:first], *data[second:third], *data[first:second], *data[third:]])
    return Tampered(log, ((Verdict.CHAIN_BROKEN, first),) * 3)


def spliced_prefix(match: Any, tools: Any, signer: Any) -> Tampered:
    """Put the moves behind the header of another match."""
    other = tools.start("forty_two", match.game.options_of(match.states[0]), match_id="other")
    log = other.log + b"".join(each.data for each in match.entries[1:])
    return Tampered(log, ((Verdict.CHAIN_BROKEN, 1),) * 3)


def edited_move(match: Any, tools: Any, signer: Any) -> Tampered:
    """Change one byte of a move."""
    data = [each.data for each in match.entries]
    changed = bytearray(data[12])
    changed[6] ^= 1
    log = b"".join([*data[:12], bytes(changed), *data[13:]])
    return Tampered(log, ((Verdict.CHAIN_BROKEN, 12),) * 3)


def forged_suffix(match: Any, tools: Any, signer: Any) -> Tampered:
    """Play on from the middle, link it all again, and keep the signature."""
    log = tools.played_anew(match, 12, seed=77).log + signature_item(signer.receipt(match))
    wrong = (Verdict.SIGNATURE_WRONG, match.head.sequence)
    return Tampered(log, (wrong, wrong, (Verdict.HEAD_DIFFERS, 20)))


def unsigned_suffix(match: Any, tools: Any, signer: Any) -> Tampered:
    """Play on from the middle, link it all again, and leave the signature out."""
    log = tools.played_anew(match, 12, seed=77).log
    return Tampered(log, ((Verdict.VALID, None), (Verdict.UNSIGNED, 0), (Verdict.HEAD_DIFFERS, 20)))


def resigned_suffix(match: Any, tools: Any, signer: Any) -> Tampered:
    """Be the signer: play on from the middle and sign it anew. Only a receipt tells."""
    log = signer.signed(tools.played_anew(match, 12, seed=77))
    return Tampered(log, ((Verdict.VALID, None), (Verdict.VALID, None), (Verdict.HEAD_DIFFERS, 20)))


def empty_log(match: Any, tools: Any, signer: Any) -> Tampered:
    """Take everything away."""
    return Tampered(b"", ((Verdict.TRUNCATED, None),) * 3)


def unsigned_log(match: Any, tools: Any, signer: Any) -> Tampered:
    """Leave the signature out."""
    return Tampered(match.log, ((Verdict.VALID, None), (Verdict.UNSIGNED, 0), (Verdict.UNSIGNED, 21)))


TAMPERINGS: tuple[Callable[..., Tampered], ...] = (
    cut_tail,
    swapped_round,
    spliced_prefix,
    edited_move,
    forged_suffix,
    unsigned_suffix,
    resigned_suffix,
    empty_log,
    unsigned_log,
)


@pytest.mark.parametrize("tamper", TAMPERINGS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("against", range(3), ids=KEYS)
def test_every_tampering_has_its_verdict_and_place(
    match: Any, tools: Any, signer: Any, tamper: Callable[..., Tampered], against: int
) -> None:
    """Each is found where the page says, and none is called authentic, but for one: what the signer itself rewrote."""
    tampered = tamper(match, tools, signer)
    receipts = [signer.receipt(match, 20)] if tamper is not cut_tail else [signer.receipt(match)]
    report = verify(
        tampered.log,
        public_keys=signer.public_keys if against else None,
        receipts=receipts if against == 2 else (),
    )
    assert (report.verdict, report.sequence) == tampered.said[against], report.reason
    assert report.authentic == (tamper is resigned_suffix and against == 1)
    if report.sequence is not None:
        assert report.offset is not None
        begins = report.sequence and place(match, report.sequence)
        if tamper is cut_tail and against == 2:
            begins = len(tampered.log)
        if report.verdict is not Verdict.SIGNATURE_WRONG and tamper in {
            cut_tail,
            swapped_round,
            edited_move,
            unsigned_log,
        }:
            assert report.offset == begins


def test_a_rewritten_history_is_said_to_show_only_against_a_receipt(match: Any, tools: Any, signer: Any) -> None:
    """The verdict on a log that its signer rewrote warns, and against a receipt it says what happened."""
    tampered = resigned_suffix(match, tools, signer)
    assert "only against a receipt" in verify(tampered.log, public_keys=signer.public_keys).reason
    held = verify(tampered.log, public_keys=signer.public_keys, receipts=[signer.receipt(match, 20)])
    assert "replaced after that head was handed out" in held.reason


def test_what_becomes_of_each_receipt(match: Any, tools: Any, signer: Any) -> None:
    """Held, unchecked, differing, beyond the end, of another match, forged, by another key, not reached: all said."""
    good, late = signer.receipt(match, 5), signer.receipt(match)
    forged = good._replace(link=match.entries[6].link)
    foreign = signer.receipt(match, 5, match_id="another")
    unknown = sign_head(bytes(32), b"who", "acme", "match-1", 5, bytes(32))
    other = signer.receipt(tools.played_anew(match, 3, seed=5), 8)
    cut = b"".join(each.data for each in match.entries[:10])

    def said(log: bytes, *receipts: Any, keys: bool = True) -> list[str]:
        report = verify(log, public_keys=signer.public_keys if keys else None, receipts=receipts)
        return [each.statement for each in report.receipts]

    assert said(match.log, good, foreign, forged, unknown) == ["held", "other_match", "forged", "unknown_key"]
    assert verify(match.log, public_keys=signer.public_keys, receipts=[forged, unknown]).verdict is Verdict.UNSIGNED
    assert said(match.log, good, keys=False) == ["unchecked"]
    assert said(match.log, good, other, late) == ["held", "differs", "not_reached"]
    assert said(cut, good, late) == ["held", "beyond_end"]
    assert said(cut[:-1], signer.receipt(match, 9)) == ["not_reached"]


def test_a_receipt_over_the_header_is_one_too(match: Any, signer: Any) -> None:
    """A head at sequence 0 is held against the header."""
    assert verify(match.log, receipts=[signer.receipt(match, 0)]).receipts[0].statement == "unchecked"
    wrong = signer.receipt(match, 0, link=bytes(32))
    report = verify(match.log, public_keys=signer.public_keys, receipts=[wrong])
    assert (report.verdict, report.sequence, report.offset) == (Verdict.HEAD_DIFFERS, 0, 0)


def test_receipts_and_public_keys_survive_their_files(match: Any, signer: Any) -> None:
    """What was written is read back the same."""
    receipt = signer.receipt(match, 5, owner='"\u017b\\', match_id="x" * 128)
    assert parse_receipt(format_receipt(receipt)) == receipt
    assert parse_receipt(format_receipt(receipt).encode()) == receipt
    assert parse_public_keys(format_public_keys(signer.public_keys)) == signer.public_keys


def changed(**fields: Any) -> Callable[[dict[str, Any]], str]:
    """Return what replaces fields of a document."""
    return lambda document: json.dumps({**document, **fields})


@pytest.mark.parametrize(
    "change",
    [
        changed(sequence=1.0),
        changed(sequence=True),
        changed(sequence=-1),
        changed(sequence=2**32),
        changed(sequence="5"),
        changed(link="AB" * 32),
        changed(link="ab" * 31),
        changed(link=" " + "ab" * 32),
        changed(link="abc"),
        changed(key_id=""),
        changed(key_id="ab" * 33),
        changed(signature="ab" * 63),
        changed(owner=None),
        changed(owner="\ud800"),
        changed(match_id=""),
        changed(match_id="x" * 129),
        changed(format="dominohall-receipt/2"),
        changed(more=1),
        lambda document: json.dumps({key: value for key, value in document.items() if key != "owner"}),
        lambda document: json.dumps(document)[:-1] + ', "owner": "acme"}',
        lambda document: json.dumps([document]),
        lambda document: json.dumps(document) + "x",
        lambda document: json.dumps(document).replace("5", "NaN", 1),
        lambda _: "[" * 100_000,
        lambda _: "",
        lambda _: "x" * (1 << 23),
    ],
)
def test_a_document_that_is_no_receipt_is_refused(match: Any, signer: Any, change: Any) -> None:
    """Another type, range, case, field or format, a field twice, JSON that is none: each is refused."""
    document = json.loads(format_receipt(signer.receipt(match, 5)))
    with pytest.raises(UnreadableDocument):
        parse_receipt(change(document))


@pytest.mark.parametrize("keys", [None, [], {"zz": "ab" * 32}, {"ab": "ab" * 31}, {"": "ab" * 32}, {"ab": 7}])
def test_a_document_that_is_no_set_of_public_keys_is_refused(keys: Any) -> None:
    """Ids of 1 to 32 bytes, keys of 32, all in hexadecimal digits, and nothing else."""
    with pytest.raises(UnreadableDocument):
        parse_public_keys(json.dumps({"format": "dominohall-public-keys/1", "keys": keys}))


def test_a_head_outside_its_ranges_is_not_written(match: Any, signer: Any) -> None:
    """A head that no file or log has a place for is refused."""
    receipt = signer.receipt(match, 5)
    for change in ({"key_id": b""}, {"signature": b"x"}, {"link": b""}, {"sequence": -1}, {"match_id": ""}):
        with pytest.raises(UnwritableRecord):
            check_ranges(receipt._replace(**change))


def test_unsigned_logs_are_judged_without_cryptography(match: Any, tmp_path: Any) -> None:
    """Judging a log without signatures imports no cryptography: msgpack is enough."""
    path = tmp_path / "match.dominohall"
    path.write_bytes(match.revealed)
    code = (
        "import sys\nsys.modules['cryptography'] = None\n"
        "from pathlib import Path\nfrom dominohall_replays.verify import verify\n"
        f"print(verify(Path({str(path)!r})).verdict)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "valid"


def test_a_report_is_never_authentic_with_a_fault(match: Any, signer: Any) -> None:
    """A signature over the end of what was read does not make a faulty log authentic."""
    report = verify(signer.signed(match) + b"\0", public_keys=signer.public_keys)
    assert isinstance(report, Report)
    assert (report.verdict, report.signature, report.authentic) == (Verdict.UNREADABLE, "checked", False)
