"""What the demo did and found, as values: the story is written from them, and so is its JSON."""

from dataclasses import asdict, dataclass
from typing import Any

from dominohall_service.demo.dispute import Dispute
from dominohall_service.demo.forgery import Forgery
from dominohall_service.demo.refusals import Refused


@dataclass(frozen=True)
class MatchLine:
    """One match: what was played, and what its replay is worth."""

    match_id: str
    title: str
    preset: str
    seats: int
    partners: bool
    rounds: int
    moves: int
    scores: tuple[int, ...]
    winner: tuple[int, ...]
    """The seats of the side that won; none after a draw."""
    calls: int
    """How many gRPC calls the host made for it."""
    file: str
    log_bytes: int
    verdict: str
    result_agrees: bool
    """Whether the re-simulated result is the one that the service told the host."""


@dataclass(frozen=True)
class DemoReport:
    """Everything that the demo did."""

    seed: int
    folder: str
    matches: tuple[MatchLine, ...]
    refusal: Refused
    dispute: Dispute
    forgeries: tuple[Forgery, ...]
    flips_tried: int
    flips_caught: int
    drained: bool
    """Whether the service, told to stop, finished and ended by itself with exit code 0."""
    seconds: float

    @property
    def held(self) -> bool:
        """Whether everything was as it should be: the exit code."""
        return (
            all(line.verdict == "valid" and line.result_agrees for line in self.matches)
            and self.refusal.held
            and self.dispute.answered
            and all(each.caught for each in self.forgeries)
            and self.flips_caught == self.flips_tried
            and self.drained
        )


def report_to_json(report: DemoReport) -> dict[str, Any]:
    """Return the report as the document of `dominohall demo --json` (`docs/command.md`)."""
    return {"held": report.held, **asdict(report)}
