"""The canonical bytes of a state: one value, one encoding.

Numbers are big-endian and unsigned. The head:

| bytes | what |
|---|---|
| 1 | format, 1 |
| 13 | options: revision, opener, all_pass, doubles_trump, first_lead, made_score, defenders_keep_on_made, both_reach, tie (one byte each: a number, 0 or 1, or the place of the value in its enum), target (2), round_limit (2; 0 = none) |
| 4 | shakes so far, the one in progress included |
| 4 + 4 | scores of side 0 and side 1 |
| 1 | shaker; 255 = none (under `holder_of_1_0`, before the lot, after the end) |
| 1 | the last round: 0 = there was none; 1 = all passed, then opener (1); 2 = played, then opener (1), four calls, trump (1), points of the bidding side (1), 28 plays |

Then the phase and what belongs to it; a call is the points of a bid, or 0 for a pass:

| phase | what follows |
|---|---|
| 0 lot, 1 shake | nothing |
| 2 auction | opener, how many calls (0 to 3), the calls |
| 3 naming | opener, four calls |
| 4 playing | opener, four calls, trump, turn, points taken by side 0 and side 1, how many plays (0 to 27), the plays |
| 5 over | ending (its place in `Ending`), winning side; 255 = none |

That is the public part. In phases 2 to 4 the hidden part follows: the 28 tiles in the order of the shake.
What a seat holds is what it was dealt less what it played; whatever else a state has follows from these.

`decode` takes exactly these bytes and checks every range, so it never reads two spellings of one state; whether the
state can arise in play is asked of `problems`.
"""  # noqa: E501 - a table row is a line

from functools import lru_cache
from struct import Struct
from typing import Final, assert_never

from dominohall_engine.errors import InvalidOptions, UnreadableState
from dominohall_engine.forty_two.options import AllPass, BothReach, FirstLead, MadeScore, Opener, Options, Tie
from dominohall_engine.forty_two.scoring import gained_by_side
from dominohall_engine.forty_two.state import (
    BIT,
    PLAYING_CODE,
    Auction,
    Contract,
    Deal,
    InRound,
    LastRound,
    Lotting,
    Naming,
    Over,
    Pair,
    Playing,
    Shaking,
    State,
    bidder_of,
    hands_of,
)
from dominohall_engine.forty_two.tables import HIGHEST_BID, LOWEST_BID
from dominohall_engine.outcomes import Ending, Outcome
from dominohall_engine.tiles import ALL_TILES, TILE_COUNT

FORMAT: Final = 1
NONE: Final = 255

LOT, SHAKE, AUCTION, NAMING, PLAYING, OVER = 0, 1, 2, 3, PLAYING_CODE, 5

_OPTIONS: Final = Struct(">9B2H")
_STANDING: Final = Struct(">3IB")
_TABLE: Final = Struct(">4B")
_OPTIONS_END: Final = 1 + _OPTIONS.size
_HEAD_BYTES: Final = _OPTIONS_END + _STANDING.size + 1
_OPENERS: Final = tuple(Opener)
_ALL_PASS: Final = tuple(AllPass)
_FIRST_LEADS: Final = tuple(FirstLead)
_MADE_SCORES: Final = tuple(MadeScore)
_BOTH_REACH: Final = tuple(BothReach)
_TIES: Final = tuple(Tie)
_ENDINGS: Final = tuple(Ending)
_CALLS: Final = bytes((0, *range(LOWEST_BID, HIGHEST_BID + 1)))


def encode(state: State) -> bytes:
    """Return the canonical bytes of the state: the public part, then the hidden part."""
    if isinstance(state, Playing):
        return _public_playing(state) + state.contract.deal.order
    if isinstance(state, Auction | Naming):
        return encode_public(state) + state.deal.order
    return encode_public(state)


def encode_public(state: State) -> bytes:
    """Return the public part alone: what everybody at the table knows."""
    if isinstance(state, Playing):
        return _public_playing(state)
    if isinstance(state, Auction):
        return state.deal.head + bytes((AUCTION, state.deal.opener, len(state.calls))) + state.calls
    if isinstance(state, Naming):
        return state.deal.head + bytes((NAMING, state.deal.opener)) + state.calls
    if isinstance(state, Shaking):
        head = pack_head(state.options, state.shakes, state.scores, state.shaker, state.last_round)
        return head + bytes((SHAKE,))
    if isinstance(state, Lotting):
        return pack_head(state.options, 0, (0, 0), None, None) + bytes((LOT,))
    if isinstance(state, Over):
        winner, ending, (one, other) = state.outcome
        head = pack_head(state.options, state.shakes, (one, other), None, state.last_round)
        return head + bytes((OVER, _ENDINGS.index(ending), NONE if winner is None else winner))
    assert_never(state)


def _public_playing(state: Playing) -> bytes:
    one, other = state.taken
    plays = state.plays
    return state.contract.head + _TABLE.pack(state.turn, one, other, len(plays)) + plays


def pack_head(options: Options, shakes: int, scores: Pair, shaker: int | None, last_round: LastRound | None) -> bytes:
    """Return the part of the encoding that stays the same through a round."""
    standing = _STANDING.pack(shakes, scores[0], scores[1], NONE if shaker is None else shaker)
    return bytes((FORMAT,)) + _pack_options(options) + standing + _pack_last_round(last_round)


def _pack_options(options: Options) -> bytes:
    return _OPTIONS.pack(
        options.revision,
        _OPENERS.index(options.opener),
        _ALL_PASS.index(options.all_pass),
        options.doubles_trump,
        _FIRST_LEADS.index(options.first_lead),
        _MADE_SCORES.index(options.made_score),
        options.defenders_keep_on_made,
        _BOTH_REACH.index(options.both_reach),
        _TIES.index(options.tie),
        options.target,
        options.round_limit or 0,
    )


def _pack_last_round(last: LastRound | None) -> bytes:
    if last is None:
        return bytes((0,))
    if last.trump is None:
        return bytes((1, last.opener))
    return bytes((2, last.opener)) + last.calls + bytes((last.trump, last.points)) + last.plays


def decode(data: bytes) -> State:
    """Read `encode`'s bytes; `UnreadableState` for anything else. Does not run `problems`."""
    if len(data) <= _HEAD_BYTES:
        raise UnreadableState(f"expected more than {_HEAD_BYTES} bytes, got {len(data)}")
    if data[0] != FORMAT:
        raise UnreadableState(f"format: expected {FORMAT}, got {data[0]}")
    options = _unpack_options(data[1:_OPTIONS_END])
    last_round, end = _unpack_last_round(options, data)
    if len(data) <= end:
        raise UnreadableState(f"phase: expected a byte at {end}, got {len(data)} bytes")
    phase = data[end]
    if phase in (LOT, OVER):
        return _unpack_outside(options, last_round, data, end)
    shakes, one, other, shaker = _STANDING.unpack_from(data, _OPTIONS_END)
    if options.opener is Opener.LEFT_OF_SHAKER:
        _check("shaker", shaker, 0, 3)
    else:
        _check("shaker", shaker, NONE, NONE)
    if phase == SHAKE:
        _expect_length(data, end + 1)
        return Shaking(options, None if shaker == NONE else shaker, shakes, (one, other), last_round)
    _check("phase", phase, AUCTION, PLAYING)
    _check("shakes", shakes, 1, 0xFFFFFFFF)
    before = Shaking(options, None if shaker == NONE else shaker, shakes - 1, (one, other), last_round)
    return _unpack_round(before, data, end)


def _expect_length(data: bytes, length: int) -> None:
    if len(data) != length:
        raise UnreadableState(f"expected {length} bytes, got {len(data)}")


def _check(field: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise UnreadableState(f"{field}: expected {low if low == high else f'{low} to {high}'}, got {value}")


@lru_cache(maxsize=1024)
def _unpack_options(data: bytes) -> Options:
    """Read the options; remembered, for a host plays thousands of matches under a few of them."""
    revision, opener, all_pass, doubles, first_lead, made, keep, both_reach, tie, target, limit = _OPTIONS.unpack(data)
    _check("doubles_trump", doubles, 0, 1)
    _check("defenders_keep_on_made", keep, 0, 1)
    try:
        return Options(
            revision=revision,
            opener=_OPENERS[opener],
            all_pass=_ALL_PASS[all_pass],
            doubles_trump=bool(doubles),
            first_lead=_FIRST_LEADS[first_lead],
            made_score=_MADE_SCORES[made],
            defenders_keep_on_made=bool(keep),
            both_reach=_BOTH_REACH[both_reach],
            tie=_TIES[tie],
            target=target,
            round_limit=limit or None,
        )
    except IndexError:
        raise UnreadableState("options: expected places of values that exist, got one beyond them") from None
    except InvalidOptions as error:
        raise UnreadableState(f"options: {error}") from None


def _unpack_last_round(options: Options, data: bytes) -> tuple[LastRound | None, int]:
    """Return the last round and the place of the byte after it."""
    kind = data[_HEAD_BYTES - 1]
    if kind == 0:
        return None, _HEAD_BYTES
    opener = data[_HEAD_BYTES]
    _check("last round's opener", opener, 0, 3)
    if kind == 1:
        return LastRound(opener, bytes(4), None, b"", 0, (0, 0)), _HEAD_BYTES + 1
    _check("last round", kind, 0, 2)
    end = _HEAD_BYTES + 7 + TILE_COUNT
    if len(data) <= end:
        raise UnreadableState(f"expected more than {end} bytes with a last round, got {len(data)}")
    calls, trump, points = data[_HEAD_BYTES + 1 : _HEAD_BYTES + 5], data[_HEAD_BYTES + 5], data[_HEAD_BYTES + 6]
    plays = data[_HEAD_BYTES + 7 : end]
    _check_calls(calls)
    _check("last round's bid", max(calls), LOWEST_BID, HIGHEST_BID)
    _check("last round's trump", trump, 0, 7)
    _check("last round's points", points, 0, HIGHEST_BID)
    _mask_of_plays(plays)
    gained = gained_by_side(options, bidder_of(opener, calls) % 2, max(calls), points, HIGHEST_BID - points)
    return LastRound(opener, calls, trump, plays, points, gained), end


def _unpack_outside(options: Options, last_round: LastRound | None, data: bytes, end: int) -> Lotting | Over:
    """Read a state before the lot or after the end."""
    shakes, one, other, shaker = _STANDING.unpack_from(data, _OPTIONS_END)
    _check("shaker", shaker, NONE, NONE)
    if data[end] == LOT:
        _expect_length(data, end + 1)
        if shakes or one or other or last_round:
            raise UnreadableState("lot: expected no round and no score before it")
        return Lotting(options)
    _expect_length(data, end + 3)
    ending, winner = data[end + 1], data[end + 2]
    _check("ending", ending, 0, len(_ENDINGS) - 1)
    if winner != NONE:
        _check("winner", winner, 0, 1)
    outcome = Outcome(None if winner == NONE else winner, _ENDINGS[ending], (one, other))
    return Over(options, shakes, last_round, outcome)


def _unpack_round(before: Shaking, data: bytes, end: int) -> InRound:
    """Read a state with tiles dealt; `before` is the shaking that it began from."""
    if len(data) < end + 3 + TILE_COUNT:
        raise UnreadableState(f"expected at least {end + 3 + TILE_COUNT} bytes with tiles dealt, got {len(data)}")
    order = data[-TILE_COUNT:]
    hands = hands_of(order)
    if hands[0] | hands[1] | hands[2] | hands[3] != ALL_TILES:  # 28 bytes that make all tiles are each once
        raise UnreadableState("order: expected the 28 tiles once each as the last 28 bytes")
    opener = data[end + 1]
    _check("opener", opener, 0, 3)
    deal = Deal(before, opener, hands, order, data[:end])
    if data[end] == AUCTION:
        count = data[end + 2]
        _check("calls", count, 0, 3)
        _expect_length(data, end + 3 + count + TILE_COUNT)
        calls = data[end + 3 : end + 3 + count]
        _check_calls(calls)
        return Auction(deal, (opener + count) % 4, calls)
    calls = data[end + 2 : end + 6]
    if data[end] == NAMING:
        _expect_length(data, end + 6 + TILE_COUNT)
    _check_calls(calls)
    _check("bid", max(calls), LOWEST_BID, HIGHEST_BID)
    return Naming(deal, calls) if data[end] == NAMING else _unpack_playing(deal, calls, data, end + 6)


def _unpack_playing(deal: Deal, calls: bytes, data: bytes, start: int) -> Playing:
    """Read the trump, the turn, the points taken and the plays, from `start` on."""
    if len(data) < start + 5 + TILE_COUNT:
        raise UnreadableState(f"expected at least {start + 5 + TILE_COUNT} bytes, got {len(data)}")
    trump, turn, one, other, count = data[start : start + 5]
    if trump > 7 or turn > 3 or one + other > HIGHEST_BID or count >= TILE_COUNT:
        _check("trump", trump, 0, 7)
        _check("turn", turn, 0, 3)
        _check("points taken", one + other, 0, HIGHEST_BID)
        _check("plays", count, 0, TILE_COUNT - 1)
    _expect_length(data, start + 5 + count + TILE_COUNT)
    plays = data[start + 5 : start + 5 + count]
    contract = Contract(deal, calls, trump)
    trick = plays[count - count % contract.rules.trick_size :]
    return Playing(contract, turn, plays, _mask_of_plays(plays), trick, (one, other))


def _check_calls(calls: bytes) -> None:
    if calls.strip(_CALLS):
        raise UnreadableState(f"calls: expected a pass (0) or {LOWEST_BID} to {HIGHEST_BID} each")


def _mask_of_plays(plays: bytes) -> int:
    mask = 0
    for tile in plays:
        mask |= BIT[tile]
    if mask > ALL_TILES or mask.bit_count() != len(plays):
        raise UnreadableState("plays: expected tiles, each once")
    return mask
