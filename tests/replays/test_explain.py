"""Answers with the rule: every move of real logs can be explained, and the explanation is the engine's own word."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from string import Formatter
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
from dominohall_engine import clauses, fives, forty_two
from dominohall_engine.clauses import LANGUAGES, clause
from dominohall_engine.fives.places import PLACE_NAMES
from dominohall_engine.game import Phase
from dominohall_engine.tiles import NAMES, parse_tile
from dominohall_replays import words as words_of_pages
from dominohall_replays.explain import NothingToExplain, explain, explanation_to_plain
from dominohall_replays.explain.decisions import move_to_plain
from dominohall_replays.explain.standing import standing_of
from dominohall_replays.records import Head, move_entry
from dominohall_replays.redact import redact
from dominohall_replays.signatures import public_key, sign_head, signature_item
from dominohall_replays.verdicts import (
    DealStatement,
    LegalityStatement,
    Report,
    Shown,
    SignatureStatement,
    Verdict,
)
from dominohall_replays.verify import verify
from dominohall_replays.words import Words

if TYPE_CHECKING:
    from dominohall_replays.explain import Explanation

ItemT = TypeVar("ItemT")
TWO = replace(fives.LINEAR, seats=2, partners=False)
TABLES: dict[str, tuple[str, Any]] = {
    "polish": ("forty_two", forty_two.POLISH),
    "russian": ("forty_two", forty_two.RUSSIAN),
    "polish-forced": ("forty_two", replace(forty_two.POLISH, all_pass=forty_two.AllPass.FORCED_31, doubles_trump=True)),
    "russian-free": (
        "forty_two",
        replace(forty_two.RUSSIAN, first_lead=forty_two.FirstLead.FREE, defenders_keep_on_made=True),
    ),
    "linear": ("fives", fives.LINEAR),
    "two-seats": ("fives", TWO),
    "one-draw": ("fives", replace(TWO, draw=fives.DrawRule.ONE, reserve=2, opening_scores=False)),
    "letter": (
        "fives",
        replace(TWO, spinner=fives.SpinnerRule.ALL_FOUR_FIRST, block_score=fives.BlockScore.DIFFERENCE),
    ),
    "line": ("fives", replace(fives.LINEAR, spinner=fives.SpinnerRule.NONE, tie=fives.TieRule.LIGHTEST_TILE)),
}
AUTHENTIC = re.compile(r"authentic|autentycz|подлинн", re.IGNORECASE)


@pytest.fixture(scope="module", params=sorted(TABLES))
def played(request: pytest.FixtureRequest, record: Any) -> Any:
    """Play a match of a round or so under each of several tables."""
    game, options = TABLES[request.param]
    return record(game, replace(options, round_limit=1), seed=11, match_id=request.param)


def sampled(items: Sequence[ItemT]) -> Sequence[ItemT]:
    """Return every third of some moves, and the last ones: enough to meet every kind."""
    return [*items[:-2:3], *items[-2:]]


def numbers_added(text: str) -> tuple[int, int]:
    """Read a written sum: what its parts come to, and what it says they come to."""
    parts, _, rest = text.partition(" = ")
    total = re.match(r"\d+", rest)
    assert total is not None, text
    return sum(int(each) for each in re.findall(r"(?:^|\+ )(\d+)", parts)), int(total[0])


def test_every_move_can_be_explained(played: Any) -> None:
    """Each sequence from the header to the last move has an explanation, which JSON takes and gives back."""
    found = verify(played.log)
    for at in range(len(played.entries)):
        language = LANGUAGES[at % len(LANGUAGES)]
        plain = explanation_to_plain(explain(played.log, at=at, language=language, report=found))
        assert json.loads(json.dumps(plain, ensure_ascii=False))["language"] == language
        assert (plain["decision"] is None) == (at == 0)


def test_what_was_legal_is_what_the_engine_says(played: Any) -> None:
    """The legal moves of an explanation are the engine's, and the one that was made is marked."""
    found = verify(played.log)
    for at, move in sampled(list(enumerate(played.moves, 1))):
        decision = explain(played.log, at=at, report=found).decision
        assert decision is not None
        legal = played.game.legal_moves(played.states[at - 1])
        assert [choice.move for choice in decision.legal] == [move_to_plain(each) for each in legal]
        if legal:
            assert [choice.move for choice in decision.legal if choice.made] == [move_to_plain(move)]


def test_every_held_tile_is_legal_or_refused_with_a_clause(played: Any) -> None:
    """A tile that a seat held and could not play is refused by the engine's reason, with clauses that have a text."""
    found = verify(played.log)
    for at, before in sampled(list(enumerate(played.states[:-1], 1))):
        if played.game.phase(before) is not Phase.PLAYING:
            continue
        decision = explain(played.log, at=at, language="pl", report=found).decision
        assert decision is not None
        held = set(decision.hands[decision.seat or 0].tiles)
        legal = {choice.move["tile"] for choice in decision.legal if "tile" in choice.move}
        barred = {
            each.moves[0]["tile"]
            for each in decision.illegal
            if each.reason in {"MUST_FOLLOW_SUIT", "FIRST_LEAD_MUST_BE_TRUMP", "TILE_DOES_NOT_FIT"}
        }
        assert legal | barred == held
        assert not legal & barred
        for each in decision.illegal:
            assert each.message
            assert each.clauses
            assert all(clause(id_, "pl").text for id_ in each.clauses)


def test_hands_are_those_that_the_seats_held(played: Any) -> None:
    """The hands of a decision are those of the engine's views before the move, and after it for a shake."""
    game = played.game
    found = verify(played.log)
    for at in sampled(range(1, len(played.entries))):
        decision = explain(played.log, at=at, report=found).decision
        assert decision is not None
        state = played.states[at if decision.move["kind"] == "shake" else at - 1]
        for hand in decision.hands:
            assert list(hand.tiles) == [NAMES[tile] for tile in game.view(state, hand.seat).hand]


def test_every_clause_that_is_cited_stands_on_the_page_once(played: Any) -> None:
    """The list of clauses is exactly the ids that are cited, each with its text and the normative sentence."""
    found = explain(played.log, round_number=1, language="ru")
    plain = explanation_to_plain(found)
    cited: set[str] = set()

    def collect(value: Any) -> None:
        if isinstance(value, dict):
            cited.update(id_ for id_ in value.get("clauses", ()) if isinstance(id_, str))
            for each in value.values():
                collect(each)
        elif isinstance(value, list | tuple):
            for each in value:
                collect(each)

    collect(plain)
    assert {each.id for each in found.clauses} == cited
    assert len({each.id for each in found.clauses}) == len(found.clauses)
    for each in found.clauses:
        assert (each.text, each.normative) == (clause(each.id, "ru").text, clause(each.id).text)


def test_tricks_add_up_to_the_score(record: Any) -> None:
    """In forty-two the tricks have 42 points, what each side took is their sum, and the score follows line by line."""
    for name in ("polish", "russian", "russian-free"):
        game, options = TABLES[name]
        log = record(game, replace(options, round_limit=3), seed=4)
        number = 0
        while True:
            number += 1
            try:
                story = explain(log.log, round_number=number).round
            except NothingToExplain:
                break
            assert story is not None
            if story.tricks:
                assert sum(trick.points for trick in story.tricks) == 42
                assert sum(story.tricks[-1].taken) == 42
                for trick in story.tricks:
                    assert trick.counted is not None
                    if " = " in trick.counted.text:
                        assert numbers_added(trick.counted.text)[1] == trick.points
            totals = [line for line in story.score if not line.clauses and line.side is not None]
            assert [line.points for line in totals] == list(story.scores)
        assert number > 2


def test_a_trick_is_won_by_the_clause_that_decides(tools: Any) -> None:
    """A scripted round: a trump takes a trick by the clause on trumps, the led suit by the clause on suits."""
    hands = ["6-6 6-5 6-4 6-3 1-1 1-0 0-0", "5-5 5-4 5-3 5-2 2-2 2-1 2-0", "4-4 4-3 4-2 4-1 4-0 3-0 6-0"]
    tiles = [parse_tile(name) for hand in hands for name in hand.split()]
    order = bytes(tiles + [tile for tile in range(28) if tile not in tiles])
    match = tools.start("forty_two", forty_two.POLISH, first=3)
    tools.add(match, forty_two.Shake(order))
    moves = [forty_two.Bid(0, 30), forty_two.Pass(1), forty_two.Pass(2), forty_two.Pass(3), forty_two.NameTrump(0, 6)]
    plays = ["6-5", "5-5", "6-0", "6-1", "1-1", "2-1", "4-1", "3-1"]
    for move in moves:
        tools.add(match, move)
    for place, name in enumerate(plays):
        tools.add(match, forty_two.Play(place % 4, parse_tile(name)))
    story = explain(match.log, at=len(match.moves)).round
    assert story is not None
    first, second = story.tricks
    assert first.won is not None
    assert second.won is not None
    assert first.led.clauses == ("F42-PL-21", "A-PL-03")
    assert (first.winner, first.won.clauses[:2]) == (0, ("F42-PL-23", "A-PL-06"))
    assert "highest trump" in first.won.text
    assert (second.winner, second.led.clauses) == (0, ("F42-PL-21",))
    assert "no trump is in it" in second.won.text
    assert second.counted is not None
    assert second.counted.text == "1 for the trick + 5 (4-1) = 6"


def test_ends_are_counted_arm_by_arm(record: Any) -> None:
    """In fives the written sum of the arms is the engine's ends total, and its multiple of five is what was scored."""
    for name in ("linear", "two-seats", "one-draw", "letter", "line"):
        game, options = TABLES[name]
        log = record(game, replace(options, round_limit=1), seed=9)
        story = explain(log.log, round_number=1).round
        assert story is not None
        turns = {turn.sequence: turn for turn in story.turns}
        plays = 0
        for at, move in enumerate(log.moves, 1):
            if not isinstance(move, fives.Play):
                continue
            turn = turns[at]
            assert turn.ends is not None
            assert turn.place == PLACE_NAMES[move.place]
            assert numbers_added(turn.said.text) == (turn.ends.total, turn.ends.total)
            gained = sum(fives.view(log.states[at], None).scores) - sum(fives.view(log.states[at - 1], None).scores)
            last = fives.view(log.states[at], None).last_round
            ended = last is not None and log.game.order(log.states[at]) is None
            assert turn.points == gained - (last.bonus if ended and last else 0)
            plays += 1
        assert plays > 8


def test_a_forged_illegal_move_is_explained_as_such(record: Any) -> None:
    """A log that goes on with a move that the rules forbid: the move is shown first among what was barred."""
    log = record("forty_two", forty_two.POLISH, seed=2, moves=9)
    while not isinstance(log.moves[-1], forty_two.Play) or not any(
        log.game.violation(log.states[-1], forty_two.Play(log.game.turn(log.states[-1]), tile))
        for tile in log.game.view(log.states[-1], log.game.turn(log.states[-1])).hand
    ):
        log = record("forty_two", forty_two.POLISH, seed=2, moves=len(log.moves) + 1)
    state, seat = log.states[-1], log.game.turn(log.states[-1])
    tile = next(
        tile for tile in log.game.view(state, seat).hand if log.game.violation(state, forty_two.Play(seat, tile))
    )
    legal = log.game.legal_moves(state)[0]
    entry = move_entry(log.game, log.head, forty_two.Play(seat, tile), log.game.apply(state, legal), root=bytes(32))
    forged = log.log + entry.data
    assert verify(forged).verdict is Verdict.ILLEGAL_MOVE
    found = explain(forged, at=entry.sequence)
    assert found.decision is not None
    assert found.decision.illegal[0].made
    assert found.decision.illegal[0].moves[0]["tile"] == NAMES[tile]
    assert found.standing.verdict == "illegal_move"
    assert found.round is not None
    assert not any(choice.made for choice in found.decision.legal)
    assert explain(forged, at=entry.sequence - 1).standing.verdict == "illegal_move"


def test_there_is_nothing_to_explain_beyond_the_end(short_match: Any) -> None:
    """A sequence or a round that the log does not have is an error that says which there are."""
    last = len(short_match.moves)
    with pytest.raises(NothingToExplain, match=f"from 0 to {last}, got {last + 1}"):
        explain(short_match.log, at=last + 1)
    with pytest.raises(NothingToExplain, match="a round from 1 to"):
        explain(short_match.log, round_number=99)
    with pytest.raises(ValueError, match="either"):
        explain(short_match.log)


def test_a_cut_log_is_explained_up_to_the_cut(short_match: Any) -> None:
    """A log that stops inside an entry is explained before it, and its fault is the standing of every page."""
    cut = short_match.log[:-40]
    found = explain(cut, at=3)
    assert found.decision is not None
    assert (found.standing.good, found.standing.verdict) == (False, "truncated")
    with pytest.raises(NothingToExplain, match="where the log stops to hold"):
        explain(cut, at=len(short_match.moves))


def test_abandoned_and_imported_matches_are_explained(abandoned_match: Any, imported_match: Any) -> None:
    """An abandoned round has the host's word for its score; an imported match says that its past is not in it."""
    last = explain(abandoned_match.log, at=len(abandoned_match.moves))
    assert last.round is not None
    assert last.round.score[0].clauses == ("D-15",)
    found = explain(imported_match.log, at=1)
    assert any("imported" in said.text for said in found.standing.unchecked)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_page_says_authentic_where_nobody_vouched(short_match: Any, language: str) -> None:
    """An unsigned log is valid and nothing more: what was not checked is said, and "authentic" is not."""
    found = explain(short_match.revealed, at=4, language=language)
    assert found.standing.good
    assert not found.standing.is_authentic
    words = Words(language)
    assert words("standing.signature_absent") in {said.text for said in found.standing.unchecked}
    assert words("standing.brief_unsigned") in found.standing.brief.text
    assert found.standing.deal == "proven"
    assert not AUTHENTIC.search(json.dumps(explanation_to_plain(found), ensure_ascii=False).replace("is_authentic", ""))


def report(**facts: Any) -> Report:
    """Make a report of a good log of 40 records."""
    head = Head("match-1", 40, bytes(32))
    return Report(
        Verdict.UNFINISHED, "as far as it goes", game="forty_two", rules_revision=1, moves=40, head=head, **facts
    )


def test_a_signature_counts_as_far_as_it_reaches() -> None:
    """A checked signature over record 30 of 40 vouches for no page of the whole log; one over record 40 does."""
    words = Words("en")
    part = standing_of(report(signature=SignatureStatement.CHECKED, signed_sequence=30), words)
    assert not part.is_authentic
    assert any("record 30" in said.text for said in part.unchecked)
    whole = standing_of(report(signature=SignatureStatement.CHECKED, signed_sequence=40), words)
    assert whole.is_authentic
    assert any("record, 40" in said.text for said in whole.checked)
    wrong = standing_of(report(signature=SignatureStatement.WRONG), words)
    assert not wrong.is_authentic


def test_a_redacted_log_is_not_said_to_be_legal_throughout() -> None:
    """Where tiles are not shown, the page says how many moves depend on them instead of calling all moves legal."""
    words = Words("en")
    shown = Shown((0,), LegalityStatement.PART, 12, 3)
    standing = standing_of(report(shown=shown), words)
    assert not any("each was legal" in said.text for said in standing.checked)
    assert any("12 of them depend on tiles that are not shown" in said.text for said in standing.unchecked)


def test_every_verdict_and_statement_has_words() -> None:
    """Each verdict and each statement on deals and signatures has a sentence of its own in every language."""
    for language in LANGUAGES:
        words = Words(language)
        for verdict in Verdict:
            assert words.has(f"standing.verdict_{verdict}"), verdict
        for deal in DealStatement:
            assert words.has(f"standing.deal_{deal}"), deal
        for signature in SignatureStatement:
            assert words.has(f"standing.signature_{signature}"), signature


def test_every_text_has_three_languages_with_the_same_facts() -> None:
    """A text of the pages says the same in each language: the same facts stand in it."""
    for key, by_language in words_of_pages._texts().items():
        assert tuple(by_language) == LANGUAGES, key
        facts = [{name for _, name, _, _ in Formatter().parse(text) if name} for text in by_language.values()]
        assert facts[0] == facts[1] == facts[2], key


def test_clauses_are_told_in_the_language_that_was_asked_for(short_match: Any) -> None:
    """The same move has the same numbers and ids in every language, and other words."""
    told: list[Explanation] = [explain(short_match.log, at=6, language=language) for language in LANGUAGES]
    assert len({tuple(each.id for each in found.clauses) for found in told}) == 1
    assert len({found.standing.said.text for found in told}) == len(LANGUAGES)
    with pytest.raises(clauses.UnknownRules):
        explain(short_match.log, at=6, language="de")


def test_a_signed_log_is_vouched_for_only_with_its_key(short_match: Any) -> None:
    """With the public key the page says who vouches; without a key, or with another one, it does not."""
    last = short_match.entries[-1]
    key, other = bytes(range(32)), bytes(range(1, 33))
    head = sign_head(key, b"key1", "acme", "match-1", last.sequence, last.link)
    signed = short_match.log + signature_item(head)
    vouched = explain(signed, at=3, report=verify(signed, public_keys={b"key1": public_key(key)})).standing
    assert vouched.is_authentic
    assert "A signature over the whole of this log was checked" in vouched.brief.text
    for keys in (None, {b"key1": public_key(other)}):
        standing = explain(signed, at=3, report=verify(signed, public_keys=keys)).standing
        assert not standing.is_authentic
        assert "No signature was checked" in standing.brief.text


def test_a_redacted_log_is_explained_as_far_as_it_shows(record: Any) -> None:
    """What a viewer did not see can't be explained to them: the error says where the tiles stop."""
    redacted = redact(record("fives", replace(TWO, round_limit=1), seed=3).log, 0)
    assert explain(redacted, at=0).standing.verdict == "redacted"
    with pytest.raises(NothingToExplain, match="redacted log stops to show its tiles"):
        explain(redacted, at=9)
