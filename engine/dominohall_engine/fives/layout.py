"""The layout: where a tile may be laid now, and what the ends come to (LIN-09..12, section 5.5 of the rules).

Which places there are and what counts is the business of the spinner's kind (`spinners`). Here every layout gets what
all kinds share, worked out once: the open places with the tiles that fit there, the ends total, the points.

>>> from dominohall_engine.fives.places import SIDE_1
>>> from dominohall_engine.tiles import parse_tile
>>> opened = extended(EMPTY[SpinnerRule.SIDES_THEN_ENDS], parse_tile("5-5"), START)
>>> opened.total, opened.points
(10, 10)
>>> extended(opened, parse_tile("5-0"), SIDE_1).points
10
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from dominohall_engine.fives.options import SpinnerRule
from dominohall_engine.fives.places import DOTS, DOUBLE, NO_TILE, NUMBER, PLACE_COUNT, START
from dominohall_engine.fives.spinners import KINDS
from dominohall_engine.fives.spinners.kind import Arm, Kind, Refusal
from dominohall_engine.tiles import ALL_TILES, BEARING

_RULES: Final = tuple(SpinnerRule)
_KINDS: Final[tuple[Kind, ...]] = tuple(KINDS[rule] for rule in _RULES)


class Layout:
    """The tiles on the table, as far as the game goes on from them.

    `kind` is the place of the spinner's rule in `SpinnerRule`, `shape` what that kind writes (empty: no tile yet).
    """

    __slots__ = ("fits", "kind", "masks", "places", "points", "shape", "total")

    def __init__(self, kind: int, shape: bytes) -> None:
        if shape:
            open_places = _KINDS[kind].open_places(shape)
            total = _KINDS[kind].total(shape)
        else:
            open_places, total = (), 0
        masks = [0] * PLACE_COUNT
        fits = 0
        for place, number in open_places:
            masks[place] = BEARING[number]
            fits |= BEARING[number]
        if not shape:
            masks[START] = fits = ALL_TILES  # LIN-08
        self.kind: Final = kind
        self.shape: Final = shape
        self.places: Final = tuple([place for place, _ in open_places]) or (START,)
        """The open places, lower ones first."""
        self.masks: Final = tuple(masks)
        """``masks[place]`` holds the tiles that fit at that place; none where it is not open."""
        self.fits: Final = fits
        """The tiles that fit anywhere."""
        self.total: Final = total
        """The ends total."""
        self.points: Final = total if total % 5 == 0 else 0
        """What a tile scores that makes this layout (LIN-10): 0 is a multiple of five and worth nothing (A-LIN-08)."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and self.shape == other.shape and self.kind == other.kind

    def __hash__(self) -> int:
        return hash((self.kind, self.shape))


_layout_of = lru_cache(maxsize=16384)(Layout)

EMPTY: Final[Mapping[SpinnerRule, Layout]] = {rule: Layout(kind, b"") for kind, rule in enumerate(_RULES)}
"""The layout before the first tile."""


def extended(layout: Layout, tile: int, place: int) -> Layout:
    """Return the layout after a tile that fits was laid at an open place."""
    kind = _KINDS[layout.kind]
    return _layout_of(layout.kind, kind.attached(layout.shape, tile, place) if layout.shape else kind.opened(tile))


@lru_cache(maxsize=16384)
def layout_from(kind: int, shape: bytes) -> Layout | None:
    """Return the layout with this shape, None if the kind does not write such a shape."""
    return Layout(kind, shape) if not shape or _KINDS[kind].readable(shape) else None


def refusal_of(layout: Layout, place: int) -> Refusal:
    """Say why a place that is not open is not."""
    return _KINDS[layout.kind].refusal(layout.shape, place)


def spinner_of(layout: Layout) -> tuple[int, int] | None:
    """Return the spinner's number and the dots that it counts now, None without a spinner."""
    return _KINDS[layout.kind].spinner(layout.shape) if layout.shape else None


def arms_of(layout: Layout) -> tuple[Arm, ...]:
    """Return the ends as a table shows them, lower places first; an empty arm only where it is open."""
    if not layout.shape:
        return ()
    kind = _KINDS[layout.kind]
    numbers = dict(kind.open_places(layout.shape))
    return tuple(
        Arm(place, numbers.get(place, NUMBER[end % NO_TILE]), DOUBLE <= end < NO_TILE, DOTS[end], place in numbers)
        for place, end in kind.ends(layout.shape)
        if end != NO_TILE or place in numbers
    )
