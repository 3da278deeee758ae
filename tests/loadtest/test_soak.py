"""The soak: it knows a slope from noise, a leak from a full cache, and what has not been verified."""

import os
import random
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from dominohall_loadtest.growth import slope_of
from dominohall_loadtest.soak import Plan, run
from dominohall_loadtest.soaking import Reading, Soak, Verified
from dominohall_loadtest.usage import Usage, usage_of

NONE = ("--min-coverage", "0", "--min-matches", "0", "--max-p95-ms", "9999")


def readings(a_call: float, threads: float = 0.0) -> list[Reading]:
    """Make a run of 100,000 calls: caches that fill in its first half, noise, bytes a call that stay, and threads."""
    dice, made = random.Random(5), []
    for number in range(200):
        calls = 500 * number
        kib = 50_000 + min(number, 80) * 100 + dice.gauss(0, 60) + a_call * calls / 1024
        use = Usage(calls / 1000, int(kib) + 30_000, int(kib), 20 + int(threads * number), 12)
        made.append(Reading(float(number), calls, use))
    return made


def soak_of(made: list[Reading], **changes: Any) -> Soak:
    """Make a soak that played ten matches and verified them."""
    matches = {"begun": 10, "finished": 10, "broken": 0, "cut_off": 0}
    found = Verified(listed=10, valid=10, unfinished=0, wrong=(), seconds=1.0)
    figures = {"matches": matches, "users": 4, "moves": 5000}
    soak = Soak(figures, code=0, readings=made, verified=found, store_bytes=1, most_bytes=16.0)
    return replace(soak, **changes)


@pytest.mark.parametrize("slope", [0.0, 3.0, -7.5])
def test_the_interval_holds_the_slope(slope: float) -> None:
    """Of a line under noise the interval has the true slope in it in nearly all of 200 trials, and is not boundless."""
    held = 0
    for seed in range(200):
        dice = random.Random(seed)
        found = slope_of(range(240), [slope * x + dice.gauss(0, 50) for x in range(240)])
        held += found.low <= slope <= found.high
        assert found.high - found.low < 1.0
    assert 180 <= held < 200


def test_too_few_readings_have_no_slope() -> None:
    """A run that was hardly looked at is not called flat."""
    with pytest.raises(ValueError, match="at least 12"):
        slope_of(range(11), range(11))


def test_full_caches_are_flat_and_a_leak_is_not() -> None:
    """What grows in the first half alone is flat; 30 bytes a call are found under noise of 60 KiB."""
    flat, leaking = soak_of(readings(0.0)), soak_of(readings(30.0))
    assert flat.held
    assert flat.a_call.high < 16
    assert not leaking.held
    assert leaking.a_call.low < 30 < leaking.a_call.high
    assert "NOT FLAT" in str(leaking)
    assert "the soak held" in str(flat)


def test_threads_that_become_more_are_no_soak() -> None:
    """Memory may be flat while threads are not."""
    assert not soak_of(readings(0.0, threads=0.2)).held


@pytest.mark.parametrize(
    "found",
    [
        Verified(10, 9, 1, (), 1.0),
        Verified(10, 9, 0, ("load-1: chain_broken",), 1.0),
        Verified(9, 9, 0, (), 1.0),
        Verified(12, 12, 0, (), 1.0),
    ],
    ids=["one unfinished", "one wrong", "one missing", "two that nobody played"],
)
def test_all_means_all(found: Verified) -> None:
    """A finished match that is not valid afterwards, or not there, fails the soak, as does one that nobody played."""
    assert not soak_of(readings(0.0), verified=found).held
    assert "NOT ALL VERIFIED" in str(soak_of(readings(0.0), verified=found))


def test_a_match_cut_off_by_the_end_may_be_either() -> None:
    """Its last move may have reached the service and not its host."""
    matches = {"begun": 11, "finished": 10, "broken": 0, "cut_off": 1}
    for found in (Verified(11, 11, 0, (), 1.0), Verified(11, 10, 1, (), 1.0), Verified(10, 10, 0, (), 1.0)):
        assert soak_of(readings(0.0), run={"matches": matches, "users": 4, "moves": 1}, verified=found).held


def test_a_process_is_read_as_the_kernel_has_it() -> None:
    """This process has memory, threads and files; one that is not there has nothing."""
    assert usage_of(1 << 30) is None
    usage = usage_of(os.getpid())
    assert usage is not None
    assert usage.rss_kib > usage.private_kib > 1000
    assert usage.threads >= 1
    assert usage.files >= 3


def test_a_planted_leak_is_found_and_every_replay_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that keeps 64 KiB of every append: the soak says NOT FLAT, and the logs are as good as ever."""
    monkeypatch.setenv("PYTHONPATH", ":".join(path for path in sys.path if path))
    program = (sys.executable, str(Path(__file__).with_name("leaking_server.py")))
    soak = run(Plan(seconds=6.0, users=2, hosts=NONE, program=program), tmp_path)
    assert not soak.is_flat, str(soak)
    assert soak.a_call.low > 15_000, str(soak)
    assert soak.all_verified, str(soak)
    assert soak.verified.valid >= 1
    assert not soak.held
