"""`ReplayService`: logs streamed as they were written, stepped through, and judged."""

import random
from typing import Any

import pytest
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1 import replay_service_pb2 as replays
from dominohall.v1.move_pb2 import Abandon, Move, Shake
from dominohall.v1.replay_pb2 import SignatureStatement, Verdict
from dominohall_engine.games import PRESETS
from dominohall_replays.records import revealed_secret
from dominohall_service.replay_servicer import CHUNK_BYTES

SHAKE = Move(shake=Shake())


def streamed(hall: Any, match_id: str, **more: Any) -> list[replays.GetReplayResponse]:
    """Return the chunks of a log."""
    return list(hall.replays.GetReplay(replays.GetReplayRequest(match_id=match_id, **more)))


def verified(hall: Any, log: bytes, **more: Any) -> Any:
    """Return the report of a log that is sent along."""
    return hall.replays.VerifyReplay(replays.VerifyReplayRequest(log=log, **more)).report


def entries(hall: Any, match_id: str) -> bytes:
    """Return the log that the replies of a match carried."""
    return b"".join(record.entry for record in hall.records[match_id])


def test_the_streamed_log_is_what_the_replies_carried(hall: Any) -> None:
    """GetReplay gives the records that the host was handed, byte for byte, from any sequence on, then the proofs."""
    hall.play(hall.start("stream", "fives.linear"), random.Random(1))
    records = hall.records["stream"]
    log = b"".join(chunk.entries for chunk in streamed(hall, "stream"))
    assert log.startswith(entries(hall, "stream"))
    beside = log[len(entries(hall, "stream")) :]
    for sequence in (1, 7, len(records) - 1):
        (chunk,) = streamed(hall, "stream", from_sequence=sequence)
        assert chunk.sequence == sequence
        assert chunk.entries == b"".join(record.entry for record in records[sequence:]) + beside


def test_a_long_log_comes_in_chunks(open_hall: Any) -> None:
    """Chunks are bounded, hold whole entries, and name the sequence that they begin with."""
    hall = open_hall(max_match_moves=1500, durability="none")
    rng = random.Random(12)
    match = hall.start("chunks", "forty_two.polish")
    while match.sequence < 1100:
        if match.state.HasField("outcome"):
            raise AssertionError("expected a match without an end: its target is out of reach")
        legal = hall.legal(match)
        quiet = [move for move in legal if move.WhichOneof("kind") == "pass"]
        match = hall.apply(match, rng.choice(quiet or legal))
    chunks = streamed(hall, "chunks")
    assert len(chunks) > 1
    assert all(len(chunk.entries) < CHUNK_BYTES + 1000 for chunk in chunks)
    assert b"".join(chunk.entries for chunk in chunks) == entries(hall, "chunks")
    for chunk in chunks:
        assert (
            hall.records["chunks"][chunk.sequence].entry
            == chunk.entries[: len(hall.records["chunks"][chunk.sequence].entry)]
        )


@pytest.mark.parametrize("preset", PRESETS)
def test_every_record_can_be_stepped_to(hall: Any, preset: str) -> None:
    """StepReplay gives the state, link and move of a record as the reply of its move had them, from store and file."""
    rng = random.Random(preset)
    match_id = f"step-{preset}"
    match = hall.start(match_id, preset)
    seen: list[tuple[Any, Move | None]] = [(match, None)]
    while match.sequence < 44 and not match.state.HasField("outcome"):
        move = rng.choice(hall.legal(match))
        match = hall.apply(match, move)
        seen.append((match, move))
    log = entries(hall, match_id)
    for expected, move in seen[::3]:
        request = replays.StepReplayRequest(match_id=match_id, sequence=expected.sequence)
        step = hall.replays.StepReplay(request)
        assert (step.match_id, step.sequence, step.link) == (match_id, expected.sequence, expected.link)
        assert step.state == expected.state
        assert step.HasField("move") == (move is not None)
        if move is not None and move.WhichOneof("kind") not in {"shake", "lot"}:
            assert step.move == move
        assert hall.replays.StepReplay(replays.StepReplayRequest(log=log, sequence=expected.sequence)) == step


def test_a_tampered_log_is_located(hall: Any) -> None:
    """Any byte changed in a log, and any cut, changes the verdict, and the report names the place."""
    match = hall.play(hall.start("tampered", "forty_two.russian"), random.Random(3), lambda m: m.sequence == 30)
    hall.apply(match, Move(abandon=Abandon(reason="done")))
    log = entries(hall, "tampered")
    assert verified(hall, log).verdict == Verdict.VERDICT_VALID
    rng = random.Random(4)
    for place in rng.sample(range(len(log)), 60):
        edited = bytearray(log)
        edited[place] ^= 1 << rng.randrange(8)
        report = verified(hall, bytes(edited))
        assert report.verdict not in {Verdict.VERDICT_VALID, Verdict.VERDICT_UNFINISHED, Verdict.VERDICT_UNSPECIFIED}
        assert report.HasField("byte_offset")
        assert report.byte_offset <= len(log)
        assert report.reason
    for length in rng.sample(range(1, len(log)), 30):
        report = verified(hall, log[:length])
        assert report.verdict in {
            Verdict.VERDICT_TRUNCATED,
            Verdict.VERDICT_UNFINISHED,
            Verdict.VERDICT_UNREADABLE,
        }
    assert verified(hall, b"").verdict == Verdict.VERDICT_TRUNCATED
    assert verified(hall, log + b"\0").verdict == Verdict.VERDICT_UNREADABLE


def test_a_receipt_catches_a_cut_tail(hall: Any, fails: Any) -> None:
    """A head that somebody kept is held against the log: another link is HEAD_DIFFERS, a missing tail TRUNCATED."""
    match = hall.play(hall.start("receipt", "forty_two.russian"), random.Random(3), lambda m: m.sequence == 9)
    kept = replays.Receipt(match_id="receipt", sequence=9, link=match.link)
    log = entries(hall, "receipt")
    cut = b"".join(record.entry for record in hall.records["receipt"][:-1])
    assert verified(hall, log, receipt=kept).verdict == Verdict.VERDICT_UNFINISHED
    assert verified(hall, cut, receipt=kept).verdict == Verdict.VERDICT_TRUNCATED
    assert verified(hall, cut).verdict == Verdict.VERDICT_UNFINISHED
    kept.link = bytes(32)
    assert verified(hall, log, receipt=kept).verdict == Verdict.VERDICT_HEAD_DIFFERS
    kept.link = b"short"
    assert fails(hall.replays.VerifyReplay, replays.VerifyReplayRequest(log=log, receipt=kept)).fields == ["receipt"]


def test_a_revealed_secret_proves_the_deals(hall: Any) -> None:
    """With the match's secret beside the log every shake and lot is proven to come from it; with another it is not."""
    match = hall.play(hall.start("revealed", "fives.linear"), random.Random(5), lambda m: m.sequence == 30)
    hall.apply(match, Move(abandon=Abandon(reason="done")))
    keys = hall.server._keys.current
    secret = keys.secret(keys.deal_key_id, "default", "revealed", for_dealing=False)
    log = entries(hall, "revealed")
    report = verified(hall, log + revealed_secret(secret))
    assert report.verdict == Verdict.VERDICT_VALID
    assert report.deal == 1
    assert report.proven_chance_count == report.chance_count >= 2
    assert report.signature == SignatureStatement.SIGNATURE_STATEMENT_ABSENT
    assert verified(hall, log + revealed_secret(bytes(32))).verdict == Verdict.VERDICT_DEAL_DIFFERS


def test_a_log_that_does_not_hold_can_not_be_stepped_through(hall: Any, fails: Any) -> None:
    """StepReplay refuses a log that doesn't hold up to there, and one that is none."""
    hall.apply(hall.start("unstepped", "forty_two.russian"), SHAKE)
    log = entries(hall, "unstepped")
    broken = log[:-40] + bytes(40)
    for data in (broken, b"", b"\x92\x00\x80"):
        found = fails(hall.replays.StepReplay, replays.StepReplayRequest(log=data, sequence=1))
        assert (found.reason, found.fields) == ("REPLAY_UNREADABLE", ["log"])


def test_replays_are_listed_in_pages(open_hall: Any, fails: Any) -> None:
    """ListReplays walks all matches once, in the order of their ids, with tokens that stay good while matches come."""
    hall = open_hall()
    for number in range(7):
        hall.start(f"match-{number}", "fives.linear")
    found, token = [], ""
    while True:
        page = hall.replays.ListReplays(replays.ListReplaysRequest(page_size=3, page_token=token))
        found += [(replay.match_id, replay.sequence, len(replay.link)) for replay in page.replays]
        token = page.next_page_token
        hall.start("match-0-later", "fives.linear")
        if not token:
            break
    assert found == [(f"match-{number}", 0, 32) for number in range(7)]
    assert len(hall.replays.ListReplays(replays.ListReplaysRequest()).replays) == 8
    forged = replays.ListReplaysRequest(page_token="?")  # noqa: S106 - no password
    assert fails(hall.replays.ListReplays, forged).fields == ["page_token"]
    assert fails(hall.replays.ListReplays, replays.ListReplaysRequest(page_size=-1)).fields == ["page_size"]


def test_the_store_s_log_is_verified_by_its_id(hall: Any) -> None:
    """VerifyReplay by match id judges what the store holds."""
    match = hall.apply(hall.start("stored", "forty_two.russian"), SHAKE)
    report = hall.replays.VerifyReplay(replays.VerifyReplayRequest(match_id="stored")).report
    assert (report.verdict, report.match_id, report.game) == (Verdict.VERDICT_UNFINISHED, "stored", "forty_two")
    assert report.link == match.link
    assert not report.HasField("recorded")
    resumed = hall.matches.ResumeMatch(wire.ResumeMatchRequest(match_id="stored"))
    assert resumed.match == match
