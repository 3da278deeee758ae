"""What every kind of spinner has to say about a layout."""

from typing import NamedTuple

from dominohall_engine.violations import Reason

Shape = tuple[int, ...]
"""What a kind keeps of a layout, numbers from 0 to 255 that only it reads."""
Measured = tuple[tuple[int, ...], tuple[int, ...], int, int]
"""What a layout has to offer, a plain tuple because every play makes one:

the open places, lower ones first; at each of them the end that a tile must be joined to (an empty arm of the spinner
stands there as the spinner's number); all tiles that fit; the ends total, that is the dots that the ends and the
spinner count, 0..36 (LIN-10, section 5.5).
"""


class Arm(NamedTuple):
    """One end of the layout as a table shows it."""

    place: int
    number: int
    """What a tile must bear to be joined here."""
    is_double: bool
    """Whether the outermost tile is a double, so that both halves count (LIN-12)."""
    dots: int
    """What this arm adds to the ends total; 0 while no tile lies here."""
    is_open: bool
    """Whether a tile may be laid here now."""


class Refusal(NamedTuple):
    """Why a place is not open: the reason and the clauses that decide, the deciding one first."""

    reason: Reason
    clauses: tuple[str, ...]


class Kind:
    """A kind of spinner: what each of them has to say. No layout is empty here, the first tile may be any (LIN-08).

    A class and no module of functions, because the compiled build calls a method of a class it knows at no cost.
    """

    __slots__ = ()

    def opened(self, tile: int) -> Shape:
        """Return the shape of a layout of one tile."""
        raise NotImplementedError

    def attached(self, shape: Shape, tile: int, place: int) -> Shape:
        """Return the shape after a tile that fits was laid at an open place."""
        raise NotImplementedError

    def measured(self, shape: Shape) -> Measured:
        """Return the open places, their ends, the tiles that fit, and the ends total."""
        raise NotImplementedError

    def spinner(self, shape: Shape) -> tuple[int, int] | None:
        """Return the spinner's number and what it adds to the ends total, None without a spinner."""
        raise NotImplementedError

    def ends(self, shape: Shape) -> tuple[tuple[int, int], ...]:
        """Return every place with an end, and that end, lower places first; empty arms too (`NO_TILE`)."""
        raise NotImplementedError

    def readable(self, shape: Shape) -> bool:
        """Say whether these numbers (each 0 to 255) are a shape that this kind makes."""
        raise NotImplementedError

    def refusal(self, shape: Shape, place: int) -> Refusal:
        """Say why a place that is not open is not."""
        raise NotImplementedError
