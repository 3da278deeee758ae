"""The one table from what went wrong to what a caller sees: status codes and their details.

Every status carries an `ErrorInfo` of the domain `dominohall`, whose metadata hold the request id, and the same id as a
`RequestInfo`, where clients that know nothing of us look for it. Nothing else in the service makes a status, so an
outcome can't have two faces.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Final

import grpc
from dominohall.v1.refusal_pb2 import Refusal
from google.protobuf.any_pb2 import Any
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, LocalizedMessage, RequestInfo, RetryInfo
from google.rpc.status_pb2 import Status

from dominohall_service.faults import CallFault, Fault

DOMAIN: Final = "dominohall"
DETAILS: Final = "grpc-status-details-bin"
MOST_FIELDS: Final = 16
LONGEST_TEXT: Final = 160
"""Characters: trailers have to stay under what HTTP/2 clients accept, 8 KiB by default."""

STATUS_OF: Final[Mapping[Fault, grpc.StatusCode]] = {
    Fault.INVALID_MESSAGE: grpc.StatusCode.INVALID_ARGUMENT,
    Fault.MESSAGE_TOO_LARGE: grpc.StatusCode.INVALID_ARGUMENT,
    Fault.BATCH_TOO_LONG: grpc.StatusCode.INVALID_ARGUMENT,
    Fault.IMPOSSIBLE_STATE: grpc.StatusCode.INVALID_ARGUMENT,
    Fault.STATE_EDITED: grpc.StatusCode.INVALID_ARGUMENT,
    Fault.TOKEN_UNREADABLE: grpc.StatusCode.INVALID_ARGUMENT,
    Fault.TOKEN_TRUNCATED: grpc.StatusCode.INVALID_ARGUMENT,
    Fault.SEAL_BROKEN: grpc.StatusCode.INVALID_ARGUMENT,
    Fault.KEY_UNKNOWN: grpc.StatusCode.INVALID_ARGUMENT,
    Fault.KEY_RETIRED: grpc.StatusCode.INVALID_ARGUMENT,
    Fault.UNKNOWN_RULES: grpc.StatusCode.INVALID_ARGUMENT,
    Fault.REPLAY_UNREADABLE: grpc.StatusCode.INVALID_ARGUMENT,
    Fault.BEARER_MISSING: grpc.StatusCode.UNAUTHENTICATED,
    Fault.BEARER_INVALID: grpc.StatusCode.UNAUTHENTICATED,
    Fault.BEARER_EXPIRED: grpc.StatusCode.UNAUTHENTICATED,
    Fault.CERTIFICATE_NAMELESS: grpc.StatusCode.UNAUTHENTICATED,
    Fault.SCOPE_MISSING: grpc.StatusCode.PERMISSION_DENIED,
    Fault.OTHER_OWNER: grpc.StatusCode.PERMISSION_DENIED,
    Fault.MATCH_EXISTS: grpc.StatusCode.ALREADY_EXISTS,
    Fault.MATCH_NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Fault.SEQUENCE_NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Fault.SCRIPTED_DEALS_OFF: grpc.StatusCode.FAILED_PRECONDITION,
    Fault.IMPORTS_OFF: grpc.StatusCode.FAILED_PRECONDITION,
    Fault.NO_STORE: grpc.StatusCode.FAILED_PRECONDITION,
    Fault.NO_SIGNING_KEY: grpc.StatusCode.FAILED_PRECONDITION,
    Fault.MATCH_ARCHIVED: grpc.StatusCode.FAILED_PRECONDITION,
    Fault.MATCH_TOO_LONG: grpc.StatusCode.FAILED_PRECONDITION,
    Fault.HISTORY_MISSING: grpc.StatusCode.FAILED_PRECONDITION,
    Fault.FORKED: grpc.StatusCode.ABORTED,
    Fault.CALLER_LIMIT: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Fault.TOO_BUSY: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Fault.CANCELLED: grpc.StatusCode.CANCELLED,
    Fault.STORE_UNAVAILABLE: grpc.StatusCode.UNAVAILABLE,
    Fault.METHOD_UNKNOWN: grpc.StatusCode.UNIMPLEMENTED,
    Fault.INTERNAL: grpc.StatusCode.INTERNAL,
}
RETRY_SECONDS: Final[Mapping[Fault, float]] = {
    Fault.TOO_BUSY: 0.5,
    Fault.CALLER_LIMIT: 0.5,
    Fault.STORE_UNAVAILABLE: 1.0,
}
"""How long to wait before trying again, for the outcomes that pass by themselves."""


class RuleRefusal(Exception):
    """A move that the rules forbid, on its way to the caller."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class RichStatus(grpc.Status):
    """A status with its details, as `abort_with_status` takes it."""

    code: grpc.StatusCode
    details: str
    trailing_metadata: tuple[tuple[str, bytes], ...]


def fault_status(fault: CallFault, request_id: str, trace_id: str = "") -> RichStatus:
    """Return the status of a call that failed."""
    code = STATUS_OF[fault.fault]
    details: list[Message] = [
        info(fault.fault.value, request_id),
        RequestInfo(request_id=request_id, serving_data=trace_id),
    ]
    if code is grpc.StatusCode.INVALID_ARGUMENT:
        violations = [
            BadRequest.FieldViolation(field=name[:LONGEST_TEXT], description=text[:LONGEST_TEXT])
            for name, text in fault.fields[:MOST_FIELDS]
        ]
        details.append(BadRequest(field_violations=violations))
    if fault.fault in RETRY_SECONDS:
        retry = RetryInfo()
        seconds = RETRY_SECONDS[fault.fault] if fault.retry_seconds is None else fault.retry_seconds
        retry.retry_delay.FromMilliseconds(ceil(seconds * 1000))
        details.append(retry)
    return rich_status(code, fault.message[: 2 * LONGEST_TEXT], [*details, *fault.details])


def refusal_status(error: RuleRefusal, request_id: str, trace_id: str = "") -> RichStatus:
    """Return the status of a move that the rules forbid."""
    refusal = error.refusal
    localized = LocalizedMessage(locale=refusal.language, message=refusal.message)
    details = [
        info(refusal.reason, request_id),
        RequestInfo(request_id=request_id, serving_data=trace_id),
        localized,
        refusal,
    ]
    return rich_status(grpc.StatusCode.FAILED_PRECONDITION, refusal.reason, details)


def info(reason: str, request_id: str) -> ErrorInfo:
    """Return the detail that every status carries: why."""
    return ErrorInfo(reason=reason, domain=DOMAIN, metadata={"request_id": request_id})


def rich_status(code: grpc.StatusCode, message: str, details: list[Message]) -> RichStatus:
    """Pack the details of a status into the trailer that clients read them from."""
    status = Status(code=code.value[0], message=message)
    for detail in details:
        packed = Any()
        packed.Pack(detail)
        status.details.append(packed)
    return RichStatus(code, message, ((DETAILS, status.SerializeToString()),))
