"""`dominohall audit`: what it prints, the shape of its JSON, and its exit codes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dominohall_replays.bulk import auditing
from dominohall_replays.bulk.findings import MEANINGS, Counts, Depth, Fault, Trouble
from dominohall_replays.generate import Form, Wanted, generate
from dominohall_replays.verdicts import DealStatement, Verdict
from dominohall_service.command import audit
from typer.testing import Result

Run = Callable[..., Result]
jsonschema: Any = pytest.importorskip("jsonschema")
PAGE = (Path(__file__).parents[3] / "docs" / "audit.md").read_text(encoding="utf-8")
COUNT = {"type": "integer", "minimum": 0}


def counts_by(names: Any) -> dict[str, Any]:
    """Return the schema of counts under exactly these names."""
    found = [str(each) for each in names]
    return {
        "type": "object",
        "required": found,
        "additionalProperties": False,
        "properties": dict.fromkeys(found, COUNT),
    }


FAULT = {
    "type": "object",
    "required": list(Fault._fields),
    "additionalProperties": False,
    "properties": {
        "source": {"type": ["string", "null"], "minLength": 1},
        "log_offset": {"type": ["integer", "null"], "minimum": 0},
        "owner": {"type": "string"},
        "match_id": {"type": "string"},
        "verdict": {"enum": [*map(str, Verdict), *map(str, Trouble)]},
        "reason": {"type": "string", "minLength": 1},
        "sequence": {"type": ["integer", "null"], "minimum": 0},
        "offset": {"type": ["integer", "null"], "minimum": 0},
        "clauses": {"type": "array", "items": {"type": "string"}},
        "refusal": {"type": "string"},
    },
}
PLAIN = [name for name in Counts.__dataclass_fields__ if name not in {"verdicts", "deals", "troubles"}]
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": [
        "exit",
        "complete",
        "depth",
        "proves",
        "leaves_open",
        *Counts.__dataclass_fields__,
        "faults_found",
        "faults",
    ],
    "properties": {
        "exit": {"enum": [0, 1, 2]},
        "complete": {"type": "boolean"},
        "depth": {"enum": [*map(str, Depth)]},
        "proves": {"type": "string", "minLength": 1},
        "leaves_open": {"type": "string", "minLength": 1},
        **dict.fromkeys(PLAIN, COUNT),
        "verdicts": counts_by(Verdict),
        "deals": counts_by(DealStatement),
        "troubles": counts_by(Trouble),
        "faults_found": COUNT,
        "faults": {"type": "array", "items": FAULT},
    },
}


def cut(path: Path) -> None:
    """Cut the last byte off a log."""
    path.write_bytes(path.read_bytes()[:-1])


def test_a_good_folder_exits_0(run: Run, folder: Path) -> None:
    """Logs that hold are counted by verdict; a match that goes on is valid so far."""
    result = run("audit", folder, "--workers", "1")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0].split() == ["valid", "2"]
    assert result.stdout.splitlines()[1].split() == ["unfinished", "1"]
    assert result.stdout.splitlines()[2].startswith("3 logs, ")
    assert result.stderr == ""


def test_the_store_is_the_default(run: Run, store: Path) -> None:
    """Without a location the store is judged; a store can be the location too."""
    by_flag = run("audit", "--store", store, "--workers", "1", "--json")
    assert json.loads(by_flag.stdout)["logs"] == 3
    assert run("audit", store, "--workers", "1", "--json").stdout == by_flag.stdout


def test_faults_are_listed_with_their_places(run: Run, folder: Path) -> None:
    """A fault stands in a line of its own: verdict, file, match, entry, byte, reason; exit code 1."""
    cut(folder / "older" / "linear.dominohall")
    result = run("audit", folder, "--workers", "1")
    assert result.exit_code == 1
    (line,) = [line for line in result.stdout.splitlines() if line.startswith("truncated: ")]
    verified = json.loads(run("replay", "verify", folder / "older" / "linear.dominohall", "--json").stdout)["reports"][
        0
    ]
    for part in ("older/linear.dominohall", "match linear", f"byte {verified['offset']:,}", verified["reason"]):
        assert part in line


def test_faults_beyond_what_is_listed_are_counted(run: Run, folder: Path) -> None:
    """`--faults` bounds the list, not the count, and it is said that there are more."""
    for path in folder.rglob("*.dominohall"):
        cut(path)
    result = run("audit", folder, "--workers", "1", "--faults", "2")
    assert "... and 1 faults more" in result.stdout
    document = json.loads(run("audit", folder, "--workers", "1", "--faults", "2", "--json").stdout)
    assert (document["faults_found"], len(document["faults"])) == (3, 2)


def test_what_is_no_log_exits_2(run: Run, folder: Path) -> None:
    """A file that is no log can't be judged, which is no verdict against any other."""
    (folder / "texas.dominohall").write_bytes(b"something else")
    assert run("audit", folder, "--workers", "1").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "No such file"),
        (["."], "found none"),
        ([".", "--workers", "2", "--scheduler", "tcp://127.0.0.1:1"], "not both"),
        ([".", "--results", "nothing://there"], "can't be used"),
        ([".", "--keys", "nowhere.json"], "No such file"),
        ([".", "--keys", "nowhere.json", "--depth", "moves"], "without --depth moves"),
    ],
)
def test_what_can_t_be_begun_exits_2(run: Run, arguments: list[str], said: str) -> None:
    """A place with nothing to judge, or a way that leads nowhere: one sentence, exit code 2."""
    result = run("audit", *arguments)
    assert (result.exit_code, said in result.stderr) == (2, True), result.output
    assert said in json.loads(run("audit", *arguments, "--json").stdout)["error"]


def test_the_document_has_its_schema_and_is_on_the_page(run: Run, folder: Path) -> None:
    """Each field has the type that programs rely on, and docs/audit.md names it."""
    cut(folder / "older" / "linear.dominohall")
    (folder / "texas.dominohall").write_bytes(b"something else")
    (folder / "x.dominohall-segment").write_bytes(b"no segment")
    document = json.loads(run("audit", folder, "--workers", "1", "--json").stdout)
    jsonschema.validate(document, SCHEMA)
    assert {fault["verdict"] for fault in document["faults"]} == {"truncated", "unreadable", "segment_broken"}
    for name in (*document, *Fault._fields, *Trouble):
        assert f"`{name}`" in PAGE, name


def test_results_are_taken_by_the_next_run(run: Run, folder: Path, tmp_path: Path) -> None:
    """The same document comes from what was kept, byte for byte."""
    cut(folder / "older" / "linear.dominohall")
    arguments = ("audit", folder, "--workers", "1", "--json", "--results", tmp_path / "results")
    first = run(*arguments)
    (kept,) = (tmp_path / "results").rglob("*.json")
    written = kept.stat().st_mtime_ns
    assert run(*arguments).stdout == first.stdout
    assert kept.stat().st_mtime_ns == written


def test_the_command_s_numbers_are_those_of_the_library() -> None:
    """Defaults that stand in the command, so that its help is quick, are the library's."""
    assert (audit.LISTED, audit.LOGS_A_BATCH) == (auditing.LISTED_FAULTS, auditing.LOGS_A_BATCH)
    assert list(map(str, audit.Depth)) == list(map(str, Depth))


@pytest.mark.parametrize("depth", Depth)
def test_it_is_said_what_the_depth_shows_and_what_not(run: Run, tmp_path: Path, depth: Depth) -> None:
    """Text and document name the depth that was asked for, what it proves, and what it leaves open."""
    generate(str(tmp_path / "archive"), Wanted(seed=3, matches=2, form=Form.COMPACT, faults=0))
    arguments = ("audit", tmp_path / "archive", "--workers", "1", "--depth", depth)
    shown = run(*arguments).stdout
    document = json.loads(run(*arguments, "--json").stdout)
    jsonschema.validate(document, SCHEMA)
    assert (document["depth"], document["proves"], document["leaves_open"]) == (depth, *MEANINGS[depth])
    assert f"depth {depth} shows, {document['proves']}" in shown
    assert document["leaves_open"] in shown
    assert ("2 of the logs by their moves alone" in shown) == (depth is Depth.MOVES)
    assert document["moves_only"] == (2 if depth is Depth.MOVES else 0)
