"""How hosted matches begin: started, started again, or brought here in the middle of a round; what there is to play.

A match that is brought here was begun by this program's own engine, as by a host that kept its matches elsewhere.
"""

import random
from collections.abc import Callable
from typing import Any, Final

from dominohall.v1 import match_service_pb2
from dominohall_engine.clauses import rules_digest
from dominohall_engine.game import Phase
from dominohall_engine.games import GAMES, AnyGame
from dominohall_engine.moves import LOT_CODE, Shake
from dominohall_engine.players import fives as fives_player
from dominohall_engine.players import forty_two as forty_two_player
from dominohall_engine.shuffle import shuffled

from dominohall_loadtest.calls import Calls
from dominohall_loadtest.entries import expect
from dominohall_loadtest.kinds import Kind
from dominohall_loadtest.mirror import Mirror
from dominohall_loadtest.readable import options_to_proto, state_to_proto

CHOOSE: Final[dict[str, Callable[[Any], Any]]] = {
    "forty_two": forty_two_player.choose,
    "fives": fives_player.choose,
}
LONGEST_ELSEWHERE: Final = 60
"""Moves that an imported match has behind it at most."""


def chosen(game: AnyGame, state: Any, seat: int) -> Any:  # noqa: ANN401 - a state and a move of either game
    """Return the built-in player's move, who is given nothing but the view of that seat."""
    return CHOOSE[game.NAME](game.view(state, seat))


def list_games(calls: Calls) -> None:
    """Ask what can be played: the engine's games, presets, options and rules."""

    def listed(reply: match_service_pb2.ListGamesResponse) -> None:
        expect("games", list(GAMES), [game.name for game in reply.games])
        for game in reply.games:
            expect("digest of the rules", rules_digest(game.name), game.rules_digest)
            names = [f"{game.name}.{preset}" for preset in GAMES[game.name].PRESETS]
            expect("presets", names, [preset.name for preset in game.presets])
            for preset in game.presets:
                wanted = options_to_proto(Kind(preset.name, preset.name))
                expect(f"options of {preset.name} as the engine has them", True, preset.options == wanted)

    calls.make("ListGames", calls.matches.ListGames, match_service_pb2.ListGamesRequest(), listed)


def start(calls: Calls, mirror: Mirror, *, again: bool) -> None:
    """Start a match; `again`: twice, which is the same match, and a third time by other rules, which is refused."""
    method = calls.matches.StartMatch
    request = match_service_pb2.StartMatchRequest(match_id=mirror.match_id, options=mirror.kind.to_proto())
    first = calls.make("StartMatch", method, request, mirror.began)
    if again:
        calls.make("StartMatch, again", method, request, lambda reply: mirror.stands_again(reply.match, first.match))
        getattr(request.options, mirror.game.NAME).target = 100
        calls.make_refused("StartMatch, other options", method, request, {"MATCH_EXISTS"})


def bring(calls: Calls, mirror: Mirror) -> bool:
    """Import the state that the mirror stands at; false where the service takes no imports."""
    state = state_to_proto(mirror.kind, mirror.state)
    request = match_service_pb2.ImportMatchRequest(match_id=mirror.match_id, state=state)
    reasons = {"IMPORTS_OFF"}
    return calls.make_either("ImportMatch", calls.matches.ImportMatch, request, reasons, mirror.began) is not None


def played_elsewhere(kind: Kind, dice: random.Random) -> Any:  # noqa: ANN401 - a state of either game
    """Return a state that goes on, some moves into a match of this kind."""
    game, state = kind.game, kind.game.new_match(kind.options)
    for _ in range(dice.randrange(1, LONGEST_ELSEWHERE)):
        seat = game.turn(state)
        move = chance_move(kind, state, shuffled(dice.randbytes(32))) if seat is None else chosen(game, state, seat)
        after = game.apply(state, move)
        if game.outcome(after) is not None:
            break
        state = after
    return state


def chance_move(kind: Kind, state: Any, order: bytes) -> Any:  # noqa: ANN401 - a state and a move of either game
    """Make the shake or the lot that is due: a seat in forty-two, a tile a seat in fives."""
    if kind.game.phase(state) is Phase.SHAKE:
        return Shake(order)
    drawn = order[: len(kind.seats)] if kind.game.NAME == "fives" else bytes((order[0] % len(kind.seats),))
    return kind.game.decode_move(bytes((LOT_CODE,)) + drawn)
