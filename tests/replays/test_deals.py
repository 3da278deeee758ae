"""Deals: made before they are known, hidden while they are played, proven after."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from dominohall_engine import fives, forty_two
from dominohall_engine.game import Phase
from dominohall_replays import deals
from hypothesis import given
from hypothesis import strategies as st

VECTORS = json.loads((Path(__file__).parent / "vectors" / "deals.json").read_text(encoding="utf-8"))
secrets = st.binary(min_size=32, max_size=32)


@pytest.mark.parametrize("vector", VECTORS["secrets"], ids=lambda vector: vector["match_id"])
def test_secret_vectors(vector: dict[str, Any]) -> None:
    """Secret and commitment of a match are the published ones."""
    secret = deals.match_secret(bytes.fromhex(vector["deal_key"]), vector["owner"], vector["match_id"])
    assert secret.hex() == vector["match_secret"]
    assert deals.commitment(secret).hex() == vector["commitment"]


@pytest.mark.parametrize("vector", VECTORS["shakes"], ids=lambda vector: str(vector["number"]))
def test_shake_vectors(vector: dict[str, Any]) -> None:
    """Seeds, order, salt, root, openings and lots are the published ones."""
    secret, number = bytes.fromhex(vector["match_secret"]), vector["number"]
    assert deals.shake_seed(secret, number).hex() == vector["shake_seed"]
    assert deals.lot_seed(secret, number).hex() == vector["lot_seed"]
    order, salt = deals.derive_shake(secret, number), deals.shake_salt(secret, number)
    assert (order.hex(), salt.hex()) == (vector["order"], vector["salt"])
    root = deals.root(order, salt)
    assert root.hex() == vector["root"]
    for published in vector["openings"]:
        opened = deals.opening(order, salt, published["place"])
        path = [each.hex() for each in opened.path]
        assert [opened.place, opened.tile, opened.salt.hex(), path] == list(published.values())
        assert deals.check_opening(root, opened)
    assert deals.derive_lot("forty_two", 4, secret, number).hex() == vector["lot_forty_two"]
    for seats in (2, 3, 4):
        assert deals.derive_lot("fives", seats, secret, number).hex() == vector["lot_fives"][: 2 * (seats + 1)]


def test_root_by_the_page() -> None:
    """The root is the tree of `docs/replay-format.md`, built here from its sentences a second time."""
    order, salt = bytes(range(28)), bytes(range(32))

    def node(low: int, high: int) -> bytes:
        if high - low == 1:
            if low >= 28:
                return sha256(b"\x02dominohall/empty/1\x00").digest()
            return sha256(b"\x00dominohall/leaf/1\x00" + bytes((low, order[low])) + deals.leaf_salt(salt, low)).digest()
        middle = (low + high) // 2
        return sha256(b"\x01" + node(low, middle) + node(middle, high)).digest()

    assert deals.root(order, salt) == node(0, 32)


@given(secrets, st.integers(0, 1000), st.integers(0, 27))
def test_an_opening_shows_its_tile_alone(secret: bytes, number: int, place: int) -> None:
    """An opening leads to the root, and to no root with another tile, place, salt or neighbour."""
    order, salt = deals.derive_shake(secret, number), deals.shake_salt(secret, number)
    root = deals.root(order, salt)
    opened = deals.opening(order, salt, place)
    assert deals.check_opening(root, opened)
    assert opened.tile == order[place]
    wrong = [
        opened._replace(tile=(opened.tile + 1) % 28),
        opened._replace(place=(place + 1) % 28),
        opened._replace(salt=bytes(32)),
        opened._replace(salt=opened.salt[:-1]),
        opened._replace(path=opened.path[::-1]),
        opened._replace(path=opened.path[:4]),
        opened._replace(path=(*opened.path, bytes(32))),
        opened._replace(path=(opened.path[0] + b"x", *opened.path[1:])),
        opened._replace(tile=28),
        opened._replace(place=-1),
    ]
    assert not any(deals.check_opening(root, each) for each in wrong)
    assert not deals.check_opening(bytes(32), opened)


def test_the_empty_leaves_open_nothing() -> None:
    """The four places that pad the tree can't be opened as tiles."""
    order, salt = bytes(range(28)), bytes(32)
    root, opened = deals.root(order, salt), deals.opening(order, salt, 27)
    for place in range(28, 33):
        assert not deals.check_opening(root, opened._replace(place=place))


def test_no_two_matches_share_a_secret() -> None:
    """Owner and match id go in with their lengths, so moving a letter between them gives another secret."""
    pairs = [("ab", "c"), ("a", "bc"), ("", "abc"), ("abc", "\0"), ("ab", "c\0")]
    found = {deals.match_secret(bytes(32), *pair) for pair in pairs} | {deals.match_secret(b"\1" * 32, "ab", "c")}
    assert len(found) == len(pairs) + 1


def test_seeds_of_one_match_differ() -> None:
    """Shake, lot and salt of one number, and of two numbers, have nothing in common."""
    kinds = (deals.shake_seed, deals.lot_seed, deals.shake_salt)
    assert len({kind(bytes(32), number) for kind in kinds for number in range(100)}) == 300


def test_chance_moves_are_legal_and_repeat(tools: Any) -> None:
    """The lot or shake that a state waits for is made from the secret alone, the same each time, and is legal."""
    for name, options in (("forty_two", forty_two.POLISH), ("forty_two", forty_two.RUSSIAN), ("fives", fives.LINEAR)):
        match = tools.start(name, options)
        state = match.states[0]
        while match.game.phase(state) in {Phase.LOT, Phase.SHAKE}:
            move = deals.chance_move(match.game, state, match.secret)
            assert move == deals.chance_move(match.game, state, match.secret)
            assert match.game.violation(state, move) is None
            state = match.game.apply(state, move)
        with pytest.raises(ValueError, match="waits for a lot or a shake"):
            deals.chance_move(match.game, state, match.secret)


@pytest.mark.parametrize("key", [b"", bytes(31), bytes(33)])
def test_keys_of_another_size(key: bytes) -> None:
    """A deal key, a secret and a salt are 32 bytes, or refused."""
    with pytest.raises(ValueError, match="deal key of 32 bytes"):
        deals.match_secret(key, "a", "b")
    with pytest.raises(ValueError, match="match secret of 32 bytes"):
        deals.commitment(key)
    with pytest.raises(ValueError, match="salt of the shake of 32 bytes"):
        deals.root(bytes(range(28)), key)


@pytest.mark.parametrize("order", [b"", bytes(28), bytes(range(27)), bytes(range(1, 29)), bytes(range(29))])
def test_orders_that_are_none(order: bytes) -> None:
    """Only the 28 tiles once each have a root."""
    with pytest.raises(ValueError, match="28 tiles once each"):
        deals.root(order, bytes(32))
