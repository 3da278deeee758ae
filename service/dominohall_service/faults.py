"""What a call can fail with, apart from a move that the rules forbid: one closed list, one exception.

`status.py` turns both into what a caller sees; nothing else in the service builds a status.
"""

from collections.abc import Sequence
from enum import StrEnum

from google.protobuf.message import Message


class Fault(StrEnum):
    """Why a call failed. The names stand on the wire as they are, as `ErrorInfo.reason`."""

    INVALID_MESSAGE = "INVALID_MESSAGE"
    """A field is absent, unreadable or out of its range, or the bytes are no message at all."""
    MESSAGE_TOO_LARGE = "MESSAGE_TOO_LARGE"
    BATCH_TOO_LONG = "BATCH_TOO_LONG"
    IMPOSSIBLE_STATE = "IMPOSSIBLE_STATE"
    """A state from outside breaks an invariant; every broken one is listed."""
    STATE_EDITED = "STATE_EDITED"
    """What was sent beside a token disagrees with the token."""
    TOKEN_UNREADABLE = "TOKEN_UNREADABLE"  # noqa: S105 - a name
    """No token of this version at all."""
    TOKEN_TRUNCATED = "TOKEN_TRUNCATED"  # noqa: S105 - a name
    """A token that is shorter or longer than it says."""
    SEAL_BROKEN = "SEAL_BROKEN"
    """A token that was changed after it was sealed."""
    KEY_UNKNOWN = "KEY_UNKNOWN"
    """A token sealed with a key that this keyring never held: another service's."""
    KEY_RETIRED = "KEY_RETIRED"
    """A token sealed with a key that is no longer accepted, or a deal that needs a retired key."""
    UNKNOWN_RULES = "UNKNOWN_RULES"
    """A game, preset or revision that this build doesn't know."""
    BEARER_MISSING = "BEARER_MISSING"
    BEARER_INVALID = "BEARER_INVALID"
    """A bearer token that lets nobody in: not whole, not signed by a known key, for another audience."""
    BEARER_EXPIRED = "BEARER_EXPIRED"
    CERTIFICATE_NAMELESS = "CERTIFICATE_NAMELESS"
    """A client certificate that names no owner, or several."""
    SCOPE_MISSING = "SCOPE_MISSING"
    """A known caller that may not call this method."""
    CALLER_LIMIT = "CALLER_LIMIT"
    """One caller takes more than its allowance; others may go on."""
    OTHER_OWNER = "OTHER_OWNER"
    MATCH_EXISTS = "MATCH_EXISTS"
    MATCH_NOT_FOUND = "MATCH_NOT_FOUND"
    MATCH_ARCHIVED = "MATCH_ARCHIVED"
    """The match is over and its log was moved to an archive: it takes no move, and this service can't read it there."""
    MATCH_TOO_LONG = "MATCH_TOO_LONG"
    """The match has as many moves as the service's settings allow; it can only be abandoned."""
    SCRIPTED_DEALS_OFF = "SCRIPTED_DEALS_OFF"
    """An order was given for a shake or a lot where the match or the settings allow none."""
    IMPORTS_OFF = "IMPORTS_OFF"
    NO_STORE = "NO_STORE"
    """The call needs a store and the service runs without one."""
    NO_SIGNING_KEY = "NO_SIGNING_KEY"
    """The call needs a signature and the keyring has no active key for one."""
    SEQUENCE_NOT_FOUND = "SEQUENCE_NOT_FOUND"
    """The replay has no record of that number."""
    REPLAY_UNREADABLE = "REPLAY_UNREADABLE"
    """A log that can't be stepped through: it is not whole, or a move in it is illegal."""
    FORKED = "FORKED"
    HISTORY_MISSING = "HISTORY_MISSING"
    TOO_BUSY = "TOO_BUSY"
    CANCELLED = "CANCELLED"
    """The caller left, or its deadline was over, before anything was recorded."""
    STORE_UNAVAILABLE = "STORE_UNAVAILABLE"
    METHOD_UNKNOWN = "METHOD_UNKNOWN"
    INTERNAL = "INTERNAL"


class CallFault(Exception):
    """A call that failed for one of the listed reasons.

    `message` says what was expected, what came and where, and never holds a hidden tile or a secret; `fields` are
    (path of the field, what is wrong with it); `details` are further messages for the status;
    `retry_seconds` is how long to wait where that is known better than by the fault alone.
    """

    def __init__(
        self,
        fault: Fault,
        message: str,
        fields: Sequence[tuple[str, str]] = (),
        details: Sequence[Message] = (),
        retry_seconds: float | None = None,
    ) -> None:
        super().__init__(message)
        self.fault = fault
        self.message = message
        self.fields = fields
        self.details = details
        self.retry_seconds = retry_seconds


def invalid(field: str, description: str) -> CallFault:
    """Return the fault of a message in which one field is wrong."""
    return CallFault(Fault.INVALID_MESSAGE, f"{field}: {description}", [(field, description)])
