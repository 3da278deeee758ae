"""What goes wrong in real life, on purpose: moves against the rules, edited tokens, two moves on one token at once.

Each must be refused in exactly the way that the rules and the wire say; then the match goes on as if nothing had been.
"""

import random
from collections.abc import Sequence
from typing import Any

import gevent
from dominohall.v1 import match_pb2, match_service_pb2, refusal_pb2
from dominohall_engine.violations import Violation

from dominohall_loadtest.calls import Calls
from dominohall_loadtest.entries import Mismatch, expect
from dominohall_loadtest.mirror import Mirror
from dominohall_loadtest.wire import move_to_proto


class Troubles:
    """The trouble that one hosted match can get into."""

    def __init__(self, calls: Calls, mirror: Mirror, dice: random.Random) -> None:
        self.calls = calls
        self.mirror = mirror
        self.dice = dice

    def race(self, move: Any) -> bool:  # noqa: ANN401 - a move of either game
        """Send two different moves on one token at once: one wins, the other is told so.

        False if there is no second move to send, or the service was too busy for both: the move is still to be made.
        """
        mirror, method = self.mirror, self.calls.matches.ApplyMove
        others = [each for each in mirror.game.legal_moves(mirror.state) if each != move]
        if not others:
            return False
        racers = [move, self.dice.choice(others)]
        runs = [
            gevent.spawn(
                self.calls.make_either,
                "ApplyMove, raced",
                method,
                match_service_pb2.ApplyMoveRequest(match=mirror.match, move=move_to_proto(racer)),
                {"FORKED"},
            )
            for racer in racers
        ]
        replies = [run.get() for run in runs]
        winners = [(racer, reply) for racer, reply in zip(racers, replies, strict=True) if reply is not None]
        if len(winners) > 1:
            raise self.calls.fail("ApplyMove, raced", Mismatch("two different moves were both accepted on one token"))
        for racer, reply in winners:
            try:
                mirror.moved(racer, reply.record)
                mirror.stands(reply.match, full=True)
            except Mismatch as mismatch:
                raise self.calls.fail("ApplyMove, raced", mismatch) from mismatch
        return bool(winners)

    def try_illegal(self) -> None:
        """Try a move that the rules forbid: the refusal must name the engine's reason and its clauses."""
        mirror = self.mirror
        domain = mirror.game.seat_moves(mirror.kind.options)
        move, violation = next(
            (move, violation)
            for move in [*self._near_misses(domain), *self.dice.sample(domain, len(domain))]
            if (violation := mirror.game.violation(mirror.state, move)) is not None
        )
        status = self.calls.make_refused(
            "ApplyMove",
            self.calls.matches.ApplyMove,
            match_service_pb2.ApplyMoveRequest(match=mirror.match, move=move_to_proto(move)),
            {violation.reason.value},
        )
        if status is None:
            return
        try:
            self._check_refusal(move.seat, violation, status.details)
        except Mismatch as mismatch:
            raise self.calls.fail("ApplyMove", mismatch) from mismatch

    def _near_misses(self, domain: Sequence[Any]) -> list[Any]:
        """Return some moves that a player might try in good faith: the right seat, the right kind, its own tile."""
        mirror, seat = self.mirror, self.mirror.turn
        if seat is None or self.dice.random() < 0.3:
            return []
        kinds = {type(move) for move in mirror.game.legal_moves(mirror.state)}
        held = mirror.game.view(mirror.state, seat).hand or ()
        near = [
            move
            for move in domain
            if move.seat == seat and type(move) in kinds and getattr(move, "tile", None) in {None, *held}
        ]
        return self.dice.sample(near, len(near))

    def _check_refusal(self, seat: int, violation: Violation, details: Any) -> None:  # noqa: ANN401 - of a Status
        mirror, refusal = self.mirror, refusal_pb2.Refusal()
        expect("a Refusal among the details", True, any(detail.Unpack(refusal) for detail in details))
        expect("reason", violation.reason.value, refusal.reason)
        expect("clauses", list(violation.clauses), [clause.id for clause in refusal.clauses])
        wanted = mirror.game.legal_moves(mirror.state) if seat == mirror.turn else ()
        expect("legal moves of a refusal", [move_to_proto(each) for each in wanted], list(refusal.legal_moves))

    def try_edited_token(self) -> None:
        """Send a token with one bit changed: the seal must notice."""
        token = bytearray(self.mirror.token)
        token[self.dice.randrange(len(token) // 2, len(token))] ^= 1 << self.dice.randrange(8)
        self.calls.make_refused(
            "ListLegalMoves",
            self.calls.matches.ListLegalMoves,
            match_service_pb2.ListLegalMovesRequest(match=match_pb2.Match(token=bytes(token))),
            {"SEAL_BROKEN"},
        )
