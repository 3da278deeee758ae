"""`dominohall keys`: a keyring is made, rotated and retired, and never shown."""

import json
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from dominohall_service.keyring import KeyKind, KeyStatus, read_keyring
from typer.testing import Result

Run = Callable[..., Result]


@pytest.fixture
def keyring(run: Run, tmp_path: Path) -> Path:
    """Make a new keyring file."""
    path = tmp_path / "keyring.json"
    assert run("keys", "new", path).exit_code == 0
    return path


def test_new_makes_a_private_file_once(run: Run, keyring: Path) -> None:
    """A new keyring is readable by its owner alone, and a second one never replaces it."""
    assert stat.S_IMODE(keyring.stat().st_mode) == 0o600
    before = keyring.read_bytes()
    assert run("keys", "new", keyring).exit_code == 2
    assert keyring.read_bytes() == before


def test_rotate_keeps_the_key_before_accepted(run: Run, keyring: Path) -> None:
    """After a rotation there is a new active key, and the one before still opens what it made."""
    before = read_keyring(keyring).active(KeyKind.SEAL)
    document = json.loads(run("keys", "rotate", keyring, "seal", "--json").stdout)
    assert [each["status"] for each in document["seal"]] == ["accepted", "active"]
    after = read_keyring(keyring)
    assert after.seal[before.id].status is KeyStatus.ACCEPTED
    assert after.active(KeyKind.SEAL).id.hex() == document["seal"][1]["id"]
    assert len(document["deal"]) == 1


def test_a_rotation_over_several_pods(run: Run, keyring: Path) -> None:
    """Add, activate, retire: each step is one command, and the order is kept to."""
    old = read_keyring(keyring).active(KeyKind.SEAL).id.hex()
    added = json.loads(run("keys", "rotate", keyring, "seal", "--add-only", "--json").stdout)["seal"][1]
    assert added["status"] == "accepted"
    assert run("keys", "retire", keyring, "seal", old).exit_code == 2
    assert run("keys", "activate", keyring, "seal", added["id"]).exit_code == 0
    assert run("keys", "retire", keyring, "seal", old).exit_code == 0
    listed = json.loads(run("keys", "list", keyring, "--json").stdout)["seal"]
    assert [each["status"] for each in listed] == ["retired", "active"]


def test_no_output_shows_a_key(run: Run, keyring: Path) -> None:
    """Neither a table nor JSON nor an error holds the secret of any key."""
    outputs = [
        run("keys", "list", keyring).output,
        run("keys", "list", keyring, "--json").output,
        run("keys", "rotate", keyring, "deal").output,
        run("keys", "retire", keyring, "deal", "00000000").output,
    ]
    for entry in json.loads(keyring.read_text(encoding="utf-8"))["deal"]:
        assert not any(entry["key"] in output for output in outputs)


@pytest.mark.parametrize(
    "arguments",
    [
        ["rotate", "{file}", "open"],
        ["activate", "{file}", "seal", "zz"],
        ["activate", "{file}", "seal", "00000000"],
        ["list", "{file}.missing"],
    ],
)
def test_what_can_not_be_done_exits_2(run: Run, keyring: Path, arguments: list[str]) -> None:
    """A wrong kind, id or file is said in one sentence, and the keyring stays as it was."""
    before = keyring.read_bytes()
    result = run("keys", *[each.format(file=keyring) for each in arguments], "--json")
    assert result.exit_code == 2
    assert json.loads(result.stdout)["error"]
    assert keyring.read_bytes() == before
