"""Rounds of forty-two in the notation."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from dominohall_engine.forty_two import Options
from dominohall_engine.seats import SEAT_COUNT
from dominohall_engine.tiles import NAMES

from dominohall_replays.as_played.lines import Line, Word, number_of, seat_of, tile_of, tiles_of
from dominohall_replays.as_played.rounds import FortyTwoRound, Tiles, Trick

TRUMPS: Final = ("blanks", "ones", "twos", "threes", "fours", "fives", "sixes", "doubles")
ORDER: Final[Mapping[str, int]] = {
    name: place
    for place, names in enumerate(
        [("shaker",), ("scores",), ("hand",), ("calls", "bid"), ("trump",), ("trick",), ("score",)]
    )
    for name in names
}
GREATEST_BID: Final = 255
GREATEST_SCORE: Final = 9999
HAND_SIZE: Final = 7
TRICKS: Final = 7


@dataclass
class _Draft:
    """A round being read."""

    options: Options
    shaker: int | None = None
    scores: tuple[int, int] = (0, 0)
    hands: list[Tiles | None] = field(default_factory=lambda: [None] * SEAT_COUNT)
    opener: int | None = None
    calls: tuple[int, ...] = ()
    bid: tuple[int, int] | None = None
    trump: tuple[int, int] | None = None
    tricks: list[Trick] = field(default_factory=list)
    score: tuple[int, int] | None = None
    places: list[Word] = field(default_factory=list)
    dealt: dict[int, int] = field(default_factory=dict)
    """Tiles of the hands that are written down, with their seats."""
    claimed: dict[int, int] = field(default_factory=dict)
    """Tiles that seats whose hand is not written down have played."""


def parse_forty_two(options: Options, lines: list[Line], end: Word) -> tuple[FortyTwoRound, list[Word]]:
    """Read what stands below the rules; the round, and where each ply stands."""
    draft = _Draft(options)
    last, seen = -1, set()
    for line in lines:
        name = line.name.text
        place = ORDER.get(name)
        if place is None:
            line.name.refuse(f"one of {', '.join(ORDER)}")
        if place < last or (place == last and name not in {"hand", "trick"}):
            line.name.refuse("another line here: the order is that of the notation's page, each line once")
        last = place
        seen.add(name)
        _READERS[name](draft, line)
    if not seen & {"calls", "bid"}:
        end.refuse("the calls or the bid of the round")
    record = FortyTwoRound(
        draft.options,
        draft.shaker,
        draft.scores,
        tuple(draft.hands),
        draft.opener,
        draft.calls,
        draft.bid,
        draft.trump,
        tuple(draft.tricks),
        draft.score,
    )
    return record, draft.places


def _shaker(draft: _Draft, line: Line) -> None:
    line.without_seat()
    draft.shaker = seat_of(line.one("a seat"), SEAT_COUNT)


def _pair(line: Line) -> tuple[int, int]:
    line.without_seat()
    if len(line.values) != 2:
        (line.values[2] if len(line.values) > 2 else line.end).refuse("the points of two sides")
    one, other = [number_of(word, 0, GREATEST_SCORE) for word in line.values]
    return one, other


def _scores(draft: _Draft, line: Line) -> None:
    draft.scores = _pair(line)


def _score(draft: _Draft, line: Line) -> None:
    draft.score = _pair(line)


def _hand(draft: _Draft, line: Line) -> None:
    seat = line.seat_number(SEAT_COUNT)
    if any(hand is not None for hand in draft.hands[seat:]) and line.seat is not None:
        line.seat.refuse("seats in ascending order")
    tiles = tiles_of(line.values)
    for tile, word in zip(tiles, line.values, strict=True):
        if tile in draft.dealt:
            word.refuse("a tile that no other seat holds")
        draft.dealt[tile] = seat
    if len(tiles) != HAND_SIZE:
        line.end.refuse(f"{HAND_SIZE} tiles")
    draft.hands[seat] = tuple(sorted(tiles))


def _calls(draft: _Draft, line: Line) -> None:
    draft.opener = line.seat_number(SEAT_COUNT)
    if len(line.values) > SEAT_COUNT:
        line.values[SEAT_COUNT].refuse("at most four calls")
    draft.calls = tuple(0 if word.text == "pass" else number_of(word, 1, GREATEST_BID) for word in line.values)
    draft.places += line.values


def _bid(draft: _Draft, line: Line) -> None:
    draft.bid = line.seat_number(SEAT_COUNT), number_of(line.one("points"), 1, GREATEST_BID)


def _trump(draft: _Draft, line: Line) -> None:
    seat = line.seat_number(SEAT_COUNT)
    word = line.one("a trump")
    if word.text not in TRUMPS:
        word.refuse(f"a trump: {', '.join(TRUMPS)}")
    if draft.bid is None:
        if len(draft.calls) != SEAT_COUNT or draft.opener is None:
            line.name.refuse("four calls before trump is named")
        if not draft.calls[(seat - draft.opener) % SEAT_COUNT]:
            word.refuse(f"trump to be named by a seat that bid, not by seat {seat}")
    elif draft.bid[0] != seat:
        word.refuse(f"trump to be named by the seat that bid, {draft.bid[0]}")
    draft.trump = seat, TRUMPS.index(word.text)
    draft.places.append(line.name)


def _trick(draft: _Draft, line: Line) -> None:
    leader = line.seat_number(SEAT_COUNT)
    if draft.trump is None:
        line.name.refuse("trump to be named before the first trick")
    if len(draft.tricks) == TRICKS:
        line.name.refuse("at most seven tricks")
    if draft.tricks and len(draft.tricks[-1].tiles) < SEAT_COUNT:
        line.name.refuse("four tiles in the trick before")
    if len(line.values) > SEAT_COUNT:
        line.values[SEAT_COUNT].refuse("at most four tiles in a trick")
    if not line.values:
        line.end.refuse("the tiles of a trick")
    tiles = tuple(tile_of(word) for word in line.values)
    for place, (tile, word) in enumerate(zip(tiles, line.values, strict=True)):
        seat = (leader + place) % SEAT_COUNT
        if draft.hands[seat] is None:  # nothing but this play says whose tile it is
            if tile in draft.dealt or tile in draft.claimed:
                word.refuse("a tile that nobody else holds and nobody has played")
            draft.claimed[tile] = seat
    draft.tricks.append(Trick(leader, tiles))
    draft.places += line.values


_READERS: Final = {
    "shaker": _shaker,
    "scores": _scores,
    "hand": _hand,
    "calls": _calls,
    "bid": _bid,
    "trump": _trump,
    "trick": _trick,
    "score": _score,
}


def print_forty_two(record: FortyTwoRound) -> list[str]:
    """Write what stands below the rules."""
    lines = [] if record.shaker is None else [f"shaker: {record.shaker}"]
    lines.append(f"scores: {record.scores[0]} {record.scores[1]}")
    lines += [f"hand {seat}: {_names(hand)}" for seat, hand in enumerate(record.hands) if hand is not None]
    if record.bid is not None:
        lines.append(f"bid {record.bid[0]}: {record.bid[1]}")
    else:
        calls = " ".join([str(points) if points else "pass" for points in record.calls])
        lines.append(f"calls {record.opener}: {calls}")
    if record.trump is not None:
        lines.append(f"trump {record.trump[0]}: {TRUMPS[record.trump[1]]}")
    lines += [f"trick {trick.leader}: {_names(trick.tiles)}" for trick in record.tricks]
    if record.score is not None:
        lines.append(f"score: {record.score[0]} {record.score[1]}")
    return lines


def _names(tiles: Tiles) -> str:
    return " ".join([NAMES[tile] for tile in tiles])
