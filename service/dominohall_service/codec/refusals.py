"""Refusals on the wire."""

from collections.abc import Iterable
from typing import Any, Final

from dominohall.v1.refusal_pb2 import Clause, Fact, Refusal, TextList
from dominohall_engine import clauses
from dominohall_engine.violations import Violation

from dominohall_service.codec.moves import move_to_proto

LARGEST_REFUSAL: Final = 3000
"""Bytes: the message stands in the status a second time, and everything must stay under 4 KiB of metadata."""
SHORTEST_CLAUSE: Final = 120


def refusal_to_proto(
    violation: Violation, revision: int, language: str, legal_moves: Iterable[object], index: int | None
) -> Refusal:
    """Write why a move is forbidden, its clauses as the match's revision of the rules has them.

    Long clauses are cut where the whole would grow too large.
    """
    proto = Refusal(
        reason=violation.reason.value,
        clauses=[Clause(id=each, text=clauses.clause(each, language, revision).text) for each in violation.clauses],
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
