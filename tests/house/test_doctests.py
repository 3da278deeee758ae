"""The examples in docstrings."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted(
    ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
    for root in (ROOT / "engine", ROOT / "replays", ROOT / "service")
    for path in root.rglob("*.py")
    if ">>>" in path.read_text()
)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module(name: str) -> None:
    """What a docstring shows is what happens."""
    result = doctest.testmod(importlib.import_module(name), report=True)
    assert result.attempted
    assert not result.failed
