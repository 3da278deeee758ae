"""The decisions after the trial (D-04 to D-13, as far as they concern Fives), each where it decides."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from dominohall_engine import fives
from dominohall_engine.errors import InvalidOptions
from dominohall_engine.fives import LINEAR, Draw, DrawRule, Knock, Lot, Play, RoundEnd, Shake, SpinnerRule
from dominohall_engine.fives.layout import EMPTY, arms_of, extended
from dominohall_engine.fives.state import Playing, boneyard_count
from dominohall_engine.outcomes import Ending
from dominohall_engine.tiles import parse_tile
from dominohall_engine.violations import Reason


def test_d_04_chance_is_a_move_that_nobody_lists() -> None:
    """Lot and shake are judged and applied like any move, but no seat has them to choose from."""
    state = fives.new_match(LINEAR)
    for move in (Lot(bytes((27, 1, 2, 3))), Shake(bytes(range(28)))):
        assert fives.turn(state) is None
        assert fives.legal_moves(state) == ()
        assert fives.violation(state, move) is None
        state = fives.apply(state, move)
    late = fives.violation(state, Shake(bytes(range(28))))
    assert late
    assert (late.reason, late.clauses) == (Reason.NOT_THIS_MOVE_NOW, ("D-04", "LIN-08"))
    assert late.facts == {"move": "shake", "expected": "play"}


def test_d_05_the_order_deals_seat_by_seat(table: SimpleNamespace) -> None:
    """Tiles 7i to 7i+6 are seat i's, the rest is the boneyard, drawn from its front."""
    order = bytes(reversed(range(28)))
    state = fives.apply(fives.new_match(table.THREE, first=0), Shake(order))
    assert [fives.view(state, seat).hand for seat in range(3)] == [
        tuple(range(21, 28)),
        tuple(range(14, 21)),
        tuple(range(7, 14)),
    ]
    state = table.run(table.deal(table.TWO, {0: "6-4 6-5", 1: "3-2 1-0"}, "3-0 5-5 4-1"), "6-4 draw draw draw")
    assert fives.view(state, 1).hand == tuple(sorted(map(parse_tile, ("3-2", "1-0", "3-0", "5-5", "4-1"))))


def test_d_06_each_draw_and_each_knock_is_a_move(table: SimpleNamespace) -> None:
    """The record of a round has a move for every tile drawn and every knock, and shows no drawn tile."""
    options = replace(table.TWO, draw=DrawRule.ONE)
    state = table.deal(options, {0: "6-4 6-5 1-1", 1: "3-2 1-0 2-2"}, "3-0 3-3")
    state = table.run(state, "6-4 draw knock 6-5 draw knock")
    assert fives.view(state, None).history == (
        Play(0, parse_tile("6-4"), 0),
        Draw(1),
        Knock(1),
        Play(0, parse_tile("6-5"), 1),
        Draw(1),
        Knock(1),
    )
    assert [fives.encode_move(move) for move in (Draw(1), Knock(1))] == [b"\x21\x01", b"\x22\x01"]


def test_d_07_every_seat_in_turn_knocks(table: SimpleNamespace) -> None:
    """The block comes with the last of as many knocks as there are seats, not before."""
    hands = {0: "6-0 2-2 5-4", 1: "3-2 1-1 2-1", 2: "5-1 3-3 4-2", 3: "5-3 4-1 5-5"}
    state = table.run(table.deal(replace(LINEAR, draw=DrawRule.NONE), hands), "6-0")
    for seat in (1, 2, 3, 0):
        assert (fives.phase(state), fives.turn(state)) == ("playing", seat)
        state = table.run(state, "knock")
    assert table.last_round(state).end is RoundEnd.BLOCKED


def test_d_07_a_play_between_knocks_starts_the_count_again(table: SimpleNamespace) -> None:
    """Three knocks, a play, and three knocks again are no block."""
    hands = {0: "6-0 6-5 5-5", 1: "3-2 1-1 2-1", 2: "4-1 3-3 4-2", 3: "3-1 4-3 2-2"}
    state = table.deal(replace(LINEAR, draw=DrawRule.NONE), hands)
    state = table.run(state, "6-0 knock knock knock 6-5 knock knock knock")
    assert table.allowed(state) == ["5-5@left"]


def test_d_07_no_shortcut_while_the_boneyard_has_tiles(table: SimpleNamespace) -> None:
    """On a dead layout the stuck seat still draws every tile, and then both knock."""
    for seed in range(1000):
        for state in table.random_states(table.TWO, seed):
            if not isinstance(state, Playing) or not boneyard_count(state):
                continue
            left = set(state.round.order[28 - boneyard_count(state) :])
            dead = not any(hand & state.layout.fits for hand in state.hands)
            if dead and not any(state.layout.fits >> tile & 1 for tile in left):
                moves = " draw" * boneyard_count(state) + " knock knock"
                assert table.last_round(table.run(state, moves)).end is RoundEnd.BLOCKED
                return
    raise AssertionError("no dead layout with a boneyard was found")


def test_d_08_the_target_stops_before_the_hand_is_counted(table: SimpleNamespace) -> None:
    """A last tile that reaches 250 ends the match: no bonus, no hand laid open."""
    state = table.run(table.deal(table.TWO, {0: "6-4", 1: "6-6"}, scores=(240, 0), shakes=9), "6-4")
    assert fives.outcome(state) == (0, Ending.TARGET, (250, 0))
    assert (table.last_round(state).end, table.last_round(state).bonus) == (RoundEnd.STOPPED, 0)
    state = table.run(table.deal(table.TWO, {0: "6-4", 1: "6-6"}, scores=(235, 0), shakes=9), "6-4")
    assert fives.outcome(state) == (0, Ending.TARGET, (255, 0))
    assert (table.last_round(state).end, table.last_round(state).bonus) == (RoundEnd.WENT_OUT, 10)


def test_d_09_of_two_equivalent_places_the_lower_one(table: SimpleNamespace) -> None:
    """Both sides empty: side 1 only. Both ends empty: end 1 only."""
    state = table.run(table.deal(table.TWO, {0: "3-3 3-2 6-1", 1: "3-1 3-0 5-3"}), "3-3")
    assert table.allowed(state) == ["3-0@side_1", "3-1@side_1", "5-3@side_1"]
    broken = table.refusal(state, "3-1@side_2")
    assert (broken.reason, broken.clauses) == (Reason.NO_SUCH_PLACE, ("D-09",))
    assert broken.facts == {"tile": "3-1", "place": "side_2", "open": ("side_1",)}
    state = table.run(state, "3-1 3-2")
    assert table.allowed(state) == ["3-0@end_1", "5-3@end_1"]
    broken = table.refusal(state, "3-0@end_2")
    assert (broken.reason, broken.clauses) == (Reason.NO_SUCH_PLACE, ("D-09",))


def test_d_09_a_double_alone_in_a_line_has_one_place(table: SimpleNamespace) -> None:
    """Without a spinner the two ends of a double alone are equivalent too."""
    state = table.deal(replace(table.TWO, spinner=SpinnerRule.NONE), {0: "3-3 3-2", 1: "3-1 3-0"})
    state = table.run(state, "3-3")
    assert table.allowed(state) == ["3-0@left", "3-1@left"]
    broken = table.refusal(state, "3-1@right")
    assert (broken.reason, broken.clauses) == (Reason.NO_SUCH_PLACE, ("D-09",))


def test_d_09_the_first_tile_lies_with_its_high_end_to_the_left(table: SimpleNamespace) -> None:
    """After 6-4 the left end is the six; the start is no place any more."""
    state = table.run(table.deal(table.TWO, {0: "6-4 3-2", 1: "6-1 4-0"}), "6-4")
    assert table.allowed(state) == ["6-1@left", "4-0@right"]
    broken = table.refusal(state, "6-1@start")
    assert (broken.reason, broken.clauses) == (Reason.NO_SUCH_PLACE, ("LIN-09",))


def test_d_09_a_tile_that_fits_two_places_is_two_moves(table: SimpleNamespace) -> None:
    """With 6 and 2 at the ends, 6-2 is two moves."""
    state = table.run(table.deal(table.TWO, {0: "6-4 6-2 1-1", 1: "4-2 3-3 0-0"}), "6-4 4-2")
    assert table.allowed(state) == ["6-2@left", "6-2@right"]


@pytest.mark.parametrize(("double", "place", "other"), [("6-6", "left", 3), ("3-3", "right", 6)])
def test_d_10_the_line_becomes_side_1(table: SimpleNamespace, double: str, place: str, other: int) -> None:
    """Whichever end the first double was attached to, the line is side 1 and its far end goes on."""
    layout = table.laid(f"6-4 4-3 {double}@{place}")[-1]
    assert [(fives.PLACE_NAMES[arm.place], arm.number, arm.dots, arm.is_open) for arm in arms_of(layout)] == [
        ("side_1", other, other, True),
        ("side_2", int(double[0]), 0, True),
    ]


def test_d_10_the_ends_of_the_line_are_gone(table: SimpleNamespace) -> None:
    """Once there is a spinner nothing is left or right any more."""
    state = table.run(table.deal(table.TWO, {0: "6-4 6-6 1-1", 1: "4-3 3-1 0-0"}), "6-4 4-3 6-6")
    broken = table.refusal(state, "3-1@left")
    assert (broken.reason, broken.clauses) == (Reason.NO_SUCH_PLACE, ("D-10",))
    assert table.allowed(state) == ["3-1@side_1"]


@pytest.mark.parametrize(
    ("leader", "hands", "next_leader"),
    [
        (0, {0: "6-0 5-3 4-1", 1: "5-5 5-4 1-1", 2: "3-1 2-2 3-2", 3: "4-4 4-3 3-3"}, 0),
        (1, {0: "1-1 2-1 5-3", 1: "6-0 5-5 5-4", 2: "3-1 2-2 3-2", 3: "4-4 4-3 3-3"}, 2),
        (3, {0: "1-1 2-1 5-3", 3: "6-0 5-5 5-4", 2: "3-1 2-2 3-2", 1: "4-4 4-3 3-3"}, 0),
    ],
)
def test_d_11_equal_partners_lead_by_turn_order(
    table: SimpleNamespace, leader: int, hands: dict[int, str], next_leader: int
) -> None:
    """Of two partners with 13 dots each, the earlier from the previous leader on leads, the leader included."""
    state = table.deal(replace(LINEAR, draw=DrawRule.NONE), hands, leader=leader)
    state = table.run(state, "6-0 knock knock knock knock")
    assert (table.last_round(state).side, fives.view(state, None).leader) == (0, next_leader)


def test_d_12_a_match_starts_with_the_lot_or_a_named_leader() -> None:
    """Every match starts with the lot, unless a rematch names who leads; a seat that is not there can't."""
    assert fives.phase(fives.new_match(LINEAR)) == "lot"
    state = fives.new_match(LINEAR, first=3)
    assert (fives.phase(state), fives.view(state, None).leader) == ("shake", 3)
    with pytest.raises(InvalidOptions, match="first"):
        fives.new_match(LINEAR, first=4)


@pytest.mark.parametrize(
    ("scores", "winner", "final"), [((0, 0), 0, (10, 0)), ((0, 5), 0, (10, 5)), ((0, 10), None, (10, 10))]
)
def test_d_13_a_limit_of_rounds_ends_the_match(
    table: SimpleNamespace, scores: tuple[int, int], winner: int | None, final: tuple[int, int]
) -> None:
    """At the agreed round the higher score wins; equal scores are nobody's."""
    options = replace(table.TWO, round_limit=3)
    state = table.run(table.deal(options, {0: "6-5", 1: "6-4"}, scores=scores, shakes=2), "6-5")
    assert fives.outcome(state) == (winner, Ending.ROUND_LIMIT, final)
    late = fives.violation(state, Shake(bytes(range(28))))
    assert late
    assert (late.reason, late.clauses) == (Reason.MATCH_OVER, ("D-13",))
    earlier = table.run(table.deal(options, {0: "6-5", 1: "6-4"}, scores=scores, shakes=1), "6-5")
    assert fives.outcome(earlier) is None


def test_d_13_the_target_comes_before_the_limit(table: SimpleNamespace) -> None:
    """A target reached in the last round is a win by the target."""
    options = replace(table.TWO, round_limit=3)
    state = table.run(table.deal(options, {0: "6-5", 1: "6-4"}, scores=(240, 0), shakes=2), "6-5")
    assert fives.outcome(state) == (0, Ending.TARGET, (250, 0))


def test_abandon_ends_a_match_anywhere_without_a_winner(table: SimpleNamespace) -> None:
    """The host may end a match before the lot, before a shake and in a round; scores stay as they are."""
    lotting = fives.new_match(table.TWO)
    shaking = fives.new_match(table.TWO, first=0)
    playing = table.run(table.deal(table.TWO, {0: "6-4 1-0", 1: "6-1 5-5"}), "6-4")
    for state, scores in ((lotting, (0, 0)), (shaking, (0, 0)), (playing, (10, 0))):
        over = fives.apply(state, fives.Abandon("host-closed_1"))
        assert fives.outcome(over) == (None, Ending.ABANDONED, scores)
        assert fives.problems(over) == ()
        for reason in ("", "Host closed", "x" * 65, "ł"):
            broken = fives.violation(state, fives.Abandon(reason))
            assert broken
            assert (broken.reason, broken.facts) == (Reason.BAD_ABANDON_REASON, {"length": len(reason)})


def test_first_tile_anywhere_but_the_start_is_refused() -> None:
    """An empty layout has one place."""
    layout = EMPTY[SpinnerRule.SIDES_THEN_ENDS]
    assert layout.places == (0,)
    assert extended(layout, parse_tile("6-4"), 0).places == (1, 2)
