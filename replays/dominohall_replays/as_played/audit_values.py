"""What an audit of a round as played says, as frozen values that JSON can hold."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from dominohall_engine.options import Plain

from dominohall_replays.explain.values import Cited, MovePlain, Refused, Said, ScoreLine, Trick, Turn


@dataclass(frozen=True, slots=True)
class Finding:
    """A ply that the rules forbid."""

    ply: int
    """1 for the first call, or the first tile where no call was written down."""
    line: int | None
    """Where it stands in the notation, counted from 1; None for a round that came from elsewhere."""
    column: int | None
    stage: str
    trick: int | None
    seat: int
    move: MovePlain
    text: str
    reasons: tuple[Refused, ...]
    """Why it is forbidden: an out-of-turn play may be a renege as well."""
    could: tuple[MovePlain, ...]
    """What the seat could have done, as far as its hand is known."""
    consequences: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class PresetScore:
    """What the round scores under one set of options, as it was played, and how far the first fault can reach."""

    rules: str
    is_own: bool
    """Whether these are the options that the round says it was played by."""
    gained: tuple[int, ...] | None
    """What each side scores as played; None where the round does not say enough."""
    without_rest: tuple[int, ...] | None
    """If everything from the first illegal ply on went to the other side than the bidder's; None without such a ply."""
    with_rest: tuple[int, ...] | None
    """If everything from there on went to the bidder's side."""
    matches_written: bool | None
    """Whether it is what the table wrote down; None if it wrote nothing down or nothing can be told."""
    illegal: tuple[Said, ...]
    """What these rules forbid in the round."""
    lines: tuple[ScoreLine, ...]


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit found in one round."""

    language: str
    game: str
    rules: str
    options: Mapping[str, Plain]
    sides: tuple[tuple[int, ...], ...]
    is_clean: bool
    """Whether nothing that could be checked is against the rules."""
    findings: tuple[Finding, ...]
    """Every illegal ply, the first one first."""
    unchecked: tuple[Said, ...]
    """What could not be checked, for want of hands, calls or an end."""
    tricks: tuple[Trick, ...]
    turns: tuple[Turn, ...]
    settled: tuple[int, ...]
    """What each side had taken, or scored by plays, before the first illegal ply; all of it in a clean round."""
    open_points: int | None
    """Forty-two: the points of the tricks from the first illegal ply on, 0 in a clean round; None in fives."""
    written: tuple[int, ...] | None
    """What the table wrote down."""
    scores: tuple[PresetScore, ...]
    clauses: tuple[Cited, ...]


def audit_to_plain(audit: Audit) -> dict[str, Any]:
    """Return an audit as plain data for JSON."""
    return asdict(audit)
