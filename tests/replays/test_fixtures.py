"""Logs that were written once stay readable, and what is said of them stays the same."""

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from dominohall_engine.games import PRESETS
from dominohall_replays.forks import check_fork, format_fork, parse_fork
from dominohall_replays.receipts import format_public_keys, format_receipt, parse_public_keys, parse_receipt
from dominohall_replays.report import report_to_plain
from dominohall_replays.verify import verify

FIXTURES = Path(__file__).parent / "fixtures" / "v1"
EXPECTED: dict[str, Any] = json.loads((FIXTURES / "expected.json").read_text(encoding="utf-8"))
FROZEN = {
    "abandoned": "0b396305edb7789ff5eebf39b7f21bf6219a422995f2780c9ec374216d8a35f4",
    "expected": "89e6a350fdcba62c630448c2eb661403753b2357c5ca6402e506b24102b0e859",
    "fives.linear.finished": "c19dc19cf5167b775d51bb62d59efbd8533a606f59faa8f915042a7415ea7199",
    "fives.linear.four_seats.finished": "c62bbd20671b82f9806beb5e7fb19ec8d23bfb4d977bfd9876d1494df2016222",
    "fives.linear.four_seats.unfinished": "32e5400160a26085390064535006aa6e01b136191855a1c3bef5e412765106d7",
    "fives.linear.seat": "79d21bca69c7be7c65a358a9ce7ab2ded11e311b34ca089b22b20eae652f225e",
    "fives.linear.spectator": "b7679d2b43362dbf63665974159afcc626733ceba57f7ae143216debf5db281a",
    "fives.linear.three_seats.finished": "9c319dfca2e14e0e47521606b5fa30cd8da8e4b7641d1e7f096429f0b683f2bd",
    "fives.linear.three_seats.unfinished": "44e523338fd21f8058a293b9b9e2e8df6ce3ea4f147758a0a8034b7f0ce79db6",
    "fives.linear.two_seats.finished": "36d239c3a681a3ff912803e852186b1d529b80c07c4be677661a87e17bb5b8c0",
    "fives.linear.two_seats.unfinished": "0ec7bffe26d1fe75d032483a85f97ebc43697396974c25795d7f4a022143db7d",
    "fives.linear.unfinished": "7c9bb449a1e73388f59eef4d574868d4abfc4928ee7db5ed962fd670c85ca81f",
    "forty_two.polish.finished": "2328b641fc62d08a7bc1e8c1c2e0fb77a47470ef4b7b6232ddda34061f069c1b",
    "forty_two.polish.seat": "ad0580ec843139f1d80da1557b3089c634db8d4bb3e6cf8495037598a3511d50",
    "forty_two.polish.spectator": "22ba2ed4979a86fae7317365e953ee8cabf4822bde64f2d734031be9b8883334",
    "forty_two.polish.unfinished": "fa658cba5aa90d0e9cfb574f70d4ef1c9e7df57cdda849ad15d33c4876f37b55",
    "forty_two.russian.finished": "fce6ba162e9e6f75d987140ea9b889781136b85408f55035517031a6bbf1a755",
    "forty_two.russian.unfinished": "12619d2e81cca76eef6e3e25056f5bc622664da3263bcf2a870d526b74f22804",
    "imported": "a928577bb78cd414e36c1f9840f6e9b5d3bd3280bf008559c950e027e5472604",
    "scripted": "08699941213cc8026210c598e204ff2690de916a925b984001a9f224cc0c87a7",
    "signed.fork": "75fee5ff50ad4a58ae14da2024ac7aa2922ed7819fad9977662648f171b771e6",
    "signed.keys": "b1f6366d1a87ed866e652332203cc29dcce3aadc0d304f46999fe1bfe766a65a",
    "signed.receipt": "1f99f51df1474ad9333af5eb87c5327f2c7426de703412e62db0fdc82cb4fd97",
    "signed": "9ef1ed24818b22733e28efaec66f580713323ee94d4e3f14db1c282163a39dae",
}
"""The SHA-256 digest of every file, by its name without the ending.

A difference is mended by taking the file back, never by a digest made anew.
"""


def test_the_files_are_frozen() -> None:
    """Every file is the one that was written when version 1 became final, byte for byte, and none came or went."""
    files = [path for path in FIXTURES.iterdir() if path.name != "README.md"]
    assert len(files) == len(FROZEN)
    assert {path.stem: sha256(path.read_bytes()).hexdigest() for path in files} == FROZEN


def test_the_maker_refuses_to_write_over_them() -> None:
    """The script that wrote them ends with an error as long as they are there, and touches none."""
    command = [sys.executable, str(Path(__file__).parent / "make_fixtures.py")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "frozen" in done.stderr


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_the_verdict_stays(name: str) -> None:
    """The report on an old log is the one that was given when it was written; a later build may only say more."""
    report = json.loads(json.dumps(report_to_plain(verify(FIXTURES / f"{name}.dominohall"))))
    assert {field: report.get(field) for field in EXPECTED[name]} == EXPECTED[name]


def test_every_preset_is_there() -> None:
    """Each preset has a finished log with a proven deal and an unfinished one, and no log lies here unjudged."""
    assert sorted(EXPECTED) == sorted(path.name.removesuffix(".dominohall") for path in FIXTURES.glob("*.dominohall"))
    for preset in PRESETS:
        finished, unfinished = EXPECTED[f"{preset}.finished"], EXPECTED[f"{preset}.unfinished"]
        assert (finished["verdict"], finished["deal"]) == ("valid", "proven")
        assert (unfinished["verdict"], unfinished["deal"]) == ("unfinished", "opened")


def test_what_vouches_stays_good() -> None:
    """The public keys, the receipt and the proof of a fork are read, hold, and are written the same today."""
    keys, receipt, fork = (
        (FIXTURES / f"signed.{each}.json").read_text(encoding="utf-8") for each in ("keys", "receipt", "fork")
    )
    public_keys, head, proof = parse_public_keys(keys), parse_receipt(receipt), parse_fork(fork)
    report = verify(FIXTURES / "signed.dominohall", public_keys=public_keys, receipts=[head])
    assert (report.verdict, report.signature, report.authentic) == ("valid", "checked", True)
    assert [each.statement for each in report.receipts] == ["held"]
    check_fork(proof, public_keys)
    assert (format_public_keys(public_keys), format_receipt(head), format_fork(proof)) == (keys, receipt, fork)
