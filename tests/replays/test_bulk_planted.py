"""Archives with planted faults of every kind: all of them are found, none is invented."""

import subprocess
import sys
from pathlib import Path

import pytest
from dominohall_replays.bulk import audit
from dominohall_replays.bulk.findings import Trouble
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


@pytest.mark.slow
def test_the_measurement_holds(tmp_path: Path) -> None:
    """The script behind the figures of docs/audit.md, on few rounds: one document by every way, every fault found."""
    script = Path(__file__).with_name("measure_audit.py")
    command = [sys.executable, str(script), str(tmp_path), "--rounds", "20000", "--faults", "64"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1200)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "a cluster of two workers" in done.stdout
    assert "segment_flipped 4" in done.stdout
