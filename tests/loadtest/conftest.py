"""The load test as a person starts it: a process of its own, with our packages on its path."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

with pytest.MonkeyPatch.context() as patch:
    patch.setenv("LOCUST_SKIP_MONKEY_PATCH", "1")  # or importing it would hand this whole process over to gevent
    pytest.importorskip("locust", reason="locust is not installed: the extra [loadtest] brings it")
if str(ROOT / "loadtest") not in sys.path:
    sys.path.append(str(ROOT / "loadtest"))  # not part of the wheel, so an installed distribution does not bring it


@pytest.fixture
def loadtest(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run `python -m dominohall_loadtest` with these arguments and return how it ended and what it printed."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        command = [sys.executable, "-m", "dominohall_loadtest", *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=120
        )

    return run
