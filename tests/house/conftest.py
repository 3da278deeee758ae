"""The project as others meet it: the tracked files, and the built wheel in environments of its own."""

import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def tracked() -> list[Path]:
    """Return the paths of every tracked text file, relative to the root."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is not a git checkout: what is tracked can't be told")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [Path(name) for name in listed.split("\0") if name and (ROOT / name).exists()]
    return [path for path in paths if b"\0" not in (ROOT / path).read_bytes()[:8192]]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel of this checkout and return its path."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


Installed = Callable[[str], Path]


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Return a function that installs the wheel with extras (`""`, `"[replays]"`) alone and gives the Python there.

    Without extras nothing may be looked for anywhere. With extras the versions are the locked ones; they come from uv's
    cache if they can, because the set-up has just put them there, and from the index if not.
    """
    pythons: dict[str, Path] = {}

    def install(extras: str) -> Path:
        if extras not in pythons:
            folder = tmp_path_factory.mktemp("environment")
            venv.create(folder, with_pip=False)
            pythons[extras] = folder / "bin" / "python"
            pins = folder / "pins.txt"
            pins.write_text(pins_in((ROOT / "requirements.lock").read_text()))
            commands = installations(
                pythons[extras], f"dominohall{extras} @ {wheel.as_uri()}", pins if extras else None
            )
            for command in commands:
                tried = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
                if tried.returncode == 0:
                    break
            else:
                pytest.fail(tried.stdout + tried.stderr)
        return pythons[extras]

    return install


def pins_in(lock: str) -> str:
    """Return the versions of a hashed list without the hashes: pip wants one of the wheel too if it sees any."""
    lines = [line.removesuffix("\\").rstrip() for line in lock.splitlines() if line[:1].isalnum()]
    return "\n".join(lines) + "\n"


def installations(python: Path, what: str, pins: Path | None) -> list[list[str]]:
    """Return the commands to try, in order; without pins nothing is looked for anywhere."""
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    if pins is None:
        return [[*pip, "--no-index", what]]
    locked = ["--constraint", str(pins)]
    uv = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", str(python), *locked]
    return [[*uv, "--offline", what], [*uv, what], [*pip, *locked, what]]
