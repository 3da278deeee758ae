"""The beginning of a round: the lot for the first shaker, the shake, and who calls first."""

from dominohall_engine.forty_two.encoding import pack_head
from dominohall_engine.forty_two.state import Auction, Deal, Lotting, Shaking, hands_of
from dominohall_engine.forty_two.tables import OPENING_TILE
from dominohall_engine.seats import left_of


def draw_lot(state: Lotting, seat: int) -> Shaking:
    """Begin with the seat on which the lot fell: it shakes first (F42-PL-11)."""
    return Shaking(state.options, seat, 0, (0, 0), None)


def shake(state: Shaking, order: bytes) -> Auction:
    """Give each seat seven tiles (F42-PL-12, F42-RU-03) and open the auction (F42-PL-18, F42-RU-06).

    Seat 0 takes the first seven tiles of the order, seat 1 the next, and so on (D-05); the order in which people
    draw from the table is courtesy (A-PL-23).
    """
    opener = order.index(OPENING_TILE) // 7 if state.shaker is None else left_of(state.shaker)
    head = pack_head(state.options, state.shakes + 1, state.scores, state.shaker, state.last_round)
    return Auction(Deal(state, opener, hands_of(order), order, head), opener, b"")
