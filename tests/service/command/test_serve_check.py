"""`dominohall serve --check`: what would run and what stands in its way, without starting or changing anything."""

import re
import socket
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest
from dominohall_replays.sqlite_store import SqliteStore
from dominohall_service.keyring import read_keyring
from dominohall_service.settings import Settings
from typer.testing import Result

Run = Callable[..., Result]
FREE = ("--port", "0", "--health-port", "0", "--metrics-port", "0")


@pytest.fixture
def keyring(run: Run, tmp_path: Path) -> Path:
    """Make a new keyring file."""
    path = tmp_path / "keyring.json"
    assert run("keys", "new", path).exit_code == 0
    return path


def found(result: Result, name: str) -> str:
    """Return what the report says about one thing."""
    (line,) = re.findall(rf"^{name} +((?:ok|PROBLEM) .*)$", result.stdout, re.MULTILINE)
    return str(re.sub(r" +", " ", line))


def test_a_service_that_would_run(run: Run, keyring: Path) -> None:
    """With usable settings it ends with 0, names every setting and where it comes from, and makes no file."""
    result = run("serve", "--check", *FREE, "--auth", "none", "--keyring", keyring, env={"DOMINOHALL_WORKERS": "3"})
    assert result.exit_code == 0, result.output
    assert re.findall(r"^  (\w+) ", result.stdout, re.MULTILINE) == [each.name for each in fields(Settings)]
    assert re.search(r"^  workers +3  \[environment\]$", result.stdout, re.MULTILINE)
    assert re.search(r"^  auth +none  \[flag\]$", result.stdout, re.MULTILINE)
    assert re.search(r"^  reflection +true$", result.stdout, re.MULTILINE)
    assert found(result, "store") == "ok dominohall.sqlite3 would be made"
    assert found(result, "metrics port") == "ok any free one"
    assert not list(Path().iterdir())


def test_keys_are_named_and_not_shown(run: Run, keyring: Path) -> None:
    """The ids and statuses of keys are there; nothing of a key is."""
    run("keys", "rotate", keyring, "seal", "--add-only")
    result = run("serve", "--check", *FREE, "--auth", "none", "--keyring", keyring)
    ring = read_keyring(keyring)
    for keys in (ring.seal, ring.deal, ring.sign):
        for key in keys.values():
            assert f"{key.id.hex()} {key.status}" in found(result, "keys")
    assert not [line for line in keyring.read_text().split('"') if len(line) == 44 and line in result.output]


def test_an_address_with_a_password_is_not_shown(run: Run) -> None:
    """A store that is away is a problem; its address, which holds a password, is nowhere in the answer."""
    url = "postgresql://hall:s3cret@127.0.0.1:1/hall"
    result = run(
        "serve", "--check", *FREE, "--insecure-dev-keys", "--store", "postgresql", env={"DOMINOHALL_STORE_URL": url}
    )
    assert result.exit_code == 2
    assert found(result, "store").startswith("PROBLEM")
    assert re.search(r"^  store_url +\(a secret, not shown\)  \[environment\]$", result.stdout, re.MULTILINE)
    assert "s3cret" not in result.output


def test_a_taken_port_is_a_problem(run: Run) -> None:
    """A port that another program listens on is named, with exit code 2; so are two ports that are the same."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        result = run("serve", "--check", *FREE, "--insecure-dev-keys", "--health-port", port)
        assert result.exit_code == 2
        assert f":{port}" in found(result, "health port")
        assert found(result, "health port").startswith("PROBLEM")
        assert found(result, "port").startswith("ok")
    result = run("serve", "--check", *FREE, "--insecure-dev-keys", "--health-port", port, "--metrics-port", port)
    assert result.exit_code == 2
    assert "health_port and metrics_port" in found(result, "metrics port")


def test_every_problem_is_told_at_once(run: Run, tmp_path: Path) -> None:
    """Without keys, on an open network, with a file that is no store: all of it is told, and how many."""
    broken = tmp_path / "broken.sqlite3"
    broken.write_bytes(b"not a store" * 1000)
    result = run("serve", "--check", *FREE, "--auth", "none", "--host", "[::]", "--store-path", broken)
    assert result.exit_code == 2
    assert [found(result, name).split()[0] for name in ("keys", "callers", "store")] == ["PROBLEM"] * 3
    assert "3 PROBLEMS" in result.stdout
    assert broken.read_bytes() == b"not a store" * 1000


def test_a_store_that_answers(run: Run, tmp_path: Path) -> None:
    """An existing store is opened and asked."""
    path = tmp_path / "there.sqlite3"
    SqliteStore(path).close()
    result = run("serve", "--check", *FREE, "--insecure-dev-keys", "--store-path", path)
    assert (result.exit_code, found(result, "store")) == (0, f"ok {path} answers")


def test_postgresql_is_looked_at_and_not_changed(run: Run, database: str) -> None:
    """On an empty database it says that tables would be made, twice: the first look made none."""
    shared = ("--store", "postgresql")
    for _ in range(2):
        result = run("serve", "--check", *FREE, "--insecure-dev-keys", *shared, env={"DOMINOHALL_STORE_URL": database})
        assert result.exit_code == 0, result.output
        assert "would be brought up to date" in found(result, "store")
