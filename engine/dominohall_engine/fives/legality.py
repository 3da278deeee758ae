"""The one authority on legality: `violation` decides, `legal_moves` and `apply` agree with it.

A violation is built from what the acting seat may know: its own hand and the open table. Checks go in one order: is
the match over, does the phase ask for such a move, is there such a seat, is it its turn, and then the move itself.
"""

from collections.abc import Mapping
from typing import Final

from dominohall_engine.errors import IllegalMove
from dominohall_engine.fives import turns
from dominohall_engine.fives.layout import refusal_of
from dominohall_engine.fives.moves import DRAWS, KNOCKS, PLAYS, Draw, Knock, Lot, Move, Play, SeatMove
from dominohall_engine.fives.options import DrawRule
from dominohall_engine.fives.places import FITTING, PLACE_COUNT, PLACE_NAMES, START
from dominohall_engine.fives.state import (
    Lotting,
    Over,
    Playing,
    Shaking,
    State,
    boneyard_count,
    drawn_this_turn,
)
from dominohall_engine.moves import Abandon, Shake
from dominohall_engine.outcomes import Ending
from dominohall_engine.tiles import NAMES, TILE_COUNT, is_order, tiles_in
from dominohall_engine.violations import Fact, Reason, Violation

_IDLE: Final = (Draw, Knock)
_ABANDON_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")


class _Plays(dict[int, tuple[SeatMove, ...]]):
    """The plays at one place by the tiles that fit there, each tuple built when it is first asked for.

    All tiles at a place share a number, so there are 890 entries at most, and they never change.
    """

    def __init__(self, row: tuple[Play, ...]) -> None:
        super().__init__()
        self.row: Final = row

    def __missing__(self, tiles: int) -> tuple[SeatMove, ...]:
        row = self.row
        self[tiles] = plays = tuple([row[tile] for tile in tiles_in(tiles)])
        return plays


_PLAYS: Final = tuple(tuple(_Plays(row) for row in rows) for rows in PLAYS)
"""``_PLAYS[seat][place][tiles]``."""


def legal_moves(state: State) -> tuple[SeatMove, ...]:
    """Return the seat moves that are legal now, in the order of `moves.domain`; never a chance move."""
    if not isinstance(state, Playing):
        return ()
    seat = state.turn
    if not state.able:
        return (DRAWS[seat],) if may_draw(state) else (KNOCKS[seat],)
    hand = state.hands[seat]
    if not state.events:
        row = PLAYS[seat][START]
        return tuple([row[tile] for tile in tiles_in(hand)])
    found: tuple[SeatMove, ...] = ()
    layout = state.layout
    plays = _PLAYS[seat]
    for place, end in zip(layout.places, layout.ends):  # noqa: B905 - of one length
        found += plays[place][hand & FITTING[end]]
    return found


def may_draw(state: Playing) -> bool:
    """Say whether the seat whose turn it is may draw, given that it can't play (LIN-07, A-LIN-09, A-LIN-12)."""
    rules = state.round.rules
    return boneyard_count(state) > rules.floor and not (rules.one_draw and drawn_this_turn(state))


def apply(state: State, move: Move) -> State:
    """Return the state after the move; `IllegalMove` if the rules forbid it. Never changes `state`."""
    if isinstance(state, Playing) and isinstance(move, Play):
        refused = _play_violation(state, move)
        if refused is None:
            return turns.play(state, move.tile, move.place)
        raise IllegalMove(refused)
    refused = violation(state, move)
    if refused is not None:
        raise IllegalMove(refused)
    if isinstance(state, Playing):
        if isinstance(move, Draw):
            return turns.draw(state)
        if isinstance(move, Knock):
            return turns.knock(state)
    elif isinstance(state, Shaking):
        if isinstance(move, Shake):
            return turns.shake(state, move.tiles)
    elif isinstance(state, Lotting) and isinstance(move, Lot):
        return turns.lot(state, move.tiles)
    return turns.abandon(state)


def violation(state: State, move: Move) -> Violation | None:
    """Return why the move is refused, None if it is legal."""
    if isinstance(state, Playing):
        if isinstance(move, Play):
            return _play_violation(state, move)
        if isinstance(move, _IDLE):
            return _idle_violation(state, move)
    if isinstance(state, Over):
        return Violation(Reason.MATCH_OVER, _OVER_BY[state.outcome.ending], {"ending": state.outcome.ending.value})
    if isinstance(move, Abandon):
        return _abandon_violation(move)
    return _chance_violation(state, move)


_OVER_BY: Final[Mapping[Ending, tuple[str, ...]]] = {
    Ending.TARGET: ("LIN-18", "A-LIN-26"),
    Ending.ROUND_LIMIT: ("D-13",),
    Ending.ABANDONED: ("D-15",),
}


def _not_now(state: State, move: Move) -> Violation:
    """Refuse a move of a kind that the phase does not ask for."""
    if isinstance(state, Playing):
        expected, clauses = "play", ("D-04", "LIN-08")
    elif isinstance(state, Shaking):
        expected, clauses = "shake", ("LIN-05", "D-04")
    else:
        expected, clauses = "lot", ("LIN-04", "D-04")
    return Violation(Reason.NOT_THIS_MOVE_NOW, clauses, {"move": type(move).__name__.lower(), "expected": expected})


def _abandon_violation(move: Abandon) -> Violation | None:
    reason = move.reason
    if 1 <= len(reason) <= 64 and _ABANDON_LETTERS.issuperset(reason):
        return None
    return Violation(Reason.BAD_ABANDON_REASON, ("D-15",), {"length": len(reason)})


def _chance_violation(state: Lotting | Shaking | Playing, move: Move) -> Violation | None:
    """Judge a shake or a lot where one is due; refuse everything that the phase does not ask for."""
    if isinstance(state, Shaking) and isinstance(move, Shake):
        if is_order(move.tiles):
            return None
        facts: dict[str, Fact] = {"count": len(move.tiles), "different": len(frozenset(move.tiles))}
        return Violation(Reason.NOT_ALL_TILES, ("LIN-01", "D-05"), facts)
    if isinstance(state, Lotting) and isinstance(move, Lot):
        seats, tiles = state.rules.seats, frozenset(move.tiles)
        if len(move.tiles) == len(tiles) == seats and max(tiles) < TILE_COUNT:
            return None
        facts = {"seats": seats, "count": len(move.tiles), "different": len(tiles)}
        return Violation(Reason.BAD_LOT, ("LIN-04", "D-04"), facts)
    return _not_now(state, move)


def _seat_refused(state: Playing, seat: int) -> Violation:
    """Refuse a move of a seat whose turn it is not."""
    seats = state.round.rules.seats
    if not 0 <= seat < seats:
        return Violation(Reason.NO_SUCH_SEAT, ("LIN-03",), {"seat": seat, "seats": seats})
    return Violation(Reason.NOT_YOUR_TURN, ("A-LIN-34",), {"seat": seat, "turn": state.turn})


def _play_violation(state: Playing, move: Play) -> Violation | None:
    """Judge a play: the seat, the tile, the place, and whether they fit."""
    seat, tile, place = move.seat, move.tile, move.place
    if seat != state.turn:
        return _seat_refused(state, seat)
    if not 0 <= tile < TILE_COUNT or not state.hands[seat] >> tile & 1:
        named = NAMES[tile] if 0 <= tile < TILE_COUNT else str(tile)
        return Violation(Reason.TILE_NOT_HELD, ("LIN-06", "D-05"), {"tile": named})
    layout = state.layout
    places = layout.places
    if place in places and FITTING[layout.ends[places.index(place)]] >> tile & 1:
        return None
    facts: dict[str, Fact] = {
        "tile": NAMES[tile],
        "place": PLACE_NAMES[place] if 0 <= place < PLACE_COUNT else str(place),
        "open": tuple([PLACE_NAMES[each] for each in layout.places]),
    }
    if place in places:
        return Violation(Reason.TILE_DOES_NOT_FIT, ("LIN-09",), facts)
    if not state.events:
        return Violation(Reason.NO_SUCH_PLACE, ("LIN-08", "D-09"), facts)
    refusal = refusal_of(layout, place)
    return Violation(refusal.reason, refusal.clauses, facts)


def _idle_violation(state: Playing, move: Draw | Knock) -> Violation | None:
    """Judge a draw or a knock: the seat, whether it could play, and the boneyard."""
    if move.seat != state.turn:
        return _seat_refused(state, move.seat)
    if state.able:
        return _able_violation(state, move)
    if isinstance(move, Draw):
        return _draw_violation(state)
    if may_draw(state):
        return Violation(Reason.MUST_DRAW, ("LIN-07", "D-06", "A-LIN-14"), {"boneyard": boneyard_count(state)})
    return None


def _able_violation(state: Playing, move: Draw | Knock) -> Violation:
    """Refuse a draw or a knock of a seat that holds a tile that fits."""
    if isinstance(move, Knock):
        clauses = ("A-LIN-13", "D-06")
    elif drawn_this_turn(state):
        clauses = ("A-LIN-11", "D-06")
    else:
        clauses = ("A-LIN-10", "LIN-07")
    return Violation(
        Reason.MUST_PLAY_IF_ABLE, clauses, {"tiles": tuple([NAMES[each] for each in tiles_in(state.able)])}
    )


def _draw_violation(state: Playing) -> Violation | None:
    """Judge a draw of a seat that holds no tile that fits."""
    rules = state.round.rules
    boneyard = boneyard_count(state)
    if boneyard <= rules.floor:
        clauses = ("LIN-07", "A-LIN-12", "D-06") if rules.options.draw is not DrawRule.NONE else ("A-LIN-09", "D-06")
        return Violation(Reason.BONEYARD_AT_RESERVE, clauses, {"boneyard": boneyard, "reserve": rules.floor})
    if rules.one_draw and drawn_this_turn(state):
        return Violation(Reason.ALREADY_DREW, ("A-LIN-09", "D-06"), {"drawn": drawn_this_turn(state)})
    return None
