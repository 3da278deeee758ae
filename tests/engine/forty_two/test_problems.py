"""Problems: everything that is wrong with a state from outside is found."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from dominohall_engine import forty_two
from dominohall_engine.forty_two import POLISH, RUSSIAN, Abandon, AllPass, decode, encode, problems
from dominohall_engine.forty_two.state import Lotting, Shaking
from dominohall_engine.tiles import NAMES

HANDS = {
    0: "1-0 4-4 6-4 4-2 6-6 5-5 1-1",
    1: "4-1 5-4 6-5 6-3 6-2 2-1 2-0",
    2: "4-3 4-0 3-3 3-2 3-1 5-3 3-0",
    3: "6-1 6-0 5-2 5-1 5-0 2-2 0-0",
}
END = 28
"""Where the phase stands in the bytes of a first round."""


def fields(data: bytes) -> list[str]:
    """Return which parts of a state are wrong."""
    return [problem.field for problem in problems(decode(data))]


def at(data: bytes, place: int, *values: int) -> bytes:
    """Return the bytes with others at a place."""
    return data[:place] + bytes(values) + data[place + len(values) :]


def test_a_round_that_was_not_played_so(table: SimpleNamespace) -> None:
    """Opener, calls, trump, plays, turn and points, each in turn not what the moves make it."""
    data = encode(table.run(table.deal(POLISH, HANDS), "30 - 31 - t4 4-3 2-2 4-4 4-1 6-6"))
    assert fields(data) == []
    assert fields(at(data, END + 1, 1)) == ["opener"]
    assert fields(at(data, END + 4, 30)) == ["calls"]
    assert fields(at(data, END + 6, 7)) == ["trump"]
    assert fields(at(data, END + 7, 2)) == ["turn"]
    assert fields(at(data, END + 8, 7)) == ["taken"]
    assert fields(at(data, END + 7, 2, 5, 2)) == ["turn", "taken"]
    assert fields(at(data, END + 11, 12)) == ["plays"]
    renege = encode(table.run(table.deal(POLISH, HANDS), "30 - - - t4 6-6 6-5"))
    assert fields(at(renege, END + 12, 3)) == ["plays"]


def test_the_opener_of_the_russian_text_holds_the_1_0(table: SimpleNamespace) -> None:
    """Another opener is found, whatever the calls."""
    data = encode(table.run(table.deal(RUSSIAN, HANDS), "30 -"))
    assert fields(at(data, END + 1, 2)) == ["opener"]


def test_a_shaker_where_nobody_shakes_and_none_where_somebody_does() -> None:
    """Built by hand, since bytes like that can't be read: the options say whether a seat shakes."""
    assert [each.field for each in problems(Shaking(POLISH, None, 0, (0, 0), None))] == ["shaker"]
    assert [each.field for each in problems(Shaking(RUSSIAN, 2, 0, (0, 0), None))] == ["shaker"]
    assert problems(Shaking(POLISH, 2, 0, (0, 0), None)) == problems(Shaking(RUSSIAN, None, 0, (0, 0), None)) == ()


def test_scores_that_rounds_can_not_make(table: SimpleNamespace) -> None:
    """Points before the first round; more than so many rounds score; a match that was over already."""
    first = encode(table.deal(POLISH, HANDS))
    assert fields(at(first, 21, 1)) == ["scores"]
    played = encode(next(state for state in table.random_states(POLISH, 1, 90) if forty_two.shakes(state) == 2))
    assert fields(played) == []
    assert fields(at(played, 20, 1)) == ["scores", "outcome"]
    assert "scores" in fields(at(played, 18, 0, 0, 0, 0, 0, 0, 0, 0))
    late = encode(table.deal(POLISH, HANDS, scores=(251, 0), shakes=9))
    assert "last_round" in fields(late)


def test_a_second_round_needs_a_first(table: SimpleNamespace) -> None:
    """A last round after none, and none after one."""
    data = encode(table.deal(POLISH, HANDS))
    assert fields(at(data, 17, 2)) == ["last_round"]
    shake = encode(table.run(table.deal(POLISH, HANDS), "- - - -"))
    assert fields(at(shake, 17, 0)) == ["last_round"]
    assert fields(at(shake, 26, 3)) == ["shaker"]


def test_a_round_limit_and_a_forced_bid_are_kept(table: SimpleNamespace) -> None:
    """More rounds than agreed; four passes where the last seat must bid."""
    limited = encode(table.deal(replace(POLISH, round_limit=3), HANDS))
    assert "shakes" in fields(at(limited, 17, 4))
    thrown_in = encode(table.run(table.deal(POLISH, HANDS), "- - - -"))
    assert fields(at(thrown_in, 3, list(AllPass).index(AllPass.FORCED_30))) == ["last_round"]


def test_the_last_round_is_played_again(table: SimpleNamespace) -> None:
    """A play swapped, a point more, another trump: the last round no longer is what it says."""
    state = next(state for state in table.random_states(POLISH, 1, 90) if forty_two.shakes(state) == 2)
    data = encode(state)
    start = 28  # opener, four calls, trump, points, 28 plays
    points = data[start + 6]
    assert "last_round.points" in fields(at(data, start + 6, points + 1 if points < 42 else 41))
    assert any(field.startswith("last_round") for field in fields(at(data, start + 5, (data[start + 5] + 1) % 7)))
    assert any(
        field.startswith("last_round") for field in fields(at(data, start + 7, data[start + 8], data[start + 7]))
    )
    assert "shaker" in fields(at(data, start, (data[start] + 1) % 4))


def test_an_outcome_must_be_the_one_that_is_due(table: SimpleNamespace) -> None:
    """Another winner, an end too early, an abandoned match with a winner, a match that should be over."""
    over = None
    for over in table.random_states(POLISH, 8, 5000):  # noqa: B007 - the last one is wanted
        pass
    assert over is not None
    data = encode(over)
    assert fields(data) == []
    winner = data[-1]
    assert fields(at(data, len(data) - 1, 1 - winner)) == ["outcome"]
    assert fields(at(data, len(data) - 1, 255)) == ["outcome"]
    assert fields(at(data, len(data) - 2, 3)) == ["outcome"]
    assert fields(at(data, len(data) - 2, 3, 255)) == ["outcome"]
    going_on = data[:-3] + b"\x01"
    assert "outcome" in fields(at(going_on, 26, data[28]))  # the next shaker is the last opener
    early = encode(forty_two.apply(table.deal(POLISH, HANDS), Abandon("x")))
    assert fields(at(early, len(early) - 1, 0)) == ["outcome"]
    assert fields(at(early, len(early) - 2, 0, 0)) == ["last_round", "outcome"]


@pytest.mark.parametrize("options", [POLISH, RUSSIAN], ids=["polish", "russian"])
def test_abandoned_matches_are_believed_in_every_phase(options: forty_two.Options, table: SimpleNamespace) -> None:
    """Whether the last round had ended or not."""
    for state in table.random_states(options, 2, 120):
        assert problems(forty_two.apply(state, Abandon("x"))) == ()


def test_a_lot_where_nobody_shakes() -> None:
    """X-12: such a match does not begin with a lot."""
    assert [problem.field for problem in problems(Lotting(RUSSIAN))] == ["phase"]
    assert problems(Lotting(POLISH)) == ()


def test_no_problem_names_a_hidden_tile(table: SimpleNamespace) -> None:
    """Messages are for logs: no tile stands in them."""
    data = encode(table.run(table.deal(POLISH, HANDS), "30 - 31 - t4 4-3 2-2 4-4 4-1 6-6"))
    for place in range(END, len(data) - 28):
        for value in (0, 1, 30, 255):
            try:
                found = problems(decode(at(data, place, value)))
            except ValueError:
                continue
            for problem in found:
                assert not any(name in str(problem) for name in NAMES)
