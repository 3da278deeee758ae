"""The examples in the docstrings of 42 run as they are printed."""

import doctest
import importlib

import pytest

ROOMS = ["", ".moves", ".scoring", ".tables", ".tricks"]


@pytest.mark.parametrize("room", ROOMS)
def test_examples_of_docstrings_run(room: str) -> None:
    """Each gives what it says, and a module listed here for its examples has no failing one."""
    module = importlib.import_module("dominohall_engine.forty_two" + room)
    results = doctest.testmod(module)
    assert results.failed == 0
    compiled = not str(module.__file__).endswith(".py")  # then the docstrings are gone
    assert results.attempted > 0 or compiled
