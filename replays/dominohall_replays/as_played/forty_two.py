"""A round of forty-two played again as it was, under any options: illegal plies are marked and accepted.

The engine's own `violation` says what is illegal, and its own transitions, which ask nothing, go on past it. Who takes
a trick and what a round scores follow from the tiles that lay on the table.
"""

from dataclasses import dataclass
from typing import Final

from dominohall_engine import forty_two
from dominohall_engine.forty_two import Bid, NameTrump, Pass, Play
from dominohall_engine.forty_two.auction import bid, pass_by
from dominohall_engine.forty_two.moves import BIDS, NAMES_OF_TRUMP, PASSES, PLAYS
from dominohall_engine.forty_two.options import Opener, Options
from dominohall_engine.forty_two.scoring import outcome_after
from dominohall_engine.forty_two.state import Auction, Contract, Deal, Naming, Over, Playing, Shaking, State
from dominohall_engine.forty_two.tables import OPENING_TILE
from dominohall_engine.forty_two.tricks import add_to_side, play, trick_points, winning_seat
from dominohall_engine.outcomes import Outcome
from dominohall_engine.seats import SEAT_COUNT, left_of
from dominohall_engine.tiles import mask_of, tiles_in
from dominohall_engine.violations import Reason, Violation

from dominohall_replays.as_played.rounds import FortyTwoRound, Ply, Stage, Trick, UnusableRound

HAND_SIZE: Final = 7


@dataclass(frozen=True, slots=True)
class FortyTwoRun:
    """What came of a round under some options."""

    options: Options
    plies: tuple[Ply, ...]
    due_opener: int | None
    """Who opens the auction by these rules; None where that can't be told from what is known."""
    bidder: int | None
    bid: int | None
    trump: int | None
    tricks: tuple[forty_two.Trick, ...]
    taken: tuple[int, int]
    """What each side has taken."""
    result: forty_two.RoundResult | None
    """What the round came to; None if it was not played to its end."""


def known_hands(record: FortyTwoRound) -> tuple[int, ...]:
    """Return what each seat is known to have been dealt, as masks: its hand, or else the tiles that it played."""
    played = [0] * SEAT_COUNT
    for trick in record.tricks:
        for place, tile in enumerate(trick.tiles):
            played[(trick.leader + place) % SEAT_COUNT] |= 1 << tile
    return tuple([played[seat] if hand is None else mask_of(hand) for seat, hand in enumerate(record.hands)])


def fully_known(record: FortyTwoRound) -> tuple[bool, ...]:
    """Say of each seat whether its whole hand is known: written down, or all seven tiles of it played."""
    return tuple([hand.bit_count() == HAND_SIZE for hand in known_hands(record)])


def due_opener(record: FortyTwoRound, options: Options) -> int | None:
    """Return who opens the auction by these options, None where that can't be told from what is known."""
    if options.opener is Opener.LEFT_OF_SHAKER:
        return None if record.shaker is None else left_of(record.shaker)
    return next((seat for seat, hand in enumerate(known_hands(record)) if hand >> OPENING_TILE & 1), None)


def run_forty_two(record: FortyTwoRound, options: Options, *, keeps_opener: bool = False) -> FortyTwoRun:
    """Play a round again under these options, which need not be its own.

    With `keeps_opener` the seat that opened is taken as it was. `UnusableRound` if the round contradicts itself.
    """
    table = _Table(record, options)
    state = table.auction(keeps_opener=keeps_opener)
    if isinstance(state, Naming) and record.trump is not None:
        state = table.tricks_from(table.naming(state, *record.trump))
    elif record.trump is not None or record.tricks:
        raise UnusableRound("expected trump to be named after four calls with a bid among them")
    result = forty_two.view(state, None).last_round if isinstance(state, Shaking | Over) else None
    return FortyTwoRun(
        options,
        tuple(table.plies),
        due_opener(record, options),
        table.bidder,
        table.bid,
        table.trump,
        tuple(table.tricks),
        table.taken,
        result,
    )


def outcome_of(run: FortyTwoRun, before: tuple[int, int], rounds: int = 0) -> Outcome | None:
    """Return how a match that stood at `before` ends with this round, its `rounds`-th; 0 where nobody counts them."""
    if run.result is None:
        return None
    scores = (before[0] + run.result.gained[0], before[1] + run.result.gained[1])
    return outcome_after(run.options, scores, None if run.bidder is None else run.bidder % 2, rounds)


class _Table:
    """A round being played again."""

    def __init__(self, record: FortyTwoRound, options: Options) -> None:
        self.record: Final = record
        self.options: Final = options
        self.hands: Final = known_hands(record)
        self.is_known: Final = fully_known(record)
        self.plies: list[Ply] = []
        self.tricks: list[forty_two.Trick] = []
        self.taken = (0, 0)
        self.bidder: int | None = None
        self.bid: int | None = None
        self.trump: int | None = None

    def auction(self, *, keeps_opener: bool) -> State:
        """Go through the calls; the state after them."""
        record = self.record
        if record.bid is not None:
            seat, points = record.bid
            return Naming(self._deal(seat), bytes((points, 0, 0, 0)))
        if record.opener is None:
            raise UnusableRound("expected the calls or the bid of the round, got neither")
        due = due_opener(record, self.options)
        state: State = Auction(self._deal(record.opener), record.opener, b"")
        for place, points in enumerate(record.calls):
            assert isinstance(state, Auction)  # noqa: S101 - there are at most four calls
            call = Bid(state.turn, points) if points else Pass(state.turn)
            asked = state
            if place == 0 and due not in {None, record.opener} and not keeps_opener:
                asked = Auction(self._deal(due or 0), due or 0, b"")
            self._add(Stage.AUCTION, asked, call)
            state = bid(state, points) if points else pass_by(state)
        return state

    def naming(self, state: Naming, seat: int, trump: int) -> Playing:
        """Let trump be named; another seat than the highest bidder becomes the bidder, since the table let it."""
        move = NameTrump(seat, trump)
        self._add(Stage.AUCTION, state, move, ignored=None if self.is_known[seat] else Reason.TRUMP_NOT_IN_HAND)
        deal, calls = state.deal, state.calls
        if seat != state.bidder:
            place = (seat - deal.opener) % SEAT_COUNT
            if not calls[place]:
                raise UnusableRound(f"expected a seat that bid to name trump, got seat {seat}")
            calls = bytes([call if each == place else 0 for each, call in enumerate(calls)])
        contract = Contract(deal, calls, trump)
        self.bidder, self.bid, self.trump = contract.bidder, contract.bid, trump
        return Playing(contract, contract.bidder, b"", 0, b"", (0, 0))

    def tricks_from(self, state: Playing) -> State:
        """Go through the tricks; the state after them."""
        after: State = state
        for trick in self.record.tricks:
            if not isinstance(after, Playing):
                raise UnusableRound(f"expected at most 28 plays, got a trick after {len(self.tricks)}")
            after = self._trick(after, trick)
        return after

    def _trick(self, state: Playing, trick: Trick) -> State:
        rules = state.contract.rules
        after: State = state
        for place, tile in enumerate(trick.tiles):
            assert isinstance(state, Playing)  # noqa: S101 - a round ends with a whole trick
            out_of_turn = None
            if place == 0 and trick.leader != state.turn:
                out_of_turn = forty_two.violation(state, PLAYS[trick.leader][tile])
                state = Playing(state.contract, trick.leader, state.plays, state.played, b"", state.taken)
            self._add(Stage.PLAY, state, PLAYS[state.turn][tile], also=out_of_turn)
            after = play(state, tile)
            state = after if isinstance(after, Playing) else state
        tiles = bytes(trick.tiles)
        is_full = len(tiles) == rules.trick_size
        winner = winning_seat(rules, trick.leader, tiles) if is_full else None
        points = trick_points(tiles)
        if winner is not None:
            self.taken = add_to_side(self.taken, winner % 2, points)
        plays = tuple([PLAYS[(trick.leader + place) % SEAT_COUNT][tile] for place, tile in enumerate(tiles)])
        self.tricks.append(forty_two.Trick(trick.leader, plays, winner, points))
        return after

    def _deal(self, opener: int) -> Deal:
        before = Shaking(self.options, self.record.shaker, 0, self.record.scores, None)
        hands = self.hands
        return Deal(before, opener, (hands[0], hands[1], hands[2], hands[3]), b"", b"")

    def _add(
        self,
        stage: Stage,
        state: Auction | Naming | Playing,
        move: Bid | Pass | NameTrump | Play,
        *,
        also: Violation | None = None,
        ignored: Reason | None = None,
    ) -> None:
        """Note a ply, with everything that forbids it; `ignored` can't be told from what is known."""
        found = [each for each in (also, forty_two.violation(state, move)) if each is not None]
        violations = tuple(each for each in found if each.reason is not ignored)
        legal = tuple(each for each in _domain(state) if forty_two.violation(state, each) is None)
        trick = len(self.tricks) + 1 if stage is Stage.PLAY else None
        self.plies.append(Ply(len(self.plies) + 1, stage, move.seat, move, violations, legal, trick))


def _domain(state: Auction | Naming | Playing) -> tuple[Bid | Pass | NameTrump | Play, ...]:
    """Return what the seat whose turn it is could try."""
    if isinstance(state, Auction):
        return (PASSES[state.turn], *BIDS[state.turn])
    if isinstance(state, Naming):
        return NAMES_OF_TRUMP[state.bidder]
    held = state.contract.deal.hands[state.turn] & ~state.played
    return tuple([PLAYS[state.turn][tile] for tile in tiles_in(held)])
