"""The load test against a real service: it plays whole matches, believes nothing, and its exit code tells the truth."""

import csv
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from dominohall_loadtest.kinds import KINDS

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_a_short_run_finishes_checked_matches_of_every_kind(loadtest: Run, tmp_path: Path) -> None:
    """One match of each kind is played, every reply and replay right, refusals counted apart, reports written."""
    count = str(len(KINDS))
    done = loadtest("--matches", count, "--min-matches", count, "--users", "3", "--run-time", "60", "--max-p95-ms",
                    "5000", "--report", "report")  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    for kind in KINDS:
        assert re.search(rf"^ +1  {re.escape(kind.name)}$", done.stdout, re.MULTILINE), done.stdout
    rows = list(csv.DictReader((tmp_path / "report" / "loadtest_stats.csv").read_text().splitlines()))
    kinds = {row["Type"] for row in rows if row["Type"]}
    assert kinds == {"rpc", "refused"}
    assert sum(int(row["Failure Count"]) for row in rows) == 0
    refused = {row["Name"] for row in rows if row["Type"] == "refused"}
    assert "ApplyMove, raced: FORKED" in refused
    called = {row["Name"] for row in rows if row["Type"] == "rpc"}
    assert {"StartMatch", "ApplyMove", "ApplyMove, token only", "ApplyMoves", "ViewMatch", "ListLegalMoves"} <= called
    assert {"ResumeMatch", "GetReplay", "VerifyReplay", "StepReplay", "ApplyMove, again"} <= called
    assert "<html" in (tmp_path / "report" / "loadtest.html").read_text().lower()


def test_a_wrong_expectation_fails_the_run(loadtest: Run) -> None:
    """One planted disagreement about views is reported by its field, breaks its matches and makes the exit code 1."""
    planted = Path(__file__).with_name("planted.py")
    done = loadtest("-f", str(planted), "--matches", "1", "--users", "1", "--run-time", "20")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "ViewMatch: " in done.stdout
    assert "sequence of a view" in done.stdout
    assert "NOT MET" in done.stdout


def test_it_refuses_to_load_another_machine(loadtest: Run) -> None:
    """A target outside loopback is refused before the first call, unless its owner's leave is claimed."""
    done = loadtest("--host", "192.0.2.1:50051", "--run-time", "5")
    assert done.returncode == 2
    assert "--i-may-load-this-host" in done.stderr
