"""What holds in every match: random options, random moves, and whole random matches in every seating."""

from random import Random
from types import SimpleNamespace

import pytest
from dominohall_engine import fives
from dominohall_engine.fives import BlockLead, BlockScore, DrawRule, Options, SpinnerRule, TieLead, TieRule
from dominohall_engine.fives.state import Playing, boneyard_count
from dominohall_engine.game import Game
from dominohall_engine.tiles import ALL_TILES, mask_of
from hypothesis import given, settings
from hypothesis import strategies as st

GAME: Game[fives.Options, fives.State, fives.Move, fives.View] = fives
"""The module has the face of a game: mypy checks it here."""


@st.composite
def some_options(draw: st.DrawFn) -> Options:
    """Draw options that go together."""
    seats = draw(st.integers(2, 4))
    rule = draw(st.sampled_from(DrawRule))
    return Options(
        revision=1,
        seats=seats,
        partners=seats == 4 and draw(st.booleans()),
        hand_size=draw(st.integers(1, 28 // seats)),
        draw=rule,
        reserve=0 if rule is DrawRule.NONE else draw(st.integers(0, 2)),
        spinner=draw(st.sampled_from(SpinnerRule)),
        block_score=draw(st.sampled_from(BlockScore)),
        tie=draw(st.sampled_from(TieRule)),
        tie_lead=draw(st.sampled_from(TieLead)),
        block_lead=draw(st.sampled_from(BlockLead)),
        finish_hand=draw(st.booleans()),
        opening_scores=draw(st.booleans()),
        target=draw(st.integers(50, 150)),
        round_limit=draw(st.none() | st.integers(1, 12)),
    )


@pytest.fixture(scope="module")
def state_of(table: SimpleNamespace) -> SimpleNamespace:
    """Give a state that is some random moves into a match."""

    def state_after(options: Options, seed: int, moves: int) -> fives.State:
        state = None
        for state in table.random_states(options, seed, moves):  # noqa: B007 - the last one counts
            pass
        assert state is not None
        result: fives.State = state
        return result

    return SimpleNamespace(after=state_after)


OPTIONS = some_options()
SEEDS = st.integers(0, 2**32 - 1)
MOVES = st.integers(0, 120)


@settings(max_examples=200, deadline=None)
@given(OPTIONS, SEEDS, MOVES)
def test_legal_moves_are_what_is_not_refused(
    state_of: SimpleNamespace, options: Options, seed: int, moves: int
) -> None:
    """Over the whole domain of seat moves, legal_moves is exactly what violation lets pass, in the same order."""
    state = state_of.after(options, seed, moves)
    domain = fives.seat_moves(options)
    assert fives.legal_moves(state) == tuple(move for move in domain if fives.violation(state, move) is None)
    assert len(set(domain)) == len(domain) == options.seats * (28 * 7 + 2)


@settings(max_examples=200, deadline=None)
@given(OPTIONS, SEEDS, MOVES)
def test_every_state_encodes_and_decodes_and_has_no_problem(
    state_of: SimpleNamespace, options: Options, seed: int, moves: int
) -> None:
    """The bytes read back to the same bytes, the public part is their front, and `problems` finds nothing."""
    state = state_of.after(options, seed, moves)
    data = fives.encode(state)
    again = fives.decode(data)
    assert fives.encode(again) == data == fives.encode_public(state) + (fives.order(state) or b"")
    assert fives.problems(state) == fives.problems(again) == ()
    for seat in (None, *range(options.seats)):
        assert fives.view(again, seat) == fives.view(state, seat)


@settings(max_examples=200, deadline=None)
@given(OPTIONS, SEEDS, MOVES)
def test_tiles_are_conserved(state_of: SimpleNamespace, options: Options, seed: int, moves: int) -> None:
    """Every tile is in one hand, on the table or in the boneyard, and nowhere twice."""
    state = state_of.after(options, seed, moves)
    if not isinstance(state, Playing):
        return
    view = fives.view(state, None)
    table = mask_of(move.tile for move in view.history if isinstance(move, fives.Play))
    boneyard = mask_of(state.round.order[28 - boneyard_count(state) :]) if boneyard_count(state) else 0
    piles = (*state.hands, table, boneyard)
    assert sum(piles) == ALL_TILES
    assert sum(pile.bit_count() for pile in piles) == 28
    assert view.hand_sizes == tuple(hand.bit_count() for hand in state.hands)
    assert view.boneyard_count == boneyard.bit_count()


@settings(max_examples=100, deadline=None)
@given(OPTIONS, SEEDS, MOVES)
def test_a_move_changes_no_state_and_always_the_same_way(
    state_of: SimpleNamespace, options: Options, seed: int, moves: int
) -> None:
    """`apply` leaves the state as it was and gives equal states twice; there is a legal move until the end."""
    state = state_of.after(options, seed, moves)
    before = fives.encode(state)
    legal = fives.legal_moves(state)
    assert bool(legal) == (fives.turn(state) is not None) == (fives.phase(state) == "playing")
    for move in legal:
        assert fives.decode_move(fives.encode_move(move)) == move
        after = fives.apply(state, move)
        assert fives.encode(after) == fives.encode(fives.apply(fives.decode(before), move)) != before
    assert fives.encode(state) == before


@pytest.mark.parametrize("form", ["two", "three", "solo", "partners"])
def test_every_random_match_ends_well(table: SimpleNamespace, form: str) -> None:
    """Thirty matches of the preset end at the target; scores are multiples of five and the winner alone is there."""
    for seed in range(30):
        state, shakes = fives.new_match(table.FORMS[form]), 0
        random = Random(seed)
        for _ in range(20_000):
            if fives.outcome(state) is not None:
                break
            move = table.random_move(state, random)
            shakes += isinstance(move, fives.Shake)
            state = fives.apply(state, move)
        outcome = fives.outcome(state)
        assert outcome is not None
        assert outcome.ending == "target"
        assert all(score % 5 == 0 for score in outcome.scores)
        assert [side for side, score in enumerate(outcome.scores) if score >= 250] == [outcome.winner]
        assert fives.shakes(state) == shakes
        assert fives.problems(state) == ()


@settings(max_examples=60, deadline=None)
@given(OPTIONS, SEEDS)
def test_every_match_under_any_options_ends(table: SimpleNamespace, options: Options, seed: int) -> None:
    """Within 60,000 moves a random match is over, whatever the options, or it has had a thousand rounds."""
    last = None
    for last in table.random_states(options, seed, 60_000):
        if fives.shakes(last) > 1000:
            return
    assert last is not None
    assert fives.outcome(last) is not None
    assert fives.problems(last) == ()
