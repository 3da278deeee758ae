"""A dispute, answered from the log alone: a player says that a tile was barred wrongly.

Whoever has the file gets the same answer with ``dominohall replay explain FILE --at N``.
"""

from dataclasses import dataclass
from pathlib import Path

from dominohall_engine.tiles import format_tile
from dominohall_replays.explain import explain
from dominohall_replays.explain.page import page_of
from dominohall_replays.fold import Step
from dominohall_replays.html import to_html


@dataclass(frozen=True)
class Dispute:
    """A complaint about one move, and what the log says of it."""

    sequence: int
    """The record of the move."""
    seat: int
    barred: str
    """The tile that the player wanted to play."""
    played: str
    held: tuple[str, ...]
    """The seat's hand before the move."""
    legal: tuple[str, ...]
    message: str
    """Why the tile was barred, in words."""
    clauses: tuple[str, ...]
    deal: str
    """What is known of the deal, a value of `verdicts.DealStatement`."""
    file: str
    """The page for the player, which needs nothing else."""

    @property
    def answered(self) -> bool:
        """Whether the tile was in the hand, was barred by a clause, and the log is valid with its deal proven."""
        return self.barred in self.held and bool(self.clauses) and self.deal == "proven"


def settle(log: bytes, play: Step, wanted: int, folder: Path, name: str) -> Dispute:
    """Answer the seat that made `play` and says it should have been let play the tile `wanted`; write the page."""
    explanation = explain(log, at=play.entry.sequence)
    decision = explanation.decision
    if decision is None:
        raise RuntimeError("expected an explanation of a move, got one of a round")
    seat, tile = play.move.seat, format_tile(wanted)
    refused = next(each for each in decision.illegal if any(move.get("tile") == tile for move in each.moves))
    page = folder / f"{name}.html"
    page.write_text(to_html(page_of(explanation)), encoding="utf-8")
    return Dispute(
        sequence=decision.sequence,
        seat=seat,
        barred=tile,
        played=format_tile(play.move.tile),
        held=next(hand.tiles for hand in decision.hands if hand.seat == seat),
        legal=tuple(str(choice.move["tile"]) for choice in decision.legal),
        message=refused.message,
        clauses=refused.clauses,
        deal=explanation.standing.deal,
        file=page.name,
    )
