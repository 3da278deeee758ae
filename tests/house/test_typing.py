"""The types that the wheel ships, checked as an embedding app's author would: elsewhere, under mypy --strict alone."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "typing"
ERROR = re.compile(r"^(?P<file>[\w.]+):(?P<line>\d+): error: .*\[(?P<kind>[\w-]+)\]$", re.MULTILINE)


def complaints(name: str, python: Path, folder: Path) -> list[tuple[int, str]]:
    """Return the line and kind of each error that mypy finds in a copy of an example, with no settings of ours."""
    shutil.copy(EXAMPLES / name, folder)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--python-executable={python}", name]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    found = [(int(match["line"]), match["kind"]) for match in ERROR.finditer(done.stdout)]
    assert done.returncode == bool(found), done.stdout + done.stderr
    assert len(found) == done.stdout.count("error:"), done.stdout
    return found


def test_an_embedding_app_passes(installed: Callable[[str], Path], tmp_path: Path) -> None:
    """An app's ordinary use of the engine is free of errors under strict types."""
    assert complaints("embedder.py", installed(""), tmp_path) == []


def test_mistakes_are_found(installed: Callable[[str], Path], tmp_path: Path) -> None:
    """A view can't be applied a move, a game's state is no other game's, None is not a seat: each is a type error."""
    lines = (EXAMPLES / "refused.py").read_text().splitlines()
    marked = [(number, line.split("# refused: ")[1]) for number, line in enumerate(lines, 1) if "# refused: " in line]
    assert complaints("refused.py", installed(""), tmp_path) == marked
