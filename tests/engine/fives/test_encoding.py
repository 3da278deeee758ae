"""The bytes of states and moves: canonical, strict, and never a crash."""

from dataclasses import replace
from random import Random
from types import SimpleNamespace

import pytest
from dominohall_engine import fives
from dominohall_engine.errors import UnreadableMove, UnreadableState
from dominohall_engine.fives import Abandon, Draw, Knock, Lot, Play, Shake
from dominohall_engine.fives.state import Playing
from dominohall_engine.violations import Problem


def believed(data: bytes) -> fives.State | None:
    """Read bytes as `decode` may: None for an UnreadableState; whatever is read must write the same bytes again."""
    try:
        state = fives.decode(data)
    except UnreadableState:
        return None
    assert fives.encode(state) == data
    return state


def use(state: fives.State) -> tuple[Problem, ...]:
    """Do everything with a state that a service does; nothing may crash, whatever the state says."""
    found = fives.problems(state)
    options = fives.options_of(state)
    for seat in (None, *range(options.seats)):
        fives.view(state, seat)
    for move in fives.legal_moves(state):
        fives.encode(fives.apply(state, move))
    for chance in (Shake(bytes(range(28))), Lot(bytes(range(options.seats))), Abandon("x")):
        if fives.violation(state, chance) is None:
            fives.encode(fives.apply(state, chance))
    return found


@pytest.mark.parametrize("form", ["two", "three", "solo", "partners"])
def test_no_changed_byte_crashes_and_none_is_read_as_something_else(table: SimpleNamespace, form: str) -> None:
    """Every byte of some states set to other values: unreadable, or a state that writes just these bytes."""
    random = Random(form)
    read = refused = suspect = 0
    for seed in range(4):
        options = replace(table.FORMS[form], target=60, finish_hand=seed % 2 == 1)
        states = list(table.random_states(options, seed))
        for state in [*random.sample(states, 4), states[0], states[-1]]:
            data = fives.encode(state)
            for place in range(len(data)):
                for value in {data[place] ^ 1, data[place] ^ 0x80, 0, 28, 255, random.randrange(256)} - {data[place]}:
                    changed = believed(data[:place] + bytes((value,)) + data[place + 1 :])
                    if changed is None:
                        refused += 1
                    else:
                        read += 1
                        suspect += bool(use(changed))
    assert 0 < suspect <= read < refused


@pytest.mark.parametrize("form", ["two", "three", "solo", "partners"])
def test_cut_or_lengthened_bytes_are_refused(table: SimpleNamespace, form: str) -> None:
    """No front of a state's bytes is a state, nor the bytes with one more."""
    options = replace(table.FORMS[form], target=60)
    for state in list(table.random_states(options, 1))[::9]:
        data = fives.encode(state)
        for size in range(len(data)):
            with pytest.raises(UnreadableState):
                fives.decode(data[:size])
        for more in (b"\0", b"\xff"):
            with pytest.raises(UnreadableState):
                fives.decode(data + more)


def test_random_bytes_are_refused() -> None:
    """Noise is never a state, and never a crash."""
    random = Random(7)
    for _ in range(2000):
        assert believed(random.randbytes(random.randrange(120))) is None


def test_two_encodings_of_one_value_are_not_read(table: SimpleNamespace) -> None:
    """Flags other than 0 and 1, a leader before a lot, an unused winner: each is refused by name."""
    lotting = bytearray(fives.encode(fives.new_match(table.TWO)))
    for place, value, said in (
        (0, 2, "format"),
        (1, 4, "phase"),
        (4, 2, "options"),
        (23, 0, "leader"),
        (24, 4, "last"),
    ):
        changed = bytearray(lotting)
        changed[place] = value
        with pytest.raises(UnreadableState, match=said):
            fives.decode(bytes(changed))


def test_the_public_part_is_the_specified_one(table: SimpleNamespace) -> None:
    """One state, byte for byte, as the encoding's page lays it out."""
    state = table.run(table.deal(table.TWO, {0: "6-4 6-6 1-1", 1: "4-3 3-1 0-0"}, "5-5"), "6-4 4-3 6-6")
    parts = ("01", "02", "0102000300000000000000000100fa0000", "00000001", "00", "00", "0000001900000000")
    shape, events, places = "06030e0e0e", "190d1b", "000201"
    expected = "".join(parts) + "05" + shape + "03" + events + places
    assert fives.encode_public(state).hex() == expected
    assert fives.encode(state) == bytes.fromhex(expected) + (fives.order(state) or b"")


def test_bytes_of_a_playing_state_stay_short(table: SimpleNamespace) -> None:
    """No state is longer than 150 bytes in play of the preset, so that a token stays small."""
    for form in table.FORMS.values():
        assert max(len(fives.encode(state)) for state in table.random_states(form, 3)) <= 150


def test_what_is_hidden_is_the_order_alone(table: SimpleNamespace) -> None:
    """While a round is played the last 28 bytes are the shake; at other times nothing is hidden."""
    for state in list(table.random_states(table.TWO, 2))[::5]:
        hidden = fives.encode(state)[len(fives.encode_public(state)) :]
        assert hidden == (state.round.order if isinstance(state, Playing) else b"") == (fives.order(state) or b"")


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (Play(1, 25, 2), "20011902"),
        (Play(9, 0, 200), "200900c8"),
        (Draw(0), "2100"),
        (Knock(3), "2203"),
        (Lot(bytes((27, 0))), "021b00"),
        (Shake(bytes(range(28))), "01" + bytes(range(28)).hex()),
        (Abandon("host-closed"), "03" + b"host-closed".hex()),
    ],
)
def test_moves_have_one_encoding(move: fives.Move, text: str) -> None:
    """Written and read back, byte for byte."""
    assert fives.encode_move(move).hex() == text
    assert fives.decode_move(bytes.fromhex(text)) == move


@pytest.mark.parametrize(
    "text",
    [
        "",
        "00",
        "10",
        "13001c00",
        "20",
        "200019",
        "20001900ff",
        "20001c00",
        "21",
        "210000",
        "0200",
        "01",
        "03ff",
        "0200000000ff",
    ],
)
def test_bytes_that_are_no_move_are_refused(text: str) -> None:
    """Unknown codes (42's too), wrong lengths, no tile, text that is not ASCII."""
    with pytest.raises(UnreadableMove):
        fives.decode_move(bytes.fromhex(text))


@pytest.mark.parametrize(
    "move", [Play(300, 0, 0), Play(0, -1, 0), Draw(256), Knock(-1), Lot(b"\0"), Shake(b""), Abandon("ż")]
)
def test_moves_without_an_encoding_are_refused(move: fives.Move) -> None:
    """The writer refuses what it can't encode."""
    with pytest.raises(UnreadableMove):
        fives.encode_move(move)


def test_moves_out_of_any_range_are_refused_not_crashed_on(table: SimpleNamespace) -> None:
    """Seats, tiles and places that do not exist have their reasons."""
    state = table.run(table.deal(table.TWO, {0: "6-4 1-0", 1: "6-1 5-5"}), "6-4")
    for move, reason in (
        (Play(7, 0, 0), "NO_SUCH_SEAT"),
        (Draw(-1), "NO_SUCH_SEAT"),
        (Play(1, 99, 1), "TILE_NOT_HELD"),
        (Play(1, -5, 1), "TILE_NOT_HELD"),
        (Play(1, 22, 99), "NO_SUCH_PLACE"),
        (Play(1, 22, -1), "NO_SUCH_PLACE"),
    ):
        broken = fives.violation(state, move)
        assert broken is not None
        assert broken.reason == reason
