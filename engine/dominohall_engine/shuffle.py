"""The shuffle, specified to the byte so that any language can reproduce a deal.

1.  A stream of bytes: block ``k`` (``k`` = 0, 1, 2 ...) is
    ``SHA-256("dominohall/shuffle/1" || 0x00 || seed || k as 4 bytes, big-endian)``, 32 bytes each, one after another.
2.  A number below ``n`` (2 <= n <= 28): take the next byte of the stream; skip it while it is
    ``256 - 256 % n`` or more; the number is the byte modulo ``n``. (Rejection sampling: no order is favoured.)
3.  Fisher-Yates: start from the tiles 0..27 in order; for ``i`` = 27 down to 1 take a number ``j`` below ``i + 1``
    and swap the tiles at places ``i`` and ``j``.

The seed is 32 bytes. Test vectors: `tests/engine/vectors/shuffle.json`.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Final

from dominohall_engine.tiles import TILE_COUNT

SEED_BYTES: Final = 32
DOMAIN: Final = b"dominohall/shuffle/1\0"


def stream(seed: bytes) -> Iterator[int]:
    """Yield the bytes of the SHA-256 counter stream of a 32-byte seed."""
    if len(seed) != SEED_BYTES:
        raise ValueError(f"expected a seed of {SEED_BYTES} bytes, got {len(seed)}")
    counter = 0
    while True:
        yield from sha256(DOMAIN + seed + counter.to_bytes(4, "big")).digest()
        counter += 1


def number_below(limit: int, source: Iterator[int]) -> int:
    """Take an unbiased number 0..limit-1 from a stream of bytes (limit 1..256)."""
    bound = 256 - 256 % limit
    for byte in source:
        if byte < bound:
            return byte % limit
    raise ValueError("the stream of bytes ended")


def shuffled(seed: bytes) -> bytes:
    """Return the 28 tiles in the order that this 32-byte seed gives.

    >>> shuffled(bytes(32)) == shuffled(bytes(32))
    True
    """
    source = stream(seed)
    order = bytearray(range(TILE_COUNT))
    for place in range(TILE_COUNT - 1, 0, -1):
        other = number_below(place + 1, source)
        order[place], order[other] = order[other], order[place]
    return bytes(order)
