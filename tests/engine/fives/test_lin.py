"""The Russian text of Straight Dominoes, clause by clause. LIN-02 only tells where it is played."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from dominohall_engine import fives
from dominohall_engine.errors import IllegalMove, InvalidOptions
from dominohall_engine.fives import LINEAR, Lot, Play, RoundEnd, Shake
from dominohall_engine.outcomes import Ending
from dominohall_engine.tiles import parse_tile
from dominohall_engine.violations import Reason

EVERY_TILE = bytes(range(28))


def test_lin_01_two_to_four_play_with_28_tiles(table: SimpleNamespace) -> None:
    """There are matches for two, three and four seats, and no others; a shake is the 28 tiles once each."""
    for seats in (1, 5):
        with pytest.raises(InvalidOptions, match="seats"):
            replace(LINEAR, seats=seats, partners=False, hand_size=3)
    for options in table.FORMS.values():
        state = fives.new_match(options, first=0)
        assert fives.violation(state, Shake(EVERY_TILE)) is None
        short = fives.violation(state, Shake(EVERY_TILE[:-1]))
        twice = fives.violation(state, Shake(bytes((0, *range(27)))))
        assert short
        assert twice
        assert (short.reason, short.clauses) == (Reason.NOT_ALL_TILES, ("LIN-01", "D-05"))
        assert (short.facts, twice.facts) == ({"count": 27, "different": 27}, {"count": 28, "different": 27})


def test_lin_03_opposite_seats_are_partners_at_four(table: SimpleNamespace) -> None:
    """Four seats may be two partnerships of opposite seats; otherwise every seat is its own side."""
    assert fives.sides(LINEAR) == ((0, 2), (1, 3))
    assert fives.sides(table.SOLO) == ((0,), (1,), (2,), (3,))
    assert fives.sides(table.THREE) == ((0,), (1,), (2,))
    state = table.deal(table.TWO, {0: "6-4 1-0", 1: "5-5 2-0"})
    stranger = fives.violation(state, Play(2, parse_tile("6-4"), 0))
    assert stranger
    assert (stranger.reason, stranger.clauses) == (Reason.NO_SUCH_SEAT, ("LIN-03",))


def test_lin_03_three_seats_make_no_partnership() -> None:
    """Partners need four seats."""
    with pytest.raises(InvalidOptions, match="partners"):
        replace(LINEAR, seats=3)


@pytest.mark.parametrize(
    ("drawn", "leader"),
    [("6-5 2-2 6-4 1-1", 1), ("6-5 6-4 5-4 6-3", 0), ("5-0 3-1 2-1 6-0", 3), ("6-6 5-5 4-4 3-3", 0)],
)
def test_lin_04_the_highest_double_or_else_the_highest_tile_leads(drawn: str, leader: int) -> None:
    """A lot of one tile a seat names the leader."""
    state = fives.new_match(LINEAR)
    assert fives.phase(state) == "lot"
    state = fives.apply(state, Lot(bytes(parse_tile(each) for each in drawn.split())))
    state = fives.apply(state, Shake(EVERY_TILE))
    assert fives.turn(state) == leader


@pytest.mark.parametrize("drawn", ["6-5 2-2 6-4", "6-5 2-2 6-4 6-5", "6-5 2-2 6-4 1-1 0-0"])
def test_lin_04_a_lot_draws_one_tile_for_each_seat(drawn: str) -> None:
    """A lot for other seats than there are, or with a tile twice, is refused."""
    broken = fives.violation(fives.new_match(LINEAR), Lot(bytes(parse_tile(each) for each in drawn.split())))
    assert broken
    assert (broken.reason, broken.clauses) == (Reason.BAD_LOT, ("LIN-04", "D-04"))


def test_lin_05_the_tiles_are_shuffled_again_before_the_first_round() -> None:
    """After the lot a shake is due, and nothing else."""
    state = fives.apply(fives.new_match(LINEAR), Lot(bytes((0, 1, 2, 3))))
    assert fives.phase(state) == "shake"
    early = fives.violation(state, Play(2, 0, 0))
    assert early
    assert (early.reason, early.clauses) == (Reason.NOT_THIS_MOVE_NOW, ("LIN-05", "D-04"))
    assert early.facts == {"move": "play", "expected": "shake"}


def test_lin_06_each_seat_draws_seven_tiles(table: SimpleNamespace) -> None:
    """Everybody has seven tiles, and plays none but those."""
    for options in table.FORMS.values():
        state = fives.apply(fives.new_match(options, first=0), Shake(EVERY_TILE))
        assert fives.view(state, None).hand_sizes == (7,) * options.seats
        assert fives.view(state, 0).hand == tuple(range(7))
        foreign = table.refusal(state, "6-6@start")
        assert (foreign.reason, foreign.clauses) == (Reason.TILE_NOT_HELD, ("LIN-06", "D-05"))


def test_lin_07_the_rest_is_the_boneyard(table: SimpleNamespace) -> None:
    """What is left is drawn from by whoever has no suitable tile, and only then."""
    state = table.deal(table.TWO, {0: "6-4 3-3", 1: "5-5 6-1"}, "2-2 4-0")
    state = table.run(state, "6-4")
    able = table.refusal(state, "draw")
    assert (able.reason, able.clauses) == (Reason.MUST_PLAY_IF_ABLE, ("A-LIN-10", "LIN-07"))
    assert able.facts == {"tiles": ("6-1",)}
    state = table.run(state, "6-1 draw")
    assert fives.view(state, 1).boneyard_count == 23
    assert fives.view(state, 0).hand == (5, 9)
    assert table.allowed(state) == ["draw"]
    assert table.allowed(table.run(state, "draw")) == ["4-0@right"]


def test_lin_08_the_leader_opens_with_any_tile(table: SimpleNamespace) -> None:
    """The first play may be any tile of the leader, and is nobody else's."""
    state = table.deal(table.TWO, {0: "6-4 1-0 3-3", 1: "5-5 6-1 2-1"})
    assert sorted(table.allowed(state)) == ["1-0@start", "3-3@start", "6-4@start"]
    other = fives.violation(state, Play(1, parse_tile("5-5"), 0))
    assert other
    assert (other.reason, other.facts) == (Reason.NOT_YOUR_TURN, {"seat": 1, "turn": 0})
    astray = table.refusal(state, "6-4@left")
    assert (astray.reason, astray.clauses) == (Reason.NO_SUCH_PLACE, ("LIN-08", "D-09"))


def test_lin_09_halves_must_match(table: SimpleNamespace) -> None:
    """A tile is joined by equal halves; another is refused, and every match is counted."""
    state = table.run(table.deal(table.TWO, {0: "6-4 1-0", 1: "4-3 5-1"}), "6-4")
    assert table.allowed(state) == ["4-3@right"]
    broken = table.refusal(state, "5-1@left")
    assert (broken.reason, broken.clauses) == (Reason.TILE_DOES_NOT_FIT, ("LIN-09",))
    assert broken.facts == {"tile": "5-1", "place": "left", "open": ("left", "right")}
    elsewhere = table.move_of(state, "4-3@left")
    with pytest.raises(IllegalMove, match=r"TILE_DOES_NOT_FIT \(LIN-09\)"):
        fives.apply(state, elsewhere)


def test_lin_10_a_multiple_of_five_scores_its_dots(table: SimpleNamespace) -> None:
    """The ends total scores if it is a multiple of five, and nothing otherwise."""
    state = table.deal(table.TWO, {0: "6-4 1-0 4-3", 1: "6-1 5-5 2-2"})
    state = table.run(state, "6-4")
    assert fives.view(state, None).scores == (10, 0)
    state = table.run(state, "6-1")
    assert (fives.view(state, None).scores, fives.view(state, None).last_scored) == ((10, 5), 5)
    state = table.run(state, "1-0")
    assert (fives.view(state, None).scores, fives.view(state, None).last_scored) == ((10, 5), 0)


def test_lin_11_tiles_go_on_all_sides_of_the_first_double(table: SimpleNamespace) -> None:
    """The first double takes a tile on each of its four sides, a second double none."""
    layouts = table.laid("3-3 3-1 3-2 3-0 5-3 5-5 6-5")
    assert [len(each.places) for each in layouts] == [1, 2, 3, 4, 4, 4, 4]
    state = table.run(table.deal(table.TWO, {0: "3-3 3-2", 1: "3-1 6-0"}), "3-3 3-1")
    early = table.refusal(state, "3-2@end_1")
    assert (early.reason, early.clauses) == (Reason.SPINNER_SIDES_FIRST, ("A-LIN-03", "A-LIN-02", "LIN-11"))


def test_lin_12_both_halves_of_other_doubles_count(table: SimpleNamespace) -> None:
    """A double at an end counts twice; covered, it counts no more."""
    assert table.totals("3-3 3-1 3-2 2-2 1-1 4-2") == [6, 7, 3, 5, 6, 6]


def test_lin_13_the_round_ends_when_a_hand_is_empty(table: SimpleNamespace) -> None:
    """The last tile ends the round; with a tile left it goes on."""
    state = table.run(table.deal(table.TWO, {0: "6-3 4-3", 1: "6-1 5-5"}), "6-3 6-1")
    assert fives.phase(state) == "playing"
    state = table.run(state, "4-3")
    assert fives.phase(state) == "shake"
    assert (table.last_round(state).end, table.last_round(state).seat) == (RoundEnd.WENT_OUT, 0)


def test_lin_14_the_winner_takes_the_opponents_dots_rounded(table: SimpleNamespace) -> None:
    """Dots left with the opponents are added and rounded to a multiple of five."""
    state = table.deal(table.THREE, {0: "6-3 4-3", 1: "6-1 5-2", 2: "2-1 6-6"})
    state = table.run(state, "6-3 6-1 2-1 4-3")
    assert table.last_round(state).pips == (0, 7, 12)
    assert table.last_round(state).bonus == 20
    assert fives.view(state, None).scores == (20, 0, 5)


def test_lin_15_the_partners_dots_are_not_added(table: SimpleNamespace) -> None:
    """Whoever goes out takes the dots of the two opponents alone."""
    hands = {0: "6-3 4-3", 1: "6-1 5-2", 2: "2-1 6-6", 3: "2-0 4-2"}
    state = table.run(table.deal(LINEAR, hands), "6-3 6-1 2-1 2-0 4-3")
    result = table.last_round(state)
    assert (result.pips, result.bonus, result.side) == ((0, 7, 12, 6), 15, 0)
    assert table.last_round(table.run(table.deal(table.SOLO, hands), "6-3 6-1 2-1 2-0 4-3")).bonus == 25


def test_lin_16_the_round_is_blocked_when_nobody_can_play(table: SimpleNamespace) -> None:
    """When no play is possible, for nobody and with nothing to draw, the round ends; before that it goes on."""
    no_draws = replace(table.TWO, draw=fives.DrawRule.NONE)
    state = table.run(table.deal(no_draws, {0: "6-0 2-2 5-4", 1: "3-2 1-1 3-3"}), "6-0 knock")
    assert fives.phase(state) == "playing"
    state = table.run(state, "knock")
    assert table.last_round(state).end is RoundEnd.BLOCKED


def test_lin_17_the_fewest_dots_win_a_block(table: SimpleNamespace) -> None:
    """The player with the fewest dots takes the sum of the opponents' dots, rounded."""
    no_draws = replace(table.THREE, draw=fives.DrawRule.NONE)
    state = table.deal(no_draws, {0: "6-0 2-2 5-4", 1: "3-2 1-1 3-3", 2: "5-1 2-1 4-2"})
    result = table.last_round(table.run(state, "6-0 knock knock knock"))
    assert result.pips == (13, 13, 15)
    assert (result.seat, result.bonus) == (None, 0)
    state = table.deal(no_draws, {0: "6-0 2-2 5-4", 1: "3-2 1-1 2-1", 2: "5-1 3-3 4-2"})
    result = table.last_round(table.run(state, "6-0 knock knock knock"))
    assert (result.pips, result.seat, result.bonus) == ((13, 10, 18), 1, 30)


def test_lin_18_the_match_ends_at_250(table: SimpleNamespace) -> None:
    """The first side with 250 points wins; with 245 it goes on."""
    state = table.deal(LINEAR, {0: "6-4 1-0", 1: "6-1 5-5", 2: "2-1 2-0", 3: "3-3 3-2"}, scores=(240, 0), shakes=9)
    state = table.run(state, "6-4")
    assert fives.outcome(state) == (0, Ending.TARGET, (250, 0))
    late = fives.violation(state, Play(1, parse_tile("6-1"), 1))
    assert late
    assert (late.reason, late.clauses) == (Reason.MATCH_OVER, ("LIN-18", "A-LIN-26"))
    with pytest.raises(IllegalMove, match="MATCH_OVER"):
        fives.apply(state, Shake(EVERY_TILE))
    state = table.deal(LINEAR, {0: "6-4 1-0", 1: "6-1 5-5", 2: "2-1 2-0", 3: "3-3 3-2"}, scores=(235, 0), shakes=9)
    assert fives.outcome(table.run(state, "6-4")) is None


def test_lin_19_the_winner_of_the_last_round_leads_the_next(table: SimpleNamespace) -> None:
    """A new shake comes without a lot, and the winner plays first."""
    state = table.run(table.deal(table.TWO, {0: "6-3 4-4", 1: "6-1 3-2"}, leader=1), "6-1 6-3 3-2")
    assert fives.phase(state) == "shake"
    refused = fives.violation(state, Lot(bytes((0, 1))))
    assert refused
    assert refused.reason is Reason.NOT_THIS_MOVE_NOW
    assert fives.turn(fives.apply(state, Shake(EVERY_TILE))) == 1
