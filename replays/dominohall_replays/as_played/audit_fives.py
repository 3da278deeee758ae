"""The audit of a round of fives as played."""

from dominohall_engine import fives
from dominohall_engine.fives.places import PLACE_NAMES
from dominohall_engine.fives.turns import outcome_after
from dominohall_engine.games import GAMES
from dominohall_engine.tiles import NAMES, pips_in, tiles_in

from dominohall_replays.as_played.audit_values import Finding, PresetScore
from dominohall_replays.as_played.findings import Found, Places, finding, illegal_said, rule_sets
from dominohall_replays.as_played.fives import FivesRun, run_fives
from dominohall_replays.as_played.rounds import FivesRound, Kind, Ply, UnusableRound
from dominohall_replays.as_played.rounds import Turn as Taken
from dominohall_replays.explain.fives import Scored, ends_of, score_lines
from dominohall_replays.explain.values import Said, ScoreLine, Turn
from dominohall_replays.words import Words


def audit_fives(record: FivesRound, places: Places, words: Words) -> Found:
    """Audit a round of fives."""
    run = run_fives(record, record.options)
    illegal = [ply for ply in run.plies if ply.violations]
    first = illegal[0] if illegal else None
    settled = _in_play(run, first)
    return Found(
        tuple(_finding(run, ply, places, words, is_first=ply is first) for ply in illegal),
        _unchecked(record, run, words),
        (),
        _turns(record, run, words),
        settled,
        None,
        tuple(
            _score(record, name, options, words, is_own=is_own)
            for name, options, is_own in rule_sets(GAMES[fives.NAME], record.options)
        ),
    )


def _in_play(run: FivesRun, first: Ply | None) -> tuple[int, ...]:
    """Return what each side had scored by plays before the first illegal ply."""
    sides = fives.sides(run.options)
    points = [0] * len(sides)
    for ply in run.plies[: None if first is None else first.number - 1]:
        points[[ply.seat in seats for seats in sides].index(True)] += ply.points
    return tuple(points)


def _unchecked(record: FivesRound, run: FivesRun, words: Words) -> tuple[Said, ...]:
    """Say what nobody can check for want of facts."""
    said = []
    unknown = [str(seat) for seat, hand in enumerate(record.hands) if hand is None]
    if unknown:
        said.append(Said(words("audit.hands_unknown", seats=", ".join(unknown))))
    if any(turn.kind is Kind.DRAW and turn.tile is None for turn in record.turns):
        said.append(Said(words("audit.draws_unknown")))
    if run.end is None:
        said.append(Said(words("audit.unfinished")))
    elif run.gained is None:
        said.append(Said(words("audit.left_unknown")))
    return tuple(said)


def _finding(run: FivesRun, ply: Ply, places: Places, words: Words, *, is_first: bool) -> Finding:
    consequences: list[Said] = []
    if ply.points:
        consequences.append(Said(words("audit.illegal_play_scored", points=ply.points), ("LIN-10",)))
    could = {move.tile for move in ply.legal if isinstance(move, fives.Play)}
    for later in run.plies[ply.number :]:
        if later.seat == ply.seat and isinstance(later.move, fives.Play) and later.move.tile in could:
            facts = {"tile": NAMES[later.move.tile], "ply": later.number, "points": later.points}
            consequences.append(Said(words("audit.held_back_fives", **facts)))
    if is_first:
        sides = fives.sides(run.options)
        settled = _in_play(run, ply)
        by_side = ", ".join([f"{words.side(seats)}: {settled[side]}" for side, seats in enumerate(sides)])
        consequences.append(Said(words("audit.settled_fives", settled=by_side), ("LIN-10",)))
    return finding(ply, places, tuple(consequences), words)


def _turns(record: FivesRound, run: FivesRun, words: Words) -> tuple[Turn, ...]:
    """Tell every turn with its ends counted."""
    return tuple(
        _turn(run, place, taken, words) for place, taken in enumerate(record.turns)
    )  # fmt: skip


def _turn(run: FivesRun, number: int, taken: Taken, words: Words) -> Turn:
    ply, layout = run.plies[number], run.layouts[number]
    legal = tuple(f"{NAMES[move.tile]} {PLACE_NAMES[move.place]}" for move in ply.legal if isinstance(move, fives.Play))
    ends = None if layout is None else ends_of(layout, run.options, run.openings[number], words)
    if ends is not None:
        said = ends.counted
    elif taken.kind is Kind.KNOCK:
        said = Said(words("audit.knocked"), ("D-06",))
    else:
        tile = "?" if taken.tile is None else NAMES[taken.tile]
        said = Said(words("fives.drew", tile=tile), ("LIN-07", "D-06"))
    return Turn(
        ply.number,
        ply.seat,
        str(taken.kind),
        None if taken.tile is None else NAMES[taken.tile],
        None if taken.place is None else PLACE_NAMES[taken.place],
        ends,
        ply.points,
        said,
        legal,
    )


def _score(record: FivesRound, name: str, options: fives.Options, words: Words, *, is_own: bool) -> PresetScore:
    """Score the round under some options, as it was played."""
    try:
        run = run_fives(record, options, ends_as=None if is_own else run_fives(record, record.options).end)
    except UnusableRound:
        said = Said(words("audit.not_playable", rules=name))
        return PresetScore(name, is_own, None, None, None, None, (said,), ())
    matches = None if record.score is None or run.gained is None else record.score == run.gained
    illegal = illegal_said([ply for ply in run.plies if ply.violations], words)
    return PresetScore(name, is_own, run.gained, None, None, matches, illegal, _lines(record, run, words))


def _lines(record: FivesRound, run: FivesRun, words: Words) -> tuple[ScoreLine, ...]:
    """Tell the score line by line, as far as the round says enough."""
    if run.gained is None:
        return ()
    sides = fives.sides(run.options)
    scores = tuple([old + new for old, new in zip(record.scores, run.gained, strict=True)])
    stopped = run.end is fives.RoundEnd.STOPPED
    known = tuple([hand for hand in run.hands if hand is not None])
    last = run.plies[-1]
    seat = last.seat if stopped else None if run.won is None else run.won.seat
    result = fives.RoundResult(
        end=run.end or fives.RoundEnd.BLOCKED,
        leader=record.leader,
        seat=seat,
        side=None if seat is None else [seat in each for each in sides].index(True),
        scored=last.points,
        bonus=0 if run.won is None else run.won.bonus,
        hands=None if stopped else tuple([tiles_in(hand) for hand in known]),
        pips=None if stopped else tuple([pips_in(hand) for hand in known]),
    )
    return score_lines(run.options, Scored(result, run.gained, scores, outcome_after(run.options, 0, scores)), words)
