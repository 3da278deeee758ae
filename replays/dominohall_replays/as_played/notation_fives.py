"""Rounds of fives in the notation."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from dominohall_engine.fives import Options, sides
from dominohall_engine.fives.places import PLACE_NAMES, START
from dominohall_engine.tiles import NAMES

from dominohall_replays.as_played.lines import Line, Word, number_of, seat_of, tile_of, tiles_of
from dominohall_replays.as_played.rounds import FivesRound, Kind, Tiles, Turn

ORDER: Final[Mapping[str, int]] = {
    "leader": 0,
    "scores": 1,
    "hand": 2,
    "play": 3,
    "draw": 3,
    "knock": 3,
    "left": 4,
    "score": 5,
}
MANY: Final = frozenset({"hand", "play", "draw", "knock", "left"})
GREATEST_SCORE: Final = 9999
UNKNOWN: Final = "?"
NONE: Final = "none"


@dataclass
class _Draft:
    """A round being read."""

    options: Options
    leader: int | None = None
    scores: tuple[int, ...] = ()
    hands: list[Tiles | None] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    left: list[Tiles | None] = field(default_factory=list)
    score: tuple[int, ...] | None = None
    places: list[Word] = field(default_factory=list)
    dealt: set[int] = field(default_factory=set)
    """Tiles of the hands that are written down."""
    claimed: set[int] = field(default_factory=set)
    """Tiles that seats whose hand is not written down have played."""
    drawn: set[int] = field(default_factory=set)


def parse_fives(options: Options, lines: list[Line], end: Word) -> tuple[FivesRound, list[Word]]:
    """Read what stands below the rules; the round, and where each ply stands."""
    draft = _Draft(options, scores=(0,) * len(sides(options)))
    draft.hands, draft.left = [None] * options.seats, [None] * options.seats
    last, last_name = -1, ""
    for line in lines:
        name = line.name.text
        place = ORDER.get(name)
        if place is None:
            line.name.refuse(f"one of {', '.join(ORDER)}")
        if place < last or (name == last_name and name not in MANY):
            line.name.refuse("another line here: the order is that of the notation's page, each line once")
        last, last_name = place, name
        _READERS[name](draft, line)
    if draft.leader is None:
        end.refuse("the leader of the round")
    record = FivesRound(
        options, draft.leader, draft.scores, tuple(draft.hands), tuple(draft.turns), tuple(draft.left), draft.score
    )
    return record, draft.places


def _leader(draft: _Draft, line: Line) -> None:
    line.without_seat()
    draft.leader = seat_of(line.one("a seat"), draft.options.seats)


def _points(draft: _Draft, line: Line) -> tuple[int, ...]:
    line.without_seat()
    count = len(sides(draft.options))
    if len(line.values) != count:
        (line.values[count] if len(line.values) > count else line.end).refuse(f"the points of {count} sides")
    return tuple(number_of(word, 0, GREATEST_SCORE) for word in line.values)


def _scores(draft: _Draft, line: Line) -> None:
    draft.scores = _points(draft, line)


def _score(draft: _Draft, line: Line) -> None:
    draft.score = _points(draft, line)


def _hand(draft: _Draft, line: Line) -> None:
    seat = line.seat_number(draft.options.seats)
    if any(hand is not None for hand in draft.hands[seat:]) and line.seat is not None:
        line.seat.refuse("seats in ascending order")
    tiles = tiles_of(line.values)
    for tile, word in zip(tiles, line.values, strict=True):
        if tile in draft.dealt:
            word.refuse("a tile that no other seat holds")
        draft.dealt.add(tile)
    if len(tiles) != draft.options.hand_size:
        line.end.refuse(f"{draft.options.hand_size} tiles")
    draft.hands[seat] = tuple(sorted(tiles))


def _play(draft: _Draft, line: Line) -> None:
    seat = line.seat_number(draft.options.seats)
    if len(line.values) != 2:
        (line.values[2] if len(line.values) > 2 else line.end).refuse("a tile and its place")
    word, where = line.values
    tile = tile_of(word)
    if where.text not in PLACE_NAMES:
        where.refuse(f"a place: {', '.join(PLACE_NAMES)}")
    place = PLACE_NAMES.index(where.text)
    if any(turn.kind is Kind.PLAY for turn in draft.turns) == (place == START):
        where.refuse(f"{PLACE_NAMES[START]} for the first tile, and for no other")
    if draft.hands[seat] is None:  # nothing but this play says whose tile it is
        if tile in draft.dealt or tile in draft.claimed:
            word.refuse("a tile that nobody else holds and nobody has played")
        draft.claimed.add(tile)
    draft.turns.append(Turn(Kind.PLAY, seat, tile, place))
    draft.places.append(word)


def _draw(draft: _Draft, line: Line) -> None:
    seat = line.seat_number(draft.options.seats)
    word = line.one(f"the tile that was drawn, or {UNKNOWN}")
    tile = None
    if word.text != UNKNOWN:
        tile = tile_of(word)
        if tile in draft.dealt | draft.claimed | draft.drawn:
            word.refuse("a tile that nobody holds or has played")
        draft.drawn.add(tile)
    draft.turns.append(Turn(Kind.DRAW, seat, tile))
    draft.places.append(line.name)


def _knock(draft: _Draft, line: Line) -> None:
    seat = line.seat_number(draft.options.seats)
    if line.values:
        line.values[0].refuse("nothing after a knock")
    draft.turns.append(Turn(Kind.KNOCK, seat))
    draft.places.append(line.name)


def _left(draft: _Draft, line: Line) -> None:
    seat = line.seat_number(draft.options.seats)
    if any(left is not None for left in draft.left[seat:]) and line.seat is not None:
        line.seat.refuse("seats in ascending order")
    nothing = [word.text for word in line.values] == [NONE]
    draft.left[seat] = () if nothing else tuple(sorted(tiles_of(line.values)))


_READERS: Final = {
    "leader": _leader,
    "scores": _scores,
    "hand": _hand,
    "play": _play,
    "draw": _draw,
    "knock": _knock,
    "left": _left,
    "score": _score,
}


def print_fives(record: FivesRound) -> list[str]:
    """Write what stands below the rules."""
    lines = [f"leader: {record.leader}", f"scores: {' '.join(map(str, record.scores))}"]
    lines += [f"hand {seat}: {_names(hand)}" for seat, hand in enumerate(record.hands) if hand is not None]
    for turn in record.turns:
        if turn.kind is Kind.KNOCK:
            lines.append(f"knock {turn.seat}")
        elif turn.kind is Kind.DRAW:
            lines.append(f"draw {turn.seat}: {UNKNOWN if turn.tile is None else NAMES[turn.tile]}")
        elif turn.tile is not None and turn.place is not None:
            lines.append(f"play {turn.seat}: {NAMES[turn.tile]} {PLACE_NAMES[turn.place]}")
    lines += [f"left {seat}: {_names(left) or NONE}" for seat, left in enumerate(record.left) if left is not None]
    if record.score is not None:
        lines.append(f"score: {' '.join(map(str, record.score))}")
    return lines


def _names(tiles: Tiles) -> str:
    return " ".join([NAMES[tile] for tile in tiles])
