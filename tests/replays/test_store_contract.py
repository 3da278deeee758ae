"""The contract of a store, held by every store that remembers."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest
from dominohall_replays.group_commit import Append
from dominohall_replays.no_store import NoStore
from dominohall_replays.postgres_store import PostgresStore
from dominohall_replays.records import Entry, Head
from dominohall_replays.sqlite_file import Durability
from dominohall_replays.sqlite_store import SqliteStore
from dominohall_replays.store import (
    AlreadyRecorded,
    Forked,
    HistoryMissing,
    Store,
    StoreUnavailable,
    UnknownMatch,
)

Open = Callable[[], Store]

KINDS = [f"{kind}-{durability}" for kind in ("sqlite", "postgresql") for durability in Durability]


def store_at(kind: str, place: str, *, patience: float = 5.0) -> Store:
    """Open a store of a kind such as `sqlite-power`, at a path or an address."""
    name, _, durability = kind.partition("-")
    if name == "sqlite":
        return SqliteStore(Path(place), Durability(durability), patience=patience)
    return PostgresStore(place, Durability(durability), patience=patience)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """Name each kind of store in turn, with each durability."""
    return str(request.param)


@pytest.fixture(params=["sqlite-process", "postgresql-process"])
def quick_kind(request: pytest.FixtureRequest) -> str:
    """Name each kind of store in turn, with the durability that tests of many appends want."""
    return str(request.param)


@pytest.fixture
def place_of(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], str]:
    """Say where a new store of a kind is to be; PostgreSQL is started by the first test that asks."""
    return lambda kind: (
        str(tmp_path / "store.db") if kind.startswith("sqlite") else str(request.getfixturevalue("database"))
    )


@pytest.fixture
def opened(kind: str, place_of: Callable[[str], str]) -> Iterator[Open]:
    """Open the same store again and again; whatever is still open is closed at the end."""
    stores: list[Store] = []
    place = place_of(kind)

    def open_store() -> Store:
        stores.append(store_at(kind, place))
        return stores[-1]

    yield open_store
    for each in stores:
        each.close()


@pytest.fixture
def store(opened: Open) -> Store:
    """Open an empty store."""
    return opened()


def run(length: int, *, start: int = 0, previous: bytes = bytes(32), salt: str = "") -> list[Entry]:
    """Make a run of entries; stores never read what is in them."""
    entries = []
    for sequence in range(start, start + length):
        link = sha256(previous + salt.encode()).digest()
        entries.append(Entry(sequence, previous, link, f"{salt}{sequence}".encode() + link))
        previous = link
    return entries


def stored(store: Store, match_id: str = "m", owner: str = "o") -> list[Entry]:
    """Return everything that is stored of a match."""
    return list(store.entries(owner, match_id))


def test_append(store: Store) -> None:
    """Entries are read back as they were appended, one at a time or several at once, from any sequence."""
    entries = run(200)
    store.append("o", "m", entries[:1])
    store.append("o", "m", entries[1:2])
    store.append("o", "m", entries[2:])
    assert stored(store) == entries
    assert store.head("o", "m") == Head("m", 199, entries[-1].link)
    assert list(store.entries("o", "m", 150)) == entries[150:]
    assert list(store.entries("o", "m", 200)) == []


def test_long_reads_have_no_gap(store: Store) -> None:
    """A log longer than what is read at once comes whole and in order."""
    entries = run(1500)
    store.append("o", "m", entries)
    assert stored(store) == entries


def test_reopened(opened: Open) -> None:
    """What was appended is there when the store is opened again."""
    first = opened()
    first.append("o", "m", run(5))
    first.close()
    assert stored(opened()) == run(5)


def test_retry(store: Store) -> None:
    """The same entries again are refused with the stored ones, which a caller recognizes as its own."""
    entries = run(10)
    store.append("o", "m", entries)
    for part in (entries, entries[3:7], entries[9:], entries[:1]):
        with pytest.raises(AlreadyRecorded) as caught:
            store.append("o", "m", part)
        assert list(caught.value.entries) == part
    assert stored(store) == entries


def test_retry_of_a_prefix(store: Store) -> None:
    """Of a run that is stored in part, the stored part is handed back and nothing is written; the rest can follow."""
    entries = run(10)
    store.append("o", "m", entries[:6])
    with pytest.raises(AlreadyRecorded) as caught:
        store.append("o", "m", entries[4:])
    assert list(caught.value.entries) == entries[4:6]
    assert store.head("o", "m") == Head("m", 5, entries[5].link)
    store.append("o", "m", entries[6:])
    assert stored(store) == entries


def test_conflict(store: Store) -> None:
    """Another entry at a sequence that is taken is refused with the one that stands; the first writer wins."""
    entries = run(5)
    store.append("o", "m", entries)
    with pytest.raises(AlreadyRecorded) as caught:
        store.append("o", "m", run(3, start=3, previous=entries[2].link, salt="other"))
    assert list(caught.value.entries) == entries[3:]
    with pytest.raises(AlreadyRecorded) as caught:
        store.append("o", "m", run(1, salt="other"))
    assert list(caught.value.entries) == entries[:1]
    assert stored(store) == entries


def test_another_history(store: Store) -> None:
    """An entry that builds on another entry than the stored head is refused with that head."""
    entries = run(5)
    store.append("o", "m", entries)
    with pytest.raises(Forked) as caught:
        store.append("o", "m", run(2, start=5, previous=bytes(32)))
    assert caught.value.head == Head("m", 4, entries[4].link)
    assert stored(store) == entries


def test_gap(store: Store) -> None:
    """Entries beyond the head are refused with the head, or None where nothing is stored."""
    entries = run(9)
    with pytest.raises(HistoryMissing) as caught:
        store.append("o", "m", entries[3:])
    assert caught.value.head is None
    store.append("o", "m", entries[:4])
    with pytest.raises(HistoryMissing) as caught:
        store.append("o", "m", entries[6:])
    assert caught.value.head == Head("m", 3, entries[3].link)
    store.append("o", "m", entries[4:])
    assert stored(store) == entries


@pytest.mark.parametrize("damage", ["empty", "hole", "unlinked", "header"])
def test_a_run_that_is_none(store: Store, damage: str) -> None:
    """Entries that are no run are refused as the caller's fault, before anything is written."""
    entries = run(5)
    wrong = {
        "empty": [],
        "hole": [*entries[:2], *entries[3:]],
        "unlinked": [*entries[:2], entries[2]._replace(previous=bytes(32)), *entries[3:]],
        "header": [entries[0]._replace(previous=b"\1" * 32)],
    }[damage]
    with pytest.raises(ValueError, match="expected"):
        store.append("o", "m", wrong)
    assert store.head("o", "m") is None


@pytest.mark.parametrize(("owner", "match_id"), [("o", ""), ("\ud800", "m"), ("o", "\udfff")])
def test_keys_that_are_none(store: Store, owner: str, match_id: str) -> None:
    """A key that can't be stored is the caller's fault too, and no other append suffers from it."""
    with pytest.raises(ValueError, match="expected"):
        store.append(owner, match_id, run(1))
    store.append("o", "m", run(1))


def test_owners_never_meet(store: Store) -> None:
    """The same match id of two owners is two matches, and an owner learns nothing of another's."""
    store.append("a", "bc", run(3, salt="a"))
    store.append("ab", "c", run(2, salt="ab"))
    store.append("b", "bc", run(1, salt="b"))
    assert stored(store, "bc", "a") == run(3, salt="a")
    assert stored(store, "bc", "b") == run(1, salt="b")
    assert store.head("c", "bc") is None
    assert [each.owner for each in store.matches("a").matches] == ["a"]
    assert [each.owner for each in store.matches().matches] == ["a", "ab", "b"]


@pytest.mark.parametrize("match_id", ["%", "'; DROP TABLE entry; --", "żółw 🁢", "a\0b", "../../x", " ", "M", "m"])
def test_odd_ids(store: Store, match_id: str) -> None:
    """Any text is a match id: it is a value, never a pattern, a path or a statement."""
    store.append("", match_id, run(2))
    assert stored(store, match_id, "") == run(2)
    assert store.matches("").matches[0].head.match_id == match_id
    assert store.head("", match_id + "x") is None


def test_unknown(store: Store) -> None:
    """A match that is not there has no head and no entries, and says so at once."""
    assert store.head("o", "m") is None
    with pytest.raises(UnknownMatch):
        store.entries("o", "m")
    assert store.matches().matches == ()


def test_list(store: Store) -> None:
    """A listing has every match once, in order, with its head; tokens stay good while matches are added."""
    for number in range(25):
        store.append("o", f"m{number:02}", run(number % 3 + 1))
    first = store.matches("o", page_size=10)
    store.append("o", "m05x", run(1))
    store.append("o", "m15x", run(1))
    second = store.matches("o", page_size=10, page_token=first.next_page_token)
    third = store.matches("o", page_size=10, page_token=second.next_page_token)
    found = [each.head.match_id for page in (first, second, third) for each in page.matches]
    assert found == sorted([f"m{number:02}" for number in range(25)] + ["m15x"])
    assert third.next_page_token == ""
    assert second == store.matches("o", page_size=10, page_token=first.next_page_token)
    assert [each.head.sequence for each in first.matches] == [number % 3 for number in range(10)]
    assert store.matches("o", page_size=27).next_page_token == ""
    assert store.matches("p").matches == ()


@pytest.mark.parametrize("token", ["x", "!", "bm90IGpzb24=", "W10=", "WzEsMl0=", "\ud800"])
def test_tokens_that_are_none(store: Store, token: str) -> None:
    """A page token that the store did not give is the caller's fault."""
    with pytest.raises(ValueError, match="page token"):
        store.matches(page_token=token)
    for size in (0, -1, 1001):
        with pytest.raises(ValueError, match="page size"):
            store.matches(page_size=size)


def test_read_while_written(store: Store) -> None:
    """A reader that is slow sees a run without a gap, and does not hold up writers."""
    entries = run(600)
    store.append("o", "m", entries[:300])
    reading = store.entries("o", "m")
    seen = list(islice(reading, 200))
    store.append("o", "m", entries[300:])
    seen += reading
    assert seen == entries[: len(seen)]
    assert len(seen) >= 300


def test_concurrent_matches(store: Store) -> None:
    """Callers in many threads, each with a match of its own, all find their entries stored."""
    chains = {f"m{number}": run(40, salt=str(number)) for number in range(12)}

    def play(match_id: str) -> None:
        for entry in chains[match_id]:
            store.append("o", match_id, [entry])

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(play, chains))
    assert all(stored(store, match_id) == chain for match_id, chain in chains.items())


def test_one_match_raced_for(store: Store) -> None:
    """Of many callers who append different entries at one place, one wins and every other is told who."""
    head = run(1)
    store.append("o", "m", head)
    gate = threading.Barrier(8)

    def race(number: int) -> Entry:
        entry = run(1, start=1, previous=head[0].link, salt=str(number))
        gate.wait()
        try:
            store.append("o", "m", entry)
        except AlreadyRecorded as error:
            return error.entries[0]
        return entry[0]

    with ThreadPoolExecutor(8) as pool:
        winners = set(pool.map(race, range(8)))
    assert len(winners) == 1
    assert stored(store) == [head[0], *winners]


def test_one_bad_append_spares_its_group(store: Store) -> None:
    """In one commit, an append that has no place fails alone: what stands beside it is stored."""
    assert isinstance(store, SqliteStore | PostgresStore)
    store.append("o", "m", run(2))
    group = [
        Append("o", "a", run(1)),
        Append("o", "m", run(1, start=1, previous=bytes(32), salt="x")),
        Append("o", "n", run(3)[2:]),
        Append("o", "b", run(3)),
        Append("o", "b", run(3)),
    ]
    fates = [type(fate) for fate in store._commit(group)]
    assert fates == [type(None), AlreadyRecorded, HistoryMissing, type(None), AlreadyRecorded]
    assert (stored(store, "a"), stored(store, "b"), store.head("o", "n")) == (run(1), run(3), None)


RACER = """
import sys
sys.path[:0] = sys.argv[4:]
from test_store_contract import run, store_at
from dominohall_replays.store import AlreadyRecorded

store = store_at(sys.argv[1], sys.argv[2], patience=30)
print("ready", flush=True)
sys.stdin.readline()
previous, won = bytes(32), 0
for sequence in range(60):
    mine = run(1, start=sequence, previous=previous, salt=sys.argv[3])[0]
    try:
        store.append("o", "m", [mine])
        won += 1
    except AlreadyRecorded as error:
        mine = error.entries[0]
    previous = mine.link
    print("acknowledged", sequence, flush=True)
store.close()
print("won", won, flush=True)
"""


def racer(kind: str, place: str, name: str) -> subprocess.Popen[str]:
    """Start a process that appends to the same match of the same store."""
    here = [*sys.path, str(Path(__file__).parent)]
    command = [sys.executable, "-c", RACER, kind, place, name, *here]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_two_processes_race(quick_kind: str, place_of: Callable[[str], str]) -> None:
    """Two processes that race for every place of one match write one log, each place won by one of them."""
    place = place_of(quick_kind)
    racers = [racer(quick_kind, place, name) for name in ("one", "other")]
    for each in racers:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    outputs = [each.communicate("go\n", timeout=60)[0] for each in racers]
    won = [int(output.split()[-1]) for output in outputs]
    assert sum(won) == 60
    store = store_at(quick_kind, place)
    entries = stored(store)
    store.close()
    assert [entry.sequence for entry in entries] == list(range(60))
    assert all(after.previous == before.link for before, after in pairwise(entries))
    assert sorted(won) == sorted(sum(entry.data.startswith(name) for entry in entries) for name in (b"one", b"other"))


def test_killed_in_the_middle(quick_kind: str, place_of: Callable[[str], str]) -> None:
    """A process that is killed while it appends loses nothing that it acknowledged, and its store opens again."""
    place = place_of(quick_kind)
    victim = racer(quick_kind, place, "x")
    assert victim.stdin is not None
    assert victim.stdout is not None
    victim.stdout.readline()
    victim.stdin.write("go\n")
    victim.stdin.flush()
    acknowledged = -1
    while acknowledged < 20:
        acknowledged = int(victim.stdout.readline().split()[1])
    victim.kill()
    rest = victim.communicate()[0].split()
    acknowledged = max([acknowledged, *(int(each) for each in rest if each.isdigit())])
    store = store_at(quick_kind, place)
    entries = stored(store)
    assert entries == run(len(entries), salt="x")
    assert len(entries) > acknowledged
    store.append("o", "m", run(1, start=len(entries), previous=entries[-1].link))
    store.close()


def test_closed(store: Store) -> None:
    """A closed store answers nothing, and closing it again is no fault."""
    store.append("o", "m", run(2))
    store.close()
    store.close()
    for call in (
        lambda: store.append("o", "m", run(1)),
        lambda: store.head("o", "m"),
        lambda: store.entries("o", "m"),
        store.matches,
    ):
        with pytest.raises(StoreUnavailable):
            call()


def test_no_store() -> None:
    """The store that keeps nothing accepts every run, knows no match, and still refuses what is no run."""
    store: Any = NoStore()
    store.append("o", "m", run(3))
    store.append("o", "m", run(3, salt="other"))
    assert store.head("o", "m") is None
    assert store.matches().matches == ()
    with pytest.raises(UnknownMatch):
        store.entries("o", "m")
    with pytest.raises(ValueError, match="expected an entry"):
        store.append("o", "m", [*run(1), *run(1)])
    store.close()
