"""What the audits of both games share: illegal plies in words, and the options to score a round under."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from dominohall_engine.games import AnyGame

from dominohall_replays.as_played.audit_values import Finding, PresetScore
from dominohall_replays.as_played.rounds import Ply
from dominohall_replays.explain.decisions import move_said, move_to_plain, refused
from dominohall_replays.explain.values import Said, Trick, Turn
from dominohall_replays.words import Words

Places = Sequence[tuple[int, int]]


class Found(NamedTuple):
    """What the audit of one game found."""

    findings: tuple[Finding, ...]
    unchecked: tuple[Said, ...]
    tricks: tuple[Trick, ...]
    turns: tuple[Turn, ...]
    settled: tuple[int, ...]
    open_points: int | None
    scores: tuple[PresetScore, ...]


def finding(ply: Ply, places: Places, consequences: tuple[Said, ...], words: Words) -> Finding:
    """Put an illegal ply into words."""
    line, column = places[ply.number - 1] if ply.number <= len(places) else (None, None)
    return Finding(
        ply.number,
        line,
        column,
        str(ply.stage),
        ply.trick,
        ply.seat,
        move_to_plain(ply.move),
        words("decision.who", seat=ply.seat, move=move_said(ply.move, words)),
        tuple(refused(each, ply.move, words, made=True) for each in ply.violations),
        tuple(move_to_plain(move) for move in ply.legal),
        consequences,
    )


def rule_sets(game: AnyGame, own: Any) -> list[tuple[str, Any, bool]]:  # noqa: ANN401 - options of the game
    """Return the options to score a round under, by name: its own first, then every other preset of the game."""
    presets = [(f"{game.NAME}.{name}", options) for name, options in game.PRESETS.items()]
    own_name = next((name for name, options in presets if options == own), game.NAME)
    return [(own_name, own, True), *[(name, options, False) for name, options in presets if options != own]]


def illegal_said(plies: Sequence[Ply], words: Words) -> tuple[Said, ...]:
    """Say what some rules forbid in a round, ply by ply."""
    said = []
    for ply in plies:
        for violation in ply.violations:
            why = refused(violation, ply.move, words)
            who = words("decision.who", seat=ply.seat, move=why.text)
            said.append(Said(words("audit.ply_illegal", ply=ply.number, who=who, message=why.message), why.clauses))
    return tuple(said)
