"""The load test against a real service: it plays whole matches, believes nothing, and its exit code tells the truth."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from dominohall_loadtest.kinds import KINDS
from dominohall_loadtest.thresholds import METHODS

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_a_short_run_finishes_checked_matches_of_every_kind(loadtest: Run, tmp_path: Path, transport: str) -> None:
    """One match of each kind is played, every method called, every reply and replay right, reports written."""
    count = str(len(KINDS))
    done = loadtest("--matches", count, "--min-matches", count, "--users", "3", "--run-time", "60", "--max-p95-ms",
                    "5000", "--report", "report", "--transport", transport)  # fmt: skip
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
    assert set(METHODS) <= called
    assert {"ApplyMove, token only", "ApplyMove, again", "ApplyMoves, with a shake", "StartMatch, again"} <= called
    assert {"GetReplay, redacted", "VerifyReplay, redacted"} <= called
    assert "<html" in (tmp_path / "report" / "loadtest.html").read_text().lower()
    figures = json.loads((tmp_path / "report" / "loadtest.json").read_text())
    assert figures["passed"] is True
    assert figures["matches"]["finished"] == figures["matches"]["begun"] == len(KINDS)
    assert figures["service"]["after"]["rss_kib"] > 0


@pytest.mark.parametrize("shape", ["ramp", *(pytest.param(each, marks=pytest.mark.slow) for each in ("spike", "soak"))])
def test_each_shape_ends_by_itself(shape: str, loadtest: Run, tmp_path: Path) -> None:
    """A run stops at its time, whatever its shape, and says what each of its levels was like."""
    none = ("--min-matches", "0", "--min-verified", "0", "--min-coverage", "0", "--max-p95-ms", "9999")
    times = ("--users", "3", "--run-time", "4", "--pause-ms", "20")
    done = loadtest("--shape", shape, *times, *none, "--figures", "run.json")
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads((tmp_path / "run.json").read_text())
    users = [level["users"] for level in figures["levels"]]
    assert users == {"ramp": [1, 2, 3], "spike": [1, 3, 1], "soak": [3]}[shape]


def test_two_processes_add_up(loadtest: Run, tmp_path: Path) -> None:
    """Hosts in two processes play under one master, whose counts are those of both and whose thresholds decide."""
    done = loadtest("--processes", "2", "--users", "4", "--run-time", "30", "--matches", "2", "--min-matches", "2",
                    "--min-coverage", "0", "--max-p95-ms", "5000", "--figures", "run.json")  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads((tmp_path / "run.json").read_text())
    assert figures["hosts"]["processes"] == 2
    assert figures["matches"]["begun"] == sum(figures["matches"][how] for how in ("finished", "broken", "cut_off"))
    moves = sum(figures["calls"]["rpc"][name]["count"] for name in ("ApplyMove", "ApplyMove, token only"))
    assert figures["moves"] >= moves > 0


def test_a_wrong_expectation_fails_the_run(loadtest: Run) -> None:
    """One planted disagreement about views is reported by its field, breaks its matches and makes the exit code 1."""
    planted = Path(__file__).with_name("planted.py")
    done = loadtest("-f", str(planted), "--matches", "1", "--users", "1", "--run-time", "20", "--min-coverage", "0")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "ViewMatch: " in done.stdout
    assert "sequence of a view" in done.stdout
    assert "NOT MET" in done.stdout


def test_it_refuses_to_load_another_machine(loadtest: Run) -> None:
    """A target outside loopback is refused before the first call, unless its owner's leave is claimed."""
    done = loadtest("--host", "192.0.2.1:50051", "--run-time", "5")
    assert done.returncode == 2
    assert "--i-may-load-this-host" in done.stderr


def test_sigterm_leaves_nobody_behind(tmp_path: Path) -> None:
    """A run that is told to stop takes its service and its hosts along, and throws its store away."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-m", "dominohall_loadtest", "--run-time", "60", "--processes", "2"]
    environment["TMPDIR"] = str(tmp_path)
    with subprocess.Popen(command, env=environment, cwd=tmp_path, start_new_session=True) as run:
        deadline = time.monotonic() + 60
        while len(members(run.pid)) < 5 and time.monotonic() < deadline:  # itself, a service, a master, two players
            time.sleep(0.1)
        assert len(members(run.pid)) == 5
        run.terminate()
        assert run.wait(60) == 128 + signal.SIGTERM
    assert members(run.pid) == []
    assert list(tmp_path.iterdir()) == []


def members(session: int) -> list[int]:
    """Return the processes of a session, but for those that have ended."""
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, _, number = place.read_text().rpartition(")")[2].split()[:4]
            if int(number) == session and state != "Z":
                found.append(int(place.parent.name))
    return found
