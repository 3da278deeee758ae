"""The verdict on a log: whether it is whole, agrees with itself, and was played by the rules it names.

Needs nothing but the bytes: no key, store or network. `verify` is a plain function from bytes to a small `Report`, so
a process pool can judge an archive with it.
"""

from dataclasses import replace
from typing import Final

from dominohall_replays.deals import commitment, derive_lot, derive_shake, shake_salt
from dominohall_replays.errors import TruncatedLog, UnreadableLog
from dominohall_replays.fold import Chance, Fold, LogFault, step
from dominohall_replays.log import Attachment, Log, Source, read_log
from dominohall_replays.reading import LoggedMove, RevealedSecret, SequenceBroken, Signature
from dominohall_replays.records import IMPORTED, SCRIPTED, Head, Header
from dominohall_replays.verdicts import (
    DealStatement,
    OriginStatement,
    Report,
    Result,
    SignatureStatement,
    Verdict,
)

__all__ = ["DealStatement", "OriginStatement", "Report", "Result", "SignatureStatement", "Verdict", "step", "verify"]

HASH_BYTES: Final = 32


def verify(source: Source, *, expected_head: Head | None = None) -> Report:
    """Judge a log; never raises for what the log holds.

    `expected_head` is a head of the same match that somebody else kept: the log must contain it, so that a tail that
    was cut off or played again is noticed. Without one, a log that was cut between two entries is `unfinished`.
    """
    try:
        log = read_log(source)
    except UnreadableLog as error:
        return _of_unreadable(error)
    header = log.header
    about = Report(
        Verdict.UNREADABLE,
        "",
        match_id=header.match_id,
        owner=header.owner,
        game=header.game,
        rules_revision=header.rules_revision,
        origin=OriginStatement.IMPORTED if IMPORTED in header.marks else OriginStatement.STARTED,
        deal=DealStatement.SCRIPTED if SCRIPTED in header.marks else DealStatement.UNPROVEN,
    )
    try:
        examination = _Examination(log, expected_head)
    except LogFault as fault:
        return _with_fault(about, fault)
    try:
        examination.run()
    except LogFault as fault:
        return _with_fault(examination.complete(about), fault)
    except UnreadableLog as error:
        return _with_fault(examination.complete(about), _fault_of(error))
    return examination.conclude(about)


class _Examination:
    """One walk through a log, and what it found."""

    def __init__(self, log: Log, expected_head: Head | None) -> None:
        self._log = log
        self._expected = expected_head
        self._signature = SignatureStatement.ABSENT
        self._proven = 0
        self._offset = 0
        """Where the entry that was just read begins."""
        self._fold = Fold(log)

    def run(self) -> None:
        """Go through the log to its end; `LogFault` or `UnreadableLog` at the first fault."""
        fold = self._fold
        advance = fold.advance
        self._check_expected()
        ended = False
        for item in self._log.items():
            if isinstance(item, LoggedMove):
                advance(item)
                if self._expected is not None:
                    self._offset = item.offset
                    self._check_expected()
            else:
                if not ended and fold.terminal is None and fold.result() is not None:
                    raise LogFault(
                        Verdict.RESULT_DIFFERS, "the match is over, and no result is recorded", fold.sequence, fold.end
                    )
                ended = True
                self._check_attachment(item)
        if fold.terminal is None and fold.result() is not None:
            text = "the log ends before the terminal record of the match"
            raise LogFault(Verdict.TRUNCATED, text, fold.sequence, fold.end)
        if self._expected is not None and fold.sequence < self._expected.sequence:
            text = f"the log ends at sequence {fold.sequence}, before the given head at {self._expected.sequence}"
            raise LogFault(Verdict.TRUNCATED, text, fold.sequence, fold.end)

    def complete(self, about: Report) -> Report:
        """Add what was found to the report."""
        fold = self._fold
        deal = about.deal
        chances = len(fold.chances) + fold.imported_shakes
        if deal is DealStatement.UNPROVEN and chances and self._proven == chances:
            deal = DealStatement.PROVEN
        recorded = None if fold.terminal is None else Result(*fold.terminal[1:])
        return replace(
            about,
            moves=fold.sequence,
            head=fold.head,
            recorded=recorded,
            computed=fold.result(),
            signature=self._signature,
            deal=deal,
            chances=chances,
            chances_proven=self._proven,
        )

    def conclude(self, about: Report) -> Report:
        """Return the report of a log without a fault."""
        report = self.complete(about)
        if self._fold.redacted_at is not None:
            sequence, offset = self._fold.redacted_at
            text = "chain and openings agree; tiles that are not shown hide whether the moves were legal"
            return replace(report, verdict=Verdict.REDACTED, reason=text, sequence=sequence, offset=offset)
        if self._fold.terminal is None:
            text = f"everything agrees up to sequence {self._fold.sequence}; the match is not over there"
            return replace(report, verdict=Verdict.UNFINISHED, reason=text)
        return replace(report, verdict=Verdict.VALID, reason="everything agrees, to the end of the match")

    def _check_expected(self) -> None:
        expected, fold = self._expected, self._fold
        if expected is None:
            return
        if expected.match_id != fold.header.match_id:
            raise LogFault(Verdict.HEAD_DIFFERS, "the given head is of another match", 0, 0)
        if fold.sequence == expected.sequence and fold.link != expected.link:
            text = f"the entry at sequence {fold.sequence} is not the one of the given head"
            raise LogFault(Verdict.HEAD_DIFFERS, text, fold.sequence, self._offset)

    def _check_attachment(self, item: Attachment) -> None:
        if isinstance(item, Signature):
            self._signature = SignatureStatement.UNCHECKED
            place = item.sequence * HASH_BYTES
            if self._fold.links[place : place + HASH_BYTES] != item.link:
                self._signature = SignatureStatement.WRONG
                text = f"the signature is over a head at sequence {item.sequence} that is none of this log"
                raise LogFault(Verdict.SIGNATURE_WRONG, text, item.sequence, item.offset)
        else:
            self._proven = _check_secret(self._fold, item)


def _check_secret(fold: Fold, revealed: RevealedSecret) -> int:
    """Hold a revealed secret against the header and the chances; return how many came from it."""
    header, secret = fold.header, revealed.secret
    if header.commitment != commitment(secret):
        text = "the revealed secret is not the one committed to"
        raise LogFault(Verdict.DEAL_DIFFERS, text, None, revealed.offset)
    proven = 0
    for chance in fold.chances:
        if _came_from(header, secret, chance):
            proven += 1
        elif SCRIPTED not in header.marks:
            text = f"the {'lot' if chance.lot else 'shake'} did not come from the revealed secret"
            raise LogFault(Verdict.DEAL_DIFFERS, text, chance.sequence, chance.offset)
    return proven


def _came_from(header: Header, secret: bytes, chance: Chance) -> bool:
    if chance.lot:
        return derive_lot(header.game, len(header.labels), secret, chance.number) == chance.lot
    derived = derive_shake(secret, chance.number), shake_salt(secret, chance.number)
    return derived == (chance.order, chance.salt)


def _fault_of(error: UnreadableLog) -> LogFault:
    verdict = Verdict.UNREADABLE
    if isinstance(error, TruncatedLog):
        verdict = Verdict.TRUNCATED
    elif isinstance(error, SequenceBroken):
        verdict = Verdict.CHAIN_BROKEN
    return LogFault(verdict, error.reason, error.sequence, error.offset)


def _of_unreadable(error: UnreadableLog) -> Report:
    return _with_fault(Report(Verdict.UNREADABLE, ""), _fault_of(error))


def _with_fault(report: Report, fault: LogFault) -> Report:
    return replace(
        report,
        verdict=fault.verdict,
        reason=fault.reason,
        sequence=fault.sequence,
        offset=fault.offset,
        clauses=fault.clauses,
        refusal=fault.refusal,
    )
