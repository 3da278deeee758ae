"""How much a caller may ask at once and over time, by the clock that it is given."""

import pytest
from dominohall_service.allowance import MOST_CALLERS, Allowance
from dominohall_service.faults import CallFault


def test_calls_and_streams_at_once_are_counted() -> None:
    """What is taken counts until it is given back; streams have a limit of their own; a bucket fills by time."""
    allowance = Allowance(2.0, 5, 3, 1)
    allowance.take("a", stream=True, now=0.0)
    with pytest.raises(CallFault, match="1 streams"):
        allowance.take("a", stream=True, now=0.0)
    allowance.take("a", stream=False, now=0.0)
    allowance.take("a", stream=False, now=0.0)
    with pytest.raises(CallFault, match="3 calls at once"):
        allowance.take("a", stream=False, now=0.0)
    allowance.give_back("a", stream=True)
    allowance.take("a", stream=True, now=0.0)
    allowance.give_back("a", stream=True)
    allowance.take("a", stream=False, now=0.0)
    allowance.give_back("a", stream=False)
    with pytest.raises(CallFault, match="2 calls a second") as caught:
        allowance.take("a", stream=False, now=0.0)
    assert caught.value.retry_seconds == 0.5
    allowance.take("a", stream=False, now=0.5)


def test_the_memory_of_callers_is_bounded() -> None:
    """Idle callers are forgotten, the oldest first; one in progress is not."""
    allowance = Allowance(1.0, 5, 0, 0)
    allowance.take("busy", stream=False)
    for number in range(MOST_CALLERS + 50):
        allowance.take(f"caller-{number}", stream=False)
        allowance.give_back(f"caller-{number}", stream=False)
    assert len(allowance) == MOST_CALLERS
    allowance.give_back("busy", stream=False)
