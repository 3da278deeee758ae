"""The audit of a round of forty-two as played."""

from typing import Final

from dominohall_engine import forty_two
from dominohall_engine.forty_two.authority import Topic, cite
from dominohall_engine.forty_two.scoring import gained_by_side
from dominohall_engine.forty_two.state import TRICK_RULES
from dominohall_engine.forty_two.tricks import trick_points, winning_seat
from dominohall_engine.games import GAMES
from dominohall_engine.seats import PARTNERSHIPS
from dominohall_engine.tiles import NAMES

from dominohall_replays.as_played.audit_values import Finding, PresetScore
from dominohall_replays.as_played.findings import Found, Places, finding, illegal_said, rule_sets
from dominohall_replays.as_played.forty_two import FortyTwoRun, due_opener, fully_known, outcome_of, run_forty_two
from dominohall_replays.as_played.rounds import FortyTwoRound, Ply, Stage
from dominohall_replays.explain.forty_two import TRICK_POINTS, WON_BY_SUIT, Made, Scored, score_lines, tricks_said
from dominohall_replays.explain.values import Said, ScoreLine, Trick
from dominohall_replays.words import Words

SPLIT: Final[Topic] = (("F42-PL-13", "F42-PL-25"), ("F42-RU-05", "F42-RU-04"))


def audit_forty_two(record: FortyTwoRound, places: Places, words: Words) -> Found:
    """Audit a round of forty-two."""
    run = run_forty_two(record, record.options)
    illegal = [ply for ply in run.plies if ply.violations]
    settled, left = _split(run, illegal[0] if illegal else None)
    return Found(
        tuple(_finding(run, ply, places, words, is_first=ply is illegal[0]) for ply in illegal),
        _unchecked(record, run, words),
        _tricks(run, words),
        (),
        settled,
        left,
        tuple(
            _score(record, name, options, settled if illegal else None, words, is_own=is_own)
            for name, options, is_own in rule_sets(GAMES[forty_two.NAME], record.options)
        ),
    )


def _split(run: FortyTwoRun, first: Ply | None) -> tuple[tuple[int, int], int]:
    """Return what each side had taken before the first illegal ply, and the points of the tricks from there on."""
    if first is None:
        return run.taken, 0
    taken = [0, 0]
    whole = [trick for trick in run.tricks if trick.winner is not None]
    if first.stage is Stage.PLAY:
        for trick in whole[: (first.trick or 1) - 1]:
            taken[(trick.winner or 0) % 2] += trick.points
    return (taken[0], taken[1]), 42 - sum(taken)


def _tricks(run: FortyTwoRun, words: Words) -> tuple[Trick, ...]:
    if run.trump is None:
        return ()
    made = [Made(ply.number, tuple(move.tile for move in ply.legal)) for ply in run.plies if ply.stage is Stage.PLAY]
    return tricks_said(run.options, run.trump, run.tricks, made, words)


def _unchecked(record: FortyTwoRound, run: FortyTwoRun, words: Words) -> tuple[Said, ...]:
    """Say what nobody can check for want of facts."""
    said = []
    unknown = [str(seat) for seat, known in enumerate(fully_known(record)) if not known]
    if unknown:
        said.append(Said(words("audit.hands_unknown", seats=", ".join(unknown))))
    if record.bid is not None:
        said.append(Said(words("audit.auction_unknown")))
    elif due_opener(record, record.options) is None:
        said.append(Said(words("audit.opener_unknown")))
    if run.result is None:
        said.append(Said(words("audit.unfinished")))
    return tuple(said)


def _finding(run: FortyTwoRun, ply: Ply, places: Places, words: Words, *, is_first: bool) -> Finding:
    consequences: list[Said] = []
    if ply.stage is Stage.PLAY:
        consequences += _trick_otherwise(run, ply, words)
        consequences += _held_back(run, ply, words)
    if is_first:
        settled, left = _split(run, ply)
        sides = ", ".join([f"{words.side(seats)}: {settled[side]}" for side, seats in enumerate(PARTNERSHIPS)])
        consequences.append(
            Said(words("audit.open_from_here", settled=sides, open=left), cite(run.options, SPLIT))
        )  # fmt: skip
    return finding(ply, places, tuple(consequences), words)


def _trick_otherwise(run: FortyTwoRun, ply: Ply, words: Words) -> list[Said]:
    """Say who would have taken the trick with each legal tile, the other three as they were."""
    trick = run.tricks[(ply.trick or 1) - 1]
    if trick.winner is None or run.trump is None:
        return []
    tiles = [play.tile for play in trick.plays]
    (place,) = [place for place, play in enumerate(trick.plays) if play.seat == ply.seat]
    if place == 0:
        return []  # another lead would have been answered by other tiles
    facts = {"trick": ply.trick, "seat": trick.winner, "points": trick.points}
    said = [Said(words("audit.trick_as_played", **facts), cite(run.options, TRICK_POINTS))]
    for move in ply.legal:
        otherwise = bytes([*tiles[:place], move.tile, *tiles[place + 1 :]])
        winner = winning_seat(TRICK_RULES[run.trump], trick.leader, otherwise)
        key = "audit.trick_the_same" if winner == trick.winner else "audit.trick_otherwise"
        facts = {"tile": NAMES[move.tile], "seat": winner, "points": trick_points(otherwise)}
        said.append(Said(words(key, **facts), cite(run.options, WON_BY_SUIT)))
    return said


def _held_back(run: FortyTwoRun, ply: Ply, words: Words) -> list[Said]:
    """Say when the tiles came that should have been played."""
    could = {move.tile for move in ply.legal}
    said = []
    for later in run.plies[ply.number :]:
        if later.stage is Stage.PLAY and later.seat == ply.seat and later.move.tile in could:
            trick = run.tricks[(later.trick or 1) - 1]
            took = trick.winner == later.seat
            key = "audit.held_back_and_took" if took else "audit.held_back"
            said.append(Said(words(key, tile=NAMES[later.move.tile], trick=later.trick, points=trick.points)))
    return said


def _score(  # noqa: PLR0913 - a row of the table of scores
    record: FortyTwoRound,
    name: str,
    options: forty_two.Options,
    settled: tuple[int, int] | None,
    words: Words,
    *,
    is_own: bool,
) -> PresetScore:
    """Score the round under some options: as played, and with the rest going to either side."""
    run = run_forty_two(record, options, keeps_opener=not is_own)
    gained = None if run.result is None else run.result.gained
    lines: tuple[ScoreLine, ...] = ()
    if run.result is not None:
        scored = Scored(run.result, run.tricks, record.scores, outcome_of(run, record.scores))
        lines = score_lines(options, scored, words)
    without = most = None
    if settled is not None and run.bidder is not None and run.bid is not None:
        side = run.bidder % 2
        ours, rest = settled[side], 42 - sum(settled)
        theirs = settled[1 - side]
        without = gained_by_side(options, side, run.bid, ours, theirs + rest)
        most = gained_by_side(options, side, run.bid, ours + rest, theirs)
    matches = None if record.score is None or gained is None else record.score == gained
    illegal = illegal_said([ply for ply in run.plies if ply.violations], words)
    return PresetScore(name, is_own, gained, without, most, matches, illegal, lines)
