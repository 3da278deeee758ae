"""The wheel, installed into empty environments: what an embedding app gets."""

import json
import subprocess
import tomllib
import zipfile
from collections.abc import Callable
from email import message_from_string
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {"dominohall", "dominohall_engine", "dominohall_replays", "dominohall_service"}
PLAY = """
import json
from dominohall_engine import fives, forty_two
from dominohall_engine.shuffle import shuffled

def play(game, options):
    state, made = game.new_match(options), 0
    while game.outcome(state) is None:
        order = shuffled(made.to_bytes(32, "big"))
        if game.phase(state) == "shake":
            move = game.Shake(order)
        elif game.phase(state) == "lot":
            move = game.Lot(0) if game is forty_two else game.Lot(order[:4])
        else:
            moves = game.legal_moves(state)
            move = moves[made * 7 % len(moves)]
        state, made = game.apply(state, move), made + 1
    assert game.problems(state) == ()
    assert game.encode(game.decode(game.encode(state))) == game.encode(state)
    return made

matches = (forty_two, forty_two.POLISH), (forty_two, forty_two.RUSSIAN), (fives, fives.LINEAR)
print(json.dumps([play(*match) for match in matches]))
"""


def run(python: Path, code: str, folder: Path) -> str:
    """Run code in that environment alone: no PYTHONPATH, no user packages, another working folder."""
    done = subprocess.run([python, "-I", "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def distributions(python: Path, folder: Path) -> set[str]:
    """Return the names of all that is installed there."""
    code = "import importlib.metadata as m, json; print(json.dumps([d.name for d in m.distributions()]))"
    return set(json.loads(run(python, code, folder)))


def test_the_engine_needs_nothing(installed: Callable[[str], Path], tmp_path: Path) -> None:
    """`pip install dominohall` brings one distribution, and whole matches of every preset can be played with it."""
    python = installed("")
    assert distributions(python, tmp_path) == {"dominohall"}
    lengths = json.loads(run(python, PLAY, tmp_path))
    assert len(lengths) == 3
    assert all(length > 20 for length in lengths)


def test_the_replays_extra(installed: Callable[[str], Path], tmp_path: Path) -> None:
    """`dominohall[replays]` reads and verifies logs, without a server, a wire or a terminal library."""
    python = installed("[replays]")
    names = distributions(python, tmp_path)
    assert {"dominohall", "msgpack", "cryptography"} <= names
    assert not names & {"grpcio", "protobuf", "structlog", "typer", "rich", "locust"}
    code = "from dominohall_replays.verify import verify; print(verify(b'').verdict)"
    assert run(python, code, tmp_path).strip() in {"truncated", "unreadable"}


def test_the_client_extra(installed: Callable[[str], Path], tmp_path: Path) -> None:
    """`dominohall[client]` calls a service, without a store, a log's library or a terminal's."""
    python = installed("[client]")
    names = distributions(python, tmp_path)
    assert {"dominohall", "grpcio", "grpcio-status", "protobuf"} <= names
    assert not names & {"msgpack", "cryptography", "structlog", "typer", "rich", "locust"}
    run(python, "import dominohall.client, dominohall.v1.replay_service_pb2_grpc", tmp_path)


def test_the_service_extra(installed: Callable[[str], Path], tmp_path: Path) -> None:
    """`dominohall[service]` has the command and all that it imports, and nothing of the tests or the load test."""
    python = installed("[service]")
    assert "locust" not in distributions(python, tmp_path)
    for command in ([], ["serve"], ["replay"], ["rules"], ["keys"]):
        shown = subprocess.run(
            [python.parent / "dominohall", *command, "--help"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert shown.returncode == 0, shown.stderr
    run(python, "import dominohall_service.server", tmp_path)


def test_the_wheel_holds_the_packages_and_their_types(wheel: Path) -> None:
    """Each package ships `py.typed`; nothing else is put at the top of an app's environment."""
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == PACKAGES
    assert {name.removesuffix("/py.typed") for name in names if name.endswith("/py.typed")} == PACKAGES
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_extras_are_bounded_from_below_only_by_what_the_code_needs(wheel: Path) -> None:
    """An embedding app keeps its own choice of versions: no extra has an upper bound or an exact pin."""
    archive = zipfile.ZipFile(wheel)
    (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    wanted = message_from_string(archive.read(metadata).decode()).get_all("Requires-Dist", [])
    assert wanted
    for requirement in wanted:
        assert "extra ==" in requirement, requirement
        assert "<" not in requirement, requirement
        assert "==" not in requirement.split(";")[0], requirement


def test_the_service_list_is_part_of_the_whole_one() -> None:
    """The image installs exactly the versions that the tests ran with, each with its hash."""
    locks = {}
    for name in ("requirements.lock", "requirements-service.lock", "requirements-build.lock"):
        lines = (ROOT / name).read_text().splitlines()
        locks[name] = {line.split(" ")[0] for line in lines if line and line[0] not in "# "}
        assert all(line.startswith((" ", "#")) or line.endswith("\\") for line in lines if line), name
    assert locks["requirements-service.lock"] < locks["requirements.lock"]
    assert locks["requirements-build.lock"] < locks["requirements.lock"]


@pytest.mark.parametrize("extra", ["replays", "service", "postgresql", "archive", "loadtest"])
def test_every_direct_requirement_is_locked(extra: str) -> None:
    """`make lock` was run after the last change of an extra."""
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"][extra]
    locked = (ROOT / "requirements.lock").read_text()
    for requirement in wanted:
        name = requirement.split(">")[0].partition("[")[0]
        assert name == "dominohall" or f"\n{name}==" in locked, name
