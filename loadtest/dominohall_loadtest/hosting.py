"""How a host plays one match: the calls that real hosts make, in a mix like theirs, every reply judged by a `Mirror`.

The seats are played by the built-in player, which is given nothing but the view of the seat whose turn it is.
"""

import random
import time
from typing import Any, Final

import gevent
from dominohall.v1 import match_pb2, match_service_pb2, move_pb2
from dominohall_engine.game import Phase
from dominohall_engine.moves import Abandon
from google.protobuf.empty_pb2 import Empty
from google.protobuf.timestamp_pb2 import Timestamp

from dominohall_loadtest.beginnings import bring, chosen, list_games, start
from dominohall_loadtest.calls import Calls
from dominohall_loadtest.entries import Mismatch, expect
from dominohall_loadtest.mirror import Mirror
from dominohall_loadtest.mix import Chances
from dominohall_loadtest.replaying import Listing, Replays, finished
from dominohall_loadtest.troubles import Troubles
from dominohall_loadtest.wire import LOT, SHAKE, move_to_proto

LONGEST_BATCH: Final = 8
ABANDON_REASON: Final = "player_absent"


class HostedMatch:
    """One match, hosted from its start to its verified replay."""

    def __init__(  # noqa: PLR0913 - what a user brings to a match
        self,
        calls: Calls,
        mirror: Mirror,
        dice: random.Random,
        chances: Chances,
        listing: Listing,
        *,
        pause_seconds: float = 0,
    ) -> None:
        self.calls = calls
        self.mirror = mirror
        self.dice = dice
        self.chances = chances
        self.pause_seconds = pause_seconds
        self.troubles = Troubles(calls, mirror, dice)
        self.replays = Replays(calls, mirror, chances, dice, listing)
        self.abandon_at = dice.randrange(5, 100) if self._due("abandoned_match") else None

    def play(self) -> bool:
        """Play the match; `Broken` at the first call that goes wrong. False if the service takes no imports."""
        if self._due("list_games"):
            list_games(self.calls)
        if not self.mirror.marks:
            start(self.calls, self.mirror, again=self._due("start_again"))
        elif not bring(self.calls, self.mirror):
            return False
        while not self.mirror.over:
            if self.abandon_at is not None and self.mirror.sequence >= self.abandon_at:
                self._apply(Abandon(ABANDON_REASON), move_pb2.Move(abandon=move_pb2.Abandon(reason=ABANDON_REASON)))
            elif self.mirror.turn is None:
                self._take_chance()
            else:
                self._take_turn(self.mirror.turn)
            self.replays.pass_by()
            if self.pause_seconds:
                gevent.sleep(self.dice.uniform(0.5, 1.5) * self.pause_seconds)
        self._finish()
        return True

    def _due(self, name: str) -> bool:
        return self.chances.due(name, self.dice)

    def _finish(self) -> None:
        try:
            outcome = finished(self.mirror)
        except Mismatch as mismatch:
            raise self.calls.fail("end of a match", mismatch) from mismatch
        if self._due("illegal_after_end"):
            self.troubles.try_illegal()
        self.replays.conclude(outcome)

    # --- one shake or lot ---------------------------------------------------------------------------------------------

    def _take_chance(self) -> None:
        if self._due("other_view"):
            self._view(self.dice.choice([None, *self.mirror.kind.seats]))
        if self._due("batch"):
            lots = [LOT, SHAKE] if self.mirror.game.phase(self.mirror.state) is Phase.LOT else [SHAKE]
            self._apply_batch([None] * len(lots), lots)
        else:
            self._apply(None, SHAKE if self.mirror.game.phase(self.mirror.state) is Phase.SHAKE else LOT)
        if self._due("sign_head"):
            self.replays.sign()

    # --- one turn of a seat -------------------------------------------------------------------------------------------

    def _take_turn(self, seat: int) -> None:
        if self._due("own_view"):
            self._view(seat)
        if self._due("other_view"):
            self._view(self.dice.choice([None, *self.mirror.kind.seats]))
        if self._due("legal_moves"):
            request = match_service_pb2.ListLegalMovesRequest(match=self.mirror.match)
            self.calls.make("ListLegalMoves", self.calls.matches.ListLegalMoves, request, self.mirror.lists)
        if self._due("illegal_move"):
            self.troubles.try_illegal()
        if self._due("edited_token"):
            self.troubles.try_edited_token()
        if self._due("resume"):
            self._resume()
        if self._due("fetch_replay"):
            self.replays.look_back()
        move = chosen(self.mirror.game, self.mirror.state, seat)
        if self._due("race") and self.troubles.race(move):
            self._resume()  # as both hosts do that met here
        elif self._due("batch"):
            self._play_on(move)
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
        full = self._due("full_reply")
        request = match_service_pb2.ApplyMoveRequest(match=mirror.match, move=written)
        if self._due("validate_only"):
            self._validate(request)
        if not full:
            request.reply_form = match_pb2.REPLY_FORM_TOKEN_ONLY
        if self.dice.random() < 0.5:
            request.occurred_at.CopyFrom(_now())

        def applied(reply: match_service_pb2.ApplyMoveResponse) -> None:
            mirror.moved(move, reply.record)
            mirror.stands(reply.match, full=full)

        first = self.calls.make("ApplyMove" if full else "ApplyMove, token only", method, request, applied)
        if self._due("retry"):
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

    def _play_on(self, move: Any) -> None:  # noqa: ANN401 - a move of either game
        """Play several turns in one call, now and then with the shake that comes after them."""
        game = self.mirror.game
        moves: list[Any] = [move]
        state = game.apply(self.mirror.state, move)
        while len(moves) < LONGEST_BATCH and (seat := game.turn(state)) is not None:
            moves.append(chosen(game, state, seat))
            state = game.apply(state, moves[-1])
        written = [move_to_proto(each) for each in moves]
        if game.phase(state) is Phase.SHAKE and self._due("batch_to_shake"):
            moves.append(None)
            written.append(SHAKE)
        self._apply_batch(moves, written)

    def _apply_batch(self, moves: list[Any], written: list[move_pb2.Move]) -> None:
        """Send moves in one call; None among them stands for the chance that the service takes."""
        mirror = self.mirror
        name = "ApplyMoves, with a shake" if None in moves else "ApplyMoves"
        request = match_service_pb2.ApplyMovesRequest(
            match=mirror.match, moves=[move_pb2.TimedMove(move=each) for each in written]
        )

        def applied(reply: match_service_pb2.ApplyMovesResponse) -> None:
            expect("records of a batch", len(moves), len(reply.records))
            for each, record in zip(moves, reply.records, strict=True):
                mirror.moved(each, record)
            mirror.stands(reply.match, full=True)

        first = self.calls.make(name, self.calls.matches.ApplyMoves, request, applied)
        if self._due("retry"):
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
