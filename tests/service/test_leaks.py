"""What leaves the service is the same to the byte, whatever tiles lie where its reader can't see.

First in process, with the functions that the servicer answers with; then over a real channel, from a real server, with
its log lines: two tables at which the same happens, and at which only tiles differ that one viewer can't see.
"""

import io
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from typing import Any, NamedTuple

import pytest
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1.match_pb2 import Match
from dominohall.v1.options_pb2 import Options
from dominohall.v1.view_pb2 import View
from dominohall_engine import fives, forty_two
from dominohall_engine.clauses import LANGUAGES
from dominohall_engine.game import Phase
from dominohall_engine.games import GAMES, AnyGame
from dominohall_engine.hidden import HiddenTiles, holders_of
from dominohall_engine.moves import Shake
from dominohall_engine.shuffle import number_below, shuffled, stream
from dominohall_engine.tiles import DOUBLES, TILE_COUNT
from dominohall_replays.deals import LEAF_DOMAIN, check_opening, leaf_salt, openings, root
from dominohall_service import journal
from dominohall_service.codec.moves import move_to_proto
from dominohall_service.codec.places import places_of
from dominohall_service.keyring import development_keyring
from dominohall_service.seal import Sealed, Sealer
from dominohall_service.settings import LogFormat
from dominohall_service.sights import leaks, sight, view_bytes, viewers
from dominohall_service.status import DETAILS
from google.protobuf.empty_pb2 import Empty
from google.rpc.status_pb2 import Status

TABLES: dict[str, tuple[str, Any]] = {
    "polish": ("forty_two", forty_two.POLISH),
    "russian": ("forty_two", forty_two.RUSSIAN),
    "two_seats": ("fives", replace(fives.LINEAR, seats=2, partners=False)),
    "partners": ("fives", fives.LINEAR),
}
ASIDE = {"timestamp", "milliseconds", "request_id"}
"""What may differ from one log line to another that says the same: times and ids."""


class Table(NamedTuple):
    """A match as far as it was played, with tiles in hands."""

    game: AnyGame
    moves: list[Any]
    state: Any


def table_at(name: str, seed: int, length: int) -> Table:
    """Play random legal moves until so many follow the first shake, or its round ends; with `first` where one leads."""
    game_name, options = TABLES[name]
    game = GAMES[game_name]
    source = stream(seed.to_bytes(32, "big"))
    moves: list[Any] = [Shake(shuffled(bytes([seed] * 32)))]
    state = game.apply(game.new_match(options, None if name == "russian" else 0), moves[0])
    while len(moves) <= length:
        legal = game.legal_moves(state)
        move = legal[number_below(len(legal), source)]
        if game.NAME == "forty_two" and isinstance(legal[-1], forty_two.Bid) and len(moves) == 1:
            move = legal[-1]
        after = game.apply(state, move)
        if game.order(after) is None:
            break
        moves.append(move)
        state = after
    return Table(game, moves, state)


def differing(name: str, swaps: int, **more: Any) -> set[str]:
    """Return which answers differ over so many swaps, two for each viewer of each state."""
    found, left, seed = set(), swaps, 0
    while left > 0:
        game, _, state = table_at(name, seed, 1 + seed * 5 % 29)
        for viewer in viewers(game, state):
            source = stream(seed.to_bytes(31, "big") + bytes(((viewer or 0) + 1,)))
            found |= {leak.answer.split(" ")[0] for leak in leaks(game, state, viewer, 2, source, **more)}
            left -= 2
        seed += 1
    return found


@pytest.mark.parametrize("table", TABLES)
def test_answers_are_the_same_bytes(table: str) -> None:
    """`ViewMatch`'s view and the status of every move that a seat may try, in three languages, over some swaps."""
    assert differing(table, 48) == set()


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
def test_answers_are_the_same_bytes_at_length(table: str) -> None:
    """The same over thousands of swaps."""
    assert differing(table, 1500) == set()


def doubles_elsewhere(game: AnyGame, state: Any, viewer: int | None) -> int:
    """Count the doubles that the next seat was dealt, which the viewer can't know."""
    order, holders = game.order(state), holders_of(game, state)
    left = ((viewer or 0) + 1) % (len(viewers(game, state)) - 1)
    return sum(holders[place] == left and DOUBLES >> tile & 1 for place, tile in enumerate(order or b""))


def test_a_size_that_tells_is_caught() -> None:
    """A view that is longer by a byte for each double of another hand, and the same otherwise, does not get through."""

    def padded(game: AnyGame, state: Any, viewer: int | None, language: str) -> dict[str, bytes]:
        answers = dict(sight(game, state, viewer, language))
        answers["view"] += bytes(doubles_elsewhere(game, state, viewer))
        return answers

    assert differing("russian", 40, see=padded) == {"view"}


def test_a_refusal_that_is_missing_is_caught() -> None:
    """A move that is answered at all only because of a tile in another hand does not get through."""

    def silent(game: AnyGame, state: Any, viewer: int | None, language: str) -> dict[str, bytes]:
        answers = dict(sight(game, state, viewer, language))
        if doubles_elsewhere(game, state, viewer) == 0:
            answers.popitem()
        return answers

    assert len(differing("partners", 40, see=silent)) == 1


# --- what covers hidden tiles hides them


@pytest.mark.parametrize("name", TABLES)
def test_what_covers_hidden_tiles_differs_and_tells_nothing(name: str) -> None:
    """Root and paths differ after a swap, the token too, and it is as long; own openings have the same tile and salt.

    Without the salt nothing can be tried: the leaf beside one's own is found for its tile with its own salt, and for
    no tile with any salt that the seat was given.
    """
    game, _, state = table_at(name, 7, 9)
    other = HiddenTiles(game, state, 1).swapped(stream(bytes(32)))
    salt, sealer = bytes(range(32)), Sealer(development_keyring())
    orders = [game.order(state) or b"", game.order(other) or b""]
    assert root(orders[0], salt) != root(orders[1], salt)
    tokens = []
    for each, order in zip((state, other), orders, strict=True):
        sealed = Sealed("o", "m", game.NAME, 0, bytes(4), 9, bytes(32), root(order, salt), game.encode(each))
        tokens.append(sealer.seal(sealed))
    assert tokens[0] != tokens[1]
    assert len(tokens[0]) == len(tokens[1])
    own, after = (openings(order, salt, places_of(game, state, 1)) for order in orders)
    assert [each[:3] for each in own] == [each[:3] for each in after]
    assert [each.path for each in own] != [each.path for each in after]
    assert all(check_opening(root(orders[0], salt), each) for each in own)
    beside = [each for each in own if each.place ^ 1 < TILE_COUNT and each.place ^ 1 not in {one.place for one in own}]
    given = [
        bytes(32),
        root(orders[0], salt),
        *[each.salt for each in own],
        *[step for each in own for step in each.path],
    ]
    for each in beside:
        place, leaf = each.place ^ 1, each.path[0]
        assert leaf_of(place, orders[0][place], leaf_salt(salt, place)) == leaf
        assert leaf not in {leaf_of(place, tile, known) for tile in range(TILE_COUNT) for known in given}
    assert beside


def leaf_of(place: int, tile: int, salt: bytes) -> bytes:
    """Return the leaf of a tile at a place, as `replay-format.md` has it."""
    return sha256(LEAF_DOMAIN + bytes((place, tile)) + salt).digest()


# --- two tables of a real server


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """Catch the log lines of servers that are opened from here on; they are JSON, a line a call."""
    caught, real = io.StringIO(), sys.stderr
    sys.stderr = caught
    try:
        journal.set_up(LogFormat.JSON, "info")
        sys.stderr = real
        yield caught
    finally:
        sys.stderr = real
        journal.set_up(LogFormat.JSON, "error")


def without_salted(view: View) -> tuple[bytes, int]:
    """Return a view without what its salts make differ, and the size it had with that."""
    size = view.ByteSize()
    view.ClearField("root")
    for each in view.openings:
        del each.path[:]
    return view.SerializeToString(deterministic=True), size


def attempts(game: AnyGame, state: Any, viewer: int | None) -> list[Any]:
    """Return moves that a seat may try here: every seventh of its moves."""
    own = [move for move in game.seat_moves(game.options_of(state)) if move.seat == viewer]
    return own[len(own) % 7 :: 7]


def told(hall: Any, table: Table, shake: Shake, viewer: int | None, preset: Options) -> list[Any]:
    """Play a table on a server, and return all that this viewer is told, and the sizes of what the host gets."""
    heard: list[Any] = []
    first = None if preset.preset.endswith("russian") else 0
    reply = hall.matches.StartMatch(
        wire.StartMatchRequest(match_id="same", options=preset, scripted_deals=True, first_seat=first)
    )
    state = table.game.new_match(table.game.options_of(table.state), first)
    for number, move in enumerate([shake, *table.moves[1:]]):
        token = Match(token=reply.match.token)
        reply = hall.matches.ApplyMove(wire.ApplyMoveRequest(match=token, move=move_to_proto(move)))
        state = table.game.apply(state, move)
        heard.append((len(reply.match.token), len(reply.record.entry), reply.ByteSize()))
        match = Match(token=reply.match.token)
        looking = {"spectator": Empty()} if viewer is None else {"seat": viewer}
        view = hall.matches.ViewMatch(wire.ViewMatchRequest(match=match, **looking)).view
        heard.append(without_salted(view))
        language = LANGUAGES[number % len(LANGUAGES)]
        heard += [status_of(hall, match, tried, language) for tried in attempts(table.game, state, viewer)]
    return heard


def status_of(hall: Any, match: Match, move: Any, language: str) -> bytes:
    """Try a move without doing it, and return the bytes of its refusal; none if it would be legal."""
    request = wire.ApplyMoveRequest(match=match, move=move_to_proto(move), validate_only=True)
    call = hall.matches.ApplyMove.future(request, metadata=(("accept-language", language), ("x-request-id", "same")))
    call.exception()
    packed = dict(call.trailing_metadata()).get(DETAILS, b"")
    assert not packed or Status.FromString(packed).details
    return bytes(packed)


def lawful_swap(table: Table, viewer: int | None) -> Shake:
    """Return a shake by which all these moves are legal too, and which looks the same to the viewer."""
    hidden, source = HiddenTiles(table.game, table.state, viewer), stream(b"lawful".ljust(32))
    for _ in range(5000):
        other = hidden.swapped(source)
        order = table.game.order(other)
        if order != table.game.order(table.state) and not table.game.problems(other):
            return Shake(order or b"")
    raise AssertionError("no swap is lawful here")


PRESETS = {"polish": "forty_two.polish", "russian": "forty_two.russian", "partners": "fives.linear"}


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("viewer", [None, 2])
def test_a_server_tells_the_same_at_two_tables(
    open_hall: Callable[..., Any], tmp_path: Any, lines: io.StringIO, name: str, viewer: int | None
) -> None:
    """Views, refusals, sizes and log lines of a whole table are those of another at which hidden tiles differ."""
    table = table_at(name, 3, 9)
    heard, logged = [], []
    for number, shake in enumerate((table.moves[0], lawful_swap(table, viewer))):
        hall = open_hall(store_path=tmp_path / f"{number}.sqlite3", allow_scripted_deals=True)
        before = len(lines.getvalue())
        heard.append(told(hall, table, shake, viewer, Options(preset=PRESETS[name])))
        new = [json.loads(line) for line in lines.getvalue()[before:].splitlines()]
        logged.append([{key: value for key, value in line.items() if key not in ASIDE} for line in new])
    assert heard[0] == heard[1]
    assert logged[0] == logged[1]
    assert len(logged[0]) > len(table.moves) * (2 if viewer is None else 4)


def test_log_lines_of_whole_matches_hold_no_tile(
    open_hall: Callable[..., Any], tmp_path: Any, lines: io.StringIO
) -> None:
    """Whole matches that differ in where within the hands the tiles lay give the same lines.

    And nothing stands in a line but the name of a method, a code, the match's id and the number of a record.
    """
    logged = []
    for number in range(2):
        hall = open_hall(store_path=tmp_path / f"{number}.sqlite3", allow_scripted_deals=True)
        before = len(lines.getvalue())
        for name, preset in PRESETS.items():
            play_whole(hall, name, preset, mixed=bool(number))
        new = [json.loads(line) for line in lines.getvalue()[before:].splitlines()]
        logged.append([{key: value for key, value in line.items() if key not in ASIDE} for line in new])
    assert logged[0] == logged[1]
    calls = [line for line in logged[0] if line["event"] == "call"]
    assert {key for line in calls for key in line} == {"event", "level", "method", "code", "match_id", "sequence"}
    assert {line["method"] for line in calls} == {"StartMatch", "ApplyMove"}
    assert len(calls) > 300


def play_whole(hall: Any, name: str, preset: str, *, mixed: bool) -> None:
    """Play one match on a server; `mixed` lets every hand lie in another order."""
    game_name, options = TABLES[name]
    game, source = GAMES[game_name], stream(name.encode().ljust(32))
    state, first = game.new_match(options, None if name == "russian" else 0), None if name == "russian" else 0
    reply = hall.matches.StartMatch(
        wire.StartMatchRequest(match_id=name, options=Options(preset=preset), scripted_deals=True, first_seat=first)
    )
    while game.outcome(state) is None:
        if game.phase(state) is Phase.SHAKE:
            order = shuffled(bytes([next(source) for _ in range(32)]))
            pieces = [order[place : place + 7] for place in range(0, TILE_COUNT, 7)]
            move: Any = Shake(b"".join(piece[::-1] for piece in pieces) if mixed else order)
        elif game.phase(state) is Phase.LOT:
            move = fives.Lot(bytes((1, 2, 3, 4)))
        else:
            legal = game.legal_moves(state)
            move = legal[number_below(len(legal), source)]
        state = game.apply(state, move)
        request = wire.ApplyMoveRequest(match=Match(token=reply.match.token), move=move_to_proto(move))
        reply = hall.matches.ApplyMove(request)


def test_the_view_of_this_module_is_the_one_that_is_sent(hall: Any) -> None:
    """`view_bytes`, which the swaps compare, makes `ViewMatch`'s answer, but for ids, marks, root, salts and paths."""
    table = table_at("partners", 5, 6)
    reply = hall.matches.StartMatch(
        wire.StartMatchRequest(
            match_id="sent", options=Options(preset="fives.linear"), scripted_deals=True, first_seat=0
        )
    )
    for move in table.moves:
        request = wire.ApplyMoveRequest(match=Match(token=reply.match.token), move=move_to_proto(move))
        reply = hall.matches.ApplyMove(request)
    sent = hall.matches.ViewMatch(wire.ViewMatchRequest(match=Match(token=reply.match.token), seat=1)).view
    made = View.FromString(view_bytes(table.game, table.state, 1))
    for view in (sent, made):
        without_salted(view)
        for name in ("match_id", "sequence", "marks"):
            view.ClearField(name)
        for each in view.openings:
            each.ClearField("salt")
    assert sent == made
