"""`dominohall replay verify --keys --receipt`, `fork`, `redact`, `fairness`, `export --keyring`, `keys public`."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from dominohall_engine import fives, forty_two
from dominohall_engine.clauses import rules_digest
from dominohall_engine.games import GAMES
from dominohall_engine.moves import Abandon
from dominohall_engine.options import options_to_plain
from dominohall_replays.deals import chance_move, commitment, match_secret, root, shake_salt
from dominohall_replays.log import read_log
from dominohall_replays.receipts import format_receipt
from dominohall_replays.records import Entry, Head, Header, header_entry, move_entry
from dominohall_replays.signatures import sign_head, signature_item
from dominohall_replays.sqlite_store import SqliteStore
from dominohall_replays.verify import step, verify
from dominohall_service.keyring import KeyKind, public_keys, read_keyring
from typer.testing import Result

Run = Callable[..., Result]
FORTY_TWO, FIVES = GAMES["forty_two"], GAMES["fives"]


@pytest.fixture
def keyring(run: Run, tmp_path: Path) -> Path:
    """Make a keyring file."""
    path = tmp_path / "keyring.json"
    assert run("keys", "new", path).exit_code == 0
    return path


@pytest.fixture
def public(run: Run, keyring: Path, tmp_path: Path) -> Path:
    """Write the public set of the keyring to a file."""
    path = tmp_path / "public.json"
    path.write_text(run("keys", "public", keyring).stdout, encoding="utf-8")
    return path


def sign(keyring: Path, entries: list[Entry], sequence: int = -1) -> Any:
    """Sign the head of a match at a sequence."""
    key = read_keyring(keyring).active(KeyKind.SIGN)
    header = read_log(entries[0].data).header
    entry = entries[sequence]
    return sign_head(key.secret, key.id, header.owner, header.match_id, entry.sequence, entry.link)


@pytest.fixture
def signed(keyring: Path, matches: dict[str, list[Entry]], tmp_path: Path) -> Path:
    """Write a signed log."""
    path = tmp_path / "signed.dominohall"
    entries = matches["texas"]
    path.write_bytes(b"".join(each.data for each in entries) + signature_item(sign(keyring, entries)))
    return path


def other_history(entries: list[Entry]) -> list[Entry]:
    """End a match where its fifth move stands: another history of it."""
    reached, head = step(read_log(b"".join(each.data for each in entries[:5])), 4)
    after = forty_two.apply(reached, Abandon("x"))
    return [*entries[:5], move_entry(FORTY_TWO, head, Abandon("x"), after, root=None)]


def test_the_public_set_is_what_verify_takes(run: Run, keyring: Path, public: Path, signed: Path) -> None:
    """`keys public` prints every signing key's public half, retired ones too, no secret; `verify` reads it."""
    document = json.loads(public.read_text(encoding="utf-8"))
    ring = read_keyring(keyring)
    assert document["keys"] == {key_id.hex(): key.hex() for key_id, key in public_keys(ring).items()}
    first = ring.active(KeyKind.SIGN).id.hex()
    result = run("replay", "verify", signed, "--keys", public, "--json")
    report = json.loads(result.stdout)["reports"][0]
    assert (result.exit_code, report["signature"], report["authentic"]) == (0, "checked", True)
    assert run("keys", "rotate", keyring, "sign").exit_code == 0
    assert run("keys", "retire", keyring, "sign", first).exit_code == 0
    assert len(json.loads(run("keys", "public", keyring).stdout)["keys"]) == 2
    for entry in json.loads(keyring.read_text(encoding="utf-8"))["sign"]:
        assert entry["key"] not in run("keys", "public", keyring).stdout


def test_verify_with_receipts(
    run: Run, keyring: Path, public: Path, signed: Path, matches: dict[str, list[Entry]]
) -> None:
    """Receipts go to the logs of their matches; one that fits none, or is forged, is useless: exit 2."""
    tmp_path = signed.parent
    for number, head in enumerate((sign(keyring, matches["texas"], 9), sign(keyring, matches["linear"], 9))):
        (tmp_path / f"r{number}.json").write_text(format_receipt(head), encoding="utf-8")
    forged = sign(keyring, matches["texas"], 9)._replace(link=bytes(32))
    (tmp_path / "forged.json").write_text(format_receipt(forged), encoding="utf-8")
    one, other, bad = (tmp_path / name for name in ("r0.json", "r1.json", "forged.json"))
    result = run("replay", "verify", signed, "--keys", public, "--receipt", one)
    assert result.exit_code == 0
    assert "at sequence 9: held" in result.stdout
    assert "authentic" in result.stdout
    result = run("replay", "verify", signed, "--keys", public, "--receipt", one, "--receipt", other, "--json")
    document = json.loads(result.stdout)
    assert (result.exit_code, len(document["useless_receipts"])) == (2, 1)
    assert document["useless_receipts"][0]["source"] == str(other)
    result = run("replay", "verify", signed, "--keys", public, "--receipt", bad)
    assert result.exit_code == 2
    assert "useless receipt" in result.stdout
    assert run("replay", "verify", signed, "--receipt", bad).exit_code == 1
    cut = tmp_path / "cut.dominohall"
    cut.write_bytes(b"".join(each.data for each in matches["texas"][:6]))
    result = run("replay", "verify", cut, "--receipt", one)
    assert result.exit_code == 1
    assert "truncated" in result.stdout


def test_an_unsigned_log_is_a_verdict_when_keys_are_given(
    run: Run, public: Path, matches: dict[str, list[Entry]], tmp_path: Path
) -> None:
    """With --keys a log that nobody signed is unsigned: exit 1; without, nobody asked."""
    path = tmp_path / "plain.dominohall"
    path.write_bytes(b"".join(each.data for each in matches["texas"]))
    assert run("replay", "verify", path).exit_code == 0
    result = run("replay", "verify", path, "--keys", public)
    assert result.exit_code == 1
    assert "unsigned" in result.stdout
    assert "authentic" not in result.stdout


def test_a_fork_is_proven_and_the_proof_is_verified_alone(
    run: Run, keyring: Path, public: Path, signed: Path, matches: dict[str, list[Entry]]
) -> None:
    """Two signed histories make a file that `verify` accepts without either; one history makes none."""
    other, tmp_path = other_history(matches["texas"]), signed.parent
    log = tmp_path / "other.dominohall"
    log.write_bytes(b"".join(each.data for each in other) + signature_item(sign(keyring, other)))
    proof = tmp_path / "proof.json"
    result = run("replay", "fork", signed, log, "-o", proof, "--keys", public)
    assert (result.exit_code, proof.exists()) == (0, True)
    assert "two signed histories of texas" in result.stdout
    result = run("replay", "verify", proof, "--keys", public, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["proofs"][0]["proven"] is True
    assert run("replay", "verify", proof).exit_code == 2
    assert run("replay", "fork", signed, log, "-o", proof).exit_code == 2
    spoiled = proof.read_text(encoding="utf-8").replace('"texas"', '"texan"')
    proof.write_text(spoiled, encoding="utf-8")
    assert run("replay", "verify", proof, "--keys", public).exit_code == 1
    proof.write_text("{}", encoding="utf-8")
    assert run("replay", "verify", proof, "--keys", public).exit_code == 2
    nothing = run("replay", "fork", signed, signed, "-o", tmp_path / "none.json", "--json")
    assert (nothing.exit_code, json.loads(nothing.stdout)["proof"]) == (1, None)
    assert run("replay", "fork", signed, tmp_path / "no", "-o", proof).exit_code == 2


def test_a_log_is_redacted(run: Run, store: Path, tmp_path: Path) -> None:
    """A stored match that goes on, for a seat and for a spectator: it verifies, and says whose it is."""
    out = tmp_path / "seat.dominohall"
    document = json.loads(
        run("replay", "redact", "going-on", "--store", store, "--seat", "1", "-o", out, "--json").stdout
    )
    assert document == {"written": str(out), "bytes": out.stat().st_size, "seat": 1, "after_round": False}
    result = run("replay", "verify", out)
    assert result.exit_code == 0
    assert "for seat 1" in result.stdout
    spectator = tmp_path / "spectator.dominohall"
    arguments = ("replay", "redact", "going-on", "--store", store, "--spectator", "--after-round", "-o", spectator)
    assert run(*arguments).exit_code == 0
    assert run(*arguments).exit_code == 2
    assert run("replay", "redact", out, "--seat", "0", "-o", tmp_path / "x").exit_code == 2
    for viewer in ((), ("--seat", "0", "--spectator"), ("--seat", "3")):
        assert run("replay", "redact", "going-on", "--store", store, *viewer, "-o", tmp_path / "x").exit_code == 2


def test_the_shakes_of_a_store_and_of_files_are_judged(run: Run, store: Path, folder: Path) -> None:
    """Without an argument the store is counted, else what was named; few fair shakes make no alarm."""
    whole = json.loads(run("replay", "fairness", "--store", store, "--json").stdout)
    assert whole["matches"] == 3
    result = run("replay", "fairness", folder)
    assert "shakes" in result.stdout


def test_export_signs_and_reveals_with_the_keyring(run: Run, keyring: Path, public: Path, tmp_path: Path) -> None:
    """With the keyring the exported log of a finished match is authentic and its deal proven."""
    store, out = tmp_path / "own.sqlite3", tmp_path / "out"
    ring = read_keyring(keyring)
    secret = match_secret(ring.active(KeyKind.DEAL).secret, "default", "own")

    options = replace(fives.LINEAR, seats=2, partners=False)
    key_id = ring.active(KeyKind.DEAL).id
    header = Header(
        "own", "default", "fives", 1, rules_digest("fives"), options_to_plain(options), 0, ("", ""), commitment(secret),
        key_id,
    )  # fmt: skip
    entries = [header_entry(header)]
    state = fives.new_match(options, 0)
    shake = chance_move(FIVES, state, secret)
    for move in (shake, Abandon("x")):
        salt = shake_salt(secret, 0) if move is shake else None
        state = fives.apply(state, move)
        head = Head("own", entries[-1].sequence, entries[-1].link)
        under = root(shake.tiles, shake_salt(secret, 0))
        entries.append(move_entry(FIVES, head, move, state, root=under, shake_salt=salt))
    opened = SqliteStore(store)
    opened.append("default", "own", entries[:2])
    opened.append("default", "own", entries[2:])
    opened.close()
    arguments = ("replay", "export", "own", "--store", store, "--out", out, "--keyring", keyring)
    assert run(*arguments).exit_code == 0
    assert run(*arguments).exit_code == 0
    report = verify(out / "own.dominohall", public_keys=public_keys(ring))
    assert (report.verdict, report.deal, report.authentic) == ("valid", "proven", True)
    assert run("replay", "verify", out / "own.dominohall", "--keys", public).exit_code == 0
    assert run("replay", "export", "own", "--store", store, "--keyring", tmp_path / "none").exit_code == 2


def test_a_keyring_from_before_signing_keys_gets_one(run: Run, keyring: Path) -> None:
    """A keyring without the field is read, has an empty public set, and a rotation gives it an active signing key."""
    document = json.loads(keyring.read_text(encoding="utf-8"))
    del document["sign"]
    keyring.write_text(json.dumps(document), encoding="utf-8")
    assert json.loads(run("keys", "public", keyring).stdout)["keys"] == {}
    assert run("keys", "rotate", keyring, "sign", "--add-only").exit_code == 0
    assert read_keyring(keyring).signing_key is None
    assert run("keys", "rotate", keyring, "sign").exit_code == 0
    signing = read_keyring(keyring).signing_key
    assert signing is not None
    assert public_keys(read_keyring(keyring)).keys() > {signing.id}
