"""The auction: four calls, then the highest bidder names trumps.

Everything here takes legal moves only; `legality` says which are.
"""

from dominohall_engine.forty_two.scoring import throw_in
from dominohall_engine.forty_two.state import CLOCKWISE, NO_BID, Auction, Contract, Naming, Over, Playing, Shaking
from dominohall_engine.seats import SEAT_COUNT


def bid(state: Auction, points: int) -> Auction | Naming:
    """Let the seat whose turn it is bid; after four calls the highest bidder names trumps (F42-PL-19, F42-RU-12)."""
    calls = state.calls + bytes((points,))
    if len(calls) < SEAT_COUNT:
        return Auction(state.deal, CLOCKWISE[state.turn], calls)
    return Naming(state.deal, calls)


def pass_by(state: Auction) -> Auction | Naming | Shaking | Over:
    """Let the seat whose turn it is pass; when all four have, the round is thrown in (A-PL-10, A-RU-05)."""
    calls = state.calls + bytes((NO_BID,))
    if len(calls) < SEAT_COUNT:
        return Auction(state.deal, CLOCKWISE[state.turn], calls)
    return Naming(state.deal, calls) if state.highest else throw_in(state.deal, calls)


def name_trump(state: Naming, trump: int) -> Playing:
    """Name trumps; the bidder is on lead (F42-PL-19, F42-RU-12)."""
    return Playing(Contract(state.deal, state.calls, trump), state.bidder, b"", 0, b"", (0, 0))
