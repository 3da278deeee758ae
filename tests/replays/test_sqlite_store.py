"""What is SQLite's own about the embedded store: the file, its layout, and a disk that fails."""

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from dominohall_replays import sqlite_file
from dominohall_replays.records import Entry
from dominohall_replays.sqlite_file import APPLICATION_ID, VERSION, Durability, connect
from dominohall_replays.sqlite_store import SqliteStore
from dominohall_replays.store import StoreUnavailable


def entry(sequence: int = 0, previous: bytes = bytes(32), size: int = 10) -> Entry:
    """Make an entry of a size."""
    return Entry(sequence, previous, sha256(previous).digest(), bytes(size))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the file of a store lies."""
    return tmp_path / "store.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    """Open a store that gives up after a tenth of a second."""
    with closing(SqliteStore(path, Durability.PROCESS, patience=0.1)) as opened:
        yield opened


@pytest.mark.parametrize(("durability", "synchronous"), [("power", 2), ("process", 1), ("none", 0)])
def test_durability(path: Path, durability: str, synchronous: int) -> None:
    """Each durability is SQLite's own setting of that strength, in WAL mode; `power` is what one gets unasked."""
    with closing(connect(path, Durability(durability), 1)) as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (synchronous,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert SqliteStore.__init__.__defaults__ == (Durability.POWER,)


def test_layout_is_marked(path: Path, store: SqliteStore) -> None:
    """The file says whose it is and which layout it has."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)


def test_newer_layout(path: Path) -> None:
    """A file that a newer build laid out is refused and left as it is."""
    SqliteStore(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    with pytest.raises(StoreUnavailable, match=f"at most version {VERSION}, got {VERSION + 1}"):
        SqliteStore(path)


@pytest.mark.parametrize("content", ["table", "text", "directory"])
def test_another_programs_file(tmp_path: Path, content: str) -> None:
    """A file that is no store is refused and left as it is."""
    path = tmp_path / "other"
    if content == "directory":
        path.mkdir()
    elif content == "text":
        path.write_text("no database, but a text that is longer than the head of a database file" * 20)
    else:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE theirs (x)")
    with pytest.raises(StoreUnavailable):
        SqliteStore(path)


def test_a_missing_directory(tmp_path: Path) -> None:
    """A path that can't be opened is refused at the start, not at the first move."""
    with pytest.raises(StoreUnavailable, match="can't be opened"):
        SqliteStore(tmp_path / "nowhere" / "store.db")


INTO = "INSERT INTO entry (owner, match_id, sequence, previous, link, data) VALUES "


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entry SET data = x'00'",
        INTO + "('o', 'm', 0, zeroblob(32), zeroblob(32), x'00')",
        INTO + "('o', 'm', 1, zeroblob(32), zeroblob(32), x'00')",
        INTO + "('o', 'm', 2, zeroblob(32), zeroblob(32), x'00')",
        INTO + "('o', 'n', -1, zeroblob(32), zeroblob(32), x'00')",
        INTO + "('o', 'n', 0, zeroblob(31), zeroblob(32), x'00')",
        INTO + "('o', 'buried', 0, zeroblob(32), zeroblob(32), x'00')",
    ],
)
def test_the_file_guards_itself(path: Path, store: SqliteStore, statement: str) -> None:
    """The promise is kept by constraints in the file: not even SQL by hand forks, skips or changes an entry."""
    store.append("o", "m", [entry()])
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("INSERT INTO tombstone VALUES ('o', 'buried', 1, zeroblob(32), 'a segment', 0, 1)")
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(statement)


def test_a_file_of_the_first_layout(path: Path) -> None:
    """A file that an older build laid out is brought up to date when it is opened, and keeps its entries."""
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        for statement in sqlite_file.LAYOUT:
            old.execute(statement)
        old.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        old.execute("PRAGMA user_version = 1")
        old.execute("INSERT INTO entry VALUES ('o', 'm', ?, ?, ?, ?)", entry())
    with closing(SqliteStore(path)) as store:
        assert list(store.entries("o", "m")) == [entry()]
        assert store.last_entry("o", "m") == (entry(), 0)
        store.append("o", "m", [entry(1, entry().link)])
        assert store.last_entry("o", "m")[1] > 0


def test_a_locked_file(path: Path, store: SqliteStore) -> None:
    """While another process holds the file, appends are unavailable and reads go on; afterwards repeating succeeds."""
    store.append("o", "m", [entry()])
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="may have been appended, repeating is safe"):
            store.append("o", "n", [entry()])
        assert store.head("o", "m") is not None
        other.execute("ROLLBACK")
    store.append("o", "n", [entry()])


def test_a_full_disk(path: Path, store: SqliteStore) -> None:
    """When the file can't grow, the append leaves nothing behind, reads go on, and space makes it work again."""
    store.append("o", "m", [entry()])
    writer: Any = store._writer
    (pages,) = writer.execute("PRAGMA page_count").fetchone()
    writer.execute(f"PRAGMA max_page_count = {pages}")
    big = [entry(size=4000)]
    for sequence in range(1, 20):
        big.append(entry(sequence, big[-1].link, 4000))
    with pytest.raises(StoreUnavailable, match="full"):
        store.append("o", "big", big)
    assert store.head("o", "big") is None
    assert [each.sequence for each in store.entries("o", "m")] == [0]
    store.append("o", "big", big)  # on a new connection, which has all the room of the disk again
    assert list(store.entries("o", "big")) == big


def test_a_damaged_file(path: Path, store: SqliteStore) -> None:
    """A file that was overwritten while it was open is unavailable, not believed."""
    store.append("o", "m", [entry(size=3000)])
    store._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # type: ignore[union-attr]
    path.write_bytes(b"\xff" * path.stat().st_size)
    with pytest.raises(StoreUnavailable):
        list(store.entries("o", "n"))
    with pytest.raises(StoreUnavailable):
        SqliteStore(path)


def test_several_openers_at_once(tmp_path: Path) -> None:
    """Whoever opens an empty file at the same time as others finds it laid out, once, and nobody is turned away."""
    with ThreadPoolExecutor(8) as pool:
        for number in range(25):
            path = tmp_path / f"{number}.db"
            connections = list(pool.map(lambda _, path=path: connect(path, Durability.PROCESS, 10), range(8)))
            for connection in connections:
                assert connection.execute("SELECT count(*) FROM entry").fetchone() == (0,)
                connection.close()


def test_laid_out_while_it_is_looked_at(path: Path) -> None:
    """A file that another process lays out between two looks at it is not taken for another program's."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")

    def meanwhile(statement: str) -> None:
        if statement == "PRAGMA user_version":
            connection.set_trace_callback(None)
            connect(path, Durability.PROCESS, 1).close()

    connection.set_trace_callback(meanwhile)
    sqlite_file._lay_out(connection)
    assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
    connection.close()
