"""`replay show` and `replay step`: a match told to a person, and the same as documents for programs.

States and moves in JSON have the shape of the wire (`dominohall.v1.MatchState`, `Move`), so a program reads one shape.
"""

from typing import Any, Final

from dominohall_engine import fives
from dominohall_replays import records
from dominohall_replays.brought import sequence_of
from dominohall_replays.records import Header
from dominohall_replays.rounds import Retold, Round, layout_of
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dominohall_service import seal
from dominohall_service.codec.matches import state_to_proto
from dominohall_service.codec.moves import move_to_proto
from dominohall_service.command.listing import rules_of
from dominohall_service.drawing import layout_text, tiles_text
from dominohall_service.scenes import auction_text, move_text, round_end_text, side_text, trick_table

FIVES: Final = fives.NAME
UNDER_WAY: Final = "The round was under way when the match was imported: moves without a number are not recorded."


def print_match(console: Console, retold: Retold) -> None:
    """Print a match: what it is, its rounds, its end."""
    header = retold.header
    console.print(Text.assemble((header.match_id, "bold"), f"  {rules_of(header.game, header.options)}"))
    about = [f"{len(header.labels)} seats", f"{len(retold.steps)} moves", f"{len(retold.rounds)} rounds", *header.marks]
    console.print(Text(", ".join(about), "dim"))
    console.print()
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("round", "moves"):
        table.add_column(name, justify="right")
    table.add_column("how it ended")
    for each in retold.rounds:
        table.add_row(str(each.number), f"{each.first_sequence}-{each.last_sequence}", _told(each))
    console.print(table)
    console.print()
    console.print(Text(_end(retold), "bold"))


def _end(retold: Retold) -> str:
    """Say how a match ended."""
    if retold.outcome is None:
        return f"The match is not over after {len(retold.steps)} moves."
    sides = retold.game.sides(retold.game.options_of(retold.steps[-1].after))
    winner = retold.outcome.winner
    who = "Nobody wins" if winner is None else f"{side_text(sides[winner]).capitalize()} won"
    return f"{who}, {':'.join(map(str, retold.outcome.scores))} ({retold.outcome.ending.replace('_', ' ')})."


def _told(each: Round) -> Text:
    """Say how a round ended, and that it was under way when the match was imported."""
    begun = Text("Under way when the match was imported. ", "yellow") if each.was_under_way else Text()
    return begun.append_text(round_end_text(each))


def print_round(console: Console, each: Round) -> None:
    """Print one round: the hands as they were dealt, the tricks or the moves and the layout, the score."""
    steps = each.steps
    console.print(Text(f"Round {each.number}, moves {each.first_sequence} to {each.last_sequence}", "bold"))
    if each.was_under_way:
        console.print(Text(UNDER_WAY, "yellow"))
    console.print(_hands(each.game, steps[0].after))
    console.print()
    if each.game.NAME == FIVES:
        for step in steps[1:]:
            console.print(Text(f"{sequence_of(step) or '-':>5}  ", "dim").append_text(move_text(step.move)))
        console.print()
        console.print(layout_text(layout_of(steps), console.width))
    else:
        console.print(auction_text(steps))
        console.print(trick_table(steps))
    console.print()
    console.print(round_end_text(each))


def print_step(console: Console, retold: Retold, at: int) -> None:
    """Print the match as it stood after one of its moves; the steps end there."""
    game, state = retold.game, retold.steps[-1].after if retold.steps else retold.beginning
    seen = game.view(state, None)
    console.print(Text.assemble((retold.header.match_id, "bold"), f"  after move {at}"))
    if retold.steps:
        console.print(move_text(retold.steps[-1].move))
    sides = game.sides(game.options_of(state))
    scores = ", ".join(f"{side_text(seats)}: {points}" for seats, points in zip(sides, seen.scores, strict=True))
    console.print(Text(f"round {game.shakes(state)}, {scores}", "dim"))
    console.print()
    if game.order(state) is None:
        console.print(_end(retold) if retold.outcome else f"Waiting for the {game.phase(state)}.")
        return
    steps = retold.rounds[-1].steps
    if game.NAME == FIVES:
        console.print(layout_text(layout_of(steps), console.width))
    else:
        console.print(auction_text(steps))
        console.print(trick_table(steps))
    console.print()
    console.print(_hands(game, state))
    console.print()
    console.print(Text(f"Seat {game.turn(state)} may:", "bold"))
    for move in game.legal_moves(state):
        console.print(Text("  ").append_text(move_text(move)))


def _hands(game: Any, state: Any) -> Table:  # noqa: ANN401 - a game and its state
    """Draw what every seat holds."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for seat in sorted(seat for side in game.sides(game.options_of(state)) for seat in side):
        marker = Text("*", "bold green") if seat == game.turn(state) else Text(" ")
        table.add_row(Text(f"seat {seat}").append_text(marker), tiles_text(game.view(state, seat).hand or ()))
    return table


def match_to_json(retold: Retold) -> dict[str, Any]:
    """Return the document of `replay show --json`."""
    header = retold.header
    outcome = retold.outcome
    return {
        "match_id": header.match_id,
        "owner": header.owner,
        "game": header.game,
        "rules": rules_of(header.game, header.options),
        "rules_revision": header.rules_revision,
        "rules_digest": header.rules_digest.hex(),
        "options": dict(header.options),
        "first": header.first,
        "labels": list(header.labels),
        "marks": list(header.marks),
        "moves": len(retold.steps),
        "rounds": [_round(each) for each in retold.rounds],
        "outcome": None
        if outcome is None
        else {"ending": outcome.ending.value, "winner": outcome.winner, "scores": list(outcome.scores)},
    }


def round_to_json(retold: Retold, each: Round) -> dict[str, Any]:
    """Return the document of `replay show --round N --json`."""
    moves = [{"sequence": sequence_of(step), "move": _plain(move_to_proto(step.move))} for step in each.steps]
    return {"match_id": retold.header.match_id, **_round(each), "moves": moves}


def _round(each: Round) -> dict[str, Any]:
    return {
        "round": each.number,
        "first_sequence": each.first_sequence,
        "last_sequence": each.last_sequence,
        "under_way_at_import": each.was_under_way,
        "finished": each.finished,
        "gained": list(each.gained),
        "scores": list(each.scores),
        "text": round_end_text(each).plain,
    }


def step_to_json(retold: Retold, at: int) -> dict[str, Any]:
    """Return the document of `replay step --json`; the state and the moves as the wire has them."""
    step = retold.steps[-1] if retold.steps else None
    state = step.after if step else retold.beginning
    return {
        "match_id": retold.header.match_id,
        "sequence": at,
        "link": retold.head.link.hex(),
        "move": None if step is None else _plain(move_to_proto(step.move)),
        "state": _plain(state_to_proto(retold.game, state, marks_of(retold.header))),
        "legal_moves": [_plain(move_to_proto(move)) for move in retold.game.legal_moves(state)],
    }


def marks_of(header: Header) -> int:
    """Return the marks of a header as the codec has them."""
    return sum(
        flag
        for name, flag in ((records.IMPORTED, seal.IMPORTED), (records.SCRIPTED, seal.SCRIPTED))
        if name in header.marks
    )


def _plain(message: Message) -> dict[str, Any]:
    """Return a message as JSON has it, under the names of the .proto files."""
    plain: dict[str, Any] = MessageToDict(message, preserving_proto_field_name=True)
    return plain
