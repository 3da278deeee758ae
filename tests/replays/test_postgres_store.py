"""What the shared store promises beyond the contract: its tables, lost and silent connections, a server that ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from hashlib import sha256
from typing import Any

import psycopg
import pytest
from dominohall_loadtest.postgres import OwnPostgres, own_postgres
from dominohall_replays.postgres_schema import VERSION
from dominohall_replays.postgres_store import PostgresStore
from dominohall_replays.records import Entry
from dominohall_replays.sqlite_file import Durability
from dominohall_replays.store import AlreadyRecorded, StoreUnavailable


def entry(sequence: int = 0, previous: bytes = bytes(32), size: int = 10) -> Entry:
    """Make an entry of a size."""
    return Entry(sequence, previous, sha256(previous).digest(), bytes(size))


def run(length: int) -> list[Entry]:
    """Make a run of entries."""
    entries = [entry()]
    while len(entries) < length:
        entries.append(entry(entries[-1].sequence + 1, entries[-1].link))
    return entries


@pytest.fixture
def store(database: str) -> Iterator[PostgresStore]:
    """Open a store that gives up after half a second."""
    with closing(PostgresStore(database, Durability.PROCESS, patience=0.5, readers=2)) as opened:
        yield opened


@pytest.fixture
def admin(database: str) -> Iterator[psycopg.Connection[Any]]:
    """Connect to the tables of the store beside it."""
    with psycopg.connect(database, autocommit=True, options=None) as connection:
        yield connection


@pytest.fixture(scope="module")
def frail() -> Iterator[OwnPostgres]:
    """Run a server that tests may end."""
    with own_postgres() as server:
        yield server


@pytest.mark.parametrize(("durability", "setting"), [("power", "on"), ("process", "off"), ("none", "off")])
def test_durability(database: str, durability: str, setting: str) -> None:
    """Each durability is PostgreSQL's own setting of that strength; `power` is what one gets unasked."""
    with closing(PostgresStore(database, Durability(durability))) as store:
        writer: Any = store._writer
        assert writer.execute("SHOW synchronous_commit").fetchone() == (setting,)
        assert writer.execute("SHOW statement_timeout").fetchone() == ("5s",)
    assert PostgresStore.__init__.__defaults__ == (Durability.POWER,)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entry SET data = '\\x00'",
        "INSERT INTO entry VALUES ('o', 'm', 0, {empty}, {empty}, '\\x00')",
        "INSERT INTO entry VALUES ('o', 'm', 1, {empty}, {empty}, '\\x00')",
        "INSERT INTO entry VALUES ('o', 'm', 2, {link}, {empty}, '\\x00')",
        "INSERT INTO entry VALUES ('o', 'n', -1, {empty}, {empty}, '\\x00')",
        "INSERT INTO entry VALUES ('o', 'n', 0, '\\x00', {empty}, '\\x00')",
        "INSERT INTO entry VALUES ('o', 'buried', 0, {empty}, {empty}, '\\x00')",
    ],
)
def test_the_tables_guard_themselves(store: PostgresStore, admin: Any, statement: str) -> None:
    """The promise is kept by constraints in the database: not even SQL by hand forks, skips, changes or begins anew."""
    store.append("o", "m", [entry()])
    admin.execute("INSERT INTO tombstone VALUES ('o', 'buried', 1, %s, 'a segment', 0, 1)", (bytes(32),))
    values = {"empty": f"'\\x{bytes(32).hex()}'", "link": f"'\\x{entry().link.hex()}'"}
    with pytest.raises(psycopg.IntegrityError):
        admin.execute(statement.format(**values))


def test_newer_tables(database: str) -> None:
    """Tables that a newer build made are refused in words and left as they are."""
    PostgresStore(database).close()
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("INSERT INTO dominohall_version (version) VALUES (%s)", (VERSION + 1,))
        with pytest.raises(StoreUnavailable, match=f"at most version {VERSION}, got {VERSION + 1}"):
            PostgresStore(database)
        assert connection.execute("SELECT max(version) FROM dominohall_version").fetchone() == (VERSION + 1,)


OPENER = """
import sys
sys.path[:0] = sys.argv[2:]
from dominohall_replays.postgres_store import PostgresStore
print("ready", flush=True)
sys.stdin.readline()
store = PostgresStore(sys.argv[1])
print(store.matches(), flush=True)
store.close()
"""


def test_migrations_from_several_processes_at_once(database: str) -> None:
    """Four processes that open an empty database together find its tables made, once, and none is turned away."""
    command = [sys.executable, "-c", OPENER, database, *sys.path]
    openers = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    for each in openers:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    for each in openers:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    assert {each.communicate(timeout=60)[0] for each in openers} == {"Page(matches=(), next_page_token='')\n"}
    assert {each.returncode for each in openers} == {0}
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT version FROM dominohall_version").fetchall() == [
            (number,) for number in range(1, VERSION + 1)
        ]


def test_a_user_without_the_right_to_create(database: str, admin: Any) -> None:
    """Once the tables are there, the service needs no more than to read and to add."""
    PostgresStore(database).close()
    (schema,) = admin.execute("SELECT current_schema()").fetchone()
    admin.execute(f"CREATE ROLE {schema}_user LOGIN")
    admin.execute(f"GRANT USAGE ON SCHEMA {schema} TO {schema}_user")
    admin.execute(f"GRANT SELECT, INSERT ON entry TO {schema}_user")
    admin.execute(f"GRANT SELECT ON tombstone, dominohall_version TO {schema}_user")
    with closing(PostgresStore(database.replace("postgres@", f"{schema}_user@"))) as store:
        store.append("o", "m", run(3))
        assert list(store.entries("o", "m")) == run(3)


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("postgresql://user:pa55word@127.0.0.1:1/db", "can't be used"),
        ("nonsense pa55word", "expected the address"),
        ("postgresql://user:pa55word@127.0.0.1/db?colour=blue", "expected the address"),
    ],
)
def test_an_address_that_leads_nowhere(url: str, complaint: str) -> None:
    """It is refused at the start, in words that do not repeat its password."""
    with pytest.raises((StoreUnavailable, ValueError), match=complaint) as caught:
        PostgresStore(url)
    assert "pa55word" not in str(caught.value)


def test_a_connection_killed_between_calls(store: PostgresStore, admin: Any) -> None:
    """Connections that the server ended while they were idle are replaced, and no caller notices."""
    store.append("o", "m", run(2))
    assert store.head("o", "m") is not None
    kill_all(admin)
    assert len(list(store.entries("o", "m"))) == 2
    store.append("o", "m", run(3)[2:])
    assert list(store.entries("o", "m")) == run(3)


def test_a_connection_killed_in_the_middle(database: str, admin: Any) -> None:
    """A connection that the server ends while it writes is replaced: the entry is stored once, and whole."""
    with closing(PostgresStore(database, Durability.PROCESS, patience=20)) as store:
        store.append("o", "m", run(1))
        with ThreadPoolExecutor(1) as pool:
            admin.execute("BEGIN")
            admin.execute("LOCK TABLE entry IN ACCESS EXCLUSIVE MODE")
            appended = pool.submit(store.append, "o", "m", run(5)[1:])
            wait_until_blocked(admin)
            kill_all(admin)
            wait_until_blocked(admin)
            admin.execute("COMMIT")
            appended.result()
        assert list(store.entries("o", "m")) == run(5)


def test_repeated_when_the_first_try_arrived(store: PostgresStore) -> None:
    """When the answer of a commit is lost, the store finds its own entries standing and calls that a success."""
    from dominohall_replays.group_commit import Append

    store.append("o", "m", run(3))
    same, other = run(3), [entry(1, run(1)[0].link)._replace(link=b"x" * 32)]
    fates = store._write([Append("o", "m", same), Append("o", "m", other), Append("o", "n", run(2))], repeated=True)
    assert [type(fate) for fate in fates] == [type(None), AlreadyRecorded, type(None)]
    assert list(store.entries("o", "n")) == run(2)


def test_a_statement_that_takes_too_long(store: PostgresStore, admin: Any) -> None:
    """While others hold the table, appends and reads are unavailable in time; afterwards repeating succeeds."""
    store.append("o", "m", run(1))
    with admin.transaction():
        admin.execute("LOCK TABLE entry IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(StoreUnavailable, match="may have been appended, repeating is safe"):
            store.append("o", "m", run(2)[1:])
        with pytest.raises(StoreUnavailable, match="can't be read"):
            store.head("o", "m")
    store.append("o", "m", run(2)[1:])
    assert list(store.entries("o", "m")) == run(2)


def test_a_server_that_answers_nothing(store: PostgresStore, admin: Any) -> None:
    """A server that stands still, its connections open, ends no call by itself: the store does, and connects anew."""
    store.append("o", "m", run(1))
    writer: Any = store._writer
    store.head("o", "m")
    frozen = [row[0] for row in admin.execute("SELECT pid FROM pg_stat_activity WHERE application_name = 'dominohall'")]
    assert writer.info.backend_pid in frozen
    for pid in frozen:
        os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(StoreUnavailable):
            store.append("o", "m", run(2)[1:])
        with pytest.raises(StoreUnavailable):
            store.head("o", "m")
        assert store.head("o", "m") is not None
    finally:
        for pid in frozen:
            os.kill(pid, signal.SIGCONT)
    with suppress(AlreadyRecorded):
        store.append("o", "m", run(2)[1:])
    assert list(store.entries("o", "m")) == run(2)


def test_no_more_connections_than_allowed(store: PostgresStore, admin: Any) -> None:
    """However many read at once, the store keeps to its number of connections, and whoever gets none is told."""
    store.append("o", "m", run(1))
    with ThreadPoolExecutor(8) as pool, admin.transaction():
        admin.execute("LOCK TABLE entry IN ACCESS EXCLUSIVE MODE")
        reads = [pool.submit(store.head, "o", "m") for _ in range(8)]
        wait_until_blocked(admin, 2)
        (connections,) = admin.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dominohall'"
        ).fetchone()
        assert all(isinstance(each.exception(10), StoreUnavailable) for each in reads)
    assert connections <= 3


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_a_server_restarted_in_the_middle(frail: OwnPostgres, end: str) -> None:
    """While the server is away callers are told so, quickly; when it is back, everything acknowledged is there."""
    with closing(PostgresStore(frail.url(), patience=1.0)) as store:
        entries = run(40)
        for each in entries[:20]:
            store.append("o", end, [each])
        {"stop": frail.stop, "kill": frail.kill}[end]()
        with pytest.raises(StoreUnavailable, match="repeating is safe"):
            store.append("o", end, entries[20:21])
        with pytest.raises(StoreUnavailable):
            store.head("o", end)
        frail.start()
        assert list(store.entries("o", end)) == entries[:20]
        for each in entries[20:]:
            store.append("o", end, [each])
        assert list(store.entries("o", end)) == entries


def kill_all(admin: Any) -> None:
    """End every connection of stores, and wait until they are gone."""
    pids = admin.execute("SELECT pid FROM pg_stat_activity WHERE application_name = 'dominohall'").fetchall()
    assert pids
    for pid in pids:
        admin.execute("SELECT pg_terminate_backend(%s, 5000)", pid)


def wait_until_blocked(admin: Any, count: int = 1) -> None:
    """Wait until so many statements of stores wait for a lock."""
    while True:
        admin.execute("SELECT pg_stat_clear_snapshot()")
        (waiting,) = admin.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dominohall' AND wait_event_type = 'Lock'"
        ).fetchone()
        if waiting >= count:
            return


def test_reads_go_on_while_a_group_is_written(store: PostgresStore, new_database: Callable[[], str]) -> None:
    """Many callers append to many matches and read them back at once, and each finds what was acknowledged."""

    def play(number: int) -> int:
        entries = run(25)
        for each in entries:
            store.append("o", f"m{number}", [each])
            head = store.head("o", f"m{number}")
            assert head is not None
            assert head.link == each.link
        return len(list(store.entries("o", f"m{number}")))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(play, range(8))) == [25] * 8
