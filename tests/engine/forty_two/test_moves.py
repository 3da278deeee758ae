"""The canonical bytes of moves: one move, one encoding; and readable is not legal."""

import pytest
from dominohall_engine import forty_two
from dominohall_engine.errors import UnreadableMove
from dominohall_engine.forty_two import (
    POLISH,
    RUSSIAN,
    Abandon,
    Bid,
    Lot,
    NameTrump,
    Pass,
    Play,
    Shake,
    decode_move,
    encode_move,
)


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (Bid(0, 30), "10001e"),
        (Bid(3, 42), "10032a"),
        (Pass(0), "1100"),
        (NameTrump(1, 0), "120100"),
        (NameTrump(2, 7), "120207"),
        (Play(0, 0), "130000"),
        (Play(3, 27), "13031b"),
        (Lot(0), "0200"),
        (Abandon("idle"), "0369646c65"),
        (Shake(bytes(range(28))), "01" + bytes(range(28)).hex()),
    ],
)
def test_moves_have_the_bytes_of_the_page(move: forty_two.Move, text: str) -> None:
    """The bytes are a promise to other readers: seat 0, blanks and the 0-0 are written as 0, not left out."""
    assert encode_move(move).hex() == text
    assert decode_move(bytes.fromhex(text)) == move


def test_every_seat_move_comes_back() -> None:
    """The whole domain round-trips, and no two moves share bytes."""
    moves = forty_two.seat_moves(RUSSIAN)
    assert len(moves) == len(set(moves)) == 4 * (1 + 13 + 8 + 28)
    assert [decode_move(encode_move(move)) for move in moves] == list(moves)
    assert len({encode_move(move) for move in moves}) == len(moves)
    assert set(moves) - set(forty_two.seat_moves(POLISH)) == {NameTrump(seat, 7) for seat in range(4)}


def test_a_move_that_no_rule_allows_is_still_read() -> None:
    """A bid of 29, a ninth suit and a fifth seat are attempts, not noise."""
    for move in (
        Bid(0, 29),
        Bid(9, 255),
        Pass(4),
        NameTrump(0, 8),
        Play(200, 5),
        Lot(9),
        Abandon(""),
        Shake(bytes(28)),
    ):
        assert decode_move(encode_move(move)) == move


@pytest.mark.parametrize(
    "text",
    ["", "00", "04", "0f", "14", "20", "ff", "10", "1000", "10001e00", "11", "110000", "120000ff", "13001c", "1300ff",
     "02", "020000", "01", "01" + "00" * 27, "01" + "00" * 29, "03ff", "1300"],
)  # fmt: skip
def test_other_bytes_are_unreadable(text: str) -> None:
    """Unknown codes (those of other games among them), missing and trailing bytes, a tile beyond 27, text not ASCII."""
    with pytest.raises(UnreadableMove, match=r"^expected"):
        decode_move(bytes.fromhex(text))


@pytest.mark.parametrize("move", [Bid(0, 256), Bid(-1, 30), Abandon("zażółć"), Shake(b"\0"), Play(0, -1)])
def test_a_move_without_an_encoding_is_refused(move: forty_two.Move) -> None:
    """The writer refuses what it can't write."""
    with pytest.raises(UnreadableMove, match=r"^expected"):
        encode_move(move)


def test_every_pair_of_bytes_is_one_move_or_none() -> None:
    """Over all short byte strings: what can be read is written back as the same bytes."""
    for first in range(256):
        for second in range(256):
            data = bytes((first, second))
            try:
                move = decode_move(data)
            except UnreadableMove:
                continue
            assert encode_move(move) == data
