"""Everything a viewer is told of one state as the bytes that leave the service, and whether a hidden tile changes them.

`sight` makes the answers with the functions that the servicer makes them with: the view, and the status of every move
that the seat may try. `leaks` swaps the tiles that are hidden from the viewer and compares the answers, byte for byte.
Set aside are the root of the shake and the paths of openings: they cover every tile, and hide it by its salt.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from dominohall_engine import fives, forty_two
from dominohall_engine.clauses import LANGUAGES
from dominohall_engine.errors import IllegalMove
from dominohall_engine.games import AnyGame
from dominohall_engine.hidden import HiddenTiles, seats_of
from dominohall_engine.moves import Abandon, Shake
from dominohall_engine.tiles import TILE_COUNT
from dominohall_replays.deals import Opening as DealtOpening
from dominohall_replays.deals import leaf_salt

from dominohall_service.codec.matches import view_to_proto
from dominohall_service.codec.places import places_of
from dominohall_service.match_servicer import refused
from dominohall_service.seal import Sealed
from dominohall_service.standing import Standing
from dominohall_service.status import refusal_status

if TYPE_CHECKING:
    import grpc

Answers = Mapping[str, bytes]
SALT: Final = bytes(32)
"""A salt for openings that prove nothing to anybody."""
ONE_STATUS: Final = "0"
"""The request id in every status, so that it can't differ."""
HOST_MOVES: Final = (Abandon("No"), Shake(bytes(range(TILE_COUNT))), forty_two.Lot(9), fives.Lot(b"\0\0"))
"""Moves of a host, most of them refused in any state."""


class Leak(NamedTuple):
    """An answer that differs though the viewer knows the same. It names no tile."""

    viewer: int | None
    """The seat, None for a spectator."""
    language: str
    answer: str
    """Which answer: `view`, `view after MOVE`, or the bytes of a refused move in hexadecimal digits."""
    sizes: tuple[int, int]
    """Bytes of the answer, before and after the swap."""


See = Callable[[AnyGame, Any, int | None, str], Answers]


def sight(game: AnyGame, state: Any, viewer: int | None, language: str) -> Answers:  # noqa: ANN401 - a state of that game
    """Return every answer that this viewer can get: the view, and the status of each move that may be tried."""
    answers = {"view": view_bytes(game, state, viewer)}
    standing = Standing(Sealed("", "", game.NAME, 0, b"", 0, b"", None, b""), game, state)
    context = cast("grpc.ServicerContext", Asking(language))
    own = [move for move in game.seat_moves(game.options_of(state)) if move.seat == viewer]
    for move in (*own, *HOST_MOVES):
        violation = game.violation(state, move)
        answer = b""
        if violation is not None:
            refusal = refused(IllegalMove(violation), move, standing, context)
            answer = refusal_status(refusal, ONE_STATUS).trailing_metadata[0][1]
        answers[f"{type(move).__name__} {game_bytes(move)}"] = answer
    return answers


def view_bytes(game: AnyGame, state: Any, viewer: int | None) -> bytes:  # noqa: ANN401 - a state of that game
    """Return `ViewMatch`'s view with the openings of the viewer's own tiles, root and paths set aside."""
    order = game.order(state)
    places = () if order is None or viewer is None else places_of(game, state, viewer)
    own = [DealtOpening(place, order[place], leaf_salt(SALT, place), ()) for place in places] if order else []
    return view_to_proto(game, state, viewer, 0, None, own).SerializeToString(deterministic=True)


def game_bytes(move: Any) -> str:  # noqa: ANN401 - a move of either game
    """Return the canonical bytes of a move in hexadecimal digits, to name it by."""
    game: Any = fives if type(move).__module__.startswith(fives.__name__) else forty_two
    return str(game.encode_move(move).hex())


class Asking:
    """As much of a call as decides about its language."""

    def __init__(self, language: str) -> None:
        self._language = language

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        """Return the metadata of the call."""
        return (("accept-language", self._language),)


def leaks(  # noqa: PLR0913, PLR0917 - what is tried
    game: AnyGame,
    state: Any,  # noqa: ANN401 - a state of that game
    viewer: int | None,
    swaps: int,
    source: Iterator[int],
    see: See = sight,
) -> Iterator[Leak]:
    """Yield every answer that differs over so many swaps of what is hidden from the viewer; each in one language."""
    hidden = HiddenTiles(game, state, viewer)
    before: dict[str, Answers] = {}
    for _ in range(swaps):
        language = LANGUAGES[next(source) % len(LANGUAGES)]
        if language not in before:
            before[language] = see(game, state, viewer, language)
        other = hidden.swapped(source)
        yield from _differences(viewer, language, before[language], see(game, other, viewer, language))
        yield from _leaks_of_a_move(game, state, other, viewer, next(source))


def _differences(viewer: int | None, language: str, before: Answers, after: Answers) -> Iterator[Leak]:
    for name in sorted(before.keys() | after.keys()):
        one, other = before.get(name, b""), after.get(name, b"")
        if one != other:
            yield Leak(viewer, language, name, (len(one), len(other)))


def _leaks_of_a_move(game: AnyGame, state: Any, other: Any, viewer: int | None, number: int) -> Iterator[Leak]:  # noqa: ANN401
    """Compare what the viewer sees after a move that both states allow, unless it shows hidden tiles to the viewer."""
    both = [move for move in game.legal_moves(state) if game.violation(other, move) is None]
    if not both:
        return
    move = both[number % len(both)]
    one, two = game.apply(state, move), game.apply(other, move)
    if shows_tiles(game, move, one, viewer):
        return
    seen = view_bytes(game, one, viewer), view_bytes(game, two, viewer)
    if seen[0] != seen[1]:
        yield Leak(viewer, LANGUAGES[0], f"view after {type(move).__name__}", (len(seen[0]), len(seen[1])))


def shows_tiles(game: AnyGame, move: Any, after: Any, viewer: int | None) -> bool:  # noqa: ANN401
    """Say whether a move shows the viewer tiles that were hidden: their own draw, or hands laid open to be counted."""
    if game.NAME != "fives":
        return False
    return game.order(after) is None or (isinstance(move, fives.Draw) and move.seat == viewer)


def viewers(game: AnyGame, state: Any) -> tuple[int | None, ...]:  # noqa: ANN401 - a state of that game
    """Return everybody who may look on: the spectator and each seat."""
    return (None, *range(seats_of(game, state)))
