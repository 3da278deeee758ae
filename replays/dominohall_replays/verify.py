"""The verdict on a log: whether it is whole, agrees with itself, and was played by the rules it names.

Needs nothing but the bytes, and for signatures the public keys: no store, network or service. `verify` is a plain
function from bytes to a small `Report`, so a process pool can judge an archive with it.
"""

from collections.abc import Sequence
from dataclasses import replace

from dominohall_replays.deals import HASH_BYTES, commitment, derive_lot, derive_shake, root, shake_salt
from dominohall_replays.errors import TruncatedLog, UnreadableLog
from dominohall_replays.fold import Chance, Fold, LogFault, step
from dominohall_replays.hidden import ShownFold
from dominohall_replays.kept import Kept
from dominohall_replays.log import Attachment, Log, Source, Walk, read_log
from dominohall_replays.reading import LoggedMove, RevealedSecret, SequenceBroken, Signature
from dominohall_replays.records import IMPORTED, SCRIPTED, Head, Header
from dominohall_replays.signatures import PublicKeys, SignedHead, check_signature, signed_head
from dominohall_replays.stretch import go_through
from dominohall_replays.verdicts import (
    DealStatement,
    LegalityStatement,
    OriginStatement,
    Report,
    Result,
    SignatureStatement,
    Verdict,
)

__all__ = ["DealStatement", "OriginStatement", "Report", "Result", "SignatureStatement", "Verdict", "step", "verify"]


def verify(
    source: Source,
    *,
    expected_head: Head | None = None,
    public_keys: PublicKeys | None = None,
    receipts: Sequence[SignedHead] = (),
    must_be_signed: bool = True,
) -> Report:
    """Judge a log; never raises for what the log holds.

    `expected_head` is a head of the same match that somebody else kept: the log must contain it, so that a tail that
    was cut off or played again is noticed. Without one, a log that was cut between two entries is `unfinished`.
    `receipts` are such heads under a signature; those of other matches are passed over, and `Report.receipts` says
    what became of each. With `public_keys`, signatures and receipts are checked, receipts that do not hold prove
    nothing, and a log whose end no signature covers is `unsigned`, unless it may be (`must_be_signed`).
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
        deal=_deal_of(header),
    )
    try:
        examination = _Examination(log, expected_head, public_keys, receipts)
    except LogFault as fault:
        return _with_fault(about, fault)
    try:
        examination.run()
    except LogFault as fault:
        return _with_fault(examination.complete(about), fault)
    except UnreadableLog as error:
        return _with_fault(examination.complete(about), _fault_of(error))
    return examination.conclude(about, must_be_signed=must_be_signed and public_keys is not None)


class _Examination:
    """One walk through a log, and what it found."""

    def __init__(
        self, log: Log, expected: Head | None, public_keys: PublicKeys | None, receipts: Sequence[SignedHead]
    ) -> None:
        self._log = log
        self._public_keys = public_keys
        self._kept = Kept(log.header, expected, public_keys, receipts)
        self._signature = SignatureStatement.ABSENT
        self._signed_to: int | None = None
        """The last entry that a checked signature covers."""
        self._secret_seen = False
        self._proven = 0
        self._fold = ShownFold(log)

    def run(self) -> None:
        """Go through the log to its end; `LogFault` or `UnreadableLog` at the first fault."""
        fold, kept = self._fold, self._kept
        places = kept.places
        if 0 in places:
            kept.check(0, fold.link, 0)
        with self._log.walk() as walk:
            self._go(walk)
        if fold.terminal is None and fold.result() is not None:
            text = "the log ends before the terminal record of the match"
            raise LogFault(Verdict.TRUNCATED, text, fold.sequence, fold.end)
        kept.check_end(fold.sequence, fold.end)

    def _go(self, walk: Walk) -> None:
        """Judge what follows the header, entry by entry where a stretch can't be gone through at once."""
        fold, kept = self._fold, self._kept
        places = kept.places
        ended = False
        while True:
            if not ended:
                go_through(fold, walk, places)
            item = walk.read()
            if item is None:
                return
            if isinstance(item, LoggedMove):
                fold.advance(item)
                if item.sequence in places:
                    kept.check(item.sequence, item.last_link, item.offset)
            else:
                if not ended and fold.terminal is None and fold.result() is not None:
                    raise LogFault(
                        Verdict.RESULT_DIFFERS, "the match is over, and no result is recorded", fold.sequence, fold.end
                    )
                ended = True
                self._check_attachment(item)

    def complete(self, about: Report) -> Report:
        """Add what was found to the report."""
        fold = self._fold
        chances = len(fold.chances) + fold.imported_shakes
        recorded = None if fold.terminal is None else Result(*fold.terminal[1:])
        computed = fold.result()
        return replace(
            about,
            moves=fold.sequence,
            head=fold.head,
            recorded=recorded,
            computed=computed,
            signature=self._signature,
            signed_sequence=max(
                (each for each in (self._signed_to, self._kept.signed) if each is not None), default=None
            ),
            receipts=self._kept.findings(),
            deal=self._deal(about.deal, chances),
            chances=chances,
            chances_proven=self._proven,
            shown=fold.shown(),
        )

    def conclude(self, about: Report, *, must_be_signed: bool) -> Report:
        """Return the report of a log without a fault."""
        report = self.complete(about)
        verdict, text = Verdict.VALID, "everything agrees, to the end of the match"
        if self._fold.terminal is None:
            text = f"everything agrees up to sequence {self._fold.sequence}; the match is not over there"
            verdict = Verdict.UNFINISHED
        report = replace(report, verdict=verdict, reason=text)
        if self._fold.redacted_at is not None and report.shown is not None:
            sequence, offset = self._fold.redacted_at
            text = redacted_text(report)
            report = replace(report, verdict=Verdict.REDACTED, reason=text, sequence=sequence, offset=offset)
        return self._with_signatures(report, must_be_signed=must_be_signed)

    def _with_signatures(self, report: Report, *, must_be_signed: bool) -> Report:
        """Say what signatures and receipts add to a log that agrees with itself."""
        covered = report.signed_sequence
        if report.authentic:
            text = f"{report.reason}; signed to the end"
            if self._kept.signed is None:
                text += " (what the signer itself rewrote would show only against a receipt)"
            return replace(report, reason=text)
        if not must_be_signed:
            return report
        where = 0 if covered is None else covered + 1
        text = f"{report.reason}, and no signature by the given keys covers the entries from sequence {where} on"
        offset = next((each.offset for each in self._log if each.sequence == where), 0)
        return replace(report, verdict=Verdict.UNSIGNED, reason=text, sequence=where, offset=offset)

    def _deal(self, deal: DealStatement, chances: int) -> DealStatement:
        fold = self._fold
        if deal is not DealStatement.UNPROVEN or not chances or fold.state is None:
            return deal
        if self._secret_seen:
            return DealStatement.PROVEN if self._proven == chances else deal
        whole = all(chance.lot or chance.order for chance in fold.chances)
        return DealStatement.OPENED if whole and fold.terminal is None else deal

    def _check_attachment(self, item: Attachment) -> None:
        if isinstance(item, Signature):
            self._check_signature(item)
        else:
            self._secret_seen = True
            self._proven = _check_secret(self._fold, item)

    def _check_signature(self, item: Signature) -> None:
        if self._signature is SignatureStatement.ABSENT:
            self._signature = SignatureStatement.UNCHECKED
        place = item.sequence * HASH_BYTES
        text = ""
        if self._fold.links[place : place + HASH_BYTES] != item.link:
            text = f"the signature is over a head at sequence {item.sequence} that is none of this log"
        held = check_signature(signed_head(self._fold.header, item), self._public_keys) if not text else None
        if held is False:
            text = f"the signature over the head at sequence {item.sequence} is not by the key that it names"
        if text:
            self._signature = SignatureStatement.WRONG
            raise LogFault(Verdict.SIGNATURE_WRONG, text, item.sequence, item.offset)
        if held:
            self._signature = SignatureStatement.CHECKED
            self._signed_to = max(item.sequence, -1 if self._signed_to is None else self._signed_to)


def redacted_text(report: Report) -> str:
    """Say for whom a log was redacted and what could not be checked."""
    shown = report.shown
    if shown is None:
        raise ValueError("expected the report of a redacted log")
    seats = ", ".join(map(str, shown.seats))
    whom = f"shows the tiles of seat {seats}" if seats else "shows no seat's whole hand"
    goes_on = "" if report.recorded else ", the match is not over"
    text = f"everything agrees as far as the tiles that are shown tell{goes_on}: a redacted log that {whom}"
    if shown.legality is LegalityStatement.NONE:
        return f"{text}; legality could not be checked to its end"
    if shown.legality is LegalityStatement.FULL:
        return f"{text}; the legality of every move was checked in full"
    return (
        f"{text}; legality was checked in part: {shown.partly_checked} moves depend on hidden tiles as well, "
        f"{shown.unopened_plays} plays are by tiles that are not opened"
    )


def _deal_of(header: Header) -> DealStatement:
    """Return what can be said of the deal before a shake was seen."""
    if SCRIPTED in header.marks:
        return DealStatement.SCRIPTED
    if header.initial is not None and header.initial.root is not None:
        return DealStatement.IMPORTED
    return DealStatement.UNPROVEN


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
    return derived == (chance.order, chance.salt) if chance.order else root(*derived) == chance.root


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
