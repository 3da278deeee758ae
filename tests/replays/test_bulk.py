"""Bulk re-simulation: whatever lies at a location is judged once, and nothing but what is wrong is found wrong."""

import json
import os
import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from dominohall_engine import fives
from dominohall_replays.archive import Archive, path_of
from dominohall_replays.archive_format import COMPACT, FOOTER, LOG, pack, pack_compact
from dominohall_replays.bulk import Summary, audit
from dominohall_replays.bulk.findings import BatchResult, Depth, Trouble, result_from_plain
from dominohall_replays.bulk.judging import Terms, build_of, judge
from dominohall_replays.bulk.listing import Listing
from dominohall_replays.bulk.locations import UnusableLocation, location_of
from dominohall_replays.compact_writer import row_of
from dominohall_replays.postgres_store import PostgresStore
from dominohall_replays.sqlite_file import Durability
from dominohall_replays.sqlite_store import SqliteStore
from dominohall_replays.store import StoreUnavailable, Tombstone
from dominohall_replays.verdicts import Verdict
from dominohall_replays.verify import verify

SHORT = replace(fives.LINEAR, seats=2, partners=False, round_limit=1)


@pytest.fixture(scope="session")
def matches(record: Any) -> list[Any]:
    """Play 24 short matches of three owners."""
    return [record("fives", SHORT, seed=each, match_id=f"m-{each:02}", owner=f"hall-{each % 3}") for each in range(24)]


@pytest.fixture
def folder(tmp_path: Path, matches: list[Any]) -> Path:
    """Write them as log files, a folder an owner, beside a file that is no log."""
    root = tmp_path / "logs"
    for match in matches:
        path = root / match.header.owner / f"{match.header.match_id}.dominohall"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(match.log)
    (root / "notes.txt").write_text("no log", encoding="utf-8")
    return root


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path, matches: list[Any]) -> tuple[str, Any]:
    """Write them into a store of each kind; return its address and what opens it."""
    place = str(tmp_path / "store.sqlite3") if request.param == "sqlite" else request.getfixturevalue("database")

    def opened() -> Any:
        return SqliteStore(Path(place), Durability.NONE) if request.param == "sqlite" else PostgresStore(place)

    with closing(opened()) as one:
        for match in matches:
            one.append(match.header.owner, match.header.match_id, match.entries)
    return place, opened


def write_segments(root: Path, matches: list[Any], size: int, form: str = LOG) -> list[Path]:
    """Write matches as segments of an archive and return their files."""
    archive, found = Archive(str(root)), []
    for start in range(0, len(matches), size):
        part = matches[start : start + size]
        if form == LOG:
            segment = pack((each.header.owner, each.head, each.log) for each in part)
        else:
            segment = pack_compact([row_of(each.log)[0] for each in part], logs_a_block=5)
        archive.write(segment)
        found.append(root / path_of(segment.name))
    return found


def resealed(data: bytes) -> tuple[bytes, str]:
    """Return a segment whose bytes were changed under a footer and a name that fit them."""
    start, size, _, end = FOOTER.unpack(data[-FOOTER.size :])
    digest = sha256(data[: -FOOTER.size]).digest()
    return data[: -FOOTER.size] + FOOTER.pack(start, size, digest, end), digest.hex()


def said(summary: Summary) -> list[tuple[str | None, str, str]]:
    """Return where each fault is and what it is."""
    return [(each.source, each.match_id, each.verdict) for each in summary.faults]


def test_a_folder_of_good_logs(folder: Path, matches: list[Any]) -> None:
    """Every log of a folder is judged once, at any depth, and everything adds up."""
    summary = audit(str(folder), workers=1)
    counts = summary.counts
    assert (summary.exit_code, summary.complete, summary.faults) == (0, True, [])
    assert counts.logs == counts.verdicts["valid"] == 24
    assert counts.moves == sum(len(each.moves) for each in matches)
    assert counts.bytes == sum(len(each.log) for each in matches)
    assert counts.chances == sum(verify(each.log).chances for each in matches)


def test_a_store_is_read_as_its_logs_are(store: tuple[str, Any], folder: Path) -> None:
    """A store comes to what the same matches come to as files."""
    place, _ = store
    assert audit(place, workers=1, batch=5).to_plain() == audit(str(folder), workers=1).to_plain()


def test_archived_matches_are_counted_and_not_judged(store: tuple[str, Any], matches: list[Any]) -> None:
    """A tombstone is no fault: the log is judged where it lies."""
    place, opened = store
    with closing(opened()) as one:
        one.bury([(matches[0].head, Tombstone("hall-0", matches[0].head, "0" * 64, 21, 500))])
    counts = audit(place, workers=1).counts
    assert (counts.logs, counts.archived, counts.verdicts["valid"]) == (23, 1, 23)


@pytest.mark.parametrize("form", [LOG, COMPACT])
@pytest.mark.parametrize("size", [1, 7, 100])
def test_an_archive_is_judged_log_by_log(
    tmp_path: Path, folder: Path, matches: list[Any], size: int, form: str
) -> None:
    """Segments of any size and form come to what the same logs come to as files."""
    files = write_segments(tmp_path / "archive", matches, size, form)
    plain = audit(str(tmp_path / "archive"), workers=1).to_plain()
    own = {"segments": -(-24 // size), "bytes": sum(path.stat().st_size for path in files)}
    assert plain == audit(str(folder), workers=1).to_plain() | own


def test_each_fault_of_a_file_is_found_where_it_is(folder: Path) -> None:
    """A flipped byte, a cut, garbage and an empty file: each with the verdict and the place that `verify` gives."""
    paths = sorted(folder.rglob("*.dominohall"))
    flipped = bytearray(paths[2].read_bytes())
    flipped[len(flipped) // 2] ^= 1
    paths[2].write_bytes(flipped)
    paths[9].write_bytes(paths[9].read_bytes()[:-40])
    paths[13].write_bytes(b"no log at all")
    paths[20].write_bytes(b"")
    summary = audit(str(folder), workers=1)
    changed = [paths[2], paths[9], paths[13], paths[20]]
    expected = [(str(each.relative_to(folder)), verify(each)) for each in changed]
    assert [(f.source, f.verdict, f.reason, f.sequence, f.offset, f.clauses) for f in summary.faults] == [
        (name, r.verdict, r.reason, r.sequence, r.offset, r.clauses) for name, r in expected
    ]
    assert (summary.counts.verdicts["valid"], summary.faults_found, summary.exit_code) == (20, 4, 1)


def test_what_can_t_be_judged_is_2_and_a_fault_is_1(folder: Path) -> None:
    """As with `replay verify`: a log that is none is 2, and a verdict against any other makes it 1."""
    paths = sorted(folder.rglob("*.dominohall"))
    paths[0].write_bytes(b"no log at all")
    assert audit(str(folder), workers=1).exit_code == 2
    paths[1].write_bytes(paths[1].read_bytes()[:-40])
    assert audit(str(folder), workers=1).exit_code == 1


def test_a_file_that_is_gone_is_said_to_be(folder: Path) -> None:
    """What was listed and can't be read is no verdict, and no answer: exit code 2, and no result is kept of it."""
    path = folder / "hall-0" / "m-00.dominohall"
    with closing(Listing(location_of(str(folder)))) as listing:
        (batch,) = listing.batches(10_000)
        path.unlink()
        results = folder.parent / "results"
        result = judge(batch, Terms(build_of(), results=str(results)))
    (fault,) = result.faults
    assert (fault.source, fault.verdict) == ("hall-0/m-00.dominohall", Trouble.UNREAD)
    assert "No such file" in fault.reason
    assert result.counts.missing
    assert not results.exists()


def test_a_segment_that_was_changed(tmp_path: Path, matches: list[Any]) -> None:
    """A byte of a segment, its name, its end: each is told once, and the logs are judged all the same."""
    flipped, renamed, cut, whole = write_segments(tmp_path, matches, 6)
    data = bytearray(flipped.read_bytes())
    data[len(data) // 3] ^= 1
    flipped.write_bytes(data)
    other = renamed.with_name(f"{'0' * 64}.dominohall-segment")
    renamed.rename(other)
    cut.write_bytes(cut.read_bytes()[:-1])
    summary = audit(str(tmp_path), workers=1)
    troubles = {fault.source: fault.verdict for fault in summary.faults if fault.log_offset < 0}
    assert troubles == {
        str(flipped.relative_to(tmp_path)): Trouble.SEGMENT_DIFFERS,
        str(other.relative_to(tmp_path)): Trouble.SEGMENT_DIFFERS,
        str(cut.relative_to(tmp_path)): Trouble.SEGMENT_BROKEN,
    }
    (inside,) = [fault for fault in summary.faults if fault.log_offset >= 0]
    assert inside.source == str(flipped.relative_to(tmp_path))
    assert (summary.counts.logs, summary.counts.segments) == (18, 4)
    assert summary.exit_code == 1
    assert whole.exists()


def test_results_of_one_depth_are_not_taken_for_the_other(tmp_path: Path, matches: list[Any]) -> None:
    """What was kept at the depth `moves` is never an answer to the depth `proof`, and keys need `proof`."""
    write_segments(tmp_path / "archive", matches, 24, COMPACT)
    results = tmp_path / "results"
    moves = audit(str(tmp_path / "archive"), workers=1, results=str(results), depth=Depth.MOVES)
    proof = audit(str(tmp_path / "archive"), workers=1, results=str(results))
    assert len(list(results.rglob("*.json"))) == 2
    assert (moves.counts.moves_only, proof.counts.moves_only) == (24, 0)
    assert (moves.counts.moves, moves.counts.verdicts) == (proof.counts.moves, proof.counts.verdicts)
    assert (moves.to_plain()["depth"], proof.to_plain()["depth"]) == ("moves", "proof")
    assert audit(str(tmp_path / "archive"), workers=1, results=str(results), depth=Depth.MOVES) == moves
    with pytest.raises(ValueError, match="no keys at the depth moves"):
        audit(str(tmp_path / "archive"), public_keys={}, depth=Depth.MOVES)


def test_a_forger_who_seals_a_segment_again_is_found_out(tmp_path: Path, matches: list[Any]) -> None:
    """A log put in the place of another, under an index and a name that fit: it is not the one of this place."""
    (path,) = write_segments(tmp_path, matches[:3], 3)
    data = path.read_bytes()
    logs = [match.log for match in sorted(matches[:3], key=lambda each: each.header.owner)]
    assert len({len(log) for log in logs[1:]}) == 2
    short = min(logs, key=len)
    victim = next(log for log in logs if len(log) > len(short))
    changed, name = resealed(data.replace(victim, (short + victim)[: len(victim)]))
    path.unlink()
    (path.parent.parent / name[:2]).mkdir(exist_ok=True)
    (tmp_path / path_of(name)).write_bytes(changed)
    summary = audit(str(tmp_path), workers=1)
    assert summary.counts.against
    assert {fault.match_id for fault in summary.faults} <= {each.header.match_id for each in matches[:3]}
    assert Trouble.MISFILED in {fault.verdict for fault in summary.faults}


def test_a_log_that_holds_and_is_not_the_archived_one(tmp_path: Path, matches: list[Any], signer: Any) -> None:
    """A log whose attachment was swapped still holds; the segment's index knows it for another."""
    match = matches[0]
    log, other = signer.signed(match), match.log + signer.signed(match)[len(match.log) :].replace(b"sign", b"tree")
    assert verify(other).verdict is Verdict.VALID
    segment = pack([(match.header.owner, match.head, log)])
    data, name = resealed(segment.data.replace(log, other))
    path = tmp_path / path_of(name)
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    summary = audit(str(tmp_path), workers=1)
    assert said(summary) == [(path_of(name), "m-00", Trouble.LOG_DIFFERS)]


def test_compact_logs_that_were_changed(tmp_path: Path, matches: list[Any]) -> None:
    """Choices of another match under a head, and a block that is none, in segments whose digests fit them."""
    rows = [row_of(match.log)[0] for match in matches[:10]]
    rows[3] = rows[3]._replace(link=bytes(32))
    rows[4] = rows[4]._replace(body=rows[5].body)
    forged = pack_compact(rows)
    broken, name = resealed(forged.data.replace(b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfe", 1))
    for each, data in ((forged.name, forged.data), (name, broken)):
        (tmp_path / path_of(each)).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path_of(each)).write_bytes(data)
    summary = audit(str(tmp_path), workers=1)
    found = {(fault.source, fault.match_id) for fault in summary.faults}
    assert found == {(path_of(forged.name), "m-03"), (path_of(forged.name), "m-04"), (path_of(name), "")}
    assert (summary.counts.troubles, summary.counts.logs) == ({Trouble.SEGMENT_BROKEN: 1}, 10)
    assert summary.counts.verdicts["valid"] == 8


def test_a_store_that_was_changed_by_hand(tmp_path: Path, matches: list[Any]) -> None:
    """Rows moved to another match, or cut off behind the trigger's back, are found."""
    place = tmp_path / "store.sqlite3"
    with closing(SqliteStore(place, Durability.NONE)) as one:
        for match in matches[:6]:
            one.append(match.header.owner, match.header.match_id, match.entries)
    with closing(sqlite3.connect(place, isolation_level=None)) as connection:
        connection.execute("DROP TRIGGER entry_stands")
        connection.execute("UPDATE entry SET match_id = 'm-99' WHERE match_id = 'm-01'")
        connection.execute("UPDATE entry SET link = zeroblob(32) WHERE match_id = 'm-02' AND sequence = 5")
        last = matches[4].head.sequence
        connection.execute("UPDATE entry SET link = zeroblob(32) WHERE match_id = 'm-04' AND sequence = ?", (last,))
        connection.execute("UPDATE entry SET data = zeroblob(90) WHERE match_id = 'm-05' AND sequence = 7")
    summary = audit(str(place), workers=1)
    assert {(fault.owner, fault.match_id) for fault in summary.faults if fault.verdict == Trouble.MISFILED} == {
        ("hall-1", "m-99"),
        ("hall-1", "m-04"),
    }
    assert [fault.match_id for fault in summary.faults if fault.verdict in set(Verdict)] == ["m-05"]


def test_the_order_of_batches_does_not_matter(folder: Path) -> None:
    """Batches of any size, added up in any order, come to the same document, also where not all faults are listed."""
    for path in sorted(folder.rglob("*.dominohall"))[::2]:
        path.write_bytes(path.read_bytes()[:-1])
    whole = audit(str(folder), workers=1, listed_faults=5).to_plain()
    assert (whole["faults_found"], len(whole["faults"])) == (12, 5)
    terms = Terms(build_of())
    for size in (1, 3, 10_000):
        with closing(Listing(location_of(str(folder)))) as listing:
            results = [judge(batch, terms) for batch in listing.batches(size)]
        random.Random(size).shuffle(results)
        summary = Summary(greatest=5, complete=True)
        for result in results:
            summary.add(result)
        assert summary.to_plain() == whole


def test_keys_decide_what_is_authentic(tmp_path: Path, folder: Path, matches: list[Any], signer: Any) -> None:
    """With public keys a signed log is authentic, and an unsigned one a fault unless it may be."""
    path = folder / "hall-0" / "m-00.dominohall"
    path.write_bytes(signer.signed(matches[0]))
    held = audit(str(folder), workers=1, public_keys=signer.public_keys)
    assert (held.counts.authentic, held.counts.verdicts["unsigned"], held.exit_code) == (1, 23, 1)
    lenient = audit(str(folder), workers=1, public_keys=signer.public_keys, must_be_signed=False)
    assert (lenient.counts.authentic, lenient.counts.verdicts["valid"], lenient.exit_code) == (1, 24, 0)
    row = row_of(path.read_bytes())[0]
    for segment in (pack_compact([row]), pack_compact([row_of(matches[1].log)[0]])):
        Archive(str(tmp_path)).write(segment)
    held = audit(str(tmp_path / "segments"), workers=1, public_keys=signer.public_keys)
    assert (held.counts.authentic, [fault.match_id for fault in held.faults]) == (1, ["m-01"])


def kept(results: Path) -> dict[Path, int]:
    """Return the kept results, each with a number that changes when its file is written."""
    return {path: path.stat().st_mtime_ns for path in results.rglob("*.json")}


def test_results_are_taken_for_the_very_bytes_alone(folder: Path, tmp_path: Path, signer: Any) -> None:
    """A second run writes nothing and says the same; a changed log, other keys and damaged results are judged anew."""
    results = tmp_path / "results"

    def go(**more: Any) -> Summary:
        return audit(str(folder), workers=1, batch=4, results=str(results), **more)

    first, files = go().to_plain(), kept(results)
    assert len(files) > 2
    assert go().to_plain() == first
    assert kept(results) == files
    path = folder / "hall-1" / "m-10.dominohall"
    whole, times = path.read_bytes(), path.stat()
    path.write_bytes(whole[:900] + bytes([whole[900] ^ 1]) + whole[901:])
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert [fault.match_id for fault in go().faults] == ["m-10"]
    assert len(kept(results)) == len(files) + 1
    path.write_bytes(whole)
    assert go(public_keys=signer.public_keys).counts.verdicts["unsigned"] == 24
    assert len(kept(results)) == 2 * len(files) + 1
    for each in files:
        each.write_text(each.read_text().replace('"valid":', '"unfinished":'))
    assert go().to_plain() == first


def test_a_new_log_leaves_other_results_standing(tmp_path: Path, record: Any) -> None:
    """An archive that grows is judged for what is new: a log that is added changes no batch but its own."""
    log = record("fives", SHORT, seed=1).log
    root = tmp_path / "logs"
    root.mkdir()
    for number in range(300):
        (root / f"{sha256(bytes([number % 256, number // 256])).hexdigest()}.dominohall").write_bytes(log)
    with closing(Listing(location_of(str(root)))) as listing:
        before = list(listing.batches(10))
    (root / "8new.dominohall").write_bytes(log)
    with closing(Listing(location_of(str(root)))) as listing:
        after = list(listing.batches(10))
    assert sum(len(batch.keys) for batch in after) == 301
    assert 15 <= len(before) <= 60
    assert len(set(before) - set(after)) == 1


def test_results_are_plain_data(folder: Path) -> None:
    """What a batch came to survives JSON."""
    (folder / "hall-2" / "m-02.dominohall").write_bytes(b"\x92")
    with closing(Listing(location_of(str(folder)))) as listing:
        (batch,) = listing.batches(10_000)
    result = judge(batch, Terms(build_of()))
    read = result_from_plain(json.loads(json.dumps(result.to_plain())))
    assert isinstance(read, BatchResult)
    assert read == result


def test_a_place_without_logs_is_said_to_be_one(tmp_path: Path) -> None:
    """Nothing to judge is no success: nothing there, an empty folder, another file."""
    with pytest.raises(UnusableLocation, match="found none"):
        audit(str(tmp_path))
    with pytest.raises(UnusableLocation, match="No such file"):
        audit(str(tmp_path / "nowhere"))
    other = tmp_path / "other.txt"
    other.write_text("something else", encoding="utf-8")
    with pytest.raises(UnusableLocation, match="got a file"):
        audit(str(other))


def test_no_address_is_printed() -> None:
    """The address of a store may hold a password: neither a batch nor an error repeats it."""
    location = location_of("postgresql://hall:pa55word@127.0.0.1:1/db")
    assert "pa55word" not in repr(location)
    with pytest.raises(StoreUnavailable) as caught:
        audit("postgresql://hall:pa55word@127.0.0.1:1/db")
    assert "pa55word" not in str(caught.value)


def test_file_names_of_any_bytes(tmp_path: Path, record: Any) -> None:
    """A file whose name is no text is judged, and told in text."""
    path = tmp_path / "logs" / "caf\udce9.dominohall"
    path.parent.mkdir()
    path.write_bytes(record("fives", SHORT, seed=1).log[:-1])
    (fault,) = audit(str(path.parent), workers=1).faults
    assert fault.source == "caf\ufffd.dominohall"
