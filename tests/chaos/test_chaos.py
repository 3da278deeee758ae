"""Exactly once, shown: real processes on one store, killed and cut off in the middle of everything."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from dominohall_loadtest.chaos.checking import Fault
from dominohall_loadtest.chaos.figures import Figures
from dominohall_loadtest.chaos.proxy import Odds
from dominohall_loadtest.chaos.run import Plan, run
from dominohall_loadtest.postgres import NoPostgres

SHORT = Plan(seconds=6.0, servers=2, hosts=4, races=2, pause=(0.6, 1.2), odds=Odds(0.05, 0.05, 0.02), least_calls=250)


def check_it_was_rough(figures: Figures) -> None:
    """See that a run met what it is about: a calm one shows nothing."""
    assert figures.moves > 50, figures
    assert figures.kills >= 1, figures
    assert figures.cut_before + figures.cut_after + figures.dropped_replies >= 3, figures
    assert figures.retries >= 3, figures


def test_no_move_is_lost_or_doubled_on_sqlite(transport: str) -> None:
    """Processes on one file, killed, cut off, out of room: every acknowledged move is in one log, which verifies."""
    figures = run(replace(SHORT, transport=transport))
    sys.stdout.write(f"{figures}\n")
    assert figures.held, str(figures)
    check_it_was_rough(figures)
    assert figures.disk_fillings >= 1


@pytest.mark.parametrize("transport", ["grpcio", pytest.param("native", marks=pytest.mark.slow)])
def test_no_move_is_lost_or_doubled_on_postgresql(transport: str) -> None:
    """The same on PostgreSQL, which is itself shut down and killed in the middle of it."""
    try:
        figures = run(replace(SHORT, store="postgresql", transport=transport))
    except NoPostgres as error:
        pytest.skip(f"NO POSTGRESQL: {error}")
    sys.stdout.write(f"{figures}\n")
    assert figures.held, str(figures)
    check_it_was_rough(figures)
    assert figures.database_restarts >= 1


def test_a_planted_loss_is_found() -> None:
    """A server that acknowledges an append in a hundred without writing it: the run ends with losses found."""
    program = (sys.executable, str(Path(__file__).with_name("losing_server.py")))
    plan = Plan(
        seconds=3.0,
        servers=1,
        hosts=4,
        races=0,
        pause=(60.0, 60.0),
        least_rounds=0,
        odds=Odds(0, 0, 0),
        program=program,
    )
    figures = run(plan)
    assert not figures.held
    assert figures.count(Fault.LOST) >= 1, str(figures)
