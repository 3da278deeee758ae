"""The benchmark: its arithmetic, its files, and that what it sends is what it says. Nothing here is timed."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import grpc
import pytest
from dominohall.v1 import replay_service_pb2
from dominohall.v1.replay_service_pb2_grpc import ReplayServiceStub
from dominohall_loadtest.bench import bodies
from dominohall_loadtest.bench.__main__ import MEASURES, main
from dominohall_loadtest.bench.agreeing import recorded_rounds
from dominohall_loadtest.bench.bench import CHECKOUT, Bench
from dominohall_loadtest.bench.bodies import Recording
from dominohall_loadtest.bench.contender import contender, take_turns
from dominohall_loadtest.bench.loading import load
from dominohall_loadtest.bench.plot import as_svg, share
from dominohall_loadtest.bench.programs import PROGRAMS
from dominohall_loadtest.bench.report import Part, Report, parse_report
from dominohall_loadtest.bench.rows import (
    GROUPS,
    ROWS,
    Better,
    Finding,
    Measured,
    NotMeasured,
    Row,
    Verdict,
    verdict_of,
)
from dominohall_loadtest.bench.serving import STORES, Served, echo, service
from dominohall_loadtest.bench.tables import BEGIN, END, as_markdown, for_terminal, with_block

HIGHER = Row("a", "g", "what", Better.HIGHER, 0.75, 0.85)
LOWER = Row("b", "g", "what", Better.LOWER, 1.3, 1.15)
BESIDE = Row("c", "g", "what", Better.HIGHER)


@pytest.mark.parametrize(
    ("row", "values", "verdict"),
    [
        (HIGHER, (0.85,), Verdict.STRETCH),
        (HIGHER, (0.849,), Verdict.MET),
        (HIGHER, (0.1, 0.75, 9.0), Verdict.MET),
        (HIGHER, (0.749,), Verdict.MISSED),
        (LOWER, (1.15,), Verdict.STRETCH),
        (LOWER, (9.0, 1.3, 0.1), Verdict.MET),
        (LOWER, (1.301,), Verdict.MISSED),
        (BESIDE, (0.001,), Verdict.BESIDE),
    ],
)
def test_a_verdict_is_the_median_s(row: Row, values: tuple[float, ...], verdict: Verdict) -> None:
    """A goal that is just reached is reached, one round alone decides nothing, and no target means no judgement."""
    assert verdict_of(row, Measured(values)) is verdict


def test_what_was_not_measured_is_never_met() -> None:
    """No figure is no success."""
    assert verdict_of(HIGHER, NotMeasured("no compiler")) is Verdict.NOT_MEASURED


def test_the_targets_are_those_that_were_set() -> None:
    """Every row that has a stretch has a target behind it, keys are unique, and every group has what measures it."""
    assert len({row.key for row in ROWS}) == len(ROWS)
    assert set(GROUPS) == set(MEASURES)
    for row in ROWS:
        if row.stretch is not None:
            assert row.target is not None
            assert (row.stretch > row.target) == (row.better is Better.HIGHER), row.key
    assert sum(row.target is not None for row in ROWS) == 27


def test_a_share_of_the_target() -> None:
    """In the picture right is better, whichever way a figure counts."""
    assert share(HIGHER, 1.5) == pytest.approx(2)
    assert share(LOWER, 2.6) == pytest.approx(0.5)


@pytest.fixture
def made_up() -> Report:
    """Give a report in which one group was measured, with a row left out and one that could not be."""
    findings: dict[str, Finding] = {
        "engine.euchre": Measured((1.5, 0.5, 1.0), "made up"),
        "engine.dominoes": Measured((1.0,)),
        "engine.block": NotMeasured("no OpenSpiel"),
    }
    return Report({"cores": "2"}, {"grpcio": "1"}, {"engine": Part(findings, {"rates": [1.0]}, quick=True)})


def test_a_report_is_read_as_it_was_written(made_up: Report) -> None:
    """JSON and back is the same report, with every row and a verdict in it."""
    text = made_up.to_json()
    rows = {row["key"]: row for row in json.loads(text)["rows"]}
    assert list(rows) == [row.key for row in ROWS]
    assert {row["verdict"] for row in rows.values()} <= set(Verdict)
    assert rows["engine.euchre"]["figure"] == 1.0
    assert rows["engine.euchre"]["verdict"] == "met"
    assert rows["engine.dominoes"]["verdict"] == "missed"
    assert rows["engine.block"]["why"] == "no OpenSpiel"
    again = parse_report(text)
    assert again.to_json() == text


def test_tables_and_picture_have_every_row(made_up: Report) -> None:
    """A row that was not measured says why in the table; the picture is well-formed and shows what has a target."""
    markdown = as_markdown(made_up)
    assert sum(line.startswith("| ") for line in markdown.splitlines()) == len(ROWS) + 1
    assert "not measured: no OpenSpiel" in markdown
    assert "**missed**" in markdown
    assert "good for little: engine" in markdown
    assert "1x" in for_terminal(made_up)
    circles = ET.fromstring(as_svg(made_up)).iter("{http://www.w3.org/2000/svg}circle")  # noqa: S314 - our own
    assert len(list(circles)) == 2


def test_a_page_keeps_what_stands_around_the_block(made_up: Report) -> None:
    """The table is put between the marks, as often as it is asked, and nothing else changes."""
    page = with_block(f"before\n{BEGIN}\nwhat stood there\n{END}\nafter\n", made_up)
    assert page.startswith(f"before\n{BEGIN}\n")
    assert page.endswith(f"{END}\nafter\n")
    assert "what stood there" not in page
    assert with_block(page, made_up) == page
    with pytest.raises(ValueError, match="marked block"):
        with_block("no marks", made_up)


def test_the_command_measures_what_there_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without peers our own contenders still take turns; every row is printed, and those that need a peer say so."""
    nothing = str(tmp_path / "nothing")
    assert main(["--only", "engine", "--quick", "--out", str(tmp_path), "--peers", nothing, "--compiled", nothing]) == 0
    document = json.loads((tmp_path / "bench.json").read_text())
    rates = document["figures"]["engine"]["moves a processor second"]
    assert set(rates) >= {"forty_two", "linear_2", "linear_4"}
    assert all(rate > 0 for laps in rates.values() for rate in laps)
    rows = {row["key"]: row for row in document["rows"]}
    assert all(row["verdict"] == "not measured" and row["why"] for row in rows.values())
    assert all("`make bench`" in row["why"] for row in rows.values() if row["group"] == "engine")
    assert "27 not measured" in capsys.readouterr().out
    assert (tmp_path / "bench.md").exists()
    assert (tmp_path / "bench.svg").read_text().endswith("</svg>\n")


def test_other_groups_are_kept_if_that_is_asked(
    made_up: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run of one group leaves the rows of the others as they were found, and its faults end no run."""
    (tmp_path / "bench.json").write_text(made_up.to_json())
    monkeypatch.setenv("PATH", "")  # no tool is to be found
    assert main(["--only", "instructions", "--keep", "--out", str(tmp_path)]) == 0
    kept = parse_report((tmp_path / "bench.json").read_text())
    assert kept.finding("engine.euchre", "engine") == made_up.finding("engine.euchre", "engine")
    assert kept.finding("instructions.process", "instructions") == NotMeasured(
        "valgrind is missing (Debian: apt-get install valgrind)"
    )
    assert main(["--only", "", "--keep", "--out", str(tmp_path)]) == 0
    assert "valgrind is missing" in capsys.readouterr().out


def test_a_group_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """A typing error measures nothing."""
    with pytest.raises(SystemExit) as refused:
        main(["--only", "engin"])
    assert refused.value.code == 2
    assert "engin" in capsys.readouterr().err


def test_a_contender_s_last_words_are_heard() -> None:
    """A contender that can't play ends the comparison with its own reason."""
    with (
        contender("broken", [sys.executable, "-c", "raise SystemExit('no such game')"]) as broken,
        pytest.raises(RuntimeError, match="broken: no such game"),
    ):
        take_turns({"broken": broken}, 1, 0.01)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Give a run that has a compiler."""
    if shutil.which("gcc") is None:
        pytest.skip("no gcc: the client of the benchmark can't be compiled (Debian: apt-get install gcc libc6-dev)")
    return Bench(tmp_path, quick=True)


@pytest.fixture(scope="module")
def plain() -> Iterator[Served]:
    """Run one service without a store."""
    with service(*STORES["no_store"]) as served:
        yield served


@pytest.fixture(scope="module")
def recordings(plain: Served) -> list[Recording]:
    """Record a match of each preset."""
    return list(bodies.record(f"127.0.0.1:{plain.port}", 3))


def test_recorded_calls_are_real_appends(bench: Bench, recordings: list[Recording]) -> None:
    """What was recorded on a service without a store is played on one with a store: the same logs, byte for byte."""
    file = bench.scratch / "bodies.bin"
    bodies.write_bodies(file, [bodies.unary(each) for each in recordings])
    with service(*STORES["process"]) as served:
        seen = load(bench, served, file)
        assert seen.calls == sum(len(each.moves) + 1 for each in recordings)
        with grpc.insecure_channel(f"127.0.0.1:{served.port}") as channel:
            stub = ReplayServiceStub(channel)
            for number, each in enumerate(recordings):
                request = replay_service_pb2.GetReplayRequest(match_id=bodies.match_id(number))
                stored = b"".join(chunk.entries for chunk in stub.GetReplay(request))
                assert stored.startswith(each.log)


def test_batches_and_open_loops_and_the_echo(bench: Bench, plain: Served, recordings: list[Recording]) -> None:
    """Batches are taken whole; calls that come by the clock are all answered; the echo takes the same bytes."""
    file, batched = bench.scratch / "bodies.bin", bench.scratch / "batched.bin"
    bodies.write_bodies(file, [bodies.unary(each) for each in recordings])
    bodies.write_bodies(batched, [bodies.batches(each, 32) for each in recordings])
    assert load(bench, plain, batched).calls == sum(1 + len(each.moves) // 32 for each in recordings)
    assert load(bench, plain, file, "--rate", "2000", "--calls", "100", "--repeat").calls == 100
    with echo() as bare:
        assert load(bench, bare, file, "--calls", "50", "--repeat", echoed=True).calls == 50


def test_a_call_that_fails_is_no_measurement(bench: Bench, plain: Served) -> None:
    """A refused call ends the measurement with the service's own reason."""
    file = bench.scratch / "bodies.bin"
    bodies.write_bodies(file, [[(bodies.START, b"")]])
    with pytest.raises(RuntimeError, match=r"1 of 1 calls failed: .*match_id"):
        load(bench, plain, file)


@pytest.mark.slow
def test_the_other_library_plays_the_same_rounds(tmp_path: Path) -> None:
    """42 as a game of boardgame.io has the engine's turns, legal moves and scores in 300 random rounds."""
    peers = CHECKOUT / ".venv/peers"
    if shutil.which("node") is None or not (peers / "node_modules/boardgame.io").exists():
        pytest.skip(
            "boardgame.io is not installed (`make bench` installs it): 42 in it was not held against the engine"
        )
    file = tmp_path / "rounds.json"
    file.write_text(json.dumps(recorded_rounds(300, seed=7)))
    command = ["node", str(PROGRAMS / "boardgame.mjs"), str(peers), "--check", str(file)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout.strip()) == (0, "the same"), ran.stderr
