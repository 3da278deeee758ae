"""MessagePack, strict: one value has one encoding, and whatever else comes is refused at its byte."""

import os
import subprocess
import sys
from typing import Any

import msgpack
import pytest
from dominohall_replays.errors import TruncatedLog, UnreadableLog, UnwritableRecord
from dominohall_replays.packing import MAX_BYTES, MAX_COUNT, MAX_DEPTH, MAX_ITEM_BYTES, pack, unpack
from hypothesis import given, settings
from hypothesis import strategies as st

EDGES = (0, 127, 128, 255, 256, 65535, 65536, 2**32 - 1, 2**32, 2**63, 2**64 - 1)
INTEGERS = (*EDGES, *(-each for each in (1, 32, 33, 128, 129, 32768, 32769, 2**31, 2**31 + 1, 2**63)))

scalars = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(max_size=40) | st.binary(max_size=40)
items = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=8,
)


def depth_of(value: Any) -> int:
    """Return how deep arrays and maps are nested."""
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(depth_of, value), default=0) if isinstance(value, list) else 0


@given(items)
def test_what_is_written_is_read(value: Any) -> None:
    """Every value that is written is read back the same, and has the bytes that MessagePack gives it."""
    if depth_of(value) > MAX_DEPTH:
        with pytest.raises(UnwritableRecord):
            pack(value)
        return
    data = pack(value)
    assert data == msgpack.packb(value)
    assert unpack(data) == (value, len(data))
    assert unpack(b"\xff" + data + b"\xff", 1) == (value, len(data) + 1)


@pytest.mark.parametrize("value", INTEGERS)
def test_integers_have_one_form(value: int) -> None:
    """Every integer of 64 bits is read in its shortest form and in no longer one, in every width."""
    data = pack(value)
    assert unpack(data) == (value, len(data))
    for head, size, signed in (
        *((0xCC + i, 2**i, False) for i in range(4)),
        *((0xD0 + i, 2**i, True) for i in range(4)),
    ):
        try:
            other = bytes((head,)) + value.to_bytes(size, "big", signed=signed)
        except OverflowError:
            continue
        if other != data:
            with pytest.raises(UnreadableLog, match="shortest"):
                unpack(other)


@pytest.mark.parametrize("size", [0, 1, 15, 16, 31, 32, 255, 256])
def test_lengths_have_one_form(size: int) -> None:
    """Text, bytes, arrays and maps with a longer form of their length are refused."""
    for value, heads in (
        ("x" * size, ((0xD9, 1), (0xDA, 2), (0xDB, 4))),
        (b"x" * size, ((0xC4, 1), (0xC5, 2), (0xC6, 4))),
        ([1] * size, ((0xDC, 2), (0xDD, 4))),
        ({f"{key:03}": 1 for key in range(size)}, ((0xDE, 2), (0xDF, 4))),
    ):
        if not isinstance(value, str | bytes) and size > MAX_COUNT:
            continue
        data = pack(value)
        body = msgpack.packb(value)[len(data) - len(b"".join(parts(value))) :]
        for head, width in heads:
            if size >= 256**width:
                continue
            other = bytes((head,)) + size.to_bytes(width, "big") + body
            if other != data:
                with pytest.raises(UnreadableLog):
                    unpack(other)


def parts(value: Any) -> list[bytes]:
    """Return the bytes of what is in a value, without its head."""
    if isinstance(value, str):
        return [value.encode()]
    if isinstance(value, bytes):
        return [value]
    if isinstance(value, dict):
        return [msgpack.packb(part) for pair in value.items() for part in pair]
    return [msgpack.packb(part) for part in value]


@pytest.mark.parametrize(
    ("data", "offset", "why"),
    [
        (b"\xc1", 0, "item of this format"),
        (b"\xca\0\0\0\0", 0, "item of this format"),
        (b"\xcb" + bytes(8), 0, "item of this format"),
        (b"\xd4\x01\x01", 0, "item of this format"),
        (b"\xc7\x01\x01\x01", 0, "item of this format"),
        (b"\xc6\xff\xff\xff\xff", 0, "item of this format"),
        (b"\xdb\xff\xff\xff\xff", 0, "item of this format"),
        (b"\xdd\xff\xff\xff\xff", 0, "item of this format"),
        (b"\xdf\xff\xff\xff\xff", 0, "item of this format"),
        (b"\xdc\xff\xff", 0, "at most 64 elements"),
        (b"\xde\xff\xff", 0, "at most 64 elements"),
        (b"\xc5\xff\xff", 0, "at most 4096 bytes"),
        (b"\xda\xff\xff", 0, "at most 4096 bytes"),
        (b"\x91" * 10000, 4, "depth"),
        (b"\x92\x01\xc1", 2, "item of this format"),
        (b"\x82\xa1a\x01\xa1a\x01", 4, "once"),
        (b"\x81\x01\x01", 1, "key of a map"),
        (b"\x81\x91\x01\x01", 1, "key of a map"),
        (b"\xa2a\xff", 2, "UTF-8"),
        (b"\xa3\xed\xa0\x80", 1, "UTF-8"),
        (b"\xa2\xc0\x80", 1, "UTF-8"),
        (b"\x95" + (b"\xc5\x10\x00" + bytes(4096)) * 5, 1 + 3 * 4099, "at most 16384 bytes"),
    ],
)
def test_hostile_bytes(data: bytes, offset: int, why: str) -> None:
    """Bombs of length, nesting and type, and every second spelling, are refused at the byte where they stand."""
    with pytest.raises(UnreadableLog, match=why) as caught:
        unpack(data)
    assert not isinstance(caught.value, TruncatedLog)
    if "16384" in why:
        assert caught.value.offset >= offset
    else:
        assert caught.value.offset == offset


@settings(max_examples=100, deadline=None)
@given(st.randoms(use_true_random=False), items.filter(lambda value: depth_of(value) <= MAX_DEPTH))
def test_any_bytes(chance: Any, value: Any) -> None:
    """Whatever the bytes, the answer is a value whose one encoding they are, or a refusal with a place in them.

    A hundred times a hundred inputs: an item with some bytes changed, cut or put in, and bytes of no plan at all.
    """
    whole = pack(value)
    for _ in range(100):
        data = bytearray(whole) if chance.random() < 0.7 else bytearray(chance.randbytes(chance.randrange(60)))
        for _ in range(chance.randrange(4)):
            place = chance.randrange(len(data) + 1)
            data[place : place + chance.randrange(3)] = chance.randbytes(chance.randrange(3))
        try:
            found, end = unpack(bytes(data))
        except UnreadableLog as error:
            assert 0 <= error.offset <= len(data)  # noqa: PT017 - most inputs raise, some do not
        else:
            assert pack(found) == data[:end]


@given(items.filter(lambda value: depth_of(value) <= MAX_DEPTH), st.data())
def test_a_cut_item_is_truncated(value: Any, data: st.DataObject) -> None:
    """An item that was cut anywhere is named a cut, with the place where the bytes end."""
    whole = pack(value)
    length = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(TruncatedLog) as caught:
        unpack(whole[:length])
    assert caught.value.offset == length


@pytest.mark.parametrize(
    "value",
    [
        1.0,
        2**64,
        -(2**63) - 1,
        {1: 2},
        {b"a": 2},
        object(),
        bytearray(b"x"),
        "\ud800",
        "x" * (MAX_BYTES + 1),
        bytes(MAX_BYTES + 1),
        [0] * (MAX_COUNT + 1),
        {str(key): 0 for key in range(MAX_COUNT + 1)},
        [[[[[]]]]],
        [bytes(MAX_BYTES)] * (MAX_ITEM_BYTES // MAX_BYTES),
        msgpack.Timestamp(1, 1),
        type("Number", (int,), {})(1),
        [1, [2.5]],
        {"a": {"b": float("nan")}},
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_writer_refuses(value: Any) -> None:
    """The writer refuses what the reader would: no value is coerced, cut or left out."""
    with pytest.raises(UnwritableRecord):
        pack(value)


PROGRAM = """
import msgpack
from dominohall_replays.packing import pack, pack_trusted
values = [0, 127, 128, 255, 256, 65535, 65536, 2**32, 2**64 - 1, -1, -33, -129, -2**63, None, True, False, "", "x" * 31,
          "x" * 32, "x" * 256, "łą", b"", b"x" * 255, b"x" * 256, [], [1] * 15, [1] * 16, {"a": [b"", None]},
          {str(key): key for key in range(20)}]
print(msgpack.Packer.__module__, b"".join(pack(value) for value in values).hex(),
      pack_trusted((1, 300, b"abc", bytes(32), None, None)).hex())
"""


def test_without_the_compiled_packer() -> None:
    """The pure-Python fallback of msgpack writes the same bytes as the compiled one."""
    out = []
    for pure in ("", "1"):
        environment = {**os.environ, "MSGPACK_PUREPYTHON": pure, "PYTHONPATH": os.pathsep.join(sys.path)}
        if not pure:
            del environment["MSGPACK_PUREPYTHON"]
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
        )
        out.append(ran.stdout.split())
    assert out[1][0] == "msgpack.fallback"
    assert out[0][1:] == out[1][1:]
