"""The book of clauses: complete, in three languages, and enough for every refusal that the engine makes."""

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from dominohall_engine.clauses import (
    LANGUAGES,
    Clause,
    Kind,
    UnknownClause,
    UnknownRules,
    best_language,
    clause,
    clauses_of,
    message,
    rules_digest,
)
from dominohall_engine.games import GAMES, PRESETS
from dominohall_engine.moves import Abandon, Shake
from dominohall_engine.shuffle import number_below, shuffled, stream
from dominohall_engine.violations import Fact, Reason, Violation

ROOT = Path(__file__).parents[2]
TEXTS = {"F42-PL": 31, "F42-RU": 21, "LIN": 19}
"""How many clauses each text has."""
DECISIONS = {"A-PL": 23, "A-RU": 21, "A-LIN": 37, "D": 15, "X": 14}

CYRILLIC = "[\u0430-\u044f]"
ID = re.compile(r"\b(?:F42-(?:PL|RU)|A-(?:PL|RU|LIN)|LIN|D|X)-\d\d\b")


def all_clauses(language: str = "en") -> dict[str, Clause]:
    """Return every clause of every game by its id."""
    return {each.id: each for game in GAMES for each in clauses_of(game, language=language)}


# --- the texts


@pytest.mark.parametrize(("prefix", "count"), (TEXTS | DECISIONS).items())
def test_every_number_of_a_text_is_there(prefix: str, count: int) -> None:
    """The clauses of a text and of its decisions are numbered from 01 without a gap, and end where the text ends."""
    wanted = {f"{prefix}-{number:02}" for number in range(1, count + 1)}
    assert {each for each in all_clauses() if each.rpartition("-")[0] == prefix} == wanted


def test_every_clause_is_written_in_each_language() -> None:
    """A clause says something in each language, ends as a sentence, and no two languages share their wording."""
    for id_ in all_clauses():
        texts = [clause(id_, language).text for language in LANGUAGES]
        assert all(text.endswith(".") and len(text) > 10 for text in texts), id_
        assert len(set(texts)) == len(LANGUAGES), id_


def test_languages_use_their_own_letters() -> None:
    """Russian is written in Cyrillic and the others are not, so that no translation lies in the wrong place."""
    for language in LANGUAGES:
        for each in all_clauses(language).values():
            assert bool(re.search(CYRILLIC, each.text)) == (language == "ru"), each.id


def test_remarks_are_marked() -> None:
    """The two sentences that carry no rule are remarks; decisions say what they are about; the rest are rules."""
    remarks = {each.id for each in all_clauses().values() if each.kind is Kind.REMARK}
    assert remarks == {"F42-PL-01", "LIN-02"}
    for each in all_clauses().values():
        assert (each.kind is Kind.DECISION) == bool(each.on) == (each.id[:2] in {"A-", "D-", "X-"}), each.id
        assert all(clause(other).kind is not Kind.DECISION for other in each.on), each.id


def test_clauses_belong_to_presets() -> None:
    """Each text belongs to its preset, and a preset has its own text, the decisions on it, and no other."""
    assert {preset for each in all_clauses().values() for preset in each.presets} == set(PRESETS)
    prefixes = {id_.rpartition("-")[0] for id_ in (each.id for each in clauses_of("forty_two", "polish"))}
    assert prefixes == {"F42-PL", "A-PL", "D", "X"}
    prefixes = {id_.rpartition("-")[0] for id_ in (each.id for each in clauses_of("forty_two", "russian"))}
    assert prefixes == {"F42-RU", "A-RU", "D", "X"}
    assert {each.id.rpartition("-")[0] for each in clauses_of("fives")} == {"LIN", "A-LIN", "D"}


def test_named_options_exist() -> None:
    """An option that a clause names is a field of the options of every game that the clause belongs to."""
    for each in all_clauses().values():
        for preset in each.presets:
            options = GAMES[preset.partition(".")[0]].Options
            assert each.option is None or each.option in options.__dataclass_fields__, each.id
            assert each.option is None or f"`{each.option}`" in each.text


@pytest.mark.parametrize("id_", ["", "F42-PL-32", "f42-pl-01", "presets", "D-99"])
def test_unknown_clause(id_: str) -> None:
    """An id that is in no text is refused by name."""
    with pytest.raises(UnknownClause, match=re.escape(repr(id_))):
        clause(id_)


def test_unknown_rules() -> None:
    """A language, game, preset or revision that the book does not have is refused."""
    with pytest.raises(UnknownRules, match="language of en, pl, ru, got 'de'"):
        clause("D-01", "de")
    for game, preset in (("whist", None), ("forty", None), ("fives", "polish")):
        with pytest.raises(UnknownRules, match="expected a game"):
            clauses_of(game, preset)
    with pytest.raises(UnknownRules, match="revision of 1, got 2"):
        rules_digest("fives", 2)


# --- the digest


@pytest.mark.parametrize(
    ("game", "digest"),
    [
        ("forty_two", "5a5c2277645b7988d8ff606e6ee86121606c83886fa5cc244fc832343054d256"),
        ("fives", "b9b6f4d384dcc596aa930c0645de1e068fd5f1ad71eaae590a30b3feab55e6ca"),
    ],
)
def test_digest_of_the_normative_clauses(game: str, digest: str) -> None:
    """The digest that stands in every log header. If this test fails, the rules in words have changed.

    Then either take the change back, or make it a new rules revision: `dominohall_engine.revisions` says how. Both
    digests are kept, the changelog says it, the clause has a test. Never just paste the new value here.
    """
    assert rules_digest(game, 1).hex() == digest


# --- the messages


def tables() -> Iterator[tuple[str, Any]]:
    """Yield games and options for matches that bring up every reason: the presets, and options that refuse more."""
    for preset in PRESETS:
        game, _, name = preset.partition(".")
        yield game, GAMES[game].PRESETS[name]
    polish, linear = GAMES["forty_two"].PRESETS["polish"], GAMES["fives"].PRESETS["linear"]
    for all_pass in ("forced_30", "forced_31"):
        yield "forty_two", replace(polish, all_pass=type(polish.all_pass)(all_pass))
    yield "forty_two", replace(polish, doubles_trump=True)
    two = replace(linear, seats=2, partners=False)
    yield "fives", two
    yield "fives", replace(two, draw=type(two.draw)("one"), reserve=2)
    for spinner in ("all_four_first", "none"):
        yield "fives", replace(two, spinner=type(two.spinner)(spinner))
    yield "fives", replace(linear, seats=3, partners=False, draw=type(two.draw)("none"), hand_size=5)


def chance_moves(game: str, seats: int, seed: bytes) -> list[Any]:
    """Return a lot and a shake that are legal at this table, then some that are not."""
    import dominohall_engine.fives.moves as fives
    import dominohall_engine.forty_two.moves as forty_two

    order = shuffled(seed)
    lots: list[Any] = (
        [forty_two.Lot(seed[0] % 4), forty_two.Lot(4)]
        if game == "forty_two"
        else [fives.Lot(order[:seats]), fives.Lot(bytes(seats))]
    )
    return [lots[0], Shake(order), lots[1], Shake(bytes(28)), Abandon("Not A Code"), Abandon("")]


def odd_moves(game: str) -> list[Any]:
    """Return seat moves outside the domain, as a program with a fault would send them."""
    import dominohall_engine.fives.moves as fives
    import dominohall_engine.forty_two.moves as forty_two

    if game == "fives":
        return [fives.Play(0, 27, 99), fives.Play(0, 99, 1), fives.Play(1, 99, 1), fives.Draw(9)]
    bids = [forty_two.Bid(seat, points) for seat in range(4) for points in (0, 29, 43, 200)]
    names = [forty_two.NameTrump(seat, trump) for seat in range(4) for trump in (7, 8)]
    return [*bids, *names, forty_two.Play(0, 99), forty_two.Pass(9), forty_two.Play(7, 1)]


def walk(name: str, options: Any, number: int, steps: int) -> Iterator[Violation]:
    """Play a random match for some steps, and yield every refusal of the whole domain of moves along the way."""
    game, seed = GAMES[name], bytes([number]) * 32
    source = stream(seed)
    state = game.new_match(options)
    seats = sum(len(side) for side in game.sides(options))
    domain = [*game.seat_moves(options), *odd_moves(name)]
    for step in range(steps):
        chance = chance_moves(name, seats, bytes([number, step % 256]) * 16)
        if step % 3 == 0 or game.phase(state) != "playing":
            refused = (game.violation(state, move) for move in [*domain, *chance])
            yield from (each for each in refused if each is not None)
        legal = game.legal_moves(state) or [move for move in chance if game.violation(state, move) is None]
        if game.outcome(state) is not None:
            return
        calls = number == 0 and game.phase(state) == "auction"  # then everybody passes who may
        state = game.apply(state, legal[0 if calls else number_below(len(legal), source)])
    over = game.apply(state, Abandon("test_is_over"))
    yield from (found for move in chance if (found := game.violation(over, move)))


@cache
def refusals() -> tuple[Violation, ...]:
    """Return the different refusals of random matches at all tables."""
    found: dict[str, Violation] = {}
    for name, options in tables():
        for number in range(3):
            for each in walk(name, options, number, 110):
                found.setdefault(repr(each), each)
    return tuple(found.values())


def test_walks_meet_every_reason() -> None:
    """Random matches bring up every reason that there is, so the tests below speak about all of them."""
    assert {each.reason for each in refusals()} == set(Reason)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_has_a_message(language: str) -> None:
    """Every refusal of the engine is a sentence with its facts filled in, and not the one kept for missing facts."""
    for each in refusals():
        text = message(each, language)
        assert text.endswith((".", ".)")), each
        assert not re.search(r"[{}]|: \.|\(\)|None|_", text.replace(", _ ", "")), text
        bare = message(each._replace(facts={}), language)
        assert text != bare or each.reason in {Reason.BAD_ABANDON_REASON, Reason.ALREADY_DREW}, each


def test_messages_differ_by_language() -> None:
    """No sentence is left in another language: Cyrillic in Russian and nowhere else, English and Polish unlike."""
    for each in refusals():
        english, polish, russian = (message(each, language) for language in LANGUAGES)
        assert english != polish
        assert re.search(CYRILLIC, russian)
        assert not re.search(CYRILLIC, english + polish)


def test_words_of_facts() -> None:
    """Suits and places are said in words; a number that names nothing is shown as it came."""
    facts: dict[str, Fact] = {"tile": "6-5", "led_tile": "4-1", "led_suit": "4", "trump": "doubles"}
    facts["could_play"] = ("4-3", "4-2")
    refusal = Violation(Reason.MUST_FOLLOW_SUIT, ("F42-PL-20",), facts)
    assert (
        message(refusal) == "6-5 can't be played: fours were led with 4-1, trumps are doubles, and you hold 4-3, 4-2."
    )
    assert "czwórki" in message(refusal, "pl")
    assert "дубли" in message(refusal, "ru")
    assert "12" in message(Violation(Reason.NO_SUCH_TRUMP, ("F42-PL-08",), {"trump": "12"}), "ru")


def test_a_message_needs_no_fact() -> None:
    """A refusal without facts, as another program may build it, still is a sentence in each language."""
    for reason in Reason:
        for language in LANGUAGES:
            assert message(Violation(reason, (), {}), language).endswith(".")


# --- which language


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("pl", "pl"),
        ("RU-ru", "ru"),
        ("de, pl;q=0.5", "pl"),
        ("de", "en"),
        ("*", "en"),
        ("en;q=0, *", "pl"),
        ("en-GB;q=0.1, *;q=0.2", "pl"),
        ("pl;q=0.9, ru;q=0.900", "pl"),
        ("pl ; q=0.3 , ru;q=0.30, ru-RU;q=1", "ru"),
        ("en;q=0, pl;q=0, ru;q=0", "en"),
        ("ru;q=2", "en"),
        ("ru;q=0.1234, pl;q=0.1", "pl"),
        ("ru;level=1;q=1, pl;q=0.001", "pl"),
        ("\u0661, pl;q=\u0661", "en"),
        (";;;,,,q=1", "en"),
        ("x" * 498 + ",ru", "en"),
        ("x" * 1_000_000, "en"),
    ],
)
def test_best_language(header: str, language: str) -> None:
    """The language preferred is found by quality, then by order; a range that can't be read is passed over."""
    assert best_language(header) == language


# --- clauses, source and tests


def test_texts_are_read_only_when_asked_for() -> None:
    """An app that imports the games reads no text and no TOML parser: refusals carry ids, and words come on request."""
    program = "import sys, dominohall_engine.games as _; print(*[name for name in sys.modules if 'clauses' in name])"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == ""


def ids_in(folder: Path, *patterns: str) -> dict[str, list[str]]:
    """Return the clause ids that the files of a folder name, each with the files that name it."""
    found: dict[str, list[str]] = {}
    for pattern in patterns:
        for path in folder.rglob(pattern):
            for id_ in ID.findall(path.read_text(encoding="utf-8")):
                found.setdefault(id_, []).append(str(path.relative_to(ROOT)))
    return found


def test_every_cited_clause_exists() -> None:
    """Whatever clause the source names, in a refusal, a docstring or a comment, is in the book."""
    known = all_clauses()
    for folder in ("engine", "replays", "service", "proto", "loadtest", "docs"):
        cited = ids_in(ROOT / folder, "*.py", "*.proto", "*.toml", "*.md")
        assert {id_: files for id_, files in cited.items() if id_ not in known} == {}


def test_every_clause_of_a_refusal_exists() -> None:
    """The clauses that a refusal cites are in the book, belong to its game, and at least one is cited."""
    known = all_clauses()
    for each in refusals():
        assert each.clauses
        assert not [id_ for id_ in each.clauses if id_ not in known], each


def test_every_rule_has_a_test_of_its_name() -> None:
    """Every clause of the three texts that carries a rule has a test named for it, such as `test_f42_pl_20_...`."""
    named: set[str] = set()
    for path in (ROOT / "tests" / "engine").rglob("test_*.py"):
        named |= set(
            re.findall(r"^def test_((?:f42_pl|f42_ru|lin)_\d\d)", path.read_text(encoding="utf-8"), re.MULTILINE)
        )
    rules = [each.id for each in all_clauses().values() if each.kind is Kind.RULE]
    assert [id_ for id_ in rules if id_.lower().replace("-", "_") not in named] == []
