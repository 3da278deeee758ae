"""Rounds as they were played: written, read, played again; the first fault found, and none invented."""

import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from dominohall_engine import fives, forty_two
from dominohall_engine.games import GAMES
from dominohall_engine.tiles import NAMES, tiles_in
from dominohall_replays.as_played.audit import audit
from dominohall_replays.as_played.fives import run_fives
from dominohall_replays.as_played.forty_two import run_forty_two
from dominohall_replays.as_played.notation import Notated, UnreadableNotation, parse_round, print_round
from dominohall_replays.as_played.rounds import (
    FivesRound,
    FortyTwoRound,
    Hands,
    Kind,
    Trick,
    UnusableRound,
    round_from_log,
)
from dominohall_replays.explain.record import record_of

TWO = replace(fives.LINEAR, seats=2, partners=False)
TABLES: tuple[tuple[str, Any], ...] = (
    ("forty_two", forty_two.POLISH),
    ("forty_two", forty_two.RUSSIAN),
    ("forty_two", replace(forty_two.POLISH, all_pass=forty_two.AllPass.FORCED_30, doubles_trump=True, target=500)),
    ("fives", fives.LINEAR),
    ("fives", TWO),
    ("fives", replace(TWO, seats=3, hand_size=5, draw=fives.DrawRule.ONE, reserve=1, opening_scores=False)),
    ("fives", replace(TWO, spinner=fives.SpinnerRule.ALL_FOUR_FIRST, tie=fives.TieRule.LIGHTEST_TILE)),
    ("fives", replace(fives.LINEAR, spinner=fives.SpinnerRule.NONE, draw=fives.DrawRule.NONE)),
)
Record = FortyTwoRound | FivesRound


@pytest.fixture(scope="module")
def rounds(record: Any) -> list[Record]:
    """Play matches between random seats under several tables and take their rounds, unfinished ones with them."""
    found: list[Record] = []
    for number, (game, options) in enumerate(TABLES):
        for seed in (number, number + 100):
            played = record(game, replace(options, round_limit=2), seed=seed, match_id=f"{number}-{seed}")
            log = record_of(played.log)
            found += [round_from_log(each, log.options)[0] for each in log.rounds]
            middle = log.rounds[0].steps[len(log.rounds[0].steps) // 2].entry
            assert middle is not None
            cut = record_of(b"".join(entry.data for entry in played.entries[: middle.sequence + 1]))
            found.append(round_from_log(cut.rounds[-1], cut.options)[0])
    return found


def without_hands(record: Record) -> Record:
    """Forget what the seats were dealt, and in fives what they drew: only what lay on the table is left."""
    forgotten = (None,) * len(record.hands)
    if isinstance(record, FortyTwoRound):
        return replace(record, hands=forgotten)
    turns = tuple(replace(turn, tile=None) if turn.kind is Kind.DRAW else turn for turn in record.turns)
    run = run_fives(record, record.options)
    left: Hands = forgotten
    if run.end in {fives.RoundEnd.WENT_OUT, fives.RoundEnd.BLOCKED}:
        left = tuple(None if hand is None else tiles_in(hand) for hand in run.hands)
    return replace(record, hands=forgotten, turns=turns, left=left)


def run(record: Record) -> Any:
    """Play a round again by its own rules."""
    return (
        run_fives(record, record.options) if isinstance(record, FivesRound) else run_forty_two(record, record.options)
    )


# --- the notation


def test_a_round_survives_being_written_and_read(rounds: list[Record]) -> None:
    """Reading what was written gives the same round, and writing that gives the same text: with hands and without."""
    for record in rounds:
        for each in (record, without_hands(record)):
            text = print_round(each)
            notated = parse_round(text)
            assert notated.round == each
            assert print_round(notated.round) == text
            assert len(notated.places) == len(run(each).plies)


def test_every_ply_is_pointed_at(rounds: list[Record]) -> None:
    """The place of a ply is that of its word in the text."""
    for record in rounds:
        text = print_round(record)
        lines = text.split("\n")
        for ply, (line, column) in zip(run(record).plies, parse_round(text).places, strict=True):
            word = lines[line - 1][column - 1 :].split()[0]
            match ply.move:
                case forty_two.Play() | fives.Play():
                    assert word == NAMES[ply.move.tile]
                case forty_two.Bid():
                    assert word == str(ply.move.points)
                case forty_two.NameTrump():
                    assert word == "trump"
                case _:
                    assert word == type(ply.move).__name__.lower()


TEXT = """as-played 1
rules: forty_two.polish
option: target 500
shaker: 3
scores: 120 95
calls 0: 30 pass 31 pass
trump 2: fives
trick 2: 5-5 5-1 5-0 6-5
score: 35 7
"""
FIVES_TEXT = """as-played 1
rules: fives.linear
leader: 0
play 0: 5-5 start
play 1: 5-0 side_1
draw 2: ?
knock 2
left 3: none
"""


def test_what_people_add_is_passed_over() -> None:
    """Comments, empty lines, wide gaps and tiles the other way round read as the plain text does."""
    loose = TEXT.replace("trick 2: 5-5 5-1", "# what a trick!\n\ntrick 2:   5-5   1-5").replace("\n", "\n\n")
    assert parse_round(loose).round == parse_round(TEXT).round


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "expected"),
    [
        ("as-played 1", "as-played 2", 1, 1, "as-played 1"),
        ("rules: forty_two.polish", "rules: forty_two.texan", 2, 8, "a preset"),
        ("rules: forty_two.polish", "rules 3: forty_two.polish", 2, 7, "no seat"),
        ("target 500", "target 5000", 3, 16, "50 to 1000"),
        ("target 500", "trget 500", 3, 9, "an option of forty_two"),
        ("target 500", "target", 3, 15, "an option and its value"),
        ("shaker: 3", "shaker: 4", 4, 9, "from 0 to 3"),
        ("scores: 120 95", "scores: 120", 5, 12, "the points of two sides"),
        ("scores: 120 95", "scores: 0120 95", 5, 9, "a whole number"),
        ("calls 0: 30 pass 31 pass", "calls 0: 30 pass 31", 7, 1, "four calls"),
        ("calls 0: 30 pass 31 pass", "calls 0: 30 pass thirty pass", 6, 18, "a whole number"),
        ("calls 0: 30 pass 31 pass", "calls 0: 30 pass 31 pass 32", 6, 26, "at most four calls"),
        ("trump 2: fives", "trump 1: fives", 7, 10, "a seat that bid"),
        ("trump 2: fives", "trump 2: hearts", 7, 10, "a trump"),
        ("trump 2: fives", "trump 2:", 7, 9, "something after the colon"),
        ("trick 2: 5-5 5-1", "trick 2: 5-5 5-7", 8, 14, "a tile such as 6-4"),
        ("trick 2: 5-5 5-1", "trick 2: 5-5 5-5", 8, 14, "a tile that nobody else holds"),
        ("trick 2: 5-5", "trick: 5-5", 8, 23, "a seat"),
        ("trick 2: 5-5", "trick 2 3: 5-5", 8, 9, "a colon"),
        ("trick 2: 5-5 5-1 5-0 6-5", "trick 2: 5-5 5-1 5-0 6-5 6-6", 8, 26, "at most four tiles"),
        ("score: 35 7", "score: 35 -7", 9, 11, "a whole number"),
        ("score: 35 7", "score: 35 7\nshaker: 3", 10, 1, "another line here"),
        ("score: 35 7", "skore: 35 7", 9, 1, "one of shaker"),
        ("score: 35 7", "score:\t35 7", 9, 7, "without control characters"),
    ],
)
def test_the_reader_names_the_place(old: str, new: str, line: int, column: int, expected: str) -> None:
    """A text that is no round is refused with the line, the column, what was expected and what came."""
    assert old in TEXT
    with pytest.raises(UnreadableNotation) as caught:
        parse_round(TEXT.replace(old, new))
    assert (caught.value.line, caught.value.column) == (line, column), caught.value
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "expected"),
    [
        ("leader: 0\n", "", 7, 13, "the leader"),
        ("5-5 start", "5-5 left", 4, 13, "start for the first tile"),
        ("5-0 side_1", "5-0 start", 5, 13, "start for the first tile"),
        ("5-0 side_1", "5-0 north", 5, 13, "a place"),
        ("5-0 side_1", "5-0", 5, 12, "a tile and its place"),
        ("draw 2: ?", "draw 2: 5-5", 6, 9, "a tile that nobody holds"),
        ("draw 2: ?", "draw 2", 6, 7, "the tile that was drawn"),
        ("knock 2", "knock 2: 5-5", 7, 10, "nothing after a knock"),
        ("knock 2", "knock 7", 7, 7, "from 0 to 3"),
        ("left 3: none", "left 3: none\nleft 1: 5-1", 9, 6, "ascending"),
    ],
)
def test_the_reader_of_fives_names_the_place(old: str, new: str, line: int, column: int, expected: str) -> None:
    """The same for fives."""
    assert old in FIVES_TEXT
    with pytest.raises(UnreadableNotation) as caught:
        parse_round(FIVES_TEXT.replace(old, new))
    assert (caught.value.line, caught.value.column) == (line, column), caught.value
    assert expected in str(caught.value)


def test_hands_must_be_hands() -> None:
    """A hand of six tiles, a tile in two hands and seats out of order are refused."""
    hands = "hand 0: 0-0 1-0 1-1 2-0 2-1 2-2 3-0\n"
    for text in (
        "hand 0: 0-0 1-0 1-1 2-0 2-1 2-2\n",
        hands + "hand 1: 0-0 3-1 3-2 3-3 4-0 4-1 4-2\n",
        "hand 1: 3-1 3-2 3-3 4-0 4-1 4-2 4-3\n" + hands,
        hands.replace("3-0", "0-0"),
    ):
        with pytest.raises(UnreadableNotation):
            parse_round(TEXT.replace("calls 0", text + "calls 0"))


def test_anything_at_all_is_read_or_refused() -> None:
    """Texts with lines, words and letters changed at random are read, or refused with a place; nothing else happens."""
    source = random.Random(5)
    places = set()
    words = [*TEXT.split(), *FIVES_TEXT.split(), "", "?", "none", "-1", "99999", "\N{BLACK HEART SUIT}"]
    for _ in range(800):
        lines = source.choice([TEXT, FIVES_TEXT]).split("\n")
        for _ in range(source.randrange(1, 4)):
            place = source.randrange(len(lines))
            parts = lines[place].split(" ")
            parts[source.randrange(len(parts))] = source.choice(words)
            lines[place] = source.choice([" ".join(parts), "", lines[source.randrange(len(lines))]])
        try:
            notated = parse_round("\n".join(lines))
        except UnreadableNotation as error:
            places.add((error.line, error.column))
            continue
        with suppress(UnusableRound):
            audit(notated)
    assert min(min(place) for place in places) >= 1
    assert len(places) > 50


# --- clean rounds are clean


def test_no_fault_is_invented(rounds: list[Record]) -> None:
    """Without hands as with them, rounds that were played by the rules audit clean."""
    for record in rounds:
        for each in (record, without_hands(record)):
            found = audit(parse_round(print_round(each)), "ru")
            assert found.is_clean, found.findings
            assert found.findings == ()


def test_the_score_of_a_clean_round_is_that_of_the_log(rounds: list[Record]) -> None:
    """Played again, a finished round scores what the log says, with hands and without."""
    finished = 0
    for record in rounds:
        if record.score is None:
            continue
        for each in (record, without_hands(record)):
            own = audit(Notated(each, ())).scores[0]
            assert own.is_own
            assert own.gained == record.score
            assert own.matches_written
        finished += 1
    assert finished > 15


def test_a_wrong_score_is_noticed(rounds: list[Record]) -> None:
    """A table that wrote down another score than its tiles give is told so."""
    record = next(each for each in rounds if isinstance(each, FortyTwoRound) and each.score and each.tricks)
    wrong = replace(record, score=(record.score[0] + 1, record.score[1]) if record.score else None)
    assert audit(Notated(wrong, ())).scores[0].matches_written is False
    assert audit(Notated(wrong, ())).is_clean


# --- every illegal substitution is found where it is


def spoiled(record: Record, source: random.Random) -> Iterator[tuple[int, Record]]:
    """Yield copies of a legal round with one illegal ply in the place of a legal one, and the number of that ply."""
    plies = run(record).plies
    game = GAMES["fives" if isinstance(record, FivesRound) else "forty_two"]
    for ply in plies:
        domain = [move for move in game.seat_moves(record.options) if move.seat == ply.seat]
        same_kind = [move for move in domain if type(move) is type(ply.move) and move not in ply.legal]
        if isinstance(ply.move, forty_two.Pass):
            same_kind = [move for move in domain if isinstance(move, forty_two.Bid) and move not in ply.legal]
        source.shuffle(same_kind)
        for move in same_kind[:3]:
            changed = with_ply(record, ply.number, move)
            if changed is not None:
                yield ply.number, changed


def with_ply(record: Record, number: int, move: Any) -> Record | None:
    """Return the round with one ply changed, None where the rest could not have been written down behind it."""
    if isinstance(record, FivesRound):
        return _with_turn(record, number, move)
    if isinstance(move, forty_two.Bid):
        place = number - 1
        calls = (*record.calls[:place], move.points, *record.calls[place + 1 :])
        named = None if record.trump is None else record.trump[0]
        has_named = named is None or calls[(named - (record.opener or 0)) % 4]
        return replace(record, calls=calls) if has_named else None
    if isinstance(move, forty_two.NameTrump):
        return replace(record, trump=(move.seat, move.trump))
    return _with_tile(record, number, move.tile) if isinstance(move, forty_two.Play) else None


def _with_turn(record: FivesRound, number: int, move: Any) -> FivesRound | None:
    """Return a round of fives with another tile or place in one play."""
    turns = list(record.turns)
    old = turns[number - 1]
    if not isinstance(move, fives.Play) or old.place is None or (number == 1) != (move.place == 0):
        return None
    if old.tile != move.tile and any(turn.kind is Kind.DRAW and turn.tile == move.tile for turn in turns):
        return None  # the boneyard can't hold a tile that lies on the table
    turns[number - 1] = replace(old, tile=move.tile, place=move.place)
    return replace(record, turns=tuple(turns), left=(None,) * len(record.left), score=None)


def _with_tile(record: FortyTwoRound, number: int, tile: int) -> FortyTwoRound:
    """Return a round of forty-two with another tile in one play."""
    index, tricks = number - 1 - len(record.calls) - 1, list(record.tricks)
    trick, place = tricks[index // 4], index % 4
    tricks[index // 4] = Trick(trick.leader, (*trick.tiles[:place], tile, *trick.tiles[place + 1 :]))
    return replace(record, tricks=tuple(tricks))


@pytest.mark.parametrize("few", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_each_illegal_substitution_is_found_at_its_ply(rounds: list[Record], few: bool) -> None:
    """Put one illegal ply into a legal round: the audit's first finding is that ply, with a clause and a message."""
    source = random.Random(42)
    tried = {FortyTwoRound: 0, FivesRound: 0}
    for record in rounds:
        changes = list(spoiled(record, source))
        for number, changed in source.sample(changes, min(6, len(changes))) if few else changes:
            try:
                found = audit(Notated(changed, ()))
            except UnusableRound:
                assert isinstance(record, FivesRound)  # a place that this layout never has: nothing could lie there
                continue
            assert not found.is_clean
            assert found.findings[0].ply == number, (number, found.findings[0])
            assert found.findings[0].reasons[0].clauses
            assert found.findings[0].reasons[0].message
            tried[type(record)] += 1
    assert min(tried.values()) > 50, tried


def test_a_renege_is_found_from_the_tiles_alone(rounds: list[Record]) -> None:
    """Without any hand: a tile that was held back and came later gives the renege away, at its own ply."""
    found_ones = 0
    for record in rounds:
        if not isinstance(record, FortyTwoRound) or record.score is None or not record.tricks:
            continue
        plies = [ply for ply in run(record).plies if isinstance(ply.move, forty_two.Play)]
        for place, ply in enumerate(plies):
            legal = {move.tile for move in ply.legal}
            later = next(
                (other for other in plies[place + 1 :] if other.seat == ply.seat and other.move.tile not in legal), None
            )
            if later is None:
                continue
            swapped = with_ply(record, ply.number, later.move)
            assert swapped is not None
            swapped = with_ply(swapped, later.number, ply.move)
            assert swapped is not None
            finding = audit(Notated(without_hands(swapped), ())).findings[0]
            assert finding.ply == ply.number
            assert finding.reasons[0].reason in {"MUST_FOLLOW_SUIT", "FIRST_LEAD_MUST_BE_TRUMP"}
            assert {move["tile"] for move in finding.could} == {NAMES[tile] for tile in legal}
            held_back = [said.text for said in finding.consequences if "held back" in said.text]
            assert any(NAMES[ply.move.tile] in text for text in held_back)
            found_ones += 1
            break
    assert found_ones >= 5
