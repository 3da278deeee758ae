"""The follow and trick tables against a reading of the texts of its own, written in words of a player."""

from itertools import permutations

import pytest
from dominohall_engine.forty_two.state import TRICK_RULES
from dominohall_engine.forty_two.tables import COUNT, FOLLOWS, TRUMPS, suits_of
from dominohall_engine.forty_two.tricks import trick_points, winning_tile
from dominohall_engine.tiles import NAMES, parse_tile, tiles_in

TRUMP_NAMES = ["0", "1", "2", "3", "4", "5", "6", "doubles"]


def halves(name: str) -> tuple[int, int]:
    """Read `6-4` as 6 and 4."""
    return int(name[0]), int(name[2])


def trump(name: str, trumps: str) -> bool:
    """Say whether a tile is a trump: it bears the number, or with doubles trump is a double."""
    if trumps == "doubles":
        return name[0] == name[2]
    return trumps in (name[0], name[2])


def suit_led(name: str, trumps: str) -> str:
    """PL-21: the half with more pips, or the suit chosen as trump. RU-11: trumps aside, the higher number."""
    return "trump" if trump(name, trumps) else str(max(halves(name)))


def answers(name: str, suit: str, trumps: str) -> bool:
    """PL-20: a tile of the same suit; a trump is of the trump suit and of no other (A-PL-02)."""
    if suit == "trump":
        return trump(name, trumps)
    return suit in (name[0], name[2]) and not trump(name, trumps)


def strength(name: str, suit: str) -> int:
    """PL-07: the double is the heaviest; then by the other half (A-PL-05). Doubles rank by their number (A-RU-14)."""
    high, low = halves(name)
    if suit == "doubles":
        return high
    if high == low:
        return 100
    return high + low - int(suit)


def winner(trick: list[str], trumps: str) -> str:
    """PL-09, PL-23, RU-15, RU-16: the highest trump, else the highest of the suit led."""
    if any(trump(name, trumps) for name in trick):
        return max((name for name in trick if trump(name, trumps)), key=lambda name: strength(name, trumps))
    suit = suit_led(trick[0], trumps)
    return max((name for name in trick if answers(name, suit, trumps)), key=lambda name: strength(name, suit))


@pytest.mark.parametrize("place", range(8), ids=TRUMP_NAMES)
def test_every_tile_follows_every_lead_as_the_texts_say(place: int) -> None:
    """Trump by trump, the 28 x 28 table of who follows what equals the reading above."""
    trumps = TRUMP_NAMES[place]
    for led, led_name in enumerate(NAMES):
        expected = [name for name in NAMES if answers(name, suit_led(led_name, trumps), trumps)]
        assert [NAMES[each] for each in tiles_in(FOLLOWS[place][led])] == expected, led_name


@pytest.mark.parametrize("place", range(8), ids=TRUMP_NAMES)
def test_every_trick_of_three_tiles_is_won_as_the_texts_say(place: int) -> None:
    """Every ordered choice of three tiles: a fourth tile adds nothing that three do not show."""
    rules, trumps = TRICK_RULES[place], TRUMP_NAMES[place]
    memory = {name: (trump(name, trumps), suit_led(name, trumps)) for name in NAMES}
    for trick in permutations(range(28), 3):
        names = [NAMES[each] for each in trick]
        won = NAMES[winning_tile(rules, bytes(trick))]
        ruffs = [name for name in names if memory[name][0]]
        suit = memory[names[0]][1]
        rivals = ruffs or [name for name in names if answers(name, suit, trumps)]
        assert won == max(rivals, key=lambda name: strength(name, trumps if ruffs else suit)), (names, trumps)


def test_tricks_of_four_are_won_as_the_texts_say() -> None:
    """Four-tile tricks at steps through all of them, so that the fourth seat is heard too."""
    for number, trick in enumerate(permutations(range(28), 4)):
        if number % 211 == 0:
            place = number % 8
            names = [NAMES[each] for each in trick]
            assert NAMES[winning_tile(TRICK_RULES[place], bytes(trick))] == winner(names, TRUMP_NAMES[place])


def test_no_tile_bearing_the_trump_number_follows_its_other_half() -> None:
    """A-PL-02: with fours trump the 4-0 answers fours alone; so for every trump and tile."""
    for place in range(8):
        for led in range(28):
            if not 1 << led & TRUMPS[place]:
                assert FOLLOWS[place][led] & TRUMPS[place] == 0


def test_seven_tiles_are_trumps_whatever_the_trump() -> None:
    """PL-09: a number is on seven tiles, and there are seven doubles."""
    assert [mask.bit_count() for mask in TRUMPS] == [7] * 8


def test_count_is_five_tiles_and_thirty_five_points() -> None:
    """PL-10, RU-04: 5-5 and 6-4 give ten, 4-1, 3-2 and 5-0 five; all else nothing."""
    expected = {"5-5": 10, "6-4": 10, "4-1": 5, "3-2": 5, "5-0": 5}
    assert {name: COUNT[parse_tile(name)] for name in NAMES if COUNT[parse_tile(name)]} == expected
    assert sum(COUNT) == 35


def test_the_dearest_trick_is_worth_31() -> None:
    """Section 5.1: both tens and two fives in one trick, and 1 for the trick."""
    assert max(trick_points(bytes(trick)) for trick in [(20, 25, 11, 15), (20, 25, 15, 8), (20, 25, 11, 8)]) == 31


def test_blanks_are_led_by_the_double_blank_alone() -> None:
    """Section 5.3: when blanks are no trump only the 0-0 leads blanks; with doubles trump nothing does."""
    for place in range(1, 8):
        leads = [NAMES[led] for led in range(28) if FOLLOWS[place][led] == FOLLOWS[place][0]]
        assert leads == (["0-0"] if place != 7 else ["0-0", "1-1", "2-2", "3-3", "4-4", "5-5", "6-6"])


def test_suits_of_a_hand_are_the_numbers_and_doubles_on_it() -> None:
    """D-03: 6-4 and 3-3 hold sixes, fours, threes and a double."""
    hand = 1 << parse_tile("6-4") | 1 << parse_tile("3-3")
    assert [place for place in range(8) if suits_of(hand) >> place & 1] == [3, 4, 6, 7]
