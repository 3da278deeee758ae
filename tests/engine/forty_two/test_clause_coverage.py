"""No clause of the two texts is without a test of its own name."""

import re
from pathlib import Path


def test_every_clause_has_a_test_named_for_it() -> None:
    """F42-PL-01 alone tells history; D-06 to D-11 are about fives."""
    tests = "\n".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    named = set(re.findall(r"^def test_(f42_pl_\d\d|f42_ru_\d\d|d_\d\d)_", tests, re.MULTILINE))
    assert named >= {f"f42_pl_{number:02}" for number in range(2, 32)}
    assert named >= {f"f42_ru_{number:02}" for number in range(1, 22)}
    assert named >= {f"d_{number:02}" for number in (1, 2, 3, 4, 5, 12, 13, 14, 15)}
