"""The audit of a round as played: the first illegal ply, its clause, what followed from it, and what it is worth.

Nothing is invented: a ply is illegal only if the engine says so from what is known of the hands, and what could not be
checked is said. What would have happened without the fault nobody can know; so the score is given as played, and
between which scores it lies if everything from the fault on is taken away from one side or the other.
"""

from dominohall_engine import fives, forty_two
from dominohall_engine.games import GAMES, AnyGame
from dominohall_engine.options import options_to_plain

from dominohall_replays.as_played.audit_fives import audit_fives
from dominohall_replays.as_played.audit_forty_two import audit_forty_two
from dominohall_replays.as_played.audit_values import Audit
from dominohall_replays.as_played.notation import Notated
from dominohall_replays.as_played.rounds import FivesRound
from dominohall_replays.explain.explanation import cited, ids_in
from dominohall_replays.words import Words


def audit(notated: Notated, language: str = "en") -> Audit:
    """Judge a round as it was played; `UnusableRound` if it contradicts itself.

    `language` is one of `en`, `pl`, `ru`.
    """
    words = Words(language)
    record, places = notated
    is_fives = isinstance(record, FivesRound)
    game: AnyGame = GAMES[fives.NAME if is_fives else forty_two.NAME]
    found = (
        audit_fives(record, places, words) if isinstance(record, FivesRound) else audit_forty_two(record, places, words)
    )
    presets = [name for name, options in game.PRESETS.items() if options == record.options]
    parts = (found.findings, found.unchecked, found.tricks, found.turns, found.scores)
    return Audit(
        language=language,
        game=game.NAME,
        rules=f"{game.NAME}.{presets[0]}" if presets else game.NAME,
        options=options_to_plain(record.options),
        sides=game.sides(record.options),
        is_clean=not found.findings,
        findings=found.findings,
        unchecked=found.unchecked,
        tricks=found.tricks,
        turns=found.turns,
        settled=found.settled,
        open_points=found.open_points,
        written=record.score,
        scores=found.scores,
        clauses=cited(set(ids_in(parts)), language, record.options.revision),
    )
