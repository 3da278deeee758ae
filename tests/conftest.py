"""What tests of several rooms share: a real PostgreSQL, and the transports that a service is tried on."""

from collections.abc import Callable, Iterator
from itertools import count

import psycopg
import pytest
from dominohall_loadtest.postgres import NoPostgres, OwnPostgres, own_postgres, programs


@pytest.fixture(scope="session")
def postgres() -> Iterator[OwnPostgres]:
    """Run one PostgreSQL server for all tests of a process; those that need it are skipped where there is none."""
    try:
        programs()
    except NoPostgres as error:
        pytest.skip(f"NO POSTGRESQL: {error}")
    with own_postgres() as running:
        yield running


TRANSPORTS = ("grpcio", "native")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let one transport be chosen."""
    parser.addoption("--transport", choices=TRANSPORTS, help="try services on this transport alone; on both without it")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Try every test that talks to a running service on each transport, unless it says on which."""
    said = any("transport" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))
    if "transport" in metafunc.fixturenames and not said:
        chosen = metafunc.config.getoption("--transport")
        metafunc.parametrize("transport", [chosen] if chosen else TRANSPORTS, scope="session")


NUMBERS = count()


@pytest.fixture
def new_database(postgres: OwnPostgres) -> Callable[[], str]:
    """Make a place for a store's tables and return its address: a schema, because a database costs a second."""

    def make() -> str:
        name = f"test_{next(NUMBERS)}"
        with psycopg.connect(postgres.url(), autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        return postgres.url(name)

    return make


@pytest.fixture
def database(new_database: Callable[[], str]) -> str:
    """Make one empty place for a store's tables and return its address."""
    return new_database()
