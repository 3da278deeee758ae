"""What was found in a batch: counts that add up, and the faults with their places. Plain data, fit for any wire."""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, NamedTuple

from dominohall_replays.records import Head
from dominohall_replays.verdicts import GOOD, UNUSABLE, Report, Verdict


class Depth(StrEnum):
    """How far an audit goes with each log."""

    PROOF = "proof"
    """Everything that can be computed is computed."""
    MOVES = "moves"
    """Of compact logs the moves are played again and nothing is hashed; any other log is judged as for `PROOF`."""


class Meaning(NamedTuple):
    """What it means that no fault was found."""

    proves: str
    leaves_open: str


MEANINGS: Final = {
    Depth.PROOF: Meaning(
        "of every log: each move is legal, and every digest, root, link and result follows, up to the head that a"
        " compact log was kept with",
        "who wrote a log, unless a checked signature covers its end",
    ),
    Depth.MOVES: Meaning(
        "of compact logs: each move is legal, and the last state is the one that was kept, by 4 bytes of its digest; of"
        " every other log what the depth proof proves",
        "of compact logs: that the moves lead to the head in the row; no other digest, no root, link, commitment, time"
        " or attachment was looked at",
    ),
}


class Trouble(StrEnum):
    """What may be wrong with the place where a log is kept, beside the verdict on the log."""

    SEGMENT_BROKEN = "segment_broken"
    """A segment whose index can't be read: none of its logs was judged."""
    SEGMENT_DIFFERS = "segment_differs"
    """A segment that is not the one that was written; each of its logs was judged all the same."""
    LOG_DIFFERS = "log_differs"
    """A log that holds, and is not the one that was archived at this place."""
    MISFILED = "misfiled"
    """A log that is kept as another match, or under another head, than it has."""
    UNREAD = "unread"
    """It was listed, and can't be read."""
    UNJUDGED = "unjudged"
    """Judging it failed, or ended the process that did, again and again: a fault of this program."""


NOT_JUDGED: Final = frozenset({Trouble.UNREAD, Trouble.UNJUDGED})
"""Troubles that say that an answer is missing, rather than that something is wrong with a match."""


class Place(NamedTuple):
    """Where a log lies, and what the index or the store says of it there."""

    source: str
    """The file or segment, "" in a store."""
    log_offset: int = -1
    """Where the log begins in its source, or the block that it is in, in bytes; -1 for a source as a whole."""
    owner: str = ""
    match_id: str = ""
    head: Head | None = None


class Fault(NamedTuple):
    """One thing that does not hold, and where (see `Place`). Ordered by place."""

    source: str
    log_offset: int
    owner: str
    match_id: str
    verdict: str
    """Of `Verdict` or `Trouble`."""
    reason: str
    sequence: int | None = None
    """The entry of the fault."""
    offset: int | None = None
    """The byte of the fault, counted from where the log begins."""
    clauses: tuple[str, ...] = ()
    refusal: str = ""


@dataclass
class Counts:
    """How much was judged, and what came of it."""

    logs: int = 0
    segments: int = 0
    archived: int = 0
    """Matches of a store whose log lies in an archive: they are judged there."""
    bytes: int = 0
    """As they lie, of logs and segments."""
    moves_only: int = 0
    """Logs of which only the moves were played again (`Depth.MOVES`); what they say of deals is not counted."""
    moves: int = 0
    """Moves that hold."""
    chances: int = 0
    """Shakes and lots."""
    chances_proven: int = 0
    authentic: int = 0
    """Logs whose signer vouches for them to their end."""
    verdicts: Counter[str] = field(default_factory=Counter)
    """Logs by verdict."""
    deals: Counter[str] = field(default_factory=Counter)
    """Logs without a fault by what is known of their shakes; see `moves_only`."""
    troubles: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Counts") -> None:
        """Count what others counted as well."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def to_plain(self) -> dict[str, Any]:
        """Return the counts as plain data for JSON."""
        return {name: dict(value) if isinstance(value, Counter) else value for name, value in vars(self).items()}

    @property
    def against(self) -> bool:
        """Whether anything was found wrong."""
        return bool(set(self.troubles) - NOT_JUDGED) or bool(set(self.verdicts) - GOOD - UNUSABLE)

    @property
    def missing(self) -> bool:
        """Whether anything could not be judged."""
        return bool(set(self.troubles) & NOT_JUDGED) or bool(set(self.verdicts) & UNUSABLE)


@dataclass
class BatchResult:
    """What a batch came to."""

    counts: Counts = field(default_factory=Counts)
    faults: list[Fault] = field(default_factory=list)

    def judged(self, report: Report, place: Place, *, moves_only: bool = False) -> None:
        """Count one log, of which only the moves may have been played again."""
        counts = self.counts
        counts.logs += 1
        counts.moves_only += moves_only
        counts.moves += report.moves
        counts.chances += report.chances
        counts.chances_proven += report.chances_proven
        counts.verdicts[report.verdict.value] += 1
        if report.good:
            counts.authentic += report.authentic
            if not moves_only:
                counts.deals[report.deal.value] += 1
            return
        owner, match_id = (place.owner, place.match_id) if place.match_id else (report.owner, report.match_id)
        self.faults.append(
            Fault(
                place.source, place.log_offset, owner, match_id, report.verdict.value, report.reason,
                report.sequence, report.offset, report.clauses, report.refusal,
            )
        )  # fmt: skip

    def troubled(self, trouble: Trouble, reason: str, place: Place) -> None:
        """Count a trouble."""
        self.counts.troubles[trouble.value] += 1
        self.faults.append(Fault(*place[:4], trouble.value, reason))

    def to_plain(self) -> dict[str, Any]:
        """Return the result as plain data for JSON: the inverse of `result_from_plain`."""
        return {"counts": self.counts.to_plain(), "faults": [list(each) for each in self.faults]}


def result_from_plain(plain: dict[str, Any]) -> BatchResult:
    """Return the result that plain data stands for; some error if it stands for none."""
    counts = Counts(**plain["counts"])
    counts.verdicts, counts.deals = Counter(counts.verdicts), Counter(counts.deals)
    counts.troubles = Counter(counts.troubles)
    if not (set(counts.verdicts) <= set(Verdict) and set(counts.troubles) <= set(Trouble)):
        raise ValueError("expected verdicts of this version")
    faults = [Fault._make(fault)._replace(clauses=tuple(fault[8])) for fault in plain["faults"]]
    return BatchResult(counts, faults)
