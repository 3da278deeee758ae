"""Playing tricks.

Which tiles may be played is `Playing.playable`; here a legal tile is played, and a full trick is won.
"""

from dominohall_engine.forty_two.scoring import close_round
from dominohall_engine.forty_two.state import ONE_BYTE, Over, Playing, Shaking, TrickRules
from dominohall_engine.forty_two.tables import COUNT


def play(state: Playing, tile: int) -> Playing | Shaking | Over:
    """Put a tile of the seat whose turn it is to the trick.

    The seat that wins the trick leads the next (A-PL-09, F42-RU-17); all tricks are played, even when the bid is
    already safe or lost (F42-PL-24, A-PL-16).
    """
    contract = state.contract
    rules = contract.rules
    plays = state.plays + ONE_BYTE[tile]
    played = state.played | 1 << tile
    trick = state.trick + ONE_BYTE[tile]
    after = rules.next_seat[state.turn]
    if len(trick) < rules.trick_size:
        return Playing(contract, after, plays, played, trick, state.taken)

    leader = after  # the turn has come round to the seat that led
    winner = winning_seat(rules, leader, trick)
    taken = add_to_side(state.taken, winner % 2, trick_points(trick))
    if len(plays) < rules.plays:
        return Playing(contract, winner, plays, played, b"", taken)
    return close_round(contract, plays, taken)


def winning_tile(rules: TrickRules, trick: bytes) -> int:
    """Return the tile that wins: the highest trump, or without trumps the highest of the led suit.

    A tile of another suit never wins, however many pips it has (F42-PL-23, A-PL-06; F42-RU-15, F42-RU-16).

    >>> from dominohall_engine.forty_two.state import TRICK_RULES
    >>> from dominohall_engine.tiles import format_tile, parse_tile
    >>> trick = bytes(map(parse_tile, ["6-4", "4-4", "6-6", "4-0"]))
    >>> fours, sixes = TRICK_RULES[4], TRICK_RULES[6]
    >>> format_tile(winning_tile(fours, trick)), format_tile(winning_tile(sixes, trick)), trick_points(trick)
    ('4-4', '6-6', 11)
    """
    power = rules.power[trick[0]]
    best = trick[0]
    for tile in trick:
        if power[tile] > power[best]:
            best = tile
    return best


def winning_seat(rules: TrickRules, leader: int, trick: bytes) -> int:
    """Return the seat that played the winning tile of a trick that `leader` led."""
    return rules.seats_from[leader][trick.index(winning_tile(rules, trick))]


def trick_points(trick: bytes) -> int:
    """Return what a trick is worth: 1, and the count in it (F42-PL-25, F42-RU-04)."""
    points = 1
    for tile in trick:
        points += COUNT[tile]
    return points


def add_to_side(taken: tuple[int, int], side: int, points: int) -> tuple[int, int]:
    """Add points to one side's total."""
    return (taken[0] + points, taken[1]) if side == 0 else (taken[0], taken[1] + points)
