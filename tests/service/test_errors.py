"""Each row of the table of errors: what went wrong decides the status, the reason and the details."""

import random
from pathlib import Path
from typing import Any

import grpc
import pytest
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1 import replay_service_pb2 as replays
from dominohall.v1.match_pb2 import Match
from dominohall.v1.move_pb2 import Abandon, Bid, Draw, Knock, Lot, Move, NameTrump, Pass, Place, Play, Shake, TimedMove
from dominohall.v1.options_pb2 import Options
from dominohall_engine.tiles import NAMES
from dominohall_service.faults import CallFault, Fault
from dominohall_service.keyring import Key, KeyKind, Keyring, KeyStatus, new_keyring, retire_key, rotate, write_keyring
from dominohall_service.seal import HEADER, Sealer
from dominohall_service.status import STATUS_OF, fault_status
from google.protobuf.timestamp_pb2 import Timestamp

INVALID = grpc.StatusCode.INVALID_ARGUMENT
SHAKE = Move(shake=Shake())
LOT = Move(lot=Lot())


def auction(hall: Any, match_id: str, preset: str = "forty_two.russian") -> Match:
    """Start a match and shake."""
    shaken: Match = hall.apply(hall.start(match_id, preset), SHAKE)
    return shaken


def beginning(match_id: str, fields: dict[str, Any]) -> wire.StartMatchRequest:
    """Return the request of a Polish match with some fields replaced."""
    return wire.StartMatchRequest(**{"match_id": match_id, "options": Options(preset="forty_two.polish"), **fields})


def passing(**fields: Any) -> Move:
    """Return a pass; its field has a name that is a Python keyword."""
    return Move(**{"pass": Pass(**fields)})  # type: ignore[arg-type]


def apply(match: Match, move: Move, **more: Any) -> wire.ApplyMoveRequest:
    """Return the request of a move."""
    return wire.ApplyMoveRequest(match=match, move=move, **more)


def test_every_fault_has_a_status() -> None:
    """The table leaves no fault out, so no outcome is unforeseen."""
    assert set(STATUS_OF) == set(Fault)


def test_the_page_has_every_fault_with_its_status() -> None:
    """The table of errors in the documentation is the table of the code."""
    page = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
    rows = [tuple(cell.strip(" `") for cell in line.split("|")[1:3]) for line in page.splitlines() if line[:3] == "| `"]
    documented = {name: status for name, status in rows if name in set(Fault)}
    assert documented == {fault.value: status.name for fault, status in STATUS_OF.items()}


def test_a_status_stays_small_enough_for_a_trailer() -> None:
    """However many fields are wrong and however long they are, a status stays under 8 KiB of metadata."""
    fields = [("state." + "x" * 500, "expected " + "y" * 900)] * 200
    status = fault_status(CallFault(Fault.IMPOSSIBLE_STATE, "z" * 5000, fields), "r" * 64)
    assert len(status.trailing_metadata[0][1]) * 4 / 3 < 8000


def test_an_edited_token_is_refused(hall: Any, fails: Any) -> None:
    """A token with any byte of its ciphertext changed has a broken seal."""
    match = auction(hall, "edited")
    rng = random.Random(1)
    for place in [HEADER.size, len(match.token) - 1, *rng.sample(range(HEADER.size, len(match.token)), 12)]:
        token = bytearray(match.token)
        token[place] ^= 1 << rng.randrange(8)
        found = fails(hall.matches.ListLegalMoves, wire.ListLegalMovesRequest(match=Match(token=bytes(token))))
        assert (found.code, found.reason, found.fields) == (INVALID, "SEAL_BROKEN", ["match.token"])


def test_a_cut_token_is_refused(hall: Any, fails: Any) -> None:
    """A token that is shorter or longer than it says is told so, at any length; too short for its head it is none."""
    match = auction(hall, "cut")
    for token in (match.token[:-1], match.token[:40], match.token[: HEADER.size], match.token + b"\0"):
        found = fails(hall.matches.ListLegalMoves, wire.ListLegalMovesRequest(match=Match(token=token)))
        assert (found.code, found.reason) == (INVALID, "TOKEN_TRUNCATED")
    for token in (match.token[:3], b"\2" + match.token[1:], b"garbage, and long enough to be a token"):
        found = fails(hall.matches.ListLegalMoves, wire.ListLegalMovesRequest(match=Match(token=token)))
        assert (found.code, found.reason) == (INVALID, "TOKEN_UNREADABLE")


def test_a_foreign_token_is_refused(hall: Any, open_hall: Any, fails: Any, tmp_path: Path) -> None:
    """A token sealed by another service, with keys of its own, is told to be foreign."""
    write_keyring(tmp_path / "other.json", new_keyring())
    other = open_hall(keyring=tmp_path / "other.json")
    found = fails(hall.matches.ListLegalMoves, wire.ListLegalMovesRequest(match=other.start("foreign")))
    assert (found.code, found.reason) == (INVALID, "KEY_UNKNOWN")


def test_rotation_and_retirement(open_hall: Any, fails: Any, tmp_path: Path) -> None:
    """A rotated key goes on opening tokens; a retired one is refused by name, and ResumeMatch seals the match afresh.

    The server reads the changed file by itself, and goes on with the keys it has if the file can't be used.
    """
    path, ring = tmp_path / "keyring.json", new_keyring()
    write_keyring(path, ring)
    hall = open_hall(keyring=path)
    keys = hall.server._keys
    match = hall.start("rotated", "forty_two.russian")
    ring, _ = rotate(ring, KeyKind.SEAL)
    write_keyring(path, ring, replace_existing=True)
    keys.reload_if_changed()
    shaken = hall.apply(match, SHAKE)
    assert shaken.token[1:5] == ring.active(KeyKind.SEAL).id != match.token[1:5]
    path.write_text("{}")
    keys.reload_if_changed()
    assert hall.apply(match, SHAKE) == shaken
    ring = retire_key(ring, KeyKind.SEAL, match.token[1:5])
    write_keyring(path, ring, replace_existing=True)
    keys.reload_if_changed()
    found = fails(hall.matches.ApplyMove, apply(match, SHAKE))
    assert (found.code, found.reason) == (INVALID, "KEY_RETIRED")
    assert hall.matches.ResumeMatch(wire.ResumeMatchRequest(match_id="rotated")).match == shaken


def test_a_rotated_deal_key_goes_on_dealing_and_a_retired_one_does_not(
    open_hall: Any, fails: Any, tmp_path: Path
) -> None:
    """A match is dealt by the key it began with; starting it again after a rotation finds the same match."""
    path, ring = tmp_path / "keyring.json", new_keyring()
    write_keyring(path, ring)
    hall = open_hall(keyring=path)
    start = hall.start("deals", "forty_two.russian")
    dealt = hall.apply(start, SHAKE)
    before = ring.active(KeyKind.DEAL).id
    ring, _ = rotate(ring, KeyKind.DEAL)
    write_keyring(path, ring, replace_existing=True)
    hall.server._keys.reload_if_changed()
    assert hall.start("deals", "forty_two.russian") == start
    assert hall.apply(start, SHAKE) == dealt
    write_keyring(path, retire_key(ring, KeyKind.DEAL, before), replace_existing=True)
    hall.server._keys.reload_if_changed()
    assert fails(hall.matches.ApplyMove, apply(start, SHAKE)).reason == "KEY_RETIRED"
    view = hall.matches.ViewMatch(wire.ViewMatchRequest(match=dealt, seat=0)).view
    assert len(view.openings) == 7


def test_a_token_of_unknown_rules_or_another_owner(hall: Any, fails: Any) -> None:
    """A state that this build can't read is UNKNOWN_RULES; a match of another owner is none of the caller's."""
    sealer: Sealer = hall.server._keys.current.sealer
    sealed = sealer.open(hall.start("rules").token)
    for change, code, reason in (
        ({"state": b"\x63" + sealed.state[1:]}, INVALID, "UNKNOWN_RULES"),
        ({"owner": "somebody"}, grpc.StatusCode.PERMISSION_DENIED, "OTHER_OWNER"),
    ):
        names = ("owner", "match_id", "game", "marks", "deal_key_id", "sequence", "link", "root", "state")
        values = {name: getattr(sealed, name) for name in names}
        token = sealer.seal(type(sealed)(**{**values, **change}))
        found = fails(hall.matches.ListLegalMoves, wire.ListLegalMovesRequest(match=Match(token=token)))
        assert (found.code, found.reason) == (code, reason)


def test_what_stands_beside_a_token_must_agree(hall: Any, fails: Any) -> None:
    """The whole match may be sent back; any field of it that was edited is named and refused."""
    match = auction(hall, "beside")
    assert hall.matches.ListLegalMoves(wire.ListLegalMovesRequest(match=match)).moves
    edits: list[tuple[str, Any]] = [
        ("match.match_id", lambda m: setattr(m, "match_id", "other")),
        ("match.sequence", lambda m: setattr(m, "sequence", 0)),
        ("match.link", lambda m: setattr(m, "link", bytes(32))),
        ("match.state.turn", lambda m: setattr(m.state, "turn", (m.state.turn + 1) % 4)),
        ("match.state.sides", lambda m: setattr(m.state.sides[0], "points", 249)),
        ("match.state.forty_two.hands", lambda m: m.state.forty_two.hands[0].tiles.reverse()),
        ("match.state.options.forty_two.target", lambda m: setattr(m.state.options.forty_two, "target", 50)),
        ("match.state.phase", lambda m: m.state.ClearField("phase")),
    ]
    for field, edit in edits:
        edited = Match()
        edited.CopyFrom(match)
        edit(edited)
        found = fails(hall.matches.ApplyMove, apply(edited, hall.legal(match)[0]))
        assert (found.code, found.reason, found.fields) == (INVALID, "STATE_EDITED", [field])


@pytest.mark.parametrize("match_id", ["", "x" * 129, "a b", "a/b", "ä", "a\n", "../x"])
def test_a_match_id_that_is_none(hall: Any, fails: Any, match_id: str) -> None:
    """A match id is 1 to 128 plain characters; anything else names the field."""
    for call, request in (
        (hall.matches.StartMatch, wire.StartMatchRequest(match_id=match_id, options=Options(preset="fives.linear"))),
        (hall.matches.ResumeMatch, wire.ResumeMatchRequest(match_id=match_id)),
        (hall.replays.GetReplay, replays.GetReplayRequest(match_id=match_id)),
    ):
        found = fails(call, request)
        assert (found.code, found.reason, found.fields) == (INVALID, "INVALID_MESSAGE", ["match_id"])


def test_options_that_are_none(hall: Any, fails: Any) -> None:
    """An unknown preset or revision needs another build; an option out of range, or of another game, is a mistake."""

    def start(**fields: Any) -> wire.StartMatchRequest:
        options = Options(preset=fields.pop("preset", "forty_two.polish"))
        game = fields.pop("game", "forty_two")
        for name, value in fields.items():
            setattr(getattr(options, game), name, value)
        return wire.StartMatchRequest(match_id="options", options=options)

    for request, reason, field in (
        (start(preset="forty_two.texan"), "UNKNOWN_RULES", "options.preset"),
        (start(preset="polish"), "UNKNOWN_RULES", "options.preset"),
        (start(preset=""), "INVALID_MESSAGE", "options.preset"),
        (start(revision=2), "UNKNOWN_RULES", "options.forty_two.revision"),
        (start(target=7), "INVALID_MESSAGE", "options.forty_two"),
        (start(game="fives", target=100), "INVALID_MESSAGE", "options.fives"),
        (start(opener=0), "INVALID_MESSAGE", "options.forty_two.opener"),
        (start(opener=9), "INVALID_MESSAGE", "options.forty_two.opener"),
        (start(preset="fives.linear", game="fives", seats=3), "INVALID_MESSAGE", "options.fives"),
    ):
        found = fails(hall.matches.StartMatch, request)
        assert (found.code, found.reason, found.fields) == (INVALID, reason, [field])


def test_beginnings_that_are_none(hall: Any, fails: Any) -> None:
    """A seat that isn't there and labels that don't fit the seats are refused with their field."""
    for more, field in (
        ({"first_seat": 4}, "first_seat"),
        ({"seat_labels": ["a", "b"]}, "seat_labels"),
        ({"seat_labels": ["", "", "", "ä" * 200]}, "seat_labels[3]"),
        ({"options": Options(preset="forty_two.russian"), "first_seat": 0}, "first_seat"),
    ):
        request = beginning("beginnings", more)
        assert fails(hall.matches.StartMatch, request).fields == [field]


def test_the_same_id_with_another_beginning(hall: Any, fails: Any) -> None:
    """Other options, another leader, other labels or other marks under one id are ALREADY_EXISTS."""
    hall.start("taken")
    for more in (
        {"options": Options(preset="fives.linear")},
        {"first_seat": 0},
        {"seat_labels": ["", "", "", "x"]},
        {"scripted_deals": True},
    ):
        request = beginning("taken", more)
        found = fails(hall.matches.StartMatch, request)
        assert (found.code, found.reason) == (grpc.StatusCode.ALREADY_EXISTS, "MATCH_EXISTS")
    state = hall.start("taken-too").state
    found = fails(hall.matches.ImportMatch, wire.ImportMatchRequest(match_id="taken", state=state))
    assert found.code == grpc.StatusCode.ALREADY_EXISTS


def test_moves_that_are_none(hall: Any, fails: Any) -> None:
    """A move without its seat, tile, points, trump or place, and one of another game, names the field."""
    forty_two, fives = (
        auction(hall, "no-move"),
        hall.apply(hall.start("no-move-5", "fives.linear", first_seat=0), SHAKE),
    )
    for match, move, field in (
        (forty_two, Move(), "move"),
        (forty_two, Move(bid=Bid(points=30)), "move.bid.seat"),
        (forty_two, Move(bid=Bid(seat=0)), "move.bid.points"),
        (forty_two, passing(), "move.pass.seat"),
        (forty_two, Move(name_trump=NameTrump(seat=0)), "move.name_trump.trump"),
        (forty_two, Move(name_trump=NameTrump(seat=0, trump=99)), "move.name_trump.trump"),  # type: ignore[arg-type]
        (forty_two, Move(play=Play(tile="0-0")), "move.play.seat"),
        (forty_two, Move(play=Play(seat=0)), "move.play.tile"),
        (forty_two, Move(play=Play(seat=0, tile="7-0")), "move.play.tile"),
        (forty_two, Move(play=Play(seat=0, tile="0-0", place=Place.PLACE_LEFT)), "move.play.place"),
        (forty_two, Move(draw=Draw(seat=0)), "move.draw"),
        (forty_two, Move(lot=Lot(tiles=["0-0"])), "move.lot.tiles"),
        (forty_two, Move(shake=Shake(tiles=NAMES[:27])), "move.shake.tiles"),
        (forty_two, Move(abandon=Abandon()), "move.abandon.reason"),
        (fives, Move(play=Play(seat=0, tile="0-0")), "move.play.place"),
        (fives, Move(play=Play(seat=0, tile="0-0", place=99)), "move.play.place"),  # type: ignore[arg-type]
        (fives, Move(knock=Knock()), "move.knock.seat"),
        (fives, Move(bid=Bid(seat=0, points=30)), "move.bid"),
        (fives, Move(lot=Lot(seat=0)), "move.lot.seat"),
    ):
        found = fails(hall.matches.ApplyMove, apply(match, move))
        assert (found.code, found.reason, found.fields) == (INVALID, "INVALID_MESSAGE", [field])
    times = wire.ApplyMovesRequest(
        match=forty_two, moves=[TimedMove(move=Move(shake=Shake()), occurred_at=Timestamp(seconds=-1))]
    )
    assert fails(hall.matches.ApplyMoves, times).fields == ["moves[0].occurred_at"]


def test_bytes_that_are_no_message(hall: Any, fails: Any) -> None:
    """Bytes that can't be parsed are the caller's mistake, not an incident; so is a method that doesn't exist."""
    channel = grpc.insecure_channel(f"127.0.0.1:{hall.server.port}")
    raw: Any = channel.unary_unary("/dominohall.v1.MatchService/ApplyMove")
    for data in (b"\xff\xff", b"\x0a\xff\xff\xff\xff\x0f", b"\x0a" * 5000):
        assert fails(raw, data).reason == "INVALID_MESSAGE"
    found = fails(channel.unary_unary("/dominohall.v1.MatchService/Undo"), b"")
    assert (found.code, found.reason) == (grpc.StatusCode.UNIMPLEMENTED, "METHOD_UNKNOWN")
    channel.close()


def test_a_refusal_names_the_rule_and_changes_nothing(hall: Any, fails: Any) -> None:
    """A forbidden move is FAILED_PRECONDITION with reason, clauses, facts, message and the seat's legal moves."""
    match = auction(hall, "refusal")
    turn = match.state.turn
    found = fails(hall.matches.ApplyMove, apply(match, Move(bid=Bid(seat=turn, points=29))))
    refusal = found.details["Refusal"]
    assert (found.code, found.reason, refusal.reason) == (
        grpc.StatusCode.FAILED_PRECONDITION,
        "BID_TOO_LOW",
        "BID_TOO_LOW",
    )
    assert refusal.clauses[0].id == "F42-RU-07"
    assert "30" in refusal.clauses[0].text
    assert refusal.facts
    assert list(refusal.legal_moves) == hall.legal(match)
    assert found.details["LocalizedMessage"].message == refusal.message
    assert found.size < 4096
    assert hall.matches.ResumeMatch(wire.ResumeMatchRequest(match_id="refusal")).match == match
    out_of_turn = fails(hall.matches.ApplyMove, apply(match, Move(bid=Bid(seat=(turn + 1) % 4, points=30))))
    assert out_of_turn.reason == "NOT_YOUR_TURN"
    assert not out_of_turn.details["Refusal"].legal_moves
    for move, reason in (
        (Move(bid=Bid(seat=4, points=30)), "NO_SUCH_SEAT"),
        (Move(bid=Bid(seat=2**32 - 1, points=2**32 - 1)), "NO_SUCH_SEAT"),
        (SHAKE, "NOT_THIS_MOVE_NOW"),
        (LOT, "NOT_THIS_MOVE_NOW"),
        (Move(abandon=Abandon(reason="No Reason!")), "BAD_ABANDON_REASON"),
        (Move(play=Play(seat=turn, tile="0-0")), "NOT_THIS_MOVE_NOW"),
    ):
        assert fails(hall.matches.ApplyMove, apply(match, move)).reason == reason
        assert fails(hall.matches.ApplyMove, apply(match, move, validate_only=True)).reason == reason


@pytest.mark.parametrize(("asked", "language"), [("pl", "pl"), ("ru-RU, en;q=0.5", "ru"), ("de", "en"), ("", "en")])
def test_refusals_speak_the_caller_s_language(hall: Any, fails: Any, asked: str, language: str) -> None:
    """`accept-language` metadata chooses the language of the message and of the clauses."""
    match = auction(hall, f"language-{language}")
    move = Move(bid=Bid(seat=match.state.turn, points=29))
    english = fails(hall.matches.ApplyMove, apply(match, move)).details["Refusal"]
    found = fails(hall.matches.ApplyMove, apply(match, move), metadata=(("accept-language", asked),))
    refusal = found.details["Refusal"]
    assert (refusal.language, found.details["LocalizedMessage"].locale) == (language, language)
    assert (refusal.message == english.message) == (language == "en")
    assert (refusal.clauses[0].text == english.clauses[0].text) == (language == "en")


def test_a_batch_with_a_bad_move_names_its_place_and_records_nothing(hall: Any, fails: Any) -> None:
    """All or nothing: the refused move is named by its index, and the good ones before it are not recorded."""
    match = auction(hall, "bad-batch")
    good, bad = hall.legal(match)[1], Move(bid=Bid(seat=match.state.turn, points=40))
    request = wire.ApplyMovesRequest(match=match, moves=[TimedMove(move=good), TimedMove(move=bad)])
    found = fails(hall.matches.ApplyMoves, request)
    assert (found.reason, found.details["Refusal"].index) == ("NOT_YOUR_TURN", 1)
    request.moves[1].move.bid.ClearField("points")
    assert fails(hall.matches.ApplyMoves, request).fields == ["moves[1].move.bid.points"]
    assert hall.matches.ResumeMatch(wire.ResumeMatchRequest(match_id="bad-batch")).match == match


def test_impossible_states_are_refused_with_every_problem(hall: Any, fails: Any) -> None:
    """A state that can't arise, or whose fields disagree, is IMPOSSIBLE_STATE with what is wrong."""
    rng = random.Random(4)
    match = hall.play(hall.start("possible", "forty_two.polish"), rng, lambda match: match.sequence == 12)
    edits = (
        lambda s: setattr(s.sides[0], "points", 900),
        lambda s: setattr(s, "turn", (s.turn + 1) % 4),
        lambda s: s.forty_two.hands[1].tiles.append("0-0"),
        lambda s: setattr(s.forty_two.table, "shaker", (s.forty_two.table.shaker + 1) % 4),
        lambda s: setattr(s, "shake_count", 3),
        lambda s: s.forty_two.table.hand_counts.append(7),
    )
    for edit in edits:
        request = wire.ImportMatchRequest(match_id="impossible", state=match.state)
        edit(request.state)
        found = fails(hall.matches.ImportMatch, request)
        assert (found.code, found.reason) == (INVALID, "IMPOSSIBLE_STATE")
        assert found.fields
    over = hall.apply(match, Move(abandon=Abandon(reason="x"))).state
    found = fails(hall.matches.ImportMatch, wire.ImportMatchRequest(match_id="impossible", state=over))
    assert (found.reason, found.fields) == ("IMPOSSIBLE_STATE", ["state.phase"])


def test_imports_and_scripts_need_the_settings(open_hall: Any, fails: Any) -> None:
    """Without leave in the settings no match is imported or scripted; and no order is taken in a match without mark."""
    hall = open_hall()
    start = hall.start("plain", "forty_two.polish")
    for call, request, reason in (
        (hall.matches.ImportMatch, wire.ImportMatchRequest(match_id="i", state=start.state), "IMPORTS_OFF"),
        (
            hall.matches.StartMatch,
            wire.StartMatchRequest(match_id="s", options=Options(preset="fives.linear"), scripted_deals=True),
            "SCRIPTED_DEALS_OFF",
        ),
        (hall.matches.ApplyMove, apply(start, Move(lot=Lot(seat=0))), "SCRIPTED_DEALS_OFF"),
        (hall.matches.ApplyMove, apply(start, Move(lot=Lot(seat=0)), validate_only=True), "SCRIPTED_DEALS_OFF"),
        (hall.matches.ApplyMove, apply(hall.apply(start, LOT), Move(shake=Shake(tiles=NAMES))), "SCRIPTED_DEALS_OFF"),
    ):
        found = fails(call, request)
        assert (found.code, found.reason) == (grpc.StatusCode.FAILED_PRECONDITION, reason)


def test_a_fork_is_aborted_with_both_links(hall: Any, fails: Any) -> None:
    """Another move on a token that was moved on from is FORKED, alone and in a batch, and the loser can resume."""
    match = auction(hall, "fork")
    one, other = hall.legal(match)[:2]
    moved = hall.apply(match, one)
    for call, request in (
        (hall.matches.ApplyMove, apply(match, other)),
        (hall.matches.ApplyMoves, wire.ApplyMovesRequest(match=match, moves=[TimedMove(move=other)])),
    ):
        found = fails(call, request)
        fork = found.details["Fork"]
        assert (found.code, found.reason) == (grpc.StatusCode.ABORTED, "FORKED")
        assert (fork.sequence, fork.stored_link) == (moved.sequence, moved.link)
        assert len(fork.refused_link) == 32
        assert fork.refused_link != fork.stored_link
    assert hall.matches.ResumeMatch(wire.ResumeMatchRequest(match_id="fork")).match == moved


def test_a_token_ahead_of_the_store(open_hall: Any, fails: Any, tmp_path: Path) -> None:
    """A token that builds on what the store lacks is HISTORY_MISSING, with how far the store reaches."""
    full, empty = open_hall(store_path=tmp_path / "full"), open_hall(store_path=tmp_path / "empty")
    match = auction(full, "ahead")
    found = fails(empty.matches.ApplyMove, apply(match, full.legal(match)[0]))
    detail = found.details["MissingHistory"]
    assert (found.code, found.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "HISTORY_MISSING")
    assert (detail.HasField("stored_sequence"), detail.token_sequence) == (False, 1)
    empty.start("ahead", "forty_two.russian")
    detail = fails(empty.matches.ApplyMove, apply(match, full.legal(match)[0])).details["MissingHistory"]
    assert (detail.HasField("stored_sequence"), detail.stored_sequence) == (True, 0)


def test_unknown_matches_and_sequences(hall: Any, fails: Any) -> None:
    """What is not there is NOT_FOUND: a match, or a record of it."""
    hall.start("short")
    not_found = grpc.StatusCode.NOT_FOUND
    for call, request, reason in (
        (hall.matches.ResumeMatch, wire.ResumeMatchRequest(match_id="nobody"), "MATCH_NOT_FOUND"),
        (hall.replays.GetReplay, replays.GetReplayRequest(match_id="nobody"), "MATCH_NOT_FOUND"),
        (hall.replays.GetReplay, replays.GetReplayRequest(match_id="short", from_sequence=1), "SEQUENCE_NOT_FOUND"),
        (hall.replays.VerifyReplay, replays.VerifyReplayRequest(match_id="nobody"), "MATCH_NOT_FOUND"),
        (hall.replays.StepReplay, replays.StepReplayRequest(match_id="nobody", sequence=0), "MATCH_NOT_FOUND"),
        (hall.replays.StepReplay, replays.StepReplayRequest(match_id="short", sequence=1), "SEQUENCE_NOT_FOUND"),
    ):
        found = fails(call, request)
        assert (found.code, found.reason) == (not_found, reason)


def test_without_a_store_the_host_keeps_the_records(open_hall: Any, fails: Any) -> None:
    """With `store none` a match is played as with one; its records verify; what needs a store says so."""
    hall = open_hall(store="none")
    match = hall.play(hall.start("kept", "fives.linear"), random.Random(9))
    log = b"".join(record.entry for record in hall.records["kept"])
    report = hall.replays.VerifyReplay(replays.VerifyReplayRequest(log=log)).report
    assert (report.verdict, report.link) == (1, match.link)
    for call, request in (
        (hall.matches.ResumeMatch, wire.ResumeMatchRequest(match_id="kept")),
        (hall.replays.ListReplays, replays.ListReplaysRequest()),
        (hall.replays.GetReplay, replays.GetReplayRequest(match_id="kept")),
        (hall.replays.VerifyReplay, replays.VerifyReplayRequest(match_id="kept")),
    ):
        assert fails(call, request).reason == "NO_STORE"


def test_a_store_that_is_gone(open_hall: Any, fails: Any) -> None:
    """A store that can't answer is UNAVAILABLE with a time to wait; nothing else is said."""
    hall = open_hall()
    match = auction(hall, "gone")
    hall.server._store.close()
    for call, request in (
        (hall.matches.ApplyMove, apply(match, hall.legal(match)[0])),
        (hall.matches.ResumeMatch, wire.ResumeMatchRequest(match_id="gone")),
        (hall.replays.ListReplays, replays.ListReplaysRequest()),
    ):
        found = fails(call, request)
        assert (found.code, found.reason) == (grpc.StatusCode.UNAVAILABLE, "STORE_UNAVAILABLE")
        assert found.details["RetryInfo"].retry_delay.ToMilliseconds() > 0


def test_a_keyring_of_one_key_twice_is_refused() -> None:
    """Seal and deal keys are kept apart: one secret can't serve as both."""
    key = Key(b"abcd", bytes(32), KeyStatus.ACTIVE)
    keyring = Keyring({key.id: key}, {key.id: key})
    with pytest.raises(ValueError, match="one key under two"):
        rotate(keyring, KeyKind.SEAL)
