"""Hostile input on every method of a real server process: nothing becomes INTERNAL, memory stays, health answers.

The long form is `python -m dominohall_loadtest.hostile --requests 100000`.
"""

import random

import pytest
from dominohall_loadtest.hostile import MOST_GROWTH, Outcome, run
from dominohall_loadtest.malice import METHODS, bombs, honest, requests


def test_a_server_under_hostile_input_holds(transport: str) -> None:
    """Bombs, slow logs and spoiled requests on every method: each is answered with a reason, within 128 MiB more.

    Bombs are never taken for requests of a match; honest requests that some spoiled ones still are do succeed.
    """
    outcome = run(1200, transport=transport)
    assert outcome.problems == []
    assert outcome.statuses.total() > 1200 + len(METHODS) * len(bombs())
    assert outcome.statuses["INVALID_ARGUMENT"] > outcome.statuses.total() / 2
    assert outcome.statuses.keys() <= {
        "OK", "INVALID_ARGUMENT", "FAILED_PRECONDITION", "NOT_FOUND", "ALREADY_EXISTS", "ABORTED", "PERMISSION_DENIED",
        "RESOURCE_EXHAUSTED",
    }  # fmt: skip
    assert len(outcome.health) > 10


@pytest.mark.slow
def test_a_server_under_much_hostile_input_holds(transport: str) -> None:
    """The same with a hundred times as many."""
    assert run(100_000, seed=2, transport=transport).problems == []


def test_every_method_is_attacked() -> None:
    """Each method of both services gets each bomb, an honest request that is spoiled, and bytes changed by chance."""
    originals = honest([b"token"], [b"log"], ["match"])
    sent = list(requests(random.Random(1), 2000, originals))
    assert {method for method, _ in sent} == set(METHODS)
    assert all(originals[method.rpartition("/")[2]] for method in METHODS)
    for content in bombs().values():
        assert {method for method, data in sent if data == content} == set(METHODS)


def test_what_is_not_held_is_told() -> None:
    """An INTERNAL, a failed health check and memory that grows are each told."""
    assert Outcome().problems == []
    assert "became INTERNAL" in Outcome(internal=[("/a/B", b"x")]).problems[0]
    assert "health" in Outcome(health_failures=1).problems[0]
    assert "memory" in Outcome(peak_bytes=MOST_GROWTH + 1).problems[0]
