"""Two signed histories of one match make a proof; nothing else does."""

import json
from typing import Any

import pytest
from dominohall_replays.errors import UnreadableLog
from dominohall_replays.forks import Branch, Fork, NoFork, check_fork, fork_of, format_fork, parse_fork
from dominohall_replays.log import read_log
from dominohall_replays.receipts import UnreadableDocument
from dominohall_replays.signatures import sign_head, signature_item

FORKED = 15
"""An entry that the two histories disagree about."""


@pytest.fixture(scope="module")
def histories(record: Any, tools: Any) -> tuple[Any, Any]:
    """Play a match twice, the same up to move 12, another one soon after."""
    one = record("forty_two", tools.SHORT["forty_two"], seed=3)
    others = (tools.played_anew(one, 12, seed=seed) for seed in range(50))
    return one, next(each for each in others if each.entries[FORKED].link != one.entries[FORKED].link)


def holds(fork: Fork, signer: Any) -> bool:
    """Check a proof as somebody who has only its file and the public keys."""
    try:
        check_fork(parse_fork(format_fork(fork)), signer.public_keys)
    except NoFork:
        return False
    return True


def test_two_receipts_of_one_place_make_a_proof(histories: Any, signer: Any) -> None:
    """Two signed heads at one sequence with different links are enough, in either order, without any record."""
    one, other = (signer.receipt(each, FORKED) for each in histories)
    fork = fork_of(one, other)
    assert fork == fork_of(other, one)
    assert (fork.sequence, [branch.records for branch in fork.branches]) == (FORKED, [(), ()])
    assert holds(fork, signer)
    assert len(format_fork(fork)) < 1200


def test_a_receipt_and_a_signed_log_make_a_proof(histories: Any, signer: Any) -> None:
    """A seat's receipt and the log that its signer published: the records lead from the receipt to the signature."""
    one, other = histories
    fork = fork_of(signer.receipt(one, FORKED), signer.signed(other))
    assert fork.sequence == FORKED
    moves = other.head.sequence - FORKED
    assert sorted(len(branch.records) for branch in fork.branches) == [0, moves + 1]  # and the terminal record
    assert holds(fork, signer)


def test_two_signed_logs_make_a_proof(histories: Any, signer: Any) -> None:
    """Two logs that were signed to their ends, of whatever lengths."""
    fork = fork_of(*(signer.signed(each) for each in histories))
    assert fork.sequence == min(each.head.sequence for each in histories)
    assert holds(fork, signer)


def test_a_proof_shows_no_hidden_tile(histories: Any, signer: Any) -> None:
    """Records have no opening: the order of a shake stands nowhere in a proof."""
    text = format_fork(fork_of(signer.receipt(histories[0], 1, link=bytes(32)), signer.signed(histories[1])))
    order = next(move.tiles for move in histories[1].moves if hasattr(move, "tiles"))
    assert order.hex() not in text


def test_what_proves_no_fork(histories: Any, tools: Any, signer: Any) -> None:
    """One history, unsigned links, another match, places that are not the same: no proof is made of them."""
    one, other = histories
    another = tools.start("forty_two", tools.SHORT["forty_two"], match_id="another")
    for left, right in (
        (signer.signed(one), signer.signed(one)),
        (signer.receipt(one, FORKED), signer.signed(one)),
        (signer.receipt(one, 5), signer.receipt(other, 5)),
        (one.log, other.log),
        (signer.receipt(one, FORKED), other.log),
        (signer.receipt(one, FORKED), signer.receipt(other, 16)),
        (signer.receipt(one, 0), signer.signed(another)),
        (signer.receipt(one, FORKED, owner="x"), signer.receipt(other, FORKED)),
        (signer.receipt(one), other.log + signature_item(signer.receipt(other, 3))),
    ):
        with pytest.raises(NoFork):
            fork_of(left, right)
    with pytest.raises(UnreadableLog):
        fork_of(b"not a log", signer.signed(one))


def test_unsigned_links_prove_nothing(histories: Any, signer: Any) -> None:
    """A proof with a signature by somebody else, or by nobody, does not hold."""
    one, other = histories
    fork = fork_of(signer.receipt(one, FORKED), signer.receipt(other, FORKED))
    stranger = sign_head(bytes(32), signer.key_id, "acme", "match-1", FORKED, fork.branches[1].link)
    unknown = sign_head(bytes(32), b"who", "acme", "match-1", FORKED, fork.branches[1].link)
    for signed in (stranger, unknown, fork.branches[1].signed._replace(signature=bytes(64))):
        assert not holds(Fork(FORKED, (fork.branches[0], fork.branches[1]._replace(signed=signed))), signer)


def test_an_honest_signer_can_not_be_framed(histories: Any, signer: Any) -> None:
    """Records told off by one, left out, repeated or moved to another sequence never make a proof of one history."""
    one = histories[0]
    records = [each.record for each in read_log(one.log)]
    last = list(read_log(one.log))[-1]
    end, receipt = signer.receipt(one), signer.receipt(one, FORKED)
    links = [entry.link for entry in one.entries]
    number = one.head.sequence
    honest = {sequence: Branch(links[sequence], (), signer.receipt(one, sequence)) for sequence in range(number + 1)}
    framings = [
        (FORKED, Branch(links[14], (records[14],), receipt)),  # the move told as one behind itself
        (14, Branch(links[FORKED], (), receipt)),  # a head told as one of 14
        (number, Branch(last.link, (last.terminal_record,), end)),  # the link between the last move and its terminal
        (number - 1, Branch(last.link, (last.terminal_record,), end)),
        (13, Branch(links[13], (records[14],), receipt)),
        (13, Branch(links[13], (), receipt)),
        (13, Branch(links[12], tuple(records[12:FORKED]), receipt)),
        (13, Branch(links[13], (records[13], b"\x92\x01\xc1", records[14]), receipt)),
        (13, Branch(links[13], (records[13], records[14] + b"\0"), receipt)),
        (13, Branch(links[13], (records[13], b"\x01"), receipt)),
    ]
    for sequence, framed in framings:
        branches = sorted([framed, honest[sequence]])
        assert not holds(Fork(sequence, (branches[0], branches[1])), signer), sequence
    mixed = signer.receipt(one, FORKED, match_id="another")
    with pytest.raises(NoFork, match="one match"):
        check_fork(Fork(FORKED, (Branch(bytes(32), (), receipt), Branch(links[FORKED], (), mixed))), signer.public_keys)


def test_every_changed_digit_of_a_proof_breaks_it(histories: Any, signer: Any) -> None:
    """Change any character of the file: it is no proof any more, or no document."""
    text = format_fork(fork_of(signer.receipt(histories[0], FORKED), signer.signed(histories[1])))
    for place in range(0, len(text), 3):
        if text[place].isspace():
            continue
        changed = text[:place] + ("0" if text[place] != "0" else "1") + text[place + 1 :]
        with pytest.raises((NoFork, UnreadableDocument)):
            check_fork(parse_fork(changed), signer.public_keys)


def test_a_document_that_is_no_proof_is_refused(histories: Any, signer: Any) -> None:
    """Branches that are not two, in another order, with other fields, or with records that are no digits."""
    document = json.loads(format_fork(fork_of(*(signer.receipt(each, FORKED) for each in histories))))
    one, other = document["branches"]
    for branches in (
        [other, one],
        [one],
        one,
        [one, {**other, "more": 1}],
        [one, {**other, "records": ["zz"]}],
        [one, {**other, "records": ""}],
        [one, {**other, "link": "ab"}],
        [one, {**other, "signed": {**other["signed"], "owner": "acme"}}],
    ):
        with pytest.raises(UnreadableDocument):
            parse_fork(json.dumps({**document, "branches": branches}))
