"""How fast something grows: the line that fits best, and how sure that is.

Readings that follow each other are much alike, and least squares over all of them would claim a certainty that nobody
has. So they are averaged over `BLOCKS` stretches of equal length, the line is laid through those, and the interval is
Student's for so few: with 95 % it holds the slope, if what is left beside the line is chance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, linear_regression
from typing import Final

BLOCKS: Final = 12
STUDENT: Final = 2.228
"""The 97.5 % point of Student's distribution for `BLOCKS - 2` degrees of freedom."""


@dataclass(frozen=True)
class Slope:
    """What y gains for each x, and the bounds within which that lies with 95 %."""

    slope: float
    low: float
    high: float

    def times(self, factor: float) -> "Slope":
        """Return the same in another unit."""
        return Slope(self.slope * factor, self.low * factor, self.high * factor)


def slope_of(xs: Sequence[float], ys: Sequence[float]) -> Slope:
    """Fit a line through readings in the order they were made; `ValueError` for fewer than `BLOCKS`.

    >>> slope_of(range(24), [3 * x + 1 for x in range(24)]).slope
    3.0
    """
    if len(xs) < BLOCKS:
        raise ValueError(f"expected at least {BLOCKS} readings, got {len(xs)}")
    cuts = [len(xs) * number // BLOCKS for number in range(BLOCKS + 1)]
    spans = [slice(cuts[number], cuts[number + 1]) for number in range(BLOCKS)]
    x, y = [fmean(xs[each]) for each in spans], [fmean(ys[each]) for each in spans]
    slope, intercept = linear_regression(x, y)
    left = sum((b - slope * a - intercept) ** 2 for a, b in zip(x, y, strict=True)) / (BLOCKS - 2)
    middle = fmean(x)
    half = STUDENT * (left / sum((a - middle) ** 2 for a in x)) ** 0.5
    return Slope(slope, slope - half, slope + half)
