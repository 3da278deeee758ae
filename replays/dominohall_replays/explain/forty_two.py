"""A round of forty-two explained: who opened, what each seat could have played, who took each trick, the score."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from dominohall_engine import forty_two
from dominohall_engine.forty_two import authority
from dominohall_engine.forty_two.authority import Topic, cite
from dominohall_engine.forty_two.options import MadeScore, Opener, Options
from dominohall_engine.forty_two.tables import COUNT, FOLLOWS, SUIT_NAMES, TRUMPS, is_trump, led_suit
from dominohall_engine.outcomes import Ending, Outcome
from dominohall_engine.seats import PARTNERSHIPS
from dominohall_engine.tiles import HALVES, NAMES

from dominohall_replays.brought import Told, sequence_of
from dominohall_replays.explain.values import Call, Said, ScoreLine, Trick, TrickPlay
from dominohall_replays.words import Words

OPENS: Final[Topic] = (("F42-PL-18",), ("F42-RU-06",))
LED: Final[Topic] = (("F42-PL-21",), ("F42-RU-11",))
TRUMP_LED: Final[Topic] = (("F42-PL-21", "A-PL-03"), ("A-RU-08",))
WON_BY_TRUMP: Final[Topic] = (("F42-PL-23", "A-PL-06", "F42-PL-09"), ("F42-RU-16", "A-RU-13", "F42-RU-15"))
WON_BY_SUIT: Final[Topic] = (("F42-PL-23", "A-PL-06", "F42-PL-09"), ("F42-RU-15", "A-RU-13"))
RANKED: Final[Topic] = (("A-PL-05",), ("A-RU-14",))
TRICK_POINTS: Final[Topic] = (("F42-PL-25", "F42-PL-10"), ("F42-RU-04",))
MADE: Final[Topic] = (("A-PL-01",), ("F42-RU-09",))
SET: Final[Topic] = (("F42-PL-27",), ("F42-RU-21",))
SCORES_POINTS: Final[Topic] = (("F42-PL-26",), ("X-02",))
SCORES_BID_TOO: Final[Topic] = (("X-02",), ("F42-RU-20", "A-RU-15"))
DEFENDERS_KEEP: Final[Topic] = (("F42-PL-26",), ("A-RU-16",))
DEFENDERS_GET_NOTHING: Final[Topic] = (("D-14",), ("A-RU-16",))
SET_SCORES: Final[Topic] = (("F42-PL-27", "A-PL-21"), ("F42-RU-21", "A-RU-17"))
THROWN_IN: Final[Topic] = (("A-PL-10",), ("A-RU-05",))
BOTH_REACHED: Final[Topic] = (("F42-PL-29", "A-PL-18"), ("A-RU-19",))
LEVEL: Final[Topic] = (("A-PL-17",), ("A-RU-19",))


class Made(NamedTuple):
    """Where a play stands, and what the seat could have played."""

    sequence: int | None
    legal: tuple[int, ...]


def opening_said(options: Options, shaker: int | None, opener: int, words: Words) -> Said:
    """Say who calls first, and why."""
    clauses = cite(options, OPENS)
    if options.opener is Opener.HOLDER_OF_1_0:
        return Said(words("forty_two.opens_by_1_0", seat=opener), clauses)
    return Said(words("forty_two.opens_left", seat=opener, shaker=shaker), clauses)


def calls_of(steps: tuple[Told, ...], words: Words) -> tuple[Call, ...]:
    """Return the calls of a round and the naming of trump."""
    return tuple(
        Call(sequence_of(step), step.move.seat, call_text(step.move, words))
        for step in steps
        if isinstance(step.move, forty_two.Bid | forty_two.Pass | forty_two.NameTrump)
    )


def call_text(call: forty_two.Bid | forty_two.Pass | forty_two.NameTrump, words: Words) -> str:
    """Say a call in words."""
    if isinstance(call, forty_two.Bid):
        return words("forty_two.bid", points=call.points)
    if isinstance(call, forty_two.Pass):
        return words("forty_two.pass")
    return words("forty_two.names", trump=words.suit(call.trump))


def tricks_said(
    options: Options,
    trump: int,
    tricks: tuple[forty_two.Trick, ...],
    made: Sequence[Made],
    words: Words,
) -> tuple[Trick, ...]:
    """Explain tricks; `made` has the plays in the order in which they were made."""
    told: list[Trick] = []
    taken = [0, 0]
    at = 0
    for number, trick in enumerate(tricks, 1):
        tiles = [play.tile for play in trick.plays]
        suit = led_suit(tiles[0], trump)
        plays = tuple(
            TrickPlay(
                made[at + place].sequence,
                play.seat,
                NAMES[play.tile],
                tuple([NAMES[tile] for tile in made[at + place].legal]),
                is_trump(play.tile, trump),
                bool(FOLLOWS[trump][tiles[0]] >> play.tile & 1),
                COUNT[play.tile],
            )
            for place, play in enumerate(trick.plays)
        )
        at += len(plays)
        won = counted = None
        if trick.winner is not None:
            taken[trick.winner % 2] += trick.points
            won = won_said(options, trump, trick, words)
            counted = counted_said(options, tiles, words)
        led = led_said(options, tiles[0], trump, words)
        told.append(
            Trick(
                number,
                trick.leader,
                SUIT_NAMES[suit],
                plays,
                trick.winner,
                trick.points,
                led,
                won,
                counted,
                (taken[0], taken[1]),
            )
        )
    return tuple(told)


def led_said(options: Options, tile: int, trump: int, words: Words) -> Said:
    """Say which suit a tile leads, and why."""
    suit = words.suit(led_suit(tile, trump))
    if is_trump(tile, trump):
        return Said(words("forty_two.led_trump", tile=NAMES[tile], suit=suit), cite(options, TRUMP_LED))
    return Said(words("forty_two.led", tile=NAMES[tile], suit=suit), cite(options, LED))


def won_said(options: Options, trump: int, trick: forty_two.Trick, words: Words) -> Said:
    """Say who takes a full trick, and why: the highest trump, else the highest of the led suit."""
    (winning,) = [play.tile for play in trick.plays if play.seat == trick.winner]
    tiles = [play.tile for play in trick.plays]
    suit = led_suit(tiles[0], trump)
    facts = {"seat": trick.winner, "tile": NAMES[winning]}
    if TRUMPS[trump] >> winning & 1:
        rivals = [tile for tile in tiles if is_trump(tile, trump)]
        key = "forty_two.won_by_only_trump" if len(rivals) == 1 else "forty_two.won_by_trump"
        clauses = cite(options, WON_BY_TRUMP)
        suit = trump
    else:
        rivals = [tile for tile in tiles if FOLLOWS[trump][tiles[0]] >> tile & 1]
        key = "forty_two.won_by_only_suit" if len(rivals) == 1 else "forty_two.won_by_suit"
        clauses = cite(options, WON_BY_SUIT)
    if len(rivals) > 1 and HALVES[winning][0] != HALVES[winning][1]:
        clauses += cite(options, RANKED)
    return Said(words(key, suit=words.suit(suit), **facts), clauses)


def counted_said(options: Options, tiles: list[int], words: Words) -> Said:
    """Say what a trick is worth: 1, and its count tiles one by one."""
    items = [words("forty_two.one_for_the_trick")]
    items += [f"{COUNT[tile]} ({NAMES[tile]})" for tile in tiles if COUNT[tile]]
    total = 1 + sum([COUNT[tile] for tile in tiles])
    text = items[0] if len(items) == 1 else f"{' + '.join(items)} = {total}"
    return Said(text, cite(options, TRICK_POINTS))


class Scored(NamedTuple):
    """A round that was played to its end: what it came to, its tricks, the points before it, the end of the match."""

    result: forty_two.RoundResult
    tricks: tuple[forty_two.Trick, ...]
    before: tuple[int, ...]
    outcome: Outcome | None


def score_lines(options: Options, scored: Scored, words: Words) -> tuple[ScoreLine, ...]:
    """Tell how a round was scored, line by line, and whether it ended the match."""
    result, tricks, before, outcome = scored
    lines = [] if result.bid is None else _taken_lines(options, tricks, words)
    lines += scored_lines(options, scored, words)
    scores = tuple([old + new for old, new in zip(before, result.gained, strict=True)])
    for side, seats in enumerate(PARTNERSHIPS):
        facts = {"side": words.side(seats), "before": before[side], "gained": result.gained[side]}
        lines.append(ScoreLine(words("score.total", after=scores[side], **facts), (), side, scores[side]))
    if outcome is not None:
        lines.append(_ending_line(options, outcome, words))
    return tuple(lines)


def scored_lines(options: Options, scored: Scored, words: Words) -> list[ScoreLine]:
    """Say what each side scores in a round, for what it took."""
    result = scored.result
    if result.bid is None or result.bidder is None:
        return [ScoreLine(words("forty_two.thrown_in"), cite(options, THROWN_IN))]
    return _scored_lines(options, result, result.bid, words)


def _taken_lines(options: Options, tricks: tuple[forty_two.Trick, ...], words: Words) -> list[ScoreLine]:
    """Say what each side took: its tricks, and the count tiles in them."""
    lines = []
    for side, seats in enumerate(PARTNERSHIPS):
        own = [trick for trick in tricks if trick.winner is not None and trick.winner % 2 == side]
        counts = [play.tile for trick in own for play in trick.plays if COUNT[play.tile]]
        points = sum([trick.points for trick in own])
        facts = {"side": words.side(seats), "tricks": len(own), "points": points}
        key = "forty_two.took" if counts else "forty_two.took_no_count"
        count = ", ".join([f"{NAMES[tile]} ({COUNT[tile]})" for tile in counts])
        lines.append(ScoreLine(words(key, count=count, **facts), cite(options, TRICK_POINTS), side, points))
    return lines


def _scored_lines(options: Options, result: forty_two.RoundResult, bid: int, words: Words) -> list[ScoreLine]:
    """Say whether the bid was made, and what each side scores for it."""
    side = (result.bidder or 0) % 2
    us, them = words.side(PARTNERSHIPS[side]), words.side(PARTNERSHIPS[1 - side])
    ours, theirs = result.gained[side], result.gained[1 - side]
    facts = {"seat": result.bidder, "bid": bid, "side": us, "points": result.points}
    taken = 42 - result.points
    if result.points < bid:
        return [
            ScoreLine(words("forty_two.set", **facts), cite(options, SET)),
            ScoreLine(words("forty_two.set_bidders", side=us), cite(options, SET_SCORES), side, 0),
            ScoreLine(
                words("forty_two.set_defenders", side=them, points=taken, bid=bid, score=theirs),
                cite(options, SET_SCORES),
                1 - side,
                theirs,
            ),
        ]
    bonus = options.made_score is MadeScore.POINTS_PLUS_BID
    key = "forty_two.made_plus_bid" if bonus else "forty_two.made_points"
    scoring = cite(options, SCORES_BID_TOO if bonus else SCORES_POINTS)
    keeping = "forty_two.defenders_keep" if options.defenders_keep_on_made else "forty_two.defenders_nothing"
    kept = cite(options, DEFENDERS_KEEP if options.defenders_keep_on_made else DEFENDERS_GET_NOTHING)
    return [
        ScoreLine(words("forty_two.made", **facts), cite(options, MADE)),
        ScoreLine(words(key, score=ours, **facts), scoring, side, ours),
        ScoreLine(words(keeping, side=them, points=taken), kept, 1 - side, theirs),
    ]


def _ending_line(options: Options, outcome: Outcome, words: Words) -> ScoreLine:
    """Say how the match ended with this round."""
    scores = " : ".join([str(score) for score in outcome.scores])
    if outcome.winner is None:
        topic = authority.DRAWN if outcome.ending is Ending.DRAW else authority.ROUND_LIMIT_REACHED
        return ScoreLine(words("score.nobody_won", scores=scores), cite(options, topic))
    winner = words.side(PARTNERSHIPS[outcome.winner])
    if outcome.ending is Ending.ROUND_LIMIT:
        key, topic = "score.won_by_limit", authority.ROUND_LIMIT_REACHED
    elif min(outcome.scores) < options.target:
        key, topic = "score.won", authority.TARGET_REACHED
    else:
        key, topic = "score.won_both", LEVEL if outcome.scores[0] == outcome.scores[1] else BOTH_REACHED
    return ScoreLine(words(key, side=winner, target=options.target, scores=scores), cite(options, topic))
