"""The round that an imported match begins in is a round like any other: told, explained and judged from its shake."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from dominohall_engine import fives, forty_two
from dominohall_engine.game import Phase
from dominohall_engine.games import GAMES
from dominohall_engine.moves import Abandon, Shake
from dominohall_replays.as_played.audit import audit
from dominohall_replays.as_played.notation import parse_round, print_round
from dominohall_replays.as_played.rounds import round_from_log
from dominohall_replays.explain.explanation import explain
from dominohall_replays.explain.page import page_of
from dominohall_replays.explain.record import record_of
from dominohall_replays.explain.values import explanation_to_plain
from dominohall_replays.html import to_html
from dominohall_replays.judge import judge, judge_by
from dominohall_replays.judge_page import page_of_judgement
from dominohall_replays.log import read_log
from dominohall_replays.report import describe
from dominohall_replays.rounds import Round, retell
from dominohall_replays.verify import verify

TWO = replace(fives.LINEAR, seats=2, partners=False)

TABLES: dict[str, tuple[str, Any]] = {
    "polish": ("forty_two", replace(forty_two.POLISH, round_limit=4, target=1000)),
    "russian": ("forty_two", replace(forty_two.RUSSIAN, round_limit=4, target=1000)),
    "partners": ("fives", replace(fives.LINEAR, round_limit=4, target=1000)),
    "two": ("fives", replace(TWO, round_limit=4, target=1000)),
    "stops": ("fives", replace(TWO, target=120, finish_hand=False)),
}


def plays_of(game: Any, state: Any) -> int:
    """Return how many plays, draws and knocks the round under way has behind it."""
    seen = game.view(state, None)
    if game.NAME == "fives":
        return len(seen.history)
    tricks = [*seen.tricks, *([seen.trick] if seen.trick else [])]
    return sum(len(trick.plays) for trick in tricks)


def stands(phase: Phase, shakes: int, plays: int = 0) -> Callable[[Any, Any], bool]:
    """Return what says whether a match waits for this, so many rounds begun and so many plays made at least."""

    def here(game: Any, state: Any) -> bool:
        if game.phase(state) is not phase or game.shakes(state) < shakes:
            return False
        return plays == 0 or plays_of(game, state) >= plays

    return here


PLACES = {
    "first lead": ({"forty_two", "fives"}, stands(Phase.PLAYING, 2)),
    "first round, mid-round": ({"forty_two", "fives"}, stands(Phase.PLAYING, 1, 6)),
    "mid-round": ({"forty_two", "fives"}, stands(Phase.PLAYING, 2, 6)),
    "late in a round": ({"forty_two", "fives"}, stands(Phase.PLAYING, 2, 9)),
    "mid-auction": (
        {"forty_two"},
        lambda game, state: stands(Phase.AUCTION, 2)(game, state) and len(game.view(state, None).calls) == 2,
    ),
    "first call": ({"forty_two"}, stands(Phase.AUCTION, 2)),
    "naming": ({"forty_two"}, stands(Phase.NAMING, 2)),
    "a shake is due": ({"forty_two", "fives"}, stands(Phase.SHAKE, 2)),
    "the first shake is due": ({"forty_two", "fives"}, stands(Phase.SHAKE, 0)),
}
CASES = [(table, place) for table, (game, _) in TABLES.items() for place, (games, _) in PLACES.items() if game in games]


@pytest.fixture(scope="module")
def brought(tools: Any) -> Callable[..., tuple[Any, Any]]:
    """Import a match that stands at a place; the match before, and the imported one, played to its end."""
    kept: dict[tuple[str, str], tuple[Any, Any]] = {}

    def bring(table: str, place: str) -> tuple[Any, Any]:
        if (table, place) not in kept:
            game_name, options = TABLES[table]
            game, here = GAMES[game_name], PLACES[place][1]
            for seed in range(20):
                match = tools.start(game_name, options)
                while game.outcome(match.states[-1]) is None and not here(game, match.states[-1]):
                    tools.go_on(match, seed=100 * seed + len(match.moves), moves=len(match.moves) + 1)
                if game.outcome(match.states[-1]) is None:
                    break
            kept[table, place] = (match, tools.go_on(tools.start_imported(match), seed=3))
        return kept[table, place]

    return bring


def scores_of(game: Any, state: Any) -> tuple[int, ...]:
    """Return the points of each side."""
    return tuple(game.view(state, None).scores)


def scores_at_the_last_shake(match: Any) -> tuple[int, ...]:
    """Return the points of each side before the round that a match stands in, or before the one that is due."""
    game = match.game
    if game.order(match.states[-1]) is None:
        return scores_of(game, match.states[-1])
    last = max(at for at, move in enumerate(match.moves) if isinstance(move, Shake))
    return scores_of(game, match.states[last])


@pytest.mark.parametrize(("table", "place"), CASES)
def test_an_imported_log_and_its_own_rules_agree(brought: Any, table: str, place: str) -> None:
    """Judged by its own rules an imported log has no difference, and every round of it scores what it scored."""
    before, match = brought(table, place)
    game, options = match.game, TABLES[table][1]
    found = judge_by(match.revealed, game.NAME, options)
    assert [stage.differences for stage in (found.auction, found.play, found.scoring)] == [(), (), ()]
    assert found.scores_here == found.scores_there == scores_of(game, match.states[-1])
    assert found.ended_here == found.ended_there
    assert "not over" not in found.ended_here.text
    first = game.shakes(before.states[-1]) + (game.order(before.states[-1]) is None)
    assert [each.round for each in found.rounds] == list(range(first, game.shakes(match.states[-1]) + 1))
    stood = scores_at_the_last_shake(before)
    for side, points in enumerate(stood):
        assert points + sum(each.here[side] for each in found.rounds) == found.scores_here[side]


@pytest.mark.parametrize("table", ["polish", "two"])
def test_a_round_is_judged_by_other_rules_from_its_shake(brought: Any, table: str) -> None:
    """The moves before the import count for the other rules as well; a difference in them has no record to point at."""
    before, match = brought(table, "late in a round")
    own = TABLES[table][1]
    if table == "polish":
        found = judge(match.log, "forty_two.russian", [("round_limit", "4"), ("target", "1000")])
        result = next(
            seen.last_round
            for state in match.states
            if (seen := forty_two.view(state, None)).last_round and match.game.order(state) is None
        )
        assert found.rounds[0].here == result.gained
        assert found.rounds[0].there is not None
        return
    found = judge_by(match.log, "fives", replace(own, opening_scores=not own.opening_scores))
    whole = [*before.moves, *match.moves]
    states = [*before.states, *match.states[1:]]
    differing = []
    for at, (state, move) in enumerate(zip(states, whole, strict=False)):
        opens = isinstance(move, fives.Play) and not fives.view(state, None).history
        if opens and fives.view(state, None).round_number >= match.game.shakes(before.states[-1]):
            scored = scores_of(match.game, states[at + 1]) != scores_of(match.game, state)
            differing += [at + 1 - len(before.moves)] if scored else []
    assert [each.sequence for each in found.scoring.differences if each.seat is not None] == [
        at if at > 0 else None for at in differing
    ]


@pytest.mark.parametrize("table", ["polish", "two"])
def test_a_judgement_says_what_it_took_from_the_state(brought: Any, table: str) -> None:
    """Points that stood at the import, and a round that was under way, are named in the notes, in every language."""
    before, match = brought(table, "mid-round")
    stood = " : ".join(map(str, scores_at_the_last_shake(before)))
    told = [judge_by(match.log, *game_of(table), language=language) for language in ("en", "pl", "ru")]
    for found in told:
        assert any(stood in note.text for note in found.notes)
        assert f"{match.game.shakes(before.states[-1])}" in found.notes[-1].text
    assert "under way when the match was imported" in told[0].notes[-1].text
    assert "under way when the match was imported" in to_html(page_of_judgement(told[0]))
    _, waiting = brought(table, "a shake is due")
    assert all("under way" not in note.text for note in judge_by(waiting.log, *game_of(table)).notes)


def game_of(table: str) -> tuple[str, Any]:
    """Return the game and the options of a table."""
    return TABLES[table]


@pytest.mark.parametrize(("table", "place"), CASES)
def test_rounds_begin_at_their_shake(brought: Any, table: str, place: str) -> None:
    """Every step of the log from the import on lies in a round or between two; the first round has its whole past."""
    before, match = brought(table, place)
    game, retold = match.game, retell(match.log)
    for each in retold.rounds:
        assert isinstance(each.steps[0].move, Shake)
        assert each.number == game.shakes(each.steps[0].after)
        assert each.scores == scores_of(game, each.steps[-1].after)
        for earlier, later in zip(each.steps, each.steps[1:], strict=False):
            assert game.encode(earlier.after) == game.encode(later.before)
    first: Round = retold.rounds[0]
    if game.order(before.states[-1]) is None:
        assert all(step.entry is not None for step in first.steps)
        return
    shaken = max(at for at, move in enumerate(before.moves) if isinstance(move, Shake))
    unrecorded = [step.move for step in first.steps if step.entry is None]
    assert unrecorded == before.moves[shaken:]
    assert first.first_sequence == 0
    recorded = [step.entry.sequence for step in first.steps if step.entry is not None]
    assert recorded == list(range(1, len(recorded) + 1))


@pytest.mark.parametrize(("table", "place"), [each for each in CASES if each[0] in {"polish", "two"}])
def test_every_move_and_round_of_an_imported_log_is_explained(brought: Any, table: str, place: str) -> None:
    """Each move has the story of its round, whose score adds up; a round that was under way says so on its page."""
    before, match = brought(table, place)
    game = match.game
    under_way = game.order(before.states[-1]) is not None
    number = game.shakes(before.states[-1])
    report = verify(match.log)
    length = len(match.moves)
    for at in sorted({*range(min(4, length + 1)), *range(0, length, 20), length}):
        found = explain(match.log, at=at, report=report)
        if at:
            assert found.decision is not None
        if game.order(match.states[at]) is not None:
            assert found.round is not None
            assert found.round.number == game.shakes(match.states[at])
            assert (found.round.under_way is not None) == (under_way and found.round.number == number)
        json.dumps(explanation_to_plain(found))
        assert to_html(page_of(found))
    record = record_of(match.log)
    for each in record.rounds:
        story = explain(match.log, round_number=each.number, report=report).round
        assert story is not None
        totals = [line.points for line in story.score if line.side is not None][-len(each.scores) :]
        assert story.gained == tuple(
            after - start for after, start in zip(story.scores, scores_of(game, each.steps[0].before), strict=True)
        )
        if game.NAME == "fives":
            assert sum(turn.points for turn in story.turns) <= sum(story.gained)
            assert totals
    if under_way:
        explained = explain(match.log, round_number=number, language="en")
        page = to_html(page_of(explained))
        assert "under way when the match was imported" in page
        told = explained.round
        assert told is not None
        moves: list[Any] = [*told.calls, *told.turns, *[play for trick in told.tricks for play in trick.plays]]
        shaken = max(at for at, move in enumerate(before.moves) if isinstance(move, Shake))
        assert [each.sequence for each in moves].count(None) == len(before.moves) - shaken - 1


@pytest.mark.parametrize(("table", "place"), CASES)
def test_an_imported_round_written_down_is_clean(brought: Any, table: str, place: str) -> None:
    """Each round of an imported log, written as notation, is clean, and scores what the log says."""
    _, match = brought(table, place)
    record = record_of(match.log)
    for each in record.rounds:
        text = print_round(round_from_log(each, record.options)[0])
        found = audit(parse_round(text))
        assert found.is_clean, text
        if each.finished:
            assert found.written == each.gained
            assert all(score.matches_written for score in found.scores if score.is_own)


@pytest.mark.parametrize("table", ["polish", "two"])
def test_an_imported_match_that_nobody_went_on_with(brought: Any, tools: Any, table: str) -> None:
    """A header alone, or a match ended at once, has its round under way, unscored, and judging it finds nothing."""
    before, _ = brought(table, "mid-round")
    for moves in ((), (Abandon("closed"),)):
        match = tools.start_imported(before)
        for move in moves:
            tools.add(match, move)
        (only,) = retell(match.log).rounds
        assert (only.first_sequence, only.last_sequence) == (0, len(moves))
        assert explain(match.log, round_number=only.number).round is not None
        found = judge_by(match.log, *game_of(table))
        assert [stage.differences for stage in (found.auction, found.play, found.scoring)] == [(), (), ()]
        assert found.scores_here == found.scores_there == scores_of(match.game, match.states[-1])
        assert found.rounds == ()


def test_who_leads_an_imported_round_is_not_guessed(brought: Any) -> None:
    """Why a seat leads the round that a match was imported in is not in the log, and the page says so."""
    for place in ("mid-round", "a shake is due", "first round, mid-round"):
        _, match = brought("two", place)
        first = record_of(match.log).rounds[0].number
        story = explain(match.log, round_number=first).round
        assert story is not None
        assert "imported" in story.opening.text


@pytest.mark.parametrize("table", ["polish", "two"])
def test_a_telling_says_that_a_round_was_under_way(brought: Any, table: str) -> None:
    """Told line by line, a log imported amid a round says so, with the hands; one imported between rounds does not."""
    before, match = brought(table, "mid-round")
    lines = list(describe(read_log(match.log)))
    seats = len(match.header.labels)
    assert "under way when the match was imported" in lines[1].text
    assert [line.kind for line in lines[2 : 2 + seats]] == ["hand"] * seats
    assert lines[1].round == lines[2].round == match.game.shakes(before.states[-1])
    _, waiting = brought(table, "a shake is due")
    assert all("under way" not in line.text for line in describe(read_log(waiting.log)))
