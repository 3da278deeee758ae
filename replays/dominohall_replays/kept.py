"""Heads that somebody kept, held against a log as it is read: a bare head, and receipts.

A receipt that does not hold is no proof against a log: it is set aside, and the report says so. One of another match
says nothing of this one.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from dominohall_replays.fold import LogFault
from dominohall_replays.records import Head, Header
from dominohall_replays.signatures import PublicKeys, SignedHead, check_signature
from dominohall_replays.verdicts import ReceiptFinding, ReceiptStatement, Verdict


class _Place(NamedTuple):
    """A link that must stand at a sequence; `number` is that of the receipt it is from, None for the bare head."""

    link: bytes
    number: int | None


class Kept:
    """What a log must contain; `places` are the sequences at which `check` is to be asked."""

    def __init__(
        self, header: Header, expected: Head | None, public_keys: PublicKeys | None, receipts: Sequence[SignedHead]
    ) -> None:
        self.places: Final[dict[int, list[_Place]]] = {}
        self.signed: int | None = None
        """The last entry that a checked receipt covers."""
        self._receipts: Final = receipts
        self._statements: Final[list[ReceiptStatement]] = []
        self._held: Final[list[ReceiptStatement]] = []
        """What becomes of each receipt if the log contains it."""
        if expected is not None:
            if expected.match_id != header.match_id:
                raise LogFault(Verdict.HEAD_DIFFERS, "the given head is of another match", 0, 0)
            self.places[expected.sequence] = [_Place(expected.link, None)]
        for number, receipt in enumerate(receipts):
            signed = check_signature(receipt, public_keys)
            self._held.append(ReceiptStatement.UNCHECKED if signed is None else ReceiptStatement.HELD)
            if (receipt.owner, receipt.match_id) != (header.owner, header.match_id):
                self._statements.append(ReceiptStatement.OTHER_MATCH)
            elif signed is None and public_keys is not None:
                self._statements.append(ReceiptStatement.UNKNOWN_KEY)
            elif signed is False:
                self._statements.append(ReceiptStatement.FORGED)
            else:
                self._statements.append(ReceiptStatement.NOT_REACHED)
                self.places.setdefault(receipt.sequence, []).append(_Place(receipt.link, number))

    def check(self, sequence: int, link: bytes, offset: int) -> None:
        """Hold the entry at a sequence against what was kept of it; `LogFault` if it is another."""
        for place in self.places[sequence]:
            if place.link != link:
                self._found(place, ReceiptStatement.DIFFERS)
                text = (
                    f"the entry at sequence {sequence} is not the one of the given {_name(place)}: "
                    "it, or one before it, was replaced after that head was handed out"
                )
                raise LogFault(Verdict.HEAD_DIFFERS, text, sequence, offset)
            if place.number is not None:
                self._found(place, self._held[place.number])
                if self._held[place.number] is ReceiptStatement.HELD:
                    self.signed = max(sequence, -1 if self.signed is None else self.signed)

    def check_end(self, sequence: int, end: int) -> None:
        """Hold the end of the log against what was kept beyond it; `LogFault` if there is any."""
        beyond = sorted(each for each in self.places if each > sequence)
        for missing in beyond:
            for place in self.places[missing]:
                self._found(place, ReceiptStatement.BEYOND_END)
        if beyond:
            what = _name(self.places[beyond[0]][0])
            text = f"the log ends at sequence {sequence}, before the given {what} at {beyond[0]}"
            raise LogFault(Verdict.TRUNCATED, text, sequence, end)

    def findings(self) -> tuple[ReceiptFinding, ...]:
        """Return what became of each receipt."""
        pairs = zip(self._receipts, self._statements, strict=True)
        return tuple([ReceiptFinding(receipt.sequence, statement) for receipt, statement in pairs])

    def _found(self, place: _Place, statement: ReceiptStatement) -> None:
        if place.number is not None:
            self._statements[place.number] = statement


def _name(place: _Place) -> str:
    return "head" if place.number is None else "receipt"
