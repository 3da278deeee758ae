"""Refusals and reports on the wire."""

from collections.abc import Iterable
from typing import Any, Final, cast

from dominohall.v1 import replay_pb2
from dominohall.v1.refusal_pb2 import Clause, Fact, Refusal, TextList
from dominohall_engine import clauses
from dominohall_engine.violations import Violation
from dominohall_replays import verdicts

from dominohall_service.codec.moves import move_to_proto
from dominohall_service.codec.scalars import EnumCodec

LARGEST_REFUSAL: Final = 3000
"""Bytes: the message stands in the status a second time, and everything must stay under 4 KiB of metadata."""
SHORTEST_CLAUSE: Final = 120

VERDICTS: Final = EnumCodec(verdicts.Verdict, replay_pb2.Verdict, "VERDICT")
SIGNATURES: Final = EnumCodec(verdicts.SignatureStatement, replay_pb2.SignatureStatement, "SIGNATURE_STATEMENT")
DEALS: Final = EnumCodec(verdicts.DealStatement, replay_pb2.DealStatement, "DEAL_STATEMENT")
ORIGINS: Final = EnumCodec(verdicts.OriginStatement, replay_pb2.OriginStatement, "ORIGIN_STATEMENT")


def refusal_to_proto(violation: Violation, language: str, legal_moves: Iterable[object], index: int | None) -> Refusal:
    """Write why a move is forbidden. Long clauses are cut where the whole would grow too large."""
    proto = Refusal(
        reason=violation.reason.value,
        clauses=[Clause(id=each, text=clauses.clause(each, language).text) for each in violation.clauses],
        facts=[fact_to_proto(name, value) for name, value in violation.facts.items()],
        message=clauses.message(violation, language),
        language=language,
        legal_moves=[move_to_proto(move) for move in legal_moves],
        index=index,
    )
    for clause in reversed(proto.clauses):
        if proto.ByteSize() > LARGEST_REFUSAL and len(clause.text) > SHORTEST_CLAUSE:
            clause.text = clause.text[:SHORTEST_CLAUSE] + " ..."
    return proto


def fact_to_proto(name: str, value: Any) -> Fact:  # noqa: ANN401 - a number, a word, or several
    """Write one fact."""
    if isinstance(value, int):
        return Fact(name=name, number=value)
    if isinstance(value, str):
        return Fact(name=name, text=value)
    return Fact(name=name, texts=TextList(values=value))


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
    )


def result_to_proto(result: verdicts.Result) -> replay_pb2.Result:
    """Write the end of a match as a log has it."""
    return replay_pb2.Result(ending=result.ending, winner_side=result.winner, points=result.scores)
