"""MessagePack as the log uses it: one value has one encoding, and nothing else is read.

The subset is nil, booleans, integers of 64 bits, UTF-8 text, bytes, arrays, and maps with distinct text keys, each in
its shortest form. Floats and extensions do not exist. The reader is written here, because strictness and the exact
byte of a fault are what it is for; the writer is `msgpack`, behind a check that refuses what the format can't say.

Both sides keep the same bounds, so whatever was written can be read: depth 4, 64 elements an array or map, 4,096
bytes a text or byte string, 16,384 bytes an item.
"""

import threading
from typing import Final, TypeAlias

import msgpack

from dominohall_replays.errors import TruncatedLog, UnreadableLog, UnwritableRecord

Item: TypeAlias = "bool | int | str | bytes | list[Item] | dict[str, Item] | None"

MAX_DEPTH: Final = 4
MAX_COUNT: Final = 64
MAX_BYTES: Final = 4096
MAX_ITEM_BYTES: Final = 16384
LEAST_INTEGER: Final = -(1 << 63)
GREATEST_INTEGER: Final = (1 << 64) - 1

NIL: Final = 0xC0
FALSE: Final = 0xC2
TRUE: Final = 0xC3
CONSTANTS: Final = {NIL: None, FALSE: False, TRUE: True}

UNSIGNED: Final = {0xCC: (1, 0x80), 0xCD: (2, 0x100), 0xCE: (4, 0x10000), 0xCF: (8, 0x100000000)}
"""Head byte -> bytes that follow, and the least value that needs them."""
SIGNED: Final = {0xD0: (1, -0x20), 0xD1: (2, -0x80), 0xD2: (4, -0x8000), 0xD3: (8, -0x80000000)}
"""Head byte -> bytes that follow, and the bound below which a value needs them."""
SIZED: Final = {0xC4: (1, 0), 0xC5: (2, 0x100), 0xD9: (1, 0x20), 0xDA: (2, 0x100), 0xDC: (2, 0x10), 0xDE: (2, 0x10)}
"""Head byte of bytes, text, arrays, maps -> bytes of the size that follow, and the least size that needs them."""
BYTES_HEADS: Final = (0xC4, 0xC5)
TEXT_HEADS: Final = (0xD9, 0xDA)
ARRAY_HEAD: Final = 0xDC


class _Writers(threading.local):
    """One reused packer a thread: half the cost of `msgpack.packb`; `_check` has refused what it would coerce."""

    def __init__(self) -> None:
        self.pack = msgpack.Packer(use_bin_type=True).pack


_writers: Final = _Writers()


def pack_trusted(value: object) -> bytes:
    """Return the canonical bytes of a value that is known to fit: for the record of a move, where checks would cost."""
    packed: bytes = _writers.pack(value)
    return packed


def pack(value: object) -> bytes:
    """Return the canonical bytes of a value; `UnwritableRecord` for anything the format has no place for.

    >>> pack([1, "a", b"b", None]).hex()
    '9401a161c40162c0'
    """
    _check(value, 0)
    packed = pack_trusted(value)
    if len(packed) > MAX_ITEM_BYTES:
        raise UnwritableRecord(f"expected an item of at most {MAX_ITEM_BYTES} bytes, got {len(packed)}")
    return packed


def _check(value: object, depth: int) -> None:
    kind = type(value)
    if value is None or kind is bool:
        return
    if isinstance(value, int) and kind is int:
        if not LEAST_INTEGER <= value <= GREATEST_INTEGER:
            raise UnwritableRecord("expected an integer of 64 bits, got a greater one")
    elif isinstance(value, str) and kind is str:
        try:
            size = len(value.encode())
        except UnicodeEncodeError:
            raise UnwritableRecord("expected text that is valid Unicode, got a lone surrogate") from None
        if size > MAX_BYTES:
            raise UnwritableRecord(f"expected text of at most {MAX_BYTES} bytes, got {size}")
    elif isinstance(value, bytes) and kind is bytes:
        if len(value) > MAX_BYTES:
            raise UnwritableRecord(f"expected at most {MAX_BYTES} bytes, got {len(value)}")
    elif isinstance(value, list | tuple | dict) and kind in {list, tuple, dict}:
        _check_container(value, depth + 1)
    else:
        raise UnwritableRecord(
            f"expected nil, a boolean, an integer, text, bytes, an array or a map, got {kind.__name__}"
        )


def _check_container(value: list[object] | tuple[object, ...] | dict[object, object], depth: int) -> None:
    if depth > MAX_DEPTH:
        raise UnwritableRecord(f"expected a depth of at most {MAX_DEPTH}")
    if len(value) > MAX_COUNT:
        raise UnwritableRecord(f"expected at most {MAX_COUNT} elements, got {len(value)}")
    if isinstance(value, dict):
        for key in value:
            if type(key) is not str:
                raise UnwritableRecord(f"expected text as the key of a map, got {type(key).__name__}")
            _check(key, depth)
    for each in value.values() if isinstance(value, dict) else value:
        _check(each, depth)


def unpack(data: bytes, start: int = 0) -> tuple[Item, int]:
    """Read the item that begins at `start`; return it and the place after it.

    `UnreadableLog` names the byte of whatever is not canonical or out of bounds, `TruncatedLog` an item that goes on
    beyond the data. Nothing is ever allocated because of a length that the data only claims.

    >>> unpack(bytes.fromhex("9401a161c40162c0"))
    ([1, 'a', b'b', None], 8)
    """
    return _unpack(data, start, start + MAX_ITEM_BYTES, 0)


def _unpack(data: bytes, at: int, limit: int, depth: int) -> tuple[Item, int]:
    _need(data, at, at + 1, limit)
    head = data[at]
    if head < 0x80:
        return head, at + 1
    if 0xA0 <= head < 0xC0:  # half the items of a header
        end = at + 1 + (head & 0x1F)
        _need(data, at, end, limit)
        return _text(data, at + 1, end), end
    if head >= 0xE0:
        return head - 0x100, at + 1
    if head in CONSTANTS:
        return CONSTANTS[head], at + 1
    if head in UNSIGNED or head in SIGNED:
        return _unpack_integer(data, at, limit)
    return _unpack_sized(data, at, limit, depth)


def _unpack_integer(data: bytes, at: int, limit: int) -> tuple[int, int]:
    head = data[at]
    signed = head in SIGNED
    size, bound = SIGNED[head] if signed else UNSIGNED[head]
    end = at + 1 + size
    _need(data, at, end, limit)
    value = int.from_bytes(data[at + 1 : end], "big", signed=signed)
    if value >= bound if signed else value < bound:
        raise UnreadableLog("expected an integer in its shortest form", at)
    return value, end


def _unpack_sized(data: bytes, at: int, limit: int, depth: int) -> tuple[Item, int]:
    head = data[at]
    if head < 0xA0:
        count, begin = head & 0x0F, at + 1
    elif head in SIZED:
        width, least = SIZED[head]
        begin = at + 1 + width
        _need(data, at, begin, limit)
        count = int.from_bytes(data[at + 1 : begin], "big")
        if count < least:
            raise UnreadableLog("expected a length in its shortest form", at)
    else:
        raise UnreadableLog(f"expected an item of this format, got the byte 0x{head:02x}", at)
    if head in BYTES_HEADS or head in TEXT_HEADS:
        if count > MAX_BYTES:
            raise UnreadableLog(f"expected at most {MAX_BYTES} bytes, got {count}", at)
        end = begin + count
        _need(data, at, end, limit)
        return data[begin:end] if head in BYTES_HEADS else _text(data, begin, end), end
    if count > MAX_COUNT:
        raise UnreadableLog(f"expected at most {MAX_COUNT} elements, got {count}", at)
    if depth == MAX_DEPTH:
        raise UnreadableLog(f"expected a depth of at most {MAX_DEPTH}", at)
    if head == ARRAY_HEAD or 0x90 <= head < 0xA0:
        return _unpack_array(data, begin, count, limit, depth + 1)
    return _unpack_map(data, begin, count, limit, depth + 1)


def _text(data: bytes, begin: int, end: int) -> str:
    try:
        return data[begin:end].decode()
    except UnicodeDecodeError as error:
        raise UnreadableLog("expected text in UTF-8", begin + error.start) from None


def _unpack_array(data: bytes, at: int, count: int, limit: int, depth: int) -> tuple[Item, int]:
    found: list[Item] = []
    for _ in range(count):
        each, at = _unpack(data, at, limit, depth)
        found.append(each)
    return found, at


def _unpack_map(data: bytes, at: int, count: int, limit: int, depth: int) -> tuple[Item, int]:
    found: dict[str, Item] = {}
    for _ in range(count):
        begin = at
        key, at = _unpack(data, at, limit, depth)
        if not isinstance(key, str):
            raise UnreadableLog("expected text as the key of a map", begin)
        if key in found:
            raise UnreadableLog("expected each key of a map once", begin)
        found[key], at = _unpack(data, at, limit, depth)
    return found, at


def _need(data: bytes, at: int, end: int, limit: int) -> None:
    """Refuse what would go beyond the bound of an item, and name what goes beyond the data a cut."""
    if end > limit:
        raise UnreadableLog(f"expected an item of at most {MAX_ITEM_BYTES} bytes", at)
    if end > len(data):
        raise TruncatedLog("the bytes end inside an item", len(data))
