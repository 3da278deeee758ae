"""What the fast ways of the service promise: the same values and bytes as the slow ways, and nothing that grows."""

import random
from typing import Any

import pytest
from dominohall.v1.match_pb2 import Match, MatchState
from dominohall.v1.move_pb2 import Move
from dominohall_engine.game import Phase
from dominohall_engine.games import GAMES, PRESETS, AnyGame
from dominohall_engine.moves import Abandon, Shake
from dominohall_engine.shuffle import shuffled
from dominohall_replays.deals import chance_move
from dominohall_service.codec.matches import state_to_proto, write_whole_state
from dominohall_service.codec.moves import READERS, move_from_proto, move_to_proto, usual_moves
from dominohall_service.metrics import MOST_NOTES, Counts, Meter, Spread
from dominohall_service.recent import Recent
from dominohall_service.seal import IMPORTED, SCRIPTED
from dominohall_service.standing import bytes_of_token_alone

SECRET = bytes(range(32))


def states(preset: str, seed: int) -> tuple[AnyGame, list[Any]]:
    """Play a match at random and return every state of it, an abandoned end after it."""
    name, _, options = preset.partition(".")
    game = GAMES[name]
    chance = random.Random(seed)
    state = game.new_match(game.PRESETS[options])
    found = [state, game.apply(state, Abandon("left"))]
    while game.outcome(state) is None:
        if game.phase(state) is Phase.SHAKE:
            move: Any = Shake(shuffled(chance.randbytes(32)))
        else:
            legal = game.legal_moves(state)
            move = chance.choice(legal) if legal else chance_move(game, state, SECRET)
        state = game.apply(state, move)
        found.append(state)
    return game, found


@pytest.mark.parametrize("preset", PRESETS)
def test_a_state_of_kept_parts_is_the_state_written_whole(preset: str) -> None:
    """A readable state put together from kept parts has the bytes of one written field by field, at every state."""
    game, found = states(preset, 1)
    for state in [*found[:150], *found[-50:]]:
        marks = len(game.encode(state)) % 2 * (IMPORTED | SCRIPTED)
        whole = MatchState()
        write_whole_state(whole, game, state, marks)
        quick = state_to_proto(game, state, marks)
        assert quick.SerializeToString() == whole.SerializeToString(), game.encode(state).hex()


@pytest.mark.parametrize("preset", PRESETS)
def test_canonical_bytes_are_the_public_part_and_the_order(preset: str) -> None:
    """`encode` is `encode_public` followed by the hidden order: so a state is encoded once for record and token."""
    game, found = states(preset, 3)
    for state in found:
        assert game.encode(state) == game.encode_public(state) + (game.order(state) or b"")


@pytest.mark.parametrize("name", GAMES)
def test_a_move_known_by_its_bytes_is_the_move_read_field_by_field(name: str) -> None:
    """Every move that is known by its bytes is what its fields say, and an unusual spelling is read as well."""
    moves = usual_moves(name)
    assert len(moves) >= 200
    for data, move in moves.items():
        proto = Move.FromString(data)
        kind = proto.WhichOneof("kind") or ""
        assert READERS[name][kind](getattr(proto, kind), "move") == move == move_from_proto(name, proto)
    play = next(proto for proto in map(move_to_proto, moves.values()) if proto.WhichOneof("kind") == "play")
    play.play.tile = "4-6"
    assert play.SerializeToString() not in moves
    read: Any = move_from_proto(name, play)
    assert move_to_proto(read).play.tile == "6-4"


def test_a_match_that_says_more_than_its_token_is_larger_than_its_token() -> None:
    """The size that tells whether a request says more of a match than its token is exact at every length."""
    for length in (1, 100, 127, 128, 250, 16_383, 16_384, 70_000):
        match = Match(token=bytes(length))
        assert match.ByteSize() == bytes_of_token_alone(length)
        match.sequence = 0
        assert match.ByteSize() > bytes_of_token_alone(length)


def test_what_is_remembered_stays_bounded() -> None:
    """The memory of recent calls never holds more than twice its size, and forgets the oldest."""
    recent: Recent[int] = Recent(size=10)
    for number in range(1, 1000):
        recent.add(number, number)
        assert recent.get(number) == number
        assert sum(recent.get(each) is not None for each in range(1, number + 1)) <= 20
    assert recent.get(1) is None


def test_notes_are_added_up_and_never_pile_up() -> None:
    """Counting by notes loses none, adds them up when asked, and keeps no more than its bound of them meanwhile."""
    meter, counts, spread = Meter(), Counts(), Spread((1.0, 2.0))
    for _ in range(3 * MOST_NOTES + 5):
        meter.note(("OK", 0.25))
        counts.note(("forty_two", 2))
        spread.note(1.5)
        assert max(len(meter._notes), len(counts._notes), len(spread._notes)) < MOST_NOTES
    for each in (meter, counts, spread):
        each.add_up()
    calls = 3 * MOST_NOTES + 5
    assert meter.codes == {"OK": calls}
    assert sum(meter.buckets) == calls
    assert meter.seconds == pytest.approx(calls * 0.25)
    assert counts.totals == {"forty_two": 2 * calls}
    assert spread.buckets == [0, calls, 0]
