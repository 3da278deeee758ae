"""Real services for the client: the service's own program on loopback, started once for all tests of this folder."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

if str(ROOT / "loadtest") not in sys.path:
    sys.path.append(str(ROOT / "loadtest"))


@pytest.fixture(scope="session")
def target(transport: str) -> Iterator[str]:
    """Run a service and yield its `host:port`."""
    from dominohall_loadtest.server import own_server

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", ":".join(path for path in sys.path if path))
        with own_server(arguments=("--transport", transport)) as address:
            yield address
