"""Secrets, shakes and openings: how a deal is made before it is known, hidden while it is played, and proven after.

A match has one secret, derived from a deal key that only the service holds. The header of its log commits to the
secret; every shake and lot of the match is derived from it, so any process that holds the key makes the same one, and
whoever is given the secret after the match can make them all again. Each shake is also committed to at once by a root:
a Merkle tree over 28 salted tiles, of which one tile can be opened without telling another. The salt is what keeps a
seat from searching for the others' tiles.

Every derivation is HMAC-SHA-256 or SHA-256 over a domain that ends in a zero byte; numbers are big-endian.
`docs/replay-format.md` has the same to the byte, and vectors.
"""

import hmac
from hashlib import sha256
from typing import Any, Final, NamedTuple

from dominohall_engine.game import Game, Phase
from dominohall_engine.moves import LOT_CODE, Shake
from dominohall_engine.seats import SEAT_COUNT
from dominohall_engine.shuffle import number_below, shuffled, stream
from dominohall_engine.tiles import TILE_COUNT, is_order

HASH_BYTES: Final = 32
PATH_LENGTH: Final = 5
LEAF_COUNT: Final = 1 << PATH_LENGTH

MATCH_SECRET_DOMAIN: Final = b"dominohall/match-secret/1\0"
COMMITMENT_DOMAIN: Final = b"dominohall/commitment/1\0"
SHAKE_DOMAIN: Final = b"dominohall/shake/1\0"
LOT_DOMAIN: Final = b"dominohall/lot/1\0"
SALT_DOMAIN: Final = b"dominohall/salt/1\0"
LEAF_SALT_DOMAIN: Final = b"dominohall/leaf-salt/1\0"
LEAF_DOMAIN: Final = b"\0dominohall/leaf/1\0"
NODE_DOMAIN: Final = b"\1"
EMPTY_LEAF: Final = sha256(b"\2dominohall/empty/1\0").digest()
_EMPTY_PAIR: Final = sha256(NODE_DOMAIN + EMPTY_LEAF + EMPTY_LEAF).digest()
_EMPTY_FOUR: Final = sha256(NODE_DOMAIN + _EMPTY_PAIR + _EMPTY_PAIR).digest()
"""What stands above two and above all four of the empty leaves, in every tree."""
_LEAF_SALT_MESSAGES: Final = tuple([LEAF_SALT_DOMAIN + bytes((place,)) for place in range(TILE_COUNT)])
_LEAF_HEADS: Final = tuple([LEAF_DOMAIN + bytes((place,)) for place in range(TILE_COUNT)])
_INNER_PAD: Final = bytes([each ^ 0x36 for each in range(256)])
_OUTER_PAD: Final = bytes([each ^ 0x5C for each in range(256)])
"""The two pads of HMAC (RFC 2104) as tables, to make both keys of an HMAC at once."""
_BLOCK_BYTES: Final = 64


class Opening(NamedTuple):
    """One tile of a shake with what shows it against the root; it tells nothing about the other 27."""

    place: int
    """Place in the order of the shake, 0..27."""
    tile: int
    """The tile that lies there, 0..27."""
    salt: bytes
    """The salt of this leaf, 32 bytes."""
    path: tuple[bytes, ...]
    """The five neighbours on the way to the root, from the leaf up, 32 bytes each."""


def match_secret(deal_key: bytes, owner: str, match_id: str) -> bytes:
    """Derive the secret of one match (32 bytes) from a deal key of 32 bytes.

    The owner and the match id go in behind their lengths, so no two pairs give the same bytes.
    """
    return _hmac(_hash_sized(deal_key, "deal key"), MATCH_SECRET_DOMAIN + _sized(owner) + _sized(match_id))


def commitment(secret: bytes) -> bytes:
    """Return what the header publishes of a match secret: it binds and tells nothing."""
    return sha256(COMMITMENT_DOMAIN + _hash_sized(secret, "match secret")).digest()


def shake_seed(secret: bytes, number: int) -> bytes:
    """Return the seed of shake `number` (0 is the first) for the engine's shuffle."""
    return _hmac(secret, SHAKE_DOMAIN + number.to_bytes(4, "big"))


def lot_seed(secret: bytes, number: int) -> bytes:
    """Return the seed of the lot that is drawn before shake `number`."""
    return _hmac(secret, LOT_DOMAIN + number.to_bytes(4, "big"))


def shake_salt(secret: bytes, number: int) -> bytes:
    """Return the salt of shake `number`, from which the salts of its 28 leaves come."""
    return _hmac(secret, SALT_DOMAIN + number.to_bytes(4, "big"))


def derive_shake(secret: bytes, number: int) -> bytes:
    """Return the order of shake `number` of the match with this secret: 28 tiles, one byte each."""
    return shuffled(shake_seed(secret, number))


def derive_lot(game_name: str, seats: int, secret: bytes, number: int) -> bytes:
    """Return the canonical bytes of the lot that is drawn before shake `number`.

    In `forty_two` a lot names the seat, a number below four of the seed's stream. In `fives` each seat draws a tile
    from the shuffled 28, seat 0 first.
    """
    seed = lot_seed(secret, number)
    if game_name == "forty_two":
        return bytes((LOT_CODE, number_below(SEAT_COUNT, stream(seed))))
    if game_name == "fives":
        return bytes((LOT_CODE,)) + shuffled(seed)[:seats]
    raise ValueError(f"expected a game with a lot, got {game_name[:20]!r}")


def seat_count(game: Game[Any, Any, Any, Any], state: object) -> int:
    """Return how many seats this match has."""
    return sum([len(side) for side in game.sides(game.options_of(state))])


def chance_move(game: Game[Any, Any, Any, Any], state: object, secret: bytes) -> Any:  # noqa: ANN401 - a move of that game
    """Make the shake or lot that the state waits for; `ValueError` if it waits for neither."""
    number = game.shakes(state)
    phase = game.phase(state)
    if phase is Phase.SHAKE:
        return Shake(derive_shake(secret, number))
    if phase is Phase.LOT:
        return game.decode_move(derive_lot(game.NAME, seat_count(game, state), secret, number))
    raise ValueError(f"expected a state that waits for a lot or a shake, got one in the phase {phase}")


def root(order: bytes, salt: bytes) -> bytes:
    """Return the commitment to a shake: the Merkle root over its 28 salted tiles, 32 bytes.

    `order` is the 28 tiles once each, `salt` the salt of the shake (`shake_salt`).
    """
    return _levels(order, salt)[-1][0]


def opening(order: bytes, salt: bytes, place: int) -> Opening:
    """Open the tile at one place of a shake, for the seat that may see it."""
    return openings(order, salt, (place,))[0]


def openings(order: bytes, salt: bytes, places: tuple[int, ...]) -> tuple[Opening, ...]:
    """Open the tiles at several places, building the tree once."""
    levels = _levels(order, salt)
    return tuple(
        Opening(
            place,
            order[place],
            leaf_salt(salt, place),
            tuple(levels[height][(place >> height) ^ 1] for height in range(PATH_LENGTH)),
        )
        for place in places
    )


def check_opening(expected_root: bytes, opened: Opening) -> bool:
    """Say whether this tile lies at this place of the shake with this root."""
    place, tile, salt, path = opened
    if not (0 <= place < TILE_COUNT and 0 <= tile < TILE_COUNT and len(path) == PATH_LENGTH):
        return False
    if any(len(each) != HASH_BYTES for each in (salt, *path)):
        return False
    node = sha256(LEAF_DOMAIN + bytes((place, tile)) + salt).digest()
    for height, neighbour in enumerate(path):
        pair = neighbour + node if place >> height & 1 else node + neighbour
        node = sha256(NODE_DOMAIN + pair).digest()
    return hmac.compare_digest(node, expected_root)


def leaf_salt(salt: bytes, place: int) -> bytes:
    """Return the salt of one leaf; it can be shown without showing its neighbours'."""
    return _hmac(salt, _LEAF_SALT_MESSAGES[place])


def _levels(order: bytes, salt: bytes) -> list[list[bytes]]:
    """Build the tree: 32 leaves, the last four of them empty, then each level up to the root alone."""
    if not is_order(order):
        raise ValueError("expected the order of a shake: the 28 tiles once each")
    _hash_sized(salt, "salt of the shake")
    leaves = _leaves(order, salt)
    pairs = _above(leaves)
    fours = _above(pairs)
    fours.append(_EMPTY_FOUR)
    eights = _above(fours)
    halves = _above(eights)
    leaves += [EMPTY_LEAF] * (LEAF_COUNT - TILE_COUNT)
    pairs += [_EMPTY_PAIR] * 2
    return [leaves, pairs, fours, eights, halves, _above(halves)]


def _leaves(order: bytes, salt: bytes) -> list[bytes]:
    """Hash each tile with its salt, the HMACs under one key written out: keyed once, and each a third of the cost."""
    key = salt.ljust(_BLOCK_BYTES, b"\0")
    inner, outer = sha256(key.translate(_INNER_PAD)), sha256(key.translate(_OUTER_PAD))
    leaves = []
    for place in range(TILE_COUNT):
        within = inner.copy()
        within.update(_LEAF_SALT_MESSAGES[place])
        salted = outer.copy()
        salted.update(within.digest())
        leaves.append(sha256(_LEAF_HEADS[place] + order[place : place + 1] + salted.digest()).digest())
    return leaves


def _above(level: list[bytes]) -> list[bytes]:
    """Hash each pair of a level."""
    nodes = iter(level)
    return [sha256(NODE_DOMAIN + left + right).digest() for left, right in zip(nodes, nodes, strict=True)]


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")


def _sized(text: str) -> bytes:
    data = text.encode()
    return len(data).to_bytes(4, "big") + data


def _hash_sized(data: bytes, what: str) -> bytes:
    if len(data) != HASH_BYTES:
        raise ValueError(f"expected a {what} of {HASH_BYTES} bytes, got {len(data)}")
    return data
