"""What a log is worth as evidence, in words: the verdict, what was checked to come to it, and what was not.

"Valid" is about the log alone. Nothing here says that a log is authentic unless a signature was checked, or that a
deal was fair unless it was proven: what was not checked is listed beside what was.
"""

from typing import Final

from dominohall_replays.explain.values import Said, Standing
from dominohall_replays.records import IMPORTED
from dominohall_replays.verdicts import UNUSABLE, Report, Verdict
from dominohall_replays.words import Words

CHECKED_SIGNATURES: Final = frozenset({"checked"})
"""Statements on signatures that let a page say who vouches for the log."""
CHECKED_DEALS: Final = frozenset({"proven"})


def standing_of(report: Report, words: Words) -> Standing:
    """Say what `verify` found, and what it did not look at."""
    checked, unchecked = [], []
    if report.head is not None:
        checked.append(Said(words("standing.chain", sequence=report.head.sequence)))
        checked.append(Said(words("standing.moves", moves=report.moves, revision=report.rules_revision)))
    if report.verdict is Verdict.VALID:
        checked.append(Said(words("standing.result")))
    if report.verdict is Verdict.UNFINISHED:
        unchecked.append(Said(words("standing.open_end")))
    if report.verdict in UNUSABLE:
        unchecked.append(Said(words("standing.no_replay")))
    signature, deal, origin = str(report.signature), str(report.deal), str(report.origin)
    if report.game:
        of_signature = Said(_statement("signature", signature, words))
        (checked if signature in CHECKED_SIGNATURES else unchecked).append(of_signature)
        chances = {"proven": report.chances_proven, "chances": report.chances}
        of_deal = Said(_statement("deal", deal, words, **chances))
        (checked if deal in CHECKED_DEALS else unchecked).append(of_deal)
        if origin == IMPORTED:
            unchecked.append(Said(words("standing.origin_imported")))
    unchecked.append(Said(words("standing.who_sat")))
    head = report.head
    return Standing(
        str(report.verdict),
        report.good,
        Said(_statement("verdict", str(report.verdict), words), report.clauses),
        report.reason,
        report.sequence,
        report.offset,
        None if head is None else head.sequence,
        "" if head is None else head.link.hex(),
        signature,
        deal,
        origin,
        Said(_brief(signature, deal, words)),
        tuple(checked),
        tuple(unchecked),
    )


def _brief(signature: str, deal: str, words: Words) -> str:
    """Say at once what nobody vouches for."""
    signed = "signed" if signature in CHECKED_SIGNATURES else "unsigned"
    proven = "proven" if deal in CHECKED_DEALS else "unproven"
    return f"{words(f'standing.brief_{signed}')} {words(f'standing.brief_{proven}')}"


def _statement(kind: str, value: str, words: Words, **facts: object) -> str:
    """Return the sentence of a statement; a value without one stands for itself, never for something better."""
    key = f"standing.{kind}_{value}"
    return words(key, **facts) if words.has(key) else f"{kind}: {value}"
