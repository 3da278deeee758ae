"""A redacted log tells its viewer no hidden tile: those of two deals that look the same differ in hashes alone."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgpack
import pytest
from dominohall_engine import fives, forty_two
from dominohall_engine.clauses import rules_digest
from dominohall_engine.games import GAMES, AnyGame
from dominohall_engine.hidden import HiddenTiles, seats_of
from dominohall_engine.moves import Shake
from dominohall_engine.options import options_to_plain
from dominohall_engine.shuffle import number_below, shuffled, stream
from dominohall_replays.deals import commitment, root, shake_salt
from dominohall_replays.records import Head, Header, header_entry, move_entry
from dominohall_replays.redact import When, _Round, redact
from dominohall_replays.verdicts import GOOD
from dominohall_replays.verify import verify

SECRET = bytes(range(32))
TABLES: dict[str, tuple[str, Any]] = {
    "polish": ("forty_two", forty_two.POLISH),
    "russian": ("forty_two", forty_two.RUSSIAN),
    "two_seats": ("fives", replace(fives.LINEAR, seats=2, partners=False)),
    "three_seats": ("fives", replace(fives.LINEAR, seats=3, partners=False)),
}


def first_of(options: Any) -> int | None:
    """Return who begins, where somebody can be named."""
    return None if getattr(options, "opener", None) is forty_two.Opener.HOLDER_OF_1_0 else 0


def begun(name: str, seed: int) -> tuple[AnyGame, list[Any], Any]:
    """Play a while into the first round; return the moves and the state."""
    game, options = GAMES[TABLES[name][0]], TABLES[name][1]
    source = stream(seed.to_bytes(32, "big"))
    moves: list[Any] = [Shake(shuffled(bytes([seed + 1] * 32)))]
    state = game.apply(game.new_match(options, first_of(options)), moves[0])
    for _ in range(6 + seed % 14):
        legal = game.legal_moves(state)
        bids = game.NAME == "forty_two" and len(moves) == 1
        move = legal[-1] if bids else legal[number_below(len(legal), source)]
        after = game.apply(state, move)
        if game.order(after) is None:
            break
        moves.append(move)
        state = after
    return game, moves, state


def logged(game: AnyGame, options: Any, moves: list[Any]) -> bytes:
    """Write the log of these moves; both deals of a test have one secret, so one salt for each leaf."""
    seats = sum(map(len, game.sides(options)))
    header = Header(
        "same", "", game.NAME, 1, rules_digest(game.NAME, 1), options_to_plain(options), first_of(options),
        ("",) * seats, commitment(SECRET), b"key1",
    )  # fmt: skip
    entries, state, salt = [header_entry(header)], game.new_match(options, first_of(options)), shake_salt(SECRET, 0)
    tiles_root = root(moves[0].tiles, salt)
    for move in moves:
        state = game.apply(state, move)
        head = Head("same", entries[-1].sequence, entries[-1].link)
        salted = salt if isinstance(move, Shake) else None
        entries.append(move_entry(game, head, move, state, root=tiles_root, shake_salt=salted))
    return b"".join(entry.data for entry in entries)


def shown(log: bytes) -> tuple[int, list[Any]]:
    """Return the size of a log and all that stands in it, but for what is a hash over hidden tiles."""
    unpacker = msgpack.Unpacker(raw=False, strict_map_key=False)
    unpacker.feed(log)
    return len(log), [without_hashes(item) for item in unpacker]


def without_hashes(item: Any) -> Any:
    """Leave out digests, links, roots and paths: of an opened tile its place, itself and its salt are kept."""
    if isinstance(item, list) and item and item[0] == 17:
        return [17, [each[:3] for each in item[1]]]
    if isinstance(item, list):
        return [without_hashes(each) for each in item]
    return b"" if isinstance(item, bytes) and len(item) == 32 else item


def lawful(game: AnyGame, state: Any, viewer: int | None, tries: int) -> Iterator[Any]:
    """Yield states that the same moves could have led to, and that look the same to the viewer."""
    hidden, source = HiddenTiles(game, state, viewer), stream(b"lawful".ljust(32))
    for _ in range(tries):
        other = hidden.swapped(source, within_hands=False)
        if game.order(other) != game.order(state) and not game.problems(other):
            yield other


def differing(name: str, seeds: range, tries: int) -> tuple[int, int]:
    """Compare redacted logs of two deals for each viewer at once; return how many were compared and how many differ."""
    compared = differ = 0
    for seed in seeds:
        game, moves, state = begun(name, seed)
        log = logged(game, TABLES[name][1], moves)
        for viewer in (None, *range(seats_of(game, state))):
            seen = redact(log, viewer, When.AT_ONCE)
            assert verify(seen).verdict in GOOD
            for other in lawful(game, state, viewer, tries):
                swapped = [Shake(game.order(other) or b""), *moves[1:]]
                again = redact(logged(game, TABLES[name][1], swapped), viewer, When.AT_ONCE)
                assert again != seen
                compared += 1
                differ += shown(again) != shown(seen)
    return compared, differ


@pytest.mark.parametrize("name", TABLES)
def test_redacted_logs_of_two_deals_differ_in_hashes_alone(name: str) -> None:
    """What was opened for whom, what stands in every record, and the size: the same for each viewer."""
    compared, differ = differing(name, range(14), 3 if name in {"polish", "russian"} else 12)
    assert compared > 20
    assert differ == 0


@pytest.mark.parametrize("name", ["two_seats", "three_seats"])
def test_an_opening_that_tells_a_draw_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Redaction that opens every played tile at once tells of some whether it was dealt or drawn: that is seen."""
    monkeypatch.setattr(_Round, "_plain_plays", lambda self: iter([True] * len(self.events)))
    assert any(differing(name, range(seed, seed + 1), 12)[1] for seed in range(40))
