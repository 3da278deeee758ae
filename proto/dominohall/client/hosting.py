"""Hosting matches: a client for the whole process, and one `HostedMatch` for each match in play.

Three habits keep a host right, and they live here:

1. The token is the match. `HostedMatch.kept` is what to store before telling players of a move; no server remembers.
2. A lost reply is asked for again with the same request; the same move is never recorded twice.
3. No reply is believed before its record fits behind the one before: the link is recomputed, the sequence follows.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, Final, Self

import grpc
from google.protobuf.empty_pb2 import Empty

from dominohall.client.channels import Token, metadata_source, open_channel
from dominohall.client.errors import BrokenReply, Failure, HistoryMissing
from dominohall.client.links import NO_LINK, Linked, read_entries, read_entry
from dominohall.client.retrying import Caller, Patience, stream, unary
from dominohall.v1 import match_pb2, move_pb2, options_pb2, record_pb2, refusal_pb2, view_pb2
from dominohall.v1 import match_service_pb2 as match_wire
from dominohall.v1 import replay_service_pb2 as replay_wire
from dominohall.v1.match_service_pb2_grpc import MatchServiceStub
from dominohall.v1.replay_service_pb2_grpc import ReplayServiceStub

FULL: Final = match_pb2.REPLY_FORM_FULL
TOKEN_ONLY: Final = match_pb2.REPLY_FORM_TOKEN_ONLY


class Client:
    """A host's connection to Dominohall, safe to share between threads. One is enough for a process.

    `target` is what gRPC takes: `host:port`, or `dns:///name:port` for a headless service whose every pod gets its
    share of the calls. `credentials` are those of `tls()`; None is plaintext. `token` is a bearer token, or a function
    that gives the current one. Refusals are worded in `language`: `en`, `pl` or `ru`. `options` are channel options of
    gRPC that win over ours.
    """

    def __init__(  # noqa: PLR0913 - the settings of a connection
        self,
        target: str,
        *,
        credentials: grpc.ChannelCredentials | None = None,
        token: Token | None = None,
        language: str = "en",
        patience: Patience | None = None,
        options: Sequence[tuple[str, str | int]] = (),
    ) -> None:
        self._metadata = metadata_source(target, language, token, is_encrypted=credentials is not None)
        self._channel = open_channel(target, credentials, options)
        self._caller = Caller(patience or Patience())
        self.matches: Final[Any] = MatchServiceStub(self._channel)
        """The stubs of MatchService, for `call`."""
        self.replays: Final[Any] = ReplayServiceStub(self._channel)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: object, _trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the channel; calls in progress are cut off."""
        self._channel.close()

    @property
    def retries(self) -> int:
        """How many calls were repeated so far."""
        return self._caller.retries

    def call(self, method: Any, request: Any) -> Any:  # noqa: ANN401 - any method of the stubs and its reply
        """Call a method of `matches` or `replays` with deadline, repetition and typed errors; a reply in one part."""
        return self._caller.make(unary(method, request, self._metadata))

    def start(  # noqa: PLR0913 - the fields of StartMatch
        self,
        match_id: str,
        *,
        preset: str = "",
        options: options_pb2.Options | None = None,
        first_seat: int | None = None,
        seat_labels: Sequence[str] = (),
        scripted_deals: bool = False,
    ) -> "HostedMatch":
        """Start a match by a preset (`forty_two.polish`), or by options of your own.

        The id is yours, so that the same call again is the same match and not a second one; it returns the match at
        its header, however far it has come: `resume` goes to its head.
        """
        request = match_wire.StartMatchRequest(
            match_id=match_id,
            options=options or options_pb2.Options(preset=preset),
            first_seat=first_seat,
            seat_labels=seat_labels,
            scripted_deals=scripted_deals,
        )
        reply = self.call(self.matches.StartMatch, request)
        match = HostedMatch(self, match_pb2.Match(match_id=match_id))
        match.take([reply.record], reply.match)
        return match

    def resume(self, match_id: str) -> "HostedMatch":
        """Return a match at its head, for a host that lost its token; the whole log is read and its chain checked."""
        match = HostedMatch(self, match_pb2.Match(match_id=match_id))
        match.resync()
        return match

    def restore(self, kept: bytes) -> "HostedMatch":
        """Return a match from what `HostedMatch.kept` gave; no call is made."""
        match = match_pb2.Match.FromString(kept)
        if not (match.token and match.match_id and match.HasField("sequence") and len(match.link) == len(NO_LINK)):
            raise ValueError("expected what HostedMatch.kept gave, got something else")
        return HostedMatch(self, match)

    def entries(self, match_id: str, from_sequence: int = 0, previous: bytes = NO_LINK) -> list[Linked]:
        """Return the entries of a stored log from a sequence on, each link recomputed from the one `previous` to it."""
        return list(read_entries(self.log(match_id, from_sequence), from_sequence, previous))

    def log(self, match_id: str, from_sequence: int = 0) -> bytes:
        """Return the stored log of a match: write it to a file, and anybody can verify it."""
        request = replay_wire.GetReplayRequest(match_id=match_id, from_sequence=from_sequence)
        chunks = self._caller.make(stream(self.replays.GetReplay, request, self._metadata))
        return b"".join(chunk.entries for chunk in chunks)


class HostedMatch:
    """One match in play, as this host knows it. Not for several threads at once."""

    def __init__(self, client: Client, match: match_pb2.Match) -> None:
        self._client = client
        self._match = match
        self.newest: Linked | None = None
        """The last entry that this host was told: after `start` the header. None after `Client.restore`."""

    @property
    def match_id(self) -> str:
        """The id of the match."""
        return self._match.match_id

    @property
    def sequence(self) -> int:
        """The sequence of the last record: 0 is the header, 1 the first move."""
        return self._match.sequence

    @property
    def link(self) -> bytes:
        """The link after the last record, 32 bytes."""
        return self._match.link

    @property
    def state(self) -> match_pb2.MatchState | None:
        """The whole state, every hand in it; None after a reply that was asked for without it."""
        return self._match.state if self._match.HasField("state") else None

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        if self.state is None:
            return bool(self.legal_moves().phase == match_pb2.PHASE_OVER)
        return self.state.phase == match_pb2.PHASE_OVER

    @property
    def kept(self) -> bytes:
        """What to store before anybody is told of the last move: `Client.restore` goes on from it. Not for players."""
        match = self._match
        return match_pb2.Match(
            token=match.token, match_id=match.match_id, sequence=match.sequence, link=match.link
        ).SerializeToString(deterministic=True)

    def legal_moves(self) -> match_wire.ListLegalMovesResponse:
        """Return phase, turn and legal moves. A shake or lot that is due stands there too: apply it as it is."""
        reply: match_wire.ListLegalMovesResponse = self._client.call(
            self._client.matches.ListLegalMoves, match_wire.ListLegalMovesRequest(match=self._token())
        )
        return reply

    def view(self, seat: int | None) -> view_pb2.View:
        """Return what a seat may see, a spectator for None. Whether your player is that seat is yours to know."""
        request = match_wire.ViewMatchRequest(match=self._token())
        if seat is None:
            request.spectator.CopyFrom(Empty())
        else:
            request.seat = seat
        view: view_pb2.View = self._client.call(self._client.matches.ViewMatch, request).view
        return view

    def apply(self, move: move_pb2.Move, *, occurred_at: datetime | None = None, with_state: bool = True) -> Linked:
        """Make a move and go on to where it leads; return its entry. On any exception this match stands where it stood.

        `Refused` if the rules forbid it, `Forked` if another process was faster, `Unsure` if no reply came in time:
        then this same call again is right, now or after `Client.restore`. `occurred_at` is your own time for it.
        """
        form = FULL if with_state else TOKEN_ONLY
        request = match_wire.ApplyMoveRequest(match=self._token(), move=move, reply_form=form)
        if occurred_at is not None:
            request.occurred_at.FromDatetime(occurred_at)
        reply = self._client.call(self._client.matches.ApplyMove, request)
        return self.take([reply.record], reply.match)[0]

    def apply_all(self, moves: Iterable[move_pb2.Move], *, with_state: bool = True) -> list[Linked]:
        """Make several moves, all or none; otherwise as `apply`. `Refused.index` says which one was refused."""
        timed = [move_pb2.TimedMove(move=move) for move in moves]
        form = FULL if with_state else TOKEN_ONLY
        request = match_wire.ApplyMovesRequest(match=self._token(), moves=timed, reply_form=form)
        reply = self._client.call(self._client.matches.ApplyMoves, request)
        if len(reply.records) != len(timed):
            raise BrokenReply(f"expected {len(timed)} records, got {len(reply.records)}")
        return self.take(reply.records, reply.match)

    def resync(self) -> list[Linked]:
        """Go to the head of the stored match and return the entries that this host did not know.

        For the loser of a race, and for a host that was told something broken. The new entries must link to what this
        host knows; `HistoryMissing` if the store ends before that, `BrokenReply` if it tells another history.
        """
        request = match_wire.ResumeMatchRequest(match_id=self.match_id, reply_form=FULL)
        head: match_pb2.Match = self._client.call(self._client.matches.ResumeMatch, request).match
        known = self.sequence if self._match.link else -1
        if head.sequence < known:
            raise history_missing(head.sequence, known)
        missed: list[Linked] = []
        if head.sequence > known:
            missed = self._client.entries(self.match_id, known + 1, self.link or NO_LINK)[: head.sequence - known]
        self._go_to(missed, head)
        return missed

    def take(self, records: Sequence[record_pb2.Record], match: match_pb2.Match) -> list[Linked]:
        """Believe a reply if its records follow on the last link and its match stands behind them."""
        sequence, link = (self.sequence, self.link) if self._match.link else (-1, NO_LINK)
        taken: list[Linked] = []
        for record in records:
            sequence += 1
            taken.append(read_entry(record.entry, sequence, link))
            link = taken[-1].link
            if record.sequence != sequence or record.link != link:
                raise BrokenReply(f"expected record {sequence} to be named by its own sequence and link")
        self._go_to(taken, match)
        return taken

    def _go_to(self, entries: Sequence[Linked], match: match_pb2.Match) -> None:
        """Stand where a match stands, if these entries lead there."""
        link = entries[-1].link if entries else self.link
        sequence = entries[-1].sequence if entries else self.sequence
        if match.match_id != self.match_id or not match.token:
            raise BrokenReply("expected a token of this match, got none or another's")
        if match.sequence != sequence or match.link != link:
            raise BrokenReply(f"expected the match behind record {sequence}, got another place or history")
        self._match = match
        self.newest = entries[-1] if entries else self.newest

    def _token(self) -> match_pb2.Match:
        return match_pb2.Match(token=self._match.token)


def history_missing(stored: int, known: int) -> HistoryMissing:
    """Return what tells that a store ends before a place that it acknowledged."""
    failure = Failure(grpc.StatusCode.FAILED_PRECONDITION, f"the store ends at {stored}, this host knows {known}")
    return HistoryMissing(failure, refusal_pb2.MissingHistory(stored_sequence=stored, token_sequence=known))
