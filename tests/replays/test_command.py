"""`python -m dominohall_replays` and the words it speaks."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from dominohall_replays.__main__ import main
from dominohall_replays.log import read_log
from dominohall_replays.receipts import format_public_keys, format_receipt
from dominohall_replays.report import describe, line_text
from dominohall_replays.sqlite_store import SqliteStore


@pytest.fixture
def log_file(tmp_path: Path, short_match: Any) -> Path:
    """Write a finished log with its secret revealed."""
    path = tmp_path / "match.dominohall"
    path.write_bytes(short_match.revealed)
    return path


@pytest.fixture
def store_file(tmp_path: Path, short_match: Any) -> Path:
    """Fill a store with a finished match and one that goes on."""
    path = tmp_path / "store.db"
    store = SqliteStore(path)
    store.append("acme", "match-1", short_match.entries)
    store.append("acme", "begun", short_match.entries[:5])
    store.append("", "nobody's", short_match.entries[:1])
    store.close()
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Run a command; return its exit code and what it said."""
    code = main([str(each) for each in arguments])
    return code, *capsys.readouterr()


def test_verify(capsys: Any, log_file: Path, short_match: Any) -> None:
    """A valid log: exit 0, the verdict first, then the facts; the same as JSON."""
    code, out, err = run(capsys, "verify", log_file)
    assert (code, err) == (0, "")
    assert out.startswith("valid: ")
    assert "deal     proven" in out
    code, out, _ = run(capsys, "verify", "--json", log_file)
    report = json.loads(out)
    assert (report["verdict"], report["good"]) == ("valid", True)
    assert report["head"]["link"] == short_match.head.link.hex()


def test_verify_a_fault(capsys: Any, log_file: Path) -> None:
    """A changed byte: exit 1, with the place."""
    data = bytearray(log_file.read_bytes())
    data[len(data) // 2] ^= 1
    log_file.write_bytes(data)
    code, out, _ = run(capsys, "verify", log_file)
    assert code == 1
    assert "at       sequence" in out
    for command in ("show", "step"):
        code, _, err = run(capsys, command, log_file, *(["99"] if command == "step" else []))
        assert (code, "sequence" in err) == (1, True)


def test_verify_against_a_head(capsys: Any, log_file: Path, short_match: Any) -> None:
    """A head that was kept is asked for by sequence and link; a log without it is refused with exit 1."""
    log_file.write_bytes(short_match.log[: -len(short_match.entries[-1].data)])
    assert run(capsys, "verify", log_file)[0] == 0
    head = f"{short_match.head.sequence}:{short_match.head.link.hex()}"
    code, out, _ = run(capsys, "verify", log_file, "--head", head)
    assert (code, out.split(":")[0]) == (1, "truncated")
    assert run(capsys, "verify", log_file, "--head", "x:y")[0] == 2


def test_unusable_input(capsys: Any, tmp_path: Path, store_file: Path) -> None:
    """No file, no log, no match, no store: exit 2 and one line that says so."""
    (tmp_path / "text").write_text("hello")
    assert run(capsys, "verify", tmp_path / "text")[0] == 2
    for arguments in (
        ("verify", tmp_path / "none"),
        ("show", tmp_path / "text"),
        ("show", "none", "--store", store_file),
        ("list", "--store", tmp_path / "none.db"),
        ("step", "match-1", "10000", "--store", store_file, "--owner", "acme"),
    ):
        code, out, err = run(capsys, *arguments)
        assert (code, out, len(err.splitlines())) == (2, "", 1)


def test_show(capsys: Any, log_file: Path) -> None:
    """A match is told move by move with its tiles drawn, to its result."""
    code, out, _ = run(capsys, "show", log_file)
    assert code == 0
    assert "round 1: the tiles are shaken" in out
    assert "[6|4]" in out
    assert "the round ends: +" in out
    assert " wins (" in out
    code, out, _ = run(capsys, "show", "--json", log_file)
    lines = [json.loads(line) for line in out.splitlines()]
    assert {"begin", "shake", "hand", "move", "round", "end"} <= {line["kind"] for line in lines}
    assert [line["sequence"] for line in lines] == sorted(line["sequence"] for line in lines)


def test_step(capsys: Any, log_file: Path, short_match: Any) -> None:
    """The state after any entry can be had, with its canonical bytes."""
    for sequence in (0, 7, short_match.head.sequence):
        code, out, _ = run(capsys, "step", "--json", log_file, sequence)
        seen = json.loads(out)
        assert code == 0
        assert seen["state"] == short_match.game.encode(short_match.states[sequence]).hex()
        assert seen["head"]["sequence"] == sequence
    assert "phase   over" in run(capsys, "step", log_file, short_match.head.sequence)[1]


def test_a_store(capsys: Any, tmp_path: Path, store_file: Path, short_match: Any) -> None:
    """Matches of a store are listed, verified, shown and exported by id."""
    code, out, _ = run(capsys, "list", "--store", store_file)
    assert (code, len(out.splitlines())) == (0, 3)
    code, out, _ = run(capsys, "list", "--store", store_file, "--owner", "acme", "--json")
    assert [json.loads(line)["match_id"] for line in out.splitlines()] == ["begun", "match-1"]
    assert run(capsys, "verify", "match-1", "--store", store_file, "--owner", "acme")[1].startswith("valid")
    assert run(capsys, "verify", "begun", "--store", store_file, "--owner", "acme")[1].startswith("unfinished")
    target = tmp_path / "out.dominohall"
    assert run(capsys, "export", "match-1", target, "--store", store_file, "--owner", "acme")[0] == 0
    assert target.read_bytes() == short_match.log


def test_as_a_program(log_file: Path) -> None:
    """It runs as a module, and needs neither the service nor anything it needs."""
    program = (
        "import runpy, sys\n"
        "others = 'grpc', 'google', 'cryptography', 'typer', 'rich', 'structlog'\n"
        "sys.modules.update(dict.fromkeys(others))\n"
        f"sys.path[:0] = {sys.path!r}\n"
        "runpy.run_module('dominohall_replays', run_name='__main__')\n"
    )
    command = [sys.executable, "-c", program, "verify", str(log_file)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stderr == ""
    assert ran.stdout.startswith("valid")


def test_every_move_has_words(record: Any) -> None:
    """Whole matches of every preset can be told: no move is without words, no trick or point is lost."""
    from dominohall_engine.games import GAMES

    for name, game in GAMES.items():
        for options in game.PRESETS.values():
            match = record(name, options, seed=21)
            lines = list(describe(read_log(match.log)))
            told = {line.sequence for line in lines}
            assert told == set(range(len(match.entries)))
            assert all(line_text(line).isprintable() for line in lines)
            rounds = [line for line in lines if line.kind == "round"]
            assert rounds
            final = match.game.outcome(match.states[-1]).scores
            assert rounds[-1].text.endswith(" : ".join(map(str, final)))


@pytest.fixture
def signed_files(tmp_path: Path, short_match: Any, tools: Any, signer: Any) -> dict[str, Path]:
    """Write a signed log, the log of another history of the match, receipts of both, and the public keys."""
    place = len(short_match.entries) // 2
    histories = (tools.played_anew(short_match, 4, seed=seed) for seed in range(50))
    other = next(each for each in histories if len(each.entries) > place and differs(each, short_match, place))
    contents: dict[str, str | bytes] = {
        "keys": format_public_keys(signer.public_keys),
        "log": signer.signed(short_match),
        "other": signer.signed(other),
        "receipt": format_receipt(signer.receipt(short_match, place)),
        "against": format_receipt(signer.receipt(other, place)),
        "foreign": format_receipt(signer.receipt(short_match, place)._replace(link=bytes(32))),
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return {name: tmp_path / name for name in (*contents, "proof")}


def differs(one: Any, other: Any, place: int) -> bool:
    """Say whether two histories have different links at a place."""
    return bool(one.entries[place].link != other.entries[place].link)


def test_verify_against_keys_and_receipts(capsys: Any, signed_files: dict[str, Path], log_file: Path) -> None:
    """Signed and held by a receipt: authentic; an unsigned log and another history: exit 1; no proof: exit 2."""
    files = signed_files
    code, out, _ = run(capsys, "verify", "--keys", files["keys"], "--receipt", files["receipt"], files["log"])
    assert code == 0
    assert "authentic: the signer vouches for it to its end" in out
    assert ": held" in out
    code, out, _ = run(capsys, "verify", "--keys", files["keys"], log_file)
    assert (code, out[:9]) == (1, "unsigned:")
    code, out, _ = run(capsys, "verify", "--receipt", files["against"], files["log"])
    assert (code, out[:13]) == (1, "head_differs:")
    code, out, _ = run(capsys, "verify", "--json", "--keys", files["keys"], "--receipt", files["foreign"], files["log"])
    report = json.loads(out)
    assert (code, report["authentic"], report["receipts"][0]["statement"]) == (2, True, "forged")
    assert run(capsys, "verify", "--keys", files["receipt"], files["log"])[0] == 2


def test_fork(capsys: Any, signed_files: dict[str, Path]) -> None:
    """A proof is written once, verified without either log, and not made of one history."""
    files = signed_files
    for one, other in (("receipt", "other"), ("log", "other"), ("receipt", "against")):
        assert run(capsys, "fork", files[one], files[other], "-o", files["proof"])[0] == 0
        code, out, _ = run(capsys, "verify", "--keys", files["keys"], files["proof"])
        assert (code, out[:12]) == (0, "fork proven:")
        assert run(capsys, "fork", files[one], files[other], "-o", files["proof"])[0] == 2
        assert run(capsys, "verify", files["proof"])[0] == 2
        files["proof"].unlink()
    code, out, _ = run(capsys, "fork", "--json", files["log"], files["receipt"], "-o", files["proof"])
    assert (code, json.loads(out)["proof"]) == (1, None)
    run(capsys, "fork", files["foreign"], files["log"], "-o", files["proof"])
    code, out, _ = run(capsys, "verify", "--json", "--keys", files["keys"], files["proof"])
    assert (code, json.loads(out)["proven"]) == (1, False)


def test_redact(capsys: Any, tmp_path: Path, record: Any, tools: Any) -> None:
    """A redacted log is written for a seat or a spectator, and verified as what it is."""
    path = tmp_path / "whole"
    path.write_bytes(record("forty_two", tools.SHORT["forty_two"], seed=3, moves=14).log)
    assert run(capsys, "redact", path, "--seat", 1, "-o", tmp_path / "seat")[0] == 0
    assert run(capsys, "redact", path, "--spectator", "--after-round", "-o", tmp_path / "spectator")[0] == 0
    code, out, _ = run(capsys, "verify", tmp_path / "seat")
    assert (code, out[:9]) == (0, "redacted:")
    assert "for seat 1; legality part" in out
    assert "for a spectator" in run(capsys, "verify", tmp_path / "spectator")[1]
    assert run(capsys, "redact", tmp_path / "seat", "--seat", 1, "-o", tmp_path / "again")[0] == 2
    assert run(capsys, "redact", path, "--seat", 4, "-o", tmp_path / "again")[0] == 2


def test_fairness(capsys: Any, log_file: Path) -> None:
    """Files and folders are counted together, each match once."""
    code, out, _ = run(capsys, "fairness", log_file, log_file.parent)
    assert code == 0
    assert "left out: 1 repeated" in out
    code, out, _ = run(capsys, "fairness", "--json", log_file)
    assert (code, json.loads(out)["matches"]) == (0, 1)
