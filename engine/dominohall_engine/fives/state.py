"""The states of a match of Fives: one small class a phase, whose fields never change.

    Lotting -> Shaking -> Playing -> Shaking ... -> Over
       ^                     |      (a round ends)
       +---------------------+ a lot is due (A-LIN-22, A-LIN-23)

A state holds what can't be recomputed cheaply; what a move needs at once (the tiles that can be played) is computed
when the state is made. Two states are the same when `encode` gives the same bytes; they have no `==` of their own.
The constructors trust their arguments: states come from `new_match`, `apply` and `decode`, and `problems` judges one
that came from outside.
"""

from enum import StrEnum
from functools import lru_cache
from typing import Final

from dominohall_engine.errors import InvalidOptions
from dominohall_engine.fives.layout import EMPTY, Layout
from dominohall_engine.fives.options import DrawRule, Options
from dominohall_engine.fives.options_bytes import pack_options
from dominohall_engine.outcomes import Outcome
from dominohall_engine.seats import PARTNERSHIPS
from dominohall_engine.tiles import TILE_COUNT

DRAW: Final = TILE_COUNT
KNOCK: Final = TILE_COUNT + 1
"""How a draw and a knock stand among the events of a round; a played tile stands there as itself, 0..27."""
DRAW_BYTE: Final = bytes((DRAW,))
KNOCK_BYTE: Final = bytes((KNOCK,))


PLACES: Final = bytes(range(TILE_COUNT))
"""The places of the tiles in the order of a shake."""


class RoundEnd(StrEnum):
    """What ended a round."""

    WENT_OUT = "went_out"
    """A seat played its last tile (LIN-13)."""
    BLOCKED = "blocked"
    """Every seat in turn knocked (LIN-16, D-07)."""
    STOPPED = "stopped"
    """A tile reached the target, and the match with it (LIN-18, A-LIN-26, D-08); nothing was counted."""


class LastRound:
    """What the round before this one came to, for a host to show.

    `leader` led it. `seat` is who went out, who won the block and may lead by it (A-LIN-23), or who reached the
    target; None when nobody won. `scored` is what the last tile scored, 0 after a knock; `bonus` what the winner got
    on top. `hands` are the masks of the tiles that each seat laid open to be counted; None when the match stopped.
    """

    __slots__ = ("bonus", "end", "hands", "leader", "scored", "seat")

    def __init__(
        self, end: RoundEnd, leader: int, seat: int | None, scored: int, bonus: int, hands: tuple[int, ...] | None
    ) -> None:
        self.end: Final = end
        self.leader: Final = leader
        self.seat: Final = seat
        self.scored: Final = scored
        self.bonus: Final = bonus
        self.hands: Final = hands


class Rules:
    """What follows from the options, worked out once for all matches under them (`rules_of`)."""

    __slots__ = (
        "boneyard",
        "empty",
        "floor",
        "kind",
        "one_draw",
        "options",
        "owned",
        "packed",
        "seats",
        "side_of",
        "sides",
        "stops_at",
    )

    def __init__(self, options: Options) -> None:
        sides = PARTNERSHIPS if options.partners else tuple((seat,) for seat in range(options.seats))
        boneyard = TILE_COUNT - options.seats * options.hand_size
        self.options: Final = options
        self.packed: Final = pack_options(options)
        """The options as they stand in every encoded state."""
        self.seats: Final = options.seats
        self.sides: Final[tuple[tuple[int, ...], ...]] = sides
        self.side_of: Final = tuple([seat in each for each in sides].index(True) for seat in range(options.seats))
        """``side_of[seat]`` is the side that a seat plays for."""
        self.boneyard: Final = boneyard
        """How many tiles nobody is dealt (LIN-07)."""
        self.floor: Final = boneyard if options.draw is DrawRule.NONE else min(options.reserve, boneyard)
        """How many tiles of the boneyard nobody may draw (A-LIN-12)."""
        size = options.hand_size
        self.owned: Final = tuple([_digits_of(size * seat, size) for seat in range(options.seats)])
        """``owned[seat]`` turns the places of an order that are dealt to a seat into the digit 1, others into 0."""
        self.one_draw: Final = options.draw is DrawRule.ONE
        self.stops_at: Final = None if options.finish_hand else options.target
        """The score that stops a match in the middle of a round (A-LIN-26)."""
        self.empty: Final = EMPTY[options.spinner]
        self.kind: Final = self.empty.kind


def _digits_of(first: int, count: int) -> bytes:
    """Return the table of `bytes.translate` that gives 1 for `count` places from `first` on, and 0 for others."""
    return (b"0" * first + b"1" * count).ljust(256, b"0")


rules_of = lru_cache(maxsize=256)(Rules)


class Lotting:
    """A match waits for the lot that finds the leader (LIN-04, A-LIN-22, A-LIN-23)."""

    __slots__ = ("last_round", "rules", "scores", "shakes")

    def __init__(self, rules: Rules, shakes: int, scores: tuple[int, ...], last_round: LastRound | None) -> None:
        self.rules: Final = rules
        self.shakes: Final = shakes
        self.scores: Final = scores
        self.last_round: Final = last_round


class Shaking:
    """A match waits for a shake; then `leader` plays first (LIN-05, LIN-08, LIN-19)."""

    __slots__ = ("last_round", "leader", "rules", "scores", "shakes")

    def __init__(
        self, rules: Rules, shakes: int, scores: tuple[int, ...], leader: int, last_round: LastRound | None
    ) -> None:
        self.rules: Final = rules
        self.shakes: Final = shakes
        self.scores: Final = scores
        self.leader: Final = leader
        self.last_round: Final = last_round


class Round:
    """What stays the same from a shake to the end of its round. `head` is its part of `encode`, written once."""

    __slots__ = ("head", "last_round", "leader", "order", "rules", "shakes")

    def __init__(
        self, rules: Rules, shakes: int, leader: int, last_round: LastRound | None, order: bytes, head: bytes
    ) -> None:
        self.rules: Final = rules
        self.shakes: Final = shakes
        self.leader: Final = leader
        self.last_round: Final = last_round
        self.order: Final = order
        self.head: Final = head


class Playing:
    """A round is played; it is `turn`'s turn, and `able` are the tiles of that hand that can be played.

    `hands` are the masks of what each seat holds now. `events` are all moves of the round in order, a byte each: a
    played tile, `DRAW` or `KNOCK`; `places` the places of the played tiles. Whose move each was follows from them: the
    turn passes to the left after every play and knock.
    """

    __slots__ = ("able", "events", "hands", "layout", "places", "round", "scores", "turn")

    def __init__(
        self,
        round_: Round,
        scores: tuple[int, ...],
        turn: int,
        hands: tuple[int, ...],
        layout: Layout,
        events: bytes,
        places: bytes,
    ) -> None:
        self.round: Final = round_
        self.scores: Final = scores
        self.turn: Final = turn
        self.hands: Final = hands
        self.layout: Final = layout
        self.events: Final = events
        self.places: Final = places
        self.able: Final = hands[turn] & layout.fits


class Over:
    """A match has ended. `leader` would lead the next one by A-LIN-25; None where only a lot could say."""

    __slots__ = ("last_round", "leader", "outcome", "rules", "scores", "shakes")

    def __init__(
        self, rules: Rules, shakes: int, leader: int | None, outcome: Outcome, last_round: LastRound | None
    ) -> None:
        self.rules: Final = rules
        self.shakes: Final = shakes
        self.leader: Final = leader
        self.outcome: Final = outcome
        self.scores: Final = outcome.scores
        self.last_round: Final = last_round


State = Lotting | Shaking | Playing | Over


def new_match(options: Options, first: int | None = None) -> State:
    """Begin a match, by a lot, or with `first` as the leader that a rematch names (LIN-04, D-12).

    Raises `InvalidOptions` if `first` is no seat of this match.
    """
    rules = rules_of(options)
    scores = (0,) * len(rules.sides)
    if first is None:
        return Lotting(rules, 0, scores, None)
    if first not in range(options.seats):
        raise InvalidOptions(f"first: expected a seat from 0 to {options.seats - 1}, got {first!r}")
    return Shaking(rules, 0, scores, first, None)


def dealt(rules: Rules, order: bytes) -> list[int]:
    """Return the hand of each seat after this shake, as masks (D-05).

    Digit by digit, tile 27 first: the place of each tile in the order, then 1 where that place is the seat's.
    """
    places = bytes.maketrans(order, PLACES)[TILE_COUNT - 1 :: -1]
    return [int(places.translate(owned), 2) for owned in rules.owned]


def boneyard_count(state: Playing) -> int:
    """Return how many tiles lie in the boneyard."""
    return state.round.rules.boneyard - state.events.count(DRAW)


def drawn_this_turn(state: Playing) -> int:
    """Return how many tiles the seat whose turn it is has drawn in this turn."""
    return len(state.events) - len(state.events.rstrip(DRAW_BYTE))


def knocks_in_a_row(events: bytes) -> int:
    """Return how many turns have ended with a knock since the last play (D-07).

    Draws in between change nothing: the seat that drew knocked too.
    """
    return events[len(events.rstrip(DRAW_BYTE + KNOCK_BYTE)) :].count(KNOCK)


def rules_under(state: State) -> Rules:
    """Return the rules that this match is played under."""
    return state.round.rules if isinstance(state, Playing) else state.rules
