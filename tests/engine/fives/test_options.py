"""The options of Fives: what they accept, and that every one changes something (its point of difference)."""

from dataclasses import fields, replace
from types import SimpleNamespace
from typing import Any

import pytest
from dominohall_engine import fives
from dominohall_engine.errors import InvalidOptions
from dominohall_engine.fives import LINEAR, PRESETS, BlockLead, BlockScore, DrawRule, SpinnerRule, TieLead, TieRule
from dominohall_engine.options import options_from_plain, options_to_plain


def test_linear_is_the_text() -> None:
    """The preset has the decided reading of every clause."""
    assert options_to_plain(LINEAR) == {
        "revision": 1,
        "seats": 4,
        "partners": True,
        "hand_size": 7,
        "draw": "until_playable",
        "reserve": 0,
        "spinner": "sides_then_ends",
        "block_score": "sum",
        "tie": "nobody",
        "tie_lead": "redraw",
        "block_lead": "winner",
        "finish_hand": False,
        "opening_scores": True,
        "target": 250,
        "round_limit": None,
    }
    assert PRESETS == {"linear": LINEAR}


@pytest.mark.parametrize(
    "change",
    [
        {"revision": 0},
        {"revision": 2},
        {"seats": 1},
        {"seats": 5},
        {"seats": True},
        {"seats": 3},
        {"partners": 1},
        {"hand_size": 0},
        {"hand_size": 8},
        {"hand_size": 15, "seats": 2, "partners": False},
        {"hand_size": 10, "seats": 3, "partners": False},
        {"draw": "often"},
        {"reserve": 3},
        {"reserve": -1},
        {"reserve": 1, "draw": DrawRule.NONE},
        {"spinner": "all_doubles"},
        {"block_score": None},
        {"target": 49},
        {"target": 1001},
        {"target": 250.0},
        {"round_limit": 0},
        {"round_limit": 1001},
        {"finish_hand": None},
    ],
    ids=str,
)
def test_options_out_of_range_or_clashing_are_refused(change: dict[str, Any]) -> None:
    """Nothing outside the stated ranges makes an `Options`, nor two values that clash."""
    with pytest.raises(InvalidOptions):
        replace(LINEAR, **change)


@pytest.mark.parametrize(
    "change",
    [
        {"seats": 2, "partners": False, "hand_size": 14},
        {"seats": 3, "partners": False, "hand_size": 9},
        {"hand_size": 1},
        {"reserve": 2},
        {"draw": DrawRule.NONE},
        {"target": 50},
        {"target": 1000},
        {"round_limit": 1},
        {"round_limit": 1000},
    ],
    ids=str,
)
def test_options_at_their_bounds_are_accepted_and_survive_the_log(change: dict[str, Any]) -> None:
    """The ends of every range are inside, and the plain form gives the same options back."""
    options = replace(LINEAR, **change)
    assert options_from_plain(fives.Options, options_to_plain(options)) == options
    state = fives.new_match(options, first=0)
    assert fives.options_of(fives.decode(fives.encode(state))) == options


HANDS = {0: "6-0 5-5", 1: "3-2 4-1"}
TWO_LEFT = {
    0: "6-6 6-5 6-4 6-3 6-2 6-1 6-0 5-5 5-4 5-3 5-2 5-1 5-0",
    1: "4-4 4-3 4-2 4-1 4-0 3-3 3-2 3-1 3-0 2-2 2-1 2-0 1-1",
}
BLOCK: dict[str, Any] = {"draw": DrawRule.NONE}
DIFFERENCES: dict[str, tuple[dict[str, Any], Any, dict[int, str], str, dict[str, Any]]] = {
    "draw": ({}, DrawRule.ONE, {0: "6-4 6-5", 1: "3-2 1-0"}, "6-4 draw", {}),
    "reserve": ({}, 2, TWO_LEFT, "6-6", {}),
    "spinner": ({}, SpinnerRule.NONE, {0: "3-3 3-2", 1: "3-1 3-0"}, "3-3 3-1", {}),
    "block_score": (BLOCK, BlockScore.DIFFERENCE, {0: "6-0 5-2", 1: "4-4 3-1"}, "6-0 knock knock", {}),
    "tie": (BLOCK, TieRule.LIGHTEST_TILE, HANDS, "6-0 knock knock", {}),
    "tie_lead": (BLOCK, TieLead.NEXT_SEAT, HANDS, "6-0 knock knock", {}),
    "block_lead": (BLOCK, BlockLead.LOT, {0: "6-0 5-2", 1: "4-4 3-1"}, "6-0 knock knock", {}),
    "finish_hand": ({}, True, {0: "6-4 1-0", 1: "6-1 5-5"}, "6-4", {"scores": (245, 0)}),
    "opening_scores": ({}, False, {0: "6-4 1-0", 1: "6-1 5-5"}, "6-4", {}),
    "target": ({}, 500, {0: "6-4 1-0", 1: "6-1 5-5"}, "6-4", {"scores": (245, 0)}),
    "round_limit": ({}, 1, {0: "6-3", 1: "6-1"}, "6-3", {}),
}
"""For each option: what stands beside it, another value of it, and a round in which that matters."""


@pytest.mark.parametrize("name", DIFFERENCES)
def test_every_option_makes_a_difference(table: SimpleNamespace, name: str) -> None:
    """The same round, the same moves, one option changed: what may follow, or what it came to, is not the same."""
    beside, other, hands, moves, standing = DIFFERENCES[name]
    results = []
    for value in (getattr(LINEAR, name), other):
        options = replace(table.TWO, **{**beside, name: value})
        state = table.run(table.deal(options, hands, **standing), moves)
        view = fives.view(state, None)
        results.append((fives.legal_moves(state), fives.phase(state), view.scores, view.leader, view.outcome))
    assert results[0] != results[1]


def test_no_option_without_a_point_of_difference() -> None:
    """Every field but the revision and the seating is in the table above."""
    names = {field.name for field in fields(LINEAR)}
    assert names - set(DIFFERENCES) == {"revision", "seats", "partners", "hand_size"}
