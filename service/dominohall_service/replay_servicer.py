"""`ReplayService`: the logs of the store, or those that a caller sends: listed, streamed, stepped through, judged."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import grpc
from dominohall.v1 import replay_service_pb2 as wire
from dominohall.v1.replay_pb2 import Replay
from dominohall.v1.replay_service_pb2_grpc import ReplayServiceServicer
from dominohall_replays.deals import HASH_BYTES
from dominohall_replays.errors import UnreadableLog
from dominohall_replays.fold import LogFault
from dominohall_replays.records import Entry, Head
from dominohall_replays.redact import When, redacted_entries
from dominohall_replays.store import Archived, Store, StoreUnavailable, UnknownMatch
from dominohall_replays.verify import verify

from dominohall_service.attaching import attachments
from dominohall_service.beginning import match_id_from, rebuild
from dominohall_service.callers import caller_language, caller_owner
from dominohall_service.codec.evidence import (
    redaction_from_proto,
    report_to_proto,
    signed_head_from_proto,
    signed_head_to_proto,
)
from dominohall_service.codec.matches import state_to_proto
from dominohall_service.codec.moves import move_to_proto
from dominohall_service.faults import CallFault, Fault, invalid
from dominohall_service.interceptors import NOTES
from dominohall_service.keys import KeyHolder
from dominohall_service.recording import archived, store_unavailable, stored_log
from dominohall_service.settings import Settings, StoreKind

CHUNK_BYTES: Final = 1 << 16
DEFAULT_PAGE: Final = 100
GREATEST_PAGE: Final = 1000
Context = grpc.ServicerContext


class ReplayServicer(ReplayServiceServicer):
    """The methods of `ReplayService` over one store and one keyring."""

    def __init__(self, settings: Settings, keys: KeyHolder, store: Store) -> None:
        self._has_store = settings.store is not StoreKind.NONE
        self._keys = keys
        self._store = store

    def ListReplays(self, request: wire.ListReplaysRequest, context: Context) -> wire.ListReplaysResponse:  # noqa: N802
        """List the replays of the store, by match id."""
        self._check_store()
        if request.page_size < 0:
            raise invalid("page_size", f"expected 0 or more, got {request.page_size}")
        size = min(request.page_size or DEFAULT_PAGE, GREATEST_PAGE)
        try:
            page = self._store.matches(caller_owner(context), page_size=size, page_token=request.page_token)
        except StoreUnavailable:
            raise store_unavailable() from None
        except ValueError:
            raise invalid("page_token", "expected a token that this service gave, got another") from None
        heads = [each.head for each in page.matches]
        replays = [Replay(match_id=head.match_id, sequence=head.sequence, link=head.link) for head in heads]
        return wire.ListReplaysResponse(replays=replays, next_page_token=page.next_page_token)

    def GetReplay(self, request: wire.GetReplayRequest, context: Context) -> Iterator[wire.GetReplayResponse]:  # noqa: N802
        """Stream the log of a match in chunks of whole entries; a finished one with its attachments."""
        self._check_store()
        match_id = match_id_from(request.match_id)
        NOTES.match_id = match_id
        owner, first = caller_owner(context), request.from_sequence
        try:
            if request.HasField("redact_for"):
                viewer, when = redaction_from_proto(request.redact_for, "redact_for")
                yield from self._redacted(owner, match_id, first, viewer, when)
            else:
                yield from self._chunks(owner, match_id, first)
        except UnknownMatch:
            raise unknown_match() from None
        except Archived as error:
            raise archived(error) from None
        except StoreUnavailable:
            raise store_unavailable() from None

    def StepReplay(self, request: wire.StepReplayRequest, context: Context) -> wire.StepReplayResponse:  # noqa: N802
        """Return the state of a match after one of its records."""
        if not request.HasField("sequence"):
            raise invalid("sequence", "expected the record to stop after, got none")
        standing, move, _ = rebuild(self._log(request, context), request.sequence)
        sealed = standing.sealed
        NOTES.sequence = sealed.sequence
        return wire.StepReplayResponse(
            match_id=sealed.match_id,
            sequence=sealed.sequence,
            link=sealed.link,
            state=state_to_proto(standing.game, standing.state, sealed.marks),
            move=None if move is None else move_to_proto(move),
        )

    def SignHead(self, request: wire.SignHeadRequest, context: Context) -> wire.SignHeadResponse:  # noqa: N802
        """Sign a head that the store has made durable."""
        self._check_store()
        match_id = match_id_from(request.match_id)
        NOTES.match_id = match_id
        owner = caller_owner(context)
        try:
            head = self._head(owner, match_id, request.sequence if request.HasField("sequence") else None)
        except UnknownMatch:
            raise unknown_match() from None
        except Archived as error:
            raise archived(error) from None
        except StoreUnavailable:
            raise store_unavailable() from None
        NOTES.sequence = head.sequence
        signed = self._keys.current.sign(owner, head)
        if signed is None:
            message = "expected a signing key: the keyring has no active one (dominohall keys rotate FILE sign)"
            raise CallFault(Fault.NO_SIGNING_KEY, message)
        return wire.SignHeadResponse(head=signed_head_to_proto(signed))

    def JudgeReplay(self, request: wire.JudgeReplayRequest, context: Context) -> wire.JudgeReplayResponse:  # noqa: N802
        """Judge the moves of a log by other rules."""
        if not request.HasField("options"):
            raise invalid("options", "expected the rules to judge by, got none")
        log, language = self._log(request, context), caller_language(context)
        from dominohall_service.comparing import judge_log  # noqa: PLC0415 - this method alone pays for it

        judgement = judge_log(log, request.options, language, self._keys.current.public_keys or None)
        return wire.JudgeReplayResponse(judgement=judgement)

    def VerifyReplay(self, request: wire.VerifyReplayRequest, context: Context) -> wire.VerifyReplayResponse:  # noqa: N802
        """Re-simulate a log and say what it is worth."""
        receipt = None
        if request.HasField("receipt"):
            kept = request.receipt
            if not kept.HasField("sequence") or len(kept.link) != HASH_BYTES:
                raise invalid("receipt", f"expected a match id, a sequence and a link of {HASH_BYTES} bytes")
            receipt = Head(match_id_from(kept.match_id), kept.sequence, kept.link)
        receipts = [
            signed_head_from_proto(each, f"signed_receipts[{number}]")
            for number, each in enumerate(request.signed_receipts)
        ]
        report = verify(
            self._log(request, context),
            expected_head=receipt,
            public_keys=self._keys.current.public_keys or None,
            receipts=receipts,
            must_be_signed=False,
        )
        return wire.VerifyReplayResponse(report=report_to_proto(report))

    def _log(self, request: Any, context: Context) -> bytes:  # noqa: ANN401 - any request with a source
        """Return the log that a request is about."""
        source = request.WhichOneof("source")
        if source is None:
            raise invalid("source", "expected a match id or a log, got none")
        if source == "log":
            log: bytes = request.log
            return log
        self._check_store()
        match_id = match_id_from(request.match_id)
        NOTES.match_id = match_id
        return stored_log(self._store, caller_owner(context), match_id, self._keys.current)

    def _head(self, owner: str, match_id: str, sequence: int | None) -> Head:
        """Return the head at a sequence, the last one by default."""
        if sequence is None:
            last = self._store.head(owner, match_id)
            if last is None:
                raise UnknownMatch
            return last
        entry = next(self._store.entries(owner, match_id, sequence), None)
        if entry is None or entry.sequence != sequence:
            raise sequence_not_found(sequence)
        return Head(match_id, sequence, entry.link)

    def _redacted(
        self, owner: str, match_id: str, first: int, viewer: int | None, when: When
    ) -> Iterator[wire.GetReplayResponse]:
        """Stream the redacted log from its entry `first` on."""
        log = stored_log(self._store, owner, match_id, self._keys.current)
        try:
            entries, beside = redacted_entries(log, viewer, when)
        except (UnreadableLog, LogFault) as error:
            raise CallFault(Fault.REPLAY_UNREADABLE, str(error), [("match_id", str(error))]) from None
        except ValueError as error:
            raise invalid("redact_for.seat", str(error)) from None
        if first >= len(entries):
            raise sequence_not_found(first)
        yield from chunks(enumerate(entries[first:], first), lambda: beside)

    def _chunks(self, owner: str, match_id: str, from_sequence: int) -> Iterator[wire.GetReplayResponse]:
        """Stream the log from an entry on."""
        last: Entry | None = None

        def remembered() -> Iterator[tuple[int, bytes]]:
            nonlocal last
            for last in self._store.entries(owner, match_id, from_sequence):
                yield last.sequence, last.data
            if last is None:
                raise sequence_not_found(from_sequence)

        def beside() -> list[bytes]:
            begun = next(self._store.entries(owner, match_id), None)
            return attachments(self._keys.current, begun, last) if begun and last else []

        yield from chunks(remembered(), beside)

    def _check_store(self) -> None:
        if not self._has_store:
            raise CallFault(Fault.NO_STORE, "expected a store: this service runs without one (store none)")


def chunks(
    entries: Iterable[tuple[int, bytes]], attached: Callable[[], list[bytes]]
) -> Iterator[wire.GetReplayResponse]:
    """Cut entries, each with its sequence, into chunks; the last one ends with what is attached."""
    first: int | None = None
    parts: list[bytes] = []
    size = 0
    for sequence, data in entries:
        if size >= CHUNK_BYTES:
            yield wire.GetReplayResponse(sequence=first, entries=b"".join(parts))
            first, size, parts = None, 0, []
        first = sequence if first is None else first
        parts.append(data)
        size += len(data)
    yield wire.GetReplayResponse(sequence=first, entries=b"".join([*parts, *attached()]))


def unknown_match() -> CallFault:
    """Return the fault of an id that no stored match of this caller has."""
    return CallFault(Fault.MATCH_NOT_FOUND, "expected the id of a match that is stored, got another")


def sequence_not_found(sequence: int) -> CallFault:
    """Return the fault of a sequence that a stored match does not have."""
    return CallFault(Fault.SEQUENCE_NOT_FOUND, f"expected a sequence that is stored, got {sequence}")
