"""The adjudication cases of the rules page (section 8) for Fives, by their numbers, and the published vector."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from dominohall_engine import fives
from dominohall_engine.fives import LINEAR, BlockScore, DrawRule, Lot, Play, RoundEnd, Shake
from dominohall_engine.fives.layout import EMPTY, extended
from dominohall_engine.fives.scoring import lot_winner, round5
from dominohall_engine.outcomes import Ending
from dominohall_engine.tiles import NAMES, parse_tile
from dominohall_engine.violations import Reason

BLOCK_GAME = replace(LINEAR, seats=2, partners=False, draw=DrawRule.NONE)


def test_vector_pagat_a5(table: SimpleNamespace) -> None:
    """The nine plays of section 5.5 make these totals and score 5, 0, 10, 5, 5, 10, 15, 5, 0."""
    layouts = table.laid("4-1 1-1@right 4-4@side_1 4-3 2-1@side_2 5-1@end_1 5-5@end_1 5-0@end_1 6-1@end_2")
    assert [each.total for each in layouts] == [5, 6, 10, 5, 5, 10, 15, 5, 11]
    assert [each.points for each in layouts] == [5, 0, 10, 5, 5, 10, 15, 5, 0]


def test_case_43_what_an_opening_scores() -> None:
    """5-5 and 6-4 score ten, 5-0, 4-1 and 3-2 five, all others nothing."""
    empty = EMPTY[fives.SpinnerRule.SIDES_THEN_ENDS]
    worth = {NAMES[tile]: points for tile in range(28) if (points := extended(empty, tile, 0).points)}
    assert worth == {"5-5": 10, "6-4": 10, "5-0": 5, "4-1": 5, "3-2": 5}


def test_case_44_five_five_then_five_blank(table: SimpleNamespace) -> None:
    """5-5 still counts both halves, the blank nothing: ten."""
    assert table.laid("5-5 5-0")[-1].points == 10


def test_case_45_six_six_then_six_three(table: SimpleNamespace) -> None:
    """Twelve scores nothing, then 12 + 3 scores fifteen."""
    assert [each.points for each in table.laid("6-6 6-3")] == [0, 15]


def test_case_49_an_end_of_the_spinner_before_its_sides(table: SimpleNamespace) -> None:
    """It is refused by default; under the literal option nothing but the spinner is open."""
    state = table.run(table.deal(table.TWO, {0: "6-6 6-2", 1: "6-3 6-1"}), "6-6 6-3")
    assert table.refusal(state, "6-2@end_1").reason is Reason.SPINNER_SIDES_FIRST
    literal = replace(table.TWO, spinner=fives.SpinnerRule.ALL_FOUR_FIRST)
    state = table.run(table.deal(literal, {0: "6-6 3-2", 1: "6-3 6-1"}), "6-6 6-3")
    assert table.refusal(state, "3-2@side_1").reason is Reason.SPINNER_MUST_BE_COVERED
    assert table.refusal(state, "3-2@end_1").reason is Reason.SPINNER_SIDES_FIRST


def test_case_53_a_last_tile_that_scores(table: SimpleNamespace) -> None:
    """Its ends are scored first, then the hand."""
    state = table.run(table.deal(table.TWO, {0: "6-6 6-2", 1: "6-3 5-4"}), "6-6 6-3 6-2")
    assert fives.view(state, None).scores == (5 + 10, 15)
    assert (table.last_round(state).scored, table.last_round(state).bonus) == (5, 10)


@pytest.mark.parametrize(("dots", "points"), [(12, 10), (13, 15), (2, 0), (3, 5)])
def test_case_54_rounding(dots: int, points: int) -> None:
    """12 is 10, 13 is 15, 2 (a 1-1) nothing, 3 (a 2-1) five."""
    assert round5(dots) == points


def test_case_56_the_partner_is_not_counted(table: SimpleNamespace) -> None:
    """Partner 20, opponents 7 and 6: thirteen, so fifteen."""
    hands = {0: "4-2 3-2 5-3", 1: "4-1 2-1 6-1", 2: "2-0 5-5 6-4", 3: "3-1 3-0 5-1"}
    state = table.deal(replace(LINEAR, draw=DrawRule.NONE), hands)
    state = table.run(state, "4-2 4-1 2-0 3-1 3-2 2-1 knock 3-0 5-3")
    assert (table.last_round(state).pips, table.last_round(state).bonus) == ((0, 7, 20, 6), 15)


def test_case_58_a_blocked_tie(table: SimpleNamespace) -> None:
    """10 against 10: nobody scores, and the lead is drawn for again."""
    state = table.run(table.deal(BLOCK_GAME, {0: "6-0 5-5", 1: "3-2 4-1"}), "6-0 knock knock")
    assert (table.last_round(state).pips, fives.view(state, None).scores) == ((10, 10), (0, 0))
    assert fives.phase(state) == "lot"


@pytest.mark.parametrize(("score", "points"), [(BlockScore.SUM, 10), (BlockScore.DIFFERENCE, 5)])
def test_case_60_a_blocked_seven_against_twelve(table: SimpleNamespace, score: BlockScore, points: int) -> None:
    """The winner takes twelve, rounded ten; the difference, five, is the option."""
    options = replace(BLOCK_GAME, block_score=score)
    state = table.run(table.deal(options, {0: "6-0 5-2", 1: "4-4 3-1"}), "6-0 knock knock")
    assert table.last_round(state).pips == (7, 12)
    assert (table.last_round(state).seat, table.last_round(state).bonus) == (0, points)


def test_case_61_no_play_and_a_boneyard(table: SimpleNamespace) -> None:
    """The seat draws until it can play, plays that tile, and its turn is over; with nothing left it knocks."""
    state = table.run(table.deal(table.TWO, {0: "6-4 6-5", 1: "3-2 1-0"}, "3-0 4-1"), "6-4 draw draw 4-1")
    assert fives.turn(state) == 0
    dry = table.run(table.deal(BLOCK_GAME, {0: "6-4 6-5", 1: "3-2 1-0"}), "6-4")
    assert table.allowed(dry) == ["knock"]


def test_case_62_able_and_asking_to_draw(table: SimpleNamespace) -> None:
    """A draw instead of a play is rejected."""
    state = table.run(table.deal(table.TWO, {0: "6-4 6-5", 1: "4-2 1-0"}), "6-4")
    assert table.refusal(state, "draw").reason is Reason.MUST_PLAY_IF_ABLE


def test_case_65_ten_points_on_top_of_245(table: SimpleNamespace) -> None:
    """The match is over at 255 in the middle of the round; what is left is not scored."""
    state = table.deal(table.TWO, {0: "6-4 1-0", 1: "6-1 5-5"}, scores=(245, 240), shakes=9)
    assert fives.outcome(table.run(state, "6-4")) == (0, Ending.TARGET, (255, 240))


def test_case_67_the_lot_binds_no_tile() -> None:
    """Who drew 3-3 leads, after the shake, with any tile."""
    state = fives.apply(fives.new_match(LINEAR), Lot(bytes(parse_tile(each) for each in ("3-3", "6-5", "2-2", "6-4"))))
    state = fives.apply(state, Shake(bytes(range(28))))
    assert [fives.violation(state, Play(0, tile, 0)) for tile in range(7)] == [None] * 7


def test_case_69_no_single_score_above_35(table: SimpleNamespace) -> None:
    """6-6, 5-5, 4-4 and a plain five around a spinner make 35; 36 is no multiple of five."""
    around = "0-0 6-0@side_1 6-6@side_1 5-0@side_2 5-5@side_2 4-0@end_1 4-4@end_1 3-0@end_2 5-3@end_2"
    assert (table.laid(around)[-1].total, table.laid(around)[-1].points) == (35, 35)
    most = around.replace("5-3@end_2", "3-3@end_2")
    assert (table.laid(most)[-1].total, table.laid(most)[-1].points) == (36, 0)


def test_more_the_lot_prefers_doubles_then_dots_then_the_higher_half() -> None:
    """0-0 beats 6-5, and 6-3 beats 5-4."""
    for better, worse in (("0-0", "6-5"), ("6-3", "5-4")):
        assert lot_winner(bytes(map(parse_tile, (worse, better)))) == 1
        assert lot_winner(bytes(map(parse_tile, (better, worse)))) == 0


def test_more_the_last_tile_that_kills_the_table_goes_out(table: SimpleNamespace) -> None:
    """A round that nobody could go on with is still won by who played the last tile."""
    state = table.run(table.deal(BLOCK_GAME, {0: "6-0", 1: "3-2"}), "6-0")
    assert table.last_round(state).end is RoundEnd.WENT_OUT
    assert table.last_round(state).bonus == 5


def test_more_a_bonus_of_nothing_names_a_winner_and_a_leader(table: SimpleNamespace) -> None:
    """Two dots round to nothing, and yet the seat won and leads; after a block too."""
    out = table.run(table.deal(table.TWO, {0: "6-3", 1: "1-1"}), "6-3")
    assert (table.last_round(out).seat, table.last_round(out).side, table.last_round(out).bonus) == (0, 0, 0)
    assert (fives.phase(out), fives.view(out, None).leader) == ("shake", 0)
    difference = replace(BLOCK_GAME, block_score=BlockScore.DIFFERENCE)
    block = table.run(table.deal(difference, {0: "6-0 5-2", 1: "4-3 1-1"}), "6-0 knock knock")
    assert (table.last_round(block).pips, table.last_round(block).bonus) == ((7, 9), 0)
    assert (fives.phase(block), fives.view(block, None).leader) == ("shake", 0)


def test_more_a_bonus_reaches_250_after_going_out(table: SimpleNamespace) -> None:
    """240 and a bonus of ten win."""
    state = table.deal(table.TWO, {0: "6-3", 1: "6-6"}, scores=(240, 0), shakes=9)
    assert fives.outcome(table.run(state, "6-3")) == (0, Ending.TARGET, (250, 0))


def test_more_a_bonus_reaches_250_after_a_block(table: SimpleNamespace) -> None:
    """The winner of a block wins the match by what it takes."""
    state = table.deal(BLOCK_GAME, {0: "6-0 5-2", 1: "4-4 3-1"}, scores=(240, 245), shakes=9)
    assert fives.outcome(table.run(state, "6-0 knock knock")) == (0, Ending.TARGET, (250, 245))
