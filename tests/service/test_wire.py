"""The protos themselves, and the way between messages and the engine's values."""

import shutil
import subprocess
import sys
from enum import StrEnum
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from dominohall.v1 import match_service_pb2, refusal_pb2, replay_service_pb2
from dominohall.v1.move_pb2 import Move
from dominohall_engine import fives, forty_two, moves
from dominohall_engine.fives.places import PLACE_NAMES
from dominohall_engine.games import GAMES
from dominohall_engine.tiles import HALVES, NAMES
from dominohall_service.codec.moves import move_from_proto, move_to_proto, place_to_proto
from dominohall_service.codec.options import MESSAGES, options_from_proto, options_to_proto, whole_options_from_proto
from dominohall_service.codec.scalars import tile_from_proto, time_from_proto
from dominohall_service.faults import CallFault
from google.protobuf.descriptor import FieldDescriptor, FileDescriptor
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).parents[2]
BUF = shutil.which("buf", path=str(Path(sys.executable).parent)) or shutil.which("buf")
SERVICES = (match_service_pb2, replay_service_pb2)


def files() -> dict[str, FileDescriptor]:
    """Return every file of the package by name."""
    found: dict[str, FileDescriptor] = {}
    todo = [module.DESCRIPTOR for module in (*SERVICES, refusal_pb2)]
    while todo:
        each = todo.pop()
        if each.name.startswith("dominohall/") and each.name not in found:
            found[each.name] = each
            todo += each.dependencies
    return found


@pytest.mark.parametrize(
    "command", [["lint"], ["format", "--diff", "--exit-code"], ["breaking", "--against", "baseline.binpb"]]
)
def test_the_protos_are_clean(command: list[str]) -> None:
    """The protos pass buf's STANDARD and COMMENTS rules, are formatted, and break nothing of the committed baseline."""
    assert BUF is not None, "expected buf-bin to be installed"
    done = subprocess.run([BUF, *command], cwd=ROOT / "proto", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_methods_are_the_promised_ones() -> None:
    """Two services with these methods, each with a request and a reply of its own."""
    names = [
        [method.name for method in module.DESCRIPTOR.services_by_name.values() for method in method.methods]
        for module in SERVICES
    ]
    assert names == [
        [
            "ListGames",
            "StartMatch",
            "ImportMatch",
            "ResumeMatch",
            "ListLegalMoves",
            "ApplyMove",
            "ApplyMoves",
            "ViewMatch",
        ],
        ["ListReplays", "GetReplay", "StepReplay", "SignHead", "VerifyReplay", "JudgeReplay"],
    ]


def test_zero_means_nothing_or_has_presence() -> None:
    """Every enum begins with UNSPECIFIED, and every seat, place, sequence and number that may be 0 has presence."""
    for file in files().values():
        enums = list(file.enum_types_by_name.values())
        for message in file.message_types_by_name.values():
            enums += message.enum_types
            for field in message.fields:
                number = field.type == FieldDescriptor.TYPE_UINT32
                legal_zero = field.name in {
                    "seat",
                    "points",
                    "turn",
                    "leader",
                    "opener",
                    "winner",
                    "sequence",
                    "bid",
                    "number",
                }
                if number and legal_zero and not field.is_repeated and message.name not in {"Trick", "Fork"}:
                    assert field.has_presence, field.full_name
        for enum in enums:
            assert enum.values[0].number == 0
            assert enum.values[0].name.endswith("_UNSPECIFIED"), enum.full_name


def test_options_of_the_wire_are_those_of_the_engine() -> None:
    """Message and dataclass have the same fields, each with presence, and the same values in each enum."""
    for name, message in MESSAGES.items():
        hints = get_type_hints(GAMES[name].Options)
        assert list(message.DESCRIPTOR.fields_by_name) == list(hints)
        for field in message.DESCRIPTOR.fields:
            kind = hints[field.name]
            assert field.has_presence
            assert (field.enum_type is not None) == (isinstance(kind, type) and issubclass(kind, StrEnum))


def test_places_have_the_engine_s_names() -> None:
    """The wire's places are the engine's, in its order."""
    wire = match_service_pb2.DESCRIPTOR.pool.FindEnumTypeByName("dominohall.v1.Place")
    for place, name in enumerate(PLACE_NAMES):
        assert wire.values_by_number[place_to_proto(place)].name == f"PLACE_{name.upper()}"


SEATS = st.integers(0, 3)
TILES = st.integers(0, 27)
ORDERS = st.permutations(range(28)).map(bytes)
REASONS = st.text("abc_-09", min_size=1, max_size=64)
ANY_GAME = st.builds(moves.Shake, ORDERS) | st.builds(moves.Abandon, REASONS)
FORTY_TWO = (
    ANY_GAME
    | st.builds(forty_two.Lot, SEATS)
    | st.builds(forty_two.Bid, SEATS, st.integers(0, 200))
    | st.builds(forty_two.Pass, SEATS)
    | st.builds(forty_two.NameTrump, SEATS, st.integers(0, 7))
    | st.builds(forty_two.Play, SEATS, TILES)
)
FIVES = (
    ANY_GAME
    | st.builds(fives.Lot, st.permutations(range(28)).map(lambda tiles: bytes(tiles[:3])))
    | st.builds(fives.Play, SEATS, TILES, st.integers(0, 6))
    | st.builds(fives.Draw, SEATS)
    | st.builds(fives.Knock, SEATS)
)


@given(st.tuples(st.just("forty_two"), FORTY_TWO) | st.tuples(st.just("fives"), FIVES))
def test_moves_survive_the_wire(case: tuple[str, Any]) -> None:
    """A move is read back from its message, and from the message's bytes, as it was written."""
    game, move = case
    proto = move_to_proto(move)
    assert move_from_proto(game, proto) == move
    assert move_from_proto(game, Move.FromString(proto.SerializeToString())) == move


def test_every_seat_move_of_every_game_survives_the_wire() -> None:
    """The whole domain of seat moves, the double blank and seat 0 among them, goes over the wire and back."""
    for name, game in GAMES.items():
        for options in game.PRESETS.values():
            for move in game.seat_moves(options):
                assert move_from_proto(name, move_to_proto(move)) == move


def test_presets_survive_the_wire() -> None:
    """Every preset is read back from its name and from its fields alone."""
    for name, game in GAMES.items():
        for preset, options in game.PRESETS.items():
            proto = options_to_proto(game, options)
            assert proto.preset == f"{name}.{preset}"
            assert options_from_proto(proto, "options") == (game, options)
            proto.preset = ""
            assert whole_options_from_proto(proto, "options") == (game, options)


def test_a_tile_is_read_in_either_order() -> None:
    """`6-4` and `4-6` are one tile, `0-0` is a tile, and nothing else that looks like one is."""
    for tile, (high, low) in enumerate(HALVES):
        assert tile_from_proto(f"{high}-{low}", "t") == tile_from_proto(f"{low}-{high}", "t") == tile
    for text in ("", "0", "00", "7-0", "6-7", "-1-0", "6-4 ", "06-4", "6\u20114", "64", "6-4\n", "\u0666-4"):
        with pytest.raises(CallFault):
            tile_from_proto(text, "t")
    assert len(NAMES) == 28


@pytest.mark.parametrize(
    ("seconds", "nanos", "milliseconds"),
    [(0, 0, 0), (1, 999_999, 1000), (1, 1_000_000, 1001), (253_402_300_799, 999_999_999, 253_402_300_799_999)],
)
def test_times_are_whole_milliseconds(seconds: int, nanos: int, milliseconds: int) -> None:
    """A time is kept in whole milliseconds, from 1970 to the end of the year 9999."""
    assert time_from_proto(Timestamp(seconds=seconds, nanos=nanos), "t") == milliseconds


@pytest.mark.parametrize(
    ("seconds", "nanos"), [(-1, 0), (253_402_300_800, 0), (2**63 - 1, 0), (-(2**63), 0), (0, -1), (0, 10**9)]
)
def test_times_that_are_none(seconds: int, nanos: int) -> None:
    """A time outside those years, or with impossible nanoseconds, is refused."""
    with pytest.raises(CallFault):
        time_from_proto(Timestamp(seconds=seconds, nanos=nanos), "t")


def test_generated_messages_are_typed_and_old_enough() -> None:
    """The generated code was made by a generator of protobuf 6.31, which runs under protobuf 6 and 7."""
    for path in (ROOT / "proto" / "dominohall" / "v1").glob("*_pb2.py"):
        assert "# Protobuf Python Version: 6.31" in path.read_text()
        assert path.with_suffix(".pyi").exists()
    assert issubclass(Move, Message)
