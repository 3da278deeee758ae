"""What all batches came to. Adding them up in any order gives the same, in memory that does not grow with them."""

from dataclasses import dataclass, field
from heapq import merge
from itertools import islice
from typing import Any

from dominohall_replays.bulk.findings import MEANINGS, BatchResult, Counts, Depth, Fault, Meaning, Trouble
from dominohall_replays.verdicts import DealStatement, Verdict


@dataclass
class Summary:
    """What an audit came to so far."""

    greatest: int = 1000
    """How many faults are listed at most: the first ones by place."""
    depth: Depth = Depth.PROOF
    """How far each log was judged."""
    counts: Counts = field(default_factory=Counts)
    faults: list[Fault] = field(default_factory=list)
    """In the order of their places."""
    faults_found: int = 0
    """All of them, those that are not listed too."""
    complete: bool = False
    """Whether everything was judged: false for an audit that was interrupted."""

    def add(self, result: BatchResult) -> None:
        """Add what a batch came to."""
        self.counts.add(result.counts)
        self.faults_found += len(result.faults)
        self.faults = list(islice(merge(self.faults, sorted(result.faults, key=_place), key=_place), self.greatest))

    @property
    def meaning(self) -> Meaning:
        """What it means that no fault was found."""
        return MEANINGS[self.depth]

    @property
    def exit_code(self) -> int:
        """As of `replay verify`: 1 if anything is wrong, else 2 if any answer is missing, else 0."""
        if self.counts.against:
            return 1
        return 2 if self.counts.missing or not self.complete else 0

    def to_plain(self) -> dict[str, Any]:
        """Return the summary as plain data for JSON; the same for the same archive, however it was judged."""
        counts = self.counts.to_plain() | {
            "verdicts": {each.value: self.counts.verdicts[each] for each in Verdict},
            "deals": {each.value: self.counts.deals[each] for each in DealStatement},
            "troubles": {each.value: self.counts.troubles[each] for each in Trouble},
        }
        return {
            "exit": self.exit_code,
            "complete": self.complete,
            "depth": self.depth.value,
            **self.meaning._asdict(),
            **counts,
            "faults_found": self.faults_found,
            "faults": [_fault_to_plain(each) for each in self.faults],
        }


def _place(fault: Fault) -> tuple[str, int, str, str, str, str]:
    """Return what faults are ordered by; two with the same place and name are the same fault."""
    return fault[:6]


def _fault_to_plain(fault: Fault) -> dict[str, Any]:
    at = None if fault.log_offset < 0 else fault.log_offset
    return fault._asdict() | {"source": fault.source or None, "log_offset": at, "clauses": list(fault.clauses)}
