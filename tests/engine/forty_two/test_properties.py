"""What holds in every match under every option."""

from itertools import pairwise
from types import SimpleNamespace

import pytest
from dominohall_engine import forty_two
from dominohall_engine.errors import UnreadableState
from dominohall_engine.forty_two import (
    AllPass,
    BothReach,
    FirstLead,
    MadeScore,
    Opener,
    Options,
    Tie,
    decode,
    encode,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st


@st.composite
def all_options(draw: st.DrawFn) -> Options:
    """Draw any valid options."""
    opener = draw(st.sampled_from(Opener))
    all_pass = draw(st.sampled_from([*AllPass] if opener == Opener.LEFT_OF_SHAKER else [*AllPass][:1] + [*AllPass][2:]))
    both_reach = draw(st.sampled_from(BothReach))
    return Options(
        revision=1,
        opener=opener,
        all_pass=all_pass,
        doubles_trump=draw(st.booleans()),
        first_lead=draw(st.sampled_from(FirstLead)),
        made_score=draw(st.sampled_from(MadeScore)),
        defenders_keep_on_made=draw(st.booleans()),
        both_reach=both_reach,
        tie=Tie.BIDDER if both_reach == BothReach.BIDDER else draw(st.sampled_from(Tie)),
        target=draw(st.integers(50, 1000)),
        round_limit=draw(st.none() | st.integers(1, 1000)),
    )


SEEDS = st.integers(0, 2**32)
LENGTHS = st.integers(0, 160)


def state_after(table: SimpleNamespace, options: Options, seed: int, moves: int) -> forty_two.State:
    """Return the last state of a random match of this length."""
    state = forty_two.new_match(options)
    for state in table.random_states(options, seed, moves):  # noqa: B007 - the last one is wanted
        pass
    return state


@settings(max_examples=150, deadline=None)
@given(options=all_options(), seed=SEEDS, moves=LENGTHS)
def test_legal_moves_are_the_moves_without_a_violation(
    table: SimpleNamespace, options: Options, seed: int, moves: int
) -> None:
    """Over the whole domain of seat moves; each once; and there is one until the match is over."""
    state = state_after(table, options, seed, moves)
    legal = forty_two.legal_moves(state)
    assert set(legal) == {move for move in forty_two.seat_moves(options) if forty_two.violation(state, move) is None}
    assert len(set(legal)) == len(legal)
    assert bool(legal) == (forty_two.turn(state) is not None)
    assert all(move.seat == forty_two.turn(state) for move in legal)


@settings(max_examples=150, deadline=None)
@given(options=all_options(), seed=SEEDS, moves=LENGTHS)
def test_tiles_and_points_are_conserved(table: SimpleNamespace, options: Options, seed: int, moves: int) -> None:
    """Hands and plays make the 28 tiles once each; the points taken are those of the tricks; turns follow."""
    state = state_after(table, options, seed, moves)
    views = [forty_two.view(state, seat) for seat in range(4)]
    tricks = [*views[0].tricks, *([views[0].trick] if views[0].trick else [])]
    if forty_two.order(state) is not None:
        tiles = [tile for view in views for tile in view.hand or ()] + [p.tile for t in tricks for p in t.plays]
        assert sorted(tiles) == list(range(28))
    assert views[0].hand_sizes == tuple(len(view.hand or ()) for view in views)
    assert sum(views[0].taken) == sum(trick.points for trick in views[0].tricks)
    for before, after in pairwise(tricks):
        assert before.winner == after.leader


@settings(max_examples=150, deadline=None)
@given(options=all_options(), seed=SEEDS, moves=LENGTHS)
def test_a_state_is_its_bytes(table: SimpleNamespace, options: Options, seed: int, moves: int) -> None:
    """What is decoded encodes to the same bytes, has the same moves and views, and no problems."""
    state = state_after(table, options, seed, moves)
    again = decode(encode(state))
    assert encode(again) == encode(state)
    assert forty_two.legal_moves(again) == forty_two.legal_moves(state)
    assert [forty_two.view(again, seat) for seat in (0, 1, 2, 3, None)] == [
        forty_two.view(state, seat) for seat in (0, 1, 2, 3, None)
    ]
    assert forty_two.problems(state) == forty_two.problems(again) == ()


@settings(max_examples=400, deadline=None)
@given(options=all_options(), seed=SEEDS, moves=LENGTHS, change=st.tuples(st.integers(0, 200), st.integers(0, 255)))
def test_a_changed_byte_is_never_taken_for_the_same_state(
    table: SimpleNamespace, options: Options, seed: int, moves: int, change: tuple[int, int]
) -> None:
    """Unreadable, or a state with problems, or a different state that could have been: never a crash, never equal."""
    place, value = change
    data = encode(state_after(table, options, seed, moves))
    assume(place < len(data) and data[place] != value)
    changed = data[:place] + bytes((value,)) + data[place + 1 :]
    try:
        other = decode(changed)
    except UnreadableState:
        return
    assert encode(other) == changed
    if not forty_two.problems(other):
        for move in forty_two.legal_moves(other):
            forty_two.apply(other, move)


@settings(max_examples=300, deadline=None)
@given(data=st.binary(max_size=200))
def test_noise_is_unreadable(data: bytes) -> None:
    """Any bytes: an `UnreadableState` or, if they happen to be one, a state with these very bytes."""
    try:
        state = decode(data)
    except UnreadableState:
        return
    assert encode(state) == data


@settings(max_examples=60, deadline=None)
@given(options=all_options(), seed=SEEDS)
def test_a_refused_move_changes_nothing(table: SimpleNamespace, options: Options, seed: int) -> None:
    """Applying never changes the state it starts from, whether the move is legal or not."""
    state = state_after(table, options, seed, seed % 100)
    before = encode(state)
    for move in forty_two.seat_moves(options)[:: 1 + seed % 7]:
        if forty_two.violation(state, move) is None:
            forty_two.apply(state, move)
    assert encode(state) == before


@pytest.mark.parametrize("name", forty_two.PRESETS)
def test_random_matches_end(table: SimpleNamespace, name: str) -> None:
    """A hundred random matches of each preset reach their end, with a winner at the target."""
    for seed in range(100):
        random = table.chance(seed)
        state = forty_two.new_match(forty_two.PRESETS[name])
        for _ in range(20_000):
            if (outcome := forty_two.outcome(state)) is not None:
                break
            state = forty_two.apply(state, table.random_move(state, random))
        assert outcome is not None
        assert outcome.winner is not None
        assert outcome.scores[outcome.winner] >= 250


def test_a_walk_of_many_moves_never_lacks_a_legal_one(table: SimpleNamespace) -> None:
    """Until a match is over somebody can act: a seat has a legal move, or chance is due."""
    for seed in range(30):
        for options in forty_two.PRESETS.values():
            for state in table.random_states(options, 1000 + seed, 5000):
                if forty_two.turn(state) is not None:
                    assert forty_two.legal_moves(state)
                else:
                    assert forty_two.phase(state) in ("lot", "shake", "over")
