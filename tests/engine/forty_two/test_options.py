"""Options: what is refused, what presets hold, and what each option changes at its point of difference."""

from dataclasses import FrozenInstanceError, replace
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest
from dominohall_engine import forty_two
from dominohall_engine.errors import InvalidOptions
from dominohall_engine.forty_two import (
    POLISH,
    PRESETS,
    RUSSIAN,
    AllPass,
    BothReach,
    FirstLead,
    MadeScore,
    NameTrump,
    Opener,
    Options,
    Shake,
    Tie,
)
from dominohall_engine.options import options_from_plain, options_to_plain
from dominohall_engine.outcomes import Ending
from dominohall_engine.violations import Reason

CLOCKED = {0: "1-0 4-4 6-4 4-2 6-6 5-5 1-1"}


def all_options() -> list[Options]:
    """Return every valid combination of the closed options, with target 250 and no round limit."""
    found = []
    for values in product(Opener, AllPass, (False, True), FirstLead, MadeScore, (False, True), BothReach, Tie):
        opener, all_pass, doubles, lead, made, keep, both, tie = values
        try:
            found.append(
                Options(
                    revision=1,
                    opener=opener,
                    all_pass=all_pass,
                    doubles_trump=doubles,
                    first_lead=lead,
                    made_score=made,
                    defenders_keep_on_made=keep,
                    both_reach=both,
                    tie=tie,
                    target=250,
                    round_limit=None,
                )
            )
        except InvalidOptions:
            assert (opener, all_pass) == (Opener.HOLDER_OF_1_0, AllPass.REDEAL_SAME) or (
                both is BothReach.BIDDER and tie is not Tie.BIDDER
            )
    return found


def test_presets_are_the_two_texts() -> None:
    """Section 4 of the dossier, point by point (X-01, X-02, X-05, X-06, X-11)."""
    assert dict(PRESETS) == {"polish": POLISH, "russian": RUSSIAN}
    different = {
        name: (value, options_to_plain(RUSSIAN)[name])
        for name, value in options_to_plain(POLISH).items()
        if value != options_to_plain(RUSSIAN)[name]
    }
    assert different == {
        "opener": ("left_of_shaker", "holder_of_1_0"),
        "doubles_trump": (False, True),
        "first_lead": ("free", "trump"),
        "made_score": ("points", "points_plus_bid"),
        "defenders_keep_on_made": (True, False),
    }
    with pytest.raises(TypeError):
        PRESETS["polish"] = RUSSIAN  # type: ignore[index]
    with pytest.raises(FrozenInstanceError):
        POLISH.target = 100  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("target", 49), ("target", 1001), ("target", "250"), ("target", True), ("target", None),
        ("round_limit", 0), ("round_limit", 1001), ("round_limit", True),
        ("revision", 0), ("revision", 2), ("opener", "dealer"), ("opener", "left_of_shaker"), ("tie", None),
        ("doubles_trump", 1), ("defenders_keep_on_made", None),
    ],
)  # fmt: skip
def test_a_value_out_of_range_is_refused_by_name(name: str, value: Any) -> None:
    """The error names the option; text where an enum belongs is refused too."""
    with pytest.raises(InvalidOptions, match=f"^{name}: expected"):
        replace(POLISH, **{name: value})


def test_options_that_clash_are_refused() -> None:
    """No shaker to keep where nobody shakes; no tie to decide where the bidder wins anyway."""
    with pytest.raises(InvalidOptions, match="all_pass: expected redeal_next"):
        replace(RUSSIAN, all_pass=AllPass.REDEAL_SAME)
    with pytest.raises(InvalidOptions, match="tie: expected bidder"):
        replace(POLISH, both_reach=BothReach.BIDDER, tie=Tie.DRAW)


@pytest.mark.parametrize("target", [50, 1000])
def test_targets_and_limits_at_their_ends_are_taken(target: int) -> None:
    """50 and 1000 points, 1 and 1000 rounds."""
    assert replace(POLISH, target=target, round_limit=1).target == target
    assert replace(RUSSIAN, target=target, round_limit=1000).round_limit == 1000


def test_every_combination_is_written_out_and_read_back() -> None:
    """As plain values for the log, and inside an encoded state."""
    every = all_options()
    assert len(every) == 448
    for options in every:
        assert options_from_plain(Options, options_to_plain(options)) == options
        state = forty_two.new_match(options)
        assert forty_two.options_of(forty_two.decode(forty_two.encode(state))) == options
    assert len({forty_two.encode(forty_two.new_match(options)) for options in every}) == len(every)


def test_all_pass_redeal_same_keeps_the_shaker(table: SimpleNamespace) -> None:
    """A-PL-10: seat 1 shakes again; after a played round the shake still moves on."""
    same = replace(POLISH, all_pass=AllPass.REDEAL_SAME)
    assert forty_two.view(table.run(table.deal(same, {}, 1), "- - - -"), None).shaker == 1
    assert forty_two.view(table.scored(same, 30, 35, bidder=2), None).shaker == 2


@pytest.mark.parametrize(("all_pass", "lowest"), [(AllPass.FORCED_30, 30), (AllPass.FORCED_31, 31)])
@pytest.mark.parametrize("preset", [POLISH, RUSSIAN], ids=["polish", "russian"])
def test_all_pass_forced_makes_the_last_seat_bid(
    table: SimpleNamespace, preset: Options, all_pass: AllPass, lowest: int
) -> None:
    """After three passes only bids are legal, from 30 or 31; an earlier bid frees the last seat."""
    clause = "A-PL-10" if preset is POLISH else "A-RU-05"
    auction = table.deal(replace(preset, all_pass=all_pass), {0: "1-0"})
    last = table.run(auction, "- - -")
    assert forty_two.legal_moves(last) == tuple(forty_two.Bid(3, points) for points in range(lowest, 43))
    assert table.refusal(last, "-") == (Reason.MUST_BID, (clause,), {"seat": 3, "lowest": lowest})
    if lowest == 31:
        assert table.refusal(last, "30") == (Reason.BID_TOO_LOW, (clause,), {"seat": 3, "points": 30, "lowest": 31})
    assert table.refusal(last, "29").reason == Reason.BID_TOO_LOW
    freed = table.run(auction, "- 30 -")
    assert forty_two.legal_moves(freed)[0] == forty_two.Pass(3)
    assert forty_two.phase(table.run(last, str(lowest))) == "naming"


def test_doubles_trump_in_the_polish_game(table: SimpleNamespace) -> None:
    """A-PL-13: the option adds an eighth trump; without it doubles can't be named."""
    naming = table.run(table.deal(replace(POLISH, doubles_trump=True), CLOCKED), "30 - - -")
    assert NameTrump(0, 7) in forty_two.legal_moves(naming)
    naming = table.run(table.deal(replace(RUSSIAN, doubles_trump=False), CLOCKED), "30 - - -")
    assert table.refusal(naming, "td").reason == Reason.NO_SUCH_TRUMP


def test_first_lead_trump_in_the_polish_game(table: SimpleNamespace) -> None:
    """A-PL-14: then only a trump in hand may be named and led; later leads are free."""
    naming = table.run(table.deal(replace(POLISH, first_lead=FirstLead.TRUMP), CLOCKED), "30 - - -")
    assert table.refusal(naming, "t3") == (Reason.TRUMP_NOT_IN_HAND, ("D-03", "A-PL-14"), {"seat": 0, "trump": "3"})
    leading = table.run(naming, "t4")
    assert table.refusal(leading, "6-6").clauses == ("A-PL-14", "D-03")
    first = table.run(leading, "4-4")
    while forty_two.turn(first) != 0:
        first = forty_two.apply(first, forty_two.legal_moves(first)[0])
    assert len(forty_two.legal_moves(first)) == 6


def test_first_lead_free_in_the_russian_game(table: SimpleNamespace) -> None:
    """A-RU-10: then a trump not held may be named, and anything led."""
    naming = table.run(table.deal(replace(RUSSIAN, first_lead=FirstLead.FREE), CLOCKED), "30 - - -")
    assert len(forty_two.legal_moves(table.run(naming, "t3"))) == 7


@pytest.mark.parametrize(
    ("made", "keep", "gained"),
    [
        (MadeScore.POINTS, True, (35, 7)),
        (MadeScore.POINTS, False, (35, 0)),
        (MadeScore.POINTS_PLUS_BID, True, (65, 7)),
        (MadeScore.POINTS_PLUS_BID, False, (65, 0)),
    ],
)
def test_made_score_and_what_the_defenders_keep(
    table: SimpleNamespace, made: MadeScore, keep: bool, gained: tuple[int, int]
) -> None:
    """Bid 30, taken 35, under the four ways to score it; a set bid is the same under all."""
    options = replace(POLISH, made_score=made, defenders_keep_on_made=keep)
    assert forty_two.view(table.scored(options, 30, 35), None).scores == gained
    assert forty_two.view(table.scored(options, 37, 35), None).scores == (0, 44)


def test_both_reach_bidder(table: SimpleNamespace) -> None:
    """A-PL-18: 230/249 goes to the side that bid, though 260 is less than 261; one side alone is no question."""
    options = replace(POLISH, both_reach=BothReach.BIDDER)
    assert forty_two.outcome(table.scored(options, 30, 30, scores=(230, 249))) == (0, Ending.TARGET, (260, 261))
    assert forty_two.outcome(table.scored(options, 30, 29, scores=(230, 249))) == (1, Ending.TARGET, (230, 292))


def test_tie_draw(table: SimpleNamespace) -> None:
    """A-PL-17: 260/260 is a draw; 260/261 is still won."""
    options = replace(POLISH, tie=Tie.DRAW)
    drawn = table.scored(options, 30, 30, scores=(230, 248))
    assert forty_two.outcome(drawn) == (None, Ending.DRAW, (260, 260))
    late = forty_two.violation(drawn, Shake(bytes(range(28))))
    assert late == (Reason.MATCH_OVER, ("A-PL-17",), {"ending": "draw"})
    assert table.ended(table.scored(options, 30, 30, scores=(230, 249))).winner == 1


def test_tie_another_round(table: SimpleNamespace) -> None:
    """A-PL-17: 260/260 plays on; all pass changes nothing; the next unequal score ends it, whatever the bid."""
    options = replace(POLISH, tie=Tie.ANOTHER_ROUND)
    tied = table.scored(options, 30, 30, scores=(230, 248))
    assert (forty_two.outcome(tied), forty_two.view(tied, None).scores) == (None, (260, 260))
    assert "scores" not in {problem.field for problem in forty_two.problems(tied)}
    still = table.run(forty_two.apply(tied, Shake(bytes(range(28)))), "- - - -")
    assert (forty_two.outcome(still), forty_two.problems(still)) == (None, ())
    assert forty_two.view(still, None).scores == (260, 260)
    assert forty_two.outcome(table.scored(options, 30, 30, scores=(260, 260))) == (0, Ending.TARGET, (290, 272))
    assert forty_two.outcome(table.scored(replace(options, round_limit=10), 30, 30, scores=(230, 248))) == (
        None, Ending.ROUND_LIMIT, (260, 260),
    )  # fmt: skip


@pytest.mark.parametrize("target", [50, 100, 500, 1000])
def test_target(table: SimpleNamespace, target: int) -> None:
    """The match ends at its own target and not one point below."""
    options = replace(POLISH, target=target)
    assert forty_two.outcome(table.scored(options, 30, 30, scores=(target - 30, 0))) is not None
    assert forty_two.outcome(table.scored(options, 30, 30, scores=(target - 31, 0))) is None
