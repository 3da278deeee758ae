"""Audits on several processes: killed workers, interrupts and the death of the one who began it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing import active_children
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from dominohall_engine import fives
from dominohall_replays.bulk import Summary, audit
from dominohall_replays.bulk.findings import Trouble

SHORT = replace(fives.LINEAR, seats=2, partners=False, round_limit=1)
SECONDS = 60
HEARING = """\
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from dominohall_service.command import main
main()
"""
"""The command as a terminal starts it: what runs in the background of a shell has interrupts ignored."""
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, record: Any) -> Path:
    """Write the logs of 60 short matches, every seventh cut."""
    root = tmp_path_factory.mktemp("logs")
    for number in range(60):
        log = record("fives", SHORT, seed=number, match_id=f"m-{number}").log
        (root / f"m-{number:02}.dominohall").write_bytes(log[: -1 if number % 7 == 3 else None])
    return root


@pytest.fixture(scope="module")
def expected(folder: Path) -> dict[str, Any]:
    """Return what the audit of them comes to, judged here one after another."""
    plain = audit(str(folder), workers=1).to_plain()
    assert plain["verdicts"] | {"valid": 51, "truncated": 9} == plain["verdicts"]
    return plain


@pytest.fixture
def start() -> Iterator[Start]:
    """Start the command in a process group of its own, as a shell does."""
    started = []

    def begin(*words: str | Path) -> "subprocess.Popen[str]":
        command = [sys.executable, "-c", HEARING, "audit", *map(str, words)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0)
        started.append(process)
        return process

    yield begin
    for process in started:
        if is_alive(process.pid):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def is_alive(group: int) -> bool:
    """Say whether a process group has a process."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for(holds: Callable[[], Any]) -> None:
    """Wait until something holds, far longer than it may take."""
    deadline = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def test_two_processes_say_what_one_says(folder: Path, expected: dict[str, Any]) -> None:
    """The document is the same on one process and on two, with batches of another size."""
    assert audit(str(folder), workers=2, batch=7).to_plain() == expected


def test_a_worker_that_is_killed_changes_nothing(folder: Path, expected: dict[str, Any]) -> None:
    """A worker killed half way: its batches are judged again, and the document is the same."""
    killed: list[Any] = []

    def kill(_summary: Summary, done: int, _count: int) -> None:
        if done and not killed:
            killed.append(active_children()[0])
            killed[0].kill()

    assert audit(str(folder), workers=2, batch=2, on_progress=kill).to_plain() == expected
    assert len(killed) == 1


def test_what_kills_every_worker_is_given_up(tmp_path: Path, folder: Path) -> None:
    """Where no worker lives to judge a batch, the audit ends all the same, and says so of each of its logs."""
    for number in range(2):
        (tmp_path / f"{number}.dominohall").write_bytes((folder / "m-00.dominohall").read_bytes())
    stop = Event()

    def kill_all() -> None:
        while not stop.is_set():
            for child in active_children():
                child.kill()

    killer = Thread(target=kill_all)
    killer.start()
    try:
        summary = audit(str(tmp_path), workers=2)
    finally:
        stop.set()
        killer.join()
    assert [fault.verdict for fault in summary.faults] == [Trouble.UNJUDGED] * 2
    assert (summary.exit_code, summary.counts.logs, summary.complete) == (2, 0, True)


def interrupted(process: "subprocess.Popen[str]", results: Path) -> tuple[dict[str, Any], str]:
    """Interrupt an audit once it has kept a result; return its document and what it said of errors."""
    wait_for(lambda: list(results.rglob("*.json")) or process.poll() is not None)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=SECONDS)
    return json.loads(out), err


def test_an_interrupt_keeps_what_is_done(folder: Path, expected: dict[str, Any], tmp_path: Path, start: Start) -> None:
    """Ctrl-C ends the audit in order, no process is left, and the next run says what an undisturbed one says."""
    for attempt in range(10):  # on a busy machine an audit may be over before this process looks again
        results = tmp_path / f"results-{attempt}"
        arguments = (folder, "--workers", "2", "--batch", "1", "--json", "--results", results)
        process = start(*arguments)
        document, err = interrupted(process, results)
        assert "Traceback" not in err
        if not document["complete"]:
            break
    assert (document["complete"], process.returncode) == (False, document["exit"])
    assert process.returncode in {1, 2}
    wait_for(lambda: not is_alive(process.pid))
    kept = set(results.rglob("*.json"))
    assert 0 < len(kept) < 60
    assert not list(results.rglob(".writing-*"))
    again = start(*arguments)
    out, err = again.communicate(timeout=SECONDS)
    assert (json.loads(out), err, again.returncode) == (expected, "", 1)
    assert kept < set(results.rglob("*.json"))


def test_workers_end_with_the_one_who_began(folder: Path, tmp_path: Path, start: Start) -> None:
    """An audit that is killed outright leaves no worker behind."""
    results = tmp_path / "results"
    process = start(folder, "--workers", "2", "--batch", "1", "--results", results)
    wait_for(lambda: list(results.rglob("*.json")) or process.poll() is not None)
    process.kill()
    process.wait()
    wait_for(lambda: not is_alive(process.pid))
