"""The revisions of the rules: a correction of a rule never changes a match that was begun before it.

A match is played under one revision of its game's rules, an option like any other: it stands in every state, token and
log, and the code asks for it wherever two revisions differ. Every revision that was ever released stays playable; a
build that lacks one refuses its matches at once, by name, instead of playing them by other rules.

To correct a rule of a game:

1.  Raise its number in `NEWEST`, and the `revision` of its presets.
2.  Where the behaviour differs, ask: ``if options.revision >= 2``. The old branch stays.
3.  In the text of the clause leave the old sentence and add ``[F42-PL-15.revision.2]`` with the new ones; a clause
    that is new gets ``since = 2``. A decision that two games share is never reworded: one game gets a new clause.
4.  A new option stands in states and logs from that revision on: `encode`, `decode` and `options_from_plain` ask the
    revision too, and an older one has the value that gives the older rules.
5.  Write the fingerprint of the new revision (`tests/engine/test_revisions.py` says how); the old one must not change.
6.  Say it in the changelog.
"""

from typing import Final

from dominohall_engine.options import check_whole_number

NEWEST: Final = {"forty_two": 1, "fives": 1}
"""The newest revision of each game's rules; this build plays 1 and all up to it."""


def check_revision(game: str, revision: object) -> None:
    """Refuse a revision that this build does not play: `InvalidOptions`."""
    check_whole_number("revision", revision, 1, NEWEST[game])
