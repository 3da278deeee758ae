"""`docs/security.md` names tests, and they are there."""

import ast
import re
from pathlib import Path

from dominohall_service.gate import SCOPES_OF

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")


def named() -> list[str]:
    """Return the ids of tests that the page names."""
    return re.findall(r"`(tests/[\w/.:]+)`", PAGE)


def test_every_test_that_is_named_exists() -> None:
    """Each id on the page is a file with tests, or a test in it."""
    assert len(named()) > 15
    for test in named():
        path, _, name = test.partition("::")
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        tests = {each.name for each in tree.body if isinstance(each, ast.FunctionDef) and each.name.startswith("test_")}
        assert name in tests if name else tests, test


def test_every_threat_has_a_test() -> None:
    """No row of the threats is without a test that shows it."""
    table = PAGE.partition("## Threat by threat")[2].partition("## What is not promised")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    assert rows
    assert [row for row in rows if "`tests/" not in row] == []


def test_every_scope_is_explained() -> None:
    """Each scope that a method asks for stands on the page."""
    for scope in frozenset().union(*SCOPES_OF.values()):
        assert f"| `{scope}` |" in PAGE
