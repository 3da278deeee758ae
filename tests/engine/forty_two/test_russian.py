"""The Russian text, clause by clause. Clauses that only set the scene (F42-RU-01) have their test with the rest."""

from types import SimpleNamespace

import pytest
from dominohall_engine import forty_two
from dominohall_engine.forty_two import RUSSIAN, Bid, Lot, NameTrump, Pass, Play, Shake
from dominohall_engine.outcomes import Ending
from dominohall_engine.tiles import parse_tile
from dominohall_engine.violations import Reason

HANDS = {
    0: "1-0 4-4 6-4 4-2 6-6 5-5 1-1",
    1: "4-1 5-4 6-5 6-3 6-2 2-1 2-0",
    2: "4-3 4-0 3-3 3-2 3-1 5-3 3-0",
    3: "6-1 6-0 5-2 5-1 5-0 2-2 0-0",
}
"""Seat 0 holds the 1-0; seat 1 has no double, seat 2 no six."""


def test_f42_ru_01_points_come_from_tricks(table: SimpleNamespace) -> None:
    """A trick taken is a point at once; a thrown-in round, without tricks, scores nothing."""
    assert table.playing(table.run(table.deal(RUSSIAN, HANDS), "30 - - - t4 4-4 4-1 4-3 0-0")).taken == (6, 0)
    assert forty_two.view(table.run(table.deal(RUSSIAN, HANDS), "- - - -"), None).scores == (0, 0)


def test_f42_ru_02_four_players_in_pairs(table: SimpleNamespace) -> None:
    """Four seats in two sides; a fifth is refused."""
    assert forty_two.sides(RUSSIAN) == ((0, 2), (1, 3))
    broken = forty_two.violation(table.deal(RUSSIAN, HANDS), Pass(4))
    assert broken == (Reason.NO_SUCH_SEAT, ("F42-RU-02",), {"seat": 4})


def test_f42_ru_03_each_takes_seven_tiles(table: SimpleNamespace) -> None:
    """Seven tiles a seat; a tile not among them is not held, and a shake short of tiles is none."""
    auction = table.deal(RUSSIAN, HANDS)
    assert forty_two.view(auction, None).hand_sizes == (7, 7, 7, 7)
    broken = table.refusal(table.run(auction, "30 - - - t4"), "4-1")
    assert broken == (Reason.TILE_NOT_HELD, ("F42-RU-03",), {"seat": 0, "tile": "4-1"})
    short = forty_two.violation(forty_two.new_match(RUSSIAN), Shake(bytes(28)))
    assert short == (Reason.NOT_ALL_TILES, ("F42-RU-03", "D-05"), {"tiles": 28, "different": 1})


def test_f42_ru_03_nobody_shakes_and_no_lot_is_drawn() -> None:
    """X-12: a match begins with the shake, and a lot is refused."""
    state = forty_two.new_match(RUSSIAN)
    assert (forty_two.phase(state), forty_two.view(state, None).shaker) == ("shake", None)
    broken = forty_two.violation(state, Lot(0))
    assert broken == (Reason.NOT_THIS_MOVE_NOW, ("F42-RU-03", "D-04"), {"phase": "shake", "move": "Lot"})


def test_f42_ru_04_bidding_comes_first(table: SimpleNamespace) -> None:
    """A tile can't be played during the auction."""
    broken = table.refusal(table.deal(RUSSIAN, HANDS), "4-4")
    assert (broken.reason, broken.clauses) == (Reason.NOT_THIS_MOVE_NOW, ("F42-RU-04", "F42-RU-06"))


@pytest.mark.parametrize(
    ("trick", "value"),
    [
        ("3-3 3-1 3-0 6-3", 1),
        ("5-0 3-1 3-0 6-3", 6),
        ("4-1 3-1 3-0 6-3", 6),
        ("3-2 3-1 3-0 6-3", 6),
        ("5-5 3-1 3-0 6-3", 11),
        ("6-4 3-1 3-0 6-3", 11),
        ("6-4 5-5 3-2 4-1", 31),
    ],
)
def test_f42_ru_04_a_trick_is_one_and_its_count(table: SimpleNamespace, trick: str, value: int) -> None:
    """One a trick; five more for 5-0, 4-1, 3-2; ten more for 5-5, 6-4."""
    assert table.won("2", trick)[1] == value


def test_f42_ru_05_all_tricks_are_worth_42(table: SimpleNamespace) -> None:
    """The tricks of every played round add up to 42, so 42 can be bid and 43 can't."""
    states = list(table.random_states(RUSSIAN, 3, 200))
    results = [last for state in states if (last := forty_two.view(state, None).last_round) and last.tiles]
    assert {sum(trick.points for trick in result.tricks) for result in results} == {42}
    assert forty_two.violation(table.deal(RUSSIAN, HANDS), Bid(0, 42)) is None
    assert table.refusal(table.deal(RUSSIAN, HANDS), "43") == (
        Reason.BID_TOO_HIGH, ("A-RU-06", "F42-RU-05"), {"seat": 0, "points": 43, "highest": 42},
    )  # fmt: skip


@pytest.mark.parametrize("holder", range(4))
def test_f42_ru_06_the_holder_of_the_1_0_calls_first(table: SimpleNamespace, holder: int) -> None:
    """Whoever holds it opens, then the seats on the left in turn; another seat is refused."""
    auction = table.deal(RUSSIAN, {holder: "1-0"})
    for step in range(4):
        seat = (holder + step) % 4
        assert forty_two.turn(auction) == seat
        early = forty_two.violation(auction, Pass((seat + 1) % 4))
        assert early is not None
        assert early.clauses == (("F42-RU-06", "A-RU-20") if step < 3 else ("F42-RU-07",))
        auction = table.run(auction, "30" if step == 0 else "-")


def test_f42_ru_07_a_bid_is_30_or_more_and_above_the_last(table: SimpleNamespace) -> None:
    """29 is too low; after 32, 31 is below it and 32 only equals it (A-RU-03); 33 is a bid."""
    auction = table.deal(RUSSIAN, HANDS)
    assert table.refusal(auction, "29").clauses == ("F42-RU-07",)
    later = table.run(auction, "32 -")
    assert table.refusal(later, "31") == (
        Reason.BID_NOT_ABOVE_LAST, ("F42-RU-07", "A-RU-04"), {"seat": 2, "points": 31, "last": 32},
    )  # fmt: skip
    assert table.refusal(later, "32").clauses == ("A-RU-03", "F42-RU-07")
    assert forty_two.violation(later, Bid(2, 33)) is None


def test_f42_ru_07_each_player_bids_once(table: SimpleNamespace) -> None:
    """Who has called does not call again."""
    again = forty_two.violation(table.run(table.deal(RUSSIAN, HANDS), "30 -"), Bid(0, 42))
    assert again == (Reason.NOT_YOUR_TURN, ("F42-RU-07",), {"seat": 0, "turn": 2})


def test_f42_ru_08_who_does_not_want_to_bid_passes(table: SimpleNamespace) -> None:
    """The holder of the 1-0 may pass too (A-RU-02), and the others still bid; a passer does not come back."""
    auction = table.run(table.deal(RUSSIAN, HANDS), "- - 30")
    assert forty_two.view(auction, None).bidder == 2
    again = forty_two.violation(auction, Bid(0, 31))
    assert again is not None
    assert again.clauses == ("F42-RU-07",)


@pytest.mark.parametrize(("points", "made"), [(29, False), (30, True), (31, True)])
def test_f42_ru_09_the_pair_tries_for_the_bid_or_more(table: SimpleNamespace, points: int, made: bool) -> None:
    """The bid or more makes it, one point less does not."""
    assert (forty_two.view(table.scored(RUSSIAN, 30, points), None).scores[0] > 0) is made


def test_f42_ru_10_there_are_eight_suits(table: SimpleNamespace) -> None:
    """Doubles may be named as well as the numbers; a ninth suit doesn't exist."""
    naming = table.run(table.deal(RUSSIAN, HANDS), "30 - - -")
    assert forty_two.violation(naming, NameTrump(0, 7)) is None
    assert table.refusal(naming, "t8") == (
        Reason.NO_SUCH_TRUMP, ("F42-RU-10", "A-RU-07"), {"seat": 0, "trump": "8"},
    )  # fmt: skip


def test_f42_ru_10_doubles_are_a_suit_only_as_trumps(table: SimpleNamespace) -> None:
    """A-RU-07: with doubles trump a double answers doubles, without it its number; and 6-6 heads them (A-RU-14)."""
    hand = "3-3 3-1 4-1 4-2 5-1 5-2 2-1"
    assert table.answers(RUSSIAN, "doubles", "5-5", hand) == {"3-3"}
    assert table.answers(RUSSIAN, "doubles", "6-3", hand) == set(hand.split())
    assert table.answers(RUSSIAN, "6", "3-2", hand) == {"3-3", "3-1"}
    assert table.won("doubles", "5-5 5-4 6-6 5-0") == ("6-6", 16)


def test_f42_ru_11_the_higher_number_is_the_suit(table: SimpleNamespace) -> None:
    """Trumps aside, a 3-1 asks for threes; the ones don't follow (a 6-3 does: A-RU-08)."""
    assert table.answers(RUSSIAN, "0", "3-1", "6-3 4-1 2-1 5-1 4-2 5-2 5-5") == {"6-3"}
    broken = table.refusal(table.answering(RUSSIAN, "0", "3-1", "6-3 4-1 2-1 5-1 4-2 5-2 5-5"), "4-1")
    assert (broken.reason, broken.clauses) == (Reason.MUST_FOLLOW_SUIT, ("A-RU-09", "F42-RU-11"))


def test_f42_ru_12_the_highest_bidder_leads_and_makes_trumps(table: SimpleNamespace) -> None:
    """Seat 2 outbid seat 0: it names, it leads, and it leads a trump (A-RU-10)."""
    naming = table.run(table.deal(RUSSIAN, HANDS), "30 - 31 -")
    other = forty_two.violation(naming, NameTrump(0, 4))
    assert other == (Reason.NOT_YOUR_TURN, ("F42-RU-12",), {"seat": 0, "turn": 2})
    leading = table.run(naming, "t4")
    assert table.legal_tiles(leading) == {"4-3", "4-0"}
    assert table.refusal(leading, "3-3") == (
        Reason.FIRST_LEAD_MUST_BE_TRUMP, ("A-RU-10", "F42-RU-12"),
        {"seat": 2, "tile": "3-3", "trump": "4", "could_play": ("4-0", "4-3")},
    )  # fmt: skip


def test_f42_ru_13_the_trump_is_a_number_on_the_lead(table: SimpleNamespace) -> None:
    """A 4-3 led may make fours or threes, never sixes, which seat 2 does not hold (D-03)."""
    naming = table.run(table.deal(RUSSIAN, HANDS), "- - 30 -")
    assert forty_two.violation(table.run(naming, "t4"), Play(2, parse_tile("4-3"))) is None
    assert forty_two.violation(table.run(naming, "t3"), Play(2, parse_tile("4-3"))) is None
    assert table.refusal(naming, "t6") == (
        Reason.TRUMP_NOT_IN_HAND, ("D-03", "F42-RU-13"), {"seat": 2, "trump": "6"},
    )  # fmt: skip


def test_f42_ru_14_then_the_others_play_one_tile_each(table: SimpleNamespace) -> None:
    """Clockwise, one tile a seat; a seat that is not next is refused."""
    led = table.run(table.deal(RUSSIAN, HANDS), "30 - - - t4 4-4")
    early = forty_two.violation(led, Play(2, parse_tile("4-3")))
    assert early == (Reason.NOT_YOUR_TURN, ("F42-RU-14", "A-RU-20"), {"seat": 2, "turn": 1})
    assert forty_two.turn(table.run(led, "4-1 4-3 6-1")) == 0


def test_f42_ru_15_the_double_is_beaten_by_a_trump_alone(table: SimpleNamespace) -> None:
    """The largest tile of the suit is its double; only a trump takes it."""
    assert table.won("2", "5-0 5-5 6-5 5-4")[0] == "5-5"
    assert table.won("2", "5-5 6-5 6-6 5-2")[0] == "5-2"


def test_f42_ru_16_a_larger_trump_takes_a_smaller(table: SimpleNamespace) -> None:
    """The trump double is the largest, then by the other half: with twos trump 2-2, though of four pips, takes 6-2."""
    assert table.won("2", "6-2 5-2 2-2 2-0")[0] == "2-2"
    assert table.won("2", "5-5 2-0 5-2 2-1")[0] == "5-2"


def test_f42_ru_17_who_takes_a_trick_leads_the_next(table: SimpleNamespace) -> None:
    """Seat 0 took the trick: it leads, and the seat after the last player doesn't."""
    state = table.run(table.deal(RUSSIAN, HANDS), "30 - - - t4 4-2 5-4 4-3 6-1")
    assert forty_two.turn(state) == 1
    broken = forty_two.violation(state, Play(0, parse_tile("4-4")))
    assert broken == (Reason.NOT_YOUR_TURN, ("F42-RU-17",), {"seat": 0, "turn": 1})


def test_f42_ru_18_example_of_3_3_taking_3_2(table: SimpleNamespace) -> None:
    """3-3 takes the trick, 5 extra for the 3-2; were twos trump the 3-2 would take it."""
    assert table.won("0", "3-2 3-3 6-5 5-4") == ("3-3", 6)
    assert table.won("2", "3-2 3-3 6-5 5-4") == ("3-2", 6)


def test_f42_ru_19_example_of_2_1_ruffing_6_4(table: SimpleNamespace) -> None:
    """With twos trump the 2-1 takes the trick, 10 extra for the 6-4; with threes trump it does not."""
    assert table.won("2", "6-4 6-0 2-1 6-5") == ("2-1", 11)
    assert table.won("3", "6-4 6-0 2-1 6-5") == ("6-5", 11)


@pytest.mark.parametrize(
    ("bid", "points", "gained"), [(30, 35, (65, 0)), (30, 30, (60, 0)), (42, 42, (84, 0)), (35, 36, (71, 0))]
)
def test_f42_ru_20_a_made_bid_scores_tricks_and_bid(
    table: SimpleNamespace, bid: int, points: int, gained: tuple[int, int]
) -> None:
    """The bidders write down their tricks and the bid on top; of the others the text says nothing: 0 (A-RU-16)."""
    assert forty_two.view(table.scored(RUSSIAN, bid, points), None).scores == gained


@pytest.mark.parametrize(("bid", "points", "gained"), [(37, 35, (0, 44)), (42, 41, (0, 43)), (42, 0, (0, 84))])
def test_f42_ru_21_a_set_bid_scores_for_the_opponents(
    table: SimpleNamespace, bid: int, points: int, gained: tuple[int, int]
) -> None:
    """The opponents write down the bid and their tricks, the bidders nothing (A-RU-17)."""
    assert forty_two.view(table.scored(RUSSIAN, bid, points), None).scores == gained


def test_a_ru_18_250_wins(table: SimpleNamespace) -> None:
    """The text has no target: 250 as in the other one; 190 and 60 reach it, 189 and 60 don't."""
    over = table.scored(RUSSIAN, 30, 30, scores=(190, 240))
    assert forty_two.outcome(over) == (0, Ending.TARGET, (250, 240))
    late = forty_two.violation(over, Shake(bytes(range(28))))
    assert late == (Reason.MATCH_OVER, ("A-RU-18",), {"ending": "target"})
    assert forty_two.outcome(table.scored(RUSSIAN, 30, 30, scores=(189, 240))) is None
