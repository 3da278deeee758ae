"""Moves, tricks and rounds as a terminal shows them, in words of the glossary.

Messages to people say "trick", "bid" and "spinner" as players do; the marks are explained by the heading of the table
that they stand in. Everything here shows the whole table, every hand included: it is for a host, after the fact.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, assert_never

from dominohall_engine import fives, forty_two
from dominohall_engine.fives.places import PLACE_NAMES, START
from dominohall_engine.forty_two.tables import TRUMPS
from dominohall_engine.moves import Abandon, Shake
from dominohall_replays.brought import Told
from dominohall_replays.rounds import Round, tricks_of
from rich.table import Table
from rich.text import Text

from dominohall_service.drawing import tile_text, tiles_text

TRUMP_NAMES: Final = ("blanks", "ones", "twos", "threes", "fours", "fives", "sixes", "doubles")
TRUMP_STYLE: Final = "bold yellow"
WINNER_STYLE: Final = "bold green"


def move_text(move: Any) -> Text:  # noqa: ANN401 - a move of any game
    """Say what a move is in a few words; a tile is drawn."""
    return WORDS[type(move)](move)


def _where(place: int) -> str:
    """Say where on the layout, nothing for the first tile."""
    return "" if place == START else f" at {PLACE_NAMES[place].replace('_', ' ')}"


def _plays(seat: int, tile: int, where: str = "") -> Text:
    return Text(f"seat {seat} plays ").append_text(tile_text(tile)).append(where)


WORDS: Final[Mapping[type, Callable[[Any], Text]]] = {
    Shake: lambda _: Text("the tiles are shaken and drawn"),
    Abandon: lambda move: Text(f"the host abandons the match ({move.reason})"),
    forty_two.Lot: lambda move: Text(f"lot: seat {move.seat} shakes first"),
    forty_two.Bid: lambda move: Text(f"seat {move.seat} bids {move.points}"),
    forty_two.Pass: lambda move: Text(f"seat {move.seat} passes"),
    forty_two.NameTrump: lambda move: Text(f"seat {move.seat} names {TRUMP_NAMES[move.trump]}"),
    forty_two.Play: lambda move: _plays(move.seat, move.tile),
    fives.Lot: lambda move: Text("lot: ").append_text(tiles_text(move.tiles)),
    fives.Play: lambda move: _plays(move.seat, move.tile, _where(move.place)),
    fives.Draw: lambda move: Text(f"seat {move.seat} draws"),
    fives.Knock: lambda move: Text(f"seat {move.seat} knocks"),
}


def auction_text(steps: Sequence[Told]) -> Text:
    """Tell the auction of a round of forty-two in one line."""
    calls = [step.move for step in steps if isinstance(step.move, forty_two.Bid | forty_two.Pass)]
    text = Text()
    for call in calls:
        said = str(call.points) if isinstance(call, forty_two.Bid) else "pass"
        text.append(", " if text else "").append(f"seat {call.seat} ").append(said, "bold")
    named = next((step.move for step in steps if isinstance(step.move, forty_two.NameTrump)), None)
    if named is not None:
        text.append(f"; seat {named.seat} names ").append(TRUMP_NAMES[named.trump], TRUMP_STYLE)
    return text


def trick_table(steps: Sequence[Told]) -> Table:
    """Draw the tricks of a round of forty-two, a column a seat: ``>`` led the trick, ``*`` took it."""
    trump = next((step.move.trump for step in steps if isinstance(step.move, forty_two.NameTrump)), None)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("trick")
    for seat in range(4):
        table.add_column(f"  seat {seat}")
    table.add_column("points", justify="right")
    table.add_column("seats 0+2", justify="right")
    table.add_column("seats 1+3", justify="right")
    taken = [0, 0]
    for number, trick in enumerate(tricks_of(steps), 1):
        cells = [Text("") for _ in range(4)]
        for play in trick.plays:
            style = TRUMP_STYLE if trump is not None and TRUMPS[trump] >> play.tile & 1 else "bold"
            cell = (
                Text()
                .append("> " if play.seat == trick.leader else "  ", "dim")
                .append_text(tile_text(play.tile, style))
            )
            cells[play.seat] = cell.append("*", WINNER_STYLE) if play.seat == trick.winner else cell
        if trick.winner is None:
            table.add_row(str(number), *cells)
            continue
        taken[trick.winner % 2] += trick.points
        table.add_row(str(number), *cells, str(trick.points), *map(str, taken))
    return table


def side_text(seats: Sequence[int]) -> str:
    """Name a side by its seats: `seat 2`, `seats 0+2`."""
    return f"seat{'s' if len(seats) > 1 else ''} {'+'.join(map(str, seats))}"


def gained_text(each: Round) -> str:
    """Say what each side scored in a round and stands at now: `seats 0+2 +35 = 120, seats 1+3 +7 = 88`."""
    sides = each.game.sides(each.game.options_of(each.steps[0].before))
    scored = zip(sides, each.gained, each.scores, strict=True)
    return ", ".join(f"{side_text(seats)} +{gained} = {score}" for seats, gained, score in scored)


def round_end_text(each: Round) -> Text:
    """Say how a round ended and what it was worth."""
    if not each.finished:
        return Text("The round is not over.", "dim")
    last = each.game.view(each.steps[-1].after, None).last_round
    if last is None or isinstance(each.steps[-1].move, Abandon):
        return Text("The host abandoned the match in this round.", "dim")
    return Text(f"{_ending(last)}: {gained_text(each)}.")


def _ending(last: forty_two.RoundResult | fives.RoundResult) -> str:
    """Say in a few words what ended a round."""
    if isinstance(last, forty_two.RoundResult):
        if last.bid is None:
            return "All passed"
        made = "made" if last.points >= last.bid else "set"
        return f"Seat {last.bidder} bid {last.bid} and took {last.points}, {made}"
    match last.end:
        case fives.RoundEnd.WENT_OUT:
            return f"Seat {last.seat} went out for {last.bonus}"
        case fives.RoundEnd.BLOCKED:
            return "Blocked, nobody wins" if last.seat is None else f"Blocked, seat {last.seat} wins {last.bonus}"
        case fives.RoundEnd.STOPPED:
            return f"Seat {last.seat} reached the target with the last tile"
    assert_never(last.end)
