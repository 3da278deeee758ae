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

from collections.abc import Callable, Mapping
from copyreg import pickle
from typing import Final

from dominohall_engine.fives.options import SpinnerRule
from dominohall_engine.fives.places import ANYTHING, DOTS, DOUBLE, FITTING, NO_TILE, NUMBER, PLACE_COUNT, START
from dominohall_engine.fives.spinners import KINDS
from dominohall_engine.fives.spinners.kind import Arm, Kind, Measured, Refusal, Shape
from dominohall_engine.tiles import ALL_TILES

_NOTHING: Final[Measured] = (START,), (ANYTHING,), ALL_TILES, 0
"""Before the first tile, which may be any (LIN-08)."""


class Layout:
    """The tiles on the table, as far as the game goes on from them.

    `kind` is the spinner's kind, `shape` what it keeps (empty: no tile yet); two layouts with the same of both
    are the same.
    """

    __slots__ = ("ends", "fits", "kind", "places", "points", "shape", "total")

    def __init__(self, kind: Kind, shape: Shape) -> None:
        places, ends, fits, total = kind.measured(shape) if shape else _NOTHING
        self.kind: Final = kind
        self.shape: Final = shape
        self.places: Final = places
        """The open places, lower ones first."""
        self.ends: Final = ends
        """What a tile must be joined to at each of them, an end as in `places`."""
        self.fits: Final = fits
        """The tiles that fit anywhere."""
        self.total: Final = total
        """The ends total."""
        self.points: Final = total if total % 5 == 0 else 0
        """What a tile scores that makes this layout (LIN-10): 0 is a multiple of five and worth nothing (A-LIN-08)."""

    @property
    def masks(self) -> tuple[int, ...]:
        """By place the tiles that fit there, none where it is not open."""
        return tuple([self.fitting(place) for place in range(PLACE_COUNT)])

    def fitting(self, place: int) -> int:
        """Return the tiles that fit at a place, none where it is not open."""
        return FITTING[self.ends[self.places.index(place)]] if place in self.places else 0


EMPTY: Final[Mapping[SpinnerRule, Layout]] = {rule: Layout(kind, ()) for rule, kind in KINDS.items()}
"""The layout before the first tile."""


def _again(rule: SpinnerRule, shape: Shape) -> Layout:
    return Layout(KINDS[rule], shape)


def _reduced(layout: Layout) -> tuple[Callable[[SpinnerRule, Shape], Layout], tuple[SpinnerRule, Shape]]:
    """Say how a layout is copied and pickled: by the rule of its kind, and its shape."""
    return _again, (next(rule for rule, kind in KINDS.items() if kind is layout.kind), layout.shape)


pickle(Layout, _reduced)


def extended(layout: Layout, tile: int, place: int) -> Layout:
    """Return the layout after a tile that fits was laid at an open place."""
    kind = layout.kind
    shape = layout.shape
    return Layout(kind, kind.attached(shape, tile, place) if shape else kind.opened(tile))


def layout_from(kind: Kind, data: bytes) -> Layout | None:
    """Return the layout whose shape is written in these bytes, None if the kind makes no such shape."""
    shape = tuple(data)
    return Layout(kind, shape) if not shape or kind.readable(shape) else None


def refusal_of(layout: Layout, place: int) -> Refusal:
    """Say why a place that is not open is not."""
    return layout.kind.refusal(layout.shape, place)


def spinner_of(layout: Layout) -> tuple[int, int] | None:
    """Return the spinner's number and the dots that it counts now, None without a spinner."""
    return layout.kind.spinner(layout.shape) if layout.shape else None


def arms_of(layout: Layout) -> tuple[Arm, ...]:
    """Return the ends as a table shows them, lower places first; an empty arm only where it is open."""
    if not layout.shape:
        return ()
    kind = layout.kind
    spinner = kind.spinner(layout.shape)
    return tuple(
        [
            Arm(
                place=place,
                number=spinner[0] if end == NO_TILE and spinner else NUMBER[end],
                is_double=DOUBLE <= end < NO_TILE,
                dots=DOTS[end],
                is_open=place in layout.places,
            )
            for place, end in kind.ends(layout.shape)
            if end != NO_TILE or place in layout.places
        ]
    )
