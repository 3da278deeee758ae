"""Every verdict and every statement, provoked."""

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from dominohall_engine import forty_two
from dominohall_engine.errors import IllegalMove
from dominohall_engine.moves import Abandon, Shake
from dominohall_engine.outcomes import Ending, Outcome
from dominohall_replays import deals
from dominohall_replays.fold import LogFault
from dominohall_replays.forging import put_together, taken_apart
from dominohall_replays.log import read_log
from dominohall_replays.packing import pack, unpack
from dominohall_replays.records import (
    BYTES_32,
    SIGNATURE,
    Entry,
    Head,
    Initial,
    digest_of,
    header_entry,
    link_of,
    revealed_secret,
    terminal_record,
)
from dominohall_replays.verdicts import LegalityStatement, Report
from dominohall_replays.verify import (
    DealStatement,
    OriginStatement,
    SignatureStatement,
    Verdict,
    step,
    verify,
)


def test_every_verdict_has_its_test() -> None:
    """No verdict is left out below: each has a test of its name."""
    assert [verdict for verdict in Verdict if f"test_{verdict}" not in globals()] == []


def judged(log: bytes, verdict: Verdict, *, head: Head | None = None) -> Report:
    """Verify a log, expect a verdict, and check what holds for every report."""
    report = verify(log, expected_head=head)
    assert report.verdict is verdict, report
    assert pickle.loads(pickle.dumps(report)) == report  # noqa: S301 - our own bytes
    assert report.good == (verdict in {Verdict.VALID, Verdict.UNFINISHED, Verdict.REDACTED})
    if not report.good:
        assert report.offset is not None
        assert 0 <= report.offset <= len(log)
    return report


def relink(match: Any, sequence: int, change: Any) -> bytes:
    """Change the record at a sequence and link everything after it again, as a clever forger would."""
    parts = taken_apart(match.entries)
    parts[sequence].record = change(parts[sequence].record)
    return put_together(parts)


def test_support_is_told_what_each_verdict_means() -> None:
    """The table of `docs/disputes.md` has every verdict once, in words."""
    page = (Path(__file__).parents[2] / "docs" / "disputes.md").read_text(encoding="utf-8")
    table = page.partition("## What the verdict means")[2].partition("\n## ")[0]
    rows = [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("| ")][1:]
    assert sorted(word for row in rows for word in row.split(", ")) == sorted(
        each.replace("_", " ") for each in Verdict
    )


def test_valid(short_match: Any) -> None:
    """A whole match is valid; with the secret revealed its deal is proven; nothing is said of who wrote it."""
    report = judged(short_match.revealed, Verdict.VALID)
    assert (report.sequence, report.offset, report.clauses) == (None, None, ())
    assert (report.deal, report.origin) == (DealStatement.PROVEN, OriginStatement.STARTED)
    assert report.chances == report.chances_proven > 0
    assert report.signature is SignatureStatement.ABSENT
    assert report.head == short_match.head
    assert report.recorded == report.computed is not None
    assert report.moves == len(short_match.moves)
    assert "authentic" not in report.reason


def test_unfinished(record: Any, tools: Any) -> None:
    """A log that holds and is not over is valid so far, at every length; its deal is opened and no more."""
    match = record("forty_two", tools.SHORT["forty_two"], moves=12)
    for length in range(1, len(match.entries) + 1):
        report = judged(b"".join(entry.data for entry in match.entries[:length]), Verdict.UNFINISHED)
        assert report.moves == length - 1
        assert report.deal is (DealStatement.OPENED if length > 1 else DealStatement.UNPROVEN)
        assert report.recorded is report.computed is None


def test_truncated(short_match: Any) -> None:
    """A cut inside an entry, an empty log, and a log without its last record are truncated, each with its place."""
    assert judged(b"", Verdict.TRUNCATED).offset == 0
    whole = short_match.log
    report = judged(whole[:-1], Verdict.TRUNCATED)
    assert (report.sequence, report.offset) == (short_match.head.sequence, len(whole) - 1)
    assert report.moves == short_match.head.sequence - 1
    terminal = len(terminal_record(short_match.head.sequence, short_match.game.outcome(short_match.states[-1]))) + 34
    report = judged(whole[:-terminal], Verdict.TRUNCATED)
    assert report.computed is not None
    assert report.recorded is None


def test_truncated_before_a_head(short_match: Any) -> None:
    """A log that ends before a head that somebody kept is truncated, though it agrees with itself."""
    log = b"".join(entry.data for entry in short_match.entries[:5])
    report = judged(log, Verdict.TRUNCATED, head=short_match.head)
    assert (report.sequence, report.offset) == (4, len(log))


@pytest.mark.parametrize(
    ("log", "offset"),
    [(b"\x00", 0), (b"not a log at all", 0), (b"\x92\x00\x80", 0), (b"\x93\x20\xc0\xc0", 0), (b"\xc1" * 100, 0)],
)
def test_unreadable(log: bytes, offset: int) -> None:
    """Bytes that are no log are unreadable, at the byte where reading fails."""
    report = judged(log, Verdict.UNREADABLE)
    assert report.offset == offset


def test_unreadable_after_the_end(short_match: Any) -> None:
    """Nothing but attachments may follow the last entry, and nothing unknown anywhere."""
    end = len(short_match.log)
    for extra in (b"\x00", short_match.entries[-1].data, short_match.entries[0].data, pack([8, b"x"]), pack([34])):
        assert judged(short_match.log + extra, Verdict.UNREADABLE).offset == end


def test_unreadable_move(record: Any, tools: Any) -> None:
    """A move whose bytes mean nothing in this game is unreadable, at its sequence."""
    match = record("forty_two", tools.SHORT["forty_two"], moves=9)
    forged = relink(match, 4, lambda item: [*item[:2], b"\x20\x00\x01\x00", *item[3:]])
    assert judged(forged, Verdict.UNREADABLE).sequence == 4


@pytest.mark.parametrize(
    "change",
    [
        {"game": "chess"},
        {"rules_digest": bytes(32)},
        {"rules_revision": 9, "options": {"revision": 9}},
        {"options": {"revision": 1}},
        {"first": 2, "options": None},
    ],
)
def test_unknown_rules(tools: Any, change: dict[str, Any]) -> None:
    """A log under rules that this build does not have is refused before its first move."""
    match = tools.start("forty_two", forty_two.RUSSIAN)
    if change.get("options", 0) is None:
        change = change | {"options": match.header.options}
    header = replace(match.header, **change)
    report = judged(header_entry(header).data + b"\xc1", Verdict.UNKNOWN_RULES)
    assert (report.sequence, report.offset, report.moves) == (0, 0, 0)


def test_wrong_number_of_labels(tools: Any) -> None:
    """A header with a label too few is no header of this game."""
    match = tools.start("forty_two", forty_two.POLISH)
    judged(header_entry(replace(match.header, labels=("", ""))).data, Verdict.UNREADABLE)


def test_chain_broken(short_match: Any) -> None:
    """An edited move breaks the chain where it stands."""
    entry = short_match.entries[6]
    item, end = unpack(entry.data)
    assert isinstance(item, list)
    assert isinstance(item[3], bytes)
    digest = bytearray(item[3])
    digest[0] ^= 1
    record = pack([*item[:3], bytes(digest), *item[4:]])
    data = [each.data for each in short_match.entries]
    data[6] = record + entry.data[end:]
    report = judged(b"".join(data), Verdict.CHAIN_BROKEN)
    assert (report.sequence, report.offset) == (6, sum(map(len, data[:6])))


def test_spliced_prefix(short_match: Any, tools: Any) -> None:
    """The moves of one match behind the header of another break the chain at the first move."""
    other = tools.start(short_match.header.game, tools.SHORT[short_match.header.game], match_id="other")
    log = other.log + b"".join(entry.data for entry in short_match.entries[1:])
    assert judged(log, Verdict.CHAIN_BROKEN).sequence == 1


def test_illegal_move(record: Any, tools: Any) -> None:
    """A move that the rules forbid is found though everything after it was linked again, with the clauses."""
    match = record("forty_two", tools.SHORT["forty_two"], seed=2, moves=14)
    sequence, move = next(
        (number, move)
        for number in range(8, 15)
        for move in match.game.seat_moves(match.header.options and tools.SHORT["forty_two"])
        if match.game.violation(match.states[number - 1], move) is not None
    )
    forged = relink(match, sequence, lambda item: [*item[:2], match.game.encode_move(move), *item[3:]])
    report = judged(forged, Verdict.ILLEGAL_MOVE)
    violation = match.game.violation(match.states[sequence - 1], move)
    assert report.sequence == sequence
    assert report.clauses == violation.clauses
    assert report.refusal == violation.reason
    assert report.moves == sequence - 1


def test_digest_differs(short_match: Any) -> None:
    """A state that was recorded otherwise is found though everything after it was linked again."""
    forged = relink(short_match, 7, lambda item: [*item[:3], bytes(32), *item[4:]])
    assert judged(forged, Verdict.DIGEST_DIFFERS).sequence == 7


def test_digest_covers_the_root(short_match: Any) -> None:
    """The digest of a state with tiles in play is over their root, so that a shake can't be replaced later."""
    entry = next(each for each in read_log(short_match.log) if each.root is not None)
    public = short_match.game.encode_public(short_match.states[entry.sequence])
    assert entry.digest == digest_of(public, entry.root) != digest_of(public, None)


def test_root_differs(record: Any, tools: Any) -> None:
    """Showing other tiles than were shaken is found, whatever is linked: the root is in the chain."""
    match = record("fives", tools.SHORT["fives"], moves=6)
    number = next(n for n, move in enumerate(match.moves) if isinstance(move, Shake)) + 1
    data = [entry.data for entry in match.entries]
    shown = match.moves[number - 1].tiles
    data[number] = data[number].replace(shown, shown[:8] + shown[9:10] + shown[8:9] + shown[10:])
    assert judged(b"".join(data), Verdict.ROOT_DIFFERS).sequence == number
    data[number] = match.entries[number].data.replace(shown, bytes(28))
    assert judged(b"".join(data), Verdict.ROOT_DIFFERS).sequence == number


def test_result_differs(short_match: Any) -> None:
    """A recorded result that the moves do not give is found; the report has both."""
    last, before = short_match.entries[-1], short_match.head.sequence - 1
    outcome = short_match.game.outcome(short_match.states[-1])
    wrong = Outcome(None if outcome.winner is not None else 1, outcome.ending, outcome.scores)
    move = last.data[: -len(terminal_record(last.sequence, outcome)) - 34]
    record = terminal_record(last.sequence, wrong)
    end = record + BYTES_32 + link_of(move[-32:], record)
    log = b"".join(entry.data for entry in short_match.entries[:-1]) + move + end
    report = judged(log, Verdict.RESULT_DIFFERS)
    assert (report.sequence, report.moves) == (last.sequence, before)
    assert report.recorded is not None
    assert report.computed is not None
    assert (report.recorded.winner, report.computed.winner) == (wrong.winner, outcome.winner)


def test_result_of_a_match_that_goes_on(record: Any, tools: Any) -> None:
    """A result recorded while the match goes on, and a match that is over without one before an attachment."""
    match = record("forty_two", tools.SHORT["forty_two"], moves=8)
    record_ = terminal_record(8, Outcome(0, Ending.TARGET, (250, 0)))
    log = match.log + record_ + BYTES_32 + link_of(match.head.link, record_)
    assert judged(log, Verdict.RESULT_DIFFERS).recorded is not None
    tools.add(match, Abandon("done"))
    outcome = match.game.outcome(match.states[-1])
    cut = match.log[: -len(terminal_record(9, outcome)) - 34]
    assert judged(cut + revealed_secret(match.secret), Verdict.RESULT_DIFFERS).recorded is None


def test_deal_differs(short_match: Any, tools: Any) -> None:
    """A secret that was not committed to, and a shake that did not come from the secret, are told apart."""
    report = judged(short_match.log + revealed_secret(bytes(32)), Verdict.DEAL_DIFFERS)
    assert (report.sequence, report.offset) == (None, len(short_match.log))
    stacked = tools.start("forty_two", tools.SHORT["forty_two"], first=0)
    tools.add(stacked, Shake(bytes(range(28))))
    judged(stacked.log, Verdict.UNFINISHED)
    report = judged(stacked.revealed, Verdict.DEAL_DIFFERS)
    assert (report.sequence, report.chances, report.chances_proven) == (1, 1, 0)
    assert report.deal is DealStatement.UNPROVEN


def test_lot_that_did_not_come_from_the_secret(tools: Any) -> None:
    """A lot is held against the secret too: who shakes first is chance as well."""
    match = tools.start("forty_two", tools.SHORT["forty_two"])
    fair = deals.chance_move(match.game, match.states[-1], match.secret)
    tools.add(match, forty_two.Lot((fair.seat + 1) % 4))
    assert judged(match.revealed, Verdict.DEAL_DIFFERS).sequence == 1


def test_deal_without_commitment(record: Any, tools: Any) -> None:
    """Without a commitment nothing can be revealed, and the deal stays unproven."""
    match = record("forty_two", tools.SHORT["forty_two"], commit=False)
    assert judged(match.log, Verdict.VALID).deal is DealStatement.UNPROVEN
    judged(match.revealed, Verdict.DEAL_DIFFERS)


def test_scripted(scripted_match: Any) -> None:
    """A scripted match says so for good: its deal is never called proven, and no fault is made of it."""
    for log in (scripted_match.log, scripted_match.revealed):
        assert judged(log, Verdict.UNFINISHED).deal is DealStatement.SCRIPTED


def test_imported(imported_match: Any) -> None:
    """An imported match is judged from its initial state on, whose tiles no secret of ours can prove."""
    report = judged(imported_match.revealed, Verdict.VALID)
    assert report.origin is OriginStatement.IMPORTED
    assert report.deal is judged(imported_match.log, Verdict.VALID).deal is DealStatement.IMPORTED
    assert report.chances_proven == report.chances - 1
    entry = imported_match.entries[0]
    order = imported_match.game.order(imported_match.states[0])
    swapped = entry.data.replace(order, order[1::-1] + order[2:])
    assert judged(swapped, Verdict.ROOT_DIFFERS).sequence == 0


def test_imported_between_rounds(tools: Any) -> None:
    """A match imported before a shake has no root in its header and no opening beside it."""
    match = tools.start_imported(tools.start("forty_two", tools.SHORT["forty_two"], first=1))
    assert match.header.initial.root is None
    report = judged(tools.go_on(match, seed=1).revealed, Verdict.VALID)
    assert (report.deal, report.origin) == (DealStatement.PROVEN, OriginStatement.IMPORTED)


def test_impossible_state(imported_match: Any) -> None:
    """An initial state that can't be read, can't arise, or has other options than the header is impossible."""
    header, initial = imported_match.header, imported_match.header.initial
    order = imported_match.game.order(imported_match.states[0])
    salt = deals.shake_salt(imported_match.secret, 0)
    for public in (
        b"\x02" + initial.public[1:],
        initial.public[:-1] + bytes(((initial.public[-1] + 1) % 28,)),
    ):
        forged = replace(header, initial=Initial(public, initial.root))
        log = header_entry(forged, initial_order=order, initial_salt=salt).data
        judged(log, Verdict.IMPOSSIBLE_STATE)
    other = replace(header, options=dict(header.options) | {"target": 300})
    judged(header_entry(other, initial_order=order, initial_salt=salt).data, Verdict.IMPOSSIBLE_STATE)


def redacted(entry: Entry, order: bytes, salt: bytes, places: tuple[int, ...]) -> bytes:
    """Show only the tiles at these places of a shake."""
    opening = pack([17, [[*each[:3], list(each[3])] for each in deals.openings(order, salt, places)]])
    whole = pack([16, order, salt])
    assert whole in entry.data
    return entry.data.replace(whole, opening)


def test_redacted(record: Any, tools: Any) -> None:
    """A log that shows only some tiles keeps its root and chain; legality is claimed as far as they tell."""
    match = record("forty_two", tools.SHORT["forty_two"], first=2, moves=12)
    order, salt = match.moves[0].tiles, deals.shake_salt(match.secret, 0)
    for places in ((), (0,), (0, 6, 27), tuple(range(28))):
        data = [entry.data for entry in match.entries]
        data[1] = redacted(match.entries[1], order, salt, places)
        report = judged(b"".join(data), Verdict.REDACTED)
        assert (report.sequence, report.moves) == (1, len(match.moves))
        assert report.shown is not None
        assert report.shown.seats == ((0, 1, 2, 3) if len(places) == 28 else ())
        assert (report.shown.legality is LegalityStatement.FULL) == (len(places) == 28)
        for place in range(0, len(data[1]), 7):
            broken = bytearray(data[1])
            broken[place] ^= 1
            assert verify(b"".join([data[0], bytes(broken), *data[2:]])).verdict != Verdict.REDACTED
        data[5] = data[5][:-1] + bytes((data[5][-1] ^ 1,))
        judged(b"".join(data), Verdict.CHAIN_BROKEN)


def test_unsigned(short_match: Any) -> None:
    """With public keys, a log that no signature covers is unsigned from its header on; without keys nobody asked."""
    report = verify(short_match.log, public_keys={b"key1": bytes(32)})
    assert (report.verdict, report.sequence, report.offset) == (Verdict.UNSIGNED, 0, 0)
    assert (report.good, report.authentic, report.recorded == report.computed) == (False, False, True)
    assert not judged(short_match.log, Verdict.VALID).authentic


def test_head_differs(record: Any, short_match: Any) -> None:
    """A log played again from the middle agrees with itself; only a head that somebody kept tells."""
    game = short_match.header.game
    again = record(game, short_match.states and _options(short_match), seed=99)
    kept = Head(short_match.header.match_id, 8, short_match.entries[8].link)
    judged(short_match.log, Verdict.VALID, head=kept)
    report = judged(again.log, Verdict.HEAD_DIFFERS, head=kept)
    assert report.sequence == 8
    foreign = Head("another", 8, short_match.entries[8].link)
    assert judged(short_match.log, Verdict.HEAD_DIFFERS, head=foreign).sequence == 0


def _options(match: Any) -> Any:
    return match.game.options_of(match.states[0])


def signature_over(sequence: int, link: bytes) -> bytes:
    """Write a signature item; what it signs with is not read yet."""
    return pack([SIGNATURE, sequence, link, b"key1", bytes(64)])


def test_signature_wrong(short_match: Any) -> None:
    """A signature over a head of this log is unchecked without keys; over any other head it is wrong."""
    good = signature_over(5, short_match.entries[5].link) + signature_over(*short_match.head[1:])
    report = judged(short_match.log + good, Verdict.VALID)
    assert report.signature is SignatureStatement.UNCHECKED
    for wrong in (signature_over(5, short_match.entries[6].link), signature_over(10**6, short_match.head.link)):
        report = judged(short_match.log + wrong, Verdict.SIGNATURE_WRONG)
        assert report.signature is SignatureStatement.WRONG
        assert report.offset == len(short_match.log)


def test_abandoned(abandoned_match: Any) -> None:
    """A match that the host ended in the middle of a round has its result in the chain."""
    report = judged(abandoned_match.revealed, Verdict.VALID)
    assert report.recorded is not None
    assert (report.recorded.ending, report.recorded.winner) == ("abandoned", None)


def test_step(short_match: Any) -> None:
    """`step` gives the state and the head at every sequence, and says where the log stops to hold."""
    log = read_log(short_match.log)
    for sequence, (state, entry) in enumerate(zip(short_match.states, short_match.entries, strict=True)):
        seen, head = step(log, sequence)
        assert short_match.game.encode(seen) == short_match.game.encode(state)
        assert head == (short_match.header.match_id, sequence, entry.link)
    with pytest.raises(ValueError, match="expected a sequence of 0 to"):
        step(log, len(short_match.entries))
    broken = bytearray(short_match.log)
    broken[len(short_match.entries[0].data) + len(short_match.entries[1].data) - 1] ^= 1
    with pytest.raises(LogFault):
        step(read_log(bytes(broken)), 1)


def test_other_options_never_leak_in(tools: Any) -> None:
    """The options of the header decide, not a preset: a match to 50 is over at 50."""
    options = replace(forty_two.POLISH, target=50)
    match = tools.go_on(tools.start("forty_two", options), seed=11)
    report = judged(match.log, Verdict.VALID)
    assert report.recorded is not None
    assert 50 <= max(report.recorded.scores) < 250


def test_no_entry_is_written_for_a_refused_move(record: Any, tools: Any) -> None:
    """The engine refuses before anything is written: a refused move has no state to write an entry of."""
    match = record("forty_two", tools.SHORT["forty_two"], moves=4)
    with pytest.raises(IllegalMove):
        tools.add(match, Shake(bytes(range(28))))
    assert len(match.entries) == len(match.states) == 5
