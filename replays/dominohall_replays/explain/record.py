"""A log played again as far as it holds: what an explanation is made from, even if the log is faulty further on."""

from dataclasses import dataclass
from typing import Any

from dominohall_engine.errors import UnreadableMove
from dominohall_engine.games import AnyGame
from dominohall_engine.moves import Shake

from dominohall_replays.errors import UnreadableLog
from dominohall_replays.fold import Fold, LogFault, Step
from dominohall_replays.log import Source, read_log
from dominohall_replays.reading import LoggedMove, OpenedShake
from dominohall_replays.records import Header
from dominohall_replays.rounds import Round, rounds_of
from dominohall_replays.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Record:
    """The steps of a log up to its end or its first fault."""

    header: Header
    game: AnyGame
    options: Any
    beginning: Any
    """The state before the first move; None where the log does not show its tiles."""
    steps: tuple[Step, ...]
    rounds: tuple[Round, ...]
    is_redacted: bool
    """Whether the log stops to show its tiles before its end."""
    fault: LogFault | UnreadableLog | None
    refused: tuple[LoggedMove, Any] | None
    """The entry of a move that the rules forbid where it stands, and that move, if this is the fault."""


def record_of(source: Source) -> Record:
    """Play a log again until it ends or stops to hold; `UnreadableLog` or `LogFault` if not even its header holds."""
    log = read_log(source)
    fold = Fold(log)
    beginning, steps = fold.state, []
    fault: LogFault | UnreadableLog | None = None
    refused = None
    entry = None
    try:
        for entry in log:
            before = fold.state
            move = fold.advance(entry)
            if before is None or fold.state is None:
                break
            steps.append(Step(entry, move, before, fold.state))
    except LogFault as error:
        fault = error
        if error.verdict is Verdict.ILLEGAL_MOVE and entry is not None:
            refused = (entry, _move_of(fold.game, entry))
    except UnreadableLog as error:
        fault = error
    told = tuple(steps)
    rounds = rounds_of(fold.game, beginning, told)
    return Record(log.header, fold.game, fold.options, beginning, told, rounds, fold.state is None, fault, refused)


def _move_of(game: AnyGame, entry: LoggedMove) -> Any:  # noqa: ANN401 - a move of the game
    """Read the move of an entry that was refused: it can be read, or the fault would be another."""
    if isinstance(entry.opened, OpenedShake):
        return Shake(entry.opened.order)
    try:
        return game.decode_move(entry.move)
    except UnreadableMove:
        raise AssertionError(entry.sequence) from None
