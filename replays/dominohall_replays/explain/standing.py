"""What a log is worth as evidence, in words: the verdict, what was checked to come to it, and what was not.

"Valid" is about the log alone. Nothing here says that a log is authentic unless a signature that was checked covers
it to its end, or that a deal was fair unless it was proven: what was not checked is listed beside what was.
"""

from dominohall_replays.explain.values import Said, Standing
from dominohall_replays.verdicts import (
    UNUSABLE,
    DealStatement,
    LegalityStatement,
    OriginStatement,
    Report,
    SignatureStatement,
    Verdict,
)
from dominohall_replays.words import Words


def standing_of(report: Report, words: Words) -> Standing:
    """Say what `verify` found, and what it did not look at."""
    checked, unchecked = _of_the_log(report, words)
    if report.game:
        (checked if report.authentic else unchecked).append(_signature_said(report, words))
        is_proven = report.deal is DealStatement.PROVEN
        deal = {"proven": report.chances_proven, "chances": report.chances}
        (checked if is_proven else unchecked).append(Said(_statement("deal", report.deal, words, **deal)))
        if report.origin is OriginStatement.IMPORTED:
            unchecked.append(Said(words("standing.origin_imported")))
    unchecked.append(Said(words("standing.who_sat")))
    head = report.head
    return Standing(
        str(report.verdict),
        report.good,
        Said(_statement("verdict", report.verdict, words), report.clauses),
        report.reason,
        report.sequence,
        report.offset,
        None if head is None else head.sequence,
        "" if head is None else head.link.hex(),
        str(report.signature),
        str(report.deal),
        str(report.origin),
        report.authentic,
        Said(_brief(report, words)),
        tuple(checked),
        tuple(unchecked),
    )


def _of_the_log(report: Report, words: Words) -> tuple[list[Said], list[Said]]:
    """Say what was checked of the log itself, and what was not."""
    checked, unchecked = [], []
    facts = {"moves": report.moves, "revision": report.rules_revision}
    if report.head is not None:
        checked.append(Said(words("standing.chain", sequence=report.head.sequence)))
        if report.shown is None or report.shown.legality is LegalityStatement.FULL:
            checked.append(Said(words("standing.moves", **facts)))
        elif report.shown.legality is LegalityStatement.PART:
            unchecked.append(Said(words("standing.moves_in_part", hidden=report.shown.partly_checked, **facts)))
    if report.verdict is Verdict.VALID:
        checked.append(Said(words("standing.result")))
    if report.recorded is None and report.game:
        unchecked.append(Said(words("standing.open_end")))
    hides_all = report.shown is not None and report.shown.legality is LegalityStatement.NONE
    if report.verdict in UNUSABLE or hides_all:
        unchecked.append(Said(words("standing.no_replay")))
    return checked, unchecked


def _signature_said(report: Report, words: Words) -> Said:
    """Say how far a signature reaches; one that stops before the end says nothing of what follows."""
    if report.signature is not SignatureStatement.WRONG and report.signed_sequence is not None:
        key = "standing.signature_checked" if report.authentic else "standing.signature_in_part"
        return Said(words(key, sequence=report.signed_sequence))
    return Said(_statement("signature", report.signature, words))


def _brief(report: Report, words: Words) -> str:
    """Say at once what nobody vouches for."""
    signed = "signed" if report.authentic else "unsigned"
    proven = "proven" if report.deal is DealStatement.PROVEN else "unproven"
    return f"{words(f'standing.brief_{signed}')} {words(f'standing.brief_{proven}')}"


def _statement(kind: str, value: str, words: Words, **facts: object) -> str:
    """Return the sentence of a statement; a value without one stands for itself, never for something better."""
    key = f"standing.{kind}_{value}"
    return words(key, **facts) if words.has(key) else f"{kind}: {value}"
