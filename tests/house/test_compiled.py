"""The compiled build: the same source, the same tests, the same bytes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLAIN = (ROOT / "engine", ROOT / "replays")
HOT = (
    "dominohall_engine.tiles",
    "dominohall_engine.forty_two.match",
    "dominohall_engine.forty_two.state",
    "dominohall_engine.forty_two.tricks",
    "dominohall_engine.fives.legality",
    "dominohall_engine.fives.layout",
    "dominohall_engine.fives.spinners.sides_then_ends",
    "dominohall_replays.packing",
    "dominohall_replays.header",
    "dominohall_replays.reading",
    "dominohall_replays.deals",
    "dominohall_replays.fold",
    "dominohall_replays.hidden",
    "dominohall_replays.stretch",
    "dominohall_replays.kept",
    "dominohall_replays.verify",
    "dominohall_replays.compact",
    "dominohall_replays.compact_body",
    "dominohall_replays.compact_digits",
    "dominohall_replays.compact_row",
    "dominohall_replays.compact_writer",
)
WHERE = f"""
import importlib, json, dominohall_engine
modules = [importlib.import_module(name).__file__ for name in {HOT!r}]
print(json.dumps([dominohall_engine.COMPILED, modules]))
"""
BYTES = """
import json
from hashlib import sha256
from dominohall_engine import fives, forty_two
from dominohall_engine.moves import Shake
from dominohall_engine.shuffle import shuffled
from dominohall_replays.deals import root, shake_salt
from dominohall_replays.records import digest_of

def played(game, options, number):
    state, made, seen = game.new_match(options), 0, sha256()
    while game.outcome(state) is None and made < 400:
        order = shuffled((number * 1000 + made).to_bytes(32, "big"))
        if game.phase(state) == "shake":
            move = Shake(order)
            seen.update(root(order, shake_salt(order * 2, made)))
        elif game.phase(state) == "lot":
            move = game.Lot(0) if game is forty_two else game.Lot(order[:4])
        else:
            moves = game.legal_moves(state)
            move = moves[order[0] % len(moves)]
            for other in game.seat_moves(options)[made % 7 :: 29]:
                seen.update(repr(game.violation(state, other)).encode())
        state, made = game.apply(state, move), made + 1
        for data in (game.encode_move(move), game.encode(state), digest_of(game.encode_public(state), None)):
            seen.update(data)
        seen.update(repr((game.legal_moves(state), game.turn(state), game.problems(state))).encode())
    return seen.hexdigest()

tables = (forty_two, forty_two.POLISH), (forty_two, forty_two.RUSSIAN), (fives, fives.LINEAR)
print(json.dumps([played(*table, number) for table in tables for number in range(12)]))
"""
REPORTS = """
import json, pickle, tempfile
from hashlib import sha256
from pathlib import Path
from dominohall_replays.bulk import audit
from dominohall_replays.compact import NotCompactable, compacted, judged, replayed, row_of
from dominohall_replays.generate import FAULTS, Form, Wanted, generate
from dominohall_replays.verify import verify

said = []
with tempfile.TemporaryDirectory() as folder:
    made = generate(folder, Wanted(seed=7, matches=8, form=Form.LOG, faults=2 * len(FAULTS[Form.LOG])))
    said += [(fault.verdict, fault.match_id, fault.sequence) for fault in made.planted]
    for path in sorted(Path(folder).rglob("*.dominohall")):
        log = path.read_bytes()
        report = verify(log)
        assert pickle.loads(pickle.dumps(report)) == report
        said.append((path.name, sha256(log).hexdigest(), repr(report)))
        try:
            row, _ = row_of(log)
        except NotCompactable as error:
            said.append(str(error))
        else:
            assert pickle.loads(pickle.dumps(row)) == row
            said.append((compacted(log).hex(), repr(judged(row)), repr(replayed(row))))
    said.append(audit(folder, workers=2, batch=5).to_plain())
print(json.dumps(said))
"""
ON_BOTH = (
    "tests/engine",
    "tests/replays/test_fixtures.py tests/replays/test_tampering.py tests/replays/test_verdicts.py",
    "tests/replays/test_stretch.py tests/replays/test_reading.py tests/replays/test_redact.py",
    "tests/replays/test_compact.py tests/replays/test_segments.py tests/replays/test_signatures.py",
    "tests/replays/test_bulk.py tests/replays/test_bulk_planted.py",
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the compiled wheel of this checkout, and install it into a folder of its own."""
    pytest.importorskip("mypyc")
    pytest.importorskip("setuptools")
    folder, target = tmp_path_factory.mktemp("wheel"), tmp_path_factory.mktemp("compiled")
    before = changed()
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"DOMINOHALL_COMPILE": "1"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert changed() == before
    (wheel,) = folder.glob("*.whl")
    assert not wheel.name.endswith("-none-any.whl")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", str(target)]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True)
    return target


def changed() -> set[str]:
    """Return the extension modules that lie in the checkout: none, whatever was built."""
    return {str(path) for package in PLAIN for path in package.rglob("*.so")}


def run(*paths: Path, arguments: list[str]) -> str:
    """Run Python with these folders in front of everything else; return what it printed."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths)), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_hot_modules_are_compiled(compiled: Path) -> None:
    """In that build every hot module is an extension of that folder; in the checkout none is."""
    is_compiled, modules = json.loads(run(compiled, arguments=["-c", WHERE]))
    assert is_compiled
    assert all(each.startswith(str(compiled)) and each.endswith(".so") for each in modules)
    is_compiled, modules = json.loads(run(*PLAIN, arguments=["-c", WHERE]))
    assert not is_compiled
    assert all(each.endswith(".py") for each in modules)


def test_both_builds_give_the_same_bytes(compiled: Path) -> None:
    """States, moves, legal moves, refusals, problems and digests of random matches of every preset."""
    assert run(compiled, arguments=["-c", BYTES]) == run(*PLAIN, arguments=["-c", BYTES])


def test_both_builds_say_the_same_of_logs(compiled: Path) -> None:
    """Reports and compact forms of whole logs of every preset, with every kind of fault: equal, and from a pool too."""
    said = run(compiled, arguments=["-c", REPORTS])
    assert said == run(*PLAIN, arguments=["-c", REPORTS])
    assert "illegal_move" in said
    assert len(json.loads(said)) > 50


@pytest.mark.parametrize("tests", ON_BOTH)
def test_the_tests_hold_on_the_compiled_build(compiled: Path, tests: str) -> None:
    """All tests of the engine, its fingerprints among them, of verdicts, of compact logs and of audits."""
    others = [compiled, *[ROOT / each for each in ("service", "proto", "loadtest")]]
    options = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow"]
    shown = run(*others, arguments=["-m", "pytest", *options, *tests.split()])
    assert " passed" in shown
