"""What drivers of PostgreSQL cost an append: `python -m dominohall_loadtest.bench.postgres_drivers [--url URL]`.

The same rows, alone and in groups of 32, by every way that a driver has. psycopg is called as the store calls it, from
a thread; asyncpg runs its event loop in a thread of its own, as it would have to beside a synchronous server. Figures
are microseconds a row: the median of the time, and the processor time of this process. Ways take turns; only figures
of one run are worth comparing. Without `--url` a server is started, with fsync on, on this machine's temporary folder.
"""

import asyncio
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from statistics import median
from threading import Thread
from time import perf_counter, process_time
from typing import Any, Final

import asyncpg
import psycopg
from psycopg.types.numeric import Int4

from dominohall_loadtest.postgres import own_postgres

Row = tuple[bytes, bytes, int, bytes, bytes, bytes]
Append = Callable[[list[Row]], object]

GROUPS: Final = (1, 32)
STATEMENTS: Final = {1: 200, 32: 40}
TABLE: Final = "bench_entry"
LAYOUT: Final = f"""
    DROP TABLE IF EXISTS {TABLE};
    CREATE TABLE {TABLE} (
        owner bytea NOT NULL, match_id bytea NOT NULL, sequence integer NOT NULL, previous bytea NOT NULL,
        link bytea NOT NULL, data bytea NOT NULL, stored_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (owner, match_id, sequence)
    )
"""
NAMES: Final = ("owner", "match_id", "sequence", "previous", "link", "data")
INTO: Final = f"INSERT INTO {TABLE} ({', '.join(NAMES)})"
TYPES: Final = ("bytea", "bytea", "integer", "bytea", "bytea", "bytea")
ONE: Final = f"({', '.join(['%b'] * len(NAMES))})"


def rows(group: int, sequence: int) -> list[Row]:
    """Make one row for each of so many matches."""
    made = []
    for number in range(group):
        link = sha256(f"{number} {sequence}".encode()).digest()
        made.append((b"default", f"match-{number:04}".encode(), sequence, link, link, 2 * link + bytes(26)))
    return made


def plain(row: Row) -> list[object]:
    """Return the values of a row with the type of the column said."""
    return [Int4(value) if isinstance(value, int) else value for value in row]


def psycopg_ways(connection: "psycopg.Connection[Any]") -> dict[str, Append]:
    """Return the ways of psycopg."""
    arrays = ", ".join(f"%b::{kind}[]" for kind in TYPES)

    def values(group: list[Row]) -> None:
        connection.execute(f"{INTO} VALUES {', '.join([ONE] * len(group))}", [v for row in group for v in plain(row)])

    def unnest(group: list[Row]) -> None:
        columns = [list(column) for column in zip(*map(plain, group), strict=True)]
        connection.execute(f"{INTO} SELECT * FROM unnest({arrays})", columns)  # noqa: S608 - of constants alone

    def pipeline(group: list[Row]) -> None:
        with connection.transaction():
            connection.cursor().executemany(f"{INTO} VALUES {ONE}", [plain(row) for row in group])

    def copy(group: list[Row]) -> None:
        copying = f"COPY {TABLE} ({', '.join(NAMES)}) FROM STDIN (FORMAT BINARY)"
        with connection.transaction(), connection.cursor().copy(copying) as into:
            into.set_types(TYPES)
            for row in group:
                into.write_row(row)

    return {f"psycopg {way.__name__}": way for way in (values, unnest, pipeline, copy)}


def asyncpg_ways(connection: Any, loop: asyncio.AbstractEventLoop) -> dict[str, Append]:  # noqa: ANN401 - untyped
    """Return the ways of asyncpg, each called from this thread and run in the loop's."""
    arrays = ", ".join(f"${number}::{kind}[]" for number, kind in enumerate(TYPES, 1))
    numbers = ", ".join(f"${number}" for number in range(1, len(NAMES) + 1))

    def unnest(group: list[Row]) -> None:
        columns = [list(column) for column in zip(*group, strict=True)]
        wait(connection.fetch(f"{INTO} SELECT * FROM unnest({arrays})", *columns), loop)  # noqa: S608 - of constants alone

    def executemany(group: list[Row]) -> None:
        wait(connection.executemany(f"{INTO} VALUES ({numbers})", group), loop)

    def copy(group: list[Row]) -> None:
        wait(connection.copy_records_to_table(TABLE, records=group, columns=NAMES), loop)

    return {f"asyncpg {way.__name__}": way for way in (unnest, executemany, copy)}


def wait(work: Any, loop: asyncio.AbstractEventLoop) -> Any:  # noqa: ANN401 - of any coroutine
    """Run a coroutine in the loop's thread and wait for it in this one."""
    return asyncio.run_coroutine_threadsafe(work, loop).result()


def measure(append: Append, group: int) -> tuple[float, float]:
    """Return microseconds and processor microseconds a row."""
    prepared = [rows(group, sequence) for sequence in range(STATEMENTS[group] + 5)]
    for each in prepared[:5]:
        append(each)
    taken = []
    cpu = process_time()
    for each in prepared[5:]:
        start = perf_counter()
        append(each)
        taken.append(perf_counter() - start)
    cpu = process_time() - cpu
    return median(taken) / group * 1e6, cpu / len(taken) / group * 1e6


@contextmanager
def loop_in_a_thread() -> Iterator[asyncio.AbstractEventLoop]:
    """Run an event loop in a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def compare(url: str, rounds: int) -> Iterator[str]:
    """Measure everything and give out the lines of a table."""
    with psycopg.connect(url, autocommit=True, prepare_threshold=1) as connection, loop_in_a_thread() as loop:
        other = wait(asyncpg.connect(url), loop)
        ways = {**psycopg_ways(connection), **asyncpg_ways(other, loop)}
        yield f"{'microseconds a row (processor)':32}" + "".join(f"{f'in groups of {group}':>22}" for group in GROUPS)
        for durable in ("on", "off"):
            connection.execute(f"SET synchronous_commit = {durable}")
            wait(other.execute(f"SET synchronous_commit = {durable}"), loop)
            found: dict[tuple[str, int], list[tuple[float, float]]] = {}
            for _ in range(rounds):
                for group in GROUPS:
                    for name, append in ways.items():
                        connection.execute(LAYOUT)
                        found.setdefault((name, group), []).append(measure(append, group))
            yield f"synchronous_commit {durable}"
            for name in ways:
                best = [min(found[name, group]) for group in GROUPS]
                yield f"  {name:30}" + "".join(f"{f'{time:,.0f} ({cpu:,.0f})':>22}" for time, cpu in best)
        connection.execute(f"DROP TABLE {TABLE}")
        wait(other.close(), loop)


def main(arguments: list[str]) -> int:
    """Measure and print."""
    parser = ArgumentParser(prog="python -m dominohall_loadtest.bench.postgres_drivers", description=__doc__)
    parser.add_argument("--url", help="a database of your own, in which a table is made and dropped")
    parser.add_argument("--rounds", type=int, default=3, help="how often each way is measured; the best counts (3)")
    chosen = parser.parse_args(arguments)
    if chosen.url:
        lines = list(compare(chosen.url, chosen.rounds))
    else:
        with own_postgres() as server:
            lines = list(compare(f"{server.url().partition('?')[0]}?sslmode=disable", chosen.rounds))
    print("\n".join(lines))  # noqa: T201 - a command's answer
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
