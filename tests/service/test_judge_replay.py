"""`JudgeReplay` over a real channel: a stored match under other rules, in the caller's language."""

import random
from typing import Any

import grpc
import pytest
from dominohall.v1 import match_service_pb2 as match_wire
from dominohall.v1 import replay_service_pb2 as wire
from dominohall.v1.fives_pb2 import FivesOptions
from dominohall.v1.options_pb2 import Options
from dominohall_replays.judge import judge


def log_of(hall: Any, match_id: str) -> bytes:
    """Fetch the log of a match."""
    chunks = hall.replays.GetReplay(wire.GetReplayRequest(match_id=match_id))
    return b"".join(chunk.entries for chunk in chunks)


def test_a_stored_match_is_judged_as_the_library_judges_it(hall: Any) -> None:
    """The reply is the library's judgement: the same differences at the same records, points, notes and clauses."""
    hall.play(hall.start("judged"), random.Random(5))
    request = wire.JudgeReplayRequest(match_id="judged", options=Options(preset="forty_two.russian"))
    judged = hall.replays.JudgeReplay(request).judgement
    expected = judge(log_of(hall, "judged"), "forty_two.russian")
    for name in ("auction", "play", "scoring"):
        stage, wanted = getattr(judged, name), getattr(expected, name).differences
        assert stage.difference_count == len(wanted)
        for sent, difference in zip(stage.differences, wanted, strict=False):
            assert (sent.round, sent.subject) == (difference.round, difference.what)
            assert (sent.HasField("sequence"), sent.sequence) == (
                difference.sequence is not None,
                difference.sequence or 0,
            )
            assert tuple(sent.judged.clauses) == difference.there.clauses
            assert tuple(sent.played.clauses) == difference.here.clauses
    assert tuple(judged.played_points) == expected.scores_here
    assert tuple(judged.judged_points) == expected.scores_there
    assert [note.text for note in judged.notes] == [note.text for note in expected.notes]
    assert judged.played.preset == "forty_two.polish"
    assert judged.judged.preset == "forty_two.russian"
    assert judged.report.match_id == "judged"
    assert judged.language == "en"
    assert len(judged.rounds) == len(expected.rounds)


def test_a_log_that_was_sent_is_judged_in_the_language_that_was_asked_for(hall: Any) -> None:
    """The log may come with the call, and `accept-language` says how it is answered."""
    hall.play(hall.start("sent-along"), random.Random(6))
    request = wire.JudgeReplayRequest(log=log_of(hall, "sent-along"), options=Options(preset="forty_two.russian"))
    judged = hall.replays.JudgeReplay(request, metadata=(("accept-language", "pl"),)).judgement
    assert judged.language == "pl"
    assert "Kto zaczyna licytację" in judged.notes[0].text


def test_other_rules_of_fives_keep_the_seats(hall: Any) -> None:
    """Options that differ replace the preset's, and a match of two seats stays one of two seats."""
    two = FivesOptions(seats=2, partners=False, target=60)
    options = Options(preset="fives.linear", fives=two)
    started = hall.matches.StartMatch(match_wire.StartMatchRequest(match_id="two-judged", options=options)).match
    hall.play(started, random.Random(7))
    other = Options(preset="fives.linear", fives=FivesOptions(opening_scores=False, target=60))
    judged = hall.replays.JudgeReplay(wire.JudgeReplayRequest(match_id="two-judged", options=other)).judgement
    assert judged.judged.fives.seats == 2
    assert judged.judged.fives.opening_scores is False
    assert judged.play.difference_count == 0


@pytest.mark.parametrize("preset", ["forty_two.polish", "forty_two.russian", "fives.linear"])
def test_an_imported_match_and_its_own_rules_agree(hall: Any, preset: str) -> None:
    """Imported amid a round, in an auction or before a shake, a match has no difference from its own rules."""
    dice = random.Random(11)
    for moves in (4, 9, 30):
        match = hall.start(f"elsewhere-{preset}-{moves}", preset)
        for _ in range(moves):
            match = hall.apply(match, dice.choice(hall.legal(match)))
        match_id = f"brought-{preset}-{moves}"
        reply = hall.matches.ImportMatch(match_wire.ImportMatchRequest(match_id=match_id, state=match.state))
        over = hall.play(reply.match, dice)
        request = wire.JudgeReplayRequest(match_id=match_id, options=Options(preset=preset))
        judged = hall.replays.JudgeReplay(request).judgement
        assert [each.difference_count for each in (judged.auction, judged.play, judged.scoring)] == [0, 0, 0]
        outcome = over.state.outcome
        assert list(judged.played_points) == list(judged.judged_points) == list(outcome.points)
        assert judged.played_end == judged.judged_end
        assert any("imported" in note.text for note in judged.notes)


def test_what_cannot_be_judged_is_refused(hall: Any, fails: Any) -> None:
    """No rules, rules of another game, no log, an unknown match, bytes that are no log: each has its own answer."""
    hall.play(hall.start("refused-judging"), random.Random(8), until=lambda match: match.sequence > 5)
    call, russian = hall.replays.JudgeReplay, Options(preset="forty_two.russian")
    for request, code, reason in (
        (wire.JudgeReplayRequest(match_id="refused-judging"), "INVALID_ARGUMENT", "INVALID_MESSAGE"),
        (
            wire.JudgeReplayRequest(match_id="refused-judging", options=Options(preset="fives.linear")),
            "INVALID_ARGUMENT",
            "INVALID_MESSAGE",
        ),
        (wire.JudgeReplayRequest(options=russian), "INVALID_ARGUMENT", "INVALID_MESSAGE"),
        (wire.JudgeReplayRequest(match_id="nobody", options=russian), "NOT_FOUND", "MATCH_NOT_FOUND"),
        (wire.JudgeReplayRequest(log=b"no log", options=russian), "INVALID_ARGUMENT", "REPLAY_UNREADABLE"),
    ):
        failed = fails(call, request)
        assert (failed.code, failed.reason) == (grpc.StatusCode[code], reason), request
