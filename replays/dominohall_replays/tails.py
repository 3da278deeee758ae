"""How rare a count is: tail probabilities that err, if at all, on the side of no alarm. Standard library only.

Every function returns the natural logarithm of a probability (or of a bound above it), so that what happens once in
10^300 is still a number.
"""

from collections.abc import Callable, Sequence
from math import exp, inf, lgamma, log, log1p

CLOSE_ENOUGH = 1e-12
STEPS = 100
GREATEST_TILT = 20.0


def binomial_tail(trials: int, chance: float, count: int) -> float:
    """Return log P(at least `count`) if that is more than expected, else log P(at most `count`), exactly summed."""
    up = count >= trials * chance
    ways = lgamma(trials + 1) - lgamma(count + 1) - lgamma(trials - count + 1)
    first = ways + (count * log(chance) + (trials - count) * log1p(-chance))
    total, term, at = 1.0, 1.0, count
    odds = chance / (1 - chance)
    while 0 <= at <= trials and term > CLOSE_ENOUGH * total:
        term *= (trials - at) / (at + 1) * odds if up else at / (trials - at + 1) / odds
        at += 1 if up else -1
        total += term
    return min(0.0, first + log(total))


def hypergeometric_log_mgf(total: int, marked: int, drawn: int) -> Callable[[float], float]:
    """Return log E exp(tX) as a function of t, for X marked ones among `drawn` of `total`."""
    ways = {
        hits: exp(_choose(marked, hits) + _choose(total - marked, drawn - hits) - _choose(total, drawn))
        for hits in range(max(0, drawn + marked - total), min(marked, drawn) + 1)
    }

    def log_mgf(tilt: float) -> float:
        most = max(tilt * hits for hits in ways)
        return most + log(sum(chance * exp(tilt * hits - most) for hits, chance in ways.items()))

    return log_mgf


def chernoff_tail(log_mgf: Callable[[float], float], count: float, expected: float) -> float:
    """Return a bound on the log probability of a sum as far out as `count`, on its side of `expected`.

    `log_mgf` is that of the sum. P(X >= x) <= exp(log_mgf(t) - t x) for every t > 0 (t < 0 for the other side); the
    best t is searched, and a search that ends early still gives a bound.
    """
    low, high = (0.0, GREATEST_TILT) if count >= expected else (-GREATEST_TILT, 0.0)

    def bound(tilt: float) -> float:
        return log_mgf(tilt) - tilt * count

    for _ in range(STEPS):  # the bound is convex in t
        one, other = low + (high - low) / 3, high - (high - low) / 3
        if bound(one) < bound(other):
            high = other
        else:
            low = one
    return min(0.0, bound((low + high) / 2))


def chi_square_tail(freedom: int, value: float) -> float:
    """Return log P(X >= value) for a chi-square variable: the regularized upper incomplete gamma function."""
    shape, at = freedom / 2, value / 2
    if at <= 0:
        return 0.0
    scale = shape * log(at) - at - lgamma(shape)
    if at < shape + 1:  # the series of the lower function
        term = total = 1 / shape
        step = shape
        while term > total * CLOSE_ENOUGH:
            step += 1
            term *= at / step
            total += term
        lower = exp(scale + log(total))
        return log1p(-lower) if lower < 1 else -inf
    tiny = 1e-300  # the continued fraction of the upper function, by Lentz
    b = at + 1 - shape
    c, d = 1 / tiny, 1 / b
    fraction = d
    for step_number in range(1, 100_000):
        a = -step_number * (step_number - shape)
        b += 2
        d = 1 / (a * d + b or tiny)
        c = b + a / c or tiny
        fraction *= c * d
        if abs(c * d - 1) < CLOSE_ENOUGH:
            break
    return min(0.0, scale + log(fraction))


def mixture_tail(log_ratios: Sequence[float]) -> float:
    """Return a bound on the log probability of a bet that won this much.

    Each number is the log of a product of fair bets, one stake: its expectation is 1 however the bets were chosen as
    they came. So is that of their mean, and a mean of 1/p or more happens with a probability of p at most (Markov).
    """
    most = max(log_ratios)
    mean = most + log(sum(exp(each - most) for each in log_ratios) / len(log_ratios))
    return min(0.0, -mean)


def _choose(total: int, part: int) -> float:
    return lgamma(total + 1) - lgamma(part + 1) - lgamma(total - part + 1)
