"""A client that is not Python: the TypeScript example plays whole matches against a real service."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from dominohall_replays.verdicts import Verdict
from dominohall_replays.verify import verify

ROOT = Path(__file__).parents[3]
PRESETS = ("forty_two.polish", "forty_two.russian", "fives.linear")


@pytest.fixture
def target(tmp_path: Path, transport: str) -> Iterator[str]:
    """Run a service on free ports of loopback and yield its address."""
    ports = ["--port=0", "--health-port=0", "--metrics-port=0"]
    command = [sys.executable, "-m", "dominohall_service.command", "serve", "--insecure-dev-keys", "--log-format=json"]
    log = tmp_path / "server.log"  # a file: a pipe that nobody empties would stop the service in the middle of a match
    with (
        log.open("wb") as output,
        subprocess.Popen(
            [*command, *ports, f"--transport={transport}"], cwd=tmp_path, stdout=output, stderr=subprocess.STDOUT
        ) as process,
    ):
        try:
            yield f"127.0.0.1:{wait_for_port(log, process)}"
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=30)


def wait_for_port(log: Path, process: subprocess.Popen[bytes]) -> int:
    """Wait until the log says where the service listens."""
    for _ in range(600):
        if found := re.search(r'"port": ?(\d+)', log.read_text()):
            return int(found[1])
        if process.poll() is not None:
            break
        time.sleep(0.05)
    pytest.fail(f"the service did not say where it listens: {log.read_text()}")


@pytest.mark.parametrize("preset", PRESETS)
def test_a_typescript_host_plays_a_whole_match(example: Path, target: str, tmp_path: Path, preset: str) -> None:
    """It plays to the end, is refused with a clause, repeats a lost reply on the same link; its replay is valid."""
    file = tmp_path / "match.dominohall"
    done = subprocess.run(
        ["npm", "run", "--silent", "play", "--", target, preset, str(file)],
        cwd=example, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^refused: seat \d may not play \d-\d: [A-Z_]+, clause [A-Z0-9-]+: \S", done.stdout, re.MULTILINE)
    retried = re.search(r"^retried: still record (\d+), link ([0-9a-f]{16})$", done.stdout, re.MULTILINE)
    assert retried is not None, done.stdout
    assert re.search(r"^over after \d+ moves: ENDING_TARGET, points \d+", done.stdout, re.MULTILINE), done.stdout
    report = verify(file.read_bytes())
    assert report.verdict is Verdict.VALID, report
    assert report.moves >= int(retried[1])


def test_the_page_shows_the_commands_that_exist() -> None:
    """The commands of the embedding page are scripts of the example's package, whose lock names no registry."""
    page = (ROOT / "docs" / "embedding.md").read_text()
    block = re.search(r"<!-- run by tests/service/node -->\n```sh\n(.*?)```", page, re.DOTALL)
    assert block is not None
    package = (ROOT / "docs" / "examples" / "typescript" / "package.json").read_text()
    for script in re.findall(r"npm run (\w+)", block[1]):
        assert f'"{script}": ' in package
    lock = (ROOT / "docs" / "examples" / "typescript" / "package-lock.json").read_text()
    assert '"resolved"' not in lock
    assert '"integrity"' in lock
