"""The client's reading of a log: it finds every link, and believes no byte that was changed."""

import random
from itertools import pairwise
from pathlib import Path

import pytest
from dominohall.client import BrokenReply, read_entry
from dominohall.client.links import NO_LINK, item_end, read_entries
from dominohall_replays.log import read_log

FIXTURES = sorted((Path(__file__).parents[1] / "replays" / "fixtures").glob("**/*.dominohall"))


def valid() -> list[Path]:
    """Return the fixtures that the replay library reads to their end."""
    found = []
    for path in FIXTURES:
        try:
            read_log(path).head  # noqa: B018 - reads through it
        except Exception:  # noqa: BLE001, S112 - a fixture that is broken on purpose
            continue
        found.append(path)
    return found


@pytest.mark.parametrize("path", valid(), ids=lambda path: path.stem)
def test_it_follows_every_log_that_the_replay_library_reads(path: Path) -> None:
    """Two readers that share no code come to the same head, and the entries are the log, byte for byte."""
    log = path.read_bytes()
    wanted = read_log(log)
    entries = list(read_entries(log, 0, NO_LINK))
    assert (entries[-1].sequence, entries[-1].link) == wanted.head[1:]
    assert log.startswith(b"".join(each.entry for each in entries))
    previous = NO_LINK
    for each in entries:
        assert read_entry(each.entry, each.sequence, previous) == each
        previous = each.link


def test_no_changed_byte_of_a_record_or_link_is_believed() -> None:
    """Each byte of a move's entry changed by a bit, and each cut of it: `BrokenReply`, and never another exception."""
    log = valid()[0].read_bytes()
    entries = list(read_entries(log, 0, NO_LINK))
    before, move = next(pair for pair in pairwise(entries) if len(pair[1].entry) < 120)
    for place in range(len(move.entry)):
        changed = bytearray(move.entry)
        changed[place] ^= 1 << place % 8
        with pytest.raises(BrokenReply):
            read_entry(bytes(changed), move.sequence, before.link)
        with pytest.raises(BrokenReply):
            read_entry(move.entry[:place], move.sequence, before.link)
    with pytest.raises(BrokenReply):
        read_entry(move.entry, move.sequence + 1, before.link)
    with pytest.raises(BrokenReply):
        read_entry(move.entry, move.sequence, bytes(32))
    with pytest.raises(BrokenReply):
        read_entry(move.entry * 2, move.sequence, before.link)


def test_garbage_is_only_ever_broken() -> None:
    """Bytes of chance, and logs with chance put into them, end in `BrokenReply` or in entries, in bounded time."""
    dice = random.Random(5)
    log = valid()[0].read_bytes()[:2000]
    for _ in range(3000):
        if dice.random() < 0.5:
            data = dice.randbytes(dice.randrange(200))
        else:
            at = dice.randrange(len(log))
            data = log[:at] + dice.randbytes(3) + log[at + dice.randrange(6) :]
        try:
            list(read_entries(data, 0, NO_LINK))
        except BrokenReply:
            continue


def test_a_nesting_bomb_is_broken_and_not_a_stack() -> None:
    """Arrays within arrays without end are refused at a fixed depth, claimed sizes allocate nothing."""
    with pytest.raises(BrokenReply):
        item_end(b"\x91" * 100_000, 0)
    with pytest.raises(BrokenReply):
        item_end(b"\xdc\xff\xff", 0)
    with pytest.raises(BrokenReply):
        item_end(b"\xc5\xff\xff", 0)
