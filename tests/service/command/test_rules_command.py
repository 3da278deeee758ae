"""`dominohall rules`: the clauses of a preset in three languages."""

import json
from collections.abc import Callable

import pytest
from dominohall_engine.clauses import LANGUAGES, clauses_of, rules_digest
from dominohall_engine.games import PRESETS
from typer.testing import Result

Run = Callable[..., Result]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("preset", PRESETS)
def test_every_clause_of_a_preset_is_shown(run: Run, preset: str, language: str) -> None:
    """The command shows the clauses of the book, all of them, in the language asked for."""
    game, _, name = preset.partition(".")
    expected = clauses_of(game, name, language)
    document = json.loads(run("rules", preset, "--lang", language, "--json").stdout)
    assert [(each["id"], each["text"]) for each in document["clauses"]] == [(each.id, each.text) for each in expected]
    text = run("rules", preset, "--lang", language)
    assert text.exit_code == 0
    assert all(each.id in text.stdout for each in expected)


def test_one_clause_can_be_asked_for(run: Run) -> None:
    """A clause that a refusal cited is found by its id alone."""
    document = json.loads(run("rules", "--clause", "F42-PL-20", "--clause", "LIN-07", "--json").stdout)
    assert [each["id"] for each in document["clauses"]] == ["F42-PL-20", "LIN-07"]


def test_without_a_preset_they_are_listed(run: Run) -> None:
    """The list names every preset with the digest that logs carry."""
    rows = json.loads(run("rules", "--json").stdout)["presets"]
    assert tuple(row["preset"] for row in rows) == PRESETS
    assert {row["rules_digest"] for row in rows} == {rules_digest("forty_two").hex(), rules_digest("fives").hex()}
    assert all(preset in run("rules").stdout for preset in PRESETS)


@pytest.mark.parametrize("arguments", [["chess"], ["fives.muggins"], ["fives", "--lang", "de"], ["--clause", "LIN-99"]])
def test_unknown_rules_exit_2(run: Run, arguments: list[str]) -> None:
    """A game, preset, language or clause that is not in the book is unusable input."""
    result = run("rules", *arguments, "--json")
    assert result.exit_code == 2
    assert json.loads(result.stdout)["error"] in result.stderr
