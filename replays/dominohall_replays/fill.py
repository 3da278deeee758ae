"""An order of a shake that agrees with what a redacted log shows: the shown tiles in place, any others elsewhere.

A redacted log hides tiles, and the rules ask about hands. A `Fill` puts some tile into every hidden place, never one
that is known to lie elsewhere, and is mended where a move shows more: a tile that a seat plays must have been that
seat's, a tile that would have forbidden the move can't have been. What it holds in hidden places is an invention and is
never shown to anybody.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from dominohall_engine.tiles import TILE_COUNT

from dominohall_replays.deals import Opening


class Fill:
    """Which tile lies at which place, and which of them are facts."""

    def __init__(self, opened: Iterable[Opening], seats: int, hand_size: int) -> None:
        shown = {each.place: each.tile for each in opened}
        rest = iter([tile for tile in range(TILE_COUNT) if tile not in shown.values()])
        self.tiles: Final = [shown[place] if place in shown else next(rest, 0) for place in range(TILE_COUNT)]
        self.opened: Final = frozenset(shown)
        self.fixed: Final = set(shown)
        """Places whose tile is a fact: shown, or played by the seat that it is put to."""
        self.owners: Final[list[int | None]] = [None] * TILE_COUNT
        for place in range(seats * hand_size):
            self.owners[place] = place // hand_size
        self._front = seats * hand_size
        self._played: Final[set[int]] = set()

    @property
    def order(self) -> bytes:
        """The order, hidden places filled."""
        return bytes(self.tiles)

    def of(self, seat: int) -> list[int]:
        """Return the places whose tiles this seat was dealt or drew."""
        return [place for place, owner in enumerate(self.owners) if owner == seat]

    def hidden_in_hand(self, seat: int) -> list[int]:
        """Return the places of this seat's hand whose tile is an invention."""
        return [place for place in self.of(seat) if place not in self._played and place not in self.fixed]

    def known_in_hand(self, seat: int) -> list[int]:
        """Return the tiles of this seat's hand that are facts."""
        return [self.tiles[place] for place in self.of(seat) if place not in self._played and place in self.fixed]

    def pool(self, seat: int) -> Iterator[int]:
        """Go through the hidden places outside this seat's hand: their tiles may as well be in it."""
        for place in range(TILE_COUNT):
            if place not in self.fixed and self.owners[place] != seat:
                yield place

    def swap(self, one: int, other: int) -> None:
        """Let two hidden places have each other's tile."""
        self.tiles[one], self.tiles[other] = self.tiles[other], self.tiles[one]

    def fix(self, place: int) -> None:
        """Take the tile at a place for a fact from now on."""
        self.fixed.add(place)

    def draw(self, seat: int) -> None:
        """Give the front tile of the boneyard to a seat."""
        self.owners[self._front] = seat
        self._front += 1

    def play(self, tile: int) -> None:
        """Take a tile out of its hand; that it lay where it is put is a fact from now on."""
        place = self.tiles.index(tile)
        self._played.add(place)
        self.fix(place)
