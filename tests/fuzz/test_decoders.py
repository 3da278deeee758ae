"""Every decoder of bytes from outside, fed with chance: it returns, or raises the error that it promises, and no other.

What is fed: bytes by chance, and honest bytes with some changed, cut, repeated or put in. The long form feeds a million
inputs that follow from a seed: `python tests/fuzz/test_decoders.py --inputs 1000000 --seed 1`.
"""

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dominohall.v1.match_pb2 import MatchState
from dominohall.v1.move_pb2 import Draw, Lot, Move, Play, Shake
from dominohall.v1.options_pb2 import Options
from dominohall_engine.errors import DominohallError, InvalidOptions
from dominohall_engine.games import GAMES
from dominohall_engine.moves import Shake as EngineShake
from dominohall_engine.shuffle import shuffled
from dominohall_loadtest.malice import packs, spoiled
from dominohall_replays.archive_format import check_segment
from dominohall_replays.as_played.notation import parse_round
from dominohall_replays.compact import compacted, expanded
from dominohall_replays.compact_block import compressed, decompressed
from dominohall_replays.errors import ReplayError, UnreadableSegment
from dominohall_replays.log import read_log
from dominohall_replays.packing import pack, unpack
from dominohall_replays.verify import verify
from dominohall_service.codec.matches import state_from_proto, state_to_proto
from dominohall_service.codec.moves import move_from_proto
from dominohall_service.codec.options import options_from_proto
from dominohall_service.faults import CallFault
from dominohall_service.keyring import development_keyring
from dominohall_service.seal import Sealed, Sealer
from google.protobuf.message import DecodeError
from hypothesis import given, settings
from hypothesis import strategies as st

SEALER = Sealer(development_keyring())
Decoder = Callable[[bytes], object]


def states() -> list[tuple[Any, Any]]:
    """Return a few states of each preset: at its beginning, and some moves into its first round."""
    found: list[tuple[Any, Any]] = []
    for game in GAMES.values():
        for options in game.PRESETS.values():
            try:
                state = game.new_match(options, 0)
            except InvalidOptions:  # whoever holds the 1-0 opens
                state = game.new_match(options)
            found.append((game, state))
            state = game.apply(state, EngineShake(shuffled(bytes(32))))
            while game.legal_moves(state) and len(found) % 12:
                found.append((game, state))
                state = game.apply(state, game.legal_moves(state)[-1])
    return found


STATES = states()
TOKEN = SEALER.seal(
    Sealed("default", "m", STATES[0][0].NAME, 0, bytes(4), 0, bytes(32), None, STATES[0][0].encode(STATES[0][1]))
)
ROUND = b"as-played 1\nrules: forty_two.polish\nshaker: 0\nhand 0: 6-4 5-5\nbid 0: 30\ntrick: 6-4 0-0\nscores: 1 2\n"


def bent(message: Any, rng: random.Random) -> bytes:
    """Return a message with some fields set to strange values, deeper and deeper; a message still."""
    changed = type(message).FromString(message.SerializeToString())
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = changed
        while True:
            described = rng.choice(at.DESCRIPTOR.fields)
            value = getattr(at, described.name)
            if described.is_repeated:
                if len(value) and rng.random() < 0.5:
                    del value[rng.randrange(len(value)) :]
                elif described.message_type:
                    value.add()
                else:
                    value.extend([strange(described, rng)] * rng.choice((1, 1, 30)))
            elif described.message_type is None:
                setattr(at, described.name, strange(described, rng))
            else:
                value.SetInParent()
                if value.DESCRIPTOR.fields and rng.random() < 0.9:
                    at = value
                    continue
            break
    data: bytes = changed.SerializeToString()
    return data


def strange(described: Any, rng: random.Random) -> Any:
    """Return a value for a field: often one that is nearly right."""
    kind = described.cpp_type
    if kind == described.CPPTYPE_STRING:
        text = rng.choice(("", "0-0", "6-4", "4-6", "7-7", "6-4 ", "\x00", "fives.linear", "x" * 300))
        return text.encode() if described.type == described.TYPE_BYTES else text
    if kind == described.CPPTYPE_BOOL:
        return rng.random() < 0.5
    unsigned = kind in {described.CPPTYPE_UINT32, described.CPPTYPE_UINT64}
    return rng.choice((0, 1, 2, 3, 4, 5, 7, 8, 27, 28, 42, 255, 2**31 - 1, *(() if unsigned else (-1, -(2**31)))))


BENT: dict[str, list[Any]] = {
    "wire state": [state_to_proto(game, state, 0) for game, state in STATES],
    "wire move": [
        Move(shake=Shake(tiles=["6-4"] * 28)),
        Move(lot=Lot()),
        Move(play=Play(seat=1, tile="6-4")),
        Move(draw=Draw(seat=1)),
    ],
    "wire options": [Options(preset=name) for name in ("fives.linear", "forty_two.polish", "forty_two.russian")],
}
LOGS = [path.read_bytes() for path in sorted((Path(__file__).parents[1] / "replays/fixtures/v1").glob("*.dominohall"))]


def made(name: str, rng: random.Random) -> bytes:
    """Make one input of a decoder."""
    way = rng.random()
    if way < 0.15:
        return rng.randbytes(rng.randrange(200))
    if way < 0.6 and name in BENT:
        return bent(rng.choice(BENT[name]), rng)
    return spoiled(rng.choice(DECODERS[name][2]), rng)


def wire_state(data: bytes) -> object:
    """Read a state from the wire, as ImportMatch does; what is believed can be sealed and opened again."""
    game, state = state_from_proto(MatchState.FromString(data), 0)
    game.decode(game.encode(state))
    return game, state


def wire_move(data: bytes) -> object:
    """Read a move from the wire, of each game."""
    proto = Move.FromString(data)
    return [move_from_proto(name, proto) for name in GAMES]


SEGMENTS = [path.read_bytes() for path in sorted((Path(__file__).parents[1] / "replays/fixtures/archive").iterdir())]
COMPACT = [compacted(log) for log in LOGS[:1]]
ROWS = [decompressed(data, 1 << 20) for data in COMPACT]
"""What stands in the frames: spoiled and framed again, so that no checksum is in the way."""

DECODERS: dict[str, tuple[Decoder, tuple[type[Exception], ...], list[bytes]]] = {
    "token": (SEALER.open, (CallFault,), [TOKEN]),
    "pack": (unpack, (ReplayError,), [pack([1, "a", b"b", {"k": [2]}]), *(each[:999] for each in packs().values())]),
    "log": (lambda data: list(read_log(data)), (ReplayError,), LOGS),
    "verify": (verify, (), [each[:2000] for each in LOGS]),
    "compact log": (expanded, (UnreadableSegment,), COMPACT),
    "compact rows": (lambda data: expanded(compressed(data)), (UnreadableSegment,), ROWS),
    "segment": (check_segment, (UnreadableSegment,), SEGMENTS),
    "wire state": (
        wire_state,
        (CallFault, DecodeError),
        [each.SerializeToString() for each in BENT["wire state"]],
    ),
    "wire move": (
        wire_move,
        (CallFault, DecodeError),
        [each.SerializeToString() for each in BENT["wire move"]],
    ),
    "wire options": (
        lambda data: options_from_proto(Options.FromString(data), "options"),
        (CallFault, DecodeError),
        [each.SerializeToString() for each in BENT["wire options"]],
    ),
    "notation": (lambda data: parse_round(data.decode("utf-8", "replace")), (ReplayError, DominohallError), [ROUND]),
}  # fmt: skip
for NAME, GAME in GAMES.items():
    ENCODED = [GAME.encode(state) for game, state in STATES if game is GAME]
    DECODERS[f"state of {NAME}"] = (GAME.decode, (DominohallError,), ENCODED)
    DECODERS[f"move of {NAME}"] = (GAME.decode_move, (DominohallError,), [bytes((1, *range(28))), bytes((0x13, 0, 5))])


def feed(name: str, data: bytes) -> str:
    """Feed one input; return `read` or the name of the promised error. Any other error passes through."""
    decoder, promised, _ = DECODERS[name]
    try:
        decoder(data)
    except promised as error:
        return type(error).__name__
    return "read"


@pytest.mark.parametrize("name", DECODERS)
@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_a_decoder_returns_or_raises_what_it_promises(name: str, data: st.DataObject) -> None:
    """Bytes by chance, and honest bytes with some changed, are read or refused with the promised error."""
    feed(name, data.draw(st.binary(max_size=300)))
    feed(name, made(name, random.Random(data.draw(st.integers(0, 2**64)))))


@pytest.mark.parametrize("name", DECODERS)
def test_honest_input_is_what_is_spoiled(name: str) -> None:
    """Each decoder has something to begin with, so that changed bytes reach further than its first check."""
    assert DECODERS[name][2]


@pytest.mark.parametrize("number", [4, 255, 256, 2**31 - 1])
def test_a_shaker_beyond_any_is_an_impossible_state(number: int) -> None:
    """Found by the long form: a shaker that fits no byte raised `struct.error`, and ImportMatch became INTERNAL."""
    for game, state in STATES:
        if game.NAME == "forty_two":
            proto = state_to_proto(game, state, 0)
            proto.forty_two.table.shaker = number
            with pytest.raises(CallFault):
                state_from_proto(proto, 0)


def main() -> int:
    """Feed many inputs, print how many ended how, and where one raised what it should not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    rng, started = random.Random(asked.seed), time.monotonic()
    ended: Counter[tuple[str, str]] = Counter()
    found: dict[tuple[str, str], bytes] = {}
    names = list(DECODERS)
    for number in range(asked.inputs):
        name = names[number % len(names)]
        data = made(name, rng)
        try:
            ended[name, feed(name, data)] += 1
        except Exception as error:  # noqa: BLE001 - what is looked for
            place = (name, type(error).__name__)
            if place not in found or len(data) < len(found[place]):
                found[place] = data
    sys.stdout.write(f"{asked.inputs} inputs of seed {asked.seed} in {time.monotonic() - started:.0f} s\n")
    for (name, how), count in sorted(ended.items()):
        sys.stdout.write(f"{name}: {how} {count}\n")
    for (name, how), data in found.items():
        sys.stdout.write(f"FOUND {name}: {how} by {data!r}\n")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
