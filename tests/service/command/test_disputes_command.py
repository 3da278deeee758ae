"""`replay explain`, `audit-hand`, `judge` and `notation`: answers as text, JSON and pages, and their exit codes."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Run = Callable[..., Result]

RENEGE = """as-played 1
rules: forty_two.polish
shaker: 3
calls 0: 30 pass pass pass
trump 0: threes
trick 0: 3-3 1-0 3-0 3-1
trick 0: 4-4 4-2 6-4 4-0
trick 0: 0-0 6-0 1-1 2-2
trick 0: 2-0 5-2 6-2 5-0
"""


@pytest.fixture
def renege(tmp_path: Path) -> Path:
    """Write down a round with a renege."""
    path = tmp_path / "round.txt"
    path.write_text(RENEGE, encoding="utf-8")
    return path


def test_explain_tells_a_move_with_its_rules(run: Run, folder: Path) -> None:
    """A move as text: verdict, hands, what could not be played and why, the clauses; in the language asked for."""
    result = run("replay", "explain", folder / "texas.dominohall", "--at", "14", "--lang", "ru")
    assert result.exit_code == 0
    for piece in ("Объяснение хода 14", "Подпись не проверялась", "F42-PL-20", "[", "Решает английский текст"):
        assert piece in result.output


def test_explain_as_json_and_as_a_page(run: Run, folder: Path, tmp_path: Path) -> None:
    """JSON is one document; a page is written where it was asked for, and can be written again."""
    document = json.loads(run("replay", "explain", folder / "texas.dominohall", "--at", "14", "--json").stdout)
    assert document["decision"]["sequence"] == 14
    assert document["standing"]["verdict"] == "valid"
    page = tmp_path / "page.html"
    for _ in range(2):
        result = run("replay", "explain", folder / "texas.dominohall", "--round", "1", "--html", page)
        assert result.exit_code == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "Round 1 explained" in page.read_text(encoding="utf-8")


def test_explain_finds_stored_matches(run: Run, store: Path) -> None:
    """An id is looked up in the store, as by every command."""
    result = run("replay", "explain", "linear", "--at", "20", "--store", store)
    assert result.exit_code == 0
    assert "LIN-" in result.output


def test_explain_of_a_faulty_log_ends_with_one(run: Run, folder: Path) -> None:
    """A log that is cut is explained before the cut, says so, and the exit code is the verdict's."""
    path = folder / "texas.dominohall"
    path.write_bytes(path.read_bytes()[:-50])
    result = run("replay", "explain", path, "--at", "14")
    assert result.exit_code == 1
    assert "This log is cut off." in result.output
    beyond = run("replay", "explain", path, "--at", "9999")
    assert beyond.exit_code == 2
    assert "stops to hold" in beyond.output


@pytest.mark.parametrize(
    "words",
    [
        ["--at", "3", "--round", "1"],
        [],
        ["--at", "3", "--lang", "de"],
        ["--round", "99"],
        ["--at", "3", "--keys", "nowhere.json"],
    ],
)
def test_explain_refuses_what_it_cannot_answer(run: Run, folder: Path, words: list[str]) -> None:
    """Both a move and a round, neither, another language, a round that is not there, keys that are not there: 2."""
    result = run("replay", "explain", folder / "texas.dominohall", *words, "--json")
    assert result.exit_code == 2
    assert "error" in json.loads(result.stdout)


def test_audit_hand_finds_the_renege(run: Run, renege: Path, tmp_path: Path) -> None:
    """The first illegal ply with line and column, its clause, the score under both presets; exit code 1."""
    result = run("replay", "audit-hand", renege)
    assert result.exit_code == 1
    for piece in ("number 17 (line 8, column 22)", "F42-PL-20", "forty_two.russian"):
        assert piece in " ".join(result.output.split())
    document = json.loads(run("replay", "audit-hand", renege, "--json").stdout)
    assert document["findings"][0]["ply"] == 17
    page = tmp_path / "audit.html"
    assert run("replay", "audit-hand", renege, "--html", page, "--lang", "pl").exit_code == 1
    assert 'lang="pl"' in page.read_text(encoding="utf-8")


def test_audit_hand_of_what_is_no_round(run: Run, tmp_path: Path) -> None:
    """A text that is no round ends with 2 and the place; a file that is not there, or is no text, with 2 as well."""
    path = tmp_path / "round.txt"
    path.write_text(RENEGE.replace("6-0", "6-9"), encoding="utf-8")
    result = run("replay", "audit-hand", path)
    assert result.exit_code == 2
    assert "line 8, column 14" in result.output
    path.write_bytes(b"\xff\xfe")
    assert run("replay", "audit-hand", path).exit_code == 2
    assert run("replay", "audit-hand", tmp_path / "nowhere.txt").exit_code == 2


def test_a_round_goes_from_a_log_to_text_and_to_the_audit(run: Run, folder: Path, tmp_path: Path) -> None:
    """`notation` writes a round that `audit-hand` finds clean, with the score of the log."""
    for name in ("texas.dominohall", "older/linear.dominohall"):
        written = run("replay", "notation", folder / name, "--round", "2")
        assert written.exit_code == 0
        path = tmp_path / "round.txt"
        path.write_text(written.stdout, encoding="utf-8")
        audited = json.loads(run("replay", "audit-hand", path, "--json").stdout)
        assert audited["is_clean"]
        assert audited["scores"][0]["matches_written"]
    assert run("replay", "notation", folder / "texas.dominohall", "--round", "99").exit_code == 2


def test_judge_by_other_rules(run: Run, folder: Path, tmp_path: Path) -> None:
    """The other preset, with an option changed; differences are no verdict, so the exit code is 0."""
    log = folder / "texas.dominohall"
    result = run("replay", "judge", log, "--as", "forty_two.russian", "--option", "target=500")
    assert result.exit_code == 0
    for piece in ("Auction", "Play", "Scoring", "F42-RU-20", "X-01"):
        assert piece in result.output
    document = json.loads(run("replay", "judge", log, "--as", "forty_two.russian", "--json").stdout)
    assert document["rules"] == "forty_two.russian"
    assert document["scoring"]["differences"]
    page = tmp_path / "judge.html"
    assert run("replay", "judge", log, "--as", "forty_two.polish", "--html", page).exit_code == 0
    assert page.stat().st_size > 1000


@pytest.mark.parametrize(
    "words",
    [
        ["--as", "fives.linear"],
        ["--as", "forty_two.texan"],
        ["--as", "forty_two.polish", "--option", "target"],
        ["--as", "forty_two.polish", "--option", "target=many"],
        ["--as", "forty_two.polish", "--option", "hue=red"],
        ["--as", "forty_two.polish", "--lang", "de"],
    ],
)
def test_judge_refuses_rules_that_do_not_fit(run: Run, folder: Path, words: list[str]) -> None:
    """Rules of another game, unknown ones, options that are none: exit code 2 and one sentence."""
    result = run("replay", "judge", folder / "texas.dominohall", *words)
    assert result.exit_code == 2
    assert "expected" in result.output


def test_bytes_that_are_no_log(run: Run, folder: Path) -> None:
    """Every one of these commands ends with 2 on a file that is no log."""
    notes = folder / "notes.txt"
    for words in (
        ["explain", notes, "--at", "1"],
        ["judge", notes, "--as", "forty_two.polish"],
        ["notation", notes, "--round", "1"],
    ):
        assert run("replay", *words).exit_code == 2
