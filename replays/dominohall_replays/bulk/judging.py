"""One batch judged: a plain function from names to counts and faults, for any process on any machine."""

import json
from collections.abc import Callable, Sequence
from functools import cache, partial
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from itertools import accumulate
from typing import NamedTuple

from dominohall_engine.clauses import rules_digest
from dominohall_engine.revisions import NEWEST

from dominohall_replays.archive_format import (
    FOOTER,
    MAGIC,
    MAGIC_2,
    Block,
    Kept,
    blocks_of,
    read_footer,
    read_index,
    rows_in,
)
from dominohall_replays.bulk.findings import NOT_JUDGED, BatchResult, Depth, Place, Trouble
from dominohall_replays.bulk.listing import SEGMENT_SUFFIX, Batch
from dominohall_replays.bulk.locations import UnusableLocation
from dominohall_replays.bulk.objects import objects_at
from dominohall_replays.bulk.reading import Piece, digest_of, pieces_of
from dominohall_replays.bulk.results import keep_result, kept_result
from dominohall_replays.compact import judged, replayed
from dominohall_replays.compact_row import Row, expanded_row
from dominohall_replays.errors import ReplayError, UnreadableSegment
from dominohall_replays.signatures import PublicKeys
from dominohall_replays.verdicts import Report, Verdict
from dominohall_replays.verify import verify


class OtherBuild(ReplayError):
    """A worker runs another build of this program, and might judge otherwise."""


class Terms(NamedTuple):
    """What every log of an audit is held against, and where results are kept."""

    build: str
    """`build_of()` where the audit was begun."""
    public_keys: PublicKeys | None = None
    must_be_signed: bool = True
    results: str | None = None
    """A folder or an address that the process which judges can reach."""
    depth: Depth = Depth.PROOF

    def bytes(self) -> bytes:
        """Return the terms that a verdict depends on, for the digest of a batch."""
        keys = sorted((key.hex(), value.hex()) for key, value in (self.public_keys or {}).items())
        signed = None if self.public_keys is None else [self.must_be_signed, keys]
        return json.dumps([self.build, self.depth, signed]).encode()


@cache
def build_of() -> str:
    """Return what decides how this build judges: its version and the rules that it has."""
    try:
        number = version("dominohall")
    except PackageNotFoundError:
        number = "source"
    rules = [rules_digest(game, each) for game in sorted(NEWEST) for each in range(1, NEWEST[game] + 1)]
    return f"{number}/{sha256(b''.join(rules)).hexdigest()[:16]}"


def judge(batch: Batch, terms: Terms) -> BatchResult:
    """Judge everything in a batch, or take the result that was kept of these very bytes.

    Nothing that a log holds raises; `StoreUnavailable` and `UnusableLocation` say that the location, or the place of
    the results, does not answer, `OtherBuild` that the audit was begun by another build. A result with an answer
    missing is not kept, so the next run asks again.
    """
    if terms.build != build_of():
        raise OtherBuild(f"expected workers of the build {terms.build}, got one of {build_of()}")
    pieces = list(pieces_of(batch))
    objects = None if terms.results is None else objects_at(terms.results)
    digest = digest_of(pieces, terms.bytes())
    if objects is not None:
        kept = kept_result(objects, digest)
        if kept is not None:
            return kept
    result = BatchResult()
    for piece in pieces:
        _judge_piece(result, piece, terms)
    if objects is not None and not NOT_JUDGED & set(result.counts.troubles):
        keep_result(objects, digest, result)
    return result


def _judge_piece(result: BatchResult, piece: Piece, terms: Terms) -> None:
    place = piece.place
    result.counts.bytes += len(piece.data)
    if piece.why:
        result.troubled(Trouble.UNREAD, piece.why, place)
    elif piece.archived:
        result.counts.archived += 1
    elif piece.is_segment:
        _judge_segment(result, piece.data, place, terms)
    else:
        _judge_log(result, piece.data, place._replace(log_offset=0), terms)


def _judge_segment(result: BatchResult, data: bytes, place: Place, terms: Terms) -> None:
    """Judge the logs of a segment, also of one that is not as it was written, as far as its index can be read."""
    result.counts.segments += 1
    try:
        start, size, digest = read_footer(data[-FOOTER.size :], len(data))
        packed, is_compact = data[start : start + size], data.startswith(MAGIC_2)
        parts: Sequence[Kept | Block] = blocks_of(packed) if is_compact else read_index(packed)
    except UnreadableSegment as error:
        result.troubled(Trouble.SEGMENT_BROKEN, str(error), place)
        return
    whole = data.startswith((MAGIC, MAGIC_2)) and sha256(data[: start + size]).digest() == digest
    why = "" if whole else "expected the bytes that were written, got others"
    if place.source.rpartition("/")[2] != digest.hex() + SEGMENT_SUFFIX:
        why = f"expected it under its name {digest.hex()}"
    if [each.offset for each in parts] + [start] != list(accumulate((k.size for k in parts), initial=len(MAGIC))):
        why = "expected one log behind the other, as the index has them"
    if why:
        result.troubled(Trouble.SEGMENT_DIFFERS, why, place)
    for part in parts:
        at = place._replace(log_offset=part.offset)
        if isinstance(part, Block):
            _judge_block(result, data, part, at, terms)
        else:
            log = data[part.offset : part.offset + part.size] if part.offset + part.size <= start else b""
            at = at._replace(owner=part.owner, match_id=part.head.match_id, head=part.head)
            if _judge_log(result, log, at, terms) and sha256(log).digest() != part.digest:
                result.troubled(Trouble.LOG_DIFFERS, "the log holds, and is not the one that was archived here", at)


def _judge_block(result: BatchResult, data: bytes, block: Block, place: Place, terms: Terms) -> None:
    """Judge the compact logs of a block, by `judged` or by `replayed`, as the depth says."""
    try:
        rows = rows_in(data, block)
    except UnreadableSegment as error:
        result.troubled(Trouble.SEGMENT_BROKEN, str(error), place)
        return
    except ModuleNotFoundError:
        raise UnusableLocation("expected what reads archives: pip install 'dominohall[archive]'") from None
    for row in rows:
        at = place._replace(owner=row.template.owner, match_id=row.match_id)
        _judge_by(partial(_report_of_row, row, terms), result, at, moves_only=terms.depth is Depth.MOVES)


def _report_of_row(row: Row, terms: Terms) -> Report:
    """Judge a compact log; signatures are checked over the log that it stands for."""
    if terms.depth is Depth.MOVES:
        return replayed(row)
    report = judged(row)
    if terms.public_keys is None or not report.good:
        return report
    return verify(expanded_row(row).log, public_keys=terms.public_keys, must_be_signed=terms.must_be_signed)


def _judge_log(result: BatchResult, log: bytes, place: Place, terms: Terms) -> bool:
    """Judge one log and say whether it holds and is the one that this place is for."""
    judging = partial(verify, log, public_keys=terms.public_keys, must_be_signed=terms.must_be_signed)
    report = _judge_by(judging, result, place)
    why = "" if report is None else _misfiled(report, place)
    if why:
        result.troubled(Trouble.MISFILED, why, place)
    return report is not None and report.good and not why


def _judge_by(
    judging: Callable[[], Report], result: BatchResult, place: Place, *, moves_only: bool = False
) -> Report | None:
    """Count what a judgement came to; one that fails must not end the audit of a million logs."""
    try:
        report = judging()
    except Exception as error:  # noqa: BLE001 - see above
        result.troubled(Trouble.UNJUDGED, f"judging it failed: {type(error).__name__}", place)
        return None
    result.judged(report, place, moves_only=moves_only)
    return report


def _misfiled(report: Report, place: Place) -> str:
    """Say what a log that can be read has otherwise than the place that it is kept at, "" for nothing."""
    if place.head is None or not report.game:
        return ""
    if (report.owner, report.match_id) != (place.owner, place.match_id):
        return f"expected the match {place.match_id!r} of {place.owner!r}, got {report.match_id!r} of {report.owner!r}"
    whole = report.good or report.verdict is Verdict.UNSIGNED
    if whole and report.head is not None and report.head != place.head:
        return f"expected a log that ends at sequence {place.head.sequence}, got one to {report.head.sequence}"
    return ""
