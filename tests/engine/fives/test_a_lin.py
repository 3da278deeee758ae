"""What the Russian text leaves open, decided: one test or more for every ambiguity that the engine can show.

A-LIN-32 (claiming points) and A-LIN-37 (a minimum first score) have no option: scoring is automatic, from the first
point on, as the tests of LIN-10 show.
"""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from dominohall_engine import fives
from dominohall_engine.fives import (
    LINEAR,
    BlockLead,
    BlockScore,
    DrawRule,
    Lot,
    RoundEnd,
    Shake,
    SpinnerRule,
    TieLead,
    TieRule,
)
from dominohall_engine.fives.scoring import lot_rank, round5
from dominohall_engine.outcomes import Ending
from dominohall_engine.tiles import NAMES, parse_tile
from dominohall_engine.violations import Reason

FOUR = {0: "6-0 2-2 5-4", 1: "3-2 1-1 2-1", 2: "5-1 3-3 4-2", 3: "5-3 4-1 5-5"}
"""Blocked at once by 6-0; left are 13, 10, 18 and 23 dots."""
TIED = {0: "6-0 5-5", 1: "3-2 4-1"}
"""Blocked at once by 6-0; left are ten dots each."""
BLOCK_OF_FOUR = replace(LINEAR, draw=DrawRule.NONE)
BLOCK_OF_TWO = replace(BLOCK_OF_FOUR, seats=2, partners=False)
DRY = {0: "6-4 6-5", 1: "3-2 1-0"}
"""Seat 1 can't answer 6-4."""


def test_a_lin_01_all_ends_are_added(table: SimpleNamespace) -> None:
    """The ends total is the sum of every open end, four of them if there are four."""
    assert table.totals("1-1 6-1@side_1 5-1 4-1 3-1@end_2")[-1] == 18


def test_a_lin_02_nobody_need_cover_the_spinner(table: SimpleNamespace) -> None:
    """With the spinner half covered, a tile may go to an arm instead."""
    state = table.deal(table.TWO, {0: "3-3 6-1 2-0", 1: "3-1 4-0 5-0"})
    assert table.allowed(table.run(state, "3-3 3-1")) == ["6-1@side_1"]


def test_a_lin_02_the_text_to_the_letter_is_an_option(table: SimpleNamespace) -> None:
    """Under all_four_first tiles go nowhere but on the spinner until its four sides are covered."""
    literal = replace(table.TWO, spinner=SpinnerRule.ALL_FOUR_FIRST)
    state = table.run(table.deal(literal, {0: "3-3 6-1 3-0", 1: "3-1 4-0 5-0"}), "3-3 3-1")
    assert table.allowed(state) == ["3-0@side_2"]
    broken = table.refusal(state, "6-1@side_1")
    assert (broken.reason, broken.clauses) == (Reason.SPINNER_MUST_BE_COVERED, ("LIN-11", "A-LIN-02"))
    layouts = table.laid("3-3 3-1 3-2 3-0 5-3 6-5", SpinnerRule.ALL_FOUR_FIRST)
    assert [len(each.places) for each in layouts] == [1, 1, 1, 1, 4, 4]


def test_a_lin_02_no_spinner_is_an_option(table: SimpleNamespace) -> None:
    """Without a spinner the layout stays a line, and a double counts both halves while it is an end."""
    assert table.totals("5-5 5-0 5-3 3-3", SpinnerRule.NONE) == [10, 10, 3, 6]
    state = table.deal(replace(table.TWO, spinner=SpinnerRule.NONE), {0: "3-3 3-2 3-0", 1: "3-1 4-0 5-0"})
    state = table.run(state, "3-3 3-1")
    assert table.allowed(state) == ["3-0@right", "3-2@right"]
    broken = table.refusal(state, "3-2@side_2")
    assert (broken.reason, broken.clauses) == (Reason.NO_SUCH_PLACE, ("A-LIN-02", "D-09"))


def test_a_lin_03_sides_before_ends(table: SimpleNamespace) -> None:
    """An end of the spinner is refused until both sides are covered, then it is open."""
    state = table.deal(table.TWO, {0: "3-3 3-2 3-0", 1: "3-1 4-0 5-3"})
    assert table.refusal(table.run(state, "3-3 3-1"), "3-2@end_1").reason is Reason.SPINNER_SIDES_FIRST
    assert "5-3@end_1" in table.allowed(table.run(state, "3-3 3-1 3-2"))


def test_a_lin_04_the_first_double_is_the_spinner_whenever_it_comes(table: SimpleNamespace) -> None:
    """A double attached to a line becomes the spinner; before it there is none."""
    state = table.run(table.deal(table.TWO, {0: "6-4 6-6 5-1", 1: "4-3 6-2 5-3"}), "6-4 4-3")
    early = table.refusal(state, "6-6@side_1")
    assert (early.reason, early.clauses) == (Reason.NO_SUCH_PLACE, ("A-LIN-04",))
    state = table.run(state, "6-6")
    assert fives.view(state, None).spinner == 6
    assert table.allowed(state) == ["5-3@side_1", "6-2@side_2"]


def test_a_lin_05_the_spinner_counts_until_both_sides_are_covered(table: SimpleNamespace) -> None:
    """Both halves of the spinner count alone, with one side covered, and no more with two."""
    assert table.totals("6-6 6-3 6-2") == [12, 15, 5]


def test_a_lin_06_open_ends_of_a_covered_spinner_do_not_count(table: SimpleNamespace) -> None:
    """4-4 between 6-4 and 4-1: the total is 7, not 15."""
    assert table.totals("4-4 6-4 4-1")[-1] == 7


def test_a_lin_07_the_first_tile_scores(table: SimpleNamespace) -> None:
    """Opening 5-5 scores ten; with opening_scores off, nothing, and the next tile scores as ever."""
    hands = {0: "5-5 1-1 2-2", 1: "5-0 4-4 6-6"}
    assert fives.view(table.run(table.deal(table.TWO, hands), "5-5"), None).scores == (10, 0)
    silent = table.run(table.deal(replace(table.TWO, opening_scores=False), hands), "5-5")
    assert (fives.view(silent, None).scores, fives.view(silent, None).last_scored) == ((0, 0), 0)
    assert fives.view(table.run(silent, "5-0"), None).scores == (0, 10)


def test_a_lin_08_a_total_of_nothing_scores_nothing(table: SimpleNamespace) -> None:
    """0-0 makes 0, a multiple of five worth nothing."""
    state = table.run(table.deal(table.TWO, {0: "0-0 1-1", 1: "5-0 4-4"}), "0-0")
    assert (fives.view(state, None).scores, fives.view(state, None).last_scored) == ((0, 0), 0)


def test_a_lin_09_draw_until_a_tile_fits(table: SimpleNamespace) -> None:
    """A seat draws on, turn by turn of its own, until something fits."""
    state = table.run(table.deal(table.TWO, DRY, "3-0 5-5 4-1 6-6"), "6-4")
    assert table.refusal(state, "knock").reason is Reason.MUST_DRAW
    state = table.run(state, "draw draw")
    assert table.allowed(state) == ["draw"]
    assert table.allowed(table.run(state, "draw")) == ["4-1@right"]


def test_a_lin_09_one_draw_is_an_option(table: SimpleNamespace) -> None:
    """Under the one-tile rule a seat draws once; then it plays what fits, or knocks."""
    one = replace(table.TWO, draw=DrawRule.ONE)
    state = table.run(table.deal(one, DRY, "3-0 5-5 4-1 6-6"), "6-4")
    assert table.refusal(state, "knock").reason is Reason.MUST_DRAW
    state = table.run(state, "draw")
    twice = table.refusal(state, "draw")
    assert (twice.reason, twice.clauses, twice.facts) == (Reason.ALREADY_DREW, ("A-LIN-09", "D-06"), {"drawn": 1})
    assert table.allowed(state) == ["knock"]
    lucky = table.run(table.deal(one, DRY, "4-1 3-0"), "6-4 draw")
    assert table.allowed(lucky) == ["4-1@right"]


def test_a_lin_09_no_draw_is_an_option(table: SimpleNamespace) -> None:
    """In a block game nobody draws: who can't play knocks."""
    state = table.run(table.deal(replace(table.TWO, draw=DrawRule.NONE), DRY, "4-1"), "6-4")
    assert table.allowed(state) == ["knock"]
    broken = table.refusal(state, "draw")
    assert (broken.reason, broken.clauses) == (Reason.BONEYARD_AT_RESERVE, ("A-LIN-09", "D-06"))
    assert broken.facts == {"boneyard": 24, "reserve": 24}


def test_a_lin_10_who_can_play_may_not_draw(table: SimpleNamespace) -> None:
    """A voluntary draw is refused."""
    state = table.run(table.deal(table.TWO, {0: "6-4 6-5", 1: "4-2 1-0"}), "6-4")
    broken = table.refusal(state, "draw")
    assert (broken.reason, broken.clauses) == (Reason.MUST_PLAY_IF_ABLE, ("A-LIN-10", "LIN-07"))


def test_a_lin_11_a_drawn_tile_that_fits_is_played(table: SimpleNamespace) -> None:
    """After a draw that fits, neither another draw nor a knock is legal."""
    state = table.run(table.deal(table.TWO, DRY, "4-1"), "6-4 draw")
    again, knock = table.refusal(state, "draw"), table.refusal(state, "knock")
    assert (again.reason, again.clauses) == (Reason.MUST_PLAY_IF_ABLE, ("A-LIN-11", "D-06"))
    assert (knock.reason, knock.clauses) == (Reason.MUST_PLAY_IF_ABLE, ("A-LIN-13", "D-06"))
    assert again.facts == knock.facts == {"tiles": ("4-1",)}


@pytest.mark.parametrize("reserve", [0, 1, 2])
def test_a_lin_12_the_boneyard_is_drawn_to_its_reserve(table: SimpleNamespace, reserve: int) -> None:
    """The whole boneyard may be drawn, unless one or two tiles are reserved."""
    options = replace(table.TWO, reserve=reserve)
    hands = {0: "6-6 6-5 6-4 6-3 6-2 6-1 5-5 5-4 5-3 5-2 5-1 5-0", 1: "4-4 4-3 4-2 4-1 4-0 3-3 3-2 3-1 3-0 2-2 2-1 1-1"}
    state = table.deal(options, hands, "2-0 1-0 0-0 6-0")
    state = table.run(state, "6-6" + " draw" * (4 - reserve))
    if reserve:
        assert table.allowed(state) == ["knock"]
        broken = table.refusal(state, "draw")
        assert (broken.reason, broken.clauses) == (Reason.BONEYARD_AT_RESERVE, ("LIN-07", "A-LIN-12", "D-06"))
        assert broken.facts == {"boneyard": reserve, "reserve": reserve}
    else:
        assert table.allowed(state) == ["6-0@side_1"]


def test_a_lin_13_who_can_play_must(table: SimpleNamespace) -> None:
    """A knock of a seat that could play is refused, in a block game too."""
    state = table.run(table.deal(replace(table.TWO, draw=DrawRule.NONE), {0: "6-4 6-5", 1: "4-2 1-0"}), "6-4")
    broken = table.refusal(state, "knock")
    assert (broken.reason, broken.clauses) == (Reason.MUST_PLAY_IF_ABLE, ("A-LIN-13", "D-06"))


def test_a_lin_14_a_knock_waits_for_the_boneyard(table: SimpleNamespace) -> None:
    """While the boneyard can be drawn from nobody knocks, so no round is blocked."""
    state = table.run(table.deal(table.TWO, DRY, "3-0"), "6-4")
    broken = table.refusal(state, "knock")
    assert (broken.reason, broken.clauses) == (Reason.MUST_DRAW, ("LIN-07", "D-06", "A-LIN-14"))
    assert broken.facts == {"boneyard": 24}


def test_a_lin_14_one_draw_a_turn_blocks_only_an_empty_boneyard(table: SimpleNamespace) -> None:
    """Under the one-tile rule the knocks may go round while the boneyard has tiles, and the round goes on."""
    hands = {0: "6-6 5-5 5-4 5-3 5-2 5-1 5-0 4-4 4-3 4-2", 1: "4-1 4-0 3-3 3-2 3-1 3-0 2-2 2-1 2-0 1-1"}
    state = table.deal(replace(table.TWO, draw=DrawRule.ONE), hands, "1-0 0-0 6-0")
    state = table.run(state, "6-6 draw knock draw knock")
    assert table.allowed(state) == ["draw"]
    assert table.allowed(table.run(state, "draw")) == ["6-0@side_1"]


def test_a_lin_15_and_17_rounding_goes_to_the_nearest_five() -> None:
    """2 is nothing, 3 is five, 12 ten, 13 fifteen; never more than two dots are lost or won."""
    assert [round5(dots) for dots in (0, 2, 3, 7, 8, 12, 13, 17)] == [0, 0, 5, 5, 10, 10, 15, 15]
    assert all(abs(round5(dots) - dots) <= 2 and round5(dots) % 5 == 0 for dots in range(169))


def test_a_lin_16_the_sum_is_rounded_not_each_hand(table: SimpleNamespace) -> None:
    """Two opponents with two dots each are worth five; rounded apart they would be worth nothing."""
    state = table.deal(table.THREE, {0: "6-3 4-3", 1: "6-0 1-1", 2: "5-0 2-0"})
    result = table.last_round(table.run(state, "6-3 6-0 5-0 4-3"))
    assert (result.pips, result.bonus) == ((0, 2, 2), 5)


def test_a_lin_18_partners_count_together(table: SimpleNamespace) -> None:
    """In a block the side with the fewest dots wins, though another seat has the lightest hand."""
    result = table.last_round(table.run(table.deal(BLOCK_OF_FOUR, FOUR), "6-0 knock knock knock knock"))
    assert result.pips == (13, 10, 18, 23)
    assert (result.side, result.seat, result.bonus) == (0, 0, 35)


@pytest.mark.parametrize(("score", "bonus"), [(BlockScore.SUM, 55), (BlockScore.DIFFERENCE, 45)])
def test_a_lin_19_the_sum_or_the_difference(table: SimpleNamespace, score: BlockScore, bonus: int) -> None:
    """The winner takes the opponents' dots, less its own only by option."""
    options = replace(BLOCK_OF_FOUR, partners=False, block_score=score)
    result = table.last_round(table.run(table.deal(options, FOUR), "6-0 knock knock knock knock"))
    assert (result.seat, result.bonus) == (1, bonus)


def test_a_lin_20_the_winner_takes_the_dots_of_all_others(table: SimpleNamespace) -> None:
    """With three or four sides every opponent pays: 13 + 18 + 23 = 54, rounded 55."""
    state = table.run(table.deal(replace(BLOCK_OF_FOUR, partners=False), FOUR), "6-0 knock knock knock knock")
    assert fives.view(state, None).scores == (0, 55, 0, 0)


def test_a_lin_21_a_tie_for_fewest_is_nobodys(table: SimpleNamespace) -> None:
    """Nobody scores and nobody wins."""
    state = table.run(table.deal(BLOCK_OF_TWO, TIED), "6-0 knock knock")
    result = table.last_round(state)
    assert (result.end, result.pips, result.seat, result.side, result.bonus) == (
        RoundEnd.BLOCKED,
        (10, 10),
        None,
        None,
        0,
    )
    assert fives.view(state, None).scores == (0, 0)


def test_a_lin_21_three_tied_for_fewest_win_nothing_either(table: SimpleNamespace) -> None:
    """Solo seats with equal hands: nobody scores, whatever another holds."""
    three = replace(BLOCK_OF_TWO, seats=3)
    state = table.run(table.deal(three, {0: "6-0 5-5", 1: "3-2 4-1", 2: "5-2 2-1"}), "6-0 knock knock knock")
    assert (table.last_round(state).pips, fives.view(state, None).scores) == ((10, 10, 10), (0, 0, 0))
    hands = {0: "6-0 5-5", 1: "3-2 4-1", 2: "5-2 2-1", 3: "5-4 4-4"}
    state = table.run(table.deal(replace(three, seats=4), hands), "6-0 knock knock knock knock")
    assert (table.last_round(state).pips, fives.view(state, None).scores) == ((10, 10, 10, 17), (0, 0, 0, 0))


def test_a_lin_21_the_lightest_tile_is_an_option(table: SimpleNamespace) -> None:
    """The tied side with the lightest tile wins; of 2-2 and 3-1 the lower high half is lighter."""
    options = replace(BLOCK_OF_TWO, tie=TieRule.LIGHTEST_TILE)
    result = table.last_round(table.run(table.deal(options, TIED), "6-0 knock knock"))
    assert (result.seat, result.bonus) == (1, 10)
    hands = {0: "6-0 2-2 5-5 5-4", 1: "3-1 3-2 4-2 5-3"}
    result = table.last_round(table.run(table.deal(options, hands), "6-0 knock knock"))
    assert (result.pips, result.seat, result.bonus) == ((23, 23), 0, 25)


def test_a_lin_22_a_new_lot_after_a_tie(table: SimpleNamespace) -> None:
    """The leader after a tied block is drawn for again."""
    state = table.run(table.deal(BLOCK_OF_TWO, TIED), "6-0 knock knock")
    assert fives.phase(state) == "lot"
    state = fives.apply(state, Lot(bytes((parse_tile("6-5"), parse_tile("0-0")))))
    assert fives.turn(fives.apply(state, Shake(bytes(range(28))))) == 1


@pytest.mark.parametrize(("lead", "leader"), [(TieLead.PREVIOUS_LEADER, 0), (TieLead.NEXT_SEAT, 1)])
def test_a_lin_22_the_lead_after_a_tie_is_an_option(table: SimpleNamespace, lead: TieLead, leader: int) -> None:
    """The previous leader, or the seat on its left, leads without a lot."""
    state = table.run(table.deal(replace(BLOCK_OF_TWO, tie_lead=lead), TIED), "6-0 knock knock")
    assert fives.phase(state) == "shake"
    assert fives.view(state, None).leader == leader


def test_a_lin_23_the_winner_of_a_block_leads(table: SimpleNamespace) -> None:
    """Of two partners the one with fewer dots leads, though the other led before."""
    hands = {0: "6-0 5-5 5-3", 1: "3-2 4-1 5-4", 2: "2-2 1-1 3-1", 3: "3-3 4-2 2-1"}
    state = table.run(table.deal(BLOCK_OF_FOUR, hands), "6-0 knock knock knock knock")
    assert table.last_round(state).pips == (18, 19, 10, 15)
    assert (fives.phase(state), fives.view(state, None).leader) == ("shake", 2)


def test_a_lin_23_a_lot_after_every_block_is_an_option(table: SimpleNamespace) -> None:
    """The winner scores, and the lead is drawn for."""
    options = replace(BLOCK_OF_FOUR, block_lead=BlockLead.LOT)
    state = table.run(table.deal(options, FOUR), "6-0 knock knock knock knock")
    assert (fives.phase(state), fives.view(state, None).scores) == ("lot", (35, 0))


def test_a_lin_24_who_went_out_leads_not_the_partner(table: SimpleNamespace) -> None:
    """The seat that went out plays first in the next round."""
    hands = {0: "6-3 4-3", 1: "6-1 5-2", 2: "2-1 6-6", 3: "2-0 4-2"}
    state = table.run(table.deal(LINEAR, hands, leader=0), "6-3 6-1 2-1 2-0 4-3")
    assert fives.view(state, None).leader == 0


def test_a_lin_25_the_winner_is_known_to_a_rematch(table: SimpleNamespace) -> None:
    """A finished match says who would lead the next; an abandoned one does not."""
    state = table.deal(table.TWO, {0: "6-4 1-0", 1: "6-1 5-5"}, scores=(245, 0), shakes=9)
    assert fives.view(table.run(state, "6-4"), None).leader == 0
    assert fives.view(fives.apply(state, fives.Abandon("closed")), None).leader is None


def test_a_lin_26_the_match_stops_at_once(table: SimpleNamespace) -> None:
    """At the target nothing more is played or counted."""
    state = table.deal(table.TWO, {0: "6-4 1-0", 1: "6-1 5-5"}, scores=(245, 0), shakes=9)
    state = table.run(state, "6-4")
    assert fives.outcome(state) == (0, Ending.TARGET, (255, 0))
    result = table.last_round(state)
    assert (result.end, result.seat, result.scored, result.bonus, result.hands) == (RoundEnd.STOPPED, 0, 10, 0, None)


@pytest.mark.parametrize(
    ("scores", "ended"),
    [
        ((245, 0), (0, Ending.TARGET, (260, 0))),
        ((240, 260), (1, Ending.TARGET, (255, 260))),
        ((240, 255), None),
        ((200, 200), None),
    ],
)
def test_a_lin_26_a_round_may_be_finished_first(table: SimpleNamespace, scores: tuple[int, int], ended: object) -> None:
    """With finish_hand the round is counted, the higher score wins, and equal ones play an extra round."""
    options = replace(table.TWO, finish_hand=True)
    state = table.deal(options, {0: "6-4 4-0", 1: "6-2 5-0"}, scores=scores, shakes=9)
    state = table.run(state, "6-4")
    assert fives.outcome(state) is None
    state = table.run(state, "6-2 4-0")
    assert table.last_round(state).bonus == 5
    if ended is None:
        assert (fives.phase(state), fives.view(state, None).leader) == ("shake", 0)
    else:
        assert fives.outcome(state) == ended


def test_a_lin_27_the_target_need_not_be_exact(table: SimpleNamespace) -> None:
    """255 wins as 250 does."""
    state = table.deal(table.TWO, {0: "6-4 1-0", 1: "6-1 5-5"}, scores=(245, 0), shakes=9)
    assert fives.outcome(table.run(state, "6-4")) == (0, Ending.TARGET, (255, 0))


def test_a_lin_28_the_last_tile_scores_and_then_the_hand(table: SimpleNamespace) -> None:
    """A last tile that makes ten, and twelve dots with the opponent: twenty."""
    state = table.run(table.deal(table.TWO, {0: "6-4", 1: "6-6"}), "6-4")
    assert (table.last_round(state).scored, table.last_round(state).bonus) == (10, 10)
    assert fives.view(state, None).scores == (20, 0)


def test_a_lin_29_the_lot_ranks_by_dots_then_by_the_higher_half() -> None:
    """Without doubles the order of the 21 tiles is strict; every double beats every one of them."""
    ranked = sorted(range(28), key=lot_rank, reverse=True)
    assert [NAMES[tile] for tile in ranked[:7]] == ["6-6", "5-5", "4-4", "3-3", "2-2", "1-1", "0-0"]
    assert [NAMES[tile] for tile in ranked[7:12]] == ["6-5", "6-4", "6-3", "5-4", "6-2"]
    assert len({lot_rank(tile) for tile in range(28)}) == 28


@pytest.mark.parametrize(("form", "boneyard"), [("two", 14), ("three", 7), ("solo", 0), ("partners", 0)])
def test_a_lin_30_seven_tiles_for_everybody(table: SimpleNamespace, form: str, boneyard: int) -> None:
    """However many play, each draws seven, and the boneyard is what is left."""
    state = fives.apply(fives.new_match(table.FORMS[form], first=0), Shake(bytes(range(28))))
    assert fives.view(state, None).boneyard_count == boneyard
    other = fives.apply(fives.new_match(replace(table.FORMS[form], hand_size=5), first=0), Shake(bytes(range(28))))
    assert fives.view(other, None).hand_sizes == (5,) * table.FORMS[form].seats


def test_a_lin_31_partnership_at_four_is_free(table: SimpleNamespace) -> None:
    """The same tile scores for a side of two, or for its seat alone."""
    hands = {0: "6-4 1-0", 1: "6-1 5-5", 2: "2-1 2-0", 3: "3-3 3-2"}
    assert fives.view(table.run(table.deal(LINEAR, hands), "6-4"), None).scores == (10, 0)
    assert fives.view(table.run(table.deal(table.SOLO, hands), "6-4"), None).scores == (10, 0, 0, 0)


def test_a_lin_33_who_drew_a_double_may_open_with_anything(table: SimpleNamespace) -> None:
    """The double of the lot binds nobody: every tile of the hand may open."""
    state = fives.apply(fives.new_match(table.TWO), Lot(bytes((parse_tile("3-3"), parse_tile("6-5")))))
    state = fives.apply(state, Shake(bytes(range(28))))
    assert len(table.allowed(state)) == 7


def test_a_lin_34_play_goes_clockwise(table: SimpleNamespace) -> None:
    """After seat 3 comes seat 0; out of turn nobody plays."""
    hands = {0: "6-3 4-3", 1: "6-1 5-2", 2: "2-1 6-6", 3: "2-0 4-2"}
    state = table.deal(LINEAR, hands, leader=2)
    turns = []
    for move in ("2-1", "2-0", "draw", "draw"):
        turns.append(fives.turn(state))
        if fives.turn(state) == 0:
            break
        state = table.run(state, move)
    assert turns == [2, 3, 0]
    broken = fives.violation(state, fives.Play(1, parse_tile("6-1"), 1))
    assert broken
    assert (broken.reason, broken.clauses, broken.facts) == (
        Reason.NOT_YOUR_TURN,
        ("A-LIN-34",),
        {"seat": 1, "turn": 0},
    )


def test_a_lin_35_the_boneyard_is_not_scored(table: SimpleNamespace) -> None:
    """Only what the opponents hold counts, however much lies in the boneyard."""
    result = table.last_round(table.run(table.deal(table.TWO, {0: "6-3", 1: "1-0"}), "6-3"))
    assert (result.pips, result.bonus) == ((0, 1), 0)


def test_a_lin_36_a_partner_sees_no_other_hand(table: SimpleNamespace) -> None:
    """What a seat sees does not change when its partner and an opponent change hands."""
    hands = {0: "6-3 4-3", 1: "6-1 5-2", 2: "2-1 6-6", 3: "2-0 4-2"}
    swapped = {0: hands[0], 1: hands[1], 2: hands[3], 3: hands[2]}
    assert fives.view(table.deal(LINEAR, hands), 0) == fives.view(table.deal(LINEAR, swapped), 0)
    assert fives.view(table.deal(LINEAR, hands), 2) != fives.view(table.deal(LINEAR, swapped), 2)
