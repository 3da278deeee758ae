"""`MatchService`: each method opens a token, asks the engine, records, and seals again.

A method either returns its reply or raises `CallFault` or `RuleRefusal`; `interceptors` makes the status of it.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any, Final, TypeVar

import grpc
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1.match_pb2 import Match, ReplyForm
from dominohall.v1.match_service_pb2_grpc import MatchServiceServicer
from dominohall.v1.record_pb2 import Record
from dominohall_engine import forty_two
from dominohall_engine.clauses import rules_digest
from dominohall_engine.errors import IllegalMove
from dominohall_engine.game import Phase
from dominohall_engine.games import GAMES
from dominohall_engine.moves import Abandon
from dominohall_replays.deals import Opening, openings, shake_salt
from dominohall_replays.records import Entry, Head
from dominohall_replays.store import AlreadyRecorded, Store

from dominohall_service import metrics
from dominohall_service.beginning import Beginning, begin, beginning, labels_from, match_id_from, rebuild
from dominohall_service.callers import caller_language, caller_owner
from dominohall_service.codec.matches import PHASES, state_from_proto, view_to_proto, write_state
from dominohall_service.codec.moves import CHANCE_DUE, move_from_proto, move_to_proto
from dominohall_service.codec.options import options_from_proto, options_to_proto
from dominohall_service.codec.places import places_of
from dominohall_service.codec.refusals import refusal_to_proto
from dominohall_service.codec.scalars import optional_from_proto, time_from_proto
from dominohall_service.faults import CallFault, Fault, invalid
from dominohall_service.interceptors import NOTES
from dominohall_service.keys import KeyHolder, Keys
from dominohall_service.recording import ReplayFolder, append, record_steps, stored_log
from dominohall_service.seal import IMPORTED, SCRIPTED, Sealed
from dominohall_service.settings import Settings, StoreKind
from dominohall_service.standing import (
    Standing,
    Step,
    after_step,
    check_move,
    entry_of,
    open_match,
    take_step,
)
from dominohall_service.status import RuleRefusal

FULL: Final = ReplyForm.REPLY_FORM_FULL
TOKEN_ONLY: Final = ReplyForm.REPLY_FORM_TOKEN_ONLY
ResponseT = TypeVar("ResponseT", wire.StartMatchResponse, wire.ImportMatchResponse, wire.ApplyMoveResponse)
Context = grpc.ServicerContext


class MatchServicer(MatchServiceServicer):
    """The methods of `MatchService` over one store and one keyring."""

    def __init__(
        self, settings: Settings, keys: KeyHolder, store: Store, step: Callable[..., Step] = take_step
    ) -> None:
        self._settings = settings
        self._keys = keys
        self._store = store
        self._take_step = step
        self._folder = None if settings.replay_dir is None else ReplayFolder(settings.replay_dir)

    def ListGames(self, request: wire.ListGamesRequest, context: Context) -> wire.ListGamesResponse:  # noqa: ARG002, N802
        """List the games with their presets and every option."""
        return self._games

    def StartMatch(self, request: wire.StartMatchRequest, context: Context) -> wire.StartMatchResponse:  # noqa: N802
        """Start a match, or find it started by the same call."""
        full = wants_full(request)
        match_id = noted(match_id_from(request.match_id))
        if not request.HasField("options"):
            raise invalid("options", "expected a preset, got none")
        rules = options_from_proto(request.options, "options")
        marks = self._scripted(request.scripted_deals)
        first = optional_from_proto(request, "first_seat")
        asked = beginning(match_id, rules, first, request.seat_labels, marks)
        keys = self._keys.current
        check_active(context)
        standing, entry = begin(self._store, keys, caller_owner(context), asked)
        return answered(wire.StartMatchResponse(), keys, standing, entry, full=full)

    def ImportMatch(self, request: wire.ImportMatchRequest, context: Context) -> wire.ImportMatchResponse:  # noqa: N802
        """Start a match from a state that came from outside, if nothing is wrong with it."""
        full = wants_full(request)
        match_id = noted(match_id_from(request.match_id))
        if not self._settings.allow_imports:
            raise CallFault(Fault.IMPORTS_OFF, "expected no import: the service's settings allow none (allow_imports)")
        marks = self._scripted(request.scripted_deals) | IMPORTED
        if not request.HasField("state"):
            raise invalid("state", "expected a state, got none")
        game, state = state_from_proto(request.state, marks)
        asked = Beginning(match_id, game, state, None, labels_from(request.seat_labels, game, state), marks)
        keys = self._keys.current
        check_active(context)
        standing, entry = begin(self._store, keys, caller_owner(context), asked)
        return answered(wire.ImportMatchResponse(), keys, standing, entry, full=full)

    def ResumeMatch(self, request: wire.ResumeMatchRequest, context: Context) -> wire.ResumeMatchResponse:  # noqa: N802
        """Return the head of a match from the store, freshly sealed."""
        full = wants_full(request)
        match_id = noted(match_id_from(request.match_id))
        if self._settings.store is StoreKind.NONE:
            raise CallFault(Fault.NO_STORE, "expected a store: this service runs without one (store none)")
        log = stored_log(self._store, caller_owner(context), match_id)
        standing, _, (start, end) = rebuild(log)
        sealed = standing.sealed
        response = wire.ResumeMatchResponse(
            record=Record(sequence=sealed.sequence, link=sealed.link, entry=log[start:end])
        )
        write_match(response.match, self._keys.current, standing, full=full)
        return response

    def ListLegalMoves(  # noqa: N802
        self, request: wire.ListLegalMovesRequest, context: Context
    ) -> wire.ListLegalMovesResponse:
        """List what the seat whose turn it is may do, or the chance move that is due."""
        standing = opened(self._keys.current, context, request)
        game, state = standing.game, standing.state
        phase = game.phase(state)
        moves = [move_to_proto(move) for move in game.legal_moves(state)]
        moves += [CHANCE_DUE[phase]] if phase in CHANCE_DUE else []
        return wire.ListLegalMovesResponse(phase=PHASES.to_proto[phase], turn=game.turn(state), moves=moves)

    def ApplyMove(self, request: wire.ApplyMoveRequest, context: Context) -> wire.ApplyMoveResponse:  # noqa: N802
        """Apply one move and record it; this is the call that has to be fast."""
        full = wants_full(request)
        keys = self._keys.current
        standing = opened(keys, context, request)
        sealed, game = standing.sealed, standing.game
        occurred_at = time_from_proto(request.occurred_at, "occurred_at") if request.HasField("occurred_at") else None
        move = move_from_proto(sealed.game, request.move)
        if sealed.sequence >= self._settings.max_match_moves:
            self._check_length(move)
        try:
            if request.validate_only:
                check_move(standing, move)
                return wire.ApplyMoveResponse()
            step = self._take_step(keys, standing, move, occurred_at)
        except IllegalMove as error:
            raise refused(error, move, standing, context) from None
        entry = entry_of(game, Head(sealed.match_id, sealed.sequence, sealed.link), step)
        check_active(context)
        try:
            append(self._store, sealed.owner, sealed.match_id, (entry,))
        except AlreadyRecorded:
            entry = record_steps(self._store, sealed, game, (step,))[0]
        after = Standing(after_step(sealed, step, entry), game, step.after)
        self._moved(after, 1)
        return answered(wire.ApplyMoveResponse(), keys, after, entry, full=full)

    def ApplyMoves(self, request: wire.ApplyMovesRequest, context: Context) -> wire.ApplyMovesResponse:  # noqa: N802
        """Apply several moves of one match, all or none."""
        full = wants_full(request)
        count, most = len(request.moves), self._settings.max_batch_moves
        if not count:
            raise invalid("moves", "expected at least one move, got none")
        if count > most:
            description = f"expected at most {most} moves, got {count}"
            raise CallFault(Fault.BATCH_TOO_LONG, f"moves: {description}", [("moves", description)])
        keys = self._keys.current
        start = opened(keys, context, request)
        standing, steps = start, []
        for index, timed in enumerate(request.moves):
            step = self._batch_step(keys, standing, timed, index, context)
            steps.append(step)
            standing = moved_on(standing, step)
        check_active(context)
        entries = record_steps(self._store, start.sealed, start.game, steps)
        after = Standing(after_step(start.sealed, steps[-1], entries[-1]), start.game, steps[-1].after)
        self._moved(after, count)
        response = wire.ApplyMovesResponse()
        write_match(response.match, keys, after, full=full)
        for entry in entries:
            write_record(response.records.add(), entry)
        return response

    def ViewMatch(self, request: wire.ViewMatchRequest, context: Context) -> wire.ViewMatchResponse:  # noqa: N802
        """Return what one seat or a spectator may see."""
        viewer = request.WhichOneof("viewer")
        if viewer is None:
            raise invalid("viewer", "expected a seat or the spectator, got none")
        keys = self._keys.current
        standing = opened(keys, context, request)
        sealed, game, state = standing.sealed, standing.game, standing.state
        seat = request.seat if viewer == "seat" else None
        seats = sum([len(side) for side in game.sides(game.options_of(state))])
        if seat is not None and seat >= seats:
            raise invalid("seat", f"expected a seat from 0 to {seats - 1}, got {seat}")
        own: tuple[Opening, ...] = ()
        order = game.order(state)
        if seat is not None and order is not None:
            secret = keys.secret(sealed.deal_key_id, sealed.owner, sealed.match_id, for_dealing=False)
            own = openings(order, shake_salt(secret, game.shakes(state) - 1), places_of(game, state, seat))
        view = view_to_proto(game, state, seat, sealed.marks, sealed.root, own)
        view.match_id, view.sequence = sealed.match_id, sealed.sequence
        return wire.ViewMatchResponse(view=view)

    @cached_property
    def _games(self) -> wire.ListGamesResponse:
        games = []
        for name, game in GAMES.items():
            presets = [
                wire.Preset(name=f"{name}.{preset}", options=options_to_proto(game, options))
                for preset, options in game.PRESETS.items()
            ]
            games.append(wire.Game(name=name, presets=presets, rules_digest=rules_digest(name)))
        return wire.ListGamesResponse(games=games)

    def _scripted(self, asked: bool) -> int:
        if asked and not self._settings.allow_scripted_deals:
            message = "expected no scripted deals: the service's settings allow none (allow_scripted_deals)"
            raise CallFault(Fault.SCRIPTED_DEALS_OFF, message)
        return SCRIPTED if asked else 0

    def _check_length(self, move: object) -> None:
        if not isinstance(move, Abandon):
            most = self._settings.max_match_moves
            message = f"expected at most {most} moves in a match: this one can only be abandoned (max_match_moves)"
            raise CallFault(Fault.MATCH_TOO_LONG, message)

    def _batch_step(self, keys: Keys, standing: Standing, timed: Any, index: int, context: Context) -> Step:  # noqa: ANN401
        """Take one step of a batch; what goes wrong names its place in the batch."""
        field = f"moves[{index}]"
        occurred_at = None
        if timed.HasField("occurred_at"):
            occurred_at = time_from_proto(timed.occurred_at, f"{field}.occurred_at")
        move = move_from_proto(standing.sealed.game, timed.move, f"{field}.move")
        if standing.sealed.sequence >= self._settings.max_match_moves:
            self._check_length(move)
        try:
            return self._take_step(keys, standing, move, occurred_at)
        except IllegalMove as error:
            raise refused(error, move, standing, context, index) from None
        except CallFault as error:
            raise CallFault(error.fault, f"{field}: {error.message}", error.fields, error.details) from None

    def _moved(self, after: Standing, count: int) -> None:
        sealed = after.sealed
        metrics.MOVES.note((sealed.game, count))
        NOTES.sequence = sealed.sequence
        if self._folder is not None and after.game.phase(after.state) is Phase.OVER:
            self._folder.write(self._store, self._keys.current, sealed.owner, sealed.match_id)


def wants_full(request: Any) -> bool:  # noqa: ANN401 - any request with a reply form
    """Read the reply form: absent means full, and `UNSPECIFIED` is refused like any value that says nothing."""
    form = request.reply_form
    if form == TOKEN_ONLY:
        return False
    if form == FULL or not request.HasField("reply_form"):
        return True
    what = "UNSPECIFIED" if form == 0 else f"the unknown value {form}"
    raise invalid("reply_form", f"expected FULL, TOKEN_ONLY or no field, got {what}")


def noted(match_id: str) -> str:
    """Tell the log line which match this call is about."""
    NOTES.match_id = match_id
    return match_id


def opened(keys: Keys, context: Context, request: Any) -> Standing:  # noqa: ANN401 - any request with a match
    """Open the match of a request."""
    standing = open_match(keys, caller_owner(context), request.match)
    NOTES.match_id, NOTES.sequence = standing.sealed.match_id, standing.sealed.sequence
    return standing


def check_active(context: Context) -> None:
    """Do no further work for a caller that has gone or whose deadline is over: nothing was recorded yet."""
    if not context.is_active():
        raise CallFault(Fault.CANCELLED, "expected a caller that still waits; nothing was recorded")


def moved_on(standing: Standing, step: Step) -> Standing:
    """Return where a batch stands after a step that is not recorded yet; its link is made with its entry."""
    before = standing.sealed
    sealed = Sealed(
        before.owner,
        before.match_id,
        before.game,
        before.marks,
        before.deal_key_id,
        before.sequence + 1,
        before.link,
        step.root,
        before.state,
    )
    return Standing(sealed, standing.game, step.after)


def answered(response: ResponseT, keys: Keys, standing: Standing, entry: Entry, *, full: bool) -> ResponseT:
    """Write where a match stands and the record that led there into an empty reply, and return it."""
    write_match(response.match, keys, standing, full=full)
    write_record(response.record, entry)
    return response


def write_match(proto: Match, keys: Keys, standing: Standing, *, full: bool) -> None:
    """Write a match into an empty message: its token, and its readable state if that was asked for.

    Replies are written in place: a message that is made first and put into another is copied into it.
    """
    sealed = standing.sealed
    token = keys.sealer.seal(sealed)
    keys.sealer.recent.add(token, standing)
    proto.token = token
    proto.match_id = sealed.match_id
    proto.sequence = sealed.sequence
    proto.link = sealed.link
    if full:
        write_state(proto.state, standing.game, standing.state, sealed.marks)


def write_record(proto: Record, entry: Entry) -> None:
    """Write a record as it stands in the log into an empty message."""
    proto.sequence = entry.sequence
    proto.link = entry.link
    proto.entry = entry.data


def refused(
    error: IllegalMove, move: object, standing: Standing, context: Context, index: int | None = None
) -> RuleRefusal:
    """Return the refusal of a move, with the legal moves if it is that seat's turn."""
    game, state = standing.game, standing.state
    seat = getattr(move, "seat", None)
    its_turn = seat is not None and seat == game.turn(state) and not isinstance(move, forty_two.Lot)
    legal = game.legal_moves(state) if its_turn else ()
    revision = game.options_of(state).revision
    return RuleRefusal(refusal_to_proto(error.violation, revision, caller_language(context), legal, index))
