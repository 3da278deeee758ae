"""The adjudication cases of the rules dossier that concern these presets, by their numbers there."""

from types import SimpleNamespace

import pytest
from dominohall_engine import forty_two
from dominohall_engine.forty_two import POLISH, RUSSIAN, Bid, Pass, Shake
from dominohall_engine.outcomes import Ending
from dominohall_engine.tiles import NAMES
from dominohall_engine.violations import Reason

BOTH = pytest.mark.parametrize("options", [POLISH, RUSSIAN], ids=["polish", "russian"])


@BOTH
def test_case_01_fours_trump_and_6_4_led(table: SimpleNamespace, options: forty_two.Options) -> None:
    """It is a trump lead: fours are played, the 4-4 wins over it, the 6-6 can't; value 11."""
    assert table.answers(options, "4", "6-4", "4-4 4-0 6-6 6-5 6-0 3-3 2-2") == {"4-4", "4-0"}
    assert table.won("4", "6-4 4-4 6-6 4-0") == ("4-4", 11)


@BOTH
def test_case_02_fours_trump_and_the_4_2_is_no_deuce(table: SimpleNamespace, options: forty_two.Options) -> None:
    """On a 2-1 the 2-0 must be played."""
    assert table.answers(options, "4", "2-1", "4-2 2-0 6-6 6-5 6-0 3-3 5-5") == {"2-0"}


@BOTH
def test_case_04_a_plain_6_5_leads_sixes(table: SimpleNamespace, options: forty_two.Options) -> None:
    """A 5-0 does not follow while a six is held; with no six it may be thrown."""
    assert table.answers(options, "1", "6-5", "5-0 6-0 3-3 2-2 4-4 5-3 5-2") == {"6-0"}
    assert "5-0" in table.answers(options, "1", "6-5", "5-0 4-0 3-3 2-2 4-4 5-3 5-2")


@BOTH
def test_case_05_the_6_3_follows_and_beats_a_3_1(table: SimpleNamespace, options: forty_two.Options) -> None:
    """Neither threes, ones nor sixes are trump: the 6-3 is a three, must be played, and wins."""
    assert table.answers(options, "0", "3-1", "6-3 6-0 2-2 4-4 5-5 5-2 5-1") == {"6-3"}
    assert table.won("0", "3-1 6-3 3-2 1-1") == ("6-3", 6)


def test_case_08_a_plain_double_led_is_beaten_by_a_trump_alone(table: SimpleNamespace) -> None:
    """5-5 led, fives plain."""
    assert table.won("1", "5-5 6-5 5-4 6-6")[0] == "5-5"
    assert table.won("1", "5-5 6-5 1-0 6-6")[0] == "1-0"


def test_case_09_nothing_beats_the_trump_double(table: SimpleNamespace) -> None:
    """4-4 led with fours trump holds against every tile."""
    for name in NAMES:
        if name != "4-4":
            assert table.won("4", f"4-4 {name}")[0] == "4-4"


def test_case_10_the_plain_double_takes_a_low_lead(table: SimpleNamespace) -> None:
    """3-1 led, 3-3 played: threes plain, doubles not trump."""
    assert table.won("0", "3-1 3-3 6-3 3-2")[0] == "3-3"


def test_case_11_doubles_trump_and_5_5_led(table: SimpleNamespace) -> None:
    """Doubles are played if held; the 6-6 beats it; the 5-4 need not follow; value 16."""
    assert table.answers(RUSSIAN, "doubles", "5-5", "6-6 5-4 5-0 6-5 3-2 3-1 2-1") == {"6-6"}
    assert table.won("doubles", "5-5 5-4 6-6 5-0") == ("6-6", 16)


def test_case_13_doubles_trump_and_6_6_led(table: SimpleNamespace) -> None:
    """Without a double the 6-5 need not be played."""
    hand = "6-5 5-4 5-0 4-3 3-2 3-1 2-1"
    assert table.answers(RUSSIAN, "doubles", "6-6", hand) == set(hand.split())


def test_case_15_a_high_tile_of_another_suit_wins_nothing(table: SimpleNamespace) -> None:
    """Fours trump: 2-1 led, then 6-5, 2-0, 3-3: the 2-1 wins."""
    assert table.won("4", "2-1 6-5 2-0 3-3")[0] == "2-1"


@BOTH
def test_case_17_a_void_seat_may_give_count(table: SimpleNamespace, options: forty_two.Options) -> None:
    """No duty to trump: the 5-5 may be thrown, the trump kept."""
    assert {"5-5", "1-0"} <= table.answers(options, "1", "6-6", "5-5 1-0 2-2 3-3 4-4 3-2 4-2")


def test_case_18_bid_30_and_exactly_30_taken(table: SimpleNamespace) -> None:
    """Made: 30/12 in the Polish text, 60/0 in the Russian."""
    assert forty_two.view(table.scored(POLISH, 30, 30), None).scores == (30, 12)
    assert forty_two.view(table.scored(RUSSIAN, 30, 30), None).scores == (60, 0)


@BOTH
def test_case_19_bid_37_and_35_taken(table: SimpleNamespace, options: forty_two.Options) -> None:
    """Set: 0/44 in both texts (X-03)."""
    assert forty_two.view(table.scored(options, 37, 35), None).scores == (0, 44)


def test_case_20_bid_30_and_35_taken(table: SimpleNamespace) -> None:
    """35/7 and 65/0 (X-02)."""
    assert forty_two.view(table.scored(POLISH, 30, 35), None).scores == (35, 7)
    assert forty_two.view(table.scored(RUSSIAN, 30, 35), None).scores == (65, 0)


def test_case_21_bid_42(table: SimpleNamespace) -> None:
    """Made with 42 (42/0 and 84/0), set with 41 (0/43)."""
    assert forty_two.view(table.scored(POLISH, 42, 42), None).scores == (42, 0)
    assert forty_two.view(table.scored(RUSSIAN, 42, 42), None).scores == (84, 0)
    for options in (POLISH, RUSSIAN):
        assert forty_two.view(table.scored(options, 42, 41), None).scores == (0, 43)


@BOTH
def test_case_23_31_over_31_is_no_bid(table: SimpleNamespace, options: forty_two.Options) -> None:
    """Strictly higher is needed."""
    assert table.refusal(table.run(table.deal(options, {0: "1-0"}), "31"), "31").reason == Reason.BID_NOT_ABOVE_LAST


@BOTH
@pytest.mark.parametrize(("points", "reason"), [(29, Reason.BID_TOO_LOW), (43, Reason.BID_TOO_HIGH)])
def test_case_24_29_and_43_are_no_bids(
    table: SimpleNamespace, options: forty_two.Options, points: int, reason: Reason
) -> None:
    """Nor are 0, 84, 168 or a number below zero."""
    auction = table.deal(options, {0: "1-0"})
    assert table.refusal(auction, str(points)).reason == reason
    for other in (0, 84, 168, -30):
        assert forty_two.violation(auction, Bid(0, other)) is not None


@BOTH
def test_case_24_and_25_nobody_calls_twice(table: SimpleNamespace, options: forty_two.Options) -> None:
    """Neither who bid nor who passed."""
    auction = table.run(table.deal(options, {0: "1-0"}), "30 -")
    for seat in (0, 1):
        for move in (Bid(seat, 40), Pass(seat)):
            broken = forty_two.violation(auction, move)
            assert broken is not None
            assert broken.reason == Reason.NOT_YOUR_TURN


def test_case_26_all_four_pass(table: SimpleNamespace) -> None:
    """Polish: the shake passes left; Russian: the tiles are shaken again; no score in either."""
    polish = table.run(table.deal(POLISH, {}, 1), "- - - -")
    assert (forty_two.view(polish, None).shaker, forty_two.view(polish, None).scores) == (2, (0, 0))
    russian = table.run(table.deal(RUSSIAN, {3: "1-0"}), "- - - -")
    assert (str(forty_two.phase(russian)), forty_two.view(russian, None).scores) == ("shake", (0, 0))


def test_case_27_the_holder_of_the_1_0_passes(table: SimpleNamespace) -> None:
    """The others still bid in turn."""
    assert forty_two.view(table.run(table.deal(RUSSIAN, {2: "1-0"}), "- 30 - -"), None).bidder == 3


def test_case_30_and_31_the_examples_of_the_russian_text(table: SimpleNamespace) -> None:
    """2-1 ruffs the 6-4 for 11; 3-3 takes the 3-2 for 6."""
    assert table.won("2", "6-4 6-5 2-1 6-6") == ("2-1", 11)
    assert table.won("0", "3-2 3-1 3-3 6-3") == ("3-3", 6)


def test_case_33_no_need_of_exactness(table: SimpleNamespace) -> None:
    """249 and 31 is 280, and wins."""
    assert forty_two.outcome(table.scored(POLISH, 30, 31, scores=(249, 100))) == (0, Ending.TARGET, (280, 111))


@BOTH
def test_case_36_a_renege_is_refused(table: SimpleNamespace, options: forty_two.Options) -> None:
    """The state is unchanged, and the tile that follows is still asked for."""
    state = table.answering(options, "1", "6-6", "6-5 6-0 2-2 3-3 4-4 3-2 4-2")
    before = forty_two.encode(state)
    assert table.refusal(state, "2-2").reason == Reason.MUST_FOLLOW_SUIT
    assert forty_two.encode(state) == before


@BOTH
def test_case_37_the_last_trick_is_won_like_any_other(table: SimpleNamespace, options: forty_two.Options) -> None:
    """In random rounds the winner of the last trick holds its strongest tile, though every play was forced."""
    for seed in range(20):
        for state in table.random_states(options, seed, 60):
            result = forty_two.view(state, None).last_round
            if result is not None and result.tiles:
                trick = result.tricks[-1]
                trump = "doubles" if result.trump == 7 else str(result.trump)
                name, points = table.won(trump, " ".join(NAMES[play.tile] for play in trick.plays))
                winner = next(play.seat for play in trick.plays if NAMES[play.tile] == name)
                assert (trick.winner, trick.points) == (winner, points)


def test_more_cases_ties_and_both_past_the_target(table: SimpleNamespace) -> None:
    """230/248 and 220/238 tie for the bidders; 230/249 is won by the defenders."""
    for scores, winner, end in [((230, 248), 0, (260, 260)), ((230, 249), 1, (260, 261)), ((220, 238), 0, (250, 250))]:
        assert forty_two.outcome(table.scored(POLISH, 30, 30, scores=scores)) == (winner, Ending.TARGET, end)


@BOTH
def test_more_cases_a_bid_of_42_that_takes_nothing(table: SimpleNamespace, options: forty_two.Options) -> None:
    """The defenders score 42 + 42."""
    assert forty_two.view(table.scored(options, 42, 0), None).scores == (0, 84)


def test_more_cases_doubles_trump(table: SimpleNamespace) -> None:
    """The 3-3 may not answer a 3-1 while another three is held; the 0-0 ruffs."""
    assert table.answers(RUSSIAN, "doubles", "3-1", "3-3 3-0 6-6 5-5 4-1 6-5 6-2") == {"3-0"}
    assert table.won("doubles", "6-5 6-4 0-0 6-2")[0] == "0-0"


def test_facts_a_round_has_34_moves_or_5(table: SimpleNamespace) -> None:
    """A shake, four calls, a trump and 28 plays; a shake and four passes when all pass."""
    lengths = set()
    begun = 0
    for number, state in enumerate(table.random_states(POLISH, 4, 3000)):
        if forty_two.phase(state) in ("shake", "over") and number > 1:
            lengths.add(number - begun)
        if forty_two.phase(state) == "shake":
            begun = number
    assert lengths == {34}
    assert forty_two.shakes(table.run(table.deal(POLISH, {}), "- - - -")) == 1


def test_a_shake_lays_every_tile_in_any_order(table: SimpleNamespace) -> None:
    """0-0, which is tile 0, is dealt and led like any other: nothing takes it for an absent one."""
    state = table.run(table.deal(POLISH, {0: "0-0", 1: "1-0"}), "30 - - - t6 0-0")
    assert NAMES[table.playing(state).trick[0]] == "0-0"
    assert table.playing(forty_two.decode(forty_two.encode(state))).trick == b"\0"
    assert forty_two.violation(forty_two.new_match(RUSSIAN), Shake(bytes(reversed(range(28))))) is None
