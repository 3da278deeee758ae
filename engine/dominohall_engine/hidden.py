"""The tiles that a viewer does not know, and the same state with other tiles in their places.

What anybody is told may not depend on a tile that is hidden from them. `HiddenTiles` makes that a thing to try: it
swaps the hidden tiles among the hands and the boneyard, and whoever asks compares what is told of the two states.

A viewer knows their own tiles, every tile that was played and who played it, and how many tiles each seat holds. Under
an option by which the holder of the 1-0 opens, who holds it is known too. What a viewer could *infer* (a seat that
knocked holds nothing that fits) is not respected: the swaps are wider than what can have happened, so what does not
change under them can't tell even that much.
"""

from collections.abc import Iterator
from itertools import permutations
from typing import Any, Final, NamedTuple

from dominohall_engine import fives, forty_two
from dominohall_engine.games import AnyGame
from dominohall_engine.shuffle import number_below
from dominohall_engine.tiles import TILE_COUNT, tile

OPENING_TILE: Final = tile(1, 0)


class HiddenTiles:
    """What one viewer (a seat, or None for a spectator) does not know of one state; nothing while no tiles are dealt.

    `places` are the places of the order whose tiles are hidden, ascending.
    """

    __slots__ = ("_dealt", "_draws", "_game", "_order", "_public", "places")

    def __init__(self, game: AnyGame, state: Any, viewer: int | None) -> None:  # noqa: ANN401 - a state of that game
        order = game.order(state)
        holders = holders_of(game, state)
        known = known_to_all(game, state)
        self._game: Final = game
        self._public: Final = game.encode_public(state)
        self._order: Final = order
        self.places: Final = tuple(
            [
                place
                for place, holder in enumerate(holders)
                if order is not None and order[place] not in known and (holder is None or holder != viewer)
            ]
        )
        size = hand_size_of(game, state)
        self._dealt: Final = tuple(
            [range(size * seat, size * (seat + 1)) for seat in range(seats_of(game, state)) if seat != viewer]
        )
        self._draws: Final = tuple([each for each in draws_of(game, state) if each.seat != viewer])

    def swapped(self, source: Iterator[int], *, within_hands: bool = True) -> Any:  # noqa: ANN401 - a state of the game
        """Return a state that looks the same to the viewer, its hidden tiles mixed by this stream of bytes.

        Which tiles another seat was dealt and which it drew is mixed as well, as far as it held each when it played
        it, played ones included. So is where in a hand a tile was dealt, unless `within_hands` is false.
        `ValueError` while no tiles are dealt.
        """
        order = bytearray(self._dealt_order())
        mix(order, self.places, source)
        for hand in self._dealt if within_hands else ():
            mix(order, hand, source)
        for draw in self._draws:
            other = draw.dealt[number_below(len(draw.dealt), source)]
            if order[other] not in draw.gone:
                order[draw.place], order[other] = order[other], order[draw.place]
        return self._game.decode(self._public + bytes(order))

    def every(self) -> Iterator[Any]:
        """Go through every way in which the hidden tiles can lie in the hidden places: n! of them, for a small n."""
        order = bytearray(self._dealt_order())
        for tiles in permutations([order[place] for place in self.places]):
            for place, each in zip(self.places, tiles, strict=True):
                order[place] = each
            yield self._game.decode(self._public + bytes(order))

    def _dealt_order(self) -> bytes:
        if self._order is None:
            raise ValueError("expected a state with tiles dealt, got one without")
        return self._order


class DrawnTile(NamedTuple):
    """A draw of this round: who drew from which place, where that seat was dealt, and what lay on the table by then."""

    seat: int
    place: int
    dealt: range
    gone: frozenset[int]


def draws_of(game: AnyGame, state: Any) -> Iterator[DrawnTile]:  # noqa: ANN401 - a state of that game
    """Yield the draws of this round in order."""
    size, place = hand_size_of(game, state), hand_size_of(game, state) * seats_of(game, state)
    table, gone = game.view(state, None), set()
    for move in table.history if isinstance(table, fives.View) else ():
        if isinstance(move, fives.Play):
            gone.add(move.tile)
        elif isinstance(move, fives.Draw):
            yield DrawnTile(move.seat, place, range(size * move.seat, size * (move.seat + 1)), frozenset(gone))
            place += 1


def mix(order: bytearray, places: range | tuple[int, ...], source: Iterator[int]) -> None:
    """Shuffle the tiles at these places among themselves, as `shuffle` does with all of them."""
    for last in range(len(places) - 1, 0, -1):
        one, other = places[last], places[number_below(last + 1, source)]
        order[one], order[other] = order[other], order[one]


def holders_of(game: AnyGame, state: Any) -> tuple[int | None, ...]:  # noqa: ANN401 - a state of that game
    """Return who was dealt or drew the tile at each place of the order (D-05), None for the boneyard."""
    size = hand_size_of(game, state)
    holders: list[int | None] = [None] * TILE_COUNT
    for place in range(size * seats_of(game, state)):
        holders[place] = place // size
    for draw in draws_of(game, state):
        holders[draw.place] = draw.seat
    return tuple(holders)


def known_to_all(game: AnyGame, state: Any) -> frozenset[int]:  # noqa: ANN401 - a state of that game
    """Return the tiles of which everybody knows whose they are or were: those played, and the 1-0 if it opens."""
    table = game.view(state, None)
    if not isinstance(table, forty_two.View):
        return frozenset([move.tile for move in table.history if isinstance(move, fives.Play)])
    tricks = table.tricks if table.trick is None else (*table.tricks, table.trick)
    played = [play.tile for trick in tricks for play in trick.plays]
    opens = [OPENING_TILE] if table.options.opener is forty_two.Opener.HOLDER_OF_1_0 else []
    return frozenset(played + opens)


def hand_size_of(game: AnyGame, state: Any) -> int:  # noqa: ANN401 - a state of that game
    """Return how many tiles each seat is dealt."""
    options = game.options_of(state)
    return options.hand_size if isinstance(options, fives.Options) else 7


def seats_of(game: AnyGame, state: Any) -> int:  # noqa: ANN401 - a state of that game
    """Return how many seats the match has."""
    return sum([len(side) for side in game.sides(game.options_of(state))])
