"""A sensible player of 42: bids on what it holds, draws trumps, gives count to its partner.

It takes a `View` and nothing else, so it can't know more than its seat may; this module imports the view, the moves
and the tables of the game, never its states. The same view always gives the same move.
"""

from typing import Final

from dominohall_engine.forty_two.moves import Bid, NameTrump, Pass, Play, SeatMove
from dominohall_engine.forty_two.options import Options
from dominohall_engine.forty_two.tables import COUNT, DOUBLES_SUIT, HIGHEST_BID, POWER, TRUMPS, is_trump, rank
from dominohall_engine.forty_two.view import View
from dominohall_engine.tiles import ALL_TILES, DOUBLES, HALVES, HIGH, mask_of, tiles_in

PARTNER: Final = 6
"""What the partner saves on average."""

LOST_TRICK: Final = 6
"""What a lost trick costs on average: 1, and a seventh of the count."""

PART: Final = 20
"""Worth is counted in twentieths of a point: the engine has no floats, its players neither."""


def choose(view: View) -> SeatMove:
    """Return the move that this player makes; `ValueError` when it is not the turn of the view's seat."""
    if not view.legal_moves:
        raise ValueError("expected the view of the seat whose turn it is")
    if len(view.legal_moves) == 1:
        return view.legal_moves[0]
    first = view.legal_moves[0]
    hand = mask_of(view.hand or ())
    if isinstance(first, Play):
        return _lead(view, hand) if view.trick is None else _follow(view, hand)
    if isinstance(first, NameTrump):
        return max(
            [move for move in view.legal_moves if isinstance(move, NameTrump)], key=lambda m: worth(hand, m.trump)
        )
    return _call(view, hand)


# --- the auction


def _call(view: View, hand: int) -> SeatMove:
    """Bid the least that is legal if the hand is worth it, and never over the partner."""
    bids = [move for move in view.legal_moves if isinstance(move, Bid)]
    passes = [move for move in view.legal_moves if isinstance(move, Pass)]
    if not passes:
        return bids[0]
    if not bids or (view.bidder is not None and view.bidder % 2 == passes[0].seat % 2):
        return passes[0]
    return bids[0] if best_worth(hand, view.options) >= PART * bids[0].points else passes[0]


def best_worth(hand: int, options: Options) -> int:
    """Return what a hand can hope for with its best trump, in twentieths of a point."""
    return max([worth(hand, trump) for trump in range(DOUBLES_SUIT + options.doubles_trump)])


def worth(hand: int, trump: int) -> int:
    """Return what a hand can hope for with this trump, in twentieths: 42 points less what its losing tiles may cost.

    Trumps lose while higher ones are out, but few trumps can't draw the others'; a double off trumps nearly always
    wins, another tile seldom, unless its double goes before it.
    """
    trumps = hand & TRUMPS[trump]
    number = trumps.bit_count()
    if number < 3:
        return 0
    higher_out = sum(rank(tile, trump) > _lowest_of_three(trumps, trump) for tile in tiles_in(TRUMPS[trump] & ~hand))
    cost = (16 * higher_out + 10 * max(0, 4 - number)) * LOST_TRICK
    for tile in tiles_in(hand & ~trumps):
        if not 1 << tile & DOUBLES:
            covered = hand & ~trumps & DOUBLES & mask_of([_double_of(HIGH[tile])])
            cost += (3 if covered else 6) * (2 * LOST_TRICK + COUNT[tile])
    return PART * (HIGHEST_BID + PARTNER) - cost


def _lowest_of_three(trumps: int, trump: int) -> int:
    """Return the rank of the third highest trump held: what is out above it can take a trick."""
    return sorted([rank(tile, trump) for tile in tiles_in(trumps)])[-3]


def _double_of(pip: int) -> int:
    return pip * (pip + 3) // 2


# --- tricks


def _lead(view: View, hand: int) -> SeatMove:
    """Lead the highest trump while others may hold trumps, then tiles that nothing out can beat, then the cheapest."""
    trump = view.trump if view.trump is not None else 0
    out = tiles_in(ALL_TILES & ~hand & ~_played(view))
    plays = [move for move in view.legal_moves if isinstance(move, Play)]
    on_bidding_side = view.bidder is not None and view.bidder % 2 == plays[0].seat % 2
    trumps_out = any(is_trump(tile, trump) for tile in out)
    sure = [move for move in plays if _beats_all(POWER[trump][move.tile], move.tile, out)]
    own_trumps = [move for move in plays if is_trump(move.tile, trump)]
    if own_trumps and trumps_out and on_bidding_side:
        sure_trumps = [move for move in own_trumps if move in sure]
        if sure_trumps:
            return _strongest(sure_trumps, trump)
        if len(own_trumps) > 2:
            return _weakest(own_trumps, trump)
    if sure:
        plain = [move for move in sure if not is_trump(move.tile, trump)]
        return max(plain or sure, key=lambda move: (COUNT[move.tile], move.tile))
    others = [move for move in plays if not is_trump(move.tile, trump)]
    return _weakest(others or plays, trump)


def _follow(view: View, hand: int) -> SeatMove:
    """Win for the own side as cheaply as it holds, give count to a winning partner, else give nothing away."""
    trick = view.trick
    plays = [move for move in view.legal_moves if isinstance(move, Play)]
    if trick is None:
        return plays[0]
    trump = view.trump if view.trump is not None else 0
    power = POWER[trump][trick.plays[0].tile]
    best = max(trick.plays, key=lambda move: power[move.tile])
    out = tiles_in(ALL_TILES & ~hand & ~_played(view))
    last = len(trick.plays) == 3
    partner_wins = best.seat % 2 == plays[0].seat % 2
    if partner_wins and (last or _beats_all(power, best.tile, out)):
        return max(
            plays, key=lambda move: (COUNT[move.tile] - 12 * (power[move.tile] > power[best.tile]), -power[move.tile])
        )
    winning = [move for move in plays if power[move.tile] > power[best.tile]]
    sure = [move for move in winning if last or _beats_all(power, move.tile, out)]
    if sure:
        return max(sure, key=lambda move: (COUNT[move.tile], -power[move.tile]))
    if winning and not partner_wins and trick.points > 1:
        return max(winning, key=lambda move: (power[move.tile], -COUNT[move.tile]))
    return _weakest(plays, trump)


def _played(view: View) -> int:
    """Return the mask of the tiles on the table, those of finished tricks included."""
    seen = [move.tile for trick in view.tricks for move in trick.plays]
    if view.trick is not None:
        seen += [move.tile for move in view.trick.plays]
    return mask_of(seen)


def _beats_all(power: tuple[int, ...], tile: int, out: tuple[int, ...]) -> bool:
    """Say whether no tile that is out takes the trick from this one, ruffs left aside."""
    limit = power[tile]
    trump_power = 11
    return all(power[each] < limit or (power[each] >= trump_power > limit) for each in out)


def _strongest(plays: list[Play], trump: int) -> Play:
    return max(plays, key=lambda move: POWER[trump][move.tile][move.tile])


def _weakest(plays: list[Play], trump: int) -> Play:
    """Return the tile that gives away least: no count, no trump, no double, few pips."""
    return min(
        plays,
        key=lambda move: (
            COUNT[move.tile] + 8 * is_trump(move.tile, trump) + 4 * (HALVES[move.tile][0] == HALVES[move.tile][1]),
            sum(HALVES[move.tile]),
        ),
    )
