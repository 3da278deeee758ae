"""The small values of the wire: tiles, seats, enums, times."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, Protocol

from dominohall.v1.hand_pb2 import Hand
from dominohall_engine.tiles import HALVES, NAMES, TILE_COUNT, mask_of
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from dominohall_service.faults import invalid

TILES: Final[Mapping[str, int]] = {
    text: tile for tile, (high, low) in enumerate(HALVES) for text in (f"{high}-{low}", f"{low}-{high}")
}
"""Every way to write a tile."""


def tile_from_proto(text: str, field: str) -> int:
    """Read one tile, `6-4` or `4-6`."""
    tile = TILES.get(text)
    if tile is None:
        raise invalid(
            field, f"expected a tile such as '6-4', got {text[:12]!r}" if text else "expected a tile, got none"
        )
    return tile


def tiles_from_proto(texts: Iterable[str], field: str) -> bytes:
    """Read tiles in their order, a byte each."""
    return bytes([tile_from_proto(text, f"{field}[{place}]") for place, text in enumerate(texts)])


def order_from_proto(texts: Iterable[str], field: str) -> bytes:
    """Read the order of a shake; `violation` judges whether they are the 28 tiles once each."""
    tiles = tiles_from_proto(texts, field)
    if len(tiles) != TILE_COUNT:
        raise invalid(field, f"expected {TILE_COUNT} tiles or none, got {len(tiles)}")
    return tiles


def tiles_to_proto(tiles: Iterable[int]) -> list[str]:
    """Write tiles in the order given."""
    return [NAMES[tile] for tile in tiles]


def hand_from_proto(proto: Hand, field: str) -> int:
    """Read a hand."""
    return mask_of(tiles_from_proto(proto.tiles, f"{field}.tiles"))


def optional_from_proto(proto: Message, name: str) -> Any:  # noqa: ANN401 - the type of any field
    """Read a field that may be absent; None then."""
    return getattr(proto, name) if proto.HasField(name) else None


def time_from_proto(proto: Timestamp, field: str) -> int:
    """Read a time as milliseconds since 1970, 0 to the year 9999; what is finer than a millisecond is dropped."""
    if not (0 <= proto.seconds <= LAST_SECOND and 0 <= proto.nanos < 1_000_000_000):
        raise invalid(field, "expected a time from 1970 to 9999")
    return proto.seconds * 1000 + proto.nanos // 1_000_000


LAST_SECOND: Final = 253_402_300_799


class WireEnum(Protocol):
    """The part of a generated enum that is needed: its names and values."""

    def Value(self, name: str) -> Any:  # noqa: ANN401, N802 - the value type of any enum
        """Return the value of a name."""

    def values(self) -> Sequence[Any]:
        """Return every value."""


class EnumCodec:
    """One enum of the engine and the same of the wire: `Tie.DRAW` and `TIE_DRAW`.

    The names must agree; a value that only one side has fails when the pair is made, which a test does for all.
    """

    def __init__(self, kind: type[StrEnum], wire: WireEnum, prefix: str) -> None:
        self.to_proto: Final[Mapping[StrEnum, Any]] = {each: wire.Value(f"{prefix}_{each.name}") for each in kind}
        self._from_proto: Final = {value: each for each, value in self.to_proto.items()}
        if len(wire.values()) != len(self.to_proto) + 1:
            raise ValueError(f"expected the values of {kind.__name__} and UNSPECIFIED, got {len(wire.values())}")

    def from_proto(self, value: int, field: str) -> StrEnum:
        """Read a value; `UNSPECIFIED` and values that this build does not know are refused."""
        found = self._from_proto.get(value)
        if found is None:
            what = "UNSPECIFIED" if value == 0 else f"the unknown value {value}"
            raise invalid(field, f"expected one of {', '.join(self.to_proto)}, got {what}")
        return found
