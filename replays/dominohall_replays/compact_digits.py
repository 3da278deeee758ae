"""Digits of mixed radix: each choice takes the bits that it has, and none where there was nothing to choose.

A digit is a number below its radix, 2 to 256, and the reader knows the radix before it reads. Digits are gathered into
a word as long as the product of their radices is at most 2^56: the first digit is the lowest. A word is 7 bytes,
little-endian; the last one as many as its greatest value needs. So there is one spelling of the same digits, and what
is left over after the last is a fault.
"""

from typing import Final

from dominohall_engine.tiles import TILE_COUNT

from dominohall_replays.errors import UnreadableSegment

WORD_BYTES: Final = 7
WORD: Final = 1 << 8 * WORD_BYTES


class DigitWriter:
    """Digits on their way into bytes."""

    def __init__(self) -> None:
        self._words = bytearray()
        self._value = 0
        self._scale = 1

    def put(self, digit: int, radix: int) -> None:
        """Add a digit, 0 to `radix` - 1."""
        if self._scale * radix > WORD:
            self._words += self._value.to_bytes(WORD_BYTES, "little")
            self._value, self._scale = 0, 1
        self._value += digit * self._scale
        self._scale *= radix

    def put_chance(self, drawn: bytes) -> None:
        """Add the bytes of a lot, or the 28 tiles of a shake: the place of each among those that are left."""
        if len(drawn) != TILE_COUNT:
            for each in drawn:
                self.put(each, 256)
            return
        order = drawn
        left = list(range(TILE_COUNT))
        for radix in range(TILE_COUNT, 1, -1):
            place = left.index(order[TILE_COUNT - radix])
            left.pop(place)
            self.put(place, radix)

    def data(self) -> bytes:
        """Return the bytes of all digits so far."""
        return bytes(self._words) + self._value.to_bytes(_last_bytes(self._scale), "little")


class DigitReader:
    """Digits read back; `UnreadableSegment` where there are none left, or other bytes than a writer leaves."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data: Final = data
        self._begin = at
        """Where the word that is being read begins, and where the next does."""
        self._next = at
        self._value = 0
        self._scale = 1

    def take(self, radix: int) -> int:
        """Read the next digit."""
        if self._scale * radix > WORD or self._scale == 1:
            self._advance()
        self._scale *= radix
        value = self._value
        self._value = value // radix
        return value % radix

    def take_order(self) -> bytes:
        """Read the 28 tiles of a shake."""
        left = list(range(TILE_COUNT))
        order = [left.pop(self.take(radix)) for radix in range(TILE_COUNT, 1, -1)]
        return bytes(order + left)

    def finish(self) -> None:
        """Refuse bytes behind the last digit."""
        if self._value or len(self._data) != self._begin + _last_bytes(self._scale):
            raise UnreadableSegment(f"expected the last digit in the word at byte {self._begin}, got more")

    def _advance(self) -> None:
        at = self._begin = self._next
        if self._value or at >= len(self._data):
            raise UnreadableSegment(f"expected a digit in the word at byte {at}, got none")
        self._value = int.from_bytes(self._data[at : at + WORD_BYTES], "little")
        self._scale = 1
        self._next = at + WORD_BYTES


def _last_bytes(scale: int) -> int:
    """Return how many bytes the greatest value below `scale` needs."""
    return ((scale - 1).bit_length() + 7) // 8


def packed_number(number: int) -> bytes:
    """Return a number from 0 on in 7 bits a byte, the lowest first; a byte of 128 or more is followed by another."""
    packed = bytearray()
    while number > 0x7F:
        packed.append(number & 0x7F | 0x80)
        number >>= 7
    packed.append(number)
    return bytes(packed)


def read_number(data: bytes, at: int) -> tuple[int, int]:
    """Read a number of at most 63 bits, and where it ends."""
    number = shift = 0
    while at < len(data) and shift < 63:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
        shift += 7
    raise UnreadableSegment(f"expected a number at byte {at}")
