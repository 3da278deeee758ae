"""Moving finished matches to an archive: nothing is lost on the way, and nothing comes back to life."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from dominohall_engine import forty_two
from dominohall_engine.moves import Abandon
from dominohall_replays.archive import Archive, path_of
from dominohall_replays.archive_format import (
    COMPACT,
    FOOTER,
    LOG,
    MAGIC,
    UnreadableSegment,
    check_segment,
    pack,
    read_footer,
)
from dominohall_replays.archived_store import ArchivedStore
from dominohall_replays.archiving import FORMS, archive_matches
from dominohall_replays.postgres_store import PostgresStore
from dominohall_replays.records import Entry, Head
from dominohall_replays.sqlite_file import Durability
from dominohall_replays.sqlite_store import SqliteStore
from dominohall_replays.store import (
    AlreadyRecorded,
    ArchivableStore,
    Archived,
    HistoryMissing,
    StoreUnavailable,
    Tombstone,
    UnknownMatch,
)

NOW = 4_000_000_000.0
"""A time after everything that is stored here."""
Finished = Callable[[str], list[Entry]]


@pytest.fixture(scope="session")
def finished(record: Any, tools: Any) -> Finished:
    """Play a short match to its end under an id, once."""
    played: dict[str, list[Entry]] = {}

    def play(match_id: str) -> list[Entry]:
        if match_id not in played:
            match = record("forty_two", replace(forty_two.POLISH, round_limit=1), moves=5, match_id=match_id)
            tools.add(match, Abandon("table-closed"))
            played[match_id] = match.entries
        return played[match_id]

    return play


@pytest.fixture(params=["sqlite", "postgresql"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], ArchivableStore]]:
    """Open a store of each kind, the same one each time."""
    place = str(tmp_path / "store.db") if request.param == "sqlite" else request.getfixturevalue("database")
    opened: list[ArchivableStore] = []

    def open_one() -> ArchivableStore:
        one: ArchivableStore = (
            SqliteStore(Path(place), Durability.PROCESS)
            if request.param == "sqlite"
            else PostgresStore(place, Durability.PROCESS)
        )
        opened.append(one)
        return one

    open_one.place = place  # type: ignore[attr-defined]
    yield open_one
    for each in opened:
        each.close()


@pytest.fixture
def store(open_store: Callable[[], ArchivableStore]) -> ArchivableStore:
    """Open an empty store of each kind."""
    return open_store()


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """Open an archive in a folder."""
    return Archive(str(tmp_path / "archive"))


def ids(count: int) -> list[str]:
    """Name so many matches, in order."""
    return [f"m{number:02}" for number in range(count)]


def fill(store: ArchivableStore, finished: Finished, count: int) -> None:
    """Store so many finished matches, and one that goes on."""
    for match_id in ids(count):
        store.append("acme", match_id, finished(match_id))
    store.append("acme", "going-on", finished("going-on")[:4])


def test_moved_matches_read_as_before(store: ArchivableStore, archive: Archive, finished: Finished) -> None:
    """Finished matches move in segments; heads, listings and logs stay what they were, and what goes on stays."""
    fill(store, finished, 7)
    listed = store.matches("acme", page_size=5)
    everything = store.matches().matches
    moved = archive_matches(store, archive, NOW, logs_a_segment=3)
    assert (moved.matches, len(moved.segments), moved.adopted, moved.left) == (7, 3, [], [])
    assert store.segments() == frozenset(moved.segments) == frozenset(archive.names())
    behind = ArchivedStore(store, archive)
    for match_id in ids(7):
        with pytest.raises(Archived):
            store.entries("acme", match_id)
        assert list(behind.entries("acme", match_id)) == finished(match_id)
        assert list(behind.entries("acme", match_id, 3)) == finished(match_id)[3:]
        assert behind.head("acme", match_id) == Head(match_id, 6, finished(match_id)[-1].link)
    assert list(behind.entries("acme", "going-on")) == finished("going-on")[:4]
    assert behind.matches("acme", page_size=5) == listed
    assert behind.matches().matches == everything
    with pytest.raises(UnknownMatch):
        behind.entries("acme", "nobody")
    assert archive_matches(store, archive, NOW).matches == 0


@pytest.mark.parametrize("form", FORMS)
def test_either_form_gives_the_log_back(
    form: str, store: ArchivableStore, archive: Archive, finished: Finished, imported_match: Any
) -> None:
    """Logs come back byte for byte from either form; one that has no compact form gets a segment as it is."""
    fill(store, finished, 3)
    store.append("acme", "imported-1", imported_match.entries)
    moved = archive_matches(store, archive, NOW, form=form, secret_of=lambda _header: imported_match.secret)
    assert (moved.matches, moved.as_they_are) == (4, 1 if form == COMPACT else 4)
    forms = [kept.form for name in moved.segments for kept in archive.index(name)]
    assert sorted(forms) == ([COMPACT] * 3 + [LOG] if form == COMPACT else [LOG] * 4)
    behind = ArchivedStore(store, archive)
    assert all(list(behind.entries("acme", match_id)) == finished(match_id) for match_id in ids(3))
    assert list(behind.entries("acme", "imported-1")) == imported_match.entries
    assert (moved.kept_bytes < moved.moved_bytes) == (form == COMPACT)
    with pytest.raises(ValueError, match="expected one of"):
        archive_matches(store, archive, NOW, form="other")


def test_an_archived_match_stays_over(store: ArchivableStore, archive: Archive, finished: Finished) -> None:
    """An old token can't reopen a match: late repetitions get their answer, a new beginning or more is refused."""
    fill(store, finished, 1)
    archive_matches(store, archive, NOW)
    behind = ArchivedStore(store, archive)
    log = finished("m00")
    more = [Entry(7, log[-1].link, b"x" * 32, b"x")]
    for part in (
        log[:1],
        log,
        log[3:4],
        [Entry(7, log[-1].link, b"x" * 32, b"x")],
        [Entry(9, b"y" * 32, b"x" * 32, b"x")],
    ):
        with pytest.raises(Archived) as caught:
            store.append("acme", "m00", part)
        assert caught.value.tombstone.head == Head("m00", 6, log[-1].link)
    with pytest.raises(AlreadyRecorded) as repeated:
        behind.append("acme", "m00", log[3:])
    assert list(repeated.value.entries) == log[3:]
    for part in (log[:1], more):
        with pytest.raises(Archived):
            behind.append("acme", "m00", part)
    behind.append("other", "m00", log)
    assert store.head("other", "m00") == store.head("acme", "m00")


def test_only_what_is_old_enough(store: ArchivableStore, archive: Archive, finished: Finished) -> None:
    """A match stays as long as its last entry is younger than was asked for."""
    fill(store, finished, 2)
    _, stored_at = store.last_entry("acme", "m01")
    assert abs(stored_at - time.time()) < 60
    assert archive_matches(store, archive, stored_at - 60).matches == 0
    assert archive_matches(store, archive, stored_at + 60).matches == 2


def test_a_log_that_does_not_hold_stays(store: ArchivableStore, archive: Archive, finished: Finished) -> None:
    """A finished match whose log does not hold is not moved, and is named; the others are."""
    fill(store, finished, 2)
    log = finished("bad")
    store.append("acme", "bad", [*log[:3], log[3]._replace(data=b"\x00" + log[3].data[1:]), *log[4:]])
    moved = archive_matches(store, archive, NOW)
    assert moved.matches == 2
    ((owner, match_id, why),) = moved.left
    assert (owner, match_id) == ("acme", "bad")
    assert why
    assert store.head("acme", "bad") == Head("bad", 6, log[-1].link)


def test_a_run_stopped_before_its_tombstones(store: ArchivableStore, archive: Archive, finished: Finished) -> None:
    """A segment that was written and not yet buried is found, checked and finished with, not written again."""
    fill(store, finished, 4)
    segment = pack(
        ("acme", Head(match_id, 6, finished(match_id)[-1].link), b"".join(each.data for each in finished(match_id)))
        for match_id in ids(3)
    )
    archive.write(segment)
    archive.write(segment)
    moved = archive_matches(store, archive, NOW)
    assert moved.adopted == [segment.name]
    assert (moved.matches, len(moved.segments)) == (4, 1)
    behind = ArchivedStore(store, archive)
    assert all(list(behind.entries("acme", match_id)) == finished(match_id) for match_id in ids(4))


def test_an_older_backup_learns_what_was_archived(store: ArchivableStore, archive: Archive, finished: Finished) -> None:
    """A store from before the archiving adopts the segments: half a log, none at all, but never another history."""
    segment = pack(
        ("acme", Head(match_id, 6, finished(match_id)[-1].link), b"".join(each.data for each in finished(match_id)))
        for match_id in ids(3)
    )
    archive.write(segment)
    store.append("acme", "m00", finished("m00")[:3])
    other = [Entry(0, bytes(32), b"o" * 32, b"another beginning")]
    store.append("acme", "m02", other)
    moved = archive_matches(store, archive, NOW)
    assert (moved.matches, moved.adopted) == (2, [segment.name])
    behind = ArchivedStore(store, archive)
    assert list(behind.entries("acme", "m00")) == finished("m00")
    assert list(behind.entries("acme", "m01")) == finished("m01")
    assert list(behind.entries("acme", "m02")) == other


def test_bury_is_all_or_nothing(store: ArchivableStore, finished: Finished) -> None:
    """Tombstones are put where the head is still the one that was looked at, all of a call or none."""
    fill(store, finished, 2)
    head = store.head("acme", "m00")
    assert head is not None
    good = (head, Tombstone("acme", head, "s", 0, 1))
    gone = Head("m09", 1, bytes(32))
    for bad, refusal in (
        ((gone, Tombstone("acme", gone, "s", 0, 1)), HistoryMissing),
        ((None, Tombstone("acme", store.head("acme", "m01") or gone, "s", 0, 1)), Exception),
    ):
        with pytest.raises(refusal):
            store.bury([good, bad])
        assert store.tombstone("acme", "m00") is None
        assert list(store.entries("acme", "m00")) == finished("m00")
    store.bury([good])
    assert store.tombstone("acme", "m00") == good[1]


RUN = """
import sys
sys.path[:0] = sys.argv[4:]
from dominohall_service.command.app import main
sys.argv = ["dominohall", "archive", sys.argv[1], "--store", sys.argv[2], "--older-than", "0",
    "--segment-logs", sys.argv[3]]
main()
"""


def test_killed_in_the_middle(
    open_store: Callable[[], ArchivableStore], store: ArchivableStore, finished: Finished, tmp_path: Path
) -> None:
    """However often a run is killed, the next goes on; at the end every log is there, in a segment that is known."""
    fill(store, finished, 24)
    location = tmp_path / "archive"
    command = [sys.executable, "-c", RUN, str(location), open_store.place, "2", *sys.path]  # type: ignore[attr-defined]
    archive = Archive(str(location))
    for stopped_after in (1, 4):
        runner = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while len(list(archive.names())) < stopped_after and runner.poll() is None:
            time.sleep(0.01)
        runner.send_signal(signal.SIGKILL)
        _, told = runner.communicate()
        assert runner.returncode in {0, -signal.SIGKILL}, told
    behind = ArchivedStore(store, archive)
    assert all(list(behind.entries("acme", match_id)) == finished(match_id) for match_id in ids(24))
    last = subprocess.run(command, capture_output=True, check=False, text=True)
    assert last.returncode == 0, last.stderr
    assert store.segments() == frozenset(archive.names())
    assert all(store.tombstone("acme", match_id) is not None for match_id in ids(24))
    assert all(list(behind.entries("acme", match_id)) == finished(match_id) for match_id in ids(24))
    assert sum(len(archive.check(name)) for name in archive.names()) == 24


def test_a_segment_checks_every_byte(finished: Finished) -> None:
    """A segment with any byte changed, or cut anywhere, is refused."""
    log = b"".join(each.data for each in finished("m00"))
    segment = pack([("acme", Head("m00", 6, finished("m00")[-1].link), log)])
    assert check_segment(segment.data) == segment.kept
    assert segment.data.startswith(MAGIC + log)
    assert read_footer(segment.data[-FOOTER.size :], len(segment.data))[2].hex() == segment.name
    for at in range(0, len(segment.data), 7):
        changed = bytearray(segment.data)
        changed[at] ^= 0x20
        with pytest.raises(UnreadableSegment):
            check_segment(bytes(changed))
        with pytest.raises(UnreadableSegment):
            check_segment(segment.data[:at])


def test_an_archive_that_was_changed(
    store: ArchivableStore, archive: Archive, finished: Finished, tmp_path: Path
) -> None:
    """A segment that is gone or changed is never read as if it were right, and never adopted."""
    fill(store, finished, 1)
    (name,) = archive_matches(store, archive, NOW).segments
    path = tmp_path / "archive" / path_of(name)
    data = path.read_bytes()
    behind = ArchivedStore(store, archive)
    path.write_bytes(data.replace(finished("m00")[-1].link, bytes(32)))
    with pytest.raises(StoreUnavailable):
        behind.entries("acme", "m00")
    with pytest.raises(UnreadableSegment):
        archive.check(name)
    path.unlink()
    with pytest.raises(StoreUnavailable, match="can't be reached"):
        behind.entries("acme", "m00")
    path.write_bytes(data)
    assert list(behind.entries("acme", "m00")) == finished("m00")
    assert archive.index(name) == archive.check(name)


def test_an_address_that_is_none() -> None:
    """A location that nobody knows is refused in words."""
    with pytest.raises(StoreUnavailable, match="archive can't be used"):
        Archive("nowhere://bucket/x")
