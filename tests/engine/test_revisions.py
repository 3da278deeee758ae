"""Rules are pinned: the behaviour of every revision has a fingerprint, and a change of it without a revision fails.

A fingerprint is a file of `revisions/`, one for each game and revision. For many sets of options it holds two digests
over random matches: `rules`, over the public bytes of every state, the legal moves and which moves are refused; and
`told`, over the reasons, clauses and facts of the refusals. The matches are made by the specified shuffle from the
options written in the file, so a preset that changes later changes no old fingerprint.

When `rules` differs, the rules of a released revision have changed: old matches would come out otherwise. Take the
change back, or make it a new revision (`dominohall_engine.revisions` says how) and write only that one's file:

    PYTHONPATH=engine python tests/engine/test_revisions.py forty_two 2

When only `told` differs, refusals cite or say something else. If that is meant, write the file of that revision anew
and say it in the changelog: no match comes out otherwise, but hosts may count refusals by reason or clause.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import fields, replace
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple, get_type_hints

import pytest
from dominohall_engine import fives, forty_two
from dominohall_engine.clauses import UnknownRules, rules_digest
from dominohall_engine.errors import InvalidOptions, UnreadableState
from dominohall_engine.game import Phase
from dominohall_engine.games import GAMES, AnyGame
from dominohall_engine.moves import Abandon, Shake
from dominohall_engine.options import Plain, options_from_plain, options_to_plain
from dominohall_engine.revisions import NEWEST
from dominohall_engine.shuffle import number_below, shuffled, stream

FOLDER = Path(__file__).parent / "revisions"
MATCHES = 8
"""Matches under each set of options."""
LONGEST = 260
"""Moves of a match; most matches are cut there, after a few rounds."""
TRIED = 8
"""Moves of the whole domain that are tried in each state."""
NUMBERS = {"target": (50, 60, 1000), "round_limit": (1, 3), "hand_size": (1, 5, 9), "reserve": (1, 2), "seats": (2, 3)}
MIXED = 24
"""Sets of options mixed at random, for each game."""


ANY_GAME = (Abandon("x"), Abandon("No"), Shake(bytes(28)), Shake(bytes(range(28))))
OTHERS: dict[str, tuple[Any, ...]] = {
    "forty_two": (
        *ANY_GAME,
        forty_two.Lot(2),
        forty_two.Lot(9),
        forty_two.Pass(9),
        *[forty_two.Bid(1, each) for each in (29, 43)],
    ),
    "fives": (*ANY_GAME, fives.Lot(bytes((1, 2, 3, 4))), fives.Lot(b""), fives.Draw(9), fives.Play(0, 1, 99)),
}
"""Moves outside the domain, to be refused or for the host to make."""


class Line(NamedTuple):
    """The options of some matches and what came of them."""

    options: dict[str, Plain]
    rules: str
    told: str


# --- the file


def read(path: Path) -> list[Line]:
    """Read a fingerprint: a line for each set of options, its two digests last."""
    found = []
    for row in path.read_text(encoding="utf-8").splitlines():
        if row and not row.startswith("#"):
            *options, rules, told = row.split(" ")
            pairs = [each.partition("=") for each in options]
            found.append(Line({name: value_of(text) for name, _, text in pairs}, rules, told))
    return found


def value_of(text: str) -> Plain:
    """Read a number, true, false, null or a word."""
    try:
        value: Plain = json.loads(text)
    except ValueError:
        return text
    return value


def text_of(value: Plain) -> str:
    """Write a value as `value_of` reads it."""
    return value if isinstance(value, str) else json.dumps(value)


def write(game: str, revision: int) -> None:
    """Write the fingerprint of a revision of a game as it behaves now."""
    rows = [f"# {game}, revision {revision}: options, `rules`, `told`. See test_revisions.py before changing anything."]
    for options in option_sets(game, revision):
        plain = options_to_plain(options)
        line = taken(GAMES[game], plain)
        rows.append(" ".join([*[f"{name}={text_of(value)}" for name, value in plain.items()], line.rules, line.told]))
    (FOLDER / f"{game}.{revision}.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")


def option_sets(game: str, revision: int) -> Iterator[Any]:
    """Yield the presets, each with one option changed in every way, and mixtures of all of them."""
    presets = [replace(each, revision=revision) for each in GAMES[game].PRESETS.values()]
    choices = {each.name: sorted(choices_of(game, each.name), key=str) for each in fields(GAMES[game].Options)}
    choices.pop("revision")
    for preset in presets:
        yield preset
        yield from filter(None, (changed(preset, {name: value}) for name in choices for value in choices[name]))
    source, made = stream(game.encode().ljust(32)), 0
    while made < MIXED:
        change = {name: values[number_below(len(values), source)] for name, values in choices.items()}
        mixed = changed(presets[made % len(presets)], change)
        if mixed is not None:
            made += 1
            yield mixed


def choices_of(game: str, name: str) -> set[Any]:
    """Return every value of an option that is worth trying."""
    kind = get_type_hints(GAMES[game].Options)[name]
    values = {getattr(each, name) for each in GAMES[game].PRESETS.values()}
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return {*kind}
    return {True, False} if kind is bool else values | {*NUMBERS.get(name, ())}


def changed(options: Any, change: dict[str, Any]) -> Any:
    """Return the options with a change, None if it changes nothing or clashes."""
    try:
        other = replace(options, **change)
    except InvalidOptions:
        return None
    return None if other == options else other


# --- what is taken


def taken(game: AnyGame, plain: dict[str, Plain]) -> Line:
    """Play some matches under these options and return the digests of all that happened."""
    options, rules, told = options_from_plain(game.Options, plain), sha256(), sha256()
    domain = (*game.seat_moves(options), *OTHERS[game.NAME])
    own = {seat: [each for each in domain if getattr(each, "seat", None) == seat] for seat in (None, 0, 1, 2, 3)}
    for number in range(MATCHES):
        source = stream(sha256(f"{number} {sorted(plain.items())}".encode()).digest())
        state, length = game.new_match(options), 0
        while game.outcome(state) is None and length < LONGEST:
            if number % 2 and game.phase(state) is Phase.SHAKE and game.shakes(state) == 0:
                state = near_the_target(game, state, options.target, source)
            legal = game.legal_moves(state)
            rules.update(game.encode_public(state) + b"".join(game.encode_move(move) for move in legal))
            for tried in range(TRIED):
                moves = own[game.turn(state)] if tried % 2 else domain
                refused = game.violation(state, moves[number_below(256, source) * 5 % len(moves)])
                rules.update(b"-" if refused is None else b"x")
                told.update(repr(refused and (str(refused.reason), refused.clauses, [*refused.facts.items()])).encode())
            state = game.apply(state, next_move(game, state, legal, source))
            length += 1
        state = state if game.outcome(state) else game.apply(state, Abandon("cut"))
        outcome = game.outcome(state)
        rules.update(game.encode_public(state) + repr(outcome and (outcome.winner, outcome.scores)).encode())
    return Line(plain, rules.hexdigest()[:24], told.hexdigest()[:24])


def near_the_target(game: AnyGame, state: Any, target: int, source: Iterator[int]) -> Any:
    """Return a state before the first shake with scores by which one round may end the match, of both sides at once."""
    data, sides = game.encode(state), game.sides(game.options_of(state))
    start, step = (18, 1) if game.NAME == "forty_two" else (len(data) - 4 * len(sides), 5)
    scores = [target - step - number_below(6, source) * step for _ in sides]
    packed = b"".join(score.to_bytes(4, "big") for score in scores)
    return game.decode(data[:start] + packed + data[start + len(packed) :])


def next_move(game: AnyGame, state: Any, legal: tuple[Any, ...], source: Iterator[int]) -> Any:
    """Return a legal move or one of chance; seats pass often and bid low, so that some bids are made."""
    if legal:
        most = min(len(legal), 3) if game.phase(state) is Phase.AUCTION else len(legal)
        return legal[number_below(most, source)]
    order = shuffled(bytes([next(source) for _ in range(32)]))
    if game.phase(state) is Phase.SHAKE:
        return Shake(order)
    return forty_two.Lot(order[0] % 4) if game.NAME == "forty_two" else fives.Lot(order[: game.options_of(state).seats])


# --- the tests


@pytest.mark.parametrize(("game", "revision"), [(game, 1 + each) for game in NEWEST for each in range(NEWEST[game])])
def test_a_revision_behaves_as_it_did(game: str, revision: int) -> None:
    """Every released revision plays as on the day it was released, over the presets and many mixtures of options.

    If this fails, read the text at the top of this module before anything else.
    """
    lines = read(FOLDER / f"{game}.{revision}.txt")
    now = [taken(GAMES[game], line.options) for line in lines]
    other_rules = [line.options for line, new in zip(lines, now, strict=True) if line.rules != new.rules]
    assert not other_rules, f"the rules of revision {revision} of {game} have changed without a new revision"
    other_words = [line.options for line, new in zip(lines, now, strict=True) if line.told != new.told]
    assert not other_words, f"refusals of revision {revision} of {game} cite or say something else"


def test_each_revision_has_its_fingerprint() -> None:
    """A revision that is released without a fingerprint is not pinned; a fingerprint is never thrown away."""
    wanted = {f"{game}.{1 + each}" for game in NEWEST for each in range(NEWEST[game])}
    assert {path.stem for path in FOLDER.glob("*.txt")} == wanted


def test_a_fingerprint_covers_the_options() -> None:
    """Each value of each option that can be chosen stands in some line, and rounds were won in most matches."""
    for game, newest in NEWEST.items():
        lines = read(FOLDER / f"{game}.{newest}.txt")
        for option in fields(GAMES[game].Options):
            if option.name != "revision":
                wanted = {
                    value.value if isinstance(value, StrEnum) else value for value in choices_of(game, option.name)
                }
                assert wanted <= {line.options[option.name] for line in lines}, option.name
        assert {line.options["revision"] for line in lines} == {newest}
        assert len({line.rules for line in lines}) == len(lines)


@pytest.mark.parametrize("name", NEWEST)
def test_a_planted_change_is_seen(name: str) -> None:
    """A move that is legal no more changes `rules`; a clause that is cited otherwise changes `told` alone."""
    game, line = GAMES[name], read(FOLDER / f"{name}.1.txt")[0]

    def citing(state: Any, move: Any) -> Any:
        refused = game.violation(state, move)
        return refused if refused is None else refused._replace(clauses=refused.clauses[:1])

    def fewer(state: Any) -> Any:
        legal = game.legal_moves(state)
        return legal[:-1] if len(legal) == 6 else legal

    told = taken(planted(game, violation=citing), line.options)
    assert (told.rules == line.rules, told.told == line.told) == (True, False)
    assert taken(planted(game, legal_moves=fewer), line.options).rules != line.rules


def planted(game: AnyGame, **change: Any) -> Any:
    """Return a game with a function of its face replaced."""
    return SimpleNamespace(**{**vars(game), **change})


def test_an_unknown_revision_is_refused_by_name() -> None:
    """Options, digests and states of a revision that this build lacks are refused, and it says which it has."""
    for game, newest in NEWEST.items():
        preset = next(iter(GAMES[game].PRESETS.values()))
        for revision in (0, newest + 1):
            with pytest.raises(InvalidOptions, match=f"revision: expected a whole number from 1 to {newest}"):
                replace(preset, revision=revision)
            with pytest.raises(UnknownRules, match=f"got {revision}"):
                rules_digest(game, revision)
        data = bytearray(GAMES[game].encode(GAMES[game].new_match(preset)))
        place = data.index(bytes((preset.revision,)), 2 if game == "fives" else 1)
        data[place] = newest + 1
        with pytest.raises(UnreadableState, match="revision"):
            GAMES[game].decode(bytes(data))


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]))
