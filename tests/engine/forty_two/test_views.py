"""Views: what a seat sees, and that it depends on nothing it may not see."""

from dataclasses import FrozenInstanceError
from random import Random
from types import SimpleNamespace

import pytest
from dominohall_engine import forty_two
from dominohall_engine.forty_two import POLISH, RUSSIAN, Abandon, Bid, NameTrump, Pass, Play
from dominohall_engine.tiles import TILE_COUNT, parse_tile

HANDS = {
    0: "1-0 4-4 6-4 4-2 6-6 5-5 1-1",
    1: "4-1 5-4 6-5 6-3 6-2 2-1 2-0",
    2: "4-3 4-0 3-3 3-2 3-1 5-3 3-0",
    3: "6-1 6-0 5-2 5-1 5-0 2-2 0-0",
}


def with_hidden_tiles_swapped(state: forty_two.State, seat: int, random: Random) -> forty_two.State:
    """Return the state with the tiles that this seat can't see dealt otherwise among the other seats."""
    order = forty_two.order(state)
    assert order is not None
    seen = {play.tile for play in plays_of(forty_two.view(state, seat))}
    hidden = [place for place in range(TILE_COUNT) if place // 7 != seat and order[place] not in seen]
    tiles = [order[place] for place in hidden]
    random.shuffle(tiles)
    swapped = bytearray(order)
    for place, tile in zip(hidden, tiles, strict=True):
        swapped[place] = tile
    return forty_two.decode(forty_two.encode_public(state) + bytes(swapped))


def plays_of(view: forty_two.View) -> list[Play]:
    """Return the plays of the round so far."""
    tricks = [*view.tricks, *([view.trick] if view.trick else [])]
    return [play for trick in tricks for play in trick.plays]


@pytest.mark.parametrize("options", [POLISH, RUSSIAN], ids=["polish", "russian"])
def test_nothing_a_seat_is_told_depends_on_hidden_tiles(options: forty_two.Options, table: SimpleNamespace) -> None:
    """Several hundred states: the views, public bytes and refusals of a seat are the same over other hidden hands."""
    random = table.chance(1)
    domain = forty_two.seat_moves(options)
    for seed in range(6):
        for state in table.random_states(options, seed, 80):
            if forty_two.order(state) is None:
                continue
            seat = random.randrange(4)
            other = with_hidden_tiles_swapped(state, seat, random)
            assert forty_two.view(other, seat) == forty_two.view(state, seat)
            assert forty_two.encode_public(other) == forty_two.encode_public(state)
            own = random.sample([move for move in domain if move.seat == seat], 12)
            assert [forty_two.violation(other, move) for move in own] == [
                forty_two.violation(state, move) for move in own
            ]


def test_a_spectator_sees_no_hand(table: SimpleNamespace) -> None:
    """None is a spectator: no hand, no legal moves, the same table as everybody."""
    state = table.run(table.deal(POLISH, HANDS), "30 - - - t4 4-4 4-1")
    spectator, player = forty_two.view(state, None), forty_two.view(state, 2)
    assert (spectator.hand, spectator.legal_moves) == (None, ())
    assert spectator.trick == player.trick
    with pytest.raises(ValueError, match="expected a seat"):
        forty_two.view(state, 4)
    with pytest.raises(FrozenInstanceError):
        player.seat = 0  # type: ignore[misc]


def test_a_view_in_the_middle_of_a_trick(table: SimpleNamespace) -> None:
    """Leader, tiles in order, winner and points of each trick; who bid what; whose turn; own tiles and moves."""
    state = table.run(table.deal(POLISH, HANDS), "30 - 31 - t3 3-3 0-0 1-1 6-3 3-2 6-1")
    seen = forty_two.view(state, 0)
    assert (seen.calls, seen.opener, seen.bidder, seen.bid, seen.trump) == (
        (Bid(0, 30), Pass(1), Bid(2, 31), Pass(3)), 0, 2, 31, 3,
    )  # fmt: skip
    (first,) = seen.tricks
    assert (first.leader, first.winner, first.points) == (2, 2, 1)
    assert first.plays == tuple(
        Play(seat, parse_tile(tile)) for seat, tile in [(2, "3-3"), (3, "0-0"), (0, "1-1"), (1, "6-3")]
    )
    assert seen.trick is not None
    assert (seen.trick.leader, seen.trick.winner, seen.trick.points, len(seen.trick.plays)) == (2, None, 6, 2)
    assert (seen.taken, seen.hand_sizes, seen.turn) == ((1, 0), (6, 6, 5, 5), 0)
    assert seen.hand == tuple(sorted(parse_tile(tile) for tile in ["1-0", "4-4", "6-4", "4-2", "6-6", "5-5"]))
    assert len(seen.legal_moves) == 6
    assert forty_two.view(state, 1).legal_moves == ()
    assert (seen.round_number, seen.shaker, seen.scores, seen.last_round) == (1, 3, (0, 0), None)


def test_a_view_of_an_auction_and_of_naming(table: SimpleNamespace) -> None:
    """The highest bid so far stands while others still call; no trump before it is named."""
    auction = forty_two.view(table.run(table.deal(RUSSIAN, HANDS), "30 33"), 2)
    assert (auction.bidder, auction.bid, auction.turn, auction.phase) == (1, 33, 2, "auction")
    naming = forty_two.view(table.run(table.deal(RUSSIAN, HANDS), "30 33 - -"), 1)
    assert (naming.trump, naming.tricks, naming.trick) == (None, (), None)
    assert NameTrump(1, 6) in naming.legal_moves


def test_the_last_round_is_shown_until_the_next_is_done(table: SimpleNamespace) -> None:
    """Between rounds and through the next one: bidder, bid, trump, tricks, points and what each side scored."""
    shown = None
    for state in table.random_states(POLISH, 4, 68):
        seen = forty_two.view(state, None)
        if seen.round_number == 1 and seen.phase == "shake":
            shown = seen.last_round
            assert shown is not None
            assert sum(trick.points for trick in shown.tricks) == 42
            bidders = sum(trick.points for trick in shown.tricks if (trick.winner or 0) % 2 == (shown.bidder or 0) % 2)
            assert (shown.points, shown.gained) == (bidders, seen.scores)
        if seen.round_number == 2 and seen.phase != "shake":
            assert seen.last_round == shown
    assert shown is not None


def test_after_the_end_the_view_still_answers(table: SimpleNamespace) -> None:
    """Scores, outcome and the last round stay; nobody holds tiles or has a move; an abandoned match likewise."""
    state = None
    for state in table.random_states(POLISH, 8, 5000):  # noqa: B007 - the last one is wanted
        pass
    assert state is not None
    seen = forty_two.view(state, 1)
    assert (seen.phase, seen.outcome, seen.hand, seen.legal_moves) == ("over", forty_two.outcome(state), (), ())
    assert seen.outcome is not None
    assert (seen.scores, seen.last_round is None) == (seen.outcome.scores, False)
    left = forty_two.view(forty_two.apply(table.run(table.deal(POLISH, HANDS), "30 -"), Abandon("left")), 0)
    assert (left.phase, left.hand, left.scores, left.round_number) == ("over", (), (0, 0), 1)


def test_a_view_is_no_state(table: SimpleNamespace) -> None:
    """A view can't be played or encoded by mistake: a type checker says so, and at run time it fails at once."""
    seen = forty_two.view(table.deal(POLISH, HANDS), 0)
    with pytest.raises((AssertionError, TypeError)):
        forty_two.apply(seen, Bid(0, 30))  # type: ignore[arg-type]
    with pytest.raises((AssertionError, TypeError)):
        forty_two.encode(seen)  # type: ignore[arg-type]
