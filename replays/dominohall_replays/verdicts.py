"""What can be said of a log: one verdict from a closed list, with its place, and three separate statements.

A verdict is about the log alone: whether it is whole and agrees with itself, with the rules it names and with what it
was held against. It never says who wrote it. "Valid" is not "authentic": that takes a signature that was checked or a
head that somebody else kept.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from dominohall_replays.records import Head


class Verdict(StrEnum):
    """The closed list of verdicts; the first fault in the order of the file decides."""

    VALID = "valid"
    """Everything agrees, from the header to the recorded result."""
    UNFINISHED = "unfinished"
    """Everything agrees so far, and the match was not over: it goes on elsewhere, or a tail was cut off cleanly."""
    REDACTED = "redacted"
    """Chain and openings agree; tiles that are not shown hide whether the moves were legal."""
    TRUNCATED = "truncated"
    """The log stops inside an entry, or before a head that it was held against."""
    UNREADABLE = "unreadable"
    """These bytes are no log of this format."""
    UNKNOWN_RULES = "unknown_rules"
    """This build does not have the game, the revision, its text or its options: nothing was re-simulated."""
    CHAIN_BROKEN = "chain_broken"
    """A link does not follow from its record and the link before, or an entry is out of its place."""
    IMPOSSIBLE_STATE = "impossible_state"
    """The match was imported in a state that can't arise."""
    ILLEGAL_MOVE = "illegal_move"
    """The rules forbid a move where it stands; the clauses say why."""
    DIGEST_DIFFERS = "digest_differs"
    """The state after a move is not the one that was recorded."""
    ROOT_DIFFERS = "root_differs"
    """An opening does not lead to the root that the chain covers: other tiles are shown than were shaken."""
    RESULT_DIFFERS = "result_differs"
    """The recorded result is not the one that the moves give; the report has both."""
    DEAL_DIFFERS = "deal_differs"
    """The revealed secret is not the one committed to, or a shake or lot did not come from it."""
    SIGNATURE_WRONG = "signature_wrong"
    """A signature is not over a head of this log, or not by the key it names."""
    HEAD_DIFFERS = "head_differs"
    """The log agrees with itself, and is not the one that the given head belongs to."""


GOOD: Final = frozenset({Verdict.VALID, Verdict.UNFINISHED})
"""Verdicts that find no fault."""
UNUSABLE: Final = frozenset({Verdict.UNREADABLE, Verdict.UNKNOWN_RULES, Verdict.REDACTED})
"""Verdicts that say the input was no use for an answer, rather than that something is wrong with the match."""


class SignatureStatement(StrEnum):
    """What is known of signatures."""

    ABSENT = "absent"
    UNCHECKED = "unchecked"
    """There are signatures over heads of this log, and no public keys were given to check them with."""
    CHECKED = "checked"
    WRONG = "wrong"


class DealStatement(StrEnum):
    """What is known of the shakes and lots."""

    PROVEN = "proven"
    """The revealed secret is the one committed to before the match, and every shake and lot came from it."""
    UNPROVEN = "unproven"
    """Every shake that is shown leads to its root; that nobody chose them can't be told without the secret."""
    SCRIPTED = "scripted"
    """The host gave the shakes and lots itself, and the log says so."""


class OriginStatement(StrEnum):
    """Where the match began."""

    STARTED = "started"
    IMPORTED = "imported"


class Result(NamedTuple):
    """The end of a match."""

    ending: str
    winner: int | None
    """A side, None for a draw or an abandoned match."""
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """What `verify` found; small, and fit to cross a process pool."""

    verdict: Verdict
    reason: str
    """The verdict in a sentence, with what was expected and what came; never a hidden tile or a secret."""
    sequence: int | None = None
    """The entry of the first fault; None if there is no fault, or it lies before the header or beyond the entries."""
    offset: int | None = None
    """The byte of the first fault."""
    clauses: tuple[str, ...] = ()
    """For an illegal move, the clauses that forbid it, the deciding one first."""
    refusal: str = ""
    """For an illegal move, the engine's `Reason`."""
    match_id: str = ""
    owner: str = ""
    game: str = ""
    rules_revision: int | None = None
    moves: int = 0
    """Moves that were read and hold."""
    head: Head | None = None
    """The last entry that holds: every entry up to it was checked."""
    recorded: Result | None = None
    computed: Result | None = None
    signature: SignatureStatement = SignatureStatement.ABSENT
    deal: DealStatement = DealStatement.UNPROVEN
    chances: int = 0
    """Shakes and lots, the shake of an imported state included."""
    chances_proven: int = 0
    """Those that came from the revealed secret."""
    origin: OriginStatement = OriginStatement.STARTED

    @property
    def good(self) -> bool:
        """Whether no fault was found."""
        return self.verdict in GOOD
