"""`ReplayService`: the logs of the store, or those that a caller sends: listed, streamed, stepped through, judged."""

from collections.abc import Iterator
from typing import Any, Final

import grpc
from dominohall.v1 import replay_service_pb2 as wire
from dominohall.v1.replay_pb2 import Replay
from dominohall.v1.replay_service_pb2_grpc import ReplayServiceServicer
from dominohall_replays.deals import HASH_BYTES
from dominohall_replays.records import Head
from dominohall_replays.store import Store, StoreUnavailable, UnknownMatch
from dominohall_replays.verify import verify

from dominohall_service.beginning import match_id_from, rebuild
from dominohall_service.callers import caller_owner
from dominohall_service.codec.matches import state_to_proto
from dominohall_service.codec.moves import move_to_proto
from dominohall_service.codec.refusals import report_to_proto
from dominohall_service.faults import CallFault, Fault, invalid
from dominohall_service.interceptors import NOTES
from dominohall_service.recording import store_unavailable, stored_log
from dominohall_service.settings import Settings, StoreKind

CHUNK_BYTES: Final = 1 << 16
DEFAULT_PAGE: Final = 100
GREATEST_PAGE: Final = 1000
Context = grpc.ServicerContext


class ReplayServicer(ReplayServiceServicer):
    """The methods of `ReplayService` over one store."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self._has_store = settings.store is not StoreKind.NONE
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
        """Stream the log of a match in chunks of whole entries."""
        self._check_store()
        match_id = match_id_from(request.match_id)
        NOTES.match_id = match_id
        try:
            yield from self._chunks(caller_owner(context), match_id, request.from_sequence)
        except UnknownMatch:
            raise CallFault(Fault.MATCH_NOT_FOUND, "expected the id of a match that is stored, got another") from None
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

    def VerifyReplay(self, request: wire.VerifyReplayRequest, context: Context) -> wire.VerifyReplayResponse:  # noqa: N802
        """Re-simulate a log and say what it is worth."""
        receipt = None
        if request.HasField("receipt"):
            kept = request.receipt
            if not kept.HasField("sequence") or len(kept.link) != HASH_BYTES:
                raise invalid("receipt", f"expected a match id, a sequence and a link of {HASH_BYTES} bytes")
            receipt = Head(match_id_from(kept.match_id), kept.sequence, kept.link)
        log = self._log(request, context)
        return wire.VerifyReplayResponse(report=report_to_proto(verify(log, expected_head=receipt)))

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
        return stored_log(self._store, caller_owner(context), match_id)

    def _chunks(self, owner: str, match_id: str, from_sequence: int) -> Iterator[wire.GetReplayResponse]:
        first, size, parts = from_sequence, 0, []
        for entry in self._store.entries(owner, match_id, from_sequence):
            parts.append(entry.data)
            size += len(entry.data)
            if size >= CHUNK_BYTES:
                yield wire.GetReplayResponse(sequence=first, entries=b"".join(parts))
                first, size, parts = entry.sequence + 1, 0, []
        if parts:
            yield wire.GetReplayResponse(sequence=first, entries=b"".join(parts))
        elif first == from_sequence:
            raise CallFault(Fault.SEQUENCE_NOT_FOUND, f"expected a sequence that is stored, got {from_sequence}")

    def _check_store(self) -> None:
        if not self._has_store:
            raise CallFault(Fault.NO_STORE, "expected a store: this service runs without one (store none)")
