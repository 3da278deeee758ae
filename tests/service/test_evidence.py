"""What a service vouches for, reveals and withholds: signed heads, the match secret, redacted logs, forks."""

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1 import replay_service_pb2 as replays
from dominohall.v1.match_pb2 import Match
from dominohall.v1.move_pb2 import Abandon, Move, Shake
from dominohall.v1.options_pb2 import Options
from dominohall.v1.replay_pb2 import Redaction, SignedHead, Verdict
from dominohall_engine.games import PRESETS
from dominohall_engine.tiles import NAMES
from dominohall_replays.deals import Opening, match_secret, openings
from dominohall_replays.forks import NoFork, fork_of
from dominohall_replays.log import read_log
from dominohall_replays.packing import pack
from dominohall_replays.reading import OpenedShake, RevealedSecret, Signature
from dominohall_replays.redact import opened_tiles
from dominohall_replays.signatures import SignedHead as Receipt
from dominohall_replays.signatures import is_signed_by
from dominohall_replays.verify import verify
from dominohall_service.keyring import (
    KeyKind,
    Keyring,
    development_keyring,
    new_keyring,
    public_keys,
    rotate,
    write_keyring,
)
from google.protobuf.empty_pb2 import Empty

SHAKE = Move(shake=Shake())
PUBLIC = public_keys(development_keyring())


def signed(hall: Any, match_id: str, **more: Any) -> Receipt:
    """Ask for a signed head."""
    head = hall.replays.SignHead(replays.SignHeadRequest(match_id=match_id, **more)).head
    return Receipt(head.owner, head.match_id, head.sequence, head.link, head.key_id, head.signature)


def streamed(hall: Any, match_id: str, **more: Any) -> bytes:
    """Return the log of a match as it is streamed."""
    chunks = hall.replays.GetReplay(replays.GetReplayRequest(match_id=match_id, **more))
    return b"".join(chunk.entries for chunk in chunks)


def secret_of(match_id: str) -> bytes:
    """Return the secret of a match of this service."""
    return match_secret(development_keyring().active(KeyKind.DEAL).secret, "default", match_id)


def test_a_head_of_any_stored_sequence_is_signed(hall: Any) -> None:
    """Every record's head, the last by default: owner, match, sequence and link, under the public key."""
    match = hall.play(hall.start("heads", "forty_two.russian"), random.Random(1), lambda found: found.sequence == 9)
    for record in hall.records["heads"]:
        receipt = signed(hall, "heads", sequence=record.sequence)
        assert (receipt.owner, receipt.match_id) == ("default", "heads")
        assert (receipt.sequence, receipt.link) == (record.sequence, record.link)
        assert is_signed_by(receipt, PUBLIC[receipt.key_id])
    assert signed(hall, "heads") == signed(hall, "heads", sequence=match.sequence)


def test_what_is_not_signed(hall: Any, open_hall: Any, fails: Any, tmp_path: Path) -> None:
    """No store, no signing key, no such match or record: each is refused in its own words."""
    hall.start("unsigned")
    for request, reason in (
        (replays.SignHeadRequest(match_id="unsigned", sequence=1), "SEQUENCE_NOT_FOUND"),
        (replays.SignHeadRequest(match_id="nobody"), "MATCH_NOT_FOUND"),
        (replays.SignHeadRequest(match_id="nobody", sequence=0), "MATCH_NOT_FOUND"),
        (replays.SignHeadRequest(), "INVALID_MESSAGE"),
    ):
        assert fails(hall.replays.SignHead, request).reason == reason
    none = open_hall(store="none")
    none.start("none")
    found = fails(none.replays.SignHead, replays.SignHeadRequest(match_id="none"))
    assert (found.code, found.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "NO_STORE")
    keyring = new_keyring()
    write_keyring(tmp_path / "keys.json", Keyring(keyring.seal, keyring.deal))
    keyless = open_hall(keyring=tmp_path / "keys.json")
    match = keyless.start("keyless")
    found = fails(keyless.replays.SignHead, replays.SignHeadRequest(match_id="keyless"))
    assert (found.code, found.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "NO_SIGNING_KEY")
    keyless.apply(match, Move(abandon=Abandon(reason="done")))
    kinds = [type(each) for each in read_log(streamed(keyless, "keyless")).attachments]
    assert kinds == [RevealedSecret]


@pytest.mark.parametrize("preset", PRESETS)
def test_a_finished_log_is_signed_and_its_deal_proven(hall: Any, preset: str) -> None:
    """The streamed log of a finished match ends with a signature over its last head and the revealed secret."""
    match_id = f"finished-{preset}"
    match = hall.play(hall.start(match_id, preset), random.Random(preset))
    log = streamed(hall, match_id)
    signature, secret = read_log(log).attachments
    assert isinstance(signature, Signature)
    assert isinstance(secret, RevealedSecret)
    assert (signature.sequence, signature.link, secret.secret) == (match.sequence, match.link, secret_of(match_id))
    report = verify(log, public_keys=PUBLIC)
    assert (report.verdict, report.deal, report.authentic) == ("valid", "proven", True)
    assert (hall.settings.replay_dir / f"{match_id}.dominohall").read_bytes() == log


def test_the_secret_is_in_no_reply_before_the_end(hall: Any) -> None:
    """Every reply about a match that goes on, searched for its secret; then it ends, and the secret is there."""
    secret, replies = secret_of("secretive"), []
    match = hall.start("secretive", "fives.linear")
    rng = random.Random(5)
    while match.sequence < 40 and not match.state.HasField("outcome"):
        token = Match(token=match.token)
        move = rng.choice(hall.legal(match))
        reply = hall.matches.ApplyMove(wire.ApplyMoveRequest(match=token, move=move))
        match = Match.FromString(reply.match.SerializeToString())
        if not match.state.HasField("outcome"):
            replies += [reply, hall.matches.ViewMatch(wire.ViewMatchRequest(match=token, seat=1))]
            replies += hall.replays.GetReplay(replays.GetReplayRequest(match_id="secretive"))
            for viewer in (Redaction(seat=0), Redaction(spectator=Empty(), after_round=True)):
                replies += hall.replays.GetReplay(replays.GetReplayRequest(match_id="secretive", redact_for=viewer))
            replies.append(hall.replays.SignHead(replays.SignHeadRequest(match_id="secretive")))
            replies.append(hall.replays.VerifyReplay(replays.VerifyReplayRequest(match_id="secretive")))
            replies.append(hall.matches.ResumeMatch(wire.ResumeMatchRequest(match_id="secretive")))
    assert len(replies) > 100
    assert not any(secret in reply.SerializeToString() for reply in replies)
    hall.apply(match, Move(abandon=Abandon(reason="done")))
    assert secret in streamed(hall, "secretive")
    assert secret not in streamed(hall, "secretive", redact_for=Redaction(seat=0))


def test_a_seat_gets_its_redacted_log_during_the_match(hall: Any) -> None:
    """Redacted for a seat or a spectator, a log is the same chain, shows only what they saw, and can be verified."""
    match = hall.play(hall.start("shared", "forty_two.polish"), random.Random(3), lambda found: found.sequence == 17)
    whole = streamed(hall, "shared")
    order = next(e.opened.order for e in read_log(whole) if isinstance(e.opened, OpenedShake))
    for viewer, redaction in ((2, Redaction(seat=2)), (None, Redaction(spectator=Empty()))):
        log = streamed(hall, "shared", redact_for=redaction)
        report = verify(log, public_keys=PUBLIC, receipts=[signed(hall, "shared")])
        assert (report.verdict, report.authentic, report.moves) == ("redacted", True, match.sequence)
        assert report.shown is not None
        assert report.shown.seats == (() if viewer is None else (viewer,))
        assert order not in log
        (opened,) = [entry.opened for entry in read_log(log) if entry.root is not None]
        assert opened is not None
        for first in (0, 3, match.sequence):
            part = streamed(hall, "shared", redact_for=redaction, from_sequence=first)
            assert log.endswith(part)
            assert (part == log) == (first == 0)


def test_one_tile_is_opened_without_another(hall: Any) -> None:
    """An opening from a seat's view, alone beside its shake in the log, holds there, and tells of no other tile."""
    match = hall.apply(hall.start("one-tile", "forty_two.russian"), SHAKE)
    log = streamed(hall, "one-tile")
    view = hall.matches.ViewMatch(wire.ViewMatchRequest(match=match, seat=2)).view
    shown = view.openings[3]
    opening = Opening(shown.place, NAMES.index(shown.tile), shown.salt, tuple(shown.path))
    (shake,) = [entry for entry in read_log(log) if entry.root is not None]
    assert isinstance(shake.opened, OpenedShake)
    assert (shake.root, shake.opened.order[shown.place]) == (view.root, opening.tile)
    whole = pack([16, *shake.opened])
    one = log.replace(whole, opened_tiles([opening]))
    report = verify(one)
    assert (report.verdict, report.head) == ("redacted", verify(log).head)
    assert report.shown is not None
    assert report.shown.seats == ()
    others = openings(*shake.opened, tuple(place for place in range(28) if place != shown.place))
    assert not any(each.salt in one for each in others)
    assert shake.opened.salt not in one
    other = log.replace(whole, opened_tiles([opening._replace(tile=(opening.tile + 1) % 28)]))
    assert verify(other).verdict == "root_differs"


def test_redactions_that_are_none(hall: Any, fails: Any) -> None:
    """A redaction for nobody, for a seat that the match does not have, or from beyond the end is refused."""
    hall.start("none-such", "fives.linear")
    for redaction, more, reason in (
        (Redaction(), {}, "INVALID_MESSAGE"),
        (Redaction(seat=4), {}, "INVALID_MESSAGE"),
        (Redaction(seat=1), {"from_sequence": 1}, "SEQUENCE_NOT_FOUND"),
    ):
        request = replays.GetReplayRequest(match_id="none-such", redact_for=redaction, **more)
        assert fails(hall.replays.GetReplay, request).reason == reason
    request = replays.GetReplayRequest(match_id="nobody", redact_for=Redaction(seat=1))
    assert fails(hall.replays.GetReplay, request).reason == "MATCH_NOT_FOUND"


def test_the_service_holds_a_log_against_its_receipts(hall: Any) -> None:
    """VerifyReplay checks signatures and receipts with the service's own keys, and says what became of each."""
    hall.play(hall.start("held", "forty_two.russian"), random.Random(8))
    log = streamed(hall, "held")
    receipts = [signed(hall, "held", sequence=number) for number in (5, 9)]
    forged = receipts[0]._replace(link=bytes(32))
    heads = [SignedHead(**each._asdict()) for each in (*receipts, forged)]
    report = hall.replays.VerifyReplay(replays.VerifyReplayRequest(log=log, signed_receipts=heads)).report
    assert report.verdict == Verdict.VERDICT_VALID
    assert [(each.sequence, each.statement) for each in report.receipts] == [(5, 1), (9, 1), (5, 6)]
    short = read_log(log)
    cut = log[: next(entry.end for entry in short if entry.sequence == 7)]
    report = hall.replays.VerifyReplay(replays.VerifyReplayRequest(log=cut, signed_receipts=heads[:2])).report
    assert (report.verdict, report.signed_sequence) == (Verdict.VERDICT_TRUNCATED, 5)
    assert [each.statement for each in report.receipts] == [1, 4]


def test_a_signing_key_can_be_rotated(open_hall: Any, tmp_path: Path) -> None:
    """After a rotation new heads are signed by the new key, and what the old one signed is still checked."""
    path = tmp_path / "keys.json"
    keyring = new_keyring()
    write_keyring(path, keyring)
    hall = open_hall(keyring=path, keyring_poll_seconds=0.05)
    hall.start("rotated")
    before = signed(hall, "rotated")
    rotated, _ = rotate(keyring, KeyKind.SIGN)
    write_keyring(path, rotated, replace_existing=True)
    after = before
    while after == before:
        after = signed(hall, "rotated")
    assert (after.link, before.key_id != after.key_id) == (before.link, True)
    for receipt in (before, after):
        assert is_signed_by(receipt, public_keys(rotated)[receipt.key_id])


def test_a_removed_deal_key_leaves_the_deal_unproven(open_hall: Any, tmp_path: Path) -> None:
    """A secret that can't be made any more is not revealed: the log is streamed without it, its deal unproven."""
    path = tmp_path / "keys.json"
    keyring = new_keyring()
    write_keyring(path, keyring)
    hall = open_hall(keyring=path, keyring_poll_seconds=3600)
    hall.apply(hall.apply(hall.start("forgotten", "forty_two.russian"), SHAKE), Move(abandon=Abandon(reason="done")))
    assert verify(streamed(hall, "forgotten")).deal == "proven"
    write_keyring(path, Keyring(keyring.seal, new_keyring().deal, keyring.sign), replace_existing=True)
    later = open_hall(keyring=path)
    report = verify(streamed(later, "forgotten"), public_keys=public_keys(keyring))
    assert (report.verdict, report.deal, report.authentic) == ("valid", "unproven", True)


def test_retries_and_races_never_make_a_fork(open_hall: Any) -> None:
    """Hosts that move at once, repeat and resume, on two servers, asking for heads all the while: one history."""
    halls = [open_hall(), open_hall()]
    match = halls[0].apply(halls[0].start("contested", "forty_two.russian"), SHAKE)
    heads: dict[int, set[bytes]] = {}
    receipts: list[Receipt] = []

    def attempt(number: int, move: Move, token: bytes) -> Any:
        hall = halls[number % 2]
        request = wire.ApplyMoveRequest(match=Match(token=token), move=move)
        reply = None
        for _ in range(2):
            try:
                reply = hall.matches.ApplyMove(request)
            except grpc.RpcError as error:
                assert error.code() is grpc.StatusCode.ABORTED  # noqa: PT017 - the loser of a race
            receipts.append(signed(hall, "contested"))
        return reply

    with ThreadPoolExecutor(4) as pool:
        for _ in range(10):
            legal = halls[0].legal(match)
            if not legal or match.state.HasField("outcome"):
                break
            calls = [pool.submit(attempt, n, legal[n % len(legal)], match.token) for n in range(4)]
            won = [reply for call in calls if (reply := call.result()) is not None]
            assert len({reply.record.link for reply in won}) == 1
            match = Match.FromString(won[0].match.SerializeToString())
    for receipt in receipts:
        heads.setdefault(receipt.sequence, set()).add(receipt.link)
    assert len(heads) > 3
    assert all(len(links) == 1 for links in heads.values())
    ordered = sorted(set(receipts), key=lambda each: each.sequence)
    for one, other in zip(receipts, ordered * len(receipts), strict=False):
        with pytest.raises(NoFork):
            fork_of(one, other)
    report = verify(streamed(halls[1], "contested"), public_keys=PUBLIC, receipts=ordered)
    assert {each.statement for each in report.receipts} == {"held"}


def test_the_refusal_of_a_fork_carries_both_links(hall: Any, fails: Any) -> None:
    """The loser of a race is told both links; the one that stands is the one that the service signs."""
    match = hall.apply(hall.start("refused", "forty_two.polish", first_seat=0), SHAKE)
    one, other = hall.legal(match)[:2]
    stands = hall.apply(match, one)
    request = wire.ApplyMoveRequest(match=Match(token=match.token), move=other)
    fork = fails(hall.matches.ApplyMove, request).details["Fork"]
    assert fork.stored_link == stands.link == signed(hall, "refused", sequence=fork.sequence).link
    assert len(fork.refused_link) == 32
    assert fork.refused_link != fork.stored_link


def test_scripted_and_imported_deals_are_marked_for_good(hall: Any) -> None:
    """A finished scripted match reveals its secret and is still called scripted; the same for an import."""
    options = Options(preset="forty_two.polish")
    request = wire.StartMatchRequest(match_id="marked", options=options, first_seat=1, scripted_deals=True)
    match = hall.apply(hall.matches.StartMatch(request).match, SHAKE)
    imported = wire.ImportMatchRequest(match_id="marked-import", state=match.state)
    imported.state.ClearField("marks")
    other = hall.matches.ImportMatch(imported).match
    for each, deal in ((match, "scripted"), (other, "imported")):
        hall.apply(each, Move(abandon=Abandon(reason="done")))
        report = verify(streamed(hall, each.match_id))
        assert (report.verdict, report.deal) == ("valid", deal)
