"""What can't be redacted, and what a secret proves beside a redacted log."""

from dataclasses import replace
from typing import Any

import pytest
from dominohall_engine import fives
from dominohall_replays.log import read_log
from dominohall_replays.reading import LoggedMove
from dominohall_replays.records import revealed_secret
from dominohall_replays.redact import AlreadyRedacted, redact
from dominohall_replays.verdicts import DealStatement, Verdict
from dominohall_replays.verify import verify

TWO_SEATS = replace(fives.LINEAR, seats=2, partners=False)


def test_what_can_not_be_redacted_is_refused(record: Any) -> None:
    """A log that hides tiles already, and a seat that the match does not have."""
    match = record("fives", TWO_SEATS, seed=1, moves=9)
    with pytest.raises(AlreadyRedacted):
        redact(redact(match.log, 0), None)
    for seat in (2, -1):
        with pytest.raises(ValueError, match="expected a seat"):
            redact(match.log, seat)


def test_a_secret_beside_a_redacted_log_proves_its_roots(record: Any) -> None:
    """Whoever is given the secret can check every shake of a redacted log, though it shows no tile."""
    match = record("fives", TWO_SEATS, seed=1)
    log = redact(match.log, None)
    report = verify(log + revealed_secret(match.secret))
    assert (report.verdict, report.deal) == (Verdict.REDACTED, DealStatement.PROVEN)
    assert report.chances == report.chances_proven > 1
    assert isinstance(next(iter(read_log(log))), LoggedMove)
