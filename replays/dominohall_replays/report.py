"""A log and its verdict in words: what a person reads, and the same as plain data for programs.

`describe` tells a match move by move; `report_lines` and `report_to_plain` tell what `verify` found. Whoever reads a
whole log sees every tile in it: these are for those who hold the log, not for a seat during the match.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

from dominohall_engine import fives, forty_two
from dominohall_engine.fives.places import PLACE_NAMES
from dominohall_engine.games import AnyGame
from dominohall_engine.moves import Abandon, Shake
from dominohall_engine.tiles import HALVES

from dominohall_replays.fold import Fold, Step, replay
from dominohall_replays.log import Log
from dominohall_replays.records import Head
from dominohall_replays.verdicts import UNUSABLE, Report, Result, Shown, Verdict

GOOD: Final = 0
AGAINST: Final = 1
UNUSABLE_INPUT: Final = 2
"""Exit codes of commands that judge a log."""

TRUMPS: Final = ("blanks", "ones", "twos", "threes", "fours", "fives", "sixes", "doubles")


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that happened, in a sentence."""

    sequence: int
    """The entry that it lies in."""
    offset: int
    """Where that entry begins in the log."""
    round: int
    """1 for the first, 0 before it."""
    kind: str
    """`begin`, `lot`, `shake`, `hand`, `move`, `trick`, `points`, `round`, `end`."""
    seat: int | None
    text: str


def tile_text(tile: int) -> str:
    """Draw one tile, high half first.

    >>> tile_text(25)
    '[6|4]'
    """
    high, low = HALVES[tile]
    return f"[{high}|{low}]"


def tiles_text(tiles: Iterable[int]) -> str:
    """Draw several tiles in a row; a dash for none."""
    return " ".join([tile_text(each) for each in tiles]) or "-"


def move_text(move: Any) -> str:  # noqa: ANN401, C901, PLR0911 - one sentence a kind of move
    """Say a move of any game without its seat."""
    match move:
        case forty_two.Bid():
            return f"bids {move.points}"
        case forty_two.Pass():
            return "passes"
        case forty_two.NameTrump():
            return f"names {TRUMPS[move.trump]} trump"
        case forty_two.Play():
            return tile_text(move.tile)
        case fives.Play():
            return f"{tile_text(move.tile)} at {PLACE_NAMES[move.place]}"
        case fives.Draw():
            return "draws"
        case fives.Knock():
            return "knocks"
        case forty_two.Lot():
            return f"the lot falls on seat {move.seat}"
        case fives.Lot():
            return "lot: " + ", ".join([f"seat {seat} {tile_text(tile)}" for seat, tile in enumerate(move.tiles)])
        case Shake():
            return "the tiles are shaken"
        case Abandon():
            return f"the host abandons the match: {move.reason}"
        case _:
            raise TypeError(f"expected a move, got {type(move).__name__}")


def result_text(result: Result) -> str:
    """Say how a match ended."""
    scores = " : ".join(map(str, result.scores))
    winner = "nobody wins" if result.winner is None else f"side {result.winner} wins"
    return f"{winner} ({result.ending}), {scores}"


def describe(log: Log) -> Iterator[Line]:
    """Tell the match of a log, a line a happening; `LogFault` or `UnreadableLog` where it stops to hold."""
    fold = Fold(log)
    header, game = fold.header, fold.game
    sides = ", ".join(["+".join(map(str, side)) for side in game.sides(fold.options)])
    marks = f", {', '.join(header.marks)}" if header.marks else ""
    begin = f"{header.game}, match {header.match_id} of {header.owner or '-'}, sides {sides}{marks}"
    yield Line(0, 0, 0, "begin", None, begin)
    if fold.state is not None and game.order(fold.state) is not None:
        yield from _under_way(game, fold.state)
    for each in replay(log, fold):
        yield from _lines(game, each)


def _under_way(game: AnyGame, state: Any) -> Iterator[Line]:  # noqa: ANN401 - the state of an imported match
    """Tell that a match was imported amid a round, and what the seats held then."""
    number = game.shakes(state)
    text = f"round {number} was under way when the match was imported: its first moves are not recorded"
    yield Line(0, 0, number, "begin", None, text)
    yield from [Line(0, 0, number, "hand", seat, text) for seat, text in _hands(game, state)]


def _hands(game: AnyGame, state: Any) -> Iterator[tuple[int, str]]:  # noqa: ANN401 - a state of the game
    for seat in range(sum([len(side) for side in game.sides(game.options_of(state))])):
        yield seat, tiles_text(game.view(state, seat).hand or ())


def _lines(game: AnyGame, each: Step) -> Iterator[Line]:
    """Tell one move: what was done, then what came of it."""
    sequence, offset, move = each.entry.sequence, each.entry.offset, each.move
    number = game.shakes(each.after)

    def line(kind: str, seat: int | None, text: str) -> Line:
        return Line(sequence, offset, number, kind, seat, text)

    if isinstance(move, Shake):
        yield line("shake", None, f"round {number}: {move_text(move)}")
        for seat, held in _hands(game, each.after):
            yield line("hand", seat, held)
    elif isinstance(move, forty_two.Lot | fives.Lot):
        yield line("lot", None, move_text(move))
    elif isinstance(move, Abandon):
        yield line("move", None, move_text(move))
    else:
        drawn = _drawn(game, each) if isinstance(move, fives.Draw) else ""
        yield line("move", move.seat, move_text(move) + drawn)
    yield from _consequences(game, each, line)
    outcome = game.outcome(each.after)
    if outcome is not None:
        yield line("end", None, result_text(Result(str(outcome.ending), outcome.winner, outcome.scores)))


def _drawn(game: AnyGame, each: Step) -> str:
    seat = each.move.seat
    before, after = game.view(each.before, seat).hand or (), game.view(each.after, seat).hand or ()
    return f" {tiles_text(tile for tile in after if tile not in before)}"


def _consequences(game: AnyGame, each: Step, line: Any) -> Iterator[Line]:  # noqa: ANN401 - makes a line of this move
    """Tell a trick that was taken, points that were scored, and a round that ended."""
    before, after = game.view(each.before, None), game.view(each.after, None)
    ended = game.order(each.before) is not None and game.order(each.after) is None
    if isinstance(each.move, forty_two.Play):
        tricks = after.last_round.tricks if ended and after.last_round else after.tricks
        if len(tricks) > len(before.tricks):
            trick = tricks[-1]
            tiles = tiles_text([play.tile for play in trick.plays])
            yield line("trick", trick.winner, f"takes {tiles} for {trick.points}")
    elif isinstance(each.move, fives.Play):
        scored = after.last_round.scored if ended and after.last_round else after.last_scored
        if scored:
            yield line("points", each.move.seat, f"scores {scored}")
    if ended and not isinstance(each.move, Abandon):
        gained = [new - old for old, new in zip(before.scores, after.scores, strict=True)]
        scores = " : ".join(map(str, after.scores))
        yield line("round", None, f"the round ends: {' : '.join(f'+{each}' for each in gained)}, now {scores}")


def line_text(line: Line) -> str:
    """Write a line as `show` prints it: the sequence, who, what."""
    who = "" if line.seat is None else f"seat {line.seat}"
    return f"{line.sequence:>5}  {who:<7} {line.text}"


def line_to_plain(line: Line) -> dict[str, Any]:
    """Return a line as plain data for JSON."""
    return asdict(line)


def report_lines(report: Report) -> Iterator[str]:
    """Write a report for people: the verdict with its place first, then what else is known."""
    yield f"{report.verdict}: {report.reason}"
    if report.sequence is not None or report.offset is not None:
        yield f"  at       {_place(report)}"
    if report.clauses:
        yield f"  clauses  {', '.join(report.clauses)}"
    if report.game:
        yield f"  match    {report.match_id} of {report.owner or '-'}: {report.game}, rules {report.rules_revision}"
        yield f"  moves    {report.moves}"
    if report.head is not None:
        yield f"  head     {report.head.sequence} {report.head.link.hex()}"
    if report.recorded is not None:
        yield f"  recorded {result_text(report.recorded)}"
    if report.computed is not None:
        yield f"  computed {result_text(report.computed)}"
    if report.game:
        proven = f"{report.chances_proven} of {report.chances} shakes and lots"
        yield f"  deal     {report.deal}, {proven} came from the revealed secret"
        yield f"  signature {signature_text(report)}, origin {report.origin}"
    for found in report.receipts:
        yield f"  receipt  at sequence {found.sequence}: {found.statement}"
    if report.shown is not None:
        yield f"  redacted {shown_text(report.shown)}"


def signature_text(report: Report) -> str:
    """Say what is known of signatures, and whether they make the log authentic."""
    if report.signed_sequence is None:
        return f"{report.signature}, nobody vouches for this log"
    if report.authentic:
        return f"{report.signature}, authentic: the signer vouches for it to its end"
    return f"{report.signature}, the signer vouches for it up to sequence {report.signed_sequence}"


def shown_text(shown: Shown) -> str:
    """Say what a redacted log shows, and how far the rules could be asked."""
    seats = f"seat {', '.join(map(str, shown.seats))}" if shown.seats else "a spectator"
    return (
        f"for {seats}; legality {shown.legality}: {shown.partly_checked} moves depend on hidden tiles as well, "
        f"{shown.unopened_plays} plays by tiles that are not opened"
    )


def _place(report: Report) -> str:
    parts = [
        f"{name} {value}"
        for name, value in (("sequence", report.sequence), ("byte", report.offset))
        if value is not None
    ]
    return ", ".join(parts)


def exit_code(report: Report) -> int:
    """Return the exit code that tells a verdict: input is unusable if not even its header can be read or judged by."""
    if report.good:
        return GOOD
    unread = report.verdict is Verdict.UNREADABLE and report.game
    return UNUSABLE_INPUT if report.verdict in UNUSABLE and not unread else AGAINST


def report_to_plain(report: Report) -> dict[str, Any]:
    """Return a report as plain data for JSON; links in hexadecimal."""
    return asdict(report) | {
        "head": head_to_plain(report.head),
        "recorded": None if report.recorded is None else report.recorded._asdict(),
        "computed": None if report.computed is None else report.computed._asdict(),
        "good": report.good,
        "authentic": report.authentic,
        "receipts": [found._asdict() for found in report.receipts],
        "shown": None if report.shown is None else report.shown._asdict(),
    }


def head_to_plain(head: Head | None) -> dict[str, Any] | None:
    """Return a head as plain data for JSON."""
    return None if head is None else {"match_id": head.match_id, "sequence": head.sequence, "link": head.link.hex()}
