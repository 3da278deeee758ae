"""The Polish text, clause by clause. F42-PL-01 only tells the history of the game."""

from types import SimpleNamespace

import pytest
from dominohall_engine import forty_two
from dominohall_engine.forty_two import POLISH, Bid, Lot, NameTrump, Pass, Play, Shake
from dominohall_engine.forty_two.tables import COUNT
from dominohall_engine.outcomes import Ending
from dominohall_engine.tiles import NAMES, parse_tile
from dominohall_engine.violations import Reason

HANDS = {
    0: "4-4 6-4 4-2 6-6 5-5 1-1 0-0",
    1: "4-1 5-4 6-5 6-3 6-2 2-1 2-0",
    2: "4-3 4-0 3-3 3-2 3-1 5-3 3-0",
    3: "6-1 6-0 5-2 5-1 5-0 2-2 1-0",
}
"""Seat 0 opens, and holds fours; seat 3 holds none."""


def test_f42_pl_02_two_pairs_take_tricks(table: SimpleNamespace) -> None:
    """Partners sit opposite, and a trick counts for the side of the seat that took it."""
    assert forty_two.sides(POLISH) == ((0, 2), (1, 3))
    state = table.run(table.deal(POLISH, HANDS), "30 - - - t4 1-1 2-1 3-1 6-1")
    assert table.playing(state).taken == (1, 0)


def test_f42_pl_03_the_auction_comes_before_play(table: SimpleNamespace) -> None:
    """No tile is played before the auction is over, no bid made after it."""
    auction = table.deal(POLISH, HANDS)
    early = table.refusal(auction, "4-4")
    assert (early.reason, early.clauses) == (Reason.NOT_THIS_MOVE_NOW, ("F42-PL-03", "F42-PL-16"))
    late = table.refusal(table.run(auction, "30 - - - t4"), "31")
    assert (late.reason, late.clauses) == (Reason.NOT_THIS_MOVE_NOW, ("F42-PL-24", "F42-PL-20"))


def test_f42_pl_03_a_pair_takes_at_most_seven_tricks_and_42_points(table: SimpleNamespace) -> None:
    """A side that takes every trick has 42 points, and the other none."""
    hands = {0: "6-6 6-5 6-4 6-3 6-2 6-1 6-0"}
    state = table.run(table.deal(POLISH, hands), "42 - - - t6")
    while forty_two.phase(state) == "playing":
        state = forty_two.apply(state, forty_two.legal_moves(state)[-1])
    last = forty_two.view(state, None).last_round
    assert last is not None
    assert (last.points, last.gained, [trick.winner for trick in last.tricks]) == (42, (42, 0), [0] * 7)


def test_f42_pl_04_there_are_four_seats(table: SimpleNamespace) -> None:
    """Seat 3 exists and seat 4 doesn't."""
    auction = table.deal(POLISH, HANDS)
    assert forty_two.violation(table.run(auction, "- - -"), Bid(3, 30)) is None
    broken = forty_two.violation(auction, Bid(4, 30))
    assert broken == (Reason.NO_SUCH_SEAT, ("F42-PL-04",), {"seat": 4})


def test_f42_pl_05_there_are_seven_suits(table: SimpleNamespace) -> None:
    """The bidder may name blanks to sixes."""
    naming = table.run(table.deal(POLISH, HANDS), "30 - - -")
    assert forty_two.legal_moves(naming) == tuple(NameTrump(0, trump) for trump in range(7))


def test_f42_pl_06_a_tile_belongs_to_both_its_numbers(table: SimpleNamespace) -> None:
    """The 6-3 answers sixes and threes; a double answers its one number."""
    hand = "6-3 3-3 4-1 4-2 5-1 5-2 2-1"
    assert table.answers(POLISH, "0", "6-6", hand) == {"6-3"}
    assert table.answers(POLISH, "0", "3-2", hand) == {"6-3", "3-3"}


def test_f42_pl_07_the_double_heads_its_suit(table: SimpleNamespace) -> None:
    """The 3-3 takes a trick of threes from the 6-3, though it has fewer pips; the 6-3 takes one without it."""
    assert table.won("0", "3-1 6-3 3-3 5-3")[0] == "3-3"
    assert table.won("0", "3-1 6-3 3-2 5-3")[0] == "6-3"


def test_f42_pl_08_one_of_the_seven_suits_is_trump(table: SimpleNamespace) -> None:
    """A number is a trump, doubles are none in this text (A-PL-13), and there is no eighth number."""
    naming = table.run(table.deal(POLISH, HANDS), "30 - - -")
    assert forty_two.violation(naming, NameTrump(0, 0)) is None
    broken = forty_two.violation(naming, NameTrump(0, 7))
    assert broken == (Reason.NO_SUCH_TRUMP, ("F42-PL-08", "A-PL-13"), {"seat": 0, "trump": "doubles"})
    assert table.refusal(naming, "t9").facts == {"seat": 0, "trump": "9"}


@pytest.mark.parametrize(
    ("trick", "winner"),
    [
        ("4-4 6-4 6-6 5-4", "4-4"),  # the trump double over other trumps
        ("6-6 4-0 6-5 6-2", "4-0"),  # the least trump over the double of a plain suit
        ("6-5 6-6 6-2 5-5", "6-6"),  # the double over the others of its suit
        ("6-2 6-5 5-5 3-3", "6-5"),  # then by the other half, whatever lies beside it
    ],
)
def test_f42_pl_09_the_ranks_from_trump_double_down(table: SimpleNamespace, trick: str, winner: str) -> None:
    """With fours trump: 4-4, other fours, the double of a suit, the rest of the suit."""
    assert table.won("4", trick)[0] == winner


def test_f42_pl_10_five_tiles_count(table: SimpleNamespace) -> None:
    """Two tens and three fives make 35; the 6-3, which some tables print, counts nothing."""
    assert {NAMES[tile]: count for tile, count in enumerate(COUNT) if count} == {
        "3-2": 5, "4-1": 5, "5-0": 5, "5-5": 10, "6-4": 10,
    }  # fmt: skip
    assert table.won("0", "5-5 6-4 6-3 3-3")[1] == 21


def test_f42_pl_11_the_first_shaker_is_found_by_lot() -> None:
    """A match waits for the lot; a seat that is none is refused, and so is a shake before it."""
    state = forty_two.new_match(POLISH)
    assert (forty_two.phase(state), forty_two.turn(state)) == ("lot", None)
    assert forty_two.violation(state, Lot(4)) == (Reason.BAD_LOT, ("F42-PL-11", "D-04"), {"seat": 4})
    early = forty_two.violation(state, Shake(bytes(range(28))))
    assert early is not None
    assert (early.reason, early.clauses) == (Reason.NOT_THIS_MOVE_NOW, ("F42-PL-11", "D-04"))
    assert forty_two.view(forty_two.apply(state, Lot(2)), None).shaker == 2


@pytest.mark.parametrize("shaker", range(4))
def test_f42_pl_11_the_shake_passes_to_the_left(table: SimpleNamespace, shaker: int) -> None:
    """After a played round the seat on the left of the shaker shakes."""
    state = table.scored(POLISH, 30, 35, bidder=(shaker + 1) % 4)
    assert forty_two.view(state, None).shaker == (shaker + 1) % 4


def test_f42_pl_12_each_seat_draws_seven_tiles(table: SimpleNamespace) -> None:
    """The order's first seven tiles are seat 0's, and so on; a tile that was not drawn can't be played."""
    order = table.order_of(HANDS)
    auction = table.deal(POLISH, HANDS)
    for seat in range(4):
        assert forty_two.view(auction, seat).hand == tuple(sorted(order[7 * seat : 7 * seat + 7]))
    broken = table.refusal(table.run(auction, "30 - - - t4"), "4-1")
    assert broken == (Reason.TILE_NOT_HELD, ("F42-PL-12",), {"seat": 0, "tile": "4-1"})


def test_f42_pl_12_a_shake_is_all_tiles_once() -> None:
    """A tile twice, or one too few, is no shake."""
    state = forty_two.new_match(POLISH, 0)
    twice = forty_two.violation(state, Shake(bytes([0, *range(27)])))
    assert twice == (Reason.NOT_ALL_TILES, ("F42-PL-12", "D-05"), {"tiles": 28, "different": 27})
    assert forty_two.violation(state, Shake(bytes(range(27)))) is not None
    assert forty_two.violation(state, Shake(bytes(range(28)))) is None


def test_f42_pl_13_the_points_of_a_round_are_42(table: SimpleNamespace) -> None:
    """What both sides took adds up to 42: seven tricks and 35 for count; so 43 can't be bid."""
    states = list(table.random_states(POLISH, 5, 200))
    results = [last for state in states if (last := forty_two.view(state, None).last_round) and last.tiles]
    assert results
    assert {sum(trick.points for trick in result.tricks) for result in results} == {42}
    assert table.refusal(table.deal(POLISH, HANDS), "43").clauses == ("A-PL-11", "F42-PL-13")


def test_f42_pl_14_a_bid_is_for_the_pair(table: SimpleNamespace) -> None:
    """Seat 0 bid, and its partner's ruff counts for the bid; seat 3's trick would count against it."""
    bid = table.run(table.deal(POLISH, HANDS), "30 - - - t3")
    assert table.playing(table.run(bid, "1-1 4-1 3-3 1-0")).taken == (6, 0)
    assert table.playing(table.run(bid, "0-0 2-0 4-0 5-0")).taken == (6, 0)
    assert table.playing(table.run(bid, "4-2 5-4 4-0 5-2")).taken == (0, 1)


def test_f42_pl_15_bidding_starts_from_30(table: SimpleNamespace) -> None:
    """30 is a bid, 29 is none."""
    auction = table.deal(POLISH, HANDS)
    assert forty_two.violation(auction, Bid(0, 30)) is None
    assert table.refusal(auction, "29") == (
        Reason.BID_TOO_LOW, ("F42-PL-15",), {"seat": 0, "points": 29, "lowest": 30},
    )  # fmt: skip
    assert table.refusal(table.run(auction, "35"), "0").reason == Reason.BID_TOO_LOW


def test_f42_pl_16_a_later_bid_raises_or_passes(table: SimpleNamespace) -> None:
    """After 32: a pass, 33 or any jump; not 32 again, not 31."""
    auction = table.run(table.deal(POLISH, HANDS), "32")
    assert forty_two.legal_moves(auction) == (Pass(1), *[Bid(1, points) for points in range(33, 43)])
    for points in (31, 32):
        assert table.refusal(auction, str(points)) == (
            Reason.BID_NOT_ABOVE_LAST, ("F42-PL-16", "A-PL-12"), {"seat": 1, "points": points, "last": 32},
        )  # fmt: skip


def test_f42_pl_17_each_seat_calls_once(table: SimpleNamespace) -> None:
    """Who has bid or passed does not call again, and four calls end the auction."""
    auction = table.run(table.deal(POLISH, HANDS), "- 31")
    for seat in (0, 1):
        again = forty_two.violation(auction, Bid(seat, 40))
        assert again == (Reason.NOT_YOUR_TURN, ("F42-PL-17",), {"seat": seat, "turn": 2})
    assert forty_two.phase(table.run(auction, "- 33")) == "naming"


@pytest.mark.parametrize("shaker", range(4))
def test_f42_pl_18_the_seat_left_of_the_shaker_opens(table: SimpleNamespace, shaker: int) -> None:
    """Whoever shook, the next seat clockwise calls first; another seat is refused."""
    auction = table.deal(POLISH, HANDS, shaker)
    opener = (shaker + 1) % 4
    assert forty_two.turn(auction) == opener
    early = forty_two.violation(auction, Pass(shaker))
    assert early == (Reason.NOT_YOUR_TURN, ("F42-PL-18", "A-PL-20"), {"seat": shaker, "turn": opener})


def test_f42_pl_19_the_winner_of_the_auction_names_trumps_and_leads(table: SimpleNamespace) -> None:
    """The highest bidder, here not the last to bid's neighbour, names and leads any tile; nobody else may."""
    naming = table.run(table.deal(POLISH, HANDS), "30 - 31 -")
    assert forty_two.turn(naming) == 2
    other = forty_two.violation(naming, NameTrump(0, 4))
    assert other == (Reason.NOT_YOUR_TURN, ("F42-PL-19",), {"seat": 0, "turn": 2})
    leading = table.run(naming, "t4")
    assert len(forty_two.legal_moves(leading)) == 7
    lead = forty_two.violation(leading, Play(0, parse_tile("4-4")))
    assert lead is not None
    assert lead.clauses == ("F42-PL-19",)


def test_f42_pl_20_the_others_follow_suit(table: SimpleNamespace) -> None:
    """Seat 1 holds sixes and must play one."""
    led = table.run(table.deal(POLISH, HANDS), "30 - - - t4 6-6")
    assert table.legal_tiles(led) == {"6-5", "6-3", "6-2"}
    broken = table.refusal(led, "2-0")
    assert (broken.reason, broken.clauses) == (Reason.MUST_FOLLOW_SUIT, ("F42-PL-20", "F42-PL-21"))
    assert broken.facts == {
        "seat": 1, "tile": "2-0", "led_tile": "6-6", "led_suit": "6", "trump": "4", "could_play": ("6-2", "6-3", "6-5"),
    }  # fmt: skip


def test_f42_pl_21_the_half_with_more_pips_is_the_suit(table: SimpleNamespace) -> None:
    """A 6-5 with twos trump asks for sixes: the 5-0 does not follow while a six is held."""
    assert table.answers(POLISH, "2", "6-5", "5-0 5-1 6-0 1-1 3-3 4-4 5-5") == {"6-0"}


def test_f42_pl_21_a_trump_leads_trumps_by_either_half(table: SimpleNamespace) -> None:
    """A 6-4 with fours trump asks for fours, though six is more (A-PL-03)."""
    hand = "4-0 6-6 6-0 1-1 3-3 2-2 5-5"
    assert table.answers(POLISH, "4", "6-4", hand) == {"4-0"}
    broken = table.refusal(table.answering(POLISH, "4", "6-4", hand), "6-6")
    assert (broken.clauses, broken.facts["led_suit"]) == (("F42-PL-20", "F42-PL-21", "A-PL-03"), "4")


def test_f42_pl_22_who_has_none_of_the_suit_plays_anything(table: SimpleNamespace) -> None:
    """Void in sixes: every tile may be played, trumps among them and none compelled (A-PL-08)."""
    hand = "4-0 4-1 5-0 1-1 3-3 2-2 5-5"
    assert table.answers(POLISH, "4", "6-6", hand) == set(hand.split())


def test_f42_pl_23_the_heaviest_tile_takes_the_trick(table: SimpleNamespace) -> None:
    """Heaviest in the sense of the ranks: more pips of another suit win nothing (A-PL-06)."""
    assert table.won("4", "2-1 6-5 2-0 3-3")[0] == "2-1"
    assert table.won("4", "2-1 6-5 2-0 4-0")[0] == "4-0"


def test_f42_pl_24_a_round_ends_when_all_tiles_are_played(table: SimpleNamespace) -> None:
    """27 plays do not end a round, even a decided one; the 28th does, and 34 moves have been made."""
    states = list(table.random_states(POLISH, 11, 40))
    phases = [str(forty_two.phase(state)) for state in states]
    first = phases.index("playing")
    assert phases[first : first + 29] == ["playing"] * 28 + ["shake"]


def test_f42_pl_25_a_trick_is_one_point_and_its_count(table: SimpleNamespace) -> None:
    """A plain trick is worth 1; one with the 5-5 and the 4-1 is worth 16."""
    assert table.won("6", "3-3 3-1 3-0 6-3")[1] == 1
    assert table.won("6", "5-5 4-1 3-0 6-3")[1] == 16
    state = table.run(table.deal(POLISH, HANDS), "30 - - - t4 5-5 6-5 5-3 5-2")
    assert table.playing(state).taken == (11, 0)


@pytest.mark.parametrize(("bid", "points", "gained"), [(30, 31, (31, 11)), (30, 30, (30, 12)), (42, 42, (42, 0))])
def test_f42_pl_26_a_made_bid_lets_both_pairs_score(
    table: SimpleNamespace, bid: int, points: int, gained: tuple[int, int]
) -> None:
    """Made with more than the bid or exactly it (A-PL-01): both write down what they took."""
    assert forty_two.view(table.scored(POLISH, bid, points), None).scores == gained


@pytest.mark.parametrize(("bid", "points", "gained"), [(30, 29, (0, 43)), (42, 41, (0, 43)), (42, 0, (0, 84))])
def test_f42_pl_27_a_set_bid_scores_for_the_others(
    table: SimpleNamespace, bid: int, points: int, gained: tuple[int, int]
) -> None:
    """Set: nothing for the bidders; the others write down their points and the bid."""
    assert forty_two.view(table.scored(POLISH, bid, points), None).scores == gained


def test_f42_pl_28_reaching_250_wins(table: SimpleNamespace) -> None:
    """219 and 31 is 250, and won; 218 and 31 plays on; more than 250 is as good (249 and 31)."""
    assert forty_two.outcome(table.scored(POLISH, 30, 31, scores=(219, 0))) == (0, Ending.TARGET, (250, 11))
    assert forty_two.outcome(table.scored(POLISH, 30, 31, scores=(218, 0))) is None
    won = table.scored(POLISH, 30, 31, scores=(249, 0))
    assert forty_two.outcome(won) == (0, Ending.TARGET, (280, 11))
    late = forty_two.violation(won, Shake(bytes(range(28))))
    assert late == (Reason.MATCH_OVER, ("F42-PL-28",), {"ending": "target"})


def test_f42_pl_29_when_both_pass_250_the_higher_score_wins(table: SimpleNamespace) -> None:
    """230/249 and a made 30/12: 260 to 261, so the side that did not bid wins."""
    assert forty_two.outcome(table.scored(POLISH, 30, 30, scores=(230, 249))) == (1, Ending.TARGET, (260, 261))
    assert forty_two.outcome(table.scored(POLISH, 30, 31, scores=(230, 249))) == (0, Ending.TARGET, (261, 260))


def test_f42_pl_30_example_of_30_bid_and_35_taken(table: SimpleNamespace) -> None:
    """A bids 30 and takes 35: A scores 35, B scores 7."""
    assert forty_two.view(table.scored(POLISH, 30, 35), None).scores == (35, 7)


def test_f42_pl_31_example_of_37_bid_and_35_taken(table: SimpleNamespace) -> None:
    """A bids 37 and takes 35: A scores nothing, B scores 44, 7 of its own and 37 for the bid."""
    assert forty_two.view(table.scored(POLISH, 37, 35), None).scores == (0, 44)
    assert forty_two.view(table.scored(POLISH, 37, 35, bidder=1), None).scores == (44, 0)
