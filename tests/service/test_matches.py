"""What each method of `MatchService` promises when all goes well."""

import random
from typing import Any

import pytest
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1 import replay_service_pb2 as replays
from dominohall.v1.match_pb2 import Mark, Match, Phase, ReplyForm
from dominohall.v1.move_pb2 import Abandon, Bid, Lot, Move, NameTrump, Play, Shake, TimedMove, Trump
from dominohall.v1.options_pb2 import Options
from dominohall.v1.replay_pb2 import DealStatement, OriginStatement, SignatureStatement, Verdict
from dominohall_engine.games import GAMES, PRESETS
from dominohall_engine.tiles import NAMES
from dominohall_replays.deals import Opening, check_opening
from google.protobuf.empty_pb2 import Empty
from google.protobuf.timestamp_pb2 import Timestamp

TOKEN_ONLY = ReplyForm.REPLY_FORM_TOKEN_ONLY
SHAKE = Move(shake=Shake())
LOT = Move(lot=Lot())


def to_auction(hall: Any, match_id: str, preset: str = "forty_two.russian") -> Match:
    """Start a match and shake."""
    shaken: Match = hall.apply(hall.start(match_id, preset), SHAKE)
    return shaken


def verdict(hall: Any, match_id: str) -> Any:
    """Ask the service what the stored log of a match is worth."""
    return hall.replays.VerifyReplay(replays.VerifyReplayRequest(match_id=match_id)).report


def test_list_games_names_every_preset_with_every_option(hall: Any) -> None:
    """ListGames shows each preset of the engine, none of its options left out."""
    games = hall.matches.ListGames(wire.ListGamesRequest()).games
    assert [preset.name for game in games for preset in game.presets] == list(PRESETS)
    for game in games:
        for preset in game.presets:
            written = getattr(preset.options, game.name)
            missing = {f.name for f in written.DESCRIPTOR.fields if not written.HasField(f.name)}
            assert missing == {"round_limit"}
            assert len(game.rules_digest) == 32


@pytest.mark.parametrize("preset", [*PRESETS, "two seats", "three seats", "four seats alone", "all four first"])
def test_whole_matches_verify(hall: Any, preset: str) -> None:
    """A random legal match of each preset runs to its end over gRPC, and its stored log is judged valid."""
    changed: dict[str, dict[str, int]] = {
        "two seats": {"seats": 2, "partners": False},
        "three seats": {"seats": 3, "partners": False},
        "four seats alone": {"partners": False},
        "all four first": {"spinner": 2},
    }
    options = changed.get(preset, {})
    name = "fives.linear" if options else preset
    match_id = "whole-" + preset.replace(" ", "-")
    request = wire.StartMatchRequest(match_id=match_id, options=Options(preset=name))
    for option, value in options.items():
        setattr(request.options.fives, option, value)
    match = hall.play(hall.matches.StartMatch(request).match, random.Random(preset))
    report = verdict(hall, match_id)
    assert report.verdict == Verdict.VERDICT_VALID, report.reason
    assert report.signature == SignatureStatement.SIGNATURE_STATEMENT_CHECKED
    assert (report.signed_sequence, report.deal) == (match.sequence, DealStatement.DEAL_STATEMENT_PROVEN)
    assert report.move_count == match.sequence
    assert report.link == match.link
    assert list(report.computed.points) == list(match.state.outcome.points)


def test_the_log_of_a_finished_match_is_written_as_a_file(hall: Any) -> None:
    """With a replay folder, the file of a finished match is the streamed replay: records, then proofs."""
    match = to_auction(hall, "filed")
    hall.apply(match, Move(abandon=Abandon(reason="host_left")))
    streamed = b"".join(chunk.entries for chunk in hall.replays.GetReplay(replays.GetReplayRequest(match_id="filed")))
    assert (hall.settings.replay_dir / "filed.dominohall").read_bytes() == streamed
    assert streamed.startswith(b"".join(record.entry for record in hall.records["filed"]))


def test_starting_twice_is_starting_once(hall: Any) -> None:
    """StartMatch with the same arguments returns the same token, link and record, also after moves were made."""
    request = wire.StartMatchRequest(
        match_id="twice",
        options=Options(preset="forty_two.polish"),
        first_seat=0,
        seat_labels=["a", "", "\u202e;|", "a"],
    )
    first = hall.matches.StartMatch(request)
    hall.apply(first.match, SHAKE)
    assert hall.matches.StartMatch(request) == first


def test_a_rematch_names_who_leads(hall: Any) -> None:
    """With `first_seat` there is no lot; seat 0 is a seat like any other and is told from none."""
    match = hall.start("rematch", "fives.linear", first_seat=0)
    assert match.state.phase == Phase.PHASE_SHAKE
    assert match.state.fives.table.HasField("leader")
    assert match.state.fives.table.leader == 0
    assert hall.start("no-rematch", "fives.linear").state.phase == Phase.PHASE_LOT


def test_options_replace_those_of_the_preset(hall: Any) -> None:
    """Options that are present replace the preset's; the reply writes all of them out and names no preset."""
    options = Options(preset="forty_two.polish")
    options.forty_two.target = 500
    reply = hall.matches.StartMatch(wire.StartMatchRequest(match_id="target-500", options=options))
    written = reply.match.state.options
    assert written.forty_two.target == 500
    assert written.forty_two.opener == 1
    assert written.preset == ""


def test_the_service_makes_the_same_shake_for_the_same_match_only(hall: Any) -> None:
    """Two matches are dealt differently; the same place in one match is dealt the same, however often it is asked."""
    start = hall.start("deal-a", "forty_two.russian")
    one, again = hall.apply(start, SHAKE), hall.apply(start, SHAKE)
    other = to_auction(hall, "deal-b")
    assert one == again
    assert one.state.forty_two.shake != other.state.forty_two.shake
    assert sorted(one.state.forty_two.shake) == sorted(NAMES)


def test_a_retry_returns_the_same_bytes(hall: Any) -> None:
    """The same move on the same token gives the same record, link and token, whatever the time given with it."""
    match = to_auction(hall, "retry")
    move = hall.legal(match)[0]
    request = wire.ApplyMoveRequest(
        match=match, move=move, occurred_at=Timestamp(seconds=1_800_000_000, nanos=5_000_000)
    )
    first = hall.matches.ApplyMove(request)
    request.occurred_at.seconds += 7
    assert hall.matches.ApplyMove(request) == first
    later = hall.apply(first.match, hall.legal(first.match)[0])
    assert hall.matches.ApplyMove(request) == first
    assert later.sequence == first.match.sequence + 1


def test_token_only_leaves_the_state_out_and_nothing_else(hall: Any) -> None:
    """A TOKEN_ONLY reply is the FULL one without the readable state."""
    match = to_auction(hall, "forms")
    move = hall.legal(match)[0]
    full = hall.matches.ApplyMove(wire.ApplyMoveRequest(match=match, move=move))
    lean = hall.matches.ApplyMove(wire.ApplyMoveRequest(match=match, move=move, reply_form=TOKEN_ONLY))
    assert not lean.match.HasField("state")
    full.match.ClearField("state")
    assert lean == full


def test_validate_only_changes_nothing(hall: Any) -> None:
    """A validated move is not recorded, and a validated shake is not made."""
    start = hall.start("validate", "forty_two.russian")
    for move in (SHAKE, Move(abandon=Abandon(reason="x"))):
        reply = hall.matches.ApplyMove(wire.ApplyMoveRequest(match=start, move=move, validate_only=True))
        assert reply == wire.ApplyMoveResponse()
    head = hall.matches.ResumeMatch(wire.ResumeMatchRequest(match_id="validate"))
    assert head.match.sequence == 0


def test_a_batch_is_the_same_moves_one_by_one(hall: Any) -> None:
    """ApplyMoves ends where single calls end, and a beginning that was recorded already counts as done."""
    rng = random.Random(5)
    start = hall.start("batch", "forty_two.russian")
    moves, match = [SHAKE], hall.apply(start, SHAKE)
    for _ in range(10):
        moves.append(rng.choice(hall.legal(match)))
        match = hall.apply(match, moves[-1])
    more = hall.legal(match)[0]
    request = wire.ApplyMovesRequest(match=start, moves=[TimedMove(move=move) for move in [*moves, more]])
    reply = hall.matches.ApplyMoves(request)
    assert reply.match == hall.apply(match, more)
    assert list(reply.records) == hall.records["batch"][1:13]
    assert hall.matches.ApplyMoves(request) == reply


def test_a_batch_repeated_at_another_time_keeps_what_is_stored(hall: Any) -> None:
    """A batch whose beginning is stored with other times is linked to what is stored."""
    start = hall.start("batch-times", "forty_two.russian")
    shake = TimedMove(move=SHAKE, occurred_at=Timestamp(seconds=1_800_000_000))
    stored = hall.matches.ApplyMoves(wire.ApplyMovesRequest(match=start, moves=[shake])).match
    move = hall.legal(stored)[0]
    shake.occurred_at.seconds += 60
    both = hall.matches.ApplyMoves(wire.ApplyMovesRequest(match=start, moves=[shake, TimedMove(move=move)]))
    assert both.records[0].link == stored.link
    assert both.match == hall.apply(stored, move)


def test_resume_returns_the_head(hall: Any) -> None:
    """ResumeMatch gives the token that the last move gave, and its record, in every phase."""
    rng = random.Random(8)
    for preset in PRESETS:
        match = hall.start(f"resume-{preset}", preset)
        for _ in range(45):
            head = hall.matches.ResumeMatch(wire.ResumeMatchRequest(match_id=match.match_id))
            assert head.match == match
            assert head.record == hall.records[match.match_id][-1]
            match = hall.apply(match, rng.choice(hall.legal(match)))


def test_legal_moves_are_those_of_the_engine(hall: Any) -> None:
    """ListLegalMoves names the phase, the turn and every legal move; a chance move that is due is listed empty."""
    start = hall.start("legal", "forty_two.polish")
    reply = hall.matches.ListLegalMoves(wire.ListLegalMovesRequest(match=start))
    assert (list(reply.moves), reply.HasField("turn")) == ([LOT], False)
    match = hall.apply(hall.apply(start, LOT), SHAKE)
    reply = hall.matches.ListLegalMoves(wire.ListLegalMovesRequest(match=match))
    assert reply.phase == Phase.PHASE_AUCTION
    assert {move.WhichOneof("kind") for move in reply.moves} == {"bid", "pass"}
    assert all(
        move == Move(bid=Bid(seat=reply.turn, points=move.bid.points)) for move in reply.moves if move.HasField("bid")
    )
    assert len(reply.moves) == 14


def test_each_seat_sees_its_own_tiles_and_can_prove_them(hall: Any) -> None:
    """A view shows one hand, the same table to all, and openings that lead to the root; a spectator sees no hand."""
    rng = random.Random(11)
    for preset in PRESETS:
        match = hall.play(hall.start(f"views-{preset}", preset), rng, lambda match: match.sequence >= 12)
        state = getattr(match.state, preset.partition(".")[0])
        tables = []
        for seat in range(4):
            view = hall.matches.ViewMatch(wire.ViewMatchRequest(match=match, seat=seat)).view
            seen = getattr(view, preset.partition(".")[0])
            assert seen.hand == state.hands[seat]
            assert view.seat == seat
            assert len(view.root) == 32
            dealt = {opening.tile for opening in view.openings}
            assert set(seen.hand.tiles) <= dealt
            for each in view.openings:
                opening = Opening(each.place, NAMES.index(each.tile), each.salt, tuple(each.path))
                assert check_opening(view.root, opening)
            assert bool(view.legal_moves) == (seat == match.state.turn)
            tables.append(seen.table)
        spectator = hall.matches.ViewMatch(wire.ViewMatchRequest(match=match, spectator=Empty())).view
        seen = getattr(spectator, preset.partition(".")[0])
        assert not seen.HasField("hand")
        assert not spectator.openings
        assert all(table == seen.table == state.table for table in tables)


def test_a_seat_that_drew_can_prove_what_it_drew(hall: Any) -> None:
    """In fives the openings of a seat are the places it was dealt and those it drew, and no others."""
    options = Options(preset="fives.linear")
    options.fives.seats, options.fives.partners = 2, False
    match = hall.matches.StartMatch(wire.StartMatchRequest(match_id="drew", options=options)).match
    rng = random.Random(2)
    while True:
        match = hall.apply(match, rng.choice(hall.legal(match)))
        drawn = [move.draw.seat for move in match.state.fives.table.moves if move.HasField("draw")]
        if len(set(drawn)) == 2:
            break
    for seat in (0, 1):
        view = hall.matches.ViewMatch(wire.ViewMatchRequest(match=match, seat=seat)).view
        places = [opening.place for opening in view.openings]
        expected = [*range(7 * seat, 7 * seat + 7), *[14 + n for n, who in enumerate(drawn) if who == seat]]
        assert places == expected
        assert [opening.tile for opening in view.openings] == [match.state.fives.shake[place] for place in places]


def test_scripted_deals_are_marked_for_good(hall: Any) -> None:
    """A match that takes orders says so in its header, in each state, and in what a verifier says of its deals."""
    start = hall.start("scripted", "forty_two.polish", scripted_deals=True)
    match = hall.apply(hall.apply(start, Move(lot=Lot(seat=0))), Move(shake=Shake(tiles=NAMES)))
    assert list(match.state.marks) == [Mark.MARK_SCRIPTED]
    assert list(match.state.forty_two.hands[0].tiles) == list(NAMES[:7])
    assert match.state.forty_two.table.shaker == 0
    assert verdict(hall, "scripted").deal == DealStatement.DEAL_STATEMENT_SCRIPTED
    ends = hall.apply(match, Move(abandon=Abandon(reason="done")))
    assert verdict(hall, "scripted").verdict == Verdict.VERDICT_VALID
    assert list(ends.state.marks) == [Mark.MARK_SCRIPTED]


def test_a_russian_lead_of_doubles(hall: Any) -> None:
    """Trump doubles, the blank tile and seat 0 stand on the wire as themselves, never as absent."""
    order = ["0-0", "1-1", "2-2", "3-3", "4-4", "5-5", "1-0"]
    order += [name for name in NAMES if name not in order]
    start = hall.start("doubles", "forty_two.russian", scripted_deals=True)
    match = hall.apply(start, Move(shake=Shake(tiles=order)))
    match = hall.apply(match, Move(bid=Bid(seat=0, points=42)))
    for seat in (1, 2, 3):
        match = hall.apply(match, hall.legal(match)[0])
        assert getattr(match.state.forty_two.table.calls[seat], "pass").seat == seat
    match = hall.apply(match, Move(name_trump=NameTrump(seat=0, trump=Trump.TRUMP_DOUBLES)))
    match = hall.apply(match, Move(play=Play(seat=0, tile="0-0")))
    trick = match.state.forty_two.table.tricks[0]
    assert (trick.leader, trick.plays[0].seat, trick.plays[0].tile) == (0, 0, "0-0")
    assert trick.HasField("leader")


@pytest.mark.parametrize("preset", PRESETS)
def test_any_state_that_goes_on_can_be_imported(hall: Any, preset: str) -> None:
    """What a FULL reply shows can be imported at every point of a match; the match goes on and its log verifies."""
    rng = random.Random(21)
    match = hall.start(f"export-{preset}", preset)
    for ply in range(60):
        if match.state.HasField("outcome"):
            break
        if ply % 3 == 0:
            match_id = f"import-{preset}-{ply}"
            reply = hall.matches.ImportMatch(wire.ImportMatchRequest(match_id=match_id, state=match.state))
            assert list(reply.match.state.marks) == [Mark.MARK_IMPORTED]
            imported = hall.apply(reply.match, hall.legal(reply.match)[0])
            report = verdict(hall, match_id)
            assert report.verdict == Verdict.VERDICT_UNFINISHED, report.reason
            assert report.origin == OriginStatement.ORIGIN_STATEMENT_IMPORTED
            head = hall.matches.ResumeMatch(wire.ResumeMatchRequest(match_id=match_id))
            assert head.match == imported
            assert hall.matches.ImportMatch(wire.ImportMatchRequest(match_id=match_id, state=match.state)) == reply
        match = hall.apply(match, rng.choice(hall.legal(match)))


def test_one_game_is_not_another(hall: Any) -> None:
    """Every game of the engine can be started, and a token keeps the game that it was sealed with."""
    for name, game in GAMES.items():
        preset = next(iter(game.PRESETS))
        match = hall.start(f"game-{name}", f"{name}.{preset}")
        assert match.state.WhichOneof("game") == name
        assert match.state.options.preset == f"{name}.{preset}"


def test_an_abandoned_match_has_an_outcome_and_no_winner(hall: Any) -> None:
    """Abandon ends a match at any point, and whoever asks afterwards is told that it is over."""
    match = hall.apply(to_auction(hall, "abandon"), Move(abandon=Abandon(reason="timeout_seat_2")))
    assert match.state.phase == Phase.PHASE_OVER
    assert not match.state.outcome.HasField("winner_side")
    assert list(match.state.outcome.points) == [0, 0]
    assert hall.legal(match) == []
