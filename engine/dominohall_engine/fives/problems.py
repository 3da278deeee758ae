"""What is wrong with a state that came from outside: everything that the rules make derivable is derived and compared.

`decode` has made sure that the 28 tiles are there once each and that every field is in its range. A round in progress
is played again from its shake, move by move, through the same `violation` and `apply` as any other.
"""

from collections.abc import Iterator
from typing import Final

from dominohall_engine.fives import turns
from dominohall_engine.fives.encoding import encode
from dominohall_engine.fives.layout import extended
from dominohall_engine.fives.legality import apply, violation
from dominohall_engine.fives.scoring import Won, blocked, went_out
from dominohall_engine.fives.state import (
    DRAW,
    LastRound,
    Lotting,
    Over,
    Playing,
    RoundEnd,
    Rules,
    Shaking,
    State,
)
from dominohall_engine.fives.view import history_of
from dominohall_engine.outcomes import Ending
from dominohall_engine.tiles import BEARING, TILE_COUNT
from dominohall_engine.violations import Problem

MOST_POINTS: Final = 35
"""The most that one tile can score (section 5.5)."""
MOST_A_ROUND: Final = TILE_COUNT * MOST_POINTS + 170
"""More than all sides together can score in one round: every tile its most, and the dots of all tiles as bonus."""


def problems(state: State) -> tuple[Problem, ...]:
    """Return every broken invariant of a state that came from outside; empty means it may be believed."""
    if isinstance(state, Playing):
        found = list(_of_playing(state))
    elif isinstance(state, Over):
        found = list(_of_over(state))
    else:
        found = list(_of_waiting(state))
    return tuple(found)


def _of_playing(state: Playing) -> Iterator[Problem]:
    round_ = state.round
    rules = round_.rules
    gained = _gained(state)
    if gained is None:
        yield Problem("layout", "plays that can be laid one after another", "one that joins nothing")
        return
    start = tuple([score - points for score, points in zip(state.scores, gained, strict=True)])
    if min(start) < 0 or not round_.shakes:
        yield Problem("scores", f"at least the {gained} scored in round 1 or a later one", f"{state.scores}")
        return
    before = Shaking(rules, round_.shakes - 1, start, round_.leader, round_.last_round)
    yield from _of_waiting(before)
    replayed: State = turns.shake(before, round_.order)
    for number, move in enumerate(history_of(state), start=1):
        refused = violation(replayed, move)
        if refused is not None:
            clauses = ", ".join(refused.clauses)
            yield Problem("history", f"a legal move at place {number}", f"{refused.reason} ({clauses})")
            return
        replayed = apply(replayed, move)
    if not isinstance(replayed, Playing):
        yield Problem("history", "a round that goes on", "moves that end it")
        return
    if replayed.turn != state.turn:
        yield Problem("turn", f"seat {replayed.turn} after these moves", f"seat {state.turn}")
    if replayed.hands != state.hands:
        yield Problem("hands", "what was dealt and drawn, less what was played", "other tiles")
    if encode(replayed) != encode(state):
        yield Problem("layout", "what the moves of the round lead to", "something else")


def _gained(state: Playing) -> list[int] | None:
    """Return what each side has scored in this round, None if its plays make no layout."""
    rules = state.round.rules
    gained = [0] * len(rules.sides)
    layout = rules.empty
    seat = state.round.leader
    places = iter(state.places)
    for number, event in enumerate(state.events):
        if event == DRAW:
            continue
        if event < DRAW:
            place = next(places)
            if not layout.masks[place] >> event & 1:
                return None
            layout = extended(layout, event, place)
            gained[rules.side_of[seat]] += turns.points_of(rules.options, layout.points, state.events[:number])
        seat = (seat + 1) % rules.seats
    return gained


def _of_waiting(state: Lotting | Shaking) -> Iterator[Problem]:
    """Yield what is wrong between rounds."""
    rules = state.rules
    options = rules.options
    last = state.last_round
    yield from _of_scores(rules, state.scores, state.shakes, last)
    if rules.stops_at is not None and max(state.scores) >= rules.stops_at:
        yield Problem("scores", f"less than {rules.stops_at} while the match goes on", f"{state.scores}")
    if last is None:
        if state.shakes:
            yield Problem("last_round", f"a result after {state.shakes} rounds", "none")
        return
    yield from _of_last_round(last, rules, state.scores)
    if last.end is RoundEnd.STOPPED:
        yield Problem("last_round", "a round that was counted, while the match goes on", "one that stopped it")
    if turns.outcome_after(options, state.shakes, state.scores):
        yield Problem("phase", "a match that is over", "one that goes on")
    leader = turns.next_leader(options, last)
    if leader is None:
        return
    if isinstance(state, Lotting):
        yield Problem("phase", f"a shake with seat {leader} as leader", "a lot")
    elif state.leader != leader:
        yield Problem("leader", f"seat {leader} after this last round", f"seat {state.leader}")


def _of_over(state: Over) -> Iterator[Problem]:
    """Yield what is wrong with a match that is over."""
    rules = state.rules
    winner, ending, scores = state.outcome
    last = state.last_round
    yield from _of_scores(rules, scores, state.shakes, last)
    if ending is Ending.ABANDONED:
        yield from _of_abandoned(state)
        return
    if last is None:
        yield Problem("last_round", "the round that ended the match", "none")
        return
    yield from _of_last_round(last, rules, scores)
    leader = turns.next_leader(rules.options, last)
    if state.leader != leader:
        yield Problem("leader", f"{leader} after this last round", f"{state.leader}")
    expected = turns.outcome_after(rules.options, state.shakes, scores)
    if expected is None or (expected.winner, expected.ending) != (winner, ending):
        wanted = f"{expected.ending}, winner {expected.winner}" if expected else "a match that goes on"
        yield Problem("outcome", wanted, f"{ending}, winner {winner}")


def _of_abandoned(state: Over) -> Iterator[Problem]:
    """Yield what is wrong with an abandoned match: it may have stopped anywhere, so little can be derived."""
    rules = state.rules
    winner, _, scores = state.outcome
    last = state.last_round
    if winner is not None or state.leader is not None:
        yield Problem("outcome", "neither winner nor leader in an abandoned match", f"{winner}, {state.leader}")
    if rules.stops_at is not None and max(scores) >= rules.stops_at:
        yield Problem("scores", f"less than {rules.stops_at} in a match that nobody won", f"{scores}")
    if last is None:
        if state.shakes > 1:
            yield Problem("last_round", f"a result in round {state.shakes}", "none")
    elif last.end is RoundEnd.STOPPED:
        yield Problem("last_round", "a round that was counted, before an abandoned one", "one that stopped it")
    else:
        yield from _of_last_round(last, rules, None)


def _of_scores(rules: Rules, scores: tuple[int, ...], shakes: int, last: LastRound | None) -> Iterator[Problem]:
    """Yield what is wrong with the scores and the count of rounds by themselves."""
    if any(score % 5 for score in scores):
        yield Problem("scores", "multiples of five", f"{scores}")
    if sum(scores) > shakes * MOST_A_ROUND:
        yield Problem("scores", f"at most {MOST_A_ROUND} a round, in {shakes} rounds", f"{scores}")
    if not shakes and last is not None:
        yield Problem("last_round", "none before the first shake", f"a round that was {last.end}")
    if rules.options.round_limit is not None and shakes > rules.options.round_limit:
        yield Problem("shakes", f"at most {rules.options.round_limit} rounds", f"{shakes}")


def _of_last_round(last: LastRound, rules: Rules, scores: tuple[int, ...] | None) -> Iterator[Problem]:
    """Yield what is wrong with the result of the last round. `scores` are those right after it, if known."""
    if last.scored % 5 or last.scored > MOST_POINTS or (last.end is RoundEnd.BLOCKED and last.scored):
        yield Problem("last_round", f"0 or a multiple of five up to {MOST_POINTS} for the last tile", f"{last.scored}")
    if last.hands is None:
        if not last.scored or rules.stops_at is None:
            yield Problem("last_round", "a stop by a tile that scores, where rounds are not finished", "another stop")
    else:
        yield from _of_hands(last, last.hands, rules)
    if scores is None:
        return
    side = None if last.seat is None else rules.side_of[last.seat]
    others = [score for each, score in enumerate(scores) if each != side]
    if rules.stops_at is not None and max(others) >= rules.stops_at:
        yield Problem("scores", f"less than {rules.stops_at} for a side that did not win the last round", f"{scores}")
    if side is None:
        return
    score = scores[side]
    before = score - last.bonus - last.scored
    if before < 0:
        yield Problem("scores", f"at least the {last.bonus + last.scored} of the last round", f"{score}")
    if rules.stops_at is not None and before + (0 if last.hands is None else last.scored) >= rules.stops_at:
        yield Problem("scores", f"a last round that began and was counted below {rules.stops_at}", f"{score}")


def _of_hands(last: LastRound, hands: tuple[int, ...], rules: Rules) -> Iterator[Problem]:
    """Yield what is wrong with the hands that were counted, and with who won by them."""
    options = rules.options
    held = sum([hand.bit_count() for hand in hands])
    table = 0
    for hand in hands:
        table |= hand
    if table.bit_count() != held:
        yield Problem("last_round", "every tile in one hand at most", "one in two hands")
    largest = options.hand_size + rules.boneyard - rules.floor
    if max(hand.bit_count() for hand in hands) > largest:
        yield Problem("last_round", f"hands of at most {largest} tiles", "a larger one")
    went = last.end is RoundEnd.WENT_OUT
    played = options.hand_size if went else 1
    if held > TILE_COUNT - rules.floor - played:
        yield Problem("last_round", f"at most {TILE_COUNT - rules.floor - played} tiles in all hands", f"{held}")
    empty = [seat for seat, hand in enumerate(hands) if not hand]
    if empty != ([last.seat] if went else []):
        yield Problem("last_round", "an empty hand of who went out and no other", f"seats {empty}")
        return
    if went:
        won: Won | None = went_out(hands, rules.sides, empty[0])
    else:
        won = blocked(hands, rules.sides, last.leader, options.block_score, options.tie)
        if all(table & bearing for bearing in BEARING):
            yield Problem("last_round", "a blocked round, with a number that nobody holds", "every number held")
    seat, bonus = (won.seat, won.bonus) if won else (None, 0)
    if (seat, bonus) != (last.seat, last.bonus):
        yield Problem("last_round", f"{bonus} for seat {seat}", f"{last.bonus} for seat {last.seat}")
