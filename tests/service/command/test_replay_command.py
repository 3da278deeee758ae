"""`dominohall replay`: what it prints, the shape of its JSON, and its exit codes."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from dominohall_replays.records import Entry
from dominohall_replays.verify import verify
from dominohall_service.callers import DEFAULT_OWNER
from dominohall_service.command import sources
from typer.testing import Result

Run = Callable[..., Result]


def changed(path: Path, place: int) -> Path:
    """Write a copy of a log with one bit of it flipped."""
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    copy = path.with_name(f"changed-{place}.dominohall")
    copy.write_bytes(data)
    return copy


def test_verify_says_valid_and_exits_0(run: Run, folder: Path) -> None:
    """A whole log is valid, and the exit code says so."""
    result = run("replay", "verify", folder / "texas.dominohall")
    assert result.exit_code == 0
    assert result.stdout.startswith("valid")


def test_verify_takes_files_and_folders(run: Run, folder: Path) -> None:
    """A folder stands for the logs in it at any depth; a match that goes on is valid so far."""
    result = run("replay", "verify", folder, folder / "older" / "linear.dominohall", "--json")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["exit"] == 0
    found = [(Path(each["source"]).stem, each["verdict"]) for each in document["reports"]]
    assert found == [("going-on", "unfinished"), ("linear", "valid"), ("texas", "valid"), ("linear", "valid")]


def test_verify_json_has_the_documented_fields(run: Run, folder: Path) -> None:
    """The report of a log has every field of docs/command.md, and the bytes of the file."""
    path = folder / "texas.dominohall"
    report = json.loads(run("replay", "verify", path, "--json").stdout)["reports"][0]
    assert {
        "source",
        "bytes",
        "verdict",
        "reason",
        "sequence",
        "offset",
        "clauses",
        "refusal",
        "match_id",
        "owner",
    } <= set(report)
    assert {"game", "rules_revision", "moves", "head", "recorded", "computed", "signature", "deal", "origin"} <= set(
        report
    )
    assert report["bytes"] == path.stat().st_size
    assert report["recorded"] == report["computed"]
    assert report["head"]["link"] == verify(path.read_bytes()).head.link.hex()  # type: ignore[union-attr]


def test_verify_names_the_place_of_a_changed_byte(run: Run, folder: Path) -> None:
    """A changed byte is a verdict against the log, exit code 1, with its place in both forms of the answer."""
    copy = changed(folder / "texas.dominohall", 5000)
    expected = verify(copy.read_bytes())
    text = run("replay", "verify", copy)
    assert text.exit_code == 1
    assert f"byte {expected.offset:,}" in text.stdout
    report = json.loads(run("replay", "verify", copy, "--json").stdout)["reports"][0]
    assert (report["sequence"], report["offset"]) == (expected.sequence, expected.offset)


def test_verify_names_the_place_of_a_cut(run: Run, folder: Path) -> None:
    """A log whose end was cut off is truncated, exit code 1."""
    path = folder / "texas.dominohall"
    path.write_bytes(path.read_bytes()[:-7])
    result = run("replay", "verify", path, "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["reports"][0]["verdict"] == "truncated"


def test_a_verdict_against_one_log_outweighs_the_others(run: Run, folder: Path) -> None:
    """Among valid and unreadable logs a broken one decides the exit code, and each fault is told in full."""
    copy = changed(folder / "texas.dominohall", 5000)
    result = run("replay", "verify", folder, folder / "notes.txt")
    assert result.exit_code == 1
    assert "3 of 5 hold." in result.stdout
    assert copy.name in result.stdout.replace("\n", "")
    assert "unreadable" in result.stdout


def test_verify_of_no_log_exits_2(run: Run, folder: Path) -> None:
    """Bytes that are no log are unusable input, not a verdict against a match."""
    assert run("replay", "verify", folder / "notes.txt").exit_code == 2


@pytest.mark.parametrize("name", ["missing.dominohall", "some/where", "unknown-id"])
@pytest.mark.parametrize("command", ["verify", "show"])
def test_what_is_not_there_exits_2(run: Run, command: str, name: str) -> None:
    """A file, or an id without a store, that is not there is unusable input, said in one sentence."""
    result = run("replay", command, name, "--json")
    assert result.exit_code == 2
    assert json.loads(result.stdout)["error"] in result.stderr
    assert not Path(sources.DEFAULT_STORE).exists()


def test_verify_holds_a_log_against_a_kept_head(run: Run, folder: Path, matches: dict[str, list[Entry]]) -> None:
    """A head that was kept finds the log that contains it, and no other."""
    entry = matches["texas"][12]
    path = folder / "texas.dominohall"
    assert run("replay", "verify", path, "--head", f"12:{entry.link.hex()}").exit_code == 0
    other = run("replay", "verify", path, "--head", f"11:{entry.link.hex()}")
    assert (other.exit_code, "head differs" in other.stdout) == (1, True)
    assert run("replay", "verify", path, "--head", "12:xyz").exit_code == 2


def test_list_reads_a_store(run: Run, store: Path) -> None:
    """Every match of a store is listed with its rules, its head and whether it is finished."""
    document = json.loads(run("replay", "list", "--store", store, "--json").stdout)
    rows = {row["match_id"]: row for row in document["replays"]}
    assert set(rows) == {"texas", "linear", "going-on"}
    assert rows["texas"]["rules"] == "forty_two.polish"
    assert (rows["linear"]["rules"], rows["linear"]["seats"]) == ("fives", 2)
    assert (rows["going-on"]["finished"], rows["going-on"]["sequence"]) == (False, 10)
    assert rows["texas"]["finished"]
    assert "goes on" in run("replay", "list", "--store", store).stdout


def test_list_reads_files_as_it_reads_a_store(run: Run, folder: Path, store: Path) -> None:
    """A folder of logs gives the same rows as the store that they came from, but for the names."""

    def rows(*arguments: str | Path) -> list[dict[str, object]]:
        found = json.loads(run("replay", "list", *arguments, "--json").stdout)["replays"]
        return sorted(({**row, "name": ""} for row in found), key=lambda row: str(row["match_id"]))

    assert rows(folder) == rows("--store", store)


def test_show_tells_every_round(run: Run, folder: Path) -> None:
    """A match is told with its rounds and its end; a round of forty-two as a table of tricks."""
    match = run("replay", "show", folder / "texas.dominohall")
    assert match.exit_code == 0
    assert "won," in match.stdout
    number = len(json.loads(run("replay", "show", folder / "texas.dominohall", "--json").stdout)["rounds"])
    told = run("replay", "show", folder / "texas.dominohall", "--round", str(number)).stdout
    assert "trick" in told
    assert told.count("[") >= 28
    assert run("replay", "show", folder / "texas.dominohall", "--round", str(number + 1)).exit_code == 2


def test_show_draws_a_layout(run: Run, folder: Path) -> None:
    """A round of fives ends with its layout drawn."""
    told = run("replay", "show", folder / "older" / "linear.dominohall", "--round", "1").stdout
    assert "┌" in told
    assert "][" in told


def test_show_json_of_a_round_has_its_moves(run: Run, folder: Path) -> None:
    """The moves of a round stand in the shape of the wire, from the shake to the last tile."""
    path = folder / "texas.dominohall"
    document = json.loads(run("replay", "show", path, "--round", "1", "--json").stdout)
    assert "shake" in document["moves"][0]["move"]
    assert document["moves"][-1]["move"]["play"]["tile"]
    assert [each["sequence"] for each in document["moves"]] == list(
        range(document["first_sequence"], document["last_sequence"] + 1)
    )


def test_step_shows_the_match_after_any_move(run: Run, folder: Path, matches: dict[str, list[Entry]]) -> None:
    """Each move of a match can be stepped to, the header too; the link is the one of that entry."""
    path = folder / "going-on.dominohall"
    for at in range(11):
        assert run("replay", "step", path, "--at", str(at)).exit_code == 0
        document = json.loads(run("replay", "step", path, "--at", str(at), "--json").stdout)
        assert document["sequence"] == at
        assert document["link"] == matches["going-on"][at].link.hex()
    assert run("replay", "step", path, "--at", "11").exit_code == 2


def test_step_stops_before_a_fault(run: Run, folder: Path) -> None:
    """A log that breaks later can still be stepped to a move before; beyond it the exit code is 1."""
    copy = changed(folder / "texas.dominohall", 5000)
    broken = verify(copy.read_bytes()).sequence
    assert broken is not None
    assert run("replay", "step", copy, "--at", str(broken - 1)).exit_code == 0
    beyond = run("replay", "step", copy, "--at", str(broken), "--json")
    assert beyond.exit_code == 1
    assert "error" in json.loads(beyond.stdout)


def test_an_id_is_looked_up_in_the_store(run: Run, store: Path) -> None:
    """An id works wherever a file does, with the store by flag or by environment."""
    assert run("replay", "verify", "texas", "linear", "--store", store).exit_code == 0
    assert run("replay", "show", "texas", env={"DOMINOHALL_STORE_PATH": str(store)}).exit_code == 0
    assert run("replay", "show", "nobody", "--store", store).exit_code == 2
    assert run("replay", "show", "texas", "--store", store, "--owner", "another").exit_code == 2


def test_export_writes_what_was_recorded(run: Run, store: Path, folder: Path, tmp_path: Path) -> None:
    """An exported log is the recorded one byte for byte; again changes nothing, another log there is refused."""
    out = tmp_path / "out"
    result = run("replay", "export", "texas", "going-on", "--store", store, "--out", out, "--json")
    assert result.exit_code == 0
    written = json.loads(result.stdout)["written"]
    assert [Path(each["file"]).read_bytes() for each in written] == [
        (folder / f"{name}.dominohall").read_bytes() for name in ("texas", "going-on")
    ]
    assert run("replay", "export", "texas", "--store", store, "--out", out).exit_code == 0
    Path(written[0]["file"]).write_bytes(b"another")
    assert run("replay", "export", "texas", "--store", store, "--out", out).exit_code == 2
    assert Path(written[0]["file"]).read_bytes() == b"another"


def test_a_file_that_is_no_store_is_left_alone(run: Run, folder: Path) -> None:
    """A file of another kind given as a store is refused and not written to."""
    path = folder / "notes.txt"
    assert run("replay", "list", "--store", path).exit_code == 2
    assert path.read_text(encoding="utf-8") == "no log"


def test_the_default_owner_is_the_service_s() -> None:
    """The command looks matches up under the owner that the service records them under."""
    assert sources.DEFAULT_OWNER == DEFAULT_OWNER
