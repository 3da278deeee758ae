"""The canonical bytes of a state: one value, one encoding.

Numbers are big-endian and unsigned. The head:

| bytes | what |
|---|---|
| 1 | format, 1 |
| 1 | phase: 0 lot, 1 shake, 2 playing, 3 over |
| 17 | options: revision, seats, partners, hand_size, draw, reserve, spinner, block_score, tie, tie_lead, block_lead, finish_hand, opening_scores (one byte each: a number, 0 or 1, or the place of the value in its enum), target (2), round_limit (2; 0 = none) |
| 4 | shakes so far, the one in progress included |
| 1 | leader: who leads the round, or would lead the next; 255 = none, a lot must say |
| 1 | the last round: 0 = there was none; 1 = a seat went out, 2 = blocked: then its leader, seat (255 = nobody won), scored (1 each), bonus (2), the mask of every hand (4 a seat); 3 = stopped at the target: then leader, seat, scored |
| 4 a side | scores |

Then what belongs to the phase:

| phase | what follows |
|---|---|
| 0 lot, 1 shake | nothing |
| 2 playing | length of the shape (1), the shape of the layout (see the kinds of spinner), how many events (1), the events (0..27 = the tile played, 28 = a draw, 29 = a knock), the place of each played tile |
| 3 over | ending: 0 target, 1 round_limit, 2 abandoned; winning side, 255 = none |

That is the public part. While a round is played the hidden part follows: the 28 tiles in the order of the shake. What
a seat holds is what it was dealt and drew less what it played; whose turn it is follows from leader and events.

`decode` takes exactly these bytes and checks every range, so it never reads two spellings of one state; whether the
state can arise in play is asked of `problems`.
"""  # noqa: E501 - a table row is a line

from functools import lru_cache
from struct import Struct
from typing import Final

from dominohall_engine.errors import UnreadableState
from dominohall_engine.fives.layout import layout_from
from dominohall_engine.fives.options_bytes import unpack_options
from dominohall_engine.fives.places import PLACE_COUNT
from dominohall_engine.fives.state import (
    DRAW,
    KNOCK,
    LastRound,
    Lotting,
    Over,
    Playing,
    Round,
    RoundEnd,
    Rules,
    Shaking,
    State,
    dealt,
    rules_of,
)
from dominohall_engine.outcomes import Ending, Outcome
from dominohall_engine.tiles import ALL_TILES, TILE_COUNT, is_order

FORMAT: Final = 1
NONE: Final = 255
LOT, SHAKE, PLAYING, OVER = range(4)

_HEAD: Final = Struct(">2B17sIB")
_COUNTED: Final = Struct(">3BH")
_HANDS: Final = {seats: Struct(f">{seats}I") for seats in (2, 3, 4)}
_SCORES: Final = {sides: Struct(f">{sides}I") for sides in (2, 3, 4)}
_ENDS: Final = (RoundEnd.WENT_OUT, RoundEnd.BLOCKED, RoundEnd.STOPPED)
_ENDINGS: Final = (Ending.TARGET, Ending.ROUND_LIMIT, Ending.ABANDONED)
_TILES_DOWN: Final = bytes(reversed(range(TILE_COUNT)))
_MARK: Final = b"\xff"
_DIGITS: Final = b"0" * 255 + b"1"
"""From tiles, the played ones marked, to the digits of their mask: tile 27 comes first."""
_MOST: Final = (1 << 31) - 1
"""No match gets there; the next shake or play still has its bytes."""
_EVENTS: Final = bytes(range(KNOCK + 1))
_OPEN_PLACES: Final = bytes(range(PLACE_COUNT))
_ONE: Final = tuple(bytes((each,)) for each in range(256))


def encode(state: State) -> bytes:
    """Return the canonical bytes of the state: the public part, then the hidden part."""
    if isinstance(state, Playing):
        return _public_playing(state) + state.round.order
    return encode_public(state)


def encode_public(state: State) -> bytes:
    """Return the public part alone: what everybody at the table knows."""
    if isinstance(state, Playing):
        return _public_playing(state)
    if isinstance(state, Over):
        winner, ending, scores = state.outcome
        return (
            pack_head(OVER, state.rules, state.shakes, state.leader, state.last_round)
            + _SCORES[len(scores)].pack(*scores)
            + bytes((_ENDINGS.index(ending), NONE if winner is None else winner))
        )
    if isinstance(state, Shaking):
        head = pack_head(SHAKE, state.rules, state.shakes, state.leader, state.last_round)
    else:
        head = pack_head(LOT, state.rules, state.shakes, None, state.last_round)
    return head + _SCORES[len(state.scores)].pack(*state.scores)


def _public_playing(state: Playing) -> bytes:
    shape = state.layout.shape
    events = state.events
    scores = state.scores
    return b"".join(
        (
            state.round.head,
            _SCORES[len(scores)].pack(*scores),
            bytes((len(shape), *shape, len(events))),
            events,
            state.places,
        )
    )


def pack_head(phase: int, rules: Rules, shakes: int, leader: int | None, last_round: LastRound | None) -> bytes:
    """Write the head up to the scores; it stays the same while a round is played."""
    head = _HEAD.pack(FORMAT, phase, rules.packed, shakes, NONE if leader is None else leader)
    if last_round is None:
        return head + b"\0"
    kind = _ENDS.index(last_round.end) + 1
    seat = NONE if last_round.seat is None else last_round.seat
    if last_round.hands is None:
        return head + bytes((kind, last_round.leader, seat, last_round.scored))
    counted = _COUNTED.pack(last_round.leader, seat, last_round.scored, last_round.bonus)
    return head + _ONE[kind] + counted + _HANDS[len(last_round.hands)].pack(*last_round.hands)


@lru_cache(maxsize=256)
def _rules_from(packed: bytes) -> Rules:
    """Read the 17 bytes of the options; most states come with options that were read before."""
    return rules_of(unpack_options(packed))


def decode(data: bytes) -> State:
    """Read `encode`'s bytes; `UnreadableState` for anything else. Does not run `problems`."""
    if len(data) <= _HEAD.size:
        raise UnreadableState(f"expected more than {_HEAD.size} bytes, got {len(data)}")
    format_, phase, packed_options, shakes, leader = _HEAD.unpack_from(data)
    if format_ != FORMAT:
        raise UnreadableState(f"expected format {FORMAT}, got {format_}")
    rules = _rules_from(packed_options)
    last_round, start = _last_round_from(data, rules.seats)
    scores, stop = _scores_from(data, start, len(rules.sides), shakes)
    if leader >= rules.seats and (leader != NONE or phase in {SHAKE, PLAYING}):
        raise UnreadableState(f"expected the leader's seat, got {leader}")
    if phase == PLAYING:
        return _playing_from(
            data, stop, Round(rules, shakes, leader, last_round, data[-TILE_COUNT:], data[:start]), scores
        )
    rest = data[stop:]
    if phase == OVER:
        return Over(rules, shakes, None if leader == NONE else leader, _outcome_from(rest, scores), last_round)
    if rest:
        raise UnreadableState(f"expected {stop} bytes, got {len(data)}")
    if phase == SHAKE:
        return Shaking(rules, shakes, scores, leader, last_round)
    if phase != LOT or leader != NONE:
        raise UnreadableState(f"expected a phase from 0 to 3 and no leader before a lot, got {phase} and {leader}")
    return Lotting(rules, shakes, scores, last_round)


def _last_round_from(data: bytes, seats: int) -> tuple[LastRound | None, int]:
    """Read the last round; return it and where the scores start."""
    start = _HEAD.size + 1
    kind = data[_HEAD.size]
    if kind == 0:
        return None, start
    if kind > len(_ENDS):
        raise UnreadableState(f"expected an end of the last round from 0 to 3, got {kind}")
    end = _ENDS[kind - 1]
    bonus, hands = 0, None
    if end is RoundEnd.STOPPED:
        stop = start + 3
        if len(data) < stop:
            raise UnreadableState(f"expected the last round up to byte {stop}, got {len(data)} bytes")
        leader, seat, scored = data[start:stop]
    else:
        stop = start + _COUNTED.size + _HANDS[seats].size
        if len(data) < stop:
            raise UnreadableState(f"expected the last round up to byte {stop}, got {len(data)} bytes")
        leader, seat, scored, bonus = _COUNTED.unpack_from(data, start)
        hands = _HANDS[seats].unpack_from(data, start + _COUNTED.size)
        if max(hands) > ALL_TILES:
            raise UnreadableState("expected masks of 28 tiles in the last round, got a larger one")
    if leader >= seats or (seat >= seats and (seat != NONE or end is not RoundEnd.BLOCKED)):
        raise UnreadableState(f"expected seats below {seats} in the last round, got {leader} and {seat}")
    return LastRound(end, leader, None if seat == NONE else seat, scored, bonus, hands), stop


def _scores_from(data: bytes, start: int, sides: int, shakes: int) -> tuple[tuple[int, ...], int]:
    """Read the scores; return them and where the phase's own part starts."""
    packed = _SCORES[sides]
    stop = start + packed.size
    if len(data) < stop:
        raise UnreadableState(f"expected scores up to byte {stop}, got {len(data)} bytes")
    scores = packed.unpack_from(data, start)
    if shakes > _MOST or max(scores) > _MOST:
        raise UnreadableState(f"expected shakes and scores up to {_MOST}, got larger ones")
    return scores, stop


def _outcome_from(rest: bytes, scores: tuple[int, ...]) -> Outcome:
    if len(rest) != 2:
        raise UnreadableState(f"expected 2 bytes of outcome, got {len(rest)}")
    ending, winner = rest
    if ending >= len(_ENDINGS):
        raise UnreadableState(f"expected an ending from 0 to {len(_ENDINGS) - 1}, got {ending}")
    if winner >= len(scores) and winner != NONE:
        raise UnreadableState(f"expected a side below {len(scores)} as winner, got {winner}")
    return Outcome(None if winner == NONE else winner, _ENDINGS[ending], scores)


def _playing_from(data: bytes, start: int, round_: Round, scores: tuple[int, ...]) -> Playing:
    """Read what follows the scores while a round is played."""
    rules = round_.rules
    shape_start = start + 1
    size = len(data)
    events_start = shape_start + data[start] + 1 if start < size else size
    if events_start >= size:
        raise UnreadableState(f"expected the events of the round at byte {events_start}, got {size} bytes")
    shape = data[shape_start : events_start - 1]
    places_start = events_start + data[events_start - 1]
    events = data[events_start:places_start]
    places = data[
        places_start : max(places_start, size - TILE_COUNT)
    ]  # mypyc makes no slice that ends before it begins
    draws = events.count(DRAW)
    played_count = len(events) - draws - events.count(KNOCK)
    if size != places_start + played_count + TILE_COUNT:
        raise UnreadableState(f"expected {played_count} places and 28 tiles, got {size - places_start} bytes")
    if events.translate(None, _EVENTS) or places.translate(None, _OPEN_PLACES):
        raise UnreadableState(f"expected events up to {KNOCK} and places below {PLACE_COUNT}, got larger ones")
    layout = layout_from(rules.kind, shape)
    if layout is None or bool(shape) != bool(places):
        raise UnreadableState(f"expected the shape of a layout of {played_count} tiles, got {shape.hex()}")
    marked = _TILES_DOWN.translate(bytes.maketrans(events, _MARK * len(events)))
    played = int(marked.translate(_DIGITS), 2)
    if played.bit_count() != played_count:
        raise UnreadableState("expected every tile at most once on the table, got one twice")
    hands = _hands_from(round_, events, draws, played)
    turn = (round_.leader + len(events) - draws) % rules.seats
    return Playing(round_, scores, turn, hands, layout, events, places)


def _hands_from(round_: Round, events: bytes, draws: int, played: int) -> tuple[int, ...]:
    """Work out what each seat holds: dealt and drawn, less what lies on the table (D-05)."""
    rules = round_.rules
    if draws > rules.boneyard - rules.floor:
        raise UnreadableState(f"expected at most {rules.boneyard - rules.floor} draws, got {draws}")
    order = round_.order
    if not is_order(order):
        raise UnreadableState("expected the 28 tiles once each in the order of the shake, got another")
    hands = dealt(rules, order)
    front = TILE_COUNT - rules.boneyard
    at = -1
    for drawn in range(draws):
        at = events.index(DRAW, at + 1)
        hands[(round_.leader + at - drawn) % rules.seats] |= 1 << order[front + drawn]
    left = tuple([hand & ~played for hand in hands])
    if 0 in left:
        raise UnreadableState("expected a tile at least in every hand while a round is played, got an empty hand")
    return left
