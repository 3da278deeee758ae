"""Refusals: their order, their facts, and that none says more than the seat may know."""

from types import SimpleNamespace

import pytest
from dominohall_engine import forty_two
from dominohall_engine.errors import IllegalMove
from dominohall_engine.forty_two import POLISH, RUSSIAN, Abandon, Bid, Lot, NameTrump, Pass, Play, Shake, authority
from dominohall_engine.tiles import parse_tile
from dominohall_engine.violations import Reason

HANDS = {0: "1-0 4-4 6-4 4-2 6-6 5-5 1-1", 1: "6-5 6-3 2-0 3-0 3-1 3-2 5-1"}

FACTS = {
    Reason.MATCH_OVER: {"ending"},
    Reason.NOT_THIS_MOVE_NOW: {"phase", "move"},
    Reason.NOT_YOUR_TURN: {"seat", "turn"},
    Reason.NO_SUCH_SEAT: {"seat"},
    Reason.NOT_ALL_TILES: {"tiles", "different"},
    Reason.BAD_LOT: {"seat"},
    Reason.BAD_ABANDON_REASON: {"length"},
    Reason.TILE_NOT_HELD: {"seat", "tile"},
    Reason.BID_TOO_LOW: {"seat", "points", "lowest"},
    Reason.BID_TOO_HIGH: {"seat", "points", "highest"},
    Reason.BID_NOT_ABOVE_LAST: {"seat", "points", "last"},
    Reason.MUST_BID: {"seat", "lowest"},
    Reason.NO_SUCH_TRUMP: {"seat", "trump"},
    Reason.TRUMP_NOT_IN_HAND: {"seat", "trump"},
    Reason.FIRST_LEAD_MUST_BE_TRUMP: {"seat", "tile", "trump", "could_play"},
    Reason.MUST_FOLLOW_SUIT: {"seat", "tile", "led_tile", "led_suit", "trump", "could_play"},
}
"""Every reason of this game with the names of its facts: messages in three languages are written for these."""


def attempts(options: forty_two.Options) -> list[forty_two.Move]:
    """Return moves of every kind, sensible and not."""
    return [
        *forty_two.seat_moves(options), Lot(0), Lot(4), Shake(bytes(28)), Shake(bytes(range(28))), Abandon(""),
        Bid(0, 29), Bid(1, 43), Bid(4, 30), Pass(-1), NameTrump(0, 8), NameTrump(1, -1), Play(0, 28), Play(1, -1),
    ]  # fmt: skip


@pytest.mark.parametrize("options", [POLISH, RUSSIAN], ids=["polish", "russian"])
def test_every_refusal_has_its_facts_and_clauses(options: forty_two.Options, table: SimpleNamespace) -> None:
    """Over a random match and moves of every kind: the facts named above, no others; clauses of this text or a D-."""
    text = "PL" if options is POLISH else "RU"
    for number, state in enumerate(table.random_states(options, 9, 800)):
        if number > 60 and forty_two.outcome(state) is None:
            continue
        for move in attempts(options):
            broken = forty_two.violation(state, move)
            if broken is not None:
                assert set(broken.facts) == FACTS[broken.reason]
                assert broken.clauses
                assert {clause.split("-")[-2] for clause in broken.clauses} <= {text, "D"}


def test_the_order_of_the_checks(table: SimpleNamespace) -> None:
    """Over, then phase, then seat, then turn, then the move: a move wrong in every way is told the first."""
    auction = table.deal(POLISH, HANDS)
    leading = table.run(auction, "30 - - - t4 6-6")
    over = forty_two.apply(auction, Abandon("done"))
    wrong: list[tuple[forty_two.State, forty_two.Move, Reason]] = [
        (over, Bid(9, 99), Reason.MATCH_OVER),
        (leading, Bid(9, 99), Reason.NOT_THIS_MOVE_NOW),
        (auction, Bid(9, 99), Reason.NO_SUCH_SEAT),
        (auction, Bid(2, 99), Reason.NOT_YOUR_TURN),
        (auction, Bid(0, 99), Reason.BID_TOO_HIGH),
        (leading, Play(9, 99), Reason.NO_SUCH_SEAT),
        (leading, Play(0, 99), Reason.NOT_YOUR_TURN),
        (leading, Play(1, 99), Reason.TILE_NOT_HELD),
        (leading, Play(1, parse_tile("2-0")), Reason.MUST_FOLLOW_SUIT),
    ]
    for state, move, reason in wrong:
        broken = forty_two.violation(state, move)
        assert broken is not None
        assert broken.reason == reason


def test_apply_raises_what_violation_says(table: SimpleNamespace) -> None:
    """`IllegalMove` carries the violation, and its text names reason and clauses."""
    state = table.run(table.deal(POLISH, HANDS), "30 - - - t4 6-6")
    move = Play(1, parse_tile("2-0"))
    with pytest.raises(IllegalMove, match=r"MUST_FOLLOW_SUIT \(F42-PL-20, F42-PL-21\)") as raised:
        forty_two.apply(state, move)
    assert raised.value.violation == forty_two.violation(state, move)


def test_a_tile_of_another_seat_is_refused_like_one_already_played(table: SimpleNamespace) -> None:
    """The refusal does not say who holds it: the same words for a tile gone and a tile in another hand."""
    state = table.run(table.deal(POLISH, HANDS), "30 - - - t4 6-6")
    gone = forty_two.violation(state, Play(1, parse_tile("6-6")))
    elsewhere = forty_two.violation(state, Play(1, parse_tile("4-4")))
    assert gone is not None
    assert elsewhere is not None
    assert gone._replace(facts={}) == elsewhere._replace(facts={})


def test_every_topic_has_clauses_under_both_texts() -> None:
    """The deciding clause stands first, and each id is a clause, a reading or a decision."""
    topics = [value for name, value in vars(authority).items() if name.isupper()]
    assert len(topics) > 25
    for polish, russian in topics:
        for clause in polish:
            assert clause.startswith(("F42-PL-", "A-PL-", "D-"))
        for clause in russian:
            assert clause.startswith(("F42-RU-", "A-RU-", "D-"))
