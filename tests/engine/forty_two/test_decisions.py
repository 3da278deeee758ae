"""The decisions on what the texts leave open (D), and the readings of their ambiguities (A)."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from dominohall_engine import forty_two
from dominohall_engine.errors import InvalidOptions
from dominohall_engine.forty_two import POLISH, RUSSIAN, Abandon, Lot, NameTrump, Pass, Play, Shake
from dominohall_engine.forty_two.tables import TRUMPS
from dominohall_engine.outcomes import Ending
from dominohall_engine.tiles import NAMES, mask_of, parse_tile, tiles_in
from dominohall_engine.violations import Reason

HANDS = {0: "1-0 4-4 6-4 4-2 6-6 5-5 1-1", 2: "4-3 4-0 3-3 3-2 3-1 5-3 3-0"}


def test_d_01_the_opener_may_pass(table: SimpleNamespace) -> None:
    """A pass is the first legal move of every opener, in both texts."""
    for options in (POLISH, RUSSIAN):
        assert forty_two.legal_moves(table.deal(options, HANDS))[0] == Pass(0)


def test_d_02_after_42_the_others_still_pass(table: SimpleNamespace) -> None:
    """Nobody can raise 42, yet four calls are made, each a move."""
    state = table.run(table.deal(POLISH, HANDS), "42")
    for seat in (1, 2, 3):
        assert forty_two.legal_moves(state) == (Pass(seat),)
        assert table.refusal(state, "42").reason == Reason.BID_NOT_ABOVE_LAST
        state = table.run(state, "-")
    assert forty_two.phase(state) == "naming"


def test_d_03_only_a_trump_that_can_be_led_may_be_named(table: SimpleNamespace) -> None:
    """For many hands: the trumps offered are those held, one at least, and each leaves a lead that bears it."""
    random = table.chance(7)
    for _ in range(300):
        order = bytes(random.sample(range(28), 28))
        naming = table.run(forty_two.apply(forty_two.new_match(RUSSIAN), Shake(order)), "30 - - -")
        seat = forty_two.turn(naming) or 0
        hand = mask_of(order[7 * seat : 7 * seat + 7])
        offered = table.legal_trumps(naming)
        assert offered == [trump for trump in range(8) if hand & TRUMPS[trump]] != []
        for trump in offered:
            leads = table.legal_tiles(forty_two.apply(naming, NameTrump(seat, trump)))
            assert leads == {NAMES[tile] for tile in tiles_in(hand & TRUMPS[trump])}


def test_d_03_doubles_need_a_double(table: SimpleNamespace) -> None:
    """Seat 0 without a double may not name doubles."""
    naming = table.run(table.deal(RUSSIAN, {0: "1-0 2-0 3-0 4-0 5-0 6-0 2-1"}), "30 - - -")
    assert NameTrump(0, 7) not in forty_two.legal_moves(naming)
    assert table.refusal(naming, "td").facts == {"seat": 0, "trump": "doubles"}


def test_d_04_chance_moves_are_moves() -> None:
    """The lot and the shake are applied like any move, and never listed as a seat's."""
    state = forty_two.new_match(POLISH)
    assert forty_two.legal_moves(state) == ()
    state = forty_two.apply(state, Lot(1))
    assert (forty_two.legal_moves(state), forty_two.phase(state), forty_two.shakes(state)) == ((), "shake", 0)
    state = forty_two.apply(state, Shake(bytes(range(28))))
    assert (forty_two.shakes(state), forty_two.order(state)) == (1, bytes(range(28)))


def test_d_05_places_7i_to_7i_plus_6_go_to_seat_i() -> None:
    """With the tiles in order, seat 2 holds tiles 14 to 20."""
    state = forty_two.apply(forty_two.new_match(POLISH, 0), Shake(bytes(range(28))))
    assert forty_two.view(state, 2).hand == tuple(range(14, 21))


def test_d_12_a_rematch_may_name_the_first_shaker() -> None:
    """`first` takes the place of the lot; it must be a seat, and there must be shakers."""
    assert forty_two.view(forty_two.new_match(POLISH, 3), None).shaker == 3
    for first in (4, -1):
        with pytest.raises(InvalidOptions, match="expected a seat from 0 to 3"):
            forty_two.new_match(POLISH, first)
    with pytest.raises(InvalidOptions, match="expected none where the holder"):
        forty_two.new_match(RUSSIAN, 0)


def test_d_13_a_round_limit_ends_a_match_by_score(table: SimpleNamespace) -> None:
    """Thrown-in rounds count; the higher score wins, equal scores are a draw; a limit not reached ends nothing."""
    limited = replace(POLISH, round_limit=10)
    assert forty_two.outcome(table.scored(limited, 30, 35)) == (0, Ending.ROUND_LIMIT, (35, 7))
    assert forty_two.outcome(table.scored(replace(POLISH, round_limit=11), 30, 35)) is None
    thrown_in = table.run(table.deal(limited, {}, scores=(7, 7), shakes=9), "- - - -")
    assert forty_two.outcome(thrown_in) == (None, Ending.ROUND_LIMIT, (7, 7))
    late = forty_two.violation(thrown_in, Shake(bytes(range(28))))
    assert late == (Reason.MATCH_OVER, ("D-13",), {"ending": "round_limit"})
    assert table.ended(table.scored(limited, 30, 35, scores=(240, 0))).ending == Ending.TARGET


def test_d_14_a_tie_can_arise_only_where_defenders_keep_their_points(table: SimpleNamespace) -> None:
    """By default one side scores a round, so both can't reach 250 in one; with the option they can, and tie."""
    for points in range(43):
        before = (249, 249)
        assert min(table.ended(table.scored(RUSSIAN, 30, points, scores=before)).scores) == 249
    keeping = replace(RUSSIAN, defenders_keep_on_made=True)
    tied = table.scored(keeping, 30, 30, scores=(200, 248))
    assert forty_two.outcome(tied) == (0, Ending.TARGET, (260, 260))


@pytest.mark.parametrize("options", [POLISH, RUSSIAN], ids=["polish", "russian"])
def test_d_15_the_host_may_abandon_a_match_in_every_phase(options: forty_two.Options, table: SimpleNamespace) -> None:
    """Nobody wins, no score changes; a reason that is a sentence is refused, and so is abandoning twice."""
    seen = set()
    for state in table.random_states(options, 2, 60):
        seen.add(forty_two.phase(state))
        over = forty_two.apply(state, Abandon("seat_left"))
        assert forty_two.outcome(over) == (None, Ending.ABANDONED, forty_two.view(state, None).scores)
        assert forty_two.violation(over, Abandon("again")) == (
            Reason.MATCH_OVER, ("D-15",), {"ending": "abandoned"},
        )  # fmt: skip
        for reason in ("", "x" * 65, "A name", "zażółć"):
            broken = forty_two.violation(state, Abandon(reason))
            assert broken == (Reason.BAD_ABANDON_REASON, ("D-15",), {"length": len(reason)})
    assert seen >= {"shake", "auction", "naming", "playing"}


def test_a_pl_02_a_trump_is_no_member_of_its_other_suit(table: SimpleNamespace) -> None:
    """Fours trump, 2-1 led: the 4-2 is no deuce, so the 2-0 must be played, and the refusal says why."""
    state = table.answering(POLISH, "4", "2-1", "4-2 2-0 6-6 5-5 3-3 6-5 6-3")
    broken = table.refusal(state, "4-2")
    assert broken.clauses == ("A-PL-02", "F42-PL-20", "F42-PL-21")
    assert broken.facts["could_play"] == ("2-0",)
    russian = table.refusal(table.answering(RUSSIAN, "4", "2-1", "4-2 2-0 6-6 5-5 3-3 6-5 6-3"), "4-2")
    assert russian.clauses == ("A-RU-08", "A-RU-09", "F42-RU-11")


def test_a_ru_07_a_double_is_no_number_when_doubles_are_trump(table: SimpleNamespace) -> None:
    """Doubles trump, 3-1 led: the 3-3 may not answer while another three is held."""
    broken = table.refusal(table.answering(RUSSIAN, "doubles", "3-1", "3-3 6-3 6-6 5-5 4-1 6-5 6-2"), "3-3")
    assert broken.clauses == ("A-RU-07", "A-RU-09", "F42-RU-11")
    assert broken.facts["could_play"] == ("6-3",)


def test_a_pl_09_the_winner_of_a_trick_leads(table: SimpleNamespace) -> None:
    """The Polish text is silent on later leads: the trick's winner, as in the other one."""
    state = table.run(table.deal(POLISH, HANDS), "30 - - - t6 4-4 4-1 4-3 5-4")
    assert forty_two.turn(state) == 0
    broken = forty_two.violation(state, Play(2, parse_tile("3-3")))
    assert broken == (Reason.NOT_YOUR_TURN, ("A-PL-09",), {"seat": 2, "turn": 0})


def test_a_pl_10_all_pass_and_the_shake_moves_on(table: SimpleNamespace) -> None:
    """Thrown in twice: no score, and the Polish shaker is two seats on."""
    state = table.run(table.deal(POLISH, {}, 3), "- - - -")
    assert forty_two.view(state, None).shaker == 0
    state = table.run(forty_two.apply(state, Shake(bytes(range(28)))), "- - - -")
    assert (forty_two.view(state, None).shaker, forty_two.view(state, None).scores) == (1, (0, 0))
    result = forty_two.view(state, None).last_round
    assert result is not None
    assert (result.bidder, result.calls) == (None, (Pass(1), Pass(2), Pass(3), Pass(0)))


def test_a_ru_05_all_pass_and_the_1_0_is_found_afresh(table: SimpleNamespace) -> None:
    """Thrown in: the next opener is whoever holds the 1-0 then."""
    state = table.run(table.deal(RUSSIAN, {0: "1-0"}), "- - - -")
    again = forty_two.apply(state, Shake(table.order_of({2: "1-0"})))
    assert forty_two.turn(again) == 2


def test_a_pl_12_a_pass_between_does_not_lower_the_bid_to_beat(table: SimpleNamespace) -> None:
    """After 35 and a pass, 33 is still too low."""
    assert table.refusal(table.run(table.deal(POLISH, HANDS), "35 -"), "33").facts["last"] == 35


def test_a_pl_15_trumps_are_named_before_the_lead(table: SimpleNamespace) -> None:
    """The bidder can't lead before naming."""
    broken = table.refusal(table.run(table.deal(POLISH, HANDS), "30 - - -"), "4-4")
    assert (broken.reason, broken.clauses) == (Reason.NOT_THIS_MOVE_NOW, ("F42-PL-19", "A-PL-15"))


def test_a_pl_16_a_decided_round_is_played_on(table: SimpleNamespace) -> None:
    """With all 35 of count taken the play goes on to the last trick."""
    state = next(
        state for state in table.random_states(POLISH, 1, 400)
        if forty_two.phase(state) == "playing" and max(table.playing(state).taken) > 30
    )  # fmt: skip
    assert forty_two.legal_moves(state)


def test_a_pl_17_a_tie_at_the_target_goes_to_the_bidders(table: SimpleNamespace) -> None:
    """230/248 and 220/238: both sides end equal, and the side that bid wins."""
    assert forty_two.outcome(table.scored(POLISH, 30, 30, scores=(230, 248))) == (0, Ending.TARGET, (260, 260))
    assert forty_two.outcome(table.scored(POLISH, 30, 30, scores=(220, 238))) == (0, Ending.TARGET, (250, 250))
    other = table.scored(POLISH, 30, 30, scores=(248, 230), bidder=1)
    assert forty_two.outcome(other) == (1, Ending.TARGET, (260, 260))


def test_a_pl_19_exactly_250_counts_as_reached(table: SimpleNamespace) -> None:
    """220 and 30 is 250; the other side has 251 and wins by the higher score."""
    assert forty_two.outcome(table.scored(POLISH, 30, 30, scores=(220, 239))) == (1, Ending.TARGET, (250, 251))


def test_a_pl_13_no_trump_can_not_be_named(table: SimpleNamespace) -> None:
    """Every contract of these texts has a trump: naming offers numbers (and doubles), nothing else."""
    for options, trumps in ((POLISH, range(7)), (RUSSIAN, range(8))):
        moves = [move for move in forty_two.seat_moves(options) if isinstance(move, NameTrump) and move.seat == 0]
        assert [move.trump for move in moves] == list(trumps)


def test_a_ru_12_a_mixed_tile_makes_one_of_its_two_numbers_trump(table: SimpleNamespace) -> None:
    """After threes are named, the 6-4 can't be led; the pairs of lead and trump are those of the text."""
    leading = table.run(table.deal(RUSSIAN, HANDS), "- - 30 - t3")
    assert table.legal_tiles(leading) == {"4-3", "3-3", "3-2", "3-1", "5-3", "3-0"}
