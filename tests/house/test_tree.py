"""What may stand in a tracked file, and how much of it."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GENERATED = re.compile(r"_pb2(_grpc)?\.pyi?$|/generated/|\.lock$|package-lock\.json$|proto/generator\.txt$")
FORBIDDEN = {
    "the host of a registry": re.compile(
        "https?://[^ \"']*(py" + "pi|python" + "hosted|npm" + "js|deb" + "ian)", re.IGNORECASE
    ),
    "a path of somebody's machine": re.compile(r"(?<![\w.:/$}-])/(home|root|work|Users)/\w"),
    "unfinished work": re.compile(r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX)\b"),
    "a private key": re.compile("-----BEGIN [A-Z ]*PRIVATE " + "KEY"),
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_tracked_file_holds(what: str, tracked: list[Path]) -> None:
    """Nothing of the machine it was written on, nothing that is put off, no secret."""
    found = [
        f"{path}:{number}: {line.strip()[:100]}"
        for path in tracked
        for number, line in enumerate((ROOT / path).read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if FORBIDDEN[what].search(line)
    ]
    assert not found, "\n".join(found)


def test_lists_name_no_index() -> None:
    """The hashed lists and the npm lock say what to install, never from where."""
    locks = [
        *ROOT.glob("requirements*.lock"),
        ROOT / "proto" / "generator.txt",
        *ROOT.glob("*/*/*/package-lock.json"),
        *ROOT.glob("loadtest/peers/*lock*"),
    ]
    assert len(locks) >= 4
    for lock in locks:
        text = lock.read_text()
        assert not re.search(
            r"https?://|^-|--(extra-)?index|--find-links|\"resolved\"", strip_funding(text), re.MULTILINE
        ), lock


def strip_funding(text: str) -> str:
    """Drop what packages say of their sponsors in an npm lock: addresses of people, not of registries."""
    return re.sub(r'"funding": (\[[^\]]*\]|\{[^}]*\}|"[^"]*")', "", text)


def test_modules_are_one_noun_long(tracked: list[Path]) -> None:
    """No module has more than 350 lines, but a generated one, or one of tests that goes through a long text."""
    modules = [path for path in tracked if path.suffix == ".py" and not GENERATED.search(path.as_posix())]
    lengths = {path.as_posix(): (ROOT / path).read_text().count("\n") for path in modules}
    assert lengths
    assert not {
        path: length for path, length in lengths.items() if length > (500 if path.startswith("tests/") else 350)
    }


def test_no_file_is_named_for_nothing(tracked: list[Path]) -> None:
    """A module is named for what it holds."""
    assert not [path for path in tracked if path.stem in {"util", "utils", "helpers", "common", "misc"}]


def test_nothing_is_named_set(tracked: list[Path]) -> None:
    """`set` is a type in Python, a bid in 42 and a box of tiles in a shop: no variable may have that name."""
    naming = re.compile(r"^\s*(set\s*(:[^=]+)?=(?!=)|for set in )|def set\(|[(,]\s*set\s*:", re.MULTILINE)
    assert not [path for path in tracked if path.suffix == ".py" and naming.search((ROOT / path).read_text())]


def test_the_changelog_has_this_version() -> None:
    """What is about to be released, or was, is in the changelog."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert re.search(rf"^## \[(Unreleased|{re.escape(version)})\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
