"""The command as a whole: its help, its version, and what it does not import."""

import subprocess
import sys
from collections.abc import Callable

import pytest
from typer.testing import Result

Run = Callable[..., Result]
COMMANDS = [
    [], ["serve"], ["demo"], ["rules"], ["verify-view"], ["archive"], ["audit"], ["generate"],
    ["replay"], *(["replay", each] for each in ("list", "show", "step", "verify", "export")),
    ["keys"], *(["keys", each] for each in ("new", "list", "rotate", "activate", "retire")),
]  # fmt: skip
HEAVY = ("grpc", "google.protobuf", "msgpack", "cryptography", "structlog", "prometheus_client", "rich.console")


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_help_tells_the_exit_codes(run: Run, command: list[str]) -> None:
    """Each command has a help that says what its exit codes mean."""
    result = run(*command, "--help")
    assert result.exit_code == 0
    assert "Exit codes: 0" in result.stdout


def test_help_imports_nothing_heavy() -> None:
    """To show its help the command loads neither gRPC nor protobuf nor rich nor any store."""
    code = (
        "import sys; from typer.testing import CliRunner; from dominohall_service.command.app import app;"
        "assert CliRunner().invoke(app, ['--help']).exit_code == 0;"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_the_version_is_printed(run: Run) -> None:
    """`--version` prints the name and the version and stops."""
    result = run("--version")
    assert result.exit_code == 0
    assert result.stdout.startswith("dominohall ")


def test_a_wrong_command_exits_2(run: Run) -> None:
    """A command or a flag that does not exist is unusable input."""
    assert run("play").exit_code == 2
    assert run("replay", "verify", "--loud").exit_code == 2
