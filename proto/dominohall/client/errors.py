"""What a call can end in other than a reply.

    ClientError
    ├── CallFailed          the service said no; `code`, `reason`, `request_id`
    │   ├── Refused         the rules forbid the move: reason, clauses, message, legal moves
    │   ├── Forked          another move stands at this place: both links
    │   ├── HistoryMissing  the store lacks what the token builds on
    │   ├── Busy            the service had no time for the call, and patience is at its end: nothing was done
    │   └── Unsure          nobody knows whether the call was done, and patience is at its end: repeating is safe
    └── BrokenReply         a reply does not fit the chain of the match: it is not taken

A refused or forked move changed nothing; the match may go on from where it stands.
"""

from collections.abc import Sequence
from typing import Any, Final

import grpc
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from dominohall.v1 import move_pb2, refusal_pb2

DETAILS: Final = "grpc-status-details-bin"
UNSURE: Final = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED})
"""After these nobody knows whether the call was done."""


class ClientError(Exception):
    """The root of what this client raises."""


class BrokenReply(ClientError):
    """A reply whose record, link, sequence or match id is not what this match must have next; it is not taken.

    Somebody between the service and this program changed it, or the service is wrong. `resync` reads the log itself.
    """


class CallFailed(ClientError):
    """A call that ended in a status, and is not worth repeating as it is."""

    def __init__(self, failure: "Failure") -> None:
        super().__init__(f"{failure.code.name} {failure.reason}: {failure.message}")
        self.code: Final = failure.code
        self.reason: Final = failure.reason
        """`ErrorInfo.reason`, as `docs/protocol.md` lists them; "" if no Dominohall answered (a proxy, a lost line)."""
        self.message: Final = failure.message
        self.request_id: Final = failure.request_id
        """What to name to the operator."""
        self.fields: Final = failure.fields
        """For an impossible message: (field, what is wrong with it)."""


class Unsure(CallFailed):
    """No reply within all patience: the call may have been done. The same call again, later, is safe."""


class Busy(CallFailed):
    """Too much at once, for as long as all patience lasted; nothing was done. The same call again, later."""


class Refused(CallFailed):
    """The rules forbid the move. Everything here may be shown to the player whose move it was."""

    def __init__(self, failure: "Failure", refusal: refusal_pb2.Refusal) -> None:
        super().__init__(failure)
        self.args = (f"{refusal.reason}: {refusal.message}",)
        self.refusal: Final = refusal

    @property
    def text(self) -> str:
        """Return the refusal in one or two sentences for a person, in the client's language."""
        return self.refusal.message

    @property
    def clauses(self) -> Sequence[refusal_pb2.Clause]:
        """Return the clauses that decide it, the deciding one first."""
        return self.refusal.clauses

    @property
    def legal_moves(self) -> Sequence[move_pb2.Move]:
        """Return what the seat may do instead; empty unless it is that seat's turn."""
        return self.refusal.legal_moves

    @property
    def index(self) -> int | None:
        """Return which move of `apply_all` it was; None for a single move."""
        return self.refusal.index if self.refusal.HasField("index") else None


class Forked(CallFailed):
    """Another move stands at this place: another of your processes was faster. `resync`, then look again."""

    def __init__(self, failure: "Failure", fork: refusal_pb2.Fork) -> None:
        super().__init__(failure)
        self.sequence: Final = fork.sequence
        self.stored_link: Final = fork.stored_link
        """The link of the record that stands there."""
        self.refused_link: Final = fork.refused_link
        """The link that the refused record would have had."""


class HistoryMissing(CallFailed):
    """The store ends before this match does: an older backup was restored. The operator's page says what to do."""

    def __init__(self, failure: "Failure", missing: refusal_pb2.MissingHistory) -> None:
        super().__init__(failure)
        self.stored_sequence: Final = missing.stored_sequence if missing.HasField("stored_sequence") else None
        """The last sequence that the store holds; None if it holds nothing of this match."""
        self.token_sequence: Final = missing.token_sequence


class Failure:
    """A failed call, read: its status and the details that came with it."""

    def __init__(self, code: grpc.StatusCode, message: str, details: Sequence[Any] = ()) -> None:
        self.code: Final = code
        self.message: Final = message
        self._details: Final = details
        info = self.detail(ErrorInfo())
        self.reason: Final[str] = "" if info is None else info.reason
        self.request_id: Final[str] = "" if info is None else info.metadata.get("request_id", "")
        bad = self.detail(BadRequest())
        violations = () if bad is None else bad.field_violations
        self.fields: Final = tuple((str(each.field), str(each.description)) for each in violations)
        retry = self.detail(RetryInfo())
        self.pause: Final[float | None] = None if retry is None else retry.retry_delay.ToTimedelta().total_seconds()
        """Seconds that the service asks to wait before the same call; None if it said nothing."""

    def detail(self, kind: Any) -> Any:  # noqa: ANN401 - a message of any kind comes back as that kind
        """Return the detail of this kind, read into the given message; None if there is none."""
        return next((kind for each in self._details if each.Unpack(kind)), None)

    @property
    def repeatable(self) -> bool:
        """Say whether the same call may succeed later.

        RESOURCE_EXHAUSTED only with the time to wait: without it a message was too large, and will be again.
        """
        return self.busy or self.code in UNSURE

    @property
    def busy(self) -> bool:
        """Say whether the service asks for a moment."""
        return self.code is grpc.StatusCode.RESOURCE_EXHAUSTED and self.pause is not None

    def error(self) -> CallFailed:
        """Return the exception that tells it."""
        if self.code in UNSURE:
            return Unsure(self)
        if self.busy:
            return Busy(self)
        refusal = self.detail(refusal_pb2.Refusal())
        if refusal is not None:
            return Refused(self, refusal)
        fork = self.detail(refusal_pb2.Fork())
        if fork is not None:
            return Forked(self, fork)
        missing = self.detail(refusal_pb2.MissingHistory())
        return CallFailed(self) if missing is None else HistoryMissing(self, missing)


def failure_of(error: grpc.RpcError) -> Failure:
    """Read a failed call; details that can't be read count as none."""
    call: Any = error  # every error of a call is a Call as well, which the types do not say
    for key, value in call.trailing_metadata() or ():
        if key == DETAILS:
            try:
                details = Status.FromString(value).details
            except Exception:  # noqa: BLE001 - whatever stands there, the status itself is known
                break
            return Failure(call.code(), call.details() or "", details)
    return Failure(call.code(), call.details() or "")
