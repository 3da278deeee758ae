"""One move explained: what the seat held, everything it could do, and why it could do nothing else."""

from collections.abc import Iterable
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from dominohall_engine import clauses, fives, forty_two
from dominohall_engine.fives.layout import Layout, arms_of, spinner_of
from dominohall_engine.fives.places import PLACE_NAMES
from dominohall_engine.fives.state import DRAW_BYTE, KNOCK_BYTE, Playing, boneyard_count
from dominohall_engine.forty_two.moves import BIDS, NAMES_OF_TRUMP, PASSES, PLAYS
from dominohall_engine.forty_two.tables import SUIT_NAMES
from dominohall_engine.game import Phase
from dominohall_engine.games import AnyGame
from dominohall_engine.moves import Abandon, Shake
from dominohall_engine.tiles import HALVES, NAMES, tiles_in
from dominohall_engine.violations import Reason, Violation

from dominohall_replays.explain import fives as fives_told
from dominohall_replays.explain.forty_two import call_text
from dominohall_replays.explain.values import Choice, Ends, Hand, MovePlain, Refused
from dominohall_replays.words import Words

if TYPE_CHECKING:
    from dominohall_engine.options import Plain

KINDS: Final[dict[type, str]] = {
    Shake: "shake",
    Abandon: "abandon",
    forty_two.Lot: "lot",
    fives.Lot: "lot",
    forty_two.Bid: "bid",
    forty_two.Pass: "pass",
    forty_two.NameTrump: "name_trump",
    forty_two.Play: "play",
    fives.Play: "play",
    fives.Draw: "draw",
    fives.Knock: "knock",
}


def move_to_plain(move: Any) -> MovePlain:  # noqa: ANN401 - a move of any game
    """Return a move as plain data: its kind, then its fields by name."""
    plain: dict[str, Plain] = {"kind": KINDS[type(move)]}
    for field in fields(move):
        value = getattr(move, field.name)
        if field.name == "tile":
            value = NAMES[value]
        elif field.name == "place":
            value = PLACE_NAMES[value] if value < len(PLACE_NAMES) else str(value)
        elif field.name == "trump":
            value = SUIT_NAMES[value] if value < len(SUIT_NAMES) else str(value)
        elif isinstance(value, bytes):
            value = " ".join([NAMES[tile] if tile < len(NAMES) else str(tile) for tile in value])
        plain[field.name] = value
    return plain


def move_said(move: Any, words: Words) -> str:  # noqa: ANN401 - a move of any game
    """Say a move in words, without its seat."""
    match move:
        case forty_two.Bid() | forty_two.Pass() | forty_two.NameTrump():
            return call_text(move, words)
        case forty_two.Play():
            return words("move.play", tile=NAMES[move.tile])
        case fives.Play():
            place = PLACE_NAMES[move.place] if move.place < len(PLACE_NAMES) else str(move.place)
            where = words.place(place) if place in PLACE_NAMES else place
            return words("move.play_at", tile=NAMES[move.tile], place=where)
        case Abandon():
            return words("move.abandon", reason=move.reason)
        case _:
            return words(f"move.{KINDS[type(move)]}")


def hands_of(game: AnyGame, state: Any) -> tuple[Hand, ...]:  # noqa: ANN401 - a state of the game
    """Return what every seat holds, nothing while no tiles are dealt."""
    if game.order(state) is None:
        return ()
    seats = sorted(seat for side in game.sides(game.options_of(state)) for seat in side)
    return tuple(Hand(seat, _names(game.view(state, seat).hand)) for seat in seats)


def _names(tiles: Iterable[int]) -> tuple[str, ...]:
    return tuple([NAMES[tile] for tile in tiles])


def ends_before(game: AnyGame, state: Any, words: Words) -> Ends | None:  # noqa: ANN401
    """Return the ends of the layout that a move of fives finds, None in other games and before the first tile."""
    if game.NAME != fives.NAME or not isinstance(state, Playing) or not state.events:
        return None
    last_play = state.events.rstrip(DRAW_BYTE + KNOCK_BYTE)
    return fives_told.ends_of(state.layout, fives.options_of(state), last_play[:-1], words)


def boneyard_before(state: Any) -> int:  # noqa: ANN401
    """Return how many tiles lie in the boneyard, 0 in games that have none."""
    return boneyard_count(state) if isinstance(state, Playing) else 0


def choices(game: AnyGame, state: Any, made: Any, words: Words) -> tuple[Choice, ...]:  # noqa: ANN401
    """Return everything that the seat whose turn it is can legally do."""
    return tuple(Choice(move_to_plain(move), move_said(move, words), move == made) for move in game.legal_moves(state))


def refusals(game: AnyGame, state: Any, words: Words) -> tuple[Refused, ...]:  # noqa: ANN401
    """Return why the seat can't do what it can't: each other call, trump or held tile, with reason and clauses."""
    seat = game.turn(state)
    if seat is None:
        return ()
    phase = game.phase(state)
    if phase is Phase.AUCTION:
        return _in_runs(game, state, [PASSES[seat], *BIDS[seat]], words)
    if phase is Phase.NAMING:
        return tuple(_barred(game, state, NAMES_OF_TRUMP[seat], words))
    if game.NAME == forty_two.NAME:
        held = game.view(state, seat).hand
        return tuple(_barred(game, state, [PLAYS[seat][tile] for tile in held], words))
    return tuple(_fives(state, words))


def refused(violation: Violation, move: Any, words: Words, *, made: bool = False) -> Refused:  # noqa: ANN401
    """Say why one move is barred."""
    return Refused(
        (move_to_plain(move),),
        move_said(move, words),
        violation.reason.value,
        clauses.message(violation, words.language),
        violation.clauses,
        made,
    )


def _barred(game: AnyGame, state: Any, moves: Iterable[Any], words: Words) -> Iterable[Refused]:  # noqa: ANN401
    for move in moves:
        violation = game.violation(state, move)
        if violation is not None:
            yield refused(violation, move, words)


def _in_runs(game: AnyGame, state: Any, moves: list[Any], words: Words) -> tuple[Refused, ...]:  # noqa: ANN401
    """Say why calls are barred, calls that one reason bars together: nobody wants to read thirteen bids one by one."""
    runs: dict[tuple[Reason, tuple[str, ...]], list[Refused]] = {}
    for move in moves:
        violation = game.violation(state, move)
        if violation is not None:
            runs.setdefault((violation.reason, violation.clauses), []).append(refused(violation, move, words))
    found = []
    for run in runs.values():
        first, last = run[0], run[-1]
        text = first.text
        if len(run) > 1:
            text = words("decision.bids", low=first.moves[0]["points"], high=last.moves[0]["points"])
        every = tuple(move for each in run for move in each.moves)
        found.append(Refused(every, text, last.reason, last.message, last.clauses))
    return tuple(found)


def _fives(state: Playing, words: Words) -> Iterable[Refused]:
    """Say why tiles of fives do not fit, and why the seat may not draw or knock."""
    seat, layout = state.turn, state.layout
    for tile in tiles_in(state.hands[seat]):
        if not state.able >> tile & 1:
            yield _fits_nowhere(state, tile, words)
        for place in range(len(PLACE_NAMES)):
            move = fives.Play(seat, tile, place)
            violation = fives.violation(state, move)
            if violation is not None and violation.reason in _CLOSED and _would_fit(layout, tile, place):
                yield refused(violation, move, words)
    for idle in (fives.Draw(seat), fives.Knock(seat)):
        violation = fives.violation(state, idle)
        if violation is not None:
            yield refused(violation, idle, words)


_CLOSED: Final = frozenset({Reason.SPINNER_SIDES_FIRST, Reason.SPINNER_MUST_BE_COVERED})


def _would_fit(layout: Layout, tile: int, place: int) -> bool:
    """Say whether a tile bears the number that a place would ask for if it were open."""
    asked = {arm.place: arm.number for arm in arms_of(layout)}.get(place)
    spinner = spinner_of(layout)
    if asked is None and spinner is not None:
        asked = spinner[0]
    return asked in HALVES[tile]


def _fits_nowhere(state: Playing, tile: int, words: Words) -> Refused:
    """Say that a tile fits at no open end, which numbers those ask for, and by which clause."""
    seat, places = state.turn, state.layout.places
    moves = [fives.Play(seat, tile, place) for place in places]
    violation = fives.violation(state, moves[0])
    assert violation is not None  # noqa: S101 - the tile fits nowhere
    asked = dict.fromkeys([arm.number for arm in arms_of(state.layout) if arm.is_open])
    message = words("fives.fits_nowhere", tile=NAMES[tile], numbers=", ".join([str(number) for number in asked]))
    plain = tuple(move_to_plain(move) for move in moves)
    return Refused(plain, words("move.play", tile=NAMES[tile]), violation.reason.value, message, violation.clauses)
