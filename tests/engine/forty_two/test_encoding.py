"""The canonical bytes of states."""

from types import SimpleNamespace

import pytest
from dominohall_engine import forty_two
from dominohall_engine.errors import UnreadableState
from dominohall_engine.forty_two import POLISH, RUSSIAN, Abandon, decode, encode, encode_public

HANDS = {0: "1-0 4-4 6-4 4-2 6-6 5-5 1-1"}
POLISH_HEAD = "01 01 00 00 00 00 00 01 00 00 00fa 0000 "
RUSSIAN_HEAD = "01 01 01 00 01 01 01 00 00 00 00fa 0000 "


def test_the_bytes_are_those_of_the_page(table: SimpleNamespace) -> None:
    """Written out by hand from the layout: a reader in another language can check itself against these."""
    order = table.order_of(HANDS).hex()
    assert encode(forty_two.new_match(POLISH)) == bytes.fromhex(POLISH_HEAD + "00000000 00000000 00000000 ff 00 00")
    assert encode(forty_two.new_match(POLISH, 2)).endswith(bytes.fromhex("00000000 00000000 00000000 02 00 01"))
    assert encode(forty_two.new_match(RUSSIAN)) == bytes.fromhex(RUSSIAN_HEAD + "00000000 00000000 00000000 ff 00 01")
    dealt = POLISH_HEAD + "00000001 00000007 0000001e 03 00 "
    auction = table.deal(POLISH, HANDS, scores=(7, 30))
    assert encode(table.run(auction, "30 -")) == bytes.fromhex(dealt + "02 00 02 1e00" + order)
    assert encode(table.run(auction, "30 - - 31")) == bytes.fromhex(dealt + "03 00 1e00001f" + order)
    playing = table.run(auction, "30 - - - t4 4-4")
    assert encode(playing) == bytes.fromhex(dealt + "04 00 1e000000 04 01 00 00 01 0e" + order)
    over = forty_two.apply(playing, Abandon("x"))
    assert encode(over) == bytes.fromhex(POLISH_HEAD + "00000001 00000007 0000001e ff 00 05 03 ff")
    thrown_in = table.run(auction, "- - - -")
    assert encode(thrown_in) == bytes.fromhex(POLISH_HEAD + "00000001 00000007 0000001e 00 01 00 01")


@pytest.mark.parametrize("options", [POLISH, RUSSIAN], ids=["polish", "russian"])
def test_the_public_part_comes_first_and_the_order_last(options: forty_two.Options, table: SimpleNamespace) -> None:
    """A state with tiles dealt is its public part and the order; tiles are dealt, and the order is nowhere else."""
    for state in table.random_states(options, 3, 120):
        order = forty_two.order(state)
        assert encode(state) == encode_public(state) + (order or b"")
        assert (order is None) == (forty_two.phase(state) in ("lot", "shake", "over"))
        assert len(encode(state)) <= 160


@pytest.mark.parametrize("options", [POLISH, RUSSIAN], ids=["polish", "russian"])
def test_cut_and_lengthened_bytes_are_unreadable(options: forty_two.Options, table: SimpleNamespace) -> None:
    """Every cut of states of every phase, and a byte more."""
    for state in list(table.random_states(options, 6, 110))[::5]:
        data = encode(state)
        for length in range(len(data)):
            with pytest.raises(UnreadableState):
                decode(data[:length])
        for more in (b"\0", b"\xff", data):
            with pytest.raises(UnreadableState):
                decode(data + more)


def at(data: bytes, place: int, *values: int) -> bytes:
    """Return the bytes with others at a place; negative places count from the end."""
    place %= len(data)
    return data[:place] + bytes(values) + data[place + len(values) :]


def test_values_out_of_range_are_unreadable_and_named(table: SimpleNamespace) -> None:
    """Each field beyond its range, one by one; the message says which, and never a hidden tile."""
    auction = encode(table.run(table.deal(POLISH, HANDS), "30 -"))
    playing = encode(table.run(table.deal(POLISH, HANDS), "30 - - - t4 4-4"))
    end = 28
    cases = [
        (at(auction, 0, 2), "format"), (at(auction, 1, 0), "revision"), (at(auction, 2, 2), "options"),
        (at(auction, 3, 4), "options"), (at(auction, 4, 2), "doubles_trump"), (at(auction, 7, 2), "defenders_keep"),
        (at(auction, 10, 0, 49), "target"), (at(auction, 12, 255, 255), "round_limit"), (at(auction, 26, 4), "shaker"),
        (at(auction, 26, 255), "shaker"), (at(auction, 14, 0, 0, 0, 0), "shakes"), (at(auction, 27, 3), "last round"),
        (at(auction, end, 6), "phase"), (at(auction, end, 0), "shaker"), (at(auction, end + 1, 4), "opener"),
        (at(auction, end + 2, 4), "calls"), (at(auction, end + 3, 29), "calls"), (at(auction, end + 3, 43), "calls"),
        (at(auction, -1, 28), "order"), (at(auction, -1, auction[-2]), "order"),
        (at(playing, end + 2, 0), "bid"), (at(playing, end + 6, 8), "trump"), (at(playing, end + 7, 4), "turn"),
        (at(playing, end + 8, 43), "points taken"), (at(playing, end + 10, 28), "plays"),
        (at(playing, end + 11, 28), "plays"),
    ]  # fmt: skip
    for data, field in cases:
        with pytest.raises(UnreadableState, match=field):
            decode(data)
    russian = encode(forty_two.new_match(RUSSIAN))
    with pytest.raises(UnreadableState, match="shaker"):
        decode(at(russian, 26, 0))


def test_states_without_a_round_have_no_room_for_other_values(table: SimpleNamespace) -> None:
    """Before the lot nothing is scored, and an ended match has an ending and a side that exist."""
    lot = encode(forty_two.new_match(POLISH))
    for place in (17, 21, 25):
        with pytest.raises(UnreadableState, match="lot"):
            decode(at(lot, place, 1))
    over = encode(forty_two.apply(forty_two.new_match(POLISH), Abandon("x")))
    for data, field in [(at(over, -2, 4), "ending"), (at(over, -1, 2), "winner"), (at(over, 26, 0), "shaker")]:
        with pytest.raises(UnreadableState, match=field):
            decode(data)


def test_decoded_states_play_on_like_their_originals(table: SimpleNamespace) -> None:
    """A match carried as bytes between all moves gives the same bytes as one kept in memory."""
    random = table.chance(12)
    kept = carried = forty_two.new_match(RUSSIAN)
    for _ in range(300):
        if forty_two.outcome(kept) is not None:
            break
        move = table.random_move(kept, random)
        kept = forty_two.apply(kept, move)
        carried = forty_two.apply(decode(encode(carried)), move)
        assert encode(carried) == encode(kept)
