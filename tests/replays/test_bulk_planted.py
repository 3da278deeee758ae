"""Archives with planted faults of every kind: all of them are found, none is invented."""

import subprocess
import sys
from pathlib import Path

import pytest
from dominohall_replays.bulk import audit
from dominohall_replays.bulk.findings import Depth, Trouble
from dominohall_replays.generate import FAULTS, Form, Wanted, generate


@pytest.mark.parametrize("form", Form)
def test_every_planted_fault_is_found_and_none_invented(tmp_path: Path, form: Form) -> None:
    """Each fault of the manifest is found in its file, with its verdict and its entry, and every other log is valid.

    A log whose header can't be read names no match; its file does.
    """
    made = generate(str(tmp_path), Wanted(seed=11, matches=6, form=form, faults=len(FAULTS[form])))
    assert {each.kind for each in made.planted} == set(FAULTS[form])
    summary = audit(str(tmp_path), workers=1)
    found = {
        (fault.source, fault.match_id or Path(str(fault.source)).stem, fault.verdict, fault.sequence)
        for fault in summary.faults
        if fault.verdict not in {Trouble.SEGMENT_DIFFERS, Trouble.SEGMENT_BROKEN}
    }
    assert found == {(each.place, each.match_id, each.verdict, each.sequence) for each in made.planted if each.verdict}
    flipped = {each.place for each in made.planted if each.verdict is None}
    assert {fault.source for fault in summary.faults if fault.verdict in set(Trouble)} == flipped
    assert summary.counts.verdicts["valid"] == 6
    assert summary.exit_code == 1


@pytest.mark.parametrize("form", Form)
def test_what_the_moves_alone_find(tmp_path: Path, form: Form) -> None:
    """At the depth `moves` every planted fault but another head of a compact log is found as before, none invented.

    Logs that are not compact are judged whole, so of files the same document comes, but for what it says of the depth.
    """
    planted = generate(str(tmp_path), Wanted(seed=11, matches=6, form=form, faults=len(FAULTS[form]))).planted
    proof, moves = (audit(str(tmp_path), workers=1, depth=depth) for depth in Depth)
    unseen = {each.match_id for each in planted if each.kind == "head_differs"}
    assert len(unseen) == (form is Form.COMPACT)
    found = [fault._replace(reason="") for fault in moves.faults]  # how it is worded may differ
    assert found == [fault._replace(reason="") for fault in proof.faults if fault.match_id not in unseen]
    assert moves.counts.logs == proof.counts.logs
    assert moves.counts.verdicts["valid"] == proof.counts.verdicts["valid"] + len(unseen)
    if form is Form.LOG:
        assert moves.counts == proof.counts
    else:
        assert moves.counts.moves_only >= 6
        assert not moves.counts.deals


@pytest.mark.slow
def test_the_measurement_holds(tmp_path: Path) -> None:
    """The script behind the figures of docs/audit.md, on few rounds: one document by every way, every fault found."""
    script = Path(__file__).with_name("measure_audit.py")
    command = [sys.executable, str(script), str(tmp_path), "--rounds", "20000", "--faults", "64"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1200)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "a cluster of two workers" in done.stdout
    assert "segment_flipped 4" in done.stdout
