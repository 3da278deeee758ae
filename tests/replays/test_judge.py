"""Two texts, one hand: auction, play and scoring judged apart, each with its first difference and going on past it."""

import json
from dataclasses import replace
from typing import Any

import pytest
from dominohall_engine import fives, forty_two
from dominohall_engine.clauses import clause
from dominohall_engine.forty_two.scoring import gained_by_side
from dominohall_engine.options import options_to_plain
from dominohall_engine.tiles import parse_tile
from dominohall_replays.judge import NotComparable, judge, judge_by
from dominohall_replays.judge_values import judgement_to_plain

TWO = replace(fives.LINEAR, seats=2, partners=False)
SOFT_RUSSIAN = replace(forty_two.POLISH, doubles_trump=True)
"""Polish rules under which the bidder may name doubles: some of its rounds the Polish text would not have."""


def changed(options: Any, preset: Any) -> list[tuple[str, str]]:
    """Write the options that differ from a preset, as a person names them."""
    own, base = options_to_plain(options), options_to_plain(preset)
    return [
        (name, "none" if own[name] is None else str(own[name]).lower())
        for name in own
        if own[name] != base[name] and name not in {"seats", "partners", "hand_size", "revision"}
    ]


@pytest.mark.parametrize(
    ("rules", "options"),
    [
        ("forty_two.polish", forty_two.POLISH),
        ("forty_two.russian", forty_two.RUSSIAN),
        ("forty_two.polish", replace(SOFT_RUSSIAN, all_pass=forty_two.AllPass.FORCED_31)),
        ("fives.linear", fives.LINEAR),
        ("fives.linear", replace(TWO, draw=fives.DrawRule.ONE, reserve=2, opening_scores=False)),
    ],
)
def test_a_log_and_its_own_rules_agree(record: Any, rules: str, options: Any) -> None:
    """Judged by the rules that it was played by, a log has no difference, and the same points and end."""
    game, _, preset = rules.partition(".")
    table = replace(options, round_limit=3)
    log = record(game, table, seed=6)
    base = {"polish": forty_two.POLISH, "russian": forty_two.RUSSIAN, "linear": fives.LINEAR}[preset]
    found = judge(log.revealed, rules, changed(table, base))
    assert [stage.differences for stage in (found.auction, found.play, found.scoring)] == [(), (), ()]
    assert found.scores_here == found.scores_there
    assert found.difference == (0,) * len(found.sides)
    assert found.ended_here == found.ended_there


def test_rounds_are_scored_by_the_other_text(record: Any) -> None:
    """Every round of a Polish log scores under the Russian text what its formula gives; the totals are their sum."""
    log = record("forty_two", replace(forty_two.POLISH, round_limit=8), seed=3)
    found = judge(log.log, "forty_two.russian")
    last_rounds = {}
    for state in log.states:
        seen = forty_two.view(state, None)
        if seen.last_round is not None and log.game.order(state) is None:
            last_rounds[seen.round_number] = seen.last_round
    assert len(found.rounds) == len(last_rounds)
    for each in found.rounds:
        result = last_rounds[each.round]
        assert each.here == result.gained
        if result.bid is None or result.bidder is None:
            assert each.there == (0, 0)
            continue
        side = result.bidder % 2
        wanted = gained_by_side(forty_two.RUSSIAN, side, result.bid, result.points, 42 - result.points)
        assert each.there == wanted
    for side in (0, 1):
        assert found.scores_here[side] == sum(each.here[side] for each in found.rounds)
        assert found.scores_there[side] == sum(each.there[side] for each in found.rounds if each.there is not None)
        assert found.difference[side] == found.scores_there[side] - found.scores_here[side]


def test_a_made_bid_is_the_first_difference_in_scoring(record: Any) -> None:
    """Where a bid was made, the page has the sentence and the clauses of both texts, and both scores."""
    log = record("forty_two", replace(forty_two.POLISH, round_limit=40, target=1000), seed=3)
    scoring = judge(log.log, "forty_two.russian").scoring.differences
    made = next(each for each in scoring if each.sequence is None)
    assert "F42-PL-26" in made.here.clauses
    assert {"F42-RU-20", "A-RU-16"} <= set(made.there.clauses)
    assert made.points_here != made.points_there
    assert "made_score = points_plus_bid" in made.there.text
    assert len(scoring) > 1


def test_a_free_first_lead_is_a_difference_in_play_alone(tools: Any) -> None:
    """A Polish bidder leads no trump: forbidden by the Russian text, at that record, and the round goes on."""
    names = "6-6 6-5 6-4 6-3 1-1 1-0 0-0 5-5 5-4 5-3 5-2 2-2 2-1 2-0 4-4 4-3 4-2 4-1 4-0 3-0 6-0"
    tiles = [parse_tile(name) for name in names.split()]
    match = tools.start("forty_two", replace(forty_two.POLISH, round_limit=1), first=3)
    tools.add(match, forty_two.Shake(bytes(tiles + [tile for tile in range(28) if tile not in tiles])))
    calls = [forty_two.Bid(0, 30), forty_two.Pass(1), forty_two.Pass(2), forty_two.Pass(3), forty_two.NameTrump(0, 6)]
    for move in [*calls, forty_two.Play(0, parse_tile("1-1"))]:
        tools.add(match, move)
    tools.go_on(match, seed=1)
    found = judge(match.log, "forty_two.russian")
    assert found.auction.differences == ()
    (only,) = found.play.differences
    assert (only.sequence, only.seat) == (7, 0)
    assert only.here.text.startswith("Allowed.")
    assert "A-PL-14" in only.here.clauses
    assert only.there.clauses[0] == "A-RU-10"
    assert "first_lead = trump" in only.there.text
    assert len(found.rounds) == 1


def test_doubles_as_trump_are_a_difference_in_the_auction(record: Any) -> None:
    """A Russian bidder named doubles: the Polish text does not have them, and both sides are cited."""
    for seed in range(40):
        log = record("forty_two", replace(forty_two.RUSSIAN, round_limit=2), seed=seed)
        named = [
            at for at, move in enumerate(log.moves, 1) if move == forty_two.NameTrump(getattr(move, "seat", -1), 7)
        ]
        if named:
            break
    found = judge(log.log, "forty_two.polish", language="pl")
    assert [each.sequence for each in found.auction.differences] == named
    first = found.auction.differences[0]
    assert first.there.clauses == ("F42-PL-08", "A-PL-13")
    assert first.here.clauses == ("F42-RU-10", "A-RU-07")
    assert {each.id for each in found.clauses} >= {*first.here.clauses, *first.there.clauses}
    assert next(each for each in found.clauses if each.id == "A-PL-13").text == clause("A-PL-13", "pl").text


def test_who_opens_is_noted_and_no_difference(record: Any) -> None:
    """Another opener in nearly every round is said once, beside the stages, and never makes a difference."""
    log = record("forty_two", replace(forty_two.POLISH, round_limit=8), seed=3)
    found = judge(log.log, "forty_two.russian")
    assert found.auction.differences == ()
    assert found.notes[0].clauses == ("X-01", "X-12")
    assert "rounds another seat would have opened" in found.notes[0].text
    assert "has to wait" not in json.dumps(judgement_to_plain(found))


def test_the_match_may_end_elsewhere(record: Any) -> None:
    """With bids added a match ends earlier: the round is named, once, and judging goes on to the last round."""
    log = record("forty_two", replace(forty_two.POLISH, target=300), seed=2)
    found = judge(log.log, "forty_two.russian", [("target", "100")])
    ends = [each for each in found.scoring.differences if each.sequence is not None]
    assert len(ends) == 1
    assert "It goes on." in ends[0].here.text
    assert "It is over." in ends[0].there.text
    assert f"round {ends[0].round}" in found.ended_there.text
    assert found.rounds[-1].round > ends[0].round
    later = judge(log.log, "forty_two.polish", [("target", "1000")])
    assert "not over" in later.ended_there.text


def test_points_of_fives_differ_play_by_play(record: Any) -> None:
    """Without points for the opening tile, just the openings that scored differ; a block by difference differs too."""
    log = record("fives", replace(TWO, round_limit=6), seed=8)
    found = judge(log.log, "fives.linear", [("opening_scores", "false"), ("round_limit", "6")])
    openings = [
        at
        for at, (before, move) in enumerate(zip(log.states, log.moves, strict=False), 1)
        if isinstance(move, fives.Play)
        and not fives.view(before, None).history
        and sum(fives.view(log.states[at], None).scores) > sum(fives.view(before, None).scores)
    ]
    assert openings
    differing = [each.sequence for each in found.scoring.differences if each.seat is not None]
    assert differing == openings
    assert found.play.differences == ()
    lost = sum(sum(each.points_here or ()) for each in found.scoring.differences if each.seat is not None)
    assert sum(found.difference) == -lost


def test_draws_that_another_table_would_not_allow(record: Any) -> None:
    """One tile a turn: the second draw in a row is forbidden there, allowed here, and named with its option."""
    log = record("fives", replace(TWO, round_limit=3), seed=8)
    found = judge(log.log, "fives.linear", [("draw", "one"), ("round_limit", "3")])
    twice = [
        at
        for at, pair in enumerate(zip(log.moves, log.moves[1:], strict=False), 2)
        if all(isinstance(move, fives.Draw) for move in pair)
    ]
    assert twice
    differing = [each.sequence for each in found.play.differences if "draw = one" in each.there.text]
    assert set(twice) <= set(differing)
    assert all("draw = until_playable" in each.here.text for each in found.play.differences if each.sequence in twice)


def test_a_round_that_another_table_has_no_place_for(record: Any) -> None:
    """Without a spinner there are no arms: the round is not carried over from that tile on."""
    log = record("fives", replace(TWO, round_limit=2), seed=8)
    found = judge(log.log, "fives.linear", [("spinner", "none"), ("round_limit", "2")])
    assert found.play.differences
    assert any(each.there is None for each in found.rounds)
    assert found.ended_there.text == "Not known."
    assert any("could not be carried over" in note.text for note in found.notes)


def test_rules_that_a_log_cannot_be_judged_by(short_match: Any) -> None:
    """Another game, an unknown preset, an unknown option, and other seats are refused with what was expected."""
    game = short_match.game.NAME
    other = "fives.linear" if game == "forty_two" else "forty_two.polish"
    own = "forty_two.russian" if game == "forty_two" else "fives.linear"
    for rules, changes, said in (
        (other, [], "expected a preset of"),
        (f"{game}.texan", [], "expected a preset of"),
        (own, [("colour", "red")], "an option of"),
        (own, [("target", "lots")], "a whole number"),
    ):
        with pytest.raises(NotComparable, match=said):
            judge(short_match.log, rules, changes)
    if game == "fives":
        with pytest.raises(NotComparable, match="as many seats"):
            judge(short_match.log, own, [("seats", "3")])
    with pytest.raises(NotComparable, match="expected options of"):
        judge_by(short_match.log, "another", None)


def test_a_faulty_log_is_judged_as_far_as_it_holds(record: Any) -> None:
    """A cut log is judged before the cut, and its standing says that it is cut."""
    log = record("forty_two", replace(forty_two.POLISH, round_limit=4), seed=3)
    found = judge(log.log[:-500], "forty_two.russian")
    assert found.standing.verdict == "truncated"
    assert 0 < len(found.rounds) < 4


def test_an_abandoned_round_scores_nothing_under_any_rules(abandoned_match: Any) -> None:
    """A round that the host ended is judged ply by ply and scored by nobody."""
    found = judge(abandoned_match.log, "forty_two.russian")
    assert found.rounds == ()
    assert found.scores_here == found.scores_there == (0, 0)


def test_a_judgement_is_plain_data_in_three_languages(record: Any) -> None:
    """JSON takes a judgement in each language: the same places, other words."""
    log = record("forty_two", replace(forty_two.POLISH, round_limit=3), seed=3)
    told = [judge(log.log, "forty_two.russian", language=language) for language in ("en", "pl", "ru")]
    assert len({json.dumps(judgement_to_plain(each), ensure_ascii=False) for each in told}) == 3
    assert len({tuple(each.round for each in found.scoring.differences) for found in told}) == 1
