"""Proofs of a fork: two histories of one match, both signed by the service's key.

Two signed heads of one match at one sequence with different links are enough: a service that keeps its word signs one
history. A head that was signed later counts too, together with the records that lead from the disputed link to it: each
link follows from the link before and its record, so the signature reaches back. Records hold no hidden tile, and the
proof is checked without either log. Links that nobody signed prove nothing.

    {"format": "dominohall-fork/1", "owner": "acme", "match_id": "table-7", "sequence": 12, "branches": [
       {"link": "<64 hexadecimal digits>", "records": ["<a packed record in hexadecimal digits>", ...],
        "signed": {"sequence": 34, "link": ..., "key_id": ..., "signature": ...}}, {...}]}

`link` is the last link of the entry at `sequence` in this branch, `records` every record behind it, up to the signed
head. The branch with the lesser link stands first.
"""

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from dominohall_replays.deals import HASH_BYTES
from dominohall_replays.errors import ReplayError, UnreadableLog
from dominohall_replays.log import Log, Source, read_log
from dominohall_replays.packing import unpack
from dominohall_replays.reading import LoggedMove, Signature
from dominohall_replays.receipts import (
    UnreadableDocument,
    bytes_of,
    exactly,
    number_of,
    read_document,
    signed_from,
    signed_to_plain,
    text_of,
)
from dominohall_replays.records import MOVE, TERMINAL, link_of
from dominohall_replays.signatures import PublicKeys, SignedHead, check_signature, signed_head

FORK_FORMAT: Final = "dominohall-fork/1"


class NoFork(ReplayError, ValueError):
    """Two things that prove no fork; the message says why."""


class Branch(NamedTuple):
    """One of two histories."""

    link: bytes
    """The last link of the entry in dispute, in this history."""
    records: tuple[bytes, ...]
    """The packed records behind it, up to the signed head."""
    signed: SignedHead


class Fork(NamedTuple):
    """A proof that two histories of one match were signed."""

    sequence: int
    """An entry that they disagree about; they may have parted before it."""
    branches: tuple[Branch, Branch]
    """The lesser link first."""


def fork_of(one: SignedHead | Source, other: SignedHead | Source) -> Fork:
    """Make the proof from two receipts, two signed logs, or one of each; `NoFork` says why there is none.

    Signatures are not checked here: that takes public keys, and is what `check_fork` does.
    """
    histories = [_history(each) for each in (one, other)]
    first, second = histories
    if first.match != second.match:
        raise NoFork("expected two histories of one match, got two matches")
    sequence = min(first.signed_last, second.signed_last)
    if not first.links.keys() & second.links.keys() >= {sequence}:
        raise NoFork(f"expected both to know the link at sequence {sequence}, one does not")
    branches = sorted([history.branch(sequence) for history in histories])
    if branches[0].link == branches[1].link:
        raise NoFork(f"expected different links at sequence {sequence}, got the same: one history, not two")
    return Fork(sequence, (branches[0], branches[1]))


def check_fork(fork: Fork, public_keys: PublicKeys) -> None:
    """Check a proof; `NoFork` says what is missing from it. Returning means: this key signed two histories."""
    one, other = fork.branches
    if (one.signed.owner, one.signed.match_id) != (other.signed.owner, other.signed.match_id):
        raise NoFork("expected two histories of one match, got two matches")
    if one.link == other.link:
        raise NoFork("expected different links, got the same: one history, not two")
    for branch in fork.branches:
        _check_way(fork.sequence, branch)
        held = check_signature(branch.signed, public_keys)
        key = branch.signed.key_id.hex()
        if held is None:
            raise NoFork(f"expected heads signed by one of the given keys, got one by {key}")
        if not held:
            raise NoFork(f"expected heads signed by the keys that they name, got one that {key} did not sign")


def format_fork(fork: Fork) -> str:
    """Write a proof as the text of its file: the inverse of `parse_fork`."""
    signed = fork.branches[0].signed
    branches = [
        {
            "link": branch.link.hex(),
            "records": [record.hex() for record in branch.records],
            "signed": signed_to_plain(branch.signed),
        }
        for branch in fork.branches
    ]
    about = {"format": FORK_FORMAT, "owner": signed.owner, "match_id": signed.match_id, "sequence": fork.sequence}
    return json.dumps({**about, "branches": branches}, indent=2, ensure_ascii=False) + "\n"


def parse_fork(text: str | bytes) -> Fork:
    """Read the text of a proof; `UnreadableDocument` for anything else. Nothing of it is checked yet."""
    fields = read_document(text, FORK_FORMAT, ("owner", "match_id", "sequence", "branches"))
    owner, match_id, branches = text_of(fields, "owner"), text_of(fields, "match_id"), fields["branches"]
    if not isinstance(branches, list) or len(branches) != 2:
        raise UnreadableDocument("branches: expected two")
    one, other = (_branch_from(each, owner, match_id) for each in branches)
    if one.link > other.link:
        raise UnreadableDocument("branches: expected the one with the lesser link first")
    return Fork(number_of(fields, "sequence"), (one, other))


def _branch_from(found: object, owner: str, match_id: str) -> Branch:
    fields = exactly(found, ("link", "records", "signed"), "branches")
    link, records = bytes_of(fields, "link"), fields["records"]
    if not isinstance(records, list) or len(link) != HASH_BYTES:
        raise UnreadableDocument(f"branches: expected a link of {HASH_BYTES} bytes and a list of records")
    signed = exactly(fields["signed"], ("sequence", "link", "key_id", "signature"), "signed")
    packed = tuple([bytes_of({"records": each}, "records") for each in records])
    return Branch(link, packed, signed_from(signed, owner, match_id))


class _History(NamedTuple):
    """What one side of a dispute knows: links by sequence, the records behind them, and what was signed last."""

    match: tuple[str, str]
    links: Mapping[int, bytes]
    records: Mapping[int, tuple[bytes, ...]]
    """The records of each entry: the move, and behind the last one the terminal record."""
    signed: Mapping[int, SignedHead]

    @property
    def signed_last(self) -> int:
        return max(self.signed)

    def branch(self, sequence: int) -> Branch:
        """Return this history behind a sequence, up to the first signed head that is not before it."""
        end = min(each for each in self.signed if each >= sequence)
        records = [record for each in range(sequence + 1, end + 1) for record in self.records[each]]
        return Branch(self.links[sequence], tuple(records), self.signed[end])


def _history(source: SignedHead | Source) -> _History:
    if isinstance(source, SignedHead):
        match = (source.owner, source.match_id)
        return _History(match, {source.sequence: source.link}, {}, {source.sequence: source})
    log = read_log(source)
    links, records, signed = {0: log.first.link}, {}, {}
    for item in log.items():
        if isinstance(item, LoggedMove):
            links[item.sequence] = item.last_link
            records[item.sequence] = (item.record, item.terminal_record) if item.terminal else (item.record,)
        elif isinstance(item, Signature) and links.get(item.sequence) == item.link:
            signed[item.sequence] = signed_head(log.header, item)
    if not signed:
        raise NoFork("expected a log with a signature over one of its heads, got one without: it proves nothing")
    return _History(_match_of(log), links, records, signed)


def _match_of(log: Log) -> tuple[str, str]:
    return log.header.owner, log.header.match_id


def _check_way(sequence: int, branch: Branch) -> None:
    """Follow the records from the disputed link to the signed head; `NoFork` unless they lead there step by step."""
    link, at = branch.link, sequence
    for number, record in enumerate(branch.records):
        kind, found = _kind_and_sequence(record)
        if kind == MOVE and found == at + 1:
            at += 1
        elif not (kind == TERMINAL and found == at > sequence and number == len(branch.records) - 1):
            raise NoFork(f"expected the record of sequence {at + 1}, got another")
        link = link_of(link, record)
    if (at, link) != (branch.signed.sequence, branch.signed.link):
        raise NoFork(f"expected records that lead from sequence {sequence} to the signed head, they do not")


def _kind_and_sequence(record: bytes) -> tuple[Any, Any]:
    try:
        item, end = unpack(record)
    except UnreadableLog as error:
        raise NoFork(f"expected the records of a log, got something else: {error.reason}") from None
    if end != len(record) or not isinstance(item, list) or len(item) < 2:
        raise NoFork("expected the records of a log, got something else")
    return item[0], item[1]
