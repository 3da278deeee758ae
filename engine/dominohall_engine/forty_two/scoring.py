"""The score of a round, and the end of a match."""

from dominohall_engine.forty_two.options import AllPass, BothReach, MadeScore, Options, Tie
from dominohall_engine.forty_two.state import Contract, Deal, LastRound, Over, Pair, Shaking
from dominohall_engine.outcomes import Ending, Outcome
from dominohall_engine.seats import left_of


def round_score(options: Options, bid: int, points: int, others: int) -> Pair:
    """Return what the bidding side and the other side score, in this order, for the points that each took.

    >>> from dominohall_engine.forty_two.options import POLISH, RUSSIAN
    >>> round_score(POLISH, 30, 35, 7), round_score(POLISH, 37, 35, 7)  # F42-PL-30, F42-PL-31
    ((35, 7), (0, 44))
    >>> round_score(RUSSIAN, 30, 35, 7), round_score(RUSSIAN, 37, 35, 7)  # F42-RU-20, F42-RU-21
    ((65, 0), (0, 44))
    """
    if points < bid:  # set: F42-PL-27, F42-RU-21, A-RU-17
        return 0, others + bid
    made = points + bid if options.made_score is MadeScore.POINTS_PLUS_BID else points  # F42-PL-26, F42-RU-20
    return made, others if options.defenders_keep_on_made else 0  # F42-PL-26, A-RU-16


def outcome_after(options: Options, scores: Pair, bidding_side: int | None, rounds: int) -> Outcome | None:
    """Return how the match ends after this many rounds, None if it goes on.

    `bidding_side` is the side that bid in the round just scored; None if that round was thrown in: then no score
    changed, and only the round limit can end the match.
    """
    if bidding_side is not None:
        winner = _reached(options, scores, bidding_side)
        if winner is not None:
            return Outcome(winner, Ending.TARGET, scores)
        if min(scores) >= options.target and options.tie is Tie.DRAW:  # A-PL-17
            return Outcome(None, Ending.DRAW, scores)
    if rounds == options.round_limit:  # D-13
        return Outcome(_higher(scores), Ending.ROUND_LIMIT, scores)
    return None


def _reached(options: Options, scores: Pair, bidding_side: int) -> int | None:
    """Return the side that wins by the target, None if neither reached it or the tie is not the bidder's."""
    if max(scores) < options.target:
        return None
    if min(scores) >= options.target:  # both: A-PL-18, A-PL-19
        if options.both_reach is BothReach.BIDDER:
            return bidding_side
        if scores[0] == scores[1]:  # A-PL-17
            return bidding_side if options.tie is Tie.BIDDER else None
    return _higher(scores)  # F42-PL-28, F42-PL-29, A-RU-18, A-RU-19


def _higher(scores: Pair) -> int | None:
    if scores[0] == scores[1]:
        return None
    return 0 if scores[0] > scores[1] else 1


def close_round(contract: Contract, plays: bytes, taken: Pair) -> Shaking | Over:
    """Score a round whose tiles have all been played."""
    deal = contract.deal
    side = contract.bidder % 2
    gained = gained_by_side(deal.options, side, contract.bid, taken[side], taken[1 - side])
    last_round = LastRound(deal.opener, contract.calls, contract.trump, plays, taken[side], gained)
    scores = (deal.scores[0] + gained[0], deal.scores[1] + gained[1])
    shaker = None if deal.shaker is None else left_of(deal.shaker)  # F42-PL-11, X-12
    return _next(deal, scores, side, shaker, last_round)


def throw_in(deal: Deal, calls: bytes) -> Shaking | Over:
    """All passed: nobody scores, and the tiles are shaken again (A-PL-10, A-RU-05)."""
    last_round = LastRound(deal.opener, calls, None, b"", 0, (0, 0))
    stays = deal.shaker is None or deal.options.all_pass is AllPass.REDEAL_SAME
    shaker = deal.shaker if stays or deal.shaker is None else left_of(deal.shaker)
    return _next(deal, deal.scores, None, shaker, last_round)


def gained_by_side(options: Options, bidding_side: int, bid: int, points: int, others: int) -> Pair:
    """Return `round_score` for side 0 and side 1, in this order."""
    bidders, defenders = round_score(options, bid, points, others)
    return (bidders, defenders) if bidding_side == 0 else (defenders, bidders)


def _next(deal: Deal, scores: Pair, side: int | None, shaker: int | None, last_round: LastRound) -> Shaking | Over:
    outcome = outcome_after(deal.options, scores, side, deal.shakes)
    if outcome is not None:
        return Over(deal.options, deal.shakes, last_round, outcome)
    return Shaking(deal.options, shaker, deal.shakes, scores, last_round)


def abandoned(scores: Pair) -> Outcome:
    """Return the outcome of a match that its host ended (D-15): nobody won, no score was invented."""
    return Outcome(None, Ending.ABANDONED, scores)
