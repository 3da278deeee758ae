"""How a host plays one match: the calls that real hosts make, in a mix like theirs, every reply judged by a `Mirror`.

The seats are played by the built-in player, which is given nothing but the view of the seat whose turn it is.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import gevent
from dominohall.v1 import (
    match_pb2,
    match_service_pb2,
    move_pb2,
    replay_pb2,
    replay_service_pb2,
)
from dominohall_engine.moves import Abandon
from dominohall_engine.players import fives as fives_player
from dominohall_engine.players import forty_two as forty_two_player
from google.protobuf.empty_pb2 import Empty
from google.protobuf.timestamp_pb2 import Timestamp

from dominohall_loadtest.calls import Calls, collected
from dominohall_loadtest.entries import Mismatch, expect
from dominohall_loadtest.mirror import Mirror
from dominohall_loadtest.readable import check_state
from dominohall_loadtest.troubles import Troubles
from dominohall_loadtest.wire import LOT, SHAKE, move_to_proto

CHOOSE: Final[dict[str, Callable[[Any], Any]]] = {
    "forty_two": forty_two_player.choose,
    "fives": fives_player.choose,
}
LONGEST_BATCH: Final = 8
ABANDON_REASON: Final = "player_absent"


@dataclass(frozen=True)
class Mix:
    """How often a host does what, as shares of the turns of seats, or of matches."""

    full_reply: float = 0.5
    """Replies with the readable state; the others carry the token alone."""
    own_view: float = 0.7
    other_view: float = 0.2
    """A view of another seat or of a spectator."""
    legal_moves: float = 0.3
    illegal_move: float = 0.04
    validate_only: float = 0.02
    batch: float = 0.05
    retry: float = 0.03
    race: float = 0.02
    resume: float = 0.02
    fetch_replay: float = 0.005
    edited_token: float = 0.005
    abandoned_match: float = 0.05
    start_again: float = 0.2
    """Matches that are started twice, and then a third time with other options."""


class HostedMatch:
    """One match, hosted from its start to its verified replay."""

    def __init__(self, calls: Calls, mirror: Mirror, dice: random.Random, mix: Mix, pause_seconds: float = 0) -> None:
        self.calls = calls
        self.mirror = mirror
        self.dice = dice
        self.mix = mix
        self.pause_seconds = pause_seconds
        self.troubles = Troubles(calls, mirror, dice)
        self.abandon_at = dice.randrange(5, 100) if dice.random() < mix.abandoned_match else None
        self.landmark = (0, mirror.link, mirror.state)
        """A place passed on the way, to step the replay to at the end."""

    def play(self) -> None:
        """Play the match; `Broken` at the first call that goes wrong."""
        self._start()
        while not self.mirror.over:
            if self.abandon_at is not None and self.mirror.sequence >= self.abandon_at:
                self._apply(Abandon(ABANDON_REASON), move_pb2.Move(abandon=move_pb2.Abandon(reason=ABANDON_REASON)))
            elif self.mirror.turn is None:
                if self._happens(self.mix.other_view):
                    self._view(self.dice.choice([None, *self.mirror.kind.seats]))
                self._apply(None, self._chance())
            else:
                self._take_turn(self.mirror.turn)
            if self.dice.random() < 0.02:
                self.landmark = (self.mirror.sequence, self.mirror.link, self.mirror.state)
            if self.pause_seconds:
                gevent.sleep(self.pause_seconds)
        self._finish()

    def _happens(self, share: float) -> bool:
        return self.dice.random() < share

    def _chance(self) -> move_pb2.Move:
        return SHAKE if self.mirror.game.phase(self.mirror.state).value == "shake" else LOT

    def _chosen(self, state: Any, seat: int) -> Any:  # noqa: ANN401 - a state and a move of either game
        game = self.mirror.game
        return CHOOSE[game.NAME](game.view(state, seat))

    # --- the beginning and the end ------------------------------------------------------------------------------------

    def _start(self) -> None:
        mirror = self.mirror
        method = self.calls.matches.StartMatch
        request = match_service_pb2.StartMatchRequest(match_id=mirror.match_id, options=mirror.kind.to_proto())
        first = self.calls.make("StartMatch", method, request, mirror.began)
        if self._happens(self.mix.start_again):
            self.calls.make(
                "StartMatch, again", method, request, lambda reply: mirror.stands_again(reply.match, first.match)
            )
            getattr(request.options, mirror.game.NAME).target = 100
            self.calls.make_refused("StartMatch, other options", method, request, {"MATCH_EXISTS"})

    def _finish(self) -> None:
        mirror, replays = self.mirror, self.calls.replays
        outcome = mirror.game.outcome(mirror.state)
        if outcome is None:
            raise self.calls.fail("end of a match", Mismatch("expected an outcome"))
        if self._happens(0.2):
            self.troubles.try_illegal()
        self._fetch_replay()

        result = replay_pb2.Result(ending=outcome.ending.value, winner_side=outcome.winner, points=outcome.scores)

        def verified(reply: replay_service_pb2.VerifyReplayResponse) -> None:
            expect("verdict", replay_pb2.VERDICT_VALID, reply.report.verdict)
            expect("moves re-simulated", mirror.sequence, reply.report.move_count)
            expect("link of the report", mirror.link, reply.report.link)
            expect("outcome of the report", True, reply.report.computed == reply.report.recorded == result)

        self.calls.make(
            "VerifyReplay",
            replays.VerifyReplay,
            replay_service_pb2.VerifyReplayRequest(match_id=mirror.match_id),
            verified,
        )
        sequence, link, state = self.landmark

        def stepped(reply: replay_service_pb2.StepReplayResponse) -> None:
            expect("sequence of a step", sequence, reply.sequence)
            if sequence:
                expect("link of a step", link, reply.link)
            check_state(mirror.kind, state, reply.state)

        self.calls.make(
            "StepReplay",
            replays.StepReplay,
            replay_service_pb2.StepReplayRequest(match_id=mirror.match_id, sequence=sequence),
            stepped,
        )

    def _fetch_replay(self) -> None:
        self.calls.make(
            "GetReplay",
            collected(self.calls.replays.GetReplay),
            replay_service_pb2.GetReplayRequest(match_id=self.mirror.match_id),
            lambda chunks: self.mirror.replays([chunk.entries for chunk in chunks]),
        )

    # --- one turn of a seat -------------------------------------------------------------------------------------------

    def _take_turn(self, seat: int) -> None:
        mix = self.mix
        if self._happens(mix.own_view):
            self._view(seat)
        if self._happens(mix.other_view):
            self._view(self.dice.choice([None, *self.mirror.kind.seats]))
        if self._happens(mix.legal_moves):
            request = match_service_pb2.ListLegalMovesRequest(match=self.mirror.match)
            self.calls.make("ListLegalMoves", self.calls.matches.ListLegalMoves, request, self.mirror.lists)
        if self._happens(mix.illegal_move):
            self.troubles.try_illegal()
        if self._happens(mix.edited_token):
            self.troubles.try_edited_token()
        if self._happens(mix.resume):
            self._resume()
        if self._happens(mix.fetch_replay):
            self._fetch_replay()
        move = self._chosen(self.mirror.state, seat)
        if self._happens(mix.race) and self.troubles.race(move):
            self._resume()  # as both hosts do that met here
        elif self._happens(mix.batch):
            self._apply_batch(move)
        else:
            self._apply(move, move_to_proto(move))

    def _view(self, seat: int | None) -> None:
        request = match_service_pb2.ViewMatchRequest(match=self.mirror.match)
        if seat is None:
            request.spectator.CopyFrom(Empty())
        else:
            request.seat = seat
        self.calls.make(
            "ViewMatch", self.calls.matches.ViewMatch, request, lambda reply: self.mirror.shows(seat, reply.view)
        )

    def _apply(self, move: Any, written: move_pb2.Move) -> None:  # noqa: ANN401 - a move of either game
        mirror, method = self.mirror, self.calls.matches.ApplyMove
        full = self._happens(self.mix.full_reply)
        request = match_service_pb2.ApplyMoveRequest(match=mirror.match, move=written)
        if self._happens(self.mix.validate_only):
            self._validate(request)
        if not full:
            request.reply_form = match_pb2.REPLY_FORM_TOKEN_ONLY
        if self._happens(0.5):
            request.occurred_at.CopyFrom(_now())

        def applied(reply: match_service_pb2.ApplyMoveResponse) -> None:
            mirror.moved(move, reply.record)
            mirror.stands(reply.match, full=full)

        first = self.calls.make("ApplyMove" if full else "ApplyMove, token only", method, request, applied)
        if self._happens(self.mix.retry):
            request.occurred_at.CopyFrom(_now())  # the host's clock has gone on; the record that stands is the answer

            def same(reply: match_service_pb2.ApplyMoveResponse) -> None:
                mirror.stands_again(reply.match, first.match)
                expect("record of a retry, equal to the first", True, reply.record == first.record)

            self.calls.make("ApplyMove, again", method, request, same)

    def _validate(self, request: match_service_pb2.ApplyMoveRequest) -> None:
        asked = match_service_pb2.ApplyMoveRequest(match=request.match, move=request.move, validate_only=True)

        def judged(reply: match_service_pb2.ApplyMoveResponse) -> None:
            expect("a reply to validate_only without match and record", match_service_pb2.ApplyMoveResponse(), reply)

        self.calls.make("ApplyMove, validate only", self.calls.matches.ApplyMove, asked, judged)

    def _apply_batch(self, move: Any) -> None:  # noqa: ANN401 - a move of either game
        mirror, game = self.mirror, self.mirror.game
        moves: list[Any] = [move]
        state = game.apply(mirror.state, move)
        while len(moves) < LONGEST_BATCH and (seat := game.turn(state)) is not None:
            moves.append(self._chosen(state, seat))
            state = game.apply(state, moves[-1])
        request = match_service_pb2.ApplyMovesRequest(
            match=mirror.match, moves=[move_pb2.TimedMove(move=move_to_proto(each)) for each in moves]
        )

        def applied(reply: match_service_pb2.ApplyMovesResponse) -> None:
            expect("records of a batch", len(moves), len(reply.records))
            for each, record in zip(moves, reply.records, strict=True):
                mirror.moved(each, record)
            mirror.stands(reply.match, full=True)

        first = self.calls.make("ApplyMoves", self.calls.matches.ApplyMoves, request, applied)
        if self._happens(self.mix.retry):
            self.calls.make(
                "ApplyMoves, again",
                self.calls.matches.ApplyMoves,
                request,
                lambda reply: mirror.stands_again(reply.match, first.match),
            )

    def _resume(self) -> None:
        self.calls.make(
            "ResumeMatch",
            self.calls.matches.ResumeMatch,
            match_service_pb2.ResumeMatchRequest(match_id=self.mirror.match_id),
            lambda reply: self.mirror.stands(reply.match, full=True),
        )


def _now() -> Timestamp:
    """Return the host's time, in the whole milliseconds that a record keeps."""
    stamp = Timestamp()
    stamp.FromMilliseconds(int(time.time() * 1000))
    return stamp
