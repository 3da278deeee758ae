"""The load test's folder, which is no part of the wheel, on the path of the chaos."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

if str(ROOT / "loadtest") not in sys.path:
    sys.path.append(str(ROOT / "loadtest"))


@pytest.fixture(autouse=True)
def paths(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the servers that are started find what this process finds."""
    monkeypatch.setenv("PYTHONPATH", ":".join(path for path in sys.path if path))
