"""Going through a stretch of a log at once judges it as going entry by entry does, whatever the log holds.

`verify` stops at every entry that it holds a receipt of, and judges that one item by item. So a log held against a
receipt of each of its own entries is judged without any stretch, and has the same report but for the receipts.
"""

import io
import random
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from dominohall_engine import fives, forty_two
from dominohall_engine.moves import Abandon
from dominohall_replays.errors import UnreadableLog
from dominohall_replays.fold import Fold
from dominohall_replays.log import LOOKAHEAD, read_log
from dominohall_replays.packing import pack, unpack
from dominohall_replays.reading import LoggedMove
from dominohall_replays.records import BYTES_32, NO_HASH, TERMINAL, link_of
from dominohall_replays.redact import redact
from dominohall_replays.signatures import SignedHead
from dominohall_replays.stretch import go_through
from dominohall_replays.verify import Report, Verdict, verify

TABLES: dict[str, tuple[str, Any]] = {
    "polish": ("forty_two", forty_two.POLISH),
    "russian": ("forty_two", forty_two.RUSSIAN),
    "linear": ("fives", fives.LINEAR),
    "two seats": ("fives", replace(fives.LINEAR, seats=2, partners=False)),
    "one draw": ("fives", replace(fives.LINEAR, seats=3, partners=False, draw=fives.DrawRule.ONE)),
}


def entry_by_entry(log: bytes) -> Report:
    """Judge a log without a stretch."""
    kept: list[SignedHead] = []
    with suppress(UnreadableLog):
        opened = read_log(log)
        owner, match_id = opened.header.owner, opened.header.match_id
        kept += (SignedHead(owner, match_id, each.sequence, each.last_link, b"k", bytes(64)) for each in opened)
    report = verify(log, receipts=kept)
    assert len(report.receipts) in {0, len(kept)}
    return replace(report, receipts=())


def agrees(log: bytes) -> Report:
    """Judge a log both ways; the reports must be the same."""
    report = verify(log)
    assert report == entry_by_entry(log)
    return report


@pytest.fixture(scope="module", params=sorted(TABLES))
def match(request: pytest.FixtureRequest, record: Any) -> Any:
    """Play a whole match; every second one has times."""
    return record(*TABLES[request.param], seed=11, times=len(request.param) % 2 == 0)


def test_whole_logs_have_the_same_report(match: Any) -> None:
    """Matches of every kind, with and without what is beside them, are judged the same, and hold."""
    for log in (match.log, match.revealed):
        assert agrees(log).verdict is Verdict.VALID
    cut = b"".join([entry.data for entry in match.entries[:-6]])
    for viewer in (None, 0):
        assert agrees(redact(match.revealed, viewer)).good
        assert agrees(redact(cut, viewer)).verdict is Verdict.REDACTED


def test_other_origins_have_the_same_report(
    imported_match: Any, scripted_match: Any, abandoned_match: Any, short_match: Any, signer: Any
) -> None:
    """So are matches that were imported, scripted, abandoned or signed."""
    for each in (imported_match, scripted_match, abandoned_match):
        assert agrees(each.log).good
        assert agrees(each.revealed).verdict is not Verdict.UNREADABLE
    assert agrees(signer.signed(short_match)).signature == "unchecked"


def test_nearly_all_entries_lie_in_a_stretch(match: Any) -> None:
    """In an honest log all but lots and the last entry are gone through at once, and the state is that of the fold."""
    log = read_log(match.log)
    fold, slow = Fold(log), Fold(log)
    singly = 0
    with log.walk() as walk:
        while True:
            go_through(fold, walk, ())
            item = walk.read()
            if item is None:
                break
            assert isinstance(item, LoggedMove)
            fold.advance(item)
            singly += 1
    for entry in log:
        slow.advance(entry)
    lots = sum(1 for chance in fold.chances if chance.lot)
    assert singly == lots + 1
    for name in ("sequence", "link", "links", "end", "chances", "root", "terminal"):
        assert getattr(fold, name) == getattr(slow, name), name
    assert fold.game.encode(fold.state) == slow.game.encode(slow.state)


@pytest.mark.parametrize("tries", [10, pytest.param(400, marks=pytest.mark.slow)])
def test_changed_logs_have_the_same_report(match: Any, tries: int) -> None:
    """Any byte changed, taken out or put in, any cut, any entry moved: the same verdict at the same place."""
    chance = random.Random(tries)
    log, parts = match.revealed, [entry.data for entry in match.entries]
    for _ in range(tries):
        place = chance.randrange(len(log))
        byte = bytes((chance.randrange(256),))
        agrees(log[:place] + byte + log[place + 1 :])
        agrees(log[:place] + log[place + 1 :])
        agrees(log[:place] + byte + log[place:])
        agrees(log[:place])
        one, other = chance.sample(range(1, len(parts)), 2)
        moved = parts.copy()
        moved.insert(one, moved.pop(other))
        agrees(b"".join(moved))


@pytest.mark.parametrize("tries", [20, pytest.param(600, marks=pytest.mark.slow)])
def test_forged_logs_have_the_same_report(match: Any, tries: int) -> None:
    """A record changed and the chain made anew behind it: the rules, the digest or the root must tell."""
    chance = random.Random(tries)
    verdicts = set()
    for _ in range(tries):
        items = items_of(match.log)
        number = chance.choice([n for n, item in enumerate(items) if isinstance(item, list) and item[0] in {1, 16}])
        change(items[number], chance)
        verdicts.add(agrees(chained(items)).verdict)
    assert Verdict.DIGEST_DIFFERS in verdicts
    assert verdicts & {Verdict.ILLEGAL_MOVE, Verdict.UNREADABLE}


def items_of(log: bytes) -> list[Any]:
    """Take a log apart into its items."""
    found, at = [], 0
    while at < len(log):
        item, at = unpack(log, at)
        found.append(item)
    return found


def change(item: list[Any], chance: random.Random) -> None:
    """Change one field of the record of a move, or of an opening."""
    field = chance.randrange(1, len(item))
    value = item[field]
    if isinstance(value, bytes):
        changed = bytearray(value)
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
        item[field] = bytes(changed)
    elif value is None:
        item[field] = chance.choice([0, 1 << 31, 1 << 33, 1 << 60, bytes(32)])
    else:
        item[field] = chance.choice([value + 1, None, 0])


def chained(items: list[Any]) -> bytes:
    """Write the items again, each record linked to the one before."""
    data, link = b"", NO_HASH
    for item in items:
        if isinstance(item, bytes):
            data += BYTES_32 + link
            continue
        record = pack(item)
        data += record
        if item[0] <= TERMINAL:
            link = link_of(link, record)
    return data


class Trickle(io.BytesIO):
    """A stream that gives a little at a time, as a socket does."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Return at most some thousands of bytes."""
        return super().read(5000 if size is None else min(size, 5000))


def test_a_log_that_is_read_in_parts_has_the_same_report(record: Any, tmp_path: Path) -> None:
    """A stretch ends where the part in memory ends; from a file, a stream or bytes, a log has one report."""
    match = record("fives", replace(fives.LINEAR, target=1000, seats=2, partners=False), seed=2, times=True)
    log = match.revealed
    assert len(log) > LOOKAHEAD + 20_000
    path = tmp_path / "long"
    for place in (None, len(log) // 2, len(log) - 3000):
        changed = bytearray(log)
        if place is not None:
            changed[place] ^= 4
        path.write_bytes(changed)
        report = agrees(bytes(changed))
        assert report == verify(path) == verify(Trickle(bytes(changed)))
        assert (report.verdict is Verdict.VALID) == (place is None)


def test_what_only_the_end_of_a_stretch_can_have(short_match: Any, tools: Any) -> None:
    """A result too early, too late, or of moves that went on elsewhere, and an end by the host: judged the same."""
    parts = [entry.data for entry in short_match.entries]
    sequence = short_match.head.sequence
    result = parts[-1][parts[-1].rindex(pack([TERMINAL, sequence])[1:]) - 1 :]
    assert agrees(b"".join(parts)[: -len(result)]).verdict is Verdict.TRUNCATED
    for number in range(2, len(parts) - 1, 5):
        assert not agrees(b"".join(parts[:number]) + result).good
    assert not agrees(b"".join(parts) + parts[-1]).good
    ended = tools.go_on(tools.start("forty_two", forty_two.POLISH), seed=1, moves=30)
    tools.add(ended, Abandon("table-closed"))
    tools.go_on(ended)
    assert agrees(ended.revealed).verdict is Verdict.VALID
