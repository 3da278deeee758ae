"""Generated archives: the same from the same seed, whole, and with faults where the manifest says."""

import json
from pathlib import Path
from typing import Any

import pytest
from dominohall_replays.archive_format import FOOTER as SEGMENT_FOOTER
from dominohall_replays.archive_format import MAGIC_2, blocks_of, check_segment, kept_in, read_footer, rows_in
from dominohall_replays.compact import judged
from dominohall_replays.compact_row import expanded_row
from dominohall_replays.errors import UnreadableSegment
from dominohall_replays.generate import FAULTS, MANIFEST, Form, Generated, Wanted, generate
from dominohall_replays.generate.run import AlreadyGenerated
from dominohall_replays.verdicts import GOOD, Report, Verdict
from dominohall_replays.verify import verify


def everything(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder by its path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def manifest(folder: Path) -> Any:
    """Read what was made."""
    return json.loads((folder / MANIFEST).read_text(encoding="utf-8"))


def reports_in(name: str, data: bytes) -> dict[str, Report]:
    """Judge whatever can be read in a file or segment, by match id."""
    if not name.endswith("-segment"):
        return {"": verify(data)}
    offset, size, _ = read_footer(data[-SEGMENT_FOOTER.size :], len(data))
    if data.startswith(MAGIC_2):
        rows = [row for block in blocks_of(data[offset : offset + size]) for row in rows_in(data, block)]
        return {row.match_id: judged(row) for row in rows}
    return {kept.head.match_id: verify(data[kept.offset : kept.offset + kept.size]) for kept in kept_in(data)}


@pytest.mark.parametrize("form", Form)
def test_the_same_seed_gives_the_same_bytes(form: Form, tmp_path: Path) -> None:
    """Two runs write the same files; another seed writes none of them."""
    for place, seed in (("one", 5), ("other", 5), ("third", 6)):
        generate(str(tmp_path / place), Wanted(seed, matches=5, form=form, faults=3))
    one, other, third = (everything(tmp_path / place) for place in ("one", "other", "third"))
    assert one == other
    assert not set(one) & set(third) - {MANIFEST}
    assert not set(one.values()) & set(third.values())


@pytest.mark.parametrize("form", Form)
def test_every_fault_is_found_where_the_manifest_says_and_none_invented(form: Form, tmp_path: Path) -> None:
    """A fault of every kind is planted in a match of its own, and found by its verdict at its entry."""
    count = len(FAULTS[form])
    made = generate(str(tmp_path), Wanted(1, matches=3, form=form, faults=count))
    said = manifest(tmp_path)
    assert [fault["kind"] for fault in said["faults"]] == list(FAULTS[form])
    assert (made.matches, said["matches"]) == (3 + count, 3 + count)
    files = everything(tmp_path)
    del files[MANIFEST]
    for fault in said["faults"]:
        data = files.pop(fault["place"])
        if fault["verdict"] is None:
            with pytest.raises(UnreadableSegment):
                check_segment(data)
            continue
        reports = reports_in(fault["place"], data)
        report = reports.get(fault["match_id"], reports.get(""))
        assert report is not None
        assert (report.verdict, report.sequence) == (fault["verdict"], fault["sequence"]), fault
        assert report.verdict not in GOOD
    sound = [report for name, data in files.items() for report in reports_in(name, data).values()]
    assert [report.verdict for report in sound] == [Verdict.VALID] * 3


def test_both_forms_hold_the_same_matches(tmp_path: Path) -> None:
    """The logs in the segments are the files, byte for byte, and a tenth of their size or less."""
    for form in Form:
        generate(str(tmp_path / form), Wanted(2, matches=6, form=form))
    logs = {data for name, data in everything(tmp_path / "log").items() if name != MANIFEST}
    found = set()
    for name, data in everything(tmp_path / "compact").items():
        if name != MANIFEST:
            assert len(data) * 10 < sum(map(len, logs))
            offset, size, _ = read_footer(data[-SEGMENT_FOOTER.size :], len(data))
            blocks = blocks_of(data[offset : offset + size])
            found |= {expanded_row(row).log for block in blocks for row in rows_in(data, block)}
    assert found == logs


def test_rounds_are_made_until_there_are_enough(tmp_path: Path) -> None:
    """As many rounds as asked for, and not a match more; each preset has its turn."""
    progress: list[int] = []

    def tell(made: Generated) -> None:
        progress.append(made.rounds)

    made = generate(str(tmp_path), Wanted(3, rounds=60), on_progress=tell)
    assert 60 <= made.rounds == progress[-1] == manifest(tmp_path)["rounds"]
    reports = [verify(data) for name, data in everything(tmp_path).items() if name != MANIFEST]
    assert {report.game for report in reports} == {"forty_two", "fives"}
    assert sum(report.moves for report in reports) == made.moves
    assert sum(report.chances for report in reports) >= made.rounds


def test_processes_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes write what one does."""
    monkeypatch.setattr("dominohall_replays.generate.run.MATCHES_A_CHUNK", 2)
    for workers in (1, 2):
        generate(str(tmp_path / str(workers)), Wanted(4, matches=5, faults=2, form=Form.COMPACT), workers=workers)
    assert everything(tmp_path / "1") == everything(tmp_path / "2")
    assert len(everything(tmp_path / "1")) == 1 + 3 + 2


def test_nothing_is_made_over_something(tmp_path: Path) -> None:
    """A place with a manifest is left alone, and wishes that can't be fulfilled are refused."""
    generate(str(tmp_path), Wanted(matches=1))
    before = everything(tmp_path)
    with pytest.raises(AlreadyGenerated):
        generate(str(tmp_path), Wanted(matches=2))
    assert everything(tmp_path) == before
    for wrong in ({}, {"matches": 1, "rounds": 1}, {"matches": 0}, {"matches": 1, "presets": ("chess",)}):
        with pytest.raises(ValueError, match="expected"):
            Wanted(**wrong)
