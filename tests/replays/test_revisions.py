"""A second revision of the rules of 42 behind a switch of these tests: old logs and new ones, each by its own rules.

Revision 2 says what no text says: no bid is lower than 31. It is known only inside `second_revision`; outside it this
is a build that lacks it.
"""

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

import pytest
from dominohall_engine import forty_two
from dominohall_engine.clauses import book, clause, rules_digest
from dominohall_engine.errors import IllegalMove, UnreadableState
from dominohall_engine.forty_two import encoding
from dominohall_engine.games import GAMES
from dominohall_engine.revisions import NEWEST
from dominohall_engine.violations import Reason, Violation
from dominohall_replays.as_played.audit import audit
from dominohall_replays.as_played.notation import parse_round
from dominohall_replays.explain import explain
from dominohall_replays.judge import judge
from dominohall_replays.records import header_entry, move_entry
from dominohall_replays.report import report_to_plain
from dominohall_replays.verdicts import Verdict
from dominohall_replays.verify import verify

FIXTURES = Path(__file__).parent / "fixtures" / "v1"
FIXTURE_NAMES = sorted(path.name for path in FIXTURES.glob("*.dominohall"))
LOWEST = 31
CLAUSE = "F42-PL-15"
NEW_WORDS = {
    "en": "No bid is lower than 31.",
    "pl": "Najniższa odzywka to 31.",
    "ru": "Заявка меньше 31 не бывает.",
}
REWORDED = "F42-PL-21"
"""Says the same in other words in revision 2; every round cites it."""
OTHER_WORDS = {
    "en": "A new wording.",
    "pl": "Nowe brzmienie.",
    "ru": "Новая редакция.",
}
ROUND = """as-played 1
rules: forty_two.polish
option: revision {}
bid 0: 31
trump 0: threes
trick 0: 4-4 4-2 6-4 4-0
"""


class Revised:
    """42 with revision 2: at the one point of difference it asks the match's options for their revision."""

    def __getattr__(self, name: str) -> Any:
        """Everything else is as it was."""
        return getattr(forty_two, name)

    def violation(self, state: Any, move: Any) -> Violation | None:
        """Refuse a bid of 30 from revision 2 on."""
        low = isinstance(move, forty_two.Bid) and move.points < LOWEST
        refused = forty_two.violation(state, move)
        if refused is None and low and forty_two.options_of(state).revision >= 2:
            facts = {"seat": move.seat, "points": move.points, "lowest": LOWEST}
            return Violation(Reason.BID_TOO_LOW, (CLAUSE,), facts)
        return refused

    def legal_moves(self, state: Any) -> tuple[Any, ...]:
        """List what is not refused."""
        return tuple(move for move in forty_two.legal_moves(state) if self.violation(state, move) is None)

    def apply(self, state: Any, move: Any) -> Any:
        """Apply what is not refused."""
        refused = self.violation(state, move)
        if refused is not None:
            raise IllegalMove(refused)
        return forty_two.apply(state, move)


def forget() -> None:
    """Forget what was read under the other build: options and digests are remembered."""
    encoding._unpack_options.cache_clear()
    book._digest.cache_clear()


@pytest.fixture
def second_revision(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Make this build know revision 2 of 42, its behaviour and its words, until the function given is called."""
    words = {CLAUSE: NEW_WORDS, REWORDED: OTHER_WORDS}
    entries: Mapping[str, Any] = {id_: {**book._book()[id_], "revision": {"2": words[id_]}} for id_ in words}
    revised = MappingProxyType({**book._book(), **entries})
    with monkeypatch.context() as patch:
        patch.setitem(NEWEST, "forty_two", 2)
        patch.setitem(cast("dict[str, Any]", GAMES), "forty_two", Revised())
        patch.setattr(book, "_book", lambda: revised)
        forget()

        def forgotten() -> None:
            patch.undo()
            forget()

        yield forgotten
    forget()


def polish_2() -> forty_two.Options:
    """Return the Polish preset under revision 2, for two rounds."""
    return replace(forty_two.POLISH, revision=2, round_limit=2)


@pytest.mark.parametrize("name", FIXTURE_NAMES)
def test_old_logs_stay_as_they_were(second_revision: Any, name: str) -> None:
    """With a newer revision every log of the older one gets the verdict that it got before."""
    with_it = report_to_plain(verify(FIXTURES / name))
    second_revision()
    assert with_it == report_to_plain(verify(FIXTURES / name))
    assert with_it["rules_revision"] == 1


def test_new_logs_are_played_by_the_new_rules(second_revision: Any, record: Any, tools: Any) -> None:
    """A match under revision 2 is valid, pins the new text, and a bid of 30 is refused in it by the new clause."""
    match = record("forty_two", polish_2(), seed=11)
    report = verify(match.revealed)
    assert (report.verdict, report.rules_revision) == (Verdict.VALID, 2)
    assert match.header.rules_digest == rules_digest("forty_two", 2) != rules_digest("forty_two", 1)
    assert not any(isinstance(move, forty_two.Bid) and move.points < LOWEST for move in match.moves)

    for revision, verdict in ((1, Verdict.UNFINISHED), (2, Verdict.ILLEGAL_MOVE)):
        begun = tools.start("forty_two", replace(forty_two.POLISH, revision=revision), first=0)
        tools.go_on(begun, moves=1)
        bid = forty_two.Bid(1, 30)
        after = forty_two.apply(begun.states[-1], bid)  # as a build with the old rules alone would
        begun.entries.append(move_entry(begun.game, begun.head, bid, after, root=tools.current_root(begun)))
        report = verify(begun.log)
        assert report.verdict is verdict
        assert report.clauses == ((CLAUSE,) if revision == 2 else ())


def test_each_revision_has_its_own_words(second_revision: Any) -> None:
    """A clause is cited as the match's revision had it; the digest of the older revision stays what it was."""
    old, new = clause(CLAUSE, revision=1), clause(CLAUSE)
    assert (old.text, new.text) == ("No bid is lower than 30.", NEW_WORDS["en"])
    assert clause(CLAUSE, "ru", revision=2).text == NEW_WORDS["ru"]
    digests = {number: rules_digest("forty_two", number) for number in (1, 2)}
    assert rules_digest("forty_two") == digests[2] != digests[1]
    fives = rules_digest("fives")
    second_revision()
    assert (rules_digest("forty_two", 1), rules_digest("fives")) == (digests[1], fives)
    assert clause(CLAUSE) == old


def test_answers_cite_the_words_of_the_match(second_revision: Any, record: Any) -> None:
    """What explains, judges or audits has each clause as the match's revision had it, in the language asked for."""
    for revision in (1, 2):
        match = record("forty_two", replace(polish_2(), revision=revision), seed=11)
        own = {language: clause(REWORDED, language, revision).text for language in OTHER_WORDS}
        assert (own == OTHER_WORDS) is (revision == 2)
        for language, text in own.items():
            told = explain(match.revealed, at=len(match.moves) // 2, language=language).clauses
            assert [(each.text, each.normative) for each in told if each.id == REWORDED] == [(text, own["en"])]
        for each in judge(match.revealed, "forty_two.russian").clauses:
            assert each.text == clause(each.id, revision=revision).text
        audited = audit(parse_round(ROUND.format(revision))).clauses
        assert [each.text for each in audited if each.id == REWORDED] == [own["en"]]


def test_a_build_without_it_says_so_before_the_first_move(second_revision: Any, record: Any, tmp_path: Path) -> None:
    """The verdict is `unknown_rules` at the header, by name, whatever the file is called; nothing was re-simulated."""
    log = record("forty_two", polish_2(), seed=12).revealed
    second_revision()
    report = verify(log)
    assert (report.verdict, report.sequence, report.offset, report.moves) == (Verdict.UNKNOWN_RULES, 0, 0, 0)
    assert "revision 2 of 'forty_two'" in report.reason
    path = tmp_path / "forty_two.polish.revision-1.dominohall"
    path.write_bytes(log)
    assert verify(path) == report
    command = [sys.executable, "-m", "dominohall_replays", "verify", str(path)]
    other_process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert other_process.returncode == 2
    assert "unknown_rules" in other_process.stdout + other_process.stderr


def test_another_text_under_the_same_number_is_not_the_same_rules(second_revision: Any, record: Any) -> None:
    """Two builds that call different rules revision 2 don't take each other's logs: the digest says which was meant."""
    match = record("forty_two", polish_2(), seed=13)
    header = replace(match.header, rules_digest=bytes(32))
    report = verify(header_entry(header).data)
    assert (report.verdict, report.moves) == (Verdict.UNKNOWN_RULES, 0)
    assert "another text of revision 2" in report.reason


def test_a_state_of_an_unknown_revision_is_not_read(second_revision: Any, record: Any) -> None:
    """A token that holds a state of revision 2 can't be played on by a build without it."""
    match = record("forty_two", polish_2(), seed=14, moves=5)
    data = forty_two.encode(match.states[-1])
    assert forty_two.options_of(forty_two.decode(data)).revision == 2
    second_revision()
    with pytest.raises(UnreadableState, match="revision: expected a whole number from 1 to 1, got 2"):
        forty_two.decode(data)


def test_a_preset_that_changes_changes_no_log(monkeypatch: pytest.MonkeyPatch, record: Any) -> None:
    """A log names every option, so a preset with other values in a later build gives the old result."""
    match = record("forty_two", forty_two.POLISH, seed=15)
    before = verify(match.revealed)
    monkeypatch.setattr(forty_two, "PRESETS", {"polish": replace(forty_two.RUSSIAN, target=500)})
    assert before.verdict is Verdict.VALID
    assert verify(match.revealed) == before
