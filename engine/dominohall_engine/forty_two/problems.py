"""Everything wrong with a state that came from outside.

The round in progress is played again from its shake, every call and play judged by `violation`, and the round before
it likewise; what a state says of itself must be what comes out. No message names a hidden tile.
"""

from collections.abc import Iterator
from typing import Final

from dominohall_engine.forty_two.legality import violation
from dominohall_engine.forty_two.match import apply, last_round_of, options_of, scores_of, shakes, turn
from dominohall_engine.forty_two.moves import Bid, Move, NameTrump, Pass, Play
from dominohall_engine.forty_two.options import AllPass, Opener, Options, Tie
from dominohall_engine.forty_two.scoring import outcome_after
from dominohall_engine.forty_two.state import (
    NO_BID,
    TRICK_RULES,
    Auction,
    InRound,
    LastRound,
    Lotting,
    Naming,
    Over,
    Playing,
    Shaking,
    State,
    deal_of,
)
from dominohall_engine.forty_two.tables import HIGHEST_BID
from dominohall_engine.forty_two.tricks import winning_seat
from dominohall_engine.moves import Shake
from dominohall_engine.outcomes import Ending, Outcome
from dominohall_engine.seats import SEAT_COUNT, left_of
from dominohall_engine.tiles import TILE_COUNT
from dominohall_engine.violations import Problem

MOST_POINTS_A_ROUND: Final = 2 * HIGHEST_BID
"""A bid of 42 and all 42 points: the most that both sides together can score in one round (F42-PL-27, F42-RU-20)."""


def problems(state: State) -> tuple[Problem, ...]:
    """Return every broken invariant of a state that came from outside; empty means it may be believed.

    The scores of rounds before the last one are the only thing that nothing in a state can prove; they are held to
    what so many rounds can score.
    """
    if isinstance(state, Lotting):
        return tuple(_lot_problems(state))
    found = [*_standing_problems(state), *_last_round_problems(state)]
    if isinstance(state, Shaking | InRound):
        found += _shaker_problems(state)
    if isinstance(state, InRound):
        found += _round_problems(state)
    return tuple(found)


def _lot_problems(state: Lotting) -> Iterator[Problem]:
    if state.options.opener is not Opener.LEFT_OF_SHAKER:
        yield Problem("phase", "no lot where nobody shakes", "a lot due")


def _shaker_problems(state: Shaking | InRound) -> Iterator[Problem]:
    """Hold the shaker against the options: somebody shakes where the opener sits on a shaker's left, and only there."""
    table = state if isinstance(state, Shaking) else deal_of(state)
    if table.options.opener is Opener.HOLDER_OF_1_0 and table.shaker is not None:
        yield Problem("shaker", "none where nobody shakes (X-12)", str(table.shaker))
    if table.options.opener is Opener.LEFT_OF_SHAKER and table.shaker not in range(SEAT_COUNT):
        yield Problem("shaker", "a seat from 0 to 3", str(table.shaker))


# --- scores, rounds, and the end


def _standing_problems(state: State) -> Iterator[Problem]:
    """Hold scores, rounds and outcome against each other."""
    options, scores, last = options_of(state), scores_of(state), last_round_of(state)
    fewest, most = _rounds_done(state)
    if last is None and fewest > 0:
        yield Problem("last_round", f"one after {fewest} rounds", "none")
    if last is not None and most == 0:
        yield Problem("last_round", "none before a round is done", "one")
    if options.round_limit is not None and shakes(state) > options.round_limit:
        yield Problem("shakes", f"at most {options.round_limit}", str(shakes(state)))

    gained = last.gained if last else (0, 0)
    before = (scores[0] - gained[0], scores[1] - gained[1])
    if min(before) < 0 or sum(before) > MOST_POINTS_A_ROUND * max(most - 1, 0):
        yield Problem("scores", f"what {most} rounds can score, the last one {gained}", str(scores))
    elif max(before) >= options.target and not (options.tie is Tie.ANOTHER_ROUND and before[0] == before[1]):
        yield Problem("scores", "a match not over before its last round", str(scores))

    side = None if last is None or last.bidder is None else last.bidder % 2
    due = outcome_after(options, scores, side, max(fewest, 1)) if last else None
    yield from _ending_problems(state, due)


def _ending_problems(state: State, due: Outcome | None) -> Iterator[Problem]:
    """Hold the outcome that a state says against the one that is due by its scores."""
    said = state.outcome if isinstance(state, Over) else None
    if said is not None and said.ending is Ending.ABANDONED and said.winner is None and due is None:
        return
    if said != due:
        yield Problem("outcome", _in_words(due), _in_words(said))


def _in_words(outcome: Outcome | None) -> str:
    return "a match that goes on" if outcome is None else f"{outcome.ending}, winner {outcome.winner}"


def _rounds_done(state: State) -> tuple[int, int]:
    """Return the fewest and the most rounds that may have ended, thrown-in ones included.

    They differ only where a match was abandoned, which may have been in the middle of a round.
    """
    begun = shakes(state)
    if isinstance(state, InRound):
        return begun - 1, begun - 1
    if isinstance(state, Over) and state.outcome.ending is Ending.ABANDONED:
        return max(begun - 1, 0), begun
    return begun, begun


# --- the round before this one


def _last_round_problems(state: State) -> Iterator[Problem]:
    """Play the last round again: its plays show who held what."""
    options, last = options_of(state), last_round_of(state)
    if last is None:
        return
    shaker = None if options.opener is Opener.HOLDER_OF_1_0 else (last.opener + SEAT_COUNT - 1) % SEAT_COUNT
    if last.trump is None:
        if options.all_pass not in (AllPass.REDEAL_NEXT, AllPass.REDEAL_SAME):
            yield Problem("last_round", f"a bid under {options.all_pass}", "four passes")
    else:
        yield from _played_again(options, shaker, last)
    stays = last.trump is None and options.all_pass is AllPass.REDEAL_SAME
    if shaker is not None and isinstance(state, Shaking | InRound):
        now = (state if isinstance(state, Shaking) else deal_of(state)).shaker
        due = shaker if stays else left_of(shaker)
        if now != due:
            yield Problem("shaker", f"{due} after the last round", str(now))


def _played_again(options: Options, shaker: int | None, last: LastRound) -> Iterator[Problem]:
    if len(last.plays) != TILE_COUNT or last.bidder is None or last.trump is None:
        yield Problem("last_round", f"{TILE_COUNT} plays", str(len(last.plays)))
        return
    order = _order_that_played(last.plays, last.bidder, last.trump)
    start = Shaking(options, shaker, 0, (0, 0), None)
    found, end = _play_again(start, order, last.opener, last.calls, last.trump, last.plays)
    yield from [Problem(f"last_round.{field}", expected, said) for field, expected, said in found]
    result = None if found else last_round_of(end)
    if result is not None and (result.points, result.gained) != (last.points, last.gained):
        yield Problem("last_round.points", f"{result.points}, {result.gained}", f"{last.points}, {last.gained}")


def _order_that_played(plays: bytes, bidder: int, trump: int) -> bytes:
    """Return an order of the tiles in which each seat was dealt what it played."""
    rules, leader = TRICK_RULES[trump], bidder
    hands: list[list[int]] = [[] for _ in range(SEAT_COUNT)]
    for start in range(0, len(plays), rules.trick_size):
        trick = plays[start : start + rules.trick_size]
        for seat, tile in zip(rules.seats_from[leader], trick, strict=True):
            hands[seat].append(tile)
        leader = winning_seat(rules, leader, trick)
    return b"".join([bytes(hand) for hand in hands])


# --- the round in progress


def _round_problems(state: InRound) -> Iterator[Problem]:
    deal = deal_of(state)
    contract = state.contract if isinstance(state, Playing) else None
    calls = contract.calls if contract else state.calls if isinstance(state, Auction | Naming) else b""
    plays = state.plays if isinstance(state, Playing) else b""
    start = Shaking(deal.options, deal.shaker, deal.shakes - 1, deal.scores, deal.last_round)
    found, end = _play_again(start, deal.order, deal.opener, calls, contract.trump if contract else None, plays)
    yield from found
    if found:
        return
    if turn(end) != turn(state):
        yield Problem("turn", str(turn(end)), str(turn(state)))
    if isinstance(state, Playing) and isinstance(end, Playing) and end.taken != state.taken:
        yield Problem("taken", str(end.taken), str(state.taken))


def _play_again(
    start: Shaking, order: bytes, opener: int, calls: bytes, trump: int | None, plays: bytes
) -> tuple[list[Problem], State]:
    """Return the state at the end of a round's moves; or the first problem and the state in which it arose."""
    state: State = start
    if violation(state, Shake(order)) is not None:
        return [Problem("order", "the 28 tiles once each", f"{len(order)} others")], state
    state = apply(state, Shake(order))
    if turn(state) != opener:
        return [Problem("opener", str(turn(state)), str(opener))], state
    for place, call in enumerate(calls):
        seat = (opener + place) % SEAT_COUNT
        found, state = _step(state, "calls", place, Pass(seat) if call == NO_BID else Bid(seat, call))
        if found:
            return found, state
    if trump is not None:
        found, state = _step(state, "trump", 0, NameTrump(_whose(state), trump))
        if found:
            return found, state
    for place, tile in enumerate(plays):
        found, state = _step(state, "plays", place, Play(_whose(state), tile))
        if found:
            return found, state
    return [], state


def _whose(state: State) -> int:
    seat = turn(state)
    return 0 if seat is None else seat


def _step(state: State, field: str, place: int, move: Move) -> tuple[list[Problem], State]:
    broken = violation(state, move)
    if broken is not None:
        return [Problem(field, f"a legal move at place {place}", str(broken.reason))], state
    return [], apply(state, move)
