"""A whole round told from its steps, in either game."""

from dominohall_engine import fives, forty_two
from dominohall_engine.forty_two.tables import SUIT_NAMES
from dominohall_engine.moves import Abandon
from dominohall_engine.tiles import NAMES

from dominohall_replays.brought import sequence_of
from dominohall_replays.explain import fives as fives_told
from dominohall_replays.explain import forty_two as forty_two_told
from dominohall_replays.explain.decisions import hands_of
from dominohall_replays.explain.record import Record
from dominohall_replays.explain.values import RoundStory, Said, ScoreLine, Trick
from dominohall_replays.rounds import Round, tricks_of
from dominohall_replays.words import Words


def story_of(record: Record, each: Round, words: Words) -> RoundStory:
    """Tell a round: the deal, the auction and the tricks or the turns, and its score if it has ended."""
    steps = each.steps
    is_fives = record.game.NAME == fives.NAME
    trump = next((step.move.trump for step in steps if isinstance(step.move, forty_two.NameTrump)), None)
    return RoundStory(
        each.number,
        each.first_sequence,
        each.last_sequence,
        each.finished,
        hands_of(record.game, steps[0].after),
        _boneyard(each) if is_fives else (),
        opening_of(record, each, words),
        () if is_fives else forty_two_told.calls_of(steps, words),
        None if trump is None else SUIT_NAMES[trump],
        () if is_fives else _tricks(each, trump, words),
        fives_told.turns_of(steps, words) if is_fives else (),
        _score(record, each, words),
        each.gained,
        each.scores,
        _under_way(each, words),
    )


def _under_way(each: Round, words: Words) -> Said | None:
    """Say that a round had begun when the match was imported, and how much of it the log does not have."""
    if not each.was_under_way:
        return None
    missing = sum([step.entry is None for step in each.steps])
    return Said(words("page.under_way", round=each.number, moves=missing - 1))


def _boneyard(each: Round) -> tuple[str, ...]:
    """Return the tiles nobody was dealt, the one that is drawn first in front."""
    dealt = each.steps[0].after
    rules = dealt.round.rules
    order = dealt.round.order
    return tuple([NAMES[tile] for tile in order[len(order) - rules.boneyard :]])


def opening_of(record: Record, each: Round, words: Words) -> Said:
    """Say who opens the auction, or leads, and why."""
    dealt = each.steps[0].after
    if record.game.NAME == fives.NAME:
        leader = dealt.turn
        before = record.steps[: max(0, each.first_sequence - 1)]
        by_lot = bool(before) and isinstance(before[-1].move, fives.Lot)
        imported = not before and record.header.initial is not None
        return fives_told.opening_said(leader, words, is_first=not before, by_lot=by_lot, is_imported=imported)
    return forty_two_told.opening_said(record.options, dealt.deal.shaker, dealt.turn, words)


def _tricks(each: Round, trump: int | None, words: Words) -> tuple[Trick, ...]:
    if trump is None:
        return ()
    plays = [step for step in each.steps if isinstance(step.move, forty_two.Play)]
    made = [
        forty_two_told.Made(
            sequence_of(step),
            tuple(move.tile for move in forty_two.legal_moves(step.before) if isinstance(move, forty_two.Play)),
        )
        for step in plays
    ]
    options = forty_two.options_of(each.steps[0].after)
    return forty_two_told.tricks_said(options, trump, _told(each), made, words)


def _told(each: Round) -> tuple[forty_two.Trick, ...]:
    """Return the tricks of a round; an abandoned one keeps those that were played before the host ended it."""
    steps = each.steps
    return tricks_of(steps[:-1] if isinstance(steps[-1].move, Abandon) else steps)


def _score(record: Record, each: Round, words: Words) -> tuple[ScoreLine, ...]:
    """Tell the score of a round that was played to its end."""
    last = each.steps[-1]
    if not each.finished:
        return ()
    if isinstance(last.move, Abandon):
        return (ScoreLine(words("score.abandoned", reason=last.move.reason), ("D-15",)),)
    seen = record.game.view(last.after, None)
    result, outcome = seen.last_round, record.game.outcome(last.after)
    if isinstance(result, forty_two.RoundResult):
        before = forty_two.view(each.steps[0].before, None).scores
        scored = forty_two_told.Scored(result, result.tricks, before, outcome)
        return forty_two_told.score_lines(record.options, scored, words)
    if isinstance(result, fives.RoundResult):
        laid_open = fives_told.Scored(result, each.gained, each.scores, outcome)
        return fives_told.score_lines(record.options, laid_open, words)
    raise AssertionError(record.game.NAME)
