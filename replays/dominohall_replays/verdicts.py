"""What can be said of a log: one verdict from a closed list, with its place, and separate statements.

A verdict is about the log alone: whether it is whole and agrees with itself, with the rules it names and with what it
was held against. It never says who wrote it. "Valid" is not "authentic": that takes a signature or a receipt that was
checked and that covers the last entry (`Report.authentic`), and even that says only what the signer vouched for: what
the signer itself rewrote shows only against a receipt that was handed out before.
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
    """Everything agrees as far as the shown tiles tell; `Shown` says whose they are and how far that is."""
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
    """The log agrees with itself, and is not the one that the given head or receipt belongs to."""
    UNSIGNED = "unsigned"
    """Public keys were given, the log agrees with itself, and no signature by them covers its end."""


GOOD: Final = frozenset({Verdict.VALID, Verdict.UNFINISHED, Verdict.REDACTED})
"""Verdicts that find no fault."""
UNUSABLE: Final = frozenset({Verdict.UNREADABLE, Verdict.UNKNOWN_RULES})
"""Verdicts that say the input was no use for an answer, rather than that something is wrong with the match."""


class SignatureStatement(StrEnum):
    """What is known of signatures."""

    ABSENT = "absent"
    UNCHECKED = "unchecked"
    """There are signatures over heads of this log, and no public keys were given to check them with."""
    CHECKED = "checked"
    """At least one was checked, and none is wrong; `Report.signed_sequence` says how far they reach."""
    WRONG = "wrong"


class ReceiptStatement(StrEnum):
    """What became of a receipt that a log was held against."""

    HELD = "held"
    """Its signature fits, and the log contains its head."""
    UNCHECKED = "unchecked"
    """The log contains its head; no public keys were given to check its signature with."""
    DIFFERS = "differs"
    """The log has another entry there."""
    BEYOND_END = "beyond_end"
    """The log ends before it."""
    OTHER_MATCH = "other_match"
    """It is of another match, and says nothing of this log."""
    FORGED = "forged"
    """Its signature is not by the key that it names: it proves nothing."""
    UNKNOWN_KEY = "unknown_key"
    """It names a key that is not among the given ones: it proves nothing."""
    NOT_REACHED = "not_reached"
    """A fault was found in the log before its place."""


NO_PROOF: Final = frozenset({ReceiptStatement.FORGED, ReceiptStatement.UNKNOWN_KEY})
"""Receipts that are no use against any log."""


class DealStatement(StrEnum):
    """What is known of the shakes and lots."""

    PROVEN = "proven"
    """The revealed secret is the one committed to before the match, and every shake and lot came from it."""
    OPENED = "opened"
    """The match goes on: every shake so far is shown whole and leads to its root; the secret is not due yet."""
    UNPROVEN = "unproven"
    """That nobody chose the shakes can't be told: the secret was not revealed, or not every tile is shown."""
    SCRIPTED = "scripted"
    """The host gave the shakes and lots itself, and the log says so for good."""
    IMPORTED = "imported"
    """Tiles in play came with the imported state, and no secret can prove them; later shakes are counted apart."""


class OriginStatement(StrEnum):
    """Where the match began."""

    STARTED = "started"
    IMPORTED = "imported"


class LegalityStatement(StrEnum):
    """How far the rules could be asked about the moves of a redacted log."""

    FULL = "full"
    """The shown tiles decide every move."""
    PART = "part"
    """Every move is one that the rules allow for some tiles in the places that are not shown."""
    NONE = "none"
    """From some entry on no state could be computed; chain and openings were checked to the end."""


class Shown(NamedTuple):
    """What a redacted log shows, and what could not be checked for that."""

    seats: tuple[int, ...]
    """The seats whose tiles are all shown: the one it was redacted for, none for a spectator."""
    legality: LegalityStatement
    partly_checked: int
    """Moves whose legality depends on tiles that are not shown as well."""
    unopened_plays: int
    """Plays whose tile is not opened: that the seat held it, and where it came from, could not be checked."""


class ReceiptFinding(NamedTuple):
    """What became of one receipt, in the order given."""

    sequence: int
    statement: ReceiptStatement


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
    signed_sequence: int | None = None
    """The last entry that a checked signature or receipt covers, None if none was checked."""
    receipts: tuple[ReceiptFinding, ...] = ()
    shown: Shown | None = None
    """For a redacted log, what it shows; None where every tile is shown."""

    @property
    def good(self) -> bool:
        """Whether no fault was found."""
        return self.verdict in GOOD

    @property
    def authentic(self) -> bool:
        """Whether no fault was found and a checked signature or receipt covers the log to its last entry."""
        return self.good and self.head is not None and self.signed_sequence == self.head.sequence
