"""What an audit says of a fault: its clause, what followed, how far it reaches, and what nobody can know."""

import json

import pytest
from dominohall_engine import forty_two
from dominohall_engine.forty_two.scoring import gained_by_side
from dominohall_engine.forty_two.tables import COUNT
from dominohall_engine.tiles import parse_tile
from dominohall_replays.as_played.audit import audit
from dominohall_replays.as_played.audit_values import audit_to_plain
from dominohall_replays.as_played.forty_two import run_forty_two
from dominohall_replays.as_played.notation import parse_round
from dominohall_replays.as_played.rounds import FortyTwoRound, UnusableRound

RENEGE = """as-played 1
rules: forty_two.polish
shaker: 3
calls 0: 30 pass pass pass
trump 0: threes
trick 0: 3-3 1-0 3-0 3-1
trick 0: 4-4 4-2 6-4 4-0
trick 0: 0-0 6-0 1-1 2-2
trick 0: 2-0 5-2 6-2 5-0
trick 2: 6-5 5-5 5-3 5-4
trick 0: 4-3 2-1 6-3 3-2
trick 2: 6-1 6-6 5-1 4-1
score: 40 2
"""


def test_a_renege_is_told_with_its_consequences() -> None:
    """Seat 3 throws 2-2 on led blanks and holds 5-0: clause, trick, tile held back, points before and after."""
    found = audit(parse_round(RENEGE))
    first = found.findings[0]
    assert (first.ply, first.line, first.column, first.seat, first.trick) == (17, 8, 22, 3, 3)
    assert first.reasons[0].clauses == ("F42-PL-20", "F42-PL-21")
    assert [move["tile"] for move in first.could] == ["5-0"]
    said = " ".join(each.text for each in first.consequences)
    assert "trick 3 went to seat 0 with 1" in said
    assert "With 5-0 instead" in said
    assert "goes to seat 0 all the same, with 6" in said
    assert "5-0, held back here, was played to trick 4" in said
    assert (found.settled, found.open_points) == ((12, 0), 30)


def test_a_fault_reaches_as_far_as_the_points_from_it_on() -> None:
    """Under each preset: the score as played, and with the rest of the points given to either side."""
    found = audit(parse_round(RENEGE))
    record = parse_round(RENEGE).round
    assert isinstance(record, FortyTwoRound)
    taken = [0, 0]
    for trick in run_forty_two(record, record.options).tricks:
        taken[(trick.winner or 0) % 2] += 1 + sum(COUNT[play.tile] for play in trick.plays)
    for row, options in zip(found.scores, (forty_two.POLISH, forty_two.RUSSIAN), strict=True):
        assert row.gained == gained_by_side(options, 0, 30, taken[0], taken[1])
        assert row.with_rest == gained_by_side(options, 0, 30, 42, 0)
        assert row.without_rest == gained_by_side(options, 0, 30, 12, 30)
    assert [row.rules for row in found.scores] == ["forty_two.polish", "forty_two.russian"]


def test_a_lead_out_of_turn_is_found() -> None:
    """The table let another seat lead than the one that took the trick: that lead is the first finding."""
    text = (
        RENEGE.replace("1-1 2-2", "1-1 5-0")
        .replace("6-2 5-0", "6-2 2-2")
        .replace("trick 2: 6-5 5-5 5-3 5-4", "trick 1: 5-5 5-3 5-4 6-5")
    )
    found = audit(parse_round(text.replace("5-3 5-4 6-5", "6-5 5-3 5-4")))
    assert found.findings[0].reasons[0].reason == "NOT_YOUR_TURN"
    assert found.findings[0].reasons[0].clauses == ("A-PL-09",)
    assert (found.findings[0].trick, found.findings[0].seat) == (5, 1)


def test_bids_that_the_rules_forbid_are_accepted_and_marked() -> None:
    """A bid of 29, an equal bid, one of 43 and a wrong opener are each found where they stand."""
    for calls, ply, reason in (
        ("calls 0: 29 30 pass pass", 1, "BID_TOO_LOW"),
        ("calls 0: 30 30 pass pass", 2, "BID_NOT_ABOVE_LAST"),
        ("calls 0: 30 43 pass pass", 2, "BID_TOO_HIGH"),
        ("calls 1: 30 pass pass pass", 1, "NOT_YOUR_TURN"),
    ):
        found = audit(parse_round(f"as-played 1\nrules: forty_two.polish\nshaker: 3\n{calls}\n"))
        assert (found.findings[0].ply, found.findings[0].reasons[0].reason) == (ply, reason)


def test_trump_named_by_the_wrong_bidder() -> None:
    """The second of two equal bids named trump: that is marked, and the round goes on under that contract."""
    text = "as-played 1\nrules: forty_two.polish\ncalls 0: 30 31 31 pass\ntrump 2: fives\ntrick 2: 5-5 5-1 5-0 6-5\n"
    found = audit(parse_round(text))
    assert [(each.ply, each.reasons[0].reason) for each in found.findings] == [
        (3, "BID_NOT_ABOVE_LAST"),
        (5, "NOT_YOUR_TURN"),
    ]
    assert found.tricks[0].winner == 2


def test_what_nobody_wrote_down_is_not_judged() -> None:
    """Where only the contract and some tricks are known, the page says what could not be checked."""
    text = "as-played 1\nrules: forty_two.russian\nbid 2: 31\ntrump 2: sixes\ntrick 2: 6-5 6-6 1-0 6-4\n"
    found = audit(parse_round(text))
    assert found.is_clean
    said = " ".join(each.text for each in found.unchecked)
    assert "only the contract" in said
    assert "0, 1, 2, 3" in said
    assert "does not come to its end" in said
    assert found.scores[0].gained is None


def test_fives_a_tile_that_does_not_fit_is_found_and_lies_there() -> None:
    """A tile laid against the rule is marked, counts with its higher half, and the round goes on from it."""
    text = "as-played 1\nrules: fives.linear\nleader: 0\nplay 0: 6-4 start\nplay 1: 5-2 left\nplay 2: 5-1 left\n"
    found = audit(parse_round(text))
    assert [each.ply for each in found.findings] == [2]
    assert found.findings[0].reasons[0].clauses == ("LIN-09",)
    assert [turn.ends.total for turn in found.turns if turn.ends] == [10, 9, 5]
    assert found.settled == (10, 0)


def test_fives_a_knock_of_a_seat_that_could_play() -> None:
    """A seat that knocks and later plays a tile that fitted then is found out by that tile."""
    text = (
        "as-played 1\nrules: fives.linear\nleader: 0\nplay 0: 6-4 start\nknock 1\nplay 2: 4-4 right\n"
        "play 3: 6-5 side_1\nplay 0: 5-0 side_1\nplay 1: 4-3 side_2\n"
    )
    found = audit(parse_round(text))
    assert found.findings[0].ply == 2
    assert found.findings[0].reasons[0].reason == "MUST_PLAY_IF_ABLE"
    assert "4-3" in found.findings[0].reasons[0].message
    assert any("4-3, which could have been played here" in said.text for said in found.findings[0].consequences)


def test_a_place_that_no_layout_has_is_unusable() -> None:
    """A tile at an end of a spinner that is not there can't have been played."""
    text = "as-played 1\nrules: fives.linear\nleader: 0\nplay 0: 6-4 start\nplay 1: 4-2 end_1\n"
    with pytest.raises(UnusableRound, match="a place that the layout has"):
        audit(parse_round(text))


def test_left_tiles_must_follow_from_the_hand() -> None:
    """Where hands, draws and plays are known, other tiles laid open at the end contradict them."""
    hand = "hand 0: 6-4 5-5 5-0 4-1 3-2 1-0 0-0\n"
    text = f"as-played 1\nrules: fives.linear\nleader: 0\n{hand}play 0: 6-4 start\nleft 0: 5-5 5-0 4-1 3-2 1-0 2-0\n"
    with pytest.raises(UnusableRound, match="seat 0"):
        audit(parse_round(text))


def test_an_audit_is_plain_data_in_three_languages() -> None:
    """JSON takes an audit in each language, with the same findings and other words."""
    told = [audit(parse_round(RENEGE), language) for language in ("en", "pl", "ru")]
    assert len({json.dumps(audit_to_plain(each), ensure_ascii=False) for each in told}) == 3
    assert len({(each.findings[0].ply, each.findings[0].reasons[0].clauses) for each in told}) == 1
    assert parse_tile("5-0") in {parse_tile(str(move["tile"])) for move in told[0].findings[0].could}
