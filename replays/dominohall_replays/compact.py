"""The compact form of a log: about half a byte a move, from which the log comes back byte for byte.

What the rules give is left out: digests, links, roots, the terminal record; what the match secret gives too, if it is
known. Getting the log back is playing the match again, and the head that stands in the row proves that it is the same.
`docs/archive-format.md` specifies the bytes; in an archive many logs share a block, here each has its own.
"""

from hashlib import sha256
from typing import Any, Final

from dominohall_engine.clauses import UnknownRules, rules_digest
from dominohall_engine.errors import DominohallError

from dominohall_replays.compact_block import pack_block, read_block
from dominohall_replays.compact_body import CHECK_BYTES, ORDERS, SALTS
from dominohall_replays.compact_row import Expanded, HeadMissed, Row, begun, expanded_row
from dominohall_replays.compact_writer import NotCompactable, row_of
from dominohall_replays.deals import root
from dominohall_replays.errors import ReplayError, UnreadableSegment
from dominohall_replays.records import NO_HASH, SCRIPTED, STATE_DOMAIN
from dominohall_replays.verdicts import DealStatement, OriginStatement, Report, Result, SignatureStatement, Verdict
from dominohall_replays.verify import verify

__all__ = ["NotCompactable", "Row", "compacted", "expanded", "judged", "replayed", "row_of"]

MOVES_ONLY: Final = "every move is legal and the match comes out as it did; digests and links were not computed"


def compacted(log: bytes, secret: bytes | None = None) -> bytes:
    """Return the compact form of a log; `NotCompactable` if it has none: imported, redacted, or one that does not hold.

    `secret` is the match secret, if it is known and the log does not reveal it. It is kept in the compact form, where
    it saves 45 bytes a round: whoever can read the log knows every shake already.
    """
    return pack_block([row_of(log, secret)[0]])


def expanded(data: bytes) -> bytes:
    """Return the log that was made compact, byte for byte; `UnreadableSegment` for anything else."""
    rows = read_block(data)
    if len(rows) != 1:
        raise UnreadableSegment(f"expected the compact form of one log, got {len(rows)}")
    return expanded_row(rows[0]).log


def judged(row: Row) -> Report:
    """Judge a log by its row: what `verify` says of the log without keys, and the log need not be written first.

    Playing it again computes every digest, root, link and result; that they lead to the head in the row is the proof.
    Where they don't, the verdict is `head_differs`; a row that can't be played is `unreadable`.
    """
    try:
        if _rules_differ(row):
            raise UnreadableSegment("other rules")
        back = expanded_row(row)
    except (ReplayError, DominohallError, ValueError) as error:
        return _refused(row, error)
    scripted_secret = True in row.attachments and back.choices.body.flags & (ORDERS | SALTS)
    if scripted_secret or any(type(each) is bytes and each[0] == 0 for each in row.attachments):
        return verify(back.log)
    return _report(row, back)


def replayed(row: Row) -> Report:
    """Play the moves of a row again and nothing else; a weaker check than `judged`, several times as fast.

    Each move is one of the legal ones of the rules named, as many as the row says, and the state after the last is the
    one that was recorded, by 4 bytes of its digest. No link, root or other digest is computed, so it is not shown that
    these moves lead to the head.
    """
    try:
        if _rules_differ(row):
            raise UnreadableSegment("other rules")
        game, state, choices = begun(row)
        apply, next_move = game.apply, choices.next
        for _ in range(row.sequence):
            state = apply(state, next_move(state))
        choices.finish()
        order = game.order(state)
        in_force = NO_HASH if order is None else root(order, choices.salt)
        digest = sha256(STATE_DOMAIN + game.encode_public(state) + in_force).digest() if row.sequence else NO_HASH
    except (ReplayError, DominohallError, ValueError) as error:
        return _refused(row, error)
    outcome = game.outcome(state)
    result = None if outcome is None else Result(str(outcome.ending), outcome.winner, tuple(outcome.scores))
    if digest[:CHECK_BYTES] != choices.body.check:
        text = "the state after the last move is not the one recorded"
        return _about(row, Verdict.DIGEST_DIFFERS, text, row.sequence, computed=result)
    verdict = Verdict.UNFINISHED if result is None else Verdict.VALID
    return _about(row, verdict, MOVES_ONLY, None, moves=row.sequence, recorded=result, computed=result)


def _report(row: Row, back: Expanded) -> Report:
    """Return what `verify` says of a log that holds; its attachments are none, or need no key and fit."""
    outcome = back.game.outcome(back.state)
    result = None if outcome is None else Result(str(outcome.ending), outcome.winner, tuple(outcome.scores))
    verdict, text = Verdict.VALID, "everything agrees, to the end of the match"
    if result is None:
        text = f"everything agrees up to sequence {row.sequence}; the match is not over there"
        verdict = Verdict.UNFINISHED
    chances, proven, deal = back.choices.chances, 0, DealStatement.UNPROVEN
    scripted = SCRIPTED in back.header.marks
    if True in row.attachments:
        proven = chances
        deal = DealStatement.PROVEN if chances else deal
    elif chances and result is None:
        deal = DealStatement.OPENED
    return _about(
        row,
        verdict,
        text,
        None,
        moves=row.sequence,
        head=back.head,
        recorded=result,
        computed=result,
        signature=SignatureStatement.UNCHECKED
        if any(type(each) is bytes for each in row.attachments)
        else SignatureStatement.ABSENT,
        deal=DealStatement.SCRIPTED if scripted else deal,
        chances=chances,
        chances_proven=proven,
    )


def _refused(row: Row, error: Exception) -> Report:
    """Return the report of a row that can't be played, or leads elsewhere."""
    if _rules_differ(row):
        text = f"this build does not have the rules of revision {row.template.rules_revision} of {row.template.game!r}"
        return _about(row, Verdict.UNKNOWN_RULES, text, 0)
    if isinstance(error, HeadMissed):
        return _about(row, Verdict.HEAD_DIFFERS, str(error), row.sequence)
    return _about(row, Verdict.UNREADABLE, str(error), None)


def _rules_differ(row: Row) -> bool:
    """Say whether the log names rules that this build does not have, or has by another text."""
    try:
        return rules_digest(row.template.game, row.template.rules_revision) != row.template.rules_digest
    except UnknownRules:
        return True


def _about(row: Row, verdict: Verdict, text: str, sequence: int | None, **found: Any) -> Report:  # noqa: ANN401
    shared = row.template
    return Report(
        verdict,
        text,
        sequence=sequence,
        match_id=row.match_id,
        owner=shared.owner,
        game=shared.game,
        rules_revision=shared.rules_revision,
        origin=OriginStatement.STARTED,
        **found,
    )
