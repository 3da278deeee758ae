"""The states of a match of 42: one small class a phase, whose fields never change.

    Lotting -> Shaking -> Auction -> Naming -> Playing -> Shaking ... -> Over
                  ^          |                    (a round ends)
                  +----------+ all pass

A state holds what can't be recomputed cheaply; what a move needs at once (the playable tiles, the lowest bid) is
computed when the state is made. Two states are the same when `encode` gives the same bytes; they have no `==` of
their own. The constructors trust their arguments: states come from `new_match`, `apply` and `decode`, and `problems`
judges one that came from outside.
"""

from typing import Final

from dominohall_engine.forty_two.options import AllPass, FirstLead, Options
from dominohall_engine.forty_two.tables import DOUBLES_SUIT, FOLLOWS, LOWEST_BID, POWER, SUITS, TRUMPS, suits_of
from dominohall_engine.outcomes import Outcome
from dominohall_engine.seats import SEAT_COUNT
from dominohall_engine.tiles import TILE_COUNT

Pair = tuple[int, int]
"""A number for each side: side 0 is seats 0 and 2, side 1 is seats 1 and 3."""

NO_BID: Final = 0
"""How a pass stands among the calls of an auction; a bid stands there as its points."""

CLOCKWISE: Final = (1, 2, 3, 0)
"""``CLOCKWISE[seat]`` is the seat on the left (A-PL-20, A-RU-20)."""
ALL_FOUR_FROM: Final = ((0, 1, 2, 3), (1, 2, 3, 0), (2, 3, 0, 1), (3, 0, 1, 2))
"""``ALL_FOUR_FROM[leader]`` are the seats in the order in which they play to a trick."""

BIT: Final = tuple(1 << min(byte, TILE_COUNT) for byte in range(256))
"""``BIT[tile]`` is the tile's mask; a byte that is no tile has a bit beyond all tiles."""

PLAYING_CODE: Final = 4
"""How the canonical encoding says that tricks are played."""

ONE_BYTE: Final = tuple(bytes((each,)) for each in range(TILE_COUNT))
"""``ONE_BYTE[tile]`` is the tile as a byte, to append to plays."""


class LastRound:
    """What the round before this one came to, for a host to show between rounds.

    `calls` are the four calls from `opener` on. When all passed, `bidder`, `bid` and `trump` are None, nothing was
    played and nobody gained. Otherwise `plays` are the 28 tiles in the order played, `points` is what the bidding side
    took (0 to 42) and `gained` is what each side scored.
    """

    __slots__ = ("bid", "bidder", "calls", "gained", "opener", "plays", "points", "trump")

    def __init__(self, opener: int, calls: bytes, trump: int | None, plays: bytes, points: int, gained: Pair) -> None:
        bid = max(calls)
        self.opener: Final = opener
        self.calls: Final = calls
        self.bid: Final = bid or None
        self.bidder: Final = bidder_of(opener, calls) if bid else None
        self.trump: Final = trump
        self.plays: Final = plays
        self.points: Final = points
        self.gained: Final = gained


class Lotting:
    """A match waits for the lot that names the first shaker (F42-PL-11)."""

    __slots__ = ("options",)

    def __init__(self, options: Options) -> None:
        self.options: Final = options


class Shaking:
    """Between rounds: the tiles wait to be shaken, by `shaker` if the options have shakers."""

    __slots__ = ("last_round", "options", "scores", "shaker", "shakes")

    def __init__(
        self, options: Options, shaker: int | None, shakes: int, scores: Pair, last_round: LastRound | None
    ) -> None:
        self.options: Final = options
        self.shaker: Final = shaker
        self.shakes: Final = shakes
        self.scores: Final = scores
        self.last_round: Final = last_round


class Deal:
    """What stays the same all through one round: how the match stood, and who was dealt what.

    `order` is the hidden order of the shake, `hands` the four masks it gave; `opener` calls first. `head` is the part
    of the canonical encoding that this round never changes, kept so that encoding a state is a concatenation.
    """

    __slots__ = ("hands", "head", "last_round", "opener", "options", "order", "scores", "shaker", "shakes")

    def __init__(
        self, before: Shaking, opener: int, hands: tuple[int, int, int, int], order: bytes, head: bytes
    ) -> None:
        self.options: Final = before.options
        self.shaker: Final = before.shaker
        self.shakes: Final = before.shakes + 1
        self.scores: Final = before.scores
        self.last_round: Final = before.last_round
        self.opener: Final = opener
        self.hands: Final = hands
        self.order: Final = order
        self.head: Final = head


class Auction:
    """Each seat in turn bids once or passes, the opener first (F42-PL-17, F42-RU-07).

    `lowest` is the lowest bid that would be legal now, 43 when nobody can raise a bid of 42 (D-02); `may_pass` is
    false only for the last seat to call, after three passes, under a forced bid.
    """

    __slots__ = ("calls", "deal", "highest", "lowest", "may_pass", "turn")

    def __init__(self, deal: Deal, turn: int, calls: bytes) -> None:
        highest = max(calls) if calls else NO_BID
        lowest = highest + 1 if highest else LOWEST_BID
        may_pass = True
        if len(calls) == SEAT_COUNT - 1 and not highest:  # A-PL-10, A-RU-05
            all_pass = deal.options.all_pass
            may_pass = all_pass in (AllPass.REDEAL_NEXT, AllPass.REDEAL_SAME)
            lowest = LOWEST_BID + (all_pass is AllPass.FORCED_31)
        self.deal: Final = deal
        self.turn: Final = turn
        self.calls: Final = calls
        self.highest: Final = highest
        self.lowest: Final = lowest
        self.may_pass: Final = may_pass


class Naming:
    """The bidder names trumps before leading (F42-PL-19, A-PL-15, D-03); bit ``t`` of `choices` allows trump ``t``."""

    __slots__ = ("bid", "bidder", "calls", "choices", "deal")

    def __init__(self, deal: Deal, calls: bytes) -> None:
        bidder = bidder_of(deal.opener, calls)
        choices = all_choices(deal.options)
        if deal.options.first_lead is FirstLead.TRUMP:
            choices &= suits_of(deal.hands[bidder])
        self.deal: Final = deal
        self.calls: Final = calls
        self.bidder: Final = bidder
        self.bid: Final = max(calls)
        self.choices: Final = choices


class TrickRules:
    """How tricks are played under a contract: what every rule about tricks is asked of.

    `trick_size` tiles make a trick, `plays` a round; `seats_from` are the seats that play to a trick, by its leader,
    and `next_seat` the one after a seat; `follows` and `power` are the tables of this trump. Under every trump of
    these texts four tiles make a trick, each seat plays after the one on its right, and doubles head their number.
    A contract that plays otherwise (a partner who sits out, doubles ranked apart) differs in these fields and nowhere
    else.
    """

    __slots__ = ("follows", "next_seat", "plays", "power", "seats_from", "trick_size")

    def __init__(self, trump: int) -> None:
        self.trick_size: Final = 4
        self.plays: Final = TILE_COUNT
        self.seats_from: Final = ALL_FOUR_FROM
        self.next_seat: Final = CLOCKWISE
        self.follows: Final = FOLLOWS[trump]
        self.power: Final = POWER[trump]


TRICK_RULES: Final = tuple(TrickRules(trump) for trump in SUITS)
"""``TRICK_RULES[trump]``."""


class Contract:
    """A bid with its trump, and how its tricks are played.

    `head` is the part of the canonical encoding that this contract never changes, as `Deal.head` is of its round.
    """

    __slots__ = ("bid", "bidder", "calls", "deal", "head", "rules", "trump")

    def __init__(self, deal: Deal, calls: bytes, trump: int) -> None:
        bid = max(calls)
        self.deal: Final = deal
        self.calls: Final = calls
        self.bidder: Final = (deal.opener + calls.index(bid)) % SEAT_COUNT
        self.bid: Final = bid
        self.trump: Final = trump
        self.rules: Final = TRICK_RULES[trump]
        self.head: Final = deal.head + bytes((PLAYING_CODE, deal.opener)) + calls + bytes((trump,))


class Playing:
    """Tricks are played; `playable` is the mask of what the seat whose turn it is may play.

    `plays` are all tiles of the round in the order played and `trick` those of the unfinished trick; `played` is their
    mask. `taken` counts the points of each side so far, tricks and count (F42-PL-25).
    """

    __slots__ = ("contract", "playable", "played", "plays", "taken", "trick", "turn")

    def __init__(self, contract: Contract, turn: int, plays: bytes, played: int, trick: bytes, taken: Pair) -> None:
        held = contract.deal.hands[turn] & ~played
        if trick:
            held = (
                held & contract.rules.follows[trick[0]] or held
            )  # follow suit if you can: F42-PL-20, F42-PL-22, A-RU-09
        elif not plays and contract.deal.options.first_lead is FirstLead.TRUMP:
            held &= TRUMPS[contract.trump]  # A-RU-10, D-03
        self.contract: Final = contract
        self.turn: Final = turn
        self.plays: Final = plays
        self.played: Final = played
        self.trick: Final = trick
        self.taken: Final = taken
        self.playable: Final = held


class Over:
    """The match has ended; `shakes` counts the rounds begun, an abandoned one included."""

    __slots__ = ("last_round", "options", "outcome", "shakes")

    def __init__(self, options: Options, shakes: int, last_round: LastRound | None, outcome: Outcome) -> None:
        self.options: Final = options
        self.shakes: Final = shakes
        self.last_round: Final = last_round
        self.outcome: Final = outcome


InRound = Auction | Naming | Playing
State = Lotting | Shaking | Auction | Naming | Playing | Over


def deal_of(state: InRound) -> Deal:
    """Return the deal of a round in progress."""
    return state.contract.deal if isinstance(state, Playing) else state.deal


def all_choices(options: Options) -> int:
    """Return the trumps that these options know, whatever the hand: bit ``t`` for trump ``t`` (X-05)."""
    return (1 << DOUBLES_SUIT) - 1 | options.doubles_trump << DOUBLES_SUIT


def hands_of(order: bytes) -> tuple[int, int, int, int]:
    """Return the hand of each seat as a mask: places 7i to 7i + 6 of an order go to seat i (D-05)."""
    return _seven(order[:7]), _seven(order[7:14]), _seven(order[14:21]), _seven(order[21:])


def _seven(tiles: bytes) -> int:
    a, b, c, d, e, f, g = tiles
    return BIT[a] | BIT[b] | BIT[c] | BIT[d] | BIT[e] | BIT[f] | BIT[g]


def bidder_of(opener: int, calls: bytes) -> int:
    """Return the seat that made the highest of these calls; `opener` made the first."""
    return (opener + calls.index(max(calls))) % SEAT_COUNT
