"""Signed heads, redactions and reports on the wire."""

from typing import Any, Final, cast

from dominohall.v1 import replay_pb2
from dominohall_replays import verdicts
from dominohall_replays.errors import UnwritableRecord
from dominohall_replays.redact import When
from dominohall_replays.signatures import SignedHead, check_ranges

from dominohall_service.codec.scalars import EnumCodec
from dominohall_service.faults import invalid

VERDICTS: Final = EnumCodec(verdicts.Verdict, replay_pb2.Verdict, "VERDICT")
SIGNATURES: Final = EnumCodec(verdicts.SignatureStatement, replay_pb2.SignatureStatement, "SIGNATURE_STATEMENT")
DEALS: Final = EnumCodec(verdicts.DealStatement, replay_pb2.DealStatement, "DEAL_STATEMENT")
ORIGINS: Final = EnumCodec(verdicts.OriginStatement, replay_pb2.OriginStatement, "ORIGIN_STATEMENT")
RECEIPTS: Final = EnumCodec(verdicts.ReceiptStatement, replay_pb2.ReceiptStatement, "RECEIPT_STATEMENT")
LEGALITIES: Final = EnumCodec(verdicts.LegalityStatement, replay_pb2.LegalityStatement, "LEGALITY_STATEMENT")


def signed_head_to_proto(head: SignedHead) -> replay_pb2.SignedHead:
    """Write a signed head."""
    return replay_pb2.SignedHead(**head._asdict())


def signed_head_from_proto(proto: replay_pb2.SignedHead, field: str) -> SignedHead:
    """Read a signed head; its signature is not checked."""
    if not proto.HasField("sequence"):
        raise invalid(f"{field}.sequence", "expected the record that the head stands after, got none")
    head = SignedHead(proto.owner, proto.match_id, proto.sequence, proto.link, proto.key_id, proto.signature)
    try:
        return check_ranges(head)
    except UnwritableRecord as error:
        raise invalid(field, str(error)) from None


def redaction_from_proto(proto: replay_pb2.Redaction, field: str) -> tuple[int | None, When]:
    """Read whom a log is for, None for a spectator, and how long they wait."""
    viewer = proto.WhichOneof("viewer")
    if viewer is None:
        raise invalid(f"{field}.viewer", "expected a seat or the spectator, got none")
    return proto.seat if viewer == "seat" else None, When.AFTER_ROUND if proto.after_round else When.AT_ONCE


def report_to_proto(report: verdicts.Report) -> replay_pb2.Report:
    """Write what was found out about a log."""
    return replay_pb2.Report(
        verdict=cast("replay_pb2.Verdict.ValueType", VERDICTS.to_proto[report.verdict]),
        reason=report.reason,
        sequence=report.sequence,
        byte_offset=report.offset,
        clauses=report.clauses,
        refusal=report.refusal,
        signature=cast("replay_pb2.SignatureStatement.ValueType", SIGNATURES.to_proto[report.signature]),
        deal=cast("replay_pb2.DealStatement.ValueType", DEALS.to_proto[report.deal]),
        origin=cast("replay_pb2.OriginStatement.ValueType", ORIGINS.to_proto[report.origin]),
        match_id=report.match_id,
        game=report.game,
        move_count=report.moves,
        link=b"" if report.head is None else report.head.link,
        recorded=None if report.recorded is None else result_to_proto(report.recorded),
        computed=None if report.computed is None else result_to_proto(report.computed),
        chance_count=report.chances,
        proven_chance_count=report.chances_proven,
        signed_sequence=report.signed_sequence,
        receipts=[receipt_finding_to_proto(found) for found in report.receipts],
        shown=None if report.shown is None else shown_to_proto(report.shown),
    )


def receipt_finding_to_proto(found: verdicts.ReceiptFinding) -> replay_pb2.ReceiptFinding:
    """Write what became of a receipt."""
    statement: Any = RECEIPTS.to_proto[found.statement]
    return replay_pb2.ReceiptFinding(sequence=found.sequence, statement=statement)


def shown_to_proto(shown: verdicts.Shown) -> replay_pb2.Shown:
    """Write what a redacted log shows."""
    legality: Any = LEGALITIES.to_proto[shown.legality]
    return replay_pb2.Shown(
        seats=shown.seats,
        legality=legality,
        partly_checked_count=shown.partly_checked,
        unopened_play_count=shown.unopened_plays,
    )


def result_to_proto(result: verdicts.Result) -> replay_pb2.Result:
    """Write the end of a match as a log has it."""
    return replay_pb2.Result(ending=result.ending, winner_side=result.winner, points=result.scores)
