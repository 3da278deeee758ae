"""A round of fives explained: the ends counted arm by arm, what each play scored, how the round was scored."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from dominohall_engine import fives
from dominohall_engine.fives.layout import Layout, arms_of, extended, spinner_of
from dominohall_engine.fives.options import BlockLead, BlockScore, Options, SpinnerRule, TieRule
from dominohall_engine.fives.places import END_1, PLACE_NAMES
from dominohall_engine.fives.scoring import round5
from dominohall_engine.fives.turns import points_of
from dominohall_engine.outcomes import Ending, Outcome
from dominohall_engine.tiles import NAMES, PIPS, tiles_in

from dominohall_replays.brought import Told, sequence_of
from dominohall_replays.explain.values import End, Ends, Said, ScoreLine, Turn
from dominohall_replays.words import Words

Sides = tuple[tuple[int, ...], ...]

COUNT_CLAUSES: Final = ("LIN-10", "A-LIN-01")


def ends_of(layout: Layout, options: Options, events: bytes, words: Words) -> Ends:
    """Count the ends of a layout; `events` are the moves of the round before the play that left it."""
    arms = arms_of(layout)
    spinner = spinner_of(layout)
    number, dots = spinner or (None, 0)
    return Ends(
        tuple(End(PLACE_NAMES[arm.place], arm.number, arm.is_double, arm.dots, arm.is_open) for arm in arms),
        number,
        dots,
        layout.total,
        points_of(options, layout.points, events),
        _counted(layout, options, events, words),
    )


def _counted(layout: Layout, options: Options, events: bytes, words: Words) -> Said:
    """Write the count of the ends out, arm by arm, and say what it scores."""
    clauses = list(COUNT_CLAUSES)
    arms = arms_of(layout)
    spinner = spinner_of(layout)
    is_covered = any(arm.place >= END_1 for arm in arms)
    parts = []
    if spinner is not None and not is_covered:
        parts.append(f"{spinner[1]} ({words('fives.spinner_both_halves')})")
        clauses.append("A-LIN-05")
    for arm in arms:
        is_empty = not arm.dots and (arm.number != 0 or (spinner is not None and not spinner[0] and not arm.is_double))
        if is_empty:
            continue
        name = words.place(PLACE_NAMES[arm.place])
        parts.append(f"{arm.dots} ({words('fives.double_end', place=name) if arm.is_double else name})")
        if arm.is_double:
            clauses.append("LIN-12")
    if is_covered:
        clauses += ["A-LIN-05", "A-LIN-06"]
    total = layout.total
    scored = points_of(options, layout.points, events)
    key, deciding = _worth(total, scored)
    sum_text = f"{' + '.join(parts)} = {total}"
    return Said(words(key, sum=sum_text, points=scored, total=total), tuple(dict.fromkeys([*clauses, *deciding])))


def _worth(total: int, scored: int) -> tuple[str, tuple[str, ...]]:
    if scored:
        return "fives.scores", ()
    if total == 0:
        return "fives.zero_scores_nothing", ("A-LIN-08",)
    if total % 5 == 0:
        return "fives.opening_scores_nothing", ("A-LIN-07",)
    return "fives.scores_nothing", ()


def drawn_tile(step: Told) -> int:
    """Return the tile that a draw took."""
    seat = step.move.seat
    (tile,) = tiles_in(step.after.hands[seat] & ~step.before.hands[seat])
    return tile


def turns_of(steps: Sequence[Told], words: Words) -> tuple[Turn, ...]:
    """Explain the plays, draws and knocks of a round."""
    return tuple(_turn(step, words) for step in steps if isinstance(step.move, fives.Play | fives.Draw | fives.Knock))


def _turn(step: Told, words: Words) -> Turn:
    move, before = step.move, step.before
    sequence = sequence_of(step)
    legal = tuple(
        f"{NAMES[each.tile]} {PLACE_NAMES[each.place]}"
        for each in fives.legal_moves(before)
        if isinstance(each, fives.Play)
    )
    if isinstance(move, fives.Play):
        ends = ends_of(layout_after(before, move), fives.options_of(before), before.events, words)
        place = PLACE_NAMES[move.place]
        return Turn(
            sequence, move.seat, "play", NAMES[move.tile], place, ends, ends.points, ends.counted, legal
        )  # fmt: skip
    if isinstance(move, fives.Draw):
        tile = NAMES[drawn_tile(step)]
        said = Said(words("fives.drew", tile=tile), ("LIN-07", "D-06"))
        return Turn(sequence, move.seat, "draw", tile, None, None, 0, said, ())
    said = Said(words("fives.knocked"), ("D-06", "A-LIN-12"))
    return Turn(sequence, move.seat, "knock", None, None, None, 0, said, ())


def layout_after(before: Any, move: fives.Play) -> Layout:  # noqa: ANN401 - a state in which the move was made
    """Return the layout that a legal play leaves, whatever state it leads to."""
    return extended(before.layout, move.tile, move.place)


def opening_said(leader: int, words: Words, *, is_first: bool, by_lot: bool, is_imported: bool) -> Said:
    """Say who leads, and why; `is_imported`: by a state that came from outside, whose past is not in the log."""
    if is_imported:
        return Said(words("fives.leads_imported", seat=leader))
    if by_lot:
        return Said(words("fives.leads_by_lot", seat=leader), ("LIN-04", "A-LIN-29"))
    if is_first:
        return Said(words("fives.leads_rematch", seat=leader), ("D-12",))
    return Said(words("fives.leads_winner", seat=leader), ("LIN-19", "A-LIN-23", "A-LIN-24"))


def lot_said(tiles: bytes, winner: int, words: Words) -> Said:
    """Say how a lot found the leader."""
    drawn = ", ".join([words("fives.lot_tile", seat=seat, tile=NAMES[tile]) for seat, tile in enumerate(tiles)])
    return Said(words("fives.lot", drawn=drawn, seat=winner, tile=NAMES[tiles[winner]]), ("LIN-04", "A-LIN-29"))


class Scored(NamedTuple):
    """A round that was played to its end: what it came to, what each side got and stands at, how the match ended."""

    result: fives.RoundResult
    gained: tuple[int, ...]
    scores: tuple[int, ...]
    outcome: Outcome | None


def score_lines(options: Options, scored: Scored, words: Words) -> tuple[ScoreLine, ...]:
    """Tell how a round was scored: the plays by side, what was left in the hands, who leads next, the match's end."""
    result, gained, scores, outcome = scored
    sides = fives.sides(options)
    lines = []
    for side, seats in enumerate(sides):
        in_play = gained[side] - (result.bonus if side == result.side else 0)
        facts = {"side": words.side(seats), "points": in_play}
        lines.append(ScoreLine(words("fives.scored_in_play", **facts), ("LIN-10",), side, in_play))
    lines += _ending(options, result, sides, words)
    for side, seats in enumerate(sides):
        facts = {"before": scores[side] - gained[side], "gained": gained[side], "after": scores[side]}
        lines.append(ScoreLine(words("score.total", side=words.side(seats), **facts), (), side, scores[side]))
    lines.append(_next_line(options, result, outcome, sides, words))
    return tuple(lines)


def _ending(options: Options, result: fives.RoundResult, sides: Sides, words: Words) -> list[ScoreLine]:
    """Say how the round ended and what its winner gets for it."""
    if result.end is fives.RoundEnd.STOPPED or result.hands is None or result.pips is None:
        said = words("fives.stopped", seat=result.seat, target=options.target)
        return [ScoreLine(said, ("LIN-18", "A-LIN-26", "D-08"))]
    lines = []
    if result.end is fives.RoundEnd.WENT_OUT:
        lines.append(ScoreLine(words("fives.went_out", seat=result.seat), ("LIN-13",)))
    else:
        lines.append(ScoreLine(words("fives.blocked"), ("LIN-16", "A-LIN-14", "D-07")))
    for seat, hand in enumerate(result.hands):
        dots = " + ".join([str(PIPS[tile]) for tile in hand]) or "0"
        facts = {"seat": seat, "tiles": words.tiles(hand), "sum": dots, "pips": result.pips[seat]}
        lines.append(ScoreLine(words("fives.left" if len(hand) > 1 else "fives.left_one", **facts), ()))
    return [*lines, *_bonus_lines(options, result, result.pips, sides, words)]


def _bonus_lines(
    options: Options, result: fives.RoundResult, pips: tuple[int, ...], sides: Sides, words: Words
) -> list[ScoreLine]:
    """Write the award for going out, or for a block, out step by step."""
    totals = [sum([pips[seat] for seat in seats]) for seats in sides]
    blocked = result.end is fives.RoundEnd.BLOCKED
    lines = []
    if blocked:
        compared = ", ".join([f"{words.side(seats)}: {totals[side]}" for side, seats in enumerate(sides)])
        comparing = ("LIN-17", "A-LIN-18") if options.partners else ("LIN-17",)
        lines.append(ScoreLine(words("fives.compared", compared=compared), comparing))
        if totals.count(min(totals)) > 1:
            key = "fives.tied" if options.tie is TieRule.NOBODY else "fives.tied_lightest"
            lines.append(ScoreLine(words(key), ("A-LIN-21",)))
    if result.side is None or result.seat is None:
        return lines
    others = [totals[side] for side in range(len(sides)) if side != result.side]
    dots = sum(others)
    facts: dict[str, object] = {"side": words.side(sides[result.side]), "sum": " + ".join(map(str, others))}
    clauses: tuple[str, ...] = ("LIN-17", "A-LIN-19", "A-LIN-15") if blocked else ("LIN-14", "A-LIN-16", "A-LIN-15")
    key = "fives.bonus"
    if blocked and options.block_score is BlockScore.DIFFERENCE:
        key, clauses = "fives.bonus_difference", ("A-LIN-19", "A-LIN-15")
        facts["own"] = totals[result.side]
        dots -= totals[result.side]
    if not blocked and options.partners:
        clauses += ("LIN-15",)
    said = words(key, dots=dots, rounded=round5(dots), **facts)
    return [*lines, ScoreLine(said, clauses, result.side, result.bonus)]


def _next_line(
    options: Options, result: fives.RoundResult, outcome: Outcome | None, sides: Sides, words: Words
) -> ScoreLine:
    """Say how the match ended with this round, or who leads the next one."""
    if outcome is not None:
        scores = " : ".join([str(score) for score in outcome.scores])
        if outcome.winner is None:
            return ScoreLine(words("score.nobody_won", scores=scores), ("D-13",))
        by_limit = outcome.ending is Ending.ROUND_LIMIT
        side = words.side(sides[outcome.winner])
        key = "score.won_by_limit" if by_limit else "score.won"
        deciding = ("D-13",) if by_limit else ("LIN-18", "A-LIN-27")
        return ScoreLine(words(key, side=side, target=options.target, scores=scores), deciding)
    if result.seat is None:
        return ScoreLine(words(f"fives.next_after_tie_{options.tie_lead}"), ("A-LIN-22",))
    if result.end is fives.RoundEnd.BLOCKED:
        if options.block_lead is BlockLead.LOT:
            return ScoreLine(words("fives.next_by_lot"), ("A-LIN-23",))
        winning = ("LIN-19", "A-LIN-23", "D-11") if options.partners else ("LIN-19",)
        return ScoreLine(words("fives.next_leads", seat=result.seat), winning)
    going_out = ("LIN-19", "A-LIN-24") if options.partners else ("LIN-19",)
    return ScoreLine(words("fives.next_leads", seat=result.seat), going_out)


def has_spinner(options: Options) -> bool:
    """Say whether the first double is a spinner."""
    return options.spinner is not SpinnerRule.NONE
