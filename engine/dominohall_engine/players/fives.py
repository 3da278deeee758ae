"""A built-in player of Fives that takes only a view: deterministic, and quick enough for thousands of matches.

It looks one tile ahead. A play is worth what it scores, less what the next seat may score on it with the tiles that
the player has not seen, plus a little for what makes a hand easy to play out: heavy tiles and doubles gone early, and
other tiles left that still fit.
"""

from math import comb
from typing import Final

from dominohall_engine.fives.layout import Layout, arms_of, extended, spinner_of
from dominohall_engine.fives.moves import Play, SeatMove
from dominohall_engine.fives.places import DOTS, END_AFTER, SIDE_2
from dominohall_engine.fives.view import View
from dominohall_engine.tiles import ALL_TILES, BEARING, DOUBLES, PIPS, TILE_COUNT, mask_of

_UNIT: Final = 1000
"""Worths are whole numbers, in thousandths of a point, so that the same view gives the same move on any machine."""
_AFRAID: Final = 800
"""What a point that the next seat may score is held against a play."""
_PER_DOT: Final = 350
"""What a dot out of the hand is worth: it may count against it at the end of the round."""
_DOUBLE: Final = 1000
"""What a double out of the hand is worth on top: it fits one number only."""
_PER_FIT: Final = 900
"""What each other tile of the hand that fits afterwards is worth."""
_PER_NUMBER: Final = 400
"""What each different number left in the hand is worth."""


def _marks(number: int, rest: int) -> tuple[tuple[int, int], ...]:
    """Return the tiles that, laid to this number, bring a total of `rest` dots elsewhere to a multiple of five."""
    worth: dict[int, int] = {}
    for tile in range(TILE_COUNT):
        if BEARING[number] >> tile & 1:
            total = rest + DOTS[END_AFTER[tile][number]]
            if total and total % 5 == 0:
                worth[total] = worth.get(total, 0) | 1 << tile
    return tuple(sorted(worth.items(), reverse=True))


_MARKS: Final = tuple(tuple(_marks(number, rest) for rest in range(37)) for number in range(7))
"""``_MARKS[number][rest]``: (points, mask of the tiles that score them), for what the other ends come to."""


def choose(view: View) -> SeatMove:
    """Return the move that this player makes; `ValueError` if it is not the viewer's turn.

    >>> from dataclasses import replace
    >>> from dominohall_engine import fives
    >>> from dominohall_engine.shuffle import shuffled
    >>> state = fives.new_match(replace(fives.LINEAR, seats=2, partners=False), first=0)
    >>> state = fives.apply(state, fives.Shake(shuffled(bytes(32))))
    >>> choose(fives.view(state, 0)) in fives.legal_moves(state)
    True
    """
    legal = view.legal_moves
    if not legal or view.hand is None or view.turn is None:
        raise ValueError(f"expected the view of the seat whose turn it is, got that of {view.seat}")
    if len(legal) == 1:
        return legal[0]
    hand = mask_of(view.hand)
    unseen = ALL_TILES & ~hand & ~mask_of(move.tile for move in view.history if isinstance(move, Play))
    next_hand = view.hand_sizes[(view.turn + 1) % len(view.hand_sizes)]
    opening_scores = view.options.opening_scores or bool(view.history)
    best, best_worth = legal[0], None
    for move in legal:
        if isinstance(move, Play):
            layout = extended(view.layout, move.tile, move.place)
            worth = _worth_of_hand(hand & ~(1 << move.tile), move.tile, layout)
            worth -= _AFRAID * _feared(layout, unseen, next_hand) // _UNIT
            if opening_scores:
                worth += _UNIT * layout.points
            if best_worth is None or worth > best_worth:
                best, best_worth = move, worth
    return best


def _worth_of_hand(left: int, tile: int, layout: Layout) -> int:
    """Return what it is worth to have this tile out of the hand and these left."""
    worth = _PER_DOT * PIPS[tile] + _PER_FIT * (left & layout.fits).bit_count()
    if DOUBLES >> tile & 1:
        worth += _DOUBLE
    return worth + _PER_NUMBER * sum([left & bearing != 0 for bearing in BEARING])


def _feared(layout: Layout, unseen: int, held: int) -> int:
    """Return about how much a seat scores next that holds `held` of the unseen tiles, any of them alike.

    It plays the dearest tile that it has: so each worth counts for the hands that hold a tile of it and none dearer.
    """
    spinner = spinner_of(layout)
    threats: list[tuple[int, int]] = []
    for arm in arms_of(layout):
        if arm.is_open:
            rest = layout.total - arm.dots
            if spinner and arm.place == SIDE_2 and not arm.dots:
                rest -= spinner[1]
            threats += _MARKS[arm.number][rest]
    threats.sort(reverse=True)
    count = unseen.bit_count()
    hands = comb(count, held)
    safe_before, dear, feared = hands, 0, 0
    for points, tiles in threats:
        dear |= tiles & unseen
        safe = comb(count - dear.bit_count(), held)
        feared += points * (safe_before - safe)
        safe_before = safe
    return _UNIT * feared // max(1, hands)
