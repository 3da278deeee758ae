"""A match as the engine says it must be, held against every reply of the service.

A `Mirror` applies the same moves to a state of its own. A shake that the service made is taken from the record that
made it, like anybody who keeps the records would. Whatever then differs is a `Mismatch`.
"""

from collections.abc import Sequence
from typing import Any

from dominohall.v1 import match_pb2, match_service_pb2, record_pb2, view_pb2
from dominohall_engine.errors import DominohallError
from dominohall_engine.moves import SHAKE_CODE
from dominohall_engine.options import options_to_plain

from dominohall_loadtest.entries import (
    HEADER,
    MOVE,
    NO_HASH,
    TERMINAL,
    Mismatch,
    attachment_kinds,
    expect,
    read_entry,
    state_digest,
)
from dominohall_loadtest.kinds import Kind
from dominohall_loadtest.readable import check_state, check_view
from dominohall_loadtest.wire import CHANCE_CODES, LOT, SHAKE, move_to_proto, phase_to_proto

MAX_TOKEN_BYTES = 512


class Mirror:
    """One match, followed from its header on: from the beginning, or from the state that it was imported with."""

    def __init__(self, kind: Kind, match_id: str, imported: Any = None) -> None:  # noqa: ANN401 - a state, or None
        self.kind = kind
        self.game = kind.game
        self.match_id = match_id
        self.marks = () if imported is None else (match_pb2.MARK_IMPORTED,)
        self.state = self.game.new_match(kind.options) if imported is None else imported
        self.sequence = 0
        self.link = NO_HASH
        self.root: bytes | None = None
        self.brought = 0
        """1 if tiles in play came with an imported state: no secret proves that shake."""
        self.token = b""
        self.log = bytearray()

    @property
    def turn(self) -> int | None:
        """Return the seat that must act, None when chance must or the match is over."""
        return self.game.turn(self.state)

    @property
    def over(self) -> bool:
        """Say whether the match is over."""
        return self.game.outcome(self.state) is not None

    @property
    def match(self) -> match_pb2.Match:
        """Return what a request needs: the token."""
        return match_pb2.Match(token=self.token)

    def began(self, reply: match_service_pb2.StartMatchResponse | match_service_pb2.ImportMatchResponse) -> None:
        """Judge the reply to `StartMatch` or `ImportMatch` and begin from it."""
        entry = read_entry(reply.record.entry, NO_HASH)
        kind, header = entry.record
        expect("record kind", HEADER, kind)
        expect("sequence", 0, reply.record.sequence)
        expect("link", entry.link, reply.record.link)
        expect("header match_id", self.match_id, header["match_id"])
        expect("header game", self.game.NAME, header["game"])
        expect("header options", options_to_plain(self.kind.options), header["options"])
        expect("header marks", ["imported"] if self.marks else [], header["marks"])
        self._began_from(header["initial"], entry.order)
        self.link = entry.link
        self.log += reply.record.entry
        self.stands(reply.match, full=True)

    def _began_from(self, initial: Any, order: bytes | None) -> None:  # noqa: ANN401 - as the header has it
        """Judge what a header says of the state that the match begins from, and take the root of its tiles."""
        expect("an initial state", bool(self.marks), initial is not None)
        if initial is None:
            return
        public, self.root = initial
        expect("initial state, as the engine writes it", True, self.game.encode_public(self.state) == public)
        expect("order of the initial tiles, as it was sent", True, self.game.order(self.state) == order)
        expect("a root beside the initial tiles", order is not None, self.root is not None)
        self.brought = int(order is not None)

    def moved(self, move: Any, record: record_pb2.Record) -> None:  # noqa: ANN401 - a seat move, or None for chance
        """Judge the record of a move and follow it. `move` is the one that was asked for, None for a shake or a lot."""
        entry = read_entry(record.entry, self.link)
        kind, sequence, written, digest, _, root = entry.record
        expect("record kind", MOVE, kind)
        expect("sequence", self.sequence + 1, sequence)
        expect("sequence of the reply", sequence, record.sequence)
        expect("link of the reply", entry.link, record.link)
        if move is None:
            expect("a chance move", True, written[0] in CHANCE_CODES)
        else:
            expect("move", self.game.encode_move(move), written)
        if written[0] == SHAKE_CODE:
            written += entry.order or b""
            self.root = root
        state = self._applied(written)
        if self.game.order(state) is None:
            self.root = None
        expect("digest", state_digest(self.game.encode_public(state), self.root), digest)
        outcome = self.game.outcome(state)
        result = outcome and [TERMINAL, sequence, outcome.ending.value, outcome.winner, list(outcome.scores)]
        expect("terminal record", result, entry.terminal)
        self.state, self.sequence, self.link = state, sequence, entry.link
        self.log += record.entry

    def stands(self, match: match_pb2.Match, *, full: bool) -> None:
        """Judge a match of a reply, which must stand where this one stands, and take its token."""
        expect("match_id", self.match_id, match.match_id)
        expect("sequence of the match", self.sequence, match.sequence)
        expect("link of the match", self.link, match.link)
        expect("a token of reasonable size", True, 0 < len(match.token) <= MAX_TOKEN_BYTES)
        expect("a readable state", full, match.HasField("state"))
        if full:
            check_state(self.kind, self.state, match.state, self.marks)
        self.token = match.token

    def stands_again(self, match: match_pb2.Match, wanted: match_pb2.Match) -> None:
        """Judge the answer to a retry: the same token, link and sequence as the first time."""
        expect("sequence of a retry", wanted.sequence, match.sequence)
        expect("link of a retry", wanted.link, match.link)
        expect("token of a retry, equal to the first", True, wanted.token == match.token)

    def lists(self, reply: match_service_pb2.ListLegalMovesResponse) -> None:
        """Judge a list of legal moves: all of them, in the engine's order."""
        expect("phase", phase_to_proto(self.game.phase(self.state)), reply.phase)
        expect("turn", self.turn, reply.turn if reply.HasField("turn") else None)
        wanted = [move_to_proto(move) for move in self.game.legal_moves(self.state)]
        if self.turn is None and not self.over:
            wanted = [SHAKE if self.game.phase(self.state).value == "shake" else LOT]
        expect("number of legal moves", len(wanted), len(reply.moves))
        expect("legal moves as the engine lists them", True, wanted == list(reply.moves))

    def shows(self, seat: int | None, view: view_pb2.View) -> None:
        """Judge a view: exactly what that seat may see, and not a tile more."""
        expect("match_id of a view", self.match_id, view.match_id)
        expect("sequence of a view", self.sequence, view.sequence)
        expect("seat of a view", seat, view.seat if view.HasField("seat") else None)
        expect("root of a view", self.root or b"", view.root)
        check_view(self.kind, self.state, seat, view, self.marks)

    def replays(self, chunks: Sequence[bytes]) -> None:
        """Judge a fetched replay: the records that came with the replies, byte for byte, and its attachments."""
        fetched = b"".join(chunks)
        expect("replay equal to the records of the replies", True, fetched.startswith(self.log))
        expect("attachments of the replay", self.over, bool(attachment_kinds(fetched[len(self.log) :])))

    def _applied(self, written: bytes) -> Any:  # noqa: ANN401 - a state of either game
        try:
            return self.game.apply(self.state, self.game.decode_move(written))
        except DominohallError as error:
            raise Mismatch(f"a recorded move that the engine refuses: {error}") from error
