"""A state from outside is believed only when nothing is wrong with it: each broken invariant is found and named."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from dominohall_engine import fives
from dominohall_engine.fives.layout import EMPTY, layout_from
from dominohall_engine.fives.state import LastRound, Lotting, Over, Playing, RoundEnd, Shaking, rules_of
from dominohall_engine.outcomes import Ending, Outcome
from dominohall_engine.tiles import mask_of, parse_tile

FINISHED = LastRound(RoundEnd.WENT_OUT, 0, 0, 5, 10, (0, mask_of(map(parse_tile, ("6-2", "1-0")))))


def playing(state: Playing, **changed: Any) -> Playing:
    """Copy a round in progress with some fields changed."""
    names = ("round", "scores", "turn", "hands", "layout", "events", "places")
    values = {name: getattr(state, name) for name in names} | changed
    values["round_"] = values.pop("round")
    return Playing(**values)


def fields(state: fives.State) -> list[str]:
    """Return which fields have problems."""
    return [problem.field for problem in fives.problems(state)]


@pytest.fixture(name="fair")
def fair_round(table: SimpleNamespace) -> Playing:
    """Give a round of two seats in progress that nothing is wrong with."""
    start = fives.new_match(table.TWO, first=0)
    order = table.order_of(table.TWO, {0: "6-4 6-6 1-1", 1: "4-3 3-1 0-0 5-3 2-2 2-1 2-0"}, "5-5")
    state: Playing = table.playing(table.run(fives.apply(start, fives.Shake(order)), "6-4 4-3 6-6"))
    assert fives.problems(state) == ()
    return state


Change = Callable[[Playing], Playing]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda fair: playing(fair, scores=(20, 0)), "scores"),
        (lambda fair: playing(fair, scores=(26, 0)), "scores"),
        (lambda fair: playing(fair, scores=(25, 5)), "scores"),
        (lambda fair: playing(fair, turn=0), "turn"),
        (lambda fair: playing(fair, hands=(fair.hands[1], fair.hands[0])), "hands"),
        (
            lambda fair: playing(
                fair, layout=layout_from(EMPTY[fives.SpinnerRule.SIDES_THEN_ENDS].kind, bytes((6, 4, 14, 14, 14)))
            ),
            "layout",
        ),
        (lambda fair: playing(fair, events=bytes((25, 12, 27))), "history"),
        (lambda fair: playing(fair, places=bytes((0, 1, 1))), "layout"),
        (lambda fair: playing(fair, events=bytes((25, 29, 27)), places=bytes((0, 1))), "history"),
        (lambda fair: playing(fair, events=bytes((25, 28, 13, 27))), "history"),
    ],
)
def test_a_round_in_progress_is_played_again(fair: Playing, change: Change, field: str) -> None:
    """Scores, turn, hands, layout, history: each is compared with what the moves of the round lead to."""
    assert field in fields(change(fair))


def test_plays_of_another_hand_are_found(fair: Playing, table: SimpleNamespace) -> None:
    """The same plays from a shake that dealt those tiles otherwise are refused by the rules themselves."""
    order = table.order_of(table.TWO, {0: "6-4 4-3 1-1", 1: "6-6 3-1 0-0 5-3 2-2 2-1 2-0"}, "5-5")
    other = fives.decode(fives.encode_public(fair) + order)
    found = fives.problems(other)
    assert [problem.field for problem in found] == ["history"]
    assert str(found[0]) == "history: expected a legal move at place 2, found TILE_NOT_HELD (LIN-06, D-05)"


def between(table: SimpleNamespace, scores: tuple[int, int] = (15, 0), **changed: Any) -> Shaking:
    """Return the shake after a round that seat 0 won, with some things changed."""
    values: dict[str, Any] = {"rules": rules_of(table.TWO), "shakes": 1, "leader": 0, "last_round": FINISHED} | changed
    return Shaking(values["rules"], values["shakes"], scores, values["leader"], values["last_round"])


def last(**changed: Any) -> LastRound:
    """Copy the finished round with some fields changed."""
    names = ("end", "leader", "seat", "scored", "bonus", "hands")
    return LastRound(**({name: getattr(FINISHED, name) for name in names} | changed))


def test_a_fair_state_between_rounds_is_believed(table: SimpleNamespace) -> None:
    """The one that the cases below change has no problem."""
    assert fives.problems(between(table)) == ()


HAND = mask_of(map(parse_tile, ("6-2", "1-0")))


@pytest.mark.parametrize(
    ("scores", "changed", "field"),
    [
        ((14, 0), {}, "scores"),
        ((10, 0), {}, "scores"),
        ((15, 250), {}, "scores"),
        ((255, 0), {}, "scores"),
        ((15, 3000), {}, "scores"),
        ((15, 0), {"shakes": 0}, "last_round"),
        ((15, 0), {"leader": 1}, "leader"),
        ((15, 0), {"last_round": None}, "last_round"),
        ((15, 0), {"last_round": last(seat=1)}, "last_round"),
        ((15, 0), {"last_round": last(bonus=15)}, "last_round"),
        ((15, 0), {"last_round": last(scored=3)}, "last_round"),
        ((60, 0), {"last_round": last(scored=40)}, "last_round"),
        ((15, 0), {"last_round": last(hands=(0, 0))}, "last_round"),
        ((15, 0), {"last_round": last(hands=(HAND, HAND))}, "last_round"),
        ((15, 0), {"last_round": last(hands=(0, (1 << 22) - 1))}, "last_round"),
        ((15, 0), {"last_round": LastRound(RoundEnd.STOPPED, 0, 0, 10, 0, None)}, "last_round"),
        ((15, 0), {"last_round": last(end=RoundEnd.BLOCKED)}, "last_round"),
        ((0, 0), {"last_round": LastRound(RoundEnd.BLOCKED, 0, None, 0, 0, ((1 << 14) - 1, 127 << 14))}, "last_round"),
    ],
)
def test_what_stands_between_rounds_is_derived(
    table: SimpleNamespace, scores: tuple[int, int], changed: dict[str, Any], field: str
) -> None:
    """Scores, leader and the result of the last round must follow from each other."""
    assert field in fields(between(table, scores, **changed))


def test_a_lot_or_a_shake_is_due_by_the_last_round(table: SimpleNamespace) -> None:
    """After a won round a lot is wrong, after a tied block a shake by anybody is right only after the lot."""
    assert "phase" in fields(Lotting(rules_of(table.TWO), 1, (15, 0), FINISHED))
    tied = LastRound(RoundEnd.BLOCKED, 0, None, 0, 0, (mask_of([parse_tile("5-5")]), mask_of([parse_tile("6-4")])))
    assert fields(Lotting(rules_of(table.TWO), 1, (0, 0), tied)) == []
    assert fields(between(table, (0, 0), last_round=tied, leader=1)) == []


def over(table: SimpleNamespace, outcome: Outcome, **changed: Any) -> Over:
    """Return a match that is over, with some things changed."""
    values: dict[str, Any] = {"options": table.TWO, "shakes": 9, "leader": 0, "last_round": FINISHED} | changed
    return Over(rules_of(values["options"]), values["shakes"], values["leader"], outcome, values["last_round"])


STOPPED = LastRound(RoundEnd.STOPPED, 1, 0, 10, 0, None)


def test_a_fair_end_is_believed(table: SimpleNamespace) -> None:
    """By a counted round, by a tile that reached the target, by the limit of rounds, by the host."""
    assert fields(over(table, Outcome(0, Ending.TARGET, (255, 40)))) == []
    assert fields(over(table, Outcome(0, Ending.TARGET, (250, 40)), last_round=STOPPED)) == []
    limited = replace(table.TWO, round_limit=9)
    assert fields(over(table, Outcome(None, Ending.ROUND_LIMIT, (40, 40)), options=limited)) == []
    assert fields(over(table, Outcome(None, Ending.ABANDONED, (40, 40)), leader=None)) == []


@pytest.mark.parametrize(
    ("outcome", "changed", "field"),
    [
        (Outcome(1, Ending.TARGET, (255, 40)), {}, "outcome"),
        (Outcome(None, Ending.TARGET, (255, 40)), {}, "outcome"),
        (Outcome(0, Ending.TARGET, (245, 40)), {}, "outcome"),
        (Outcome(0, Ending.ROUND_LIMIT, (245, 40)), {}, "outcome"),
        (Outcome(0, Ending.TARGET, (255, 40)), {"leader": 1}, "leader"),
        (Outcome(0, Ending.TARGET, (255, 40)), {"last_round": None}, "last_round"),
        (Outcome(0, Ending.TARGET, (270, 40)), {"last_round": STOPPED}, "scores"),
        (Outcome(0, Ending.TARGET, (275, 40)), {}, "scores"),
        (Outcome(1, Ending.TARGET, (15, 260)), {}, "scores"),  # seat 1 had won before the round that seat 0 won
        (Outcome(0, Ending.ABANDONED, (40, 40)), {"leader": None}, "outcome"),
        (Outcome(None, Ending.ABANDONED, (40, 40)), {}, "outcome"),
        (Outcome(None, Ending.ABANDONED, (250, 40)), {"leader": None}, "scores"),
        (Outcome(None, Ending.ABANDONED, (40, 40)), {"leader": None, "last_round": None}, "last_round"),
        (Outcome(None, Ending.ABANDONED, (40, 40)), {"leader": None, "last_round": STOPPED}, "last_round"),
    ],
)
def test_an_end_must_follow(table: SimpleNamespace, outcome: Outcome, changed: dict[str, Any], field: str) -> None:
    """Winner, ending, scores and last round must agree."""
    assert field in fields(over(table, outcome, **changed))


def test_rounds_beyond_the_limit_are_found(table: SimpleNamespace) -> None:
    """A match of nine rounds has no tenth."""
    limited = replace(table.TWO, round_limit=9)
    assert "shakes" in fields(over(table, Outcome(0, Ending.TARGET, (255, 40)), options=limited, shakes=10))
    assert "phase" in fields(between(table, (15, 0), rules=rules_of(limited), shakes=9))
