"""The TypeScript example, set up as its reader would set it up."""

import fcntl
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "docs" / "examples" / "typescript"


@pytest.fixture(scope="session")
def example() -> Path:
    """Return the folder of the example, built; skip with the reason if node or npm is missing."""
    missing = [program for program in ("node", "npm") if shutil.which(program) is None]
    if missing:
        pytest.skip(f"{' and '.join(missing)} missing (Debian: apt-get install nodejs npm)")
    with (EXAMPLE / "package.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several test processes share the folder
        installed = EXAMPLE / "node_modules" / ".package-lock.json"
        if is_stale(installed, [EXAMPLE / "package-lock.json"]):
            run("npm", "ci")
        sources = [*EXAMPLE.glob("src/*.ts"), *EXAMPLE.glob("*.json"), *ROOT.glob("proto/dominohall/v1/*.proto")]
        if is_stale(EXAMPLE / "build" / "play.js", sources):
            run("npm", "run", "--silent", "build")
    return EXAMPLE


def is_stale(made: Path, sources: list[Path]) -> bool:
    """Say whether a file is missing or older than what it is made from."""
    return not made.exists() or made.stat().st_mtime < max(source.stat().st_mtime for source in sources)


def run(*command: str) -> None:
    """Run a command in the folder of the example; its output is the message if it fails."""
    done = subprocess.run(command, cwd=EXAMPLE, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
